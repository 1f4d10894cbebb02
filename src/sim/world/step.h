// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One step: all agents act at once, then items are collected and dropped in the order in which
/// agents asked.
///
/// Nothing changes before everything that could fail has been done: moves are resolved on paper,
/// room for all changes is made, the patches that agents will need are made final, and only then
/// agents and items move.
#ifndef JBW_SIM_WORLD_STEP_H
#define JBW_SIM_WORLD_STEP_H

#include "sim/world/world.h"

/// Takes the world from time t to t + 1. On JBW_OUT_OF_MEMORY the world is as it was.
jbw_status jbw_step_run(jbw_world *world);

/// What resolving keeps from step to step.
void jbw_step_deinit(jbw_step *step, const jbw_model *model);

#endif
