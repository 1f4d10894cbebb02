// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/repeats.h"

bool jbw_repeats_init(jbw_repeats *repeats, int capacity, const jbw_allocator *allocator)
{
    *repeats = (jbw_repeats){.capacity = capacity};
    repeats->keys = jbw_alloc_zero(allocator, (size_t)capacity, sizeof *repeats->keys);
    repeats->rows = jbw_alloc_zero(allocator, (size_t)capacity, sizeof *repeats->rows);
    return repeats->keys && repeats->rows;
}

void jbw_repeats_deinit(jbw_repeats *repeats, const jbw_allocator *allocator)
{
    const size_t capacity = (size_t)repeats->capacity;
    jbw_free(allocator, repeats->keys, capacity * sizeof *repeats->keys);
    jbw_free(allocator, repeats->rows, capacity * sizeof *repeats->rows);
    *repeats = (jbw_repeats){0};
}

static jbw_sameness compare(const jbw_row_key *a, const jbw_row_key *b)
{
    if (a->vision != b->vision) return JBW_SAME_NOTHING;
    if (a->perception != b->perception) return JBW_SAME_VISION;
    return a->all != b->all ? JBW_SAME_PERCEPTION : JBW_SAME_ALL;
}

jbw_repeat jbw_repeats_find(const jbw_repeats *repeats, const jbw_row_key *key)
{
    jbw_repeat best = {.sameness = JBW_SAME_NOTHING};
    for (int i = repeats->count; i-- > 0 && best.sameness != JBW_SAME_ALL;) {
        const jbw_sameness sameness = compare(&repeats->keys[i], key);
        if (sameness > best.sameness) best = (jbw_repeat){sameness, repeats->rows[i]};
    }
    return best;
}

void jbw_repeats_add(jbw_repeats *repeats, const jbw_row_key *key, int row)
{
    if (repeats->count == repeats->capacity) return;
    repeats->keys[repeats->count] = *key;
    repeats->rows[repeats->count++] = row;
}

void jbw_repeats_forget(jbw_repeats *repeats)
{
    repeats->count = 0;
}
