// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Intensity and interaction functions: values by hand and by the twin, reach and largest value,
/// and wrong arguments.
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/twin.h"
#include "sim/model/function.h"

static void compile(const char *text, jbw_arena *arena, jbw_coupling *out)
{
    jbw_expr *expr;
    jbw_error error = {0};
    const jbw_function_set none = {0};
    *out = (jbw_coupling){0};
    if (jbw_expr_parse(text, strlen(text), arena, &expr, &error) ||
        jbw_coupling_compile(expr, &none, arena, out, &error))
        fail_msg("'%s': %s", text, error.text);
}

static double interaction(const char *text, int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
    jbw_arena arena = {0};
    jbw_coupling coupling;
    compile(text, &arena, &coupling);
    const double value =
        jbw_coupling_value(&coupling, (jbw_position){x1, y1}, (jbw_position){x2, y2});
    jbw_arena_deinit(&arena);
    return value;
}

static jbw_intensity compile_intensity(const char *text, jbw_arena *arena)
{
    jbw_expr *expr;
    jbw_error error = {0};
    const jbw_function_set none = {0};
    jbw_intensity compiled = {0};
    if (jbw_expr_parse_sum(text, strlen(text), arena, &expr, &error) ||
        jbw_intensity_compile(expr, &none, arena, &compiled, &error))
        fail_msg("'%s': %s", text, error.text);
    return compiled;
}

static double intensity(const char *text, int64_t x, int64_t y)
{
    jbw_arena arena = {0};
    const jbw_intensity compiled = compile_intensity(text, &arena);
    const double value = jbw_intensity_value(&compiled, 7, (jbw_position){x, y});
    jbw_arena_deinit(&arena);
    return value;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b)))) fail_msg("%.17g != %.17g", a, b);
}

// a table of that side, zero but for its last number
static char *table_of(int side, double last)
{
    char *text = malloc(2u * (size_t)side * ((size_t)side + 2) + 100);
    assert_non_null(text);
    char *at = text + sprintf(text, "Table[");
    for (int row = 0; row < side; row++) {
        *at++ = '(';
        for (int column = 0; column < side - 1; column++) at += sprintf(at, "0,");
        at += sprintf(at, "%g)%s", row == side - 1 ? last : 0.0, row == side - 1 ? "]" : ",");
    }
    return text;
}

// --- by hand ------------------------------------------------------------------------------------

