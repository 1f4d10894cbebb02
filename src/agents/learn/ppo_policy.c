// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The policy "ppo": the learner of the paper's case studies.

#include "agents/learn/perceive.h"
#include "agents/learn/ppo.h"
#include "agents/learn/ppo_save.h"
#include "agents/learn/ppo_settings.h"
#include "agents/policy.h"

typedef struct ppo_policy {
    jbw_policy base;
    jbw_ppo ppo;
    // (worlds)
    uint8_t *observed_moves; // as observed
    bool *moves;             // as the learner takes them
} ppo_policy;

static jbw_status apply_local(jbw_policy *policy, jbw_error *error)
{
    jbw_ppo *ppo = &((ppo_policy *)policy)->ppo;
    return jbw_nn_set_threads(&ppo->nn, ppo->options.threads, &policy->allocator, error);
}

static jbw_status init(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error)
{
    ppo_policy *p = (ppo_policy *)policy;
    jbw_ppo_options wanted;
    const jbw_status status = jbw_ppo_options_read(policy->model, options->settings,
                                                   options->setting_count, &wanted, error);
    if (status) return status;
    const size_t worlds = (size_t)wanted.worlds;
    const jbw_allocator *allocator = &policy->allocator;
    if (!jbw_ppo_init(&p->ppo, &wanted, jbw_nn_best_path(), options->seed, allocator))
        return JBW_OUT_OF_MEMORY;
    p->observed_moves = jbw_alloc_zero(allocator, worlds, sizeof *p->observed_moves);
    p->moves = jbw_alloc_zero(allocator, worlds, sizeof *p->moves);
    if (!p->observed_moves || !p->moves) return JBW_OUT_OF_MEMORY;
    return apply_local(policy, error);
}

static void deinit(jbw_policy *policy)
{
    ppo_policy *p = (ppo_policy *)policy;
    const size_t worlds = (size_t)p->ppo.options.worlds;
    jbw_free(&policy->allocator, p->observed_moves, worlds * sizeof *p->observed_moves);
    jbw_free(&policy->allocator, p->moves, worlds * sizeof *p->moves);
    jbw_ppo_deinit(&p->ppo);
}

// ---- living ----

static size_t agent_count(const jbw_policy *policy)
{
    return (size_t)((const ppo_policy *)policy)->ppo.options.worlds;
}

static jbw_observation wants(jbw_policy *policy, size_t agent)
{
    ppo_policy *p = (ppo_policy *)policy;
    return (jbw_observation){
        .vision = jbw_ppo_vision(&p->ppo, (int)agent),
        .scent = jbw_ppo_scent(&p->ppo, (int)agent),
        .moved = p->ppo.options.network.has_moved ? &p->observed_moves[agent] : NULL,
    };
}

static void act_all(jbw_policy *policy, const jbw_observation *seen, int *actions)
{
    ppo_policy *p = (ppo_policy *)policy;
    for (int i = 0; i < p->ppo.options.worlds; i++) {
        jbw_take_part(jbw_ppo_vision(&p->ppo, i), seen[i].vision,
                      jbw_model_part(policy->model, JBW_PART_VISION).size);
        jbw_take_part(jbw_ppo_scent(&p->ppo, i), seen[i].scent,
                      jbw_model_part(policy->model, JBW_PART_SCENT).size);
        p->moves[i] = seen[i].moved && *seen[i].moved;
    }
    jbw_ppo_act(&p->ppo, p->moves, actions);
}

static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)time;
    int action;
    act_all(policy, seen, &action);
    return action;
}

static void reward(jbw_policy *policy, const double *amounts)
{
    jbw_ppo_reward(&((ppo_policy *)policy)->ppo, amounts);
}

// ---- learning ----

static void set_learning(jbw_policy *policy, bool is_learning)
{
    ((ppo_policy *)policy)->ppo.options.is_learning = is_learning;
}

static uint64_t hash(const jbw_policy *policy)
{
    return jbw_parameters_hash(&((const ppo_policy *)policy)->ppo.network.parameters);
}

static bool weights(const jbw_policy *policy, size_t index, jbw_policy_weights *out)
{
    return jbw_network_get_weights(&((const ppo_policy *)policy)->ppo.network, index, out);
}

static bool metric(const jbw_policy *policy, size_t index, jbw_policy_metric *out)
{
    const jbw_ppo *ppo = &((const ppo_policy *)policy)->ppo;
    const jbw_policy_metric metrics[] = {
        {"updates", (double)ppo->update_count},
        {"policy_loss", ppo->report.policy_loss},
        {"value_loss", ppo->report.value_loss},
        {"entropy", ppo->report.entropy},
        {"kl", ppo->report.divergence},
        {"kl_weight", ppo->divergence_weight},
        {"gradient_norm", ppo->report.gradient_norm},
    };
    const size_t count = sizeof metrics / sizeof *metrics;
    if (index >= count) return jbw_remedies_metric(&ppo->remedies, index - count, out);
    *out = metrics[index];
    return true;
}

// ---- saving ----

static void save(const jbw_policy *policy, jbw_writer *writer)
{
    jbw_ppo_save(&((const ppo_policy *)policy)->ppo, writer);
}

static void load(jbw_policy *policy, jbw_reader *reader)
{
    jbw_ppo_load(&((ppo_policy *)policy)->ppo, reader);
}

const jbw_policy_kind jbw_policy_ppo = {
    .name = "ppo",
    .size = sizeof(ppo_policy),
    .is_learner = true,
    .settings = jbw_ppo_settings,
    .settings_offset = offsetof(ppo_policy, ppo) + offsetof(jbw_ppo, options),
    .init = init,
    .apply_local = apply_local,
    .deinit = deinit,
    .agent_count = agent_count,
    .wants = wants,
    .act = act,
    .act_all = act_all,
    .save = save,
    .load = load,
    .reward = reward,
    .set_learning = set_learning,
    .hash = hash,
    .weights = weights,
    .metric = metric,
};
