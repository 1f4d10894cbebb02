// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/dqn.h"

#include <string.h>

#include "nn/floats.h"

// ---- shapes ----

// rows of a sequence: with LSTM it goes on for as long as its targets need
static int span_of(const jbw_dqn_options *o)
{
    return o->network.lstm_size > 0 ? o->length + o->ahead : 1;
}

static int rows_of(const jbw_dqn_options *o)
{
    return o->batch * span_of(o);
}

jbw_replay_options jbw_dqn_replay_options(const jbw_dqn_options *o)
{
    return (jbw_replay_options){
        .most_steps = (size_t)o->replay_steps,
        .most_bytes = (size_t)o->replay_megabytes * 1000000,
        .vision = (size_t)jbw_vision_count(&o->network),
        .scent = (size_t)o->network.scents,
        .actions = (size_t)o->network.actions,
        .state = 2 * (size_t)o->network.lstm_size,
        .spacing = (size_t)o->length,
    };
}

// ---- beginning and ending ----

// Names of streams, beside that of the first weights, which is 0: what is drawn for one purpose does not
// depend on how much is drawn for others.
enum { STREAM_EXPLORER = 1, STREAM_SAMPLER = 2 };

static bool init_parts(jbw_dqn *dqn, const jbw_nn_path *path)
{
    const jbw_dqn_options *o = &dqn->options;
    const jbw_allocator *allocator = &dqn->allocator;
    const int rows = rows_of(o);
    const jbw_replay_options replay = jbw_dqn_replay_options(o);
    if (!jbw_network_init(&dqn->network, &o->network, allocator)) return false;
    dqn->target = dqn->network;
    dqn->target.parameters = (jbw_parameters){.count = dqn->network.parameters.count};
    dqn->target.parameters.weights = jbw_floats_alloc(allocator, dqn->target.parameters.count);
    return dqn->target.parameters.weights &&
           jbw_nn_init(&dqn->nn, path, jbw_network_columns(&dqn->network), allocator) &&
           jbw_network_pass_init(&dqn->live, &dqn->network, 1, false, allocator) &&
           jbw_network_pass_init(&dqn->now, &dqn->network, rows, true, allocator) &&
           jbw_network_pass_init(&dqn->next, &dqn->network, rows, false, allocator) &&
           jbw_replay_init(&dqn->replay, &replay, allocator);
}

bool jbw_dqn_init(jbw_dqn *dqn, const jbw_dqn_options *options, const jbw_nn_path *path,
                  uint64_t seed, const jbw_allocator *allocator)
{
    *dqn = (jbw_dqn){.options = *options, .allocator = *allocator};
    const size_t rows = (size_t)rows_of(options);
    const size_t state = 2 * (size_t)options->network.lstm_size;
    dqn->state = jbw_alloc_zero(allocator, state, sizeof *dqn->state);
    dqn->starts = jbw_alloc_zero(allocator, (size_t)options->batch, sizeof *dqn->starts);
    dqn->actions = jbw_alloc_zero(allocator, rows, sizeof *dqn->actions);
    dqn->best = jbw_alloc_zero(allocator, rows, sizeof *dqn->best);
    dqn->returns = jbw_alloc_zero(allocator, rows, sizeof *dqn->returns);
    if (!dqn->state || !dqn->starts || !dqn->actions || !dqn->best || !dqn->returns) return false;
    if (!init_parts(dqn, path)) return false;
    dqn->optimizer = (jbw_optimizer){
        .rate = options->learning_rate,
        .mean_decay = options->mean_decay,
        .square_decay = options->square_decay,
        .epsilon = options->epsilon,
        .largest_norm = options->gradient_norm,
        .is_amsgrad = options->is_amsgrad,
        .mean_power = 1.0,
        .square_power = 1.0,
    };
    jbw_rng first = jbw_rng_open(seed, 0, 0, JBW_PURPOSE_LEARNER);
    dqn->explorer = jbw_rng_open(seed, STREAM_EXPLORER, 0, JBW_PURPOSE_LEARNER);
    dqn->sampler = jbw_rng_open(seed, STREAM_SAMPLER, 0, JBW_PURPOSE_LEARNER);
    jbw_network_begin(&dqn->network, &first);
    jbw_dqn_renew_target(dqn);
    return jbw_remedies_init(&dqn->remedies, &options->remedies, &dqn->network, seed, allocator);
}

