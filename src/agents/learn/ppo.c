// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/ppo.h"

#include <string.h>

#include "agents/learn/advantage.h"
#include "agents/learn/categorical.h"
#include "base/dmath.h"

enum { MOST_ACTIONS = 256 };

// ---- beginning and ending ----

bool jbw_ppo_init(jbw_ppo *ppo, const jbw_ppo_options *options, const jbw_nn_path *path,
                  uint64_t seed, const jbw_allocator *allocator)
{
    *ppo = (jbw_ppo){.options = *options, .allocator = *allocator};
    const size_t rows = (size_t)options->rows;
    const size_t actions = (size_t)options->network.actions;
    ppo->actions = jbw_alloc_zero(allocator, rows, sizeof *ppo->actions);
    ppo->rewards = jbw_alloc_zero(allocator, rows, sizeof *ppo->rewards);
    ppo->values = jbw_alloc_zero(allocator, rows, sizeof *ppo->values);
    ppo->advantages = jbw_alloc_zero(allocator, rows, sizeof *ppo->advantages);
    ppo->targets = jbw_alloc_zero(allocator, rows, sizeof *ppo->targets);
    ppo->probabilities = jbw_alloc_zero(allocator, rows * actions, sizeof *ppo->probabilities);
    ppo->logarithms = jbw_alloc_zero(allocator, rows * actions, sizeof *ppo->logarithms);
    if (!ppo->actions || !ppo->rewards || !ppo->values || !ppo->advantages || !ppo->targets ||
        !ppo->probabilities || !ppo->logarithms)
        return false;
    if (!jbw_network_init(&ppo->network, &options->network, allocator) ||
        !jbw_nn_init(&ppo->nn, path, jbw_network_columns(&ppo->network), allocator) ||
        !jbw_network_pass_init(&ppo->pass, &ppo->network, options->rows + options->worlds, true,
                               allocator) ||
        !jbw_network_pass_keep_rows(&ppo->pass, &ppo->network, allocator))
        return false;
    ppo->optimizer = (jbw_optimizer){
        .rate = options->learning_rate,
        .mean_decay = options->mean_decay,
        .square_decay = options->square_decay,
        .epsilon = options->epsilon,
        .largest_norm = options->gradient_norm,
        .is_amsgrad = options->is_amsgrad,
        .mean_power = 1.0,
        .square_power = 1.0,
    };
    ppo->divergence_weight = options->divergence_weight;
    ppo->rng = jbw_rng_open(seed, 0, 0, JBW_PURPOSE_LEARNER);
    jbw_network_begin(&ppo->network, &ppo->rng);
    return jbw_remedies_init(&ppo->remedies, &options->remedies, &ppo->network, seed, allocator);
}

void jbw_ppo_deinit(jbw_ppo *ppo)
{
    const jbw_allocator allocator = ppo->allocator;
    const size_t rows = (size_t)ppo->options.rows;
    const size_t actions = (size_t)ppo->options.network.actions;
    jbw_remedies_deinit(&ppo->remedies, &allocator);
    jbw_network_pass_deinit(&ppo->pass, &allocator);
    jbw_nn_deinit(&ppo->nn, &allocator);
    jbw_network_deinit(&ppo->network, &allocator);
    jbw_free(&allocator, ppo->actions, rows * sizeof *ppo->actions);
    jbw_free(&allocator, ppo->rewards, rows * sizeof *ppo->rewards);
    jbw_free(&allocator, ppo->values, rows * sizeof *ppo->values);
    jbw_free(&allocator, ppo->advantages, rows * sizeof *ppo->advantages);
    jbw_free(&allocator, ppo->targets, rows * sizeof *ppo->targets);
    jbw_free(&allocator, ppo->probabilities, rows * actions * sizeof *ppo->probabilities);
    jbw_free(&allocator, ppo->logarithms, rows * actions * sizeof *ppo->logarithms);
    *ppo = (jbw_ppo){0};
}

// ---- rows ----

// steps between two updates, in each world
static int steps_of(const jbw_ppo *ppo)
{
    return ppo->options.rows / ppo->options.worlds;
}

