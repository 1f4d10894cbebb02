// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Guesses where patches will be needed next, from where they were needed lately: whoever went so
/// far in a direction goes on in it, or turns. A wrong guess costs time and nothing else.
///
///             5
///     from - here 1 2 3 4 7 8 9 10     straight on, then to both sides, then farther on;
///             6                        all around those who have not gone anywhere yet
#ifndef JBW_SIM_GENERATE_INVARIANT_PREFETCH_H
#define JBW_SIM_GENERATE_INVARIANT_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "jbw/types.h"

enum { JBW_MOST_TRACKS = 32 };

/// The way of somebody, or of several who go close together.
typedef struct jbw_prefetch_track {
    jbw_position place; // the latest
    jbw_position from;  // it follows at some distance
} jbw_prefetch_track;

typedef struct jbw_prefetch {
    jbw_prefetch_track trails[JBW_MOST_TRACKS]; // the latest first
    int trail_count;
} jbw_prefetch;

/// Notes that what is around a cell is needed now. Strides are the distance between guesses.
void jbw_prefetch_note(jbw_prefetch *forecast, jbw_position cell, int64_t stride);

/// Writes up to `capacity` places, the next one first, and returns how many; `*sure_count` of them
/// lie straight on.
size_t jbw_prefetch_guess(const jbw_prefetch *forecast, int64_t stride, jbw_position *places,
                          size_t capacity, size_t *sure_count);

#endif
