// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How gauges (gauge.h) compare energies, many at a time. To be called by functions that are compiled
/// for wide vectors (simd.h).
#ifndef JBW_SIM_GENERATE_INVARIANT_GAUGE_CELLS_H
#define JBW_SIM_GENERATE_INVARIANT_GAUGE_CELLS_H

#include <string.h>

#include "sim/generate/invariant/gauge.h"
#include "sim/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { JBW_CHUNK = 16, JBW_CHUNK_BITS = 0xffff };

#if JBW_HAS_I32X8

/// The energies of JBW_CHUNK cells, or one flag for each, all zeros or all ones.
typedef struct jbw_wide_chunk {
    jbw_i32x8 low, high;
} jbw_wide_chunk;

typedef struct jbw_narrow_chunk {
    jbw_i16x16 all;
} jbw_narrow_chunk;

// These take pointers because passing wide vectors by value depends on the target's instruction set.
JBW_INLINE void jbw_load_wide(const jbw_gauge *g, ptrdiff_t at, jbw_wide_chunk *out)
{
    const int32_t *own = (const int32_t *)g->own + at;
    const int32_t *shared = (const int32_t *)g->shared + at;
    jbw_u32x8 low = *(const jbw_u32x8 *)own;
    jbw_u32x8 high = *(const jbw_u32x8 *)(own + JBW_LANES);
    if (g->shared_factor != 0) {
        low += *(const jbw_u32x8 *)shared * (uint32_t)g->shared_factor;
        high += *(const jbw_u32x8 *)(shared + JBW_LANES) * (uint32_t)g->shared_factor;
    }
    *out = (jbw_wide_chunk){(jbw_i32x8)low, (jbw_i32x8)high};
}

JBW_INLINE void jbw_load_narrow(const jbw_gauge *g, ptrdiff_t at, jbw_narrow_chunk *out)
{
    jbw_u16x16 all = *(const jbw_u16x16 *)((const int16_t *)g->own + at);
    if (g->shared_factor != 0)
        all += *(const jbw_u16x16 *)((const int16_t *)g->shared + at) * (uint16_t)g->shared_factor;
    *out = (jbw_narrow_chunk){(jbw_i16x16)all};
}

// bit i is that of flag i
JBW_INLINE uint32_t jbw_pack_wide(const jbw_wide_chunk *flags)
{
#if defined(__SSE2__)
    __m128i parts[4];
    memcpy(parts, flags, sizeof parts);
    return (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(parts[0], parts[1]), _mm_packs_epi32(parts[2], parts[3])));
#else
    uint32_t bits = 0;
    for (int i = 0; i < JBW_LANES; i++)
        bits |= (uint32_t)(flags->low[i] & 1) << i | (uint32_t)(flags->high[i] & 1)
                                                         << (i + JBW_LANES);
    return bits;
#endif
}

JBW_INLINE uint32_t jbw_pack_narrow(const jbw_narrow_chunk *flags)
{
#if defined(__SSE2__)
    __m128i parts[2];
    memcpy(parts, flags, sizeof parts);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(parts[0], parts[1]));
#else
    uint32_t bits = 0;
    for (int i = 0; i < JBW_CHUNK; i++) bits |= (uint32_t)(flags->all[i] & 1) << i;
    return bits;
#endif
}

// bit i is set if value i is below `from`; processors compare that way, not with "at least"
JBW_INLINE uint32_t jbw_wide_below(const jbw_wide_chunk *c, int32_t from)
{
    const jbw_wide_chunk flags = {c->low < from, c->high < from};
    return jbw_pack_wide(&flags);
}

JBW_INLINE uint32_t jbw_narrow_below(const jbw_narrow_chunk *c, int32_t from)
{
    const jbw_narrow_chunk flags = {c->all < (int16_t)from};
    return jbw_pack_narrow(&flags);
}

// and if it is above `to`
JBW_INLINE uint32_t jbw_wide_above(const jbw_wide_chunk *c, int32_t to)
{
    const jbw_wide_chunk flags = {c->low > to, c->high > to};
    return jbw_pack_wide(&flags);
}

JBW_INLINE uint32_t jbw_narrow_above(const jbw_narrow_chunk *c, int32_t to)
{
    const jbw_narrow_chunk flags = {c->all > (int16_t)to};
    return jbw_pack_narrow(&flags);
}

#else

typedef struct jbw_wide_chunk {
    int32_t values[JBW_CHUNK];
} jbw_wide_chunk;

typedef jbw_wide_chunk jbw_narrow_chunk;

JBW_INLINE void jbw_load_wide(const jbw_gauge *g, ptrdiff_t at, jbw_wide_chunk *out)
{
    const int32_t *own = (const int32_t *)g->own + at;
    const int32_t *shared = (const int32_t *)g->shared + at;
    for (int i = 0; i < JBW_CHUNK; i++)
        out->values[i] =
            (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)g->shared_factor);
}

JBW_INLINE void jbw_load_narrow(const jbw_gauge *g, ptrdiff_t at, jbw_narrow_chunk *out)
{
    const int16_t *own = (const int16_t *)g->own + at;
    const int16_t *shared = (const int16_t *)g->shared + at;
    for (int i = 0; i < JBW_CHUNK; i++) out->values[i] = own[i] + shared[i] * g->shared_factor;
}

