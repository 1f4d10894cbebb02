// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/dynamics.h"

#include "sim/generate/invariant/draws.h"
#include "sim/generate/invariant/noise.h"
#include "sim/generate/invariant/sweep.h"

static size_t bytes_per_type(void)
{
    return sizeof(uint64_t) + sizeof(bool) + sizeof(jbw_gauge) + JBW_ODDS * sizeof(jbw_odds);
}

bool jbw_dynamics_init(jbw_dynamics *runner, const jbw_invariant_plan *plan, uint64_t seed)
{
    *runner = (jbw_dynamics){.plan = plan, .seed = seed};
    const jbw_allocator *allocator = &plan->model->allocator;
    const size_t types = (size_t)plan->model->type_count;
    runner->sheets = jbw_alloc_zero(allocator, types, sizeof *runner->sheets);
    runner->is_drawn = jbw_alloc_zero(allocator, types, sizeof *runner->is_drawn);
    runner->gauges = jbw_alloc_zero(allocator, types, sizeof *runner->gauges);
    runner->odds = jbw_alloc_zero(allocator, types * JBW_ODDS, sizeof *runner->odds);
    if (!runner->sheets || !runner->is_drawn || !runner->gauges || !runner->odds) return false;
    // so that no energy finds itself there before its odds are known: zero belongs into the first
    for (size_t i = 0; i < types; i++) runner->odds[i * JBW_ODDS].energy = 1;
    return jbw_workspace_init(&runner->workspace, plan, plan->most_side);
}

void jbw_dynamics_deinit(jbw_dynamics *runner)
{
    if (!runner->plan) return;
    const jbw_allocator *allocator = &runner->plan->model->allocator;
    const size_t types = (size_t)runner->plan->model->type_count;
    jbw_free(allocator, runner->sheets, types * sizeof *runner->sheets);
    jbw_free(allocator, runner->is_drawn, types * sizeof *runner->is_drawn);
    jbw_free(allocator, runner->gauges, types * sizeof *runner->gauges);
    jbw_free(allocator, runner->odds, types * JBW_ODDS * sizeof *runner->odds);
    jbw_draw_queue_deinit(&runner->agenda, allocator);
    jbw_draw_queue_deinit(&runner->lows, allocator);
    jbw_workspace_deinit(&runner->workspace);
    *runner = (jbw_dynamics){0};
}

size_t jbw_dynamics_bytes(const jbw_dynamics *runner)
{
    return jbw_workspace_bytes(&runner->workspace) + jbw_draw_queue_bytes(&runner->agenda) +
           jbw_draw_queue_bytes(&runner->lows) +
           (size_t)runner->plan->model->type_count * bytes_per_type();
}

// ---- slow types ----

// Puts those draws of 64 cells on the agenda that are not low, and where `bits` says that something
// is likely. Draws before `runner->now` are past, if `is_late`.
static void list_word(jbw_dynamics *runner, int word, int y, uint64_t bits, bool is_late)
{
    const jbw_workspace *workspace = &runner->workspace;
    const jbw_position origin = workspace->window.origin;
    const int type = workspace->watched_type;
    const uint64_t row = jbw_noise_row(runner->sheets[type], origin.y + y);
    for (; bits != 0; bits &= bits - 1) {
        const int x = word * JBW_WORD + jbw_lowest_bit(bits);
        const jbw_draw draw = {.key = jbw_noise_at(row, origin.x + x),
                               .x = (uint16_t)x,
                               .y = (uint16_t)y,
                               .type = (uint16_t)type,
                               .kind = JBW_DRAW_NOT_LOW};
        if (draw.key % (1 << JBW_SUBSLICE_HALVINGS) != 0) continue;
        if (!is_late || jbw_draw_is_before(&runner->now, &draw))
            jbw_invariant_put(runner, &runner->agenda, draw);
    }
}

static const uint64_t *watched_row(const jbw_workspace *workspace, int y)
{
    return workspace->watched + (ptrdiff_t)y * (workspace->word_count + 1);
}

