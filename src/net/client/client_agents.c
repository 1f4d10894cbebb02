// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Agents of a client. It remembers which ones it drives and which of those have asked, so that it
// knows when to wait for a step, and what to make active again after the connection was lost.

#include <string.h>

#include "net/client/client_core.h"

// ---- which ones ----

static bool is_same(jbw_agent_id a, jbw_agent_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static jbw_own_agent *find_own(jbw_client *client, jbw_agent_id id)
{
    for (size_t i = 0; i < client->agent_count; i++)
        if (is_same(client->agents[i].id, id)) return &client->agents[i];
    return NULL;
}

// makes room first, so that an agent that was added cannot be forgotten
static bool reserve_own(jbw_client *client)
{
    return JBW_GROW(&client->allocator, client->agents, client->agent_capacity,
                    client->agent_count + 1);
}

static void note_own(jbw_client *client, jbw_agent_id id, bool is_active)
{
    jbw_own_agent *own = find_own(client, id);
    if (!own) own = &client->agents[client->agent_count++];
    *own = (jbw_own_agent){.id = id, .is_active = is_active};
}

static void forget_own(jbw_client *client, jbw_agent_id id)
{
    jbw_own_agent *own = find_own(client, id);
    if (!own) return;
    const size_t after = (size_t)(client->agents + client->agent_count - (own + 1));
    memmove(own, own + 1, after * sizeof *own);
    client->agent_count--;
}

bool jbw_client_note_agents(jbw_client *client, const jbw_wire_welcome *welcome)
{
    if (!JBW_GROW(&client->allocator, client->left, client->left_capacity, welcome->agents_count))
        return false;
    client->left_count = 0;
    for (size_t i = 0; i < welcome->agents_count; i++)
        client->left[client->left_count++] = welcome->agents[i].agent;
    return true;
}

static bool is_left(const jbw_client *client, jbw_agent_id id)
{
    for (size_t i = 0; i < client->left_count; i++)
        if (is_same(client->left[i], id)) return true;
    return false;
}

static jbw_status activate_now(jbw_client *client, jbw_agent_id id)
{
    jbw_message request = {
        .type = JBW_MESSAGE_SET_ACTIVE,
        .set_active = {.agent = id, .is_active = true},
    };
    jbw_call call = {.answer = JBW_MESSAGE_OK};
    const jbw_status status = jbw_client_begin(client, &request, &call);
    if (status) return status;
    return jbw_client_finish(client, &call, jbw_client_deadline(client, JBW_WAIT_ANSWER));
}

jbw_status jbw_client_restore_agents(jbw_client *client)
{
    for (size_t i = 0; i < client->agent_count;) {
        const jbw_own_agent own = client->agents[i];
        // added after the world was saved from which the server started again, or removed
        if (!is_left(client, own.id)) {
            forget_own(client, own.id);
            continue;
        }
        const jbw_status status = own.is_active ? activate_now(client, own.id) : JBW_OK;
        if (status) return status;
        i++;
    }
    return JBW_OK;
}

size_t jbw_client_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity)
{
    for (size_t i = 0; i < client->agent_count && i < capacity; i++) out[i] = client->agents[i].id;
    return client->agent_count;
}

size_t jbw_client_left_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity)
{
    for (size_t i = 0; i < client->left_count && i < capacity; i++) out[i] = client->left[i];
    return client->left_count;
}

// ---- coming and going ----

static jbw_status take_ok(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)user;
    client->info.time = answer->ok.time;
    return JBW_OK;
}

static jbw_status take_added(jbw_client *client, const jbw_message *answer, void *user)
{
    if (answer->agents.agents_count != 1) return JBW_INVALID_DATA;
    client->info.time = answer->agents.time;
    *(jbw_agent_id *)user = answer->agents.agents[0].agent;
    return JBW_OK;
}

