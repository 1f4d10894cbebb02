// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Pictures of regions. Rows of pixels are drawn and passed to libpng one at a time, from the
// highest y down, so that memory use does not grow with the height of the picture.

#include "base/alloc.h"
#include "base/divide.h"
#include "base/error.h"
#include "io/draw/color.h"
#include "io/draw/png_file.h"
#include "io/draw/trail.h"
#include "jbw/io.h"

#define MAX_SIDE INT64_C(1000000) // in pixels; libpng's own limit
#define MAX_PIXELS (INT64_C(1) << 28)

static const jbw_color paper_color = {250, 249, 245};   // an empty cell
static const jbw_color sampled_color = {222, 222, 226}; // an empty cell that is not final
static const jbw_color hatch_colors[2] = {{176, 178, 184}, {160, 162, 169}}; // of missing patches
static const jbw_color grid_color = {70, 76, 92};

typedef struct painter {
    const jbw_world *world;
    jbw_region region;
    int scale;
    bool show_grid;
    int64_t patch_size;
    jbw_allocator allocator;

    jbw_color palette[256];     // of final cells, by item type plus one
    jbw_color dim_palette[256]; // of cells that are not final
    uint8_t *items;             // (band_height x width) cells of one row of patches
    uint8_t *states;            // likewise
    int64_t band_bottom;        // the lowest y of these, once they are read
    int64_t band_height;
    bool has_trail;
    jbw_trail trail;
} painter;

// --- colours ------------------------------------------------------------------------------------

static uint8_t to_byte(double value)
{
    if (!(value > 0.0)) return 0;
    return value >= 1.0 ? 255 : (uint8_t)(value * 255.0 + 0.5);
}

// the first three dimensions are red, green and blue; a single dimension is grey
static jbw_color item_color(const double *values, int dimensions)
{
    const uint8_t first = dimensions > 0 ? to_byte(values[0]) : 0;
    if (dimensions == 1) return (jbw_color){first, first, first};
    return (jbw_color){first, dimensions > 1 ? to_byte(values[1]) : 0,
                       dimensions > 2 ? to_byte(values[2]) : 0};
}

static void make_palettes(painter *p)
{
    const jbw_model *model = jbw_world_model(p->world);
    const int dimensions = jbw_model_color_dimensions(model);
    p->palette[0] = paper_color;
    p->dim_palette[0] = sampled_color;
    for (int type = 0; type < jbw_model_item_type_count(model) && type < 255; type++) {
        const jbw_color plain = item_color(jbw_model_item_color(model, type), dimensions);
        p->palette[type + 1] = plain;
        p->dim_palette[type + 1] = jbw_color_blend(plain, sampled_color, 150);
    }
}

// --- rows of pixels -----------------------------------------------------------------------------

// Draws one row of pixels of a row of cells. `cell_row` is the row within the cells, 0 is the top.
static void paint_row(const painter *p, int64_t y, int cell_row, uint8_t *out)
{
    const bool has_outline = p->scale >= 5;
    const int last = p->scale - 1;
    const bool on_grid_row = cell_row == last && jbw_floor_modulo(y, p->patch_size) == 0;
    const uint8_t *items = p->items + (y - p->band_bottom) * p->region.width;
    const uint8_t *states = p->states + (y - p->band_bottom) * p->region.width;
    for (int64_t i = 0; i < p->region.width; i++) {
        const uint8_t item = items[i];
        const bool is_missing = states[i] == JBW_PATCH_MISSING;
        const bool is_final = states[i] == JBW_PATCH_FINAL;
        const jbw_color fill = is_final ? p->palette[item] : p->dim_palette[item];
        const bool on_grid_column = jbw_floor_modulo(p->region.x + i, p->patch_size) == 0;
        for (int column = 0; column < p->scale; column++) {
            jbw_color pixel = fill;
            if (is_missing) {
                // diagonal stripes that continue from cell to cell
                const int64_t diagonal = (p->region.x + i) % 8 * p->scale + column +
                                         (y % 8 + 1) * p->scale - 1 - cell_row;
                pixel = hatch_colors[jbw_floor_modulo(diagonal, 8) / 4];
            } else if (has_outline && item != 0 &&
                       (column == 0 || column == last || cell_row == 0 || cell_row == last)) {
                // separates neighbours, and pale items from the background
                pixel = jbw_color_blend(fill, grid_color, 60);
            }
            if (p->show_grid && (on_grid_row || (column == 0 && on_grid_column)))
                pixel = jbw_color_blend(pixel, grid_color, 120);
            *out++ = pixel.red;
            *out++ = pixel.green;
            *out++ = pixel.blue;
        }
    }
}

