// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/terrain.h"

#include <string.h>

#include "base/hash.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"
#include "sim/map/texts.h"

// scent near patches that were added or sampled again is out of date
static void invalidate_scent(jbw_world *world)
{
    if (!world->model->scent.is_on) return;
    const size_t count = jbw_generator_latest_count(&world->generator);
    for (size_t i = 0; i < count; i++)
        jbw_scent_patch_changed(&world->scent, jbw_generator_latest(&world->generator, i));
}

void jbw_terrain_drop_patches(jbw_world *world)
{
    jbw_generator_begin_drop(&world->generator);
    for (size_t i = 0; i < world->agents.count; i++)
        jbw_generator_keep_near(&world->generator, &world->map,
                                world->agents.slots[world->agents.order[i]].position);
    jbw_generator_drop(&world->generator, &world->map);
}

jbw_status jbw_terrain_extend(jbw_world *world, const jbw_position *positions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jbw_position_is_in_world(positions[i])) return JBW_OUT_OF_RANGE;
    const jbw_status status =
        jbw_generator_make_near(&world->generator, &world->map, positions, count);
    invalidate_scent(world);
    return status;
}

jbw_status jbw_world_explore(jbw_world *world, const jbw_position *positions, size_t count)
{
    if (jbw_generator_has_history(&world->generator)) {
        const jbw_status status = jbw_terrain_extend(world, positions, count);
        if (!status && jbw_generator_latest_count(&world->generator) > 0)
            jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_EXPLORE,
                                                   .positions = positions,
                                                   .count = count});
        return status;
    }
    // a few at a time, so that patches can be dropped in between
    enum { FEW = 4 };
    for (size_t i = 0; i < count; i++)
        if (!jbw_position_is_in_world(positions[i])) return JBW_OUT_OF_RANGE;
    for (size_t i = 0; i < count; i += FEW) {
        jbw_terrain_drop_if_full(world);
        const jbw_status status =
            jbw_terrain_extend(world, &positions[i], count - i < FEW ? count - i : FEW);
        if (status) return status;
    }
    return JBW_OK;
}

jbw_status jbw_world_finalize_patch(jbw_world *world, jbw_position patch)
{
    const int64_t farthest = JBW_MAX_COORDINATE / world->model->patch_size;
    if (patch.x < -farthest || patch.x >= farthest || patch.y < -farthest || patch.y >= farthest)
        return JBW_OUT_OF_RANGE;
    jbw_terrain_drop_if_full(world);
    const jbw_status status = jbw_generator_make_patch(&world->generator, &world->map, patch);
    invalidate_scent(world);
    const bool has_changed = jbw_generator_has_history(&world->generator) &&
                             jbw_generator_latest_count(&world->generator) > 0;
    if (status || !has_changed) return status;
    jbw_world_tell(world,
                   &(jbw_operation){.kind = JBW_OPERATION_FINALIZE_PATCH, .position = patch});
    return JBW_OK;
}

jbw_position jbw_world_patch_of(const jbw_world *world, jbw_position cell)
{
    return jbw_map_patch_of(&world->map, cell);
}

jbw_patch_state jbw_world_patch_state(const jbw_world *world, jbw_position patch)
{
    return jbw_generator_patch_state(&world->generator, &world->map, patch);
}

// the items of a row that are in season, or those that are not
static void read_items(const jbw_presence *presence, const uint8_t *cells, size_t length,
                       bool is_hidden, uint8_t *items)
{
    for (size_t i = 0; i < length; i++) {
        const uint8_t shown = presence->shown[cells[i]];
        items[i] = is_hidden ? (uint8_t)(cells[i] - shown) : shown;
    }
}

