// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Agents of a batch that leave and join. Rows stay where they are: one without an agent is empty.

#include <string.h>

#include "base/alloc.h"
#include "batch/batch_parts.h"

void jbw_batch_clear_row(const jbw_batch *batch, const jbw_observation *parts)
{
#define CLEAR(NAME, name, type, shape, about) \
    if (parts->name) memset(parts->name, 0, batch->counts[JBW_PART_##NAME] * sizeof *parts->name);
    JBW_PART_LIST(CLEAR)
#undef CLEAR
    if (parts->collected) *parts->collected = -1;
}

jbw_status jbw_batch_act_present(jbw_batch *batch, const jbw_batch_entry *e, bool *has_stepped)
{
    size_t count = 0;
    jbw_agent_id *present = batch->present + e->first_row;
    int *requests = batch->requests + e->first_row;
    for (size_t row = e->first_row; row < e->first_row + e->agent_count; row++) {
        if (jbw_batch_is_absent(batch, row)) continue;
        present[count] = batch->agents[row];
        requests[count++] = batch->actions[row];
    }
    *has_stepped = false;
    const jbw_requests asked = jbw_batch_take_words(batch, e, requests);
    return count > 0 ? jbw_world_request(e->world, present, &asked, count, has_stepped) : JBW_OK;
}

// the world of a row that is not away, or NULL
jbw_batch_entry *jbw_batch_find_world_of(jbw_batch *batch, size_t row)
{
    if (!batch || row >= batch->agent_count) return NULL;
    size_t low = 0;
    size_t high = batch->world_count - 1;
    while (low < high) { // the last world whose rows do not begin behind the row
        const size_t middle = low + (high - low + 1) / 2;
        if (batch->entries[middle].first_row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return jbw_batch_find_idle(batch, low);
}

bool jbw_batch_reserve_seats(jbw_batch *batch)
{
    const jbw_allocator *allocator = &batch->allocator;
    if (!batch->present)
        batch->present = jbw_alloc_zero(allocator, batch->agent_count, sizeof *batch->present);
    if (!batch->requests)
        batch->requests = jbw_alloc_zero(allocator, batch->agent_count, sizeof *batch->requests);
    return batch->present && batch->requests;
}

jbw_status jbw_batch_leave(jbw_batch *batch, size_t row)
{
    jbw_batch_entry *e = jbw_batch_find_world_of(batch, row);
    if (!e) return JBW_INVALID_ARGUMENT;
    if (jbw_batch_is_absent(batch, row)) return JBW_NO_SUCH_AGENT;
    if (!jbw_batch_reserve_seats(batch)) return JBW_OUT_OF_MEMORY;
    const jbw_status status = jbw_world_remove_agent(e->world, batch->agents[row]);
    if (status) return status;
    batch->agents[row] = (jbw_agent_id){0};
    e->absent_count++;
    if (batch->words.texts) jbw_batch_write(batch, row, NULL); // nobody else writes it
    jbw_batch_write_rows(batch, e);
    return JBW_OK;
}

jbw_status jbw_batch_join(jbw_batch *batch, size_t row, const jbw_agent_options *options)
{
    jbw_batch_entry *e = jbw_batch_find_world_of(batch, row);
    if (!e || !jbw_batch_is_absent(batch, row)) return JBW_INVALID_ARGUMENT;
    jbw_agent_id agent;
    const jbw_status status = jbw_world_add_agent(e->world, options, &agent);
    if (status) return status;
    batch->agents[row] = agent;
    e->absent_count--;
    jbw_batch_write_rows(batch, e);
    return JBW_OK;
}
