// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/maker.h"

#include <stdlib.h>
#include <string.h>

#include "sim/run.h"

enum {
    MAP_SHARE = 4, // one part of four is the map's, the rest the engine's
    LEAST_PATCHES =
        16, // however little memory there is: the patches that one agent needs, and some
    FORECAST_SHARE = 8, // one part of so many of the engine's is for what is made ahead
    MOST_NEEDED = 64,   // regions that are told to be needed now
    MOST_FORESEEN = JBW_MOST_WANTS - MOST_NEEDED,
};

jbw_status jbw_maker_create(const jbw_model *model, uint64_t seed, jbw_maker **out)
{
    *out = jbw_alloc_zero(&model->allocator, 1, sizeof **out);
    if (!*out) return JBW_OUT_OF_MEMORY;
    **out = (jbw_maker){.model = model, .seed = seed, .clock = 1};
    const size_t share = jbw_maker_map_share(model->memory_budget);
    jbw_maker_set_budget(*out, share, model->memory_budget - share);
    return JBW_OK;
}

void jbw_maker_destroy(jbw_maker *maker)
{
    if (!maker) return;
    const jbw_allocator *allocator = &maker->model->allocator;
    jbw_invariant_destroy(maker->engine);
    jbw_free(allocator, maker->cells, (size_t)maker->model->patch_cells);
    jbw_free(allocator, maker->made, maker->made_capacity * sizeof *maker->made);
    jbw_free(allocator, maker, sizeof *maker);
}

size_t jbw_maker_bytes(const jbw_maker *maker)
{
    return (maker->engine ? jbw_invariant_bytes(maker->engine) : 0) +
           (maker->cells ? (size_t)maker->model->patch_cells : 0) +
           maker->made_capacity * sizeof *maker->made;
}

// how many patches the map may hold, given what it has to keep of others
static size_t patch_room(const jbw_maker *maker, const jbw_map *map)
{
    const size_t share = maker->map_budget;
    const size_t kept = map ? map->kept.bytes : 0;
    const size_t patch = sizeof(jbw_patch) + (size_t)maker->model->patch_cells;
    const size_t count = kept < share ? (share - kept) / patch : 0;
    return count > LEAST_PATCHES ? count : LEAST_PATCHES;
}

size_t jbw_maker_map_share(size_t budget)
{
    return budget / MAP_SHARE;
}

void jbw_maker_set_budget(jbw_maker *maker, size_t map_budget, size_t engine_budget)
{
    maker->map_budget = map_budget;
    maker->engine_budget = engine_budget;
    maker->patch_limit = patch_room(maker, NULL);
    jbw_invariant_destroy(maker->engine);
    maker->engine = NULL;
}

void jbw_maker_follow(jbw_maker *maker, const jbw_maker *from)
{
    jbw_maker_set_budget(maker, from->map_budget, from->engine_budget);
    maker->clock = from->clock; // the patches of the map tell that time
    maker->patch_limit = from->patch_limit;
}

void jbw_maker_pass_on(jbw_maker *maker, jbw_maker *to)
{
    if (to->engine || to->model != maker->model || to->seed != maker->seed ||
        to->engine_budget != maker->engine_budget)
        return;
    to->engine = maker->engine;
    maker->engine = NULL;
}

// ---- making ----

jbw_invariant *jbw_maker_engine(jbw_maker *maker)
{
    if (!maker->engine)
        (void)jbw_invariant_create(maker->model, maker->seed, maker->engine_budget, &maker->engine);
    return maker->engine;
}

static jbw_status generate(jbw_maker *maker, jbw_position patch, uint8_t *cells)
{
    jbw_invariant *engine = jbw_maker_engine(maker);
    return engine ? jbw_invariant_make(engine, patch, cells) : JBW_OUT_OF_MEMORY;
}

static int compare_cells(const void *a, const void *b)
{
    return (int)((const jbw_undo *)a)->cell - (int)((const jbw_undo *)b)->cell;
}