static int row_of(const jbw_ppo *ppo, int world, int step)
{
    const int steps = steps_of(ppo);
    return step < steps ? world * steps + step : ppo->options.rows + world;
}

// ---- the loss ----

// what one row adds to the loss, and its gradients for logits and value
typedef struct row_loss {
    double policy, value, entropy, divergence;
} row_loss;

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double value_weight(const jbw_ppo_options *o)
{
    return o->halves_value_loss ? 0.5 * o->value_weight : o->value_weight;
}

// the value's loss, and its derivative
static double value_loss(const jbw_ppo_options *o, double value, double before, double target,
                         double *slope)
{
    const double plain = (value - target) * (value - target);
    *slope = 2.0 * (value - target);
    if (o->value_clip <= 0.0) return plain;
    const double limited = before + clamp(value - before, -o->value_clip, o->value_clip);
    const double clipped = (limited - target) * (limited - target);
    if (plain >= clipped) return plain;
    const bool is_inside = limited == value;
    *slope = is_inside ? 2.0 * (limited - target) : 0.0;
    return clipped;
}

// the mean divergence of all rows from what they were
static double mean_divergence(const jbw_ppo *ppo)
{
    const int actions = ppo->options.network.actions;
    double sum = 0.0;
    for (int t = 0; t < ppo->options.rows; t++) {
        double p[MOST_ACTIONS];
        double logs[MOST_ACTIONS];
        jbw_categorical(actions, ppo->pass.heads + (ptrdiff_t)t * (actions + 1), p, logs);
        const ptrdiff_t at = (ptrdiff_t)t * actions;
        sum += jbw_categorical_divergence(actions, ppo->probabilities + at, ppo->logarithms + at,
                                          logs);
    }
    return sum / ppo->options.rows;
}

static row_loss lose_row(jbw_ppo *ppo, int t, double divergence_slope)
{
    const jbw_ppo_options *o = &ppo->options;
    const int actions = o->network.actions;
    const float *heads = ppo->pass.heads + (ptrdiff_t)t * (actions + 1);
    float *back = ppo->pass.heads_back + (ptrdiff_t)t * (actions + 1);
    double p[MOST_ACTIONS];
    double logs[MOST_ACTIONS];
    jbw_categorical(actions, heads, p, logs);
    const double *before = ppo->probabilities + (ptrdiff_t)t * actions;
    const double *before_logs = ppo->logarithms + (ptrdiff_t)t * actions;
    const int action = ppo->actions[t];
    const double advantage = ppo->advantages[t];

    const double ratio = jbw_exp(logs[action] - before_logs[action]);
    const double plain = ratio * advantage;
    const double clipped = clamp(ratio, 1.0 - o->clip, 1.0 + o->clip) * advantage;
    const double policy_slope = plain <= clipped ? -plain : 0.0; // by log p(action)
    double value_slope;
    const row_loss loss = {
        .policy = plain <= clipped ? -plain : -clipped,
        .value =
            value_loss(o, (double)heads[actions], ppo->values[t], ppo->targets[t], &value_slope),
        .entropy = jbw_categorical_entropy(actions, p, logs),
        .divergence = jbw_categorical_divergence(actions, before, before_logs, logs),
    };
    const double scale = 1.0 / o->rows;
    for (int i = 0; i < actions; i++) {
        const double by_policy = policy_slope * ((i == action ? 1.0 : 0.0) - p[i]);
        const double by_entropy = o->entropy_weight * p[i] * (logs[i] + loss.entropy);
        const double by_divergence = divergence_slope * (p[i] - before[i]);
        back[i] = (float)(scale * (by_policy + by_entropy + by_divergence));
    }
    back[actions] = (float)(scale * value_weight(o) * value_slope);
    return loss;
}

