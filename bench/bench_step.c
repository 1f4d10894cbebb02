// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "twin_senses.h"

/// How agents move.
typedef enum gait {
    GAIT_BOUNDED, // at random, within an area that is generated before
    GAIT_RANDOM,  // at random
    GAIT_STRAIGHT // always forward
} gait;

typedef struct scenario {
    const char *name;
    const char *world;
    gait gait;
    int agent_count;
    int64_t steps;    // of the world
    bool is_occluded; // with occlusion and a field of view of 90 degrees
} scenario;

static const scenario scenarios[] = {
    {"generated", "paper-code", GAIT_BOUNDED, 1, 300000, false},
    {"generated", "scent", GAIT_BOUNDED, 1, 300000, false},
    {"occluded", "paper-code", GAIT_BOUNDED, 1, 100000, true},
    {"agents_10", "paper-code", GAIT_BOUNDED, 10, 30000, false},
    {"agents_100", "paper-code", GAIT_BOUNDED, 100, 3000, false},
    {"agents_1000", "paper-code", GAIT_BOUNDED, 1000, 300, false},
    {"random_walk", "paper-code", GAIT_RANDOM, 1, 100000, false},
    {"random_walk", "scent", GAIT_RANDOM, 1, 100000, false},
    {"straight_walk", "paper-code", GAIT_STRAIGHT, 1, 5000, false},
    {"straight_walk", "scent", GAIT_STRAIGHT, 1, 10000, false},
    {"straight_walk", "walk", GAIT_STRAIGHT, 1, 20000, false},
};

/// A world with agents, and the buffers for what they perceive.
typedef struct stage {
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_agent_id *agents;
    int *actions;
    int agent_count;
    float *vision;
    float *scent;
    uint64_t random;
} stage;

enum { AREA = 320 }; // GAIT_BOUNDED stays within this many cells of the origin

static void close_stage(stage *s)
{
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
    jbw_config_free(s->config);
    free(s->agents);
    free(s->actions);
    free(s->vision);
    free(s->scent);
}

static bool open_world(stage *s, const char *name, bool is_occluded)
{
    static const jbw_override overrides[] = {{"agent.field_of_view", "90"},
                                             {"agent.visual_occlusion", "true"}};
    return jbw_bench_open(name, overrides, is_occluded ? 2 : 0, &s->config, &s->model);
}

static bool add_agents(stage *s)
{
    // in a grid, far enough apart that they see each other only now and then
    int64_t side = 1;
    while (side * side < s->agent_count) side++;
    const int64_t gap = side > 1 ? AREA / side : 0;
    for (int i = 0; i < s->agent_count; i++) {
        const jbw_agent_options options = {
            .has_position = true,
            .position = {(i % side - side / 2) * gap, (i / side - side / 2) * gap},
            .is_forced = true};
        if (jbw_world_add_agent(s->world, &options, &s->agents[i])) return false;
    }
    return true;
}

static bool open_stage(stage *s, const scenario *sc, uint64_t seed)
{
    *s = (stage){.agent_count = sc->agent_count, .random = seed};
    if (!open_world(s, sc->world, sc->is_occluded)) return false;
    const size_t side = (size_t)jbw_model_vision_side(s->model);
    s->agents = calloc((size_t)sc->agent_count, sizeof *s->agents);
    s->actions = calloc((size_t)sc->agent_count, sizeof *s->actions);
    s->vision = calloc(side * side * (size_t)s->config->color_dimensions, sizeof *s->vision);
    s->scent = calloc((size_t)s->config->scent_dimensions + 1, sizeof *s->scent);
    if (!s->agents || !s->actions || !s->vision || !s->scent) return false;
    if (jbw_world_create(s->model, seed, &s->world)) return false;
    if (sc->gait == GAIT_BOUNDED) {
        const int64_t last = (AREA + 64) / s->config->patch_size;
        for (int64_t y = -last - 1; y <= last; y++)
            for (int64_t x = -last - 1; x <= last; x++)
                if (jbw_world_finalize_patch(s->world, (jbw_position){x, y})) return false;
    }
    return add_agents(s);
}

