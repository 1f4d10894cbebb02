// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A picture in memory with smooth lines and text.
///
/// Strokes and text are first gathered as a mask that says how much of each pixel they cover, and
/// then inked in one colour. Where strokes meet or cross the mask holds the larger of both, so
/// joints are neither darker nor notched.
#ifndef JBW_IO_DRAW_CANVAS_H
#define JBW_IO_DRAW_CANVAS_H

#include "jbw/io.h"

/// In pixels from the top left corner of the canvas. The centre of the first pixel is (0.5, 0.5).
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
    uint8_t *pixels;     // (height x width) times red, green, blue
    uint8_t *mask;       // (height x width); 255 is fully covered
    jbw_rectangle dirty; // where the mask may not be zero
    jbw_rectangle clip;  // nothing is stroked outside; all of the canvas at first
} jbw_canvas;

/// How text looks. Capitals are nine units high and small letters six.
typedef struct jbw_text_style {
    double unit;      ///< in pixels
    double thickness; ///< of the strokes, in units
    bool is_vertical; ///< reads from below to above
} jbw_text_style;

/// A canvas of one colour. False if memory runs out, with nothing to clean up.
bool jbw_canvas_init(jbw_canvas *canvas, int width, int height, jbw_color color,
                     const jbw_allocator *allocator);

void jbw_canvas_deinit(jbw_canvas *canvas);

/// Fills a rectangle at once, clipped to the canvas only.
void jbw_canvas_fill(jbw_canvas *canvas, jbw_rectangle area, jbw_color color);

/// Adds a line with round ends to the mask. Both ends may be the same point: a dot.
void jbw_canvas_stroke(jbw_canvas *canvas, jbw_point from, jbw_point to, double width);

/// Adds text to the mask; `at` is where its base line begins.
void jbw_canvas_text(jbw_canvas *canvas, jbw_point at, const char *text,
                     const jbw_text_style *style);

/// How long text is, in pixels.
double jbw_text_length(const char *text, const jbw_text_style *style);

/// Paints what the mask covers and clears the mask. An `opacity` of 1 hides what was there.
void jbw_canvas_ink(jbw_canvas *canvas, jbw_color color, double opacity);

/// Writes the canvas to a PNG file, complete or not at all.
jbw_status jbw_canvas_write_png(jbw_canvas *canvas, const char *path, jbw_error *error);

#endif
