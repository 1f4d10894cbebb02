// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "twin.h"

/// What a walk cost.
typedef struct walk {
    double seconds;
    jbw_world_stats stats;
} walk;

// walks to the right from the origin, in a new world
static bool walk_straight(const jbw_model *model, uint64_t seed, int64_t steps, walk *out)
{
    jbw_world *world;
    if (jbw_world_create(model, seed, &world)) return false;
    const double start = jbw_bench_now();
    jbw_status status = JBW_OK;
    for (int64_t x = 0; x <= steps && !status; x++)
        status = jbw_world_explore(world, &(jbw_position){x, 0}, 1);
    out->seconds = jbw_bench_now() - start;
    out->stats = jbw_world_get_stats(world);
    jbw_world_destroy(world);
    return !status;
}

static double ns_per_proposal(const walk *w)
{
    return w->seconds * 1e9 / (double)w->stats.proposal_count;
}

// The patches around the origin, by both: the twin is too slow for more.
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

enum { AREA = 3072, CORRIDOR = 5120 }; // cells along each axis, and along the walk

/// What the patches of an invariant map cost, in milliseconds.
typedef struct invariant_costs {
    double first; // until an agent at the origin has its four patches
    double per_patch_corridor;
    double per_patch_area;
} invariant_costs;

// Explores every patch of a square around the origin, row by row; counts those made.
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

// the best of several, as everywhere
static bool measure_invariant(const char *name, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    jbw_error error;
    if (!jbw_bench_open(name, &config, &model)) return false;
    jbw_model_destroy(model);
    config->generation = JBW_GENERATION_INVARIANT;
    bool is_good = jbw_model_create(config, &model, &error) == JBW_OK;
    invariant_costs best = {0};
    for (int i = 0; i < options->repeats && is_good; i++) {
        invariant_costs costs = {0};
        is_good = walk_corridor(model, options, config->patch_size, &costs) &&
                  fill_area(model, options, config->patch_size, &costs.per_patch_area);
        if (i == 0 || costs.first < best.first) best.first = costs.first;
        if (i == 0 || costs.per_patch_corridor < best.per_patch_corridor)
            best.per_patch_corridor = costs.per_patch_corridor;
        if (i == 0 || costs.per_patch_area < best.per_patch_area)
            best.per_patch_area = costs.per_patch_area;
    }
    if (is_good) {
        jbw_report_begin(options, "generate_invariant", name);
        jbw_report_figure(options, "generation_threads", options->generation_threads);
        jbw_report_figure(options, "ms_per_patch_area", best.per_patch_area);
        jbw_report_figure(options, "ms_per_patch_corridor", best.per_patch_corridor);
        jbw_report_figure(options, "ms_first_agent", best.first);
        jbw_report_end(options);
    } else {
        fprintf(stderr, "jbw bench: %s: %s\n", name, jbw_status_text(JBW_OUT_OF_MEMORY));
    }
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(name, &config, &model)) return false;

    // forty columns of patches beyond those around the origin
    const int64_t steps = options->steps > 0 ? options->steps : 40 * (int64_t)config->patch_size;
    walk best = {0};
    bool is_good = true;
    for (int i = 0; i < options->repeats && is_good; i++) {
        walk w = {0};
        is_good = walk_straight(model, options->seed, steps, &w);
        if (i == 0 || w.seconds < best.seconds) best = w;
    }
    double twin_ns = 0.0;
    double fast_ns = 1.0;
    is_good = is_good && compare_with_twin(config, model, options->seed, &twin_ns, &fast_ns);
    if (is_good) {
        const jbw_world_stats *s = &best.stats;
        const double patches = (double)s->patch_count;
        jbw_report_begin(options, "generate", name);
        jbw_report_figure(options, "ns_per_proposal", ns_per_proposal(&best));
        jbw_report_figure(options, "final_patches_per_second",
                          (double)s->final_patch_count / best.seconds);
        jbw_report_figure(options, "acceptance",
                          (double)s->accepted_count / (double)s->proposal_count);
        jbw_report_figure(options, "bytes_per_patch", (double)s->map_bytes / patches);
        jbw_report_figure(options, "scratch_bytes", (double)s->scratch_bytes);
        jbw_report_figure(options, "twin_ns_per_proposal", twin_ns);
        jbw_report_figure(options, "twin_ratio", twin_ns / fast_ns);
        jbw_report_end(options);
    } else {
        fprintf(stderr, "jbw bench: %s: %s\n", name, jbw_status_text(JBW_OUT_OF_MEMORY));
    }
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}

bool jbw_bench_generate(const jbw_bench_options *options)
{
    for (size_t i = 0; jbw_shipped_world_name(i); i++) {
        const char *name = jbw_shipped_world_name(i);
        if (options->only && strcmp(options->only, name) != 0) continue;
        if (!measure(name, options) || !measure_invariant(name, options)) return false;
    }
    return true;
}
