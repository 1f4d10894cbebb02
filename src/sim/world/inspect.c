// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is in one cell, and since when. The patch's undo list tells whether the cell has changed
// since it was generated; the events tell when, until they are forgotten.

#include "sim/map/change.h"
#include "sim/map/position.h"
#include "sim/world/world.h"

static bool has_changed(const jbw_patch *patch, int cell)
{
    for (uint32_t i = 0; i < patch->content->undo_count; i++)
        if (patch->content->undo[i].cell == cell) return true;
    return false;
}

// the time of the latest change of the cell; false if it is no longer known
static bool find_change(const jbw_map *map, const jbw_patch *patch, int cell, uint64_t *time)
{
    bool is_found = false;
    for (uint64_t ticket = patch->first_event; ticket != 0;) {
        const jbw_event *event = jbw_events_get(&map->events, ticket);
        if (event->cell == cell && event->source != JBW_SOURCE_AGENT) {
            *time = event->time;
            is_found = true;
        }
        ticket = event->next;
    }
    return is_found;
}

jbw_status jbw_world_inspect(const jbw_world *world, jbw_position cell, jbw_cell_info *out)
{
    *out = (jbw_cell_info){.state = JBW_PATCH_MISSING, .item = -1, .is_generated = true};
    if (!jbw_position_is_in_world(cell)) return JBW_OUT_OF_RANGE;
    int index;
    const jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const jbw_position at = jbw_map_patch_of(&world->map, cell);
    out->state = jbw_generator_patch_state(&world->generator, &world->map, at);
    if (out->state == JBW_PATCH_MISSING) return JBW_OK;
    if (patch) {
        out->item = (int)patch->cells[index] - 1;
        out->is_since_known = find_change(&world->map, patch, index, &out->since);
        out->is_generated = !out->is_since_known && !has_changed(patch, index);
    } else {
        // the patch was dropped from memory, so it has not changed recently
        const uint8_t *cells;
        jbw_status status = jbw_generator_look_generated(&world->generator, at, &cells);
        if (status) return status;
        const uint8_t generated = cells[index];
        status = jbw_generator_look(&world->generator, &world->map, at, &cells);
        if (status) return status;
        out->item = (int)cells[index] - 1;
        out->is_generated = cells[index] == generated;
    }
    out->is_hidden = out->item >= 0 && world->map.presence.shown[out->item + 1] == 0;
    if (out->is_generated || out->is_since_known) return JBW_OK;
    // events are forgotten only when they can no longer be smelled
    const uint64_t memory = world->model->scent.is_on ? (uint64_t)world->model->scent.memory : 0;
    out->since = world->time > memory ? world->time - memory : 0;
    return JBW_OK;
}
