// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/patch_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/map/change_runs.h"

enum {
    MAP_SHARE = 4, // one part of four is the map's, the rest the engine's
    LEAST_PATCHES =
        16, // however little memory there is: the patches that one agent needs, and some
    FORECAST_SHARE = 8, // one part of so many of the engine's is for what is made ahead
    MOST_NEEDED = 64,   // regions that are told to be needed now
    MOST_FORESEEN = JBW_MOST_WANTS - MOST_NEEDED,
};

jbw_status jbw_patch_cache_create(const jbw_model *model, uint64_t seed, jbw_patch_cache **out)
{
    *out = jbw_alloc_zero(&model->allocator, 1, sizeof **out);
    if (!*out) return JBW_OUT_OF_MEMORY;
    **out = (jbw_patch_cache){.model = model, .seed = seed, .clock = 1};
    const size_t share = jbw_patch_cache_map_share(model->memory_budget);
    jbw_patch_cache_set_budget(*out, share, model->memory_budget - share);
    return JBW_OK;
}

void jbw_patch_cache_destroy(jbw_patch_cache *patch_cache)
{
    if (!patch_cache) return;
    const jbw_allocator *allocator = &patch_cache->model->allocator;
    jbw_invariant_destroy(patch_cache->engine);
    jbw_free(allocator, patch_cache->cells, (size_t)patch_cache->model->patch_cells);
    jbw_free(allocator, patch_cache->made, patch_cache->made_capacity * sizeof *patch_cache->made);
    jbw_free(allocator, patch_cache, sizeof *patch_cache);
}

size_t jbw_patch_cache_bytes(const jbw_patch_cache *patch_cache)
{
    return (patch_cache->engine ? jbw_invariant_bytes(patch_cache->engine) : 0) +
           (patch_cache->cells ? (size_t)patch_cache->model->patch_cells : 0) +
           patch_cache->made_capacity * sizeof *patch_cache->made;
}

// how many patches the map may hold, given what it has to keep of others
static size_t patch_room(const jbw_patch_cache *patch_cache, const jbw_map *map)
{
    const size_t share = patch_cache->map_budget;
    const size_t kept = map ? map->kept.bytes : 0;
    const size_t patch = sizeof(jbw_patch) + (size_t)patch_cache->model->patch_cells;
    const size_t count = kept < share ? (share - kept) / patch : 0;
    return count > LEAST_PATCHES ? count : LEAST_PATCHES;
}

size_t jbw_patch_cache_map_share(size_t budget)
{
    return budget / MAP_SHARE;
}

void jbw_patch_cache_set_budget(jbw_patch_cache *patch_cache, size_t map_budget,
                                size_t engine_budget)
{
    patch_cache->map_budget = map_budget;
    patch_cache->engine_budget = engine_budget;
    patch_cache->patch_limit = patch_room(patch_cache, NULL);
    jbw_invariant_destroy(patch_cache->engine);
    patch_cache->engine = NULL;
}

void jbw_patch_cache_follow(jbw_patch_cache *patch_cache, const jbw_patch_cache *from)
{
    jbw_patch_cache_set_budget(patch_cache, from->map_budget, from->engine_budget);
    patch_cache->clock = from->clock; // the patches of the map tell that time
    patch_cache->patch_limit = from->patch_limit;
}

void jbw_patch_cache_pass_on(jbw_patch_cache *patch_cache, jbw_patch_cache *to)
{
    if (to->engine || to->model != patch_cache->model || to->seed != patch_cache->seed ||
        to->engine_budget != patch_cache->engine_budget)
        return;
    to->engine = patch_cache->engine;
    patch_cache->engine = NULL;
}

// ---- making ----

jbw_invariant *jbw_patch_cache_engine(jbw_patch_cache *patch_cache)
{
    if (!patch_cache->engine)
        (void)jbw_invariant_create(patch_cache->model, patch_cache->seed,
                                   patch_cache->engine_budget, &patch_cache->engine);
    return patch_cache->engine;
}