double jbw_ppo_loss(jbw_ppo *ppo, jbw_ppo_report *report)
{
    const jbw_ppo_options *o = &ppo->options;
    double slope = ppo->divergence_weight;
    double beyond = 0.0;
    if (o->divergence_cutoff > 0.0) {
        const double divergence = mean_divergence(ppo);
        const double cutoff = o->divergence_cutoff * o->divergence_target;
        if (divergence > cutoff) beyond = divergence - cutoff;
        slope += 2.0 * o->divergence_cutoff_weight * beyond;
    }
    row_loss sum = {0};
    for (int t = 0; t < o->rows; t++) {
        const row_loss row = lose_row(ppo, t, slope);
        sum.policy += row.policy;
        sum.value += row.value;
        sum.entropy += row.entropy;
        sum.divergence += row.divergence;
    }
    *report = (jbw_ppo_report){
        .policy_loss = sum.policy / o->rows,
        .value_loss = sum.value / o->rows,
        .entropy = sum.entropy / o->rows,
        .divergence = sum.divergence / o->rows,
    };
    return report->policy_loss + value_weight(o) * report->value_loss -
           o->entropy_weight * report->entropy + ppo->divergence_weight * report->divergence +
           o->divergence_cutoff_weight * beyond * beyond;
}

// ---- learning ----

void jbw_ppo_estimate(jbw_ppo *ppo)
{
    const jbw_ppo_options *o = &ppo->options;
    const int actions = o->network.actions;
    const int steps = steps_of(ppo);
    for (int world = 0; world < o->worlds; world++) {
        const int after = row_of(ppo, world, steps);
        const int at = row_of(ppo, world, 0);
        jbw_network_forward_one(&ppo->nn, &ppo->network, &ppo->pass, after);
        const double next_value =
            (double)ppo->pass.heads[(ptrdiff_t)after * (actions + 1) + actions];
        jbw_advantages(steps, ppo->rewards + at, ppo->values + at, next_value, o->gamma, o->lambda,
                       ppo->advantages + at, ppo->targets + at);
    }
    if (o->has_normal_advantages) jbw_advantages_normalise(o->rows, ppo->advantages);
}

double jbw_ppo_differentiate(jbw_ppo *ppo, bool is_first, jbw_ppo_report *report)
{
    const jbw_ppo_options *o = &ppo->options;
    if (!is_first) jbw_network_forward(&ppo->nn, &ppo->network, &ppo->pass, o->rows, o->length);
    const double loss = jbw_ppo_loss(ppo, report);
    jbw_network_backward(&ppo->nn, &ppo->network, &ppo->pass, o->rows, o->length);
    return loss;
}

// the divergence of the last iteration moves the weight towards where it would be on target
static void adapt_divergence_weight(jbw_ppo *ppo, double divergence)
{
    static const double tolerance = 0.3;
    static const double factor = 1.5;
    const double target = ppo->options.divergence_target;
    if (divergence > target * (1.0 + tolerance)) ppo->divergence_weight *= factor;
    if (divergence < target * (1.0 - tolerance)) ppo->divergence_weight /= factor;
}

static void learn(jbw_ppo *ppo)
{
    const int iterations = ppo->options.iterations;
    jbw_ppo_report sum = {0};
    jbw_ppo_report report = {0};
    jbw_ppo_estimate(ppo);
    jbw_remedies_before_update(&ppo->remedies, &ppo->network, ppo->update_count);
    for (int i = 0; i < iterations; i++) {
        jbw_ppo_differentiate(ppo, i == 0, &report);
        jbw_remedies_before_step(&ppo->remedies, &ppo->network);
        const double norm = jbw_optimizer_step(&ppo->nn, &ppo->optimizer, &ppo->network.parameters);
        jbw_remedies_after_step(&ppo->remedies, &ppo->network, &ppo->pass, ppo->options.rows);
        sum.policy_loss += report.policy_loss / iterations;
        sum.value_loss += report.value_loss / iterations;
        sum.entropy += report.entropy / iterations;
        sum.divergence += report.divergence / iterations;
        sum.gradient_norm += norm / iterations;
    }
    if (ppo->options.divergence_adapts) adapt_divergence_weight(ppo, report.divergence);
    ppo->report = sum;
    jbw_remedies_after_update(&ppo->remedies, &ppo->nn, &ppo->network, &ppo->pass,
                              ppo->options.rows, ppo->update_count);
    ppo->update_count++;
}

// ---- living ----

