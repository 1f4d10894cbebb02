// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Losses and gradients of the learner agree with its slow twin, layer by layer, over several steps of the
/// optimizer, and so do the steps. compare_with_jax.py does the same with automatic differentiation.
#include "support/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/learn/ppo.h"
#include "bench/twin_learner.h"
#include "support/random.h"

enum { MOST_WORLDS = 4 };

static const jbw_allocator allocator = {0};

typedef struct life {
    jbw_ppo ppo;
    twin_network network;
    twin_loss loss;
    twin_rows rows;
    double *hidden, *cell; // before each sequence
} life;

static void *allot(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static void describe(life *l)
{
    const jbw_ppo_options *o = &l->ppo.options;
    l->network = (twin_network){.side = o->network.vision_side,
                                .colors = o->network.colors,
                                .scents = o->network.scents,
                                .actions = o->network.actions,
                                .lstm = o->network.lstm_size,
                                .is_gelu = o->network.activation == JBW_ACTIVATION_GELU,
                                .has_moved = o->network.has_moved,
                                .moved_is_activated = o->network.moved_is_activated,
                                .heads_see_features = o->network.heads_see_features,
                                .heads_see_cell = o->network.heads_see_cell};
    l->loss = (twin_loss){.clip = o->clip,
                          .value_clip = o->value_clip,
                          .value_weight = o->value_weight,
                          .halves_value_loss = o->halves_value_loss,
                          .entropy_weight = o->entropy_weight,
                          .kl_weight = o->divergence_weight,
                          .kl_cutoff = o->divergence_cutoff * o->divergence_target,
                          .kl_cutoff_weight = o->divergence_cutoff_weight};
    const int size = o->network.lstm_size;
    const int sequences = o->rows / o->length;
    l->hidden = allot((size_t)sequences * (size_t)size, sizeof *l->hidden);
    l->cell = allot((size_t)sequences * (size_t)size, sizeof *l->cell);
    const jbw_rows input = l->ppo.pass.memory.input;
    for (int s = 0; s < sequences; s++)
        for (int i = 0; i < size; i++) {
            const float *hidden = input.at + s * o->length * input.stride;
            const float *cell = l->ppo.pass.memory.cell_before + (ptrdiff_t)s * o->length * size;
            l->hidden[s * size + i] = (double)hidden[l->ppo.network.feature_count + i];
            l->cell[s * size + i] = (double)cell[i];
        }
    l->rows = (twin_rows){.count = o->rows,
                          .length = o->length,
                          .vision = l->ppo.pass.vision,
                          .scent = l->ppo.pass.scent,
                          .moved = l->ppo.pass.moved,
                          .actions = l->ppo.actions,
                          .advantages = l->ppo.advantages,
                          .targets = l->ppo.targets,
                          .values = l->ppo.values,
                          .probabilities = l->ppo.probabilities,
                          .logarithms = l->ppo.logarithms,
                          .hidden = l->hidden,
                          .cell = l->cell};
}

// lives on random observations and rewards until the first update is due
static void begin(life *l, const jbw_ppo_options *options)
{
    uint64_t random = 17;
    assert_true(jbw_ppo_init(&l->ppo, options, jbw_nn_best_path(), 3, &allocator));
    const jbw_network_options *n = &options->network;
    const int steps = options->rows / options->worlds;
    for (int t = 0; t <= steps; t++) {
        bool moved[MOST_WORLDS];
        double rewards[MOST_WORLDS];
        int actions[MOST_WORLDS];
        for (int w = 0; w < options->worlds; w++) {
            float *vision = jbw_ppo_vision(&l->ppo, w);
            float *scent = jbw_ppo_scent(&l->ppo, w);
            for (int i = 0; i < n->vision_side * n->vision_side * n->colors; i++)
                vision[i] =
                    random_chance(&random, 20) ? (float)random_real(&random, 0.0, 1.0) : 0.0f;
            for (int i = 0; i < n->scents; i++) scent[i] = (float)random_real(&random, 0.0, 2.0);
            moved[w] = random_chance(&random, 50);
            rewards[w] = random_real(&random, -1.0, 1.0);
        }
        if (t == steps) break;
        jbw_ppo_act(&l->ppo, moved, actions);
        jbw_ppo_reward(&l->ppo, rewards);
    }
    jbw_ppo_estimate(&l->ppo);
    describe(l);
}

static void end(life *l)
{
    jbw_ppo_deinit(&l->ppo);
    free(l->hidden);
    free(l->cell);
}

static void expect_near(const char *what, const double *wanted, const float *found, size_t count)
{
    double error = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < count; i++) {
        error += ((double)found[i] - wanted[i]) * ((double)found[i] - wanted[i]);
        size += wanted[i] * wanted[i];
    }
    if (sqrt(error) > 1e-5 * sqrt(size)) fail_msg("%s: off by %.2e", what, sqrt(error / size));
}

