// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/invariant.h"

#include <string.h>

#include "base/divide.h"
#include "sim/block_store.h"
#include "sim/invariant_run.h"

struct jbw_invariant {
    const jbw_model *model;
    uint64_t seed;
    jbw_invariant_plan plan;
    jbw_invariant_runner runner;
    jbw_block_store store;
    uint8_t *canvases[JBW_STAGES]; // what the stage before has left, around the block to be made
};

/// A square of cells.
typedef struct square {
    jbw_position corner;
    int side;
} square;

// ---- memory ----

static square block_square(const jbw_invariant_stage *stage, jbw_position at)
{
    return (square){
        .corner = {at.x * stage->side - stage->shift, at.y * stage->side - stage->shift},
        .side = stage->side};
}

static square widen(square s, int margin)
{
    return (square){.corner = {s.corner.x - margin, s.corner.y - margin},
                    .side = s.side + 2 * margin};
}

// what a block of a stage is made from
static square canvas_square(const jbw_invariant *invariant, int stage, jbw_position at)
{
    const jbw_invariant_stage *s = &invariant->plan.stages[stage];
    return widen(block_square(s, at), s->first_margin + invariant->model->reach);
}

static size_t canvas_bytes(const jbw_invariant *invariant, int stage)
{
    const size_t side = (size_t)canvas_square(invariant, stage, (jbw_position){0, 0}).side;
    return side * side;
}

jbw_status jbw_invariant_create(const jbw_model *model, uint64_t seed, size_t budget,
                                jbw_invariant **out)
{
    *out = NULL;
    jbw_invariant *invariant = jbw_alloc_zero(&model->allocator, 1, sizeof *invariant);
    if (!invariant) return JBW_OUT_OF_MEMORY;
    invariant->model = model;
    invariant->seed = seed;
    bool has_room = jbw_invariant_plan_init(&invariant->plan, model);
    if (has_room && invariant->plan.stage_count > 0) {
        has_room = jbw_invariant_runner_init(&invariant->runner, &invariant->plan, seed) &&
                   jbw_block_store_init(&invariant->store, &model->allocator, budget);
        for (int i = 1; i < JBW_STAGES && has_room; i++) {
            invariant->canvases[i] = jbw_alloc(&model->allocator, canvas_bytes(invariant, i));
            has_room = invariant->canvases[i] != NULL;
        }
    }
    if (!has_room) {
        jbw_invariant_destroy(invariant); // accepts one that is half made
        return JBW_OUT_OF_MEMORY;
    }
    *out = invariant;
    return JBW_OK;
}

void jbw_invariant_destroy(jbw_invariant *invariant)
{
    if (!invariant) return;
    const jbw_allocator *allocator = &invariant->model->allocator;
    for (int i = 1; i < JBW_STAGES; i++)
        jbw_free(allocator, invariant->canvases[i], canvas_bytes(invariant, i));
    jbw_invariant_runner_deinit(&invariant->runner);
    if (invariant->store.slots) jbw_block_store_deinit(&invariant->store);
    jbw_invariant_plan_deinit(&invariant->plan);
    jbw_free(allocator, invariant, sizeof *invariant);
}

size_t jbw_invariant_bytes(const jbw_invariant *invariant)
{
    size_t bytes = sizeof *invariant + jbw_arena_bytes(&invariant->plan.arena);
    if (invariant->plan.stage_count == 0) return bytes;
    for (int i = 1; i < JBW_STAGES; i++) bytes += canvas_bytes(invariant, i);
    return bytes + jbw_invariant_runner_bytes(&invariant->runner) +
           jbw_block_store_bytes(&invariant->store);
}

uint64_t jbw_invariant_proposals(const jbw_invariant *invariant)
{
    return invariant->runner.proposal_count;
}

uint64_t jbw_invariant_accepted(const jbw_invariant *invariant)
{
    return invariant->runner.accepted_count;
}

