// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The changes of a patch (change.h) while the patch is not in memory: what was generated can be
/// generated again, but what has changed since must be kept.
///
///     patch leaves the map    its changes become runs (change_runs.h) in `map->evicted`
///     patch comes back        they are applied to its cells and leave `map->evicted`
///
/// What grows in it (growth.h) goes to `map->evicted_growth`, and the texts in it (texts.h) to
/// `map->evicted_texts`; they come back in the same way.
#ifndef JBW_SIM_GENERATE_INVARIANT_PATCH_CHANGES_H
#define JBW_SIM_GENERATE_INVARIANT_PATCH_CHANGES_H

#include "sim/map/map.h"

/// Keeps the changes of a patch that is about to leave the map. False when memory runs out; then
/// the patch must stay.
bool jbw_patch_changes_evict(jbw_map *map, const jbw_patch *patch);

/// Applies the evicted changes, if any, to a patch that was just generated. False, with everything
/// as it was, when memory runs out.
bool jbw_patch_changes_restore(jbw_map *map, jbw_patch *patch);

#endif
