// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent_line.h"

#include <string.h>

#include "base/bytes.h"
#include "base/lowest_bit.h"
#include "sim/simd.h"

#if defined(JBW_SIMD) && JBW_SIMD && defined(__SSE2__)
#include <emmintrin.h>
#define HAS_SSE2 1
#else
#define HAS_SSE2 0
#endif

enum {
    LINE = JBW_SCENT_TILE,
    CHUNK = 64, // cells that are looked at together
    ROOM = 256, // for sources that are added together
};

/// What a line of cells smells: the part that is not added yet.
typedef struct sources {
    const int32_t *parts[ROOM]; // of the kernels of items: what lies on the line, first dimension
    int count;
} sources;

// ---- adding ----

// the kernels have zeros on both sides, so that each of them has something for all cells
JBW_SIMD_CLONES
static void add_parts(const int32_t *const *parts, int count, ptrdiff_t plane, int dimensions,
                      int32_t *sums)
{
    for (int d = 0; d < dimensions; d++, sums += LINE) {
        const ptrdiff_t offset = d * plane;
#if JBW_HAS_I32X8
        _Static_assert(LINE == 8, "a line is a vector");
        jbw_i32x8 sum = *(const jbw_i32x8 *)sums;
        for (int i = 0; i < count; i++) sum += *(const jbw_i32x8 *)(parts[i] + offset);
        *(jbw_i32x8 *)sums = sum;
#else
        for (int i = 0; i < count; i++)
            for (int x = 0; x < LINE; x++) sums[x] += parts[i][offset + x];
#endif
    }
}

static void add_sources(const jbw_scent_line *line, sources *s)
{
    const jbw_scent_model *scent = &line->map->model->scent;
    const ptrdiff_t plane = (ptrdiff_t)(2 * scent->response.reach + 1) * scent->kernel_stride;
    add_parts(s->parts, s->count, plane, line->map->model->scent_dimensions, line->sums);
    s->count = 0;
}

// ---- finding ----

// which of up to 64 cells hold an item: a bit for each; cells behind them may be read
static inline uint64_t find_items(const uint8_t *cells, int count)
{
    uint64_t found = 0;
#if HAS_SSE2
    _Static_assert(JBW_CELLS_PADDING >= 16, "a vector may begin at the last cell");
    for (int i = 0; i < count; i += 16) {
        const __m128i vector = _mm_loadu_si128((const __m128i *)(cells + i));
        const int empty = _mm_movemask_epi8(_mm_cmpeq_epi8(vector, _mm_setzero_si128()));
        found |= (uint64_t)(~(unsigned)empty & 0xffff) << i;
    }
#else
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    for (int i = 0; i < count; i += 8) {
        // the highest bit of each byte that is not zero; then these bits side by side
        const uint64_t word = jbw_get_u64(cells + i);
        const uint64_t high = (((word & low_bits) + low_bits) | word) & ~low_bits;
        found |= (high >> 7) * UINT64_C(0x0102040810204080) >> 56 << i;
    }
#endif
    return count < CHUNK ? found & ((UINT64_C(1) << count) - 1) : found;
}

// Adds the items among some cells to the sources. `origin` is where the part of the first cell's
// kernel begins; each further cell has it `step` farther to the front.
static void find_parts(const uint8_t *cells, int count, const int32_t *const *kernels,
                       ptrdiff_t origin, ptrdiff_t step, sources *s)
{
    int part_count = s->count;
    for (uint64_t found = find_items(cells, count); found != 0; found &= found - 1) {
        const int i = jbw_lowest_bit(found);
        const int32_t *kernel = kernels[cells[i] - 1];
        if (kernel) s->parts[part_count++] = kernel + (origin - i * step);
    }
    s->count = part_count;
}

static int at_least(int value, int least)
{
    return value > least ? value : least;
}

static int at_most(int value, int most)
{
    return value < most ? value : most;
}

static void add_patch(const jbw_scent_line *line, const jbw_patch *patch, sources *s)
{
    const jbw_model *model = line->map->model;
    const int size = model->patch_size;
    const int reach = model->scent.response.reach;
    const int stride = model->scent.kernel_stride;
    // the corner of the patch, seen from the first cell; and the part of the patch within reach
    const int left = (int)(patch->at.x * size - line->first.x);
    const int bottom = (int)(patch->at.y * size - line->first.y);
    const int begin_x = at_least(-reach - left, 0);
    const int begin_y = at_least(-reach - bottom, 0);
    const int end_x = at_most(reach + (line->is_column ? 1 : LINE) - left, size);
    const int end_y = at_most(reach + (line->is_column ? LINE : 1) - bottom, size);
    // In a kernel, rows and columns are the same.
    const ptrdiff_t step = line->is_column ? stride : 1;
    const ptrdiff_t row_step = line->is_column ? 1 : stride;
    const ptrdiff_t middle = (ptrdiff_t)reach * stride + LINE + reach;
    for (int y = begin_y; y < end_y; y++) {
        const uint8_t *cells = patch->cells + (ptrdiff_t)y * size;
        for (int x = begin_x; x < end_x; x += CHUNK) {
            const int count = at_most(end_x - x, CHUNK);
            if (s->count + count > ROOM) add_sources(line, s);
            find_parts(cells + x, count, line->kernels,
                       middle - (bottom + y) * row_step - (left + x) * step, step, s);
        }
    }
}

void jbw_scent_line_sum(const jbw_scent_line *line)
{
    const jbw_map *map = line->map;
    const int reach = map->model->scent.response.reach;
    const int64_t far = reach + LINE - 1;
    const jbw_position low = {line->first.x - reach, line->first.y - reach};
    const jbw_position high = {line->first.x + (line->is_column ? reach : far),
                               line->first.y + (line->is_column ? far : reach)};
    const jbw_position begin = jbw_map_patch_of(map, low);
    const jbw_position end = jbw_map_patch_of(map, high);
    sources s;
    s.count = 0;
    memset(line->sums, 0, (size_t)map->model->scent_dimensions * LINE * sizeof *line->sums);
    for (int64_t y = begin.y; y <= end.y; y++) {
        for (int64_t x = begin.x; x <= end.x; x++) {
            const jbw_patch *patch = jbw_map_find(map, (jbw_position){x, y});
            if (patch) add_patch(line, patch, &s);
        }
    }
    add_sources(line, &s);
}
