// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The server's side of a subscription: makes frames from copies of the world. It remembers what it
/// has sent, so that a frame contains only the patches that have changed.
#ifndef JBW_NET_SERVER_WATCH_H
#define JBW_NET_SERVER_WATCH_H

#include "net/game/terrain_maker.h"
#include "net/server/view_copy.h"
#include "net/wire/message.h"

typedef struct jbw_watch {
    bool is_used;
    uint32_t request;
    uint8_t topic;
    uint8_t detail;
    uint8_t wants;
    jbw_region region;
    jbw_agent_id agent;
    uint64_t interval;  ///< nanoseconds between frames
    uint64_t due;       ///< when the next frame may be sent
    uint64_t copy_seen; ///< number of the copy that the latest frame was made from

    // for the topic region
    jbw_position first_patch;
    size_t columns;
    size_t rows;
    uint64_t *sent; ///< (rows x columns): hash of what was sent of each patch, zero for nothing
    size_t cursor;  ///< the patch to examine next
    size_t left;    ///< patches of the current copy not examined yet
    size_t unmade;  ///< of those examined, patches that are being made

    // of an invariant world
    jbw_terrain_maker *maker; ///< makes patches; NULL: all of them are ready
    uint32_t connection;      ///< for which it makes them
    uint32_t purpose;         ///< different for each watch of a connection
    uint64_t news_seen;       ///< the maker's news when examining began
} jbw_watch;

/// Starts a subscription. On failure it is unchanged; JBW_UNSUPPORTED means that it is too large.
jbw_status jbw_watch_init(jbw_watch *watch, const jbw_model *model, uint32_t request,
                          const jbw_wire_subscribe *wanted, uint64_t least_interval);

/// Has the patches of an invariant world made by a maker, for a connection. `purpose` differs
/// between the watches of a connection.
void jbw_watch_set_maker(jbw_watch *watch, jbw_terrain_maker *maker, uint32_t connection,
                         uint32_t purpose);

/// Ends it; all zero is fine.
void jbw_watch_deinit(jbw_watch *watch);

/// True if the copy has something that has not been sent yet.
bool jbw_watch_is_behind(const jbw_watch *watch, const jbw_view_copy *copy);

/// Appends a frame to the buffer: everything there is to send, or as much as fits into one frame.
/// Patches that have been made meanwhile are put into the copy.
bool jbw_watch_make_frame(jbw_watch *watch, const jbw_view_copy *copy, jbw_scratch *scratch,
                          jbw_buffer *out);

#endif
