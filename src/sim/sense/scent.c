// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent.h"

#include <string.h>

#include "base/divide.h"
#include "sim/sense/scent_growth.h"
#include "sim/sense/scent_line.h"
#include "sim/sense/scent_view.h"
#include "sim/simd.h"

enum {
    TILE = JBW_SCENT_TILE,
    TILE_CELLS = JBW_SCENT_TILE * JBW_SCENT_TILE,
    LEAST_SIDE_BITS = 3, // for one agent
    USUAL_SIDE_BITS = 5, // to which caches grow that turn out to be too small
    MOST_SIDE_BITS = 8,
    SEVERAL_LINES = 2, // of a tile; one is what somebody leaves behind who walks through it
};

// cells of a tile as bits, rows first
#define ROW_CELLS UINT64_C(0xff)
#define COLUMN_CELLS UINT64_C(0x0101010101010101)

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

static size_t kernels_size(const jbw_model *model)
{
    return (size_t)model->type_count * sizeof(int32_t *);
}

static void release(jbw_scent_cache *cache)
{
    const jbw_allocator *allocator = &cache->map->model->allocator;
    jbw_free(allocator, cache->slots, slot_count(cache) * sizeof *cache->slots);
    jbw_free(allocator, cache->values,
             slot_count(cache) * tile_size(cache) * sizeof *cache->values);
    jbw_free(allocator, (void *)cache->kernels, kernels_size(cache->map->model));
    if (cache->turning)
        jbw_free(allocator, cache->turning->responses, jbw_scent_turning_bytes(cache->map->model));
    jbw_free(allocator, cache->turning, sizeof *cache->turning);
    cache->slots = NULL;
    cache->values = NULL;
    cache->kernels = NULL;
    cache->turning = NULL;
}

void jbw_scent_deinit(jbw_scent_cache *cache)
{
    if (cache->map) release(cache);
    *cache = (jbw_scent_cache){0};
}

// four times the tiles for four times the agents
static int choose_side_bits(size_t agent_count)
{
    int bits = LEAST_SIDE_BITS;
    while (bits < MOST_SIDE_BITS && agent_count > (size_t)1 << (2 * (bits - LEAST_SIDE_BITS)))
        bits++;
    return bits;
}

size_t jbw_scent_room(const jbw_model *model, size_t agent_count)
{
    if (!model->scent.is_on) return 0;
    const size_t tile = (size_t)model->scent_dimensions * TILE_CELLS * sizeof(int32_t);
    const size_t tiles = (sizeof(jbw_scent_slot) + tile) << (2 * choose_side_bits(agent_count));
    const size_t responses = jbw_scent_turning_bytes(model);
    return tiles + kernels_size(model) +
           (responses > 0 ? sizeof(jbw_scent_turning) + responses : 0);
}

// replaces the cache by an empty one with this many tiles
static bool make_room(jbw_scent_cache *cache, int side_bits)
{
    const jbw_model *model = cache->map->model;
    // the values are not zeroed, so untouched tiles take no physical memory
    jbw_scent_cache larger = {.map = cache->map, .side_bits = side_bits};
    larger.slots = jbw_alloc_zero(&model->allocator, slot_count(&larger), sizeof *larger.slots);
    larger.values = jbw_alloc(&model->allocator,
                              slot_count(&larger) * tile_size(&larger) * sizeof *larger.values);
    larger.kernels = jbw_alloc_zero(&model->allocator, 1, kernels_size(model));
    const size_t turning_bytes = jbw_scent_turning_bytes(model);
    const bool is_turning = turning_bytes > 0;
    if (is_turning) larger.turning = jbw_alloc_zero(&model->allocator, 1, sizeof *larger.turning);
    if (larger.turning) larger.turning->responses = jbw_alloc(&model->allocator, turning_bytes);
    if (!larger.slots || !larger.values || !larger.kernels ||
        (is_turning && (!larger.turning || !larger.turning->responses))) {
        release(&larger);
        return false;
    }
    release(cache);
    *cache = larger;
    return true;
}

bool jbw_scent_reserve(jbw_scent_cache *cache, size_t agent_count)
{
    if (!cache->map->model->scent.is_on) return true;
    const int bits = choose_side_bits(agent_count);
    return (cache->slots && bits <= cache->side_bits) || make_room(cache, bits);
}

// A tile has to make room for another one. Worlds are small at first, since there may be thousands of
// them; once as many tiles were lost as there are, more of them pay.
static void note_loss(jbw_scent_cache *cache)
{
    if (++cache->lost_count <= slot_count(cache) || cache->side_bits >= USUAL_SIDE_BITS) return;
    if (!make_room(cache, cache->side_bits + 1)) cache->lost_count = 0; // it works without
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
    // cells that are not computed yet may overflow: without sign, that is no error
    for (int x = 0; x < TILE; x++)
        to[x] = (int32_t)((uint32_t)to[x] + (sign > 0 ? (uint32_t)from[x] : -(uint32_t)from[x]));
#endif
}

