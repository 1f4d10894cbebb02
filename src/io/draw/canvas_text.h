// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Text on a canvas, in a font of strokes (font.inl).
#ifndef JBW_IO_DRAW_CANVAS_TEXT_H
#define JBW_IO_DRAW_CANVAS_TEXT_H

#include "io/draw/canvas.h"

/// How text looks. Capitals are nine units high and small letters six.
typedef struct jbw_text_style {
    double unit;      ///< in pixels
    double thickness; ///< of the strokes, in units
    bool is_vertical; ///< reads from bottom to top
} jbw_text_style;

/// Adds text to the mask; `at` is where its base line begins.
void jbw_canvas_text(jbw_canvas *canvas, jbw_point at, const char *text,
                     const jbw_text_style *style);

/// The length of text, in pixels.
double jbw_text_length(const char *text, const jbw_text_style *style);

/// The style with which a text fits into some pixels: smaller, but at least half the size.
jbw_text_style jbw_text_fitted(jbw_text_style style, const char *text, double room);

#endif
