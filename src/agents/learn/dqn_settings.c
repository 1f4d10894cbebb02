// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/dqn_settings.h"

#include "agents/learn/common_settings.h"

// ---- names ----

#define OPTIONS jbw_dqn_options

const jbw_setting jbw_dqn_settings[] = {
    LIFE_ROWS,
    LSTM(0, "size of the LSTM; 0: none"),
    NETWORK_ROWS,

    // what it remembers
    INTEGER("replay", replay_steps, 2, 100000000, "steps that it remembers, at most"),
    INTEGER("replay_megabytes", replay_megabytes, 1, 4000,
            "room for what it perceived in them, in 1,000,000 bytes"),

    // when it learns, and from what
    INTEGER("warm_up", warm_up, 0, 1000000000, "steps before the first update"),
    INTEGER("interval", interval, 1, 1000000, "steps between two updates"),
    INTEGER("batch", batch, 1, 65536, "steps that an update learns from; with LSTM, sequences"),
    INTEGER("sequence", length, 1, 65536, "steps of a sequence; 1 without LSTM"),
    INTEGER("target_interval", target_life, 1, 1000000000,
            "updates between two renewals of the target network"),

    OPTIMIZER_ROWS,

    // the loss
    NUMBER("gamma", gamma, 0, 1, "discount per step"),
    INTEGER("n_step", ahead, 1, 1000, "rewards that a target sums up before it asks the network"),
    FLAG("double", is_double,
         "the network chooses the action whose value the target network tells"),
    NUMBER("huber", largest_error, 1e-9, 1e9, "error up to which the loss is squared, not linear"),

    REMEDY_ROWS,

    // exploration
    NUMBER("exploration", exploration, 0, 1, "probability of an action at random, at first"),
    NUMBER("exploration_floor", exploration_floor, 0, 1, "and later, for ever"),
    INTEGER("exploration_steps", exploration_steps, 1, 2000000000,
            "steps in which it falls from the one to the other"),
    THREADS,
    {0},
};

// ---- defaults ----

jbw_dqn_options jbw_dqn_default_options(const jbw_network_options *senses)
{
    jbw_dqn_options o = {
        .network = *senses,
        .is_learning = true,
        .threads = 1,
        .replay_steps = 100000,
        .replay_megabytes = 64,
        .warm_up = 1000,
        .interval = 4,
        .batch = 32,
        .length = 1,
        .ahead = 5,
        .target_life = 1000,
        .is_double = true,
        .largest_error = 1.0,
        .gamma = 0.99,
        .exploration = 1.0,
        .exploration_floor = 0.05,
        .exploration_steps = 20000,
        .learning_rate = 1e-4,
        .mean_decay = 0.9,
        .square_decay = 0.999,
        .epsilon = 1e-8,
        .gradient_norm = 10.0,
        .remedies = jbw_remedy_default_options(),
    };
    o.network.activation = JBW_ACTIVATION_RELU;
    o.network.gates_share_glorot = true;
    o.network.lacks_value = true;
    return o;
}

// ---- reading ----

// what the table cannot say
static jbw_status check(const jbw_dqn_options *o, jbw_error *error)
{
    const jbw_replay_options replay = jbw_dqn_replay_options(o);
    const size_t needed = (size_t)o->length + (size_t)o->ahead;
    if (o->network.lstm_size == 0 && o->length != 1) {
        jbw_error_set(error, 0, 0, "sequence: found %d, expected 1 without LSTM", o->length);
        return JBW_INVALID_ARGUMENT;
    }
    // a sequence may begin up to `length` steps after the oldest one
    if (replay.most_steps < needed + (size_t)o->length) {
        jbw_error_set(error, 0, 0, "replay: found %d, expected at least %d: two sequences",
                      o->replay_steps, (int)needed + o->length);
        return JBW_INVALID_ARGUMENT;
    }
    if (replay.most_bytes / (needed + (size_t)o->length) < jbw_replay_largest(&replay)) {
        jbw_error_set(error, 0, 0, "replay_megabytes: found %d, which two sequences may exceed",
                      o->replay_megabytes);
        return JBW_INVALID_ARGUMENT;
    }
    return JBW_OK;
}

jbw_status jbw_dqn_options_read(const jbw_model *model, const jbw_policy_setting *settings,
                                size_t count, jbw_dqn_options *out, jbw_error *error)
{
    // senses and LSTM first: the defaults of the others depend on them
    jbw_dqn_options chosen = {0};
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = jbw_setting_read(jbw_dqn_settings, &settings[i], &chosen, error);
        if (status) return status;
    }
    jbw_network_options senses = {0};
    jbw_status status = jbw_senses_find(chosen.senses, model, "dqn", &senses, error);
    if (status) return status;
    *out = jbw_dqn_default_options(&senses);
    out->senses = chosen.senses;
    if (chosen.network.lstm_size > 0) {
        out->length = 16;
        out->batch = 8;
    }
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_setting_read(jbw_dqn_settings, &settings[i], out, error);
    return status ? status : check(out, error);
}
