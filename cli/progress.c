// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double jbw_progress_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void jbw_progress_begin(jbw_progress *progress, const char *what, uint64_t total)
{
    *progress = (jbw_progress){.what = what, .total = total, .is_shown = isatty(STDERR_FILENO)};
    if (!progress->is_shown) return;
    progress->started = jbw_progress_now();
    progress->drawn = progress->started; // short work shows no bar
}

void jbw_progress_update(jbw_progress *progress, uint64_t done)
{
    enum { WIDTH = 32 };
    if (!progress->is_shown || progress->total == 0) return;
    const double time = jbw_progress_now();
    if (time - progress->drawn < 0.1) return;
    progress->drawn = time;

    const double share = (double)done / (double)progress->total;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(share * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f%%", progress->what, bar, share * 100.0);
    if (share > 0.01)
        fprintf(stderr, ", %.0f s left ", (time - progress->started) * (1.0 - share) / share);
    if (progress->note[0] != '\0') fprintf(stderr, ", %s", progress->note);
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

double jbw_progress_rate(const jbw_progress *progress, uint64_t done)
{
    const double seconds = jbw_progress_now() - progress->started;
    return seconds > 0.0 ? (double)done / seconds : 0.0;
}

void jbw_progress_end(jbw_progress *progress)
{
    if (progress->is_shown) fprintf(stderr, "\r\033[K");
    progress->is_shown = false;
}
