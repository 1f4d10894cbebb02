// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The changes (change_runs.h) of patches that are not in the map, found by their place. They are all that
/// cannot be made again.
#ifndef JBW_SIM_MAP_EVICTED_CHANGES_H
#define JBW_SIM_MAP_EVICTED_CHANGES_H

#include "base/alloc.h"
#include "jbw/types.h"

/// A patch that is not in the map, and its changes; few bytes stand here, more elsewhere.
typedef struct jbw_evicted_patch {
    jbw_position at;
    uint32_t size; // 0: the slot is free
    uint8_t here[12];
} jbw_evicted_patch;

typedef struct jbw_evicted_changes {
    jbw_evicted_patch *slots; // open addressing
    size_t slot_count;        // a power of two, or zero
    size_t count;
    size_t bytes; // that all of this takes
} jbw_evicted_changes;

void jbw_evicted_changes_deinit(jbw_evicted_changes *kept, const jbw_allocator *allocator);

/// Makes one that is all zero a copy of another. False when memory runs out.
bool jbw_evicted_changes_copy(jbw_evicted_changes *kept, const jbw_evicted_changes *from,
                              const jbw_allocator *allocator);

/// The changes of a patch, or NULL.
const jbw_evicted_patch *jbw_evicted_changes_find(const jbw_evicted_changes *kept, jbw_position at);
const uint8_t *jbw_evicted_changes_bytes(const jbw_evicted_patch *patch);

/// Room for the changes of a patch of which there are none yet: `size` bytes, to be filled in; or
/// NULL.
uint8_t *jbw_evicted_changes_add(jbw_evicted_changes *kept, jbw_position at, size_t size,
                                 const jbw_allocator *allocator);

/// Forgets the changes of a patch, if there are any.
void jbw_evicted_changes_remove(jbw_evicted_changes *kept, jbw_position at,
                                const jbw_allocator *allocator);

#endif
