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

#include "sim/model/model.h"

typedef struct jbw_contest jbw_contest;

/// What resolving a step works with, kept from step to step.
typedef struct jbw_step {
    uint32_t *acting; // agents that have asked for something, by request
    size_t acting_count;
    size_t acting_capacity;
    uint32_t *stuck; // agents that stay
    size_t stuck_capacity;
    jbw_contest *contests; // cells that are asked for, a hash table
    size_t contest_capacity;
    jbw_position *places; // where agents need patches that they did not need before
    size_t place_capacity;
    jbw_position *taken; // cells whose item was collected in this step
    size_t taken_count;
    size_t taken_capacity;
} jbw_step;

/// Takes the world from time t to t + 1. On JBW_OUT_OF_MEMORY the world is as it was.
jbw_status jbw_step_run(jbw_world *world);

/// What resolving keeps from step to step.
void jbw_step_deinit(jbw_step *step, const jbw_model *model);

#endif
