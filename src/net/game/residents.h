// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents that the server itself lets act, with policies. They act in their order, at the beginning
/// of each turn; clients have no hold on them.
#ifndef JBW_NET_GAME_RESIDENTS_H
#define JBW_NET_GAME_RESIDENTS_H

#include "jbw/server.h"

typedef struct jbw_residents {
    jbw_resident *list; // (count)
    size_t count;
    size_t acted_count; // so many of them, the first ones, have acted in this turn
    bool has_learner;
} jbw_residents;

/// Copies the list, and activates its agents in the world. Those that the world was saved with in
/// the middle of a turn keep their actions. JBW_INVALID_ARGUMENT if an agent is not in the world or
/// listed twice.
jbw_status jbw_residents_init(jbw_residents *residents, jbw_world *world, const jbw_resident *list,
                              size_t count);
void jbw_residents_deinit(jbw_residents *residents);

bool jbw_residents_include(const jbw_residents *residents, jbw_agent_id agent);

/// Lets those act that have not done so in this turn. The world may have taken a step afterwards.
jbw_status jbw_residents_act(jbw_residents *residents, jbw_world *world);

/// Tells them their rewards; call this after each step.
void jbw_residents_end_turn(jbw_residents *residents, const jbw_world *world);

/// Appends the contents of the note JBW_NOTE_RESIDENTS, which `jbw_residents_load` reads.
jbw_status jbw_residents_encode(const jbw_residents *residents, jbw_buffer *out);

#endif
