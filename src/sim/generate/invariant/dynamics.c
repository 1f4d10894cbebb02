// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/dynamics.h"

#include <math.h>

#include "sim/generate/invariant/draws.h"
#include "sim/generate/invariant/noise.h"
#include "sim/generate/invariant/sweep.h"

// The time that names the noise of a slice is its number, but for these. They are part of every
// invariant world.
enum {
    FIRST_PHASE_TIME = 1000, // plus the number of the slice
    HEALING_TIME = 2000,
};

// ---- memory ----

static size_t low_draws_size(const jbw_dynamics *dynamics)
{
    return (size_t)dynamics->plan->model->type_count *
           jbw_workspace_mask_capacity(&dynamics->workspace);
}

bool jbw_dynamics_init(jbw_dynamics *dynamics, const jbw_invariant_plan *plan, uint64_t seed)
{
    *dynamics = (jbw_dynamics){.plan = plan, .seed = seed};
    const jbw_allocator *allocator = &plan->model->allocator;
    const size_t types = (size_t)plan->model->type_count;
    dynamics->cell_noise = jbw_alloc_zero(allocator, types, sizeof *dynamics->cell_noise);
    dynamics->is_drawn = jbw_alloc_zero(allocator, types, sizeof *dynamics->is_drawn);
    dynamics->gauges = jbw_alloc_zero(allocator, types, sizeof *dynamics->gauges);
    dynamics->odds = jbw_alloc_zero(allocator, types * JBW_ODDS, sizeof *dynamics->odds);
    if (!dynamics->cell_noise || !dynamics->is_drawn || !dynamics->gauges || !dynamics->odds)
        return false;
    // An empty slot must hold an energy that belongs elsewhere. Zero belongs in the first one.
    for (size_t i = 0; i < types; i++) dynamics->odds[i * JBW_ODDS].energy = 1;
    for (size_t i = 0; i < types * JBW_ODDS; i++) dynamics->odds[i].intensity = NAN;
    if (!jbw_workspace_init(&dynamics->workspace, plan, plan->most_side)) return false;
    dynamics->low_draws =
        jbw_alloc(allocator, low_draws_size(dynamics) * sizeof *dynamics->low_draws);
    return dynamics->low_draws && jbw_hot_levels_init(&dynamics->levels, &dynamics->workspace) &&
           jbw_hot_cells_init(&dynamics->hot, &dynamics->levels);
}

void jbw_dynamics_deinit(jbw_dynamics *dynamics)
{
    if (!dynamics->plan) return;
    const jbw_allocator *allocator = &dynamics->plan->model->allocator;
    const size_t types = (size_t)dynamics->plan->model->type_count;
    jbw_free(allocator, dynamics->cell_noise, types * sizeof *dynamics->cell_noise);
    jbw_free(allocator, dynamics->is_drawn, types * sizeof *dynamics->is_drawn);
    jbw_free(allocator, dynamics->gauges, types * sizeof *dynamics->gauges);
    jbw_free(allocator, dynamics->odds, types * JBW_ODDS * sizeof *dynamics->odds);
    jbw_free(allocator, dynamics->low_draws,
             low_draws_size(dynamics) * sizeof *dynamics->low_draws);
    jbw_draw_queue_deinit(&dynamics->queue, allocator);
    jbw_draw_queue_deinit(&dynamics->low_queue, allocator);
    jbw_hot_cells_deinit(&dynamics->hot);
    jbw_hot_levels_deinit(&dynamics->levels);
    jbw_workspace_deinit(&dynamics->workspace);
    *dynamics = (jbw_dynamics){0};
}