// Reads the row of patches at this y, as far as it is in the region. Patches may have to be
// generated for this, so each is read only once.
static jbw_status read_band(painter *p, int64_t y)
{
    int64_t bottom = y - jbw_floor_modulo(y, p->patch_size);
    if (bottom < p->region.y) bottom = p->region.y;
    const jbw_region cells = {
        .x = p->region.x, .y = bottom, .width = p->region.width, .height = y + 1 - bottom};
    p->band_bottom = bottom;
    return jbw_world_read_region(p->world, cells, p->items, p->states);
}

static jbw_status make_row(void *user, int64_t row, uint8_t *pixels)
{
    painter *p = user;
    const int64_t y = p->region.y + p->region.height - 1 - row / p->scale;
    const int cell_row = (int)(row % p->scale);
    if (row == 0 || y < p->band_bottom) {
        const jbw_status status = read_band(p, y);
        if (status) return status;
    }
    paint_row(p, y, cell_row, pixels);
    if (p->has_trail) jbw_trail_paint_row(&p->trail, p->region, y, cell_row, pixels);
    return JBW_OK;
}

// --- the public functions -----------------------------------------------------------------------

static const jbw_picture_options default_options = {.scale = 4};

jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                             jbw_error *error)
{
    const int scale = options ? options->scale : default_options.scale;
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
        region.y < -JBW_MAX_COORDINATE || region.y > JBW_MAX_COORDINATE - region.height)
        return jbw_error_set_status(error, JBW_OUT_OF_RANGE);
    return JBW_OK;
}

static void painter_deinit(painter *p)
{
    const size_t cells = (size_t)(p->region.width * p->band_height);
    if (p->has_trail) jbw_trail_deinit(&p->trail);
    jbw_free(&p->allocator, p->items, cells);
    jbw_free(&p->allocator, p->states, cells);
}

// On failure there is nothing to clean up.
static jbw_status painter_init(painter *p, const jbw_world *world, jbw_region region,
                               const jbw_picture_options *options, jbw_error *error)
{
    if (!options) options = &default_options;
    const jbw_status status = jbw_picture_check(region, options, error);
    if (status) return status;

    *p = (painter){.world = world,
                   .region = region,
                   .scale = options->scale,
                   .show_grid = options->show_grid,
                   .patch_size = jbw_model_patch_size(jbw_world_model(world))};
    p->band_height = p->patch_size < region.height ? p->patch_size : region.height;
    const size_t cells = (size_t)(region.width * p->band_height);
    make_palettes(p);
    p->items = jbw_alloc(&p->allocator, cells);
    p->states = jbw_alloc(&p->allocator, cells);
    bool is_good = p->items && p->states;
    if (is_good && options->path && options->path_count > 0) {
        p->has_trail = jbw_trail_init(&p->trail, options->path, options->path_count, region,
                                      options->scale, &p->allocator);
        is_good = p->has_trail;
    }
    if (is_good) return JBW_OK;
    painter_deinit(p);
    return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
}

jbw_status jbw_picture_draw(const jbw_world *world, jbw_region region,
                            const jbw_picture_options *options, uint8_t *pixels, jbw_error *error)
{
    painter p;
    jbw_status status = painter_init(&p, world, region, options, error);
    if (status) return status;
    const int64_t row_count = region.height * p.scale;
    const size_t row_size = 3 * (size_t)(region.width * p.scale);
    for (int64_t row = 0; row < row_count && !status; row++)
        status = make_row(&p, row, pixels + (size_t)row * row_size);
    painter_deinit(&p);
    return status;
}

jbw_status jbw_picture_write_png(const jbw_world *world, jbw_region region,
                                 const jbw_picture_options *options, const char *path,
                                 jbw_error *error)
{
    painter p;
    jbw_status status = painter_init(&p, world, region, options, error);
    if (status) return status;
    status = jbw_png_write(path, region.width * p.scale, region.height * p.scale, make_row, &p,
                           &p.allocator, error);
    painter_deinit(&p);
    return status;
}
