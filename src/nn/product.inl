// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The matrix products of a path. Part of path.inl.

// The sides of a tile: a[i * a_row + p * a_column] is element (i, p) of a, and row p of b begins at
// b[p * b_row].
typedef struct sides {
    const float *a;
    ptrdiff_t a_row, a_column;
    const float *b;
    ptrdiff_t b_row;
} sides;

// A tile of c, (rows x vectors). Rows and vectors are constants wherever it is called.
static inline __attribute__((always_inline)) void multiply(const int rows, const int vectors, int k,
                                                           const sides s, jbw_addend addend,
                                                           float *c, ptrdiff_t c_row)
{
    v_float sums[TILE_ROWS][TILE_VECTORS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) sums[i][j] =
        addend.at ? v_load(addend.at + i * addend.row + j * WIDTH) : v_set(0.0f);
    const float *a = s.a;
    const float *b = s.b;
    for (int p = 0; p < k; p++, a += s.a_column, b += s.b_row) {
        v_float right[TILE_VECTORS];
        UNROLL for (int j = 0; j < vectors; j++) right[j] = v_load(b + j * WIDTH);
        UNROLL for (int i = 0; i < rows; i++)
        {
            const v_float left = v_set(a[i * s.a_row]);
            UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = v_fma(left, right[j], sums[i][j]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        v_store(c + i * c_row + j * WIDTH, sums[i][j]);
}

typedef void tile_function(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row);

// Packed sides: a panel of a, (k x TILE_ROWS), and a panel of b, (k x TILE_COLUMNS).
static inline sides packed(const float *a, const float *b)
{
    return (sides){a, 1, TILE_ROWS, b, TILE_COLUMNS};
}

static inline bool is_packed(const sides *s)
{
    return s->a_row == 1 && s->a_column == TILE_ROWS && s->b_row == TILE_COLUMNS;
}

static void multiply_tile(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row)
{
    multiply(TILE_ROWS, TILE_VECTORS, k, packed(s->a, s->b), addend, c, c_row);
}

// tiles with fewer rows, or with one vector, for the border of c
enum { FEW_ROWS = 2, SOME_ROWS = TILE_ROWS < 8 ? TILE_ROWS : 8 };

static void multiply_narrow(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row)
{
    multiply(TILE_ROWS, 1, k, packed(s->a, s->b), addend, c, c_row);
}

static void multiply_low(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row)
{
    multiply(SOME_ROWS, TILE_VECTORS, k, packed(s->a, s->b), addend, c, c_row);
}

static void multiply_lowest(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row)
{
    multiply(FEW_ROWS, TILE_VECTORS, k, packed(s->a, s->b), addend, c, c_row);
}

// sides that are read where they are: one stride of a is 1, which spares the loops its arithmetic
static inline __attribute__((always_inline)) void
multiply_in_place(const int vectors, int k, sides s, jbw_addend addend, float *c, ptrdiff_t c_row)
{
    if (s.a_column == 1)
        multiply(TILE_ROWS, vectors, k, (sides){s.a, s.a_row, 1, s.b, s.b_row}, addend, c, c_row);
    else
        multiply(TILE_ROWS, vectors, k, (sides){s.a, 1, s.a_column, s.b, s.b_row}, addend, c,
                 c_row);
}

static void multiply_tile_in_place(int k, const sides *s, jbw_addend addend, float *c,
                                   ptrdiff_t c_row)
{
    multiply_in_place(TILE_VECTORS, k, *s, addend, c, c_row);
}

static void multiply_narrow_in_place(int k, const sides *s, jbw_addend addend, float *c,
                                     ptrdiff_t c_row)
{
    multiply_in_place(1, k, *s, addend, c, c_row);
}

// At the border of c, where only some rows and columns are there: the smallest tile that covers them, in
// place if it fits exactly. Sides that are not packed have all rows.
static void multiply_part(int k, const sides *s, jbw_addend addend, float *c, ptrdiff_t c_row,
                          int rows, int columns)
{
    const bool is_narrow = columns <= WIDTH;
    tile_function *const tile =
        !is_packed(s)       ? (is_narrow ? multiply_narrow_in_place : multiply_tile_in_place)
        : is_narrow         ? multiply_narrow
        : rows <= FEW_ROWS  ? multiply_lowest
        : rows <= SOME_ROWS ? multiply_low
                            : multiply_tile;
    const int covered_rows = is_narrow           ? TILE_ROWS
                             : rows <= FEW_ROWS  ? FEW_ROWS
                             : rows <= SOME_ROWS ? SOME_ROWS
                                                 : TILE_ROWS;
    if (rows == covered_rows && columns == (is_narrow ? WIDTH : TILE_COLUMNS)) {
        tile(k, s, addend, c, c_row);
        return;
    }
    float part[TILE_ROWS * TILE_COLUMNS] = {0};
    for (int i = 0; addend.at && i < rows; i++)
        for (int j = 0; j < columns; j++)
            part[i * TILE_COLUMNS + j] = addend.at[i * addend.row + j];
    tile(k, s, (jbw_addend){part, TILE_COLUMNS}, part, TILE_COLUMNS);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) c[i * c_row + j] = part[i * TILE_COLUMNS + j];
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Up to WIDTH rows, `stride` apart, of (columns), transposed into rows `to_stride` apart, filled up with
// zeros to WIDTH. These may be written over the beginning of the next row, which is then written itself.
static void copy_transposed(int rows, int columns, const float *from, ptrdiff_t stride, float *to,
                            ptrdiff_t to_stride)
{
    int j = 0;
    for (; j + WIDTH <= columns; j += WIDTH, to += WIDTH * to_stride) {
        v_float block[WIDTH];
        UNROLL for (int i = 0; i < WIDTH; i++) block[i] =
            i < rows ? v_load(from + i * stride + j) : v_set(0.0f);
        v_transpose(block);
        UNROLL for (int i = 0; i < WIDTH; i++) v_store(to + i * to_stride, block[i]);
    }
    for (; j < columns; j++, to += to_stride)
        for (int i = 0; i < rows; i++) to[i] = from[i * stride + j];
}

// (m x k) into panels of TILE_ROWS rows, the last one filled up with zeros
static void pack_left(int m, int k, jbw_view a, float *packed)
{
    for (int i = 0; i < m; i += TILE_ROWS, packed += (ptrdiff_t)k * TILE_ROWS) {
        const int rows = m - i < TILE_ROWS ? m - i : TILE_ROWS;
        const float *from = a.at + i * a.row;
        if (rows < TILE_ROWS) memset(packed, 0, (size_t)k * TILE_ROWS * sizeof(float));
        if (a.column == 1) {
            // the last ones first: their zeros reach into what follows
            for (int r = (rows - 1) / WIDTH * WIDTH; r >= 0; r -= WIDTH)
                copy_transposed(least(rows - r, WIDTH), k, from + r * a.row, a.row, packed + r,
                                TILE_ROWS);
        } else if (rows == TILE_ROWS && a.row == 1) {
            for (int p = 0; p < k; p++)
                memcpy(packed + p * TILE_ROWS, from + p * a.column, TILE_ROWS * sizeof(float));
        } else {
            for (int p = 0; p < k; p++)
                for (int r = 0; r < rows; r++)
                    packed[p * TILE_ROWS + r] = from[p * a.column + r * a.row];
        }
    }
}

// (k x n) into panels of TILE_COLUMNS columns, the last one filled up with zeros
static void pack_right(int k, int n, jbw_view b, float *packed)
{
    for (int j = 0; j < n; j += TILE_COLUMNS, packed += (ptrdiff_t)k * TILE_COLUMNS) {
        const int columns = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
        const float *from = b.at + j * b.column;
        if (columns < TILE_COLUMNS) memset(packed, 0, (size_t)k * TILE_COLUMNS * sizeof(float));
        if (b.row == 1) {
            for (int v = 0; v < columns; v += WIDTH)
                copy_transposed(least(columns - v, WIDTH), k, from + v * b.column, b.column,
                                packed + v, TILE_COLUMNS);
            continue;
        }
        if (columns == TILE_COLUMNS && b.column == 1) {
            for (int p = 0; p < k; p++)
                UNROLL for (int v = 0; v < TILE_VECTORS; v++) v_store(
                    packed + p * TILE_COLUMNS + v * WIDTH, v_load(from + p * b.row + v * WIDTH));
            continue;
        }
        for (int p = 0; p < k; p++)
            for (int c = 0; c < columns; c++)
                packed[p * TILE_COLUMNS + c] = from[p * b.row + c * b.column];
    }
}

static jbw_addend addend_from(jbw_addend addend, int row, int column)
{
    return (jbw_addend){addend.at ? addend.at + row * addend.row + column : NULL, addend.row};
}

// some columns of c, at most TILE_COLUMNS; both sides are packed
static void multiply_panel(int m, int columns, int k, const float *a, const float *b,
                           jbw_addend addend, float *c, ptrdiff_t c_row)
{
    sides s = packed(a, b);
    for (int i = 0; i < m;
         i += TILE_ROWS, c += TILE_ROWS * c_row, s.a += (ptrdiff_t)TILE_ROWS * k) {
        const int rows = least(m - i, TILE_ROWS);
        const jbw_addend from = addend_from(addend, i, 0);
        if (rows == TILE_ROWS && columns == TILE_COLUMNS)
            multiply_tile(k, &s, from, c, c_row);
        else
            multiply_part(k, &s, from, c, c_row, rows, columns);
    }
}

// the size of parts: as few as possible, all but the last equal and a multiple of `unit`
static int part_of(int whole, int most, int unit)
{
    if (whole <= most) return whole > 0 ? whole : 1;
    const int count = (whole + most - 1) / most;
    const int even = (whole + count - 1) / count;
    return (even + unit - 1) / unit * unit;
}

// where `gemm` keeps a panel of b, behind a block of a
static float *panel_in(float *scratch)
{
    return scratch + (ptrdiff_t)(JBW_GEMM_ROWS + JBW_GEMM_MOST_TILE_ROWS) * JBW_GEMM_DEPTH;
}

// A single panel of b, as for convolutions and heads: each number of a is needed once, so that rearranging
// it would cost about as much as the product. Both sides are read where they are, as far as possible.
static void gemm_narrow(int m, int n, int k, jbw_view a, jbw_view b, jbw_addend addend, float *c,
                        ptrdiff_t c_row, float *scratch)
{
    float *panel = panel_in(scratch);
    const int whole = m / TILE_ROWS * TILE_ROWS;
    const int most_depth = part_of(k, JBW_GEMM_DEPTH, 1);
    const bool b_is_panel = b.column == 1 && (n == TILE_COLUMNS || n == WIDTH);
    int p = 0;
    do {
        const int depth = least(k - p, most_depth);
        const float *b_at = b.at + p * b.row;
        if (!b_is_panel || whole < m) pack_right(depth, n, jbw_view_from(b, p, 0), panel);
        for (int i = 0; i < whole; i += TILE_ROWS) {
            const sides s = {a.at + i * a.row + p * a.column, a.row, a.column,
                             b_is_panel ? b_at : panel, b_is_panel ? b.row : TILE_COLUMNS};
            multiply_part(depth, &s, addend_from(addend, i, 0), c + i * c_row, c_row, TILE_ROWS, n);
        }
        if (whole < m) {
            pack_left(m - whole, depth, jbw_view_from(a, whole, p), scratch);
            const sides s = packed(scratch, panel);
            multiply_part(depth, &s, addend_from(addend, whole, 0), c + whole * c_row, c_row,
                          m - whole, n);
        }
        addend = (jbw_addend){c, c_row};
        p += depth;
    } while (p < k);
}

// Parts of a and b are rearranged so that tiles read them in the order of memory: of a, a block that stays
// in the second cache; of b, only the columns of the next tiles, which stay in the first while all rows of
// the block go over them. They are rearranged again for the next block, which costs less than it would to
// wait until a rearranged b comes back from the third cache.
static void gemm(int m, int n, int k, jbw_view a, jbw_view b, jbw_addend addend, float *c,
                 ptrdiff_t c_row, float *scratch)
{
    if (n <= TILE_COLUMNS && (a.row == 1 || a.column == 1)) {
        gemm_narrow(m, n, k, a, b, addend, c, c_row, scratch);
        return;
    }
    float *left = scratch;
    float *right = panel_in(scratch);
    const int most_rows = part_of(m, JBW_GEMM_ROWS, TILE_ROWS);
    const int most_depth = part_of(k, JBW_GEMM_DEPTH, 1);
    for (int i = 0; i < m; i += most_rows, c += most_rows * c_row) {
        const int rows = least(m - i, most_rows);
        jbw_addend from = addend_from(addend, i, 0);
        int p = 0;
        do { // without any depth, too, c becomes the addend
            const int depth = least(k - p, most_depth);
            pack_left(rows, depth, jbw_view_from(a, i, p), left);
            for (int j = 0; j < n; j += TILE_COLUMNS) {
                const int columns = least(n - j, TILE_COLUMNS);
                pack_right(depth, columns, jbw_view_from(b, p, j), right);
                multiply_panel(rows, columns, depth, left, right, addend_from(from, 0, j), c + j,
                               c_row);
            }
            from = (jbw_addend){c, c_row};
            p += depth;
        } while (p < k);
    }
}

static void gemm_packed(int m, int n, int k, jbw_view a, const float *packed, jbw_addend addend,
                        float *c, ptrdiff_t c_row, float *scratch)
{
    const int most_rows = part_of(m, JBW_GEMM_ROWS, TILE_ROWS);
    const int most_depth = part_of(k, JBW_GEMM_DEPTH, 1);
    for (int i = 0; i < m; i += most_rows, c += most_rows * c_row) {
        const int rows = least(m - i, most_rows);
        jbw_addend from = addend_from(addend, i, 0);
        int p = 0;
        do {
            const int depth = least(k - p, most_depth);
            pack_left(rows, depth, jbw_view_from(a, i, p), scratch);
            for (int j = 0; j < n; j += TILE_COLUMNS)
                multiply_panel(rows, least(n - j, TILE_COLUMNS), depth, scratch,
                               packed + (ptrdiff_t)j * k + (ptrdiff_t)p * TILE_COLUMNS,
                               addend_from(from, 0, j), c + j, c_row);
            from = (jbw_addend){c, c_row};
            p += depth;
        } while (p < k);
    }
}
