// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/door.h"

#include <stdlib.h>
#include <string.h>

#include "net/thread/clock.h"

#define PATIENCE JBW_SECOND // to say hello, even in a crowd

bool jbw_door_init(jbw_door *door, size_t most, size_t address_most)
{
    *door = (jbw_door){.most = most, .address_most = address_most};
    door->visitors = calloc(most + JBW_DOOR_SLACK, sizeof *door->visitors);
    return door->visitors != NULL;
}

void jbw_door_deinit(jbw_door *door)
{
    free(door->visitors);
    *door = (jbw_door){0};
}

static bool has_address(const jbw_visitor *visitor, const uint8_t *address)
{
    return memcmp(visitor->address, address, JBW_ADDRESS_SIZE) == 0;
}

// how many wait from an address, and which of them came first
static size_t count_waiting(const jbw_door *door, const uint8_t *address, const jbw_visitor **first)
{
    size_t count = 0;
    for (size_t i = 0; i < door->count; i++) {
        const jbw_visitor *visitor = &door->visitors[i];
        if (visitor->is_inside || !has_address(visitor, address)) continue;
        if (count++ == 0) *first = visitor;
    }
    return count;
}

// the first of those who wait from the address with most of them; NULL if nobody waits
static const jbw_visitor *find_crowd(const jbw_door *door)
{
    const jbw_visitor *best = NULL;
    size_t best_count = 0;
    for (size_t i = 0; i < door->count; i++) {
        const jbw_visitor *visitor = &door->visitors[i];
        const jbw_visitor *first = visitor;
        if (visitor->is_inside) continue;
        const size_t count = count_waiting(door, visitor->address, &first);
        // each address is counted once, at its first visitor
        if (first != visitor || count <= best_count) continue;
        best = first;
        best_count = count;
    }
    return best;
}

void *jbw_door_come(jbw_door *door, void *who, const uint8_t address[JBW_ADDRESS_SIZE],
                    uint64_t now)
{
    jbw_visitor *visitor = &door->visitors[door->count++];
    *visitor = (jbw_visitor){.who = who, .since = now};
    memcpy(visitor->address, address, JBW_ADDRESS_SIZE);
    const jbw_visitor *away = NULL;
    const bool is_crowded = count_waiting(door, address, &away) > door->address_most;
    if (!is_crowded) away = door->count > door->most ? find_crowd(door) : NULL;
    if (!away) return NULL;
    if (is_crowded && now - away->since < PATIENCE) away = visitor;
    void *found = away->who;
    jbw_door_leave(door, found);
    return found;
}

static jbw_visitor *find(jbw_door *door, const void *who)
{
    for (size_t i = 0; i < door->count; i++)
        if (door->visitors[i].who == who) return &door->visitors[i];
    return NULL;
}

void jbw_door_admit(jbw_door *door, const void *who)
{
    jbw_visitor *visitor = find(door, who);
    if (visitor) visitor->is_inside = true;
}

void jbw_door_leave(jbw_door *door, const void *who)
{
    jbw_visitor *visitor = find(door, who);
    if (!visitor) return;
    const size_t at = (size_t)(visitor - door->visitors);
    door->count--;
    memmove(visitor, visitor + 1, (door->count - at) * sizeof *visitor);
}
