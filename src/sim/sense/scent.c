// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent.h"

#include <string.h>

#include "base/divide.h"
#include "sim/sense/scent_growth.h"
#include "sim/simd.h"

enum {
    TILE = JBW_SCENT_TILE,
    TILE_CELLS = JBW_SCENT_TILE * JBW_SCENT_TILE,
    LEAST_SIDE_BITS = 5,
    MOST_SIDE_BITS = 8,
};

// ---- tiles ----

void jbw_scent_init(jbw_scent_cache *cache, const jbw_map *map)
{
    *cache = (jbw_scent_cache){.map = map};
}

static size_t slot_count(const jbw_scent_cache *cache)
{
    return (size_t)1 << (2 * cache->side_bits);
}

static size_t tile_size(const jbw_scent_cache *cache)
{
    return (size_t)cache->map->model->scent_dimensions * TILE_CELLS;
}

static void release(jbw_scent_cache *cache)
{
    const jbw_allocator *allocator = &cache->map->model->allocator;
    jbw_free(allocator, cache->slots, slot_count(cache) * sizeof *cache->slots);
    jbw_free(allocator, cache->values,
             slot_count(cache) * tile_size(cache) * sizeof *cache->values);
    jbw_free(allocator, cache->turning.responses, jbw_scent_turning_bytes(cache->map->model));
    cache->slots = NULL;
    cache->values = NULL;
    cache->turning = (jbw_scent_turning){0};
}

void jbw_scent_deinit(jbw_scent_cache *cache)
{
    if (cache->map) release(cache);
    *cache = (jbw_scent_cache){0};
}

static int choose_side_bits(size_t agent_count)
{
    int bits = LEAST_SIDE_BITS;
    while (bits < MOST_SIDE_BITS && agent_count > (size_t)4 << (2 * (bits - 4))) bits++;
    return bits;
}

size_t jbw_scent_room(const jbw_model *model, size_t agent_count)
{
    if (!model->scent.is_on) return 0;
    const size_t tile = (size_t)model->scent_dimensions * TILE_CELLS * sizeof(int32_t);
    const size_t tiles = (sizeof(jbw_scent_slot) + tile) << (2 * choose_side_bits(agent_count));
    return tiles + jbw_scent_turning_bytes(model);
}

bool jbw_scent_reserve(jbw_scent_cache *cache, size_t agent_count)
{
    const jbw_model *model = cache->map->model;
    if (!model->scent.is_on) return true;
    const int bits = choose_side_bits(agent_count);
    if (cache->slots && bits <= cache->side_bits) return true;

    // the values are not zeroed, so untouched tiles take no physical memory
    jbw_scent_cache larger = {.map = cache->map, .side_bits = bits};
    larger.slots = jbw_alloc_zero(&model->allocator, slot_count(&larger), sizeof *larger.slots);
    larger.values = jbw_alloc(&model->allocator,
                              slot_count(&larger) * tile_size(&larger) * sizeof *larger.values);
    const size_t turning_bytes = jbw_scent_turning_bytes(model);
    if (turning_bytes > 0) larger.turning.responses = jbw_alloc(&model->allocator, turning_bytes);
    if (!larger.slots || !larger.values || (turning_bytes > 0 && !larger.turning.responses)) {
        release(&larger);
        return false;
    }
    release(cache);
    *cache = larger;
    return true;
}

static int64_t tile_of(int64_t cell)
{
    return jbw_floor_divide(cell, TILE);
}

static size_t slot_of(const jbw_scent_cache *cache, int64_t x, int64_t y)
{
    const size_t mask = ((size_t)1 << cache->side_bits) - 1;
    return ((size_t)x & mask) | (((size_t)y & mask) << cache->side_bits);
}

// adds or subtracts a row of a tile
JBW_INLINE void add_row(int32_t *to, const int32_t *from, int sign)
{
#if JBW_HAS_I32X8
    _Static_assert(TILE == 8, "a row is a vector");
    jbw_i32x8 *wide_to = (jbw_i32x8 *)to;
    const jbw_i32x8 *wide_from = (const jbw_i32x8 *)from;
    *wide_to = sign > 0 ? *wide_to + *wide_from : *wide_to - *wide_from;
#else
    for (int x = 0; x < TILE; x++) to[x] += sign > 0 ? from[x] : -from[x];
#endif
}

// Adds (`sign` 1) or subtracts (-1) the part of a source's steady state that lies in a tile. The
// kernel has zeros on both sides, so every row of the tile is a full vector.
JBW_SIMD_CLONES
static void stamp_tile(const jbw_model *model, const int32_t *kernel, int32_t *values, int source_x,
                       int source_y, int sign)
{
    const int reach = model->scent.response.reach;
    const int side = 2 * reach + 1;
    const int stride = model->scent.kernel_stride;
    const int bottom = source_y - reach > 0 ? source_y - reach : 0;
    const int top = source_y + reach + 1 < TILE ? source_y + reach + 1 : TILE;
    for (int d = 0; d < model->scent_dimensions; d++) {
        const ptrdiff_t row = (ptrdiff_t)d * side + bottom - source_y + reach;
        const int32_t *from = kernel + row * stride + TILE + reach - source_x;
        int32_t *to = values + d * TILE_CELLS + bottom * TILE;
        for (int y = bottom; y < top; y++, from += stride, to += TILE) add_row(to, from, sign);
    }
}

