// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Lives that learn: the same world file, seed and settings give the same weights and the same world, with
/// every compiler, processor, optimisation level and kind of vector, and also if the life is saved and
/// resumed on the way.
///
/// What is learnt changes only together with JBW_LEARNER_VERSION. `test_golden_learner --print` prints the
/// hashes for the table below.
///
/// Without cmocka, so it also runs on processors that have none.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agents/learn/dqn.h"
#include "agents/learn/dqn_settings.h"
#include "agents/learn/ppo.h"
#include "agents/learn/ppo_settings.h"
#include "jbw/agent.h"
#include "jbw/policy.h"
#include "jbw/world.h"
#include "support/golden_worlds.h"

enum { SEED = 5, SETTINGS = 8 };

/// A life of one or two updates, and the hashes at its end. More would take long under emulation.
typedef struct golden_life {
    const char *name;
    int steps;
    int stop; // where it is saved and resumed
    jbw_policy_setting settings[SETTINGS];
    uint64_t weights;
    uint64_t world;
} golden_life;

static const golden_life lives[] = {
    {"authors",
     9,
     6,
     {{"lstm", "16"}, {"rows", "4"}, {"epochs", "2"}},
     UINT64_C(0x91dd57f0dec15f54),
     UINT64_C(0xe66b1832e2c2e303)},
    {"fast",
     13,
     6,
     {{"preset", "fast"}, {"lstm", "16"}, {"rows", "6"}, {"bptt", "3"}, {"epochs", "2"}},
     UINT64_C(0x65167e552b6d9810),
     UINT64_C(0xe955158e251ec430)},
    {"authors, vision",
     7,
     5,
     {{"senses", "vision"}, {"lstm", "48"}, {"rows", "3"}, {"epochs", "2"}, {"kl_adapts", "true"}},
     UINT64_C(0x1d0b769fab2e179e),
     UINT64_C(0x6b036604e895b610)},
    {"fast, scent",
     34,
     17,
     {{"preset", "fast"}, {"senses", "scent"}, {"lstm", "32"}, {"rows", "32"}, {"bptt", "8"}},
     UINT64_C(0x49a72d77ae04353d),
     UINT64_C(0xc0cf4bf3db6a148d)},
};

static const golden_life dqn_lives[] = {
    {"dqn",
     54,
     50,
     {{"warm_up", "40"}, {"batch", "6"}, {"interval", "3"}, {"target_interval", "2"}},
     UINT64_C(0xe3069d76f67232a0),
     UINT64_C(0x85032af0fc6b4b92)},
    {"dqn, LSTM",
     38,
     31,
     {{"lstm", "16"}, {"warm_up", "20"}, {"batch", "2"}, {"sequence", "4"}, {"n_step", "2"}},
     UINT64_C(0xfc4df2117990e196),
     UINT64_C(0x172945d6f23f10e3)},
    {"dqn, remedies",
     36,
     31,
     {{"warm_up", "20"},
      {"batch", "4"},
      {"layer_norm", "true"},
      {"l2_init", "0.01"},
      {"shrink_interval", "2"},
      {"replacement_rate", "0.01"},
      {"maturity", "1"},
      {"plasticity_interval", "1"}},
     UINT64_C(0x806d406c47073a34),
     UINT64_C(0x3c9d48c7688bb1f0)},
    {"dqn, scent, forgetful",
     60,
     45,
     {{"senses", "scent"},
      {"replay", "20"},
      {"double", "false"},
      {"warm_up", "10"},
      {"moved", "true"}},
     UINT64_C(0xf9f247d8f76d0610),
     UINT64_C(0xfb98c18aa00748ba)},
};

static int failures;

static size_t setting_count(const golden_life *life)
{
    size_t count = 0;
    while (count < SETTINGS && life->settings[count].name) count++;
    return count;
}

static void check(const golden_life *life, const char *how, uint64_t weights, uint64_t world)
{
    if (weights == life->weights && world == life->world) return;
    printf("%s, %s: weights %016" PRIx64 ", expected %016" PRIx64 "; world %016" PRIx64
           ", expected %016" PRIx64 "\n",
           life->name, how, weights, life->weights, world, life->world);
    failures++;
}

static void fail(const char *what, const jbw_error *error)
{
    printf("%s: %s\n", what, error->text);
    failures++;
}

static jbw_world *begin(const jbw_model *model, jbw_agent_id *agent)
{
    jbw_world *world = NULL;
    if (jbw_world_create(model, SEED, &world) || jbw_world_add_agent(world, NULL, agent)) {
        fail("the world", &(jbw_error){.text = "cannot be created"});
        jbw_world_destroy(world);
        return NULL;
    }
    return world;
}

// a learner without the policy around it
typedef struct mind {
    bool is_dqn;
    jbw_ppo ppo;
    jbw_dqn dqn;
} mind;

static bool begin_mind(mind *m, const golden_life *life, const jbw_model *model,
                       const jbw_nn_path *path, jbw_error *error)
{
    const jbw_allocator allocator = {0};
    const size_t count = setting_count(life);
    jbw_ppo_options ppo;
    jbw_dqn_options dqn;
    if (m->is_dqn)
        return !jbw_dqn_options_read(model, life->settings, count, &dqn, error) &&
               jbw_dqn_init(&m->dqn, &dqn, path, SEED, &allocator);
    return !jbw_ppo_options_read(model, life->settings, count, &ppo, error) &&
           jbw_ppo_init(&m->ppo, &ppo, path, SEED, &allocator);
}