static void list_likely(jbw_dynamics *runner)
{
    const jbw_workspace *workspace = &runner->workspace;
    for (int y = jbw_workspace_next_row(workspace, workspace->active.bottom);
         y < workspace->active.top; y = jbw_workspace_next_row(workspace, y + 1))
        for (int word = 0; word < workspace->word_count; word++)
            if (watched_row(workspace, y)[word] != 0)
                list_word(runner, word, y, watched_row(workspace, y)[word], false);
}

static bool is_any_likely(const jbw_workspace *workspace)
{
    for (int y = jbw_workspace_next_row(workspace, workspace->active.bottom);
         y < workspace->active.top; y = jbw_workspace_next_row(workspace, y + 1))
        for (int word = 0; word < workspace->word_count; word++)
            if (watched_row(workspace, y)[word] != 0) return true;
    return false;
}

// What has become likely through a change may have draws that are still to come.
static void list_fresh(void *user, int word, int y, uint64_t bits)
{
    list_word(user, word, y, bits, true);
}

static bool decide(jbw_dynamics *runner, const jbw_draw *draw)
{
    return jbw_invariant_decide(runner, draw->type, draw->x, draw->y, (jbw_draw_kind)draw->kind,
                                draw->key);
}

// decides what is on the agenda; true if something has changed
static bool decide_all(jbw_dynamics *runner)
{
    bool is_changed = false;
    if (!jbw_draw_queue_begin(&runner->agenda, &runner->plan->model->allocator))
        runner->is_out_of_memory = true;
    while (!runner->is_out_of_memory && jbw_draw_queue_take(&runner->agenda, &runner->now)) {
        const jbw_draw *now = &runner->now;
        if (!decide(runner, now)) continue;
        is_changed = true;
        jbw_workspace_watch_change(&runner->workspace, now->x, now->y, list_fresh, runner);
    }
    return is_changed;
}

// A slow type is drawn in many subslices. Its low draws have the number of their subslice as the
// highest bits of their keys. A subslice without any does nothing unless something is likely, so
// such are passed over.
static void run_slow_type(jbw_dynamics *runner, int slice, int type)
{
    const int bits = runner->plan->types[type].low - JBW_SLOW_HALVINGS + JBW_SUBSLICE_HALVINGS;
    const uint64_t count = UINT64_C(1) << bits;
    jbw_draw_queue *lows = &runner->lows;
    jbw_workspace_watch(&runner->workspace, type);
    jbw_invariant_list(runner, lows, slice, type, JBW_SLOW_HALVINGS, JBW_DRAW_LOW);
    if (!jbw_draw_queue_begin(lows, &runner->plan->model->allocator))
        runner->is_out_of_memory = true;
    bool is_stale = false; // the mask may say too much
    for (uint64_t i = 0; i < count && !runner->is_out_of_memory; i++) {
        if (!is_any_likely(&runner->workspace)) {
            const jbw_draw *next = jbw_draw_queue_first(lows);
            if (!next) break;
            i = next->key >> (JBW_WORD - bits);
        }
        runner->sheets[type] = jbw_noise_sheet(runner->seed, (uint64_t)slice + ((i + 1) << 32),
                                               (uint64_t)type, JBW_NOISE_CELLS);
        list_likely(runner);
        while (jbw_draw_queue_first(lows) &&
               jbw_draw_queue_first(lows)->key >> (JBW_WORD - bits) == i) {
            jbw_draw draw;
            jbw_draw_queue_take(lows, &draw);
            draw.key <<= bits;
            jbw_invariant_put(runner, &runner->agenda, draw);
        }
        if (decide_all(runner)) {
            is_stale = true;
        } else if (is_stale) {
            jbw_workspace_tidy(&runner->workspace);
            is_stale = false;
        }
    }
    jbw_draw_queue_clear(lows);
}

// ---- slices ----

// While all is empty much happens everywhere, so all draws are listed; and no place may be ahead of
// others, so their order is random all over the plane.
static void run_open_slice(jbw_dynamics *runner, int slice)
{
    for (int t = 0; t < runner->plan->model->type_count; t++)
        if (runner->is_drawn[t])
            jbw_invariant_list(runner, &runner->agenda, slice, t, JBW_OPEN_HALVINGS, JBW_DRAW_ANY);
    if (!jbw_draw_queue_begin(&runner->agenda, &runner->plan->model->allocator))
        runner->is_out_of_memory = true;
    while (!runner->is_out_of_memory && jbw_draw_queue_take(&runner->agenda, &runner->now))
        decide(runner, &runner->now);
}

