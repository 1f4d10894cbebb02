// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/models.h"

jbw_model *model_of(const jbw_config *config)
{
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_create(config, &model, &error)) fail_msg("%s", error.text);
    return model;
}

jbw_model *varied_model(int mh_iterations)
{
    const jbw_config config = varied_config(mh_iterations);
    return model_of(&config);
}

jbw_world *world_of(const jbw_model *model, uint64_t seed)
{
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, seed, &world), JBW_OK);
    return world;
}

jbw_world *clone_of(const jbw_world *world)
{
    jbw_world *clone;
    assert_int_equal(jbw_world_clone(world, &clone), JBW_OK);
    return clone;
}

void explore_cell(jbw_world *world, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_explore(world, &(jbw_position){x, y}, 1), JBW_OK);
}

jbw_reward *reward_of(const jbw_model *model, const char *text)
{
    jbw_reward *reward;
    jbw_error error = {0};
    if (jbw_reward_compile(model, text, NULL, 0, &reward, &error))
        fail_msg("'%s': %d:%d: %s", text, error.line, error.column, error.text);
    return reward;
}

jbw_policy *reloaded(const jbw_policy *policy, const jbw_model *model, const jbw_reward *reward)
{
    jbw_buffer saved = {0};
    assert_int_equal(jbw_policy_save(policy, &saved), JBW_OK);
    jbw_policy *copy;
    assert_int_equal(jbw_policy_load(saved.bytes, saved.size, model, reward, &copy, NULL), JBW_OK);
    jbw_buffer_free(&saved);
    return copy;
}

jbw_policy *policy_of(const char *name, const jbw_model *model, const jbw_reward *reward,
                      uint64_t seed)
{
    jbw_policy *policy;
    jbw_error error = {0};
    const jbw_policy_options options = {.reward = reward, .seed = seed};
    if (jbw_policy_create(name, model, &options, &policy, &error)) fail_msg("%s", error.text);
    return policy;
}

jbw_buffer encode_world(const jbw_world *world)
{
    jbw_buffer bytes = {0};
    assert_int_equal(jbw_world_encode(world, &bytes), JBW_OK);
    return bytes;
}

jbw_world *decode_world(const jbw_buffer *bytes, const jbw_load_options *options, jbw_model **model)
{
    jbw_world *world;
    jbw_error error = {0};
    if (jbw_world_decode(bytes->bytes, bytes->size, options, model, &world, &error))
        fail_msg("%s", error.text);
    return world;
}

jbw_world *replaced_world(jbw_world *world, bool is_saved)
{
    jbw_buffer bytes = encode_world(world);
    const jbw_load_options options = {.model = jbw_world_model(world)};
    jbw_model *made = NULL;
    jbw_world *other = is_saved ? decode_world(&bytes, &options, &made) : clone_of(world);
    assert_null(made);
    assert_true(jbw_world_hash(other) == jbw_world_hash(world));
    jbw_buffer again = encode_world(other);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.bytes, bytes.bytes, bytes.size);
    jbw_buffer_free(&again);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    return other;
}
