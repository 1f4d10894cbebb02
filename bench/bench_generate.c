// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"
#include "twin.h"

/// The cost of a walk.
typedef struct walk {
    double seconds;
    double first_seconds; // until an agent at the origin has its four patches
    jbw_world_stats stats;
} walk;

// walks to the right from the origin, in a new world
static bool walk_straight(const jbw_model *model, uint64_t seed, int64_t steps, walk *out)
{
    jbw_world *world;
    if (jbw_world_create(model, seed, &world)) return false;
    const double start = jbw_bench_now();
    jbw_status status = JBW_OK;
    for (int64_t x = 0; x <= steps && !status; x++) {
        status = jbw_world_explore(world, &(jbw_position){x, 0}, 1);
        if (x == 0) out->first_seconds = jbw_bench_now() - start;
    }
    out->seconds = jbw_bench_now() - start;
    out->stats = jbw_world_get_stats(world);
    jbw_world_destroy(world);
    return !status;
}

static double ns_per_proposal(const walk *w)
{
    return w->seconds * 1e9 / (double)w->stats.proposal_count;
}

// generates the patches around the origin with both; the twin is too slow for more
static bool compare_with_twin(const jbw_config *config, const jbw_model *model, uint64_t seed,
                              double *twin_ns, double *fast_ns)
{
    walk fast = {0};
    if (!walk_straight(model, seed, 0, &fast)) return false;
    *fast_ns = ns_per_proposal(&fast);
    twin_world *twin = twin_world_create(config, seed);
    if (!twin) return false;
    const double start = jbw_bench_now();
    const bool is_good = twin_world_explore(twin, &(jbw_position){0, 0}, 1);
    *twin_ns = (jbw_bench_now() - start) * 1e9 / (double)twin->proposal_count;
    twin_world_destroy(twin);
    return is_good;
}

// ---- invariant maps ----

enum { AREA = 3072, CORRIDOR = 5120 }; // sides of a square, and length of a walk, in cells

/// The cost of patches of an invariant map, in milliseconds.
typedef struct invariant_costs {
    double first; // until an agent at the origin has its four patches
    double per_patch_corridor;
    double per_patch_area;
} invariant_costs;

// explores every patch of a square around the origin, row by row
static bool fill_area(const jbw_model *model, const jbw_bench_options *options, int size,
                      double *per_patch)
{
    jbw_world *world;
    if (jbw_world_create(model, options->seed, &world)) return false;
    int made = 0;
    const double start = jbw_bench_now();
    jbw_status status = jbw_world_set_generation_threads(world, options->generation_threads);
    for (int y = -AREA / 2; y < AREA / 2 && !status; y += size)
        for (int x = -AREA / 2; x < AREA / 2 && !status; x += size, made++)
            status = jbw_world_explore(world, &(jbw_position){x + size / 2, y + size / 2}, 1);
    *per_patch = (jbw_bench_now() - start) * 1e3 / (double)made;
    jbw_world_destroy(world);
    return !status;
}

static bool walk_corridor(const jbw_model *model, const jbw_bench_options *options, int size,
                          invariant_costs *out)
{
    jbw_world *world;
    if (jbw_world_create(model, options->seed, &world)) return false;
    const double start = jbw_bench_now();
    jbw_status status = jbw_world_set_generation_threads(world, options->generation_threads);
    if (!status) status = jbw_world_explore(world, &(jbw_position){0, 0}, 1);
    out->first = (jbw_bench_now() - start) * 1e3;
    const double walk_start = jbw_bench_now();
    for (int x = size; x <= CORRIDOR && !status; x += size)
        status = jbw_world_explore(world, &(jbw_position){x, 0}, 1);
    const int columns = CORRIDOR / size;
    out->per_patch_corridor = (jbw_bench_now() - walk_start) * 1e3 / (2.0 * (double)columns);
    jbw_world_destroy(world);
    return !status;
}

