// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The loops of networks: every path gives the bits of plain loops, and functions are accurate.

#include "support/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/path.h"
#include "support/random.h"
#ifdef JBW_NN_X86
#include "nn/cpu_x86.h"
#endif

enum { MOST = 3000, LENGTHS = 70 };

static float random_float(uint64_t *random)
{
    return (float)random_real(random, -1.0, 1.0);
}

static void fill(uint64_t *random, float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] = random_float(random);
}

static float *new_floats(size_t count)
{
    float *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

// calls a function for each path that this processor has
static void for_each_path(void (*check)(const jbw_nn_path *path))
{
    for (size_t i = 0; jbw_nn_path_at(i); i++)
        if (jbw_nn_path_at(i)->is_supported()) check(jbw_nn_path_at(i));
}

// ---- products ----

typedef struct product {
    int m, n, k;
    bool a_is_transposed, b_is_transposed, adds;
    bool has_bias; // which is added instead of c
} product;

// the definition: one chain of fused products per element, k ascending
static void multiply_plainly(const product *p, jbw_view a, jbw_view b, const float *bias, float *c,
                             ptrdiff_t c_row)
{
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            float sum = p->has_bias ? bias[j] : p->adds ? c[i * c_row + j] : 0.0f;
            for (int k = 0; k < p->k; k++)
                sum = fmaf(a.at[i * a.row + k * a.column], b.at[k * b.row + j * b.column], sum);
            c[i * c_row + j] = sum;
        }
}

static jbw_view view_of(const float *at, int rows, int columns, bool is_transposed)
{
    return is_transposed ? (jbw_view){at, 1, rows} : (jbw_view){at, columns, 1};
}

static jbw_addend addend_of(const product *p, const float *bias, const float *c, ptrdiff_t c_row)
{
    if (p->has_bias) return (jbw_addend){bias, 0};
    return (jbw_addend){p->adds ? c : NULL, c_row};
}

static void check_product(const jbw_nn_path *path, const product *p, uint64_t seed)
{
    uint64_t random = seed;
    const size_t a_count = (size_t)p->m * (size_t)p->k;
    const size_t b_count = (size_t)p->k * (size_t)p->n;
    const ptrdiff_t c_row = p->n + 3; // rows lie apart, and what is between them stays
    const size_t c_count = (size_t)p->m * (size_t)c_row;
    float *a = new_floats(a_count);
    float *b = new_floats(b_count);
    float *wanted = new_floats(c_count);
    float *got = new_floats(c_count);
    float *scratch = new_floats(jbw_gemm_scratch());
    float *packed = new_floats(jbw_packed_size(p->k, p->n));
    fill(&random, a, a_count);
    fill(&random, b, b_count);
    fill(&random, wanted, c_count);
    float *bias = new_floats((size_t)p->n);
    fill(&random, bias, (size_t)p->n);
    const jbw_view left = view_of(a, p->m, p->k, p->a_is_transposed);
    const jbw_view right = view_of(b, p->k, p->n, p->b_is_transposed);

    memcpy(got, wanted, c_count * sizeof *got);
    path->gemm(p->m, p->n, p->k, left, right, addend_of(p, bias, got, c_row), got, c_row, scratch);
    float *again = new_floats(c_count);
    memcpy(again, wanted, c_count * sizeof *again);
    path->pack(p->k, p->n, right, packed);
    path->gemm_packed(p->m, p->n, p->k, left, packed, addend_of(p, bias, again, c_row), again,
                      c_row, scratch);
    multiply_plainly(p, left, right, bias, wanted, c_row);
    assert_memory_equal(got, wanted, c_count * sizeof *got);
    assert_memory_equal(again, wanted, c_count * sizeof *again);
    free(a), free(b), free(bias), free(wanted), free(got), free(again);
    free(scratch), free(packed);
}