void jbw_dqn_deinit(jbw_dqn *dqn)
{
    const jbw_allocator allocator = dqn->allocator;
    const size_t rows = (size_t)rows_of(&dqn->options);
    const size_t state = 2 * (size_t)dqn->options.network.lstm_size;
    jbw_remedies_deinit(&dqn->remedies, &allocator);
    jbw_replay_deinit(&dqn->replay, &allocator);
    jbw_network_pass_deinit(&dqn->next, &allocator);
    jbw_network_pass_deinit(&dqn->now, &allocator);
    jbw_network_pass_deinit(&dqn->live, &allocator);
    jbw_nn_deinit(&dqn->nn, &allocator);
    jbw_network_deinit(&dqn->target, &allocator);
    jbw_network_deinit(&dqn->network, &allocator);
    jbw_free(&allocator, dqn->state, state * sizeof *dqn->state);
    jbw_free(&allocator, dqn->starts, (size_t)dqn->options.batch * sizeof *dqn->starts);
    jbw_free(&allocator, dqn->actions, rows * sizeof *dqn->actions);
    jbw_free(&allocator, dqn->best, rows * sizeof *dqn->best);
    jbw_free(&allocator, dqn->returns, rows * sizeof *dqn->returns);
    *dqn = (jbw_dqn){0};
}

void jbw_dqn_renew_target(jbw_dqn *dqn)
{
    memcpy(dqn->target.parameters.weights, dqn->network.parameters.weights,
           dqn->network.parameters.count * sizeof(float));
}

// ---- batches ----

// Steps at which a sequence may begin are `first` times `length`, and so on, `count` of them.
typedef struct jbw_dqn_starts {
    uint64_t first, count;
} jbw_dqn_starts;

static jbw_dqn_starts possible_starts(const jbw_dqn *dqn)
{
    const jbw_dqn_options *o = &dqn->options;
    const uint64_t length = (uint64_t)o->length;
    const uint64_t needed = length + (uint64_t)o->ahead;
    const uint64_t first = (dqn->replay.oldest + length - 1) / length;
    if (dqn->replay.end < first * length + needed) return (jbw_dqn_starts){0};
    return (jbw_dqn_starts){first, (dqn->replay.end - needed) / length - first + 1};
}

// the hidden state and the cell before the first row of a sequence
static void put_state(const jbw_dqn *dqn, jbw_network_pass *pass, int row, const float *state)
{
    const size_t size = (size_t)dqn->options.network.lstm_size;
    const jbw_rows input = pass->memory.input;
    memcpy(input.at + row * input.stride + dqn->network.feature_count, state, size * sizeof(float));
    memcpy(pass->memory.cell_before + size * (size_t)row, state + size, size * sizeof(float));
}

static jbw_replay_step recall(const jbw_dqn *dqn, uint64_t step, jbw_network_pass *pass, int row)
{
    const ptrdiff_t vision = jbw_vision_count(&dqn->options.network);
    const ptrdiff_t scents = dqn->options.network.scents;
    const jbw_replay_step found =
        jbw_replay_recall(&dqn->replay, step, pass->vision ? pass->vision + row * vision : NULL,
                          pass->scent ? pass->scent + row * scents : NULL);
    pass->moved[row] = found.moved ? 1.0f : -1.0f;
    return found;
}

// the sum of discounted rewards of `ahead` steps
static double return_of(const jbw_dqn *dqn, uint64_t step)
{
    double sum = 0.0;
    double weight = 1.0;
    for (int i = 0; i < dqn->options.ahead; i++) {
        sum += weight * jbw_replay_step_at(&dqn->replay, step + (uint64_t)i).reward;
        weight *= dqn->options.gamma;
    }
    return sum;
}

