// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The paper's way of growing the map: patches near agents are sampled together with their
/// neighbours that are not final, and only then become final.
///
///     . . . . . .      #  final
///     . o o o o .      o  sampled along, may be sampled again
///     . o # # o .      .  missing
///     . o # # o .
///     . o o o o .      an agent near the middle, at the beginning
///
/// The map asks a policy for final patches and for nothing else, so another policy can stand
/// beside this one.
#ifndef JBW_SIM_GENERATE_FRONTIER_FRONTIER_H
#define JBW_SIM_GENERATE_FRONTIER_FRONTIER_H

#include "sim/generate/frontier/sampler.h"

/// A patch that is to be sampled.
typedef struct jbw_frontier_entry {
    jbw_position at;
    jbw_patch *patch;
    uint32_t group; // patches that are linked by neighbours have the same
    bool is_new;    // not in the map yet
} jbw_frontier_entry;

typedef struct jbw_frontier {
    jbw_sampler sampler;
    uint64_t sampling_count;

    // lists of one call, kept for the next
    jbw_position *needed; // patches that must be final
    size_t needed_capacity;
    jbw_frontier_entry *entries; // those and their neighbours that are not final
    size_t entry_capacity;
    size_t sampled_count; // how many of those the latest call has sampled
    jbw_patch **patches;  // those of one group
    size_t patch_capacity;
} jbw_frontier;

void jbw_frontier_init(jbw_frontier *frontier, const jbw_model *model);
void jbw_frontier_deinit(jbw_frontier *frontier);

/// Makes final the patches that agents at these cells need, in one sampling for all of them. On
/// JBW_OUT_OF_MEMORY the map is as it was.
jbw_status jbw_frontier_explore(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                const jbw_position *cells, size_t count);

/// True if the patches that an agent at this cell needs are final.
bool jbw_frontier_is_explored(const jbw_map *map, jbw_position cell);

/// Makes one patch final.
jbw_status jbw_frontier_finalize(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                 jbw_position patch);

/// Bytes that it keeps from call to call.
size_t jbw_frontier_bytes(const jbw_frontier *frontier);

#endif
