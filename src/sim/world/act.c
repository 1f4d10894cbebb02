// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests of agents, and the steps that follow from them.

#include "sim/world/act.h"

#include <stdlib.h>

#include "sim/world/step.h"
#include "sim/world/world.h"

struct jbw_asked {
    uint32_t slot;
    uint32_t rank; // in the order of adding
    int action;
    jbw_request_state before;
};

static jbw_status take_step(jbw_world *world)
{
    const jbw_status status = jbw_step_run(world);
    if (!status && world->on_step) world->on_step(world, world->on_step_user);
    return status;
}

jbw_status jbw_act_step_if_ready(jbw_world *world, bool *stepped)
{
    if (stepped) *stepped = false;
    if (world->agents.waiting_count > 0 || world->agents.active_count == 0) return JBW_OK;
    const jbw_status status = take_step(world);
    if (stepped) *stepped = !status;
    return status;
}

static int compare_asked(const void *a, const void *b)
{
    const jbw_asked *p = a;
    const jbw_asked *q = b;
    return p->rank < q->rank ? -1 : p->rank > q->rank;
}

void jbw_act_deinit(jbw_world *world)
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
    status = jbw_act_step_if_ready(world, stepped);
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
    if (!jbw_agents_reserve_requests(&world->agents, count) ||
        !JBW_GROW(&world->model->allocator, world->asked, world->asked_capacity, count))
        return JBW_OUT_OF_MEMORY;
    jbw_asked *asked = world->asked;
    jbw_status status = list_slots(world, ids, actions, count, asked);
    if (status) return status;

    for (size_t i = 0; i < count; i++) {
        jbw_agent *agent = &world->agents.slots[asked[i].slot];
        asked[i].before = jbw_agents_request(&world->agents, agent, asked[i].action);
    }
    status = jbw_act_step_if_ready(world, stepped);
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
