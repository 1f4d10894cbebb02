// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world: everything that changes. It joins a map, its generator, agents and their senses, and
/// implements most of jbw/world.h and jbw/agent.h:
///
///     world         creating, copying and destroying worlds
///     population    adding and removing agents, and what is known about them; crowd knows where the
///                   next one has room
///     act           requests; a world steps once every active agent has made one
///     step          one step; step_moves resolves who gets a contested cell
///     voice         who hears whom in a step
///     edit          changing items, with everything that scent has to know about it
///     terrain       generating patches where agents go, dropping them, reading regions
///     perceive      what agents see and smell
///     observe       all parts of an observation, written at once (jbw/observation.h)
///     inspect       what is in one cell, and since when
///     fetch         asking for memory ahead of time
///     hash          a hash of everything that the future depends on
///     operation     repeating recorded operations
///
/// Every public function that changes a world reports the change as a jbw_operation, so that it can
/// be recorded and replayed.
#ifndef JBW_SIM_WORLD_WORLD_H
#define JBW_SIM_WORLD_WORLD_H

#include <stddef.h>

#include "base/pocket.h"
#include "jbw/operation.h"
#include "sim/generate/generator.h"
#include "sim/sense/scent.h"
#include "sim/sense/vision.h"
#include "sim/world/agent.h"
#include "sim/world/step.h"

typedef struct jbw_joint_request jbw_joint_request;

/// Many worlds do not fit into the caches, so what every step uses lies together: the end of the
/// generator and the beginning of the agents, the end of `step` and the beginning of the map, the end
/// of `sight` and the beginning of `scent`. Small arrays follow in a pocket. Together that is a place
/// (jbw/place.h), and batches have their places side by side: thousands of worlds are on as few pages
/// as can be, since finding a page takes a processor longer than reading from it.
struct jbw_world {
    jbw_generator generator;
    const jbw_model *model;
    uint64_t seed;
    uint64_t time;
    jbw_step_function *on_step;
    void *on_step_user;
    jbw_operation_function *on_operation;
    void *on_operation_user;
    jbw_agents agents;
    jbw_step step;
    jbw_map map;
    jbw_sight sight;
    jbw_scent_cache scent;
    jbw_joint_request *joint_requests; // scratch memory of jbw_world_act
    size_t joint_request_capacity;
    bool is_placed; // in memory of the caller
    jbw_pocket pocket;
    _Alignas(max_align_t) char pocket_bytes[]; // what every step uses of a lone agent
};

/// What is in a cell near an agent, in season or not: an item type plus one, or 0 if the cell is empty
/// or its patch is missing.
static inline uint8_t jbw_world_content_near(const jbw_world *world, const jbw_agent *agent,
                                             jbw_position cell)
{
    int index;
    const jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, cell, &index);
    return patch ? patch->cells[index] : 0;
}

/// The item in a cell near an agent that is there for agents, or NULL if there is none.
static inline const jbw_model_item *jbw_world_item_near(const jbw_world *world,
                                                        const jbw_agent *agent, jbw_position cell)
{
    const int content =
        jbw_presence_shown(&world->map.presence, jbw_world_content_near(world, agent, cell));
    return content > 0 ? &world->model->items[content - 1] : NULL;
}

/// What is in a cell, in season or not: an item type plus one, or 0 if the cell is empty or its patch
/// is missing.
static inline uint8_t jbw_world_content_at(const jbw_world *world, jbw_position cell)
{
    int index;
    const jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    return patch ? patch->cells[index] : 0;
}

/// The item in a cell that is there for agents, or NULL if there is none.
static inline const jbw_model_item *jbw_world_item_at(const jbw_world *world, jbw_position cell)
{
    const int content = jbw_presence_shown(&world->map.presence, jbw_world_content_at(world, cell));
    return content > 0 ? &world->model->items[content - 1] : NULL;
}

/// Sets the clock, and with it what is in season.
static inline void jbw_world_set_time(jbw_world *world, uint64_t time)
{
    world->time = time;
    world->map.time = time;
    if (time < world->map.presence.until) return;
    jbw_presence_set(&world->map.presence, world->model, time);
    jbw_crowd_note_move(&world->agents.crowd); // cells that items blocked may be free
}

/// Reports an operation to the user's callback.
static inline void jbw_world_tell(jbw_world *world, const jbw_operation *operation)
{
    if (world->on_operation) world->on_operation(world, operation, world->on_operation_user);
}

#endif
