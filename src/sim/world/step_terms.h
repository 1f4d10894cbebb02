// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terms of collecting items in a step: paying, and putting down what is not destroyed. All of it
/// is apart from the step, which most worlds take without terms.
#ifndef JBW_SIM_WORLD_STEP_TERMS_H
#define JBW_SIM_WORLD_STEP_TERMS_H

#include "sim/world/world.h"

/// Makes room for what collecting may put down, and again for all other changes. This comes after
/// new patches: items are put down in those that are final. False when memory runs out.
bool jbw_step_reserve_put_down(jbw_world *world);

/// Pays for an item in the agent's cell and keeps cells for what is put down, or says why not.
jbw_outcome jbw_step_agree(jbw_world *world, const jbw_agent *agent, const jbw_terms *terms);

/// Puts down what cells were kept for, when all items are collected.
void jbw_step_put_down(jbw_world *world);

#endif