jbw_status jbw_client_add_agent(jbw_client *client, const jbw_agent_options *options,
                                jbw_agent_id *out)
{
    static const jbw_agent_options defaults;
    if (!options) options = &defaults;
    *out = (jbw_agent_id){0};
    if (!reserve_own(client)) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    jbw_message request = {
        .type = JBW_MESSAGE_ADD_AGENT,
        .add_agent = {.has_position = options->has_position,
                      .position = options->position,
                      .direction = (uint8_t)options->direction,
                      .is_forced = options->is_forced},
    };
    const jbw_question question = {.answer = JBW_MESSAGE_AGENTS, .take = take_added, .user = out};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (!status) note_own(client, *out, true);
    return status;
}

jbw_status jbw_client_remove_agent(jbw_client *client, jbw_agent_id agent)
{
    jbw_message request = {.type = JBW_MESSAGE_REMOVE_AGENT, .remove_agent = {.agent = agent}};
    const jbw_question question = {.answer = JBW_MESSAGE_OK, .take = take_ok};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (!status || status == JBW_NO_SUCH_AGENT) forget_own(client, agent);
    return status;
}

jbw_status jbw_client_set_active(jbw_client *client, jbw_agent_id agent, bool is_active)
{
    if (!reserve_own(client)) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    jbw_message request = {
        .type = JBW_MESSAGE_SET_ACTIVE,
        .set_active = {.agent = agent, .is_active = is_active},
    };
    const jbw_question question = {.answer = JBW_MESSAGE_OK, .take = take_ok, .can_repeat = true};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (!status) note_own(client, agent, is_active);
    return status;
}

// ---- observations ----

static uint8_t wants_of(const jbw_observation *o)
{
    return (uint8_t)((o->vision ? JBW_WANT_VISION : 0) | (o->scent ? JBW_WANT_SCENT : 0) |
                     (o->items ? JBW_WANT_ITEMS : 0) | (o->inventory ? JBW_WANT_INVENTORY : 0));
}

// lists of numbers, which must be as long as expected if they are wanted at all
static bool take_list(void *to, const void *from, size_t count, size_t expected, size_t size)
{
    if (!to) return true;
    if (count != expected) return false;
    if (count > 0) memcpy(to, from, count * size);
    return true;
}

static jbw_agent_result take_result(const jbw_wire_observation *from)
{
    return (jbw_agent_result){
        .time = from->result_time,
        .action = from->action,
        .outcome = (jbw_outcome)from->outcome,
        .moved = from->moved,
        .item = (jbw_outcome)from->item_outcome,
        .collected = from->collected,
        .dropped = from->dropped,
        .position_before = from->position_before,
        .position = from->position,
    };
}

bool jbw_client_take_observation(const jbw_client *client, const jbw_wire_observation *from,
                                 uint64_t time, jbw_observation *to)
{
    const size_t cells = client->side * client->side;
    to->agent = from->agent;
    to->time = time;
    to->position = from->position;
    to->direction = (jbw_direction)from->direction;
    to->is_active = from->is_active;
    to->is_resumed = false;
    to->result = take_result(from);
    return take_list(to->vision, from->vision.at, from->vision.count, cells * client->colors,
                     sizeof *to->vision) &&
           take_list(to->scent, from->scent.at, from->scent.count, client->scents,
                     sizeof *to->scent) &&
           take_list(to->items, from->items.at, from->items.count, cells, sizeof *to->items) &&
           take_list(to->inventory, from->inventory.at, from->inventory.count, client->item_count,
                     sizeof *to->inventory);
}

