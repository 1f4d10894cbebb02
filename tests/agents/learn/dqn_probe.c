// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The same as learner_probe.c for DQN.

#include <string.h>

#include "agents/learn/dqn.h"

// ctypes needs no prototypes
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define PROBE __attribute__((visibility("default")))

PROBE void *dqn_new(const int *ints, const double *numbers, const char *path_name, uint64_t seed)
{
    const jbw_network_options senses = {
        .vision_side = ints[0], .colors = ints[1], .scents = ints[2], .actions = ints[3]};
    jbw_dqn_options options = jbw_dqn_default_options(&senses);
    options.network.lstm_size = ints[4];
    options.network.activation = (jbw_activation)ints[5];
    options.network.has_moved = ints[6] != 0;
    options.network.moved_is_activated = ints[7] != 0;
    options.network.heads_see_features = ints[8] != 0;
    options.network.heads_see_cell = ints[9] != 0;
    options.batch = ints[10];
    options.length = ints[11];
    options.ahead = ints[12];
    options.is_double = ints[13] != 0;
    options.network.has_layer_norm = ints[14] != 0;
    options.gamma = numbers[0];
    options.largest_error = numbers[1];
    options.remedies = (jbw_remedy_options){.shrink_interval = ints[15],
                                            .maturity = ints[16],
                                            .plasticity_interval = ints[17],
                                            .l2_init = numbers[2],
                                            .shrink = numbers[3],
                                            .perturb = numbers[4],
                                            .replacement_rate = numbers[5],
                                            .utility_decay = numbers[6]};
    options.is_learning = false;
    options.replay_steps = 1000;
    options.replay_megabytes = 4;
    const jbw_nn_path *path = NULL;
    for (size_t i = 0; jbw_nn_path_at(i); i++)
        if (strcmp(jbw_nn_path_at(i)->name, path_name) == 0) path = jbw_nn_path_at(i);
    if (!path || !path->is_supported()) return NULL;
    const jbw_allocator allocator = {0};
    jbw_dqn *dqn = jbw_alloc_zero(&allocator, 1, sizeof *dqn);
    if (dqn && jbw_dqn_init(dqn, &options, path, seed, &allocator)) return dqn;
    return NULL;
}

PROBE void dqn_free(jbw_dqn *dqn)
{
    const jbw_allocator allocator = {0};
    jbw_dqn_deinit(dqn);
    jbw_free(&allocator, dqn, sizeof *dqn);
}

PROBE size_t dqn_count(const jbw_dqn *dqn)
{
    return dqn->network.parameters.count;
}

PROBE float *dqn_weights(const jbw_dqn *dqn)
{
    return dqn->network.parameters.weights;
}

PROBE float *dqn_target_weights(const jbw_dqn *dqn)
{
    return dqn->target.parameters.weights;
}

PROBE float *dqn_gradients(const jbw_dqn *dqn)
{
    return dqn->network.parameters.gradients;
}

PROBE float *dqn_vision(jbw_dqn *dqn)
{
    return jbw_dqn_vision(dqn);
}

PROBE float *dqn_scent(jbw_dqn *dqn)
{
    return jbw_dqn_scent(dqn);
}

PROBE int dqn_act(jbw_dqn *dqn, int moved)
{
    return jbw_dqn_act(dqn, moved != 0);
}

PROBE void dqn_reward(jbw_dqn *dqn, double reward)
{
    jbw_dqn_reward(dqn, reward);
}

/// What the network said of the latest observation.
PROBE const float *dqn_values(const jbw_dqn *dqn)
{
    return dqn->live.heads;
}

PROBE int dqn_sample(jbw_dqn *dqn)
{
    return jbw_dqn_sample(dqn);
}

PROBE const uint64_t *dqn_starts(const jbw_dqn *dqn)
{
    return dqn->starts;
}

// ---- an update in its parts ----

PROBE double dqn_step(jbw_dqn *dqn)
{
    return jbw_optimizer_step(&dqn->nn, &dqn->optimizer, &dqn->network.parameters);
}

PROBE float *dqn_moments(const jbw_dqn *dqn, int which)
{
    const jbw_parameters *p = &dqn->network.parameters;
    return which == 0 ? p->mean : which == 1 ? p->square : p->largest;
}

PROBE void dqn_before_update(jbw_dqn *dqn, uint64_t update)
{
    jbw_remedies_before_update(&dqn->remedies, &dqn->network, update);
}

PROBE void dqn_before_step(jbw_dqn *dqn)
{
    jbw_remedies_before_step(&dqn->remedies, &dqn->network);
}

PROBE void dqn_after_step(jbw_dqn *dqn)
{
    jbw_remedies_after_step(&dqn->remedies, &dqn->network, &dqn->now, dqn->now.rows);
}

PROBE void dqn_after_update(jbw_dqn *dqn, uint64_t update)
{
    jbw_remedies_after_update(&dqn->remedies, &dqn->nn, &dqn->network, &dqn->now, dqn->now.rows,
                              update);
}

PROBE const float *dqn_fresh(const jbw_dqn *dqn)
{
    return dqn->remedies.fresh;
}

PROBE const double *dqn_utilities(const jbw_dqn *dqn)
{
    return dqn->remedies.replacement.utilities;
}

PROBE const uint64_t *dqn_ages(const jbw_dqn *dqn)
{
    return dqn->remedies.replacement.ages;
}

PROBE double dqn_figure(const jbw_dqn *dqn, int index)
{
    jbw_policy_metric metric = {0};
    jbw_remedies_metric(&dqn->remedies, (size_t)index, &metric);
    return metric.value;
}

PROBE double dqn_differentiate(jbw_dqn *dqn)
{
    return jbw_dqn_differentiate(dqn);
}
