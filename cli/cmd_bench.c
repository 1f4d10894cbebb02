// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "options.h"
#include "verb.h"

static const char verb[] = "bench";

enum { MAX_NAMES = 16 };

static const jbw_bench *find_bench(const char *name)
{
    for (size_t i = 0; i < jbw_bench_count; i++)
        if (strcmp(jbw_benches[i].name, name) == 0) return &jbw_benches[i];
    fprintf(stderr, "jbw bench: there is no benchmark '%s'; there are:", name);
    for (size_t i = 0; i < jbw_bench_count; i++) fprintf(stderr, " %s", jbw_benches[i].name);
    fprintf(stderr, "\n");
    return NULL;
}

jbw_verb_status jbw_cmd_bench(int argc, char **argv)
{
    jbw_bench_options bench = {.seed = 1, .repeats = 3};
    int steps = 0;
    const char *names[MAX_NAMES];
    const jbw_option options[] = {
        {"--json", JBW_OPTION_FLAG, &bench.is_json, NULL, "print one JSON object a line"},
        {"--world", JBW_OPTION_TEXT, &bench.only, "NAME", "only this world"},
        {"--seed", JBW_OPTION_UINT64, &bench.seed, "S", "the seed of the worlds (1)"},
        {"--repeats", JBW_OPTION_INT, &bench.repeats, "N", "the best of N counts (3)"},
        {"--steps", JBW_OPTION_INT, &steps, "N", "how far to walk"},
        {"--generation-threads", JBW_OPTION_THREADS, &bench.generation_threads, "N",
         "threads that make invariant worlds ahead, in generate and straight (0)"},
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "[NAME...] [OPTIONS]",
        .purpose =
            "Measures speed and memory. Without a name, everything that does not take long:\n"
            "    generate  making new patches of both kinds of maps, beside the slow twin\n"
            "    step      agents that move, see and smell, beside the slow twin\n"
            "    batch     many worlds at once, with one thread and two\n"
            "    save      saving, reading and copying a thousand patches\n"
            "    net       a world that is served: turns, crowds and viewers\n"
            "    view      a world of one's own that others may watch\n"
            "    lifetime  steps as above after ten million steps lived (long)\n"
            "    straight  ten million steps straight on in invariant worlds (long)\n"
            "    memory    a straight walk of a million steps and what it leaves (long)\n",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .max_arguments = MAX_NAMES,
        .arguments = names,
    };
    const jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    if (bench.repeats < 1) return jbw_verb_reject(verb, "--repeats: expected at least 1");
    if (steps < 0) return jbw_verb_reject(verb, "--steps: expected at least 0");
    bench.steps = steps;

    for (size_t i = 0; i < line.argument_count; i++)
        if (!find_bench(names[i])) return JBW_VERB_BAD_INPUT;
    for (size_t i = 0; i < jbw_bench_count; i++) {
        bool is_wanted = line.argument_count == 0 && !jbw_benches[i].is_long;
        for (size_t j = 0; j < line.argument_count; j++)
            if (strcmp(jbw_benches[i].name, names[j]) == 0) is_wanted = true;
        if (is_wanted && !jbw_benches[i].run(&bench)) return JBW_VERB_FAILED;
    }
    return JBW_VERB_OK;
}
