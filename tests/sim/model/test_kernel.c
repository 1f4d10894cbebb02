// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Kernels: tables, tables by column and plain function calls generate the same world, bit by bit,
/// with built-in functions and with those of the caller.
#include "support/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/model/model.h"

static jbw_model *build(const jbw_config *config, bool force_generic)
{
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_build(config, (jbw_model_options){.force_generic = force_generic}, &model,
                        &error))
        fail_msg("%s", error.text);
    return model;
}

// the hash after a short walk
static uint64_t walk_hash(const jbw_config *config, bool force_generic, uint64_t seed)
{
    jbw_model *model = build(config, force_generic);
    jbw_world *world = world_of(model, seed);
    const int64_t size = config->patch_size;
    const jbw_position stops[][2] = {{{0, 0}, {0, 0}},
                                     {{size, 3}, {size, 3}},
                                     {{size, size + 3}, {-9 * size, 2}},
                                     {{2 * size, 2 * size}, {-8 * size, size}}};
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        assert_int_equal(jbw_world_explore(world, stops[i], 2), JBW_OK);
    assert_true(jbw_world_get_stats(world).accepted_count > 100);
    const uint64_t hash = jbw_world_hash(world);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return hash;
}

static void test_shipped_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; jbw_shipped_world_name(i); i++) {
        jbw_config *config = read_config(jbw_shipped_world_name(i));
        config->mh_iterations = 1000;
        for (uint64_t seed = 1; seed <= 2; seed++)
            assert_int_equal(walk_hash(config, false, seed), walk_hash(config, true, seed));
        assert_int_not_equal(walk_hash(config, false, 1), walk_hash(config, false, 2));
        jbw_config_free(config);
    }
}

// --- built-in functions, written again ----------------------------------------------------------

// the calls of a function
typedef struct record {
    uint64_t calls;
    uint64_t calls_with_itself;
    uint64_t calls_too_far;
    int reach;
} record;

static void note_call(record *r, jbw_position a, jbw_position b)
{
    r->calls++;
    r->calls_with_itself += a.x == b.x && a.y == b.y;
    r->calls_too_far += llabs(a.x - b.x) > r->reach || llabs(a.y - b.y) > r->reach;
}

static double my_box(const double *n, jbw_position a, jbw_position b, void *user)
{
    if (user) note_call(user, a, b);
    const double dx = (double)(a.x - b.x);
    const double dy = (double)(a.y - b.y);
    const double d = dx * dx + dy * dy;
    return d < n[0] ? n[2] : d < n[1] ? n[3] : 0;
}

static double my_cross(const double *n, jbw_position a, jbw_position b, void *user)
{
    if (user) note_call(user, a, b);
    const double dx = fabs((double)(a.x - b.x));
    const double dy = fabs((double)(a.y - b.y));
    const bool is_straight = fmin(dx, dy) == 0;
    if (fmax(dx, dy) <= n[0]) return is_straight ? n[2] : n[4];
    if (fmax(dx, dy) <= n[1]) return is_straight ? n[3] : n[5];
    return 0;
}

static double my_constant(const double *n, jbw_position at, void *user)
{
    (void)at;
    (void)user;
    return n[0];
}

static const jbw_intensity_function my_intensities[] = {{"MyConstant", 1, my_constant, NULL}};

// three types that interact by the given functions
typedef struct trio {
    jbw_interaction interactions[3][3];
    jbw_item_type items[3];
} trio;

static jbw_config make_trio(trio *t, const char *const expressions[3][3], const char *intensity)
{
    static const char *const names[3] = {"A", "B", "C"};
    for (int i = 0; i < 3; i++) {
        size_t count = 0;
        for (int k = 0; k < 3; k++)
            if (expressions[i][k])
                t->interactions[i][count++] = (jbw_interaction){names[k], expressions[i][k]};
        t->items[i] = (jbw_item_type){.name = names[i],
                                      .intensity = intensity,
                                      .interactions = t->interactions[i],
                                      .interaction_count = count};
    }
    return small_config(12, 600, t->items, 3);
}

