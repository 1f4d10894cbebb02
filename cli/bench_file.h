// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Results of `jbw bench` in a CSV file: one row per figure, and one for each fact about the run.
///
///     bench,world,setup,figure,value
///     run,,,version,0.1.0
///     run,,,cores,2
///     step,scent,case=generated agents=1,ns_per_step,403.1
///
/// docs/benchmarks.md describes the columns.
#ifndef JBW_CLI_BENCH_FILE_H
#define JBW_CLI_BENCH_FILE_H

#include "bench/bench.h"
#include "verb.h"

typedef enum jbw_bench_fact {
    JBW_FACT_VERSION,
    JBW_FACT_COMPILER,
    JBW_FACT_CPU,
    JBW_FACT_CORES,
    JBW_FACT_DATE,
    JBW_FACT_SEED,
    JBW_FACT_REPEATS,
    JBW_FACT_STEPS,
    JBW_FACT_COUNT,
} jbw_bench_fact;

/// The results of one run. All zero is empty.
typedef struct jbw_bench_results {
    char facts[JBW_FACT_COUNT][JBW_FIGURE_TEXT_SIZE]; // empty if unknown
    jbw_figures figures;
} jbw_bench_results;

const char *jbw_bench_fact_name(jbw_bench_fact fact);

/// Fills in the facts about this machine and this run.
void jbw_bench_results_describe(jbw_bench_results *results, const jbw_bench_options *options);

/// Reads a file of --csv, or of --json, which has no facts. Errors are reported on stderr as
/// FILE:LINE: error: TEXT.
jbw_verb_status jbw_bench_results_read(jbw_bench_results *results, const char *path);

/// Adds a figure that stands in a line of a file, unless it is repeated or one too many.
jbw_verb_status jbw_bench_results_keep(jbw_bench_results *results, const char *path, int line,
                                       const jbw_figure *figure);

/// Reports that a line of a file is not valid.
jbw_verb_status jbw_bench_results_reject(const char *path, int line, const char *problem);

/// Writes a file atomically: on failure, an existing file is unchanged.
jbw_verb_status jbw_bench_results_write(const jbw_bench_results *results, const char *path);

void jbw_bench_results_free(jbw_bench_results *results);

#endif
