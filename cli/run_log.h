// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a run has earned: the reward rate over a moving window, as it went, and where the agent was.
#ifndef JBW_CLI_RUN_LOG_H
#define JBW_CLI_RUN_LOG_H

#include <stdio.h>

#include "jbw/jbw.h"

typedef struct jbw_run_log {
    size_t window;
    double *recent; // (window): the latest rewards, a ring
    size_t filled;
    size_t at;
    double window_sum;
    uint64_t steps;
    double total;
    uint64_t collected[JBW_MAX_ITEM_TYPES];

    // the curve, a point every `interval` steps
    uint64_t interval;
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

/// Begins a log of at most `steps` steps. False when memory runs out.
bool jbw_run_log_init(jbw_run_log *log, uint64_t steps, size_t window, bool has_path);
void jbw_run_log_deinit(jbw_run_log *log);

/// Adds a step. False when memory runs out.
bool jbw_run_log_add(jbw_run_log *log, double reward, int collected, jbw_position position,
                     uint64_t time);

/// Reward per step over the window, or over what there is of it.
double jbw_run_log_rate(const jbw_run_log *log);

#endif
