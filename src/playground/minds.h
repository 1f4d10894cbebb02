// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The policies of the agents that the page does not drive, and the reward that they live for.
#ifndef JBW_PLAYGROUND_MINDS_H
#define JBW_PLAYGROUND_MINDS_H

#include "jbw/server.h"

typedef struct jbw_minds {
    char *reward_text; ///< empty if there is none
    jbw_reward *reward;
    jbw_resident *residents; ///< (count)
    size_t count;
} jbw_minds;

/// All zero is fine.
void jbw_minds_deinit(jbw_minds *minds);

/// Compiles the reward; NULL or an empty text is none. On failure `error` has the column.
jbw_status jbw_minds_set_reward(jbw_minds *minds, const jbw_model *model, const char *text,
                                jbw_error *error);

/// Takes the residents of a snapshot, if it has any. The reward must have been set.
jbw_status jbw_minds_load(jbw_minds *minds, const jbw_model *model, const jbw_loaded *loaded,
                          jbw_error *error);

/// Gives a new policy to an agent of the world: its name, and settings behind it, "ppo preset=tiny".
jbw_status jbw_minds_add(jbw_minds *minds, const jbw_world *world, jbw_agent_id agent,
                         const char *policy, jbw_error *error);

/// Does so for all agents of the world that have none.
jbw_status jbw_minds_add_all(jbw_minds *minds, const jbw_world *world, const char *policy,
                             jbw_error *error);

#endif
