// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Acting and observing, one request at a time or several in flight.

#include "net/client/client_internal.h"

// ---- observations ----

typedef struct observations {
    jbw_client_observation *at; // or NULL
    size_t count;
} observations;

static jbw_status take_observed(jbw_client *client, const jbw_message *answer, void *user)
{
    const observations *o = user;
    const jbw_wire_observed *observed = &answer->observed;
    client->info.time = observed->time;
    if (observed->observations_count != o->count) return JBW_INVALID_DATA;
    for (size_t i = 0; o->at && i < o->count; i++)
        if (!jbw_client_take_observation(client, &observed->observations[i], observed->time,
                                         &o->at[i]))
            return JBW_INVALID_DATA;
    return JBW_OK;
}

static jbw_status take_posted(jbw_client *client, const jbw_message *answer, void *user)
{
    observations one = {.at = user, .count = 1};
    return take_observed(client, answer, &one);
}

jbw_status jbw_client_observe(jbw_client *client, jbw_agent_id agent,
                              jbw_client_observation *observation)
{
    if (!jbw_client_can_observe(client, observation, 1)) return JBW_UNSUPPORTED;
    observations one = {.at = observation, .count = 1};
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = jbw_client_wants(&observation->parts), .agents = {&agent, 1}},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_OBSERVED, .take = take_observed, .user = &one, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_perceive(jbw_client *client, jbw_agent_id agent, float *vision, float *scent)
{
    jbw_client_observation observation = {.parts = {.vision = vision, .scent = scent}};
    return jbw_client_observe(client, agent, &observation);
}

jbw_status jbw_client_get_result(jbw_client *client, jbw_agent_id agent, jbw_agent_result *out)
{
    jbw_client_observation observation = {0};
    const jbw_status status = jbw_client_observe(client, agent, &observation);
    if (!status) *out = observation.result;
    return status;
}

// ---- acting ----

static jbw_message make_act(jbw_agent_id agent, int action, const jbw_client_observation *o,
                            bool waits)
{
    return (jbw_message){
        .type = JBW_MESSAGE_ACT,
        .act = {.agent = agent,
                .action = (uint32_t)action,
                .waits = waits,
                .wants = o ? jbw_client_wants(&o->parts) : 0},
    };
}

jbw_status jbw_client_act_and_observe(jbw_client *client, jbw_agent_id agent, int action,
                                      jbw_client_observation *observation)
{
    if (!jbw_client_can_observe(client, observation, 1)) return JBW_UNSUPPORTED;
    observations one = {.at = observation, .count = 1};
    jbw_message request = make_act(agent, action, observation, true);
    const jbw_question question = {
        .answer = JBW_MESSAGE_OBSERVED, .take = take_observed, .user = &one, .wait = JBW_WAIT_TURN};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (status != JBW_NO_CONNECTION || !jbw_link_is_open(client->link)) return status;

    // reconnected: the outcome of the action is unknown, but the agent can be observed
    const jbw_status observed = jbw_client_observe(client, agent, observation);
    observation->is_resumed = true;
    return observed;
}

jbw_status jbw_client_act(jbw_client *client, jbw_agent_id agent, int action, bool *stepped)
{
    if (stepped) *stepped = false;
    if (!jbw_client_others_must_act(client, agent)) {
        jbw_client_observation observation = {0};
        const jbw_status status = jbw_client_act_and_observe(client, agent, action, &observation);
        if (!status && stepped) *stepped = true;
        return status;
    }
    const jbw_status status = jbw_client_ask_ok(client, make_act(agent, action, NULL, false), true);
    if (!status) jbw_client_note_acted(client, agent);
    return status;
}

static jbw_status observe_together(jbw_client *client, const jbw_agent_id *agents, size_t count,
                                   jbw_client_observation *o)
{
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = jbw_client_observe(client, agents[i], &o[i]);
        if (status) return status;
        o[i].is_resumed = true;
    }
    return JBW_OK;
}

