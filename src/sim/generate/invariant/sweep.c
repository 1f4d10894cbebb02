// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/sweep.h"

#include "base/divide.h"
#include "sim/generate/invariant/draws.h"
#include "sim/generate/invariant/gauge_cells.h"
#include "sim/generate/invariant/noise.h"
#include "sim/simd.h"

enum { SQUARE = 64 };

/// The layout of the squares of one sweep, and the direction.
typedef struct sweep {
    jbw_dynamics *dynamics;
    uint64_t draw_mask;     // a cell has a draw if these bits of its number are zero
    uint64_t order;         // the plane of noise that orders rows
    int colours;            // along each axis
    int left, bottom;       // of the square that holds the first cell of the workspace
    int colour_x, colour_y; // of that square
    int columns, rows;      // of squares
    bool is_downward;
    int drawn_count;
    uint8_t drawn[JBW_MAX_ITEM_TYPES];      // the types that are drawn
    uint8_t first_up[JBW_MAX_ITEM_TYPES];   // which of them comes first, from a type on upwards,
    uint8_t first_down[JBW_MAX_ITEM_TYPES]; // and downwards
} sweep;

// ---- low draws ----

static uint64_t *low_mask(const jbw_dynamics *dynamics, int type)
{
    return dynamics->low_draws + (size_t)type * jbw_workspace_mask_size(&dynamics->workspace);
}

// finds the active cells whose draw, if they have one, is low
static void find_low_draws(jbw_dynamics *dynamics, uint64_t time, int type)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_binomial *counts = &dynamics->plan->types[type].low_counts;
    const uint64_t plane = jbw_noise_plane(dynamics->seed, time, (uint64_t)type, JBW_NOISE_LOW);
    const int64_t first = jbw_floor_divide(workspace->window.origin.x, JBW_WORD);
    uint64_t *mask = low_mask(dynamics, type);
    for (int y = workspace->active.bottom; y < workspace->active.top; y++) {
        const uint64_t row = jbw_noise_row(plane, workspace->window.origin.y + y);
        for (int word = 0; word < workspace->word_count; word++)
            mask[y * (workspace->word_count + 1) + word] =
                jbw_noise_subset(jbw_noise_at(row, first + word), counts);
    }
}

// ---- one row of a square ----

// whether a type is rare in a cell
static bool is_rare(const jbw_dynamics *dynamics, int type, int x, int y)
{
    return jbw_invariant_is_rare(jbw_workspace_intensity(&dynamics->workspace, type, x, y));
}

/// Draws of a row of a square: bit i stands for its cell i.
typedef struct row_draws {
    uint64_t known; // cells whose draws are here
    uint64_t drawn; // those that have one
    uint64_t small; // those where it may change a hot cell that is not likely to change
    uint64_t numbers[SQUARE];
} row_draws;

// Adds the draws of cells. Whether a cell has one, and how large it is, no branch predictor
// predicts, so this has no branches but the loop.
JBW_INLINE void add_draws(row_draws *draws, uint64_t row, int64_t x, uint64_t cells,
                          uint64_t draw_mask, uint64_t likely_number)
{
    draws->known |= cells;
    for (; cells != 0; cells &= cells - 1) {
        const int i = jbw_lowest_bit(cells);
        const uint64_t number = jbw_noise_at(row, x + i);
        draws->numbers[i] = number;
        draws->drawn |= (uint64_t)((number & draw_mask) == 0) << i;
        draws->small |= (uint64_t)(number >> 11 < likely_number) << i;
    }
}