// applies what has changed in a patch, so that it knows what was generated
static bool restore_changes(jbw_map *map, jbw_patch *patch)
{
    const jbw_kept_patch *kept = jbw_kept_find(&map->kept, patch->at);
    if (!kept) return true;
    const uint8_t *bytes = jbw_kept_bytes(kept);
    uint8_t *cells = patch->cells;
    size_t count = 0;
    jbw_run run;
    for (jbw_runs runs = jbw_runs_of_bytes(map->model, bytes, kept->size);
         jbw_runs_next(&runs, &run);)
        for (int i = 0; i < run.length; i++) count += cells[run.cell + i * run.stride] != run.now;
    if (!jbw_changes_reserve(map, patch, count)) return false;

    jbw_content *content = patch->content;
    for (jbw_runs runs = jbw_runs_of_bytes(map->model, bytes, kept->size);
         jbw_runs_next(&runs, &run);) {
        for (int i = 0; i < run.length; i++) {
            const int cell = run.cell + i * run.stride;
            if (cells[cell] == run.now) continue;
            content->undo[content->undo_count++] =
                (jbw_undo){.cell = (uint16_t)cell, .generated = cells[cell]};
            cells[cell] = run.now;
        }
    }
    qsort(content->undo, content->undo_count, sizeof *content->undo, compare_cells);
    jbw_kept_remove(&map->kept, patch->at, &map->model->allocator);
    return true;
}

static bool reserve_latest(jbw_maker *maker, size_t count)
{
    void *made = maker->made;
    const bool has_room = jbw_grow(&maker->model->allocator, &made, &maker->made_capacity, count,
                                   sizeof *maker->made);
    maker->made = made;
    return has_room;
}

static jbw_status make_patch(jbw_maker *maker, jbw_map *map, jbw_position at)
{
    jbw_patch *patch = jbw_map_find(map, at);
    if (patch) {
        patch->used = maker->clock;
        return JBW_OK;
    }
    if (!reserve_latest(maker, maker->latest_count + 1) || !jbw_map_reserve(map, 1))
        return JBW_OUT_OF_MEMORY;
    patch = jbw_map_new_patch(map, at, maker->seed);
    if (!patch) return JBW_OUT_OF_MEMORY;
    jbw_status status = generate(maker, at, patch->cells);
    if (!status && !restore_changes(map, patch)) status = JBW_OUT_OF_MEMORY;
    if (status) {
        jbw_map_free_patch(map, patch);
        return status;
    }
    patch->is_final = true;
    patch->used = maker->clock;
    map->final_count++;
    jbw_map_insert(map, patch);
    maker->made[maker->latest_count++] = at;
    maker->made_count++;
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

static jbw_status make_all(jbw_maker *maker, jbw_map *map, const jbw_position *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const patch_range near = find_near(map, cells[i]);
        for (int64_t y = near.first.y; y <= near.last.y; y++) {
            for (int64_t x = near.first.x; x <= near.last.x; x++) {
                const jbw_status status = make_patch(maker, map, (jbw_position){x, y});
                if (status) return status;
            }
        }
    }
    return JBW_OK;
}

// ---- telling those who help what is needed ----

