// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/polyline.h"

static void end_run(jbw_polyline *line)
{
    const jbw_column_run *run = &line->run;
    if (run->count == 0) return;
    if (line->has_at) jbw_canvas_stroke(line->canvas, line->at, run->first, line->width);
    if (run->count > 1) {
        jbw_canvas_stroke(line->canvas, run->first, run->highest, line->width);
        jbw_canvas_stroke(line->canvas, run->highest, run->lowest, line->width);
        jbw_canvas_stroke(line->canvas, run->lowest, run->last, line->width);
    }
    line->at = run->last;
    line->has_at = true;
    line->run.count = 0;
}

void jbw_polyline_add(jbw_polyline *line, jbw_point at)
{
    jbw_column_run *run = &line->run;
    const int column = (int)at.x;
    if (run->count > 0 && run->column != column) end_run(line);
    if (run->count == 0)
        *run = (jbw_column_run){.column = column, .first = at, .highest = at, .lowest = at};
    if (at.y < run->highest.y) run->highest = at;
    if (at.y > run->lowest.y) run->lowest = at;
    run->last = at;
    run->count++;
    line->point_count++;
}

void jbw_polyline_end(jbw_polyline *line)
{
    end_run(line);
    if (line->point_count ==
        1) // a single point between gaps is drawn larger, or it would be missed
        jbw_canvas_stroke(line->canvas, line->at, line->at, line->width * 3.0);
    line->point_count = 0;
    line->has_at = false;
}
