// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "atlas_option.h"
#include "bench/bench.h"
#include "bench_compare.h"
#include "bench_file.h"
#include "file_info.h"
#include "options.h"
#include "verb.h"

enum { MAX_NAMES = 16 };

static const char verb[] = "bench";

/// The options of the command line.
typedef struct request {
    jbw_bench_options bench;
    jbw_atlas_request atlas;
    jbw_report report;
    const char *names[MAX_NAMES];
    jbw_bench_selection selection;
    const char *csv;
    const char *compare;
    double noise; // percent
    int steps;
} request;

// the help, with the name and the purpose of every benchmark
static void describe_benches(char *out, size_t size)
{
    int used = snprintf(out, size,
                        "Measures speed and memory. Without a NAME, runs all benchmarks "
                        "but the long ones:");
    for (size_t i = 0; i < jbw_bench_count && (size_t)used < size; i++)
        used += snprintf(out + used, size - (size_t)used, "\n    %-9s %s%s", jbw_benches[i].name,
                         jbw_benches[i].purpose, jbw_benches[i].is_long ? " (long)" : "");
}

static bool is_bench(const char *name)
{
    for (size_t i = 0; i < jbw_bench_count; i++)
        if (strcmp(jbw_benches[i].name, name) == 0) return true;
    return false;
}

static jbw_verb_status check_request(const request *q)
{
    for (size_t i = 0; i < q->selection.bench_count; i++) {
        if (is_bench(q->names[i])) continue;
        fprintf(stderr, "jbw bench: unknown benchmark '%s', expected one of", q->names[i]);
        for (size_t k = 0; k < jbw_bench_count; k++) fprintf(stderr, " %s", jbw_benches[k].name);
        fprintf(stderr, "\n");
        return JBW_VERB_BAD_INPUT;
    }
    if (q->bench.repeats < 1) return jbw_verb_reject(verb, "--repeats: expected at least 1");
    if (q->steps < 0) return jbw_verb_reject(verb, "--steps: expected at least 0");
    if (!(q->noise >= 0.0)) return jbw_verb_reject(verb, "--noise: expected at least 0");
    if (q->csv && !jbw_is_folder_writable(q->csv))
        return jbw_verb_fail(verb, "the folder of %s is missing or not writable", q->csv);
    return JBW_VERB_OK;
}

static jbw_verb_status measure(const request *q)
{
    for (size_t i = 0; i < jbw_bench_count; i++)
        if (jbw_bench_is_selected(&q->selection, &jbw_benches[i]) && !jbw_benches[i].run(&q->bench))
            return JBW_VERB_FAILED;
    if (!q->report.is_out_of_memory) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
}

static jbw_verb_status run(request *q, jbw_bench_results *old)
{
    jbw_verb_status status = q->compare ? jbw_bench_results_read(old, q->compare) : JBW_VERB_OK;
    if (!status) status = measure(q);
    if (status) return status;
    jbw_bench_results new = {.figures = q->report.figures};
    jbw_bench_results_describe(&new, &q->bench);
    if (q->compare)
        jbw_bench_compare(old, q->compare, &new, &q->selection, q->noise, q->report.is_json);
    return q->csv ? jbw_bench_results_write(&new, q->csv) : JBW_VERB_OK;
}

jbw_verb_status jbw_cmd_bench(int argc, char **argv)
{
    request q = {.bench = {.seed = 1, .repeats = 3}, .noise = 10.0};
    char purpose[2000];
    describe_benches(purpose, sizeof purpose);
    const jbw_option options[] = {
        {"--json", JBW_OPTION_FLAG, &q.report.is_json, NULL, "print one JSON object per line"},
        {"--csv", JBW_OPTION_TEXT, &q.csv, "FILE",
         "also write all figures to a CSV file, replacing an existing one"},
        {"--compare", JBW_OPTION_TEXT, &q.compare, "FILE",
         "print the ratio of each figure to the one in a file of --csv or --json"},
        {"--noise", JBW_OPTION_NUMBER, &q.noise, "PERCENT",
         "--compare marks figures that differ by more (10)"},
        {"--world", JBW_OPTION_TEXT, &q.bench.world, "NAME", "measure only this world"},
        {"--seed", JBW_OPTION_UINT64, &q.bench.seed, "S", "seed of the worlds (1)"},
        {"--repeats", JBW_OPTION_INT, &q.bench.repeats, "N",
         "measure N times and report the best (3)"},
        {"--steps", JBW_OPTION_INT, &q.steps, "N",
         "length of the walk in generate, lifetime, straight and memory"},
        {"--generation-threads", JBW_OPTION_THREADS, &q.bench.generation_threads, "N",
         "number of background threads that generate invariant worlds, in generate and straight "
         "(0)"},
        {"--atlas", JBW_OPTION_TEXT, &q.atlas.path, "DIR",
         "folder that keeps patches: straight walks twice, the second time with all of them kept"},
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "[NAME...] [OPTIONS]",
        .purpose = purpose,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .max_arguments = MAX_NAMES,
        .arguments = q.names,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    q.bench.steps = q.steps;
    q.bench.report = &q.report;
    q.selection = (jbw_bench_selection){
        .benches = q.names, .bench_count = line.argument_count, .world = q.bench.world};
    status = check_request(&q);
    if (status) return status;

    jbw_bench_results old = {0};
    status = q.atlas.path ? jbw_atlas_request_open(&q.atlas, verb, &q.bench.atlas) : JBW_VERB_OK;
    if (!status) status = run(&q, &old);
    jbw_atlas_close(q.bench.atlas);
    jbw_bench_results_free(&old);
    jbw_figures_free(&q.report.figures);
    return status;
}
