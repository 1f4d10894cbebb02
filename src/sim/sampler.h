// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Metropolis-Hastings sampling of patches from the paper's point process.
///
/// While a patch is being sampled it is a site: for each type that interacts at all, a field holds
/// the energy that an item of that type would have in each cell, given everything around it. So a
/// proposal costs one look-up, and only an accepted one pays, by stamping its kernel onto the
/// fields around it:
///
///     site -> fields (field_count x patch_size x patch_size)  energies, whole numbers of units
///             items  (item_count)                             the cell of each item
///             ranks  (patch_size x patch_size)                the place of a cell's item in items
///
/// Proposals go round robin: one in each site, in the order given, each from the patch's own
/// stream. Patches that are not sites stand still, and are felt all the same.
///
/// One proposal takes from its stream: a number below 2 * cells * types. In the lower half it means
/// adding type (number / cells) in cell (number % cells), and an occupied cell ends it; in the
/// upper half it means a removal, and an empty patch ends it, else a number below the item count
/// says which item, items being ordered by cell when the sampling begins, new ones last, and the
/// last one taking the place of a removed one. Then a number in [0, 1) decides.
#ifndef JBW_SIM_SAMPLER_H
#define JBW_SIM_SAMPLER_H

#include "sim/map.h"

typedef struct jbw_site jbw_site;

typedef struct jbw_sampler {
    const jbw_model *model;
    jbw_site *sites; // of the group that is being sampled
    size_t site_capacity;
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_sampler;

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model);
void jbw_sampler_deinit(jbw_sampler *sampler);

/// Makes room for `count` sites, so that sampling cannot fail. False when memory runs out.
bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count);

/// Gives back room for more sites than one agent ever needs.
void jbw_sampler_trim(jbw_sampler *sampler);

/// Makes `iterations` proposals in each of `count` patches of the map, all of which interact. There
/// must be room for them.
void jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations);

/// Bytes that the sampler keeps.
size_t jbw_sampler_bytes(const jbw_sampler *sampler);

#endif
