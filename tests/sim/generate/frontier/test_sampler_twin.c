// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The fast sampler against the slow twin on the shipped worlds: the number of items of each type,
/// and of pairs of types by distance, along the axes and elsewhere.
///
/// Both explore the same cells with the same number of iterations, fewer than the worlds specify.
/// So both are equally far from equilibrium, their distributions are the same, and they differ only
/// by chance, by an amount that is estimated from many independent worlds: z is the difference of
/// the means divided by its standard error. Seeds are fixed; the largest |z| of some hundred
/// correlated figures must stay below 5.
///
/// The test also checks that it can fail: the twin and the fast sampler with a slightly different
/// config must exceed that.
///
/// `test_sampler_twin --long --seed N` takes more worlds and iterations, and prints all figures.
#include "support/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/twin.h"
#include "support/options.h"

static test_options options;

enum { MAX_TYPES = 8, BINS = 11, MAX_FIGURES = MAX_TYPES + MAX_TYPES * (MAX_TYPES + 1) / 2 * BINS };

// --- figures ------------------------------------------------------------------------------------

// Pairs along an axis, and others; none beyond the last distance. Pairs across a border between two
// patches, where mistakes are most likely, are counted again.
static const char *const bin_names[BINS] = {
    "d < 3",   "d < 5",     "d < 8",      "d < 11",        "d < 15",        "d < 23",
    "axis, 1", "axis, < 8", "axis, < 30", "border, d < 5", "border, d < 11"};

static int find_bin(int64_t dx, int64_t dy)
{
    static const int64_t limits[] = {3 * 3, 5 * 5, 8 * 8, 11 * 11, 15 * 15, 23 * 23};
    const int64_t distance = llabs(dx) + llabs(dy);
    if (dx == 0 || dy == 0) return distance == 1 ? 6 : distance < 8 ? 7 : distance < 30 ? 8 : -1;
    for (int i = 0; i < 6; i++)
        if (dx * dx + dy * dy < limits[i]) return i;
    return -1;
}

static size_t figure_count(size_t types)
{
    return types + types * (types + 1) / 2 * BINS;
}

static size_t pair_figure(size_t types, size_t a, size_t b, int bin)
{
    const size_t low = a < b ? a : b;
    const size_t high = a < b ? b : a;
    return types + (high * (high + 1) / 2 + low) * BINS + (size_t)bin;
}

static bool same_patch(twin_item a, twin_item b, int size)
{
    // all items lie in [-size, 2 size), so this never divides a negative number
    return (a.x + size) / size == (b.x + size) / size && (a.y + size) / size == (b.y + size) / size;
}

static void measure(const jbw_config *config, const twin_item *items, size_t count, double *figures)
{
    const size_t types = config->item_count;
    memset(figures, 0, figure_count(types) * sizeof *figures);
    for (size_t i = 0; i < count; i++) {
        figures[items[i].type]++;
        for (size_t k = 0; k < i; k++) {
            const int64_t dx = items[i].x - items[k].x;
            const int64_t dy = items[i].y - items[k].y;
            const int bin = find_bin(dx, dy);
            if (bin < 0) continue;
            double *of_pair =
                &figures[pair_figure(types, (size_t)items[i].type, (size_t)items[k].type, 0)];
            of_pair[bin]++;
            if (same_patch(items[i], items[k], config->patch_size)) continue;
            if (dx * dx + dy * dy < 5 * 5)
                of_pair[9]++;
            else if (dx * dx + dy * dy < 11 * 11)
                of_pair[10]++;
        }
    }
}

typedef struct sums {
    double count;
    double sum[MAX_FIGURES];
    double square[MAX_FIGURES];
} sums;

static void add_figures(sums *s, const double *figures, size_t count)
{
    s->count++;
    for (size_t i = 0; i < count; i++) {
        s->sum[i] += figures[i];
        s->square[i] += figures[i] * figures[i];
    }
}

static double mean_of(const sums *s, size_t i)
{
    return s->sum[i] / s->count;
}

static double squared_error(const sums *s, size_t i)
{
    const double variance = s->square[i] / s->count - mean_of(s, i) * mean_of(s, i);
    return fmax(variance, 0) / (s->count - 1);
}

// --- worlds -------------------------------------------------------------------------------------

// the four patches around the origin, then two more, with neighbours that existed before
static void cells_of(const jbw_config *config, jbw_position cells[2])
{
    cells[0] = (jbw_position){0, 0};
    cells[1] = (jbw_position){config->patch_size, 0};
}

static void sample_fast(const jbw_config *config, uint64_t first_seed, int worlds, sums *out)
{
    jbw_model *model = model_of(config);
    jbw_position cells[2];
    cells_of(config, cells);
    const int64_t size = config->patch_size;
    const jbw_region region = {-size, -size, 3 * size, 2 * size};
    const size_t area = (size_t)(region.width * region.height);
    uint8_t *contents = malloc(area);
    twin_item *items = malloc(area * sizeof *items);
    assert_true(contents && items);

    memset(out, 0, sizeof *out);
    for (int w = 0; w < worlds; w++) {
        jbw_world *world = world_of(model, first_seed + (uint64_t)w);
        for (int i = 0; i < 2; i++)
            assert_int_equal(jbw_world_explore(world, &cells[i], 1), JBW_OK);
        assert_int_equal(jbw_world_read_region(world, region, contents, NULL), JBW_OK);
        size_t count = 0;
        for (size_t i = 0; i < area; i++)
            if (contents[i])
                items[count++] = (twin_item){region.x + (int64_t)i % region.width,
                                             region.y + (int64_t)i / region.width, contents[i] - 1};
        double figures[MAX_FIGURES];
        measure(config, items, count, figures);
        add_figures(out, figures, figure_count(config->item_count));
        jbw_world_destroy(world);
    }
    free(items);
    free(contents);
    jbw_model_destroy(model);
}

