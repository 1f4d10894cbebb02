// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/canvas.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/draw/color.h"
#include "io/draw/png_file.h"

#include "io/draw/font.inl"

static const jbw_rectangle nothing = {INT32_MAX, INT32_MAX, 0, 0};

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

// rounds down into [low, high]; NaN is low
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

// the distance of a pixel's centre from the line between two points
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

// Walks along the longer axis, and at each step across the line only as far as it reaches, so that
// a long slanted line does not cost the box around it.
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
    if (is_flat) {
        for (int x = area.left; x < area.right; x++) {
            const double middle = from.y + (x + 0.5 - from.x) * slope;
            const int end = to_int_within(middle + across + 1.0, area.top, area.bottom);
            for (int y = to_int_within(middle - across, area.top, area.bottom); y < end; y++) {
                const jbw_point at = {x + 0.5, y + 0.5};
                cover(canvas, x, y, reach - distance_to(at, from, along, length_squared));
            }
        }
    } else {
        for (int y = area.top; y < area.bottom; y++) {
            const double middle = from.x + (y + 0.5 - from.y) * slope;
            const int end = to_int_within(middle + across + 1.0, area.left, area.right);
            for (int x = to_int_within(middle - across, area.left, area.right); x < end; x++) {
                const jbw_point at = {x + 0.5, y + 0.5};
                cover(canvas, x, y, reach - distance_to(at, from, along, length_squared));
            }
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

// --- text ---------------------------------------------------------------------------------------

// where letters are being drawn
typedef struct pen {
    jbw_canvas *canvas;
    const jbw_text_style *style;
    jbw_point origin; // of the letter, on the base line
} pen;

// what comes next in a text, the box if it is not printable ASCII, or NULL at the end
static const glyph *next_glyph(const char **text)
{
    const unsigned char first = (unsigned char)**text;
    if (first == '\0') return NULL;
    (*text)++;
    if (first >= FIRST_GLYPH && first < FIRST_GLYPH + GLYPH_COUNT)
        return &glyphs[first - FIRST_GLYPH];
    while (((unsigned char)**text & 0xc0) == 0x80) (*text)++; // the rest of a UTF-8 sequence
    return &box_glyph;
}

static double grid_value(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

static jbw_point read_point(const char *digits)
{
    return (jbw_point){grid_value(digits[0]), grid_value(digits[1]) - BASE_LINE};
}

static jbw_point middle_of(jbw_point a, jbw_point b)
{
    return (jbw_point){(a.x + b.x) / 2.0, (a.y + b.y) / 2.0};
}

static jbw_point to_canvas(const pen *p, jbw_point at)
{
    const double along = at.x * p->style->unit;
    const double above = at.y * p->style->unit;
    return p->style->is_vertical ? (jbw_point){p->origin.x - above, p->origin.y - along}
                                 : (jbw_point){p->origin.x + along, p->origin.y - above};
}

static void draw_line(const pen *p, jbw_point from, jbw_point to)
{
    jbw_canvas_stroke(p->canvas, to_canvas(p, from), to_canvas(p, to),
                      p->style->unit * p->style->thickness);
}

static void draw_curve(const pen *p, jbw_point from, jbw_point control, jbw_point to)
{
    enum { PIECES = 8 };
    jbw_point last = from;
    for (int i = 1; i <= PIECES; i++) {
        const double t = (double)i / PIECES;
        const double a = (1.0 - t) * (1.0 - t);
        const double b = 2.0 * t * (1.0 - t);
        const double c = t * t;
        const jbw_point next = {a * from.x + b * control.x + c * to.x,
                                a * from.y + b * control.y + c * to.y};
        draw_line(p, last, next);
        last = next;
    }
}

// Draws one stroke and returns where the next one begins.
static const char *draw_stroke(const pen *p, const char *stroke)
{
    jbw_point last = read_point(stroke);
    jbw_point control = {0.0, 0.0};
    bool has_control = false;
    stroke += 2;
    while (*stroke != '\0' && *stroke != ' ') {
        const bool is_control = *stroke == '~';
        const jbw_point next = read_point(stroke + (is_control ? 1 : 0));
        stroke += is_control ? 3 : 2;
        if (has_control) {
            const jbw_point to = is_control ? middle_of(control, next) : next;
            draw_curve(p, last, control, to);
            last = to;
        } else if (!is_control) {
            draw_line(p, last, next);
            last = next;
        }
        control = next;
        has_control = is_control;
    }
    return *stroke == ' ' ? stroke + 1 : stroke;
}

void jbw_canvas_text(jbw_canvas *canvas, jbw_point at, const char *text,
                     const jbw_text_style *style)
{
    pen p = {.canvas = canvas, .style = style, .origin = at};
    const glyph *g;
    while ((g = next_glyph(&text)) != NULL) {
        const char *stroke = g->strokes;
        while (*stroke != '\0') stroke = draw_stroke(&p, stroke);
        const double advance = g->advance * style->unit;
        if (style->is_vertical)
            p.origin.y -= advance;
        else
            p.origin.x += advance;
    }
}

double jbw_text_length(const char *text, const jbw_text_style *style)
{
    int units = 0;
    const glyph *g;
    while ((g = next_glyph(&text)) != NULL) units += g->advance;
    return units > 0 ? (units - GLYPH_GAP) * style->unit : 0.0; // no gap behind the last one
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
