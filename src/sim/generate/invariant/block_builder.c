// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/block_builder.h"

#include <string.h>

#include "base/divide.h"

enum { MOST_LATER = 16 };

/// Blocks [left, right] x [bottom, top].
typedef struct block_range {
    int64_t left, right, bottom, top;
} block_range;

// ---- turns ----

static void lock(const jbw_block_builder *blocks)
{
    if (blocks->hooks.lock) blocks->hooks.lock(blocks->hooks.user);
}

static void unlock(const jbw_block_builder *blocks)
{
    if (blocks->hooks.unlock) blocks->hooks.unlock(blocks->hooks.user);
}

static void wait(const jbw_block_builder *blocks)
{
    if (blocks->hooks.wait) blocks->hooks.wait(blocks->hooks.user);
}

static void wake(const jbw_block_builder *blocks)
{
    if (blocks->hooks.wake) blocks->hooks.wake(blocks->hooks.user);
}

// ---- places ----

static jbw_region block_region(const jbw_invariant_stage *stage, jbw_position at)
{
    return (jbw_region){.x = at.x * stage->side - stage->shift,
                        .y = at.y * stage->side - stage->shift,
                        .width = stage->side,
                        .height = stage->side};
}

static jbw_region widen(jbw_region region, int margin)
{
    return (jbw_region){.x = region.x - margin,
                        .y = region.y - margin,
                        .width = region.width + 2 * (int64_t)margin,
                        .height = region.height + 2 * (int64_t)margin};
}

// what a block of a stage is made from
static jbw_region canvas_region(const jbw_invariant_plan *plan, int stage, jbw_position at)
{
    const jbw_invariant_stage *s = &plan->stages[stage];
    return widen(block_region(s, at),
                 s->first_margin + (stage > 1 ? plan->reach : plan->model->reach));
}

