// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A progress bar on stderr, shown only if that is a terminal.
#ifndef JBW_CLI_PROGRESS_H
#define JBW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct jbw_progress {
    const char *what;
    uint64_t total;
    bool is_shown;
    double started; // in seconds
    double drawn;   // when the bar was last drawn
    char note[200]; // shown after the bar; may be empty
} jbw_progress;

/// Seconds of a monotonic clock.
double jbw_progress_now(void);

/// Average amount done per second so far.
double jbw_progress_rate(const jbw_progress *progress, uint64_t done);

void jbw_progress_begin(jbw_progress *progress, const char *what, uint64_t total);

/// Reports that `done` of the total are done. Cheap: the bar is redrawn at most ten times a second.
void jbw_progress_update(jbw_progress *progress, uint64_t done);

/// Removes the bar.
void jbw_progress_end(jbw_progress *progress);

#endif