// the blocks that others help to make, or NULL
static jbw_blocks *find_helped(const jbw_maker *maker)
{
    jbw_blocks *blocks = maker->engine ? jbw_invariant_blocks(maker->engine) : NULL;
    return blocks && blocks->crew.lock ? blocks : NULL;
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
static int64_t stride_of(const jbw_blocks *blocks)
{
    return blocks->plan->stages[blocks->plan->stage_count - 1].side;
}

// Tells what is needed now, the first `count` of `wants`, and what will be needed according to the
// forecast, which is added to them.
static void tell(const jbw_maker *maker, const jbw_map *map, jbw_blocks *blocks,
                 jbw_region wants[JBW_MOST_WANTS], size_t count)
{
    jbw_position places[MOST_FORESEEN];
    const size_t room = maker->engine_budget / FORECAST_SHARE / jbw_blocks_largest(blocks->plan);
    size_t straight_count;
    const size_t place_count =
        jbw_forecast_guess(&maker->forecast, stride_of(blocks), places,
                           room < MOST_FORESEEN ? room : MOST_FORESEEN, &straight_count);
    size_t sure_count = count;
    for (size_t i = 0; i < place_count; i++) {
        const patch_range near = find_near(map, places[i]);
        if (!is_there(map, near)) wants[count++] = region_of(map, near);
        if (i < straight_count) sure_count = count;
    }
    jbw_blocks_want(blocks, wants, count, sure_count);
}

void jbw_maker_foresee(jbw_maker *maker, const jbw_map *map, jbw_position first, jbw_position last,
                       jbw_position at)
{
    jbw_blocks *blocks = find_helped(maker);
    if (!blocks || jbw_map_find(map, at)) return;
    jbw_region wants[JBW_MOST_WANTS];
    size_t count = 0;
    while (at.y <= last.y && count < MOST_NEEDED) {
        const patch_range one = {at, at};
        if (!is_there(map, one)) wants[count++] = region_of(map, one);
        const bool is_last = at.x == last.x;
        at = is_last ? (jbw_position){first.x, at.y + 1} : (jbw_position){at.x + 1, at.y};
    }
    tell(maker, map, blocks, wants, count);
}

void jbw_maker_foresee_no_more(jbw_maker *maker, const jbw_map *map)
{
    jbw_blocks *blocks = find_helped(maker);
    jbw_region wants[JBW_MOST_WANTS];
    if (blocks) tell(maker, map, blocks, wants, 0);
}

jbw_status jbw_maker_make_near(jbw_maker *maker, jbw_map *map, const jbw_position *cells,
                               size_t count)
{
    maker->latest_count = 0;
    maker->clock++;
    jbw_blocks *blocks = find_helped(maker);
    if (!blocks) return make_all(maker, map, cells, count);
    jbw_region wants[JBW_MOST_WANTS];
    size_t needed_count = 0;
    for (size_t i = 0; i < count; i++) {
        const patch_range near = find_near(map, cells[i]);
        jbw_forecast_note(&maker->forecast, cells[i], stride_of(blocks));
        if (needed_count < MOST_NEEDED && !is_there(map, near))
            wants[needed_count++] = region_of(map, near);
    }
    tell(maker, map, blocks, wants, needed_count);
    const jbw_status status = make_all(maker, map, cells, count);
    if (needed_count > 0) tell(maker, map, blocks, wants, 0);
    return status;
}

jbw_status jbw_maker_make(jbw_maker *maker, jbw_map *map, jbw_position patch)
{
    maker->latest_count = 0;
    maker->clock++;
    jbw_blocks *blocks = jbw_map_find(map, patch) ? NULL : find_helped(maker);
    if (!blocks) return make_patch(maker, map, patch);
    jbw_region wants[JBW_MOST_WANTS] = {region_of(map, (patch_range){patch, patch})};
    const jbw_position middle = {wants[0].x + wants[0].width / 2, wants[0].y + wants[0].height / 2};
    jbw_forecast_note(&maker->forecast, middle, stride_of(blocks));
    tell(maker, map, blocks, wants, 1);
    const jbw_status status = make_patch(maker, map, patch);
    tell(maker, map, blocks, wants, 0);
    return status;
}

uint8_t *jbw_maker_look(jbw_maker *maker, jbw_position patch)
{
    if (!maker->cells)
        maker->cells = jbw_alloc(&maker->model->allocator, (size_t)maker->model->patch_cells);
    if (!maker->cells || generate(maker, patch, maker->cells)) return NULL;
    return maker->cells;
}

// ---- dropping ----

void jbw_maker_begin_touching(jbw_maker *maker)
{
    maker->clock++;
}

void jbw_maker_touch(jbw_maker *maker, const jbw_map *map, jbw_position cell)
{
    const patch_range near = find_near(map, cell);
    for (int64_t y = near.first.y; y <= near.last.y; y++)
        for (int64_t x = near.first.x; x <= near.last.x; x++)
            jbw_map_find(map, (jbw_position){x, y})->used = maker->clock;
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
    const size_t size = jbw_runs_size(map->model, patch);
    if (size == 0) return true;
    uint8_t *bytes = jbw_kept_add(&map->kept, patch->at, size, &map->model->allocator);
    if (bytes) jbw_runs_put(map->model, patch, bytes);
    return bytes != NULL;
}

void jbw_maker_drop(jbw_maker *maker, jbw_map *map)
{
    size_t needed_count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (map->patches[i]->first_event != 0) map->patches[i]->used = maker->clock;
        needed_count += map->patches[i]->used == maker->clock;
    }
    // down to three quarters, so that it takes a while until there are too many again
    const size_t room = patch_room(maker, map);
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
    maker->patch_limit = room;
    if (maker->patch_limit < kept_count + kept_count / 4)
        maker->patch_limit = kept_count + kept_count / 4;
}
