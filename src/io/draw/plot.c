// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Plots of lines, such as the reward over time.
//
//     title
//     -- one series  -- another          the legend, in as many rows as it needs
//                    switch              labels of marks
//     |    ,-._      :  _,--
//     |___/____`-.___:_/____             the frame
//         x label

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/draw/axis.h"
#include "io/draw/canvas_text.h"
#include "io/draw/polyline.h"
#include "jbw/picture.h"

enum {
    DEFAULT_WIDTH = 1200,
    DEFAULT_HEIGHT = 675,
    MIN_WIDTH = 320,
    MIN_HEIGHT = 200,
    MAX_SIDE = 16384,
    MARK_ROWS = 2,
};

static const jbw_color paper_color = {255, 255, 255};
static const jbw_color ink_color = {32, 36, 48};
static const jbw_color faint_ink_color = {88, 94, 108};
static const jbw_color grid_color = {232, 234, 239};
static const jbw_color axis_color = {150, 155, 166};
static const jbw_color mark_color = {132, 138, 152};

// also distinguishable with colour blindness
static const jbw_color series_colors[] = {
    {0, 104, 182}, {216, 88, 0},   {0, 146, 104},  {176, 52, 134},
    {222, 150, 0}, {64, 170, 224}, {104, 84, 168}, {110, 110, 110},
};

typedef struct plotter {
    const jbw_plot *plot;
    jbw_canvas canvas;
    jbw_axis x;
    jbw_axis y;
    jbw_rectangle frame; // where the data are drawn

    double scale; // 1 at the default size; all lengths below are proportional to it
    double margin;
    jbw_text_style title;
    jbw_text_style text;
    double row_height; // of text
} plotter;

// --- lengths and texts --------------------------------------------------------------------------

static int to_pixel(double value)
{
    return (int)floor(value + 0.5);
}

static bool is_empty(const char *text)
{
    return !text || text[0] == '\0';
}

static double capital_height(const jbw_text_style *style)
{
    return 9.0 * style->unit;
}

static double text_length(const plotter *p, const char *text)
{
    return jbw_text_length(text, &p->text);
}

// `y` is the base line. Texts are placed at the centres of pixels, where their strokes are sharp.
static void draw_text(plotter *p, double x, double y, const char *text, const jbw_text_style *style,
                      jbw_color color)
{
    const jbw_point at = {floor(x) + 0.5, floor(y) + 0.5};
    jbw_canvas_text(&p->canvas, at, text, style);
    jbw_canvas_ink(&p->canvas, color, 1.0);
}

// --- the data -----------------------------------------------------------------------------------

static double series_x(const jbw_plot_series *series, size_t index)
{
    return series->x ? series->x[index] : (double)index;
}

// written so that it is false for NaN
static bool is_drawable(double x, double y)
{
    return fabs(x) <= JBW_AXIS_LIMIT && fabs(y) <= JBW_AXIS_LIMIT;
}

static void find_limits(const jbw_plot *plot, double low[2], double high[2])
{
    low[0] = low[1] = DBL_MAX;
    high[0] = high[1] = -DBL_MAX;
    for (size_t i = 0; i < plot->series_count; i++) {
        const jbw_plot_series *series = &plot->series[i];
        for (size_t k = 0; k < series->count; k++) {
            const double x = series_x(series, k);
            const double y = series->y[k];
            if (!is_drawable(x, y)) continue;
            low[0] = fmin(low[0], x);
            high[0] = fmax(high[0], x);
            low[1] = fmin(low[1], y);
            high[1] = fmax(high[1], y);
        }
    }

    // include zero if it is not far
    if (low[1] > 0.0 && low[1] < 0.4 * high[1]) low[1] = 0.0;
    if (high[1] < 0.0 && high[1] > 0.4 * low[1]) high[1] = 0.0;
}

static jbw_point place(const plotter *p, double x, double y)
{
    const jbw_rectangle f = p->frame;
    return (jbw_point){f.left + jbw_axis_place(&p->x, x) * (f.right - f.left),
                       f.bottom - jbw_axis_place(&p->y, y) * (f.bottom - f.top)};
}

// --- around the frame ---------------------------------------------------------------------------

