// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/act.h"

#include <stdlib.h>

#include "sim/world/step.h"
#include "sim/world/world.h"

/// One of several requests that are made together.
struct jbw_joint_request {
    uint32_t slot;
    uint32_t rank; // of the agent, in the order in which agents were added
    int action;
    jbw_previous_request previous;
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

// finds the agent, and checks that it may request the action
static jbw_status find_requester(const jbw_world *world, jbw_agent_id id, int action,
                                 jbw_agent **out)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!agent->is_active || action < 0 || action >= world->model->action_count)
        return JBW_INVALID_ARGUMENT;
    *out = agent;
    return JBW_OK;
}

jbw_status jbw_agent_act(jbw_world *world, jbw_agent_id id, int action, bool *stepped)
{
    if (stepped) *stepped = false;
    jbw_agent *agent;
    jbw_status status = find_requester(world, id, action, &agent);
    if (!status && !jbw_agents_reserve_requests(&world->agents, 1)) status = JBW_OUT_OF_MEMORY;
    if (status) return status;

    const jbw_previous_request previous = jbw_agents_request(&world->agents, agent, action);
    status = jbw_act_step_if_ready(world, stepped);
    if (status) {
        jbw_agents_undo_request(&world->agents, agent, previous);
        return status;
    }
    jbw_world_tell(world,
                   &(jbw_operation){.kind = JBW_OPERATION_ACT, .agent = id, .action = action});
    return JBW_OK;
}

// ---- several requests at once ----

void jbw_act_deinit(jbw_world *world)
{
    jbw_free(&world->model->allocator, world->joint_requests,
             world->joint_request_capacity * sizeof *world->joint_requests);
}

static int compare_ranks(const void *a, const void *b)
{
    const jbw_joint_request *p = a;
    const jbw_joint_request *q = b;
    return p->rank < q->rank ? -1 : p->rank > q->rank;
}

// sorts by rank; JBW_INVALID_ARGUMENT if an agent is named twice
static jbw_status sort_requests(const jbw_world *world, jbw_joint_request *requests, size_t count)
{
    for (size_t i = 0; i < world->agents.count; i++)
        world->agents.slots[world->agents.order[i]].rank = (uint32_t)i;
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        requests[i].rank = world->agents.slots[requests[i].slot].rank;
        if (i > 0 && requests[i].rank <= requests[i - 1].rank) is_sorted = false;
    }
    if (!is_sorted) qsort(requests, count, sizeof *requests, compare_ranks);
    for (size_t i = 1; i < count; i++)
        if (requests[i].slot == requests[i - 1].slot) return JBW_INVALID_ARGUMENT;
    return JBW_OK;
}

jbw_status jbw_world_act(jbw_world *world, const jbw_agent_id *ids, const int *actions,
                         size_t count, bool *stepped)
{
    if (stepped) *stepped = false;
    if (count == 0) return JBW_OK;
    if (count == 1) return jbw_agent_act(world, ids[0], actions[0], stepped);
    if (!jbw_agents_reserve_requests(&world->agents, count) ||
        !JBW_GROW(&world->model->allocator, world->joint_requests, world->joint_request_capacity,
                  count))
        return JBW_OUT_OF_MEMORY;

    jbw_agents *agents = &world->agents;
    jbw_joint_request *requests = world->joint_requests;
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < count && !status; i++) {
        jbw_agent *agent;
        status = find_requester(world, ids[i], actions[i], &agent);
        requests[i] = (jbw_joint_request){.slot = ids[i].index1 - 1, .action = actions[i]};
    }
    if (!status) status = sort_requests(world, requests, count);
    if (status) return status;

    for (size_t i = 0; i < count; i++)
        requests[i].previous =
            jbw_agents_request(agents, &agents->slots[requests[i].slot], requests[i].action);
    status = jbw_act_step_if_ready(world, stepped);
    for (size_t i = count; status && i-- > 0;)
        jbw_agents_undo_request(agents, &agents->slots[requests[i].slot], requests[i].previous);
    if (status) return status;
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_ACT_TOGETHER,
                                           .agents = ids,
                                           .actions = actions,
                                           .count = count});
    return JBW_OK;
}

// ---- stepping ----

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
