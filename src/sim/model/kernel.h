// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Kernels: what an item of one type adds to the energy of another type in the cells around it.
///
/// The energy of an item of type t at cell a, next to an item of type s at cell b, is
/// g_ts(a, b) + g_st(b, a): the paper's sum runs over ordered pairs. Each of the two is rounded to
/// a multiple of a power of two that both types can represent, so energies are whole numbers,
/// their sums are exact, and adding and removing items in any order leaves no trace.
///
/// Three ways to the same numbers, fastest first: a table by offset, where both functions depend
/// on nothing else; a comparison with the radii of each column, for CrossHash; the functions
/// themselves.
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
    double scale;                 // units per one, of the rounded energies of this pair
    int shift;                    // from those to units of the target's field
    const jbw_coupling *forward;  // g_ts, the first item is the target
    const jbw_coupling *backward; // g_st, the first item is the source

    // TABLE: (2 reach + 1) rows, lowest dy first, with JBW_LANES zeros before and behind each
    int32_t *table;
    int table_stride;

    // COLUMNS: u, v, alpha, beta in units of the field; zero where the function is
    int32_t forward_values[4];
    int32_t backward_values[4];
} jbw_kernel;

enum { JBW_LANES = 8 };

/// A rectangle of cells, and in each the energy of each type that interacts:
///
///     fields (field_count x height x stride)
///
/// A part of a window is a window, too. The stride is large enough to read a run beyond each row.
typedef struct jbw_window {
    jbw_position origin;
    int width;
    int height;
    int stride; // a multiple of JBW_LANES
    ptrdiff_t field_stride;
    int32_t *fields;
    int32_t *radii; // (column_function_count x 2 x stride): inner and outer radius by column; the
                    // outer one is not smaller
} jbw_window;

/// Prepares what an item of one type adds to the field of another. `target_bits` and `source_bits`
/// are the resolutions of the two types. With `force_generic` even a kernel that could be faster
/// calls the functions; the result is the same. False when memory runs out.
bool jbw_kernel_init(jbw_kernel *kernel, int field, const jbw_coupling *forward,
                     const jbw_coupling *backward, int target_bits, int source_bits,
                     bool force_generic, jbw_arena *arena);

/// True if both kernels are the same table but for a factor; then gives the factors.
bool jbw_kernels_are_alike(const jbw_kernel *a, const jbw_kernel *b, int32_t *a_factor,
                           int32_t *b_factor);

/// Divides a table, for another field.
void jbw_kernel_divide(jbw_kernel *kernel, int32_t factor, int field);

/// Adds (`sign` 1) or takes away (-1) the contribution of a source item to a window, which it may
/// lie outside of. Its own cell is left alone: no two items share a cell.
void jbw_kernel_stamp(const jbw_kernel *kernel, const jbw_window *window, jbw_position source,
                      int sign);

#endif
