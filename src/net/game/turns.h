// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pending actions. A turn is one request to act, for one agent or for several together, from its
/// arrival until the step that carries it out:
///
///     held      the world may not step yet: it is paused, or its rate is limited
///     posted    the world has the actions, and steps once every active agent has one
///     ahead     queued behind an earlier turn of the same agent; held when that one is over
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
    uint32_t connection; // zero: the slot is free
    uint32_t request;
    uint8_t wants;
    bool waits; // answered after the step
    jbw_turn_list list;
    size_t count;
    jbw_agent_id *agents; // (count)
    int *actions;         // (count)
    int *say;             // (count): symbols, or 0
    const char **texts;   // (count): NULL for none; they point to `letters`
    size_t capacity;
    char *letters;
    size_t letter_count;
    uint32_t previous; // neighbours in its list, by number
    uint32_t next;
    uint32_t later; // in the list AHEAD: the agent's next turn after this one
} jbw_turn;

/// Turns are numbered from one; zero means none. Each list runs from the oldest turn to the newest.
typedef struct jbw_turns {
    jbw_turn *turns; // by number; the first is unused
    uint32_t count;
    size_t capacity;
    uint32_t first_free;
    uint32_t first[JBW_TURN_LISTS];
    uint32_t last[JBW_TURN_LISTS];
} jbw_turns;

/// Appends a turn of `count` agents to a list and returns its number, with room for that many
/// letters. The caller fills in the agents and what they do. Zero when memory runs out.
uint32_t jbw_turns_add(jbw_turns *turns, jbw_turn_list list, size_t count, size_t letter_count);

/// Moves a turn to the end of another list.
void jbw_turns_move(jbw_turns *turns, uint32_t turn, jbw_turn_list list);
void jbw_turns_remove(jbw_turns *turns, uint32_t turn);

static inline jbw_turn *jbw_turns_get(const jbw_turns *turns, uint32_t turn)
{
    return &turns->turns[turn];
}

void jbw_turns_deinit(jbw_turns *turns);

#endif
