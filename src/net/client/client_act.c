// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Acting and observing, one request at a time or several in flight.

#include <string.h>

#include "net/client/client_internal.h"

// ---- observations ----

typedef struct observations {
    jbw_client_observation *at; // or NULL
    size_t count;
} observations;

// `perceived` begins with `observed`
static jbw_status take_observed(jbw_client *client, const jbw_message *answer, void *user)
{
    const observations *o = user;
    const jbw_wire_observed *observed = &answer->observed;
    const bool has_words = answer->type == JBW_MESSAGE_PERCEIVED;
    client->info.time = observed->time;
    if (observed->observations_count != o->count) return JBW_INVALID_DATA;
    if (has_words && answer->perceived.words_count != o->count) return JBW_INVALID_DATA;
    for (size_t i = 0; o->at && i < o->count; i++)
        if (!jbw_client_take_observation(client, &observed->observations[i],
                                         has_words ? &answer->perceived.words[i] : NULL,
                                         observed->time, &o->at[i]))
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
    const uint8_t wants = jbw_client_wants(client, &observation->parts);
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = wants, .agents = {&agent, 1}},
    };
    const jbw_question question = {.answer = jbw_client_answer_to(wants),
                                   .take = take_observed,
                                   .user = &one,
                                   .can_repeat = true};
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

static bool has_words(const jbw_request *request)
{
    return request->say != 0 || (request->text && *request->text != '\0');
}

// checks what a message could not hold; the server checks the rest
static jbw_status check_words(jbw_client *client, const jbw_request *request)
{
    if (!has_words(request)) return JBW_OK;
    if (!client->knows_words)
        return jbw_client_fail(client, JBW_UNSUPPORTED,
                               "this server is too old: its agents neither speak nor write");
    if (request->say < 0 || request->say > JBW_MAX_SYMBOLS)
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT, "there is no symbol %d", request->say);
    const size_t length = request->text ? strlen(request->text) : 0;
    if (length > JBW_MAX_TEXT)
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT,
                               "the text has %zu bytes, expected at most %d", length, JBW_MAX_TEXT);
    return JBW_OK;
}

static jbw_wire_wish wish_of(jbw_agent_id agent, const jbw_request *request)
{
    const char *text = request->text ? request->text : "";
    return (jbw_wire_wish){.agent = agent,
                           .action = (uint32_t)request->action,
                           .say = (uint8_t)request->say,
                           .text = {(const uint8_t *)text, strlen(text)}};
}

// a wish takes more bytes, and an older server does not know it: only if there are words
static jbw_message make_act(const jbw_wire_wish *wish, bool waits, uint8_t wants)
{
    if (wish->say != 0 || wish->text.count > 0)
        return (jbw_message){
            .type = JBW_MESSAGE_ACT_WORDS,
            .act_words = {.waits = waits, .wants = wants, .wishes = wish, .wishes_count = 1},
        };
    return (jbw_message){
        .type = JBW_MESSAGE_ACT,
        .act = {.agent = wish->agent, .action = wish->action, .waits = waits, .wants = wants},
    };
}

jbw_status jbw_client_act_and_observe(jbw_client *client, jbw_agent_id agent, int action,
                                      jbw_client_observation *observation)
{
    return jbw_client_request_and_observe(client, agent, &(jbw_request){.action = action},
                                          observation);
}

