// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A client's WebSocket over a socket without encryption, once libwebsockets has made the connection.
/// libwebsockets looks at each byte by itself and asks the kernel for random numbers for each message,
/// which costs more than all the rest of a client; here messages are taken and sent many at a time.
#ifndef JBW_NET_CLIENT_WEBSOCKET_H
#define JBW_NET_CLIENT_WEBSOCKET_H

#include "jbw/base.h"

enum { JBW_PLAIN_RANDOM = 1024 };

/// Fills in bytes that nobody can guess; false if there are none.
typedef bool jbw_random_function(void *user, uint8_t *bytes, size_t size);

/// Told of each whole message; the bytes live during the call.
typedef void jbw_websocket_function(const void *bytes, size_t size, void *user);

typedef struct jbw_websocket {
    jbw_random_function *get_random; // set by the owner, as the next three
    jbw_websocket_function *receive;
    void *user;
    size_t message_most; // bytes

    int socket;
    jbw_buffer out;
    size_t out_start; // what stands before it was sent
    jbw_buffer in;
    size_t in_start;  // what stands before it was taken
    jbw_buffer parts; // of a message in several frames
    bool is_closed;
    char problem[128]; // why
    uint8_t random[JBW_PLAIN_RANDOM];
    size_t random_left;
} jbw_websocket;

/// Begins with a socket that does not block, and on which a WebSocket was opened.
void jbw_websocket_begin(jbw_websocket *plain, int socket);
void jbw_websocket_deinit(jbw_websocket *plain);

/// Puts a message behind those that are to be sent. False when memory runs out.
bool jbw_websocket_put(jbw_websocket *plain, const uint8_t *bytes, size_t size);

/// Sends what the socket takes.
void jbw_websocket_flush(jbw_websocket *plain);
bool jbw_websocket_is_flushed(const jbw_websocket *plain);

/// Takes in what has arrived, without waiting. True if there was a message.
bool jbw_websocket_read(jbw_websocket *plain);

/// Waits until something arrives, or can be sent, or that time is over; at least a millisecond.
void jbw_websocket_wait(jbw_websocket *plain, int64_t microseconds);

#endif
