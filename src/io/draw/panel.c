// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/draw/canvas_text.h"
#include "io/draw/color.h"
#include "io/draw/palette.h"
#include "io/draw/reward_plot.h"
#include "jbw/observation.h"

// in units of the layout
#define WIDTH 316.0
#define MARGIN 18.0
#define VISION_SIDE 168.0
#define HEADING_HEIGHT 24.0 // of a section's name
#define ROW_HEIGHT 27.0     // of items
#define ICON 22.0
#define GAP 20.0 // between sections
#define PLOT_HEIGHT 112.0

// smaller letters could not be read; larger ones would waste room
#define LEAST_UNIT 0.8
#define MOST_UNIT 3.0

enum { MAX_ROWS = 10, MAX_BARS = 5 };

static const jbw_color text_color = {27, 31, 39};
static const jbw_color quiet_color = {92, 100, 114};
static const jbw_color field_color = {228, 231, 237};
static const jbw_color line_color = {217, 220, 227};

/// Draws from top to bottom. Without a canvas it only moves down, which gives the height.
typedef struct panel {
    jbw_canvas *canvas; // or NULL
    const jbw_model *model;
    const jbw_picture_options *options;
    jbw_world *world; // NULL without a canvas
    jbw_palette palette;
    double unit;
    double left;
    double right;
    double y;
} panel;

// --- texts and icons ----------------------------------------------------------------------------

static jbw_text_style text_style(const panel *p, double size)
{
    return (jbw_text_style){.unit = size * p->unit, .thickness = 1.25};
}

// `y` is the base line; too long a text shrinks
static void draw_text(const panel *p, double x, double y, double room, const char *text,
                      jbw_text_style style, jbw_color color)
{
    style = jbw_text_fitted(style, text, room);
    jbw_canvas_text(p->canvas, (jbw_point){floor(x) + 0.5, floor(y) + 0.5}, text, &style);
    jbw_canvas_ink(p->canvas, color, 1.0);
}

static void draw_heading(const panel *p, double x, const char *name)
{
    jbw_text_style style = text_style(p, 0.95);
    style.thickness = 1.6;
    draw_text(p, x, p->y + 9.0 * p->unit, p->right - x, name, style, quiet_color);
}

static void draw_icon(const panel *p, int item, double left, double top, double size)
{
    const jbw_canvas *canvas = p->canvas;
    const int side = (int)(size + 0.5);
    const int from_x = (int)left;
    const int from_y = (int)top;
    for (int row = 0; row < side; row++) {
        for (int column = 0; column < side; column++) {
            const int x = from_x + column;
            const int y = from_y + row;
            if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) continue;
            const jbw_point at = {(column + 0.5) / side - 0.5, 0.5 - (row + 0.5) / side};
            uint8_t *pixel = &canvas->pixels[3 * ((size_t)y * (size_t)canvas->width + (size_t)x)];
            const jbw_color behind = {pixel[0], pixel[1], pixel[2]};
            jbw_pixel_blend(pixel, jbw_palette_icon_pixel(&p->palette, item, behind, at, side),
                            255);
        }
    }
}

// 1234567 becomes 1,234,567
static void print_grouped(uint64_t value, char out[32])
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
    int length = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) out[length++] = ',';
        out[length++] = digits[i];
    }
    out[length] = '\0';
}

// --- sections -----------------------------------------------------------------------------------

static bool has_agent(const panel *p)
{
    return p->options->agent.index1 != 0;
}

static void add_header(panel *p)
{
    const double unit = p->unit;
    if (p->canvas) {
        char time[32];
        char text[64];
        print_grouped(jbw_world_time(p->world), time);
        snprintf(text, sizeof text, "step %s", time);
        jbw_text_style title = text_style(p, 1.75);
        title.thickness = 1.5;
        draw_text(p, p->left, p->y + 16.0 * unit, p->right - p->left, text, title, text_color);
    }
    p->y += 16.0 * unit;
    if (!has_agent(p)) return;
    if (p->canvas) {
        static const char *const names[] = {"up", "right", "down", "left"};
        jbw_agent_state state = {0};
        jbw_agent_get_state(p->world, p->options->agent, &state);
        char text[128];
        snprintf(text, sizeof text, "agent %" PRIu32 " at %" PRId64 ", %" PRId64 ", looking %s",
                 p->options->agent.index1, state.position.x, state.position.y,
                 names[state.direction & 3]);
        draw_text(p, p->left, p->y + 22.0 * unit, p->right - p->left, text, text_style(p, 1.08),
                  quiet_color);
    }
    p->y += 22.0 * unit;
}

