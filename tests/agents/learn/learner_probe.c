// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Lets Python look inside the learner, one part of learning at a time: a shared library of plain
// functions for ctypes. compare_with_jax.py holds what it finds against automatic differentiation.

#include <string.h>

#include "agents/learn/ppo.h"

// ctypes needs no prototypes
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define PROBE __attribute__((visibility("default")))

PROBE void *probe_new(const int *ints, const double *numbers, const char *path_name, uint64_t seed)
{
    const jbw_ppo_options options = {
        .network = {.vision_side = ints[0],
                    .colors = ints[1],
                    .scents = ints[2],
                    .actions = ints[3],
                    .lstm_size = ints[4],
                    .activation = (jbw_activation)ints[5],
                    .has_moved = ints[6] != 0,
                    .moved_is_activated = ints[7] != 0,
                    .heads_see_features = ints[8] != 0,
                    .heads_see_cell = ints[9] != 0,
                    .gates_share_glorot = ints[15] != 0,
                    .has_layer_norm = ints[17] != 0},
        .is_learning = true,
        .worlds = 1,
        .rows = ints[10],
        .iterations = ints[11],
        .length = ints[12],
        .is_amsgrad = ints[13] != 0,
        .has_normal_advantages = ints[14] != 0,
        .learning_rate = numbers[0],
        .gradient_norm = numbers[1],
        .gamma = numbers[2],
        .lambda = numbers[3],
        .clip = numbers[4],
        .value_clip = numbers[5],
        .value_weight = numbers[6],
        .entropy_weight = numbers[7],
        .divergence_weight = numbers[8],
        .divergence_target = numbers[9],
        .divergence_cutoff = numbers[10],
        .divergence_cutoff_weight = numbers[11],
        .halves_value_loss = ints[16] != 0,
        .mean_decay = 0.9,
        .square_decay = 0.999,
        .epsilon = 1e-8,
    };
    const jbw_nn_path *path = NULL;
    for (size_t i = 0; jbw_nn_path_at(i); i++)
        if (strcmp(jbw_nn_path_at(i)->name, path_name) == 0) path = jbw_nn_path_at(i);
    if (!path || !path->is_supported()) return NULL;
    const jbw_allocator allocator = {0};
    jbw_ppo *ppo = jbw_alloc_zero(&allocator, 1, sizeof *ppo);
    if (ppo && jbw_ppo_init(ppo, &options, path, seed, &allocator)) return ppo;
    return NULL;
}

PROBE void probe_free(jbw_ppo *ppo)
{
    const jbw_allocator allocator = {0};
    jbw_ppo_deinit(ppo);
    jbw_free(&allocator, ppo, sizeof *ppo);
}

PROBE size_t probe_count(const jbw_ppo *ppo)
{
    return ppo->network.parameters.count;
}

PROBE float *probe_weights(const jbw_ppo *ppo)
{
    return ppo->network.parameters.weights;
}

PROBE float *probe_gradients(const jbw_ppo *ppo)
{
    return ppo->network.parameters.gradients;
}

PROBE float *probe_vision(jbw_ppo *ppo)
{
    return jbw_ppo_vision(ppo, 0);
}

PROBE float *probe_scent(jbw_ppo *ppo)
{
    return jbw_ppo_scent(ppo, 0);
}

PROBE int probe_act(jbw_ppo *ppo, int moved)
{
    int action;
    jbw_ppo_act(ppo, &(bool){moved != 0}, &action);
    return action;
}

PROBE void probe_observe_last(jbw_ppo *ppo, int moved)
{
    ppo->pass.moved[ppo->count] = moved ? 1.0f : -1.0f;
}

PROBE void probe_reward(jbw_ppo *ppo, double reward)
{
    jbw_ppo_reward(ppo, &reward);
}

PROBE void probe_estimate(jbw_ppo *ppo)
{
    jbw_ppo_estimate(ppo);
}

PROBE double probe_differentiate(jbw_ppo *ppo, int is_first)
{
    jbw_ppo_report report;
    return jbw_ppo_differentiate(ppo, is_first != 0, &report);
}

PROBE double probe_step(jbw_ppo *ppo)
{
    return jbw_optimizer_step(&ppo->nn, &ppo->optimizer, &ppo->network.parameters);
}

PROBE const double *probe_values(const jbw_ppo *ppo)
{
    return ppo->values;
}

PROBE const double *probe_advantages(const jbw_ppo *ppo)
{
    return ppo->advantages;
}

PROBE const double *probe_targets(const jbw_ppo *ppo)
{
    return ppo->targets;
}

PROBE const double *probe_probabilities(const jbw_ppo *ppo)
{
    return ppo->probabilities;
}
