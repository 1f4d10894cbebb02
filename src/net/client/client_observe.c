// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Observations of a client: which parts to request from the server, and copying them into the
// caller's arrays.

#include <string.h>

#include "net/client/client_internal.h"
#include "net/wire/look.h"

uint8_t jbw_client_wants(const jbw_client *client, const jbw_observation *parts)
{
    unsigned wants = parts->item_vision ? JBW_WANT_ITEMS : 0;
    // a result has what was said
    if (parts->heard || parts->text || parts->body || client->axes.symbols > 0)
        wants |= JBW_WANT_WORDS;
#define ADD_WANT(NAME, name) \
    if (parts->name) wants |= JBW_WANT_##NAME;
    JBW_WIRE_PART_LIST(ADD_WANT)
#undef ADD_WANT
    return (uint8_t)wants;
}

jbw_message_type jbw_client_answer_to(unsigned wants)
{
    return wants & JBW_WANT_WORDS ? JBW_MESSAGE_PERCEIVED : JBW_MESSAGE_OBSERVED;
}

// true if a message has the part, or it follows from what a message has
static bool is_sent(const jbw_client *client, jbw_part part)
{
    switch (part) {
#define SENT(NAME, name) case JBW_PART_##NAME:
        JBW_WIRE_PART_LIST(SENT)
#undef SENT
    case JBW_PART_ITEM_VISION:
    case JBW_PART_POSITION:
    case JBW_PART_DIRECTION:
    case JBW_PART_TIME:
    case JBW_PART_MOVED:
    case JBW_PART_COLLECTED: return true;
    case JBW_PART_HEARD:
    case JBW_PART_TEXT:
    case JBW_PART_BODY: return client->knows_words;
    default: return false;
    }
}

bool jbw_client_can_observe(jbw_client *client, const jbw_client_observation *o, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int p = 0; p < JBW_PART_COUNT; p++)
            if (jbw_observation_get(&o[i].parts, (jbw_part)p) && !is_sent(client, (jbw_part)p)) {
                jbw_client_fail(client, JBW_UNSUPPORTED, "%s not send the part \"%s\"",
                                client->knows_words ? "servers do" : "this server does",
                                jbw_part_describe(&client->axes, (jbw_part)p).name);
                return false;
            }
    return true;
}

bool jbw_client_take_list(void *to, const void *from, size_t count, size_t expected, size_t size)
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

// the parts that have no list of their own
static void take_values(const jbw_wire_observation *from, uint64_t time, const jbw_observation *to)
{
    if (to->position) {
        to->position[0] = from->position.x;
        to->position[1] = from->position.y;
    }
    if (to->direction) *to->direction = from->direction;
    if (to->time) *to->time = time;
    if (to->moved) *to->moved = from->moved;
    if (to->collected) *to->collected = from->collected;
}

// the items that are seen, one-hot
static bool take_item_vision(const jbw_client *client, jbw_field_bytes items, float *to)
{
    const size_t types = client->axes.item_types;
    if (!to) return true;
    if (items.count != client->axes.side * client->axes.side) return false;
    memset(to, 0, items.count * types * sizeof *to);
    for (size_t i = 0; i < items.count; i++, to += types) {
        if (items.at[i] > types) return false;
        if (items.at[i] > 0) to[items.at[i] - 1] = 1.0f;
    }
    return true;
}

// who an agent is, what it heard and reads
static bool take_words(const jbw_client *client, const jbw_wire_words *from, jbw_observation *to)
{
    if (!from) return !to->heard && !to->text && !to->body;
    if (to->body) *to->body = from->body;
    if (to->text) {
        if (from->text.count > JBW_MAX_TEXT) return false;
        memset(to->text, 0, JBW_MAX_TEXT + 1);
        if (from->text.count > 0) memcpy(to->text, from->text.at, from->text.count);
    }
    return from->body < client->axes.bodies && from->said <= client->axes.symbols &&
           jbw_client_take_list(to->heard, from->heard.at, from->heard.count, client->axes.symbols,
                                sizeof *to->heard);
}

bool jbw_client_take_observation(const jbw_client *client, const jbw_wire_observation *from,
                                 const jbw_wire_words *words, uint64_t time,
                                 jbw_client_observation *to)
{
    to->agent = from->agent;
    to->time = time;
    to->position = from->position;
    to->direction = (jbw_direction)from->direction;
    to->is_active = from->is_active;
    to->is_resumed = false;
    to->result = take_result(from);
    if (words) to->result.said = words->said;
    if (!take_words(client, words, &to->parts)) return false;
    take_values(from, time, &to->parts);
#define TAKE_LIST(NAME, name)                                                          \
    if (!jbw_client_take_list(to->parts.name, from->name.at, from->name.count,         \
                              jbw_part_describe(&client->axes, JBW_PART_##NAME).count, \
                              sizeof *to->parts.name))                                 \
        return false;
    JBW_WIRE_PART_LIST(TAKE_LIST)
#undef TAKE_LIST
    return take_item_vision(client, from->items, to->parts.item_vision);
}
