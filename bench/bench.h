// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Benchmarks. Each measures one thing and reports figures with their unit in the name. Where there
/// is a slow twin, it runs in the same process, so that the ratio holds on a noisy machine.
#ifndef JBW_BENCH_BENCH_H
#define JBW_BENCH_BENCH_H

#include "jbw/jbw.h"
#include "report.h"

typedef struct jbw_bench_options {
    uint64_t seed;
    int repeats;            // the best of this many runs counts
    int64_t steps;          // zero is the default of the benchmark
    int generation_threads; // of invariant worlds
    jbw_atlas *atlas;       // of `straight` and `young`; NULL for none
    const char *world;      // measure only this one; NULL is every world of the benchmark
    jbw_report *report;     // where the figures go
} jbw_bench_options;

/// A benchmark. `run` returns false, after reporting why on stderr, if it fails.
typedef struct jbw_bench {
    const char *name;
    bool is_long; // runs only if it is named
    bool (*run)(const jbw_bench_options *options);
    const char *purpose;
} jbw_bench;

extern const jbw_bench jbw_benches[];
extern const size_t jbw_bench_count;

bool jbw_bench_batch(const jbw_bench_options *options);
bool jbw_bench_generate(const jbw_bench_options *options);
bool jbw_bench_known(const jbw_bench_options *options);
bool jbw_bench_learn(const jbw_bench_options *options);
bool jbw_bench_lifetime(const jbw_bench_options *options);
bool jbw_bench_many(const jbw_bench_options *options);
bool jbw_bench_memory(const jbw_bench_options *options);
bool jbw_bench_net(const jbw_bench_options *options);
bool jbw_bench_save(const jbw_bench_options *options);
bool jbw_bench_step(const jbw_bench_options *options);
bool jbw_bench_straight(const jbw_bench_options *options);
bool jbw_bench_view(const jbw_bench_options *options);
bool jbw_bench_young(const jbw_bench_options *options);

// --- what benchmarks share ----------------------------------------------------------------------

/// Runs `measure` for each of the worlds that the options select. False once one of them fails.
bool jbw_bench_each(const jbw_bench_options *options, const char *const *worlds, size_t count,
                    bool (*measure)(const char *world, const jbw_bench_options *options));

/// Reads a world file with some keys overridden, and builds its model. On failure reports why on
/// stderr, and both are NULL.
bool jbw_bench_open(const char *world, const jbw_override *overrides, size_t override_count,
                    jbw_config **config, jbw_model **model);

/// The same, in which nothing is in the way. What blocks does not decide where items are.
bool jbw_bench_open_passable(const char *world, const jbw_override *overrides,
                             size_t override_count, jbw_config **config, jbw_model **model);

/// Reports on stderr why a world could not be measured. Returns false.
bool jbw_bench_fail(const char *world, jbw_status status);

/// Seconds of a monotonic clock, of the processor time of this thread, and of all threads.
double jbw_bench_now(void);
double jbw_bench_thread_cpu(void);
double jbw_bench_process_cpu(void);

/// Lowers `*least` to `seconds`; zero stands for no measurement yet.
void jbw_bench_keep_least(double *least, double seconds);

/// Sorts in ascending order, for medians and percentiles.
void jbw_bench_sort(double *values, size_t count);

#endif
