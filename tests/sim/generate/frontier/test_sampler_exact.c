// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The sampler against exact probabilities: on patches of a few cells all states can be listed, and
/// the paper's equation, evaluated by the double loops of the twin, gives the probability of each.
/// Long chains of the real sampler must visit the states accordingly.
///
/// How the error is known: the paper's proposals and acceptance give the exact transition matrix.
/// First, the distribution of the equation must be invariant under it, up to rounding. Second, its
/// norm on functions of mean zero, over n rounds, bounds the correlation of any two observations n
/// rounds apart; n is so large that the bound r is below 0.05, and chi-square is divided by (1 + r)
/// / (1 - r). What is left is the error of independent draws.
///
/// The test also checks that it can fail: the same observations are compared with the exact
/// distributions of chains with typical mistakes. Wherever such a distribution is far enough away
/// to be distinguished, chi-square must reject it.
///
/// Seeds are fixed. `test_sampler_exact --long --seed N` takes ten times as many observations of
/// others.
#include "support/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/generate/frontier/sampler.h"
#include "support/exact_chain.h"
#include "support/options.h"
#include "support/statistics.h"

static test_options options;

// --- small worlds -------------------------------------------------------------------------------

// a function of the caller that depends on both positions, not only on the offset
static double leaning(const double *arguments, jbw_position first, jbw_position second, void *user)
{
    (void)user;
    const int64_t mixed = first.x * 7 + first.y * 2 + second.x * 5 - second.y * 3;
    return arguments[0] * (double)(((mixed % 5) + 5) % 5 - 2);
}

static double checkered(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    return (position.x + position.y) % 2 ? arguments[0] : arguments[1];
}

static const jbw_interaction_function custom_interaction = {
    .name = "Leaning", .argument_count = 1, .reach = 2, .largest = 2, .value = leaning};
static const jbw_intensity_function custom_intensity = {
    .name = "Checkered", .argument_count = 2, .value = checkered};

#define TILTED "Table[(0.9, -0.4, 0.1), (-0.7, 0, 0.5), (0.3, -0.2, -0.9)]"

