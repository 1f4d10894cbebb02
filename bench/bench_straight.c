// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// An agent that walks straight on through an invariant world, sees and smells, and collects what
// lies in its way: memory and speed are to be the same at the end as at the beginning.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { PARTS = 10 };

// what this process has in memory now, in bytes; zero if nobody tells
static double resident_memory(void)
{
    char line[200] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0.0;
    if (!fgets(line, sizeof line, file)) line[0] = '\0';
    fclose(file);
    const char *second = strchr(line, ' '); // all pages, then those in memory
    return second ? strtod(second, NULL) * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

// Processor time of this process, which other processes do not lengthen. With threads that work ahead
// it counts those too, so then it is the time that one waits.
static double seconds(const jbw_world *world)
{
    if (jbw_world_generation_threads(world) > 0) return jbw_bench_now();
    return (double)clock() / (double)CLOCKS_PER_SEC;
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

// the rate of each tenth of the way
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

static jbw_status report(const jbw_bench_options *options, const jbw_world *world, const char *name,
                         const double rates[PARTS])
{
    const double resident = resident_memory(); // before saving, which takes some
    jbw_buffer snapshot = {0};
    const jbw_status status = jbw_snapshot_encode(world, NULL, 0, &snapshot);
    if (status) return status;
    const jbw_world_stats s = jbw_world_get_stats(world);
    jbw_report_begin(options, "straight", name);
    jbw_report_figure(options, "steps", (double)jbw_world_time(world));
    jbw_report_figure(options, "first_steps_per_second", rates[0]);
    jbw_report_figure(options, "last_steps_per_second", rates[PARTS - 1]);
    jbw_report_figure(options, "last_over_first", rates[PARTS - 1] / rates[0]);
    jbw_report_figure(options, "patches_made", (double)s.sampling_count);
    jbw_report_figure(options, "patches_in_memory", (double)s.patch_count);
    jbw_report_figure(options, "map_bytes", (double)s.map_bytes);
    jbw_report_figure(options, "scratch_bytes", (double)s.scratch_bytes);
    jbw_report_figure(options, "resident_bytes", resident);
    jbw_report_figure(options, "snapshot_bytes", (double)snapshot.size);
    jbw_report_end(options);
    jbw_buffer_free(&snapshot);
    return JBW_OK;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    static const jbw_override invariant = {.key = "generation", .value = "invariant"};
    const jbw_world_file_options file = {.overrides = &invariant, .override_count = 1};
    const int64_t steps = options->steps > 0 ? options->steps : 10000000;
    jbw_config *config = NULL;
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_error error = {0};
    double rates[PARTS];
    jbw_status status = jbw_world_file_read(name, &file, &config, &error);
    if (!status) status = jbw_model_create(config, &model, &error);
    if (!status) status = jbw_world_create(model, options->seed, &world);
    if (!status) status = jbw_world_set_generation_threads(world, options->generation_threads);
    if (!status) status = walk_in_parts(world, steps, rates);
    if (!status) status = report(options, world, name, rates);
    if (status)
        fprintf(stderr, "jbw bench: %s: %s\n", name,
                error.text[0] ? error.text : jbw_status_text(status));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status;
}

bool jbw_bench_straight(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"walk", "scent"};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        if (options->only && strcmp(options->only, worlds[i]) != 0) continue;
        if (!measure(worlds[i], options)) return false;
    }
    return true;
}