float *jbw_ppo_vision(jbw_ppo *ppo, int world)
{
    const ptrdiff_t row = row_of(ppo, world, ppo->count);
    return ppo->pass.vision ? ppo->pass.vision + row * jbw_vision_count(&ppo->options.network)
                            : NULL;
}

float *jbw_ppo_scent(jbw_ppo *ppo, int world)
{
    const ptrdiff_t row = row_of(ppo, world, ppo->count);
    return ppo->pass.scent ? ppo->pass.scent + row * ppo->options.network.scents : NULL;
}

// the row behind the last step of a world, which was observed, becomes its first
static void carry_over(jbw_ppo *ppo, int world)
{
    jbw_network_pass *pass = &ppo->pass;
    const size_t first = (size_t)row_of(ppo, world, 0);
    const size_t last = (size_t)row_of(ppo, world, steps_of(ppo));
    const size_t seen = (size_t)jbw_vision_count(&ppo->options.network);
    const size_t smelled = (size_t)ppo->options.network.scents;
    const size_t size = (size_t)ppo->options.network.lstm_size;
    if (pass->vision)
        memcpy(pass->vision + seen * first, pass->vision + seen * last, seen * sizeof(float));
    if (pass->scent)
        memcpy(pass->scent + smelled * first, pass->scent + smelled * last,
               smelled * sizeof(float));
    pass->moved[first] = pass->moved[last];
    float *hidden = pass->memory.input.at + ppo->network.feature_count;
    const ptrdiff_t stride = pass->memory.input.stride;
    memcpy(hidden + (ptrdiff_t)first * stride, hidden + (ptrdiff_t)last * stride,
           size * sizeof(float));
    memcpy(pass->memory.cell_before + size * first, pass->memory.cell_before + size * last,
           size * sizeof(float));
}

static void begin_again(jbw_ppo *ppo)
{
    if (ppo->options.is_learning) learn(ppo);
    jbw_network_pass_forget(&ppo->pass);
    for (int world = 0; world < ppo->options.worlds; world++) carry_over(ppo, world);
    ppo->count = 0;
}

// What the network says of a step in a world: probabilities and value. Hands its memory on to the next.
static void think(jbw_ppo *ppo, int world, int step)
{
    const int row = row_of(ppo, world, step);
    const int actions = ppo->options.network.actions;
    const ptrdiff_t at = (ptrdiff_t)row * actions;
    jbw_network_forward_one(&ppo->nn, &ppo->network, &ppo->pass, row);
    jbw_network_pass_on(&ppo->network, &ppo->pass, row, row_of(ppo, world, step + 1));
    const float *heads = ppo->pass.heads + (ptrdiff_t)row * (actions + 1);
    jbw_categorical(actions, heads, ppo->probabilities + at, ppo->logarithms + at);
    ppo->values[row] = (double)heads[actions];
}

void jbw_ppo_act(jbw_ppo *ppo, const bool *moved, int *actions)
{
    const int worlds = ppo->options.worlds;
    const int action_count = ppo->options.network.actions;
    for (int world = 0; world < worlds; world++)
        ppo->pass.moved[row_of(ppo, world, ppo->count)] = moved[world] ? 1.0f : -1.0f;
    if (ppo->count == steps_of(ppo)) begin_again(ppo);
    for (int world = 0; world < worlds; world++) {
        const int row = row_of(ppo, world, ppo->count);
        think(ppo, world, ppo->count);
        ppo->actions[row] = jbw_categorical_draw(
            action_count, ppo->probabilities + (ptrdiff_t)row * action_count, &ppo->rng);
        actions[world] = ppo->actions[row];
    }
    ppo->has_acted = true;
}

void jbw_ppo_reward(jbw_ppo *ppo, const double *rewards)
{
    if (!ppo->has_acted) return;
    ppo->has_acted = false;
    for (int world = 0; world < ppo->options.worlds; world++)
        ppo->rewards[row_of(ppo, world, ppo->count)] = rewards[world];
    ppo->count++;
}

void jbw_ppo_recall(jbw_ppo *ppo, int count)
{
    jbw_network_pass_forget(&ppo->pass);
    for (int world = 0; world < ppo->options.worlds; world++)
        for (int step = 0; step < count; step++) think(ppo, world, step);
}