size_t jbw_dynamics_bytes(const jbw_dynamics *dynamics)
{
    const size_t per_type = sizeof *dynamics->cell_noise + sizeof *dynamics->is_drawn +
                            sizeof *dynamics->gauges + JBW_ODDS * sizeof *dynamics->odds;
    return jbw_workspace_bytes(&dynamics->workspace) + jbw_hot_cells_bytes(&dynamics->hot) +
           jbw_hot_levels_bytes(&dynamics->levels) + jbw_draw_queue_bytes(&dynamics->queue) +
           jbw_draw_queue_bytes(&dynamics->low_queue) +
           low_draws_size(dynamics) * sizeof *dynamics->low_draws +
           (size_t)dynamics->plan->model->type_count * per_type;
}

// ---- slow types ----

// Lists the draws of hot cells (`bits` of a word) that are not low. With `is_late`, draws before
// the current one are in the past and are left out.
static void list_word(jbw_dynamics *dynamics, int word, int y, uint64_t bits, bool is_late)
{
    const jbw_position origin = dynamics->workspace.window.origin;
    const int type = dynamics->hot.watched_type;
    const uint64_t row = jbw_noise_row(dynamics->cell_noise[type], origin.y + y);
    for (; bits != 0; bits &= bits - 1) {
        const int x = word * JBW_WORD + jbw_lowest_bit(bits);
        const jbw_draw draw = {.key = jbw_noise_at(row, origin.x + x),
                               .x = (uint16_t)x,
                               .y = (uint16_t)y,
                               .type = (uint16_t)type,
                               .kind = JBW_DRAW_NOT_LOW};
        if (draw.key % (1 << JBW_SUBSLICE_HALVINGS) != 0) continue;
        if (!is_late || jbw_draw_is_before(&dynamics->now, &draw))
            jbw_draw_put(dynamics, &dynamics->queue, draw);
    }
}

static void list_hot_cells(jbw_dynamics *dynamics)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_hot_cells *hot = &dynamics->hot;
    for (int y = jbw_hot_cells_next_row(hot, workspace->active.bottom); y < workspace->active.top;
         y = jbw_hot_cells_next_row(hot, y + 1)) {
        const uint64_t *row = jbw_hot_cells_row(hot, y);
        for (int word = 0; word < workspace->word_count; word++)
            if (row[word] != 0) list_word(dynamics, word, y, row[word], false);
    }
}

static bool is_any_hot(const jbw_dynamics *dynamics)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_hot_cells *hot = &dynamics->hot;
    for (int y = jbw_hot_cells_next_row(hot, workspace->active.bottom); y < workspace->active.top;
         y = jbw_hot_cells_next_row(hot, y + 1)) {
        const uint64_t *row = jbw_hot_cells_row(hot, y);
        for (int word = 0; word < workspace->word_count; word++)
            if (row[word] != 0) return true;
    }
    return false;
}

// cells that have become hot through a change may have draws that are still to come
static void list_found(void *user, int word, int y, uint64_t bits)
{
    list_word(user, word, y, bits, true);
}

static bool decide(jbw_dynamics *dynamics, const jbw_draw *draw)
{
    return jbw_draw_decide(dynamics, draw->type, draw->x, draw->y, (jbw_draw_kind)draw->kind,
                           jbw_noise_unit(draw->key));
}

// decides all draws of the queue; true if a cell has changed
static bool decide_all(jbw_dynamics *dynamics)
{
    bool is_changed = false;
    if (!jbw_draw_queue_begin(&dynamics->queue, &dynamics->plan->model->allocator))
        dynamics->is_out_of_memory = true;
    while (!dynamics->is_out_of_memory && jbw_draw_queue_take(&dynamics->queue, &dynamics->now)) {
        const jbw_draw *now = &dynamics->now;
        if (!decide(dynamics, now)) continue;
        is_changed = true;
        jbw_hot_cells_update(&dynamics->hot, now->x, now->y, list_found, dynamics);
    }
    return is_changed;
}

