// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The paper's way of growing the map: patches near agents are sampled together with their
/// neighbours that are not final, and become final only then. A new patch starts as a copy of a random
/// one that was sampled before (frontier.c); the first ones start empty.
///
///     . . . . . .      #  final
///     . o o o o .      o  sampled with them; may be sampled again
///     . o # # o .      .  missing
///     . o # # o .
///     . o o o o .      the start, with an agent near the middle
///
/// sampler.h runs Metropolis-Hastings on a group of patches, energy_grid.h holds their energies.
#ifndef JBW_SIM_GENERATE_FRONTIER_FRONTIER_H
#define JBW_SIM_GENERATE_FRONTIER_FRONTIER_H

#include "sim/generate/frontier/sampler.h"

/// A patch to sample.
typedef struct jbw_frontier_entry {
    jbw_position at;
    jbw_patch *patch;
    uint32_t group; // patches that are connected through neighbours share one
    bool is_new;    // not in the map yet
} jbw_frontier_entry;

// what a patch was before a sampling that can be interrupted
typedef struct jbw_kept_patch {
    jbw_patch *patch;
    jbw_rng stream;
} jbw_kept_patch;

typedef struct jbw_frontier {
    const jbw_model *model;
    uint64_t owner;          // its number in the model's pool of samplers
    jbw_sampler *sampler;    // while it samples, otherwise NULL
    size_t sampler_bytes;    // of the sampler that it used last
    jbw_interrupt interrupt; // asked every few thousand proposals
    uint64_t sampling_count;
    uint64_t proposal_count;
    uint64_t accepted_count;

    // scratch lists, kept from call to call
    jbw_position *needed; // patches that must become final
    size_t needed_capacity;
    jbw_frontier_entry *entries; // those and their neighbours, if not final
    size_t entry_capacity;
    size_t sampled_count; // how many entries the latest call has sampled
    jbw_patch **patches;  // of one group
    size_t patch_capacity;
    jbw_kept_patch *kept; // empty unless the sampling can be interrupted
    size_t kept_count;
    size_t kept_capacity;
    uint8_t *kept_cells; // (kept_count x patch_cells)
    size_t kept_cells_capacity;
} jbw_frontier;

void jbw_frontier_init(jbw_frontier *frontier, const jbw_model *model);
void jbw_frontier_deinit(jbw_frontier *frontier);

/// Makes the patches final that agents at these cells need, all in one sampling. On
/// JBW_OUT_OF_MEMORY or JBW_INTERRUPTED the map is unchanged.
jbw_status jbw_frontier_explore(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                const jbw_position *cells, size_t count);

/// True if the patches that an agent at this cell needs are final.
bool jbw_frontier_is_explored(const jbw_map *map, jbw_position cell);

/// Makes one patch final.
jbw_status jbw_frontier_finalize(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                 jbw_position patch);

/// Bytes in use.
size_t jbw_frontier_bytes(const jbw_frontier *frontier);

#endif
