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
    WARM_STEPS = 2000,   // of each world
    VILLAGERS = 8        // in each world with a voice
};

/// A batch, and the buffers for what its agents perceive. In worlds with a voice there are eight
/// agents, who see, smell, hear and read; in others there is one.
typedef struct crowd {
    jbw_batch *batch;
    size_t world_count;
    size_t count; // of agents in all worlds
    int agents;   // in each world
    int bodies;
    int symbols;
    int actions;
    void *parts[JBW_PART_COUNT];
    double *reward;
    int32_t *plan; // (PLAN x count): the next actions
    int32_t *say;  // (PLAN x count): and what is said with them
    uint64_t random;
} crowd;

static void close_crowd(crowd *c)
{
    jbw_batch_destroy(c->batch);
    for (int p = 0; p < JBW_PART_COUNT; p++) free(c->parts[p]);
    free(c->reward);
    free(c->plan);
    free(c->say);
}

static bool open_batch(crowd *c, const jbw_model *model, const jbw_reward *reward, int threads,
                       uint64_t seed)
{
    static const int bodies[VILLAGERS] = {0, 1, 2, 0, 1, 2, 0, 1};
    jbw_batch_world *worlds = calloc(c->world_count, sizeof *worlds);
    if (!worlds) return false;
    for (size_t i = 0; i < c->world_count; i++)
        worlds[i] = (jbw_batch_world){.model = model,
                                      .seed = seed + i,
                                      .agent_count = c->agents,
                                      .bodies = c->agents > 1 && c->bodies > 2 ? bodies : NULL,
                                      .reward = reward};
    const jbw_batch_buffers buffers = {
        .parts = {.vision = c->parts[JBW_PART_VISION],
                  .scent = c->parts[JBW_PART_SCENT],
                  .moved = c->parts[JBW_PART_MOVED],
                  .collected = c->parts[JBW_PART_COLLECTED],
                  .inventory = c->parts[JBW_PART_INVENTORY],
                  .heard = c->parts[JBW_PART_HEARD],
                  .text = c->parts[JBW_PART_TEXT]},
        .reward = c->reward,
    };
    const jbw_status status =
        jbw_batch_create(worlds, c->world_count, threads, &buffers, &c->batch, NULL);
    free(worlds);
    return !status;
}

static bool open_crowd(crowd *c, const jbw_model *model, const jbw_reward *reward,
                       size_t world_count, int threads, uint64_t seed)
{
    static const jbw_part parts[] = {JBW_PART_VISION,    JBW_PART_SCENT,     JBW_PART_MOVED,
                                     JBW_PART_COLLECTED, JBW_PART_INVENTORY, JBW_PART_HEARD,
                                     JBW_PART_TEXT};
    enum { EVERYWHERE = 4 }; // the first ones; the others are for worlds with a voice
    *c = (crowd){.world_count = world_count, .random = seed};
    c->symbols = jbw_model_voice(model).symbols;
    c->agents = c->symbols ? VILLAGERS : 1;
    c->bodies = jbw_model_body_count(model);
    c->actions = jbw_model_action_count(model);
    c->count = world_count * (size_t)c->agents;
    bool is_good = true;
    for (size_t i = 0; i < (c->symbols ? sizeof parts / sizeof *parts : EVERYWHERE); i++) {
        c->parts[parts[i]] = calloc(c->count + 1, jbw_model_part(model, parts[i]).size);
        is_good = is_good && c->parts[parts[i]];
    }
    c->reward = calloc(c->count, sizeof *c->reward);
    c->plan = calloc(c->count * PLAN, sizeof *c->plan);
    c->say = calloc(c->count * PLAN, sizeof *c->say);
    return is_good && c->reward && c->plan && c->say && open_batch(c, model, reward, threads, seed);
}

static int32_t draw(crowd *c, int bound)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int32_t)((c->random >> 33) % (uint64_t)bound);
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
        jbw_world *world = jbw_batch_get_world(c->batch, i / (size_t)c->agents);
        jbw_agent_get_state(world, jbw_batch_agent(c->batch, i), &state);
        const int home = way_home(state.position);
        int turns = home < 0 ? 0 : (home - (int)state.direction + 4) % 4; // to the right
        for (size_t k = 0; k < PLAN; k++) {
            int32_t action = home < 0 ? draw(c, c->actions) : FORWARD;
            if (turns == 3) {
                action = LEFT;
                turns = 0;
            } else if (turns > 0) {
                action = RIGHT;
                turns--;
            }
            c->plan[k * c->count + i] = action;
            if (c->symbols) c->say[k * c->count + i] = draw(c, c->symbols + 1);
        }
        // what the next note that it drops says; waits until it has one
        if (c->symbols) jbw_batch_write(c->batch, i, "beans: north");
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
        for (size_t at = 0; step < end; step++, at += c->count) {
            if (c->symbols && jbw_batch_say(c->batch, NULL, c->world_count, c->say + at))
                return -1.0;
            if (jbw_batch_step(c->batch, c->plan + at)) return -1.0;
        }
        seconds += jbw_bench_now() - start;
    }
    return seconds;
}

static void report_batch(jbw_report *report, const char *world, const crowd *c, int threads,
                         double rate, double speedup)
{
    jbw_report_begin(report, "batch", world);
    jbw_report_parameter(report, "worlds", (double)c->world_count);
    if (c->agents > 1) jbw_report_parameter(report, "agents", c->agents);
    jbw_report_parameter(report, "threads", threads);
    jbw_report_figure(report, "ns_per_step", 1e9 / rate);
    jbw_report_figure(report, "steps_per_second", rate);
    if (speedup > 0.0) jbw_report_figure(report, "speedup", speedup);
    jbw_report_end(report);
}

// one thread and two take turns, so that noise on the machine affects both
static bool measure_batch(const jbw_model *model, const jbw_reward *reward, const char *world,
                          size_t count, const jbw_bench_options *options)
{
    const int threads[2] = {1, THREADS};
    int64_t steps = 0;
    double best[2] = {0.0, 0.0};
    crowd crowds[2] = {0};
    bool is_good = true;
    for (int k = 0; k < 2 && is_good; k++)
        is_good = open_crowd(&crowds[k], model, reward, count, threads[k], options->seed) &&
                  run(&crowds[k], WARM_STEPS / crowds[k].agents) >= 0.0;
    if (is_good) steps = AGENT_STEPS / (int64_t)crowds[0].count;
    if (steps < 1) steps = 1;
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
    const double agent_steps = (double)steps * (double)crowds[0].count;
    jbw_report *report = options->report;
    report_batch(report, world, &crowds[0], threads[0], agent_steps / best[0], 0.0);
    report_batch(report, world, &crowds[1], threads[1], agent_steps / best[1], best[0] / best[1]);
    return true;
}

static bool measure(const char *world, const jbw_bench_options *options)
{
    jbw_config *config;
    jbw_model *model;
    if (!jbw_bench_open(world, NULL, 0, &config, &model)) return false;
    jbw_reward *reward = NULL;
    bool is_good = !jbw_model_voice(model).symbols ||
                   !jbw_reward_compile(model, "Team[Collect[JellyBean]] & Avoid[Onion, 0.1]", NULL,
                                       0, &reward, NULL);
    for (size_t i = 0; i < sizeof world_counts / sizeof *world_counts && is_good; i++)
        is_good = measure_batch(model, reward, world, world_counts[i], options);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}

bool jbw_bench_batch(const jbw_bench_options *options)
{
    static const char *const worlds[] = {"paper-code", "village"};
    return jbw_bench_each(options, worlds, 2, measure);
}
