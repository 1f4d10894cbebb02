// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Results of `jbw bench --json`: one object per line, with the parameters and the figures of a
/// measurement, and a `setup` that says which are the parameters.
///
///     {"bench": "batch", "world": "scent", "worlds": 64, "ns_per_step": 403, "setup": "worlds=64"}
#ifndef JBW_CLI_BENCH_JSON_H
#define JBW_CLI_BENCH_JSON_H

#include "bench_file.h"

/// True if a text looks like such results.
bool jbw_bench_json_is(const char *text);

/// Adds the figures of all lines; the results of comparisons are left out. Errors are reported on
/// stderr as FILE:LINE: error: TEXT.
jbw_verb_status jbw_bench_json_read(jbw_bench_results *results, const char *path, const char *text);

#endif
