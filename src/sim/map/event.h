// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recent changes with their times: items and agents that came or went. Scent needs them until
/// their traces have faded.
///
/// The events of the whole world are in one ring, in the order of time, so the oldest ones can be
/// forgotten together, wherever they happened. The events of one patch form a list that starts at
/// the patch.
///
///     ring     | 7 a | 8 b | 9 a | 10 a | 11 b |     tickets, and the patches they belong to
///     patch a    7 -> 9 -> 10
#ifndef JBW_SIM_MAP_EVENT_H
#define JBW_SIM_MAP_EVENT_H

#include "base/alloc.h"

typedef struct jbw_map jbw_map;
typedef struct jbw_patch jbw_patch;

/// The source of an event that is about an agent with body 0. Body b has this number minus b, which
/// never reaches the item types.
enum { JBW_SOURCE_AGENT = 255 };

/// From `time` on, an item or agent is in a cell (`sign` 1), or no longer is (-1).
typedef struct jbw_event {
    uint64_t time;
    uint64_t next;  // ticket of the next event in its patch, 0 is none
    uint32_t patch; // number
    uint16_t cell;
    uint8_t source; // an item type, or JBW_SOURCE_AGENT minus a body
    int8_t sign;
} jbw_event;

typedef struct jbw_events {
    jbw_event *ring; // the event with ticket t is at t modulo the capacity
    size_t capacity; // a power of two, or zero
    uint64_t first;  // oldest ticket, if there are any
    uint64_t end;    // ticket of the next event
} jbw_events;

void jbw_events_init(jbw_events *events);
void jbw_events_deinit(jbw_events *events, const jbw_allocator *allocator);

/// Makes freshly initialized events a copy of others. False when memory runs out.
bool jbw_events_copy(jbw_events *events, const jbw_events *from, const jbw_allocator *allocator);

/// Makes room for `count` events in total. False when memory runs out.
bool jbw_events_reserve(jbw_events *events, size_t count, const jbw_allocator *allocator);

/// Forgets the events that have no effect on scent at `time` and later.
void jbw_events_forget(jbw_map *map, uint64_t time);

/// Adds an event to a patch; `next` and `patch` are filled in. There must be room.
void jbw_events_add(jbw_map *map, jbw_patch *patch, jbw_event event);

/// Undoes the latest `jbw_events_add`.
void jbw_events_take_back(jbw_map *map);

static inline size_t jbw_events_count(const jbw_events *events)
{
    return (size_t)(events->end - events->first);
}

static inline jbw_event *jbw_events_get(const jbw_events *events, uint64_t ticket)
{
    return &events->ring[ticket & (events->capacity - 1)];
}

static inline size_t jbw_events_bytes(const jbw_events *events)
{
    return events->capacity * sizeof(jbw_event);
}

#endif
