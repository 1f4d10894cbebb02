// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The densities of an invariant map, compared with the plateau: what the paper's sampler reaches
/// from an empty map after a long time. And what more time would give, and cost.
///
///     test_density                        a small sample: densities are near the plateau
///     test_density --world NAME [--runs N] [--seed N]
///
/// The second form prints the density of each type by sampler and dynamics, as means of several
/// runs with standard errors; then the density over time, slice by slice, far beyond the end, in
/// one window without margins. Milliseconds are processor time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jbw/jbw.h"
#include "sim/generate/frontier/sampler.h"
#include "sim/generate/invariant/dynamics.h"
#include "support/plain_checks.h"

enum {
    MOST_RUNS = 64,
    DRAWS = 64, // of each type in each cell by the sampler; then as many again
    SPAN = 14,  // patches along an axis; those at the border are left out
    MOST_SLICES = 80,
};

typedef double densities[JBW_MAX_ITEM_TYPES];

static void count_types(const uint8_t *cells, size_t count, double *counts)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i] > 0) counts[cells[i] - 1]++;
}

// --- the paper's sampler ---------------------------------------------------------------------

static void count_patches(const jbw_model *model, jbw_patch **patches, double *found)
{
    memset(found, 0, sizeof(densities));
    for (int i = 0; i < SPAN * SPAN; i++)
        if (i % SPAN > 0 && i % SPAN < SPAN - 1 && i / SPAN > 0 && i / SPAN < SPAN - 1)
            count_types(patches[i]->cells, (size_t)model->patch_cells, found);
    for (int t = 0; t < model->type_count; t++) found[t] /= (SPAN - 2) * (SPAN - 2);
}

// items per patch after DRAWS draws, and after as many again; half of the proposals are draws
static void run_sampler(const jbw_model *model, uint64_t seed, double *found, double *found_later)
{
    jbw_map map;
    jbw_sampler sampler;
    jbw_patch *patches[SPAN * SPAN];
    jbw_map_init(&map, model);
    jbw_sampler_init(&sampler, model);
    check(jbw_map_reserve(&map, SPAN * SPAN) && jbw_sampler_reserve(&sampler, SPAN * SPAN),
          "out of memory");
    for (int i = 0; i < SPAN * SPAN; i++) {
        patches[i] = jbw_map_new_patch(&map, (jbw_position){i % SPAN, i / SPAN}, seed);
        check(patches[i] != NULL, "out of memory");
        jbw_map_insert(&map, patches[i]);
    }
    const int proposals = 2 * DRAWS * model->patch_cells * model->type_count;
    jbw_sampler_run(&sampler, &map, patches, SPAN * SPAN, proposals);
    count_patches(model, patches, found);
    if (found_later) {
        jbw_sampler_run(&sampler, &map, patches, SPAN * SPAN, proposals);
        count_patches(model, patches, found_later);
    }
    jbw_sampler_deinit(&sampler);
    jbw_map_deinit(&map);
}

// --- the dynamics of an invariant map, in one window --------------------------------------------

/// The densities after each slice, and the time that was needed.
typedef struct curve {
    densities found[MOST_SLICES];
    double seconds[MOST_SLICES]; // per patch
} curve;

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// the dynamics leaves independent types to the end, when they depend only on which cells are empty
static void count_window(const jbw_workspace *workspace, uint64_t seed, double *found)
{
    const jbw_model *model = workspace->plan->model;
    const int size = model->patch_size;
    memset(found, 0, sizeof(densities));
    const int width = (SPAN - 2) * size;
    uint8_t *cells = malloc((size_t)width);
    if (!cells) fail("out of memory");
    for (int y = size; y < (SPAN - 1) * size; y++) {
        const jbw_position first = {workspace->window.origin.x + size,
                                    workspace->window.origin.y + y};
        memcpy(cells, workspace->cells + (ptrdiff_t)y * workspace->window.width + size,
               (size_t)width);
        jbw_independent_types_fill(&workspace->plan->independent_types, seed, first, width, cells);
        count_types(cells, (size_t)width, found);
    }
    free(cells);
    for (int t = 0; t < model->type_count; t++) found[t] /= (SPAN - 2) * (SPAN - 2);
}

static void run_dynamics(const jbw_model *model, uint64_t seed, int slices, curve *out)
{
    jbw_invariant_plan plan;
    jbw_dynamics dynamics;
    check(jbw_invariant_plan_init(&plan, model, seed), "out of memory");
    plan.most_side = SPAN * model->patch_size;
    check(jbw_dynamics_init(&dynamics, &plan, seed), "out of memory");
    double seconds = -processor_time();
    jbw_workspace_begin(&dynamics.workspace, (jbw_position){0, 0}, plan.most_side, JBW_SCOPE_ALL);
    if (plan.first_stage == 0) {
        jbw_invariant_stage first = plan.stages[0];
        first.first_margin = first.last_margin = 0;
        check(jbw_dynamics_run(&dynamics, &first), "out of memory");
    }
    for (int i = 0; i < slices; i++) {
        const jbw_invariant_stage slice = {.first_slice = i, .end_slice = i + 1};
        check(jbw_dynamics_run(&dynamics, &slice), "out of memory");
        seconds += processor_time();
        out->seconds[i] = seconds / (SPAN * SPAN);
        count_window(&dynamics.workspace, seed, out->found[i]);
        seconds -= processor_time();
    }
    jbw_dynamics_deinit(&dynamics);
    jbw_invariant_plan_deinit(&plan);
}