static void live_step(mind *m, jbw_world *world, jbw_agent_id agent, const jbw_reward *reward)
{
    uint8_t moved;
    const jbw_observation wanted = {
        .vision = m->is_dqn ? jbw_dqn_vision(&m->dqn) : jbw_ppo_vision(&m->ppo, 0),
        .scent = m->is_dqn ? jbw_dqn_scent(&m->dqn) : jbw_ppo_scent(&m->ppo, 0),
        .moved = &moved};
    jbw_agent_observe(world, agent, &wanted);
    int action;
    if (m->is_dqn)
        action = jbw_dqn_act(&m->dqn, moved);
    else
        jbw_ppo_act(&m->ppo, &(bool){moved != 0}, &action);
    jbw_agent_act(world, agent, action, NULL);
    const double earned = jbw_agent_reward(world, agent, reward);
    if (m->is_dqn)
        jbw_dqn_reward(&m->dqn, earned);
    else
        jbw_ppo_reward(&m->ppo, &earned);
}

// the life with one kind of vector
static void live_on_path(const golden_life *life, bool is_dqn, const jbw_model *model,
                         const jbw_reward *reward, const jbw_nn_path *path)
{
    static mind m;
    jbw_agent_id agent;
    jbw_error error = {0};
    jbw_world *world = begin(model, &agent);
    if (!world) return;
    m = (mind){.is_dqn = is_dqn};
    if (begin_mind(&m, life, model, path, &error)) {
        for (int i = 0; i < life->steps; i++) live_step(&m, world, agent, reward);
        const jbw_network *network = is_dqn ? &m.dqn.network : &m.ppo.network;
        check(life, path->name, jbw_parameters_hash(&network->parameters), jbw_world_hash(world));
    } else {
        fail(life->name, &error);
    }
    if (is_dqn)
        jbw_dqn_deinit(&m.dqn);
    else
        jbw_ppo_deinit(&m.ppo);
    jbw_world_destroy(world);
}

// as programs live it, saved and resumed on the way
static void live_as_policy(const golden_life *life, const char *name, const jbw_model *model,
                           const jbw_reward *reward, bool prints)
{
    const jbw_policy_options options = {.reward = reward,
                                        .seed = SEED,
                                        .settings = life->settings,
                                        .setting_count = setting_count(life)};
    jbw_agent_id agent;
    jbw_error error = {0};
    jbw_policy *policy = NULL;
    jbw_buffer saved = {0};
    jbw_world *world = begin(model, &agent);
    if (!world) return;
    jbw_status status = jbw_policy_create(name, model, &options, &policy, &error);
    for (int i = 0; i < life->steps && !status; i++) {
        if (i == life->stop) {
            status = jbw_policy_save(policy, &saved);
            jbw_policy_destroy(policy);
            policy = NULL;
            if (!status)
                status = jbw_policy_load(saved.bytes, saved.size, model, reward, &policy, &error);
        }
        if (!status) status = jbw_policy_step(policy, world, agent, NULL);
    }
    if (status)
        fail(life->name, &error);
    else if (prints)
        printf("%s: UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 ")\n", life->name,
               jbw_policy_hash(policy), jbw_world_hash(world));
    else
        check(life, "resumed", jbw_policy_hash(policy), jbw_world_hash(world));
    jbw_policy_destroy(policy);
    jbw_buffer_free(&saved);
    jbw_world_destroy(world);
}

static const jbw_config *find_config(const char *name)
{
    for (size_t i = 0; i < golden_world_count; i++)
        if (strcmp(golden_worlds[i].name, name) == 0) return &golden_worlds[i].config;
    return NULL;
}

int main(int argc, char **argv)
{
    const bool prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    const jbw_config *config = find_config("paper-code");
    jbw_model *model = NULL;
    jbw_reward *reward = NULL;
    jbw_error error = {0};
    if (!config || jbw_model_create(config, &model, &error) ||
        jbw_reward_compile(model, "Collect[JellyBean] & Avoid[Onion]", NULL, 0, &reward, &error)) {
        fail("paper-code", &error);
        return 1;
    }
    const size_t ppo_count = sizeof lives / sizeof *lives;
    const size_t dqn_count = sizeof dqn_lives / sizeof *dqn_lives;
    int path_count = 0;
    for (size_t i = 0; i < ppo_count + dqn_count; i++) {
        const bool is_dqn = i >= ppo_count;
        const golden_life *life = is_dqn ? &dqn_lives[i - ppo_count] : &lives[i];
        live_as_policy(life, is_dqn ? "dqn" : "ppo", model, reward, prints);
        path_count = 0;
        for (size_t p = 0; jbw_nn_path_at(p) && !prints; p++) {
            if (!jbw_nn_path_at(p)->is_supported()) continue;
            live_on_path(life, is_dqn, model, reward, jbw_nn_path_at(p));
            path_count++;
        }
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    if (!prints)
        printf("%zu lives on %d kinds of vectors, %d differ\n", ppo_count + dqn_count, path_count,
               failures);
    return failures > 0;
}
