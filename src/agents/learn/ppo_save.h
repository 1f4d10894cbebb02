// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A learner as bytes: weights, optimizer, random stream, and what it has lived since its latest update.
#ifndef JBW_AGENTS_LEARN_PPO_SAVE_H
#define JBW_AGENTS_LEARN_PPO_SAVE_H

#include "agents/learn/ppo.h"
#include "base/bytes.h"

void jbw_ppo_save(const jbw_ppo *ppo, jbw_writer *writer);

/// Into a learner with the same options. Copes with any bytes; `reader->ok` is false if they are invalid,
/// and the learner then can only be deinitialized.
void jbw_ppo_load(jbw_ppo *ppo, jbw_reader *reader);

#endif
