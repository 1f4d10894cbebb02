// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/seats.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bytes.h"

static const jbw_allocator allocator;

// the index of a name, adding it if it is new; JBW_NOBODY when memory runs out
static int find_owner(jbw_seats *seats, const char *name)
{
    for (size_t i = 0; i < seats->owner_count; i++)
        if (strcmp(seats->owners[i].name, name) == 0) return (int)i;
    if (!JBW_GROW(&allocator, seats->owners, seats->owner_capacity, seats->owner_count + 1))
        return JBW_NOBODY;
    jbw_owner *owner = &seats->owners[seats->owner_count];
    *owner = (jbw_owner){0};
    snprintf(owner->name, sizeof owner->name, "%s", name);
    return (int)seats->owner_count++;
}

bool jbw_seats_init(jbw_seats *seats, const jbw_token_set *keys)
{
    *seats = (jbw_seats){0};
    for (size_t i = 0; i < keys->count; i++)
        if (find_owner(seats, keys->keys[i].name) < 0) return false;
    return true;
}

void jbw_seats_deinit(jbw_seats *seats)
{
    jbw_free(&allocator, seats->seats, seats->capacity * sizeof *seats->seats);
    jbw_free(&allocator, seats->owners, seats->owner_capacity * sizeof *seats->owners);
    *seats = (jbw_seats){0};
}

bool jbw_seats_reserve(jbw_seats *seats, size_t seat_count)
{
    return JBW_GROW(&allocator, seats->seats, seats->capacity, seat_count);
}

jbw_seat *jbw_seats_take(jbw_seats *seats, jbw_agent_id agent, int owner)
{
    // only now: a request that is refused after the reservation leaves no seat behind
    while (seats->count < agent.index1) seats->seats[seats->count++] = (jbw_seat){0};
    jbw_seat *seat = &seats->seats[agent.index1 - 1];
    *seat = (jbw_seat){.agent = agent, .owner = owner};
    seats->agent_count++;
    if (owner >= 0) seats->owners[owner].agent_count++;
    return seat;
}

void jbw_seats_leave(jbw_seats *seats, jbw_seat *seat)
{
    jbw_seats_set_active(seats, seat, false);
    seats->agent_count--;
    if (seat->owner >= 0) seats->owners[seat->owner].agent_count--;
    *seat = (jbw_seat){0};
}

void jbw_seats_set_active(jbw_seats *seats, jbw_seat *seat, bool is_active)
{
    if (seat->is_active && !is_active) seats->active_count--;
    if (!seat->is_active && is_active) seats->active_count++;
    seat->is_active = is_active;
}

jbw_seat *jbw_seats_find(jbw_seats *seats, jbw_agent_id agent)
{
    if (agent.index1 == 0 || agent.index1 > seats->count) return NULL;
    jbw_seat *seat = &seats->seats[agent.index1 - 1];
    if (seat->agent.index1 != agent.index1 || seat->agent.generation != agent.generation)
        return NULL;
    return seat;
}

const char *jbw_seats_name(const jbw_seats *seats, int owner)
{
    return owner >= 0 ? seats->owners[owner].name : "";
}

// ---- the note in snapshots ----
//
// The number of agents that have an owner, then the id and the owner's name of each.

bool jbw_seats_encode(const jbw_seats *seats, jbw_buffer *out)
{
    jbw_writer w = jbw_writer_begin(out);
    size_t count = 0;
    for (size_t i = 0; i < seats->count; i++)
        if (seats->seats[i].agent.index1 != 0 && seats->seats[i].owner >= 0) count++;
    jbw_write_varint(&w, count);
    for (size_t i = 0; i < seats->count; i++) {
        const jbw_seat *seat = &seats->seats[i];
        if (seat->agent.index1 == 0 || seat->owner < 0) continue;
        jbw_write_u32(&w, seat->agent.index1);
        jbw_write_u32(&w, seat->agent.generation);
        jbw_write_text(&w, jbw_seats_name(seats, seat->owner));
    }
    return w.ok;
}

static jbw_status read_owners(jbw_seats *seats, const jbw_note *note)
{
    enum { LEAST_ENTRY = 9 };
    jbw_reader reader = jbw_reader_begin(note->bytes, note->size);
    const size_t count = jbw_read_count(&reader, LEAST_ENTRY);
    for (size_t i = 0; i < count && reader.ok; i++) {
        const uint32_t index1 = jbw_read_u32(&reader);
        const uint32_t generation = jbw_read_u32(&reader);
        const size_t length = jbw_read_count(&reader, 1);
        const uint8_t *text = jbw_read_bytes(&reader, length);
        jbw_seat *seat = jbw_seats_find(seats, (jbw_agent_id){index1, generation});
        if (!text || !seat || length == 0 || length >= JBW_TOKEN_NAME_SIZE) return JBW_INVALID_DATA;
        char name[JBW_TOKEN_NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)length, (const char *)text);
        if (seat->owner >= 0) return JBW_INVALID_DATA;
        seat->owner = find_owner(seats, name);
        if (seat->owner < 0) return JBW_OUT_OF_MEMORY;
        seats->owners[seat->owner].agent_count++;
    }
    return reader.ok && jbw_reader_left(&reader) == 0 ? JBW_OK : JBW_INVALID_DATA;
}

jbw_status jbw_seats_decode(jbw_seats *seats, const jbw_world *world, const jbw_note *note)
{
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *agents = calloc(count + 1, sizeof *agents);
    if (!agents) return JBW_OUT_OF_MEMORY;
    jbw_world_agents(world, agents, count);
    size_t seat_count = 0;
    for (size_t i = 0; i < count; i++)
        if (agents[i].index1 > seat_count) seat_count = agents[i].index1;
    const bool has_room = jbw_seats_reserve(seats, seat_count);
    for (size_t i = 0; i < count && has_room; i++) jbw_seats_take(seats, agents[i], JBW_NOBODY);
    free(agents);
    if (!has_room) return JBW_OUT_OF_MEMORY;
    return note ? read_owners(seats, note) : JBW_OK;
}
