// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who hears whom. In a step, everybody hears what others said within the range of voices, from where
/// all of them are at its end.
///
/// Those who spoke are sorted by row and column, with running totals of what was said. A listener
/// hears, in each row, those in a stretch of columns, which two of these totals tell. So a step takes
/// about as many searches as there are agents and rows in range, however dense the crowd is.
#ifndef JBW_SIM_WORLD_VOICE_H
#define JBW_SIM_WORLD_VOICE_H

#include "base/alloc.h"
#include "jbw/agent.h"

/// Somebody who spoke.
typedef struct jbw_speaker {
    jbw_position position;
    int symbol;
} jbw_speaker;

/// Scratch memory, reused by every step.
typedef struct jbw_voices {
    jbw_speaker *speakers;
    size_t speaker_count;
    size_t speaker_capacity;
    uint32_t *totals; // ((speaker_count + 1) x symbols): said by the speakers before each one
    size_t total_capacity;
} jbw_voices;

void jbw_voices_deinit(jbw_voices *voices, const jbw_allocator *allocator);

/// Makes room for what the acting agents of a step say. False when memory runs out.
bool jbw_voices_reserve(jbw_world *world);

/// Tells all agents what they heard. Those who act are where they end the step, and still have their
/// requests.
void jbw_voices_spread(jbw_world *world);

#endif
