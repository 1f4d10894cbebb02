// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What agents see and smell. The senses (sim/sense) know about items; the agents nearby are added
// here.

#include "sim/world/perceive.h"

#include <string.h>

#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/world/terrain.h"

/// Iterates over the agents in the patches that lie within some distance of a cell.
typedef struct nearby_agents {
    const jbw_agent *slots;
    jbw_patch *const *around;
    jbw_surroundings patches;
    int row; // of the next patch
    int column;
    uint32_t next; // agent, slot plus one; 0: continue with the next patch
} nearby_agents;

static nearby_agents find_nearby(const jbw_world *world, jbw_position cell, int distance,
                                 jbw_patch *const around[9])
{
    const jbw_surroundings patches = jbw_map_surroundings(&world->map, cell, distance);
    return (nearby_agents){
        .slots = world->agents.slots,
        .around = around,
        .patches = patches,
        .row = patches.first_row,
        .column = patches.first_column,
    };
}

static const jbw_agent *next_nearby(nearby_agents *nearby)
{
    while (nearby->next == 0) {
        if (nearby->column > nearby->patches.last_column) {
            nearby->column = nearby->patches.first_column;
            nearby->row++;
        }
        if (nearby->row > nearby->patches.last_row) return NULL;
        const jbw_patch *patch = nearby->around[3 * nearby->row + nearby->column++];
        if (patch) nearby->next = patch->first_agent;
    }
    const jbw_agent *agent = &nearby->slots[nearby->next - 1];
    nearby->next = agent->next;
    return agent;
}

// counts the agents in each cell of the frame, and lists the cells that have some
static void count_agents(jbw_world *world, const jbw_agent *viewer, jbw_patch *const around[9])
{
    const jbw_model *model = world->model;
    jbw_sight *sight = &world->sight;
    uint32_t *counts = sight->agent_counts;
    uint32_t *body_counts = sight->body_counts;
    const size_t cells = (size_t)model->vision.cells;
    for (size_t k = 0; k < sight->crowded_count; k++) {
        counts[sight->crowded[k]] = 0;
        for (int b = 0; body_counts && b < model->body_count; b++)
            body_counts[(size_t)b * cells + sight->crowded[k]] = 0;
    }
    sight->crowded_count = 0;
    nearby_agents nearby = find_nearby(world, viewer->position, model->vision.range, around);
    for (const jbw_agent *agent; (agent = next_nearby(&nearby));) {
        const int cell =
            jbw_vision_index(model, viewer->direction, agent->position.x - viewer->position.x,
                             agent->position.y - viewer->position.y);
        if (cell < 0) continue;
        if (counts[cell]++ == 0) sight->crowded[sight->crowded_count++] = (uint32_t)cell;
        if (body_counts) body_counts[agent->body * cells + (size_t)cell]++;
    }
}

// adds up what the agents near a cell contribute to its scent
static void smell_agents(const jbw_world *world, jbw_position cell, jbw_patch *const around[9],
                         int64_t *units)
{
    const jbw_model *model = world->model;
    nearby_agents nearby = find_nearby(world, cell, model->scent.response.reach, around);
    for (const jbw_agent *agent; (agent = next_nearby(&nearby));)
        jbw_scent_add_kernel(model, model->scent.body_kernels[agent->body],
                             agent->position.x - cell.x, agent->position.y - cell.y, units);
}

static void perceive_scent(jbw_world *world, jbw_position cell, bool is_column,
                           jbw_patch *const around[9], float *scent)
{
    int64_t agent_units[JBW_MAX_DIMENSIONS];
    const bool agents_smell = world->model->scent.agents_smell;
    if (agents_smell) {
        memset(agent_units, 0, (size_t)world->model->scent_dimensions * sizeof *agent_units);
        smell_agents(world, cell, around, agent_units);
    }
    jbw_scent_smell(&world->scent, cell, is_column, around, world->time,
                    agents_smell ? agent_units : NULL, scent);
}

void jbw_perceive_scent(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                        float *scent)
{
    // agents mostly go where they look
    const bool is_column = agent->direction == JBW_UP || agent->direction == JBW_DOWN;
    perceive_scent(world, agent->position, is_column, around, scent);
}

void jbw_perceive_vision(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                         float *vision)
{
    if (world->model->vision.agents_are_seen) count_agents(world, agent, around);
    const jbw_gaze gaze = jbw_perceive_gaze(agent, around);
    jbw_vision_see(&world->map, &world->sight, &gaze, vision);
}

void jbw_perceive_entities(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                           float *entities)
{
    count_agents(world, agent, around);
    // all but the observer itself
    const jbw_vision_model *v = &world->model->vision;
    world->sight.agent_counts[v->own]--;
    if (world->sight.body_counts) world->sight.body_counts[agent->body * v->cells + v->own]--;
    const jbw_gaze gaze = jbw_perceive_gaze(agent, around);
    jbw_vision_see_entities(&world->map, &world->sight, &gaze, entities);
}

jbw_status jbw_agent_perceive(jbw_world *world, jbw_agent_id id, float *vision, float *scent)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    // room was made when the agent was added, but not in copies of worlds
    if (scent && !jbw_scent_reserve(&world->scent, world->agents.count)) return JBW_OUT_OF_MEMORY;
    jbw_patch *const *around = jbw_agents_around(&world->map, agent);
    if (vision) jbw_perceive_vision(world, agent, around, vision);
    if (scent) jbw_perceive_scent(world, agent, around, scent);
    return JBW_OK;
}

jbw_status jbw_agent_see_items(jbw_world *world, jbw_agent_id id, uint8_t *items)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    const jbw_gaze gaze = jbw_perceive_gaze(agent, jbw_agents_around(&world->map, agent));
    jbw_vision_see_items(&world->map, &world->sight, &gaze, items);
    return JBW_OK;
}

jbw_status jbw_agent_see_fractions(jbw_world *world, jbw_agent_id id, float *fractions)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    const jbw_gaze gaze = jbw_perceive_gaze(agent, jbw_agents_around(&world->map, agent));
    jbw_vision_see_fractions(&world->map, &world->sight, &gaze, fractions);
    return JBW_OK;
}

jbw_status jbw_world_smell(jbw_world *world, jbw_position cell, float *scent)
{
    if (!jbw_position_is_in_world(cell)) return JBW_OUT_OF_RANGE;
    if (!jbw_scent_reserve(&world->scent, world->agents.count)) return JBW_OUT_OF_MEMORY;
    if (!jbw_generator_has_history(&world->generator)) {
        jbw_terrain_drop_if_full(world);
        const jbw_status status = jbw_terrain_extend(world, &cell, 1);
        if (status) return status;
    }
    jbw_patch *around[9];
    jbw_map_find_around(&world->map, jbw_map_patch_of(&world->map, cell), around);
    perceive_scent(world, cell, false, around, scent);
    return JBW_OK;
}

// ---- reading ----

void jbw_perceive_text(const jbw_world *world, const jbw_agent *agent, char text[JBW_MAX_TEXT + 1])
{
    text[0] = '\0';
    if (!world->model->has_texts) return;
    int index;
    const jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, agent->position, &index);
    if (patch && world->map.presence.shown[patch->cells[index]] != 0)
        jbw_texts_read(jbw_texts_of(patch), index, text);
    if (text[0] != '\0') return;
    const char *collected = jbw_agents_texts(&world->agents, agent)->collected;
    memcpy(text, collected, strlen(collected) + 1);
}
