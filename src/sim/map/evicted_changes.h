// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The changes (change_runs.h) of patches that were dropped from memory, by position. The patches
/// can be generated again; their changes cannot. What grows in them (growth.h) is kept in another such
/// table.
#ifndef JBW_SIM_MAP_EVICTED_CHANGES_H
#define JBW_SIM_MAP_EVICTED_CHANGES_H

#include "base/alloc.h"
#include "jbw/types.h"

/// A dropped patch and its changes.
typedef struct jbw_evicted_patch {
    jbw_position at;
    uint32_t size;       // of its changes in bytes; 0: the slot is free
    uint8_t inlined[12]; // the changes if they fit, otherwise a pointer to them
} jbw_evicted_patch;

typedef struct jbw_evicted_changes {
    jbw_evicted_patch *slots; // hash table with open addressing
    size_t slot_count;        // a power of two, or zero
    size_t count;
    size_t bytes; // memory of all of this
} jbw_evicted_changes;

void jbw_evicted_changes_deinit(jbw_evicted_changes *evicted, const jbw_allocator *allocator);

/// Copies changes into `evicted`, which must be all zero. False when memory runs out.
bool jbw_evicted_changes_copy(jbw_evicted_changes *evicted, const jbw_evicted_changes *from,
                              const jbw_allocator *allocator);

/// The entry of a patch, or NULL, and its `size` bytes.
const jbw_evicted_patch *jbw_evicted_changes_find(const jbw_evicted_changes *evicted,
                                                  jbw_position at);
const uint8_t *jbw_evicted_changes_bytes(const jbw_evicted_patch *patch);

/// Adds an entry for a patch that has none and returns its `size` bytes, to be filled in, or NULL.
uint8_t *jbw_evicted_changes_add(jbw_evicted_changes *evicted, jbw_position at, size_t size,
                                 const jbw_allocator *allocator);

/// Replaces the bytes of a patch that has an entry by others, which it takes over: `size` bytes, at
/// least one, from the same allocator.
void jbw_evicted_changes_replace(jbw_evicted_changes *evicted, jbw_position at, uint8_t *bytes,
                                 size_t size, const jbw_allocator *allocator);

/// Removes the entry of a patch, if there is one.
void jbw_evicted_changes_remove(jbw_evicted_changes *evicted, jbw_position at,
                                const jbw_allocator *allocator);

#endif