jbw_status jbw_client_act_together(jbw_client *client, const jbw_agent_id *agents,
                                   const int *actions, size_t count, jbw_client_observation *o)
{
    if (!jbw_client_can_observe(client, o, count)) return JBW_UNSUPPORTED;
    uint8_t wants = 0;
    for (size_t i = 0; i < count; i++) wants |= jbw_client_wants(&o[i].parts);
    jbw_wire_choice *choices = jbw_alloc_zero(&client->allocator, count, sizeof *choices);
    if (!choices) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        choices[i] = (jbw_wire_choice){.agent = agents[i], .action = (uint32_t)actions[i]};
    observations all = {.at = o, .count = count};
    jbw_message request = {
        .type = JBW_MESSAGE_ACT_MANY,
        .act_many = {.waits = true, .wants = wants, .choices = choices, .choices_count = count},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_OBSERVED, .take = take_observed, .user = &all, .wait = JBW_WAIT_TURN};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    jbw_free(&client->allocator, choices, count * sizeof *choices);
    if (status != JBW_NO_CONNECTION || !jbw_link_is_open(client->link)) return status;
    return observe_together(client, agents, count, o);
}

// ---- several requests in flight ----

static jbw_status post(jbw_client *client, jbw_message *request,
                       jbw_client_observation *observation, uint32_t *ticket)
{
    *ticket = 0;
    if (!jbw_client_can_observe(client, observation, 1)) return JBW_UNSUPPORTED;
    jbw_client_begin_waiting(client);
    jbw_status status = jbw_client_restore(client);
    if (status) return status;
    jbw_call *call = jbw_alloc_zero(&client->allocator, 1, sizeof *call);
    if (!call) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    call->answer = JBW_MESSAGE_OBSERVED;
    call->take = take_posted;
    call->user = observation;
    status = jbw_client_begin(client, request, call);
    if (status)
        jbw_free(&client->allocator, call, sizeof *call);
    else
        *ticket = call->request;
    return status;
}

jbw_status jbw_client_post_act(jbw_client *client, jbw_agent_id agent, int action,
                               jbw_client_observation *observation, uint32_t *ticket)
{
    jbw_message request = {
        .type = JBW_MESSAGE_ACT_NEXT,
        .act_next = {.agent = agent,
                     .action = (uint32_t)action,
                     .wants = jbw_client_wants(&observation->parts)},
    };
    jbw_client_note_acted(client, agent);
    return post(client, &request, observation, ticket);
}

jbw_status jbw_client_post_acts(jbw_client *client, jbw_agent_id agent, const int *actions,
                                size_t count, jbw_client_observation *o, uint32_t *tickets)
{
    for (size_t i = 0; i < count; i++) tickets[i] = 0;
    jbw_link_gather(client->link, true);
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_client_post_act(client, agent, actions[i], &o[i], &tickets[i]);
    jbw_link_gather(client->link, false);
    return status;
}

jbw_status jbw_client_post_observe(jbw_client *client, jbw_agent_id agent,
                                   jbw_client_observation *observation, uint32_t *ticket)
{
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = jbw_client_wants(&observation->parts), .agents = {&agent, 1}},
    };
    return post(client, &request, observation, ticket);
}

static jbw_call *find_ticket(const jbw_client *client, uint32_t ticket)
{
    for (jbw_call *call = client->calls; call; call = call->next)
        if (call->request == ticket) return call;
    return NULL;
}

jbw_status jbw_client_collect(jbw_client *client, uint32_t ticket)
{
    jbw_call *call = find_ticket(client, ticket);
    if (!call) return jbw_client_fail(client, JBW_NOT_FOUND, "unknown ticket");
    const int64_t deadline = jbw_client_deadline(client, JBW_WAIT_TURN);
    jbw_client_begin_waiting(client);
    if (!call->is_done) jbw_link_peek(client->link); // usually it has arrived by now
    while (!call->is_done && !jbw_client_is_over(client, deadline))
        jbw_client_serve(client, deadline);
    if (!call->is_done)
        return jbw_client_fail(client, JBW_TIMED_OUT, "timed out waiting for an answer");
    const jbw_status status = call->status;
    if (status) client->error = call->error;
    jbw_client_drop(client, call);
    jbw_free(&client->allocator, call, sizeof *call);
    return status;
}

bool jbw_client_is_ready(jbw_client *client, uint32_t ticket, double seconds)
{
    const jbw_call *call = find_ticket(client, ticket);
    if (!call) return true;
    const int64_t deadline = jbw_client_deadline_in(seconds);
    jbw_client_begin_waiting(client);
    do {
        if (!call->is_done) jbw_client_serve(client, deadline);
    } while (!call->is_done && !jbw_client_is_over(client, deadline));
    return call->is_done;
}