static const scenario scenarios[] = {
    {.name = "constants",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[-0.5]", "Constant[0.8]"},
     .site_count = 1,
     .sites = {{0, 0}}},
    {.name = "radial hash",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"RadialHash[3.5, 1.3, 0.6, 3]"},
     .site_count = 1,
     .sites = {{-2, 1}}},
    {.name = "noise",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.3] + Noise[2, 4, -2, 2]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.25]"}},
     .site_count = 1,
     .sites = {{7, -3}}},
    {.name = "biomes, two types",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Biome[2, 1, (0.4, -1), (0.6, 0.7)]", "Biome[2, 1, (0.4, 1), (0.6, -0.5)]"},
     .interactions = {{"PiecewiseBox[2, 3, 0.4, -0.3]", "PiecewiseBox[2, 5, -0.3, 0.2]"}},
     .site_count = 1,
     .sites = {{11, 5}},
     .frozen_count = 2,
     .frozen = {{21, 10, 0}, {24, 11, 1}}},
    {.name = "biomes with never, far away",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Biome[3, 0, (0.5, 0.2), (0.5, never)] + Noise[3, 0, -1, 1]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.25]"}},
     .site_count = 1,
     .sites = {{-700000000001, 300000000002}}},
    {.name = "box",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.25]"}},
     .site_count = 1,
     .sites = {{0, 0}}},
    {.name = "box, V < U",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.3]", "Constant[-0.4]"},
     .interactions = {{"PiecewiseBox[2, 1, -0.8, 5]", "PiecewiseBox[3, 0, 0.4, 9]"}},
     .site_count = 1,
     .sites = {{1, -1}}},
    {.name = "box that excludes",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[0.5]"},
     .interactions = {{"PiecewiseBox[2, 5, -100, 0.3]"}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 1,
     .frozen = {{3, 1, 0}}},
    {.name = "box among frozen",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.3]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.4]"}},
     .site_count = 1,
     .sites = {{-1, -1}},
     .frozen_count = 8,
     .frozen = {{-4, -4, 0},
                {-2, -5, 0},
                {0, -4, 0},
                {1, -2, 0},
                {0, 0, 0},
                {-3, 0, 0},
                {-4, 1, 0},
                {-4, -2, 0}}},
    {.name = "cross among frozen",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[0]"},
     .interactions = {{"Cross[1, 3, 0.4, -0.3, -0.45, 0.2]"}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 7,
     .frozen = {{-3, -3, 0}, {-1, 1, 0}, {5, 2, 0}, {4, 4, 0}, {1, 3, 0}, {2, -2, 0}, {3, -1, 0}}},
    {.name = "cross hash",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.1]"},
     .interactions = {{"CrossHash[0.8, 0.5, 2, 0.7, 0.5, -0.5, -0.6, 0.4]"}},
     .site_count = 1,
     .sites = {{5, 2}},
     .frozen_count = 3,
     .frozen = {{13, 7, 0}, {18, 6, 0}, {16, 10, 0}}},
    {.name = "cross hash, one way",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[-0.2]", "Constant[0.1]"},
     .interactions = {{NULL, "CrossHash[0.7, 0.3, 1.2, 0.5, 0.9, -0.7, -0.8, 0.5]"}},
     .site_count = 1,
     .sites = {{-4, 0}},
     .frozen_count = 3,
     .frozen = {{-9, 0, 1}, {-6, 1, 0}, {-7, 2, 1}}},
    {.name = "cross hash there, box back",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.1]", "Constant[-0.2]"},
     .interactions = {{NULL, "CrossHash[0.7, 0.3, 1.2, 0.5, 0.8, -0.6, -0.7, 0.5]"},
                      {"PiecewiseBox[2, 5, -0.3, 0.2]", NULL}},
     .site_count = 1,
     .sites = {{3, -2}},
     .frozen_count = 3,
     .frozen = {{5, -4, 1}, {8, -3, 0}, {7, -5, 1}}},
    {.name = "table, one way",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.1]", "Constant[-0.3]"},
     .interactions = {{NULL, TILTED}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 4,
     .frozen = {{-1, -1, 0}, {2, 0, 1}, {1, 2, 0}, {-1, 2, 1}}},
    {.name = "asymmetric pair",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.2]", "RadialHash[0, 0.9, 0.5, 1.5]"},
     .interactions = {{"Cross[1, 1, 0.3, 0, -0.5, 0]", "PiecewiseBox[2, 5, -0.7, 0.3]"},
                      {"PiecewiseBox[3, 0, 0.5, 0]", "Zero"}},
     .site_count = 1,
     .sites = {{0, 3}},
     .frozen_count = 3,
     .frozen = {{-1, 6, 0}, {2, 7, 1}, {0, 8, 1}}},
    {.name = "user's own",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Checkered[-0.6, 0.5]", "Constant[0]"},
     .interactions = {{"Leaning[0.25]", "Leaning[-0.4]"}, {"PiecewiseBox[2, 3, 0.4, -0.3]"}},
     .site_count = 1,
     .sites = {{1, 1}},
     .frozen_count = 2,
     .frozen = {{4, 3, 1}, {2, 1, 0}}},
    {.name = "two side by side",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"PiecewiseBox[2, 5, -0.45, 0.35]"}},
     .site_count = 2,
     .sites = {{-1, 0}, {0, 0}}},
    {.name = "one above the other, frozen around",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"RadialHash[2, 1.1, 0.2, 1]"},
     .interactions = {{"CrossHash[0.6, 0.4, 1.3, 0.3, 0.5, -0.3, -0.5, 0.3]"}},
     .site_count = 2,
     .sites = {{2, -1}, {2, 0}},
     .frozen_count = 5,
     .frozen = {{3, -2, 0}, {3, 1, 0}, {6, 0, 0}, {5, 2, 0}, {4, -3, 0}}},
    {.name = "two corner to corner",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[0.1]"},
     .interactions = {{"Cross[1, 2, 0.4, -0.2, -0.8, 0.3]"}},
     .site_count = 2,
     .sites = {{1, 0}, {0, 1}},
     .frozen_count = 2,
     .frozen = {{1, 1, 0}, {2, 3, 0}}},
    {.name = "two with a frozen one between",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[-0.1]"},
     .interactions = {{"PiecewiseBox[2, 5, 0.5, -0.4]"}},
     .site_count = 2,
     .sites = {{0, 0}, {2, 0}},
     .frozen_count = 3,
     .frozen = {{2, 0, 0}, {3, 1, 0}, {1, 2, 0}}},
    {.name = "nine of one cell",
     .patch_size = 1,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"Table[(0.5, -0.3, 0.2), (-0.4, 0, -0.2), (0.1, 0.3, -0.6)]"}},
     .site_count = 9,
     .sites = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}},
     .frozen_count = 2,
     .frozen = {{-2, 0, 0}, {2, 2, 0}}},
    {.name = "a ring around a frozen cell",
     .patch_size = 1,
     .type_count = 1,
     .intensities = {"Constant[0.1]"},
     .interactions = {{"PiecewiseBox[2, 3, 0.4, -0.45]"}},
     .site_count = 8,
     .sites = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}},
     .frozen_count = 1,
     .frozen = {{0, 0, 0}}},
    {.name = "four cells, two types",
     .patch_size = 1,
     .type_count = 2,
     .intensities = {"Constant[-0.3]", "Constant[0.2]"},
     .interactions = {{"PiecewiseBox[2, 3, 0.3, -0.4]", "Cross[1, 1, -0.6, 0, 0.5, 0]"},
                      {"Zero", "CrossHash[0.5, 0.4, 0.9, 0.1, 0.5, 0.2, -0.4, -0.2]"}},
     .site_count = 4,
     .sites = {{7, 3}, {8, 3}, {7, 4}, {8, 4}}},
};

