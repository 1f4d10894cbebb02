// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The wire of a client: one WebSocket connection over libwebsockets, served by whoever waits for
/// it. Knows bytes and time, no messages.
#ifndef JBW_NET_CLIENT_LINK_H
#define JBW_NET_CLIENT_LINK_H

#include "jbw/base.h"

typedef struct jbw_link jbw_link;

/// Told of each whole message that has come; the bytes live during the call.
typedef void jbw_link_function(const void *bytes, size_t size, void *user);

typedef struct jbw_link_options {
    const char *ca_file; ///< may be NULL
    bool is_unchecked;
    jbw_link_function *receive;
    void *user;
    jbw_allocator allocator;
} jbw_link_options;

/// Microseconds of a clock that only goes forward.
int64_t jbw_link_now(void);

/// Prepares for "ws://host:port" or "wss://...", without connecting. The path is /ws unless said.
jbw_status jbw_link_create(const char *url, const jbw_link_options *options, jbw_link **out,
                           jbw_error *error);

/// Ends it. NULL is fine.
void jbw_link_destroy(jbw_link *link);

/// Connects, until the deadline at the latest. An open link is closed first.
jbw_status jbw_link_open(jbw_link *link, int64_t deadline, jbw_error *error);

/// Closes, after what was sent has gone out or the deadline has passed.
void jbw_link_close(jbw_link *link, int64_t deadline);

bool jbw_link_is_open(const jbw_link *link);

/// Why the link is not open, for a person.
const char *jbw_link_problem(const jbw_link *link);

/// Where to append the next message; then `jbw_link_send`, or nothing.
jbw_buffer *jbw_link_begin(jbw_link *link);

/// Sends what was appended: at once, or, if the other side does not take it, while waiting.
jbw_status jbw_link_send(jbw_link *link);

/// Keeps what is sent together until this is over; then it goes out in one piece, if the link can do that.
void jbw_link_gather(jbw_link *link, bool is_gathering);

/// Takes in what has arrived, without waiting and at the price of one call to the kernel.
void jbw_link_peek(jbw_link *link);

/// Waits until something has happened, or the deadline has passed.
void jbw_link_wait(jbw_link *link, int64_t deadline);

#endif
