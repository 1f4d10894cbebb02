// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Kernels: what an item of one type adds to the energy of another type in the cells around it.
///
/// The energy of an item of type t at cell a, next to an item of type s at cell b, is
/// g_ts(a, b) + g_st(b, a): the paper's sum runs over ordered pairs. Both terms are rounded to a
/// multiple of a power of two that both types can represent. So energies are whole numbers, their
/// sums are exact, and items can be added and removed in any order without a trace.
///
/// There are three ways to get the same numbers, fastest first: a table by offset, if both
/// functions depend on nothing else; comparing distances with the radii of each column, for
/// CrossHash; calling the functions.
#ifndef JBW_SIM_MODEL_KERNEL_H
#define JBW_SIM_MODEL_KERNEL_H

#include "base/alloc.h"
#include "sim/model/function.h"

typedef enum jbw_kernel_kind {
    JBW_KERNEL_NONE,
    JBW_KERNEL_TABLE,
    JBW_KERNEL_COLUMNS,
    JBW_KERNEL_GENERIC,
} jbw_kernel_kind;

/// What one source item adds to the field of one target type.
typedef struct jbw_kernel {
    jbw_kernel_kind kind;
    int field; // of the target
    int reach;
    double scale;                 // energies of this pair are rounded to multiples of 1 / scale
    int shift;                    // from those multiples to units of the target's field
    const jbw_coupling *forward;  // g_ts, the first item is the target
    const jbw_coupling *backward; // g_st, the first item is the source

    // TABLE: (2 reach + 1) rows, lowest dy first, each with JBW_LANES zeros before and after it
    int32_t *table;
    int table_stride;
    // (2 reach + 1): where the run of equal rows ends that a row is part of; NULL if there are many
    int16_t *row_ends;

    // COLUMNS: u, v, alpha, beta in units of the field; zero if the coupling is
    int32_t forward_values[4];
    int32_t backward_values[4];
} jbw_kernel;

enum { JBW_LANES = 8 };

/// A rectangle of cells with their energies, one field for each type that interacts:
///
///     fields (field_count x height x stride)
///
/// A part of a window is a window, too. The stride leaves room for a vector beyond each row.
typedef struct jbw_window {
    jbw_position origin;
    int width;
    int height;
    int stride; // a multiple of JBW_LANES
    ptrdiff_t field_stride;
    union {
        int32_t *fields;
        int16_t *planes; // of the sampler's windows, if the model has planes (planes.h)
    };
    ptrdiff_t first_cell; // of the window in its planes; fields begin with it
    union { // (column_function_count x 2 x stride): inner and outer radius by column; the
        int32_t *radii; // outer radius is at least the inner one
        int16_t *plane_radii;
    };
} jbw_window;

/// Prepares a kernel. `target_bits` and `source_bits` are the resolutions of the two types. With
/// `force_generic` the kernel calls the functions even if there is a faster way; the results are
/// the same. False when memory runs out.
bool jbw_kernel_init(jbw_kernel *kernel, int field, const jbw_coupling *forward,
                     const jbw_coupling *backward, int target_bits, int source_bits,
                     bool force_generic, jbw_arena *arena);

/// Whether two kernels are the same table except for a factor; if so, gets the factors.
bool jbw_kernels_are_alike(const jbw_kernel *a, const jbw_kernel *b, int32_t *a_factor,
                           int32_t *b_factor);

/// Divides the table of a kernel by a factor and assigns it to another field.
void jbw_kernel_divide(jbw_kernel *kernel, int32_t factor, int field);

/// What a source item adds to the energy of a target item, computed from the functions.
int32_t jbw_kernel_pair_energy(const jbw_kernel *kernel, jbw_position target, jbw_position source);

/// Adds (`sign` 1) or subtracts (-1) the contribution of a source item to a window. The source may
/// be outside of the window. Its own cell is left alone: a cell holds at most one item.
void jbw_kernel_stamp(const jbw_kernel *kernel, const jbw_window *window, jbw_position source,
                      int sign);

#endif
