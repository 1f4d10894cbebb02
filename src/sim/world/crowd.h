// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the next agent can be added, so that a crowd can arrive one by one: which cells agents
/// stand in, and how far the spiral of default places is known to be taken.
///
/// Both are only remembered, never part of a world's state: the agents and the map alone decide.
/// Steps do not keep the table of cells up to date, they only mark it as outdated, and the next
/// agent that is added fills it again. That costs no more than the step did.
#ifndef JBW_SIM_WORLD_CROWD_H
#define JBW_SIM_WORLD_CROWD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "jbw/types.h"

/// A cell in which agents stand, or stood since the table was filled.
typedef struct jbw_crowded_cell {
    jbw_position cell;
    uint32_t agent_count;
    bool is_used; // otherwise this entry of the table is free
} jbw_crowded_cell;

/// All zero knows nothing, which is always right.
typedef struct jbw_crowd {
    bool has_moved; // an agent has moved since the table was filled, so nothing here is right
    bool is_filled; // the table has all agents, where they stood when it was filled
    jbw_crowded_cell *cells; // hash table with open addressing
    size_t capacity;         // a power of two, or zero
    size_t used_count;
    jbw_position unproven; // every cell of the spiral before this one is taken
} jbw_crowd;

void jbw_crowd_deinit(jbw_crowd *crowd, const jbw_allocator *allocator);

/// Notes that an agent moved. Cheap, because every step does it.
static inline void jbw_crowd_note_move(jbw_crowd *crowd)
{
    crowd->has_moved = true;
}

/// Forgets everything if an agent has moved since.
void jbw_crowd_refresh(jbw_crowd *crowd);

/// Whether the table is out of date, or too full for another agent. Then it has to be emptied, and
/// all agents entered.
bool jbw_crowd_must_fill(const jbw_crowd *crowd);

/// Empties the table and makes room for this many agents, and as many more. False when memory runs
/// out, and then nothing has changed.
bool jbw_crowd_empty(jbw_crowd *crowd, size_t agent_count, const jbw_allocator *allocator);

/// An agent enters a cell. There must be room.
void jbw_crowd_enter(jbw_crowd *crowd, jbw_position cell);

/// An agent leaves a cell; the table need not be filled.
void jbw_crowd_leave(jbw_crowd *crowd, jbw_position cell);

/// Whether an agent is in a cell, given that the table is filled.
bool jbw_crowd_is_in(const jbw_crowd *crowd, jbw_position cell);

/// Notes that a cell, which an agent or a blocking item was in, may be free now.
void jbw_crowd_note_free(jbw_crowd *crowd, jbw_position cell);

/// The next cell of the spiral around the origin: right, up, twice left, twice down, three times
/// right, and so on.
jbw_position jbw_spiral_next(jbw_position cell);

/// Whether the spiral reaches one cell before another.
bool jbw_spiral_is_before(jbw_position a, jbw_position b);

#endif
