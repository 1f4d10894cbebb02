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

#include "agents/learn/ppo.h"
#include "agents/learn/ppo_settings.h"
#include "jbw/agent.h"
#include "jbw/policy.h"
#include "jbw/world.h"
#include "support/golden_worlds.h"

enum { SEED = 5, SETTINGS = 6 };

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

// the life with one kind of vector, without the policy around it
static void live_on_path(const golden_life *life, const jbw_model *model, const jbw_reward *reward,
                         const jbw_nn_path *path)
{
    const jbw_allocator allocator = {0};
    jbw_agent_id agent;
    jbw_error error = {0};
    jbw_ppo_options options;
    static jbw_ppo ppo;
    jbw_world *world = begin(model, &agent);
    if (!world) return;
    if (jbw_ppo_options_read(model, life->settings, setting_count(life), &options, &error)) {
        fail(life->name, &error);
    } else if (jbw_ppo_init(&ppo, &options, path, SEED, &allocator)) {
        for (int i = 0; i < life->steps; i++) {
            uint8_t moved;
            const jbw_observation wanted = {
                .vision = jbw_ppo_vision(&ppo), .scent = jbw_ppo_scent(&ppo), .moved = &moved};
            jbw_agent_observe(world, agent, &wanted);
            jbw_agent_act(world, agent, jbw_ppo_act(&ppo, moved), NULL);
            jbw_ppo_reward(&ppo, jbw_agent_reward(world, agent, reward));
        }
        check(life, path->name, jbw_parameters_hash(&ppo.network.parameters),
              jbw_world_hash(world));
        jbw_ppo_deinit(&ppo);
    }
    jbw_world_destroy(world);
}

// as programs live it, saved and resumed on the way
static void live_as_policy(const golden_life *life, const jbw_model *model,
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
    jbw_status status = jbw_policy_create("ppo", model, &options, &policy, &error);
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
    int path_count = 0;
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        live_as_policy(&lives[i], model, reward, prints);
        path_count = 0;
        for (size_t p = 0; jbw_nn_path_at(p) && !prints; p++) {
            if (!jbw_nn_path_at(p)->is_supported()) continue;
            live_on_path(&lives[i], model, reward, jbw_nn_path_at(p));
            path_count++;
        }
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    if (!prints)
        printf("%zu lives on %d kinds of vectors, %d differ\n", sizeof lives / sizeof *lives,
               path_count, failures);
    return failures > 0;
}