static void check_products(const jbw_nn_path *path)
{
    uint64_t random = 1;
    // tiles have up to 14 rows and 32 columns, blocks 528 rows and a depth of 520
    static const int sizes[] = {1, 2, 3, 5, 6, 7, 13, 14, 15, 16, 17, 31, 32, 33, 40};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int round = 0; round < 150; round++) {
        const product p = {
            .m = sizes[random_below(&random, SIZES)],
            .n = sizes[random_below(&random, SIZES)],
            .k = sizes[random_below(&random, SIZES)],
            .a_is_transposed = random_chance(&random, 50),
            .b_is_transposed = random_chance(&random, 50),
            .adds = random_chance(&random, 50),
            .has_bias = random_chance(&random, 30),
        };
        check_product(path, &p, (uint64_t)round);
    }
    check_product(path, &(product){.m = 540, .n = 35, .k = 530, .adds = true}, 7);
    check_product(path, &(product){.m = 3, .n = 2060, .k = 9}, 8);
    // one panel: both sides are read where they are, in parts of the depth
    static const int columns[] = {4, 8, 16, 32};
    for (unsigned i = 0; i < 4; i++)
        for (int transposed = 0; transposed < 2; transposed++)
            check_product(
                path,
                &(product){.m = 45, .n = columns[i], .k = 1045, .a_is_transposed = transposed},
                20 + i);
    check_product(path, &(product){.m = 9, .n = 33, .k = 1045, .b_is_transposed = true}, 9);
    check_product(path, &(product){.m = 530, .n = 33, .k = 1041, .has_bias = true}, 10);
    // no depth at all: what is left is the addend
    check_product(path, &(product){.m = 15, .n = 33, .has_bias = true}, 11);
    check_product(path, &(product){.m = 15, .n = 33}, 12);
}

static void test_products(void **state)
{
    (void)state;
    for_each_path(check_products);
}

static void check_vectors(const jbw_nn_path *path)
{
    uint64_t random = 3;
    for (int round = 0; round < 60; round++) {
        const int k = random_between(&random, 1, 50);
        const int n = random_between(&random, 1, 300);
        float *x = new_floats((size_t)k);
        float *b = new_floats((size_t)k * (size_t)n);
        float *got = new_floats((size_t)n);
        fill(&random, x, (size_t)k);
        fill(&random, b, (size_t)k * (size_t)n);
        fill(&random, got, (size_t)n);
        for (int i = 0; i < k; i++)
            if (random_chance(&random, 30)) x[i] = 0.0f;
        float *wanted = new_floats((size_t)n);
        memcpy(wanted, got, (size_t)n * sizeof *wanted);
        path->gemv(k, n, x, b, n, got);
        multiply_plainly(&(product){.m = 1, .n = n, .k = k, .adds = true}, (jbw_view){x, k, 1},
                         (jbw_view){b, n, 1}, NULL, wanted, n);
        assert_memory_equal(got, wanted, (size_t)n * sizeof *got);
        free(x), free(b), free(got), free(wanted);
    }
}

static void test_vectors(void **state)
{
    (void)state;
    for_each_path(check_vectors);
}