jbw_status jbw_client_request_and_observe(jbw_client *client, jbw_agent_id agent,
                                          const jbw_request *request,
                                          jbw_client_observation *observation)
{
    if (!jbw_client_can_observe(client, observation, 1)) return JBW_UNSUPPORTED;
    const jbw_status problem = check_words(client, request);
    if (problem) return problem;
    observations one = {.at = observation, .count = 1};
    const jbw_wire_wish wish = wish_of(agent, request);
    const uint8_t wants = jbw_client_wants(client, &observation->parts);
    jbw_message message = make_act(&wish, true, wants);
    const jbw_question question = {.answer = jbw_client_answer_to(wants),
                                   .take = take_observed,
                                   .user = &one,
                                   .wait = JBW_WAIT_TURN};
    const jbw_status status = jbw_client_ask(client, &message, &question);
    if (status != JBW_NO_CONNECTION || !jbw_link_is_open(client->link)) return status;

    // reconnected: the outcome of the action is unknown, but the agent can be observed
    const jbw_status observed = jbw_client_observe(client, agent, observation);
    observation->is_resumed = true;
    return observed;
}

jbw_status jbw_client_act(jbw_client *client, jbw_agent_id agent, int action, bool *stepped)
{
    return jbw_client_request(client, agent, &(jbw_request){.action = action}, stepped);
}

jbw_status jbw_client_request(jbw_client *client, jbw_agent_id agent, const jbw_request *request,
                              bool *stepped)
{
    if (stepped) *stepped = false;
    if (!jbw_client_others_must_act(client, agent)) {
        jbw_client_observation observation = {0};
        const jbw_status status =
            jbw_client_request_and_observe(client, agent, request, &observation);
        if (!status && stepped) *stepped = true;
        return status;
    }
    jbw_status status = check_words(client, request);
    if (status) return status;
    const jbw_wire_wish wish = wish_of(agent, request);
    status = jbw_client_ask_ok(client, make_act(&wish, false, 0), true);
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

static jbw_request request_of(const jbw_requests *requests, size_t i)
{
    return (jbw_request){.action = requests->actions[i],
                         .say = requests->say ? requests->say[i] : 0,
                         .text = requests->texts ? requests->texts[i] : NULL};
}

/// The wishes of several agents, and the same as choices, which is enough if there are no words.
typedef struct joint_act {
    jbw_wire_wish *wishes;
    jbw_wire_choice *choices;
    bool has_words;
} joint_act;

static jbw_status fill_joint(jbw_client *client, const jbw_agent_id *agents,
                             const jbw_requests *requests, size_t count, joint_act *joint)
{
    if (!joint->wishes || !joint->choices)
        return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const jbw_request request = request_of(requests, i);
        const jbw_status problem = check_words(client, &request);
        if (problem) return problem;
        joint->has_words = joint->has_words || has_words(&request);
        joint->wishes[i] = wish_of(agents[i], &request);
        joint->choices[i] =
            (jbw_wire_choice){.agent = agents[i], .action = (uint32_t)request.action};
    }
    return JBW_OK;
}

