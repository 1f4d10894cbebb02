// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What agents were asked to do and that is not over yet. A turn is held until the world may take a
/// step, then posted to the world, and over when the step was taken.
#ifndef JBW_NET_TURNS_H
#define JBW_NET_TURNS_H

#include "jbw/types.h"
#include "net/message.h"

typedef struct jbw_turn {
    uint32_t connection; // zero: free
    uint32_t request;
    uint8_t wants;
    bool waits;   // an answer is due after the step
    bool is_held; // else it was posted
    size_t count;
    jbw_agent_id *agents; // (count)
    int *actions;         // (count)
    size_t capacity;
    uint32_t previous; // in the list of held or posted turns, by number
    uint32_t next;
} jbw_turn;

/// Turns have numbers from one on. Two lists go through them, oldest first.
typedef struct jbw_turns {
    jbw_turn *turns; // the first one is not used
    uint32_t count;
    size_t capacity;
    uint32_t first_free;
    uint32_t first[2]; // of those that were posted, and of those that are held
    uint32_t last[2];
} jbw_turns;

/// Makes a turn of so many agents at the end of a list, its agents to be filled in. Zero when memory
/// runs out.
uint32_t jbw_turns_add(jbw_turns *turns, bool is_held, size_t count);

/// From the held ones to the end of the posted ones.
void jbw_turns_post(jbw_turns *turns, uint32_t turn);
void jbw_turns_remove(jbw_turns *turns, uint32_t turn);

static inline jbw_turn *jbw_turns_get(const jbw_turns *turns, uint32_t turn)
{
    return &turns->turns[turn];
}

void jbw_turns_deinit(jbw_turns *turns);

#endif
