// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The loops of a path: see path.h. Before this is included, one of vector_*.h is, and PATH, TILE_ROWS and
// TILE_VECTORS are defined: products are computed in tiles of TILE_ROWS x (TILE_VECTORS x JBW_V_WIDTH), as
// many as the processor has registers for.

#include <math.h>
#include <string.h>

#include "nn/path.h"
#include "nn/vector_math.h"

#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

enum {
    WIDTH = JBW_V_WIDTH,
    TILE_COLUMNS = TILE_VECTORS * JBW_V_WIDTH,
};
// packed panels are handed out by whole ones, whatever the path (loops.c)
_Static_assert(JBW_GEMM_MOST_TILE_COLUMNS % TILE_COLUMNS == 0, "panels of different widths");

#include "nn/product.inl"

// ---- a vector times a matrix ----

enum { ROWS_AT_ONCE = 4 };

// y (n) += rows of b, each times its x, one after the other
static inline __attribute__((always_inline)) void add_rows(const int count, int n, const float *x,
                                                           const float *const *b, float *y)
{
    v_float factors[ROWS_AT_ONCE];
    UNROLL for (int r = 0; r < count; r++) factors[r] = v_set(x[r]);
    int j = 0;
    for (; j + WIDTH <= n; j += WIDTH) {
        v_float sum = v_load(y + j);
        UNROLL for (int r = 0; r < count; r++) sum = v_fma(factors[r], v_load(b[r] + j), sum);
        v_store(y + j, sum);
    }
    for (; j < n; j++)
        for (int r = 0; r < count; r++) y[j] = fmaf(x[r], b[r][j], y[j]);
}

// The rows of b come from far away, and each is needed once: they are read in the order of memory, a few
// at a time, while y stays near.
static void gemv(int k, int n, const float *x, const float *b, ptrdiff_t b_row, float *y)
{
    float factors[ROWS_AT_ONCE];
    const float *rows[ROWS_AT_ONCE];
    int count = 0;
    for (int p = 0; p < k; p++) {
        if (x[p] == 0.0f) continue;
        factors[count] = x[p];
        rows[count++] = b + p * b_row;
        if (count < ROWS_AT_ONCE) continue;
        add_rows(ROWS_AT_ONCE, n, factors, rows, y);
        count = 0;
    }
    for (int r = 0; r < count; r++) add_rows(1, n, factors + r, rows + r, y);
}

// ---- element by element ----

// Arrays whose length is no multiple of the width end in a part that goes through a small buffer.
static inline v_float load_part(const float *at, size_t count)
{
    float part[JBW_V_WIDTH] = {0};
    for (size_t i = 0; i < count; i++) part[i] = at[i];
    return v_load(part);
}

static inline void store_part(float *at, size_t count, v_float a)
{
    float part[JBW_V_WIDTH];
    v_store(part, a);
    for (size_t i = 0; i < count; i++) at[i] = part[i];
}

// defines a function of arrays: y = f(x)
#define MAP(name, f)                                                                 \
    static void name(size_t count, const float *x, float *y)                         \
    {                                                                                \
        size_t i = 0;                                                                \
        for (; i + WIDTH <= count; i += WIDTH) v_store(y + i, f(v_load(x + i)));     \
        if (i < count) store_part(y + i, count - i, f(load_part(x + i, count - i))); \
    }

// dx = f(x, dy)
#define MAP_BACK(name, f)                                                                         \
    static void name(size_t count, const float *x, const float *dy, float *dx)                    \
    {                                                                                             \
        size_t i = 0;                                                                             \
        for (; i + WIDTH <= count; i += WIDTH) v_store(dx + i, f(v_load(x + i), v_load(dy + i))); \
        if (i < count)                                                                            \
            store_part(dx + i, count - i,                                                         \
                       f(load_part(x + i, count - i), load_part(dy + i, count - i)));             \
    }

// What is multiplied with other small numbers ends as zero before the product becomes too small to be
// normal, which costs processors a hundred times as long: slopes of gates that are shut, and what passes
// them. A weight would not notice such a gradient.
static inline v_float without_specks(v_float a)
{
    return v_if_less(v_abs(a), v_set(0x1p-72f), v_set(0.0f), a);
}

