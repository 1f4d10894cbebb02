// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the settings of all learners have in common: rows of their tables, for options of any type that have
/// the fields named here. Define OPTIONS as that type before you use them.
#ifndef JBW_AGENTS_LEARN_COMMON_SETTINGS_H
#define JBW_AGENTS_LEARN_COMMON_SETTINGS_H

#include "agents/learn/network.h"
#include "agents/settings.h"

/// Fills in what the model says of these senses: sizes, colors, scents and actions. JBW_UNSUPPORTED if the
/// agent does not see far enough for the policy with this name.
jbw_status jbw_senses_find(jbw_senses senses, const jbw_model *model, const char *policy_name,
                           jbw_network_options *out, jbw_error *error);

// ---- rows ----

#define AT(field) offsetof(OPTIONS, field)
#define INTEGER(name, field, least, most, about)                                \
    {                                                                           \
        name, JBW_SETTING_INTEGER, AT(field), least, most, 1, {0}, about, false \
    }
#define NUMBER(name, field, least, most, about)                                \
    {                                                                          \
        name, JBW_SETTING_NUMBER, AT(field), least, most, 1, {0}, about, false \
    }
#define FLAG(name, field, about)                                      \
    {                                                                 \
        name, JBW_SETTING_FLAG, AT(field), 0, 0, 1, {0}, about, false \
    }
#define CHOICE(name, field, about, ...)                                           \
    {                                                                             \
        name, JBW_SETTING_CHOICE, AT(field), 0, 0, 1, {__VA_ARGS__}, about, false \
    }
#define LSTM(least, about)                                                                     \
    {                                                                                          \
        "lstm", JBW_SETTING_INTEGER, AT(network.lstm_size), least, 4096, 16, {0}, about, false \
    }
#define DENSE                                                                    \
    {                                                                            \
        "dense", JBW_SETTING_INTEGER, AT(network.dense_size), 16, 4096, 16, {0}, \
            "size of the dense layer that each sense ends in", false             \
    }

// how it computes, in this process; whatever it is, results are the same
#define THREADS                                                                   \
    {                                                                             \
        "threads", JBW_SETTING_INTEGER, AT(threads), 1, 64, 1, {0},               \
            "that compute it together; affects no result, and is not saved", true \
    }

#define LIFE_ROWS                                                                      \
    CHOICE("senses", senses, "what the network perceives", "both", "vision", "scent"), \
        FLAG("learns", is_learning, "false: it acts with the weights it has")

#define NETWORK_ROWS                                                                           \
    CHOICE("activation", network.activation, "of all layers before the LSTM", "relu", "gelu"), \
        FLAG("moved", network.has_moved, "whether the agent moved is a feature: 1 or -1"),     \
        FLAG("activate_moved", network.moved_is_activated,                                     \
             "that feature goes through the activation"),                                      \
        FLAG("heads_see_features", network.heads_see_features,                                 \
             "the heads see the features beside the LSTM"),                                    \
        FLAG("heads_see_cell", network.heads_see_cell,                                         \
             "the heads see the LSTM's cell state instead of its output"),                     \
        FLAG("shared_gate_init", network.gates_share_glorot,                                   \
             "the LSTM's gates begin as one Glorot matrix, which makes their weights smaller")

#define OPTIMIZER_ROWS                                                                        \
    NUMBER("learning_rate", learning_rate, 0, 10, "of Adam"),                                 \
        FLAG("amsgrad", is_amsgrad, "Adam that never forgets how large a gradient has been"), \
        NUMBER("beta1", mean_decay, 0, 0.999999, "decay of the mean of gradients"),           \
        NUMBER("beta2", square_decay, 0, 0.999999, "decay of the mean of their squares"),     \
        NUMBER("epsilon", epsilon, 1e-30, 1, "what Adam adds to its denominator"),            \
        NUMBER("gradient_norm", gradient_norm, 0, 1e9, "largest norm of a gradient; 0: any")

#define REMEDY_ROWS                                                                              \
    FLAG("layer_norm", network.has_layer_norm, "layer normalisation before each activation"),    \
        NUMBER("l2_init", remedies.l2_init, 0, 1e9,                                              \
               "weight of the squared distance from the first weights; 0: none"),                \
        INTEGER("shrink_interval", remedies.shrink_interval, 0, 1000000000,                      \
                "updates between two times that all weights shrink; 0: never"),                  \
        NUMBER("shrink", remedies.shrink, 0, 1, "what they are multiplied by"),                  \
        NUMBER("perturb", remedies.perturb, 0, 1, "times new weights, which are added to them"), \
        NUMBER("replacement_rate", remedies.replacement_rate, 0, 1,                              \
               "share of mature units that a step replaces: continual backpropagation"),         \
        NUMBER("utility_decay", remedies.utility_decay, 0, 0.999999,                             \
               "of the running mean that says how useful a unit is"),                            \
        INTEGER("maturity", remedies.maturity, 0, 1000000000,                                    \
                "steps of the optimizer before a new unit may be replaced"),                     \
        INTEGER("plasticity_interval", remedies.plasticity_interval, 0, 1000000000,              \
                "updates between two measurements of plasticity; 0: never")

#endif
