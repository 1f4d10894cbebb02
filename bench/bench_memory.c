// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

// the most memory that this process has had, in bytes
static double peak_memory(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage)) return 0.0;
    return (double)usage.ru_maxrss * 1024.0;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    if (!jbw_bench_open(name, &config, &model)) return false;
    const int64_t steps = options->steps > 0 ? options->steps : 1000000;
    jbw_status status = jbw_world_create(model, options->seed, &world);
    const double start = jbw_bench_now();
    for (int64_t x = 0; x <= steps && !status; x++)
        status = jbw_world_explore(world, &(jbw_position){x, 0}, 1);
    const double seconds = jbw_bench_now() - start;
    if (!status) {
        const jbw_world_stats s = jbw_world_get_stats(world);
        jbw_report_begin(options, "memory", name);
        jbw_report_figure(options, "steps", (double)steps);
        jbw_report_figure(options, "seconds", seconds);
        jbw_report_figure(options, "patches", (double)s.patch_count);
        jbw_report_figure(options, "bytes_per_patch", (double)s.map_bytes / (double)s.patch_count);
        jbw_report_figure(options, "scratch_bytes", (double)s.scratch_bytes);
        jbw_report_figure(options, "peak_process_bytes", peak_memory());
        jbw_report_end(options);
    } else {
        fprintf(stderr, "jbw bench: %s: %s\n", name, jbw_status_text(status));
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status;
}

bool jbw_bench_memory(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"walk", "paper-code"};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        if (options->only && strcmp(options->only, worlds[i]) != 0) continue;
        if (!measure(worlds[i], options)) return false;
    }
    return true;
}
