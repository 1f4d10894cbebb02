// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/act.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/map/texts.h"
#include "sim/world/step.h"
#include "sim/world/world.h"

/// One of several requests that are made together.
struct jbw_joint_request {
    uint32_t slot;
    uint32_t rank; // of the agent, in the order in which agents were added
    jbw_request request;
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

// ---- what is possible ----

bool jbw_act_can_write(const jbw_model *model, int item_type, const char *text)
{
    return item_type >= 0 && model->items[item_type].has_text &&
           jbw_text_is_valid(text, strlen(text));
}

static bool has_text(const jbw_request *request)
{
    return request->text && *request->text != '\0';
}

// checks what comes with an action that exists
static bool are_words_possible(const jbw_model *model, const jbw_request *request)
{
    if (request->say < 0 || request->say > model->voice.symbols) return false;
    return !has_text(request) ||
           jbw_act_can_write(model, model->actions[request->action].item_type, request->text);
}

static bool is_possible(const jbw_model *model, const jbw_request *request)
{
    if (request->action < 0 || request->action >= model->action_count) return false;
    return (request->say == 0 && !request->text) || are_words_possible(model, request);
}

static void explain_text(const jbw_model *model, const jbw_request *request, jbw_error *error)
{
    const jbw_model_action *action = &model->actions[request->action];
    const size_t length = strlen(request->text);
    if (action->item_type < 0)
        jbw_error_set(error, 0, 0, "%s has no text: only what is dropped carries one",
                      jbw_action_kind_name(action->kind));
    else if (!model->items[action->item_type].has_text)
        jbw_error_set(error, 0, 0, "%s carries no text: in the world file, `text: true` is missing",
                      model->items[action->item_type].name);
    else if (length > JBW_MAX_TEXT)
        jbw_error_set(error, 0, 0, "the text has %zu bytes, expected at most %d", length,
                      JBW_MAX_TEXT);
    else
        jbw_error_set(error, 0, 0, "the text is not valid UTF-8");
}

jbw_status jbw_model_check_request(const jbw_model *model, const jbw_request *request,
                                   jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    if (is_possible(model, request)) return JBW_OK;
    const int symbols = model->voice.symbols;
    if (request->action < 0 || request->action >= model->action_count)
        jbw_error_set(error, 0, 0, "there is no action %d, expected 0 to %d", request->action,
                      model->action_count - 1);
    else if (symbols == 0 && request->say != 0)
        jbw_error_set(error, 0, 0, "agents of this world have no voice");
    else if (request->say < 0 || request->say > symbols)
        jbw_error_set(error, 0, 0, "there is no symbol %d, expected 1 to %d, or 0 for silence",
                      request->say, symbols);
    else
        explain_text(model, request, error);
    return JBW_INVALID_ARGUMENT;
}

// ---- requests ----

// finds the agent, and checks that it may make the request
static jbw_status find_requester(const jbw_world *world, jbw_agent_id id,
                                 const jbw_request *request, jbw_agent **out)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!agent->is_active || !is_possible(world->model, request)) return JBW_INVALID_ARGUMENT;
    *out = agent;
    return JBW_OK;
}

// a function of its own: filling in an operation that nobody listens to would take a while
static void tell_request(jbw_world *world, jbw_agent_id id, const jbw_request *request)
{
    const jbw_operation operation = {.kind = JBW_OPERATION_ACT,
                                     .agent = id,
                                     .action = request->action,
                                     .say = request->say,
                                     .text = has_text(request) ? request->text : NULL};
    jbw_world_tell(world, &operation);
}

jbw_status jbw_agent_act(jbw_world *world, jbw_agent_id id, int action, bool *stepped)
{
    return jbw_agent_request(world, id, &(jbw_request){.action = action}, stepped);
}

jbw_status jbw_agent_request(jbw_world *world, jbw_agent_id id, const jbw_request *request,
                             bool *stepped)
{
    if (stepped) *stepped = false;
    jbw_agent *agent;
    jbw_status status = find_requester(world, id, request, &agent);
    if (!status && !jbw_agents_reserve_requests(&world->agents, 1)) status = JBW_OUT_OF_MEMORY;
    if (status) return status;

    const jbw_previous_request previous = jbw_agents_request(&world->agents, agent, request);
    status = jbw_act_step_if_ready(world, stepped);
    if (status) {
        jbw_agents_undo_request(&world->agents, agent, previous);
        return status;
    }
    if (world->on_operation) tell_request(world, id, request);
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

static jbw_request request_of(const jbw_requests *requests, size_t i)
{
    return (jbw_request){.action = requests->actions[i],
                         .say = requests->say ? requests->say[i] : 0,
                         .text = requests->texts ? requests->texts[i] : NULL};
}

jbw_status jbw_world_act(jbw_world *world, const jbw_agent_id *ids, const int *actions,
                         size_t count, bool *stepped)
{
    return jbw_world_request(world, ids, &(jbw_requests){.actions = actions}, count, stepped);
}

jbw_status jbw_world_request(jbw_world *world, const jbw_agent_id *ids, const jbw_requests *asked,
                             size_t count, bool *stepped)
{
    if (stepped) *stepped = false;
    if (count == 0) return JBW_OK;
    if (count == 1) {
        const jbw_request request = request_of(asked, 0);
        return jbw_agent_request(world, ids[0], &request, stepped);
    }
    if (!jbw_agents_reserve_requests(&world->agents, count) ||
        !JBW_GROW(&world->model->allocator, world->joint_requests, world->joint_request_capacity,
                  count))
        return JBW_OUT_OF_MEMORY;

    jbw_agents *agents = &world->agents;
    jbw_joint_request *requests = world->joint_requests;
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < count && !status; i++) {
        jbw_agent *agent;
        requests[i] =
            (jbw_joint_request){.slot = ids[i].index1 - 1, .request = request_of(asked, i)};
        status = find_requester(world, ids[i], &requests[i].request, &agent);
    }
    if (!status) status = sort_requests(world, requests, count);
    if (status) return status;

    for (size_t i = 0; i < count; i++)
        requests[i].previous =
            jbw_agents_request(agents, &agents->slots[requests[i].slot], &requests[i].request);
    status = jbw_act_step_if_ready(world, stepped);
    for (size_t i = count; status && i-- > 0;)
        jbw_agents_undo_request(agents, &agents->slots[requests[i].slot], requests[i].previous);
    if (status) return status;
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_ACT_TOGETHER,
                                           .agents = ids,
                                           .requests = *asked,
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
