// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The `jbw` tool: finds the verb and runs it. CONTRIBUTING.md says how to add one.

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jbw/base.h"
#include "verb.h"

typedef struct verb {
    const char *name;
    jbw_verb_status (*run)(int argc, char **argv);
    const char *purpose;
} verb;

static const verb verbs[] = {
    {"bench", jbw_cmd_bench, "measure speed and memory"},
    {"check", jbw_cmd_check, "check a world and describe it"},
    {"inspect", jbw_cmd_inspect, "describe a snapshot, a recording or a world"},
    {"movie", jbw_cmd_movie, "turn a recording into a video"},
    {"render", jbw_cmd_render, "draw a region of a world to a PNG file"},
    {"replay", jbw_cmd_replay, "replay a recording and verify it"},
    {"run", jbw_cmd_run, "run an agent in a world and report its reward"},
#ifdef JBW_HAS_NET
    {"serve", jbw_cmd_serve, "serve a world to programs and browsers"},
    {"view", jbw_cmd_view, "show a recording or a snapshot in a browser"},
#endif
    {"worlds", jbw_cmd_worlds, "list the shipped worlds, or print one"},
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_help(FILE *file)
{
    fprintf(file, "usage: jbw VERB [ARGUMENTS]\n"
                  "\n"
                  "Jelly Bean World: endless worlds for never-ending learning.\n"
                  "\n"
                  "verbs:\n");
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(file, "  %-10s %s\n", verbs[i].name, verbs[i].purpose);
    fprintf(file, "\n"
                  "  jbw VERB --help    help for a verb\n"
                  "  jbw --version      print the version\n"
                  "\n"
                  "exit codes: 0 success, 1 the work failed, 2 bad usage or bad input\n");
}

static jbw_verb_status reject_verb(const char *name)
{
    const char *names[VERB_COUNT];
    for (size_t i = 0; i < VERB_COUNT; i++) names[i] = verbs[i].name;
    const char *nearest = jbw_nearest_name(name, strlen(name), names, VERB_COUNT);
    if (nearest)
        fprintf(stderr, "jbw: unknown verb '%s', did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "jbw: unknown verb '%s'; see jbw --help\n", name);
    return JBW_VERB_BAD_INPUT;
}

static jbw_verb_status run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return JBW_VERB_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return JBW_VERB_HELPED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("jbw %s\n", jbw_version());
        return JBW_VERB_OK;
    }
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) return verbs[i].run(argc - 2, argv + 2);
    return reject_verb(argv[1]);
}

int main(int argc, char **argv)
{
    // a file that exceeds `ulimit -f` is then an error like a full disk, and does not end the program
    signal(SIGXFSZ, SIG_IGN);
    const int code = jbw_verb_exit_code(run(argc, argv));

    // output that cannot be written, to a full disk for instance, is work that failed
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "jbw: the output cannot be written\n");
    return code == 0 ? jbw_verb_exit_code(JBW_VERB_FAILED) : code;
}
