// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One step of a world: all agents act at once, then items are collected and then dropped, each in
/// the order in which the agents made their requests. Then agents hear each other. Last, what grew
/// back is there again.
///
/// Everything that can fail comes first: moves are resolved (step_moves.h), room for all changes is
/// reserved, and the patches that agents will need are generated. Only then do agents and items
/// change, so a step that runs out of memory leaves the world as it was.
#ifndef JBW_SIM_WORLD_STEP_H
#define JBW_SIM_WORLD_STEP_H

#include "sim/world/step_moves.h"
#include "sim/world/voice.h"

/// An item that is put down, and the cell that is kept for it.
typedef struct jbw_put_down {
    jbw_position cell;
    uint8_t type;
} jbw_put_down;

/// Scratch memory, reused by every step. What every step uses comes last.
typedef struct jbw_step {
    jbw_step_moves moves;
    jbw_put_down *put_down; // what collecting puts down in this step
    size_t put_down_count;
    size_t put_down_capacity;
    jbw_voices voices;
    size_t acting_capacity;
    size_t explored_capacity;
    size_t collected_capacity;
    jbw_position *explored;  // cells where agents need patches that they did not need before
    jbw_position *collected; // cells whose item was collected in this step
    size_t collected_count;
    uint32_t *acting; // slots of agents with a request, in the order of their requests
    size_t acting_count;
    size_t agent_room; // there is room in all lists for so many agents
} jbw_step;

/// Takes the world from time t to t + 1. On JBW_OUT_OF_MEMORY the world is unchanged.
jbw_status jbw_step_run(jbw_world *world);

/// The bytes that a pocket (base/pocket.h) needs for what every step of a lone agent uses.
size_t jbw_step_pocket(void);

/// Frees the scratch memory. `near` is where `acting` is from.
void jbw_step_deinit(jbw_step *step, const jbw_allocator *near, const jbw_allocator *allocator);

#endif