static jbw_status generate(jbw_patch_cache *patch_cache, jbw_position patch, uint8_t *cells)
{
    jbw_invariant *engine = jbw_patch_cache_engine(patch_cache);
    return engine ? jbw_invariant_make(engine, patch, cells) : JBW_OUT_OF_MEMORY;
}

static int compare_cells(const void *a, const void *b)
{
    return (int)((const jbw_undo *)a)->cell - (int)((const jbw_undo *)b)->cell;
}

// applies what has changed in a patch, so that it knows what was generated
static bool restore_changes(jbw_map *map, jbw_patch *patch)
{
    const jbw_evicted_patch *kept = jbw_evicted_changes_find(&map->kept, patch->at);
    if (!kept) return true;
    const uint8_t *bytes = jbw_evicted_changes_bytes(kept);
    uint8_t *cells = patch->cells;
    size_t count = 0;
    jbw_change_run run;
    for (jbw_change_runs runs = jbw_change_runs_of_bytes(map->model, bytes, kept->size);
         jbw_change_runs_next(&runs, &run);)
        for (int i = 0; i < run.length; i++) count += cells[run.cell + i * run.stride] != run.now;
    if (!jbw_changes_reserve(map, patch, count)) return false;

    jbw_content *content = patch->content;
    for (jbw_change_runs runs = jbw_change_runs_of_bytes(map->model, bytes, kept->size);
         jbw_change_runs_next(&runs, &run);) {
        for (int i = 0; i < run.length; i++) {
            const int cell = run.cell + i * run.stride;
            if (cells[cell] == run.now) continue;
            content->undo[content->undo_count++] =
                (jbw_undo){.cell = (uint16_t)cell, .generated = cells[cell]};
            cells[cell] = run.now;
        }
    }
    qsort(content->undo, content->undo_count, sizeof *content->undo, compare_cells);
    jbw_evicted_changes_remove(&map->kept, patch->at, &map->model->allocator);
    return true;
}

static bool reserve_latest(jbw_patch_cache *patch_cache, size_t count)
{
    void *made = patch_cache->made;
    const bool has_room = jbw_grow(&patch_cache->model->allocator, &made,
                                   &patch_cache->made_capacity, count, sizeof *patch_cache->made);
    patch_cache->made = made;
    return has_room;
}

static jbw_status make_patch(jbw_patch_cache *patch_cache, jbw_map *map, jbw_position at)
{
    jbw_patch *patch = jbw_map_find(map, at);
    if (patch) {
        patch->used = patch_cache->clock;
        return JBW_OK;
    }
    if (!reserve_latest(patch_cache, patch_cache->latest_count + 1) || !jbw_map_reserve(map, 1))
        return JBW_OUT_OF_MEMORY;
    patch = jbw_map_new_patch(map, at, patch_cache->seed);
    if (!patch) return JBW_OUT_OF_MEMORY;
    jbw_status status = generate(patch_cache, at, patch->cells);
    if (!status && !restore_changes(map, patch)) status = JBW_OUT_OF_MEMORY;
    if (status) {
        jbw_map_free_patch(map, patch);
        return status;
    }
    patch->is_final = true;
    patch->used = patch_cache->clock;
    map->final_count++;
    jbw_map_insert(map, patch);
    patch_cache->made[patch_cache->latest_count++] = at;
    patch_cache->made_count++;
    return JBW_OK;
}

/// Patches [first, last] along each axis.
typedef struct patch_range {
    jbw_position first;
    jbw_position last;
} patch_range;

// the patches that an agent needs
static patch_range find_near(const jbw_map *map, jbw_position cell)
{
    const int low = map->model->near_low;
    const int high = map->model->near_high;
    return (patch_range){jbw_map_patch_of(map, (jbw_position){cell.x - low, cell.y - low}),
                         jbw_map_patch_of(map, (jbw_position){cell.x + high, cell.y + high})};
}

static jbw_status make_all(jbw_patch_cache *patch_cache, jbw_map *map, const jbw_position *cells,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const patch_range near = find_near(map, cells[i]);
        for (int64_t y = near.first.y; y <= near.last.y; y++) {
            for (int64_t x = near.first.x; x <= near.last.x; x++) {
                const jbw_status status = make_patch(patch_cache, map, (jbw_position){x, y});
                if (status) return status;
            }
        }
    }
    return JBW_OK;
}