// --- the real sampler ---------------------------------------------------------------------------

static jbw_config make_config(const scenario *small, jbw_item_type *items,
                              jbw_interaction interactions[MAX_TYPES][MAX_TYPES])
{
    static const char *const names[MAX_TYPES] = {"A", "B"};
    for (int t = 0; t < small->type_count; t++) {
        items[t] = (jbw_item_type){.name = names[t], .intensity = small->intensities[t]};
        size_t count = 0;
        for (int s = 0; s < small->type_count; s++)
            if (small->interactions[t][s])
                interactions[t][count++] = (jbw_interaction){names[s], small->interactions[t][s]};
        items[t].interactions = interactions[t];
        items[t].interaction_count = count;
    }
    jbw_config config = small_config(small->patch_size, 1, items, (size_t)small->type_count);
    config.interaction_functions = &custom_interaction;
    config.interaction_function_count = 1;
    config.intensity_functions = &custom_intensity;
    config.intensity_function_count = 1;
    return config;
}

static jbw_patch *add_patch(jbw_map *map, jbw_position at)
{
    jbw_patch *patch = jbw_map_find(map, at);
    if (patch) return patch;
    patch = jbw_map_new_patch(map, at, options.seed);
    assert_non_null(patch);
    assert_true(jbw_map_reserve(map, 1));
    jbw_map_insert(map, patch);
    return patch;
}

// how often each state is seen, `thin` rounds apart
static void observe(const chain *c, const jbw_model *model, int thin, int observations,
                    double *seen)
{
    jbw_map map;
    jbw_sampler sampler;
    jbw_map_init(&map, model);
    jbw_sampler_init(&sampler, model);
    sampler.seed = options.seed;

    const int size = c->small->patch_size;
    for (int i = 0; i < c->small->frozen_count; i++) {
        const twin_item item = c->small->frozen[i];
        const jbw_position at = {floor_divide(item.x, size), floor_divide(item.y, size)};
        jbw_patch *patch = add_patch(&map, at);
        patch->cells[(item.y - at.y * size) * size + item.x - at.x * size] =
            (uint8_t)(item.type + 1);
    }
    jbw_patch *sites[MAX_SITES];
    for (int i = 0; i < c->small->site_count; i++) {
        sites[i] = jbw_map_find(&map, c->small->sites[i]);
        assert_null(sites[i]);
        sites[i] = add_patch(&map, c->small->sites[i]);
    }
    const size_t site_count = (size_t)c->small->site_count;
    assert_true(jbw_sampler_reserve(&sampler, site_count));

    jbw_sampler_run(&sampler, &map, sites, site_count, 8 * thin);
    for (int i = 0; i < observations; i++) {
        // every second time it starts afresh, otherwise it continues with what it kept
        if (i % 2) jbw_sampler_begin(&sampler, map.patch_count);
        jbw_sampler_run(&sampler, &map, sites, site_count, thin);
        int state = 0;
        for (int cell = c->cells - 1; cell >= 0; cell--)
            state = state * (c->small->type_count + 1) +
                    sites[cell / c->site_cells]->cells[cell % c->site_cells];
        seen[state]++;
    }
    assert_int_equal(sampler.proposal_count,
                     (uint64_t)thin * (uint64_t)(observations + 8) * site_count);

    // what is frozen did not change
    for (int i = 0; i < c->small->frozen_count; i++) {
        const twin_item item = c->small->frozen[i];
        const jbw_position at = {floor_divide(item.x, size), floor_divide(item.y, size)};
        const jbw_patch *patch = jbw_map_find(&map, at);
        assert_int_equal(patch->cells[(item.y - at.y * size) * size + item.x - at.x * size],
                         item.type + 1);
    }
    jbw_sampler_deinit(&sampler);
    jbw_map_deinit(&map);
}