// sets one cell of the planes if it is part of the region
static void read_growth(const jbw_world *world, jbw_region region, jbw_position cell,
                        const jbw_growth *growth, const jbw_region_planes *planes)
{
    const int64_t x = cell.x - region.x;
    const int64_t y = cell.y - region.y;
    if (x < 0 || x >= region.width || y < 0 || y >= region.height) return;
    const int64_t index = y * region.width + x;
    const uint8_t item = (uint8_t)(growth->type + 1);
    const bool is_due = jbw_growth_is_due(growth, world->time);
    if (!is_due && planes->growing) planes->growing[index] = item;
    if (growth->kind == JBW_GROWTH_COVERED) return;
    const uint8_t content = is_due ? item : 0;
    const uint8_t shown = world->map.presence.shown[content];
    if (planes->items) planes->items[index] = shown;
    if (planes->hidden) planes->hidden[index] = (uint8_t)(content - shown);
}

// Corrects what was read from a patch by what grows in it. Types are only known, or found in
// `generated`, where they matter.
static void read_all_growth(const jbw_world *world, jbw_region region, jbw_position at,
                            const uint8_t *generated, const jbw_region_planes *planes)
{
    const jbw_map *map = &world->map;
    const bool is_in_memory = jbw_map_find(map, at) != NULL;
    const jbw_position origin = jbw_map_origin(map, at);
    const int size = world->model->patch_size;
    jbw_growth_walk walk = jbw_growth_walk_at(map, at);
    jbw_growth growth;
    while (jbw_growth_walk_kept(&walk, &growth)) {
        // what is back is in its cell, or has gone again, unless the patch is not settled
        if (growth.kind == JBW_GROWTH_RETURNED) continue;
        if (!is_in_memory && jbw_growth_is_due(&growth, world->time)) continue;
        if (generated) growth.type = (uint8_t)(generated[growth.cell] - 1);
        const jbw_position cell = {origin.x + growth.cell % size, origin.y + growth.cell / size};
        read_growth(world, region, cell, &growth, planes);
    }
}

// reads the part of a region that lies in one patch
static jbw_status read_patch(const jbw_world *world, jbw_region region, jbw_position at,
                             const jbw_region_planes *planes)
{
    const uint8_t *cells;
    const jbw_status status = jbw_generator_look(&world->generator, &world->map, at, &cells);
    if (status) return status;
    const jbw_patch_state state = jbw_generator_patch_state(&world->generator, &world->map, at);
    const int64_t size = world->model->patch_size;
    const jbw_position origin = jbw_map_origin(&world->map, at);
    const int64_t left = region.x > origin.x ? region.x : origin.x;
    const int64_t bottom = region.y > origin.y ? region.y : origin.y;
    const int64_t right =
        region.x + region.width < origin.x + size ? region.x + region.width : origin.x + size;
    const int64_t top =
        region.y + region.height < origin.y + size ? region.y + region.height : origin.y + size;
    const size_t length = (size_t)(right - left);
    for (int64_t y = bottom; y < top; y++) {
        const int64_t index = (y - region.y) * region.width + (left - region.x);
        const int64_t start = (y - origin.y) * size + (left - origin.x);
        if (planes->states) memset(planes->states + index, (int)state, length);
        if (planes->items) memset(planes->items + index, 0, length);
        if (planes->hidden) memset(planes->hidden + index, 0, length);
        if (planes->growing) memset(planes->growing + index, 0, length);
        if (!cells) continue;
        const jbw_presence *presence = &world->map.presence;
        if (planes->items)
            read_items(presence, cells + start, length, false, planes->items + index);
        if (planes->hidden)
            read_items(presence, cells + start, length, true, planes->hidden + index);
    }
    if (!world->model->is_growing || !cells) return JBW_OK;
    const uint8_t *generated = NULL;
    if (planes->growing && !jbw_map_find(&world->map, at) &&
        jbw_evicted_changes_find(&world->map.evicted_growth, at)) {
        const jbw_status found = jbw_generator_look_generated(&world->generator, at, &generated);
        if (found) return found;
    }
    read_all_growth(world, region, at, generated, planes);
    return JBW_OK;
}

