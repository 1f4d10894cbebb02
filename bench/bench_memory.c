// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <sys/resource.h>

#include "bench.h"

// the peak memory of this process, in bytes
static double peak_memory(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage)) return 0.0;
    return (double)usage.ru_maxrss * 1024.0;
}

static jbw_status walk(jbw_world *world, int64_t steps)
{
    jbw_status status = JBW_OK;
    for (int64_t x = 0; x <= steps && !status; x++)
        status = jbw_world_explore(world, &(jbw_position){x, 0}, 1);
    return status;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    jbw_world *world = NULL;
    if (!jbw_bench_open(name, NULL, 0, &config, &model)) return false;
    const int64_t steps = options->steps > 0 ? options->steps : 1000000;
    jbw_status status = jbw_world_create(model, options->seed, &world);
    const double start = jbw_bench_now();
    if (!status) status = walk(world, steps);
    const double seconds = jbw_bench_now() - start;
    if (!status) {
        const jbw_world_stats s = jbw_world_get_stats(world);
        jbw_report *report = options->report;
        jbw_report_begin(report, "memory", name);
        jbw_report_parameter(report, "steps", (double)steps);
        jbw_report_figure(report, "seconds", seconds);
        jbw_report_figure(report, "patches", (double)s.patch_count);
        jbw_report_figure(report, "bytes_per_patch", (double)s.map_bytes / (double)s.patch_count);
        jbw_report_figure(report, "scratch_bytes", (double)s.scratch_bytes);
        jbw_report_figure(report, "peak_process_bytes", peak_memory());
        jbw_report_end(report);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return !status || jbw_bench_fail(name, status);
}

bool jbw_bench_memory(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"walk", "paper-code"};
    return jbw_bench_each(options, worlds, sizeof worlds / sizeof *worlds, measure);
}