// how rare draws are that are swept
static int swept_halvings(int slice)
{
    if (slice >= JBW_EARLY_SLICES) return 0;
    if (slice < JBW_OPEN_SLICES) return JBW_OPEN_HALVINGS;
    return slice == JBW_OPEN_SLICES ? JBW_OPEN_HALVINGS - 1 : JBW_OPEN_HALVINGS - 2;
}

// chooses the normal types that are drawn in a slice; false if there is none
static bool choose_normal_types(jbw_dynamics *runner, int slice)
{
    const int late = slice - JBW_EARLY_SLICES;
    bool is_any_drawn = false;
    for (int t = 0; t < runner->plan->model->type_count; t++) {
        const jbw_invariant_type *type = &runner->plan->types[t];
        runner->is_drawn[t] =
            type->role == JBW_ROLE_NORMAL && (late < 0 || late % type->period == 0);
        is_any_drawn = is_any_drawn || runner->is_drawn[t];
    }
    return is_any_drawn;
}

static bool choose_patchy_types(jbw_dynamics *runner)
{
    bool is_any_drawn = false;
    for (int t = 0; t < runner->plan->model->type_count; t++) {
        runner->is_drawn[t] = runner->plan->types[t].is_patchy;
        is_any_drawn = is_any_drawn || runner->is_drawn[t];
    }
    return is_any_drawn;
}

static void run_slice(jbw_dynamics *runner, int slice)
{
    const int types = runner->plan->model->type_count;
    for (int t = 0; t < types && slice >= JBW_FIRST_SLICE; t++)
        if (runner->plan->types[t].role == JBW_ROLE_FIRST) run_slow_type(runner, slice, t);
    if (slice >= JBW_FIRST_SLICE) return;

    // the borders of their blocks lie in the middle of those of the next stage, and heal there
    for (int t = 0; t < types && slice == 0; t++)
        if (runner->plan->types[t].role == JBW_ROLE_FIRST)
            run_slow_type(runner, JBW_HEALING_SLICE, t);

    const bool is_early = slice < JBW_EARLY_SLICES;
    const int late = slice - JBW_EARLY_SLICES;
    for (int t = 0; t < types && !is_early && late % JBW_SLOW_PERIOD == 0; t++)
        if (runner->plan->types[t].role == JBW_ROLE_SLOW) run_slow_type(runner, slice, t);

    jbw_workspace_stop_watching(&runner->workspace);
    if (choose_normal_types(runner, slice)) {
        if (slice < JBW_OPEN_SLICES && runner->plan->is_crowding)
            run_open_slice(runner, slice);
        else
            jbw_sweep(runner, (uint64_t)slice, swept_halvings(slice));
    }
    if (is_early || !choose_patchy_types(runner)) return;
    for (uint64_t turn = 1; turn <= JBW_PATCHY_TURNS; turn++)
        jbw_sweep(runner, (uint64_t)slice + (turn << 32), 0);
}

bool jbw_dynamics_run(jbw_dynamics *runner, const jbw_invariant_stage *stage)
{
    jbw_workspace *workspace = &runner->workspace;
    const jbw_workspace_part all = workspace->active;
    const int count = stage->end_slice - stage->first_slice;
    runner->is_out_of_memory = false;
    for (int i = 0; i < count && !runner->is_out_of_memory; i++) {
        const int lost =
            count > 1 ? (stage->first_margin - stage->last_margin) * i / (count - 1) : 0;
        jbw_workspace_shrink(workspace, (jbw_workspace_part){.left = all.left + lost,
                                                             .right = all.right - lost,
                                                             .bottom = all.bottom + lost,
                                                             .top = all.top - lost});
        run_slice(runner, stage->first_slice + i);
    }
    jbw_draw_queue_clear(&runner->agenda);
    return !runner->is_out_of_memory;
}
