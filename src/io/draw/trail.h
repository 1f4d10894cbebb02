// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The path of an agent, drawn over a picture. It has one byte for each cell of the part of the
/// region that the path touches, computed before the rows of the picture are drawn.
///
///     bits 0-3  whether the line continues to the cell above, right, below, left
///     bits 4-7  number of visits, at most 15; zero if the path never came here
///
/// A path that fades also has a byte for how fresh it is in each cell: 255 at its end.
#ifndef JBW_IO_DRAW_TRAIL_H
#define JBW_IO_DRAW_TRAIL_H

#include "jbw/picture.h"

typedef struct jbw_trail {
    const jbw_allocator *allocator;
    jbw_region box; // the cells that have a byte; all zero if the path stays outside
    uint8_t *cells; // (box.height x box.width), the lowest y first
    uint8_t *fresh; // likewise, or NULL if the path does not fade
    size_t size;

    int scale;     // pixels per cell
    int line_from; // the line covers pixels [line_from, line_to) across a cell
    int line_to;

    // the marks at both ends, in pixels from the top left of the region
    bool has_start;
    bool has_end;
    double start[2];
    double end[2];
    double radius;
} jbw_trail;

/// Follows the path and keeps what is inside the region. If `memory` is not zero, the path fades out
/// over that many positions. False if memory runs out, with nothing to clean up.
bool jbw_trail_init(jbw_trail *trail, const jbw_position *path, size_t path_count, size_t memory,
                    jbw_region region, int scale, const jbw_allocator *allocator);

void jbw_trail_deinit(jbw_trail *trail);

/// Draws the trail over a row of pixels: row `cell_row` (0 is the top) of the cells at `y`.
void jbw_trail_paint_row(const jbw_trail *trail, jbw_region region, int64_t y, int cell_row,
                         uint8_t *pixels);

#endif