static void test_by_hand(void **state)
{
    (void)state;
    assert_true(intensity("Zero", 3, 4) == 0);
    assert_true(intensity("Constant[-5.3]", 3, 4) == -5.3);
    assert_true(intensity("Constant[-5.5] + Constant[2]+Zero", 3, 4) == -3.5);

    // MurmurHash3's finaliser: 0 -> 0, 1 -> 0x514e28b7, 2 -> 0x30f4c306, 3 -> 0x85f0b427
    const double m1 = 1364076727.0 / 4294967295.0;
    const double m2 = 821347078.0 / 4294967295.0;
    const double m3 = 2247144487.0 / 4294967295.0;
    assert_near(intensity("RadialHash[1, 1, 0, 1]", 0, 0), -m1);
    assert_near(intensity("RadialHash[0, 5, 2, 3]", 3, 4), 2 - 3 * m1);
    assert_near(intensity("RadialHash[0, 5, 2, 3]", -4, 3), 2 - 3 * m1);
    assert_near(intensity("RadialHash[0, 5, 2, 3] + Constant[7]", -4, 3), 9 - 3 * m1);
    assert_near(intensity("RadialHash[0, 5, 2, 3] + RadialHash[1, 5, 0, 1]", -4, 3),
                2 - 3 * m1 - m2);
    assert_near(intensity("RadialHash[1, 10, -1, 4]", 3, -4), -1 - 4 * (m1 + m2) / 2);
    assert_near(intensity("RadialHash[0.75, 2, 0, 1]", 4, 0), -(0.25 * m2 + 0.75 * m3));

    const char *box = "PiecewiseBox[10, 100, 2, -100]";
    assert_true(interaction(box, 0, 0, 3, 0) == 2);
    assert_true(interaction(box, 0, 0, 3, 1) == -100); // 10 is not below 10
    assert_true(interaction(box, 0, 0, -9, -4) == -100);
    assert_true(interaction(box, 7, 7, 13, 15) == 0); // 100
    assert_true(interaction("PiecewiseBox[200, 0, -6, 5]", 0, 0, 14, 1) == -6);
    assert_true(interaction("PiecewiseBox[200, 0, -6, 5]", 0, 0, 14, 2) == 0);
    assert_true(interaction("PiecewiseBox[200, 100, -6, 5]", 0, 0, 11, 0) == -6);

    const char *cross = "Cross[20, 40, 8, -1000, -2000, -1]";
    assert_true(interaction(cross, 5, 5, 5, 25) == 8);
    assert_true(interaction(cross, 5, 5, 5, 26) == -1000);
    assert_true(interaction(cross, 5, 5, 45, 5) == -1000);
    assert_true(interaction(cross, 5, 5, 46, 5) == 0);
    assert_true(interaction(cross, 5, 5, 4, 25) == -2000);
    assert_true(interaction(cross, 5, 5, 4, 26) == -1);
    assert_true(interaction(cross, 0, 0, 40, 40) == -1);
    assert_true(interaction(cross, 0, 0, 41, 1) == 0);

    // the radii for the column of the first item: U = 1 + 10 M(2 / 2) = 4.18, V = 6.18
    const char *hash = "CrossHash[2, 1, 10, 2, 5, 6, 7, 8]";
    assert_true(interaction(hash, 2, 0, 6, 0) == 5);
    assert_true(interaction(hash, 2, 0, 2, -5) == 6);
    assert_true(interaction(hash, 2, 0, 6, 1) == 7);
    assert_true(interaction(hash, 2, 0, 8, 6) == 8);
    assert_true(interaction(hash, 2, 0, 2, 7) == 0);
    // for column 6 they are 1 + 10 M(3) = 6.23 and 8.23
    assert_true(interaction(hash, 6, 0, 2, 0) == 5);
    assert_true(interaction(hash, 6, 0, 6, 8) == 6);
    assert_true(interaction(hash, 6, 0, 12, 1) == 7);

    // offsets as in the paper, first minus second: the second item is in the middle
    const char *table = "Table[(1, 2, 3), (4, 0, 5), (6, 7, 8)]";
    assert_true(interaction(table, -1, 1, 0, 0) == 1);
    assert_true(interaction(table, 10, 11, 10, 10) == 2);
    assert_true(interaction(table, 0, 0, -1, -1) == 3);
    assert_true(interaction(table, 3, 3, 2, 3) == 5);
    assert_true(interaction(table, 0, 0, 0, 1) == 7);
    assert_true(interaction(table, 0, 0, 2, 0) == 0);
}

// --- by the twin --------------------------------------------------------------------------------

// Values equal those of the twin, near the origin and far away; none is nonzero beyond the reach or
// larger than the largest. If `is_tight`, the reach is attained.
static void check_against_twin(const char *text, bool is_tight)
{
    const jbw_interaction self = {"A", text};
    const jbw_item_type item = {.name = "A", .interactions = &self, .interaction_count = 1};
    const jbw_config config = small_config(64, 0, &item, 1);
    twin_law law;
    assert_true(twin_law_init(&law, &config));
    jbw_arena arena = {0};
    jbw_coupling coupling;
    compile(text, &arena, &coupling);

    static const jbw_position origins[] = {
        {0, 0}, {-1, 5}, {17, -3}, {-1000003, 99}, {123456789, 0}};
    const int64_t span = coupling.reach + 6;
    int64_t attained = 0;
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        for (int64_t dy = -span; dy <= span; dy++) {
            for (int64_t dx = -span; dx <= span; dx++) {
                if (dx == 0 && dy == 0) continue;
                const jbw_position a = origins[i];
                const jbw_position b = {a.x + dx, a.y + dy};
                const double value = jbw_coupling_value(&coupling, a, b);
                const double expected =
                    twin_interaction(&law, (twin_item){a.x, a.y, 0}, (twin_item){b.x, b.y, 0});
                if (value != expected)
                    fail_msg("%s at %d, %d: %g != %g", text, (int)dx, (int)dy, value, expected);
                assert_true(fabs(value) <= coupling.largest);
                const int64_t x = dx < 0 ? -dx : dx;
                const int64_t y = dy < 0 ? -dy : dy;
                const int64_t distance = x > y ? x : y;
                if (value != 0 && distance > attained) attained = distance;
            }
        }
    }
    if (attained > coupling.reach || (is_tight && attained != coupling.reach))
        fail_msg("%s: reach %d, attained %d", text, coupling.reach, (int)attained);
    jbw_arena_deinit(&arena);
    twin_law_deinit(&law);
}

