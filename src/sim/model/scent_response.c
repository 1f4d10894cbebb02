// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/scent_response.h"

#include <math.h>
#include <string.h>

// shares of the tolerance, which is 1e-4 of the strongest scent; the rest is for rounding
#define REACH_SHARE 0.7e-4
#define MEMORY_SHARE 0.1e-4

// what may be left out of sums that should be exact
#define NEGLIGIBLE 1e-10

/// The column sums of the steady state. At distance x from a straight line of sources, scent is
/// scale * ratio^x, because sums along the line obey the same equation in one dimension.
typedef struct profile {
    double total; // over all cells
    double scale;
    double ratio;
} profile;

static profile make_profile(double decay, double diffusion)
{
    const double stay = fabs(decay) + 2.0 * fabs(diffusion);
    const double pass = fabs(diffusion);
    profile p = {.total = 1.0 / (1.0 - fabs(decay) - 4.0 * pass)};
    if (pass > 0.0) {
        const double lost = 1.0 - stay;
        p.ratio = (lost - sqrt(lost * lost - 4.0 * pass * pass)) / (2.0 * pass);
    }
    p.scale = p.total * (1.0 - p.ratio) / (1.0 + p.ratio);
    return p;
}

// the smallest r such that everything farther away, on all four sides, adds up to at most `share`
static int extent_in_space(const profile *p, double share)
{
    int r = 0;
    double outside = 4.0 * p->scale * p->ratio / (1.0 - p->ratio);
    while (outside > share && r < 100000) {
        outside *= p->ratio;
        r++;
    }
    return r;
}

// the smallest m such that everything later adds up to at most `share`
static int extent_in_time(double decay, double diffusion, double share)
{
    const double kept = fabs(decay) + 4.0 * fabs(diffusion);
    double later = 1.0 / (1.0 - kept);
    int m = 0;
    while (later > share && m < 10000000) {
        later *= kept;
        m++;
    }
    return m;
}

bool jbw_scent_response_extent(double decay, double diffusion, int *reach, int *memory)
{
    const profile p = make_profile(decay, diffusion);
    *reach = extent_in_space(&p, REACH_SHARE);
    *memory = extent_in_time(decay, diffusion, MEMORY_SHARE);
    if (p.total > (double)JBW_MAX_SCENT_GAIN) return false;
    const double octants = 0.5 * (*reach + 1.0) * (*reach + 2.0);
    return octants * (*memory + 1.0) * (double)sizeof(int32_t) <= (double)JBW_MAX_RESPONSE_BYTES;
}

/// A quarter of the plane, mirrored at both axes and large enough that its far border does not
/// matter. Each row has one more cell in front, the mirror image of the second, and a zero behind; a
/// row of zeros follows the last one.
typedef struct quarter {
    int side;
    double *now;
    double *before;
} quarter;

static size_t stride_of(const quarter *q)
{
    return (size_t)q->side + 2;
}

static size_t cell_count(const quarter *q)
{
    return ((size_t)q->side + 1) * stride_of(q);
}

static double *row_of(const quarter *q, double *cells, int y)
{
    return cells + (size_t)y * stride_of(q) + 1;
}

static void advance_row(const double *restrict below, const double *restrict row,
                        const double *restrict above, int side, double decay, double diffusion,
                        double *restrict next)
{
    for (int x = 0; x < side; x++) {
        const double around = (row[x - 1] + row[x + 1]) + (below[x] + above[x]);
        next[x] = decay * row[x] + diffusion * around;
    }
    next[-1] = next[1]; // there are at least two
}

static void advance(quarter *q, double decay, double diffusion)
{
    double *swapped = q->before;
    q->before = q->now;
    q->now = swapped;
    for (int y = 0; y < q->side; y++)
        advance_row(row_of(q, q->before, y > 0 ? y - 1 : 1), row_of(q, q->before, y),
                    row_of(q, q->before, y + 1), q->side, decay, diffusion, row_of(q, q->now, y));
}

// adds the current state to sums over one eighth of the plane (`sign` 1), or subtracts it (-1)
static void add_octant(const quarter *q, int reach, double sign, double *sums)
{
    for (int far = 0, i = 0; far <= reach; far++)
        for (int near = 0; near <= far; near++, i++) sums[i] += sign * row_of(q, q->now, near)[far];
}

static int32_t to_units(double value, double unit)
{
    return (int32_t)floor(value / unit + 0.5);
}

static void fill_tables(jbw_scent_response *response, double decay, double diffusion, quarter *q,
                        double *sums, int32_t *steady, int32_t *fading)
{
    // steady is the sum over all steps
    const int n = response->octant_count;
    const int steps = extent_in_time(decay, diffusion, NEGLIGIBLE);
    row_of(q, q->now, 0)[0] = 1.0;
    for (int k = 0; k <= steps; k++) {
        add_octant(q, response->reach, 1.0, sums);
        advance(q, decay, diffusion);
    }
    for (int i = 0; i < n; i++) steady[i] = to_units(sums[i], response->unit);

    // subtracting one step after another leaves fading(m), which lacks the first m
    memset(q->now, 0, cell_count(q) * sizeof *q->now);
    row_of(q, q->now, 0)[0] = 1.0;
    for (int m = 1; m <= response->memory; m++) {
        add_octant(q, response->reach, -1.0, sums);
        for (int i = 0; i < n; i++)
            fading[(size_t)(m - 1) * (size_t)n + (size_t)i] = to_units(sums[i], response->unit);
        advance(q, decay, diffusion);
    }
}

bool jbw_scent_response_init(jbw_scent_response *response, double decay, double diffusion,
                             jbw_arena *arena)
{
    *response = (jbw_scent_response){0};
    if (!jbw_scent_response_extent(decay, diffusion, &response->reach, &response->memory))
        return false;
    const profile p = make_profile(decay, diffusion);
    response->octant_count = (response->reach + 1) * (response->reach + 2) / 2;

    // the sum over all cells has to fit 32 bits
    response->unit = 0x1p-30;
    while (p.total / response->unit >= 0x1p31) response->unit *= 2.0;

    const size_t n = (size_t)response->octant_count;
    int32_t *steady = jbw_arena_alloc(arena, n, sizeof *steady);
    int32_t *fading = jbw_arena_alloc(arena, n * (size_t)response->memory, sizeof *fading);
    if (!steady || !fading) return false;

    jbw_arena scratch = {.allocator = arena->allocator};
    quarter q = {.side = extent_in_space(&p, NEGLIGIBLE) + 2};
    q.now = jbw_arena_alloc(&scratch, cell_count(&q), sizeof *q.now);
    q.before = jbw_arena_alloc(&scratch, cell_count(&q), sizeof *q.before);
    double *sums = jbw_arena_alloc(&scratch, n, sizeof *sums);
    const bool has_room = q.now && q.before && sums;
    if (has_room) fill_tables(response, decay, diffusion, &q, sums, steady, fading);
    jbw_arena_deinit(&scratch);
    response->steady = steady;
    response->fading = fading;
    return has_room;
}
