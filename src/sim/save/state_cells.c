// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The items of a patch. Most cells are empty, so items are written with the distances between them.
// Most items take one byte, which is less than a bitmap and a list of types would take, and
// compresses better. The writer looks for items in 64 cells at a time, which keeps branches
// predictable.

#include "base/lowest_bit.h"
#include "sim/save/state.h"

// after many empty cells: a type and a number of cells have at most 24 bits together
enum { MOST_ITEM_BYTES = 4 };

size_t jbw_cells_room(const jbw_model *model)
{
    return JBW_MAX_VARINT + (size_t)model->patch_cells * MOST_ITEM_BYTES;
}

// Which of eight cells have an item: one bit per cell, starting with the lowest. A byte plus 127
// has its top bit set unless the byte is zero; the product gathers these bits.
static inline uint64_t find_eight(const uint8_t *cells)
{
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t eight = jbw_get_u64(cells);
    const uint64_t found = (((eight & low_bits) + low_bits) | eight) & ~low_bits;
    return (found >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

// the same for up to 64 cells; a patch has zeros after its cells
static inline uint64_t find_items(const uint8_t *cells, int count)
{
    uint64_t found = 0;
    for (int i = 0; i < 64 && i < count; i += 8) found |= find_eight(cells + i) << i;
    return found;
}

static inline int count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(bits * UINT64_C(0x0101010101010101) >> 56);
}

uint8_t *jbw_cells_put(const jbw_model *model, const uint8_t *cells, uint8_t *at)
{
    const int cell_count = model->patch_cells;
    const uint32_t types = (uint32_t)model->type_count;
    uint64_t item_count = 0;
    for (int i = 0; i < cell_count; i += 64)
        item_count += (uint64_t)count_bits(find_items(cells + i, cell_count - i));
    at = jbw_put_varint(at, item_count);

    int next = 0; // the cell after the previous item
    for (int i = 0; i < cell_count; i += 64) {
        uint64_t found = find_items(cells + i, cell_count - i);
        for (; found != 0; found &= found - 1) {
            const int cell = i + jbw_lowest_bit(found);
            at = jbw_put_varint(at, (uint32_t)(cell - next) * types + cells[cell] - 1);
            next = cell + 1;
        }
    }
    return at;
}

// most items take one byte
static inline uint32_t read_item(jbw_reader *reader)
{
    if (reader->at < reader->end && *reader->at < 128) return *reader->at++;
    const uint64_t item = jbw_read_varint(reader);
    if (item > UINT32_MAX) reader->ok = false;
    return (uint32_t)item;
}

bool jbw_cells_read(const jbw_model *model, jbw_reader *reader, uint8_t *cells)
{
    const uint32_t cell_count = (uint32_t)model->patch_cells;
    const uint32_t types = (uint32_t)model->type_count;
    const size_t count = jbw_read_count(reader, 1);
    if (count > cell_count || (count > 0 && types == 0)) return false;
    uint32_t cell = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t item = read_item(reader);
        const uint32_t gap = item / types;
        if (gap >= cell_count - cell) return false;
        cell += gap;
        cells[cell++] = (uint8_t)(item % types + 1);
    }
    return reader->ok;
}
