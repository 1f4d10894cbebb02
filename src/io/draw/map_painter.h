// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Draws the map row of pixels by row, from the highest y down, so that memory use does not grow with
/// the height of the picture: cells, then the path over them, then what the agent sees, then agents.
#ifndef JBW_IO_DRAW_MAP_PAINTER_H
#define JBW_IO_DRAW_MAP_PAINTER_H

#include "io/draw/agent_marks.h"
#include "io/draw/sprites.h"
#include "io/draw/trail.h"

typedef struct jbw_map_painter {
    const jbw_world *world;
    jbw_region region;
    int scale;
    bool show_grid;
    int64_t patch_size;
    jbw_allocator allocator;

    jbw_palette palette;
    jbw_sprites sprites;
    jbw_agent_marks marks;
    jbw_trail trail;     // empty if there is no path
    uint8_t *items;      // (band_height x width) cells of one row of patches
    uint8_t *looks;      // likewise: how these items are drawn
    uint8_t *growing;    // likewise: while they are read
    uint8_t *states;     // likewise
    int64_t band_bottom; // the lowest y of these, once they are read
    int64_t band_height;
} jbw_map_painter;

/// The region and the options must have been checked. On failure there is nothing to clean up. The
/// painter must not move in memory.
jbw_status jbw_map_painter_init(jbw_map_painter *painter, jbw_world *world, jbw_region region,
                                const jbw_picture_options *options);

void jbw_map_painter_deinit(jbw_map_painter *painter);

/// Draws a row; a `jbw_png_row_function`. Rows must be drawn in order.
jbw_status jbw_map_painter_row(void *painter, int64_t row, uint8_t *pixels);

#endif
