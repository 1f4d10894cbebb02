// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A learner as bytes: both networks, optimizer, random streams, and the whole replay.
#ifndef JBW_AGENTS_LEARN_DQN_SAVE_H
#define JBW_AGENTS_LEARN_DQN_SAVE_H

#include "agents/learn/dqn.h"
#include "base/bytes.h"

void jbw_dqn_save(const jbw_dqn *dqn, jbw_writer *writer);

/// Into a learner with the same options that has not lived. Copes with any bytes; `reader->ok` is false if
/// they are invalid, and the learner then can only be deinitialized.
void jbw_dqn_load(jbw_dqn *dqn, jbw_reader *reader);

#endif
