// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static const size_t world_counts[] = {1, 8, 64, 512};

enum {
    THREADS = 2,         // compared with one thread
    AREA = 8,            // cells from the origin; all patches that plans reach exist from the start
    PLAN = 24,           // steps that are planned ahead
    AGENT_STEPS = 40000, // per measurement; short ones find quiet moments
    MEASUREMENTS = 10,   // per repeat
    WARM_STEPS = 2000    // of each world
};

/// A batch with one agent per world, and the buffers for what it perceives.
typedef struct crowd {
    jbw_batch *batch;
    size_t count;
    float *vision;
    float *scent;
    double *reward;
    uint8_t *moved;
    int32_t *collected;
    int32_t *plan; // (PLAN x count): the next actions
    uint64_t random;
} crowd;

static void close_crowd(crowd *c)
{
    jbw_batch_destroy(c->batch);
    free(c->vision);
    free(c->scent);
    free(c->reward);
    free(c->moved);
    free(c->collected);
    free(c->plan);
}

static bool open_batch(crowd *c, const jbw_model *model, int threads, uint64_t seed)
{
    jbw_batch_world *worlds = calloc(c->count, sizeof *worlds);
    if (!worlds) return false;
    for (size_t i = 0; i < c->count; i++)
        worlds[i] = (jbw_batch_world){.model = model, .seed = seed + i, .agent_count = 1};
    const jbw_batch_buffers buffers = {
        .parts = {.vision = c->vision,
                  .scent = c->scent,
                  .moved = c->moved,
                  .collected = c->collected},
        .reward = c->reward,
    };
    const jbw_status status =
        jbw_batch_create(worlds, c->count, threads, &buffers, &c->batch, NULL);
    free(worlds);
    return !status;
}

static bool open_crowd(crowd *c, const jbw_model *model, size_t count, int threads, uint64_t seed)
{
    const size_t side = (size_t)jbw_model_vision_side(model);
    const size_t colors = (size_t)jbw_model_color_dimensions(model);
    const size_t scents = (size_t)jbw_model_scent_dimensions(model);
    *c = (crowd){.count = count, .random = seed};
    c->vision = calloc(count * side * side * colors, sizeof *c->vision);
    c->scent = calloc(count * scents + 1, sizeof *c->scent);
    c->reward = calloc(count, sizeof *c->reward);
    c->moved = calloc(count, sizeof *c->moved);
    c->collected = calloc(count, sizeof *c->collected);
    c->plan = calloc(count * PLAN, sizeof *c->plan);
    return c->vision && c->scent && c->reward && c->moved && c->collected && c->plan &&
           open_batch(c, model, threads, seed);
}

static int32_t random_action(crowd *c)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int32_t)((c->random >> 33) % 3); // forward, left and right
}

// the direction back to the area, or -1 if the agent is in it
static int way_home(jbw_position p)
{
    if (p.x > AREA) return JBW_LEFT;
    if (p.x < -AREA) return JBW_RIGHT;
    if (p.y > AREA) return JBW_DOWN;
    if (p.y < -AREA) return JBW_UP;
    return -1;
}

// Plans random actions, or the way back for agents that have left the area. Planning ahead keeps
// looking at the agents, which one thread does, out of what is measured.
static void make_plan(crowd *c)
{
    enum { FORWARD, LEFT, RIGHT };
    for (size_t i = 0; i < c->count; i++) {
        jbw_agent_state state = {0};
        jbw_agent_get_state(jbw_batch_get_world(c->batch, i), jbw_batch_agent(c->batch, i), &state);
        const int home = way_home(state.position);
        int turns = home < 0 ? 0 : (home - (int)state.direction + 4) % 4; // to the right
        for (size_t k = 0; k < PLAN; k++) {
            int32_t action = home < 0 ? random_action(c) : FORWARD;
            if (turns == 3) {
                action = LEFT;
                turns = 0;
            } else if (turns > 0) {
                action = RIGHT;
                turns--;
            }
            c->plan[k * c->count + i] = action;
        }
    }
}

// seconds spent in steps, or -1 on failure
static double run(crowd *c, int64_t steps)
{
    double seconds = 0.0;
    for (int64_t step = 0; step < steps;) {
        make_plan(c);
        const int64_t end = step + PLAN < steps ? step + PLAN : steps;
        const double start = jbw_bench_now();
        for (const int32_t *actions = c->plan; step < end; step++, actions += c->count)
            if (jbw_batch_step(c->batch, actions)) return -1.0;
        seconds += jbw_bench_now() - start;
    }
    return seconds;
}

static void report_batch(jbw_report *report, const char *world, size_t count, int threads,
                         double rate, double speedup)
{
    jbw_report_begin(report, "batch", world);
    jbw_report_parameter(report, "worlds", (double)count);
    jbw_report_parameter(report, "threads", threads);
    jbw_report_figure(report, "ns_per_step", 1e9 / rate);
    jbw_report_figure(report, "steps_per_second", rate);
    if (speedup > 0.0) jbw_report_figure(report, "speedup", speedup);
    jbw_report_end(report);
}

// one thread and two take turns, so that noise on the machine affects both
static bool measure_batch(const jbw_model *model, const char *world, size_t count,
                          const jbw_bench_options *options)
{
    const int threads[2] = {1, THREADS};
    const int64_t steps = AGENT_STEPS / (int64_t)count;
    double best[2] = {0.0, 0.0};
    crowd crowds[2] = {0};
    bool is_good = true;
    for (int k = 0; k < 2 && is_good; k++)
        is_good = open_crowd(&crowds[k], model, count, threads[k], options->seed) &&
                  run(&crowds[k], WARM_STEPS) >= 0.0;
    for (int i = 0; i < MEASUREMENTS * options->repeats && is_good; i++) {
        for (int k = 0; k < 2 && is_good; k++) {
            const double seconds = run(&crowds[k], steps);
            is_good = seconds > 0.0;
            jbw_bench_keep_least(&best[k], seconds);
        }
    }
    for (int k = 0; k < 2; k++) close_crowd(&crowds[k]);
    if (!is_good) {
        fprintf(stderr, "jbw bench: %s: a batch of %zu worlds failed\n", world, count);
        return false;
    }
    const double agent_steps = (double)steps * (double)count;
    jbw_report *report = options->report;
    report_batch(report, world, count, threads[0], agent_steps / best[0], 0.0);
    report_batch(report, world, count, threads[1], agent_steps / best[1], best[0] / best[1]);
    return true;
}

static bool measure(const char *world, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(world, NULL, 0, &config, &model)) return false;
    bool is_good = true;
    for (size_t i = 0; i < sizeof world_counts / sizeof *world_counts && is_good; i++)
        is_good = measure_batch(model, world, world_counts[i], options);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}

bool jbw_bench_batch(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code"};
    return jbw_bench_each(options, worlds, 1, measure);
}
