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

// what an item adds to a cell, out of the pieces of its kernel
static int added_at(const jbw_narrow_kernel *narrow, int x, int y)
{
    int sum = 0;
    for (int i = narrow->row_starts[y + narrow->reach];
         i < narrow->row_starts[y + narrow->reach + 1]; i++) {
        const int lane = x - narrow->columns[i];
        if (lane >= 0 && lane < JBW_NARROW_LANES)
            sum += narrow->pieces[i * JBW_NARROW_LANES + lane];
    }
    return sum;
}

// the numbers of a kernel are the energies in units, or the least one
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
                assert_int_equal(added_at(&narrow, x, y), expected);
            }
        }
        assert_int_equal(narrow.row_starts[19], narrow.count);
        assert_true(narrow.count <= 2 * 19);
    }
    jbw_arena_deinit(&arena);
    jbw_model_destroy(model);
}

enum { WIDTH = 90, STRIDE = 128, HEIGHT = 50, BOTTOM = 3, TOP = 40, MOST_REACH = 20, ROUNDS = 300 };

// a random table, in which some rows and stretches of rows are zero
static void fill_table(jbw_kernel *kernel, uint64_t *random)
{
    const int side = 2 * kernel->reach + 1;
    kernel->table_stride = side + 2 * JBW_LANES;
    memset(kernel->table, 0, (size_t)(side * kernel->table_stride) * sizeof *kernel->table);
    for (int y = 0; y < side; y++) {
        const int first = (int)random_below(random, (uint32_t)side + 1);
        const int end = first + (int)random_below(random, (uint32_t)side + 1);
        const bool is_between = random_below(random, 2) == 0;
        for (int x = 0; x < side; x++)
            if ((x >= first && x < end) == is_between)
                kernel->table[y * kernel->table_stride + JBW_LANES + x] =
                    (int)random_below(random, 2001) - 1000;
    }
}

// cells of rows that are not stamped stay as they are, and so does what lies outside the field
static void check_field(const int16_t *field, const int *expected)
{
    for (int i = -JBW_NARROW_LANES; i < HEIGHT * STRIDE; i++) {
        const int y = i < 0 ? -1 : i / STRIDE;
        const int x = i - y * STRIDE;
        if (y >= BOTTOM && y < TOP && x < WIDTH) assert_int_equal(field[i], expected[i]);
        if (y < BOTTOM - 1 || y >= TOP) assert_int_equal(field[i], 0);
        if (y == BOTTOM - 1 && x <= STRIDE - JBW_NARROW_LANES) assert_int_equal(field[i], 0);
        if (x >= WIDTH + JBW_NARROW_LANES - 1 && x <= STRIDE - JBW_NARROW_LANES)
            assert_int_equal(field[i], 0);
    }
}

static void test_stamps(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        static int16_t memory[JBW_NARROW_LANES + HEIGHT * STRIDE];
        static int expected[HEIGHT * STRIDE];
        static int32_t table[(2 * MOST_REACH + 1) * (2 * MOST_REACH + 1 + 2 * JBW_LANES)];
        static int32_t offsets[(2 * MOST_REACH + 1) * 3];
        const int reach = 1 + (int)random_below(&random, MOST_REACH);
        jbw_kernel kernel = {.kind = JBW_KERNEL_TABLE, .reach = reach, .table = table};
        fill_table(&kernel, &random);
        jbw_arena arena = {0};
        jbw_narrow_kernel narrow;
        assert_true(jbw_narrow_kernel_init(&narrow, &kernel, NULL, 1.0, &arena));
        assert_true(narrow.count <= (int)(sizeof offsets / sizeof *offsets));
        jbw_narrow_find_offsets(&narrow, STRIDE, offsets);
        int16_t *field = memory + JBW_NARROW_LANES;
        const jbw_narrow_target target = {field, STRIDE, WIDTH, BOTTOM, TOP};
        memset(memory, 0, sizeof memory);
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < 4; i++) {
            // the item may lie outside, or even out of reach
            const int x = (int)random_below(&random, WIDTH + 3 * MOST_REACH) - 3 * MOST_REACH / 2;
            const int y = (int)random_below(&random, HEIGHT + 2 * MOST_REACH) - MOST_REACH;
            jbw_narrow_stamp(&narrow, offsets, &target, x, y, i % 2 == 1);
            for (int v = -reach; v <= reach; v++)
                for (int u = -reach; u <= reach; u++)
                    if (x + u >= 0 && x + u < WIDTH && y + v >= BOTTOM && y + v < TOP)
                        expected[(y + v) * STRIDE + x + u] +=
                            (i % 2 == 1 ? -1 : 1) *
                            table[(v + reach) * kernel.table_stride + JBW_LANES + u + reach];
        }
        check_field(field, expected);
        jbw_arena_deinit(&arena);
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