static void test_against_twin(void **state)
{
    (void)state;
    static const char *const tight[] = {
        "Zero",
        "PiecewiseBox[10, 100, 2, -100]",
        "PiecewiseBox[10, 101, 2, -100]",
        "PiecewiseBox[200, 0, -6, -6]",
        "PiecewiseBox[200, 100, -6, 3]",
        "PiecewiseBox[10, 100, 2, 0]", // a tail of zeros does not count
        "PiecewiseBox[10, 100, 0, 2]",
        "PiecewiseBox[10, 11, 0, 2]",
        "PiecewiseBox[0.5, 1.5, 1, 2]",
        "PiecewiseBox[0, 0, 1, 2]",
        "PiecewiseBox[-5, -3, 1, 2]",
        "PiecewiseBox[1, 1, 7, 8]",
        "Cross[20, 40, 8, -1000, -1000, -1]",
        "Cross[2, 4, 8, 0, 1, 0]",
        "Cross[2, 4, 0, 3, 0, 0]",
        "Cross[2, 4, 0, 0, 0, 3]",
        "Cross[4, 2, 1, 2, 3, 4]", // V < U
        "Cross[0, 5, 1, 2, 3, 4]",
        "Cross[-1, 3, 1, 2, 3, 4]",
        "Cross[2.5, 4.5, 1, 2, 3, 4]",
        "Cross[0.5, 0.9, 1, 2, 3, 4]",
        "Table[(1, 2, 3), (4, 0, 5), (6, 7, 8)]",
        "Table[(5)]",
    };
    for (size_t i = 0; i < sizeof tight / sizeof tight[0]; i++) check_against_twin(tight[i], true);
    // all but one of the five by five values are zero, so it reaches only one cell
    check_against_twin("Table[(0, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 9, 0, 0), "
                       "(0, 0, 0, 0, 0), (0, 0, 0, 0, 0)]",
                       true);
    static const char *const loose[] = {
        "CrossHash[60, 4, 25, 2, 20, -200, -20, 1]", "CrossHash[0.7, 2, 5, 1.5, 20, -200, -20, 1]",
        "CrossHash[3, 9, -6, 2, 1, 2, 3, 4]", // smaller where the hash is larger
        "CrossHash[3, 2, 6, -1, 1, 2, 3, 4]", // V < U
        "CrossHash[3, -5, 9, 0, 1, 2, 3, 4]", // often empty
        "CrossHash[1e-3, 0, 8, 2, 1, 2, 3, 4]",      "CrossHash[1e6, 0, 8, 2, 1, 2, 3, 4]",
        "CrossHash[1e-12, 0, 8, 2, 1, 2, 3, 4]",
    };
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++) check_against_twin(loose[i], false);
}

static void test_intensities_against_twin(void **state)
{
    (void)state;
    static const char *const texts[] = {"Zero",
                                        "Constant[2.5]",
                                        "RadialHash[500, 60, -3.0, 14]",
                                        "RadialHash[-7.25, 3, 1, -2]",
                                        "RadialHash[0, 0.01, 1, 2]",
                                        "RadialHash[-1e9, 7, 1, 2]",
                                        "RadialHash[1e9, 0.003, 1, 2]",
                                        "RadialHash[0, 1e-9, 1, 2]",
                                        "RadialHash[1e9, 1e-12, 1, 2]",
                                        "Constant[-1] + RadialHash[3, 7, 1, 2]+Zero",
                                        "RadialHash[3, 7, 1, 2] + RadialHash[5, 40, -1, 4]",
                                        "Noise[20, 0, -3, 3]",
                                        "Noise[2, 5, 0, 1]",
                                        "Constant[1] + Noise[7, 1, -1, 2] + Noise[7, 2, -1, 2]",
                                        "Biome[30, 0, (0.3, 1), (0.7, -2)]",
                                        "Biome[2, 9, (0.3, 1), (0.3, 5), (0.4, -2)]",
                                        "Biome[9, 3, (1, 4)] + Noise[9, 3, -1, 1]",
                                        "RadialHash[-1e9, 3, 1, 2]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const jbw_item_type item = {.name = "A", .intensity = texts[i]};
        const jbw_config config = small_config(64, 0, &item, 1);
        twin_law law;
        assert_true(twin_law_init(&law, &config));
        law.seed = 7;
        for (int64_t y = -40; y <= 40; y += 3)
            for (int64_t x = -40; x <= 40; x++) {
                assert_near(intensity(texts[i], x, y), twin_intensity(&law, (twin_item){x, y, 0}));
                const int64_t far_x = x * 1000003;
                const int64_t far_y = y * 123457;
                assert_near(intensity(texts[i], far_x, far_y),
                            twin_intensity(&law, (twin_item){far_x, far_y, 0}));
            }
        twin_law_deinit(&law);
    }
}