// reach and largest value, as for the built-in functions
static void box_bounds(const double *n, void *user, int *reach, double *largest)
{
    (void)user;
    *reach = 0;
    while ((*reach + 1) * (*reach + 1) < fmax(n[0], n[1])) ++*reach;
    *largest = n[1] > n[0] ? fmax(fabs(n[2]), fabs(n[3])) : fabs(n[2]);
}

static void cross_bounds(const double *n, void *user, int *reach, double *largest)
{
    (void)user;
    *reach = (int)n[1];
    *largest = fmax(fmax(fabs(n[2]), fabs(n[3])), fmax(fabs(n[4]), fabs(n[5])));
}

static void test_cross_hash_directions(void **state)
{
    (void)state;
    // in one direction, in both, equal or different, against a function of the offset only, and
    // against one that has values, but radii that reach no other cell
    static const char *const one = "CrossHash[3, 2, 6, 1.5, 0.8, -0.6, -0.7, 0.5]";
    static const char *const other = "CrossHash[0.7, 1.5, 4, 3, -0.5, 1.1, 0.3, -0.9]";
    static const char *const nowhere = "CrossHash[3, 0.2, 0.3, 0.1, 2, -3, 2, -3]";
    static const char *const box = "PiecewiseBox[10, 40, 0.5, -0.7]";
    const char *const cases[][3][3] = {
        {{NULL, one, NULL}, {NULL, NULL, NULL}, {NULL, NULL, NULL}},
        {{NULL, NULL, NULL}, {one, NULL, NULL}, {NULL, NULL, NULL}},
        {{NULL, one, NULL}, {one, NULL, NULL}, {NULL, NULL, NULL}},
        {{NULL, one, NULL}, {other, NULL, NULL}, {NULL, NULL, NULL}},
        {{one, NULL, NULL}, {NULL, other, NULL}, {NULL, NULL, NULL}},
        {{NULL, one, NULL}, {box, NULL, NULL}, {NULL, NULL, NULL}},
        {{NULL, one, NULL}, {nowhere, NULL, NULL}, {NULL, NULL, NULL}},
        {{NULL, nowhere, NULL}, {one, NULL, NULL}, {NULL, NULL, NULL}},
        {{one, box, other}, {other, box, one}, {box, NULL, one}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trio t;
        const jbw_config config = make_trio(&t, cases[i], "Constant[-1]");
        assert_int_equal(walk_hash(&config, false, i), walk_hash(&config, true, i));
    }
}

static void test_own_functions_equal_built_in_ones(void **state)
{
    (void)state;
    static const char *const built_in[3][3] = {
        {"PiecewiseBox[10, 100, 0.5, -0.7]", "PiecewiseBox[30, 10, -2, 9]", NULL},
        {NULL, "Cross[2, 9, 1.5, -0.25, -3, -0.125]", "PiecewiseBox[5, 20, 1.1, 0.3]"},
        {"Cross[3, 4, -1, 0.1, 0.5, 0.1]", NULL, NULL},
    };
    static const char *const own[3][3] = {
        {"MyBox[10, 100, 0.5, -0.7]", "MyBox[30, 10, -2, 9]", NULL},
        {NULL, "MyCross[2, 9, 1.5, -0.25, -3, -0.125]", "MyBox[5, 20, 1.1, 0.3]"},
        {"MyCross[3, 4, -1, 0.1, 0.5, 0.1]", NULL, NULL},
    };
    const jbw_interaction_function functions[] = {
        {.name = "MyBox", .argument_count = 4, .bounds = box_bounds, .value = my_box},
        {.name = "MyCross", .argument_count = 6, .bounds = cross_bounds, .value = my_cross},
    };
    trio t;
    jbw_config config = make_trio(&t, built_in, "Constant[-1.25]");
    const uint64_t expected = walk_hash(&config, false, 6);
    config = make_trio(&t, own, "MyConstant[-1.25]");
    config.intensity_functions = my_intensities;
    config.intensity_function_count = 1;
    config.interaction_functions = functions;
    config.interaction_function_count = 2;
    assert_int_equal(walk_hash(&config, false, 6), expected);
    assert_int_equal(walk_hash(&config, true, 6), expected);
}

static void test_calls_within_reach(void **state)
{
    (void)state;
    // every reach up to the patch size, and never a cell with itself
    for (int reach = 1; reach <= 12; reach++) {
        record r = {.reach = reach};
        const jbw_interaction_function function = {.name = "MyBox",
                                                   .argument_count = 4,
                                                   .reach = reach,
                                                   .largest = 1,
                                                   .value = my_box,
                                                   .user = &r};
        static const char *const expressions[3][3] = {
            {"MyBox[9, 30, 0.5, -0.5]", "MyBox[9, 30, -0.25, 0.25]", NULL},
            {"PiecewiseBox[3, 100, 0.5, -0.125]", NULL, "MyBox[4, 1000, 0.5, 1]"},
            {NULL, NULL, NULL},
        };
        trio t;
        jbw_config config = make_trio(&t, expressions, "Constant[-1]");
        config.mh_iterations = 150;
        config.interaction_functions = &function;
        config.interaction_function_count = 1;
        walk_hash(&config, false, (uint64_t)reach);
        assert_true(r.calls > 100);
        assert_int_equal(r.calls_with_itself, 0);
        assert_int_equal(r.calls_too_far, 0);
    }
}

// --- tables -------------------------------------------------------------------------------------

// a PiecewiseBox or Cross as a Table; the middle is never used
static char *write_table(double (*value)(const double *, jbw_position, jbw_position, void *),
                         const double *numbers, int reach, const char *middle)
{
    char *text = malloc(40u * (size_t)(2 * reach + 1) * (size_t)(2 * reach + 1) + 100);
    assert_non_null(text);
    char *at = text + sprintf(text, "Table[");
    for (int y = reach; y >= -reach; y--) {
        at += sprintf(at, "%s(", y == reach ? "" : ", ");
        for (int x = -reach; x <= reach; x++) {
            if (x > -reach) at += sprintf(at, ", ");
            if (x == 0 && y == 0)
                at += sprintf(at, "%s", middle);
            else
                at += sprintf(at, "%.17g",
                              value(numbers, (jbw_position){x, y}, (jbw_position){0, 0}, NULL));
        }
        at += sprintf(at, ")");
    }
    sprintf(at, "]");
    return text;
}

static void test_tables_equal_functions(void **state)
{
    (void)state;
    static const double box[] = {10, 100, 0.5, -0.7};
    static const double cross[] = {2, 8, 1.5, -0.25, -3, -0.125};
    static const char *const with_functions[3][3] = {
        {"PiecewiseBox[10, 100, 0.5, -0.7]", "Cross[2, 8, 1.5, -0.25, -3, -0.125]", NULL},
        {NULL, "Cross[2, 8, 1.5, -0.25, -3, -0.125]", NULL},
        {"PiecewiseBox[10, 100, 0.5, -0.7]", NULL, NULL},
    };
    trio t;
    jbw_config config = make_trio(&t, with_functions, "Constant[-1.25]");
    const uint64_t expected = walk_hash(&config, false, 8);

    // without and with a border of zeros; the middle does not matter
    for (int border = 0; border <= 2; border++) {
        char *box_table = write_table(my_box, box, 9 + border, "0");
        char *cross_table = write_table(my_cross, cross, 8 + border, border ? "0" : "0.5");
        const char *const with_tables[3][3] = {
            {box_table, cross_table, NULL}, {NULL, cross_table, NULL}, {box_table, NULL, NULL}};
        config = make_trio(&t, with_tables, "Constant[-1.25]");
        assert_int_equal(walk_hash(&config, false, 8), expected);
        assert_int_equal(walk_hash(&config, true, 8), expected);
        free(box_table);
        free(cross_table);
    }
}

// --- functions that misbehave -------------------------------------------------------------------

static double odd_value(const double *n, jbw_position a, jbw_position b, void *user)
{
    (void)user;
    const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18, n[0], -n[0]};
    return values[(uint64_t)(a.x * 3 + a.y * 5 + b.x * 7 + b.y) % 8];
}

