// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The public functions about agents: include/jbw/agent.h.

#include <stdlib.h>
#include <string.h>

#include "sim/world/step.h"

// ---- coming and going ----

static bool is_free(const jbw_world *world, jbw_position cell)
{
    int index;
    const jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const int content = patch->cells[index];
    if (content > 0 && world->model->items[content - 1].blocks_movement) return false;
    return world->model->collision == JBW_COLLISION_ALLOW ||
           !jbw_agents_occupy(&world->agents, &world->map, cell);
}

// The next cell of the spiral that goes right, up, left, left, down, down, right three times, ...:
// ring by ring around the origin.
static jbw_position next_in_spiral(jbw_position cell)
{
    const int64_t x = cell.x;
    const int64_t y = cell.y;
    if (y < 0 && x >= y && x <= -y) return (jbw_position){x + 1, y};
    if (x > 0 && y < x) return (jbw_position){x, y + 1};
    if (y > 0 && x > -y) return (jbw_position){x - 1, y};
    if (x < 0 && y > x) return (jbw_position){x, y - 1};
    return (jbw_position){x + 1, y};
}

// finds the default place, making final what is looked at
static jbw_status find_place(jbw_world *world, jbw_position *out)
{
    jbw_position cell = {0, 0};
    for (;; cell = next_in_spiral(cell)) {
        const jbw_status status = jbw_world_explore(world, &cell, 1);
        if (status) return status;
        if (is_free(world, cell)) break;
    }
    *out = cell;
    return JBW_OK;
}

jbw_status jbw_world_add_agent(jbw_world *world, const jbw_agent_options *options,
                               jbw_agent_id *out)
{
    static const jbw_agent_options default_options = {0};
    if (!options) options = &default_options;
    *out = (jbw_agent_id){0};
    if ((int)options->direction < 0 || options->direction > JBW_LEFT) return JBW_INVALID_ARGUMENT;
    // in smaller patches the cells around an agent need not be final
    if (world->model->patch_size < 3) return JBW_INVALID_CONFIG;

    jbw_position cell = options->position;
    jbw_status status =
        options->has_position ? jbw_world_explore(world, &cell, 1) : find_place(world, &cell);
    if (status) return status;
    if (options->has_position && !options->is_forced && !is_free(world, cell))
        return JBW_CELL_BLOCKED;

    if (!jbw_agents_reserve(&world->agents) ||
        !jbw_scent_reserve(&world->scent, world->agents.count + 1) ||
        !jbw_world_reserve_life(world, world->agents.count + 1) ||
        !jbw_world_reserve_events(world, 1))
        return JBW_OUT_OF_MEMORY;
    *out = jbw_agents_add(&world->agents, &world->map, cell, options->direction);
    jbw_world_note_agent(world, cell, 1, world->time);
    jbw_world_tell(world, &(jbw_operation){
                              .kind = JBW_OPERATION_ADD_AGENT, .agent = *out, .options = *options});
    return JBW_OK;
}

static jbw_status take_step(jbw_world *world)
{
    const jbw_status status = jbw_step_run(world);
    if (!status && world->on_step) world->on_step(world, world->on_step_user);
    return status;
}

// takes a step if nobody is waited for any more
static jbw_status step_if_ready(jbw_world *world, bool *stepped)
{
    if (stepped) *stepped = false;
    if (world->agents.waiting_count > 0 || world->agents.active_count == 0) return JBW_OK;
    const jbw_status status = take_step(world);
    if (stepped) *stepped = !status;
    return status;
}

jbw_status jbw_world_remove_agent(jbw_world *world, jbw_agent_id id)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!jbw_world_reserve_events(world, 1)) return JBW_OUT_OF_MEMORY;

    const jbw_agent before = *agent;
    jbw_world_note_agent(world, agent->position, -1, world->time);
    const size_t place = jbw_agents_remove(&world->agents, &world->map, agent);
    const jbw_status status = step_if_ready(world, NULL);
    if (status) {
        jbw_agents_put_back(&world->agents, &world->map, agent, &before, place);
        if (world->model->scent.agents_smell)
            jbw_events_take_back(&world->map); // as if it had never left
        return status;
    }
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_REMOVE_AGENT, .agent = id});
    return JBW_OK;
}

jbw_status jbw_agent_set_active(jbw_world *world, jbw_agent_id id, bool is_active)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (agent->is_active == is_active) return JBW_OK;
    const bool had_request = agent->has_request;
    jbw_agents_set_active(&world->agents, agent, is_active);
    const jbw_status status = is_active ? JBW_OK : step_if_ready(world, NULL);
    if (status) {
        jbw_agents_set_active(&world->agents, agent, true);
        agent->has_request = had_request;
        if (had_request) world->agents.waiting_count--;
        return status;
    }
    jbw_world_tell(
        world,
        &(jbw_operation){.kind = JBW_OPERATION_SET_ACTIVE, .agent = id, .is_active = is_active});
    return JBW_OK;
}

size_t jbw_world_agents(const jbw_world *world, jbw_agent_id *out, size_t capacity)
{
    for (size_t i = 0; i < world->agents.count && i < capacity; i++)
        out[i] = jbw_agents_id(&world->agents, world->agents.order[i]);
    return world->agents.count;
}

// ---- acting ----

struct jbw_asked {
    uint32_t slot;
    uint32_t rank; // in the order of adding
    int action;
    jbw_request_state before;
};

static int compare_asked(const void *a, const void *b)
{
    const jbw_asked *p = a;
    const jbw_asked *q = b;
    return p->rank < q->rank ? -1 : p->rank > q->rank;
}

