// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Lives the recorded life of a learner again: the same policy, trained in the replayed world, has to take
/// the recorded actions and to have the recorded weights.
#ifndef JBW_CLI_RELEARN_H
#define JBW_CLI_RELEARN_H

#include "jbw/recording.h"
#include "verb.h"

/// Replays from the beginning to the step that reaches `to`, or to the end (UINT64_MAX). Prints what
/// agreed; the first difference is reported on stderr.
jbw_verb_status jbw_relearn(jbw_recording *recording, const char *path, uint64_t to);

#endif
