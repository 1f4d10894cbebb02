// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures of regions. Rows of pixels are made and handed to libpng one at a time, from the
/// highest y down, so that memory does not grow with the height of a picture.
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/file.h"
#include "jbw/io.h"

#define MAX_SIDE INT64_C(1000000) // in pixels; libpng's own limit
#define MAX_PIXELS (INT64_C(1) << 28)

typedef struct color {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} color;

static const color paper_color = {250, 249, 245};   // an empty cell
static const color sampled_color = {222, 222, 226}; // the same where items may still change
static const color hatch_colors[2] = {{176, 178, 184}, {160, 162, 169}}; // nothing is known
static const color grid_color = {70, 76, 92};

typedef struct painter {
    const jbw_world *world;
    jbw_region region;
    int scale;
    bool show_grid;
    int64_t patch_size;
    jbw_allocator allocator;

    color palette[256];     // of final cells, by item type plus one
    color dim_palette[256]; // of cells that are not final
    uint8_t *items;         // (width) cells of one row
    uint8_t *states;        // (width)
    uint8_t *pixels;        // (width scale) times red, green, blue
    size_t pixels_size;

    jbw_file_writer writer;
    jbw_status status; // of the world, when reading it failed
    char message[160]; // libpng's
} painter;

// --- colours ------------------------------------------------------------------------------------

static uint8_t to_byte(double value)
{
    if (!(value > 0.0)) return 0;
    return value >= 1.0 ? 255 : (uint8_t)(value * 255.0 + 0.5);
}

// `weight` of 255 is all of b
static uint8_t blend_byte(uint8_t a, uint8_t b, int weight)
{
    return (uint8_t)((a * (255 - weight) + b * weight + 127) / 255);
}

static color blend(color a, color b, int weight)
{
    return (color){blend_byte(a.red, b.red, weight), blend_byte(a.green, b.green, weight),
                   blend_byte(a.blue, b.blue, weight)};
}

// the first three dimensions are red, green and blue; a single one is a shade of grey
static color item_color(const double *values, int dimensions)
{
    const uint8_t first = dimensions > 0 ? to_byte(values[0]) : 0;
    if (dimensions == 1) return (color){first, first, first};
    return (color){first, dimensions > 1 ? to_byte(values[1]) : 0,
                   dimensions > 2 ? to_byte(values[2]) : 0};
}

static void make_palettes(painter *p)
{
    const jbw_model *model = jbw_world_model(p->world);
    const int dimensions = jbw_model_color_dimensions(model);
    p->palette[0] = paper_color;
    p->dim_palette[0] = sampled_color;
    for (int type = 0; type < jbw_model_item_type_count(model) && type < 255; type++) {
        const color plain = item_color(jbw_model_item_color(model, type), dimensions);
        p->palette[type + 1] = plain;
        p->dim_palette[type + 1] = blend(plain, sampled_color, 150);
    }
}

// --- rows of pixels -----------------------------------------------------------------------------

static int64_t floor_modulo(int64_t a, int64_t b)
{
    const int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

// One row of pixels through a row of cells. `cell_row` is the row within the cells, 0 at the top.
static void paint_row(const painter *p, int64_t y, int cell_row)
{
    const bool has_outline = p->scale >= 5;
    const int last = p->scale - 1;
    const bool on_grid_row = cell_row == last && floor_modulo(y, p->patch_size) == 0;
    uint8_t *out = p->pixels;
    for (int64_t i = 0; i < p->region.width; i++) {
        const uint8_t item = p->items[i];
        const bool is_missing = p->states[i] == JBW_PATCH_MISSING;
        const bool is_final = p->states[i] == JBW_PATCH_FINAL;
        const color fill = is_final ? p->palette[item] : p->dim_palette[item];
        const bool on_grid_column = floor_modulo(p->region.x + i, p->patch_size) == 0;
        for (int column = 0; column < p->scale; column++) {
            color pixel = fill;
            if (is_missing) {
                // diagonal stripes that run on from cell to cell
                const int64_t diagonal = (p->region.x + i) % 8 * p->scale + column +
                                         (y % 8 + 1) * p->scale - 1 - cell_row;
                pixel = hatch_colors[floor_modulo(diagonal, 8) / 4];
            } else if (has_outline && item != 0 &&
                       (column == 0 || column == last || cell_row == 0 || cell_row == last)) {
                // keeps neighbours apart, and pale items apart from the background
                pixel = blend(fill, grid_color, 60);
            }
            if (p->show_grid && (on_grid_row || (column == 0 && on_grid_column)))
                pixel = blend(pixel, grid_color, 120);
            *out++ = pixel.red;
            *out++ = pixel.green;
            *out++ = pixel.blue;
        }
    }
}

// --- libpng -------------------------------------------------------------------------------------

static void on_error(png_structp png, png_const_charp message)
{
    painter *p = png_get_error_ptr(png);
    size_t length = strlen(message);
    if (length >= sizeof p->message) length = sizeof p->message - 1;
    memcpy(p->message, message, length);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    painter *p = png_get_io_ptr(png);
    if (!jbw_file_write(&p->writer, bytes, size)) png_error(png, "");
}

static void on_flush(png_structp png)
{
    (void)png; // the writer flushes when it commits
}

// False if the world or libpng failed. Nothing here may change after setjmp but what `p` points to.
static bool write_rows(painter *p, png_structp png, png_infop info)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, p, on_write, on_flush);
    png_set_IHDR(png, info, (png_uint_32)(p->region.width * p->scale),
                 (png_uint_32)(p->region.height * p->scale), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(png, 0, PNG_FILTER_NONE | PNG_FILTER_UP); // rows repeat
    png_write_info(png, info);
    for (int64_t y = p->region.y + p->region.height - 1; y >= p->region.y; y--) {
        const jbw_region row = {.x = p->region.x, .y = y, .width = p->region.width, .height = 1};
        p->status = jbw_world_read_region(p->world, row, p->items, p->states);
        if (p->status) return false;
        for (int cell_row = 0; cell_row < p->scale; cell_row++) {
            paint_row(p, y, cell_row);
            png_write_row(png, p->pixels);
        }
    }
    png_write_end(png, info);
    return true;
}

