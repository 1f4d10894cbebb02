// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The energies of the patches that are being sampled.
///
/// The grid has one field for each type that interacts: the energy that an item of the type would
/// have in each cell, given everything around it. Adding or removing an item stamps its kernels
/// onto the fields. That is fastest if kernels are not cut at the borders of patches, so the
/// patches of a run share one window if possible:
///
///     o o o .       o  sampled         A walk to the right. The window already has room for the
///     # o o .       #  final           next run. For the run after that, its contents move two
///     # o o .       .  not used        patches to the left. So energies are computed only for
///     o o o .                          patches that the previous run did not sample.
///
/// If the patches are too scattered for that, each row of adjacent patches has its own window, or
/// several: the cells of a patch, counted along the rows of its window, fit JBW_GRID_CELL_BITS.
///
/// If the model has planes (sim/model/planes.h), windows hold these instead of fields.
#ifndef JBW_SIM_GENERATE_FRONTIER_ENERGY_GRID_H
#define JBW_SIM_GENERATE_FRONTIER_ENERGY_GRID_H

#include "base/bytes.h"
#include "base/lowest_bit.h"
#include "sim/map/map.h"

enum { JBW_GRID_CELL_BITS = 20 };

/// A patch on the grid.
typedef struct jbw_grid_patch {
    jbw_patch *patch;
    jbw_window part;             // its own cells, a part of a window
    const jbw_window *window;    // that window
    const jbw_window *around[9]; // the windows within reach of its items, each once
    int around_count;
    bool is_kept; // its energies are those of the previous run
} jbw_grid_patch;

typedef struct jbw_energy_grid {
    const jbw_model *model;
    size_t capacity;       // in patches, of everything below
    void *memory;          // of fields and radii
    unsigned char *fields; // of all windows
    unsigned char *radii;  // of all windows
    uint8_t *buffer;       // (patch_cells)
    jbw_window *windows;   // (window_count)
    size_t window_count;
    jbw_grid_patch *places; // (place_count), in the order of the patches of the run
    size_t place_count;

    // if all patches share one window: the patches that it covers
    jbw_position first;
    size_t columns; // zero if there are several windows
    size_t rows;
    bool *is_valid; // (rows x columns): the patch was sampled, so its energies are up to date
} jbw_energy_grid;

void jbw_energy_grid_init(jbw_energy_grid *grid, const jbw_model *model);
void jbw_energy_grid_deinit(jbw_energy_grid *grid);

/// Allocates room for `count` patches. False when memory runs out.
bool jbw_energy_grid_reserve(jbw_energy_grid *grid, size_t count);

/// Frees that room.
void jbw_energy_grid_release(jbw_energy_grid *grid);

/// Places patches on the grid, which must have room, and computes their energies. With `may_keep`,
/// energies of the previous run are reused. Then since that run no patch may have changed except
/// through `jbw_energy_grid_stamp`, and new patches must be numbered from `first_new` on.
void jbw_energy_grid_prepare(jbw_energy_grid *grid, const jbw_map *map, jbw_patch *const *patches,
                             size_t count, bool may_keep, size_t first_new);

/// Updates the energies after an item was added (`sign` 1) or removed (-1) at cell (x, y) of a
/// patch.
void jbw_energy_grid_stamp(const jbw_model *model, const jbw_grid_patch *place, int type, int x,
                           int y, int sign);

/// The first column from x on that holds an item, in a row of cells; `end` if there is none. Most
/// cells are empty, so eight of them are looked at together.
static inline int jbw_next_item(const uint8_t *row, int x, int end)
{
    for (; x + 8 <= end; x += 8) {
        const uint64_t eight = jbw_get_u64(row + x);
        if (eight != 0) return x + jbw_lowest_bit(eight) / 8;
    }
    while (x < end && row[x] == 0) x++;
    return x;
}

/// Bytes in use.
size_t jbw_energy_grid_bytes(const jbw_energy_grid *grid);

#endif