static block_range blocks_in(const jbw_invariant_stage *stage, jbw_region region)
{
    const int64_t shift = stage->shift;
    return (block_range){
        .left = jbw_floor_divide(region.x + shift, stage->side),
        .right = jbw_floor_divide(region.x + region.width - 1 + shift, stage->side),
        .bottom = jbw_floor_divide(region.y + shift, stage->side),
        .top = jbw_floor_divide(region.y + region.height - 1 + shift, stage->side)};
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// copies what two regions have in common
static void copy_common(uint8_t *to, jbw_region target, const uint8_t *from, jbw_region source)
{
    const int64_t left = larger(target.x, source.x);
    const int64_t right = smaller(target.x + target.width, source.x + source.width);
    const int64_t bottom = larger(target.y, source.y);
    const int64_t top = smaller(target.y + target.height, source.y + source.height);
    for (int64_t y = bottom; y < top && left < right; y++)
        memcpy(to + (y - target.y) * target.width + (left - target.x),
               from + (y - source.y) * source.width + (left - source.x), (size_t)(right - left));
}

// ---- memory ----

static size_t canvas_bytes(const jbw_invariant_plan *plan, int stage)
{
    const jbw_region canvas = canvas_region(plan, stage, (jbw_position){0, 0});
    return (size_t)(canvas.width * canvas.height);
}

size_t jbw_block_builder_largest(const jbw_invariant_plan *plan)
{
    size_t most = 0;
    for (int i = plan->first_stage; i < plan->stage_count; i++) {
        const size_t side = (size_t)plan->stages[i].side;
        if (side * side > most) most = side * side;
    }
    return sizeof(jbw_block) + most;
}

// what it takes now, to be told to others who may not look
static void note_bytes(jbw_block_worker *worker)
{
    worker->bytes = sizeof *worker + jbw_dynamics_bytes(&worker->runner);
    for (int i = 1; i < JBW_STAGES; i++) worker->bytes += canvas_bytes(worker->runner.plan, i);
}

static void free_hand(jbw_block_worker *worker, const jbw_invariant_plan *plan)
{
    const jbw_allocator *allocator = &plan->model->allocator;
    for (int i = 1; i < JBW_STAGES; i++)
        jbw_free(allocator, worker->canvases[i], canvas_bytes(plan, i));
    jbw_dynamics_deinit(&worker->runner);
    jbw_free(allocator, worker, sizeof *worker);
}

jbw_block_worker *jbw_block_builder_add_worker(jbw_block_builder *blocks, bool is_helper)
{
    const jbw_allocator *allocator = &blocks->plan->model->allocator;
    jbw_block_worker *worker = jbw_alloc_zero(allocator, 1, sizeof *worker);
    if (!worker) return NULL;
    worker->is_helper = is_helper;
    bool has_room = jbw_dynamics_init(&worker->runner, blocks->plan, blocks->seed);
    for (int i = 1; i < JBW_STAGES && has_room; i++) {
        worker->canvases[i] = jbw_alloc(allocator, canvas_bytes(blocks->plan, i));
        has_room = worker->canvases[i] != NULL;
    }
    if (!has_room) {
        free_hand(worker, blocks->plan);
        return NULL;
    }
    note_bytes(worker);
    lock(blocks);
    worker->next = blocks->workers;
    blocks->workers = worker;
    unlock(blocks);
    return worker;
}

void jbw_block_builder_remove_worker(jbw_block_builder *blocks, jbw_block_worker *worker)
{
    lock(blocks);
    jbw_block_worker **link = &blocks->workers;
    while (*link != worker) link = &(*link)->next;
    *link = worker->next;
    unlock(blocks);
    free_hand(worker, blocks->plan);
}

bool jbw_block_builder_init(jbw_block_builder *blocks, const jbw_invariant_plan *plan,
                            uint64_t seed, size_t budget)
{
    *blocks = (jbw_block_builder){.plan = plan, .seed = seed, .want_number = 1};
    return jbw_block_cache_init(&blocks->store, &plan->model->allocator, budget);
}

void jbw_block_builder_deinit(jbw_block_builder *blocks)
{
    while (blocks->workers) jbw_block_builder_remove_worker(blocks, blocks->workers);
    if (blocks->store.slots) jbw_block_cache_deinit(&blocks->store);
}

size_t jbw_block_builder_bytes(jbw_block_builder *blocks)
{
    lock(blocks);
    size_t bytes = jbw_block_cache_bytes(&blocks->store);
    for (const jbw_block_worker *worker = blocks->workers; worker; worker = worker->next)
        bytes += worker->bytes;
    unlock(blocks);
    return bytes;
}

uint64_t jbw_block_builder_proposals(jbw_block_builder *blocks)
{
    lock(blocks);
    const uint64_t count = blocks->proposal_count;
    unlock(blocks);
    return count;
}

uint64_t jbw_block_builder_accepted(jbw_block_builder *blocks)
{
    lock(blocks);
    const uint64_t count = blocks->accepted_count;
    unlock(blocks);
    return count;
}

// ---- making ---- (from here on, static functions are called by the one whose turn it is)

static bool load(jbw_block_builder *blocks, jbw_block_worker *worker, int stage, jbw_region target,
                 uint8_t *cells);
static bool help(jbw_block_builder *blocks, jbw_block_worker *worker, int highest_stage);

static bool is_to_stop(const jbw_block_builder *blocks, const jbw_block_worker *worker)
{
    return worker->is_helper && blocks->is_ending;
}

// a block becomes what the workspace around it, that begins with the canvas, comes to
static bool run(const jbw_invariant_plan *plan, jbw_block_worker *worker, jbw_block *block)
{
    const jbw_invariant_stage *stage = &plan->stages[block->stage];
    const jbw_region region = block_region(stage, block->at);
    const jbw_region window = widen(region, stage->first_margin);
    const jbw_region canvas = canvas_region(plan, block->stage, block->at);
    jbw_workspace *workspace = &worker->runner.workspace;
    jbw_workspace_begin(workspace, (jbw_position){window.x, window.y}, (int)window.width,
                        jbw_invariant_scope(stage));
    if (block->stage > plan->first_stage)
        jbw_workspace_fill(workspace, (jbw_position){canvas.x, canvas.y}, (int)canvas.width,
                           worker->canvases[block->stage]);
    if (!jbw_dynamics_run(&worker->runner, stage)) return false;
    const int64_t left = region.x - workspace->window.origin.x;
    const int64_t bottom = region.y - workspace->window.origin.y;
    for (int64_t y = 0; y < region.height; y++)
        memcpy(block->cells + y * region.width,
               workspace->cells + (bottom + y) * workspace->window.width + left,
               (size_t)region.width);
    return true;
}

// Makes a block that is not in the store. Returns it held, or NULL when memory runs out.
static jbw_block *make_block(jbw_block_builder *blocks, jbw_block_worker *worker, int stage,
                             jbw_position at)
{
    const jbw_invariant_plan *plan = blocks->plan;
    const size_t side = (size_t)plan->stages[stage].side;
    jbw_block *block = jbw_block_cache_add(&blocks->store, stage, at, side * side);
    if (!block) return NULL;
    bool is_good =
        stage == plan->first_stage ||
        load(blocks, worker, stage - 1, canvas_region(plan, stage, at), worker->canvases[stage]);
    if (is_good) {
        block->state = JBW_BLOCK_RUNNING;
        unlock(blocks);
        is_good = run(plan, worker, block);
        lock(blocks);
        note_bytes(worker);
        blocks->proposal_count += worker->runner.proposal_count;
        blocks->accepted_count += worker->runner.accepted_count;
        worker->runner.proposal_count = worker->runner.accepted_count = 0;
    }
    if (is_good) {
        block->state = JBW_BLOCK_READY;
    } else {
        jbw_block_cache_fail(&blocks->store, block);
        jbw_block_cache_release(&blocks->store, block);
        block = NULL;
    }
    wake(blocks);
    return block;
}

// Returns a block that is ready, held, or NULL when memory runs out.
static jbw_block *get_block(jbw_block_builder *blocks, jbw_block_worker *worker, int stage,
                            jbw_position at)
{
    for (;;) {
        if (is_to_stop(blocks, worker)) return NULL;
        jbw_block *block = jbw_block_cache_find(&blocks->store, stage, at);
        if (!block) return make_block(blocks, worker, stage, at);
        block->holder_count++;
        // Until somebody else has made it there may be something else to do. Others have had their
        // turn while one helps, also in vain, so one looks again before one sleeps.
        while (block->state < JBW_BLOCK_READY && !is_to_stop(blocks, worker))
            if (!help(blocks, worker, stage) && block->state < JBW_BLOCK_READY &&
                !is_to_stop(blocks, worker))
                wait(blocks);
        if (block->state == JBW_BLOCK_READY) return block;
        jbw_block_cache_release(&blocks->store, block); // it could not be made there
    }
}

static bool copy_block(jbw_block_builder *blocks, jbw_block_worker *worker, int stage,
                       jbw_position at, jbw_region target, uint8_t *cells)
{
    jbw_block *block = get_block(blocks, worker, stage, at);
    if (!block) return false;
    copy_common(cells, target, block->cells, block_region(&blocks->plan->stages[stage], at));
    jbw_block_cache_release(&blocks->store, block);
    return true;
}

// fills a region with the state at the end of a stage; false when memory runs out
static bool load(jbw_block_builder *blocks, jbw_block_worker *worker, int stage, jbw_region target,
                 uint8_t *cells)
{
    const block_range range = blocks_in(&blocks->plan->stages[stage], target);
    jbw_position later[MOST_LATER]; // what others are making
    size_t later_count = 0;
    for (int64_t y = range.bottom; y <= range.top; y++) {
        for (int64_t x = range.left; x <= range.right; x++) {
            const jbw_position at = {x, y};
            const jbw_block *block = jbw_block_cache_find(&blocks->store, stage, at);
            if (block && block->state != JBW_BLOCK_READY && later_count < MOST_LATER)
                later[later_count++] = at;
            else if (!copy_block(blocks, worker, stage, at, target, cells))
                return false;
        }
    }
    for (size_t i = 0; i < later_count; i++)
        if (!copy_block(blocks, worker, stage, later[i], target, cells)) return false;
    return true;
}

bool jbw_block_builder_load(jbw_block_builder *blocks, jbw_block_worker *worker, jbw_region region,
                            uint8_t *cells)
{
    lock(blocks);
    const bool is_good = load(blocks, worker, blocks->plan->stage_count - 1, region, cells);
    unlock(blocks);
    return is_good;
}

// ---- helping ----

// Makes one block that a region needs at the end of a stage, of those that can be made at once and
// belong to no later stage than `highest_stage`. False if there is none; then `is_complete` tells if
// all that the region needs is ready.
static bool help_with(jbw_block_builder *blocks, jbw_block_worker *worker, int stage,
                      jbw_region region, int highest_stage, bool *is_complete)
{
    const jbw_invariant_plan *plan = blocks->plan;
    const block_range range = blocks_in(&plan->stages[stage], region);
    *is_complete = true;
    for (int64_t y = range.bottom; y <= range.top; y++) {
        for (int64_t x = range.left; x <= range.right; x++) {
            const jbw_position at = {x, y};
            const jbw_block *block = jbw_block_cache_find(&blocks->store, stage, at);
            if (block && block->state == JBW_BLOCK_READY) continue;
            *is_complete = false;
            if (block && block->state == JBW_BLOCK_RUNNING) continue;
            bool has_all = true;
            if (stage > plan->first_stage &&
                help_with(blocks, worker, stage - 1, canvas_region(plan, stage, at), highest_stage,
                          &has_all))
                return true;
            if (block || !has_all || stage > highest_stage) continue;
            jbw_block *made = make_block(blocks, worker, stage, at);
            if (!made) {
                // else helpers would try in turn, and keep from it who needs it and has memory
                worker->gave_up = blocks->want_number;
                return false;
            }
            jbw_block_cache_release(&blocks->store, made);
            return true;
        }
    }
    return false;
}

// A worker that waits for a block of a stage has all it needs for others up to that stage.
static bool help(jbw_block_builder *blocks, jbw_block_worker *worker, int highest_stage)
{
    const size_t count = worker->is_helper ? blocks->want_count : blocks->sure_count;
    for (size_t i = 0; i < count && !is_to_stop(blocks, worker); i++) {
        if (worker->gave_up == blocks->want_number) return false;
        bool is_complete;
        if (help_with(blocks, worker, blocks->plan->stage_count - 1, blocks->wants[i],
                      highest_stage, &is_complete))
            return true;
    }
    return false;
}

void jbw_block_builder_want(jbw_block_builder *blocks, const jbw_region *wants, size_t count,
                            size_t sure_count)
{
    lock(blocks);
    memcpy(blocks->wants, wants, count * sizeof *wants);
    blocks->want_count = count;
    blocks->want_number++;
    blocks->sure_count = sure_count;
    wake(blocks);
    unlock(blocks);
}

bool jbw_block_builder_help(jbw_block_builder *blocks, jbw_block_worker *worker)
{
    lock(blocks);
    const bool has_helped = help(blocks, worker, blocks->plan->stage_count - 1);
    unlock(blocks);
    return has_helped;
}

void jbw_block_builder_work(jbw_block_builder *blocks, jbw_block_worker *worker)
{
    lock(blocks);
    while (!blocks->is_ending)
        if (!help(blocks, worker, blocks->plan->stage_count - 1) && !blocks->is_ending)
            wait(blocks);
    unlock(blocks);
}

void jbw_block_builder_end_work(jbw_block_builder *blocks)
{
    lock(blocks);
    blocks->is_ending = true;
    wake(blocks);
    unlock(blocks);
}
