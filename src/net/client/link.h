// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A client's WebSocket connection. It has no thread: it makes progress only while its owner waits
/// on it. It carries bytes, and knows nothing about messages.
#ifndef JBW_NET_CLIENT_LINK_H
#define JBW_NET_CLIENT_LINK_H

#include "jbw/base.h"

typedef struct jbw_link jbw_link;

/// Receives each complete message. The bytes are valid during the call.
typedef void jbw_link_function(const void *bytes, size_t size, void *user);

typedef struct jbw_link_options {
    const char *ca_file; ///< may be NULL
    bool is_unchecked;   ///< accept any certificate
    jbw_link_function *receive;
    void *user;
    jbw_allocator allocator;
} jbw_link_options;

/// Microseconds of the monotonic clock.
int64_t jbw_link_now(void);

/// Creates a link to "ws://host:port" or "wss://...", without connecting. The default path is /ws.
jbw_status jbw_link_create(const char *url, const jbw_link_options *options, jbw_link **out,
                           jbw_error *error);

/// Closes the connection at once. NULL is fine.
void jbw_link_destroy(jbw_link *link);

/// Connects, giving up at the deadline. An open link is closed first.
jbw_status jbw_link_open(jbw_link *link, int64_t deadline, jbw_error *error);

/// Closes the link once everything has been sent or the deadline has passed.
void jbw_link_close(jbw_link *link, int64_t deadline);

bool jbw_link_is_open(const jbw_link *link);

/// Why the link is not open, as text for people.
const char *jbw_link_problem(const jbw_link *link);

/// The buffer to append the next message to. Call `jbw_link_send` to send it.
jbw_buffer *jbw_link_begin(jbw_link *link);

/// Sends the appended message: at once or, if the socket does not accept it now, during later
/// waits.
jbw_status jbw_link_send(jbw_link *link);

/// While gathering, messages are held back; they are then sent in one piece, if the link supports
/// it.
void jbw_link_gather(jbw_link *link, bool is_gathering);

/// Processes what has arrived, without waiting, at the cost of one system call.
void jbw_link_peek(jbw_link *link);

/// Waits until something has happened or the deadline has passed.
void jbw_link_wait(jbw_link *link, int64_t deadline);

#endif