// Sweeps the cells [left, right) of a row, at most 64 of them, for one type; or only those where it
// is rare.
JBW_INLINE_LARGE void sweep_cells(const sweep *s, int type, int left, int right, int y,
                                  bool is_leftward, bool only_where_rare)
{
    jbw_dynamics *dynamics = s->dynamics;
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_gauge *gauge = &dynamics->gauges[type];
    const jbw_position origin = workspace->window.origin;
    uint64_t pending = UINT64_MAX >> (SQUARE - (right - left)); // cells that are not swept yet
    const uint64_t low =
        jbw_bits_from(low_mask(dynamics, type) + (ptrdiff_t)y * (workspace->word_count + 1), left) &
        pending;
    jbw_hot_bits found;
    jbw_gauge_find_hot(gauge, left, y, pending, &found);
    if ((found.hot | low) == 0) return;
    const uint64_t likely_number = dynamics->plan->types[type].likely_number;
    const uint64_t row = jbw_noise_row(dynamics->cell_noise[type], origin.y + y);
    row_draws draws;
    draws.known = draws.drawn = draws.small = 0;
    for (;;) {
        const uint64_t cells = (found.hot | low) & pending;
        add_draws(&draws, row, origin.x + left, cells & ~draws.known, s->draw_mask, likely_number);
        const uint64_t next = cells & draws.drawn & (found.likely | low | draws.small);
        if (next == 0) return;
        const int i = is_leftward ? jbw_bits_highest(next) : jbw_lowest_bit(next);
        const uint64_t bit = UINT64_C(1) << i;
        pending &= is_leftward ? bit - 1 : ~(bit | (bit - 1));
        if (only_where_rare && !is_rare(dynamics, type, left + i, y)) continue;
        const bool adds = (found.empty & bit) != 0;
        if (((found.empty | found.held) & bit) == 0) { // another type is there
            dynamics->proposal_count++;
            continue;
        }
        const jbw_draw_kind kind = (low & bit) != 0 ? JBW_DRAW_LOW : JBW_DRAW_HIGH;
        if (jbw_draw_decide_at(dynamics, type, left + i, y, adds, kind,
                               jbw_noise_fraction(draws.numbers[i])) &&
            pending != 0)
            jbw_gauge_find_hot(gauge, left, y, pending, &found);
    }
}

/// The cells from `left` on, up to the next run, are in one zone.
typedef struct zone_run {
    int left;
    int zone;
} zone_run;

// divides the cells [left, right) of a row by zones; the last run only tells where they end
static int find_runs(const jbw_zones *zones, int left, int right, int y, zone_run runs[SQUARE + 1])
{
    int count = 0;
    const uint8_t *row = zones->map + (ptrdiff_t)y * zones->stride;
    for (int x = left; x < right;) {
        const int zone = row[x];
        runs[count++] = (zone_run){x, zone};
        while (x < right && row[x] == zone) x++;
    }
    runs[count] = (zone_run){right, 0};
    return count;
}

// Sweeps the cells of a row for a zonal type, zone by zone. Where there are no such items, nothing
// is drawn, and the extra draws are for places where the type is rare.
JBW_INLINE void sweep_runs(const sweep *s, int type, const zone_run *runs, int count, int y,
                           bool is_leftward)
{
    jbw_dynamics *dynamics = s->dynamics;
    const int types = dynamics->plan->model->type_count;
    for (int i = 0; i < count; i++) {
        const zone_run *run = &runs[is_leftward ? count - 1 - i : i];
        if (!jbw_gauge_set_zone(&dynamics->gauges[type], &dynamics->levels, type, run->zone))
            continue;
        const double intensity = dynamics->workspace.zone_intensities[run->zone * types + type];
        if (run->zone > 0 && dynamics->is_extra && !jbw_invariant_is_rare(intensity)) continue;
        sweep_cells(s, type, run[0].left, run[1].left, y, is_leftward,
                    run->zone == 0 && dynamics->is_extra);
    }
}

/// The order in which a row is swept.
typedef struct row_order {
    int first; // among the types that are drawn
    bool is_upward;
    bool is_leftward;
} row_order;

static row_order order_of(const sweep *s, int y)
{
    const uint64_t order = jbw_noise_row(s->order, s->dynamics->workspace.window.origin.y + y);
    const uint64_t type = (order >> 8) % (uint64_t)s->dynamics->plan->model->type_count;
    const bool is_upward = (order & 2) != 0;
    return (row_order){
        .first = is_upward ? s->first_up[type] : s->first_down[type],
        .is_upward = is_upward,
        .is_leftward = (order & 1) != 0,
    };
}

static int type_at(const sweep *s, row_order order, int i)
{
    const int count = s->drawn_count;
    const int at = order.is_upward ? order.first + i : order.first - i;
    return s->drawn[at < 0 ? at + count : at < count ? at : at - count];
}

JBW_INLINE void sweep_row(const sweep *s, int left, int right, int y)
{
    const row_order order = order_of(s, y);
    for (int i = 0; i < s->drawn_count; i++)
        sweep_cells(s, type_at(s, order, i), left, right, y, order.is_leftward, false);
}

