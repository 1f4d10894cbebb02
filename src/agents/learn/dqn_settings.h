// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The settings of the policy "dqn": names, ranges, defaults.
#ifndef JBW_AGENTS_LEARN_DQN_SETTINGS_H
#define JBW_AGENTS_LEARN_DQN_SETTINGS_H

#include "agents/learn/dqn.h"
#include "agents/settings.h"

/// Fields of jbw_dqn_options.
extern const jbw_setting jbw_dqn_settings[];

/// The options of a learner in this world: the defaults, changed by the settings.
jbw_status jbw_dqn_options_read(const jbw_model *model, const jbw_policy_setting *settings,
                                size_t count, jbw_dqn_options *out, jbw_error *error);

#endif
