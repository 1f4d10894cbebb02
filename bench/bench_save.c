// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Saving, loading and copying a world of about a thousand patches in which agents have acted.

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { PATCHES = 1000, AGENTS = 16, AGENT_STEPS = 500 };

// ---- an allocator that counts ----

static void *allocate(size_t size, void *user)
{
    void *memory = malloc(size);
    if (memory) *(size_t *)user += size;
    return memory;
}

static void release(void *memory, size_t size, void *user)
{
    *(size_t *)user -= size;
    free(memory);
}

// ---- a world ----

// Two shapes: a straight walk, where half of the patches are not final, and a square explored row
// by row, where nearly all of them are.
static jbw_status grow(jbw_world *world, int patch_size, bool is_walk)
{
    jbw_status status = JBW_OK;
    for (int64_t i = 0; !status && jbw_world_get_stats(world).patch_count < PATCHES; i++) {
        const jbw_position walk = {i, 0};
        const jbw_position square = {patch_size * (i % 30), patch_size * (i / 30)};
        status = jbw_world_explore(world, is_walk ? &walk : &square, 1);
    }
    return status;
}

static jbw_status act(jbw_world *world, const jbw_model *model)
{
    jbw_agent_id agents[AGENTS];
    int actions[AGENTS];
    jbw_status status = JBW_OK;
    for (int i = 0; i < AGENTS && !status; i++)
        status = jbw_world_add_agent(world, NULL, &agents[i]);
    uint32_t random = 1;
    for (int step = 0; step < AGENT_STEPS && !status; step++) {
        for (int i = 0; i < AGENTS; i++) {
            random = random * 1664525 + 1013904223;
            actions[i] = (int)((random >> 16) % (uint32_t)jbw_model_action_count(model));
            if (random >> 31) actions[i] = 0;
        }
        status = jbw_world_act(world, agents, actions, AGENTS, NULL);
    }
    return status;
}

// ---- measuring ----

/// The best times, in seconds.
typedef struct times {
    double state;  // encoding as plain bytes
    double encode; // encoding as a snapshot
    double decode;
    double clone;
    double write;
} times;

static jbw_status measure_state(const jbw_world *world, size_t *size, times *best)
{
    jbw_buffer state = {0};
    const double start = jbw_bench_now();
    const jbw_status status = jbw_world_encode(world, &state);
    jbw_bench_keep_least(&best->state, jbw_bench_now() - start);
    *size = state.size;
    jbw_buffer_free(&state);
    return status;
}

static jbw_status measure_snapshot(const jbw_world *world, size_t *size, times *best)
{
    jbw_buffer bytes = {0};
    jbw_loaded loaded = {0};
    double start = jbw_bench_now();
    jbw_status status = jbw_snapshot_encode(world, NULL, 0, &bytes);
    jbw_bench_keep_least(&best->encode, jbw_bench_now() - start);
    *size = bytes.size;
    start = jbw_bench_now();
    const jbw_load_options options = {.model = jbw_world_model(world)};
    if (!status) status = jbw_snapshot_decode(bytes.bytes, bytes.size, &options, &loaded, NULL);
    jbw_bench_keep_least(&best->decode, jbw_bench_now() - start);
    jbw_loaded_free(&loaded);
    jbw_buffer_free(&bytes);
    return status;
}

static jbw_status measure_clone(const jbw_world *world, const size_t *counted, size_t *extra,
                                times *best)
{
    jbw_world *copy;
    const size_t before = *counted;
    const double start = jbw_bench_now();
    const jbw_status status = jbw_world_clone(world, &copy);
    jbw_bench_keep_least(&best->clone, jbw_bench_now() - start);
    *extra = *counted - before;
    jbw_world_destroy(copy);
    return status;
}

static jbw_status measure_file(const jbw_world *world, const char *path, times *best)
{
    const double start = jbw_bench_now();
    const jbw_status status = jbw_snapshot_write(world, NULL, 0, path, NULL);
    jbw_bench_keep_least(&best->write, jbw_bench_now() - start);
    return status;
}

/// What is measured, in bytes.
typedef struct sizes {
    size_t state;
    size_t snapshot;
    size_t world;
    size_t clone;
} sizes;

static void report_world(jbw_report *report, const char *name, const char *shape,
                         const jbw_world *world, const times *best, const sizes *s)
{
    const jbw_world_stats stats = jbw_world_get_stats(world);
    jbw_report_begin(report, "save", name);
    jbw_report_text_parameter(report, "shape", shape);
    jbw_report_figure(report, "patches", (double)stats.patch_count);
    jbw_report_figure(report, "final_patches", (double)stats.final_patch_count);
    jbw_report_figure(report, "state_bytes", (double)s->state);
    jbw_report_figure(report, "snapshot_bytes", (double)s->snapshot);
    jbw_report_figure(report, "state_ms", 1e3 * best->state);
    jbw_report_figure(report, "snapshot_ms", 1e3 * best->encode);
    jbw_report_figure(report, "load_ms", 1e3 * best->decode);
    jbw_report_figure(report, "write_ms", 1e3 * best->write);
    jbw_report_figure(report, "clone_ms", 1e3 * best->clone);
    jbw_report_figure(report, "world_bytes", (double)s->world);
    jbw_report_figure(report, "clone_bytes", (double)s->clone);
    jbw_report_figure(report, "clone_percent", 100.0 * (double)s->clone / (double)s->world);
    // saving and loading is the obvious way to copy a world
    jbw_report_figure(report, "twin_ratio", (best->encode + best->decode) / best->clone);
    jbw_report_end(report);
}

static jbw_status measure_all(const jbw_world *world, const size_t *counted, int repeats,
                              sizes *size, times *best)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/jbw-bench-save.snapshot", folder ? folder : "/tmp");
    jbw_status status = JBW_OK;
    for (int i = 0; i < 3 * repeats && !status; i++) {
        status = measure_state(world, &size->state, best);
        if (!status) status = measure_snapshot(world, &size->snapshot, best);
        if (!status) status = measure_clone(world, counted, &size->clone, best);
        if (!status && i < repeats) status = measure_file(world, path, best);
    }
    remove(path);
    return status;
}

static bool measure_shape(const char *name, bool is_walk, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(name, NULL, 0, &config, &model)) return false;
    jbw_model_destroy(model);
    size_t counted = 0;
    sizes size = {0};
    times best = {0};
    jbw_world *world = NULL;
    config->allocator = (jbw_allocator){allocate, release, &counted};
    jbw_status status = jbw_model_create(config, &model, NULL);
    const size_t model_bytes = counted;
    if (!status) status = jbw_world_create(model, options->seed, &world);
    if (!status) status = act(world, model);
    if (!status) status = grow(world, config->patch_size, is_walk);
    size.world = counted - model_bytes;
    if (!status) status = measure_all(world, &counted, options->repeats, &size, &best);
    if (!status)
        report_world(options->report, name, is_walk ? "walk" : "square", world, &best, &size);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status || jbw_bench_fail(name, status);
}

static bool measure(const char *world, const jbw_bench_options *options)
{
    return measure_shape(world, true, options) && measure_shape(world, false, options);
}

bool jbw_bench_save(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code", "scent", "paper"};
    return jbw_bench_each(options, worlds, sizeof worlds / sizeof *worlds, measure);
}
