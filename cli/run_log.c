// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "run_log.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_POINTS = 2000,     // of the curve: more than a screen shows
    MOST_PATH = 1 << 22,    // cells of the path; beyond, every other one is dropped
    RESUM_INTERVAL = 65536, // steps after which the window is added up anew
};

bool jbw_run_log_init(jbw_run_log *log, uint64_t steps, size_t window, bool has_path)
{
    *log = (jbw_run_log){.window = window, .stride = 1, .has_path = has_path};
    log->interval = steps / MOST_POINTS > 0 ? steps / MOST_POINTS : 1;
    log->recent = calloc(window, sizeof *log->recent);
    return log->recent != NULL;
}

void jbw_run_log_deinit(jbw_run_log *log)
{
    free(log->recent);
    free(log->times);
    free(log->rates);
    free(log->path);
    *log = (jbw_run_log){0};
}

double jbw_run_log_rate(const jbw_run_log *log)
{
    return log->filled > 0 ? log->window_sum / (double)log->filled : 0.0;
}

static bool add_point(jbw_run_log *log, uint64_t time)
{
    if (log->point_count == log->point_capacity) {
        const size_t larger = log->point_capacity ? 2 * log->point_capacity : 256;
        double *times = realloc(log->times, larger * sizeof *times);
        if (times) log->times = times;
        double *rates = realloc(log->rates, larger * sizeof *rates);
        if (rates) log->rates = rates;
        if (!times || !rates) return false;
        log->point_capacity = larger;
    }
    const double rate = jbw_run_log_rate(log);
    log->times[log->point_count] = (double)time;
    log->rates[log->point_count++] = rate;
    if (log->csv) fprintf(log->csv, "%" PRIu64 ",%.9g,%.9g\n", time, rate, log->total);
    return true;
}

static bool add_cell(jbw_run_log *log, jbw_position position)
{
    if (!log->has_path || log->steps % log->stride != 0) return true;
    if (log->path_count == MOST_PATH) {
        for (size_t i = 0; i < MOST_PATH / 2; i++) log->path[i] = log->path[2 * i];
        log->path_count = MOST_PATH / 2;
        log->stride *= 2;
    }
    if (log->path_count == log->path_capacity) {
        const size_t larger = log->path_capacity ? 2 * log->path_capacity : 1024;
        jbw_position *path = realloc(log->path, larger * sizeof *path);
        if (!path) return false;
        log->path = path;
        log->path_capacity = larger;
    }
    log->path[log->path_count++] = position;
    return true;
}

bool jbw_run_log_add(jbw_run_log *log, double reward, int collected, jbw_position position,
                     uint64_t time)
{
    log->window_sum += reward - (log->filled == log->window ? log->recent[log->at] : 0.0);
    log->recent[log->at] = reward;
    log->at = (log->at + 1) % log->window;
    if (log->filled < log->window) log->filled++;
    log->steps++;
    log->total += reward;
    if (collected >= 0) log->collected[collected]++;

    // adding and taking away leaves rounding behind
    if (log->steps % RESUM_INTERVAL == 0) {
        log->window_sum = 0.0;
        for (size_t i = 0; i < log->filled; i++) log->window_sum += log->recent[i];
    }
    if (!add_cell(log, position)) return false;
    return log->steps % log->interval != 0 || add_point(log, time);
}