bool jbw_dqn_sample(jbw_dqn *dqn)
{
    const jbw_dqn_options *o = &dqn->options;
    const int span = span_of(o);
    const bool has_memory = o->network.lstm_size > 0;
    const jbw_dqn_starts starts = possible_starts(dqn);
    if (starts.count == 0) return false;
    for (int i = 0; i < o->batch; i++) {
        const uint32_t which = jbw_rng_below(&dqn->sampler, (uint32_t)starts.count);
        const uint64_t start = (starts.first + which) * (uint64_t)o->length;
        dqn->starts[i] = start;
        for (int j = 0; j < span; j++) {
            const int row = i * span + j;
            const uint64_t step = start + (uint64_t)j;
            dqn->actions[row] = recall(dqn, step, &dqn->now, row).action;
            recall(dqn, has_memory ? step : step + (uint64_t)o->ahead, &dqn->next, row);
            if (j < o->length) dqn->returns[row] = return_of(dqn, step);
        }
        if (!has_memory) continue;
        const float *state = jbw_replay_state(&dqn->replay, start);
        put_state(dqn, &dqn->now, i * span, state);
        put_state(dqn, &dqn->next, i * span, state);
    }
    return true;
}

// ---- the loss ----

static int best_action(int actions, const float *values)
{
    int best = 0;
    for (int i = 1; i < actions; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

static void choose_best(jbw_dqn *dqn, const jbw_network_pass *judge)
{
    const int actions = dqn->options.network.actions;
    for (int row = 0; row < rows_of(&dqn->options); row++)
        dqn->best[row] = best_action(actions, judge->heads + (ptrdiff_t)row * actions);
}

// Fills `next` with what the target network says, and `best` with the best actions there. `now` is
// computed already.
static void look_ahead(jbw_dqn *dqn)
{
    const jbw_dqn_options *o = &dqn->options;
    const int span = span_of(o);
    const int rows = rows_of(o);
    if (o->is_double && o->network.lstm_size > 0) {
        choose_best(dqn, &dqn->now); // it has the same steps
    } else if (o->is_double) {
        jbw_network_forward(&dqn->nn, &dqn->network, &dqn->next, rows, span);
        choose_best(dqn, &dqn->next);
    }
    jbw_network_forward(&dqn->nn, &dqn->target, &dqn->next, rows, span);
    if (!o->is_double) choose_best(dqn, &dqn->next);
}

// Huber's loss of an error, and its derivative
static double huber(double error, double largest, double *slope)
{
    const double size = error < 0.0 ? -error : error;
    if (size <= largest) {
        *slope = error;
        return 0.5 * error * error;
    }
    *slope = error < 0.0 ? -largest : largest;
    return largest * (size - 0.5 * largest);
}

double jbw_dqn_differentiate(jbw_dqn *dqn)
{
    const jbw_dqn_options *o = &dqn->options;
    const ptrdiff_t actions = o->network.actions;
    const int span = span_of(o);
    const int rows = rows_of(o);
    const int apart = span > 1 ? o->ahead : 0; // rows from a step to where its target looks
    jbw_network_forward(&dqn->nn, &dqn->network, &dqn->now, rows, span);
    look_ahead(dqn);
    memset(dqn->now.heads_back, 0, (size_t)rows * (size_t)actions * sizeof(float));

    double discount = 1.0;
    for (int i = 0; i < o->ahead; i++) discount *= o->gamma;
    const double scale = 1.0 / ((double)o->batch * o->length);
    jbw_dqn_report sum = {0};
    for (int row = 0; row < rows; row++) {
        if (row % span >= o->length) continue;
        const int later = row + apart;
        const ptrdiff_t at = row * actions + dqn->actions[row];
        const double value = (double)dqn->now.heads[at];
        const double target =
            dqn->returns[row] +
            discount * (double)dqn->next.heads[later * actions + dqn->best[later]];
        double slope;
        sum.loss += huber(value - target, o->largest_error, &slope);
        sum.value += value;
        sum.target += target;
        dqn->now.heads_back[at] = (float)(scale * slope);
    }
    jbw_network_backward(&dqn->nn, &dqn->network, &dqn->now, rows, span);
    dqn->report.loss = scale * sum.loss;
    dqn->report.value = scale * sum.value;
    dqn->report.target = scale * sum.target;
    return dqn->report.loss;
}

static void learn(jbw_dqn *dqn)
{
    const int rows = rows_of(&dqn->options);
    if (!jbw_dqn_sample(dqn)) return;
    jbw_remedies_before_update(&dqn->remedies, &dqn->network, dqn->update_count);
    jbw_dqn_differentiate(dqn);
    jbw_remedies_before_step(&dqn->remedies, &dqn->network);
    dqn->report.gradient_norm =
        jbw_optimizer_step(&dqn->nn, &dqn->optimizer, &dqn->network.parameters);
    jbw_remedies_after_step(&dqn->remedies, &dqn->network, &dqn->now, rows);
    jbw_remedies_after_update(&dqn->remedies, &dqn->nn, &dqn->network, &dqn->now, rows,
                              dqn->update_count);
    dqn->update_count++;
    if (dqn->update_count % (uint64_t)dqn->options.target_life == 0) jbw_dqn_renew_target(dqn);
}

// ---- living ----

float *jbw_dqn_vision(jbw_dqn *dqn)
{
    return dqn->live.vision;
}

float *jbw_dqn_scent(jbw_dqn *dqn)
{
    return dqn->live.scent;
}

double jbw_dqn_exploration(const jbw_dqn *dqn)
{
    const jbw_dqn_options *o = &dqn->options;
    const double lived = (double)dqn->replay.end;
    if (lived >= o->exploration_steps) return o->exploration_floor;
    return o->exploration +
           (o->exploration_floor - o->exploration) * (lived / o->exploration_steps);
}

// puts what was perceived into the replay, with the state before it
static void remember(jbw_dqn *dqn)
{
    const size_t size = (size_t)dqn->options.network.lstm_size;
    memcpy(dqn->state, dqn->live.memory.input.at + dqn->network.feature_count,
           size * sizeof(float));
    memcpy(dqn->state + size, dqn->live.memory.cell_before, size * sizeof(float));
    jbw_replay_observe(&dqn->replay, dqn->live.vision, dqn->live.scent, dqn->live.moved[0] > 0.0f,
                       dqn->state);
}

int jbw_dqn_act(jbw_dqn *dqn, bool moved)
{
    const jbw_dqn_options *o = &dqn->options;
    jbw_dqn_reward(dqn, 0.0);
    dqn->live.moved[0] = moved ? 1.0f : -1.0f;
    const double exploration = jbw_dqn_exploration(dqn);
    const uint64_t lived = dqn->replay.end;
    remember(dqn);
    if (o->is_learning && lived >= (uint64_t)o->warm_up && lived % (uint64_t)o->interval == 0)
        learn(dqn);

    jbw_network_forward_one(&dqn->nn, &dqn->network, &dqn->live, 0);
    jbw_network_pass_on(&dqn->network, &dqn->live, 0, 0);
    int action = best_action(o->network.actions, dqn->live.heads);
    // two draws in every step, whatever they say
    const bool explores = jbw_rng_unit(&dqn->explorer) < exploration;
    const int other = (int)jbw_rng_below(&dqn->explorer, (uint32_t)o->network.actions);
    if (explores) action = other;
    jbw_replay_act(&dqn->replay, action);
    dqn->has_acted = true;
    return action;
}

void jbw_dqn_reward(jbw_dqn *dqn, double reward)
{
    if (!dqn->has_acted) return;
    dqn->has_acted = false;
    jbw_replay_reward(&dqn->replay, reward);
}
