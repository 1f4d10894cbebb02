// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const size_t world_counts[] = {1, 8, 64, 512};

enum {
    THREADS = 2,         // compared with one
    AREA = 8,            // cells from the origin; with what a plan adds, patches made at the start
    PLAN = 24,           // steps between two looks at where agents are
    AGENT_STEPS = 40000, // of a measurement: short ones find quiet moments
    MEASUREMENTS = 10,   // of a repeat
    WARM_STEPS = 2000    // of each world
};

/// A batch with one agent in each world, and all it perceives.
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
    const jbw_batch_buffers buffers = {.vision = c->vision,
                                       .scent = c->scent,
                                       .reward = c->reward,
                                       .moved = c->moved,
                                       .collected = c->collected};
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

// Random actions for the next steps, or the way home for those who have left the area. Planning
// ahead keeps looking at worlds, which one thread does, out of what is measured.
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

// seconds spent in steps, or -1
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

static void report(const jbw_bench_options *options, const char *world, size_t count, int threads,
                   double rate, double speedup)
{
    jbw_report_begin(options, "batch", world);
    jbw_report_figure(options, "worlds", (double)count);
    jbw_report_figure(options, "threads", threads);
    jbw_report_figure(options, "ns_per_step", 1e9 / rate);
    jbw_report_figure(options, "steps_per_second", rate);
    if (speedup > 0.0) jbw_report_figure(options, "speedup", speedup);
    jbw_report_end(options);
}

// one thread and several take turns, so that a noisy machine is noisy for both
static bool measure(const jbw_model *model, const char *world, size_t count,
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
            if (i == 0 || seconds < best[k]) best[k] = seconds;
        }
    }
    for (int k = 0; k < 2; k++) close_crowd(&crowds[k]);
    if (!is_good) {
        fprintf(stderr, "jbw bench: %s: a batch of %zu worlds failed\n", world, count);
        return false;
    }
    const double agent_steps = (double)steps * (double)count;
    report(options, world, count, threads[0], agent_steps / best[0], 0.0);
    report(options, world, count, threads[1], agent_steps / best[1], best[0] / best[1]);
    return true;
}

bool jbw_bench_batch(const jbw_bench_options *options)
{
    static const char name[] = "paper-code";
    if (options->only && strcmp(options->only, name) != 0) return true;
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(name, &config, &model)) return false;
    bool is_good = true;
    for (size_t i = 0; i < sizeof world_counts / sizeof *world_counts && is_good; i++)
        is_good = measure(model, name, world_counts[i], options);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}