// pixels per cell of what the agent sees; at least one, however far it sees
static int vision_scale(const panel *p)
{
    const int fitting = (int)(VISION_SIDE * p->unit / jbw_model_vision_side(p->model));
    return fitting > 0 ? fitting : 1;
}

// The colours that the agent sees, looking up; black where there is nothing.
static void draw_vision(const panel *p, double top, const float *vision)
{
    const int side = jbw_model_vision_side(p->model);
    const int dimensions = jbw_model_color_dimensions(p->model);
    const int scale = vision_scale(p);
    const int left = (int)p->left;
    for (int row = 0; row < side; row++) {
        for (int column = 0; column < side; column++) {
            const float *cell = vision + (row * side + column) * dimensions;
            double values[3] = {0.0, 0.0, 0.0};
            for (int i = 0; i < dimensions && i < 3; i++) values[i] = (double)cell[i];
            const jbw_rectangle area = {.left = left + column * scale,
                                        .top = (int)top + row * scale,
                                        .right = left + (column + 1) * scale,
                                        .bottom = (int)top + (row + 1) * scale};
            jbw_canvas_fill(p->canvas, area, jbw_color_of(values, dimensions));
        }
    }

    // the agent itself
    const double middle = side * scale / 2.0;
    const double size = fmax(scale, 7.0 * p->unit);
    const jbw_point tip = {left + middle, (int)top + middle - 0.42 * size};
    const jbw_point wing[2] = {{tip.x - 0.36 * size, tip.y + 0.8 * size},
                               {tip.x + 0.36 * size, tip.y + 0.8 * size}};
    for (int i = 0; i < 2; i++) jbw_canvas_stroke(p->canvas, tip, wing[i], fmax(1.3, 0.16 * size));
    jbw_canvas_ink(p->canvas, jbw_white_color, 1.0);
}

// the scent of a full bar: the next of 1, 2, 5, 10, ...
static double round_up(double value)
{
    double power = 1e-3;
    while (power < 1e12) {
        if (value <= power) return power;
        if (value <= 2.0 * power) return 2.0 * power;
        if (value <= 5.0 * power) return 5.0 * power;
        power *= 10.0;
    }
    return value;
}

// bars that grow upwards, with their values below
static void draw_scent(const panel *p, double left, double top, double height, const float *scent)
{
    static const jbw_color colors[MAX_BARS] = {
        {213, 94, 0}, {0, 158, 115}, {0, 114, 178}, {204, 121, 167}, {230, 159, 0}};
    const int dimensions = jbw_model_scent_dimensions(p->model);
    const int count = dimensions < MAX_BARS ? dimensions : MAX_BARS;
    const double unit = p->unit;
    const double room = (p->right - left) / count;
    const double bar = fmin(22.0 * unit, room * 0.6);
    const double bottom = top + height - 16.0 * unit;
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, (double)scent[i]);
    const double full = round_up(fmax(most, p->options->scent_scale));
    for (int i = 0; i < count; i++) {
        const double middle = left + bar / 2.0 + i * room;
        const double part = fmin(fmax((double)scent[i] / full, 0.0), 1.0);
        const jbw_rectangle field = {(int)(middle - bar / 2.0), (int)top, (int)(middle + bar / 2.0),
                                     (int)bottom};
        jbw_canvas_fill(p->canvas, field, field_color);
        jbw_rectangle filled = field;
        filled.top = field.bottom - (int)(part * (field.bottom - field.top) + 0.5);
        jbw_canvas_fill(p->canvas, filled, colors[i]);
        char text[32];
        const double value = (double)scent[i];
        snprintf(text, sizeof text, value < 10.0 ? "%.1f" : "%.0f", value);
        const jbw_text_style style = jbw_text_fitted(text_style(p, 0.95), text, room - 4.0 * unit);
        const double length = jbw_text_length(text, &style);
        draw_text(p, middle - length / 2.0, top + height, room, text, style, quiet_color);
    }
}

