// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The one door to generation: a world asks it for patches and never for how they are made.
///
///                  +--- frontier/     the paper's policy: patches are sampled in the order in which
///     generator ---+                  agents need them, and stay in memory
///                  +--- invariant/    patches are a function of their place: they can be dropped and
///                                     made again, and looked at anywhere
///
/// The config chooses one of them. The difference that a world does see is `jbw_generator_has_history`:
/// whether the set of patches in memory is part of the world's state.
#ifndef JBW_SIM_GENERATE_GENERATOR_H
#define JBW_SIM_GENERATE_GENERATOR_H

#include "sim/generate/frontier/frontier.h"
#include "sim/generate/invariant/patch_cache.h"

typedef struct jbw_generator {
    uint64_t seed;
    jbw_frontier frontier;        // used unless there is a patch cache
    jbw_patch_cache *patch_cache; // of an invariant world; otherwise NULL
} jbw_generator;

/// False when memory runs out; then it is to be deinitialised.
bool jbw_generator_init(jbw_generator *generator, const jbw_model *model, uint64_t seed);
void jbw_generator_deinit(jbw_generator *generator);

/// Makes a new generator that of a copy of a world.
void jbw_generator_copy(jbw_generator *generator, const jbw_generator *from);

/// Hands what was worked out about the map to a generator of the same model and seed, which is then
/// faster. Does nothing if it does not fit.
void jbw_generator_pass_on(jbw_generator *generator, jbw_generator *to);

/// True if the patches of a map depend on the order of exploration, so that they are part of a world's
/// state.
static inline bool jbw_generator_has_history(const jbw_generator *generator)
{
    return generator->patch_cache == NULL;
}

// ---- making patches ----

/// Makes final the patches that agents at these cells need. On JBW_OUT_OF_MEMORY nothing that can be
/// asked about the map has changed.
jbw_status jbw_generator_make_near(jbw_generator *generator, jbw_map *map,
                                   const jbw_position *cells, size_t count);

/// Makes one patch final.
jbw_status jbw_generator_make_patch(jbw_generator *generator, jbw_map *map, jbw_position patch);

/// The patches that the latest of these calls, even a failed one, has added to the map or sampled again.
size_t jbw_generator_latest_count(const jbw_generator *generator);
jbw_position jbw_generator_latest(const jbw_generator *generator, size_t index);

/// True if the patches that an agent at this cell needs are final.
bool jbw_generator_is_near_made(const jbw_generator *generator, const jbw_map *map,
                                jbw_position cell);

// ---- looking, without a change of the map ----

jbw_patch_state jbw_generator_patch_state(const jbw_generator *generator, const jbw_map *map,
                                          jbw_position patch);

/// True if looking at a patch costs little: it does not have to be made.
bool jbw_generator_is_ready(const jbw_generator *generator, const jbw_map *map, jbw_position patch);

/// What is in a patch now: `*cells` (patch_cells) until the next call, NULL where nothing is known.
/// JBW_OUT_OF_MEMORY at worst.
jbw_status jbw_generator_look(const jbw_generator *generator, const jbw_map *map,
                              jbw_position patch, const uint8_t **cells);

/// What was generated in a patch that is not in the map; otherwise as `jbw_generator_look`.
jbw_status jbw_generator_look_generated(const jbw_generator *generator, jbw_position patch,
                                        const uint8_t **cells);

/// A number that changes when the contents of a patch do; zero where nothing is known. Never makes the
/// patch.
uint64_t jbw_generator_patch_mark(const jbw_generator *generator, const jbw_map *map,
                                  jbw_position patch);

/// Announces to background threads that patches [first, last] will be looked at, row by row, from `at`
/// on; and that this is over.
void jbw_generator_foresee(const jbw_generator *generator, const jbw_map *map, jbw_position first,
                           jbw_position last, jbw_position at);
void jbw_generator_foresee_no_more(const jbw_generator *generator, const jbw_map *map);

// ---- memory ----

/// True if the map holds so many patches that some are to be dropped.
static inline bool jbw_generator_is_full(const jbw_generator *generator, const jbw_map *map)
{
    return generator->patch_cache && jbw_patch_cache_is_full(generator->patch_cache, map);
}

/// Drops patches from a full map: begin, keep what each agent needs, end. Patches with recent events
/// stay too. Pointers to patches are void afterwards.
void jbw_generator_begin_tidy(jbw_generator *generator);
void jbw_generator_keep_near(jbw_generator *generator, const jbw_map *map, jbw_position cell);
void jbw_generator_end_tidy(jbw_generator *generator, jbw_map *map);

/// Limits the memory of patches that can be made again, and of what making them keeps.
void jbw_generator_set_budget(jbw_generator *generator, size_t bytes);

/// Bytes kept from call to call, besides the map.
size_t jbw_generator_bytes(const jbw_generator *generator);

// ---- statistics ----

/// What was done so far.
typedef struct jbw_generator_stats {
    uint64_t sampling_count; // calls that sampled something, or patches made
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_generator_stats;

jbw_generator_stats jbw_generator_get_stats(const jbw_generator *generator);

/// Goes on counting from there, in a world with history that is loaded.
void jbw_generator_set_stats(jbw_generator *generator, jbw_generator_stats stats);

// ---- threads ----

/// The blocks that background threads can help to make, or NULL if there are none now.
jbw_block_builder *jbw_generator_blocks(const jbw_generator *generator);

/// Makes these blocks available, where there can be any. JBW_OUT_OF_MEMORY at worst.
jbw_status jbw_generator_prepare_blocks(jbw_generator *generator);

/// Bytes that these blocks may take.
size_t jbw_generator_block_budget(const jbw_generator *generator);

#endif