// A slow type is drawn in many subslices. The keys of its low draws start with the number of their
// subslice. A subslice without low draws has no effect unless some cell is hot, and is skipped.
static void run_slow_type(jbw_dynamics *dynamics, int time, int type)
{
    const int bits =
        dynamics->plan->types[type].low_halvings - JBW_SLOW_HALVINGS + JBW_SUBSLICE_HALVINGS;
    const uint64_t count = UINT64_C(1) << bits;
    jbw_draw_queue *lows = &dynamics->low_queue;
    jbw_hot_cells_watch(&dynamics->hot, type);
    jbw_draw_list(dynamics, lows, time, type, JBW_SLOW_HALVINGS, JBW_DRAW_LOW);
    if (!jbw_draw_queue_begin(lows, &dynamics->plan->model->allocator))
        dynamics->is_out_of_memory = true;
    bool is_stale = false; // the mask of hot cells may contain cold ones
    for (uint64_t i = 0; i < count && !dynamics->is_out_of_memory; i++) {
        if (!is_any_hot(dynamics)) {
            const jbw_draw *next = jbw_draw_queue_first(lows);
            if (!next) break;
            i = next->key >> (JBW_WORD - bits);
        }
        dynamics->cell_noise[type] = jbw_noise_plane(
            dynamics->seed, (uint64_t)time + ((i + 1) << 32), (uint64_t)type, JBW_NOISE_CELLS);
        list_hot_cells(dynamics);
        while (jbw_draw_queue_first(lows) &&
               jbw_draw_queue_first(lows)->key >> (JBW_WORD - bits) == i) {
            jbw_draw draw;
            jbw_draw_queue_take(lows, &draw);
            draw.key <<= bits;
            jbw_draw_put(dynamics, &dynamics->queue, draw);
        }
        if (decide_all(dynamics)) {
            is_stale = true;
        } else if (is_stale) {
            jbw_hot_cells_tidy(&dynamics->hot);
            is_stale = false;
        }
    }
    jbw_draw_queue_clear(lows);
}

// The last type stays watched, so that the next slice can continue with its hot cells. Before other
// types change the workspace, that must be stopped.
static void run_slow_types(jbw_dynamics *dynamics, int time, jbw_invariant_role role)
{
    for (int t = 0; t < dynamics->plan->model->type_count; t++)
        if (dynamics->plan->types[t].role == role) run_slow_type(dynamics, time, t);
}

// ---- slices ----

typedef enum slice_phase { PHASE_FIRST, PHASE_OPEN, PHASE_EARLY, PHASE_LATE } slice_phase;

static slice_phase phase_of(const jbw_invariant_plan *plan, const jbw_invariant_stage *stage,
                            int slice)
{
    if (stage->kind == JBW_STAGE_FIRST) return PHASE_FIRST;
    if (slice == 0 && plan->is_crowding) return PHASE_OPEN;
    return slice < JBW_EARLY_SLICES ? PHASE_EARLY : PHASE_LATE;
}

// Chooses the normal types that are drawn in a late slice, counted from zero; in the first one all
// of them are. False if there is none.
static bool choose_normal_types(jbw_dynamics *dynamics, int late_slice)
{
    bool is_any_drawn = false;
    for (int t = 0; t < dynamics->plan->model->type_count; t++) {
        const jbw_invariant_type *type = &dynamics->plan->types[t];
        dynamics->is_drawn[t] = type->role == JBW_ROLE_NORMAL && late_slice % type->period == 0;
        is_any_drawn = is_any_drawn || dynamics->is_drawn[t];
    }
    return is_any_drawn;
}

static bool choose_patchy_types(jbw_dynamics *dynamics)
{
    bool is_any_drawn = false;
    for (int t = 0; t < dynamics->plan->model->type_count; t++) {
        dynamics->is_drawn[t] = dynamics->plan->types[t].is_patchy;
        is_any_drawn = is_any_drawn || dynamics->is_drawn[t];
    }
    return is_any_drawn;
}

