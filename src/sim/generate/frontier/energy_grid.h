// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The grid: the energies of the patches that are being sampled.
///
/// It has fields: one for each type that interacts at all, with the energy that an item of that type
/// would have in each cell, given everything around it. An item that comes or goes stamps its
/// kernels onto the fields. That is fastest where a kernel need not be cut into pieces at the
/// borders of patches, so the patches of a run lie side by side in one window if they can:
///
///     o o o .       o  sampled         A walk to the right. For the next run the window has room
///     # o o .       #  final           already; for the one after that, all that it holds moves
///     # o o .       .  not used        two patches to the left. So only patches that were not
///     o o o .                          sampled in the run before have to be worked out.
///
/// If they are too scattered for that, each row of neighbours has a window of its own.
#ifndef JBW_SIM_GENERATE_FRONTIER_ENERGY_GRID_H
#define JBW_SIM_GENERATE_FRONTIER_ENERGY_GRID_H

#include "sim/map/map.h"

/// Where a patch lies on the grid.
typedef struct jbw_grid_patch {
    jbw_patch *patch;
    jbw_window part;             // its own cells, a part of a window
    const jbw_window *window;    // that window
    const jbw_window *around[9]; // the windows that its items reach, each once
    int around_count;
    bool is_kept; // its energies are still there from the run before
} jbw_grid_patch;

typedef struct jbw_energy_grid {
    const jbw_model *model;
    size_t capacity;     // in patches; what follows has room for so many
    void *memory;        // of the numbers below
    int32_t *fields;     // of all windows
    int32_t *radii;      // of all windows
    uint8_t *buffer;     // (patch_cells)
    jbw_window *windows; // (window_count)
    size_t window_count;
    jbw_grid_patch *places; // (place_count), in the order of the patches of the run
    size_t place_count;

    // if there is one window for all: which patches it covers
    jbw_position first;
    size_t columns; // zero: there are several windows
    size_t rows;
    bool *is_valid; // (rows x columns): which of them were sampled, so their energies are right
} jbw_energy_grid;

void jbw_energy_grid_init(jbw_energy_grid *grid, const jbw_model *model);
void jbw_energy_grid_deinit(jbw_energy_grid *grid);

/// Makes room for `count` patches. False when memory runs out.
bool jbw_energy_grid_reserve(jbw_energy_grid *grid, size_t count);

/// Gives all room back.
void jbw_energy_grid_release(jbw_energy_grid *grid);

/// Places patches and works out their energies. There must be room. With `may_keep`, no patch has
/// changed since the run before but by `jbw_energy_grid_stamp`, and none has come but those numbered
/// from `first_new` on.
void jbw_energy_grid_prepare(jbw_energy_grid *grid, const jbw_map *map, jbw_patch *const *patches,
                             size_t count, bool may_keep, size_t first_new);

/// Tells the grid that an item came (`sign` 1) or went (-1) at cell (x, y) of a patch.
void jbw_energy_grid_stamp(const jbw_model *model, const jbw_grid_patch *place, int type, int x,
                           int y, int sign);

/// Bytes that it keeps.
size_t jbw_energy_grid_bytes(const jbw_energy_grid *grid);

#endif