static bool reserve_asked(jbw_world *world, size_t count)
{
    void *asked = world->asked;
    const bool has_room = jbw_grow(&world->model->allocator, &asked, &world->asked_capacity, count,
                                   sizeof(jbw_asked));
    world->asked = asked;
    return has_room;
}

void jbw_world_free_asked(jbw_world *world)
{
    jbw_free(&world->model->allocator, world->asked, world->asked_capacity * sizeof(jbw_asked));
}

static jbw_status check_request(const jbw_world *world, jbw_agent_id id, int action)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!agent->is_active || action < 0 || action >= world->model->action_count)
        return JBW_INVALID_ARGUMENT;
    return JBW_OK;
}

jbw_status jbw_agent_act(jbw_world *world, jbw_agent_id id, int action, bool *stepped)
{
    if (stepped) *stepped = false;
    jbw_status status = check_request(world, id, action);
    if (!status && !jbw_agents_reserve_requests(&world->agents, 1)) status = JBW_OUT_OF_MEMORY;
    if (status) return status;

    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    const jbw_request_state before = jbw_agents_request(&world->agents, agent, action);
    status = step_if_ready(world, stepped);
    if (status) {
        jbw_agents_undo_request(&world->agents, agent, before);
        return status;
    }
    jbw_world_tell(world,
                   &(jbw_operation){.kind = JBW_OPERATION_ACT, .agent = id, .action = action});
    return JBW_OK;
}

// the agents' slots, in the order in which the agents were added; each once
static jbw_status list_slots(jbw_world *world, const jbw_agent_id *ids, const int *actions,
                             size_t count, jbw_asked *asked)
{
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = check_request(world, ids[i], actions[i]);
        if (status) return status;
        asked[i] = (jbw_asked){.slot = ids[i].index1 - 1, .action = actions[i]};
    }
    for (size_t i = 0; i < world->agents.count; i++)
        world->agents.slots[world->agents.order[i]].rank = (uint32_t)i;
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        asked[i].rank = world->agents.slots[asked[i].slot].rank;
        if (i > 0 && asked[i].rank <= asked[i - 1].rank) is_sorted = false;
    }
    if (!is_sorted) qsort(asked, count, sizeof *asked, compare_asked);
    for (size_t i = 1; i < count; i++)
        if (asked[i].slot == asked[i - 1].slot) return JBW_INVALID_ARGUMENT;
    return JBW_OK;
}

jbw_status jbw_world_act(jbw_world *world, const jbw_agent_id *ids, const int *actions,
                         size_t count, bool *stepped)
{
    if (stepped) *stepped = false;
    if (count == 0) return JBW_OK;
    if (count == 1) return jbw_agent_act(world, ids[0], actions[0], stepped);
    if (!jbw_agents_reserve_requests(&world->agents, count) || !reserve_asked(world, count))
        return JBW_OUT_OF_MEMORY;
    jbw_asked *asked = world->asked;
    jbw_status status = list_slots(world, ids, actions, count, asked);
    if (status) return status;

    for (size_t i = 0; i < count; i++) {
        jbw_agent *agent = &world->agents.slots[asked[i].slot];
        asked[i].before = jbw_agents_request(&world->agents, agent, asked[i].action);
    }
    status = step_if_ready(world, stepped);
    for (size_t i = count; status && i-- > 0;)
        jbw_agents_undo_request(&world->agents, &world->agents.slots[asked[i].slot],
                                asked[i].before);
    if (status) return status;
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_ACT_TOGETHER,
                                           .agents = ids,
                                           .actions = actions,
                                           .count = count});
    return JBW_OK;
}

jbw_status jbw_world_step(jbw_world *world)
{
    const jbw_status status = take_step(world);
    if (!status) jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_STEP});
    return status;
}

void jbw_world_on_step(jbw_world *world, jbw_step_function *function, void *user)
{
    world->on_step = function;
    world->on_step_user = user;
}

// ---- asking ----

jbw_status jbw_agent_get_state(const jbw_world *world, jbw_agent_id id, jbw_agent_state *out)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    *out = (jbw_agent_state){
        .position = agent->position,
        .direction = agent->direction,
        .start = agent->start,
        .is_active = agent->is_active,
        .has_request = agent->has_request,
        .request = agent->has_request ? agent->request : -1,
    };
    return JBW_OK;
}

jbw_status jbw_agent_get_result(const jbw_world *world, jbw_agent_id id, jbw_agent_result *out)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    *out = agent->result;
    return JBW_OK;
}

const uint64_t *jbw_agent_inventory(const jbw_world *world, jbw_agent_id id)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    return agent ? jbw_agents_inventory(&world->agents, agent) : NULL;
}

// ---- perceiving ----

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
        jbw_map_surroundings(&world->map, cell, world->model->scent.spread.reach);
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
    if (cell.x < -JBW_MAX_COORDINATE || cell.x > JBW_MAX_COORDINATE ||
        cell.y < -JBW_MAX_COORDINATE || cell.y > JBW_MAX_COORDINATE)
        return JBW_OUT_OF_RANGE;
    if (!jbw_scent_reserve(&world->scent, world->agents.count)) return JBW_OUT_OF_MEMORY;
    if (!jbw_generator_has_history(&world->generator)) {
        jbw_world_tidy(world);
        const jbw_status status = jbw_world_extend(world, &cell, 1);
        if (status) return status;
    }
    jbw_patch *around[9];
    jbw_map_find_around(&world->map, jbw_map_patch_of(&world->map, cell), around);
    smell(world, cell, around, scent);
    return JBW_OK;
}