static void report_invariant(jbw_report *report, const char *world, int threads,
                             const invariant_costs *best)
{
    jbw_report_begin(report, "generate_invariant", world);
    jbw_report_parameter(report, "generation_threads", threads);
    jbw_report_figure(report, "ms_per_patch_area", best->per_patch_area);
    jbw_report_figure(report, "ms_per_patch_corridor", best->per_patch_corridor);
    jbw_report_figure(report, "ms_first_agent", best->first);
    jbw_report_end(report);
}

static bool measure_invariant(const char *world, const jbw_bench_options *options)
{
    static const jbw_override invariant = {.key = "generation", .value = "invariant"};
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(world, &invariant, 1, &config, &model)) return false;
    bool is_good = true;
    invariant_costs best = {0};
    for (int i = 0; i < options->repeats && is_good; i++) {
        invariant_costs costs = {0};
        is_good = walk_corridor(model, options, config->patch_size, &costs) &&
                  fill_area(model, options, config->patch_size, &costs.per_patch_area);
        jbw_bench_keep_least(&best.first, costs.first);
        jbw_bench_keep_least(&best.per_patch_corridor, costs.per_patch_corridor);
        jbw_bench_keep_least(&best.per_patch_area, costs.per_patch_area);
    }
    if (is_good) report_invariant(options->report, world, options->generation_threads, &best);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good || jbw_bench_fail(world, JBW_OUT_OF_MEMORY);
}

// ---- frontier maps ----

static void report_frontier(jbw_report *report, const char *world, const walk *best,
                            double first_seconds, double twin_ns, double fast_ns)
{
    const jbw_world_stats *s = &best->stats;
    jbw_report_begin(report, "generate", world);
    jbw_report_figure(report, "ns_per_proposal", ns_per_proposal(best));
    jbw_report_figure(report, "final_patches_per_second",
                      (double)s->final_patch_count / best->seconds);
    jbw_report_figure(report, "ms_first_agent", first_seconds * 1e3);
    jbw_report_figure(report, "acceptance", (double)s->accepted_count / (double)s->proposal_count);
    jbw_report_figure(report, "bytes_per_patch", (double)s->map_bytes / (double)s->patch_count);
    jbw_report_figure(report, "scratch_bytes", (double)s->scratch_bytes);
    jbw_report_figure(report, "twin_ns_per_proposal", twin_ns);
    jbw_report_figure(report, "twin_ratio", twin_ns / fast_ns);
    jbw_report_end(report);
}

static bool measure_frontier(const char *world, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(world, NULL, 0, &config, &model)) return false;

    // forty columns of patches beyond those around the origin
    const int64_t steps = options->steps > 0 ? options->steps : 40 * (int64_t)config->patch_size;
    walk best = {0};
    double first_seconds = 0.0;
    bool is_good = true;
    for (int i = 0; i < options->repeats && is_good; i++) {
        walk w = {0};
        is_good = walk_straight(model, options->seed, steps, &w);
        jbw_bench_keep_least(&first_seconds, w.first_seconds);
        if (i == 0 || w.seconds < best.seconds) best = w;
    }
    double twin_ns = 0.0;
    double fast_ns = 1.0;
    is_good = is_good && compare_with_twin(config, model, options->seed, &twin_ns, &fast_ns);
    if (is_good) report_frontier(options->report, world, &best, first_seconds, twin_ns, fast_ns);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good || jbw_bench_fail(world, JBW_OUT_OF_MEMORY);
}

static bool measure(const char *world, const jbw_bench_options *options)
{
    return measure_frontier(world, options) && measure_invariant(world, options);
}

bool jbw_bench_generate(const jbw_bench_options *options)
{
    for (size_t i = 0; jbw_shipped_world_name(i); i++) {
        const char *const world = jbw_shipped_world_name(i);
        if (!jbw_bench_each(options, &world, 1, measure)) return false;
    }
    return true;
}