static jbw_status draw_senses(const panel *p, double top, double side)
{
    const jbw_allocator allocator = jbw_model_allocator(p->model);
    const size_t vision_size = jbw_model_part(p->model, JBW_PART_VISION).size;
    const size_t scent_size = jbw_model_part(p->model, JBW_PART_SCENT).size;
    float *vision = jbw_alloc(&allocator, vision_size);
    float *scent = jbw_alloc(&allocator, scent_size);
    jbw_status status = vision && scent ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_agent_perceive(p->world, p->options->agent, vision, scent);
    if (!status) {
        const double left = p->left + fmax(VISION_SIDE * p->unit, side) + GAP * p->unit;
        draw_heading(p, p->left, "SEES");
        draw_vision(p, top, vision);
        if (scent_size > 0) {
            draw_heading(p, left, "SMELLS");
            draw_scent(p, left, top, side, scent);
        }
    }
    jbw_free(&allocator, vision, vision_size);
    jbw_free(&allocator, scent, scent_size);
    return status;
}

static jbw_status add_senses(panel *p)
{
    const double top = p->y + HEADING_HEIGHT * p->unit - 8.0 * p->unit;
    const double side = jbw_model_vision_side(p->model) * (double)vision_scale(p);
    if (p->canvas) {
        const jbw_status status = draw_senses(p, top, side);
        if (status) return status;
    }
    p->y = top + side;
    return JBW_OK;
}

// The item types in two columns, with the number that the agent carries. If there are very many
// types, the last entry says how many more there are.
static void add_items(panel *p)
{
    const int columns = 2;
    const double unit = p->unit;
    const int most = MAX_ROWS * columns;
    const int all = p->palette.item_count;
    const int count = all > most ? most : all;
    const int rows = (count + columns - 1) / columns;
    const double room = (p->right - p->left) / columns;
    const uint64_t *carried =
        p->canvas && has_agent(p) ? jbw_agent_inventory(p->world, p->options->agent) : NULL;
    if (p->canvas) draw_heading(p, p->left, has_agent(p) ? "CARRIES" : "ITEMS");
    p->y += (HEADING_HEIGHT - 8.0) * unit;
    for (int i = 0; i < count && p->canvas; i++) {
        const int row = i / columns;
        const double x = p->left + i % columns * room;
        const double top = p->y + row * ROW_HEIGHT * unit;
        const double base = top + 16.0 * unit;
        const double text_x = x + (ICON + 7.0) * unit;
        char text[32] = "";
        if (i == most - 1 && all > most) {
            snprintf(text, sizeof text, "and %d more", all - most + 1);
            draw_text(p, text_x, base, room, text, text_style(p, 1.08), quiet_color);
            break;
        }
        draw_icon(p, i + 1, x, top, ICON * unit);
        if (carried) print_grouped(carried[i], text);
        const jbw_text_style style = text_style(p, 1.08);
        const double number = jbw_text_length(text, &style);
        const double end = x + room - (i % columns == 0 ? 13.0 * unit : 0.0);
        draw_text(p, text_x, base, end - number - 5.0 * unit - text_x,
                  jbw_model_item_name(p->model, i), style,
                  carried && carried[i] == 0 ? quiet_color : text_color);
        if (carried)
            draw_text(p, end - number, base, room, text, style,
                      carried[i] == 0 ? quiet_color : text_color);
    }
    p->y += rows * ROW_HEIGHT * unit - (ROW_HEIGHT - ICON) * unit;
}

static void add_reward(panel *p)
{
    const double unit = p->unit;
    if (p->canvas) {
        draw_heading(p, p->left, "REWARD");
        char text[64] = "";
        const double rate = jbw_reward_rate(p->options->rewards, p->options->reward_count);
        if (p->options->reward_count > 0) snprintf(text, sizeof text, "%.3f per step", rate);
        const jbw_text_style style = text_style(p, 0.95);
        draw_text(p, p->right - jbw_text_length(text, &style), p->y + 9.0 * unit,
                  p->right - p->left, text, style, quiet_color);
    }
    p->y += (HEADING_HEIGHT - 8.0) * unit;
    if (p->canvas) {
        const jbw_rectangle area = {.left = (int)p->left,
                                    .top = (int)p->y,
                                    .right = (int)p->right,
                                    .bottom = (int)(p->y + PLOT_HEIGHT * unit)};
        jbw_reward_plot_draw(p->canvas, area, unit, p->options->rewards, p->options->reward_count,
                             jbw_world_time(p->world));
    }
    p->y += PLOT_HEIGHT * unit;
}

