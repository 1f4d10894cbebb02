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
#ifndef JBW_SIM_KERNEL_H
#define JBW_SIM_KERNEL_H

#include "base/alloc.h"
#include "sim/function.h"

typedef enum jbw_kernel_kind {
    JBW_KERNEL_NONE,
    JBW_KERNEL_TABLE,
    JBW_KERNEL_COLUMNS,
    JBW_KERNEL_GENERIC,
} jbw_kernel_kind;

/// Where the entries of a kernel's row are not zero: columns [begin, end).
typedef struct jbw_kernel_row {
    int16_t begin;
    int16_t end;
} jbw_kernel_row;

/// What one source item adds to the field of one target type.
typedef struct jbw_kernel {
    jbw_kernel_kind kind;
    int target;
    int source;
    int reach;
    double scale; // units per one, of the rounded energies of this pair
    int shift;    // from those to units of the target's field
    const jbw_coupling *forward;  // g_ts, the first item is the target
    const jbw_coupling *backward; // g_st, the first item is the source
    const int32_t *table;         // (2 reach + 1) x (2 reach + 1), lowest dy first
    const jbw_kernel_row *rows;   // (2 reach + 1)
    int32_t forward_values[4];    // of CrossHash: u, v, alpha, beta in units of the field
    int32_t backward_values[4];
} jbw_kernel;

/// Prepares the kernel of (target, source). `target_bits` and `source_bits` are the resolutions of
/// the two types. With `force_generic` even a kernel that could be faster calls the functions; the
/// result is the same. False when memory runs out.
bool jbw_kernel_init(jbw_kernel *kernel, int target, int source, const jbw_coupling *forward,
                     const jbw_coupling *backward, int target_bits, int source_bits,
                     bool force_generic, jbw_arena *arena);

/// Adds (`sign` 1) or takes away (-1) the contribution of a source item to the field of a patch:
/// (patch_size x patch_size) energies, of which `origin` is the first cell. The item's own cell is
/// left alone: no two items share a cell.
void jbw_kernel_stamp(const jbw_kernel *kernel, int32_t *field, int patch_size,
                      jbw_position origin, jbw_position source, int sign);

#endif
