// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The verbs of the `jbw` tool. Each gets what stands behind its name on the command line and
/// returns what the tool exits with.
#ifndef JBW_CLI_COMMANDS_H
#define JBW_CLI_COMMANDS_H

enum {
    JBW_EXIT_GOOD = 0,
    JBW_EXIT_FAILED = 1, // the work failed
    JBW_EXIT_USAGE = 2,  // bad usage, or bad input
};

int jbw_cmd_bench(int argc, char **argv);
int jbw_cmd_check(int argc, char **argv);
int jbw_cmd_inspect(int argc, char **argv);
int jbw_cmd_movie(int argc, char **argv);
int jbw_cmd_render(int argc, char **argv);
int jbw_cmd_replay(int argc, char **argv);
int jbw_cmd_run(int argc, char **argv);
int jbw_cmd_serve(int argc, char **argv);
int jbw_cmd_view(int argc, char **argv);
int jbw_cmd_worlds(int argc, char **argv);

#endif