typedef struct observations {
    jbw_observation *at; // or NULL
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

jbw_status jbw_client_observe(jbw_client *client, jbw_agent_id agent, jbw_observation *observation)
{
    observations one = {.at = observation, .count = 1};
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = wants_of(observation), .agents = {&agent, 1}},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_OBSERVED, .take = take_observed, .user = &one, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_perceive(jbw_client *client, jbw_agent_id agent, float *vision, float *scent)
{
    jbw_observation observation = {.vision = vision, .scent = scent};
    return jbw_client_observe(client, agent, &observation);
}

jbw_status jbw_client_get_result(jbw_client *client, jbw_agent_id agent, jbw_agent_result *out)
{
    jbw_observation observation = {0};
    const jbw_status status = jbw_client_observe(client, agent, &observation);
    if (!status) *out = observation.result;
    return status;
}

// ---- what is known of agents ----

typedef struct known {
    jbw_agent_state *state; // or NULL
    uint64_t *inventory;    // or NULL
} known;

static jbw_status take_known(jbw_client *client, const jbw_message *answer, void *user)
{
    const known *k = user;
    client->info.time = answer->agents.time;
    if (answer->agents.agents_count == 0) return JBW_NO_SUCH_AGENT;
    const jbw_wire_agent_info *info = &answer->agents.agents[0];
    if (k->state)
        *k->state = (jbw_agent_state){
            .position = info->position,
            .direction = (jbw_direction)info->direction,
            .start = info->start,
            .is_active = info->is_active,
            .has_request = info->request >= 0,
            .request = info->request >= 0 ? info->request : 0,
        };
    return take_list(k->inventory, info->inventory.at, info->inventory.count, client->item_count,
                     sizeof *k->inventory)
               ? JBW_OK
               : JBW_INVALID_DATA;
}

static jbw_status get_known(jbw_client *client, jbw_agent_id agent, known *k)
{
    jbw_message request = {
        .type = JBW_MESSAGE_GET_AGENTS,
        .get_agents = {.agents = {&agent, 1}},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_AGENTS, .take = take_known, .user = k, .can_repeat = true};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (status == JBW_NO_SUCH_AGENT) jbw_client_fail(client, status, "%s", jbw_status_text(status));
    return status;
}

jbw_status jbw_client_get_state(jbw_client *client, jbw_agent_id agent, jbw_agent_state *out)
{
    return get_known(client, agent, &(known){.state = out});
}

jbw_status jbw_client_get_inventory(jbw_client *client, jbw_agent_id agent, uint64_t *out)
{
    return get_known(client, agent, &(known){.inventory = out});
}

typedef struct listing {
    jbw_agent_id *out;
    size_t capacity;
    size_t count;    // so far
    size_t received; // in the latest portion
} listing;

static jbw_status take_listing(jbw_client *client, const jbw_message *answer, void *user)
{
    listing *l = user;
    client->info.time = answer->agents.time;
    l->received = answer->agents.agents_count;
    for (size_t i = 0; i < l->received; i++, l->count++)
        if (l->count < l->capacity) l->out[l->count] = answer->agents.agents[i].agent;
    return JBW_OK;
}

jbw_status jbw_client_all_agents(jbw_client *client, jbw_agent_id *out, size_t capacity,
                                 size_t *count)
{
    listing l = {.out = out, .capacity = capacity};
    const jbw_question question = {
        .answer = JBW_MESSAGE_AGENTS, .take = take_listing, .user = &l, .can_repeat = true};
    do {
        jbw_message request = {
            .type = JBW_MESSAGE_LIST_AGENTS,
            .list_agents = {.first = (uint32_t)l.count, .most = client->list_most},
        };
        const jbw_status status = jbw_client_ask(client, &request, &question);
        if (status) return status;
    } while (l.received == client->list_most);
    *count = l.count;
    return JBW_OK;
}

// ---- acting ----

static bool is_waited_for(const jbw_client *client, const jbw_own_agent *own)
{
    return own->is_active && !(own->has_asked && own->asked_time == client->info.time);
}

static bool others_have_to_ask(const jbw_client *client, jbw_agent_id agent)
{
    for (size_t i = 0; i < client->agent_count; i++)
        if (!is_same(client->agents[i].id, agent) && is_waited_for(client, &client->agents[i]))
            return true;
    return false;
}

static void note_asked(jbw_client *client, jbw_agent_id agent)
{
    jbw_own_agent *own = find_own(client, agent);
    if (!own) return;
    own->has_asked = true;
    own->asked_time = client->info.time;
}

static jbw_message make_act(jbw_agent_id agent, int action, const jbw_observation *o, bool waits)
{
    return (jbw_message){
        .type = JBW_MESSAGE_ACT,
        .act = {.agent = agent,
                .action = (uint32_t)action,
                .waits = waits,
                .wants = o ? wants_of(o) : 0},
    };
}

jbw_status jbw_client_act_and_observe(jbw_client *client, jbw_agent_id agent, int action,
                                      jbw_observation *observation)
{
    observations one = {.at = observation, .count = 1};
    jbw_message request = make_act(agent, action, observation, true);
    const jbw_question question = {
        .answer = JBW_MESSAGE_OBSERVED, .take = take_observed, .user = &one, .wait = JBW_WAIT_TURN};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (status != JBW_NO_CONNECTION || !jbw_link_is_open(client->link)) return status;

    // it is back; nobody knows about the action, but about the agent
    const jbw_status observed = jbw_client_observe(client, agent, observation);
    observation->is_resumed = true;
    return observed;
}

jbw_status jbw_client_act(jbw_client *client, jbw_agent_id agent, int action, bool *stepped)
{
    if (stepped) *stepped = false;
    if (!others_have_to_ask(client, agent)) {
        jbw_observation observation = {0};
        const jbw_status status = jbw_client_act_and_observe(client, agent, action, &observation);
        if (!status && stepped) *stepped = true;
        return status;
    }
    jbw_message request = make_act(agent, action, NULL, false);
    const jbw_question question = {.answer = JBW_MESSAGE_OK, .take = take_ok, .can_repeat = true};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (!status) note_asked(client, agent);
    return status;
}

static jbw_status observe_together(jbw_client *client, const jbw_agent_id *agents, size_t count,
                                   jbw_observation *o)
{
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = jbw_client_observe(client, agents[i], &o[i]);
        if (status) return status;
        o[i].is_resumed = true;
    }
    return JBW_OK;
}

