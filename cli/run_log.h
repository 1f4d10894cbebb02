// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a run has earned: the reward rate over a moving window, as it went, and where the agent was.
#ifndef JBW_CLI_RUN_LOG_H
#define JBW_CLI_RUN_LOG_H

#include <stdio.h>

#include "jbw/jbw.h"

enum { JBW_RUN_MOST_WINDOW = 100000000 };

typedef struct jbw_run_log {
    size_t window;
    double *recent; // (window): the latest rewards, a ring
    size_t filled;
    size_t at;
    double window_sum;
    uint64_t steps;
    double total;
    uint64_t collected[JBW_MAX_ITEM_TYPES];

    // the curve, a row every `interval` steps, of which every `point_stride`-th is drawn
    uint64_t interval;
    uint64_t point_stride;
    double *times;
    double *rates;
    size_t point_count;
    size_t point_capacity;

    jbw_position *path; // every `stride`-th cell, if it is wanted
    size_t path_count;
    size_t path_capacity;
    uint64_t stride;
    bool has_path;

    FILE *csv; // or NULL
} jbw_run_log;

/// Begins a log with so many steps between rows. False when memory runs out.
bool jbw_run_log_init(jbw_run_log *log, uint64_t interval, size_t window, bool has_path);
void jbw_run_log_deinit(jbw_run_log *log);

/// Adds a step. False when memory runs out.
bool jbw_run_log_add(jbw_run_log *log, double reward, int collected, jbw_position position,
                     uint64_t time);

/// Reward per step over the window, or over what there is of it.
double jbw_run_log_rate(const jbw_run_log *log);

/// Appends all of it but the path to a buffer. False when memory runs out.
bool jbw_run_log_save(const jbw_run_log *log, jbw_buffer *out);

/// Begins a log as it was saved. JBW_INVALID_DATA if that is not what the bytes are.
jbw_status jbw_run_log_load(jbw_run_log *log, const void *bytes, size_t size, bool has_path);

/// Opens a file for the rows. One that is gone on with keeps the rows up to `time`; those behind
/// them will come again. False if it cannot be written, or is something else.
bool jbw_run_log_open_csv(jbw_run_log *log, const char *path, bool goes_on, uint64_t time);

#endif