static double odd_intensity(const double *n, jbw_position at, void *user)
{
    (void)user;
    const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, n[0], n[0], n[0]};
    return values[(uint64_t)(at.x * 3 + at.y) % 8];
}

static void test_misbehaving_functions(void **state)
{
    (void)state;
    const jbw_interaction_function interaction = {
        .name = "Odd", .argument_count = 1, .reach = 5, .largest = 3, .value = odd_value};
    const jbw_intensity_function intensity = {"OddIntensity", 1, odd_intensity, NULL};
    static const char *const expressions[3][3] = {
        {"Odd[1]", "Odd[2]", "Odd[3]"},
        {"PiecewiseBox[10, 20, -1, 0.5]", "Odd[0.5]", NULL},
        {NULL, NULL, NULL},
    };
    trio t;
    jbw_config config = make_trio(&t, expressions, "OddIntensity[-0.5]");
    config.interaction_functions = &interaction;
    config.interaction_function_count = 1;
    config.intensity_functions = &intensity;
    config.intensity_function_count = 1;
    assert_int_equal(walk_hash(&config, false, 2), walk_hash(&config, true, 2));
    assert_int_equal(walk_hash(&config, false, 2), walk_hash(&config, false, 2));

    // absurd bounds do no harm either, whether they are refused or clamped
    const double absurd[] = {NAN, INFINITY, -1, 1e300, 0};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        jbw_interaction_function bad = interaction;
        bad.largest = absurd[i];
        config.interaction_functions = &bad;
        if (jbw_config_check(&config, NULL, NULL) == JBW_OK)
            assert_int_equal(walk_hash(&config, false, 2), walk_hash(&config, true, 2));
    }

    // a reach larger than the patch is refused
    const int bad_reaches[] = {13, 1000000};
    for (size_t i = 0; i < sizeof bad_reaches / sizeof bad_reaches[0]; i++) {
        jbw_interaction_function bad = interaction;
        bad.reach = bad_reaches[i];
        config.interaction_functions = &bad;
        jbw_model *model;
        assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_INVALID_CONFIG);
        assert_null(model);
    }
}

