// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/invariant.h"

#include <string.h>

struct jbw_invariant {
    const jbw_model *model;
    uint64_t seed;
    jbw_invariant_plan plan;
    jbw_block_builder builder; // if the plan has stages
    jbw_block_worker *worker;  // of the calling thread
};

jbw_status jbw_invariant_create(const jbw_model *model, uint64_t seed, size_t budget,
                                jbw_invariant **out)
{
    *out = NULL;
    jbw_invariant *invariant = jbw_alloc_zero(&model->allocator, 1, sizeof *invariant);
    if (!invariant) return JBW_OUT_OF_MEMORY;
    invariant->model = model;
    invariant->seed = seed;
    bool has_room = jbw_invariant_plan_init(&invariant->plan, model, seed);
    if (has_room && invariant->plan.stage_count > 0) {
        has_room = jbw_block_builder_init(&invariant->builder, &invariant->plan, seed, budget);
        if (has_room) invariant->worker = jbw_block_builder_add_worker(&invariant->builder, false);
        has_room = has_room && invariant->worker;
    }
    if (!has_room) {
        jbw_invariant_destroy(invariant); // accepts a half-built one
        return JBW_OUT_OF_MEMORY;
    }
    *out = invariant;
    return JBW_OK;
}

void jbw_invariant_destroy(jbw_invariant *invariant)
{
    if (!invariant) return;
    const jbw_thread_hooks *hooks = &invariant->builder.hooks;
    if (hooks->end) hooks->end(hooks->user);
    jbw_block_builder_deinit(&invariant->builder);
    jbw_invariant_plan_deinit(&invariant->plan);
    jbw_free(&invariant->model->allocator, invariant, sizeof *invariant);
}

jbw_block_builder *jbw_invariant_blocks(jbw_invariant *invariant)
{
    return invariant->plan.stage_count > 0 ? &invariant->builder : NULL;
}

size_t jbw_invariant_bytes(jbw_invariant *invariant)
{
    return sizeof *invariant + jbw_arena_bytes(&invariant->plan.arena) +
           (invariant->worker ? jbw_block_builder_bytes(&invariant->builder) : 0);
}

uint64_t jbw_invariant_proposals(jbw_invariant *invariant)
{
    return jbw_block_builder_proposals(&invariant->builder);
}

uint64_t jbw_invariant_accepted(jbw_invariant *invariant)
{
    return jbw_block_builder_accepted(&invariant->builder);
}

void jbw_invariant_set_interrupt(jbw_invariant *invariant, jbw_interrupt interrupt)
{
    if (invariant->worker) invariant->worker->dynamics.interrupt = interrupt;
}

jbw_status jbw_invariant_make(jbw_invariant *invariant, jbw_position patch, uint8_t *cells)
{
    const jbw_invariant_plan *plan = &invariant->plan;
    const int size = invariant->model->patch_size;
    if (invariant->worker) invariant->worker->dynamics.is_interrupted = false;
    const jbw_region target = {patch.x * size, patch.y * size, size, size};
    if (plan->stage_count == 0)
        memset(cells, 0, (size_t)invariant->model->patch_cells);
    else if (!jbw_block_builder_load(&invariant->builder, invariant->worker, target, cells))
        return invariant->worker->dynamics.is_interrupted ? JBW_INTERRUPTED : JBW_OUT_OF_MEMORY;
    jbw_independent_types_fill_square(&plan->independent_types, invariant->seed,
                                      (jbw_position){target.x, target.y}, size, cells);
    return JBW_OK;
}
