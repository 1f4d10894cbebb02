// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// An agent that walks straight ahead through an invariant world, sees, smells and collects. Memory
// and speed should be the same at the end as at the start. With an atlas, it walks twice: the second
// time, all patches are there.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { PARTS = 10 };

// the resident memory of this process, in bytes; zero if the system does not say
static double resident_memory(void)
{
    char line[200] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0.0;
    if (!fgets(line, sizeof line, file)) line[0] = '\0';
    fclose(file);
    const char *second = strchr(line, ' '); // all pages, then the resident ones
    return second ? strtod(second, NULL) * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

// Processor time, which other processes do not affect. With generation threads it would count
// theirs too, so then elapsed time.
static double seconds(const jbw_world *world)
{
    if (jbw_world_generation_threads(world) > 0) return jbw_bench_now();
    return jbw_bench_process_cpu();
}

static jbw_status walk(jbw_world *world, jbw_agent_id agent, int64_t steps, float *vision,
                       float *scent)
{
    jbw_status status = JBW_OK;
    for (int64_t i = 0; i < steps && !status; i++) {
        status = jbw_agent_act(world, agent, 0, NULL);
        if (!status) status = jbw_agent_perceive(world, agent, vision, scent);
    }
    return status;
}

// steps per second in each tenth of the walk
static jbw_status walk_in_parts(jbw_world *world, int64_t steps, double rates[PARTS])
{
    static float vision[1 << 20];
    float scent[JBW_MAX_DIMENSIONS];
    const jbw_model *model = jbw_world_model(world);
    const int side = jbw_model_vision_side(model);
    if (side * side * jbw_model_color_dimensions(model) > 1 << 20) return JBW_UNSUPPORTED;
    jbw_agent_id agent;
    jbw_status status = jbw_world_add_agent(world, NULL, &agent);
    for (int i = 0; i < PARTS && !status; i++) {
        const int64_t part = steps / PARTS;
        const double start = seconds(world);
        status = walk(world, agent, part, vision, scent);
        rates[i] = (double)part / (seconds(world) - start);
    }
    return status;
}

static jbw_status report_walk(jbw_report *report, const jbw_world *world, const char *name,
                              const double rates[PARTS])
{
    const double resident = resident_memory(); // before saving, which needs memory
    jbw_buffer snapshot = {0};
    const jbw_status status = jbw_snapshot_encode(world, NULL, 0, &snapshot);
    if (status) return status;
    const jbw_world_stats s = jbw_world_get_stats(world);
    jbw_report_begin(report, "straight", name);
    jbw_report_parameter(report, "steps", (double)jbw_world_time(world));
    jbw_report_figure(report, "first_steps_per_second", rates[0]);
    jbw_report_figure(report, "last_steps_per_second", rates[PARTS - 1]);
    jbw_report_figure(report, "last_over_first", rates[PARTS - 1] / rates[0]);
    jbw_report_figure(report, "patches_made", (double)s.sampling_count);
    jbw_report_figure(report, "patches_in_memory", (double)s.patch_count);
    jbw_report_figure(report, "map_bytes", (double)s.map_bytes);
    jbw_report_figure(report, "scratch_bytes", (double)s.scratch_bytes);
    jbw_report_figure(report, "resident_bytes", resident);
    jbw_report_figure(report, "snapshot_bytes", (double)snapshot.size);
    jbw_report_end(report);
    jbw_buffer_free(&snapshot);
    return JBW_OK;
}

// of the whole walk
static double mean_rate(const double rates[PARTS])
{
    double sum = 0.0;
    for (int i = 0; i < PARTS; i++) sum += 1.0 / rates[i];
    return PARTS / sum;
}

static jbw_status walk_anew(const jbw_model *model, const jbw_bench_options *options, int64_t steps,
                            jbw_world **world, double rates[PARTS])
{
    jbw_status status = jbw_world_create(model, options->seed, world);
    if (!status && options->atlas) status = jbw_world_set_atlas(*world, options->atlas, NULL);
    if (!status) status = jbw_world_set_generation_threads(*world, options->generation_threads);
    return status ? status : walk_in_parts(*world, steps, rates);
}

// the same walk again: the first one has filled the atlas
static jbw_status measure_atlas(const char *name, const jbw_model *model,
                                const jbw_bench_options *options, int64_t steps,
                                const double first_rates[PARTS])
{
    jbw_report *report = options->report;
    const jbw_atlas_counts first = jbw_atlas_get_counts(options->atlas);
    jbw_world *world = NULL;
    double rates[PARTS];
    const jbw_status status = walk_anew(model, options, steps, &world, rates);
    jbw_world_destroy(world);
    if (status) return status;
    const jbw_atlas_counts second = jbw_atlas_get_counts(options->atlas);
    jbw_report_begin(report, "straight", name);
    jbw_report_parameter(report, "steps", (double)steps);
    jbw_report_text_parameter(report, "atlas", "twice");
    jbw_report_figure(report, "first_walk_steps_per_second", mean_rate(first_rates));
    jbw_report_figure(report, "first_walk_patches_found", (double)first.found);
    jbw_report_figure(report, "first_walk_patches_added", (double)first.added);
    jbw_report_figure(report, "second_walk_steps_per_second", mean_rate(rates));
    jbw_report_figure(report, "second_walk_patches_found", (double)(second.found - first.found));
    jbw_report_figure(report, "second_walk_patches_added", (double)(second.added - first.added));
    jbw_report_figure(report, "second_over_first", mean_rate(rates) / mean_rate(first_rates));
    jbw_report_end(report);
    return JBW_OK;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    const int64_t usual = options->atlas ? 100000 : 10000000;
    const int64_t steps = options->steps > 0 ? options->steps : usual;
    jbw_config *config;
    jbw_model *model;
    jbw_world *world = NULL;
    double rates[PARTS];
    static const jbw_override invariant = {.key = "generation", .value = "invariant"};
    if (!jbw_bench_open_passable(name, &invariant, 1, &config, &model)) return false;
    jbw_status status = walk_anew(model, options, steps, &world, rates);
    if (!status) status = report_walk(options->report, world, name, rates);
    jbw_world_destroy(world);
    if (!status && options->atlas) status = measure_atlas(name, model, options, steps, rates);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status || jbw_bench_fail(name, status);
}

bool jbw_bench_straight(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"walk", "scent"};
    static const char *const slow_worlds[] = {"scent", "paper-code"}; // an atlas is for these
    return jbw_bench_each(options, options->atlas ? slow_worlds : worlds, 2, measure);
}
