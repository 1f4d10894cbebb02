// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Compares the results of two runs of `jbw bench`.
#ifndef JBW_CLI_BENCH_COMPARE_H
#define JBW_CLI_BENCH_COMPARE_H

#include "bench_file.h"

/// Which of the old figures the new run measured: others are not missing from it.
typedef struct jbw_bench_selection {
    const char *const *benches; // NULL and zero: every benchmark that is not long
    size_t bench_count;
    const char *world; // NULL: every world
} jbw_bench_selection;

/// True if a benchmark with that name runs.
bool jbw_bench_is_selected(const jbw_bench_selection *selection, const jbw_bench *bench);

/// Prints the ratio new/old of each figure. Those that differ by more than `noise` percent are
/// marked; figures in percent are compared by their difference, in percentage points. Figures that
/// only one side has are listed after the others.
void jbw_bench_compare(const jbw_bench_results *old, const char *old_path,
                       const jbw_bench_results *new, const jbw_bench_selection *selection,
                       double noise, bool is_json);

#endif
