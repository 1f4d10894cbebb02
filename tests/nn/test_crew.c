// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Layers on several threads: each piece is done once, and every loop gives the bits of one thread.

#include "support/checks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "nn/activation.h"
#include "nn/loops.h"
#include "support/allocations.h"
#include "support/random.h"
#include "thread/thread.h"

static const int thread_counts[] = {1, 2, 3, 5};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts };

static const jbw_allocator allocator = {0};

static jbw_nn open_nn(int threads)
{
    jbw_nn nn;
    jbw_error error = {0};
    assert_true(jbw_nn_init(&nn, jbw_nn_best_path(), 0, &allocator));
    if (jbw_nn_set_threads(&nn, threads, &allocator, &error)) fail_msg("%s", error.text);
    nn.least_shared = 0.0; // everything is shared, however short
    return nn;
}

// ---- pieces ----

typedef struct visits {
    atomic_int counts[200];
    atomic_int pieces[8];
    atomic_int misplaced; // pieces that do not begin at a multiple of the unit
    size_t unit;
} visits;

static void visit(const void *task, size_t first, size_t count, size_t piece)
{
    visits *v = (visits *)(uintptr_t)task;
    if (first % v->unit != 0) atomic_fetch_add(&v->misplaced, 1); // no assertion in other threads
    atomic_fetch_add(&v->pieces[piece], 1);
    for (size_t i = first; i < first + count; i++) atomic_fetch_add(&v->counts[i], 1);
}

static void test_pieces(void **state)
{
    (void)state;
    for (int size = 2; size < 6; size++) {
        jbw_crew *crew;
        assert_int_equal(jbw_crew_create(&allocator, size, &crew), JBW_OK);
        for (size_t total = 0; total < 200; total += 7)
            for (size_t unit = 1; unit < 70; unit = unit * 3 + 1) {
                visits v = {.unit = unit};
                jbw_crew_run(crew, total, unit, visit, &v);
                assert_int_equal(v.misplaced, 0);
                for (size_t i = 0; i < 200; i++) assert_int_equal(v.counts[i], i < total);
                for (int i = 0; i < 8; i++) assert_in_range(v.pieces[i], 0, i < size);
                if (total >= (size_t)size * unit)
                    for (int i = 0; i < size; i++) assert_int_equal(v.pieces[i], 1);
            }
        jbw_crew_destroy(crew);
    }
    jbw_crew_destroy(NULL);
}

// ---- loops ----

static float *random_floats(uint64_t *random, size_t count)
{
    float *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = random_chance(random, 10) ? 0.0f : (float)random_real(random, -1.0, 1.0);
    return x;
}

