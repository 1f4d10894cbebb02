// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Pictures of regions. A map alone is drawn and written row by row, however large it is; with a
// legend or a panel it is put together in memory.

#include "jbw/picture.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/draw/map_painter.h"
#include "io/draw/panel.h"
#include "io/draw/png_file.h"

#define MAX_SIDE INT64_C(1000000) // in pixels; libpng's own limit
#define MAX_PIXELS (INT64_C(1) << 28)
#define MAX_DRESSED_SIDE 32768 // of a map with a legend or a panel

static const jbw_picture_options default_options = {.scale = 4};

// --- sizes --------------------------------------------------------------------------------------

int jbw_picture_scale(jbw_region region)
{
    enum { SIDE = 960, MOST = 24 };
    const int64_t longer = region.width > region.height ? region.width : region.height;
    return longer <= SIDE / MOST ? MOST : longer >= SIDE ? 1 : (int)(SIDE / longer);
}

static bool is_dressed(const jbw_picture_options *options)
{
    return options->show_legend || options->show_panel;
}

jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                             jbw_error *error)
{
    if (!options) options = &default_options;
    const int scale = options->scale;
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
    const long long width = region.width * scale;
    const long long height = region.height * scale;
    if (is_dressed(options) && (width > MAX_DRESSED_SIDE || height > MAX_DRESSED_SIDE)) {
        jbw_error_set(error, 0, 0,
                      "a map of %lld x %lld pixels is too large for a legend or a panel, expected "
                      "at most %d along a side",
                      width, height, MAX_DRESSED_SIDE);
        return JBW_INVALID_ARGUMENT;
    }
    if (region.x < -JBW_MAX_COORDINATE || region.x > JBW_MAX_COORDINATE - region.width ||
        region.y < -JBW_MAX_COORDINATE || region.y > JBW_MAX_COORDINATE - region.height)
        return jbw_error_set_status(error, JBW_OUT_OF_RANGE);
    return JBW_OK;
}

static jbw_panel_layout lay_out(const jbw_model *model, jbw_region region,
                                const jbw_picture_options *options)
{
    return jbw_panel_lay_out(model, (int)(region.width * options->scale),
                             (int)(region.height * options->scale), options);
}

jbw_status jbw_picture_size(const jbw_model *model, jbw_region region,
                            const jbw_picture_options *options, int64_t *width, int64_t *height,
                            jbw_error *error)
{
    if (!options) options = &default_options;
    const jbw_status status = jbw_picture_check(region, options, error);
    if (status) return status;
    const jbw_panel_layout layout = lay_out(model, region, options);
    *width = layout.width;
    *height = layout.height;
    return JBW_OK;
}

// --- drawing ------------------------------------------------------------------------------------

// the map in the upper left corner of an image with rows of `row_size` bytes
static jbw_status draw_map(jbw_map_painter *painter, uint8_t *pixels, size_t row_size)
{
    jbw_status status = JBW_OK;
    const int64_t row_count = painter->region.height * painter->scale;
    for (int64_t row = 0; row < row_count && !status; row++)
        status = jbw_map_painter_row(painter, row, pixels + (size_t)row * row_size);
    return status;
}

// On failure there is nothing to clean up.
static jbw_status dress(jbw_canvas *canvas, jbw_map_painter *painter, jbw_world *world,
                        const jbw_picture_options *options)
{
    const jbw_panel_layout layout = lay_out(jbw_world_model(world), painter->region, options);
    if (!jbw_canvas_init(canvas, layout.width, layout.height, jbw_white_color, &painter->allocator))
        return JBW_OUT_OF_MEMORY;
    jbw_status status = draw_map(painter, canvas->pixels, 3 * (size_t)layout.width);
    if (!status) status = jbw_panel_draw(canvas, &layout, world, options);
    if (status) jbw_canvas_deinit(canvas);
    return status;
}

jbw_status jbw_picture_draw(jbw_world *world, jbw_region region, const jbw_picture_options *options,
                            uint8_t *pixels, jbw_error *error)
{
    if (!options) options = &default_options;
    jbw_map_painter painter;
    jbw_canvas canvas;
    jbw_status status = jbw_picture_check(region, options, error);
    if (status) return status;
    status = jbw_map_painter_init(&painter, world, region, options);
    if (status) return jbw_error_set_status(error, status);
    if (is_dressed(options)) {
        status = dress(&canvas, &painter, world, options);
        if (!status) {
            memcpy(pixels, canvas.pixels, 3 * (size_t)canvas.width * (size_t)canvas.height);
            jbw_canvas_deinit(&canvas);
        }
    } else {
        status = draw_map(&painter, pixels, 3 * (size_t)(region.width * options->scale));
    }
    jbw_map_painter_deinit(&painter);
    return status ? jbw_error_set_status(error, status) : JBW_OK;
}

jbw_status jbw_picture_write_png(jbw_world *world, jbw_region region,
                                 const jbw_picture_options *options, const char *path,
                                 jbw_error *error)
{
    if (!options) options = &default_options;
    jbw_map_painter painter;
    jbw_canvas canvas;
    jbw_status status = jbw_picture_check(region, options, error);
    if (status) return status;
    status = jbw_map_painter_init(&painter, world, region, options);
    if (status) return jbw_error_set_status(error, status);
    if (is_dressed(options)) {
        status = dress(&canvas, &painter, world, options);
        if (status) {
            jbw_error_set_status(error, status);
        } else {
            status = jbw_canvas_write_png(&canvas, path, error);
            jbw_canvas_deinit(&canvas);
        }
    } else {
        status = jbw_png_write(path, region.width * options->scale, region.height * options->scale,
                               jbw_map_painter_row, &painter, &painter.allocator, error);
    }
    jbw_map_painter_deinit(&painter);
    return status;
}