static int random_action(stage *s)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((s->random >> 33) % 3); // the shipped worlds have forward, left and right
}

// turns left where a step forward would leave the area
static int bounded_action(stage *s, jbw_agent_id agent)
{
    jbw_agent_state state;
    jbw_agent_get_state(s->world, agent, &state);
    const int64_t outward = state.direction == JBW_UP      ? state.position.y
                            : state.direction == JBW_RIGHT ? state.position.x
                            : state.direction == JBW_DOWN  ? -state.position.y
                                                           : -state.position.x;
    const int action = random_action(s);
    return action == 0 && outward >= AREA ? 1 : action;
}

static bool step_once(stage *s, gait how)
{
    for (int i = 0; i < s->agent_count; i++)
        s->actions[i] = how == GAIT_STRAIGHT  ? 0
                        : how == GAIT_BOUNDED ? bounded_action(s, s->agents[i])
                                              : random_action(s);
    if (jbw_world_act(s->world, s->agents, s->actions, (size_t)s->agent_count, NULL)) return false;
    for (int i = 0; i < s->agent_count; i++)
        jbw_agent_perceive(s->world, s->agents[i], s->vision, s->scent);
    return true;
}

// seconds, or -1 on failure
static double run(stage *s, gait how, int64_t steps)
{
    const double start = jbw_bench_now();
    for (int64_t step = 0; step < steps; step++)
        if (!step_once(s, how)) return -1.0;
    return jbw_bench_now() - start;
}

// seconds that the slow twin takes to perceive, or -1 on failure
static double time_twin(const stage *s)
{
    enum { PERCEPTIONS = 20 };
    twin_senses *senses = twin_senses_create(s->config);
    if (!senses) return -1.0;
    jbw_agent_state state;
    jbw_agent_get_state(s->world, s->agents[0], &state);
    const double start = jbw_bench_now();
    for (int i = 0; i < PERCEPTIONS; i++)
        twin_senses_perceive(senses, s->world, state.position, state.direction, s->vision,
                             s->scent);
    const double seconds = jbw_bench_now() - start;
    twin_senses_destroy(senses);
    return seconds / PERCEPTIONS;
}

static bool measure(const scenario *sc, const jbw_bench_options *options)
{
    double best = 0.0;
    double twin = 0.0;
    for (int i = 0; i < options->repeats; i++) {
        stage s;
        const bool is_open = open_stage(&s, sc, options->seed);
        if (is_open && sc->gait == GAIT_BOUNDED) run(&s, sc->gait, sc->steps / 10); // warm up
        const double seconds = is_open ? run(&s, sc->gait, sc->steps) : -1.0;
        if (seconds >= 0.0) twin = time_twin(&s);
        close_stage(&s);
        if (seconds < 0.0 || twin < 0.0) {
            fprintf(stderr, "jbw bench: %s: %s failed\n", sc->world, sc->name);
            return false;
        }
        jbw_bench_keep_least(&best, seconds);
    }
    const double agent_steps = (double)sc->steps * sc->agent_count;
    jbw_report *report = options->report;
    jbw_report_begin(report, "step", sc->world);
    jbw_report_text_parameter(report, "case", sc->name);
    jbw_report_parameter(report, "agents", sc->agent_count);
    jbw_report_figure(report, "ns_per_step", best * 1e9 / agent_steps);
    jbw_report_figure(report, "steps_per_second", agent_steps / best);
    jbw_report_figure(report, "twin_ns_per_step", twin * 1e9);
    jbw_report_figure(report, "twin_ratio", twin * agent_steps / best);
    jbw_report_end(report);
    return true;
}

bool jbw_bench_step(const jbw_bench_options *options)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (options->world && strcmp(options->world, scenarios[i].world) != 0) continue;
        if (!measure(&scenarios[i], options)) return false;
    }
    return true;
}

// ---- a long lifetime ----

enum {
    RESTOCK = 100, // steps between putting collected items back
    PIECE = 10000, // steps per measurement
    PIECES = 41    // measurements, of which the median counts
};

