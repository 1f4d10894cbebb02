// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/invariant_run.h"

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/noise.h"

enum { WORD = 64 };

bool jbw_invariant_runner_init(jbw_invariant_runner *runner, const jbw_invariant_plan *plan,
                               uint64_t seed)
{
    *runner = (jbw_invariant_runner){.plan = plan, .seed = seed, .slow_type = -1};
    const jbw_allocator *allocator = &plan->model->allocator;
    const size_t types = (size_t)plan->model->type_count;
    runner->word_sheets = jbw_alloc_zero(allocator, types, sizeof *runner->word_sheets);
    runner->cell_sheets = jbw_alloc_zero(allocator, types, sizeof *runner->cell_sheets);
    runner->is_drawn = jbw_alloc_zero(allocator, types, sizeof *runner->is_drawn);
    return runner->word_sheets && runner->cell_sheets && runner->is_drawn &&
           jbw_pane_init(&runner->pane, plan, plan->most_side);
}

void jbw_invariant_runner_deinit(jbw_invariant_runner *runner)
{
    if (!runner->plan) return;
    const jbw_allocator *allocator = &runner->plan->model->allocator;
    const size_t types = (size_t)runner->plan->model->type_count;
    jbw_free(allocator, runner->word_sheets, types * sizeof *runner->word_sheets);
    jbw_free(allocator, runner->cell_sheets, types * sizeof *runner->cell_sheets);
    jbw_free(allocator, runner->is_drawn, types * sizeof *runner->is_drawn);
    jbw_agenda_deinit(&runner->agenda, allocator);
    jbw_agenda_deinit(&runner->lows, allocator);
    jbw_pane_deinit(&runner->pane);
    *runner = (jbw_invariant_runner){0};
}

size_t jbw_invariant_runner_bytes(const jbw_invariant_runner *runner)
{
    return jbw_pane_bytes(&runner->pane) + jbw_agenda_bytes(&runner->agenda) +
           jbw_agenda_bytes(&runner->lows) +
           (size_t)runner->plan->model->type_count * (2 * sizeof(uint64_t) + sizeof(bool));
}

static void put(jbw_invariant_runner *runner, jbw_agenda *agenda, jbw_draw draw)
{
    if (!jbw_agenda_put(agenda, &runner->plan->model->allocator, draw))
        runner->is_out_of_memory = true;
}

// ---- listing draws ----

// Puts the low draws of a type on an agenda, one in 2^halvings active cells: tiles of so many cells
// have as many as Poisson says. The lowest bits of a draw's key say where in its tile it is.
static void list_low_draws(jbw_invariant_runner *runner, jbw_agenda *agenda, int slice, int type,
                           int halvings)
{
    const jbw_pane *pane = &runner->pane;
    const jbw_pane_part *active = &pane->active;
    const jbw_position origin = pane->window.origin;
    const int width_bits = (halvings + 1) / 2;
    const int64_t width = INT64_C(1) << width_bits;
    const int64_t height = INT64_C(1) << (halvings - width_bits);
    const uint64_t sheet =
        jbw_noise_sheet(runner->seed, (uint64_t)slice, (uint64_t)type, JBW_NOISE_TILES);
    const int64_t left = jbw_floor_divide(origin.x + active->left, width);
    const int64_t right = jbw_floor_divide(origin.x + active->right - 1, width);
    const int64_t bottom = jbw_floor_divide(origin.y + active->bottom, height);
    const int64_t top = jbw_floor_divide(origin.y + active->top - 1, height);
    for (int64_t tile_y = bottom; tile_y <= top; tile_y++) {
        const uint64_t row = jbw_noise_row(sheet, tile_y);
        for (int64_t tile_x = left; tile_x <= right; tile_x++) {
            uint64_t key = jbw_noise_at(row, tile_x);
            for (int i = jbw_noise_count(key); i > 0; i--) {
                key = jbw_noise_next(key);
                const int64_t in_x = (int64_t)(key & (uint64_t)(width - 1));
                const int64_t in_y = (int64_t)(key >> width_bits & (uint64_t)(height - 1));
                const int x = (int)(tile_x * width + in_x - origin.x);
                const int y = (int)(tile_y * height + in_y - origin.y);
                if (x < active->left || x >= active->right || y < active->bottom ||
                    y >= active->top)
                    continue;
                put(runner, agenda,
                    (jbw_draw){.key = key,
                               .x = (uint16_t)x,
                               .y = (uint16_t)y,
                               .type = (uint16_t)type,
                               .kind = JBW_DRAW_LOW});
            }
        }
    }
}

// the bits of a word that lie in the active part
static uint64_t active_bits(const jbw_pane_part *active, int word)
{
    const int left = active->left - word * WORD;
    const int right = active->right - word * WORD;
    if (right <= 0 || left >= WORD) return 0;
    const uint64_t from = left > 0 ? UINT64_MAX << left : UINT64_MAX;
    const uint64_t up_to = right < WORD ? UINT64_MAX >> (WORD - right) : UINT64_MAX;
    return from & up_to;
}

