// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The agents of a client: which ones it has, adding and removing them, and their state. The client
// remembers which agents are active and which of them have acted, to know when a step is due and
// what to reactivate after the connection was lost.

#include <string.h>

#include "net/client/client_internal.h"

// ---- this client's agents ----

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

// reserves space first, so that an agent that was added can always be recorded
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

static jbw_status activate(jbw_client *client, jbw_agent_id id)
{
    jbw_message request = {
        .type = JBW_MESSAGE_SET_ACTIVE,
        .set_active = {.agent = id, .is_active = true},
    };
    const jbw_question question = {.answer = JBW_MESSAGE_OK};
    return jbw_client_ask_once(client, &request, &question, NULL);
}

jbw_status jbw_client_restore_agents(jbw_client *client)
{
    for (size_t i = 0; i < client->agent_count;) {
        const jbw_own_agent own = client->agents[i];
        // removed, or added after the snapshot that a restarted server continues from
        if (!is_left(client, own.id)) {
            forget_own(client, own.id);
            continue;
        }
        const jbw_status status = own.is_active ? activate(client, own.id) : JBW_OK;
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

// ---- who has acted ----

static bool is_waited_for(const jbw_client *client, const jbw_own_agent *own)
{
    return own->is_active && !(own->has_acted && own->acted_time == client->info.time);
}

bool jbw_client_others_must_act(const jbw_client *client, jbw_agent_id agent)
{
    for (size_t i = 0; i < client->agent_count; i++)
        if (!is_same(client->agents[i].id, agent) && is_waited_for(client, &client->agents[i]))
            return true;
    return false;
}

void jbw_client_note_acted(jbw_client *client, jbw_agent_id agent)
{
    jbw_own_agent *own = find_own(client, agent);
    if (!own) return;
    own->has_acted = true;
    own->acted_time = client->info.time;
}

// ---- adding and removing ----

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
    if (options->body < 0 || (size_t)options->body >= client->axes.bodies)
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT,
                               "there is no body %d, expected 0 to %d", options->body,
                               (int)client->axes.bodies - 1);
    const jbw_wire_add_agent place = {.has_position = options->has_position,
                                      .position = options->position,
                                      .direction = (uint8_t)options->direction,
                                      .is_forced = options->is_forced};
    jbw_message request = {.type = JBW_MESSAGE_ADD_AGENT, .add_agent = place};
    if (options->body > 0)
        request = (jbw_message){.type = JBW_MESSAGE_JOIN,
                                .join = {.place = place, .body = (uint8_t)options->body}};
    const jbw_question question = {.answer = JBW_MESSAGE_AGENTS, .take = take_added, .user = out};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (!status) note_own(client, *out, true);
    return status;
}

jbw_status jbw_client_remove_agent(jbw_client *client, jbw_agent_id agent)
{
    const jbw_message request = {.type = JBW_MESSAGE_REMOVE_AGENT,
                                 .remove_agent = {.agent = agent}};
    const jbw_status status = jbw_client_ask_ok(client, request, false);
    if (!status || status == JBW_NO_SUCH_AGENT) forget_own(client, agent);
    return status;
}

jbw_status jbw_client_set_active(jbw_client *client, jbw_agent_id agent, bool is_active)
{
    if (!reserve_own(client)) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    const jbw_message request = {
        .type = JBW_MESSAGE_SET_ACTIVE,
        .set_active = {.agent = agent, .is_active = is_active},
    };
    const jbw_status status = jbw_client_ask_ok(client, request, true);
    if (!status) note_own(client, agent, is_active);
    return status;
}

// ---- the state of agents ----

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
            .text = "",
        };
    const bool is_good =
        jbw_client_take_list(k->inventory, info->inventory.at, info->inventory.count,
                             client->axes.item_types, sizeof *k->inventory);
    return is_good ? JBW_OK : JBW_INVALID_DATA;
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
    const jbw_status status = get_known(client, agent, &(known){.state = out});
    if (status || client->axes.bodies == 1) return status;
    uint8_t body; // it never changes
    jbw_client_observation observation = {.parts = {.body = &body}};
    const jbw_status observed = jbw_client_observe(client, agent, &observation);
    if (!observed) out->body = body;
    return observed;
}

jbw_status jbw_client_get_inventory(jbw_client *client, jbw_agent_id agent, uint64_t *out)
{
    return get_known(client, agent, &(known){.inventory = out});
}

typedef struct listing {
    jbw_agent_id *out;
    size_t capacity;
    size_t count;    // so far
    size_t received; // in the latest page
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
