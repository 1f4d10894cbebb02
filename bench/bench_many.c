// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Thousands of worlds do not fit into the caches of a processor. How much of the speed of a few worlds
// is left? Terrain is made with little care, since that is not what is measured.

#include "walkers.h"

enum {
    FEW = 64,
    MANY = 4096,
    STEPS = 8,   // of each of the many worlds, per measurement
    PIECES = 10, // measurements per repeat
};

static void report_walkers(jbw_report *report, const char *world, size_t count, double seconds,
                           double kept)
{
    const double agent_steps = (double)STEPS * MANY;
    jbw_report_begin(report, "many", world);
    jbw_report_parameter(report, "worlds", (double)count);
    jbw_report_figure(report, "ns_per_step", seconds * 1e9 / agent_steps);
    jbw_report_figure(report, "steps_per_second", agent_steps / seconds);
    if (kept > 0.0) jbw_report_figure(report, "kept_of_few", kept);
    jbw_report_end(report);
}

// one measurement of as many steps of agents, whatever the number of worlds
static jbw_status measure_piece(walkers *c, double *least)
{
    c->seconds = 0.0;
    const jbw_status status = walkers_step(c, STEPS * MANY / (int64_t)c->count);
    if (!status) jbw_bench_keep_least(least, c->seconds);
    return status;
}

static bool measure(const char *world, const jbw_bench_options *options)
{
    static const jbw_override hasty = {.key = "mh_iterations", .value = "100"};
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(world, &hasty, 1, &config, &model)) return false;
    walkers few = {0};
    walkers many = {0};
    double few_seconds = 0.0;
    double many_seconds = 0.0;
    jbw_status status = walkers_open(&few, model, FEW, options->seed, NULL);
    if (!status) status = walkers_open(&many, model, MANY, options->seed, NULL);
    // they take turns, so that noise on the machine affects both
    for (int i = 0; i < PIECES * options->repeats && !status; i++) {
        status = measure_piece(&few, &few_seconds);
        if (!status) status = measure_piece(&many, &many_seconds);
    }
    walkers_close(&few);
    walkers_close(&many);
    jbw_model_destroy(model);
    jbw_config_free(config);
    if (status) return jbw_bench_fail(world, status);
    report_walkers(options->report, world, FEW, few_seconds, 0.0);
    report_walkers(options->report, world, MANY, many_seconds, few_seconds / many_seconds);
    return true;
}

bool jbw_bench_many(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"walk", "paper-code"};
    return jbw_bench_each(options, worlds, 2, measure);
}
