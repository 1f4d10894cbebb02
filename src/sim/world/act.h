// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests of agents: a world takes a step once all active agents have asked for an action.
#ifndef JBW_SIM_WORLD_ACT_H
#define JBW_SIM_WORLD_ACT_H

#include "jbw/agent.h"

/// Takes a step if no active agent has yet to ask; `*stepped` (may be NULL) says whether it did.
jbw_status jbw_act_step_if_ready(jbw_world *world, bool *stepped);

/// Frees what `jbw_world_act` keeps from call to call.
void jbw_act_deinit(jbw_world *world);

#endif
