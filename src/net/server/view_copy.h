// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A copy of the world at one moment, for viewers. Frames are made from it in the network thread,
/// so the world itself is not held up. Copies share everything that has not changed.
#ifndef JBW_NET_SERVER_VIEW_COPY_H
#define JBW_NET_SERVER_VIEW_COPY_H

#include "jbw/world.h"

typedef struct jbw_view_copy {
    jbw_world *world;
    uint64_t number; ///< copies are numbered from one
    bool is_paused;
    double rate;
    double steps_per_second;
} jbw_view_copy;

/// Copies a world. NULL when memory runs out.
jbw_view_copy *jbw_view_copy_create(const jbw_world *world, uint64_t number);

/// NULL is fine.
void jbw_view_copy_destroy(jbw_view_copy *copy);

#endif