// ---- blocks ----

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// copies what two squares have in common
static void copy_common(uint8_t *to, square target, const uint8_t *from, square source)
{
    const int64_t left = larger(target.corner.x, source.corner.x);
    const int64_t right = smaller(target.corner.x + target.side, source.corner.x + source.side);
    const int64_t bottom = larger(target.corner.y, source.corner.y);
    const int64_t top = smaller(target.corner.y + target.side, source.corner.y + source.side);
    for (int64_t y = bottom; y < top && left < right; y++)
        memcpy(to + (y - target.corner.y) * target.side + (left - target.corner.x),
               from + (y - source.corner.y) * source.side + (left - source.corner.x),
               (size_t)(right - left));
}

static bool load(jbw_invariant *invariant, int stage, square target, uint8_t *cells);

// begins the pane around a block, with what the stage before has left
static bool begin_pane(jbw_invariant *invariant, int stage, jbw_position at)
{
    const jbw_invariant_stage *s = &invariant->plan.stages[stage];
    const square window = widen(block_square(s, at), s->first_margin);
    const square canvas = canvas_square(invariant, stage, at);
    uint8_t *cells = invariant->canvases[stage];
    if (stage > invariant->plan.first_stage && !load(invariant, stage - 1, canvas, cells))
        return false;
    jbw_pane_begin(&invariant->runner.pane, window.corner, window.side);
    if (stage == invariant->plan.first_stage) return true;
    jbw_pane_fill(&invariant->runner.pane, canvas.corner, canvas.side, cells);
    return true;
}

static bool make_block(jbw_invariant *invariant, jbw_block *block)
{
    const jbw_invariant_stage *stage = &invariant->plan.stages[block->stage];
    const jbw_pane *pane = &invariant->runner.pane;
    if (!begin_pane(invariant, block->stage, block->at)) return false;
    if (!jbw_invariant_run(&invariant->runner, stage)) return false;
    const square s = block_square(stage, block->at);
    const int64_t left = s.corner.x - pane->window.origin.x;
    const int64_t bottom = s.corner.y - pane->window.origin.y;
    for (int y = 0; y < s.side; y++)
        memcpy(block->cells + (ptrdiff_t)y * s.side,
               pane->cells + (bottom + y) * pane->window.width + left, (size_t)s.side);
    return true;
}

// fills a square with the state at the end of a stage; false when memory runs out
static bool load(jbw_invariant *invariant, int stage, square target, uint8_t *cells)
{
    const int64_t shift = invariant->plan.stages[stage].shift;
    const int64_t side = invariant->plan.stages[stage].side;
    const int64_t left = jbw_floor_divide(target.corner.x + shift, side);
    const int64_t right = jbw_floor_divide(target.corner.x + target.side - 1 + shift, side);
    const int64_t bottom = jbw_floor_divide(target.corner.y + shift, side);
    const int64_t top = jbw_floor_divide(target.corner.y + target.side - 1 + shift, side);
    for (int64_t y = bottom; y <= top; y++) {
        for (int64_t x = left; x <= right; x++) {
            const jbw_position at = {x, y};
            jbw_block *block = jbw_block_store_find(&invariant->store, stage, at);
            const bool is_new = !block;
            if (is_new) {
                block = jbw_block_store_new(&invariant->store, stage, at, (size_t)(side * side));
                if (!block) return false;
                if (!make_block(invariant, block)) {
                    jbw_block_store_free(&invariant->store, block);
                    return false;
                }
            }
            copy_common(cells, target, block->cells,
                        block_square(&invariant->plan.stages[stage], at));
            if (is_new) jbw_block_store_keep(&invariant->store, block);
        }
    }
    return true;
}

// ---- patches ----

jbw_status jbw_invariant_make(jbw_invariant *invariant, jbw_position patch, uint8_t *cells)
{
    const jbw_invariant_plan *plan = &invariant->plan;
    const int size = invariant->model->patch_size;
    const square target = {.corner = {patch.x * size, patch.y * size}, .side = size};
    if (plan->stage_count == 0)
        memset(cells, 0, (size_t)invariant->model->patch_cells);
    else if (!load(invariant, plan->stage_count - 1, target, cells))
        return JBW_OUT_OF_MEMORY;
    if (!plan->has_free) return JBW_OK;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            if (cells[y * size + x] == 0)
                cells[y * size + x] = jbw_invariant_free_item(
                    plan, invariant->seed,
                    (jbw_position){target.corner.x + x, target.corner.y + y});
    return JBW_OK;
}
