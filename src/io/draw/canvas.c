// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/canvas.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/draw/color.h"
#include "io/draw/png_file.h"

static const jbw_rectangle nothing = {INT32_MAX, INT32_MAX, 0, 0};

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

// rounds down and clamps to [low, high]; NaN becomes low
static int to_int_within(double value, int low, int high)
{
    if (!(value > low)) return low;
    return value >= high ? high : (int)floor(value);
}

// --- the canvas ---------------------------------------------------------------------------------

static size_t pixel_count(const jbw_canvas *canvas)
{
    return (size_t)canvas->width * (size_t)canvas->height;
}

bool jbw_canvas_init(jbw_canvas *canvas, int width, int height, jbw_color color,
                     const jbw_allocator *allocator)
{
    *canvas = (jbw_canvas){.allocator = allocator,
                           .width = width,
                           .height = height,
                           .dirty = nothing,
                           .clip = {0, 0, width, height}};
    canvas->pixels = jbw_alloc(allocator, pixel_count(canvas) * 3);
    canvas->mask = jbw_alloc_zero(allocator, pixel_count(canvas), 1);
    if (!canvas->pixels || !canvas->mask) {
        jbw_canvas_deinit(canvas);
        return false;
    }
    jbw_canvas_fill(canvas, canvas->clip, color);
    return true;
}

void jbw_canvas_deinit(jbw_canvas *canvas)
{
    jbw_free(canvas->allocator, canvas->pixels, pixel_count(canvas) * 3);
    jbw_free(canvas->allocator, canvas->mask, pixel_count(canvas));
    *canvas = (jbw_canvas){0};
}

void jbw_canvas_fill(jbw_canvas *canvas, jbw_rectangle area, jbw_color color)
{
    const int left = max_int(area.left, 0);
    const int right = min_int(area.right, canvas->width);
    const int bottom = min_int(area.bottom, canvas->height);
    for (int y = max_int(area.top, 0); y < bottom; y++) {
        uint8_t *pixel = &canvas->pixels[((size_t)y * (size_t)canvas->width + (size_t)left) * 3];
        for (int x = left; x < right; x++, pixel += 3) jbw_pixel_blend(pixel, color, 255);
    }
}

// --- strokes ------------------------------------------------------------------------------------

// the distance of a point from the line that starts at `from`
static double distance_to(jbw_point at, jbw_point from, jbw_point along, double length_squared)
{
    const double dx = at.x - from.x;
    const double dy = at.y - from.y;
    double t = length_squared > 0.0 ? (dx * along.x + dy * along.y) / length_squared : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double off_x = dx - t * along.x;
    const double off_y = dy - t * along.y;
    return sqrt(off_x * off_x + off_y * off_y);
}

static void cover(jbw_canvas *canvas, int x, int y, double coverage)
{
    if (coverage <= 0.0) return;
    const uint8_t value = coverage >= 1.0 ? 255 : (uint8_t)(coverage * 255.0 + 0.5);
    uint8_t *mask = &canvas->mask[(size_t)y * (size_t)canvas->width + (size_t)x];
    if (*mask < value) *mask = value;
}

static void mark_dirty(jbw_canvas *canvas, jbw_rectangle area)
{
    jbw_rectangle *dirty = &canvas->dirty;
    dirty->left = min_int(dirty->left, area.left);
    dirty->top = min_int(dirty->top, area.top);
    dirty->right = max_int(dirty->right, area.right);
    dirty->bottom = max_int(dirty->bottom, area.bottom);
}

// Walks along the longer axis, and at each step only as far across as the line reaches, so that a
// long diagonal line does not cost its whole bounding box.
void jbw_canvas_stroke(jbw_canvas *canvas, jbw_point from, jbw_point to, double width)
{
    const jbw_rectangle clip = canvas->clip;
    const double reach = width / 2.0 + 0.5; // beyond it a pixel is not covered at all
    const jbw_rectangle area = {
        .left = to_int_within(fmin(from.x, to.x) - reach - 1.0, clip.left, clip.right),
        .top = to_int_within(fmin(from.y, to.y) - reach - 1.0, clip.top, clip.bottom),
        .right = to_int_within(fmax(from.x, to.x) + reach + 2.0, clip.left, clip.right),
        .bottom = to_int_within(fmax(from.y, to.y) + reach + 2.0, clip.top, clip.bottom)};
    if (area.left >= area.right || area.top >= area.bottom) return;
    mark_dirty(canvas, area);

    const jbw_point along = {to.x - from.x, to.y - from.y};
    const double length_squared = along.x * along.x + along.y * along.y;
    const bool is_flat = fabs(along.x) > fabs(along.y);
    const double slope = is_flat ? along.y / along.x : along.y != 0.0 ? along.x / along.y : 0.0;
    const double across = (reach + 0.5) * sqrt(1.0 + slope * slope) + 0.5;
    const int low = is_flat ? area.top : area.left;
    const int high = is_flat ? area.bottom : area.right;
    const int last = is_flat ? area.right : area.bottom;
    for (int i = is_flat ? area.left : area.top; i < last; i++) {
        const double middle =
            is_flat ? from.y + (i + 0.5 - from.x) * slope : from.x + (i + 0.5 - from.y) * slope;
        const int end = to_int_within(middle + across + 1.0, low, high);
        for (int k = to_int_within(middle - across, low, high); k < end; k++) {
            const int x = is_flat ? i : k;
            const int y = is_flat ? k : i;
            const jbw_point at = {x + 0.5, y + 0.5};
            cover(canvas, x, y, reach - distance_to(at, from, along, length_squared));
        }
    }
}

void jbw_canvas_ink(jbw_canvas *canvas, jbw_color color, double opacity)
{
    const jbw_rectangle dirty = canvas->dirty;
    const int strength = (int)(opacity * 255.0 + 0.5);
    for (int y = dirty.top; y < dirty.bottom; y++) {
        const size_t row = (size_t)y * (size_t)canvas->width;
        for (int x = dirty.left; x < dirty.right; x++) {
            uint8_t *mask = &canvas->mask[row + (size_t)x];
            if (*mask == 0) continue;
            jbw_pixel_blend(&canvas->pixels[(row + (size_t)x) * 3], color,
                            (*mask * strength + 127) / 255);
            *mask = 0;
        }
    }
    canvas->dirty = nothing;
}

// --- files --------------------------------------------------------------------------------------

static jbw_status copy_row(void *user, int64_t row, uint8_t *pixels)
{
    const jbw_canvas *canvas = user;
    const size_t size = (size_t)canvas->width * 3;
    memcpy(pixels, &canvas->pixels[(size_t)row * size], size);
    return JBW_OK;
}

jbw_status jbw_canvas_write_png(jbw_canvas *canvas, const char *path, jbw_error *error)
{
    return jbw_png_write(path, canvas->width, canvas->height, copy_row, canvas, canvas->allocator,
                         error);
}
