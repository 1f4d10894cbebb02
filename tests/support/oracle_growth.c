// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's regrowth: every cell has its own clock. How long an item takes is read from the world,
/// and must be possible; test_regrowth.c tests how often each number occurs.
#include "support/oracle_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// whether the law in a text can give this number of steps
static bool is_possible(const char *law, uint64_t steps)
{
    char *end;
    const uint64_t low = strtoull(strchr(law, '[') + 1, &end, 10);
    const uint64_t high = *end == ',' ? strtoull(end + 1, &end, 10) : low;
    if (law[0] == 'G') return steps >= 1;
    return steps >= low && steps <= high;
}

void oracle_begin_growth(oracle *o, jbw_position cell, uint8_t item)
{
    const size_t index = oracle_cell_index(o, cell);
    const char *law = o->config->items[item - 1].regrows;
    if (!law || o->generated[index] != item) return;
    jbw_cell_info info;
    if (jbw_world_inspect(o->world, cell, &info)) oracle_tell(o, "inspecting failed");
    const uint64_t now = o->time + 1;
    if (info.growing < 0) {
        // an item of the same type was dropped there in this step, or nothing grows by mistake
        o->due[index] = now + 1;
        return;
    }
    if (info.growing + 1 != item || !is_possible(law, info.due - now))
        oracle_tell(o, "(%" PRId64 ", %" PRId64 "): %d grows until %" PRIu64 " by %s", cell.x,
                    cell.y, info.growing, info.due, law);
    o->due[index] = info.due;
}

static void regrow(oracle *o, size_t index)
{
    if (o->due[index] == 0 || o->due[index] > o->time || o->actual[index]) return;
    o->actual[index] = o->generated[index];
    o->due[index] = 0;
    o->grown_count++;
}

void oracle_regrow(oracle *o)
{
    for (size_t i = 0; i < o->changed_count; i++) regrow(o, o->changed_cells[i]);
}

void oracle_compare_growth(oracle *o, jbw_position cell, uint8_t found)
{
    const size_t index = oracle_cell_index(o, cell);
    const uint8_t expected = o->due[index] ? o->generated[index] : 0;
    if (found != expected)
        oracle_tell(o, "in cell (%" PRId64 ", %" PRId64 ") grows %d, not %d", cell.x, cell.y, found,
                    expected);
    if (!o->due[index]) return;
    jbw_cell_info info;
    if (jbw_world_inspect(o->world, cell, &info)) oracle_tell(o, "inspecting failed");
    const bool is_late = o->due[index] <= o->time; // it waits, and its time is over
    if (info.growing + 1 != expected || info.item + 1 != o->actual[index] ||
        (is_late ? info.due > o->time : info.due != o->due[index]))
        oracle_tell(o, "cell (%" PRId64 ", %" PRId64 ") is due at %" PRIu64 ", not %" PRIu64,
                    cell.x, cell.y, info.due, o->due[index]);
}
