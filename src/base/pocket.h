// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A pocket: some bytes that belong to an object and are handed out before an allocator is asked, so
/// that small arrays that are used together lie together. What does not fit comes from the allocator.
#ifndef JBW_BASE_POCKET_H
#define JBW_BASE_POCKET_H

#include "jbw/base.h"

/// It must not move: its allocator points to it.
typedef struct jbw_pocket {
    jbw_allocator allocator; // use this one
    const jbw_allocator *outer;
    char *bytes;
    size_t size;
    size_t used;
} jbw_pocket;

/// Makes a pocket of these bytes, which are aligned for any type.
void jbw_pocket_init(jbw_pocket *pocket, void *bytes, size_t size, const jbw_allocator *outer);

/// The bytes that a piece of this size takes in a pocket.
size_t jbw_pocket_piece(size_t size);

/// Ends the use of a pocket, whose bytes may then serve for something else. All that was allocated must
/// be released.
void jbw_pocket_deinit(jbw_pocket *pocket);

#endif
