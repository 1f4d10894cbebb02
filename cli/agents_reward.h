// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The reward of agents that a verb lets act.
#ifndef JBW_CLI_AGENTS_REWARD_H
#define JBW_CLI_AGENTS_REWARD_H

#include "jbw/reward.h"
#include "verb.h"

/// Compiles a reward, and writes it in full; `text` may be NULL: collecting the first item type.
/// Destroy the reward, and free the text. Errors are reported on stderr as --reward:LINE:COLUMN.
jbw_verb_status jbw_reward_for_agents(const char *verb, const jbw_model *model, const char *text,
                                      jbw_reward **out, char **out_text);

#endif