static void test_cross_hash_radii(void **state)
{
    (void)state;
    jbw_arena arena = {0};
    jbw_coupling coupling;
    compile("CrossHash[2.5, 1.5, 10, 2.25, 1, 2, 3, 4]", &arena, &coupling);
    assert_false(jbw_coupling_is_stationary(&coupling));
    for (int64_t column = -300; column < 300; column++) {
        int inner;
        int outer;
        jbw_cross_hash_radii(&coupling, column, &inner, &outer);
        assert_true(outer <= coupling.reach);
        // along a column the value changes just beyond the radii
        const jbw_position at = {column, 4};
        for (int64_t d = 1; d <= coupling.reach; d++) {
            const double value = jbw_coupling_value(&coupling, at, (jbw_position){column, 4 + d});
            assert_true(value == (d <= inner ? 1 : d <= outer ? 2 : 0));
        }
    }
    compile("Cross[1, 2, 3, 4, 5, 6]", &arena, &coupling);
    assert_true(jbw_coupling_is_stationary(&coupling));
    jbw_arena_deinit(&arena);
}

// --- wrong arguments ----------------------------------------------------------------------------

static void test_wrong_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_intensity;
        int column;
    } cases[] = {
        {"Constant", true, 1},
        {"Constant[1, 2]", true, 1},
        {"Constant[a]", true, 10},
        {"Constant[(1)]", true, 10},
        {"Constant[1] & Constant[2]", true, 1},
        {"Konstant[1]", true, 1},
        {"1.5", true, 1},
        {"Constant[1] + 2", true, 15},
        {"Constant[1] + Konstant[2]", true, 15},
        {"Constant[1] + (Constant[2] + Zero)", true, 15},
        {"Constant[1 + 2]", true, 10},
        {"Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero+Zero",
         true, 1},
        {"RadialHash[1, 0, 1, 1]", true, 15},
        {"RadialHash[1, 2, 3]", true, 1},
        {"PiecewiseBox[1, 2, 3, 4]", true, 1},
        {"Constant[1]", false, 1},
        {"PiecewiseBox[1, 2, 3]", false, 1},
        {"PiecewiseBox[1, 2, 3, 1e12]", false, 23},
        {"CrossHash[0, 1, 1, 1, 1, 1, 1, 1]", false, 11},
        {"CrossHash[-2, 1, 1, 1, 1, 1, 1, 1]", false, 11},
        {"Table", false, 1},
        {"Table[]", false, 1},
        {"Table[(1, 2, 3), (4, 5, 6)]", false, 1},
        {"Table[(1, 2), (3, 4)]", false, 1},
        {"Table[(1, 2, 3), (4, 5), (6, 7, 8)]", false, 18},
        {"Table[1]", false, 7},
        {"Zero + Zero", false, 1},
        {"Noise[200, 0, -3]", true, 1},
        {"Noise[1, 0, -3, 3]", true, 7},
        {"Noise[2.5, 0, -3, 3]", true, 7},
        {"Noise[2000000, 0, -3, 3]", true, 7},
        {"Noise[200, -1, -3, 3]", true, 12},
        {"Noise[200, 0.5, -3, 3]", true, 12},
        {"Noise[200, 0, 3, -3]", true, 18},
        {"Noise[200, 0, never, 3]", true, 15},
        {"Biome[200, 0]", true, 1},
        {"Biome", true, 1},
        {"Biome[1, 0, (1, 2)]", true, 7},
        {"Biome[200, never, (1, 2)]", true, 12},
        {"Biome[200, 0, 1, 2]", true, 15},
        {"Biome[200, 0, (1)]", true, 15},
        {"Biome[200, 0, (0.5, 1), (0.4, 2)]", true, 1},
        {"Biome[200, 0, (0.5, 1), (0.5, always)]", true, 31},
        {"Biome[200, 0, (0.5, 1), (0.5, never[])]", true, 31},
        {"Biome[200, 0, (1.5, 1), (-0.5, 2)]", true, 16},
        {"Biome[200, 0, (0, 1), (1, 2)]", true, 16},
        {"Biome[200, 0, (never, 1), (1, 2)]", true, 16},
        {"Biome[200, 0, (0.5, 1e10), (0.5, 2)]", true, 21},
        {"Biome[200, 0, (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), "
         "(0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), (0.05, 1), "
         "(0.05, 1), (0.05, 1), (0.05, 1), (0.2, 1)]",
         true, 1},
        {"never", true, 1},
        {"Table[(1, 2, 3), (4, x, 6), (6, 7, 8)]", false, 22},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        jbw_error error = {0};
        const jbw_function_set none = {0};
        jbw_intensity f = {0};
        jbw_coupling g = {0};
        const char *text = cases[i].text;
        assert_int_equal(jbw_expr_parse_sum(text, strlen(text), &arena, &expr, NULL), JBW_OK);
        const jbw_status status = cases[i].is_intensity
                                      ? jbw_intensity_compile(expr, &none, &arena, &f, &error)
                                      : jbw_coupling_compile(expr, &none, &arena, &g, &error);
        if (!status) fail_msg("'%s' is accepted", text);
        assert_int_equal(status, JBW_INVALID_EXPRESSION);
        if (error.column != cases[i].column)
            fail_msg("'%s': column %d (%s), expected %d", text, error.column, error.text,
                     cases[i].column);
        assert_true(strlen(error.text) > 10);
        jbw_arena_deinit(&arena);
    }
    assert_true(jbw_function_name_is_taken("Cross"));
    assert_true(jbw_function_name_is_taken("Zero"));
    assert_false(jbw_function_name_is_taken("Crosses"));
}

