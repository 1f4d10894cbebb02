// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A bar that shows how far long work has come: on stderr, and only if that is a terminal.
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
    char note[200]; // shown behind the bar; may be empty
} jbw_progress;

/// Seconds of a clock that only goes forward.
double jbw_progress_now(void);

/// How many were done per second so far.
double jbw_progress_rate(const jbw_progress *progress, uint64_t done);

void jbw_progress_begin(jbw_progress *progress, const char *what, uint64_t total);

/// `done` of the total are done. Cheap: the bar is redrawn a few times a second.
void jbw_progress_update(jbw_progress *progress, uint64_t done);

/// Takes the bar away.
void jbw_progress_end(jbw_progress *progress);

#endif