static jbw_status add_sections(panel *p)
{
    const double gap = GAP * p->unit;
    p->y += MARGIN * p->unit;
    add_header(p);
    if (has_agent(p)) {
        p->y += gap;
        const jbw_status status = add_senses(p);
        if (status) return status;
    }
    if (p->palette.item_count > 0) {
        p->y += gap;
        add_items(p);
    }
    if (p->options->rewards) {
        p->y += gap;
        add_reward(p);
    }
    p->y += MARGIN * p->unit;
    return JBW_OK;
}

// --- the legend below a map ---------------------------------------------------------------------

// The item types from left to right, in as many rows as it takes.
static void add_legend(panel *p)
{
    const double unit = p->unit;
    const jbw_text_style style = text_style(p, 1.08);
    double x = p->left;
    p->y += MARGIN * 0.6 * unit;
    for (int i = 0; i < p->palette.item_count; i++) {
        const char *name = jbw_model_item_name(p->model, i);
        const double length = (ICON + 7.0) * unit + jbw_text_length(name, &style);
        if (x > p->left && x + length > p->right) {
            x = p->left;
            p->y += ROW_HEIGHT * unit;
        }
        if (p->canvas) {
            draw_icon(p, i + 1, x, p->y, ICON * unit);
            draw_text(p, x + (ICON + 7.0) * unit, p->y + 16.0 * unit, p->right - p->left, name,
                      style, text_color);
        }
        x += length + GAP * unit;
    }
    p->y += ICON * unit + MARGIN * 0.6 * unit;
}

// --- the public functions -----------------------------------------------------------------------

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static panel begin(const jbw_panel_layout *layout, const jbw_model *model,
                   const jbw_picture_options *options)
{
    panel p = {.model = model, .options = options, .unit = layout->unit};
    jbw_palette_init(&p.palette, model);
    if (options->show_panel) {
        p.left = layout->map_width + MARGIN * p.unit;
        p.right = layout->map_width + (WIDTH - MARGIN) * p.unit;
    } else {
        p.left = MARGIN * 0.6 * p.unit;
        p.right = layout->map_width - p.left;
        p.y = layout->map_height;
    }
    return p;
}

static double panel_height(const jbw_panel_layout *layout, double unit, const jbw_model *model,
                           const jbw_picture_options *options)
{
    panel p = begin(layout, model, options);
    p.unit = unit;
    add_sections(&p);
    return p.y;
}

jbw_panel_layout jbw_panel_lay_out(const jbw_model *model, int map_width, int map_height,
                                   const jbw_picture_options *options)
{
    jbw_panel_layout layout = {
        .map_width = map_width, .map_height = map_height, .width = map_width, .height = map_height};
    if (options->show_panel) {
        // as large as fits beside the map, and not half as wide; if even the smallest does not fit,
        // the picture is taller
        double height = panel_height(&layout, 1.0, model, options);
        double unit = fmin(map_height / height, 0.45 * map_width / WIDTH);
        unit = clamp(unit, LEAST_UNIT, MOST_UNIT);
        while ((height = panel_height(&layout, unit, model, options)) > map_height &&
               unit > LEAST_UNIT)
            unit = fmax(unit * 0.99, LEAST_UNIT);
        layout.unit = unit;
        layout.width = map_width + (int)ceil(WIDTH * unit);
        if (height > map_height) layout.height = (int)ceil(height);
    } else if (options->show_legend) {
        layout.unit = clamp(map_width / 640.0, LEAST_UNIT, MOST_UNIT);
        panel p = begin(&layout, model, options);
        add_legend(&p);
        layout.height = (int)ceil(p.y);
    }
    return layout;
}

jbw_status jbw_panel_draw(jbw_canvas *canvas, const jbw_panel_layout *layout, jbw_world *world,
                          const jbw_picture_options *options)
{
    panel p = begin(layout, jbw_world_model(world), options);
    p.canvas = canvas;
    p.world = world;
    const int line = (int)fmax(p.unit, 1.0);
    if (!options->show_panel) {
        jbw_canvas_fill(
            canvas,
            (jbw_rectangle){0, layout->map_height, layout->width, layout->map_height + line},
            line_color);
        add_legend(&p);
        return JBW_OK;
    }
    jbw_canvas_fill(canvas,
                    (jbw_rectangle){layout->map_width, 0, layout->map_width + line, layout->height},
                    line_color);
    return add_sections(&p);
}
