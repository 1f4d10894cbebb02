// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// When a world steps: as soon as every active agent has requested an action. The requests themselves
/// are kept with the agents (agent.h).
#ifndef JBW_SIM_WORLD_ACT_H
#define JBW_SIM_WORLD_ACT_H

#include "jbw/agent.h"
#include "sim/model/model.h"

/// Steps the world unless an active agent has no request yet, or no agent is active. `*stepped`
/// (may be NULL) tells whether it did.
jbw_status jbw_act_step_if_ready(jbw_world *world, bool *stepped);

/// Whether an item of a type can carry a text, which is not empty.
bool jbw_act_can_write(const jbw_model *model, int item_type, const char *text);

/// Frees the scratch memory of `jbw_world_act`.
void jbw_act_deinit(jbw_world *world);

#endif
