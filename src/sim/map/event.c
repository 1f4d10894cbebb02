// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/event.h"

#include "sim/map/map.h"

void jbw_events_init(jbw_events *events)
{
    *events = (jbw_events){.first = 1, .end = 1}; // ticket 0 is none
}

void jbw_events_deinit(jbw_events *events, const jbw_allocator *allocator)
{
    jbw_free(allocator, events->ring, jbw_events_bytes(events));
    *events = (jbw_events){0};
}

bool jbw_events_reserve(jbw_events *events, size_t count, const jbw_allocator *allocator)
{
    if (count <= events->capacity) return true;
    size_t capacity = 16;
    while (capacity < count) {
        if (capacity > SIZE_MAX / 2 / sizeof(jbw_event)) return false;
        capacity *= 2;
    }
    jbw_events larger = {.capacity = capacity, .first = events->first, .end = events->end};
    larger.ring = jbw_alloc(allocator, jbw_events_bytes(&larger));
    if (!larger.ring) return false;
    for (uint64_t ticket = events->first; ticket < events->end; ticket++)
        *jbw_events_get(&larger, ticket) = *jbw_events_get(events, ticket);
    jbw_free(allocator, events->ring, jbw_events_bytes(events));
    *events = larger;
    return true;
}

bool jbw_events_copy(jbw_events *events, const jbw_events *from, const jbw_allocator *allocator)
{
    if (!jbw_events_reserve(events, from->capacity, allocator)) return false;
    events->first = from->first;
    events->end = from->end;
    for (uint64_t ticket = from->first; ticket < from->end; ticket++)
        *jbw_events_get(events, ticket) = *jbw_events_get(from, ticket);
    return true;
}

void jbw_events_forget(jbw_map *map, uint64_t time)
{
    jbw_events *events = &map->events;
    const uint64_t memory = (uint64_t)map->model->scent.memory;
    while (events->first < events->end) {
        const jbw_event *event = jbw_events_get(events, events->first);
        if (event->time + memory >= time) return;
        // the oldest of all is also the oldest of its patch
        jbw_patch *patch = map->patches[event->patch];
        patch->first_event = event->next;
        if (event->next == 0) patch->last_event = 0;
        events->first++;
    }
}

void jbw_events_add(jbw_map *map, jbw_patch *patch, jbw_event event)
{
    jbw_events *events = &map->events;
    const uint64_t ticket = events->end++;
    event.next = 0;
    event.patch = patch->number;
    *jbw_events_get(events, ticket) = event;
    if (patch->last_event != 0)
        jbw_events_get(events, patch->last_event)->next = ticket;
    else
        patch->first_event = ticket;
    patch->last_event = ticket;
}

void jbw_events_take_back(jbw_map *map)
{
    jbw_events *events = &map->events;
    const uint64_t ticket = --events->end;
    jbw_patch *patch = map->patches[jbw_events_get(events, ticket)->patch];
    uint64_t before = 0;
    for (uint64_t i = patch->first_event; i != ticket; i = jbw_events_get(events, i)->next)
        before = i;
    if (before != 0)
        jbw_events_get(events, before)->next = 0;
    else
        patch->first_event = 0;
    patch->last_event = before;
}
