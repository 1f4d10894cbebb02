// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The axis of a plot: its range, and round numbers along it.
#ifndef JBW_IO_DRAW_AXIS_H
#define JBW_IO_DRAW_AXIS_H

#include <stdbool.h>

/// Larger numbers are not drawn, so that computing a pixel never overflows.
#define JBW_AXIS_LIMIT 1e300

enum { JBW_AXIS_LABEL_SIZE = 40 };

typedef struct jbw_axis {
    double low;
    double high;  // greater than low
    double step;  // between ticks: 1, 2 or 5 times a power of ten
    double first; // the first tick, in steps
    int tick_count;
} jbw_axis;

/// Makes an axis for [low, high], which must be within the limit. A range that is nearly a point is
/// widened; without data, if low is greater than high, it is [0, 1]. A loose axis also grows to
/// begin and end at a tick. There are about `most_ticks` ticks or fewer.
jbw_axis jbw_axis_make(double low, double high, int most_ticks, bool is_loose);

/// The value of a tick.
double jbw_axis_tick(const jbw_axis *axis, int index);

/// The position of a value along the axis: 0 is its beginning, 1 its end.
double jbw_axis_place(const jbw_axis *axis, double value);

/// The label of a tick, such as 0.25, 1500, 200k, 1.5M or 2e-7.
void jbw_axis_label(const jbw_axis *axis, int index, char out[JBW_AXIS_LABEL_SIZE]);

#endif
