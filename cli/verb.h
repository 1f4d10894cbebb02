// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The verbs of the `jbw` tool, and the status that they and their steps return.
#ifndef JBW_CLI_VERB_H
#define JBW_CLI_VERB_H

#include "jbw/base.h"

/// The whole tool: finds the verb of a command line and runs it. Returns the exit code.
JBW_API int jbw_tool_main(int argc, char **argv);

/// The result of a verb, or of one step of it. JBW_VERB_OK is zero, so `if (status)` reads as "if
/// the verb ends here". `main` turns it into an exit code.
typedef enum jbw_verb_status {
    JBW_VERB_OK,        // exit code 0
    JBW_VERB_FAILED,    // 1: the work failed
    JBW_VERB_BAD_INPUT, // 2: bad usage, or bad input
    JBW_VERB_HELPED,    // 0: the help was printed, and nothing is left to do
} jbw_verb_status;

int jbw_verb_exit_code(jbw_verb_status status);

/// Prints "jbw VERB: MESSAGE" to stderr. Returns JBW_VERB_FAILED.
jbw_verb_status jbw_verb_fail(const char *verb, const char *format, ...) JBW_PRINTF(2, 3);

/// The same for bad usage and bad input. Returns JBW_VERB_BAD_INPUT.
jbw_verb_status jbw_verb_reject(const char *verb, const char *format, ...) JBW_PRINTF(2, 3);

/// Each verb gets the arguments after its name.
jbw_verb_status jbw_cmd_atlas(int argc, char **argv);
jbw_verb_status jbw_cmd_bench(int argc, char **argv);
jbw_verb_status jbw_cmd_check(int argc, char **argv);
jbw_verb_status jbw_cmd_inspect(int argc, char **argv);
jbw_verb_status jbw_cmd_movie(int argc, char **argv);
jbw_verb_status jbw_cmd_render(int argc, char **argv);
jbw_verb_status jbw_cmd_replay(int argc, char **argv);
jbw_verb_status jbw_cmd_run(int argc, char **argv);
jbw_verb_status jbw_cmd_serve(int argc, char **argv);
jbw_verb_status jbw_cmd_view(int argc, char **argv);
jbw_verb_status jbw_cmd_worlds(int argc, char **argv);

#endif
