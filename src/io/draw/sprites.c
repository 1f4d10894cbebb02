// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/sprites.h"

#include "base/alloc.h"
#include "io/draw/color.h"

enum { MAX_BYTES = 16 << 20 };

static size_t row_size(const jbw_sprites *sprites)
{
    return (size_t)sprites->scale * 3;
}

static size_t slot_count(const jbw_sprites *sprites)
{
    return (size_t)sprites->kept_rows * (size_t)sprites->kinds;
}

bool jbw_sprites_init(jbw_sprites *sprites, const jbw_palette *palette, int scale,
                      const jbw_allocator *allocator)
{
    *sprites = (jbw_sprites){.allocator = allocator,
                             .palette = palette,
                             .scale = scale,
                             .kinds = 2 * JBW_LOOK_COUNT * (palette->item_count + 1)};
    const size_t fitting = MAX_BYTES / (row_size(sprites) * (size_t)sprites->kinds);
    sprites->kept_rows = fitting < 1 ? 1 : fitting < (size_t)scale ? (int)fitting : scale;
    sprites->pixels = jbw_alloc(allocator, slot_count(sprites) * row_size(sprites));
    sprites->rows = jbw_alloc_zero(allocator, slot_count(sprites), sizeof *sprites->rows);
    if (sprites->pixels && sprites->rows) return true;
    jbw_sprites_deinit(sprites);
    return false;
}

void jbw_sprites_deinit(jbw_sprites *sprites)
{
    jbw_free(sprites->allocator, sprites->pixels, slot_count(sprites) * row_size(sprites));
    jbw_free(sprites->allocator, sprites->rows, slot_count(sprites) * sizeof *sprites->rows);
    *sprites = (jbw_sprites){0};
}

static void draw_row(const jbw_sprites *sprites, int item, jbw_item_look look, bool is_final,
                     int row, uint8_t *out)
{
    const double scale = sprites->scale;
    const int last = sprites->scale - 1;
    const double lines = 0.11 * jbw_smooth_step(9.0, 20.0, scale);
    for (int column = 0; column <= last; column++, out += 3) {
        // faint lines between cells when they are large
        const bool is_line = column == 0 || row == last;
        const jbw_color empty = is_final ? jbw_paper_color : jbw_sampled_color;
        const jbw_color behind =
            jbw_color_blend(empty, jbw_grid_color, is_line ? (int)(lines * 255.0 + 0.5) : 0);
        const jbw_point at = {(column + 0.5) / scale - 0.5, 0.5 - (row + 0.5) / scale};
        jbw_color color = jbw_palette_pixel(sprites->palette, item, look, behind, at, scale);
        if (!is_final && item != 0) color = jbw_color_blend(color, jbw_sampled_color, 150);
        out[0] = color.red;
        out[1] = color.green;
        out[2] = color.blue;
    }
}

const uint8_t *jbw_sprites_row(jbw_sprites *sprites, int item, jbw_item_look look, bool is_final,
                               int row)
{
    const size_t kind = 2 * (JBW_LOOK_COUNT * (size_t)item + look) + (is_final ? 1 : 0);
    const size_t slot = (size_t)(row % sprites->kept_rows) * (size_t)sprites->kinds + kind;
    uint8_t *pixels = sprites->pixels + slot * row_size(sprites);
    if (sprites->rows[slot] != row + 1) {
        draw_row(sprites, item, look, is_final, row, pixels);
        sprites->rows[slot] = row + 1;
    }
    return pixels;
}