// Puts those draws of 64 cells on the agenda that are not low, and where `bits` says that something
// is likely. Draws before `runner->now` are past, if `is_late`.
static void list_word(jbw_invariant_runner *runner, int type, int word, int y, uint64_t bits,
                      bool is_late)
{
    const jbw_pane *pane = &runner->pane;
    const jbw_position origin = pane->window.origin;
    bits &= active_bits(&pane->active, word);
    if (bits == 0) return;
    const uint64_t word_row = jbw_noise_row(runner->word_sheets[type], origin.y + y);
    bits &= jbw_noise_word(word_row, jbw_floor_divide(origin.x, WORD) + word, runner->halvings);
    if (bits == 0) return;
    const uint64_t cell_row = jbw_noise_row(runner->cell_sheets[type], origin.y + y);
    for (; bits != 0; bits &= bits - 1) {
        const int x = word * WORD + jbw_lowest_bit(bits);
        const jbw_draw draw = {.key = jbw_noise_at(cell_row, origin.x + x),
                               .x = (uint16_t)x,
                               .y = (uint16_t)y,
                               .type = (uint16_t)type,
                               .kind = JBW_DRAW_HIGH};
        if (!is_late || jbw_draw_is_before(&runner->now, &draw)) put(runner, &runner->agenda, draw);
    }
}

static const uint64_t *likely_row(const jbw_pane *pane, int type, int y)
{
    return pane->likely +
           ((size_t)type * (size_t)pane->window.height + (size_t)y) * (size_t)pane->word_count;
}

static void list_likely(jbw_invariant_runner *runner, int type)
{
    const jbw_pane *pane = &runner->pane;
    for (int y = jbw_pane_next_row(pane, type, pane->active.bottom); y < pane->active.top;
         y = jbw_pane_next_row(pane, type, y + 1)) {
        const uint64_t *row = likely_row(pane, type, y);
        for (int word = 0; word < pane->word_count; word++)
            if (row[word] != 0) list_word(runner, type, word, y, row[word], false);
    }
}

static bool is_any_likely(const jbw_pane *pane, int type)
{
    for (int y = jbw_pane_next_row(pane, type, pane->active.bottom); y < pane->active.top;
         y = jbw_pane_next_row(pane, type, y + 1)) {
        const uint64_t *row = likely_row(pane, type, y);
        for (int word = 0; word < pane->word_count; word++)
            if ((row[word] & active_bits(&pane->active, word)) != 0) return true;
    }
    return false;
}

// What has become likely through a change may have draws that are still to come in this slice.
static void list_fresh(void *user, int type, int word, int y, uint64_t bits)
{
    jbw_invariant_runner *runner = user;
    if (runner->slow_type >= 0 ? type == runner->slow_type : runner->is_drawn[type])
        list_word(runner, type, word, y, bits, true);
}

static void name_sheets(jbw_invariant_runner *runner, uint64_t time, int type)
{
    runner->word_sheets[type] =
        jbw_noise_sheet(runner->seed, time, (uint64_t)type, JBW_NOISE_WORDS);
    runner->cell_sheets[type] =
        jbw_noise_sheet(runner->seed, time, (uint64_t)type, JBW_NOISE_CELLS);
}

// ---- deciding ----

// min(1, e^x), and zero where a number of 53 bits could not tell
static double probability(double x)
{
    return x >= 0.0 ? 1.0 : x < -37.0 ? 0.0 : jbw_exp(x);
}

static bool passes(const jbw_invariant_type *type, const jbw_draw *draw, double p)
{
    if (p == 0.0) return false;
    const double unit = jbw_noise_unit(draw->key);
    switch ((jbw_draw_kind)draw->kind) {
    case JBW_DRAW_LOW: return unit < p * type->low_factor;
    case JBW_DRAW_HIGH: return unit < p - type->low_bound;
    }
    return false;
}

static void decide(jbw_invariant_runner *runner, const jbw_draw *draw)
{
    jbw_pane *pane = &runner->pane;
    const int t = draw->type;
    const int cell = pane->cells[draw->y * pane->window.width + draw->x];
    runner->proposal_count++;
    if (cell != 0 && cell != t + 1) return;
    const jbw_invariant_type *type = &runner->plan->types[t];
    const double energy =
        (double)jbw_pane_field(pane, t, draw->x, draw->y) * runner->plan->model->scales[t].unit;
    const double intensity =
        type->is_constant
            ? type->constant
            : jbw_invariant_intensity(
                  runner->plan, t,
                  (jbw_position){pane->window.origin.x + draw->x, pane->window.origin.y + draw->y});
    const double x = intensity + energy;
    const double p = probability(cell == 0 ? x : -x);
    if (draw->kind == JBW_DRAW_HIGH && p <= type->low_bound)
        jbw_pane_forget(pane, t, draw->x, draw->y);
    if (!passes(type, draw, p)) return;
    runner->accepted_count++;
    jbw_pane_flip(pane, t, draw->x, draw->y, list_fresh, runner);
}

