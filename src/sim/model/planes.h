// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Planes: energies in 16 bits, wherever that is exact.
///
/// A field needs 32 bits because interactions are rounded to a small unit. But few different values
/// are ever added to it, so sums are kept as counts. With one plane, a field is a multiple of the
/// largest number that divides all values. If those sums do not fit 16 bits, the field is split:
///
///     field = factor 0 * plane 0 + factor 1 * plane 1
///
/// For example, walls that add 16, -2000 and -2 become -2000 times (0, 1, 0) plus 2 times
/// (8, 0, -1). A plane fits if all cells within reach, each with the item that adds the most (or
/// the least), fit. This holds for all shipped worlds, and halves the memory that is read and
/// written when an item is added. Other models, and those whose interactions are functions of the
/// caller, have no planes.
#ifndef JBW_SIM_MODEL_PLANES_H
#define JBW_SIM_MODEL_PLANES_H

#include "jbw/world.h"
#include "sim/model/kernel.h"

enum {
    JBW_PLANE_TERMS = 2,  // that a type's energy is the sum of
    JBW_PLANE_GROUP = 4,  // planes at most
    JBW_PLANE_LANES = 16, // of a vector
};

/// Where a plane lies. Planes that the same items change lie side by side, cell by cell, so that
/// one row of them is shorter than a row of each: they are a group, and have numbers in a row.
typedef struct jbw_plane {
    int first; // of its group
    int size;  // of its group
} jbw_plane;

/// What one source item adds to one group of planes. Its kind is TABLE or COLUMNS.
typedef struct jbw_plane_kernel {
    jbw_kernel_kind kind;
    int plane; // the first one of the group
    int size;  // of the group
    int reach;

    // TABLE: as in a kernel, with `size` columns for each cell, and JBW_PLANE_LANES zeros before
    // and after each row
    int16_t *table;
    int table_stride;
    bool is_symmetric; // rows as far above the source as below are equal

    // COLUMNS, in a group of one: u, v, alpha, beta
    const jbw_kernel *whole; // the kernel that it is a part of
    int16_t forward_values[4];
    int16_t backward_values[4];
} jbw_plane_kernel;

/// What a type's energy consists of, in units of its field.
typedef struct jbw_plane_sum {
    int32_t planes[JBW_PLANE_TERMS]; // any plane if the factor is zero
    int32_t factors[JBW_PLANE_TERMS];
} jbw_plane_sum;

/// Splits the fields of a model whose kernels are there. If they cannot be split, or with
/// `force_fields`, `plane_count` stays zero. False when memory runs out.
bool jbw_planes_build(jbw_model *model, bool force_fields);

/// A cell of a window in a plane; the next cell is `size` numbers farther.
static inline int16_t *jbw_plane_at(const jbw_plane *planes, int plane, const jbw_window *window,
                                    int x, int y)
{
    const jbw_plane *at = &planes[plane];
    const ptrdiff_t cell = window->first_cell + (ptrdiff_t)y * window->stride + x;
    return window->planes + at->first * window->field_stride + (plane - at->first) +
           cell * at->size;
}

/// As `jbw_kernel_stamp`, for the planes of a window and all kernels of a type.
void jbw_planes_stamp(const jbw_plane_kernel *kernels, int count, const jbw_window *window,
                      jbw_position source, int sign);

#endif
