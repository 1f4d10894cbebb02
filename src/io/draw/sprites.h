// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Cells, drawn once and copied often: rows of pixels of each item type in each look, final or not. Rows are
/// drawn when they are first wanted. If cells are so large that all rows would take much memory,
/// only some rows are kept at a time.
#ifndef JBW_IO_DRAW_SPRITES_H
#define JBW_IO_DRAW_SPRITES_H

#include "io/draw/palette.h"

typedef struct jbw_sprites {
    const jbw_allocator *allocator;
    const jbw_palette *palette;
    int scale;       // pixels per cell
    int kept_rows;   // row r of a cell is kept in slot r % kept_rows
    int kinds;       // sprites: item types and empty cells, in all looks, final or not
    uint8_t *pixels; // (kept_rows x kinds x scale x 3)
    int32_t *rows;   // (kept_rows x kinds): which row is in a slot, plus one; 0 is none
} jbw_sprites;

/// False if memory runs out, with nothing to clean up. The palette must outlive the sprites.
bool jbw_sprites_init(jbw_sprites *sprites, const jbw_palette *palette, int scale,
                      const jbw_allocator *allocator);

void jbw_sprites_deinit(jbw_sprites *sprites);

/// A row of pixels of a cell, 0 is the top: (scale x 3) bytes, valid until the next call. `item` is
/// an item type plus one, or 0; cells that are not final are pale.
const uint8_t *jbw_sprites_row(jbw_sprites *sprites, int item, jbw_item_look look, bool is_final,
                               int row);

#endif