JBW_INLINE uint32_t jbw_wide_below(const jbw_wide_chunk *c, int32_t from)
{
    uint32_t bits = 0;
    for (int i = 0; i < JBW_CHUNK; i++) bits |= (uint32_t)(c->values[i] < from) << i;
    return bits;
}

JBW_INLINE uint32_t jbw_wide_above(const jbw_wide_chunk *c, int32_t to)
{
    uint32_t bits = 0;
    for (int i = 0; i < JBW_CHUNK; i++) bits |= (uint32_t)(c->values[i] > to) << i;
    return bits;
}

JBW_INLINE uint32_t jbw_narrow_below(const jbw_narrow_chunk *c, int32_t from)
{
    return jbw_wide_below(c, from);
}

JBW_INLINE uint32_t jbw_narrow_above(const jbw_narrow_chunk *c, int32_t to)
{
    return jbw_wide_above(c, to);
}

#endif

// Those of JBW_WORD cells that are at least `from`, or at most `to`. A row can be read as far from any
// cell on (workspace.c), and looking at all of them is faster than asking which chunks are needed.
enum { JBW_CHUNKS = JBW_WORD / JBW_CHUNK };

JBW_INLINE uint64_t jbw_all_wide_from(const jbw_wide_chunk *chunks, int32_t from)
{
    uint64_t bits = 0;
    for (int i = 0; i < JBW_CHUNKS; i++)
        bits |= (uint64_t)jbw_wide_below(&chunks[i], from) << (i * JBW_CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t jbw_all_wide_up_to(const jbw_wide_chunk *chunks, int32_t to)
{
    uint64_t bits = 0;
    for (int i = 0; i < JBW_CHUNKS; i++)
        bits |= (uint64_t)jbw_wide_above(&chunks[i], to) << (i * JBW_CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t jbw_all_narrow_from(const jbw_narrow_chunk *chunks, int32_t from)
{
    uint64_t bits = 0;
    for (int i = 0; i < JBW_CHUNKS; i++)
        bits |= (uint64_t)jbw_narrow_below(&chunks[i], from) << (i * JBW_CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t jbw_all_narrow_up_to(const jbw_narrow_chunk *chunks, int32_t to)
{
    uint64_t bits = 0;
    for (int i = 0; i < JBW_CHUNKS; i++)
        bits |= (uint64_t)jbw_narrow_above(&chunks[i], to) << (i * JBW_CHUNK);
    return ~bits;
}

JBW_INLINE_LARGE void jbw_find_wide(const jbw_gauge *g, ptrdiff_t at, uint64_t empty, uint64_t held,
                                    jbw_hot_bits *found)
{
    const jbw_hot_thresholds *t = &g->thresholds;
    jbw_wide_chunk values[JBW_CHUNKS];
    for (int i = 0; i < JBW_CHUNKS; i++) jbw_load_wide(g, at + i * JBW_CHUNK, &values[i]);
    found->hot = jbw_all_wide_from(values, t->add_from) & empty;
    if (held != 0) found->hot |= jbw_all_wide_up_to(values, t->remove_up_to) & held;
    if (found->hot == 0) return;
    found->likely = jbw_all_wide_from(values, t->add_likely_from) & empty;
    if (held != 0) found->likely |= jbw_all_wide_up_to(values, t->remove_likely_up_to) & held;
}

JBW_INLINE_LARGE void jbw_find_narrow(const jbw_gauge *g, ptrdiff_t at, uint64_t empty,
                                      uint64_t held, jbw_hot_bits *found)
{
    const jbw_hot_thresholds *t = &g->thresholds;
    jbw_narrow_chunk values[JBW_CHUNKS];
    for (int i = 0; i < JBW_CHUNKS; i++) jbw_load_narrow(g, at + i * JBW_CHUNK, &values[i]);
    found->hot = jbw_all_narrow_from(values, t->add_from) & empty;
    if (held != 0) found->hot |= jbw_all_narrow_up_to(values, t->remove_up_to) & held;
    if (found->hot == 0) return;
    found->likely = jbw_all_narrow_from(values, t->add_likely_from) & empty;
    if (held != 0) found->likely |= jbw_all_narrow_up_to(values, t->remove_likely_up_to) & held;
}

/// Finds the hot ones among `cells`, and those of them that are likely to change: bit i stands for the
/// cell (x + i, y).
JBW_INLINE void jbw_gauge_find_hot(const jbw_gauge *g, int x, int y, uint64_t cells,
                                   jbw_hot_bits *found)
{
    const uint64_t empty = jbw_bits_from(g->empty + y * g->mask_stride, x) & cells;
    const uint64_t held = jbw_bits_from(g->held + y * g->mask_stride, x) & cells;
    *found = (jbw_hot_bits){.empty = empty, .held = held};
    if (g->is_narrow)
        jbw_find_narrow(g, y * g->stride + x, empty, held, found);
    else
        jbw_find_wide(g, y * g->stride + x, empty, held, found);
}

#endif
