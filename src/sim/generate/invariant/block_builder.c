// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/block_builder.h"

#include <string.h>

#include "base/divide.h"

enum { MOST_PENDING = 16 };

/// Blocks [left, right] x [bottom, top].
typedef struct block_range {
    int64_t left, right, bottom, top;
} block_range;

// ---- thread hooks ----

static void lock(const jbw_block_builder *builder)
{
    if (builder->hooks.lock) builder->hooks.lock(builder->hooks.user);
}

static void unlock(const jbw_block_builder *builder)
{
    if (builder->hooks.unlock) builder->hooks.unlock(builder->hooks.user);
}

static void wait(const jbw_block_builder *builder)
{
    if (builder->hooks.wait) builder->hooks.wait(builder->hooks.user);
}

static void wake(const jbw_block_builder *builder)
{
    if (builder->hooks.wake) builder->hooks.wake(builder->hooks.user);
}

// ---- geometry ----

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

// the cells of the stage before that a block is made from
static jbw_region input_region(const jbw_invariant_plan *plan, int stage, jbw_position at)
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

// copies the intersection of two regions
static void copy_intersection(uint8_t *to, jbw_region target, const uint8_t *from,
                              jbw_region source)
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

static size_t input_bytes(const jbw_invariant_plan *plan, int stage)
{
    const jbw_region input = input_region(plan, stage, (jbw_position){0, 0});
    return (size_t)(input.width * input.height);
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

// for other threads, which must not look at the worker itself
static void note_bytes(jbw_block_worker *worker)
{
    worker->bytes = sizeof *worker + jbw_dynamics_bytes(&worker->dynamics);
    for (int i = 1; i < JBW_STAGES; i++) worker->bytes += input_bytes(worker->dynamics.plan, i);
}

static void free_worker(jbw_block_worker *worker, const jbw_invariant_plan *plan)
{
    const jbw_allocator *allocator = &plan->model->allocator;
    for (int i = 1; i < JBW_STAGES; i++)
        jbw_free(allocator, worker->inputs[i], input_bytes(plan, i));
    jbw_dynamics_deinit(&worker->dynamics);
    jbw_free(allocator, worker, sizeof *worker);
}

jbw_block_worker *jbw_block_builder_add_worker(jbw_block_builder *builder, bool is_helper)
{
    const jbw_allocator *allocator = &builder->plan->model->allocator;
    jbw_block_worker *worker = jbw_alloc_zero(allocator, 1, sizeof *worker);
    if (!worker) return NULL;
    worker->is_helper = is_helper;
    bool has_room = jbw_dynamics_init(&worker->dynamics, builder->plan, builder->seed);
    for (int i = 1; i < JBW_STAGES && has_room; i++) {
        worker->inputs[i] = jbw_alloc(allocator, input_bytes(builder->plan, i));
        has_room = worker->inputs[i] != NULL;
    }
    if (!has_room) {
        free_worker(worker, builder->plan);
        return NULL;
    }
    note_bytes(worker);
    lock(builder);
    worker->next = builder->workers;
    builder->workers = worker;
    unlock(builder);
    return worker;
}

void jbw_block_builder_remove_worker(jbw_block_builder *builder, jbw_block_worker *worker)
{
    lock(builder);
    jbw_block_worker **link = &builder->workers;
    while (*link != worker) link = &(*link)->next;
    *link = worker->next;
    unlock(builder);
    free_worker(worker, builder->plan);
}

bool jbw_block_builder_init(jbw_block_builder *builder, const jbw_invariant_plan *plan,
                            uint64_t seed, size_t budget)
{
    *builder = (jbw_block_builder){.plan = plan, .seed = seed, .want_number = 1};
    return jbw_block_cache_init(&builder->cache, &plan->model->allocator, budget);
}

void jbw_block_builder_deinit(jbw_block_builder *builder)
{
    while (builder->workers) jbw_block_builder_remove_worker(builder, builder->workers);
    if (builder->cache.slots) jbw_block_cache_deinit(&builder->cache);
}

size_t jbw_block_builder_bytes(jbw_block_builder *builder)
{
    lock(builder);
    size_t bytes = jbw_block_cache_bytes(&builder->cache);
    for (const jbw_block_worker *worker = builder->workers; worker; worker = worker->next)
        bytes += worker->bytes;
    unlock(builder);
    return bytes;
}

uint64_t jbw_block_builder_proposals(jbw_block_builder *builder)
{
    lock(builder);
    const uint64_t count = builder->proposal_count;
    unlock(builder);
    return count;
}

uint64_t jbw_block_builder_accepted(jbw_block_builder *builder)
{
    lock(builder);
    const uint64_t count = builder->accepted_count;
    unlock(builder);
    return count;
}

// ---- making blocks ---- (from here on, static functions are called with the lock held)

static bool load(jbw_block_builder *builder, jbw_block_worker *worker, int stage, jbw_region target,
                 uint8_t *cells);
static bool help(jbw_block_builder *builder, jbw_block_worker *worker, int highest_stage);

static bool must_stop(const jbw_block_builder *builder, jbw_block_worker *worker)
{
    if (worker->is_helper) return builder->is_ending;
    jbw_dynamics *dynamics = &worker->dynamics;
    if (!dynamics->is_interrupted)
        dynamics->is_interrupted = jbw_interrupt_is_wanted(&dynamics->interrupt);
    return dynamics->is_interrupted;
}

// runs the dynamics in a workspace around a block, starting from its input
static bool run(const jbw_invariant_plan *plan, jbw_block_worker *worker, jbw_block *block)
{
    const jbw_invariant_stage *stage = &plan->stages[block->stage];
    const jbw_region region = block_region(stage, block->at);
    const jbw_region window = widen(region, stage->first_margin);
    const jbw_region input = input_region(plan, block->stage, block->at);
    jbw_workspace *workspace = &worker->dynamics.workspace;
    jbw_workspace_begin(workspace, (jbw_position){window.x, window.y}, (int)window.width,
                        jbw_invariant_scope(stage));
    if (block->stage > plan->first_stage)
        jbw_workspace_fill(workspace, (jbw_position){input.x, input.y}, (int)input.width,
                           worker->inputs[block->stage]);
    if (!jbw_dynamics_run(&worker->dynamics, stage)) return false;
    const int64_t left = region.x - workspace->window.origin.x;
    const int64_t bottom = region.y - workspace->window.origin.y;
    for (int64_t y = 0; y < region.height; y++)
        memcpy(block->cells + y * region.width,
               workspace->cells + (bottom + y) * workspace->window.width + left,
               (size_t)region.width);
    return true;
}

// Makes a block that is not in the cache. Returns it with a holder, or NULL when memory runs out.
static jbw_block *make_block(jbw_block_builder *builder, jbw_block_worker *worker, int stage,
                             jbw_position at)
{
    const jbw_invariant_plan *plan = builder->plan;
    const size_t side = (size_t)plan->stages[stage].side;
    jbw_block *block = jbw_block_cache_add(&builder->cache, stage, at, side * side);
    if (!block) return NULL;
    bool is_ok =
        stage == plan->first_stage ||
        load(builder, worker, stage - 1, input_region(plan, stage, at), worker->inputs[stage]);
    if (is_ok) {
        block->state = JBW_BLOCK_RUNNING;
        unlock(builder);
        is_ok = run(plan, worker, block);
        lock(builder);
        note_bytes(worker);
        builder->proposal_count += worker->dynamics.proposal_count;
        builder->accepted_count += worker->dynamics.accepted_count;
        worker->dynamics.proposal_count = worker->dynamics.accepted_count = 0;
    }
    if (is_ok) {
        block->state = JBW_BLOCK_READY;
    } else {
        jbw_block_cache_fail(&builder->cache, block);
        jbw_block_cache_release(&builder->cache, block);
        block = NULL;
    }
    wake(builder);
    return block;
}

// Returns a block that is ready, with a holder, or NULL when memory runs out.
static jbw_block *get_block(jbw_block_builder *builder, jbw_block_worker *worker, int stage,
                            jbw_position at)
{
    for (;;) {
        if (must_stop(builder, worker)) return NULL;
        jbw_block *block = jbw_block_cache_find(&builder->cache, stage, at);
        if (!block) return make_block(builder, worker, stage, at);
        block->holder_count++;
        // While another worker makes it, help with something else. Helping may release the lock
        // even if there was nothing to do, so check the state again before sleeping.
        while (block->state < JBW_BLOCK_READY && !must_stop(builder, worker))
            if (!help(builder, worker, stage) && block->state < JBW_BLOCK_READY &&
                !must_stop(builder, worker))
                wait(builder);
        if (block->state == JBW_BLOCK_READY) return block;
        jbw_block_cache_release(&builder->cache, block); // the other worker failed
    }
}

static bool copy_block(jbw_block_builder *builder, jbw_block_worker *worker, int stage,
                       jbw_position at, jbw_region target, uint8_t *cells)
{
    jbw_block *block = get_block(builder, worker, stage, at);
    if (!block) return false;
    copy_intersection(cells, target, block->cells, block_region(&builder->plan->stages[stage], at));
    jbw_block_cache_release(&builder->cache, block);
    return true;
}

// Fills a region with the state at the end of a stage. Blocks that others are making come last, to
// give them time. False when memory runs out.
static bool load(jbw_block_builder *builder, jbw_block_worker *worker, int stage, jbw_region target,
                 uint8_t *cells)
{
    const block_range range = blocks_in(&builder->plan->stages[stage], target);
    jbw_position pending[MOST_PENDING];
    size_t pending_count = 0;
    for (int64_t y = range.bottom; y <= range.top; y++) {
        for (int64_t x = range.left; x <= range.right; x++) {
            const jbw_position at = {x, y};
            const jbw_block *block = jbw_block_cache_find(&builder->cache, stage, at);
            if (block && block->state != JBW_BLOCK_READY && pending_count < MOST_PENDING)
                pending[pending_count++] = at;
            else if (!copy_block(builder, worker, stage, at, target, cells))
                return false;
        }
    }
    for (size_t i = 0; i < pending_count; i++)
        if (!copy_block(builder, worker, stage, pending[i], target, cells)) return false;
    return true;
}

bool jbw_block_builder_load(jbw_block_builder *builder, jbw_block_worker *worker, jbw_region region,
                            uint8_t *cells)
{
    lock(builder);
    const bool is_ok = load(builder, worker, builder->plan->stage_count - 1, region, cells);
    unlock(builder);
    return is_ok;
}

// ---- helping ----

// Makes one block that a region needs at the end of a stage, if one up to `highest_stage` can be
// made without waiting. Otherwise returns false, and `is_complete` says whether all blocks of the
// stage in the region are ready.
static bool help_with(jbw_block_builder *builder, jbw_block_worker *worker, int stage,
                      jbw_region region, int highest_stage, bool *is_complete)
{
    const jbw_invariant_plan *plan = builder->plan;
    const block_range range = blocks_in(&plan->stages[stage], region);
    *is_complete = true;
    for (int64_t y = range.bottom; y <= range.top; y++) {
        for (int64_t x = range.left; x <= range.right; x++) {
            const jbw_position at = {x, y};
            const jbw_block *block = jbw_block_cache_find(&builder->cache, stage, at);
            if (block && block->state == JBW_BLOCK_READY) continue;
            *is_complete = false;
            if (block && block->state == JBW_BLOCK_RUNNING) continue;
            bool has_input = true;
            if (stage > plan->first_stage &&
                help_with(builder, worker, stage - 1, input_region(plan, stage, at), highest_stage,
                          &has_input))
                return true;
            if (block || !has_input || stage > highest_stage) continue;
            jbw_block *made = make_block(builder, worker, stage, at);
            if (!made) {
                // stop trying: helpers would otherwise fail in turn, and keep the block from a
                // worker that needs it and has memory
                worker->gave_up_at = builder->want_number;
                return false;
            }
            jbw_block_cache_release(&builder->cache, made);
            return true;
        }
    }
    return false;
}

// A worker that waits for a block of some stage may help with blocks up to that stage: its input
// buffers for these are not in use.
static bool help(jbw_block_builder *builder, jbw_block_worker *worker, int highest_stage)
{
    const size_t count = worker->is_helper ? builder->want_count : builder->sure_count;
    for (size_t i = 0; i < count && !must_stop(builder, worker); i++) {
        if (worker->gave_up_at == builder->want_number) return false;
        bool is_complete;
        if (help_with(builder, worker, builder->plan->stage_count - 1, builder->wants[i],
                      highest_stage, &is_complete))
            return true;
    }
    return false;
}

void jbw_block_builder_want(jbw_block_builder *builder, const jbw_region *wants, size_t count,
                            size_t sure_count)
{
    lock(builder);
    memcpy(builder->wants, wants, count * sizeof *wants);
    builder->want_count = count;
    builder->want_number++;
    builder->sure_count = sure_count;
    wake(builder);
    unlock(builder);
}

bool jbw_block_builder_help(jbw_block_builder *builder, jbw_block_worker *worker)
{
    lock(builder);
    const bool has_helped = help(builder, worker, builder->plan->stage_count - 1);
    unlock(builder);
    return has_helped;
}

void jbw_block_builder_work(jbw_block_builder *builder, jbw_block_worker *worker)
{
    lock(builder);
    while (!builder->is_ending)
        if (!help(builder, worker, builder->plan->stage_count - 1) && !builder->is_ending)
            wait(builder);
    unlock(builder);
}

void jbw_block_builder_end_work(jbw_block_builder *builder)
{
    lock(builder);
    builder->is_ending = true;
    wake(builder);
    unlock(builder);
}
