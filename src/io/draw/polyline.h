// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A line through many points. Of a million points in the same column of pixels, four show all
/// there is to see: the first, the last and the extremes. So a line takes a few strokes per column.
#ifndef JBW_IO_DRAW_POLYLINE_H
#define JBW_IO_DRAW_POLYLINE_H

#include "io/draw/canvas.h"

/// Successive points in the same column of pixels.
typedef struct jbw_column_run {
    int column;
    size_t count;
    jbw_point first;
    jbw_point highest;
    jbw_point lowest;
    jbw_point last;
} jbw_column_run;

/// Zero except for the first two fields at the start of a line.
typedef struct jbw_polyline {
    jbw_canvas *canvas;
    double width;
    jbw_column_run run;
    size_t point_count; // since the last gap
    jbw_point at;       // where the last run ended
    bool has_at;        // there was a run since the last gap
} jbw_polyline;

/// Extends the line to a point.
void jbw_polyline_add(jbw_polyline *line, jbw_point at);

/// Ends the line, or leaves a gap before the next point.
void jbw_polyline_end(jbw_polyline *line);

#endif
