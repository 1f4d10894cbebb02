// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What has changed in final patches since they were generated. A patch's cells show what is there
/// now; beside them stands, for each cell that is different, what was generated there.
///
///     cells    what agents see      now
///     undo     (cell, generated)    what sampling and copying see is: cells, with these undone
///     events   (event.h)            when it changed, for scent, as long as that can be smelled
#ifndef JBW_SIM_MAP_CHANGE_H
#define JBW_SIM_MAP_CHANGE_H

#include "sim/map/map.h"

struct jbw_undo {
    uint16_t cell;
    uint8_t generated; // type + 1, 0 is empty
};

/// Makes room, so that `count` more changes of items in a patch cannot fail; events have room of
/// their own. False when memory runs out.
bool jbw_changes_reserve(jbw_map *map, jbw_patch *patch, size_t count);

/// Puts an item type + 1, or 0 for nothing, into a cell of a final patch. There must be room, also
/// for an event.
void jbw_changes_set_item(jbw_map *map, jbw_patch *patch, int cell, uint8_t content, uint64_t time);

/// What was generated in a patch: its cells if nothing has changed, else `buffer` (patch_cells),
/// filled.
const uint8_t *jbw_patch_generated(const jbw_map *map, const jbw_patch *patch, uint8_t *buffer);

#endif
