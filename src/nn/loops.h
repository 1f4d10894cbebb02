// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The loops of a path as layers call them: over all threads that a network has, where that pays. Each result
/// has the same bits as on one thread, since it is computed by one thread, in the order that path.h tells.
///
///     layer -> loops -> crew, if there is one -> path
#ifndef JBW_NN_LOOPS_H
#define JBW_NN_LOOPS_H

#include "nn/crew.h"
#include "nn/nn.h"

/// Does a task of about `nanoseconds` in pieces that begin at multiples of `unit`, on several threads if it is
/// long enough.
void jbw_nn_share(const jbw_nn *nn, size_t total, size_t unit, double nanoseconds,
                  jbw_piece_function *function, const void *task);

/// c (m x n, rows `c_row` apart) = addend + a (m x k) b (k x n). The addend may be c itself.
void jbw_nn_gemm(const jbw_nn *nn, int m, int n, int k, jbw_view a, jbw_view b, jbw_addend addend,
                 float *c, ptrdiff_t c_row);

/// Rearranges b for `jbw_nn_gemm_packed`, into `jbw_packed_size(k, n)` floats.
void jbw_nn_pack(const jbw_nn *nn, int k, int n, jbw_view b, float *packed);

void jbw_nn_gemm_packed(const jbw_nn *nn, int m, int n, int k, jbw_view a, const float *packed,
                        jbw_addend addend, float *c, ptrdiff_t c_row);

/// y (n) += x (k) b (k x n), whose rows follow each other; zeros in x are skipped.
void jbw_nn_gemv(const jbw_nn *nn, int k, int n, const float *x, const float *b, float *y);

/// sums (count) = the sum of all rows, one after the other
void jbw_nn_sum_rows(const jbw_nn *nn, int rows, int count, jbw_rows x, float *sums);

void jbw_nn_adam(const jbw_nn *nn, const jbw_adam_step *step);

#endif
