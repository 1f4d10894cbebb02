// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests that wait, in one lane per connection. Lanes take turns, so that a connection with many
/// requests does not delay those of others; within a lane, the first comes first.
///
///     connection 3:  [ read_region ]
///     connection 5:  [ smell ] [ smell ] [ inspect ]      <- its turn
///     connection 9:  [ read_region ] [ read_region ]
#ifndef JBW_NET_GAME_LOOK_QUEUE_H
#define JBW_NET_GAME_LOOK_QUEUE_H

#include "jbw/base.h"

typedef struct jbw_look {
    struct jbw_look *next; // of the same connection
    int key;               // of the client's token, or -1
    uint64_t deadline;
    bool is_asked;      // the maker was asked for its patches
    uint64_t news_seen; // the maker's news when its patches were last collected
    size_t size;
    uint8_t bytes[]; // the message
} jbw_look;

typedef struct jbw_look_lane {
    uint32_t connection;
    jbw_look *first;
    jbw_look *last;
    size_t bytes; // of all messages
} jbw_look_lane;

typedef struct jbw_look_queue {
    jbw_look_lane *lanes;
    size_t count;
    size_t capacity;
    size_t turn; // the lane that is tried next
} jbw_look_queue;

/// All zero is an empty queue.
void jbw_look_queue_deinit(jbw_look_queue *queue);

/// The lane of a connection; NULL if it has none.
jbw_look_lane *jbw_look_queue_find(jbw_look_queue *queue, uint32_t connection);

/// Appends a message. NULL when memory runs out.
jbw_look *jbw_look_queue_add(jbw_look_queue *queue, uint32_t connection, const uint8_t *bytes,
                             size_t size);

/// Removes the first message of a lane; the lane disappears with its last one.
void jbw_look_queue_pop(jbw_look_queue *queue, jbw_look_lane *lane);

#endif