static float *copy_of(const float *x, size_t count)
{
    float *copy = malloc((count + 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, x, count * sizeof *copy);
    return copy;
}

// all products of these sizes, on one thread of a path and on those of a crew
static void compare_products(const jbw_nn *nn, int m, int n, int k, uint64_t seed)
{
    uint64_t random = seed;
    const size_t c_count = (size_t)m * (size_t)(n + 5);
    float *a = random_floats(&random, (size_t)m * (size_t)k);
    float *b = random_floats(&random, (size_t)k * (size_t)n);
    float *c = random_floats(&random, c_count);
    float *bias = random_floats(&random, (size_t)n);
    float *scratch = malloc(jbw_gemm_scratch() * sizeof *scratch);
    float *packed = calloc(jbw_packed_size(k, n), sizeof *packed);
    float *packed_too = calloc(jbw_packed_size(k, n), sizeof *packed_too);
    assert_true(scratch && packed && packed_too);
    for (int way = 0; way < 8; way++) {
        const jbw_view left = way & 1 ? (jbw_view){a, 1, m} : (jbw_view){a, k, 1};
        const jbw_view right = way & 2 ? (jbw_view){b, 1, k} : (jbw_view){b, n, 1};
        float *wanted = copy_of(c, c_count);
        float *got = copy_of(c, c_count);
        float *by_packed = copy_of(c, c_count);
        const ptrdiff_t row = n + 5;
        const bool adds = way & 4;
        const jbw_addend nothing_but_bias = {bias, 0};
        nn->path->gemm(m, n, k, left, right, adds ? (jbw_addend){wanted, row} : nothing_but_bias,
                       wanted, row, scratch);
        jbw_nn_gemm(nn, m, n, k, left, right, adds ? (jbw_addend){got, row} : nothing_but_bias, got,
                    row);
        assert_memory_equal(got, wanted, c_count * sizeof *got);
        nn->path->pack(k, n, right, packed);
        jbw_nn_pack(nn, k, n, right, packed_too);
        assert_memory_equal(packed_too, packed, jbw_packed_size(k, n) * sizeof *packed);
        jbw_nn_gemm_packed(nn, m, n, k, left, packed_too,
                           adds ? (jbw_addend){by_packed, row} : nothing_but_bias, by_packed, row);
        assert_memory_equal(by_packed, wanted, c_count * sizeof *got);
        free(wanted), free(got), free(by_packed);
    }
    float *y = copy_of(bias, (size_t)n);
    float *y_too = copy_of(bias, (size_t)n);
    nn->path->gemv(k, n, a, b, n, y);
    jbw_nn_gemv(nn, k, n, a, b, y_too);
    assert_memory_equal(y_too, y, (size_t)n * sizeof *y);
    nn->path->sum_rows(k, n, b, n, y);
    jbw_nn_sum_rows(nn, k, n, (jbw_rows){b, n}, y_too);
    assert_memory_equal(y_too, y, (size_t)n * sizeof *y);
    free(a), free(b), free(c), free(bias), free(scratch), free(packed), free(packed_too);
    free(y), free(y_too);
}

static void test_products(void **state)
{
    (void)state;
    for (int t = 0; t < COUNTS; t++) {
        jbw_nn nn = open_nn(thread_counts[t]);
        compare_products(&nn, 1, 1, 1, 1);
        compare_products(&nn, 5, 3, 7, 2);
        compare_products(&nn, 37, 4, 150, 3);
        compare_products(&nn, 27, 16, 530, 4);
        compare_products(&nn, 100, 33, 19, 5);
        compare_products(&nn, 7, 300, 50, 6);
        compare_products(&nn, 40, 257, 65, 7);
        compare_products(&nn, 9, 1025, 31, 8);
        compare_products(&nn, 560, 270, 33, 9);
        jbw_nn_deinit(&nn, &allocator);
    }
}

static void compare_steps(const jbw_nn *nn, size_t count, bool is_amsgrad)
{
    uint64_t random = count;
    float *arrays[2][5];
    for (int i = 0; i < 5; i++) {
        arrays[0][i] = random_floats(&random, count);
        // a stretch that never had a gradient, and no negative squares
        for (size_t j = 0; j < count; j++)
            if (i > 2 && arrays[0][i][j] < 0.0f) arrays[0][i][j] = -arrays[0][i][j];
        for (size_t j = count / 4; j < count / 2; j++)
            if (i > 0) arrays[0][i][j] = 0.0f;
        arrays[1][i] = copy_of(arrays[0][i], count);
    }
    for (int k = 0; k < 2; k++) {
        const jbw_adam_step step = {.weights = arrays[k][0],
                                    .gradients = arrays[k][1],
                                    .mean = arrays[k][2],
                                    .square = arrays[k][3],
                                    .largest = is_amsgrad ? arrays[k][4] : NULL,
                                    .count = count,
                                    .gradient_scale = 0.7f,
                                    .rate = 0.01f,
                                    .mean_decay = 0.9f,
                                    .mean_rest = 0.1f,
                                    .square_decay = 0.999f,
                                    .square_rest = 0.001f,
                                    .root_correction = 1.5f,
                                    .epsilon = 1e-8f};
        if (k == 0)
            nn->path->adam(&step);
        else
            jbw_nn_adam(nn, &step);
    }
    for (int i = 0; i < 5; i++) {
        assert_memory_equal(arrays[1][i], arrays[0][i], count * sizeof(float));
        free(arrays[0][i]), free(arrays[1][i]);
    }
}

static void test_steps(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 15, 16, 17, 31, 100, 1000, 5003};
    for (int t = 0; t < COUNTS; t++) {
        jbw_nn nn = open_nn(thread_counts[t]);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            compare_steps(&nn, counts[i], false);
            compare_steps(&nn, counts[i], true);
        }
        jbw_nn_deinit(&nn, &allocator);
    }
}

// rows that follow each other, and rows that lie apart
static void compare_activations(const jbw_nn *nn, jbw_activation kind, int rows, int count,
                                int apart)
{
    uint64_t random = 5;
    const size_t whole = (size_t)rows * (size_t)(count + apart);
    const jbw_nn_path *path = nn->path;
    float *x = random_floats(&random, whole);
    float *y = random_floats(&random, whole);
    float *x_too = copy_of(x, whole);
    float *y_too = copy_of(y, whole);
    const jbw_rows by_x = {x_too, count + apart};
    const jbw_rows by_y = {y_too, count + apart};
    const bool is_relu = kind == JBW_ACTIVATION_RELU;
    for (int i = 0; i < rows; i++) {
        float *from = x + (ptrdiff_t)i * (count + apart);
        float *to = y + (ptrdiff_t)i * (count + apart);
        if (is_relu)
            path->relu((size_t)count, from, to);
        else
            path->gelu((size_t)count, from, to);
    }
    jbw_activation_forward(nn, kind, rows, count, by_x, by_y);
    assert_memory_equal(x_too, x, whole * sizeof *x);
    assert_memory_equal(y_too, y, whole * sizeof *y);
    for (int i = 0; i < rows; i++) {
        float *from = x + (ptrdiff_t)i * (count + apart);
        float *to = y + (ptrdiff_t)i * (count + apart);
        if (is_relu)
            path->relu_back((size_t)count, from, to, to);
        else
            path->multiply((size_t)count, from, to, to);
    }
    jbw_activation_backward(nn, kind, rows, count, by_x, by_y);
    assert_memory_equal(y_too, y, whole * sizeof *y);
    free(x), free(y), free(x_too), free(y_too);
}