// --- bounds of intensities ----------------------------------------------------------------------

static void test_intensity_bounds(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Constant[-1.5]",
        "RadialHash[500, 60, -3, 14]",
        "RadialHash[-7.25, 3, 1, -4]",
        "RadialHash[0.5, 0.01, 0, 1]",
        "RadialHash[-1e9, 60, 2, 3]",
        "RadialHash[500, 60, -3, 14] + Constant[2] + RadialHash[7, 30, 0, 1]",
        "Noise[200, 0, -3, 3]",
        "Noise[40, 7, 1, 1.5]",
        "Noise[7, 3, -1, 1]",
        "Biome[200, 1, (0.25, -1), (0.25, never), (0.5, 2)]",
        "Biome[60, 2, (0.25, -1), (0.25, -1.5), (0.5, 2)] + Noise[60, 1, 0, 1]",
        "Biome[17, 1, (0.25, -1), (0.75, 2)]",
        "Biome[3, 1, (0.25, -1), (0.75, 2)]",
    };
    static const jbw_position origins[] = {{0, 0},     {-16, -16}, {-40, 3},
                                           {500, -99}, {-7, -900}, {INT64_C(1) << 52, 12}};
    enum { SIZE = 32 };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        jbw_arena arena = {0};
        const jbw_intensity f = compile_intensity(texts[i], &arena);
        for (size_t k = 0; k < sizeof origins / sizeof origins[0]; k++) {
            double least, most;
            const bool is_constant = jbw_intensity_bounds(&f, 7, origins[k], SIZE, &least, &most);
            if (!f.is_zonal || i == 0) assert_int_equal(is_constant, i == 0);
            double low = INFINITY;
            double high = -INFINITY;
            for (int cell = 0; cell < SIZE * SIZE; cell++) {
                const jbw_position at = {origins[k].x + cell % SIZE, origins[k].y + cell / SIZE};
                low = fmin(low, jbw_intensity_value(&f, 7, at));
                high = fmax(high, jbw_intensity_value(&f, 7, at));
            }
            assert_true(least <= low && high <= most);
            if (is_constant) assert_true(least == low && most == high);
            // tight where the hash changes slowly
            if (i == 1) assert_true(least > low - 0.5 && most < high + 0.5);
        }
        jbw_arena_deinit(&arena);
    }
}

static void test_largest_table(void **state)
{
    (void)state;
    char *text = table_of(2 * JBW_MAX_TABLE_REACH + 1, 3);
    assert_true(interaction(text, JBW_MAX_TABLE_REACH, -JBW_MAX_TABLE_REACH, 0, 0) == 3);
    free(text);

    text = table_of(2 * JBW_MAX_TABLE_REACH + 3, 3);
    jbw_arena arena = {0};
    jbw_expr *expr;
    jbw_error error = {0};
    jbw_coupling coupling = {0};
    assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, &error), JBW_OK);
    assert_int_equal(jbw_coupling_compile(expr, &(jbw_function_set){0}, &arena, &coupling, &error),
                     JBW_INVALID_EXPRESSION);
    jbw_arena_deinit(&arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),          cmocka_unit_test(test_largest_table),
        cmocka_unit_test(test_against_twin),     cmocka_unit_test(test_intensities_against_twin),
        cmocka_unit_test(test_cross_hash_radii), cmocka_unit_test(test_intensity_bounds),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
