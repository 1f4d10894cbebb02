// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Small lives of learners, in a world of beans and walls.
#ifndef JBW_TESTS_SMALL_LIVES_H
#define JBW_TESTS_SMALL_LIVES_H

#include "support/models.h"

#include <string.h>

#include "jbw/agent.h"

enum { DIMENSIONS = 3, MOST_SETTINGS = 12 };

static inline jbw_config lively_config(void)
{
    static const double bean_color[] = {0.82, 0.27, 0.20};
    static const double bean_scent[] = {1.64, 0.54, 0.40};
    static const jbw_item_type items[] = {
        {.name = "Bean", .color = bean_color, .scent = bean_scent, .intensity = "Constant[-2]"},
        {.name = "Wall", .blocks_movement = true, .intensity = "Constant[-4]"}};
    jbw_config config = small_config(32, 4000, items, 2);
    config.scent_decay = 0.4;
    config.scent_diffusion = 0.14;
    config.color_dimensions = DIMENSIONS;
    config.scent_dimensions = DIMENSIONS;
    config.agent.vision_range = 2;
    return config;
}

static inline jbw_model *make_model(void)
{
    const jbw_config config = lively_config();
    return model_of(&config);
}

/// A learner that is small enough for tests.
typedef struct small_learner {
    const char *policy;
    jbw_policy_setting settings[MOST_SETTINGS]; // those after the last one have no name
} small_learner;

enum { ROWS = 4 }; // of PPO: steps between its updates
static const small_learner small_authors = {
    "ppo", {{"lstm", "16"}, {"rows", "4"}, {"epochs", "2"}, {"preset", "authors"}}};
static const small_learner small_fast = {
    "ppo", {{"bptt", "2"}, {"lstm", "16"}, {"rows", "4"}, {"epochs", "2"}, {"preset", "fast"}}};
static const small_learner small_dqn = {"dqn",
                                        {{"batch", "3"},
                                         {"warm_up", "6"},
                                         {"interval", "2"},
                                         {"target_interval", "3"},
                                         {"n_step", "1"},
                                         {"replay", "9"},
                                         {"replay_megabytes", "1"}}};
static const small_learner small_dqn_lstm = {"dqn",
                                             {{"lstm", "16"},
                                              {"sequence", "2"},
                                              {"n_step", "2"},
                                              {"batch", "2"},
                                              {"warm_up", "0"},
                                              {"interval", "3"},
                                              {"replay", "9"},
                                              {"replay_megabytes", "1"}}};

static const small_learner small_remedies = {"ppo",
                                             {{"lstm", "16"},
                                              {"rows", "4"},
                                              {"epochs", "2"},
                                              {"layer_norm", "true"},
                                              {"l2_init", "0.01"},
                                              {"shrink_interval", "2"},
                                              {"replacement_rate", "0.01"},
                                              {"maturity", "1"},
                                              {"plasticity_interval", "1"}}};
static const small_learner small_dqn_remedies = {"dqn",
                                                 {{"batch", "3"},
                                                  {"n_step", "1"},
                                                  {"warm_up", "4"},
                                                  {"interval", "2"},
                                                  {"replay", "9"},
                                                  {"replay_megabytes", "1"},
                                                  {"layer_norm", "true"},
                                                  {"l2_init", "0.01"},
                                                  {"shrink_interval", "2"},
                                                  {"replacement_rate", "0.01"},
                                                  {"maturity", "1"},
                                                  {"plasticity_interval", "1"}}};

static inline jbw_policy_options options_of(const small_learner *learner, const jbw_reward *reward)
{
    size_t count = 0;
    while (count < MOST_SETTINGS && learner->settings[count].name) count++;
    return (jbw_policy_options){
        .reward = reward, .seed = 3, .settings = learner->settings, .setting_count = count};
}

typedef struct life {
    jbw_world *world;
    jbw_policy *policy;
    jbw_agent_id agent;
} life;

static inline life begin_life(const jbw_model *model, const jbw_reward *reward,
                              const small_learner *learner)
{
    const jbw_policy_options options = options_of(learner, reward);
    life l = {.world = world_of(model, 7)};
    jbw_error error = {0};
    if (jbw_policy_create(learner->policy, model, &options, &l.policy, &error))
        fail_msg("%s", error.text);
    assert_int_equal(jbw_world_add_agent(l.world, NULL, &l.agent), JBW_OK);
    return l;
}

static inline void live(const life *l, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(jbw_policy_step(l->policy, l->world, l->agent, NULL), JBW_OK);
}

static inline void end_life(life *l)
{
    jbw_policy_destroy(l->policy);
    jbw_world_destroy(l->world);
}

static inline double metric_of(const jbw_policy *policy, const char *name)
{
    jbw_policy_metric metric;
    for (size_t i = 0; jbw_policy_get_metric(policy, i, &metric); i++)
        if (strcmp(metric.name, name) == 0) return metric.value;
    fail_msg("no metric %s", name);
    return 0.0;
}

static inline void expect_setting(const jbw_policy *policy, const char *name, const char *value)
{
    jbw_policy_setting_info info;
    char found[64];
    for (size_t i = 0; jbw_policy_describe_setting(jbw_policy_get_name(policy), i, &info); i++) {
        if (strcmp(info.name, name) != 0) continue;
        assert_true(jbw_policy_get_setting(policy, i, found, sizeof found));
        if (strcmp(found, value) != 0) fail_msg("%s: %s, not %s", name, found, value);
        return;
    }
    fail_msg("no setting %s", name);
}

/// Creating this policy with one setting fails, with this message.
static inline void expect_error(const jbw_model *model, const char *policy_name, const char *name,
                                const char *value, jbw_status status, const char *text)
{
    const jbw_policy_setting setting = {name, value};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_policy *policy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create(policy_name, model, &options, &policy, &error), status);
    assert_null(policy);
    assert_string_equal(error.text, text);
}

#endif
