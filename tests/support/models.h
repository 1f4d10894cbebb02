// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Models, worlds and what belongs to them. Each function fails the test, with the text of the
/// error, if it cannot create what it should; the test destroys the result.
#ifndef JBW_TESTS_MODELS_H
#define JBW_TESTS_MODELS_H

#include "support/checks.h"
#include "support/configs.h"

#include "jbw/policy.h"
#include "jbw/state.h"

jbw_model *model_of(const jbw_config *config);
jbw_model *varied_model(int mh_iterations); // of varied_config
jbw_world *world_of(const jbw_model *model, uint64_t seed);
jbw_world *clone_of(const jbw_world *world);

/// Generates what an agent in this cell would need.
void explore_cell(jbw_world *world, int64_t x, int64_t y);

jbw_reward *reward_of(const jbw_model *model, const char *text);
jbw_policy *policy_of(const char *name, const jbw_model *model, const jbw_reward *reward,
                      uint64_t seed);

/// The same policy, after it was saved and loaded.
jbw_policy *reloaded(const jbw_policy *policy, const jbw_model *model, const jbw_reward *reward);

/// A world as bytes, and a world from bytes. `model` receives the model that was created, or NULL
/// if the one in the options was used.
jbw_buffer encode_world(const jbw_world *world);
jbw_world *decode_world(const jbw_buffer *bytes, const jbw_load_options *options,
                        jbw_model **model);

/// Destroys a world and returns an equal one: its clone, or what it was saved and loaded as. Hash and
/// bytes must be the same.
jbw_world *replaced_world(jbw_world *world, bool is_saved);

#endif