// While the workspace is empty, much happens everywhere, so all draws are listed. No place may be
// ahead of another, so their order is random over the whole workspace.
static void run_open_slice(jbw_dynamics *dynamics, int slice)
{
    choose_normal_types(dynamics, 0);
    for (int t = 0; t < dynamics->plan->model->type_count; t++)
        if (dynamics->is_drawn[t])
            jbw_draw_list(dynamics, &dynamics->queue, slice, t, JBW_OPEN_HALVINGS, JBW_DRAW_ANY);
    if (!jbw_draw_queue_begin(&dynamics->queue, &dynamics->plan->model->allocator))
        dynamics->is_out_of_memory = true;
    while (!dynamics->is_out_of_memory && jbw_draw_queue_take(&dynamics->queue, &dynamics->now))
        decide(dynamics, &dynamics->now);
}

static void run_early_slice(jbw_dynamics *dynamics, int slice)
{
    static const int halvings[JBW_EARLY_SLICES] = {4, 4, 3, 2, 2, 2};
    if (choose_normal_types(dynamics, 0)) jbw_sweep(dynamics, (uint64_t)slice, halvings[slice]);
}

static void run_late_slice(jbw_dynamics *dynamics, int slice)
{
    const int late_slice = slice - JBW_EARLY_SLICES;
    if (late_slice % JBW_SLOW_PERIOD == 0) {
        run_slow_types(dynamics, slice, JBW_ROLE_SLOW);
        jbw_hot_cells_stop(&dynamics->hot);
    }
    if (choose_normal_types(dynamics, late_slice)) jbw_sweep(dynamics, (uint64_t)slice, 0);
    if (!choose_patchy_types(dynamics)) return;
    dynamics->is_extra = true;
    for (uint64_t turn = 1; turn <= JBW_PATCHY_TURNS; turn++)
        jbw_sweep(dynamics, (uint64_t)slice + (turn << 32), 0);
    dynamics->is_extra = false;
}

static void run_slice(jbw_dynamics *dynamics, const jbw_invariant_stage *stage, int slice)
{
    switch (phase_of(dynamics->plan, stage, slice)) {
    case PHASE_FIRST: run_slow_types(dynamics, FIRST_PHASE_TIME + slice, JBW_ROLE_FIRST); break;
    case PHASE_OPEN: run_open_slice(dynamics, slice); break;
    case PHASE_EARLY: run_early_slice(dynamics, slice); break;
    case PHASE_LATE: run_late_slice(dynamics, slice); break;
    }
}

bool jbw_dynamics_run(jbw_dynamics *dynamics, const jbw_invariant_stage *stage)
{
    jbw_workspace *workspace = &dynamics->workspace;
    const jbw_workspace_part all = workspace->active;
    const int count = stage->end_slice - stage->first_slice;
    dynamics->is_out_of_memory = false;
    jbw_hot_levels_begin(&dynamics->levels);
    jbw_hot_cells_stop(&dynamics->hot);

    // the block borders of the first phase lie in the middle of the blocks of this stage, and heal
    if (jbw_invariant_scope(stage) == JBW_SCOPE_ALL) {
        run_slow_types(dynamics, HEALING_TIME, JBW_ROLE_FIRST);
        jbw_hot_cells_stop(&dynamics->hot);
    }

    for (int i = 0; i < count && !dynamics->is_out_of_memory && !dynamics->is_interrupted; i++) {
        const int lost =
            count > 1 ? (stage->first_margin - stage->last_margin) * i / (count - 1) : 0;
        jbw_workspace_shrink(workspace, (jbw_workspace_part){.left = all.left + lost,
                                                             .right = all.right - lost,
                                                             .bottom = all.bottom + lost,
                                                             .top = all.top - lost});
        run_slice(dynamics, stage, stage->first_slice + i);
        if (jbw_interrupt_is_wanted(&dynamics->interrupt)) dynamics->is_interrupted = true;
    }
    jbw_draw_queue_clear(&dynamics->queue);
    return !dynamics->is_out_of_memory && !dynamics->is_interrupted;
}
