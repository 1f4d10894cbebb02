// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/frontier/draws.h"

#include <stdbool.h>

#include "sim/simd.h"

jbw_draw_range jbw_draw_range_of(int types, int size, int kind_step, int row_step)
{
    const uint32_t bound = 2 * (uint32_t)types * (uint32_t)size * (uint32_t)size;
    return (jbw_draw_range){
        .types = (uint32_t)types,
        .size = (uint32_t)size,
        .kind_step = (uint32_t)kind_step << JBW_MOVE_CELL_BITS,
        .row_step = (uint32_t)row_step,
        .unfair = (0 - bound) % bound,
    };
}

void jbw_draws_start(jbw_draws *draws, const jbw_rng *stream)
{
    for (int j = 0; j < JBW_DRAWS; j++)
        draws->after[j] = stream->state - 2 * (uint64_t)(JBW_DRAWS - 1 - j) * stream->step;
}

// ---- many at a time ----

// The high half of a product, in 32 bits: vectors have no wider ones. `factor` has at most 16 bits.
static inline uint32_t high_half(uint32_t number, uint32_t factor)
{
    return ((number >> 16) * factor + ((number & 0xffff) * factor >> 16)) >> 16;
}

// The high half of a draw is split into kind, y and x, as digits of a number: the high half of a
// product is a digit, its low half remains for the next one.
static inline uint32_t split(uint32_t bits, const jbw_draw_range *range, uint32_t *rest)
{
    const uint32_t row = bits * (2 * range->types);
    const uint32_t column = row * range->size;
    *rest = column * range->size;
    return high_half(bits, 2 * range->types) * range->kind_step +
           high_half(row, range->size) * range->row_step + high_half(column, range->size);
}

// A line between two powers of two is below the logarithm. The bits of a floating-point number are
// such a line, if read as a whole number.
static inline float find_least_log(uint32_t top_24_bits)
{
    union {
        float number;
        int32_t bits;
    } top = {.number = (float)(int32_t)top_24_bits};
    const float line = (float)(top.bits - (127 + 24) * (1 << 23)) * (0x1.62e43p-1F / (1 << 23));
    const float minus_one_if_zero = (float)-(int32_t)(top_24_bits == 0); // not a branch
    return line - 1e-4F + minus_one_if_zero * 1e30F; // 1e-4 exceeds all rounding, here and later
}

// Plain loops of a fixed length, each of which compilers turn into vectors. True if a draw has to be
// rejected.
JBW_SIMD_CLONES
static bool fill(jbw_draws *restrict draws, const jbw_draw_range *range_at, uint64_t step)
{
    const jbw_draw_range range = *range_at;
    uint64_t first[JBW_DRAWS];
    uint32_t bits[JBW_DRAWS];
    uint32_t top[JBW_DRAWS];
    uint32_t rejected = 0;
    for (int j = 0; j < JBW_DRAWS; j++) draws->after[j] += 2 * JBW_DRAWS * step;
    for (int j = 0; j < JBW_DRAWS; j++) first[j] = jbw_mix64(draws->after[j] - step);
    for (int j = 0; j < JBW_DRAWS; j++) draws->decide[j] = jbw_mix64(draws->after[j]);
    for (int j = 0; j < JBW_DRAWS; j++) draws->rank[j] = (uint32_t)first[j];
    for (int j = 0; j < JBW_DRAWS; j++) bits[j] = (uint32_t)(first[j] >> 32);
    for (int j = 0; j < JBW_DRAWS; j++) top[j] = (uint32_t)(draws->decide[j] >> 40);
    for (int j = 0; j < JBW_DRAWS; j++) {
        uint32_t rest;
        draws->addition[j] = split(bits[j], &range, &rest);
        rejected |= rest < range.unfair;
    }
    for (int j = 0; j < JBW_DRAWS; j++) draws->least_log[j] = (double)find_least_log(top[j]);
    return rejected != 0;
}

// ---- one by one ----

// Whether a draw favours some of `choices` results: `rest` is what remains of it.
static bool is_unfair(uint32_t rest, uint32_t choices)
{
    return rest < choices && rest < (0 - choices) % choices;
}

// draws one proposal; with one choice, any rank will do
static void draw_one(jbw_draws *draws, const jbw_draw_range *range, jbw_rng *stream, int index,
                     uint32_t choices)
{
    uint64_t bits;
    uint32_t rest;
    do {
        bits = jbw_rng_next(stream);
        draws->addition[index] = split((uint32_t)(bits >> 32), range, &rest);
    } while (rest < range->unfair || is_unfair((uint32_t)bits * choices, choices));
    draws->rank[index] = (uint32_t)bits;
    draws->decide[index] = jbw_rng_next(stream);
    draws->least_log[index] = (double)find_least_log((uint32_t)(draws->decide[index] >> 40));
    draws->after[index] = stream->state;
}

void jbw_draws_fill(jbw_draws *draws, const jbw_draw_range *range, uint64_t step)
{
    jbw_rng stream = {draws->after[JBW_DRAWS - 1], step};
    const bool has_rejected = stream.state - draws->after[0] != 2 * (JBW_DRAWS - 1) * step;
    if (has_rejected) jbw_draws_start(draws, &stream);
    if (!fill(draws, range, step)) return;
    for (int j = 0; j < JBW_DRAWS; j++) draw_one(draws, range, &stream, j, 1);
}

void jbw_draws_choose_fairly(jbw_draws *draws, const jbw_draw_range *range, uint64_t step,
                             int index, uint32_t choices)
{
    if (!is_unfair(draws->rank[index] * choices, choices)) return;
    jbw_rng stream = {draws->after[index] - step, step};
    draw_one(draws, range, &stream, index, choices);
    for (int j = index + 1; j < JBW_DRAWS; j++) draw_one(draws, range, &stream, j, 1);
}
