// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/operation.h"

#include "sim/world/world.h"

void jbw_world_on_operation(jbw_world *world, jbw_operation_function *function, void *user)
{
    world->on_operation = function;
    world->on_operation_user = user;
}

static jbw_status apply_add(jbw_world *world, const jbw_operation *operation)
{
    const jbw_agent_id asked = operation->agent;
    const jbw_agent_id next = jbw_agents_next_id(&world->agents);
    if (asked.index1 != 0 && (asked.index1 != next.index1 || asked.generation != next.generation))
        return JBW_INVALID_ARGUMENT;
    jbw_agent_id added;
    return jbw_world_add_agent(world, &operation->options, &added);
}

jbw_status jbw_world_apply(jbw_world *world, const jbw_operation *operation)
{
    switch (operation->kind) {
    case JBW_OPERATION_ACT:
        return jbw_agent_request(world, operation->agent,
                                 &(jbw_request){.action = operation->action,
                                                .say = operation->say,
                                                .text = operation->text},
                                 NULL);
    case JBW_OPERATION_ACT_TOGETHER:
        return jbw_world_request(world, operation->agents, &operation->requests, operation->count,
                                 NULL);
    case JBW_OPERATION_STEP: return jbw_world_step(world);
    case JBW_OPERATION_ADD_AGENT: return apply_add(world, operation);
    case JBW_OPERATION_REMOVE_AGENT: return jbw_world_remove_agent(world, operation->agent);
    case JBW_OPERATION_SET_ACTIVE:
        return jbw_agent_set_active(world, operation->agent, operation->is_active);
    case JBW_OPERATION_PLACE_ITEM:
        return jbw_world_place_text(world, operation->item_type, operation->position,
                                    operation->text);
    case JBW_OPERATION_REMOVE_ITEM: return jbw_world_remove_item(world, operation->position);
    case JBW_OPERATION_EXPLORE:
        return jbw_world_explore(world, operation->positions, operation->count);
    case JBW_OPERATION_FINALIZE_PATCH: return jbw_world_finalize_patch(world, operation->position);
    }
    return JBW_INVALID_ARGUMENT;
}
