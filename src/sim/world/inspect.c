// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is in one cell, and since when. The patch's undo list tells whether the cell has changed
// since it was generated; the events, and what grew back lately, tell when, until they are forgotten.

#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/world/world.h"

// the time of the latest change of the cell; false if it is no longer known
static bool find_change(const jbw_map *map, const jbw_patch *patch, int cell, uint64_t *time)
{
    const uint64_t memory = (uint64_t)map->model->scent.memory; // older events are not saved
    bool is_found = false;
    for (uint64_t ticket = patch->first_event; ticket != 0;) {
        const jbw_event *event = jbw_events_get(&map->events, ticket);
        if (event->cell == cell && event->source != JBW_SOURCE_AGENT &&
            map->time - event->time < memory) {
            *time = event->time;
            is_found = true;
        }
        ticket = event->next;
    }
    return is_found;
}

// what grows in the cell, and when something last grew back there; `generated` is its type plus one
static void find_growth(const jbw_map *map, jbw_position at, int cell, uint8_t generated,
                        jbw_cell_info *out)
{
    jbw_growth_walk walk = jbw_growth_walk_at(map, at);
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) {
        if (growth.cell != cell) continue;
        if (growth.kind != JBW_GROWTH_RETURNED) {
            out->growing = generated - 1;
            out->due = growth.time;
            if (growth.kind == JBW_GROWTH_GROWING) out->item = -1;
        } else if (!out->is_since_known || growth.time >= out->since) {
            out->is_since_known = true;
            out->since = growth.time;
        }
    }
}

jbw_status jbw_world_inspect(const jbw_world *world, jbw_position cell, jbw_cell_info *out)
{
    *out = (jbw_cell_info){
        .state = JBW_PATCH_MISSING, .item = -1, .is_generated = true, .growing = -1};
    if (!jbw_position_is_in_world(cell)) return JBW_OUT_OF_RANGE;
    int index;
    const jbw_map *map = &world->map;
    const jbw_patch *patch = jbw_map_find_cell(map, cell, &index);
    const jbw_position at = jbw_map_patch_of(map, cell);
    out->state = jbw_generator_patch_state(&world->generator, map, at);
    if (out->state == JBW_PATCH_MISSING) return JBW_OK;
    uint8_t generated;
    if (patch) {
        generated = jbw_changes_generated(patch->content, index);
        const bool is_back = jbw_growth_is_back(map, patch->content, index);
        out->item = (is_back ? generated : patch->cells[index]) - 1;
        out->is_since_known = find_change(map, patch, index, &out->since);
    } else {
        // the patch was dropped from memory
        const uint8_t *cells;
        jbw_status status = jbw_generator_look_generated(&world->generator, at, &cells);
        if (status) return status;
        generated = cells[index];
        status = jbw_generator_look(&world->generator, map, at, &cells);
        if (status) return status;
        out->item = (int)cells[index] - 1;
    }
    find_growth(map, at, index, generated, out);
    if (world->model->has_texts) jbw_texts_read(jbw_texts_at(map, at), index, out->text);
    out->is_generated = !out->is_since_known && out->item + 1 == generated;
    out->is_hidden = out->item >= 0 && map->presence.shown[out->item + 1] == 0;
    if (out->is_generated || out->is_since_known) return JBW_OK;
    // events are forgotten only when they can no longer be smelled
    const uint64_t memory = world->model->scent.is_on ? (uint64_t)world->model->scent.memory : 0;
    out->since = world->time > memory ? world->time - memory : 0;
    return JBW_OK;
}
