// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/palette.h"

#include <math.h>

#include "io/draw/color.h"

static const jbw_color sprout_color = {84, 153, 64}; // of its stem and leaves

static uint8_t to_byte(double value)
{
    if (!(value > 0.0)) return 0;
    return value >= 1.0 ? 255 : (uint8_t)(value * 255.0 + 0.5);
}

jbw_color jbw_color_of(const double *values, int dimensions)
{
    const uint8_t first = dimensions > 0 ? to_byte(values[0]) : 0;
    if (dimensions == 1) return (jbw_color){first, first, first};
    return (jbw_color){first, dimensions > 1 ? to_byte(values[1]) : 0,
                       dimensions > 2 ? to_byte(values[2]) : 0};
}

void jbw_palette_init(jbw_palette *palette, const jbw_model *model)
{
    const int dimensions = jbw_model_color_dimensions(model);
    palette->item_count = jbw_model_item_type_count(model);
    palette->colors[0] = jbw_paper_color;
    for (int type = 0; type < palette->item_count; type++)
        palette->colors[type + 1] = jbw_color_of(jbw_model_item_color(model, type), dimensions);
    jbw_shapes_choose(model, palette->shapes);
}

// --- pixels -------------------------------------------------------------------------------------

// `part` is from 0 to 1
static jbw_color blend(jbw_color a, jbw_color b, double part)
{
    return jbw_color_blend(a, b, (int)(part * 255.0 + 0.5));
}

// towards black, or beyond white
static uint8_t shaded(uint8_t value, double factor, double shift)
{
    return to_byte(value / 255.0 * factor + shift);
}

static jbw_color shade(jbw_color color, double factor, double shift)
{
    return (jbw_color){shaded(color.red, factor, shift), shaded(color.green, factor, shift),
                       shaded(color.blue, factor, shift)};
}

// the item with what is drawn on it
static jbw_color body_color(jbw_color color, double mark)
{
    if (mark > 0.0) return blend(color, shade(color, 0.25, 0.0), mark);
    return blend(color, blend(color, jbw_white_color, 0.7), -mark);
}

static jbw_color shape_pixel(const jbw_palette *palette, int item, jbw_color behind, jbw_point at,
                             double scale)
{
    const jbw_color color = palette->colors[item];
    const jbw_shape shape = palette->shapes[item - 1];
    const double pixel = 1.0 / scale;
    const double edge = jbw_shape_distance(shape, at);
    if (edge >= 0.5 * pixel) return behind;

    // what is drawn on an item, and a rim around it, would cover a small one
    const double detail = jbw_smooth_step(10.0, 22.0, scale);
    const double rim_width = 0.5 * pixel + 0.022;
    const double rim_part = shape == JBW_SHAPE_BRICKS ? 0.0 : 0.9 * detail;
    const double on_rim = jbw_smooth_step(-rim_width - pixel, -rim_width, edge);
    const bool is_dark = behind.red + behind.green + behind.blue < 300;
    const jbw_color rim = is_dark ? shade(color, 1.0, 0.35) : shade(color, 0.55, 0.0);
    jbw_color body = body_color(color, jbw_shape_mark(shape, at, pixel) * detail);
    body = blend(body, rim, on_rim * rim_part);
    return blend(body, behind, jbw_smooth_step(-0.5 * pixel, 0.5 * pixel, edge));
}

static jbw_color outline_pixel(jbw_color color, jbw_shape shape, jbw_color behind, jbw_point at,
                               double scale)
{
    const double pixel = 1.0 / scale;
    const double edge = jbw_shape_distance(shape, at);
    const double width = fmax(0.9 * pixel, 0.022);
    const double on_line =
        1.0 - jbw_smooth_step(width - 0.5 * pixel, width + 0.5 * pixel, fabs(edge + width));
    const double inside = 1.0 - jbw_smooth_step(-0.5 * pixel, 0.5 * pixel, edge);
    return blend(behind, color, 0.55 * on_line + 0.08 * inside * (1.0 - on_line));
}

static jbw_color sprout_pixel(jbw_color color, jbw_color behind, jbw_point at, double scale)
{
    const double half = 0.5 / scale;
    const double green = 1.0 - jbw_smooth_step(-half, half, jbw_sprout_distance(at, 1.0 / scale));
    const double bud = 1.0 - jbw_smooth_step(-half, half, jbw_bud_distance(at));
    return blend(blend(behind, sprout_color, 0.85 * green), color, bud);
}

jbw_color jbw_palette_pixel(const jbw_palette *palette, int item, jbw_item_look look,
                            jbw_color behind, jbw_point at, double scale)
{
    if (item == 0) return behind;
    const jbw_color color = palette->colors[item];
    jbw_color far = color;
    if (look == JBW_LOOK_HIDDEN) far = blend(behind, color, 0.13);
    if (look == JBW_LOOK_GROWING) far = blend(behind, blend(sprout_color, color, 0.4), 0.22);
    const double near = jbw_smooth_step(5.0, 10.0, scale);
    if (near == 0.0) return far;
    jbw_color drawn;
    if (look == JBW_LOOK_HIDDEN)
        drawn = outline_pixel(color, palette->shapes[item - 1], behind, at, scale);
    else if (look == JBW_LOOK_GROWING)
        drawn = sprout_pixel(color, behind, at, scale);
    else
        drawn = shape_pixel(palette, item, behind, at, scale);
    return blend(far, drawn, near);
}

jbw_color jbw_palette_icon_pixel(const jbw_palette *palette, int item, jbw_color behind,
                                 jbw_point at, double scale)
{
    return shape_pixel(palette, item, behind, at, scale);
}