static void compare(const jbw_ppo_options *options)
{
    enum { STEPS = 3 };
    static life l;
    begin(&l, options);
    jbw_parameters *p = &l.ppo.network.parameters;
    assert_int_equal(twin_weight_count(&l.network), p->count);
    double *weights = allot(p->count, sizeof *weights);
    double *gradients = allot(p->count, sizeof *gradients);
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < p->count; i++) weights[i] = (double)p->weights[i];
        const double wanted = twin_differentiate(&l.network, &l.loss, &l.rows, weights, gradients);
        jbw_ppo_report report;
        const double found = jbw_ppo_differentiate(&l.ppo, step == 0, &report);
        assert_true(fabs(found - wanted) <= 1e-5 * fabs(wanted));
        jbw_policy_weights layer;
        for (size_t i = 0; jbw_network_get_weights(&l.ppo.network, i, &layer); i++) {
            size_t count = 1;
            for (int axis = 0; axis < layer.rank; axis++) count *= layer.shape[axis];
            const size_t at = (size_t)(layer.values - p->weights);
            expect_near(layer.name, gradients + at, p->gradients + at, count);
        }
        jbw_optimizer_step(&l.ppo.nn, &l.ppo.optimizer, p);
    }
    free(weights);
    free(gradients);
    end(&l);
}

static jbw_ppo_options small(jbw_ppo_preset preset, bool sees, bool smells)
{
    const jbw_network_options senses = {.vision_side = sees ? 7 : 0,
                                        .colors = sees ? 3 : 0,
                                        .scents = smells ? 3 : 0,
                                        .actions = 3};
    jbw_ppo_options o = jbw_ppo_preset_options(preset, &senses);
    o.network.lstm_size = 32;
    o.rows = 20;
    if (preset == JBW_PPO_FAST) o.length = 5;
    o.learning_rate = 1e-2; // so that later steps clip
    return o;
}

static void test_presets(void **state)
{
    (void)state;
    for (int preset = 0; preset < 2; preset++)
        for (int senses = 1; senses < 4; senses++) {
            const jbw_ppo_options o = small((jbw_ppo_preset)preset, senses & 1, senses & 2);
            compare(&o);
        }
}

static void test_worlds(void **state)
{
    (void)state;
    jbw_ppo_options o = small(JBW_PPO_FAST, true, true);
    o.worlds = 4;
    compare(&o);
    o.worlds = 2;
    compare(&o);
    o = small(JBW_PPO_AUTHORS, false, true);
    o.worlds = 4;
    compare(&o);
}

static void test_switches(void **state)
{
    (void)state;
    jbw_ppo_options o = small(JBW_PPO_AUTHORS, true, true);
    o.network.heads_see_cell = false;
    compare(&o);
    o.network.heads_see_features = false;
    o.halves_value_loss = false;
    o.network.moved_is_activated = false;
    o.network.gates_share_glorot = false;
    compare(&o);
    o = small(JBW_PPO_AUTHORS, true, true);
    o.length = 10; // gradients through time, with heads that see the cell
    o.divergence_cutoff = 0.01;
    compare(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_switches),
    };
    return cmocka_run_group_tests_name("ppo_twin", tests, NULL, NULL);
}
