// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What is saved of some patches only, such as the texts in them: a list in the order of the patches,
/// or of their positions in an invariant world, where it makes no difference which of them are in
/// memory.
#ifndef JBW_SIM_SAVE_STATE_LIST_H
#define JBW_SIM_SAVE_STATE_LIST_H

#include "sim/save/state_reader.h"

typedef struct jbw_state_list {
    /// Whether a patch is in the list, and what is written of it. It may be in memory or not.
    bool (*has)(const jbw_map *map, jbw_position at);
    void (*write)(jbw_writer *writer, const jbw_map *map, jbw_position at);

    /// Read what `write` wrote: into a patch, or into what the map keeps of patches that are not in
    /// memory.
    bool (*read)(jbw_state_reader *r, jbw_patch *patch);
    bool (*read_kept)(jbw_state_reader *r, jbw_position at);
    size_t least_bytes;    // of an entry
    const char *misplaced; // what is wrong with an entry of a patch that is not final
} jbw_state_list;

/// `kept` is where the map keeps it for patches that are not in memory.
void jbw_state_write_list(jbw_writer *writer, const jbw_world *world, const jbw_state_list *list,
                          const jbw_evicted_changes *kept);
bool jbw_state_read_list(jbw_state_reader *r, const jbw_state_list *list);

#endif