// --- the comparison -----------------------------------------------------------------------------

typedef struct verdict {
    double chi_square;
    double degrees;
    double z;
} verdict;

// States that are expected less than ten times share one term of chi-square. `inflation` is by how
// much correlation can increase it.
static verdict compare(const double *seen, const double *law, int count, double observations,
                       double inflation)
{
    verdict v = {0};
    double rare_expected = 0;
    double rare_seen = 0;
    for (int i = 0; i < count; i++) {
        const double expected = law[i] * observations;
        if (expected < 10) {
            rare_expected += expected;
            rare_seen += seen[i];
            continue;
        }
        v.chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
        v.degrees++;
    }
    if (rare_expected > 1) {
        v.chi_square += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
        v.degrees++;
    } else if (rare_seen > 20) {
        v.chi_square += 1e6; // what should almost never happen does
    }
    v.degrees--;
    v.chi_square /= inflation;
    v.z = chi_square_z(v.chi_square, v.degrees);
    return v;
}

static int slip_seen[SLIP_TYPE_COUNT]; // in how many scenarios it would be noticed

static void check_scenario(const scenario *small)
{
    jbw_item_type items[MAX_TYPES];
    jbw_interaction interactions[MAX_TYPES][MAX_TYPES];
    const jbw_config config = make_config(small, items, interactions);
    twin_law law;
    assert_true(twin_law_init(&law, &config));
    law.seed = options.seed;
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_build(&config, (jbw_model_options){.allows_tiny = true}, &model, &error))
        fail_msg("%s", error.text);

    chain right;
    chain_init(&right, small, &law, NO_SLIP);
    const int n = right.state_count;
    double *exact = calloc((size_t)n * 4, sizeof *exact);
    assert_non_null(exact);
    double *wrong_law = exact + n;
    double *scratch = exact + 2 * n;
    double *seen = exact + 3 * n;

    // the equation is invariant under the acceptance that follows from the proposals
    chain_equation_law(&right, exact);
    memcpy(wrong_law, exact, (size_t)n * sizeof *exact);
    chain_advance(&right, wrong_law, scratch);
    assert_true(largest_difference(exact, wrong_law, n) < 1e-14);

    int thin = 4;
    double bound;
    do {
        thin *= 2;
        bound = chain_correlation_bound(&right, exact, thin, scratch);
    } while (bound > 0.05 && thin < 4096);
    assert_true(bound <= 0.05);
    const double inflation = (1 + bound) / (1 - bound);

    const int observations = options.is_long ? 400000 : 40000;
    observe(&right, model, thin, observations, seen);
    for (int i = 0; i < n; i++)
        if (exact[i] < 1e-12) assert_true(seen[i] == 0);
    const verdict good = compare(seen, exact, n, observations, inflation);
    print_message("%-36s %3d states, every %3d rounds: chi-square %6.1f of %3.0f, z %5.2f\n",
                  small->name, n, thin, good.chi_square, good.degrees, good.z);

    // each mistake that shows here must be rejected
    for (slip wrong = NO_SLIP + 1; wrong < SLIP_TYPE_COUNT; wrong++) {
        chain broken;
        chain_init(&broken, small, &law, wrong);
        assert_true(chain_limit_law(&broken, wrong_law, scratch));
        double expected_chi = 0;
        for (int i = 0; i < n; i++)
            if (wrong_law[i] > 0)
                expected_chi += observations * (exact[i] - wrong_law[i]) *
                                (exact[i] - wrong_law[i]) / wrong_law[i];
        const verdict bad = compare(seen, wrong_law, n, observations, inflation);
        if (expected_chi > 30 * sqrt(2 * good.degrees) && expected_chi > 100) {
            slip_seen[wrong]++;
            if (options.is_long)
                print_message("    would notice: %-18s z %7.1f\n", slip_names[wrong], bad.z);
            if (bad.z < 8) fail_msg("%s: looks like '%s'", small->name, slip_names[wrong]);
        }
        chain_deinit(&broken);
    }
    // 4.5 standard deviations: once in 300,000 correct runs
    if (!(good.z < 4.5)) fail_msg("%s: z = %g", small->name, good.z);

    chain_deinit(&right);
    free(exact);
    jbw_model_destroy(model);
    twin_law_deinit(&law);
}

static void test_scenarios(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        check_scenario(&scenarios[i]);

    // and each mistake shows somewhere
    for (slip wrong = NO_SLIP + 1; wrong < SLIP_TYPE_COUNT; wrong++)
        if (slip_seen[wrong] == 0) fail_msg("'%s' shows nowhere", slip_names[wrong]);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