static void add_patch(const jbw_scent_cache *cache, const jbw_patch *patch, jbw_position origin,
                      int32_t *values)
{
    const jbw_model *model = cache->map->model;
    const int size = model->patch_size;
    const int reach = model->scent.response.reach;
    const int64_t left = patch->at.x * size - origin.x; // of the patch, in tile coordinates
    const int64_t bottom = patch->at.y * size - origin.y;
    const int first_x = left < -reach ? (int)(-reach - left) : 0;
    const int first_y = bottom < -reach ? (int)(-reach - bottom) : 0;
    for (int y = first_y; y < size && bottom + y < TILE + reach; y++) {
        const uint8_t *row = patch->cells + (ptrdiff_t)y * size;
        for (int x = first_x; x < size && left + x < TILE + reach; x++) {
            if (row[x] == 0) continue;
            const int32_t *kernel = cache->kernels[row[x] - 1];
            if (kernel) stamp_tile(model, kernel, values, (int)left + x, (int)bottom + y, 1);
        }
    }
}

// begins anew with what is in season now
static void follow_season(jbw_scent_cache *cache)
{
    const jbw_model *model = cache->map->model;
    const jbw_presence *presence = &cache->map->presence;
    for (size_t i = 0; i < slot_count(cache); i++) cache->slots[i].is_used = false;
    for (int t = 0; t < model->type_count; t++)
        cache->kernels[t] = presence->shown[t + 1] != 0 ? model->scent.kernels[t] : NULL;
    cache->until = presence->until;
}

// the values of a tile, computed if it is not in the cache
static const int32_t *find_tile(jbw_scent_cache *cache, int64_t x, int64_t y)
{
    if (cache->until != cache->map->presence.until) follow_season(cache);
    const jbw_model *model = cache->map->model;
    const size_t index = slot_of(cache, x, y);
    jbw_scent_slot *slot = &cache->slots[index];
    int32_t *values = cache->values + index * tile_size(cache);
    if (slot->is_used && slot->x == x && slot->y == y) return values;

    memset(values, 0, tile_size(cache) * sizeof *values);
    const int reach = model->scent.response.reach;
    const jbw_position origin = {x * TILE, y * TILE};
    const jbw_position low = {origin.x - reach, origin.y - reach};
    const jbw_position high = {origin.x + TILE - 1 + reach, origin.y + TILE - 1 + reach};
    const jbw_position first = jbw_map_patch_of(cache->map, low);
    const jbw_position last = jbw_map_patch_of(cache->map, high);
    for (int64_t py = first.y; py <= last.y; py++) {
        for (int64_t px = first.x; px <= last.x; px++) {
            const jbw_patch *patch = jbw_map_find(cache->map, (jbw_position){px, py});
            if (patch) add_patch(cache, patch, origin, values);
        }
    }
    *slot = (jbw_scent_slot){.x = x, .y = y, .is_used = true};
    return values;
}

void jbw_scent_item_changed(jbw_scent_cache *cache, int item_type, jbw_position cell, int sign)
{
    const jbw_model *model = cache->map->model;
    // before the first tile, and after a season has changed, there is nothing to update
    if (!cache->slots || cache->until != cache->map->presence.until) return;
    const int32_t *kernel = cache->kernels[item_type];
    if (!kernel) return;
    const int reach = model->scent.response.reach;
    for (int64_t y = tile_of(cell.y - reach); y <= tile_of(cell.y + reach); y++) {
        for (int64_t x = tile_of(cell.x - reach); x <= tile_of(cell.x + reach); x++) {
            const size_t index = slot_of(cache, x, y);
            const jbw_scent_slot *slot = &cache->slots[index];
            if (!slot->is_used || slot->x != x || slot->y != y) continue;
            stamp_tile(model, kernel, cache->values + index * tile_size(cache),
                       (int)(cell.x - x * TILE), (int)(cell.y - y * TILE), sign);
        }
    }
}

void jbw_scent_patch_changed(jbw_scent_cache *cache, jbw_position patch)
{
    if (!cache->slots) return;
    const int64_t size = cache->map->model->patch_size;
    const int64_t reach = cache->map->model->scent.response.reach;
    for (int64_t y = tile_of(patch.y * size - reach);
         y <= tile_of((patch.y + 1) * size - 1 + reach); y++) {
        for (int64_t x = tile_of(patch.x * size - reach);
             x <= tile_of((patch.x + 1) * size - 1 + reach); x++) {
            jbw_scent_slot *slot = &cache->slots[slot_of(cache, x, y)];
            if (slot->x == x && slot->y == y) slot->is_used = false;
        }
    }
}

