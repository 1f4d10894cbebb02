// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What agents see and smell. The senses (sim/sense) know cells and items; who else is around is added
// here.

#include <string.h>

#include "sim/map/position.h"
#include "sim/world/terrain.h"
#include "sim/world/world.h"

// counts the agents in each cell of the frame
static void count_agents(jbw_world *world, const jbw_agent *viewer, jbw_patch *const around[9])
{
    uint32_t *counts = world->sight.agent_counts;
    memset(counts, 0, (size_t)world->model->vision.cells * sizeof *counts);
    const jbw_surroundings near =
        jbw_map_surroundings(&world->map, viewer->position, world->model->vision.range);
    for (int row = near.first_row; row <= near.last_row; row++) {
        for (int column = near.first_column; column <= near.last_column; column++) {
            const jbw_patch *patch = around[3 * row + column];
            for (uint32_t i = patch ? patch->first_agent : 0; i != 0;) {
                const jbw_agent *agent = &world->agents.slots[i - 1];
                const int cell = jbw_vision_index(world->model, viewer->direction,
                                                  agent->position.x - viewer->position.x,
                                                  agent->position.y - viewer->position.y);
                if (cell >= 0) counts[cell]++;
                i = agent->next;
            }
        }
    }
}

// adds up what the agents around a cell contribute to its scent
static void smell_agents(const jbw_world *world, jbw_position cell, jbw_patch *const around[9],
                         int64_t *units)
{
    const jbw_surroundings near =
        jbw_map_surroundings(&world->map, cell, world->model->scent.response.reach);
    for (int row = near.first_row; row <= near.last_row; row++) {
        for (int column = near.first_column; column <= near.last_column; column++) {
            const jbw_patch *patch = around[3 * row + column];
            for (uint32_t i = patch ? patch->first_agent : 0; i != 0;) {
                const jbw_agent *agent = &world->agents.slots[i - 1];
                jbw_scent_add_agent(world->model, agent->position.x - cell.x,
                                    agent->position.y - cell.y, units);
                i = agent->next;
            }
        }
    }
}

static void smell(jbw_world *world, jbw_position cell, jbw_patch *const around[9], float *scent)
{
    int64_t agent_units[JBW_MAX_DIMENSIONS];
    const bool agents_smell = world->model->scent.agents_smell;
    if (agents_smell) {
        memset(agent_units, 0, (size_t)world->model->scent_dimensions * sizeof *agent_units);
        smell_agents(world, cell, around, agent_units);
    }
    jbw_scent_smell(&world->scent, cell, around, world->time, agents_smell ? agent_units : NULL,
                    scent);
}

jbw_status jbw_agent_perceive(jbw_world *world, jbw_agent_id id, float *vision, float *scent)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    // there is room since the agent was added, unless this is a copy where nobody has smelled yet
    if (scent && !jbw_scent_reserve(&world->scent, world->agents.count)) return JBW_OUT_OF_MEMORY;
    jbw_patch *const *around = jbw_agents_around(&world->map, agent);
    if (vision) {
        if (world->model->vision.agents_are_seen) count_agents(world, agent, around);
        jbw_vision_see(&world->map, &world->sight, agent->position, agent->direction, around,
                       vision);
    }
    if (scent) smell(world, agent->position, around, scent);
    return JBW_OK;
}

jbw_status jbw_agent_see_items(jbw_world *world, jbw_agent_id id, uint8_t *items)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    jbw_patch *const *around = jbw_agents_around(&world->map, agent);
    jbw_vision_see_items(&world->map, &world->sight, agent->position, agent->direction, around,
                         items);
    return JBW_OK;
}

jbw_status jbw_agent_see_parts(jbw_world *world, jbw_agent_id id, float *parts)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    jbw_patch *const *around = jbw_agents_around(&world->map, agent);
    jbw_vision_see_parts(&world->map, &world->sight, agent->position, agent->direction, around,
                         parts);
    return JBW_OK;
}

jbw_status jbw_world_smell(jbw_world *world, jbw_position cell, float *scent)
{
    if (!jbw_position_is_in_world(cell)) return JBW_OUT_OF_RANGE;
    if (!jbw_scent_reserve(&world->scent, world->agents.count)) return JBW_OUT_OF_MEMORY;
    if (!jbw_generator_has_history(&world->generator)) {
        jbw_terrain_tidy_if_full(world);
        const jbw_status status = jbw_terrain_extend(world, &cell, 1);
        if (status) return status;
    }
    jbw_patch *around[9];
    jbw_map_find_around(&world->map, jbw_map_patch_of(&world->map, cell), around);
    smell(world, cell, around, scent);
    return JBW_OK;
}
