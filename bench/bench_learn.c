// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A life that learns, world included, on one core and on two. On one, seconds are of this thread's processor
// time; the speedup of two is by the clock, of lives that take turns.

#include <stdio.h>
#include <stdlib.h>

#include "agents/learn/ppo.h"
#include "agents/learn/ppo_settings.h"
#include "bench.h"
#include "twin_learner.h"

static const char world_name[] = "paper-code";
static const char reward_text[] = "Collect[JellyBean]";

enum { THREADS = 2, STEPS_AT_ONCE = 16 };

/// The parts of a life that are measured.
typedef enum part {
    LIVE,     // some steps, without learning
    ESTIMATE, // advantages
    FIRST,    // the first iteration of an update, without its optimizer
    OTHER,    // another one
    OPTIMIZE, // one step of the optimizer
    PARTS,
} part;

typedef struct seconds {
    double cpu;  // of this thread
    double wall; // of the clock
} seconds;

typedef struct life {
    jbw_config *config;
    jbw_model *model;
    jbw_reward *reward;
    jbw_world *world;
    jbw_agent_id agent;
    jbw_ppo ppo;
    seconds least[PARTS]; // of several rounds
} life;

static const jbw_allocator allocator = {0};

static bool open_life(life *l, const char *preset, int threads, uint64_t seed)
{
    const jbw_policy_setting setting = {"preset", preset};
    jbw_ppo_options options;
    jbw_error error = {0};
    if (!jbw_bench_open(world_name, NULL, 0, &l->config, &l->model)) return false;
    if (!jbw_reward_compile(l->model, reward_text, NULL, 0, &l->reward, &error) &&
        !jbw_world_create(l->model, seed, &l->world) &&
        !jbw_world_add_agent(l->world, NULL, &l->agent) &&
        !jbw_ppo_options_read(l->model, &setting, 1, &options, &error) &&
        jbw_ppo_init(&l->ppo, &options, jbw_nn_best_path(), seed, &allocator) &&
        !jbw_nn_set_threads(&l->ppo.nn, threads, &allocator, &error))
        return true;
    return jbw_bench_fail(world_name, JBW_OUT_OF_MEMORY);
}

static void close_life(life *l)
{
    jbw_ppo_deinit(&l->ppo);
    jbw_world_destroy(l->world);
    jbw_reward_destroy(l->reward);
    jbw_model_destroy(l->model);
    jbw_config_free(l->config);
}

static void step(life *l)
{
    uint8_t moved;
    int action;
    const jbw_observation wanted = {
        .vision = jbw_ppo_vision(&l->ppo, 0), .scent = jbw_ppo_scent(&l->ppo, 0), .moved = &moved};
    jbw_agent_observe(l->world, l->agent, &wanted);
    jbw_ppo_act(&l->ppo, &(bool){moved != 0}, &action);
    jbw_agent_act(l->world, l->agent, action, NULL);
    jbw_ppo_reward(&l->ppo, &(double){jbw_agent_reward(l->world, l->agent, l->reward)});
}

static seconds now(void)
{
    return (seconds){jbw_bench_thread_cpu(), jbw_bench_now()};
}

static void mark(seconds *least, seconds *since)
{
    const seconds at = now();
    jbw_bench_keep_least(&least->cpu, at.cpu - since->cpu);
    jbw_bench_keep_least(&least->wall, at.wall - since->wall);
    *since = at;
}

// from one update to the next; the parts of the update are those that the learner takes by itself
static void live_round(life *l)
{
    jbw_ppo *ppo = &l->ppo;
    const int rows = ppo->options.rows;
    jbw_ppo_report report;
    seconds at = now();
    jbw_ppo_estimate(ppo);
    mark(&l->least[ESTIMATE], &at);
    for (int i = 0; i < ppo->options.iterations; i++) {
        jbw_ppo_differentiate(ppo, i == 0, &report);
        mark(&l->least[i == 0 ? FIRST : OTHER], &at);
        jbw_optimizer_step(&ppo->nn, &ppo->optimizer, &ppo->network.parameters);
        mark(&l->least[OPTIMIZE], &at);
    }
    ppo->count = 0;
    for (int i = 0; i < rows; i++) {
        step(l);
        if ((i + 1) % STEPS_AT_ONCE == 0) mark(&l->least[LIVE], &at);
    }
}