static void sample_slow(const jbw_config *config, uint64_t first_seed, int worlds, sums *out)
{
    jbw_position cells[2];
    cells_of(config, cells);
    const size_t area = 6 * (size_t)config->patch_size * (size_t)config->patch_size;
    twin_item *items = malloc(area * sizeof *items);
    assert_non_null(items);
    memset(out, 0, sizeof *out);
    for (int w = 0; w < worlds; w++) {
        twin_world *world = twin_world_create(config, first_seed + (uint64_t)w);
        assert_non_null(world);
        for (int i = 0; i < 2; i++) assert_true(twin_world_explore(world, &cells[i], 1));
        size_t count = 0;
        for (size_t p = 0; p < world->patch_count; p++) {
            const twin_patch *patch = world->patches[p];
            if (!patch->is_final) continue;
            memcpy(items + count, patch->items, patch->count * sizeof *items);
            count += patch->count;
        }
        assert_int_equal(count, twin_world_item_count(world, -1));
        double figures[MAX_FIGURES];
        measure(config, items, count, figures);
        add_figures(out, figures, figure_count(config->item_count));
        twin_world_destroy(world);
    }
    free(items);
}

// --- the comparison -----------------------------------------------------------------------------

static void describe(const jbw_config *config, size_t figure, char text[100])
{
    const size_t types = config->item_count;
    if (figure < types) {
        snprintf(text, 100, "%s", config->items[figure].name);
        return;
    }
    for (size_t a = 0; a < types; a++)
        for (size_t b = 0; b <= a; b++)
            for (int bin = 0; bin < BINS; bin++)
                if (pair_figure(types, a, b, bin) == figure)
                    snprintf(text, 100, "%s-%s, %s", config->items[b].name, config->items[a].name,
                             bin_names[bin]);
}

// The largest |z|. Figures based on a handful of items are left out: their error is unknown.
static double compare(const jbw_config *config, const sums *fast, const sums *slow, bool is_table)
{
    double largest = 0;
    for (size_t i = 0; i < figure_count(config->item_count); i++) {
        if (fast->sum[i] + slow->sum[i] < 60) continue;
        const double error = sqrt(squared_error(fast, i) + squared_error(slow, i));
        const double z = (mean_of(fast, i) - mean_of(slow, i)) / error;
        largest = fmax(largest, fabs(z));
        if (!is_table) continue;
        char text[100];
        describe(config, i, text);
        print_message("  %-36s fast %10.3f   twin %10.3f   +- %7.3f   z %5.2f\n", text,
                      mean_of(fast, i), mean_of(slow, i), error, z);
    }
    return largest;
}

static jbw_config *config_with(const char *name, int iterations)
{
    jbw_config *config = read_config(name);
    assert_true(config->item_count <= MAX_TYPES);
    config->mh_iterations = iterations;
    return config;
}

static void check_world(const char *name, int iterations, int worlds, int long_worlds)
{
    static sums fast;
    static sums slow;
    if (options.is_long) {
        iterations *= 2;
        worlds = long_worlds;
    }
    const uint64_t seed = options.seed * 1000000;
    const int fast_worlds = 4 * worlds; // these are cheap
    jbw_config *config = config_with(name, iterations);
    sample_slow(config, seed, worlds, &slow);
    sample_fast(config, seed, fast_worlds, &fast);
    if (options.is_long) print_message("%s, %d iterations:\n", name, iterations);
    const double largest = compare(config, &fast, &slow, options.is_long);

    // half of the iterations
    jbw_config *shorter = config_with(name, iterations / 2);
    sample_fast(shorter, seed, fast_worlds, &fast);
    const double with_fewer = compare(shorter, &fast, &slow, false);
    jbw_config_free(shorter);

    // a type that is slightly too rare
    jbw_item_type items[MAX_TYPES];
    memcpy(items, config->items, config->item_count * sizeof *items);
    items[config->item_count - 1].intensity = "Constant[-6]";
    jbw_config rarer = *config;
    rarer.items = items;
    sample_fast(&rarer, seed, fast_worlds, &fast);
    const double with_rarer = compare(&rarer, &fast, &slow, false);

    print_message("%-14s %3d worlds of the twin: largest |z| %.2f; with fewer iterations %.1f, "
                  "with a rarer type %.1f\n",
                  name, worlds, largest, with_fewer, with_rarer);
    if (!(largest < 5)) fail_msg("%s: |z| = %g", name, largest);
    assert_true(with_fewer > 6);
    assert_true(with_rarer > 6);
    jbw_config_free(config);
}

static void test_paper(void **state)
{
    (void)state;
    check_world("paper", 1000, 10, 40);
}

static void test_paper_code(void **state)
{
    (void)state;
    check_world("paper-code", 1500, 12, 60);
}

static void test_scent(void **state)
{
    (void)state;
    check_world("scent", 2000, 40, 400);
}

static void test_nonstationary(void **state)
{
    (void)state;
    check_world("nonstationary", 1000, 30, 200);
}

static void test_walk(void **state)
{
    (void)state;
    check_world("walk", 600, 20, 100);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper), cmocka_unit_test(test_paper_code),
        cmocka_unit_test(test_scent), cmocka_unit_test(test_nonstationary),
        cmocka_unit_test(test_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
