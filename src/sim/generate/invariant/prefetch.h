// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Tells helper threads what to generate: what is needed now, and what will probably be needed
/// next. Agents tend to keep their direction, or to turn, so guesses extend the paths along which
/// patches were needed recently. A wrong guess costs time and nothing else.
///
///             5
///     from - here 1 2 3 4 7 8 9 10     straight ahead, then to both sides, then farther ahead; on
///             6                        all sides of agents that have not moved yet
///
/// Guesses are a stride apart: the side of the blocks that patches are cut from.
#ifndef JBW_SIM_GENERATE_INVARIANT_PREFETCH_H
#define JBW_SIM_GENERATE_INVARIANT_PREFETCH_H

#include "sim/generate/invariant/block_builder.h"
#include "sim/generate/invariant/patch_range.h"

enum { JBW_MOST_TRACKS = 32 };

/// The recent path of an agent, or of several that move close together.
typedef struct jbw_prefetch_track {
    jbw_position place; // the latest one
    jbw_position from;  // follows it at some distance
} jbw_prefetch_track;

typedef struct jbw_prefetch {
    jbw_prefetch_track tracks[JBW_MOST_TRACKS]; // the most recent first
    int track_count;
} jbw_prefetch;

/// The regions that are needed now, the most urgent first. Starts with a count of zero.
typedef struct jbw_prefetch_needs {
    size_t count;
    jbw_region regions[JBW_MOST_WANTS]; // with room for guesses
} jbw_prefetch_needs;

/// The distance between guesses.
int64_t jbw_prefetch_stride(const jbw_block_builder *builder);

/// Notes that the patches around a cell are needed now.
void jbw_prefetch_note(jbw_prefetch *prefetch, jbw_position cell, int64_t stride);

/// Writes up to `capacity` guesses, the next place first, and returns their number. The first
/// `*sure_count` of them lie straight ahead.
size_t jbw_prefetch_guess(const jbw_prefetch *prefetch, int64_t stride, jbw_position *places,
                          size_t capacity, size_t *sure_count);

/// Adds patches that are needed now, unless all of them are in the map or in the store (may be
/// NULL). False if the list is full.
bool jbw_prefetch_need(jbw_prefetch_needs *needs, const jbw_map *map, const jbw_patch_store *store,
                       jbw_patch_range range);

/// Tells the builder's helpers what is needed now, and guesses what comes next.
void jbw_prefetch_tell(const jbw_prefetch *prefetch, const jbw_map *map,
                       const jbw_patch_store *store, jbw_block_builder *builder,
                       jbw_prefetch_needs *needs);

#endif
