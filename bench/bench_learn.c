// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A life that learns, on one core, world included. Seconds are of this thread's processor time.

#include <stdio.h>
#include <stdlib.h>

#include "agents/learn/ppo.h"
#include "agents/learn/ppo_settings.h"
#include "bench.h"
#include "twin_learner.h"

static const char world_name[] = "paper-code";
static const char reward_text[] = "Collect[JellyBean]";

/// Seconds of the parts of a life, the least of several rounds.
typedef struct seconds {
    double step;     // one, without learning
    double estimate; // advantages
    double first;    // the first iteration of an update, without its optimizer
    double other;    // another one
    double optimize; // one step of the optimizer
} seconds;

typedef struct life {
    jbw_config *config;
    jbw_model *model;
    jbw_reward *reward;
    jbw_world *world;
    jbw_agent_id agent;
    jbw_ppo ppo;
    seconds least;
} life;

static const jbw_allocator allocator = {0};

static bool open_life(life *l, const char *preset, uint64_t seed)
{
    const jbw_policy_setting setting = {"preset", preset};
    jbw_ppo_options options;
    jbw_error error = {0};
    if (!jbw_bench_open(world_name, NULL, 0, &l->config, &l->model)) return false;
    if (!jbw_reward_compile(l->model, reward_text, NULL, 0, &l->reward, &error) &&
        !jbw_world_create(l->model, seed, &l->world) &&
        !jbw_world_add_agent(l->world, NULL, &l->agent) &&
        !jbw_ppo_options_read(l->model, &setting, 1, &options, &error) &&
        jbw_ppo_init(&l->ppo, &options, jbw_nn_best_path(), seed, &allocator))
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

static void mark(double *least, double *since)
{
    const double now = jbw_bench_thread_cpu();
    jbw_bench_keep_least(least, now - *since);
    *since = now;
}

// from one update to the next; the parts of the update are those that the learner takes by itself
static void live_round(life *l)
{
    enum { AT_ONCE = 16 }; // steps
    jbw_ppo *ppo = &l->ppo;
    const int rows = ppo->options.rows;
    jbw_ppo_report report;
    double at = jbw_bench_thread_cpu();
    jbw_ppo_estimate(ppo);
    mark(&l->least.estimate, &at);
    for (int i = 0; i < ppo->options.iterations; i++) {
        jbw_ppo_differentiate(ppo, i == 0, &report);
        mark(i == 0 ? &l->least.first : &l->least.other, &at);
        jbw_optimizer_step(&ppo->nn, &ppo->optimizer, &ppo->network.parameters);
        mark(&l->least.optimize, &at);
    }
    ppo->count = 0;
    for (int i = 0; i < rows; i++) {
        step(l);
        if ((i + 1) % AT_ONCE == 0) mark(&l->least.step, &at);
    }
}

static double step_seconds(const life *l)
{
    return l->least.step / 16.0;
}

static double update_seconds(const life *l)
{
    const int iterations = l->ppo.options.iterations;
    const seconds *s = &l->least;
    return s->estimate + s->first + (iterations - 1) * s->other + iterations * s->optimize;
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
        double at = jbw_bench_thread_cpu();
        double forward = 0.0;
        double both = 0.0;
        twin_differentiate(&network, &loss, &rows, weights, NULL);
        mark(&forward, &at);
        twin_differentiate(&network, &loss, &rows, weights, gradients);
        mark(&both, &at);
        total = (forward + o->iterations * both) / ROWS;
    }
    free(weights);
    free(gradients);
    free(state);
    return total;
}

// ---- reporting ----

static bool measure(const char *preset, const jbw_bench_options *options)
{
    enum { PRODUCTS_PER_ROUND = 5 };
    life l = {0};
    bool is_good = open_life(&l, preset, options->seed);
    if (is_good) {
        double speed = 0.0;
        for (int i = 0; i < l.ppo.options.rows; i++) step(&l);
        for (int r = 0; r < options->repeats; r++) {
            live_round(&l);
            const double now = measure_products(&l.ppo.nn, PRODUCTS_PER_ROUND);
            if (now > speed) speed = now;
        }
        const double rows = l.ppo.options.rows;
        const double update = update_seconds(&l);
        const double whole = step_seconds(&l) + update / rows;
        jbw_report *report = options->report;
        jbw_report_begin(report, "learn", world_name);
        jbw_report_text_parameter(report, "preset", preset);
        jbw_report_text_parameter(report, "vectors", l.ppo.nn.path->name);
        jbw_report_figure(report, "steps_per_second", 1.0 / whole);
        jbw_report_figure(report, "us_living_per_step", 1e6 * step_seconds(&l));
        jbw_report_figure(report, "us_learning_per_step", 1e6 * update / rows);
        jbw_report_figure(report, "us_optimizer_per_step",
                          1e6 * l.ppo.options.iterations * l.least.optimize / rows);
        jbw_report_figure(report, "sgemm_gflops", 1e-9 * speed);
        jbw_report_figure(report, "update_gflops", 1e-9 * update_operations(&l.ppo) / update);
        jbw_report_figure(report, "update_percent_of_sgemm",
                          100.0 * update_operations(&l.ppo) / update / speed);
        jbw_report_figure(report, "twin_ratio", measure_twin(&l) / whole);
        jbw_report_end(report);
    }
    close_life(&l);
    return is_good;
}

bool jbw_bench_learn(const jbw_bench_options *options)
{
    return measure("fast", options) && measure("authors", options);
}