static jbw_color series_color(const plotter *p, size_t index)
{
    const jbw_color color = p->plot->series[index].color;
    if (color.red || color.green || color.blue) return color;
    return series_colors[index % (sizeof series_colors / sizeof *series_colors)];
}

// Draws the title and returns its height.
static double draw_title(plotter *p)
{
    if (is_empty(p->plot->title)) return 0.0;
    const double room = p->canvas.width - 2.0 * p->margin;
    const jbw_text_style style = jbw_text_fitted(p->title, p->plot->title, room);
    const double height = capital_height(&p->title);
    draw_text(p, p->margin, p->margin + height, p->plot->title, &style, ink_color);
    return height + 18.0 * p->scale;
}

// Draws the legend below `top` and returns its height. With very many series some are left out, to
// leave room for the lines.
static double draw_legend(plotter *p, double top)
{
    const double swatch = 26.0 * p->scale;
    const double gap = 8.0 * p->scale;
    double x = p->margin;
    double base = top + capital_height(&p->text);
    bool is_drawn = false;
    for (size_t i = 0; i < p->plot->series_count; i++) {
        const char *name = p->plot->series[i].name;
        if (is_empty(name)) continue;
        const double length = swatch + gap + text_length(p, name);
        if (x > p->margin && x + length > p->canvas.width - p->margin) {
            x = p->margin;
            base += p->row_height;
        }
        if (base > p->canvas.height * 0.4) break;
        const double middle = floor(base - 4.0 * p->text.unit) + 0.5;
        jbw_canvas_stroke(&p->canvas, (jbw_point){x + 2.0 * p->scale, middle},
                          (jbw_point){x + swatch - 2.0 * p->scale, middle}, 3.2 * p->scale);
        jbw_canvas_ink(&p->canvas, series_color(p, i), 1.0);
        draw_text(p, x + swatch + gap, base, name, &p->text, ink_color);
        x += length + 26.0 * p->scale;
        is_drawn = true;
    }
    return is_drawn ? base - top + 18.0 * p->scale : 0.0;
}

static bool has_mark_labels(const jbw_plot *plot)
{
    for (size_t i = 0; i < plot->mark_count; i++)
        if (!is_empty(plot->marks[i].label)) return true;
    return false;
}

// Finds a row, counted from below, with room for the label of a mark. `row_ends` says how far the
// rows are taken. False if there is none.
static bool find_label_room(const plotter *p, const jbw_plot_mark *mark, double row_ends[MARK_ROWS],
                            int *row, double *x)
{
    if (is_empty(mark->label) || !(mark->x >= p->x.low && mark->x <= p->x.high)) return false;
    const double length = text_length(p, mark->label);
    const double half_margin = p->margin / 2.0;
    *x = fmin(place(p, mark->x, p->y.low).x - length / 2.0, p->canvas.width - half_margin - length);
    *x = fmax(*x, half_margin);
    for (*row = 0; *row < MARK_ROWS; (*row)++) {
        if (*x < row_ends[*row]) continue;
        row_ends[*row] = *x + length + 12.0 * p->scale;
        return true;
    }
    return false;
}

static int count_label_rows(const plotter *p)
{
    double row_ends[MARK_ROWS] = {0};
    int row_count = 0;
    for (size_t i = 0; i < p->plot->mark_count; i++) {
        int row;
        double x;
        if (find_label_room(p, &p->plot->marks[i], row_ends, &row, &x) && row >= row_count)
            row_count = row + 1;
    }
    return row_count;
}

// --- the frame ----------------------------------------------------------------------------------

static double widest_label(const plotter *p, const jbw_axis *axis)
{
    double widest = 0.0;
    for (int i = 0; i < axis->tick_count; i++) {
        char label[JBW_AXIS_LABEL_SIZE];
        jbw_axis_label(axis, i, label);
        widest = fmax(widest, text_length(p, label));
    }
    return widest;
}

// with as many ticks as there is room for labels
static jbw_axis fit_x_axis(const plotter *p, double low, double high)
{
    const double width = p->frame.right - p->frame.left;
    for (int most = (int)(width / (110.0 * p->scale)); most > 1; most--) {
        const jbw_axis axis = jbw_axis_make(low, high, most, false);
        const double spacing = axis.step / (axis.high - axis.low) * width;
        if (widest_label(p, &axis) + 16.0 * p->scale < spacing) return axis;
    }
    return jbw_axis_make(low, high, 1, false);
}

