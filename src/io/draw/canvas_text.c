// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/canvas_text.h"

#include <math.h>

#include "io/draw/font.inl"

// where the next letter is drawn
typedef struct pen {
    jbw_canvas *canvas;
    const jbw_text_style *style;
    jbw_point origin; // of the letter, at the base line
} pen;

// the next glyph of a text, a box for anything but printable ASCII, or NULL at the end
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
    return units > 0 ? (units - GLYPH_GAP) * style->unit : 0.0; // no gap after the last one
}

jbw_text_style jbw_text_fitted(jbw_text_style style, const char *text, double room)
{
    const double length = jbw_text_length(text, &style);
    if (length > room) style.unit *= fmax(room / length, 0.5);
    return style;
}
