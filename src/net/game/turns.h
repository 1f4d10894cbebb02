// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What agents were asked to do and that is not over yet. A turn is held until the world may take a
/// step, then posted to the world, and over when the step was taken. Turns ahead wait for the turns of
/// their agent that come before, and are held then.
#ifndef JBW_NET_GAME_TURNS_H
#define JBW_NET_GAME_TURNS_H

#include "jbw/types.h"
#include "net/wire/message.h"

typedef enum jbw_turn_list {
    JBW_TURN_POSTED,
    JBW_TURN_HELD,
    JBW_TURN_AHEAD,
    JBW_TURN_LISTS,
} jbw_turn_list;

typedef struct jbw_turn {
    uint32_t connection; // zero: free
    uint32_t request;
    uint8_t wants;
    bool waits; // an answer is due after the step
    jbw_turn_list list;
    size_t count;
    jbw_agent_id *agents; // (count)
    int *actions;         // (count)
    size_t capacity;
    uint32_t previous; // in its list, by number
    uint32_t next;
    uint32_t later; // the turn behind this one of the same agent; only of those ahead
} jbw_turn;

/// Turns have numbers from one on. Lists go through them, oldest first.
typedef struct jbw_turns {
    jbw_turn *turns; // the first one is not used
    uint32_t count;
    size_t capacity;
    uint32_t first_free;
    uint32_t first[JBW_TURN_LISTS];
    uint32_t last[JBW_TURN_LISTS];
} jbw_turns;

/// Makes a turn of so many agents at the end of a list, its agents to be filled in. Zero when memory
/// runs out.
uint32_t jbw_turns_add(jbw_turns *turns, jbw_turn_list list, size_t count);

/// To the end of another list.
void jbw_turns_move(jbw_turns *turns, uint32_t turn, jbw_turn_list list);
void jbw_turns_remove(jbw_turns *turns, uint32_t turn);

static inline jbw_turn *jbw_turns_get(const jbw_turns *turns, uint32_t turn)
{
    return &turns->turns[turn];
}

void jbw_turns_deinit(jbw_turns *turns);

#endif