/// A stage with one agent, and the items it has collected since they were last put back.
typedef struct life {
    stage stage;
    jbw_position cells[RESTOCK + 1];
    int types[RESTOCK + 1];
    size_t missing_count;
} life;

static void note_collected(life *l)
{
    jbw_agent_result result = {.collected = -1};
    jbw_agent_get_result(l->stage.world, l->stage.agents[0], &result);
    if (result.collected < 0) return;
    l->cells[l->missing_count] = result.position;
    l->types[l->missing_count++] = result.collected;
}

// puts all items back, except where the agent is: that one waits
static bool put_back(life *l)
{
    jbw_world *world = l->stage.world;
    jbw_agent_state state;
    if (jbw_agent_get_state(world, l->stage.agents[0], &state)) return false;
    size_t kept = 0;
    for (size_t i = 0; i < l->missing_count; i++) {
        const jbw_position cell = l->cells[i];
        if (cell.x == state.position.x && cell.y == state.position.y) {
            l->cells[kept] = cell;
            l->types[kept++] = l->types[i];
        } else if (jbw_world_place_item(world, l->types[i], cell)) {
            return false;
        }
    }
    l->missing_count = kept;
    return true;
}

// Takes steps in a world that does not run out of items: otherwise the agent would see and collect
// less and less, and the world would seem to get faster with age. Returns the seconds, without
// those for putting items back, or -1 on failure.
static double live(life *l, int64_t steps)
{
    double seconds = 0.0;
    for (int64_t step = 0; step < steps;) {
        const int64_t end = step + RESTOCK < steps ? step + RESTOCK : steps;
        const double start = jbw_bench_now();
        for (; step < end; step++) {
            if (!step_once(&l->stage, GAIT_BOUNDED)) return -1.0;
            note_collected(l);
        }
        seconds += jbw_bench_now() - start;
        if (!put_back(l)) return -1.0;
    }
    return seconds;
}

static double median_ns_per_step(double pieces[PIECES])
{
    jbw_bench_sort(pieces, PIECES);
    return pieces[PIECES / 2] * 1e9 / PIECE;
}

// Nanoseconds per step of both worlds. They take turns, so that noise on the machine affects both.
static bool compare_ages(life *young, life *old, double *early, double *late)
{
    double first[PIECES];
    double last[PIECES];
    for (int i = 0; i < PIECES; i++) {
        first[i] = live(young, PIECE);
        last[i] = live(old, PIECE);
        if (first[i] < 0.0 || last[i] < 0.0) return false;
    }
    *early = median_ns_per_step(first);
    *late = median_ns_per_step(last);
    return true;
}

bool jbw_bench_lifetime(const jbw_bench_options *options)
{
    const scenario sc = {"lifetime", "paper-code", GAIT_BOUNDED, 1, 0, false};
    const int64_t steps = options->steps > 0 ? options->steps : 10000000;
    life young = {0};
    life old = {0};
    double early = 0.0;
    double late = 0.0;
    const bool is_good = open_stage(&young.stage, &sc, options->seed) &&
                         open_stage(&old.stage, &sc, options->seed) &&
                         live(&young, steps / 100) >= 0.0 && live(&old, steps) >= 0.0 &&
                         compare_ages(&young, &old, &early, &late);
    if (is_good) {
        jbw_report *report = options->report;
        const jbw_world_stats stats = jbw_world_get_stats(old.stage.world);
        jbw_report_begin(report, "lifetime", sc.world);
        jbw_report_parameter(report, "steps", (double)steps);
        jbw_report_figure(report, "early_ns_per_step", early);
        jbw_report_figure(report, "late_ns_per_step", late);
        jbw_report_figure(report, "late_to_early", late / early);
        jbw_report_figure(report, "map_bytes", (double)stats.map_bytes);
        jbw_report_end(report);
    } else {
        fprintf(stderr, "jbw bench: %s: lifetime failed\n", sc.world);
    }
    close_stage(&young.stage);
    close_stage(&old.stage);
    return is_good;
}