// what a life takes, by one of the two clocks
typedef struct costs {
    double step;     // one, without learning
    double update;   // the whole of it
    double optimize; // all steps of the optimizer in it
} costs;

static costs costs_of(const life *l, bool by_wall)
{
    double s[PARTS];
    for (int i = 0; i < PARTS; i++) s[i] = by_wall ? l->least[i].wall : l->least[i].cpu;
    const int iterations = l->ppo.options.iterations;
    const double optimize = iterations * s[OPTIMIZE];
    return (costs){.step = s[LIVE] / STEPS_AT_ONCE,
                   .update = s[ESTIMATE] + s[FIRST] + (iterations - 1) * s[OTHER] + optimize,
                   .optimize = optimize};
}

// of a step and its share of an update
static double whole_of(const life *l, costs c)
{
    return c.step + c.update / l->ppo.options.rows;
}

// ---- products ----

// the speed of a product as large as those of the LSTM, in operations per second
static double measure_products(const jbw_nn *nn, int repeats)
{
    enum { M = 504, N = 2048, K = 1024 };
    float *a = calloc((size_t)M * K, sizeof *a);
    float *b = calloc((size_t)K * N, sizeof *b);
    float *c = calloc((size_t)M * N, sizeof *c);
    double best = 0.0;
    // as real numbers in memory of their own: zeros that were never written are all in one page
    for (int i = 0; a && i < M * K; i++) a[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; b && i < K * N; i++) b[i] = (float)(i % 11) - 5.0f;
    for (int i = 0; a && b && c && i < repeats; i++) {
        const double start = jbw_bench_thread_cpu();
        nn->path->gemm(M, N, K, (jbw_view){a, K, 1}, (jbw_view){b, N, 1}, (jbw_addend){0}, c, N,
                       nn->product_scratch);
        jbw_bench_keep_least(&best, jbw_bench_thread_cpu() - start);
    }
    free(a);
    free(b);
    free(c);
    return best > 0.0 ? 2.0 * M * N * K / best : 0.0;
}

// of an update; its first forward pass was done while living
static double update_operations(const jbw_ppo *ppo)
{
    const jbw_ppo_options *o = &ppo->options;
    const double forward = jbw_network_products(&ppo->network, false, o->length);
    const double backward = jbw_network_products(&ppo->network, true, o->length);
    return 2.0 * o->rows * ((o->iterations - 1) * forward + o->iterations * backward);
}

// ---- the slow twin ----

