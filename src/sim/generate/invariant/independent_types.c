// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/independent_types.h"

#include "base/dmath.h"
#include "sim/generate/invariant/noise.h"

bool jbw_is_independent(const jbw_model *model, int type)
{
    return model->scales[type].unit == 0.0;
}

// log(1 + sum of e^value); `most` is the largest value, or zero if all are negative
static double log_of_sum(const double *values, int count, double most)
{
    double sum = jbw_exp(-most);
    for (int i = 0; i < count; i++) sum += jbw_exp(values[i] - most);
    return most + jbw_log(sum);
}

// writes f of each type in a cell, and returns log(1 + sum of e^f)
static double find_intensities(const jbw_independent_types *independent, uint64_t seed,
                               jbw_position cell, double *values)
{
    double most = 0.0;
    for (int i = 0; i < independent->count; i++) {
        const jbw_model_item *item = &independent->model->items[independent->types[i]];
        values[i] = jbw_intensity_value(&item->intensity, seed, cell);
        if (values[i] > most) most = values[i];
    }
    return log_of_sum(values, independent->count, most);
}

// the probability of each type in an empty cell
static void find_odds(const jbw_independent_types *independent, uint64_t seed, jbw_position cell,
                      double *odds)
{
    const double log_weight = find_intensities(independent, seed, cell, odds);
    for (int i = 0; i < independent->count; i++) odds[i] = jbw_exp(odds[i] - log_weight);
}

jbw_independent_types jbw_independent_types_of(const jbw_model *model)
{
    jbw_independent_types all = {.model = model, .is_constant = true, .is_zonal = true};
    for (int t = 0; t < model->type_count; t++) {
        if (!jbw_is_independent(model, t)) continue;
        all.types[all.count++] = t;
        if (!model->scales[t].has_constant_intensity) all.is_constant = false;
        if (!model->items[t].intensity.is_zonal) all.is_zonal = false;
    }
    if (all.is_constant) {
        const jbw_position anywhere = {0, 0};
        all.log_weight = find_intensities(&all, 0, anywhere, all.odds);
        find_odds(&all, 0, anywhere, all.odds);
    }
    return all;
}

double jbw_independent_log_weight(const jbw_independent_types *independent, uint64_t seed,
                                  jbw_position cell)
{
    if (independent->is_constant) return independent->log_weight;
    double values[JBW_MAX_ITEM_TYPES];
    return find_intensities(independent, seed, cell, values);
}

void jbw_independent_log_weight_bounds(const jbw_independent_types *independent, uint64_t seed,
                                       jbw_position corner, int size, double *least, double *most)
{
    if (independent->is_constant) {
        *least = *most = independent->log_weight;
        return;
    }
    double low[JBW_MAX_ITEM_TYPES];
    double high[JBW_MAX_ITEM_TYPES];
    double largest_low = 0.0;
    double largest_high = 0.0;
    for (int i = 0; i < independent->count; i++) {
        const jbw_model_item *item = &independent->model->items[independent->types[i]];
        jbw_intensity_bounds(&item->intensity, seed, corner, size, &low[i], &high[i]);
        if (low[i] > largest_low) largest_low = low[i];
        if (high[i] > largest_high) largest_high = high[i];
    }
    *least = log_of_sum(low, independent->count, largest_low);
    *most = log_of_sum(high, independent->count, largest_high);
}

static uint8_t choose(const jbw_independent_types *independent, const double *odds, double left)
{
    for (int i = 0; i < independent->count; i++) {
        left -= odds[i];
        if (left < 0.0) return (uint8_t)(independent->types[i] + 1);
    }
    return 0;
}

// the plane of noise that chooses
static uint64_t choices(uint64_t seed)
{
    return jbw_noise_plane(seed, 0, 0, JBW_NOISE_INDEPENDENT);
}

// with odds that are the same in all cells, or, if NULL, those of each cell
static void fill_row(const jbw_independent_types *independent, uint64_t seed, jbw_position first,
                     int count, const double *odds, uint8_t *cells)
{
    double odds_here[JBW_MAX_ITEM_TYPES];
    const uint64_t row = jbw_noise_row(choices(seed), first.y);
    for (int i = 0; i < count; i++) {
        const jbw_position cell = {first.x + i, first.y};
        if (cells[i] != 0) continue;
        if (!odds) find_odds(independent, seed, cell, odds_here);
        cells[i] =
            choose(independent, odds ? odds : odds_here, jbw_noise_unit(jbw_noise_at(row, cell.x)));
    }
}

void jbw_independent_types_fill(const jbw_independent_types *independent, uint64_t seed,
                                jbw_position first, int count, uint8_t *cells)
{
    if (independent->count == 0) return;
    fill_row(independent, seed, first, count, independent->is_constant ? independent->odds : NULL,
             cells);
}

static bool is_constant_in(const jbw_independent_types *independent, uint64_t seed,
                           jbw_position corner, int size)
{
    double least;
    double most;
    for (int i = 0; i < independent->count; i++)
        if (!jbw_intensity_bounds(&independent->model->items[independent->types[i]].intensity, seed,
                                  corner, size, &least, &most))
            return false;
    return true;
}

// Fills a part of a square, in smaller parts if several regions meet there.
static void fill_part(const jbw_independent_types *independent, uint64_t seed, jbw_position corner,
                      int size, uint8_t *cells, ptrdiff_t stride)
{
    enum { SMALL = 4 };
    double odds[JBW_MAX_ITEM_TYPES];
    const bool is_constant = is_constant_in(independent, seed, corner, size);
    if (is_constant) find_odds(independent, seed, corner, odds);
    if (is_constant || size <= SMALL) {
        for (int y = 0; y < size; y++)
            fill_row(independent, seed, (jbw_position){corner.x, corner.y + y}, size,
                     is_constant ? odds : NULL, cells + y * stride);
        return;
    }
    const int half = (size + 1) / 2; // parts overlap if the size is odd: filled cells stay
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            const jbw_position at = {corner.x + x * (size - half), corner.y + y * (size - half)};
            fill_part(independent, seed, at, half,
                      cells + y * (size - half) * stride + x * (size - half), stride);
        }
}

void jbw_independent_types_fill_square(const jbw_independent_types *independent, uint64_t seed,
                                       jbw_position corner, int size, uint8_t *cells)
{
    if (independent->count > 0 && independent->is_zonal && !independent->is_constant) {
        fill_part(independent, seed, corner, size, cells, size);
        return;
    }
    for (int y = 0; y < size; y++)
        jbw_independent_types_fill(independent, seed, (jbw_position){corner.x, corner.y + y}, size,
                                   cells + (ptrdiff_t)y * size);
}