jbw_status jbw_world_read_region(const jbw_world *world, jbw_region region, uint8_t *items,
                                 uint8_t *states)
{
    const jbw_region_planes planes = {.items = items, .states = states};
    return jbw_world_read_planes(world, region, &planes);
}

jbw_status jbw_world_read_planes(const jbw_world *world, jbw_region region,
                                 const jbw_region_planes *planes)
{
    if (region.width < 0 || region.height < 0) return JBW_INVALID_ARGUMENT;
    if (region.width > JBW_MAX_COORDINATE || region.height > JBW_MAX_COORDINATE)
        return JBW_OUT_OF_RANGE;
    const jbw_position corner = {region.x, region.y};
    if (!jbw_position_is_in_world(corner)) return JBW_OUT_OF_RANGE; // so that sums do not overflow
    const jbw_position opposite = {region.x + region.width, region.y + region.height};
    if (!jbw_position_is_in_world(opposite)) return JBW_OUT_OF_RANGE;
    if (region.width == 0 || region.height == 0) return JBW_OK;

    const jbw_position first = jbw_map_patch_of(&world->map, corner);
    const jbw_position last =
        jbw_map_patch_of(&world->map, (jbw_position){opposite.x - 1, opposite.y - 1});
    jbw_status status = JBW_OK;
    for (int64_t y = first.y; y <= last.y && !status; y++) {
        for (int64_t x = first.x; x <= last.x && !status; x++) {
            jbw_generator_foresee(&world->generator, &world->map, first, last,
                                  (jbw_position){x, y});
            status = read_patch(world, region, (jbw_position){x, y}, planes);
            if (!status && jbw_generator_is_interrupted(&world->generator))
                status = JBW_INTERRUPTED;
        }
    }
    jbw_generator_foresee_no_more(&world->generator, &world->map);
    return status;
}

bool jbw_world_patch_is_ready(const jbw_world *world, jbw_position patch)
{
    return jbw_generator_is_ready(&world->generator, &world->map, patch);
}

uint64_t jbw_world_patch_mark(const jbw_world *world, jbw_position patch)
{
    const uint64_t mark = jbw_generator_patch_mark(&world->generator, &world->map, patch);
    const jbw_presence *presence = &world->map.presence;
    const jbw_patch_texts texts =
        world->model->has_texts ? jbw_texts_at(&world->map, patch) : (jbw_patch_texts){0};
    if (mark == 0 || (presence->hidden_count == 0 && texts.size == 0)) return mark;
    jbw_hasher hasher = jbw_hash_begin(mark);
    if (texts.size > 0) jbw_hash_bytes(&hasher, texts.bytes, texts.size);
    jbw_hash_bytes(&hasher, presence->hidden, (size_t)presence->hidden_count);
    return hasher.value | 1;
}

void jbw_world_pass_on(jbw_world *from, jbw_world *to)
{
    jbw_generator_pass_on(&from->generator, &to->generator);
}

jbw_status jbw_world_put_patch(jbw_world *world, jbw_position patch, const uint8_t *cells)
{
    if (jbw_generator_has_history(&world->generator)) return JBW_UNSUPPORTED;
    const jbw_status status = jbw_generator_put_patch(&world->generator, &world->map, patch, cells);
    invalidate_scent(world);
    return status;
}

jbw_status jbw_world_set_patch_store(jbw_world *world, const jbw_patch_store *store)
{
    return jbw_generator_set_store(&world->generator, store) ? JBW_OK : JBW_UNSUPPORTED;
}

const jbw_patch_store *jbw_world_patch_store(const jbw_world *world)
{
    return jbw_generator_store(&world->generator);
}

void jbw_world_patches_near(const jbw_world *world, jbw_region region, jbw_position *first,
                            jbw_position *last)
{
    const jbw_position opposite = {region.x + region.width - 1, region.y + region.height - 1};
    *first = jbw_patch_range_near(&world->map, (jbw_position){region.x, region.y}).first;
    *last = jbw_patch_range_near(&world->map, opposite).last;
}
