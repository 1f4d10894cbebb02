// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/ppo_settings.h"

#include "agents/learn/common_settings.h"

// ---- names ----

#define OPTIONS jbw_ppo_options

const jbw_setting jbw_ppo_settings[] = {
    CHOICE("preset", preset, "what the other settings are unless they are given", "authors", "fast",
           "tiny"),
    LIFE_ROWS,
    LSTM(16, "size of the LSTM"),
    DENSE,
    NETWORK_ROWS,

    // when it learns
    INTEGER("worlds", worlds, 1, 4096,
            "worlds in which one mind lives at once, an agent in each; divides rows"),
    INTEGER("rows", rows, 1, 65536, "steps between two updates, in all worlds together"),
    INTEGER("epochs", iterations, 1, 1000, "times that an update goes over all rows"),
    INTEGER("bptt", length, 1, 65536,
            "steps that gradients flow back through the LSTM's memory; divides rows / worlds"),

    OPTIMIZER_ROWS,

    // the loss
    NUMBER("gamma", gamma, 0, 1, "discount per step"),
    NUMBER("lambda", lambda, 0, 1, "of advantages and of the value's targets, TD(lambda)"),
    FLAG("normal_advantages", has_normal_advantages, "advantages get mean 0 and deviation 1"),
    NUMBER("clip", clip, 0, 1, "how far probabilities may move: ratios from 1 - clip to 1 + clip"),
    NUMBER("value_clip", value_clip, 0, 1e9, "how far values may move; 0: any"),
    NUMBER("value_weight", value_weight, 0, 1e9, "of the value's loss"),
    FLAG("half_value_loss", halves_value_loss, "the value's loss is half of the squared error"),
    NUMBER("entropy_weight", entropy_weight, 0, 1e9, "of the bonus for entropy"),
    NUMBER("kl_weight", divergence_weight, 0, 1e9, "of the divergence from the old policy"),
    NUMBER("kl_target", divergence_target, 0, 1e9, "what the divergence should be"),
    NUMBER("kl_cutoff", divergence_cutoff, 0, 1e9,
           "times kl_target: more divergence costs extra; 0: never"),
    NUMBER("kl_cutoff_weight", divergence_cutoff_weight, 0, 1e9,
           "of the square of the divergence beyond the cutoff"),
    FLAG("kl_adapts", divergence_adapts,
         "kl_weight grows or shrinks by half where the divergence is not on target"),

    REMEDY_ROWS,
    THREADS,
    {0},
};

// ---- presets ----

static jbw_ppo_options authors(const jbw_network_options *senses)
{
    jbw_ppo_options o = {
        .preset = JBW_PPO_AUTHORS,
        .network = *senses,
        .is_learning = true,
        .threads = 1,
        .worlds = 1,
        .rows = 512,
        .iterations = 4,
        .length = 1,
        .learning_rate = 1e-4,
        .mean_decay = 0.9,
        .square_decay = 0.999,
        .epsilon = 1e-8,
        .gradient_norm = 0.5,
        .is_amsgrad = true,
        .gamma = 0.99,
        .lambda = 0.9,
        .clip = 0.1,
        .value_clip = 0.1,
        .value_weight = 0.5,
        .halves_value_loss = true,
        .entropy_weight = 0.01,
        .divergence_weight = 1.0,
        .divergence_target = 0.01,
        .divergence_cutoff = 0.5,
        .divergence_cutoff_weight = 1000.0,
    };
    o.network.dense_size = 512;
    o.network.lstm_size = 512;
    o.network.activation = JBW_ACTIVATION_GELU;
    o.network.has_moved = true;
    o.network.moved_is_activated = senses->vision_side > 0 && senses->scents > 0;
    o.network.heads_see_features = true;
    o.network.heads_see_cell = true;
    o.network.gates_share_glorot = true;
    return o;
}

static jbw_ppo_options fast(const jbw_network_options *senses)
{
    jbw_ppo_options o = {
        .preset = JBW_PPO_FAST,
        .network = *senses,
        .is_learning = true,
        .threads = 1,
        .worlds = 1,
        .rows = 512,
        .iterations = 4,
        .length = 64,
        .learning_rate = 1e-3,
        .mean_decay = 0.9,
        .square_decay = 0.999,
        .epsilon = 1e-8,
        .gradient_norm = 0.5,
        .gamma = 0.99,
        .lambda = 0.95,
        .has_normal_advantages = true,
        .clip = 0.2,
        .value_weight = 0.5,
        .entropy_weight = 0.01,
        .divergence_target = 0.01,
        .divergence_cutoff_weight = 1000.0,
    };
    o.network.dense_size = 512;
    o.network.lstm_size = 256;
    o.network.activation = JBW_ACTIVATION_RELU;
    o.network.gates_share_glorot = true;
    return o;
}

// `fast` with a network that can be trained anywhere, also in a browser
static jbw_ppo_options tiny(const jbw_network_options *senses)
{
    jbw_ppo_options o = fast(senses);
    o.preset = JBW_PPO_TINY;
    o.network.dense_size = 32;
    o.network.lstm_size = 32;
    return o;
}

jbw_ppo_options jbw_ppo_preset_options(jbw_ppo_preset preset, const jbw_network_options *senses)
{
    jbw_ppo_options o = preset == JBW_PPO_TINY   ? tiny(senses)
                        : preset == JBW_PPO_FAST ? fast(senses)
                                                 : authors(senses);
    o.remedies = jbw_remedy_default_options();
    return o;
}

// ---- reading ----

jbw_status jbw_ppo_options_read(const jbw_model *model, const jbw_policy_setting *settings,
                                size_t count, jbw_ppo_options *out, jbw_error *error)
{
    // preset and senses first: the defaults of the others depend on them
    jbw_ppo_options chosen = {0};
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = jbw_setting_read(jbw_ppo_settings, &settings[i], &chosen, error);
        if (status) return status;
    }
    jbw_network_options senses = {0};
    jbw_status status = jbw_senses_find(chosen.senses, model, "ppo", &senses, error);
    if (status) return status;
    *out = jbw_ppo_preset_options(chosen.preset, &senses);
    out->senses = chosen.senses;
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_setting_read(jbw_ppo_settings, &settings[i], out, error);
    if (status) return status;
    if (out->rows % out->worlds != 0) {
        jbw_error_set(error, 0, 0, "worlds: found %d, expected a divisor of rows, which is %d",
                      out->worlds, out->rows);
        return JBW_INVALID_ARGUMENT;
    }
    const int steps = out->rows / out->worlds;
    if (steps % out->length != 0) {
        jbw_error_set(error, 0, 0, "bptt: found %d, expected a divisor of rows%s, which is %d",
                      out->length, out->worlds > 1 ? " / worlds" : "", steps);
        return JBW_INVALID_ARGUMENT;
    }
    return JBW_OK;
}
