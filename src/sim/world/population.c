// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Adding and removing agents, and what is known about them.

#include "sim/world/act.h"
#include "sim/world/edit.h"
#include "sim/world/perceive.h"
#include "sim/world/terrain.h"
#include "sim/world/world.h"

// ---- adding and removing ----

static bool is_free(const jbw_world *world, jbw_position cell)
{
    const jbw_model_item *item = jbw_world_item_at(world, cell);
    if (item && item->blocks_movement) return false;
    return world->model->collision == JBW_COLLISION_ALLOW ||
           !jbw_crowd_is_in(&world->agents.crowd, cell);
}

// finds the default position; patches along the spiral become final
static jbw_status find_place(jbw_world *world, jbw_position *out)
{
    jbw_crowd *crowd = &world->agents.crowd;
    for (;; crowd->unproven = jbw_spiral_next(crowd->unproven)) {
        const jbw_position cell = crowd->unproven;
        jbw_status status = jbw_world_explore(world, &cell, 1);
        if (!status && jbw_generator_is_interrupted(&world->generator)) status = JBW_INTERRUPTED;
        if (status) return status;
        if (!jbw_edit_settle_near(world, cell)) return JBW_OUT_OF_MEMORY;
        if (is_free(world, cell)) break;
    }
    *out = crowd->unproven;
    return JBW_OK;
}

jbw_status jbw_world_add_agent(jbw_world *world, const jbw_agent_options *options,
                               jbw_agent_id *out)
{
    static const jbw_agent_options default_options = {0};
    if (!options) options = &default_options;
    *out = (jbw_agent_id){0};
    if ((int)options->direction < 0 || options->direction > JBW_LEFT) return JBW_INVALID_ARGUMENT;
    if (options->body < 0 || options->body >= world->model->body_count) return JBW_INVALID_ARGUMENT;

    // where agents may share cells, nobody asks who stands where
    jbw_crowd_refresh(&world->agents.crowd);
    if (world->model->collision != JBW_COLLISION_ALLOW && !jbw_agents_find_crowd(&world->agents))
        return JBW_OUT_OF_MEMORY;
    jbw_position cell = options->position;
    jbw_status status =
        options->has_position ? jbw_world_explore(world, &cell, 1) : find_place(world, &cell);
    if (status) return status;
    if (options->has_position && !jbw_edit_settle_near(world, cell)) return JBW_OUT_OF_MEMORY;
    if (options->has_position && !options->is_forced && !is_free(world, cell))
        return JBW_CELL_BLOCKED;

    if (!jbw_agents_reserve(&world->agents) ||
        !jbw_scent_reserve(&world->scent, world->agents.count + 1) ||
        !jbw_edit_reserve_life(world, world->agents.count + 1) ||
        !jbw_edit_reserve_events(world, 1))
        return JBW_OUT_OF_MEMORY;
    *out = jbw_agents_add(&world->agents, &world->map, cell, options->direction, options->body);
    jbw_edit_note_agent(world, options->body, cell, 1, world->time);
    jbw_world_tell(world, &(jbw_operation){
                              .kind = JBW_OPERATION_ADD_AGENT, .agent = *out, .options = *options});
    return JBW_OK;
}

jbw_status jbw_world_remove_agent(jbw_world *world, jbw_agent_id id)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!jbw_edit_reserve_events(world, 1)) return JBW_OUT_OF_MEMORY;

    const jbw_agent before = *agent;
    jbw_edit_note_agent(world, agent->body, agent->position, -1, world->time);
    const size_t place = jbw_agents_remove(&world->agents, &world->map, agent);
    const jbw_status status = jbw_act_step_if_ready(world, NULL);
    if (status) {
        jbw_agents_put_back(&world->agents, &world->map, agent, &before, place);
        if (world->model->scent.agents_smell) jbw_events_take_back(&world->map);
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
    const jbw_status status = is_active ? JBW_OK : jbw_act_step_if_ready(world, NULL);
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

// ---- what is known about an agent ----

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
        .body = agent->body,
        .say = agent->has_request ? agent->say : 0,
        .text = jbw_agents_request_text(&world->agents, agent),
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

const uint64_t *jbw_agent_ever_collected(const jbw_world *world, jbw_agent_id id)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent || !world->model->counts_ever) return NULL;
    return jbw_agents_inventory(&world->agents, agent) + world->model->type_count;
}

const uint64_t *jbw_agent_inventory(const jbw_world *world, jbw_agent_id id)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    return agent ? jbw_agents_inventory(&world->agents, agent) : NULL;
}

const uint32_t *jbw_agent_heard(const jbw_world *world, jbw_agent_id id)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    return agent && world->agents.heard ? jbw_agents_heard(&world->agents, agent) : NULL;
}

jbw_status jbw_agent_read(const jbw_world *world, jbw_agent_id id, char text[JBW_MAX_TEXT + 1])
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    jbw_perceive_text(world, agent, text);
    return JBW_OK;
}
