// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/seams.h"

#include <math.h>
#include <stdlib.h>

#include "support/random.h"

// ---- measuring ----

// the distance of a cell from the nearest line along one axis, counted from zero
static int distance_to_line(int at, seams_lattice lattice)
{
    const int in_period = ((at - lattice.shift) % lattice.period + lattice.period) % lattice.period;
    const int other = lattice.period - 1 - in_period;
    return in_period < other ? in_period : other;
}

static bool is_line(int at, seams_lattice lattice)
{
    return (at - lattice.shift) % lattice.period == 0;
}

static void measure_cells(const uint8_t *cells, int side, int type, seams_lattice lattice,
                          seams_sums *sums)
{
    double cosines[SEAMS_MOST_PERIOD] = {0};
    double sines[SEAMS_MOST_PERIOD] = {0};
    for (int i = 0; i < lattice.period; i++) {
        cosines[i] = cos(2.0 * 3.14159265358979323846 * i / lattice.period);
        sines[i] = sin(2.0 * 3.14159265358979323846 * i / lattice.period);
    }
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const int dx = distance_to_line(x, lattice);
            const int dy = distance_to_line(y, lattice);
            const int nearest = dx < dy ? dx : dy;
            const bool is_item = cells[(size_t)y * (size_t)side + (size_t)x] == type + 1;
            if (nearest < SEAMS_BORDER) {
                sums->border_cells++;
                sums->border_items += is_item;
            } else if (nearest >= lattice.period / 4) {
                sums->center_cells++;
                sums->center_items += is_item;
            }
            if (!is_item) continue;
            sums->items++;
            sums->wave[0] += cosines[x % lattice.period];
            sums->wave[1] += sines[x % lattice.period];
            sums->wave[2] += cosines[y % lattice.period];
            sums->wave[3] += sines[y % lattice.period];
        }
    }
}

// (side + 1) x (side + 1): the number of items left of a column and below a row
static int32_t *sum_up(const uint8_t *cells, int side, int type)
{
    const size_t stride = (size_t)side + 1;
    int32_t *sums = calloc(stride, stride * sizeof *sums);
    if (!sums) abort();
    for (size_t y = 0; y < (size_t)side; y++)
        for (size_t x = 0; x < (size_t)side; x++)
            sums[(y + 1) * stride + x + 1] = (cells[y * (size_t)side + x] == type + 1) +
                                             sums[y * stride + x + 1] + sums[(y + 1) * stride + x] -
                                             sums[y * stride + x];
    return sums;
}

static int32_t count_items(const int32_t *sums, int side, int left, int right, int bottom, int top)
{
    const size_t stride = (size_t)side + 1;
    const int32_t *low = sums + (size_t)bottom * stride;
    const int32_t *high = sums + (size_t)top * stride;
    return high[right] - high[left] - low[right] + low[left];
}

static int between(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// Adds the pairs of an item to `cuts`, by where one could cut between it and another that is not
// below, in x or, with `is_turned`, in y.
static void cut_pairs(const int32_t *sums, int side, int along, int across, bool is_turned,
                      double *cuts)
{
    const int first = between(across - SEAMS_PAIR_REACH, 0, side);
    const int last = between(across + SEAMS_PAIR_REACH + 1, 0, side);
    const int end = between(along + SEAMS_PAIR_REACH + 1, 0, side);
    for (int cut = along + 1; cut < end; cut++)
        cuts[cut] += is_turned ? count_items(sums, side, first, last, cut, end)
                               : count_items(sums, side, cut, end, first, last);
}

double *seams_cuts(const uint8_t *cells, int side, int type)
{
    double *cuts = calloc((size_t)side + 1, 2 * sizeof *cuts);
    if (!cuts) abort();
    int32_t *sums = sum_up(cells, side, type);
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            if (cells[(size_t)y * (size_t)side + (size_t)x] != type + 1) continue;
            cut_pairs(sums, side, x, y, false, cuts);
            cut_pairs(sums, side, y, x, true, cuts + side + 1);
        }
    }
    free(sums);
    return cuts;
}

static void measure_pairs(const double *cuts, int side, seams_lattice lattice, seams_sums *sums)
{
    for (int cut = SEAMS_PAIR_REACH; cut <= side - SEAMS_PAIR_REACH; cut++) {
        const double pairs = cuts[cut] + cuts[side + 1 + cut];
        if (is_line(cut, lattice)) {
            sums->line_pairs += pairs;
            sums->lines += 2;
        } else if (distance_to_line(cut, lattice) >= lattice.period / 4) {
            sums->other_pairs += pairs;
            sums->others += 2;
        }
    }
}

