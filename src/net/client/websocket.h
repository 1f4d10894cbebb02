// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The WebSocket protocol on an unencrypted client socket, after libwebsockets has opened the
/// connection. libwebsockets examines every byte by itself and asks the kernel for random numbers
/// for each message, which costs more than everything else in a client; this reads and sends many
/// messages at a time.
#ifndef JBW_NET_CLIENT_WEBSOCKET_H
#define JBW_NET_CLIENT_WEBSOCKET_H

#include "jbw/base.h"

enum { JBW_WEBSOCKET_RANDOM_SIZE = 1024 };

/// Fills in unpredictable bytes; false on failure.
typedef bool jbw_random_function(void *user, uint8_t *bytes, size_t size);

/// Receives each complete message. The bytes are valid during the call.
typedef void jbw_websocket_function(const void *bytes, size_t size, void *user);

typedef struct jbw_websocket {
    jbw_random_function *get_random; // set by the owner, like the next three
    jbw_websocket_function *receive;
    void *user;
    size_t message_most; // bytes

    int socket;
    jbw_buffer out;
    size_t out_start; // bytes already sent
    jbw_buffer in;
    size_t in_start;  // bytes already processed
    jbw_buffer parts; // the frames so far of a fragmented message
    bool is_closed;
    char problem[128]; // why it is closed
    uint8_t random[JBW_WEBSOCKET_RANDOM_SIZE];
    size_t random_left; // unused bytes of `random`
} jbw_websocket;

/// Takes over a non-blocking socket on which a WebSocket connection is open.
void jbw_websocket_begin(jbw_websocket *ws, int socket);
void jbw_websocket_deinit(jbw_websocket *ws);

/// Queues a message. False when memory runs out.
bool jbw_websocket_put(jbw_websocket *ws, const uint8_t *bytes, size_t size);

/// Sends as much of the queue as the socket accepts.
void jbw_websocket_flush(jbw_websocket *ws);
bool jbw_websocket_is_flushed(const jbw_websocket *ws);

/// Processes what has arrived, without waiting. True if there was a message.
bool jbw_websocket_read(jbw_websocket *ws);

/// Waits until something arrives or can be sent, or the time is up; at least a millisecond.
void jbw_websocket_wait(jbw_websocket *ws, int64_t microseconds);

#endif