static inline v_float clean_product(v_float x, v_float y)
{
    return without_specks(v_mul(x, y));
}

static inline v_float relu_of(v_float x)
{
    return v_max(x, v_set(0.0f));
}

static inline v_float relu_gradient(v_float x, v_float dy)
{
    return v_if_less(v_set(0.0f), x, dy, v_set(0.0f));
}

// The numbers of the usual approximation, tanh of sqrt(2 / pi) (x + 0.044715 x^3). In hexadecimal: where
// FLT_EVAL_METHOD is not 0, decimal constants and what is computed of constants have other bits.
#define GELU_ROOT 0x1.988454p-1f    // sqrt(2 / pi)
#define GELU_CUBIC 0x1.6e4e26p-5f   // 0.044715
#define GELU_CUBIC_3 0x1.12ba9cp-3f // 3 times that

static inline v_float gelu_tanh(v_float x)
{
    const v_float cubic = v_fma(v_mul(x, x), v_set(GELU_CUBIC), v_set(1.0f));
    return v_tanh(v_mul(v_set(GELU_ROOT), v_mul(x, cubic)));
}

// the slope is taken now, while the tanh is at hand
static inline v_float gelu_of(v_float x, v_float *slope)
{
    const v_float one = v_set(1.0f);
    const v_float t = gelu_tanh(x);
    const v_float inner = v_mul(v_set(GELU_ROOT), v_fma(v_mul(x, x), v_set(GELU_CUBIC_3), one));
    const v_float steep = v_mul(v_mul(x, inner), v_sub(one, v_mul(t, t)));
    *slope = v_mul(v_set(0.5f), v_add(v_add(one, t), steep));
    return v_mul(v_mul(v_set(0.5f), x), v_add(one, t));
}

static void gelu(size_t count, float *x, float *y)
{
    v_float slope;
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH) {
        const v_float result = gelu_of(v_load(x + i), &slope);
        v_store(x + i, slope);
        v_store(y + i, result);
    }
    if (i == count) return;
    const v_float result = gelu_of(load_part(x + i, count - i), &slope);
    store_part(x + i, count - i, slope);
    store_part(y + i, count - i, result);
}

MAP(relu, relu_of)
MAP_BACK(relu_back, relu_gradient)
MAP_BACK(multiply_each, clean_product)
MAP(map_exp, v_exp)
MAP(map_tanh, v_tanh)
MAP(map_sigmoid, v_sigmoid)

// ---- LSTM ----

static inline void lstm_lanes(int size, const jbw_lstm_row *row, int i)
{
    float *gates = row->gates + i;
    const v_float input = v_sigmoid(v_load(gates));
    const v_float candidate = v_tanh(v_load(gates + size));
    const v_float forget = v_sigmoid(v_load(gates + 2 * (ptrdiff_t)size));
    const v_float cell = v_fma(forget, v_load(row->cell_before + i), v_mul(input, candidate));
    v_store(gates, input);
    v_store(gates + size, candidate);
    v_store(gates + 2 * (ptrdiff_t)size, forget);
    v_store(row->cell + i, cell);
    if (!row->hidden) return;
    const v_float output = v_sigmoid(v_load(gates + 3 * (ptrdiff_t)size));
    const v_float cell_tanh = v_tanh(cell);
    v_store(gates + 3 * (ptrdiff_t)size, output);
    v_store(row->cell_tanh + i, cell_tanh);
    v_store(row->hidden + i, clean_product(output, cell_tanh));
}

// the size is a multiple of JBW_NN_LANES
static void lstm(int size, const jbw_lstm_row *row)
{
    for (int i = 0; i < size; i += WIDTH) lstm_lanes(size, row, i);
}

static inline v_float sigmoid_slope(v_float y)
{
    return v_mul(y, v_sub(v_set(1.0f), y));
}

