// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/sweep.h"

#include "base/divide.h"
#include "sim/generate/invariant/draws.h"
#include "sim/generate/invariant/noise.h"

enum { SQUARE = 64 };

/// Where squares lie in a slice, and how they are swept.
typedef struct sweep {
    jbw_dynamics *runner;
    uint64_t draw_mask; // a cell has a draw if these bits of its number are zero
    uint64_t order;     // noise of rows
    int colours;        // along each axis
    int left,
        bottom; // of the square that the workspace's corner is in, in the workspace's coordinates
    int columns, rows;      // of squares
    int colour_x, colour_y; // of that square
    bool is_downward;
} sweep;

// ---- low draws ----

static uint64_t *low_mask(const jbw_dynamics *runner, int type)
{
    const jbw_workspace *workspace = &runner->workspace;
    return workspace->low +
           (ptrdiff_t)type * workspace->window.height * (workspace->word_count + 1);
}

// which cells of the workspace have a low draw, if they have one
static void find_low_draws(jbw_dynamics *runner, uint64_t time, int type)
{
    const jbw_workspace *workspace = &runner->workspace;
    const jbw_few *few = &runner->plan->types[type].few;
    const uint64_t sheet = jbw_noise_sheet(runner->seed, time, (uint64_t)type, JBW_NOISE_LOW);
    const int64_t first = jbw_floor_divide(workspace->window.origin.x, JBW_WORD);
    uint64_t *mask = low_mask(runner, type);
    for (int y = workspace->active.bottom; y < workspace->active.top; y++) {
        const uint64_t row = jbw_noise_row(sheet, workspace->window.origin.y + y);
        for (int word = 0; word < workspace->word_count; word++)
            mask[y * (workspace->word_count + 1) + word] =
                jbw_noise_few(jbw_noise_at(row, first + word), few);
    }
}

// ---- one row of a square ----

static int highest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return 63 - __builtin_clzll(word);
#else
    int number = 63;
    while ((word >> number & 1) == 0) number--;
    return number;
#endif
}

// Sweeps the cells [left, right) of a row, at most 64 of them, for one type.
static void sweep_cells(const sweep *s, int type, int left, int right, int y, bool is_leftward)
{
    jbw_dynamics *runner = s->runner;
    const jbw_workspace *workspace = &runner->workspace;
    const jbw_gauge *gauge = &runner->gauges[type];
    const jbw_position origin = workspace->window.origin;
    uint64_t ahead = UINT64_MAX >> (SQUARE - (right - left)); // cells whose turn is still to come
    const uint64_t low =
        jbw_bits_from(low_mask(runner, type) + (ptrdiff_t)y * (workspace->word_count + 1), left) &
        ahead;
    uint64_t likely = jbw_gauge_find_likely(gauge, left, y, ahead);
    const uint64_t row = jbw_noise_row(runner->sheets[type], origin.y + y);
    while (((likely | low) & ahead) != 0) {
        const uint64_t next = (likely | low) & ahead;
        const int i = is_leftward ? highest_bit(next) : jbw_lowest_bit(next);
        const uint64_t bit = UINT64_C(1) << i;
        ahead &= is_leftward ? bit - 1 : ~(bit | (bit - 1));
        const uint64_t number = jbw_noise_at(row, origin.x + left + i);
        if ((number & s->draw_mask) != 0) continue;
        const jbw_draw_kind kind = (low & bit) != 0 ? JBW_DRAW_LOW : JBW_DRAW_HIGH;
        if (jbw_invariant_decide(runner, type, left + i, y, kind, number) && ahead != 0)
            likely = jbw_gauge_find_likely(gauge, left, y, ahead);
    }
}

static void sweep_row(const sweep *s, int left, int right, int y)
{
    const int types = s->runner->plan->model->type_count;
    const uint64_t order = jbw_noise_row(s->order, s->runner->workspace.window.origin.y + y);
    const int first = (int)((order >> 8) % (uint64_t)types);
    for (int i = 0; i < types; i++) {
        const int type = (first + ((order & 2) != 0 ? i : types - i)) % types;
        if (s->runner->is_drawn[type]) sweep_cells(s, type, left, right, y, (order & 1) != 0);
    }
}

// ---- all squares ----

static void sweep_square(const sweep *s, int column, int row)
{
    const jbw_workspace_part *active = &s->runner->workspace.active;
    const int left = s->left + column * SQUARE;
    const int bottom = s->bottom + row * SQUARE;
    const jbw_workspace_part whole = {left, left + SQUARE, bottom, bottom + SQUARE};
    const jbw_workspace_part part = jbw_workspace_common(&whole, active);
    if (part.left >= part.right || part.bottom >= part.top) return;
    for (int t = 0; t < s->runner->plan->model->type_count; t++)
        if (s->runner->is_drawn[t])
            jbw_workspace_narrow_gauge(&s->runner->workspace, t, left, bottom, SQUARE,
                                       &s->runner->gauges[t]);
    for (int i = 0; i < part.top - part.bottom; i++)
        sweep_row(s, part.left, part.right, s->is_downward ? part.top - 1 - i : part.bottom + i);
}

static sweep begin_sweep(jbw_dynamics *runner, uint64_t time, int halvings)
{
    const jbw_window *window = &runner->workspace.window;
    const uint64_t order = jbw_noise_sheet(runner->seed, time, 0, JBW_NOISE_ORDER);
    const int colours = 1 + (runner->plan->model->reach + SQUARE - 1) / SQUARE;
    const int64_t period = (int64_t)colours * SQUARE;
    const int64_t shifted_x =
        window->origin.x + (int64_t)((order >> 8 & 0xffff) % (uint64_t)period);
    const int64_t shifted_y =
        window->origin.y + (int64_t)((order >> 24 & 0xffff) % (uint64_t)period);
    sweep s = {
        .runner = runner,
        .draw_mask = (UINT64_C(1) << halvings) - 1,
        .order = order,
        .colours = colours,
        .left = -(int)jbw_floor_modulo(shifted_x, SQUARE),
        .bottom = -(int)jbw_floor_modulo(shifted_y, SQUARE),
        .colour_x = (int)(jbw_floor_modulo(shifted_x, period) / SQUARE),
        .colour_y = (int)(jbw_floor_modulo(shifted_y, period) / SQUARE),
        .is_downward = (order & 1) != 0,
    };
    s.columns = (window->width - s.left + SQUARE - 1) / SQUARE;
    s.rows = (window->height - s.bottom + SQUARE - 1) / SQUARE;
    return s;
}

void jbw_sweep(jbw_dynamics *runner, uint64_t time, int halvings)
{
    const sweep s = begin_sweep(runner, time, halvings);
    for (int type = 0; type < runner->plan->model->type_count; type++) {
        if (!runner->is_drawn[type]) continue;
        runner->sheets[type] = jbw_noise_sheet(runner->seed, time, (uint64_t)type, JBW_NOISE_CELLS);
        runner->gauges[type] = jbw_workspace_gauge(&runner->workspace, type);
        find_low_draws(runner, time, type);
    }
    for (int colour = 0; colour < s.colours * s.colours; colour++) {
        const int first_row = (colour / s.colours + s.colours - s.colour_y) % s.colours;
        const int first_column = (colour % s.colours + s.colours - s.colour_x) % s.colours;
        for (int row = first_row; row < s.rows; row += s.colours)
            for (int column = first_column; column < s.columns; column += s.colours)
                sweep_square(&s, column, row);
    }
}
