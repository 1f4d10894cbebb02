// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// An agent that walks straight through terrain that is there already, where nobody has smelled yet:
// copies of a world in which somebody has been before, with and without scent.

#include <stdlib.h>

#include "bench.h"

enum { STEPS = 2000 };

/// A world with terrain, and an agent where the walk begins.
typedef struct scene {
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_agent_id agent;
    float *vision;
} scene;

static void close_scene(scene *s)
{
    free(s->vision);
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
    jbw_config_free(s->config);
}

static jbw_status make_terrain(scene *s, jbw_direction direction, uint64_t seed)
{
    const jbw_agent_options options = {
        .has_position = true, .direction = direction, .is_forced = true};
    jbw_status status = jbw_world_create(s->model, seed, &s->world);
    if (!status) status = jbw_world_add_agent(s->world, &options, &s->agent);
    for (int i = 0; i < STEPS && !status; i++) status = jbw_agent_act(s->world, s->agent, 0, NULL);
    if (!status) status = jbw_world_remove_agent(s->world, s->agent);
    return status ? status : jbw_world_add_agent(s->world, &options, &s->agent);
}

// seconds that a copy of the world takes; `scent` may be NULL
static jbw_status walk(const scene *s, float *scent, double *least)
{
    jbw_world *copy;
    jbw_status status = jbw_world_clone(s->world, &copy);
    if (status) return status;
    status = jbw_agent_perceive(copy, s->agent, s->vision, scent); // the first time allocates
    const double start = jbw_bench_thread_cpu();
    for (int i = 0; i < STEPS && !status; i++) {
        status = jbw_agent_act(copy, s->agent, 0, NULL);
        if (!status) status = jbw_agent_perceive(copy, s->agent, s->vision, scent);
    }
    jbw_bench_keep_least(least, jbw_bench_thread_cpu() - start);
    jbw_world_destroy(copy);
    return status;
}

static bool measure_direction(const char *name, jbw_direction direction, const char *direction_name,
                              const jbw_bench_options *options)
{
    scene s = {0};
    float scent[JBW_MAX_DIMENSIONS];
    double with = 0.0;
    double without = 0.0;
    if (!jbw_bench_open_passable(name, NULL, 0, &s.config, &s.model)) return false;
    s.vision = calloc(jbw_model_part(s.model, JBW_PART_VISION).count, sizeof *s.vision);
    jbw_status status = s.vision ? make_terrain(&s, direction, options->seed) : JBW_OUT_OF_MEMORY;
    for (int i = 0; i < 5 * options->repeats && !status; i++) {
        status = walk(&s, scent, &with);
        if (!status) status = walk(&s, NULL, &without);
    }
    close_scene(&s);
    if (status) return jbw_bench_fail(name, status);
    jbw_report *report = options->report;
    jbw_report_begin(report, "known", name);
    jbw_report_text_parameter(report, "direction", direction_name);
    jbw_report_figure(report, "ns_per_step", with * 1e9 / STEPS);
    jbw_report_figure(report, "ns_per_step_without_scent", without * 1e9 / STEPS);
    jbw_report_figure(report, "scent_ns_per_step", (with - without) * 1e9 / STEPS);
    jbw_report_end(report);
    return true;
}

static bool measure(const char *name, const jbw_bench_options *options)
{
    return measure_direction(name, JBW_UP, "up", options) &&
           measure_direction(name, JBW_RIGHT, "right", options);
}

bool jbw_bench_known(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code", "scent"};
    return jbw_bench_each(options, worlds, 2, measure);
}