// What flows into the cell: from later steps and heads, and through the output. Sets the gradient of the
// output gate.
static inline v_float output_back(int size, const jbw_lstm_row_back *row, int i)
{
    const v_float one = v_set(1.0f);
    const v_float output = v_load(row->gates + 3 * (ptrdiff_t)size + i);
    const v_float cell_tanh = v_load(row->cell_tanh + i);
    const v_float hidden = v_load(row->hidden_gradient + i);
    const v_float through = v_mul(output, v_sub(one, v_mul(cell_tanh, cell_tanh)));
    v_store(row->gate_gradients + 3 * (ptrdiff_t)size + i,
            clean_product(v_mul(hidden, cell_tanh), sigmoid_slope(output)));
    return v_fma(hidden, through, v_load(row->cell_gradient + i));
}

static void lstm_back(int size, const jbw_lstm_row_back *row)
{
    const v_float one = v_set(1.0f);
    for (int i = 0; i < size; i += WIDTH) {
        const float *gates = row->gates + i;
        float *to = row->gate_gradients + i;
        const v_float input = v_load(gates);
        const v_float candidate = v_load(gates + size);
        const v_float forget = v_load(gates + 2 * (ptrdiff_t)size);
        // adding a zero is what a gradient of zero for the output comes to: it turns -0 into 0
        const v_float cell = row->hidden_gradient
                                 ? output_back(size, row, i)
                                 : v_add(v_load(row->cell_gradient + i), v_set(0.0f));
        v_store(to, clean_product(v_mul(cell, candidate), sigmoid_slope(input)));
        v_store(to + size,
                clean_product(v_mul(cell, input), v_sub(one, v_mul(candidate, candidate))));
        v_store(to + 2 * (ptrdiff_t)size,
                clean_product(v_mul(cell, v_load(row->cell_before + i)), sigmoid_slope(forget)));
        v_store(row->cell_gradient + i, clean_product(cell, forget));
    }
}

// ---- sums and steps ----

// a few rows at a time, while the sums stay near
static inline __attribute__((always_inline)) void
sum_some_rows(const int rows, int count, const float *x, ptrdiff_t stride, float *sums)
{
    int j = 0;
    for (; j + WIDTH <= count; j += WIDTH) {
        v_float sum = v_load(sums + j);
        UNROLL for (int i = 0; i < rows; i++) sum = v_add(sum, v_load(x + i * stride + j));
        v_store(sums + j, sum);
    }
    for (; j < count; j++)
        for (int i = 0; i < rows; i++) sums[j] += x[i * stride + j];
}

static void sum_rows(int rows, int count, const float *x, ptrdiff_t stride, float *sums)
{
    memset(sums, 0, (size_t)count * sizeof(float));
    int i = 0;
    for (; i + ROWS_AT_ONCE <= rows; i += ROWS_AT_ONCE)
        sum_some_rows(ROWS_AT_ONCE, count, x + i * stride, stride, sums);
    for (; i < rows; i++) sum_some_rows(1, count, x + i * stride, stride, sums);
}

static void add_scaled(size_t count, float scale, const float *x, float *y)
{
    size_t i = 0;
    const v_float factor = v_set(scale);
    for (; i + WIDTH <= count; i += WIDTH)
        v_store(y + i, v_fma(factor, v_load(x + i), v_load(y + i)));
    if (i < count)
        store_part(y + i, count - i,
                   v_fma(factor, load_part(x + i, count - i), load_part(y + i, count - i)));
}

