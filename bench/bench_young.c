// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Young worlds, whose agents act at random. With an atlas that has their patches, worlds should be as
// fast as copies whose terrain was made before. And what does a young world take in memory?

#include <stdio.h>
#include <stdlib.h>

#include "walkers.h"

enum {
    WORLDS = 64,
    STEPS = 10000, // of each world
    PIECE = 100,   // steps after which the other worlds have their turn
};

// ---- memory ----

static void *count_and_allocate(size_t size, void *user)
{
    *(size_t *)user += size;
    return malloc(size);
}

static void count_and_release(void *memory, size_t size, void *user)
{
    *(size_t *)user -= size;
    free(memory);
}

// what a world with one agent takes once the agent has perceived something
static jbw_status measure_memory(const jbw_config *config, const jbw_bench_options *options,
                                 size_t *bytes)
{
    size_t counted = 0;
    jbw_config counting = *config;
    counting.allocator = (jbw_allocator){count_and_allocate, count_and_release, &counted};
    jbw_model *model;
    jbw_world *world = NULL;
    jbw_agent_id agent;
    float scent[JBW_MAX_DIMENSIONS];
    jbw_status status = jbw_model_create(&counting, &model, NULL);
    if (status) return status;
    const size_t before = counted;
    status = jbw_world_create(model, options->seed, &world);
    if (!status && options->atlas) status = jbw_atlas_attach(world, options->atlas);
    if (!status) status = jbw_world_add_agent(world, NULL, &agent);
    if (!status) status = jbw_agent_perceive(world, agent, NULL, scent);
    *bytes = counted - before;
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status;
}

// ---- speed ----

/// The cells where an agent has been.
typedef struct range {
    jbw_position first;
    jbw_position last;
} range;

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// the first life in these worlds: fills the atlas, and finds out where agents go
static jbw_status live_once(const jbw_model *model, const jbw_bench_options *options, int64_t steps,
                            range *ranges)
{
    walkers c;
    jbw_status status = walkers_open(&c, model, WORLDS, options->seed, options->atlas);
    for (int64_t i = 0; i < steps && !status; i++) {
        status = walkers_step(&c, 1);
        for (size_t k = 0; k < WORLDS; k++) {
            const int64_t *p = c.positions + 2 * k;
            ranges[k].first.x = least_of(ranges[k].first.x, p[0]);
            ranges[k].first.y = least_of(ranges[k].first.y, p[1]);
            ranges[k].last.x = most_of(ranges[k].last.x, p[0]);
            ranges[k].last.y = most_of(ranges[k].last.y, p[1]);
        }
    }
    walkers_close(&c);
    return status;
}

// replaces the worlds of a walkers by copies that have all terrain where agents will go
static jbw_status make_terrain(walkers *c, const range *ranges, int patch_size)
{
    jbw_status status = JBW_OK;
    for (size_t k = 0; k < c->count && !status; k++) {
        jbw_world *copy;
        status = jbw_world_clone(jbw_batch_get_world(c->batch, k), &copy);
        if (status) return status;
        const range *r = &ranges[k];
        for (int64_t y = r->first.y; y < r->last.y + patch_size && !status; y += patch_size)
            for (int64_t x = r->first.x; x < r->last.x + patch_size && !status; x += patch_size) {
                const jbw_position cell = {least_of(x, r->last.x), least_of(y, r->last.y)};
                status = jbw_world_explore(copy, &cell, 1);
            }
        if (!status) status = jbw_batch_set_world(c->batch, k, copy);
        if (status) jbw_world_destroy(copy);
    }
    return status;
}

static jbw_status compare(const jbw_model *model, const jbw_bench_options *options, int64_t steps,
                          const range *ranges, double *young_seconds, double *copies_seconds)
{
    walkers young = {0};
    walkers copies = {0};
    jbw_status status = walkers_open(&copies, model, WORLDS, options->seed, options->atlas);
    if (!status) status = make_terrain(&copies, ranges, jbw_model_patch_size(model));
    if (!status) status = walkers_open(&young, model, WORLDS, options->seed, options->atlas);
    for (int64_t i = 0; i < steps && !status; i += PIECE) {
        const int64_t piece = least_of(PIECE, steps - i);
        status = walkers_step(&young, piece);
        if (!status) status = walkers_step(&copies, piece);
    }
    if (!status) jbw_bench_keep_least(young_seconds, young.seconds);
    if (!status) jbw_bench_keep_least(copies_seconds, copies.seconds);
    walkers_close(&young);
    walkers_close(&copies);
    return status;
}

static jbw_status measure_speed(const char *name, const jbw_model *model,
                                const jbw_bench_options *options)
{
    const int64_t steps = options->steps > 0 ? options->steps : STEPS;
    range ranges[WORLDS] = {0};
    double young = 0.0;
    double copies = 0.0;
    jbw_status status = live_once(model, options, steps, ranges);
    for (int i = 0; i < options->repeats && !status; i++)
        status = compare(model, options, steps, ranges, &young, &copies);
    if (status) return status;
    const double agent_steps = (double)steps * WORLDS;
    jbw_report *report = options->report;
    jbw_report_begin(report, "young", name);
    jbw_report_parameter(report, "worlds", WORLDS);
    jbw_report_parameter(report, "steps", (double)steps);
    jbw_report_figure(report, "steps_per_second", agent_steps / young);
    jbw_report_figure(report, "copies_steps_per_second", agent_steps / copies);
    jbw_report_figure(report, "time_over_copies", young / copies);
    jbw_report_end(report);
    return JBW_OK;
}

static bool measure_generation(const char *name, const char *generation,
                               const jbw_bench_options *options)
{
    const jbw_override override = {.key = "generation", .value = generation};
    jbw_config *config;
    jbw_model *model;
    size_t bytes = 0;
    if (!jbw_bench_open(name, &override, 1, &config, &model)) return false;
    const bool has_atlas =
        options->atlas && jbw_model_generation(model) == JBW_GENERATION_INVARIANT;
    jbw_status status = has_atlas ? measure_speed(name, model, options) : JBW_OK;
    if (!status) status = measure_memory(config, options, &bytes);
    if (!status) {
        jbw_report *report = options->report;
        jbw_report_begin(report, "young", name);
        jbw_report_text_parameter(report, "generation", generation);
        jbw_report_text_parameter(report, "atlas", has_atlas ? "yes" : "no");
        jbw_report_figure(report, "bytes_per_world", (double)bytes);
        jbw_report_end(report);
    }
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status || jbw_bench_fail(name, status);
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    return measure_generation(name, "frontier", options) &&
           measure_generation(name, "invariant", options);
}

bool jbw_bench_young(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code", "scent"};
    return jbw_bench_each(options, worlds, 2, measure);
}
