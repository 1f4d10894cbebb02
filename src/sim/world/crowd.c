// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/crowd.h"

#include <string.h>

#include "sim/map/position.h"

void jbw_crowd_deinit(jbw_crowd *crowd, const jbw_allocator *allocator)
{
    jbw_free(allocator, crowd->cells, crowd->capacity * sizeof *crowd->cells);
    *crowd = (jbw_crowd){0};
}

// ---- the table ----

// the entry of a cell, or a free one
static jbw_crowded_cell *find_entry(const jbw_crowd *crowd, jbw_position cell)
{
    const size_t mask = crowd->capacity - 1;
    size_t index = (size_t)jbw_position_hash(cell) & mask;
    while (crowd->cells[index].is_used && !jbw_position_is_same(crowd->cells[index].cell, cell))
        index = (index + 1) & mask;
    return &crowd->cells[index];
}

void jbw_crowd_refresh(jbw_crowd *crowd)
{
    if (!crowd->has_moved) return;
    crowd->has_moved = false;
    crowd->is_filled = false;
    crowd->unproven = (jbw_position){0, 0};
}

bool jbw_crowd_must_fill(const jbw_crowd *crowd)
{
    // at most half of the entries are used, so that searches stay short
    return !crowd->is_filled || 2 * (crowd->used_count + 1) > crowd->capacity;
}

bool jbw_crowd_empty(jbw_crowd *crowd, size_t agent_count, const jbw_allocator *allocator)
{
    size_t capacity = 16;
    while (capacity < 4 * (agent_count + 1)) capacity *= 2;
    if (capacity > crowd->capacity) {
        jbw_crowded_cell *cells = jbw_alloc_zero(allocator, capacity, sizeof *cells);
        if (!cells) return false;
        jbw_free(allocator, crowd->cells, crowd->capacity * sizeof *cells);
        crowd->cells = cells;
        crowd->capacity = capacity;
    } else {
        memset(crowd->cells, 0, crowd->capacity * sizeof *crowd->cells);
    }
    crowd->used_count = 0;
    crowd->is_filled = true;
    return true;
}

void jbw_crowd_enter(jbw_crowd *crowd, jbw_position cell)
{
    jbw_crowded_cell *entry = find_entry(crowd, cell);
    if (!entry->is_used) {
        *entry = (jbw_crowded_cell){.cell = cell, .is_used = true};
        crowd->used_count++;
    }
    entry->agent_count++;
}

void jbw_crowd_leave(jbw_crowd *crowd, jbw_position cell)
{
    jbw_crowd_note_free(crowd, cell);
    if (crowd->has_moved || !crowd->is_filled) return;
    find_entry(crowd, cell)->agent_count--;
}

bool jbw_crowd_is_in(const jbw_crowd *crowd, jbw_position cell)
{
    return find_entry(crowd, cell)->agent_count > 0;
}

void jbw_crowd_note_free(jbw_crowd *crowd, jbw_position cell)
{
    if (jbw_spiral_is_before(cell, crowd->unproven)) crowd->unproven = cell;
}

// ---- the spiral ----

jbw_position jbw_spiral_next(jbw_position cell)
{
    const int64_t x = cell.x;
    const int64_t y = cell.y;
    if (y < 0 && x >= y && x <= -y) return (jbw_position){x + 1, y};
    if (x > 0 && y < x) return (jbw_position){x, y + 1};
    if (y > 0 && x > -y) return (jbw_position){x - 1, y};
    if (x < 0 && y > x) return (jbw_position){x, y - 1};
    return (jbw_position){x + 1, y};
}

// the square ring around the origin that a cell is in
static int64_t ring_of(jbw_position cell)
{
    const int64_t x = cell.x < 0 ? -cell.x : cell.x;
    const int64_t y = cell.y < 0 ? -cell.y : cell.y;
    return x > y ? x : y;
}

// the place of a cell in its ring: up the right side, then along the top, the left and the bottom
static uint64_t place_in_ring(jbw_position cell, int64_t ring)
{
    const uint64_t side = 2 * (uint64_t)ring;
    if (cell.x == ring && cell.y > -ring) return (uint64_t)(cell.y + ring - 1);
    if (cell.y == ring) return side + (uint64_t)(ring - 1 - cell.x);
    if (cell.x == -ring) return 2 * side + (uint64_t)(ring - 1 - cell.y);
    return 3 * side + (uint64_t)(cell.x + ring - 1);
}

bool jbw_spiral_is_before(jbw_position a, jbw_position b)
{
    const int64_t ring = ring_of(a);
    if (ring != ring_of(b)) return ring < ring_of(b);
    return place_in_ring(a, ring) < place_in_ring(b, ring);
}
