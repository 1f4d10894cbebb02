// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world: the map of one seed, and what lives in it.
#ifndef JBW_SIM_WORLD_WORLD_H
#define JBW_SIM_WORLD_WORLD_H

#include "jbw/operation.h"
#include "sim/generate/generator.h"
#include "sim/sense/scent.h"
#include "sim/sense/vision.h"
#include "sim/world/agent.h"

typedef struct jbw_contest jbw_contest;
typedef struct jbw_asked jbw_asked;

/// What resolving a step works with (step.h), kept from step to step.
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

struct jbw_world {
    const jbw_model *model;
    uint64_t seed;
    uint64_t time;
    jbw_map map;
    jbw_generator generator;
    jbw_agents agents;
    jbw_asked *asked; // what jbw_world_act works with
    size_t asked_capacity;
    jbw_step step;
    jbw_sight sight;
    jbw_scent_cache scent;
    jbw_step_function *on_step;
    void *on_step_user;
    jbw_operation_function *on_operation;
    void *on_operation_user;
};

/// As jbw_world_explore, as a part of something else.
jbw_status jbw_world_extend(jbw_world *world, const jbw_position *positions, size_t count);

/// Drops patches that are not needed now, if there are too many that can be made again. To be called
/// when nobody holds a patch: what was found before is void.
void jbw_world_tidy(jbw_world *world);

/// Tells the user what was done.
static inline void jbw_world_tell(jbw_world *world, const jbw_operation *operation)
{
    if (world->on_operation) world->on_operation(world, operation, world->on_operation_user);
}

/// Changes the item of a cell: type + 1, or 0. Its patch is final and has room for the change.
void jbw_world_set_item(jbw_world *world, jbw_position cell, uint8_t content, uint64_t time);

/// Makes room for the events of so many agents in one step, or of as many edits. False when memory
/// runs out.
bool jbw_world_reserve_events(jbw_world *world, size_t count);

/// Makes room for all the events that so many agents can cause before they are forgotten, so that
/// steps need none. False when memory runs out.
bool jbw_world_reserve_life(jbw_world *world, size_t agent_count);

/// How many events that are.
size_t jbw_world_life_events(const jbw_model *model, size_t agent_count);

/// Frees what jbw_world_act works with.
void jbw_world_free_asked(jbw_world *world);

/// Notes that an agent came to a cell (`sign` 1) or left it (-1), if that can be smelled. The
/// patch has room for it.
void jbw_world_note_agent(jbw_world *world, jbw_position cell, int sign, uint64_t time);

#endif
