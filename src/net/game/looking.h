// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The processor time that looking at a world may take: a fifth of the time that passes, for all
/// viewers and all threads together. Three threads look: the network makes frames, the world
/// answers queries, the terrain maker generates what they show. Each may use all of it, but is sure
/// of a third while the others want it, too. While no agent is active, there is no limit.
#ifndef JBW_NET_GAME_LOOKING_H
#define JBW_NET_GAME_LOOKING_H

#include "net/thread/allowance.h"

typedef enum jbw_looking_kind {
    JBW_LOOKING_FRAMES,
    JBW_LOOKING_QUERIES,
    JBW_LOOKING_TERRAIN,
    JBW_LOOKING_KINDS,
} jbw_looking_kind;

typedef struct jbw_looking {
    jbw_allowance all;
    jbw_allowance sure[JBW_LOOKING_KINDS];
    jbw_allowance thread[JBW_LOOKING_KINDS]; // what a thread that has other work may spend at once
    atomic_uint_fast64_t used;               // nanoseconds of processor time, ever
} jbw_looking;

void jbw_looking_init(jbw_looking *looking);

/// When looking may go on: `now` or later.
uint64_t jbw_looking_due(const jbw_looking *looking, jbw_looking_kind kind, uint64_t now);

/// Notes processor time that was used.
void jbw_looking_use(jbw_looking *looking, jbw_looking_kind kind, uint64_t now, uint64_t used);

#endif