// ---- telling those who help what is needed ----

// the blocks that others help to make, or NULL
static jbw_block_builder *find_helped(const jbw_patch_cache *patch_cache)
{
    jbw_block_builder *blocks =
        patch_cache->engine ? jbw_invariant_blocks(patch_cache->engine) : NULL;
    return blocks && blocks->hooks.lock ? blocks : NULL;
}

static bool is_there(const jbw_map *map, patch_range range)
{
    for (int64_t y = range.first.y; y <= range.last.y; y++)
        for (int64_t x = range.first.x; x <= range.last.x; x++)
            if (!jbw_map_find(map, (jbw_position){x, y})) return false;
    return true;
}

static jbw_region region_of(const jbw_map *map, patch_range range)
{
    const int64_t size = map->model->patch_size;
    return (jbw_region){.x = range.first.x * size,
                        .y = range.first.y * size,
                        .width = (range.last.x - range.first.x + 1) * size,
                        .height = (range.last.y - range.first.y + 1) * size};
}

// guesses are as far apart as the blocks that patches are cut from
static int64_t stride_of(const jbw_block_builder *blocks)
{
    return blocks->plan->stages[blocks->plan->stage_count - 1].side;
}

// Tells what is needed now, the first `count` of `wants`, and what will be needed according to the
// forecast, which is added to them.
static void tell(const jbw_patch_cache *patch_cache, const jbw_map *map, jbw_block_builder *blocks,
                 jbw_region wants[JBW_MOST_WANTS], size_t count)
{
    jbw_position places[MOST_FORESEEN];
    const size_t room =
        patch_cache->engine_budget / FORECAST_SHARE / jbw_block_builder_largest(blocks->plan);
    size_t straight_count;
    const size_t place_count =
        jbw_prefetch_guess(&patch_cache->forecast, stride_of(blocks), places,
                           room < MOST_FORESEEN ? room : MOST_FORESEEN, &straight_count);
    size_t sure_count = count;
    for (size_t i = 0; i < place_count; i++) {
        const patch_range near = find_near(map, places[i]);
        if (!is_there(map, near)) wants[count++] = region_of(map, near);
        if (i < straight_count) sure_count = count;
    }
    jbw_block_builder_want(blocks, wants, count, sure_count);
}

void jbw_patch_cache_foresee(jbw_patch_cache *patch_cache, const jbw_map *map, jbw_position first,
                             jbw_position last, jbw_position at)
{
    jbw_block_builder *blocks = find_helped(patch_cache);
    if (!blocks || jbw_map_find(map, at)) return;
    jbw_region wants[JBW_MOST_WANTS];
    size_t count = 0;
    while (at.y <= last.y && count < MOST_NEEDED) {
        const patch_range one = {at, at};
        if (!is_there(map, one)) wants[count++] = region_of(map, one);
        const bool is_last = at.x == last.x;
        at = is_last ? (jbw_position){first.x, at.y + 1} : (jbw_position){at.x + 1, at.y};
    }
    tell(patch_cache, map, blocks, wants, count);
}

void jbw_patch_cache_foresee_no_more(jbw_patch_cache *patch_cache, const jbw_map *map)
{
    jbw_block_builder *blocks = find_helped(patch_cache);
    jbw_region wants[JBW_MOST_WANTS];
    if (blocks) tell(patch_cache, map, blocks, wants, 0);
}

jbw_status jbw_patch_cache_make_near(jbw_patch_cache *patch_cache, jbw_map *map,
                                     const jbw_position *cells, size_t count)
{
    patch_cache->latest_count = 0;
    patch_cache->clock++;
    jbw_block_builder *blocks = find_helped(patch_cache);
    if (!blocks) return make_all(patch_cache, map, cells, count);
    jbw_region wants[JBW_MOST_WANTS];
    size_t needed_count = 0;
    for (size_t i = 0; i < count; i++) {
        const patch_range near = find_near(map, cells[i]);
        jbw_prefetch_note(&patch_cache->forecast, cells[i], stride_of(blocks));
        if (needed_count < MOST_NEEDED && !is_there(map, near))
            wants[needed_count++] = region_of(map, near);
    }
    tell(patch_cache, map, blocks, wants, needed_count);
    const jbw_status status = make_all(patch_cache, map, cells, count);
    if (needed_count > 0) tell(patch_cache, map, blocks, wants, 0);
    return status;
}

