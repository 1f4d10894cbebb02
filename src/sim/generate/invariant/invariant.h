// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Generates patches of an infinite map whose cells are a pure function of model, seed and place.
///
/// The map is the state, at a certain time, of a dynamics that starts with an empty plane and whose
/// randomness belongs to places and times (dynamics.h). Strictly, the state of one place depends on
/// the whole plane; but influence fades with distance. So time is cut into stages, and at each
/// stage the plane is cut into blocks. The state of a block at the end of a stage is the result of
/// running the dynamics in a window around it, from the blocks of the stage before, while
/// everything outside the window is frozen:
///
///     stage 0     from nothing: types that hardly ever appear, such as walls
///     stage 1     from that: all others, until the layout has settled
///     stage 2     from blocks of stage 1, four of which meet in the middle of each new block
///     stage 3     likewise from those of stage 2; patches are cut from these blocks
///
/// Two windows that overlap compute the same cells in their overlap, except in a thin zone along
/// their borders. The borders of one stage lie in the middle of the blocks of the next, where they
/// heal.
///
/// Blocks are cached within a budget of bytes; what is cached makes no difference to the result.
/// Only one thread at a time may call these functions, but others may help to make blocks
/// (block_builder.h). The files, from the top:
///
///     patch_cache, patch_changes   patches in memory, and their changes; the door for the generator
///     prefetch, patch_range        what helper threads should make next
///     invariant                    a patch, cut from blocks of the last stage
///     block_builder, block_cache   blocks of all stages, made when needed and kept within a budget
///     plan                         the stages, slices and margins of a model
///     dynamics, workspace          one stage in the window around a block
///     sweep, draws, noise          one slice: the draws of each cell, and where their randomness is from
///     draw_queue, gauge, hot_cells, bits   finding the few draws that can change a cell
///     narrow, row_deltas           energies in fewer bits; filling windows
///     independent_types            types that interact with nothing, filled in at the end
#ifndef JBW_SIM_GENERATE_INVARIANT_INVARIANT_H
#define JBW_SIM_GENERATE_INVARIANT_INVARIANT_H

#include "sim/generate/invariant/block_builder.h"

/// Stored patches (jbw/patch_store.h) are of one version. Raise it whenever a cell of any world
/// changes; the test `generation_bytes` notices. So is what was saved: then JBW_STATE_VERSION_INVARIANT
/// (save/state.h) grows too.
enum { JBW_INVARIANT_VERSION = 2 };

typedef struct jbw_invariant jbw_invariant;

jbw_status jbw_invariant_create(const jbw_model *model, uint64_t seed, size_t budget,
                                jbw_invariant **out);
void jbw_invariant_destroy(jbw_invariant *invariant); // accepts NULL; ends helper threads

/// Sets whom to ask whether to stop.
void jbw_invariant_set_interrupt(jbw_invariant *invariant, jbw_interrupt interrupt);

/// Generates the cells of a patch (patch_cells, lowest row first: item type + 1, 0 is empty). It
/// can be called again after JBW_OUT_OF_MEMORY or JBW_INTERRUPTED.
jbw_status jbw_invariant_make(jbw_invariant *invariant, jbw_position patch, uint8_t *cells);

/// The builder of its blocks; NULL if no types interact, so that there are no blocks.
jbw_block_builder *jbw_invariant_blocks(jbw_invariant *invariant);

/// Bytes in use.
size_t jbw_invariant_bytes(jbw_invariant *invariant);

/// How many draws were looked at, and how many of those changed a cell.
uint64_t jbw_invariant_proposals(jbw_invariant *invariant);
uint64_t jbw_invariant_accepted(jbw_invariant *invariant);

#endif
