// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The laws by which items grow back: texts, and the numbers that are drawn against their exact
/// probabilities.
#include "support/checks.h"

#include <math.h>

#include "sim/model/regrowth.h"
#include "support/statistics.h"

static jbw_regrowth_model law_of(const char *text)
{
    jbw_regrowth law;
    jbw_error error;
    if (jbw_regrowth_parse(text, &law, &error)) fail_msg("%s: %s", text, error.text);
    return jbw_regrowth_model_of(law);
}

static void test_texts(void **state)
{
    (void)state;
    jbw_regrowth law;
    jbw_error error;
    assert_int_equal(jbw_regrowth_parse(NULL, &law, NULL), JBW_OK);
    assert_int_equal(law.law, JBW_REGROWTH_NEVER);
    assert_int_equal(jbw_regrowth_parse(" Uniform[ 100, 9e2 ] ", &law, NULL), JBW_OK);
    assert_int_equal(law.law, JBW_REGROWTH_UNIFORM);
    assert_int_equal(law.least, 100);
    assert_int_equal(law.most, 900);
    assert_int_equal(jbw_regrowth_parse("Geometric[500]", &law, NULL), JBW_OK);
    assert_int_equal(law.law, JBW_REGROWTH_GEOMETRIC);
    assert_int_equal(law.least, 500);
    assert_int_equal(jbw_regrowth_parse("Geometric[0]", &law, &error), JBW_INVALID_EXPRESSION);
    assert_int_equal(law.law, JBW_REGROWTH_NEVER);
    assert_int_equal(error.column, 11);
}

// numbers for one cell after the other, and then for one time after the other
static uint64_t draw(const jbw_regrowth_model *law, int i)
{
    const jbw_position cell = {i % 1000 - 500, i / 1000};
    return jbw_regrowth_draw(law, 7, i % 2 ? cell : (jbw_position){3, -4},
                             i % 2 ? 1000 : (uint64_t)i);
}

static void test_constant(void **state)
{
    (void)state;
    const jbw_regrowth_model law = law_of("Constant[500]");
    for (int i = 0; i < 1000; i++) assert_int_equal(draw(&law, i), 500);
}

static void test_uniform(void **state)
{
    (void)state;
    enum { LOW = 100, HIGH = 140, DRAWS = 200000 };
    const jbw_regrowth_model law = law_of("Uniform[100, 140]");
    int counts[HIGH - LOW + 1] = {0};
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t steps = draw(&law, i);
        assert_true(steps >= LOW && steps <= HIGH);
        counts[steps - LOW]++;
    }
    assert_true(fabs(uniform_z(counts, HIGH - LOW + 1)) < 4);
}

// chi-square against p (1 - p)^(k - 1) in `bins` bins of `width` numbers each, and the rest
static double geometric_z(const jbw_regrowth_model *law, double mean, int bins, uint64_t width,
                          int draws)
{
    enum { MOST_BINS = 64 };
    int counts[MOST_BINS + 1] = {0};
    for (int i = 0; i < draws; i++) {
        const uint64_t steps = draw(law, i);
        assert_true(steps >= 1);
        const uint64_t bin = (steps - 1) / width;
        counts[bin < (uint64_t)bins ? bin : (uint64_t)bins]++;
    }
    double chi_square = 0;
    for (int bin = 0; bin <= bins; bin++) {
        const double before = pow(1 - 1 / mean, (double)((uint64_t)bin * width));
        const double after =
            bin < bins ? pow(1 - 1 / mean, (double)(((uint64_t)bin + 1) * width)) : 0;
        const double expected = draws * (before - after);
        chi_square += (counts[bin] - expected) * (counts[bin] - expected) / expected;
    }
    return chi_square_z(chi_square, bins);
}

static void test_geometric(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    const jbw_regrowth_model once = law_of("Geometric[1]");
    for (int i = 0; i < 1000; i++) assert_int_equal(draw(&once, i), 1);
    const jbw_regrowth_model two = law_of("Geometric[2]");
    const jbw_regrowth_model five = law_of("Geometric[5]");
    const jbw_regrowth_model many = law_of("Geometric[500]");
    const jbw_regrowth_model most = law_of("Geometric[1000000000]");
    assert_true(fabs(geometric_z(&two, 2, 12, 1, DRAWS)) < 4);
    assert_true(fabs(geometric_z(&five, 5, 30, 1, DRAWS)) < 4);
    assert_true(fabs(geometric_z(&many, 500, 60, 50, DRAWS)) < 4);
    assert_true(fabs(geometric_z(&most, 1e9, 50, 100000000, DRAWS)) < 4);
    // another mean, or numbers that begin at zero, would be noticed
    assert_true(geometric_z(&many, 510, 60, 50, DRAWS) > 4);
    assert_true(geometric_z(&five, 5.1, 30, 1, DRAWS) > 4);
}

// the number depends on everything that names its stream
static void test_streams(void **state)
{
    (void)state;
    const jbw_regrowth_model law = law_of("Uniform[1, 1000000000]");
    const jbw_position cell = {5, 6};
    const uint64_t steps = jbw_regrowth_draw(&law, 1, cell, 2);
    assert_true(steps == jbw_regrowth_draw(&law, 1, cell, 2));
    assert_true(steps != jbw_regrowth_draw(&law, 2, cell, 2));
    assert_true(steps != jbw_regrowth_draw(&law, 1, cell, 3));
    assert_true(steps != jbw_regrowth_draw(&law, 1, (jbw_position){6, 5}, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),   cmocka_unit_test(test_constant),
        cmocka_unit_test(test_uniform), cmocka_unit_test(test_geometric),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