jbw_status jbw_patch_cache_make(jbw_patch_cache *patch_cache, jbw_map *map, jbw_position patch)
{
    patch_cache->latest_count = 0;
    patch_cache->clock++;
    jbw_block_builder *blocks = jbw_map_find(map, patch) ? NULL : find_helped(patch_cache);
    if (!blocks) return make_patch(patch_cache, map, patch);
    jbw_region wants[JBW_MOST_WANTS] = {region_of(map, (patch_range){patch, patch})};
    const jbw_position middle = {wants[0].x + wants[0].width / 2, wants[0].y + wants[0].height / 2};
    jbw_prefetch_note(&patch_cache->forecast, middle, stride_of(blocks));
    tell(patch_cache, map, blocks, wants, 1);
    const jbw_status status = make_patch(patch_cache, map, patch);
    tell(patch_cache, map, blocks, wants, 0);
    return status;
}

uint8_t *jbw_patch_cache_look(jbw_patch_cache *patch_cache, jbw_position patch)
{
    if (!patch_cache->cells)
        patch_cache->cells =
            jbw_alloc(&patch_cache->model->allocator, (size_t)patch_cache->model->patch_cells);
    if (!patch_cache->cells || generate(patch_cache, patch, patch_cache->cells)) return NULL;
    return patch_cache->cells;
}

// ---- dropping ----

void jbw_patch_cache_begin_touching(jbw_patch_cache *patch_cache)
{
    patch_cache->clock++;
}

void jbw_patch_cache_touch(jbw_patch_cache *patch_cache, const jbw_map *map, jbw_position cell)
{
    const patch_range near = find_near(map, cell);
    for (int64_t y = near.first.y; y <= near.last.y; y++)
        for (int64_t x = near.first.x; x <= near.last.x; x++)
            jbw_map_find(map, (jbw_position){x, y})->used = patch_cache->clock;
}

// the latest needed first
static int compare_use(const void *a, const void *b)
{
    const jbw_patch *p = *(jbw_patch *const *)a;
    const jbw_patch *q = *(jbw_patch *const *)b;
    return p->used > q->used ? -1 : p->used < q->used;
}

// keeps the changes of a patch that is about to go; false when memory runs out
static bool keep_changes(jbw_map *map, const jbw_patch *patch)
{
    const size_t size = jbw_change_runs_size(map->model, patch);
    if (size == 0) return true;
    uint8_t *bytes = jbw_evicted_changes_add(&map->kept, patch->at, size, &map->model->allocator);
    if (bytes) jbw_change_runs_put(map->model, patch, bytes);
    return bytes != NULL;
}

void jbw_patch_cache_drop(jbw_patch_cache *patch_cache, jbw_map *map)
{
    size_t needed_count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (map->patches[i]->first_event != 0) map->patches[i]->used = patch_cache->clock;
        needed_count += map->patches[i]->used == patch_cache->clock;
    }
    // down to three quarters, so that it takes a while until there are too many again
    const size_t room = patch_room(patch_cache, map);
    size_t kept_count = room - room / 4;
    if (kept_count < needed_count) kept_count = needed_count;
    if (kept_count < map->patch_count) {
        qsort(map->patches, map->patch_count, sizeof(jbw_patch *), compare_use);
        // a patch whose changes find no room stays
        for (size_t i = kept_count; i < map->patch_count; i++) {
            if (keep_changes(map, map->patches[i])) continue;
            jbw_patch *patch = map->patches[i];
            map->patches[i] = map->patches[kept_count];
            map->patches[kept_count++] = patch;
        }
        jbw_map_cut(map, kept_count);
    }
    patch_cache->patch_limit = room;
    if (patch_cache->patch_limit < kept_count + kept_count / 4)
        patch_cache->patch_limit = kept_count + kept_count / 4;
}
