// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The reward to plot for a recording.
#ifndef JBW_CLI_RECORDED_REWARD_H
#define JBW_CLI_RECORDED_REWARD_H

#include "jbw/jbw.h"
#include "verb.h"

/// Compiles `text`, or if that is NULL the reward that `jbw run` noted in the recording. `*out` is
/// NULL if there is neither; destroy it otherwise. A reward that does not fit the world is rejected.
jbw_verb_status jbw_recording_reward(jbw_recording *recording, const char *verb, const char *path,
                                     const char *text, jbw_reward **out);

#endif