// Adds (`sign` 1) or subtracts (-1) the part of a source's steady state that lies in a tile. The
// kernel has zeros on both sides, so every row of the tile is a full vector.
JBW_SIMD_CLONES
static void stamp_tile(const jbw_model *model, const int32_t *kernel, int32_t *values, int source_x,
                       int source_y, int sign)
{
    const int reach = model->scent.response.reach;
    const int stride = model->scent.kernel_stride;
    const ptrdiff_t plane = (ptrdiff_t)(2 * reach + 1) * stride;
    const int dimensions = model->scent_dimensions;
    const int bottom = source_y - reach > 0 ? source_y - reach : 0;
    const int top = source_y + reach + 1 < TILE ? source_y + reach + 1 : TILE;
    const int32_t *from =
        kernel + (ptrdiff_t)(bottom - source_y + reach) * stride + TILE + reach - source_x;
    int32_t *to = values + (ptrdiff_t)bottom * dimensions * TILE;
    for (int y = bottom; y < top; y++, from += stride)
        for (int d = 0; d < dimensions; d++, to += TILE) add_row(to, from + d * plane, sign);
}

// begins anew with what is in season now
static void follow_season(jbw_scent_cache *cache)
{
    const jbw_model *model = cache->map->model;
    const jbw_presence *presence = &cache->map->presence;
    for (size_t i = 0; i < slot_count(cache); i++) cache->slots[i].cells = 0;
    for (int t = 0; t < model->type_count; t++)
        cache->kernels[t] = presence->shown[t + 1] != 0 ? model->scent.kernels[t] : NULL;
    cache->until = presence->until;
}

// Computes the row or column of a tile that a cell is in: eight cells, of which a walk needs more.
static void compute_line(jbw_scent_cache *cache, jbw_scent_slot *slot, int x, int y, bool is_column,
                         int32_t *values)
{
    const int dimensions = cache->map->model->scent_dimensions;
    int32_t sums[JBW_MAX_DIMENSIONS * TILE];
    const jbw_scent_line line = {
        .map = cache->map,
        .kernels = cache->kernels,
        .first = {slot->x * TILE + (is_column ? x : 0), slot->y * TILE + (is_column ? 0 : y)},
        .is_column = is_column,
        .sums = sums,
    };
    jbw_scent_line_sum(&line);
    if (is_column) {
        for (int row = 0; row < TILE; row++)
            for (int d = 0; d < dimensions; d++)
                values[(row * dimensions + d) * TILE + x] = sums[d * TILE + row];
        slot->cells |= COLUMN_CELLS << x;
    } else {
        memcpy(values + (ptrdiff_t)y * dimensions * TILE, sums,
               (size_t)(dimensions * TILE) * sizeof *sums);
        slot->cells |= ROW_CELLS << (y * TILE);
    }
}

// Whether to compute a column of a tile rather than a row. A tile with several rows gets more of them, and
// likewise with columns: where an agent walks to and fro, cells would be computed twice otherwise.
static bool choose_column(uint64_t cells, bool is_column)
{
    int rows = 0;
    int columns = 0;
    for (int i = 0; i < TILE; i++) {
        rows += (~cells & ROW_CELLS << (i * TILE)) == 0;
        columns += (~cells & COLUMN_CELLS << i) == 0;
    }
    if (rows >= SEVERAL_LINES || columns >= SEVERAL_LINES) return columns > rows;
    return is_column;
}

// The values of a cell, TILE apart for each dimension; computed if they are not in the cache.
static const int32_t *find_values(jbw_scent_cache *cache, jbw_position cell, bool is_column)
{
    const int64_t tile_x = tile_of(cell.x);
    const int64_t tile_y = tile_of(cell.y);
    const int x = (int)(cell.x - tile_x * TILE);
    const int y = (int)(cell.y - tile_y * TILE);
    const jbw_scent_slot *found = &cache->slots[slot_of(cache, tile_x, tile_y)];
    if (found->cells != 0 && (found->x != tile_x || found->y != tile_y)) note_loss(cache);
    if (cache->until != cache->map->presence.until) follow_season(cache);
    const size_t index = slot_of(cache, tile_x, tile_y);
    jbw_scent_slot *slot = &cache->slots[index];
    int32_t *values = cache->values + index * tile_size(cache);
    if (slot->cells == 0 || slot->x != tile_x || slot->y != tile_y) {
        *slot = (jbw_scent_slot){.x = tile_x, .y = tile_y};
        memset(values, 0, tile_size(cache) * sizeof *values); // changes are added to all cells
    }
    if ((slot->cells >> (y * TILE + x) & 1) == 0)
        compute_line(cache, slot, x, y, choose_column(slot->cells, is_column), values);
    return values + (ptrdiff_t)y * cache->map->model->scent_dimensions * TILE + x;
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
            if (slot->cells == 0 || slot->x != x || slot->y != y) continue;
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
            if (slot->x == x && slot->y == y) slot->cells = 0;
        }
    }
}