// Computes the axes and the frame below `top`. The width of the labels on the left depends on the
// ticks, the number of ticks on the height, and the height on the labels of marks. One row of these
// is a good guess until their positions are known.
static void lay_out(plotter *p, double top)
{
    double low[2];
    double high[2];
    find_limits(p->plot, low, high);
    const double letter = capital_height(&p->text);
    const double gap = 12.0 * p->scale;

    const double x_label = is_empty(p->plot->x_label) ? 0.0 : letter + gap * 1.2;
    const double y_label = is_empty(p->plot->y_label) ? 0.0 : letter + gap * 1.2;
    const double guess = has_mark_labels(p->plot) ? p->row_height : 0.0;
    p->frame.bottom = to_pixel(p->canvas.height - p->margin - x_label - letter - gap);
    const double height = fmax(p->frame.bottom - top - guess, 1.0);
    p->y = jbw_axis_make(low[1], high[1], (int)(height / (52.0 * p->scale)), true);

    p->frame.left = to_pixel(p->margin + y_label + widest_label(p, &p->y) + gap);
    p->frame.right = to_pixel(p->canvas.width - p->margin * 1.25);
    if (p->frame.right < p->frame.left + 16) p->frame.right = p->frame.left + 16;
    p->x = fit_x_axis(p, low[0], high[0]);

    // at least half a letter, for the topmost label on the left
    const int rows = count_label_rows(p);
    p->frame.top = to_pixel(top + fmax(rows * p->row_height, letter / 2.0));
    if (p->frame.bottom < p->frame.top + 16) p->frame.bottom = p->frame.top + 16;
}

static void draw_axes(plotter *p)
{
    const jbw_rectangle f = p->frame;
    const int line = to_pixel(fmax(p->scale, 1.0));
    const double gap = 12.0 * p->scale;
    const double letter = capital_height(&p->text);
    char label[JBW_AXIS_LABEL_SIZE];

    for (int i = 0; i < p->x.tick_count; i++) {
        const double x = place(p, jbw_axis_tick(&p->x, i), p->y.low).x;
        const int left = to_pixel(x - line / 2.0);
        jbw_canvas_fill(&p->canvas, (jbw_rectangle){left, f.top, left + line, f.bottom},
                        grid_color);
        jbw_axis_label(&p->x, i, label);
        draw_text(p, x - text_length(p, label) / 2.0, f.bottom + gap + letter, label, &p->text,
                  faint_ink_color);
    }
    for (int i = 0; i < p->y.tick_count; i++) {
        const double value = jbw_axis_tick(&p->y, i);
        const double y = place(p, p->x.low, value).y;
        const int top = to_pixel(y - line / 2.0);
        const bool is_zero = value == 0.0 && i > 0;
        jbw_canvas_fill(&p->canvas, (jbw_rectangle){f.left, top, f.right, top + line},
                        is_zero ? axis_color : grid_color);
        jbw_axis_label(&p->y, i, label);
        draw_text(p, f.left - gap - text_length(p, label), y + letter / 2.0, label, &p->text,
                  faint_ink_color);
    }
    jbw_canvas_fill(&p->canvas, (jbw_rectangle){f.left - line, f.top, f.left, f.bottom + line},
                    axis_color);
    jbw_canvas_fill(&p->canvas, (jbw_rectangle){f.left, f.bottom, f.right, f.bottom + line},
                    axis_color);
}

static void draw_axis_labels(plotter *p)
{
    const jbw_rectangle f = p->frame;
    if (!is_empty(p->plot->x_label)) {
        const jbw_text_style style =
            jbw_text_fitted(p->text, p->plot->x_label, p->canvas.width - 2.0 * p->margin);
        const double x = (f.left + f.right - jbw_text_length(p->plot->x_label, &style)) / 2.0;
        draw_text(p, fmax(x, p->margin / 2.0), p->canvas.height - p->margin, p->plot->x_label,
                  &style, ink_color);
    }
    if (!is_empty(p->plot->y_label)) {
        jbw_text_style style =
            jbw_text_fitted(p->text, p->plot->y_label, p->canvas.height - p->margin);
        style.is_vertical = true;
        const double y = (f.top + f.bottom + jbw_text_length(p->plot->y_label, &style)) / 2.0;
        draw_text(p, p->margin + capital_height(&p->text),
                  fmin(y, p->canvas.height - p->margin / 2.0), p->plot->y_label, &style, ink_color);
    }
}