static jbw_status write_png(painter *p, const char *path, jbw_error *error)
{
    jbw_status status = jbw_file_begin(&p->writer, path, &p->allocator, error);
    if (status) return status;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, p, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool is_good = false;
    if (info)
        is_good = write_rows(p, png, info);
    else
        p->status = JBW_OUT_OF_MEMORY;
    png_destroy_write_struct(&png, &info);

    // a failure of the file itself is best explained by the writer
    if (is_good || p->writer.error_number != 0) return jbw_file_commit(&p->writer, error);
    jbw_file_abandon(&p->writer);
    status = p->status ? p->status : JBW_WRITE_FAILED;
    jbw_error_set(error, 0, 0, "%s", p->message[0] ? p->message : jbw_status_text(status));
    return status;
}

// --- the public functions -----------------------------------------------------------------------

static const jbw_picture_options usual_options = {.scale = 4};

jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                             jbw_error *error)
{
    const int scale = options ? options->scale : usual_options.scale;
    if (error) *error = (jbw_error){0};
    if (scale < 1) {
        jbw_error_set(error, 0, 0, "the scale is %d, expected at least 1", scale);
        return JBW_INVALID_ARGUMENT;
    }
    if (region.width < 1 || region.height < 1) {
        jbw_error_set(error, 0, 0, "the region is %lld x %lld cells, expected at least 1 x 1",
                      (long long)region.width, (long long)region.height);
        return JBW_INVALID_ARGUMENT;
    }
    if (region.width > MAX_SIDE / scale || region.height > MAX_SIDE / scale ||
        region.width * scale > MAX_PIXELS / (region.height * scale)) {
        jbw_error_set(error, 0, 0,
                      "a picture of %lld x %lld cells at %d pixels per cell is too large, "
                      "expected at most 2^28 pixels, and 1000000 along a side",
                      (long long)region.width, (long long)region.height, scale);
        return JBW_INVALID_ARGUMENT;
    }
    if (region.x < -JBW_MAX_COORDINATE || region.x > JBW_MAX_COORDINATE - region.width ||
        region.y < -JBW_MAX_COORDINATE || region.y > JBW_MAX_COORDINATE - region.height) {
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(JBW_OUT_OF_RANGE));
        return JBW_OUT_OF_RANGE;
    }
    return JBW_OK;
}

jbw_status jbw_picture_write_png(const jbw_world *world, jbw_region region,
                                 const jbw_picture_options *options, const char *path,
                                 jbw_error *error)
{
    if (!options) options = &usual_options;
    jbw_status status = jbw_picture_check(region, options, error);
    if (status) return status;

    painter p = {.world = world,
                 .region = region,
                 .scale = options->scale,
                 .show_grid = options->show_grid,
                 .patch_size = jbw_model_patch_size(jbw_world_model(world))};
    const size_t width = (size_t)region.width;
    make_palettes(&p);
    p.pixels_size = width * (size_t)options->scale * 3;
    p.items = jbw_alloc(&p.allocator, width);
    p.states = jbw_alloc(&p.allocator, width);
    p.pixels = jbw_alloc(&p.allocator, p.pixels_size);
    if (p.items && p.states && p.pixels) {
        status = write_png(&p, path, error);
    } else {
        status = JBW_OUT_OF_MEMORY;
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
    }
    jbw_free(&p.allocator, p.items, width);
    jbw_free(&p.allocator, p.states, width);
    jbw_free(&p.allocator, p.pixels, p.pixels_size);
    return status;
}
