// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Energies in 16 bits, half the size of those of the model, so that twice as many are added or
/// compared at once, and what a sweep touches stays in the nearest cache.
///
/// In most worlds, all interactions that act on a type are multiples of some number, its unit, to
/// within a thousandth. A field is narrow if it counts such units and cannot overflow, even if each
/// cell in reach holds the item that lowers or raises it most. An interaction that keeps a type away
/// whatever else is near is made no stronger than that takes (JBW_NEVER_ENERGY): then it counts as
/// the sum of all that could oppose it.
///
/// All other fields are wide: they are those of the model. So are fields of slow types, and those
/// with kernels that are no tables.
#ifndef JBW_SIM_GENERATE_INVARIANT_NARROW_H
#define JBW_SIM_GENERATE_INVARIANT_NARROW_H

#include "sim/model/model.h"

/// An energy at which a type never appears: the probability is e^-24.
#define JBW_NEVER_ENERGY 24.0

enum { JBW_NARROW_LANES = 16 };

/// How a type reads its fields: its energy is `unit` times the number in its own field, less the
/// base, plus `shared_factor` times that in its shared field. A narrow field has a base if that gives
/// it room for low energies.
typedef struct jbw_narrow_scale {
    bool is_narrow;
    double unit;
    int32_t base;
    double least; // no interaction is lower than this
    int32_t shared_factor;
} jbw_narrow_scale;

/// What an item adds to a narrow field, in pieces of a row, JBW_NARROW_LANES cells each. Where an item
/// adds nothing, there are no pieces, so discs and rings take fewer than their square would.
typedef struct jbw_narrow_kernel {
    int16_t *pieces;     // (count x JBW_NARROW_LANES), lowest row first; NULL if the field is wide
    int16_t *columns;    // (count): from the item to the first cell of each
    int32_t *row_starts; // (2 reach + 2): the first piece of each row, and the end
    int count;
    int reach;
    int first; // where the offsets of these pieces begin, among those of all kernels
} jbw_narrow_kernel;

/// A field, or some rows of it. In each row, and before the first one, there is room for
/// JBW_NARROW_LANES - 1 cells beyond the width. Stamps may change those.
typedef struct jbw_narrow_target {
    int16_t *field; // the first cell of row 0
    ptrdiff_t stride;
    int width;
    int bottom, top; // rows that are stamped: [bottom, top)
} jbw_narrow_target;

/// How a type would read its fields if they were narrow; `is_narrow` is false if they cannot be.
/// `max_intensity` is the largest one in any cell.
jbw_narrow_scale jbw_narrow_scale_of(const jbw_model *model, int type, double max_intensity);

/// Lists the pieces of a kernel in a field that a type reads with that scale as its own; or, with
/// NULL, in a field that types share, whose numbers stay as they are. The arena owns them. False when
/// memory runs out.
bool jbw_narrow_kernel_init(jbw_narrow_kernel *narrow, const jbw_kernel *kernel,
                            const jbw_narrow_scale *scale, double model_unit, jbw_arena *arena);

/// How far the first cell of each piece is from that of the item, in a field with that stride.
void jbw_narrow_find_offsets(const jbw_narrow_kernel *kernel, ptrdiff_t stride, int32_t *offsets);

/// Adds what an item adds to the field around it, or takes it away again. The item may lie outside.
void jbw_narrow_stamp(const jbw_narrow_kernel *kernel, const int32_t *offsets,
                      const jbw_narrow_target *target, int x, int y, bool is_negative);

#endif
