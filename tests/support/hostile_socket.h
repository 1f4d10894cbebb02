// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A client that does what no client should: bytes on a socket, with a WebSocket handshake if asked for.
#ifndef JBW_TESTS_NET_HOSTILE_SOCKET_H
#define JBW_TESTS_NET_HOSTILE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Connects to a port of this machine; -1 if that fails.
int hostile_connect(int port);

/// The same, and says what browsers say to get a WebSocket; -1 if the server does not agree.
int hostile_upgrade(int port);

/// Sends bytes as they are, as many as the other side takes within a second. False if it hung up.
bool hostile_send(int fd, const void *bytes, size_t size);

/// Sends a WebSocket frame with this first byte (0x82 is a whole binary message), masked by zeros.
/// `told_size` is what its head says, whatever comes.
bool hostile_send_frame(int fd, uint8_t first, const void *bytes, size_t size, uint64_t told_size);

/// Sends hello with a token, as a message of the protocol. False if it hung up.
bool hostile_hello(int fd, const char *token);

/// True if the other side hangs up within so many seconds. What it sends is thrown away.
bool hostile_hears_end(int fd, double seconds);

/// Hangs up without a word, by a reset.
void hostile_reset(int fd);

#endif
