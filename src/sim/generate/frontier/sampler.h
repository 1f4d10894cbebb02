// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Metropolis-Hastings sampling of patches from the paper's point process.
///
/// A patch that is being sampled is a site. The energy grid (energy_grid.h) holds the energy that
/// an item of any type would have in any of its cells. So a proposal costs one look-up, and only an
/// accepted one costs more: its kernels are stamped onto the grid. The grid is kept for the next
/// sampling, which usually has the same sites and a few more.
///
/// Proposals go round robin: one in each site, in the given order, each from the stream of its
/// patch. Patches that are not sites do not change, but their items contribute to energies.
///
/// A proposal takes two draws from its stream. The high half of the first one yields a number below
/// 2 * types * cells. In the lower half of that range, the proposal is to add type (number / cells)
/// in cell (number % cells), if that is empty. In the upper half, it is to remove the item whose
/// rank the low half of the draw yields, if there is one. Items are ranked by cell when sampling
/// starts; an added item comes last, and the last item takes the rank of a removed one. The second
/// draw yields a number in [0, 1) that decides.
#ifndef JBW_SIM_GENERATE_FRONTIER_SAMPLER_H
#define JBW_SIM_GENERATE_FRONTIER_SAMPLER_H

#include "base/interrupt.h"
#include "sim/generate/frontier/energy_grid.h"
#include "sim/model/pool.h"

typedef struct jbw_site jbw_site;

typedef struct jbw_sampler {
    jbw_pooled pooled; // worlds of a model take turns with samplers
    const jbw_model *model;
    uint64_t seed; // of intensities that depend on it
    jbw_energy_grid grid;
    uint64_t round;      // counts `jbw_sampler_begin`
    uint64_t last_round; // that of the latest run
    size_t first_new;    // patches from this number on are new in this round
    size_t capacity;     // in sites, of everything below
    jbw_site *sites;     // of the latest run
    void *memory;        // of their lists
    uint64_t proposal_count;
    uint64_t accepted_count;
    jbw_interrupt interrupt; // asked every few thousand proposals
} jbw_sampler;

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model);
void jbw_sampler_deinit(jbw_sampler *sampler);

/// Forgets the latest run, so that the next one, of another map, starts from scratch.
void jbw_sampler_forget(jbw_sampler *sampler);

/// Allocates room for `count` sites, so that sampling cannot fail. False when memory runs out.
bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count);

/// Frees the room if it is for more sites than one agent ever needs.
void jbw_sampler_trim(jbw_sampler *sampler);

/// Starts a round of runs, which reuse what the previous round has computed. So between two rounds
/// no patch may change, and new ones must be numbered from `first_new` on. Runs outside a round
/// start from scratch.
void jbw_sampler_begin(jbw_sampler *sampler, size_t first_new);

/// Makes `iterations` proposals in each of `count` patches of the map, in the given order. There
/// must be room for them. Patches within reach of each other must be in the same run, or not be
/// sampled in the same round. False if it was interrupted: then the patches are in no useful state,
/// and the next round starts from scratch.
bool jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations);

/// Bytes in use.
size_t jbw_sampler_bytes(const jbw_sampler *sampler);

#endif