static int last_slice(const jbw_model *model)
{
    jbw_invariant_plan plan;
    check(jbw_invariant_plan_init(&plan, model, 0), "out of memory");
    const int end = plan.stages[JBW_STAGES - 1].end_slice;
    jbw_invariant_plan_deinit(&plan);
    return end - 1;
}

// --- comparing ----------------------------------------------------------------------------------

typedef struct figure {
    double mean, error;
} figure;

static figure mean_of(const densities *runs, int count, int type)
{
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) sum += runs[i][type];
    const double mean = sum / count;
    for (int i = 0; i < count; i++) squares += (runs[i][type] - mean) * (runs[i][type] - mean);
    return (figure){mean, sqrt(squares / count / (count - 1))};
}

/// All runs of one world.
typedef struct sample {
    const jbw_model *model;
    int count;
    int slices;
    densities sampler[MOST_RUNS];
    densities sampler_later[MOST_RUNS];
    densities dynamics[MOST_RUNS]; // at the end
    curve *curves;                 // (count)
} sample;

static void take_sample(sample *s, uint64_t seed, bool has_later)
{
    s->curves = calloc((size_t)s->count, sizeof *s->curves);
    check(s->curves != NULL, "out of memory");
    const int last = last_slice(s->model);
    for (int i = 0; i < s->count; i++) {
        run_sampler(s->model, seed + (uint64_t)i, s->sampler[i],
                    has_later ? s->sampler_later[i] : NULL);
        run_dynamics(s->model, seed + (uint64_t)i, s->slices, &s->curves[i]);
        memcpy(s->dynamics[i], s->curves[i].found[last], sizeof(densities));
    }
}

// Prints the table; returns how many types are more than 5 % off the plateau, by more than three
// standard errors.
static int compare(const sample *s, bool has_later)
{
    int bad = 0;
    for (int t = 0; t < s->model->type_count; t++) {
        const figure sampler = mean_of(s->sampler, s->count, t);
        const figure dynamics = mean_of(s->dynamics, s->count, t);
        if (sampler.mean == 0.0) continue;
        const double ratio = dynamics.mean / sampler.mean;
        const double error =
            ratio * hypot(sampler.error / sampler.mean, dynamics.error / (dynamics.mean + 1e-9));
        const bool is_off = fabs(ratio - 1.0) > 0.05 + 3.0 * error;
        bad += is_off;
        printf("%-10s sampler %8.3f +- %.3f", s->model->items[t].name, sampler.mean, sampler.error);
        if (has_later) {
            const figure later = mean_of(s->sampler_later, s->count, t);
            printf(", later %8.3f +- %.3f", later.mean, later.error);
        }
        printf(", here %8.3f +- %.3f: %+.1f +- %.1f %%%s\n", dynamics.mean, dynamics.error,
               100.0 * (ratio - 1.0), 100.0 * error, is_off ? "  off" : "");
    }
    return bad;
}

static void print_curve(const sample *s)
{
    printf("slices, ms per patch, density over that of the sampler\n        ");
    for (int t = 0; t < s->model->type_count; t++) printf(" %10s", s->model->items[t].name);
    for (int i = 0; i < s->slices; i++) {
        double seconds = 0;
        for (int run = 0; run < s->count; run++) seconds += s->curves[run].seconds[i];
        printf("\n%3d %6.3f", i + 1, 1e3 * seconds / s->count);
        for (int t = 0; t < s->model->type_count; t++) {
            double found = 0;
            for (int run = 0; run < s->count; run++) found += s->curves[run].found[i][t];
            const figure sampler = mean_of(s->sampler, s->count, t);
            printf(" %10.3f", sampler.mean > 0 ? found / s->count / sampler.mean : NAN);
        }
        if (i == last_slice(s->model)) printf("  <- the map");
    }
    printf("\n");
}

static int usage(const char *name)
{
    fprintf(stderr, "usage: %s [--world NAME] [--runs N] [--seed N]\n", name);
    return 2;
}

static int run(const char *world, int count, uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    check(s != NULL, "out of memory");
    jbw_model *model = read_model(world ? world : "scent");
    s->model = model;
    s->count = count;
    s->slices = world ? MOST_SLICES : last_slice(model) + 1;
    take_sample(s, seed, world != NULL);
    const int bad = compare(s, world != NULL);
    if (world) print_curve(s);
    free(s->curves);
    free(s);
    jbw_model_destroy(model);
    return bad > 0;
}

int main(int argc, char **argv)
{
    const char *world = NULL;
    int count = argc > 1 ? 8 : 3;
    uint64_t seed = 1;
    for (int i = 1; i < argc; i++) {
        if (i + 1 == argc) return usage(argv[0]);
        if (strcmp(argv[i], "--world") == 0)
            world = argv[++i];
        else if (strcmp(argv[i], "--runs") == 0)
            count = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 10);
        else
            return usage(argv[0]);
    }
    if (count < 2 || count > MOST_RUNS) return usage(argv[0]);
    return run(world, count, seed);
}
