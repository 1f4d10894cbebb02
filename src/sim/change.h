// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What has changed in final patches since they were generated. A patch's cells show what is there
/// now; beside them stand, for each cell that is different, what was generated there, and the
/// latest changes with their times, which scent needs until their traces have faded.
///
///     cells    what agents see      now
///     undo     (cell, generated)    what sampling and copying see is: cells, with these undone
///     events   (time, cell, source) what came or went, oldest first, forgotten after a while
#ifndef JBW_SIM_CHANGE_H
#define JBW_SIM_CHANGE_H

#include "sim/map.h"

typedef struct jbw_undo {
    uint16_t cell;
    uint8_t generated; // type + 1, 0 is empty
} jbw_undo;

/// What an event is about, instead of an item type.
enum { JBW_SOURCE_AGENT = 255 };

/// From `time` on an item or an agent is in a cell (`sign` 1), or is not any more (-1).
typedef struct jbw_event {
    uint64_t time;
    uint16_t cell;
    uint8_t source; // an item type, or JBW_SOURCE_AGENT
    int8_t sign;
} jbw_event;

struct jbw_changes {
    jbw_undo *undo; // by cell
    size_t undo_count;
    size_t undo_capacity;
    jbw_event *events; // by time
    size_t event_count;
    size_t event_capacity;
};

/// Makes room, so that `count` more changes of items or agents cannot fail. Forgets the events that
/// nobody can smell any more at `time`. False when memory runs out.
bool jbw_changes_reserve(jbw_map *map, jbw_patch *patch, size_t count, uint64_t time);

/// Puts an item type + 1, or 0 for nothing, into a cell of a final patch. There must be room.
void jbw_changes_set_item(jbw_map *map, jbw_patch *patch, int cell, uint8_t content, uint64_t time);

/// Notes that an agent came or went. There must be room.
void jbw_changes_add_event(jbw_patch *patch, jbw_event event);

/// What was generated in a patch: its cells if nothing has changed, else `buffer` (patch_cells),
/// filled.
const uint8_t *jbw_patch_generated(const jbw_map *map, const jbw_patch *patch, uint8_t *buffer);

/// Frees what a patch keeps.
void jbw_changes_free(jbw_map *map, jbw_patch *patch);

#endif
