// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "jbw/base.h"

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} verb;

static const verb verbs[] = {
    {"bench", jbw_cmd_bench, "measure how fast worlds are made"},
    {"check", jbw_cmd_check, "say what is wrong with a world, or what is in it"},
    {"inspect", jbw_cmd_inspect, "tell what is in a snapshot, a recording or a world"},
    {"movie", jbw_cmd_movie, "turn a recording into a film"},
    {"render", jbw_cmd_render, "draw a region of a world into a PNG file"},
    {"replay", jbw_cmd_replay, "replay and verify what was recorded"},
    {"run", jbw_cmd_run, "let an agent live in a world, and see how it fares"},
#ifdef JBW_HAS_NET
    {"serve", jbw_cmd_serve, "let others watch a world, and act in it"},
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
                  "  jbw VERB --help    more about a verb\n"
                  "  jbw --version      the version\n"
                  "\n"
                  "exits with 0 if all went well, 1 if the work failed, 2 on bad usage or bad "
                  "input\n");
}

static int fail_unknown(const char *name)
{
    const char *names[VERB_COUNT];
    for (size_t i = 0; i < VERB_COUNT; i++) names[i] = verbs[i].name;
    const char *nearest = jbw_nearest_name(name, strlen(name), names, VERB_COUNT);
    if (nearest)
        fprintf(stderr, "jbw: unknown verb '%s', did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "jbw: unknown verb '%s', see jbw --help\n", name);
    return JBW_EXIT_USAGE;
}

// what was printed but could not be written, to a full disk say, is work that failed
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "jbw: the output cannot be written\n");
    return code == JBW_EXIT_GOOD ? JBW_EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return JBW_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return finish(JBW_EXIT_GOOD);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("jbw %s\n", jbw_version());
        return finish(JBW_EXIT_GOOD);
    }
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) return finish(verbs[i].run(argc - 2, argv + 2));
    return fail_unknown(argv[1]);
}
