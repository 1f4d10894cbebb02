// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Observations of a client: which parts to request from the server, and copying them into the
// caller's arrays.

#include <string.h>

#include "net/client/client_internal.h"

uint8_t jbw_client_wants(const jbw_observation *o)
{
    return (uint8_t)((o->vision ? JBW_WANT_VISION : 0) | (o->scent ? JBW_WANT_SCENT : 0) |
                     (o->items ? JBW_WANT_ITEMS : 0) | (o->inventory ? JBW_WANT_INVENTORY : 0));
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
    return jbw_client_take_list(to->vision, from->vision.at, from->vision.count,
                                cells * client->colors, sizeof *to->vision) &&
           jbw_client_take_list(to->scent, from->scent.at, from->scent.count, client->scents,
                                sizeof *to->scent) &&
           jbw_client_take_list(to->items, from->items.at, from->items.count, cells,
                                sizeof *to->items) &&
           jbw_client_take_list(to->inventory, from->inventory.at, from->inventory.count,
                                client->item_count, sizeof *to->inventory);
}
