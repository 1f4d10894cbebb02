// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/reward_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "io/draw/axis.h"
#include "io/draw/canvas_text.h"
#include "io/draw/palette.h"
#include "io/draw/polyline.h"

static const jbw_color label_color = {92, 100, 114};
static const jbw_color line_color = {217, 220, 227};
static const jbw_color zero_color = {150, 155, 166};

// a mean of fewer steps would jump too much to be drawn
enum { FEWEST = JBW_REWARD_WINDOW / 4 };

// --- the moving mean ----------------------------------------------------------------------------

// a reward that is no number, or absurdly large, counts as none
static double usable(double reward)
{
    return fabs(reward) <= 1e12 ? reward : 0.0;
}

// the rate after step i, as the sum moves along
static double next_rate(const double *rewards, size_t i, double *sum)
{
    *sum += usable(rewards[i]);
    if (i < JBW_REWARD_WINDOW) return *sum / (double)(i + 1);
    *sum -= usable(rewards[i - JBW_REWARD_WINDOW]);
    return *sum / JBW_REWARD_WINDOW;
}

double jbw_reward_rate(const double *rewards, size_t count)
{
    const size_t used = count < JBW_REWARD_WINDOW ? count : JBW_REWARD_WINDOW;
    double sum = 0.0;
    for (size_t i = count - used; i < count; i++) sum += usable(rewards[i]);
    return used > 0 ? sum / (double)used : 0.0;
}

// --- drawing ------------------------------------------------------------------------------------

static void draw_label(jbw_canvas *canvas, double x, double y, const char *text, double align,
                       const jbw_text_style *style)
{
    const double left = x - align * jbw_text_length(text, style);
    jbw_canvas_text(canvas, (jbw_point){floor(left) + 0.5, floor(y) + 0.5}, text, style);
    jbw_canvas_ink(canvas, label_color, 1.0);
}

static jbw_axis find_axis(const double *rewards, size_t count)
{
    double low = 0.0;
    double high = 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double rate = next_rate(rewards, i, &sum);
        if (i + 1 < FEWEST) continue;
        low = fmin(low, rate);
        high = fmax(high, rate);
    }
    if (high - low < 0.02) high = low + 0.02;
    return jbw_axis_make(low, high, 3, true);
}

void jbw_reward_plot_draw(jbw_canvas *canvas, jbw_rectangle area, double unit,
                          const double *rewards, size_t count, uint64_t time)
{
    const jbw_text_style style = {.unit = 0.9 * unit, .thickness = 1.2};
    const jbw_axis axis = find_axis(rewards, count);
    const double letter = 9.0 * style.unit;
    const int line = (int)fmax(unit, 1.0);
    char label[JBW_AXIS_LABEL_SIZE];

    double widest = 0.0;
    for (int i = 0; i < axis.tick_count; i++) {
        jbw_axis_label(&axis, i, label);
        widest = fmax(widest, jbw_text_length(label, &style));
    }
    const double left = area.left + widest + 7.0 * unit;
    const double top = area.top + letter / 2.0;
    const double bottom = area.bottom - letter - 7.0 * unit;
    for (int i = 0; i < axis.tick_count; i++) {
        const double value = jbw_axis_tick(&axis, i);
        const double y = bottom - jbw_axis_place(&axis, value) * (bottom - top);
        const int row = (int)floor(y);
        jbw_canvas_fill(canvas, (jbw_rectangle){(int)left, row, area.right, row + line},
                        value == 0.0 ? zero_color : line_color);
        jbw_axis_label(&axis, i, label);
        draw_label(canvas, left - 7.0 * unit, y + letter / 2.0, label, 1.0, &style);
    }
    if (count < 2) return;

    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, time >= count ? time - count : 0);
    draw_label(canvas, left, area.bottom, text, 0.0, &style);
    snprintf(text, sizeof text, "%" PRIu64, time);
    draw_label(canvas, area.right, area.bottom, text, 1.0, &style);
    jbw_polyline curve = {.canvas = canvas, .width = 2.0 * unit};
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double rate = next_rate(rewards, i, &sum);
        if (i + 1 < FEWEST) continue;
        const double x = left + (area.right - left) * (double)i / (double)(count - 1);
        jbw_polyline_add(&curve,
                         (jbw_point){x, bottom - jbw_axis_place(&axis, rate) * (bottom - top)});
    }
    jbw_polyline_end(&curve);
    jbw_canvas_ink(canvas, jbw_plot_color, 1.0);
}