static void draw_marks(plotter *p)
{
    const jbw_rectangle f = p->frame;
    const double dash = 9.0 * p->scale; // including the gap after it
    double row_ends[MARK_ROWS] = {0};
    for (size_t i = 0; i < p->plot->mark_count; i++) {
        const jbw_plot_mark *mark = &p->plot->marks[i];
        if (!(mark->x >= p->x.low && mark->x <= p->x.high)) continue;
        const double x = floor(place(p, mark->x, p->y.low).x) + 0.5;
        const int dash_count = (int)((f.bottom - f.top) / dash) + 1;
        for (int k = 0; k < dash_count; k++) {
            const double y = f.top + k * dash;
            jbw_canvas_stroke(&p->canvas, (jbw_point){x, y},
                              (jbw_point){x, fmin(y + dash * 0.45, f.bottom)}, 1.2 * p->scale);
        }
        jbw_canvas_ink(&p->canvas, mark_color, 1.0);
        int row;
        double label_x;
        if (find_label_room(p, mark, row_ends, &row, &label_x))
            draw_text(p, label_x, f.top - 9.0 * p->scale - row * p->row_height, mark->label,
                      &p->text, faint_ink_color);
    }
}

// --- the lines ----------------------------------------------------------------------------------

static void draw_series(plotter *p, size_t index)
{
    const jbw_plot_series *series = &p->plot->series[index];
    jbw_polyline line = {.canvas = &p->canvas, .width = fmax(2.2 * p->scale, 1.2)};
    for (size_t i = 0; i < series->count; i++) {
        const double x = series_x(series, i);
        if (is_drawable(x, series->y[i]))
            jbw_polyline_add(&line, place(p, x, series->y[i]));
        else
            jbw_polyline_end(&line);
    }
    jbw_polyline_end(&line);
    jbw_canvas_ink(&p->canvas, series_color(p, index), 0.94);
}

// --- the public function ------------------------------------------------------------------------

static void draw_plot(plotter *p)
{
    double top = p->margin + draw_title(p);
    top += draw_legend(p, top);
    lay_out(p, top);
    draw_axes(p);
    draw_axis_labels(p);
    draw_marks(p);
    for (size_t i = 0; i < p->plot->series_count; i++) draw_series(p, i);
}

static jbw_status check_plot(const jbw_plot *plot, int width, int height, jbw_error *error)
{
    if (width < MIN_WIDTH || height < MIN_HEIGHT || width > MAX_SIDE || height > MAX_SIDE) {
        jbw_error_set(error, 0, 0,
                      "the plot is %d x %d pixels, expected at least %d x %d and at most %d x %d",
                      width, height, MIN_WIDTH, MIN_HEIGHT, MAX_SIDE, MAX_SIDE);
        return JBW_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        if (plot->series[i].count == 0 || plot->series[i].y) continue;
        jbw_error_set(error, 0, 0, "series %zu of the plot has no values", i);
        return JBW_INVALID_ARGUMENT;
    }
    return JBW_OK;
}

jbw_status jbw_plot_write_png(const jbw_plot *plot, const char *path, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    const int width = plot->width ? plot->width : DEFAULT_WIDTH;
    const int height = plot->height ? plot->height : DEFAULT_HEIGHT;
    jbw_status status = check_plot(plot, width, height, error);
    if (status) return status;

    const jbw_allocator allocator = {0};
    const double scale = fmin((double)width / DEFAULT_WIDTH, (double)height / DEFAULT_HEIGHT);
    plotter p = {.plot = plot, .scale = fmax(scale, 0.45)};
    p.margin = 26.0 * p.scale;
    p.title = (jbw_text_style){.unit = 1.75 * p.scale, .thickness = 1.5};
    p.text = (jbw_text_style){.unit = 1.25 * p.scale, .thickness = 1.2};
    p.row_height = 22.0 * p.scale;
    if (!jbw_canvas_init(&p.canvas, width, height, paper_color, &allocator))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    draw_plot(&p);
    status = jbw_canvas_write_png(&p.canvas, path, error);
    jbw_canvas_deinit(&p.canvas);
    return status;
}
