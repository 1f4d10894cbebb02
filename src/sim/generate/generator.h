// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where final patches come from. The config chooses one of two policies: the paper's (frontier.h),
/// or patches that are a function of their place (patch_cache.h). Nothing above asks which one it is, but
/// to save and to hash a world.
#ifndef JBW_SIM_GENERATE_GENERATOR_H
#define JBW_SIM_GENERATE_GENERATOR_H

#include "sim/generate/frontier/frontier.h"
#include "sim/generate/invariant/patch_cache.h"

typedef struct jbw_generator {
    uint64_t seed;
    jbw_frontier frontier;
    jbw_patch_cache *patch_cache; // of an invariant world; otherwise NULL
} jbw_generator;

/// False when memory runs out; then it is to be deinitialised.
bool jbw_generator_init(jbw_generator *generator, const jbw_model *model, uint64_t seed);
void jbw_generator_deinit(jbw_generator *generator);

/// Makes final the patches that agents at these cells need. On JBW_OUT_OF_MEMORY what can be asked
/// about the map is as it was.
jbw_status jbw_generator_explore(jbw_generator *generator, jbw_map *map, const jbw_position *cells,
                                 size_t count);

/// Makes one patch final.
jbw_status jbw_generator_finalize(jbw_generator *generator, jbw_map *map, jbw_position patch);

/// The patches that the latest of these calls, even if it failed, has put into the map, or sampled.
size_t jbw_generator_latest_count(const jbw_generator *generator);
jbw_position jbw_generator_latest(const jbw_generator *generator, size_t index);

/// True if it is part of a world's state which patches are final.
static inline bool jbw_generator_has_history(const jbw_generator *generator)
{
    return generator->patch_cache == NULL;
}

/// The state of a patch.
jbw_patch_state jbw_generator_state(const jbw_generator *generator, const jbw_map *map,
                                    jbw_position patch);

/// What is in a patch now, without a change of the map: `*cells` (patch_cells) until the next call,
/// NULL where nothing is known. JBW_OUT_OF_MEMORY at worst.
jbw_status jbw_generator_look(const jbw_generator *generator, const jbw_map *map,
                              jbw_position patch, const uint8_t **cells);

/// Tells those who help to make the map that patches [first, last] are about to be looked at, by rows,
/// from `at` on; and that this is over.
void jbw_generator_foresee(const jbw_generator *generator, const jbw_map *map, jbw_position first,
                           jbw_position last, jbw_position at);
void jbw_generator_foresee_no_more(const jbw_generator *generator, const jbw_map *map);

/// Bytes that it keeps from call to call.
size_t jbw_generator_bytes(const jbw_generator *generator);

#endif
