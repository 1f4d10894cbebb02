// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Changes in final patches since they were generated. `cells` always holds the present; each
/// changed cell also has an undo entry with what was generated there. Generating neighboring
/// patches has to see the patch as it was generated.
///
///     cells    what is there now
///     undo     (cell, generated)    cells with these entries undone are what was generated
///     events   (event.h)            when cells changed, for as long as scent needs to know
#ifndef JBW_SIM_MAP_CHANGE_H
#define JBW_SIM_MAP_CHANGE_H

#include "sim/map/map.h"

struct jbw_undo {
    uint16_t cell;
    uint8_t generated; // item type plus one, 0 is empty
};

/// Makes room for `count` more changed cells in a patch, and for what grows there; events need room
/// of their own. False when memory runs out.
bool jbw_changes_reserve(jbw_map *map, jbw_patch *patch, size_t count);

/// Sets a cell of a final patch to an item type plus one, or 0 for empty. There must be room for
/// the change and its event.
void jbw_changes_set_item(jbw_map *map, jbw_patch *patch, int cell, uint8_t content, uint64_t time);

/// What was generated in a cell of a final patch: an item type plus one, or 0.
uint8_t jbw_changes_generated(const jbw_content *content, int cell);

/// Empties a cell as if that had been long ago. There must be room for the change.
void jbw_changes_empty(jbw_content *content, int cell);

/// Puts an item that is due by `time` back into its cell, as the entry of this index (growth.h) says.
/// False if it is not due.
bool jbw_changes_regrow(jbw_map *map, jbw_patch *patch, size_t index, uint64_t time);

/// What was generated in a patch: its own cells if none have changed, otherwise `buffer`
/// (patch_cells), filled in.
const uint8_t *jbw_patch_generated(const jbw_map *map, const jbw_patch *patch, uint8_t *buffer);

#endif
