// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Metropolis-Hastings sampling of patches from the paper's point process.
///
/// While a patch is being sampled it is a site. The energy that an item of any type would have in
/// any of its cells stands on the grid (grid.h), so a proposal costs one look-up, and only an
/// accepted one pays, by stamping its kernels onto the grid. That is kept for the next sampling,
/// which mostly has the same sites and a few more.
///
/// Proposals go round robin: one in each site, in the order given, each from the patch's own
/// stream. Patches that are not sites stand still, and are felt all the same.
///
/// One proposal takes two draws from its stream. The first one's high half gives a number below
/// 2 * types * cells: if it is in the lower half, it means to add type (number / cells) in cell
/// (number % cells), unless that is occupied; else it means to remove the item whose number is
/// given by the draw's low half, if there is one. Items are numbered by cell when the sampling
/// begins; new ones come last, and the last one takes the number of a removed one. The second draw
/// is a number in [0, 1), which decides.
#ifndef JBW_SIM_GENERATE_FRONTIER_SAMPLER_H
#define JBW_SIM_GENERATE_FRONTIER_SAMPLER_H

#include "sim/generate/frontier/energy_grid.h"

typedef struct jbw_site jbw_site;

typedef struct jbw_sampler {
    const jbw_model *model;
    jbw_energy_grid grid;
    uint64_t round;      // counts `jbw_sampler_begin`
    uint64_t last_round; // the one that the latest run was part of
    size_t first_new;    // patches from this number on were not there in the round before
    size_t capacity;     // in sites; what follows has room for so many
    jbw_site *sites;     // of the latest run
    void *memory;        // of their lists
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_sampler;

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model);
void jbw_sampler_deinit(jbw_sampler *sampler);

/// Makes room for `count` sites, so that sampling cannot fail. False when memory runs out.
bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count);

/// Gives back room for more sites than one agent ever needs.
void jbw_sampler_trim(jbw_sampler *sampler);

/// Begins a round of runs. What the round before worked out is used again, so between two rounds no
/// patch may have changed, but for new ones, numbered from `first_new` on. Runs without this begin
/// from nothing.
void jbw_sampler_begin(jbw_sampler *sampler, size_t first_new);

/// Makes `iterations` proposals in each of `count` patches of the map, in the order given. There
/// must be room for them. Patches that feel each other must be in the same run, or else not be
/// sampled in the same round.
void jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations);

/// Bytes that the sampler keeps.
size_t jbw_sampler_bytes(const jbw_sampler *sampler);

#endif