// ---- smelling ----

void jbw_scent_add_kernel(const jbw_model *model, const int32_t *kernel, int64_t dx, int64_t dy,
                          int64_t *units)
{
    const int reach = model->scent.response.reach;
    if (!kernel || dx < -reach || dx > reach || dy < -reach || dy > reach) return;
    const int side = 2 * reach + 1;
    const ptrdiff_t offset =
        (ptrdiff_t)(dy + reach) * model->scent.kernel_stride + TILE + (ptrdiff_t)(dx + reach);
    for (int d = 0; d < model->scent_dimensions; d++)
        units[d] += kernel[(ptrdiff_t)d * side * model->scent.kernel_stride + offset];
}

// Adds up the fading of a patch's events by source: (type_count + 1) units, agents last. False if
// no event can be smelled.
static bool add_fading(const jbw_map *map, const jbw_patch *patch, jbw_position cell, uint64_t time,
                       int64_t *faded)
{
    const jbw_model *model = map->model;
    const jbw_scent_response *response = &model->scent.response;
    const int size = model->patch_size;
    const int64_t left = patch->at.x * size - cell.x;
    const int64_t bottom = patch->at.y * size - cell.y;
    bool has_any = false;
    const jbw_event *event;
    for (uint64_t ticket = patch->first_event; ticket != 0; ticket = event->next) {
        event = jbw_events_get(&map->events, ticket);
        const uint64_t age = time - event->time;
        if (age >= (uint64_t)response->memory) continue;
        const int64_t dx = left + event->cell % size;
        const int64_t dy = bottom + event->cell / size;
        if (dx > response->reach || dx < -response->reach || dy > response->reach ||
            dy < -response->reach)
            continue;
        const int octant = jbw_octant((int)dx, (int)dy);
        const int source = event->source == JBW_SOURCE_AGENT ? model->type_count : event->source;
        const size_t row = (size_t)age * (size_t)response->octant_count;
        faded[source] -= event->sign * (int64_t)response->fading[row + (size_t)octant];
        has_any = true;
    }
    return has_any;
}

void jbw_scent_smell(jbw_scent_cache *cache, jbw_position cell, jbw_patch *const around[9],
                     uint64_t time, const int64_t *agent_units, float *scent)
{
    const jbw_model *model = cache->map->model;
    const int dimensions = model->scent_dimensions;
    if (!model->scent.is_on) {
        for (int d = 0; d < dimensions; d++) scent[d] = 0.0f;
        return;
    }

    const int64_t x = tile_of(cell.x);
    const int64_t y = tile_of(cell.y);
    const int32_t *values =
        find_tile(cache, x, y) + (cell.y - y * TILE) * TILE + (cell.x - x * TILE);
    int64_t faded[JBW_MAX_ITEM_TYPES + 1];
    int64_t grown[JBW_MAX_DIMENSIONS];
    bool has_any = false;
    if (model->scent.season_count > 0 || model->is_growing) {
        memset(faded, 0, (size_t)(model->type_count + 1) * sizeof *faded);
        has_any = true;
    }
    if (model->scent.season_count > 0)
        jbw_scent_turning_add(&cache->turning, cache->map, around, cell, time, faded);
    const jbw_surroundings near =
        jbw_map_surroundings(cache->map, cell, model->scent.response.reach);
    if (model->is_growing) {
        for (int d = 0; d < dimensions; d++) grown[d] = agent_units ? agent_units[d] : 0;
        for (int row = near.first_row; row <= near.last_row; row++)
            for (int column = near.first_column; column <= near.last_column; column++)
                jbw_scent_growth_add(cache, around[3 * row + column], cell, time, grown, faded);
        agent_units = grown;
    }
    double sums[JBW_MAX_DIMENSIONS];
    for (int d = 0; d < dimensions; d++) {
        const int64_t units =
            values[(ptrdiff_t)d * TILE_CELLS] + (agent_units ? agent_units[d] : 0);
        sums[d] = (double)units * model->scent.units[d];
    }
    for (int row = near.first_row; row <= near.last_row; row++) {
        for (int column = near.first_column; column <= near.last_column; column++) {
            const jbw_patch *patch = around[3 * row + column];
            if (!patch || patch->first_event == 0) continue;
            if (!has_any) memset(faded, 0, (size_t)(model->type_count + 1) * sizeof *faded);
            has_any = add_fading(cache->map, patch, cell, time, faded) || has_any;
        }
    }
    for (int t = 0; has_any && t <= model->type_count; t++) {
        if (faded[t] == 0) continue;
        const double *source = t < model->type_count ? model->items[t].scent : model->agent_scent;
        const double weight = (double)faded[t] * model->scent.response.unit;
        for (int d = 0; d < dimensions; d++) sums[d] += weight * source[d];
    }
    for (int d = 0; d < dimensions; d++) scent[d] = (float)sums[d];
}
