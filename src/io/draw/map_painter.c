// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/map_painter.h"

#include <string.h>

#include "base/alloc.h"
#include "base/divide.h"
#include "io/draw/color.h"

static const jbw_color hatch_colors[2] = {{176, 178, 184}, {160, 162, 169}}; // of missing patches

// --- cells --------------------------------------------------------------------------------------

// diagonal stripes that continue from cell to cell
static void paint_missing(const jbw_map_painter *p, int64_t x, int64_t y, int cell_row,
                          uint8_t *out)
{
    for (int column = 0; column < p->scale; column++, out += 3) {
        const int64_t diagonal = x % 8 * p->scale + column + (y % 8 + 1) * p->scale - 1 - cell_row;
        jbw_pixel_blend(out, hatch_colors[jbw_floor_modulo(diagonal, 8) / 4], 255);
    }
}

static void paint_grid(const jbw_map_painter *p, int64_t y, int cell_row, uint8_t *pixels)
{
    const bool is_line = cell_row == p->scale - 1 && jbw_floor_modulo(y, p->patch_size) == 0;
    const int64_t width = p->region.width * p->scale;
    int64_t first = jbw_floor_modulo(-p->region.x, p->patch_size) * p->scale;
    if (is_line) first = 0;
    for (int64_t i = first; i < width; i += is_line ? 1 : p->patch_size * p->scale)
        jbw_pixel_blend(&pixels[3 * i], jbw_grid_color, 120);
}

// Draws one row of pixels of a row of cells. `cell_row` is the row within the cells, 0 is the top.
static void paint_cells(jbw_map_painter *p, int64_t y, int cell_row, uint8_t *out)
{
    const size_t size = 3 * (size_t)p->scale;
    const int64_t first = (y - p->band_bottom) * p->region.width;
    const uint8_t *items = p->items + first;
    const uint8_t *looks = p->looks + first;
    const uint8_t *states = p->states + first;
    for (int64_t i = 0; i < p->region.width; i++, out += size) {
        if (states[i] == JBW_PATCH_MISSING)
            paint_missing(p, p->region.x + i, y, cell_row, out);
        else
            memcpy(out,
                   jbw_sprites_row(&p->sprites, items[i], (jbw_item_look)looks[i],
                                   states[i] == JBW_PATCH_FINAL, cell_row),
                   size);
    }
}

// Reads the row of patches at this y, as far as it is in the region. Patches may have to be
// generated for this, so each is read only once.
static jbw_status read_band(jbw_map_painter *p, int64_t y)
{
    int64_t bottom = y - jbw_floor_modulo(y, p->patch_size);
    if (bottom < p->region.y) bottom = p->region.y;
    const jbw_region cells = {
        .x = p->region.x, .y = bottom, .width = p->region.width, .height = y + 1 - bottom};
    p->band_bottom = bottom;
    const jbw_region_planes planes = {
        .items = p->items, .hidden = p->looks, .growing = p->growing, .states = p->states};
    const jbw_status status = jbw_world_read_planes(p->world, cells, &planes);
    if (status) return status;

    // what agents see covers the rest
    for (int64_t i = 0; i < cells.width * cells.height; i++) {
        const uint8_t hidden = p->looks[i];
        p->looks[i] = JBW_LOOK_SEEN;
        if (p->items[i]) continue;
        p->items[i] = hidden ? hidden : p->growing[i];
        if (p->items[i]) p->looks[i] = hidden ? JBW_LOOK_HIDDEN : JBW_LOOK_GROWING;
    }
    return JBW_OK;
}

// --- the painter --------------------------------------------------------------------------------

jbw_status jbw_map_painter_init(jbw_map_painter *p, jbw_world *world, jbw_region region,
                                const jbw_picture_options *options)
{
    const jbw_model *model = jbw_world_model(world);
    *p = (jbw_map_painter){.world = world,
                           .region = region,
                           .scale = options->scale,
                           .show_grid = options->show_grid,
                           .patch_size = jbw_model_patch_size(model),
                           .allocator = jbw_model_allocator(model)};
    p->band_height = p->patch_size < region.height ? p->patch_size : region.height;
    jbw_palette_init(&p->palette, model);
    const size_t cells = (size_t)(region.width * p->band_height);
    const size_t path_count = options->path ? options->path_count : 0;
    p->items = jbw_alloc(&p->allocator, cells);
    p->looks = jbw_alloc(&p->allocator, cells);
    p->growing = jbw_alloc(&p->allocator, cells);
    p->states = jbw_alloc(&p->allocator, cells);
    const bool has_cells = p->items && p->looks && p->growing && p->states;
    jbw_status status = has_cells ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status && !jbw_sprites_init(&p->sprites, &p->palette, p->scale, &p->allocator))
        status = JBW_OUT_OF_MEMORY;
    if (!status && !jbw_trail_init(&p->trail, options->path, path_count, options->path_memory,
                                   region, p->scale, &p->allocator))
        status = JBW_OUT_OF_MEMORY;
    if (!status)
        status = jbw_agent_marks_init(&p->marks, world, region, p->scale, options->agent,
                                      options->hide_agents, &p->allocator);
    if (status) jbw_map_painter_deinit(p);
    return status;
}

void jbw_map_painter_deinit(jbw_map_painter *p)
{
    const size_t cells = (size_t)(p->region.width * p->band_height);
    if (p->marks.allocator) jbw_agent_marks_deinit(&p->marks);
    if (p->trail.allocator) jbw_trail_deinit(&p->trail);
    if (p->sprites.allocator) jbw_sprites_deinit(&p->sprites);
    jbw_free(&p->allocator, p->items, cells);
    jbw_free(&p->allocator, p->looks, cells);
    jbw_free(&p->allocator, p->growing, cells);
    jbw_free(&p->allocator, p->states, cells);
}

jbw_status jbw_map_painter_row(void *painter, int64_t row, uint8_t *pixels)
{
    jbw_map_painter *p = painter;
    const int64_t y = p->region.y + p->region.height - 1 - row / p->scale;
    const int cell_row = (int)(row % p->scale);
    if (row == 0 || y < p->band_bottom) {
        const jbw_status status = read_band(p, y);
        if (status) return status;
    }
    paint_cells(p, y, cell_row, pixels);
    if (p->show_grid) paint_grid(p, y, cell_row, pixels);
    jbw_trail_paint_row(&p->trail, p->region, y, cell_row, pixels);
    jbw_agent_marks_paint_sight(&p->marks, row, pixels);
    jbw_agent_marks_paint_row(&p->marks, row, pixels);
    return JBW_OK;
}
