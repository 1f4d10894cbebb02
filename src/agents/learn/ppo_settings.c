// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/ppo_settings.h"

// ---- names ----

#define AT(field) offsetof(jbw_ppo_options, field)
#define INTEGER(name, field, least, most, about)                         \
    {                                                                    \
        name, JBW_SETTING_INTEGER, AT(field), least, most, 1, {0}, about \
    }
#define NUMBER(name, field, least, most, about)                         \
    {                                                                   \
        name, JBW_SETTING_NUMBER, AT(field), least, most, 1, {0}, about \
    }
#define FLAG(name, field, about)                               \
    {                                                          \
        name, JBW_SETTING_FLAG, AT(field), 0, 0, 1, {0}, about \
    }

const jbw_setting jbw_ppo_settings[] = {
    {"preset",
     JBW_SETTING_CHOICE,
     AT(preset),
     0,
     0,
     1,
     {"authors", "fast"},
     "what the other settings are unless they are given"},
    {"senses",
     JBW_SETTING_CHOICE,
     AT(senses),
     0,
     0,
     1,
     {"both", "vision", "scent"},
     "what the network perceives"},
    FLAG("learns", is_learning, "false: it acts with the weights it has"),

    // the network
    {"lstm", JBW_SETTING_INTEGER, AT(network.lstm_size), 16, 4096, 16, {0}, "size of the LSTM"},
    {"activation",
     JBW_SETTING_CHOICE,
     AT(network.activation),
     0,
     0,
     1,
     {"relu", "gelu"},
     "of all layers before the LSTM"},
    FLAG("moved", network.has_moved, "whether the agent moved is a feature: 1 or -1"),
    FLAG("activate_moved", network.moved_is_activated, "that feature goes through the activation"),
    FLAG("heads_see_features", network.heads_see_features,
         "policy and value see the features beside the LSTM"),
    FLAG("heads_see_cell", network.heads_see_cell,
         "policy and value see the LSTM's cell state instead of its output"),
    FLAG("shared_gate_init", network.gates_share_glorot,
         "the LSTM's gates begin as one Glorot matrix, which makes their weights smaller"),

    // when it learns
    INTEGER("rows", rows, 1, 65536, "steps between two updates"),
    INTEGER("epochs", iterations, 1, 1000, "times that an update goes over all rows"),
    INTEGER("bptt", length, 1, 65536,
            "steps that gradients flow back through the LSTM's memory; divides rows"),

    // the optimizer
    NUMBER("learning_rate", learning_rate, 0, 10, "of Adam"),
    FLAG("amsgrad", is_amsgrad, "Adam that never forgets how large a gradient has been"),
    NUMBER("beta1", mean_decay, 0, 0.999999, "decay of the mean of gradients"),
    NUMBER("beta2", square_decay, 0, 0.999999, "decay of the mean of their squares"),
    NUMBER("epsilon", epsilon, 1e-30, 1, "what Adam adds to its denominator"),
    NUMBER("gradient_norm", gradient_norm, 0, 1e9, "largest norm of a gradient; 0: any"),

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
    {0},
};

// ---- presets ----

static jbw_ppo_options authors(const jbw_network_options *senses)
{
    jbw_ppo_options o = {
        .preset = JBW_PPO_AUTHORS,
        .network = *senses,
        .is_learning = true,
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
    o.network.lstm_size = 256;
    o.network.activation = JBW_ACTIVATION_RELU;
    o.network.gates_share_glorot = true;
    return o;
}

jbw_ppo_options jbw_ppo_preset_options(jbw_ppo_preset preset, const jbw_network_options *senses)
{
    return preset == JBW_PPO_FAST ? fast(senses) : authors(senses);
}

// ---- reading ----

static jbw_status find_senses(const jbw_model *model, jbw_ppo_options *o, jbw_error *error)
{
    const int side = jbw_model_vision_side(model);
    const bool sees = o->senses != JBW_PPO_SCENT;
    const bool smells = o->senses != JBW_PPO_VISION;
    if (sees && side < 5) {
        jbw_error_set(error, 0, 0,
                      "the policy 'ppo' needs a vision_range of at least 2, or senses=scent");
        return JBW_UNSUPPORTED;
    }
    o->network.vision_side = sees ? side : 0;
    o->network.colors = sees ? jbw_model_color_dimensions(model) : 0;
    o->network.scents = smells ? jbw_model_scent_dimensions(model) : 0;
    o->network.actions = jbw_model_action_count(model);
    return JBW_OK;
}

jbw_status jbw_ppo_options_read(const jbw_model *model, const jbw_policy_setting *settings,
                                size_t count, jbw_ppo_options *out, jbw_error *error)
{
    // preset and senses first: the defaults of the others depend on them
    jbw_ppo_options chosen = {0};
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = jbw_setting_read(jbw_ppo_settings, &settings[i], &chosen, error);
        if (status) return status;
    }
    jbw_status status = find_senses(model, &chosen, error);
    if (status) return status;

    const jbw_network_options senses = {.vision_side = chosen.network.vision_side,
                                        .colors = chosen.network.colors,
                                        .scents = chosen.network.scents,
                                        .actions = chosen.network.actions};
    *out = jbw_ppo_preset_options(chosen.preset, &senses);
    out->senses = chosen.senses;
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_setting_read(jbw_ppo_settings, &settings[i], out, error);
    if (!status && out->rows % out->length != 0) {
        jbw_error_set(error, 0, 0, "bptt: found %d, expected a divisor of rows, which is %d",
                      out->length, out->rows);
        return JBW_INVALID_ARGUMENT;
    }
    return status;
}