jbw_status jbw_client_act_together(jbw_client *client, const jbw_agent_id *agents,
                                   const int *actions, size_t count, jbw_observation *o)
{
    uint8_t wants = 0;
    for (size_t i = 0; i < count; i++) wants |= wants_of(&o[i]);
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

// ---- many requests at once ----

static jbw_status post(jbw_client *client, jbw_message *request, jbw_observation *observation,
                       uint32_t *ticket)
{
    *ticket = 0;
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
                               jbw_observation *observation, uint32_t *ticket)
{
    jbw_message request = {
        .type = JBW_MESSAGE_ACT_NEXT,
        .act_next = {.agent = agent, .action = (uint32_t)action, .wants = wants_of(observation)},
    };
    note_asked(client, agent);
    return post(client, &request, observation, ticket);
}

jbw_status jbw_client_post_acts(jbw_client *client, jbw_agent_id agent, const int *actions,
                                size_t count, jbw_observation *o, uint32_t *tickets)
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
                                   jbw_observation *observation, uint32_t *ticket)
{
    jbw_message request = {
        .type = JBW_MESSAGE_PERCEIVE,
        .perceive = {.wants = wants_of(observation), .agents = {&agent, 1}},
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
    if (!call) return jbw_client_fail(client, JBW_NOT_FOUND, "there is no such ticket");
    const int64_t deadline = jbw_client_deadline(client, JBW_WAIT_TURN);
    jbw_client_begin_waiting(client);
    if (!call->is_done) jbw_link_peek(client->link); // mostly it is there by now
    while (!call->is_done && !jbw_client_is_over(client, deadline))
        jbw_client_serve(client, deadline);
    if (!call->is_done) return jbw_client_fail(client, JBW_TIMED_OUT, "no answer came in time");
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
