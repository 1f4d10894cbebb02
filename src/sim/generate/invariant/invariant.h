// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Makes patches of an infinite map whose cells are a pure function of model, seed and place.
///
/// The map is the state, at a certain time, of a dynamics that began with an empty plane, and whose
/// randomness belongs to places and times (dynamics.h). To know it in one place one would need
/// the whole plane; but influence fades with distance. So time is cut into stages, and the plane
/// into blocks at each stage. The state of a block at the end of a stage is what a window around it
/// comes to, beginning with the blocks of the stage before, with all beyond the window standing still:
///
///     stage 0     from nothing: types that hardly ever appear, such as walls
///     stage 1     from that: all others, until it is settled who is where
///     stage 2     from blocks of stage 1, whose corners meet in the middle of each new one
///     stage 3     the same from those of stage 2; a patch is cut from these
///
/// Whatever two windows both cover they compute alike, but for a thin zone along their borders; and
/// those of one stage lie in the middle of the blocks of the next.
///
/// Blocks are kept within a budget of bytes. What is kept makes no difference to what is made. One
/// thread at a time; but others may help to make the blocks (block_builder.h).
#ifndef JBW_SIM_GENERATE_INVARIANT_INVARIANT_H
#define JBW_SIM_GENERATE_INVARIANT_INVARIANT_H

#include "sim/generate/invariant/block_builder.h"

typedef struct jbw_invariant jbw_invariant;

jbw_status jbw_invariant_create(const jbw_model *model, uint64_t seed, size_t budget,
                                jbw_invariant **out);
void jbw_invariant_destroy(jbw_invariant *invariant); // accepts NULL

/// Fills the cells (patch_cells, lowest row first: item type + 1, 0 is empty) of a patch.
/// JBW_OUT_OF_MEMORY leaves it usable.
jbw_status jbw_invariant_make(jbw_invariant *invariant, jbw_position patch, uint8_t *cells);

/// The blocks, which others may help to make; NULL if the map has none.
jbw_block_builder *jbw_invariant_blocks(jbw_invariant *invariant);

/// Bytes that it keeps.
size_t jbw_invariant_bytes(jbw_invariant *invariant);

/// How many draws it has looked at, and how many of those changed a cell.
uint64_t jbw_invariant_proposals(jbw_invariant *invariant);
uint64_t jbw_invariant_accepted(jbw_invariant *invariant);

#endif