// Element i belongs to chain i modulo JBW_NN_LANES. Chains are short, so that little is rounded away.
static double sum_of_squares(size_t count, const float *x)
{
    enum { VECTORS = JBW_NN_LANES / JBW_V_WIDTH, CHAIN = 64 };
    double sum = 0.0;
    size_t i = 0;
    while (i + JBW_NN_LANES <= count) {
        v_float sums[VECTORS];
        for (int v = 0; v < VECTORS; v++) sums[v] = v_set(0.0f);
        for (int c = 0; c < CHAIN && i + JBW_NN_LANES <= count; c++, i += JBW_NN_LANES) {
            UNROLL for (int v = 0; v < VECTORS; v++)
            {
                const v_float a = v_load(x + i + (size_t)v * WIDTH);
                sums[v] = v_fma(a, a, sums[v]);
            }
        }
        float lanes[JBW_NN_LANES];
        for (int v = 0; v < VECTORS; v++) v_store(lanes + v * WIDTH, sums[v]);
        for (int l = 0; l < JBW_NN_LANES; l++) sum += (double)lanes[l];
    }
    for (; i < count; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

// Numbers that fade away end as zero, before they become too small to be normal, which costs processors
// a hundred times as long.
static inline v_float without_traces(v_float a)
{
    return v_if_less(v_abs(a), v_set(0x1.4484cp-100f), v_set(0.0f), a);
}

typedef struct adam_lanes {
    v_float weight, mean, square, largest;
} adam_lanes;

static inline adam_lanes adam_of(const jbw_adam_step *s, v_float gradient, adam_lanes at)
{
    const v_float scaled = v_mul(gradient, v_set(s->gradient_scale));
    at.mean =
        without_traces(v_fma(v_set(s->mean_decay), at.mean, v_mul(v_set(s->mean_rest), scaled)));
    const v_float squared = v_mul(v_mul(scaled, scaled), v_set(s->square_rest));
    at.square = without_traces(v_fma(v_set(s->square_decay), at.square, squared));
    at.largest = v_max(at.largest, at.square);
    const v_float root = v_fma(v_sqrt(s->largest ? at.largest : at.square),
                               v_set(s->root_correction), v_set(s->epsilon));
    at.weight = v_sub(at.weight, v_div(v_mul(v_set(s->rate), at.mean), root));
    return at;
}

static void adam(const jbw_adam_step *s)
{
    size_t i = 0;
    for (; i + WIDTH <= s->count; i += WIDTH) {
        const v_float gradient = v_load(s->gradients + i);
        const v_float mean = v_load(s->mean + i);
        const v_float square = v_load(s->square + i);
        // Weights that never had a gradient stay, as those of a gate that is left out: nothing is written.
        const v_float any = v_add(v_add(v_abs(gradient), v_abs(mean)), v_abs(square));
        if (v_is_zero(any) && s->epsilon > 0.0f) continue;
        const adam_lanes at =
            adam_of(s, gradient,
                    (adam_lanes){v_load(s->weights + i), mean, square,
                                 s->largest ? v_load(s->largest + i) : v_set(0.0f)});
        v_store(s->weights + i, at.weight);
        v_store(s->mean + i, at.mean);
        v_store(s->square + i, at.square);
        if (s->largest) v_store(s->largest + i, at.largest);
    }
    const size_t rest = s->count - i;
    if (rest == 0) return;
    const adam_lanes at =
        adam_of(s, load_part(s->gradients + i, rest),
                (adam_lanes){load_part(s->weights + i, rest), load_part(s->mean + i, rest),
                             load_part(s->square + i, rest),
                             s->largest ? load_part(s->largest + i, rest) : v_set(0.0f)});
    store_part(s->weights + i, rest, at.weight);
    store_part(s->mean + i, rest, at.mean);
    store_part(s->square + i, rest, at.square);
    if (s->largest) store_part(s->largest + i, rest, at.largest);
}

// ---- the table ----

const jbw_nn_path JOIN(jbw_nn_, PATH) = {
    .name = PATH_NAME,
    .is_supported = is_supported,
    .tile_rows = TILE_ROWS,
    .gemm = gemm,
    .pack = pack_right,
    .gemm_packed = gemm_packed,
    .gemv = gemv,
    .relu = relu,
    .relu_back = relu_back,
    .gelu = gelu,
    .multiply = multiply_each,
    .exp = map_exp,
    .tanh = map_tanh,
    .sigmoid = map_sigmoid,
    .lstm = lstm,
    .lstm_back = lstm_back,
    .sum_rows = sum_rows,
    .add_scaled = add_scaled,
    .sum_of_squares = sum_of_squares,
    .adam = adam,
};
