// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bytes on a socket, with a WebSocket handshake on demand: a client that can do what no client
/// should.
#ifndef JBW_TESTS_RAW_SOCKET_H
#define JBW_TESTS_RAW_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Connects to a port of this machine; -1 if that fails.
int raw_connect(int port);

/// The same, with the handshake that browsers use to open a WebSocket; -1 if the server refuses it.
int raw_upgrade(int port);

/// Sends bytes as they are, as many as the server takes within a second. False if it hung up.
bool raw_send(int fd, const void *bytes, size_t size);

/// Receives a zero-terminated text until the server hangs up, the buffer is full, or nothing
/// arrives for that many seconds. Returns its length.
size_t raw_receive_text(int fd, char *text, size_t size, int seconds);

/// Receives one WebSocket frame, within ten seconds. Returns the size of its payload, of which as
/// much as fits is kept; 0 if there is none.
size_t raw_receive_frame(int fd, uint8_t *bytes, size_t size);

/// Sends a WebSocket frame with this first byte (0x82 is a whole binary message), masked by zeros.
/// Its header announces `told_size` bytes, whatever follows.
bool raw_send_frame(int fd, uint8_t first, const void *bytes, size_t size, uint64_t told_size);

/// Sends the hello message of the protocol with a token. False if the server hung up.
bool raw_hello(int fd, const char *token);

/// True if the server hangs up within that many seconds. What it sends is discarded.
bool raw_hears_end(int fd, double seconds);

/// Closes the connection with a reset.
void raw_reset(int fd);

#endif