static jbw_status send_joint(jbw_client *client, const joint_act *joint, size_t count,
                             jbw_client_observation *o)
{
    uint8_t wants = 0;
    for (size_t i = 0; i < count; i++) wants |= jbw_client_wants(client, &o[i].parts);
    observations all = {.at = o, .count = count};
    jbw_message request = {
        .type = JBW_MESSAGE_ACT_MANY,
        .act_many = {
            .waits = true, .wants = wants, .choices = joint->choices, .choices_count = count}};
    if (joint->has_words)
        request = (jbw_message){
            .type = JBW_MESSAGE_ACT_WORDS,
            .act_words = {
                .waits = true, .wants = wants, .wishes = joint->wishes, .wishes_count = count}};
    const jbw_question question = {.answer = jbw_client_answer_to(wants),
                                   .take = take_observed,
                                   .user = &all,
                                   .wait = JBW_WAIT_TURN};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_act_together(jbw_client *client, const jbw_agent_id *agents,
                                   const int *actions, size_t count, jbw_client_observation *o)
{
    return jbw_client_request_together(client, agents, &(jbw_requests){.actions = actions}, count,
                                       o);
}

jbw_status jbw_client_request_together(jbw_client *client, const jbw_agent_id *agents,
                                       const jbw_requests *requests, size_t count,
                                       jbw_client_observation *o)
{
    if (!jbw_client_can_observe(client, o, count)) return JBW_UNSUPPORTED;
    joint_act joint = {
        .wishes = jbw_alloc_zero(&client->allocator, count, sizeof *joint.wishes),
        .choices = jbw_alloc_zero(&client->allocator, count, sizeof *joint.choices),
    };
    jbw_status status = fill_joint(client, agents, requests, count, &joint);
    bool is_asked = !status;
    if (!status) status = send_joint(client, &joint, count, o);
    jbw_free(&client->allocator, joint.wishes, count * sizeof *joint.wishes);
    jbw_free(&client->allocator, joint.choices, count * sizeof *joint.choices);
    if (!is_asked || status != JBW_NO_CONNECTION || !jbw_link_is_open(client->link)) return status;
    return observe_together(client, agents, count, o);
}

// ---- several requests in flight ----

static jbw_status post(jbw_client *client, jbw_message *request,
                       jbw_client_observation *observation, uint32_t *ticket)
{
    const uint8_t wants = jbw_client_wants(client, &observation->parts);
    *ticket = 0;
    if (!jbw_client_can_observe(client, observation, 1)) return JBW_UNSUPPORTED;
    jbw_client_begin_waiting(client);
    jbw_status status = jbw_client_restore(client);
    if (status) return status;
    jbw_call *call = jbw_alloc_zero(&client->allocator, 1, sizeof *call);
    if (!call) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    call->answer = jbw_client_answer_to(wants);
    call->take = take_posted;
    call->user = observation;
    status = jbw_client_begin(client, request, call);
    if (status)
        jbw_free(&client->allocator, call, sizeof *call);
    else
        *ticket = call->request;
    return status;
}

static jbw_status post_request(jbw_client *client, jbw_agent_id agent, const jbw_request *request,
                               jbw_client_observation *observation, uint32_t *ticket)
{
    const jbw_status problem = check_words(client, request);
    if (problem) return problem;
    const jbw_wire_wish wish = wish_of(agent, request);
    const uint8_t wants = jbw_client_wants(client, &observation->parts);
    jbw_message message = {
        .type = JBW_MESSAGE_ACT_NEXT,
        .act_next = {.agent = agent, .action = wish.action, .wants = wants},
    };
    if (has_words(request))
        message = (jbw_message){
            .type = JBW_MESSAGE_ACT_WORDS,
            .act_words = {.is_next = true, .wants = wants, .wishes = &wish, .wishes_count = 1},
        };
    jbw_client_note_acted(client, agent);
    return post(client, &message, observation, ticket);
}

jbw_status jbw_client_post_act(jbw_client *client, jbw_agent_id agent, int action,
                               jbw_client_observation *observation, uint32_t *ticket)
{
    *ticket = 0;
    return post_request(client, agent, &(jbw_request){.action = action}, observation, ticket);
}

jbw_status jbw_client_post_acts(jbw_client *client, jbw_agent_id agent, const int *actions,
                                size_t count, jbw_client_observation *o, uint32_t *tickets)
{
    return jbw_client_post_requests(client, agent, &(jbw_requests){.actions = actions}, count, o,
                                    tickets);
}

jbw_status jbw_client_post_requests(jbw_client *client, jbw_agent_id agent,
                                    const jbw_requests *requests, size_t count,
                                    jbw_client_observation *o, uint32_t *tickets)
{
    for (size_t i = 0; i < count; i++) tickets[i] = 0;
    jbw_link_gather(client->link, true);
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const jbw_request request = request_of(requests, i);
        status = post_request(client, agent, &request, &o[i], &tickets[i]);
    }
    jbw_link_gather(client->link, false);
    return status;
}

jbw_status jbw_client_post_observe(jbw_client *client, jbw_agent_id agent,
                                   jbw_client_observation *observation, uint32_t *ticket)
{
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = jbw_client_wants(client, &observation->parts), .agents = {&agent, 1}},
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
