// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The hot loops, compiled once for each vector instruction set. Each version is a path. Which one runs is
/// decided when the program starts, and makes no difference to any bit of the results.
///
///     vector_plain.h   ...   vector_neon.h      a few operations on vectors
///              |                |
///               path.inl  (vector_math.h)       the loops, written once; products in product.inl
///              |                |
///     path_plain.c     ...     path_neon.c      compiled for each kind: a jbw_nn_path
///
/// How that can be: a matrix product is c[i][j] = fma(a[i][k], b[k][j], c[i][j]) for k = 0, 1, 2, ..., one
/// chain per element, in this order, whatever tiles, blocks or vectors it is computed in. Sums over many
/// elements go through JBW_NN_LANES chains, more than any vector has lanes, that are added up in a fixed
/// order.
#ifndef JBW_NN_PATH_H
#define JBW_NN_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum {
    JBW_NN_LANES = 16,
    // blocks of a product: see product.inl
    JBW_GEMM_ROWS = 528,
    JBW_GEMM_DEPTH = 520,
    JBW_GEMM_MOST_TILE_ROWS = 16,
    JBW_GEMM_MOST_TILE_COLUMNS = 32,
};

/// A matrix in memory: element (i, j) is at[i * row + j * column]. A transposed view swaps the strides.
typedef struct jbw_view {
    const float *at;
    ptrdiff_t row;
    ptrdiff_t column;
} jbw_view;

/// The same matrix from another row and column on.
static inline jbw_view jbw_view_from(jbw_view view, int row, int column)
{
    return (jbw_view){view.at + row * view.row + column * view.column, view.row, view.column};
}

/// What a product is added to, rows `row` apart. NULL: nothing; 0 apart: a bias, the same for all rows.
typedef struct jbw_addend {
    const float *at;
    ptrdiff_t row;
} jbw_addend;

/// Arrays of one LSTM row, (h) each but for the gates: (4 h), in the order input, candidate, forget, output.
typedef struct jbw_lstm_row {
    float *gates; // in: sums; out: after their activations
    const float *cell_before;
    float *cell;
    float *cell_tanh;
    float *hidden; // NULL: not wanted, so that neither `cell_tanh` nor the output gate is needed
} jbw_lstm_row;

/// The same backwards. `gates` and `cell_tanh` are those of the way forward.
typedef struct jbw_lstm_row_back {
    const float *gates;
    const float *cell_before;
    const float *cell_tanh;
    const float *hidden_gradient; // of the loss, for the output; NULL: zero, and so is its gate's
    float *cell_gradient;  // in: for the cell from later steps and heads; out: for the cell before
    float *gate_gradients; // (4 h) for the sums
} jbw_lstm_row_back;

/// One step of Adam or AMSGrad, for one array of weights.
typedef struct jbw_adam_step {
    float *weights;
    const float *gradients;
    float *mean;    // of gradients
    float *square;  // mean of their squares
    float *largest; // of those so far, for AMSGrad; NULL: Adam
    size_t count;
    float gradient_scale; // from clipping
    float rate;           // of learning, over 1 - mean_decay^step
    float mean_decay,
        mean_rest; // which add up to 1; the rest is rounded by itself, so that its error
    float square_decay,
        square_rest;       // is relative to the rest: 1e-3 has more digits than 1 - 0.999f
    float root_correction; // 1 / sqrt(1 - square_decay^step)
    float epsilon;
} jbw_adam_step;

typedef struct jbw_nn_path {
    const char *name;
    bool (*is_supported)(void);
    int tile_rows; // of a product, that are computed at once

    /// c (m x n, rows `c_row` apart) = addend + a (m x k) b (k x n). The addend may be c itself.
    /// `scratch` has `jbw_gemm_scratch` floats.
    void (*gemm)(int m, int n, int k, jbw_view a, jbw_view b, jbw_addend addend, float *c,
                 ptrdiff_t c_row, float *scratch);

    /// Rearranges b (k x n) for the next one, into `jbw_packed_size(k, n)` floats.
    void (*pack)(int k, int n, jbw_view b, float *packed);

    /// The same as `gemm` for a packed b, which pays if b is needed more than once.
    void (*gemm_packed)(int m, int n, int k, jbw_view a, const float *packed, jbw_addend addend,
                        float *c, ptrdiff_t c_row, float *scratch);

    /// y (n) += x (k) b (k x n, rows `b_row` apart); zeros in x are skipped.
    void (*gemv)(int k, int n, const float *x, const float *b, ptrdiff_t b_row, float *y);

    // element by element
    void (*relu)(size_t count, const float *x, float *y);
    void (*relu_back)(size_t count, const float *x, const float *dy, float *dx);
    /// `x` becomes the slope there. Where x and y are the same array, it holds y.
    void (*gelu)(size_t count, float *x, float *y);
    /// z = x y; what is below 2^-72 becomes zero
    void (*multiply)(size_t count, const float *x, const float *y, float *z);
    void (*exp)(size_t count, const float *x, float *y);
    void (*tanh)(size_t count, const float *x, float *y);
    void (*sigmoid)(size_t count, const float *x, float *y);

    void (*lstm)(int size, const jbw_lstm_row *row);
    void (*lstm_back)(int size, const jbw_lstm_row_back *row);

    /// sums (count) = the sum of all rows, which are `stride` apart, one after the other
    void (*sum_rows)(int rows, int count, const float *x, ptrdiff_t stride, float *sums);

    /// y += scale x
    void (*add_scaled)(size_t count, float scale, const float *x, float *y);
    double (*sum_of_squares)(size_t count, const float *x);
    void (*adam)(const jbw_adam_step *step);
} jbw_nn_path;

/// Floats that `gemm` needs as scratch, and that a packed matrix takes; the same for all paths.
size_t jbw_gemm_scratch(void);
size_t jbw_packed_size(int k, int n);

/// The widest path that this processor supports.
const jbw_nn_path *jbw_nn_best_path(void);

/// All paths of this build, the plain one first; NULL at the end.
const jbw_nn_path *jbw_nn_path_at(size_t index);

extern const jbw_nn_path jbw_nn_plain;
extern const jbw_nn_path jbw_nn_avx2;
extern const jbw_nn_path jbw_nn_avx512;
extern const jbw_nn_path jbw_nn_neon;
extern const jbw_nn_path jbw_nn_wasm;

#endif
