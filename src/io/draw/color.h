// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Blending colours.
#ifndef JBW_IO_DRAW_COLOR_H
#define JBW_IO_DRAW_COLOR_H

#include "jbw/picture.h"

static inline uint8_t jbw_byte_blend(uint8_t a, uint8_t b, int weight)
{
    return (uint8_t)((a * (255 - weight) + b * weight + 127) / 255);
}

/// Blends two colours: a `weight` of 0 gives a, 255 gives b.
static inline jbw_color jbw_color_blend(jbw_color a, jbw_color b, int weight)
{
    return (jbw_color){jbw_byte_blend(a.red, b.red, weight),
                       jbw_byte_blend(a.green, b.green, weight),
                       jbw_byte_blend(a.blue, b.blue, weight)};
}

/// Blends a colour into a pixel of three bytes.
static inline void jbw_pixel_blend(uint8_t *pixel, jbw_color color, int weight)
{
    pixel[0] = jbw_byte_blend(pixel[0], color.red, weight);
    pixel[1] = jbw_byte_blend(pixel[1], color.green, weight);
    pixel[2] = jbw_byte_blend(pixel[2], color.blue, weight);
}

#endif
