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
#include "sim/world/step.h"

typedef struct jbw_asked jbw_asked;

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

/// Tells the user what was done.
static inline void jbw_world_tell(jbw_world *world, const jbw_operation *operation)
{
    if (world->on_operation) world->on_operation(world, operation, world->on_operation_user);
}

#endif