// Seconds that the twin needs for a step and its share of updates, from a few rows: it takes each row by
// itself, so time is proportional to rows. Zero if memory runs out.
static double measure_twin(const life *l)
{
    enum { ROWS = 4 };
    const jbw_ppo *ppo = &l->ppo;
    const jbw_ppo_options *o = &ppo->options;
    const twin_network network = {.side = o->network.vision_side,
                                  .colors = o->network.colors,
                                  .scents = o->network.scents,
                                  .actions = o->network.actions,
                                  .lstm = o->network.lstm_size,
                                  .is_gelu = o->network.activation == JBW_ACTIVATION_GELU,
                                  .has_moved = o->network.has_moved,
                                  .moved_is_activated = o->network.moved_is_activated,
                                  .heads_see_features = o->network.heads_see_features,
                                  .heads_see_cell = o->network.heads_see_cell};
    const twin_loss loss = {.clip = o->clip, .value_weight = o->value_weight};
    const size_t count = twin_weight_count(&network);
    double *weights = calloc(count, sizeof *weights);
    double *gradients = calloc(count, sizeof *gradients);
    double *state = calloc((size_t)network.lstm, sizeof *state);
    double total = 0.0;
    if (weights && gradients && state) {
        const twin_rows rows = {.count = ROWS,
                                .length = ROWS,
                                .vision = ppo->pass.vision,
                                .scent = ppo->pass.scent,
                                .moved = ppo->pass.moved,
                                .actions = ppo->actions,
                                .advantages = ppo->advantages,
                                .targets = ppo->targets,
                                .values = ppo->values,
                                .probabilities = ppo->probabilities,
                                .logarithms = ppo->logarithms,
                                .hidden = state,
                                .cell = state};
        for (size_t i = 0; i < count; i++) weights[i] = (double)ppo->network.parameters.weights[i];
        seconds at = now();
        seconds forward = {0};
        seconds both = {0};
        twin_differentiate(&network, &loss, &rows, weights, NULL);
        mark(&forward, &at);
        twin_differentiate(&network, &loss, &rows, weights, gradients);
        mark(&both, &at);
        total = (forward.cpu + o->iterations * both.cpu) / ROWS;
    }
    free(weights);
    free(gradients);
    free(state);
    return total;
}

// ---- reporting ----

static void begin_report(const life *l, const char *preset, costs c, jbw_report *report)
{
    const double rows = l->ppo.options.rows;
    jbw_report_begin(report, "learn", world_name);
    jbw_report_text_parameter(report, "preset", preset);
    jbw_report_text_parameter(report, "vectors", l->ppo.nn.path->name);
    jbw_report_parameter(report, "threads", l->ppo.nn.thread_count);
    jbw_report_figure(report, "steps_per_second", 1.0 / whole_of(l, c));
    jbw_report_figure(report, "us_living_per_step", 1e6 * c.step);
    jbw_report_figure(report, "us_learning_per_step", 1e6 * c.update / rows);
    jbw_report_figure(report, "us_optimizer_per_step", 1e6 * c.optimize / rows);
}

static void report_one(const life *l, const char *preset, double product_speed, jbw_report *report)
{
    const costs c = costs_of(l, false);
    const double update_speed = update_operations(&l->ppo) / c.update;
    begin_report(l, preset, c, report);
    jbw_report_figure(report, "sgemm_gflops", 1e-9 * product_speed);
    jbw_report_figure(report, "update_gflops", 1e-9 * update_speed);
    jbw_report_figure(report, "update_percent_of_sgemm", 100.0 * update_speed / product_speed);
    jbw_report_figure(report, "twin_ratio", measure_twin(l) / whole_of(l, c));
    jbw_report_end(report);
}

static void report_several(const life *l, const char *preset, const life *one, jbw_report *report)
{
    const costs c = costs_of(l, true);
    begin_report(l, preset, c, report);
    jbw_report_figure(report, "speedup", whole_of(one, costs_of(one, true)) / whole_of(l, c));
    jbw_report_end(report);
}

static bool measure(const char *preset, const jbw_bench_options *options)
{
    enum { PRODUCTS_PER_ROUND = 5 };
    life lives[2] = {0};
    bool is_good = open_life(&lives[0], preset, 1, options->seed) &&
                   open_life(&lives[1], preset, THREADS, options->seed);
    if (is_good) {
        double speed = 0.0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < lives[k].ppo.options.rows; i++) step(&lives[k]);
        for (int r = 0; r < options->repeats; r++) {
            for (int k = 0; k < 2; k++) live_round(&lives[k]);
            const double now_speed = measure_products(&lives[0].ppo.nn, PRODUCTS_PER_ROUND);
            if (now_speed > speed) speed = now_speed;
        }
        report_one(&lives[0], preset, speed, options->report);
        report_several(&lives[1], preset, &lives[0], options->report);
    }
    for (int k = 0; k < 2; k++) close_life(&lives[k]);
    return is_good;
}

bool jbw_bench_learn(const jbw_bench_options *options)
{
    return measure("fast", options) && measure("authors", options);
}
