// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An image in memory with antialiased lines.
///
/// Strokes and text first go into a mask that says how much of each pixel they cover; then the mask
/// is painted in one colour. Where strokes meet or cross, the mask has the larger of both values,
/// so joints are neither darker nor notched.
///
/// Other files of this folder, which draws the pictures, films and plots of jbw/picture.h:
///
///     picture       puts a map and what is beside it together
///     map_painter   draws a map row by row: sprites, a trail, agent_marks
///     sprites       the cells of a map, drawn with the colours and shapes of a palette
///     shape         the shapes of items and agents
///     panel         what an agent sees, smells, carries and gains (reward_plot); the legend
///     film          replays a recording and draws its frames
///     plot          lines over an axis, drawn on a canvas with polyline and canvas_text
///     png_file      writes rows of pixels as a PNG file
///     color         blends colours
#ifndef JBW_IO_DRAW_CANVAS_H
#define JBW_IO_DRAW_CANVAS_H

#include "jbw/picture.h"

/// In pixels from the top left corner. The centre of the first pixel is (0.5, 0.5).
typedef struct jbw_point {
    double x;
    double y;
} jbw_point;

/// Pixels [left, right) times [top, bottom).
typedef struct jbw_rectangle {
    int left;
    int top;
    int right;
    int bottom;
} jbw_rectangle;

typedef struct jbw_canvas {
    const jbw_allocator *allocator;
    int width;
    int height;
    uint8_t *pixels;     // (height x width x 3): red, green, blue
    uint8_t *mask;       // (height x width); 255 is fully covered
    jbw_rectangle dirty; // the mask is zero outside
    jbw_rectangle clip;  // strokes are clipped to this; initially the whole canvas
} jbw_canvas;

/// Makes a canvas of one colour. False if memory runs out, with nothing to clean up.
bool jbw_canvas_init(jbw_canvas *canvas, int width, int height, jbw_color color,
                     const jbw_allocator *allocator);

void jbw_canvas_deinit(jbw_canvas *canvas);

/// Fills a rectangle, clipped to the canvas, without the mask.
void jbw_canvas_fill(jbw_canvas *canvas, jbw_rectangle area, jbw_color color);

/// Adds a line with round ends to the mask. If both ends are the same point, it is a dot.
void jbw_canvas_stroke(jbw_canvas *canvas, jbw_point from, jbw_point to, double width);

/// Paints the mask in a colour and clears it. An `opacity` of 1 hides what was there.
void jbw_canvas_ink(jbw_canvas *canvas, jbw_color color, double opacity);

/// Writes the canvas to a PNG file, atomically.
jbw_status jbw_canvas_write_png(jbw_canvas *canvas, const char *path, jbw_error *error);

#endif
