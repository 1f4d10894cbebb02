// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Saving, reading and copying a world of about a thousand patches in which agents have lived.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { PATCHES = 1000, AGENTS = 16, AGENT_STEPS = 500 };

// ---- memory that is counted ----

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

// Two shapes: a straight walk, half of whose patches are not final, and a square that is looked at
// row by row, where nearly all are.
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

static jbw_status live(jbw_world *world, const jbw_model *model)
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

typedef struct times {
    double state;  // as plain bytes
    double encode; // the whole snapshot
    double decode;
    double clone;
    double write;
} times;

static void keep_least(double *least, double seconds)
{
    if (*least == 0.0 || seconds < *least) *least = seconds;
}

static jbw_status measure_state(const jbw_world *world, size_t *size, times *best)
{
    jbw_buffer state = {0};
    const double start = jbw_bench_now();
    const jbw_status status = jbw_world_encode(world, &state);
    keep_least(&best->state, jbw_bench_now() - start);
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
    keep_least(&best->encode, jbw_bench_now() - start);
    *size = bytes.size;
    start = jbw_bench_now();
    const jbw_load_options options = {.model = jbw_world_model(world)};
    if (!status) status = jbw_snapshot_decode(bytes.bytes, bytes.size, &options, &loaded, NULL);
    keep_least(&best->decode, jbw_bench_now() - start);
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
    keep_least(&best->clone, jbw_bench_now() - start);
    *extra = *counted - before;
    jbw_world_destroy(copy);
    return status;
}

static jbw_status measure_file(const jbw_world *world, const char *path, times *best)
{
    const double start = jbw_bench_now();
    const jbw_status status = jbw_snapshot_write(world, NULL, 0, path, NULL);
    keep_least(&best->write, jbw_bench_now() - start);
    return status;
}

static void report(const jbw_bench_options *options, const char *name, const char *shape,
                   const jbw_world *world, const times *best, size_t state_size,
                   size_t snapshot_size, size_t counted, size_t extra)
{
    const jbw_world_stats stats = jbw_world_get_stats(world);
    jbw_report_begin(options, "save", name);
    jbw_report_text(options, "shape", shape);
    jbw_report_figure(options, "patches", (double)stats.patch_count);
    jbw_report_figure(options, "final_patches", (double)stats.final_patch_count);
    jbw_report_figure(options, "state_bytes", (double)state_size);
    jbw_report_figure(options, "snapshot_bytes", (double)snapshot_size);
    jbw_report_figure(options, "state_ms", 1e3 * best->state);
    jbw_report_figure(options, "snapshot_ms", 1e3 * best->encode);
    jbw_report_figure(options, "load_ms", 1e3 * best->decode);
    jbw_report_figure(options, "write_ms", 1e3 * best->write);
    jbw_report_figure(options, "clone_ms", 1e3 * best->clone);
    jbw_report_figure(options, "world_bytes", (double)counted);
    jbw_report_figure(options, "clone_bytes", (double)extra);
    jbw_report_figure(options, "clone_percent", 100.0 * (double)extra / (double)counted);
    // the obvious way to copy a world
    jbw_report_figure(options, "twin_ratio", (best->encode + best->decode) / best->clone);
    jbw_report_end(options);
}

static bool measure(const char *name, bool is_walk, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(name, &config, &model)) return false;
    jbw_model_destroy(model);
    size_t counted = 0;
    size_t state_size = 0;
    size_t snapshot_size = 0;
    size_t extra = 0;
    times best = {0};
    jbw_world *world = NULL;
    config->allocator = (jbw_allocator){allocate, release, &counted};
    jbw_status status = jbw_model_create(config, &model, NULL);
    const size_t model_bytes = counted;
    if (!status) status = jbw_world_create(model, options->seed, &world);
    if (!status) status = live(world, model);
    if (!status) status = grow(world, config->patch_size, is_walk);

    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/jbw-bench-save.snapshot", folder ? folder : "/tmp");
    for (int i = 0; i < 3 * options->repeats && !status; i++) {
        status = measure_state(world, &state_size, &best);
        if (!status) status = measure_snapshot(world, &snapshot_size, &best);
        if (!status) status = measure_clone(world, &counted, &extra, &best);
        if (!status && i < options->repeats) status = measure_file(world, path, &best);
    }
    remove(path);
    if (status)
        fprintf(stderr, "jbw bench: %s: %s\n", name, jbw_status_text(status));
    else
        report(options, name, is_walk ? "walk" : "square", world, &best, state_size, snapshot_size,
               counted - model_bytes, extra);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status;
}

bool jbw_bench_save(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code", "scent", "paper"};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        if (options->only && strcmp(options->only, worlds[i]) != 0) continue;
        if (!measure(worlds[i], true, options) || !measure(worlds[i], false, options)) return false;
    }
    return true;
}