void jbw_scent_fetch(const jbw_scent_cache *cache, jbw_position cell, jbw_scent_place place)
{
    if (!cache->slots) return;
#if defined(__GNUC__)
    const int64_t x = tile_of(cell.x);
    const int64_t y = tile_of(cell.y);
    const size_t index = slot_of(cache, x, y);
    const size_t row = tile_size(cache) / TILE;
    const int32_t *values =
        cache->values + index * tile_size(cache) + (size_t)(cell.y - y * TILE) * row;
    if (place == JBW_SCENT_SLOT) {
        __builtin_prefetch(&cache->slots[index]);
    } else {
        __builtin_prefetch(values);
        __builtin_prefetch(values + row - 1);
    }
#else
    (void)cell;
    (void)place;
#endif
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

// Adds up the fading of a patch's events by source: (type_count + body_count) units, item types first.
// False if no event can be smelled.
static bool add_fading(const jbw_map *map, const jbw_patch *patch, jbw_position cell, uint64_t time,
                       int64_t *faded)
{
    const jbw_model *model = map->model;
    const jbw_scent_response *response = &model->scent.response;
    const uint64_t memory = (uint64_t)response->memory;
    const size_t octant_count = (size_t)response->octant_count;
    const jbw_scent_view view = jbw_scent_view_of(model, patch, cell);
    bool has_any = false;
    int dx;
    int dy;
    const jbw_event *event;
    for (uint64_t ticket = patch->first_event; ticket != 0; ticket = event->next) {
        event = jbw_events_get(&map->events, ticket);
        const uint64_t age = time - event->time;
        if (age >= memory || !jbw_scent_view_find(&view, event->cell, &dx, &dy)) continue;
        const int source = event->source < model->type_count
                               ? event->source
                               : model->type_count + JBW_SOURCE_AGENT - event->source;
        const size_t row = (size_t)age * octant_count;
        faded[source] -= event->sign * (int64_t)response->fading[row + (size_t)jbw_octant(dx, dy)];
        has_any = true;
    }
    return has_any;
}

void jbw_scent_smell(jbw_scent_cache *cache, jbw_position cell, bool is_column,
                     jbw_patch *const around[9], uint64_t time, const int64_t *agent_units,
                     float *scent)
{
    const jbw_model *model = cache->map->model;
    const int dimensions = model->scent_dimensions;
    if (!model->scent.is_on) {
        for (int d = 0; d < dimensions; d++) scent[d] = 0.0f;
        return;
    }

    const int32_t *values = find_values(cache, cell, is_column);
    const int source_count = model->type_count + model->body_count;
    int64_t faded[JBW_MAX_SOURCES + 1]; // body 0 comes on top
    int64_t grown[JBW_MAX_DIMENSIONS];
    bool has_any = false;
    if (model->scent.season_count > 0 || model->is_growing) {
        memset(faded, 0, (size_t)source_count * sizeof *faded);
        has_any = true;
    }
    if (model->scent.season_count > 0)
        jbw_scent_turning_add(cache->turning, cache->map, around, cell, time, faded);
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
        const int64_t units = values[(ptrdiff_t)d * TILE] + (agent_units ? agent_units[d] : 0);
        sums[d] = (double)units * model->scent.units[d];
    }
    // mostly nothing has changed lately, and then the patches stay out of the caches
    const bool has_events = jbw_events_count(&cache->map->events) > 0;
    for (int row = near.first_row; has_events && row <= near.last_row; row++) {
        for (int column = near.first_column; column <= near.last_column; column++) {
            const jbw_patch *patch = around[3 * row + column];
            if (!patch || patch->first_event == 0) continue;
            if (!has_any) memset(faded, 0, (size_t)source_count * sizeof *faded);
            has_any = add_fading(cache->map, patch, cell, time, faded) || has_any;
        }
    }
    for (int t = 0; has_any && t < source_count; t++) {
        if (faded[t] == 0) continue;
        const double *source = t < model->type_count ? model->items[t].scent
                                                     : model->bodies[t - model->type_count].scent;
        const double weight = (double)faded[t] * model->scent.response.unit;
        for (int d = 0; d < dimensions; d++) sums[d] += weight * source[d];
    }
    for (int d = 0; d < dimensions; d++) scent[d] = (float)sums[d];
}
