// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// How long a task takes is guessed from its size. The guesses are those of a core with vectors of 8 floats; they
// decide only whether it is shared.

#include "nn/loops.h"

enum {
    PANEL = JBW_GEMM_MOST_TILE_COLUMNS, // packed columns begin at multiples of it, on all paths
    LINE = 16,                          // floats; threads write different lines of the cache
};

void jbw_nn_share(const jbw_nn *nn, size_t total, size_t unit, double nanoseconds,
                  jbw_piece_function *function, const void *task)
{
    if (nn->crew && nanoseconds >= nn->least_shared)
        jbw_crew_run(nn->crew, total, unit, function, task);
    else
        function(task, 0, total, 0);
}

// ---- products ----

typedef struct product {
    const jbw_nn *nn;
    int m, n, k;
    jbw_view a, b;
    const float *packed; // instead of b
    jbw_addend addend;
    float *c;
    ptrdiff_t c_row;
} product;

static double product_time(const product *p)
{
    return (double)p->m * p->n * p->k / 32.0;
}

static jbw_addend addend_from(jbw_addend addend, ptrdiff_t row, ptrdiff_t column)
{
    return (jbw_addend){addend.at ? addend.at + row * addend.row + column : NULL, addend.row};
}

// a product, or the part of one, with the scratch of a piece
static void multiply(const product *p, size_t piece)
{
    const jbw_nn_path *path = p->nn->path;
    float *scratch = p->nn->product_scratch + piece * jbw_gemm_scratch();
    if (p->packed)
        path->gemm_packed(p->m, p->n, p->k, p->a, p->packed, p->addend, p->c, p->c_row, scratch);
    else
        path->gemm(p->m, p->n, p->k, p->a, p->b, p->addend, p->c, p->c_row, scratch);
}

static void multiply_rows(const void *task, size_t first, size_t count, size_t piece)
{
    product part = *(const product *)task;
    const ptrdiff_t row = (ptrdiff_t)first;
    part.m = (int)count;
    part.a.at += row * part.a.row;
    part.addend = addend_from(part.addend, row, 0);
    part.c += row * part.c_row;
    multiply(&part, piece);
}

static void multiply_columns(const void *task, size_t first, size_t count, size_t piece)
{
    product part = *(const product *)task;
    const ptrdiff_t column = (ptrdiff_t)first;
    part.n = (int)count;
    if (part.packed)
        part.packed += column * part.k;
    else
        part.b.at += column * part.b.column;
    part.addend = addend_from(part.addend, 0, column);
    part.c += column;
    multiply(&part, piece);
}

// By columns if there are many: each thread then rearranges all of a, which is less work than all of b would
// be. By rows if there are few, as for convolutions and heads.
static void share_product(const product *p)
{
    enum { MANY_PANELS = 8 };
    if (p->n >= MANY_PANELS * PANEL)
        jbw_nn_share(p->nn, (size_t)p->n, PANEL, product_time(p), multiply_columns, p);
    else
        jbw_nn_share(p->nn, (size_t)p->m, (size_t)p->nn->path->tile_rows, product_time(p),
                     multiply_rows, p);
}

void jbw_nn_gemm(const jbw_nn *nn, int m, int n, int k, jbw_view a, jbw_view b, jbw_addend addend,
                 float *c, ptrdiff_t c_row)
{
    share_product(&(product){nn, m, n, k, a, b, NULL, addend, c, c_row});
}

static void pack_columns(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const product *p = task;
    p->nn->path->pack(p->k, (int)count, jbw_view_from(p->b, 0, (int)first),
                      p->c + first * (size_t)p->k);
}

void jbw_nn_pack(const jbw_nn *nn, int k, int n, jbw_view b, float *packed)
{
    const product p = {.nn = nn, .n = n, .k = k, .b = b, .c = packed};
    jbw_nn_share(nn, (size_t)n, PANEL, (double)k * n / 2.0, pack_columns, &p);
}

void jbw_nn_gemm_packed(const jbw_nn *nn, int m, int n, int k, jbw_view a, const float *packed,
                        jbw_addend addend, float *c, ptrdiff_t c_row)
{
    share_product(&(product){nn, m, n, k, a, {0}, packed, addend, c, c_row});
}

static void add_columns(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const product *p = task;
    p->nn->path->gemv(p->k, (int)count, p->a.at, p->b.at + first, p->b.row, p->c + first);
}

void jbw_nn_gemv(const jbw_nn *nn, int k, int n, const float *x, const float *b, float *y)
{
    const product p = {.nn = nn, .n = n, .k = k, .a = {x, 0, 1}, .b = {b, n, 1}, .c = y};
    jbw_nn_share(nn, (size_t)n, LINE, (double)k * n / 12.0, add_columns, &p);
}

// ---- sums and steps ----

typedef struct row_sum {
    const jbw_nn *nn;
    int rows;
    jbw_rows x;
    float *sums;
} row_sum;

static void sum_columns(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const row_sum *s = task;
    s->nn->path->sum_rows(s->rows, (int)count, s->x.at + first, s->x.stride, s->sums + first);
}

void jbw_nn_sum_rows(const jbw_nn *nn, int rows, int count, jbw_rows x, float *sums)
{
    const row_sum s = {nn, rows, x, sums};
    jbw_nn_share(nn, (size_t)count, LINE, (double)rows * count / 8.0, sum_columns, &s);
}

typedef struct shared_step {
    const jbw_nn *nn;
    const jbw_adam_step *step;
} shared_step;

static void step_some(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const shared_step *s = task;
    jbw_adam_step part = *s->step;
    part.weights += first;
    part.gradients += first;
    part.mean += first;
    part.square += first;
    if (part.largest) part.largest += first;
    part.count = count;
    s->nn->path->adam(&part);
}

void jbw_nn_adam(const jbw_nn *nn, const jbw_adam_step *step)
{
    const shared_step s = {nn, step};
    jbw_nn_share(nn, step->count, LINE, (double)step->count, step_some, &s);
}