seams_sums seams_measure(const uint8_t *cells, int side, int type, seams_lattice lattice,
                         const double *cuts)
{
    seams_sums sums = {0};
    measure_cells(cells, side, type, lattice, &sums);
    if (cuts) measure_pairs(cuts, side, lattice, &sums);
    return sums;
}

// ---- figures and their errors ----

enum { RESAMPLINGS = 400 };

typedef double statistic(const seams_sums *total);

static void add_sums(seams_sums *to, const seams_sums *from)
{
    to->border_items += from->border_items;
    to->border_cells += from->border_cells;
    to->center_items += from->center_items;
    to->center_cells += from->center_cells;
    to->line_pairs += from->line_pairs;
    to->lines += from->lines;
    to->other_pairs += from->other_pairs;
    to->others += from->others;
    for (int i = 0; i < 4; i++) to->wave[i] += from->wave[i];
    to->items += from->items;
}

static double compare(const seams_sums *total, const seams_sums *beside, statistic *f)
{
    return beside ? f(total) / f(beside) : f(total);
}

// the bootstrap: worlds are drawn with replacement
static double find_error(const seams_sums *worlds, const seams_sums *beside, size_t count,
                         statistic *f)
{
    uint64_t random = 1;
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < RESAMPLINGS; i++) {
        seams_sums total = {0};
        seams_sums beside_total = {0};
        for (size_t k = 0; k < count; k++) {
            const size_t world = random_below(&random, (uint32_t)count);
            add_sums(&total, &worlds[world]);
            if (beside) add_sums(&beside_total, &beside[world]);
        }
        const double value = compare(&total, beside ? &beside_total : NULL, f);
        sum += value;
        squares += value * value;
    }
    const double mean = sum / (double)RESAMPLINGS;
    return sqrt(fmax(0.0, squares / (double)RESAMPLINGS - mean * mean));
}

static seams_figure find_figure(const seams_sums *worlds, const seams_sums *beside, size_t count,
                                statistic *f)
{
    seams_sums total = {0};
    seams_sums beside_total = {0};
    for (size_t k = 0; k < count; k++) {
        add_sums(&total, &worlds[k]);
        if (beside) add_sums(&beside_total, &beside[k]);
    }
    return (seams_figure){.value = compare(&total, beside ? &beside_total : NULL, f),
                          .error = find_error(worlds, beside, count, f)};
}

static double density_ratio(const seams_sums *s)
{
    if (s->center_items == 0 || s->border_cells == 0) return 1.0;
    return s->border_items / s->border_cells / (s->center_items / s->center_cells);
}

static double pair_ratio(const seams_sums *s)
{
    if (s->other_pairs == 0 || s->lines == 0) return 1.0;
    return s->line_pairs / s->lines / (s->other_pairs / s->others);
}

seams_figure seams_density(const seams_sums *worlds, const seams_sums *beside, size_t count)
{
    return find_figure(worlds, beside, count, density_ratio);
}

seams_figure seams_pairs(const seams_sums *worlds, const seams_sums *beside, size_t count)
{
    return find_figure(worlds, beside, count, pair_ratio);
}

static double amplitude(const seams_sums *s, int axis)
{
    if (s->items == 0) return 0.0;
    const double *w = s->wave + 2 * axis;
    return 2.0 * sqrt(w[0] * w[0] + w[1] * w[1]) / s->items;
}

// On average, the square of an amplitude is too large by its variance.
seams_figure seams_wave(const seams_sums *worlds, const seams_sums *beside, size_t count)
{
    seams_figure largest = {0};
    for (int axis = 0; axis < 2; axis++) {
        seams_sums total = {0};
        for (size_t k = 0; k < count; k++) {
            add_sums(&total, &worlds[k]);
            for (int i = 0; i < 4 && beside; i++) total.wave[i] -= beside[k].wave[i];
        }
        double variance = 0.0; // of the sum of both parts
        for (int part = 2 * axis; part < 2 * axis + 2; part++) {
            const double mean = total.wave[part] / (double)count;
            for (size_t k = 0; k < count; k++) {
                const double wave = worlds[k].wave[part] - (beside ? beside[k].wave[part] : 0.0);
                variance += (wave - mean) * (wave - mean);
            }
        }
        if (count > 1) variance *= (double)count / ((double)count - 1.0);
        const double scale = total.items > 0 ? 2.0 / total.items : 0.0;
        const double found = amplitude(&total, axis);
        const double square = found * found - variance * scale * scale;
        const double value = square > 0.0 ? sqrt(square) : 0.0;
        if (axis == 0 || value > largest.value)
            largest = (seams_figure){.value = value, .error = sqrt(variance / 2.0) * scale};
    }
    return largest;
}
