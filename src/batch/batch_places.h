// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the worlds of a batch lie in memory: side by side, in the order of their steps. There is one
/// place more than there are worlds, for the one that replaces another.
#ifndef JBW_BATCH_BATCH_PLACES_H
#define JBW_BATCH_BATCH_PLACES_H

#include "jbw/batch.h"

typedef struct jbw_batch_places {
    char *memory;
    size_t bytes; // of all of it
    char *first;  // place, at the beginning of a cache line
    size_t size;  // of a place
    size_t count;
    void **free; // (count): places that no world has, or will begin in
    size_t free_count;
} jbw_batch_places;

/// Makes places for these worlds. False when memory runs out; deinitialize them then.
bool jbw_batch_places_init(jbw_batch_places *places, const jbw_batch_world *worlds,
                           size_t world_count, const jbw_allocator *allocator);
void jbw_batch_places_deinit(jbw_batch_places *places, const jbw_allocator *allocator);

/// The place in which a world begins.
static inline void *jbw_batch_place(const jbw_batch_places *places, size_t index)
{
    return places->first + index * places->size;
}

/// Takes a place for a world that will replace another: there always is one.
void *jbw_batch_take_place(jbw_batch_places *places);

/// Gives a place back. Any other address is ignored: that of a world which was made elsewhere.
void jbw_batch_leave_place(jbw_batch_places *places, void *place);

#endif
