// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Finds the verb and runs it. CONTRIBUTING.md says how to add one.

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jbw/base.h"
#include "verb.h"

// why a verb is not in this program; the command of the Python package runs its own before it asks here
static const char in_package[] = "it is part of the Python package: pip install jbw";
#ifdef JBW_NET
#define NET_VERB(function) function, NULL
#else
static const char without_net[] = "this jbw was built without the network (JBW_NET=OFF)";
#define NET_VERB(function) NULL, without_net
#endif

typedef struct verb {
    const char *name;
    const char *purpose;
    jbw_verb_status (*run)(int argc, char **argv); // or NULL, and
    const char *reason;                            // why not
} verb;

static const verb verbs[] = {
    {"atlas", "keep the patches of invariant worlds in a folder", jbw_cmd_atlas, NULL},
    {"bench", "measure speed and memory", jbw_cmd_bench, NULL},
    {"check", "check a world and describe it", jbw_cmd_check, NULL},
    {"inspect", "describe a snapshot, a recording or a world", jbw_cmd_inspect, NULL},
    {"movie", "turn a recording into a video", jbw_cmd_movie, NULL},
    {"render", "draw a region of a world to a PNG file", jbw_cmd_render, NULL},
    {"replay", "replay a recording and verify it", jbw_cmd_replay, NULL},
    {"run", "run an agent in a world and report its reward", jbw_cmd_run, NULL},
    {"serve", "serve a world to programs and browsers", NET_VERB(jbw_cmd_serve)},
    {"view", "show a recording or a snapshot in a browser", NET_VERB(jbw_cmd_view)},
    {"worlds", "list the shipped worlds, or print one", jbw_cmd_worlds, NULL},
    {"experiments", "run, plot and report the paper's case studies", NULL, in_package},
    {"play", "play in the terminal", NULL, in_package},
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_verbs(FILE *file, const char *title, const char *reason)
{
    fprintf(file, "%s:\n", title);
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (verbs[i].reason == reason)
            fprintf(file, "  %-12s %s\n", verbs[i].name, verbs[i].purpose);
    fputs("\n", file);
}

static void print_help(FILE *file)
{
    fprintf(file, "usage: jbw VERB [ARGUMENTS]\n"
                  "\n"
                  "Jelly Bean World: endless worlds for never-ending learning.\n"
                  "\n");
    print_verbs(file, "verbs", NULL);
    print_verbs(file, "with the Python package", in_package);
#ifndef JBW_NET
    print_verbs(file, "left out of this build, for want of the network", without_net);
#endif
    fprintf(file, "  jbw VERB --help    help for a verb\n"
                  "  jbw --version      print the version\n"
                  "\n"
                  "exit codes: 0 success, 1 the work failed, 2 bad usage or bad input\n");
}

static void print_version(void)
{
    printf("jbw %s\n", jbw_version());
#ifndef JBW_NET
    printf("without the network (JBW_NET=OFF)\n");
#endif
#ifndef JBW_PICTURES
    printf("without PNG files (JBW_PICTURES=OFF)\n");
#endif
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
        print_version();
        return JBW_VERB_OK;
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(argv[1], verbs[i].name) != 0) continue;
        if (!verbs[i].run) return jbw_verb_reject(argv[1], "%s", verbs[i].reason);
        return verbs[i].run(argc - 2, argv + 2);
    }
    return reject_verb(argv[1]);
}

int jbw_tool_main(int argc, char **argv)
{
    // a file that exceeds `ulimit -f` is then an error like a full disk, and does not end the program
    signal(SIGXFSZ, SIG_IGN);
    const int code = jbw_verb_exit_code(run(argc, argv));

    // output that cannot be written, to a full disk for instance, is work that failed
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "jbw: the output cannot be written\n");
    return code == 0 ? jbw_verb_exit_code(JBW_VERB_FAILED) : code;
}
