// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Benchmarks: each measures one thing and reports figures with their unit in the name. Where there
/// is a slow twin it runs in the same process, so that the ratio survives a noisy machine.
#ifndef JBW_BENCH_BENCH_H
#define JBW_BENCH_BENCH_H

#include "jbw/jbw.h"

typedef struct jbw_bench_options {
    bool is_json; // one object a line, else a table
    uint64_t seed;
    int repeats;            // the best of so many counts
    int64_t steps;          // for the long ones; zero is their default
    int generation_threads; // of invariant worlds, besides the one that walks
    const char *only;       // one world, or NULL for all that the benchmark has
} jbw_bench_options;

/// A benchmark and its name on the command line. Returns false if it could not be run, having said
/// why on stderr.
typedef struct jbw_bench {
    const char *name;
    bool is_long; // runs only when named
    bool (*run)(const jbw_bench_options *options);
    const char *purpose;
} jbw_bench;

extern const jbw_bench jbw_benches[];
extern const size_t jbw_bench_count;

bool jbw_bench_batch(const jbw_bench_options *options);
bool jbw_bench_generate(const jbw_bench_options *options);
bool jbw_bench_memory(const jbw_bench_options *options);
bool jbw_bench_net(const jbw_bench_options *options);
bool jbw_bench_save(const jbw_bench_options *options);
bool jbw_bench_straight(const jbw_bench_options *options);
bool jbw_bench_step(const jbw_bench_options *options);
bool jbw_bench_view(const jbw_bench_options *options);
bool jbw_bench_lifetime(const jbw_bench_options *options);

/// Seconds of a clock that only goes forward.
double jbw_bench_now(void);

/// Reads a world and compiles it, saying on stderr why if that fails.
bool jbw_bench_open(const char *world, jbw_config **config, jbw_model **model);

/// Reporting: begin, then figures, then end.
void jbw_report_begin(const jbw_bench_options *options, const char *bench, const char *world);
void jbw_report_figure(const jbw_bench_options *options, const char *name, double value);
void jbw_report_text(const jbw_bench_options *options, const char *name, const char *text);
void jbw_report_end(const jbw_bench_options *options);

#endif
