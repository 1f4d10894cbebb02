// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The verbs of `jbw atlas`.
#ifndef JBW_CLI_ATLAS_VERBS_H
#define JBW_CLI_ATLAS_VERBS_H

#include <signal.h>

#include "atlas_option.h"

jbw_verb_status jbw_cmd_atlas_build(int argc, char **argv);
jbw_verb_status jbw_cmd_atlas_verify(int argc, char **argv);

/// Opens the folder that was asked for, or says that none was.
jbw_verb_status jbw_atlas_verb_open(const jbw_atlas_request *request, const char *verb,
                                    uint64_t limit, jbw_atlas **out);

/// Becomes 1 with an interrupt, once it is watched for; a second interrupt ends the program.
extern volatile sig_atomic_t jbw_atlas_verb_is_interrupted;
void jbw_atlas_verb_watch_interrupts(void);

#endif