static void decide_all(jbw_invariant_runner *runner)
{
    if (!jbw_agenda_begin(&runner->agenda, &runner->plan->model->allocator))
        runner->is_out_of_memory = true;
    while (!runner->is_out_of_memory && jbw_agenda_take(&runner->agenda, &runner->now)) {
        const jbw_draw draw = runner->now;
        decide(runner, &draw);
    }
}

// ---- slices ----

// A slow type is drawn in many subslices. Its low draws have the number of their subslice as the
// highest bits of their keys. A subslice without any does nothing unless something is likely, so
// such are passed over.
static void run_slow_type(jbw_invariant_runner *runner, int slice, int type)
{
    const int bits = runner->plan->types[type].low - JBW_SLOW_HALVINGS + JBW_SUBSLICE_HALVINGS;
    const uint64_t count = UINT64_C(1) << bits;
    jbw_agenda *lows = &runner->lows;
    runner->slow_type = type;
    runner->halvings = JBW_SUBSLICE_HALVINGS;
    list_low_draws(runner, lows, slice, type, JBW_SLOW_HALVINGS);
    if (!jbw_agenda_begin(lows, &runner->plan->model->allocator)) runner->is_out_of_memory = true;
    bool is_stale = false; // the mask may say too much
    for (uint64_t i = 0; i < count && !runner->is_out_of_memory; i++) {
        if (!is_any_likely(&runner->pane, type)) {
            const jbw_draw *next = jbw_agenda_first(lows);
            if (!next) break;
            i = next->key >> (WORD - bits);
        }
        name_sheets(runner, (uint64_t)slice + ((i + 1) << 32), type);
        list_likely(runner, type);
        while (jbw_agenda_first(lows) && jbw_agenda_first(lows)->key >> (WORD - bits) == i) {
            jbw_draw draw;
            jbw_agenda_take(lows, &draw);
            draw.key <<= bits;
            put(runner, &runner->agenda, draw);
        }
        const uint64_t accepted = runner->accepted_count;
        decide_all(runner);
        if (runner->accepted_count > accepted) {
            is_stale = true;
        } else if (is_stale) {
            jbw_pane_tidy(&runner->pane, type);
            is_stale = false;
        }
    }
    jbw_agenda_clear(lows);
    runner->slow_type = -1;
}

static void run_slice(jbw_invariant_runner *runner, int slice)
{
    const int types = runner->plan->model->type_count;
    for (int t = 0; t < types && slice >= JBW_FIRST_SLICE; t++)
        if (runner->plan->types[t].role == JBW_ROLE_FIRST) run_slow_type(runner, slice, t);
    if (slice >= JBW_FIRST_SLICE) return;

    const bool is_early = slice < JBW_EARLY_SLICES;
    const int late = slice - JBW_EARLY_SLICES;
    for (int t = 0; t < types && !is_early && late % JBW_SLOW_PERIOD == 0; t++)
        if (runner->plan->types[t].role == JBW_ROLE_SLOW) run_slow_type(runner, slice, t);

    runner->halvings = is_early ? JBW_EARLY_HALVINGS : 0;
    for (int t = 0; t < types; t++) {
        const jbw_invariant_type *type = &runner->plan->types[t];
        runner->is_drawn[t] =
            type->role == JBW_ROLE_NORMAL && (is_early || late % type->period == 0);
        if (!runner->is_drawn[t]) continue;
        name_sheets(runner, (uint64_t)slice, t);
        list_low_draws(runner, &runner->agenda, slice, t, type->low + runner->halvings);
        list_likely(runner, t);
    }
    decide_all(runner);
}

bool jbw_invariant_run(jbw_invariant_runner *runner, const jbw_invariant_stage *stage)
{
    jbw_pane *pane = &runner->pane;
    const jbw_pane_part all = pane->active;
    const int count = stage->end_slice - stage->first_slice;
    runner->is_out_of_memory = false;
    for (int i = 0; i < count && !runner->is_out_of_memory; i++) {
        const int lost =
            count > 1 ? (stage->first_margin - stage->last_margin) * i / (count - 1) : 0;
        jbw_pane_shrink(pane, (jbw_pane_part){.left = all.left + lost,
                                              .right = all.right - lost,
                                              .bottom = all.bottom + lost,
                                              .top = all.top - lost});
        // while all is new, what was likely soon is not; later, it is noticed when it is drawn
        if (i == 0 || stage->first_slice + i <= JBW_EARLY_SLICES) jbw_pane_refresh(pane);
        run_slice(runner, stage->first_slice + i);
    }
    jbw_agenda_clear(&runner->agenda);
    return !runner->is_out_of_memory;
}
