// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Generation: what is in a patch. This is the only door to it: a world asks the generator for
/// patches and never how they are made. (Only src/ahead, which lends threads to invariant/, looks
/// behind the door.)
///
///                  +--- frontier/    the paper's way: patches are sampled in the order in which
///     generator ---+                 agents need them, and stay in memory
///                  +--- invariant/   a patch is a function of its position: it can be dropped and
///                                    generated again, and looked at however far away
///
/// The config chooses one of them. A world sees one difference, `jbw_generator_has_history`:
/// whether the set of patches in memory is part of its state.
#ifndef JBW_SIM_GENERATE_GENERATOR_H
#define JBW_SIM_GENERATE_GENERATOR_H

#include "sim/generate/frontier/frontier.h"
#include "sim/generate/invariant/patch_cache.h"

typedef struct jbw_generator {
    uint64_t seed;
    jbw_interrupt interrupt;
    jbw_frontier frontier;        // used if there is no patch cache
    jbw_patch_cache *patch_cache; // of an invariant world, otherwise NULL
} jbw_generator;

/// False when memory runs out; deinitialize the generator then.
bool jbw_generator_init(jbw_generator *generator, const jbw_model *model, uint64_t seed);
void jbw_generator_deinit(jbw_generator *generator);

/// Prepares a new generator for a copy of the world that `from` belongs to.
void jbw_generator_copy(jbw_generator *generator, const jbw_generator *from);

/// Hands cached results to a generator of the same model and seed, which saves it from computing
/// them again. Does nothing if there is nothing to hand over.
void jbw_generator_pass_on(jbw_generator *generator, jbw_generator *to);

/// Whether the content of patches depends on the order of exploration, which makes them part of a
/// world's state.
static inline bool jbw_generator_has_history(const jbw_generator *generator)
{
    return generator->patch_cache == NULL;
}

/// Sets whom to ask now and then whether to stop: calls then fail with JBW_INTERRUPTED.
void jbw_generator_set_interrupt(jbw_generator *generator, jbw_interrupt interrupt);

/// Asks.
static inline bool jbw_generator_is_interrupted(const jbw_generator *generator)
{
    return jbw_interrupt_is_wanted(&generator->interrupt);
}

/// Sets where to look before a patch is made (jbw/patch_store.h); NULL for nowhere. False, and
/// nothing is set, if patches depend on history.
bool jbw_generator_set_store(jbw_generator *generator, const jbw_patch_store *store);
const jbw_patch_store *jbw_generator_store(const jbw_generator *generator);

// ---- generating patches ----

/// Generates the patches that agents at these cells need, and makes them final. On failure the map
/// is unchanged as far as anyone can tell.
jbw_status jbw_generator_make_near(jbw_generator *generator, jbw_map *map,
                                   const jbw_position *cells, size_t count);

/// Makes one patch final.
jbw_status jbw_generator_make_patch(jbw_generator *generator, jbw_map *map, jbw_position patch);

/// The same with the cells that another generator of the same model and seed has generated. Only if
/// there is no history.
jbw_status jbw_generator_put_patch(jbw_generator *generator, jbw_map *map, jbw_position patch,
                                   const uint8_t *cells);

/// The patches that the latest of these calls, even if it failed, added to the map or sampled
/// again.
size_t jbw_generator_latest_count(const jbw_generator *generator);
jbw_position jbw_generator_latest(const jbw_generator *generator, size_t index);

/// Whether the patches that an agent at this cell needs are final.
bool jbw_generator_is_near_made(const jbw_generator *generator, const jbw_map *map,
                                jbw_position cell);

// ---- looking at patches without changing the map ----

jbw_patch_state jbw_generator_patch_state(const jbw_generator *generator, const jbw_map *map,
                                          jbw_position patch);

/// Whether looking at a patch is cheap because it probably need not be generated.
bool jbw_generator_is_ready(const jbw_generator *generator, const jbw_map *map, jbw_position patch);

/// What is in a patch now: sets `*cells` to (patch_cells), valid until the next call, or to NULL if
/// the patch is missing. Cells in which something grows back (sim/map/growth.h) are as they are in
/// memory, or as generated if the patch is not in memory. Fails only when memory runs out or it is
/// interrupted.
jbw_status jbw_generator_look(const jbw_generator *generator, const jbw_map *map,
                              jbw_position patch, const uint8_t **cells);

/// What was generated in a patch that is not in memory; otherwise as `jbw_generator_look`.
jbw_status jbw_generator_look_generated(const jbw_generator *generator, jbw_position patch,
                                        const uint8_t **cells);

/// A number that changes when the content of a patch does; zero if the patch is missing. Never
/// generates the patch.
uint64_t jbw_generator_patch_mark(const jbw_generator *generator, const jbw_map *map,
                                  jbw_position patch);

/// Tells background threads that the patches from `first` to `last` will be looked at, row by row,
/// starting with `at`; and that this is over.
void jbw_generator_foresee(const jbw_generator *generator, const jbw_map *map, jbw_position first,
                           jbw_position last, jbw_position at);
void jbw_generator_foresee_no_more(const jbw_generator *generator, const jbw_map *map);

// ---- memory ----

/// Whether the map holds so many patches that some should be dropped.
static inline bool jbw_generator_is_full(const jbw_generator *generator, const jbw_map *map)
{
    return generator->patch_cache && jbw_patch_cache_is_full(generator->patch_cache, map);
}

/// Dropping patches of a full map: begin, keep what each agent needs, end. Patches with events stay
/// as well. Pointers to patches are invalid afterwards.
void jbw_generator_begin_drop(jbw_generator *generator);
void jbw_generator_keep_near(jbw_generator *generator, const jbw_map *map, jbw_position cell);
void jbw_generator_drop(jbw_generator *generator, jbw_map *map);

/// Limits the memory of patches that can be generated again, and of what generating them caches.
void jbw_generator_set_budget(jbw_generator *generator, size_t bytes);

/// Memory in bytes, without the map.
size_t jbw_generator_bytes(const jbw_generator *generator);

// ---- statistics ----

/// Totals since the world was created.
typedef struct jbw_generator_stats {
    uint64_t sampling_count; // calls that sampled something, or patches generated
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_generator_stats;

jbw_generator_stats jbw_generator_get_stats(const jbw_generator *generator);

/// Sets the totals of a world with history that was loaded.
void jbw_generator_set_stats(jbw_generator *generator, jbw_generator_stats stats);

// ---- background threads ----

/// The blocks that background threads can help to build, or NULL if there are none yet.
jbw_block_builder *jbw_generator_blocks(const jbw_generator *generator);

/// Makes these blocks available in worlds that have them. Fails only when memory runs out.
jbw_status jbw_generator_prepare_blocks(jbw_generator *generator);

/// Bytes that these blocks may use.
size_t jbw_generator_block_budget(const jbw_generator *generator);

#endif