// the same where there are zones
JBW_INLINE void sweep_zoned_row(const sweep *s, int left, int right, int y)
{
    zone_run runs[SQUARE + 1];
    const row_order order = order_of(s, y);
    const int count = find_runs(&s->dynamics->workspace.zones, left, right, y, runs);
    for (int i = 0; i < s->drawn_count; i++) {
        const int type = type_at(s, order, i);
        if (s->dynamics->plan->types[type].is_zonal)
            sweep_runs(s, type, runs, count, y, order.is_leftward);
        else
            sweep_cells(s, type, left, right, y, order.is_leftward, false);
    }
}

// ---- all squares ----

JBW_SIMD_CLONES
static void sweep_square(const sweep *s, int column, int row)
{
    const jbw_workspace_part *active = &s->dynamics->workspace.active;
    const int left = s->left + column * SQUARE;
    const int bottom = s->bottom + row * SQUARE;
    const jbw_workspace_part whole = {left, left + SQUARE, bottom, bottom + SQUARE};
    const jbw_workspace_part part = jbw_workspace_intersect(&whole, active);
    if (part.left >= part.right || part.bottom >= part.top) return;
    for (int i = 0; i < s->drawn_count; i++)
        jbw_gauge_tighten(&s->dynamics->gauges[s->drawn[i]], &s->dynamics->levels, s->drawn[i],
                          left, bottom, SQUARE);
    const bool has_zones = s->dynamics->workspace.zones.map != NULL;
    for (int i = 0; i < part.top - part.bottom; i++) {
        const int y = s->is_downward ? part.top - 1 - i : part.bottom + i;
        if (has_zones)
            sweep_zoned_row(s, part.left, part.right, y);
        else
            sweep_row(s, part.left, part.right, y);
    }
}

// lists the types that are drawn; there is one at least
static void list_types(sweep *s)
{
    const int types = s->dynamics->plan->model->type_count;
    for (int t = 0; t < types; t++) {
        s->first_up[t] = (uint8_t)s->drawn_count;
        if (s->dynamics->is_drawn[t]) s->drawn[s->drawn_count++] = (uint8_t)t;
        s->first_down[t] = (uint8_t)(s->drawn_count - 1);
    }
    // beyond the last one comes the first, and the other way round
    for (int t = 0; t < types; t++) {
        if (s->first_up[t] == s->drawn_count) s->first_up[t] = 0;
        if (t < s->drawn[0]) s->first_down[t] = (uint8_t)(s->drawn_count - 1);
    }
}

static sweep begin_sweep(jbw_dynamics *dynamics, uint64_t time, int halvings)
{
    const jbw_window *window = &dynamics->workspace.window;
    const uint64_t order = jbw_noise_plane(dynamics->seed, time, 0, JBW_NOISE_ORDER);
    const int colours = 1 + (dynamics->plan->model->reach + SQUARE - 1) / SQUARE;
    const int64_t period = (int64_t)colours * SQUARE;
    const int64_t shifted_x =
        window->origin.x + (int64_t)((order >> 8 & 0xffff) % (uint64_t)period);
    const int64_t shifted_y =
        window->origin.y + (int64_t)((order >> 24 & 0xffff) % (uint64_t)period);
    sweep s = {
        .dynamics = dynamics,
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
    list_types(&s);
    return s;
}

void jbw_sweep(jbw_dynamics *dynamics, uint64_t time, int halvings)
{
    const sweep s = begin_sweep(dynamics, time, halvings);
    for (int i = 0; i < s.drawn_count; i++) {
        const int type = s.drawn[i];
        dynamics->cell_noise[type] =
            jbw_noise_plane(dynamics->seed, time, (uint64_t)type, JBW_NOISE_CELLS);
        dynamics->gauges[type] = jbw_gauge_of(&dynamics->levels, type);
        find_low_draws(dynamics, time, type);
    }
    for (int colour = 0; colour < s.colours * s.colours; colour++) {
        const int first_row = (colour / s.colours + s.colours - s.colour_y) % s.colours;
        const int first_column = (colour % s.colours + s.colours - s.colour_x) % s.colours;
        for (int row = first_row; row < s.rows; row += s.colours)
            for (int column = first_column; column < s.columns; column += s.colours)
                sweep_square(&s, column, row);
    }
}
