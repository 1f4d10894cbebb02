// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The policy "dqn": deep Q-learning with the paper's network.

#include "agents/learn/dqn.h"
#include "agents/learn/dqn_save.h"
#include "agents/learn/dqn_settings.h"
#include "agents/learn/perceive.h"
#include "agents/policy.h"

typedef struct dqn_policy {
    jbw_policy base;
    jbw_dqn dqn;
    uint8_t moved; // as observed
} dqn_policy;

static jbw_status apply_local(jbw_policy *policy, jbw_error *error)
{
    jbw_dqn *dqn = &((dqn_policy *)policy)->dqn;
    return jbw_nn_set_threads(&dqn->nn, dqn->options.threads, &policy->allocator, error);
}

static jbw_status init(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error)
{
    dqn_policy *p = (dqn_policy *)policy;
    jbw_dqn_options wanted;
    const jbw_status status = jbw_dqn_options_read(policy->model, options->settings,
                                                   options->setting_count, &wanted, error);
    if (status) return status;
    if (!jbw_dqn_init(&p->dqn, &wanted, jbw_nn_best_path(), options->seed, &policy->allocator))
        return JBW_OUT_OF_MEMORY;
    return apply_local(policy, error);
}

static void deinit(jbw_policy *policy)
{
    jbw_dqn_deinit(&((dqn_policy *)policy)->dqn);
}

// ---- living ----

static jbw_observation wants(jbw_policy *policy, size_t agent)
{
    (void)agent;
    dqn_policy *p = (dqn_policy *)policy;
    return (jbw_observation){
        .vision = jbw_dqn_vision(&p->dqn),
        .scent = jbw_dqn_scent(&p->dqn),
        .moved = p->dqn.options.network.has_moved ? &p->moved : NULL,
    };
}

static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)time;
    dqn_policy *p = (dqn_policy *)policy;
    jbw_take_part(jbw_dqn_vision(&p->dqn), seen->vision,
                  jbw_model_part(policy->model, JBW_PART_VISION).size);
    jbw_take_part(jbw_dqn_scent(&p->dqn), seen->scent,
                  jbw_model_part(policy->model, JBW_PART_SCENT).size);
    return jbw_dqn_act(&p->dqn, seen->moved && *seen->moved);
}

static void reward(jbw_policy *policy, const double *amount)
{
    jbw_dqn_reward(&((dqn_policy *)policy)->dqn, *amount);
}

// ---- learning ----

static void set_learning(jbw_policy *policy, bool is_learning)
{
    ((dqn_policy *)policy)->dqn.options.is_learning = is_learning;
}

static uint64_t hash(const jbw_policy *policy)
{
    return jbw_parameters_hash(&((const dqn_policy *)policy)->dqn.network.parameters);
}

static bool weights(const jbw_policy *policy, size_t index, jbw_policy_weights *out)
{
    return jbw_network_get_weights(&((const dqn_policy *)policy)->dqn.network, index, out);
}

static bool metric(const jbw_policy *policy, size_t index, jbw_policy_metric *out)
{
    const jbw_dqn *dqn = &((const dqn_policy *)policy)->dqn;
    const jbw_policy_metric metrics[] = {
        {"updates", (double)dqn->update_count},
        {"loss", dqn->report.loss},
        {"value", dqn->report.value},
        {"target", dqn->report.target},
        {"gradient_norm", dqn->report.gradient_norm},
        {"exploration", jbw_dqn_exploration(dqn)},
        {"replay", (double)(dqn->replay.end - dqn->replay.oldest)},
    };
    const size_t count = sizeof metrics / sizeof *metrics;
    if (index >= count) return jbw_remedies_metric(&dqn->remedies, index - count, out);
    *out = metrics[index];
    return true;
}

// ---- saving ----

static void save(const jbw_policy *policy, jbw_writer *writer)
{
    jbw_dqn_save(&((const dqn_policy *)policy)->dqn, writer);
}

static void load(jbw_policy *policy, jbw_reader *reader)
{
    jbw_dqn_load(&((dqn_policy *)policy)->dqn, reader);
}

const jbw_policy_kind jbw_policy_dqn = {
    .name = "dqn",
    .size = sizeof(dqn_policy),
    .is_learner = true,
    .settings = jbw_dqn_settings,
    .settings_offset = offsetof(dqn_policy, dqn) + offsetof(jbw_dqn, options),
    .init = init,
    .apply_local = apply_local,
    .deinit = deinit,
    .wants = wants,
    .act = act,
    .save = save,
    .load = load,
    .reward = reward,
    .set_learning = set_learning,
    .hash = hash,
    .weights = weights,
    .metric = metric,
};
