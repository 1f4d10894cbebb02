// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Energies in 16 bits: units and bounds by hand, and stamps against tables, cell by cell.
#include "support/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/generate/invariant/narrow.h"
#include "support/random.h"

static const jbw_interaction a_interactions[2][2] = {
    {{"A", "PiecewiseBox[10, 100, 0, -0.1]"}, {"B", "PiecewiseBox[10, 100, -100, -100]"}},
    {{"A", "PiecewiseBox[10, 100, 0.001, -20]"}, {"B", "PiecewiseBox[10, 100, 7, 1]"}},
};
static const jbw_interaction b_interactions[] = {{"B", "PiecewiseBox[10, 100, 2, -6]"}};

static jbw_model *make_model(int which)
{
    const jbw_item_type items[] = {{.name = "A",
                                    .intensity = "Constant[2]",
                                    .interactions = a_interactions[which],
                                    .interaction_count = 2},
                                   {.name = "B",
                                    .intensity = "Constant[1.5]",
                                    .interactions = b_interactions,
                                    .interaction_count = 1}};
    const jbw_config config = small_config(64, 0, items, 2);
    return model_of(&config);
}

static const jbw_kernel *kernel_of(const jbw_model *model, int source, int target)
{
    for (int k = 0; k < model->items[source].kernel_count; k++)
        if (model->items[source].kernels[k].field == model->scales[target].field)
            return &model->items[source].kernels[k];
    fail_msg("no kernel");
    return NULL;
}

static void test_scales(void **state)
{
    (void)state;
    jbw_model *model = make_model(0);
    // between two items of A, both of which list it: -0.2; B keeps A away, since nothing raises A:
    // its intensity and 24 suffice
    const jbw_narrow_scale a = jbw_narrow_scale_of(model, 0, 2.0);
    assert_true(a.is_narrow);
    assert_true(fabs(a.unit - 0.2) < 1e-3);
    assert_true(a.least == -26.0);
    // -130 in each of the 304 cells in reach: more than 16 bits with a sign can hold
    assert_true(a.base > 0);
    // between two items of B: 4 in the nearest 28 cells, -12 farther out; and -100 from A
    const jbw_narrow_scale b = jbw_narrow_scale_of(model, 1, 1.5);
    assert_true(b.is_narrow);
    assert_true(b.unit == 4.0);
    assert_int_equal(b.base, 0);
    assert_true(b.least == -137.5);
    jbw_model_destroy(model);

    // in units of 0.002, sums of -40 would overflow
    model = make_model(1);
    assert_false(jbw_narrow_scale_of(model, 0, 2.0).is_narrow);
    assert_true(jbw_narrow_scale_of(model, 0, 2.0).unit == model->scales[0].unit);
    jbw_model_destroy(model);
}

// the numbers of a table are the energies in units, or the least one
static void test_kernels(void **state)
{
    (void)state;
    jbw_model *model = make_model(0);
    jbw_arena arena = {0};
    for (int source = 0; source < 2; source++) {
        const jbw_narrow_scale scale = jbw_narrow_scale_of(model, 0, 2.0);
        const jbw_kernel *kernel = kernel_of(model, source, 0);
        const int away = (int)floor(-26.0 / scale.unit);
        jbw_narrow_kernel narrow = {0};
        assert_true(jbw_narrow_kernel_init(&narrow, kernel, &scale, model->scales[0].unit, &arena));
        for (int y = -9; y <= 9; y++) {
            for (int x = -9; x <= 9; x++) {
                const int d = x * x + y * y;
                const int expected = d == 0 || d >= 100 ? 0 : source == 1 ? away : d < 10 ? 0 : -1;
                const int found = narrow.table[(y + 9) * narrow.stride + JBW_NARROW_LANES + x + 9];
                assert_int_equal(found, expected);
            }
        }
    }
    jbw_arena_deinit(&arena);
    jbw_model_destroy(model);
}

enum { WIDTH = 128, HEIGHT = 50, ROUNDS = 300 };

static void test_stamps(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        static int16_t field[HEIGHT * WIDTH];
        static int expected[HEIGHT * WIDTH];
        int16_t table[41 * (41 + 2 * JBW_NARROW_LANES)] = {0};
        const int reach = 1 + (int)random_below(&random, 20);
        const int side = 2 * reach + 1;
        const jbw_narrow_kernel kernel = {table, side + 2 * JBW_NARROW_LANES, reach};
        for (int i = 0; i < side * side; i++)
            table[i / side * kernel.stride + JBW_NARROW_LANES + i % side] =
                (int16_t)((int)random_below(&random, 2001) - 1000);
        const jbw_narrow_target target = {field, WIDTH, 10, 10 + 1 + (int)random_below(&random, 90),
                                          3,     40};
        memset(field, 0, sizeof field);
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < 3; i++) {
            const int x = 10 + (int)random_below(&random, (uint32_t)(target.right - 10));
            const int y = 3 + (int)random_below(&random, 37);
            jbw_narrow_stamp(&kernel, &target, x, y, i == 1);
            for (int v = -reach; v <= reach; v++)
                for (int u = -reach; u <= reach; u++)
                    if (x + u >= 10 && x + u < target.right && y + v >= 3 && y + v < 40)
                        expected[(y + v) * WIDTH + x + u] +=
                            (i == 1 ? -1 : 1) *
                            table[(v + reach) * kernel.stride + JBW_NARROW_LANES + u + reach];
        }
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                const bool is_row = y >= 3 && y < 40;
                if (is_row && x >= 10 && x < target.right)
                    assert_int_equal(field[y * WIDTH + x], expected[y * WIDTH + x]);
                if (!is_row || x >= target.right + JBW_NARROW_LANES)
                    assert_int_equal(field[y * WIDTH + x], 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