static void test_extreme_energies(void **state)
{
    (void)state;
    // many values near the largest that fit
    static const char *const expressions[3][3] = {
        {"PiecewiseBox[100, 0, 1e5, 0]", "PiecewiseBox[100, 0, -1e5, 0]", NULL},
        {"PiecewiseBox[100, 0, 1e5, 0]", "Cross[12, 12, -1e5, 0, 1e5, 0]", NULL},
        {"CrossHash[3, 2, 8, 1, 1e5, -1e5, 1e5, -1e5]", NULL, "PiecewiseBox[145, 0, 1e5, 0]"},
    };
    trio t;
    static const char *const intensities[] = {"Constant[1e9]", "Constant[-1e9]", "Constant[0]"};
    for (int i = 0; i < 3; i++) {
        jbw_config config = make_trio(&t, expressions, intensities[i]);
        t.items[2].intensity = "Constant[2]"; // so that something is generated
        assert_int_equal(walk_hash(&config, false, 2), walk_hash(&config, true, 2));
    }

    // what could overflow is refused
    static const char *const too_strong[3][3] = {{"PiecewiseBox[145, 0, 1e9, 0]"}};
    const jbw_config config = make_trio(&t, too_strong, "Zero");
    assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_worlds),
        cmocka_unit_test(test_cross_hash_directions),
        cmocka_unit_test(test_own_functions_equal_built_in_ones),
        cmocka_unit_test(test_calls_within_reach),
        cmocka_unit_test(test_tables_equal_functions),
        cmocka_unit_test(test_misbehaving_functions),
        cmocka_unit_test(test_extreme_energies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
