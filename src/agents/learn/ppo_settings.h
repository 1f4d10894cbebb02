// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The settings of the policy "ppo": names, ranges, presets.
#ifndef JBW_AGENTS_LEARN_PPO_SETTINGS_H
#define JBW_AGENTS_LEARN_PPO_SETTINGS_H

#include "agents/learn/ppo.h"
#include "agents/settings.h"

/// Fields of jbw_ppo_options.
extern const jbw_setting jbw_ppo_settings[];

/// The options of a learner in this world: those of the preset, changed by the settings.
jbw_status jbw_ppo_options_read(const jbw_model *model, const jbw_policy_setting *settings,
                                size_t count, jbw_ppo_options *out, jbw_error *error);

#endif