// ---- functions ----

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static double gelu(double x)
{
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

// by a quotient of differences, whose error is far below that of floats
static double gelu_slope(double x)
{
    const double h = 1e-5;
    return (gelu(x + h) - gelu(x - h)) / (2.0 * h);
}

static void expect_close(double got, double wanted, double least)
{
    const double scale = fabs(wanted) > least ? fabs(wanted) : least;
    if (fabs(got - wanted) > 4e-7 * scale) fail_msg("found %.9g, expected %.9g", got, wanted);
}

static void check_functions(const jbw_nn_path *path)
{
    float x[MOST];
    float y[MOST];
    const float middle = MOST / 2.0f;
    for (int i = 0; i < MOST; i++) x[i] = ((float)i - middle) / 60.0f;
    path->exp(MOST, x, y);
    for (int i = 0; i < MOST; i++) expect_close((double)y[i], exp((double)x[i]), 0.0);
    path->tanh(MOST, x, y);
    for (int i = 0; i < MOST; i++) expect_close((double)y[i], tanh((double)x[i]), 0.0);
    path->sigmoid(MOST, x, y);
    for (int i = 0; i < MOST; i++) expect_close((double)y[i], sigmoid((double)x[i]), 0.0);
    float slopes[MOST];
    memcpy(slopes, x, sizeof slopes);
    path->gelu(MOST, slopes, y);
    for (int i = 0; i < MOST; i++) {
        expect_close((double)y[i], gelu((double)x[i]), 1.0);
        expect_close((double)slopes[i], gelu_slope((double)x[i]), 4.0);
    }
    path->gelu(MOST, x, x); // in place
    assert_memory_equal(x, y, sizeof x);
}

// one row after the other, from zero
static void check_sums_of_rows(const jbw_nn_path *path)
{
    enum { ROWS = 9, COLUMNS = 21, STRIDE = 23 };
    uint64_t random = 4;
    float x[ROWS * STRIDE];
    fill(&random, x, sizeof x / sizeof *x);
    for (int rows = 0; rows <= ROWS; rows++)
        for (int columns = 1; columns <= COLUMNS; columns++) {
            float sums[COLUMNS];
            fill(&random, sums, COLUMNS); // which counts for nothing
            path->sum_rows(rows, columns, x, STRIDE, sums);
            for (int j = 0; j < columns; j++) {
                float wanted = 0.0f;
                for (int i = 0; i < rows; i++) wanted += x[i * STRIDE + j];
                assert_true(sums[j] == wanted);
            }
        }
}

static void test_sums_of_rows(void **state)
{
    (void)state;
    for_each_path(check_sums_of_rows);
}

static void test_functions(void **state)
{
    (void)state;
    for_each_path(check_functions);
}

static void test_extremes(void **state)
{
    (void)state;
    const float x[] = {-1e30f, -100.0f, -0.0f, 0.0f, 1e-30f, 100.0f, 1e30f};
    enum { COUNT = sizeof x / sizeof *x };
    for (size_t i = 0; jbw_nn_path_at(i); i++) {
        const jbw_nn_path *path = jbw_nn_path_at(i);
        if (!path->is_supported()) continue;
        float y[COUNT];
        path->tanh(COUNT, x, y);
        assert_true(y[0] == -1.0f && y[1] == -1.0f && y[2] == 0.0f && y[4] == 1e-30f);
        assert_true(y[5] == 1.0f && y[6] == 1.0f);
        path->exp(COUNT, x, y);
        assert_true(y[0] > 0.0f && y[0] < 2e-38f && y[2] == 1.0f && y[6] > 1e38f);
        path->sigmoid(COUNT, x, y);
        assert_true(y[0] >= 0.0f && y[0] < 2e-38f && y[3] == 0.5f && y[6] == 1.0f);
    }
}

// ---- every path has the bits of the plain one ----

typedef struct arrays {
    float x[4 * LENGTHS], y[4 * LENGTHS], z[4 * LENGTHS], u[4 * LENGTHS], v[4 * LENGTHS];
} arrays;

// all that is left of everything that a path can do with arrays of some length
static void do_everything(const jbw_nn_path *path, size_t count, arrays *a)
{
    path->multiply(count, a->x, a->y, a->z);
    path->relu_back(count, a->x, a->z, a->y);
    path->relu(count, a->x, a->u);
    path->gelu(count, a->u, a->v);
    path->add_scaled(count, 0.3f, a->z, a->v);
    a->u[0] = (float)path->sum_of_squares(count, a->v);
    for (size_t i = 0; i < count; i++) a->z[i] *= a->z[i]; // squares are not negative
    for (int is_amsgrad = 0; is_amsgrad < 2; is_amsgrad++)
        path->adam(&(jbw_adam_step){.weights = a->x,
                                    .gradients = a->y,
                                    .mean = a->v,
                                    .square = a->z,
                                    .largest = is_amsgrad ? a->u : NULL,
                                    .count = count,
                                    .gradient_scale = 0.7f,
                                    .rate = 0.01f,
                                    .mean_decay = 0.9f,
                                    .mean_rest = 0.1f,
                                    .square_decay = 0.999f,
                                    .square_rest = 0.001f,
                                    .root_correction = 1.5f,
                                    .epsilon = 1e-8f});
}

static void test_paths_agree(void **state)
{
    (void)state;
    for (size_t count = 1; count <= LENGTHS; count++) {
        uint64_t random = count;
        static arrays first;
        static arrays plain;
        fill(&random, &first.x[0], sizeof first / sizeof(float));
        plain = first;
        do_everything(&jbw_nn_plain, count, &plain);
        for (size_t i = 1; jbw_nn_path_at(i); i++) {
            if (!jbw_nn_path_at(i)->is_supported()) continue;
            static arrays other;
            other = first;
            do_everything(jbw_nn_path_at(i), count, &other);
            assert_memory_equal(&other, &plain, sizeof other);
        }
    }
}

static void run_memory(const jbw_nn_path *path, int size, float out[9][64])
{
    uint64_t random = (uint64_t)size;
    float gates[4 * 64];
    float back[4 * 64];
    for (int i = 0; i < 9; i++) fill(&random, out[i], 64);
    fill(&random, gates, sizeof gates / sizeof *gates);
    path->lstm(size, &(jbw_lstm_row){gates, out[0], out[1], out[2], out[3]});
    path->lstm_back(size, &(jbw_lstm_row_back){gates, out[0], out[2], out[4], out[5], back});
    for (int i = 0; i < 4; i++) memcpy(out[5 + i], back + i * size, (size_t)size * sizeof(float));
}

// Without an output the cell, and the gradients of all other gates, are what they are when the output's
// gradient is zero.
static void check_cell_alone(const jbw_nn_path *path)
{
    enum { SIZE = 32 };
    uint64_t random = 5;
    const float zeros[SIZE] = {0};
    float x[4][SIZE];
    float gates[2][4 * SIZE];
    float back[2][4 * SIZE];
    float cell_gradient[2][SIZE];
    float cell[2][SIZE];
    for (int i = 0; i < 4; i++) fill(&random, x[i], SIZE);
    x[3][7] = -0.0f;
    fill(&random, gates[0], (size_t)4 * SIZE);
    memcpy(gates[1], gates[0], sizeof gates[1]);
    for (int i = 0; i < 2; i++) {
        float *hidden = i == 0 ? x[2] : NULL;
        memcpy(cell_gradient[i], x[3], sizeof cell_gradient[i]);
        path->lstm(SIZE, &(jbw_lstm_row){gates[i], x[0], cell[i], x[1], hidden});
        path->lstm_back(SIZE, &(jbw_lstm_row_back){gates[i], x[0], x[1], i == 0 ? zeros : NULL,
                                                   cell_gradient[i], back[i]});
    }
    assert_memory_equal(cell[0], cell[1], sizeof cell[0]);
    assert_memory_equal(gates[0], gates[1], 3 * SIZE * sizeof(float));
    assert_memory_equal(back[0], back[1], 3 * SIZE * sizeof(float));
    assert_memory_equal(cell_gradient[0], cell_gradient[1], sizeof cell_gradient[0]);
}

static void test_cells_without_output(void **state)
{
    (void)state;
    for_each_path(check_cell_alone);
}

// Numbers as small as those of gates that are shut would make later products too small to be normal.
static void check_shut_gates(const jbw_nn_path *path)
{
    enum { SIZE = 16, SHUT = 8 };
    const float least = 0x1p-72f;
    float gates[4 * SIZE];
    float x[4][SIZE]; // the cell before and after, its tanh, the output
    float back[4 * SIZE];
    float gradients[2][SIZE]; // of output and cell
    for (int i = 0; i < 4 * SIZE; i++) gates[i] = i % SIZE < SHUT ? -60.0f - (float)i : -1.0f;
    for (int i = 0; i < SIZE; i++) {
        x[0][i] = 0.5f;
        gradients[0][i] = gradients[1][i] = 1e-3f;
    }
    path->lstm(SIZE, &(jbw_lstm_row){gates, x[0], x[1], x[2], x[3]});
    path->lstm_back(SIZE,
                    &(jbw_lstm_row_back){gates, x[0], x[2], gradients[0], gradients[1], back});
    for (int i = 0; i < SIZE; i++) {
        const bool is_shut = i < SHUT;
        assert_true(x[1][i] != 0.0f); // what is added stays
        assert_true(is_shut == (x[3][i] == 0.0f) && is_shut == (gradients[1][i] == 0.0f));
        for (int gate = 0; gate < 4; gate++) {
            const float gradient = back[gate * SIZE + i];
            assert_true(is_shut ? gradient == 0.0f : fabsf(gradient) >= least);
        }
    }
    const float a[] = {0x1p-36f, -0x1p-36f, 0x1p-37f};
    const float b[] = {0x1p-36f, 0x1p-36f, -0x1p-36f};
    float products[3];
    path->multiply(3, a, b, products);
    assert_true(products[0] == least && products[1] == -least && products[2] == 0.0f);
}

static void test_shut_gates(void **state)
{
    (void)state;
    for_each_path(check_shut_gates);
}

// ---- steps of the optimizer ----

static float without_traces(float x)
{
    return fabsf(x) < 0x1.4484cp-100f ? 0.0f : x;
}

// one weight by itself
static void step_plainly(const jbw_adam_step *s, size_t i)
{
    const float gradient = s->gradients[i] * s->gradient_scale;
    const float by_gradient = s->mean_rest * gradient;
    const float gradient_square = gradient * gradient;
    const float by_square = gradient_square * s->square_rest;
    s->mean[i] = without_traces(fmaf(s->mean_decay, s->mean[i], by_gradient));
    s->square[i] = without_traces(fmaf(s->square_decay, s->square[i], by_square));
    if (s->largest && !(s->largest[i] > s->square[i])) s->largest[i] = s->square[i];
    const float root = sqrtf(s->largest ? s->largest[i] : s->square[i]);
    const float step = s->rate * s->mean[i];
    const float ratio = step / fmaf(root, s->root_correction, s->epsilon);
    s->weights[i] = s->weights[i] - ratio;
}

typedef struct adam_arrays {
    float weights[520], gradients[520], mean[520], square[520], largest[520];
} adam_arrays;

static jbw_adam_step step_of(adam_arrays *a, bool is_amsgrad)
{
    return (jbw_adam_step){
        a->weights, a->gradients, a->mean, a->square, is_amsgrad ? a->largest : NULL,
        519,        0.5f,         1e-3f,   0.9f,      0.1f,
        0.999f,     1e-3f,        3.0f,    1e-8f};
}

// Most vectors have no gradient; of these, some had one before, and some only long ago.
static void check_steps(const jbw_nn_path *path)
{
    uint64_t random = 11;
    static adam_arrays got;
    static adam_arrays wanted;
    for (int round = 0; round < 40; round++) {
        memset(&got, 0, sizeof got);
        fill(&random, got.weights, 519);
        for (int i = 0; i < 519; i++) {
            const int kind = (i / 16 + round) % 5;
            if (i % 7 == 0) got.weights[i] = -0.0f;
            if (kind == 0) got.gradients[i] = random_float(&random);
            if (kind <= 1) got.mean[i] = random_float(&random);
            if (kind <= 2) got.square[i] = fabsf(random_float(&random));
            if (kind <= 3) got.largest[i] = fabsf(random_float(&random));
        }
        wanted = got;
        const jbw_adam_step step = step_of(&got, round % 2 == 0);
        const jbw_adam_step plain = step_of(&wanted, round % 2 == 0);
        path->adam(&step);
        for (size_t i = 0; i < plain.count; i++) step_plainly(&plain, i);
        assert_memory_equal(&got, &wanted, sizeof got);
    }
    // zero over zero is no number, and is not passed over
    memset(&got, 0, sizeof got);
    jbw_adam_step step = step_of(&got, false);
    step.epsilon = 0.0f;
    path->adam(&step);
    assert_true(isnan(got.weights[0]));
}

static void test_steps(void **state)
{
    (void)state;
    for_each_path(check_steps);
}

static void test_memory_cells_agree(void **state)
{
    (void)state;
    for (int size = JBW_NN_LANES; size <= 64; size += JBW_NN_LANES) {
        float plain[9][64];
        run_memory(&jbw_nn_plain, size, plain);
        for (size_t i = 1; jbw_nn_path_at(i); i++) {
            if (!jbw_nn_path_at(i)->is_supported()) continue;
            float other[9][64];
            run_memory(jbw_nn_path_at(i), size, other);
            assert_memory_equal(other, plain, sizeof other);
        }
    }
}

// what we ask the processor, the compiler's library asks as well
static void test_processor(void **state)
{
    (void)state;
#if defined(JBW_NN_X86)
    assert_int_equal(jbw_cpu_has_avx2_and_fma(),
                     __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    assert_int_equal(jbw_cpu_has_avx512f(), __builtin_cpu_supports("avx512f") != 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processor),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_sums_of_rows),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_memory_cells_agree),
        cmocka_unit_test(test_cells_without_output),
        cmocka_unit_test(test_shut_gates),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("nn_path", tests, NULL, NULL);
}
