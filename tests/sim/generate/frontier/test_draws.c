// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The draws of many proposals at a time, compared with drawing one after the other by division, as
/// sampler.h describes it: for ranges and numbers of choices in which draws are rejected often,
/// seldom, and never.
#include "support/checks.h"

#include <math.h>

#include "sim/generate/frontier/draws.h"
#include "support/random.h"

enum { KIND_STEP = 6, ROW_STEP = 4100 };

typedef struct plain_proposal {
    uint32_t kind, y, x, rank;
    uint64_t decide;
    int rejected;
} plain_proposal;

// the largest multiple of `bound` that 32 bits can count, minus what a fair draw must stay below
static bool is_biased(uint32_t bits, uint64_t bound)
{
    const uint64_t rest = (uint64_t)bits * bound % (UINT64_C(1) << 32);
    return rest < (UINT64_C(1) << 32) % bound;
}

static plain_proposal draw_plainly(jbw_rng *stream, int types, int size, uint32_t choices)
{
    plain_proposal p = {0};
    const uint64_t cells = (uint64_t)size * (uint64_t)size;
    const uint64_t bound = 2 * (uint64_t)types * cells;
    uint64_t bits = jbw_rng_next(stream);
    while (is_biased((uint32_t)(bits >> 32), bound) || is_biased((uint32_t)bits, choices)) {
        p.rejected++;
        bits = jbw_rng_next(stream);
    }
    const uint64_t number = ((bits >> 32) * bound) >> 32;
    p.kind = (uint32_t)(number / cells);
    p.y = (uint32_t)(number % cells / (uint64_t)size);
    p.x = (uint32_t)(number % (uint64_t)size);
    p.rank = (uint32_t)((uint64_t)(uint32_t)bits * choices >> 32);
    p.decide = jbw_rng_next(stream);
    return p;
}

static void check_log(uint64_t decide, double least_log)
{
    const double unit = (double)(decide >> 11) * 0x1p-53;
    if (unit == 0.0) return;
    const double exact = log(unit);
    assert_true(least_log < exact - 1e-5);
    if (decide >> 40 != 0) assert_true(least_log > exact - 0.9);
    if (decide >> 50 != 0) assert_true(least_log > exact - 0.07);
}

// returns how many draws were rejected
static int check_range(int types, int size, uint32_t most_choices, int blocks, uint64_t seed)
{
    uint64_t random = seed;
    jbw_rng plain = jbw_rng_open(seed, types, size, JBW_PURPOSE_SAMPLE);
    const uint64_t step = plain.step;
    const jbw_draw_range range = jbw_draw_range_of(types, size, KIND_STEP, ROW_STEP);
    jbw_draws draws;
    jbw_draws_start(&draws, &plain);
    int rejected = 0;
    for (int block = 0; block < blocks; block++) {
        jbw_draws_fill(&draws, &range, step);
        for (int j = 0; j < JBW_DRAWS; j++) {
            const uint32_t choices = 1 + random_below(&random, most_choices);
            jbw_draws_choose_fairly(&draws, &range, step, j, choices);
            const plain_proposal expected = draw_plainly(&plain, types, size, choices);
            rejected += expected.rejected;
            assert_int_equal(draws.addition[j] >> 20, KIND_STEP * expected.kind);
            assert_int_equal(draws.addition[j] % (1 << 20), ROW_STEP * expected.y + expected.x);
            assert_int_equal((uint64_t)draws.rank[j] * choices >> 32, expected.rank);
            assert_int_equal(draws.decide[j], expected.decide);
            assert_int_equal(draws.after[j], plain.state);
            check_log(draws.decide[j], draws.least_log[j]);
        }
    }
    return rejected;
}

static void test_same_draws(void **state)
{
    (void)state;
    assert_int_equal(check_range(1, 64, 1, 500, 1), 0); // powers of two: nothing is rejected
    check_range(6, 64, 4096, 1000, 2);
    check_range(3, 5, 25, 1000, 3);
    assert_true(check_range(255, 255, 65025, 2000, 4) > 50);
    assert_true(check_range(251, 253, 1, 2000, 5) > 50);
    assert_true(check_range(2, 32, UINT32_MAX - 1, 500, 6) > 1000);
    assert_true(check_range(255, 255, UINT32_MAX - 1, 500, 7) > 1000);
}

// the smallest numbers, which streams hardly ever draw, are never hopeless
static void test_smallest_numbers(void **state)
{
    (void)state;
    const jbw_draw_range range = jbw_draw_range_of(2, 8, KIND_STEP, ROW_STEP);
    jbw_draws draws;
    const jbw_rng zero = {0, 0}; // all of its numbers are zero
    jbw_draws_start(&draws, &zero);
    jbw_draws_fill(&draws, &range, 0);
    for (int j = 0; j < JBW_DRAWS; j++) {
        assert_int_equal(draws.decide[j], 0);
        assert_true(draws.least_log[j] < -1e29);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_draws),
        cmocka_unit_test(test_smallest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
