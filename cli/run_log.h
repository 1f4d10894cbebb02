// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The statistics of a run: the reward rate over a moving window, its curve, and the agent's path.
#ifndef JBW_CLI_RUN_LOG_H
#define JBW_CLI_RUN_LOG_H

#include <stdio.h>

#include "jbw/jbw.h"

enum { JBW_RUN_MAX_WINDOW = 100000000 };

typedef struct jbw_run_log {
    size_t window;
    double *recent; // (window): the latest rewards, a ring
    size_t filled;
    size_t at;
    double window_sum;
    uint64_t steps;
    double total;
    uint64_t collected[JBW_MAX_ITEM_TYPES];

    // the curve: a row every `interval` steps, and every `point_stride`-th row is a point
    uint64_t interval;
    uint64_t point_stride;
    double *times;
    double *rates;
    size_t point_count;
    size_t point_capacity;

    jbw_position *path; // every `stride`-th cell, if `has_path`
    size_t path_count;
    size_t path_capacity;
    uint64_t stride;
    bool has_path;

    FILE *csv; // may be NULL
} jbw_run_log;

/// Starts a log with a row every `interval` steps. False when memory runs out.
bool jbw_run_log_init(jbw_run_log *log, uint64_t interval, size_t window, bool has_path);
void jbw_run_log_deinit(jbw_run_log *log);

/// Adds a step. False when memory runs out.
bool jbw_run_log_add(jbw_run_log *log, double reward, int collected, jbw_position position,
                     uint64_t time);

/// Reward per step over the window, or over all steps while there are fewer.
double jbw_run_log_rate(const jbw_run_log *log);

/// Appends everything but the path to a buffer. False when memory runs out.
bool jbw_run_log_save(const jbw_run_log *log, jbw_buffer *out);

/// Restores a saved log. JBW_INVALID_DATA if the bytes are damaged.
jbw_status jbw_run_log_load(jbw_run_log *log, const void *bytes, size_t size, bool has_path);

/// Opens a CSV file for the rows. If `appends`, the rows of an existing file are kept up to `time`;
/// the run is about to write the later ones again. False if the file cannot be written, or was not
/// written by a log.
bool jbw_run_log_open_csv(jbw_run_log *log, const char *path, bool appends, uint64_t time);

#endif
