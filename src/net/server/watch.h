// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A subscription: makes frames from pictures of a world. A picture is a copy of the world as of one
/// moment; making frames of it does not trouble the world itself.
#ifndef JBW_NET_SERVER_WATCH_H
#define JBW_NET_SERVER_WATCH_H

#include "jbw/world.h"
#include "net/wire/message.h"

typedef struct jbw_picture {
    jbw_world *world;
    uint64_t number; ///< pictures are counted, from one on
    bool is_paused;
    double rate;
    double steps_per_second;
} jbw_picture;

typedef struct jbw_watch {
    bool is_used;
    uint32_t request;
    uint8_t topic;
    uint8_t detail;
    uint8_t wants;
    jbw_region region;
    jbw_agent_id agent;
    uint64_t interval;     ///< nanoseconds between frames
    uint64_t due;          ///< when the next one may be sent
    uint64_t picture_seen; ///< the number of the one that the latest frame was made of

    jbw_position first_patch; ///< of the topic region
    size_t columns;
    size_t rows;
    uint64_t *sent; ///< (rows x columns): a hash of what was sent of each patch, zero for nothing
    size_t cursor;  ///< the patch to look at next
    size_t left;    ///< patches of the picture in hand that have not been looked at
} jbw_watch;

/// Begins a subscription. On failure it is as before. JBW_UNSUPPORTED means that it is too large.
jbw_status jbw_watch_init(jbw_watch *watch, const jbw_model *model, uint32_t request,
                          const jbw_wire_subscribe *wanted, uint64_t least_interval);

/// Ends it; all zero is fine.
void jbw_watch_deinit(jbw_watch *watch);

/// Something can be told that has not been told yet.
bool jbw_watch_is_behind(const jbw_watch *watch, const jbw_picture *picture);

/// Makes a frame, all there is to tell or as much as fits, and appends it to the buffer.
bool jbw_watch_make_frame(jbw_watch *watch, const jbw_picture *picture, jbw_scratch *scratch,
                          jbw_buffer *out);

#endif