static void test_activations(void **state)
{
    (void)state;
    for (int t = 0; t < COUNTS; t++) {
        jbw_nn nn = open_nn(thread_counts[t]);
        for (int apart = 0; apart < 8; apart += 7) {
            compare_activations(&nn, JBW_ACTIVATION_RELU, 1, 1, apart);
            compare_activations(&nn, JBW_ACTIVATION_GELU, 1, 1, apart);
            compare_activations(&nn, JBW_ACTIVATION_RELU, 11, 37, apart);
            compare_activations(&nn, JBW_ACTIVATION_GELU, 11, 37, apart);
            compare_activations(&nn, JBW_ACTIVATION_GELU, 4, 160, apart);
        }
        jbw_nn_deinit(&nn, &allocator);
    }
}

// ---- changing the number of threads ----

// every allocation fails in turn: nothing leaks, and it computes as before
static void test_no_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator limited = counting_allocator_make(&counting);
    jbw_nn nn;
    jbw_error error = {0};
    assert_true(jbw_nn_init(&nn, jbw_nn_best_path(), 64, &limited));
    assert_int_equal(jbw_nn_set_threads(&nn, 2, &limited, &error), JBW_OK);
    nn.least_shared = 0.0;
    const size_t blocks = counting.block_count;
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t i = 1; status; i++) {
        fail_allocations(&counting, i, 1);
        status = jbw_nn_set_threads(&nn, 3, &limited, &error);
        allow_allocations(&counting);
        assert_int_equal(nn.thread_count, status ? 2 : 3);
        assert_int_equal(counting.block_count, blocks);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_string_equal(error.text, "threads: 3 cannot be started: the system refuses, or "
                                        "memory runs out");
        compare_products(&nn, 9, 270, 12, i);
    }
    compare_products(&nn, 9, 270, 12, 1);
    assert_int_equal(jbw_nn_set_threads(&nn, 1, &limited, &error), JBW_OK);
    assert_null(nn.crew);
    compare_products(&nn, 9, 270, 12, 1);
    jbw_nn_deinit(&nn, &limited);
    assert_int_equal(counting.block_count, 0);
}

#ifdef JBW_WRAPS_THREAD_START
// The linker lets calls of jbw_thread_start come here: see its option --wrap. It chooses their names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
bool __real_jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user);
bool __wrap_jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user);

static int allowed_starts = 1000;

bool __wrap_jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user)
{
    return allowed_starts-- > 0 && __real_jbw_thread_start(out, run, user);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// the system refuses the first thread, the second, ...: those before it end, and all is as it was
static void test_refused_threads(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator counted = counting_allocator_make(&counting);
    jbw_nn nn;
    assert_true(jbw_nn_init(&nn, jbw_nn_best_path(), 64, &counted));
    const size_t blocks = counting.block_count;
    for (int allowed = 0; allowed < 3; allowed++) {
        jbw_error error = {0};
        allowed_starts = allowed;
        assert_int_equal(jbw_nn_set_threads(&nn, 4, &counted, &error), JBW_OUT_OF_MEMORY);
        assert_string_equal(error.text, "threads: 4 cannot be started: the system refuses, or "
                                        "memory runs out");
        assert_int_equal(nn.thread_count, 1);
        assert_int_equal(counting.block_count, blocks);
        compare_products(&nn, 9, 270, 12, 1);
    }
    allowed_starts = 1000;
    assert_int_equal(jbw_nn_set_threads(&nn, 4, &counted, NULL), JBW_OK);
    jbw_nn_deinit(&nn, &counted);
    assert_int_equal(counting.block_count, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),          cmocka_unit_test(test_products),
        cmocka_unit_test(test_steps),           cmocka_unit_test(test_activations),
        cmocka_unit_test(test_no_memory),
#ifdef JBW_WRAPS_THREAD_START
        cmocka_unit_test(test_refused_threads),
#endif
    };
    return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
