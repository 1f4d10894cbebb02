// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/gauge.h"

#include <math.h>
#include <string.h>

#include "sim/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { CHUNK = 16, CHUNK_BITS = 0xffff };

// ---- memory ----

// sets of thresholds, for the whole workspace and for each zone, of each type
static size_t threshold_count(const jbw_workspace *workspace)
{
    const size_t sets = workspace->zones.map ? JBW_MOST_ZONES : 1;
    return sets * (size_t)workspace->plan->model->type_count;
}

bool jbw_hot_levels_init(jbw_hot_levels *levels, const jbw_workspace *workspace)
{
    *levels = (jbw_hot_levels){.workspace = workspace};
    levels->thresholds =
        jbw_alloc(&workspace->plan->model->allocator, jbw_hot_levels_bytes(levels));
    return levels->thresholds != NULL;
}

void jbw_hot_levels_deinit(jbw_hot_levels *levels)
{
    if (!levels->workspace) return;
    jbw_free(&levels->workspace->plan->model->allocator, levels->thresholds,
             jbw_hot_levels_bytes(levels));
    *levels = (jbw_hot_levels){0};
}

size_t jbw_hot_levels_bytes(const jbw_hot_levels *levels)
{
    return threshold_count(levels->workspace) * sizeof *levels->thresholds;
}

// ---- thresholds ----

// the number in a field that stands for so many units, or the nearest one that a field can hold
static int32_t to_number(const jbw_narrow_scale *scale, double units)
{
    const double number = units + scale->base;
    const double least = scale->is_narrow ? INT16_MIN : INT32_MIN;
    const double most = scale->is_narrow ? INT16_MAX : INT32_MAX;
    return (int32_t)(number > most ? most : number < least ? least : number);
}

// Hot cells only tell where to look, so thresholds may be too generous: a little is for rounding.
static jbw_hot_thresholds thresholds_of(const jbw_invariant_plan *plan, int type, double least,
                                        double most)
{
    const double low = plan->types[type].low_energy;
    const double likely = JBW_LIKELY_ENERGY;
    const jbw_narrow_scale *scale = &plan->types[type].scale;
    const double unit = scale->unit;
    return (jbw_hot_thresholds){
        .add_from = to_number(scale, ceil((low - JBW_HOT_SLACK - most) / unit)),
        .add_likely_from = to_number(scale, ceil((likely - JBW_HOT_SLACK - most) / unit)),
        .remove_up_to = to_number(scale, floor((JBW_HOT_SLACK - low - least) / unit)),
        .remove_likely_up_to = to_number(scale, floor((JBW_HOT_SLACK - likely - least) / unit)),
    };
}

static jbw_hot_thresholds find_thresholds(const jbw_invariant_plan *plan, int type,
                                          jbw_position corner, int size)
{
    double least;
    double most;
    jbw_invariant_intensity_bounds(plan, type, corner, size, &least, &most);
    return thresholds_of(plan, type, least, most);
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// those of each zone; and those of the whole workspace from them, if they cover it
static void find_zone_thresholds(jbw_hot_levels *levels, int type)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_zones *zones = &workspace->zones;
    const int types = workspace->plan->model->type_count;
    jbw_hot_thresholds all = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (int zone = 1; zone < zones->count; zone++) {
        const double intensity = workspace->zone_intensities[zone * types + type];
        const jbw_hot_thresholds own = thresholds_of(workspace->plan, type, intensity, intensity);
        levels->thresholds[zone * types + type] = own;
        all.add_from = smaller(all.add_from, own.add_from);
        all.add_likely_from = smaller(all.add_likely_from, own.add_likely_from);
        all.remove_up_to = larger(all.remove_up_to, own.remove_up_to);
        all.remove_likely_up_to = larger(all.remove_likely_up_to, own.remove_likely_up_to);
    }
    if (zones->count < JBW_MOST_ZONES) levels->thresholds[type] = all;
}

void jbw_hot_levels_begin(jbw_hot_levels *levels)
{
    const jbw_workspace *workspace = levels->workspace;
    for (int t = 0; t < workspace->plan->model->type_count; t++) {
        if (workspace->plan->types[t].role == JBW_ROLE_INDEPENDENT) continue;
        levels->thresholds[t] = find_thresholds(workspace->plan, t, workspace->window.origin,
                                                workspace->width_capacity);
        if (workspace->plan->types[t].is_zonal) find_zone_thresholds(levels, t);
    }
}

// ---- gauges ----

jbw_gauge jbw_gauge_of(const jbw_hot_levels *levels, int type)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_energy_scale *fields = &workspace->plan->model->scales[type];
    return (jbw_gauge){
        .own = jbw_workspace_field(workspace, fields->field),
        .shared = jbw_workspace_field(workspace, fields->shared_field),
        .shared_factor = workspace->plan->types[type].scale.shared_factor,
        .is_narrow = workspace->plan->types[type].scale.is_narrow,
        .thresholds = levels->thresholds[type],
        .stride = workspace->window.stride,
        .mask_stride = workspace->word_count + 1,
        .empty = workspace->empty,
        .held = jbw_workspace_held(workspace, type),
    };
}

void jbw_gauge_tighten(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int x, int y,
                       int size)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_position corner = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    if (workspace->plan->types[type].has_constant_intensity) return;
    if (workspace->plan->types[type].is_zonal) return; // zones are narrower
    gauge->thresholds = find_thresholds(workspace->plan, type, corner, size);
}

bool jbw_gauge_set_zone(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int zone)
{
    const jbw_workspace *workspace = levels->workspace;
    const int at = zone * workspace->plan->model->type_count + type;
    gauge->thresholds = levels->thresholds[at];
    return zone == 0 || !jbw_intensity_is_never(workspace->zone_intensities[at]);
}

#if JBW_HAS_I32X8

/// The energies of CHUNK cells, or one flag for each, all zeros or all ones.
typedef struct wide_chunk {
    jbw_i32x8 low, high;
} wide_chunk;

typedef struct narrow_chunk {
    jbw_i16x16 all;
} narrow_chunk;

// These take pointers because passing wide vectors by value depends on the target's instruction set.
JBW_INLINE void load_wide(const jbw_gauge *g, ptrdiff_t at, wide_chunk *out)
{
    const int32_t *own = (const int32_t *)g->own + at;
    const int32_t *shared = (const int32_t *)g->shared + at;
    jbw_u32x8 low = *(const jbw_u32x8 *)own;
    jbw_u32x8 high = *(const jbw_u32x8 *)(own + JBW_LANES);
    if (g->shared_factor != 0) {
        low += *(const jbw_u32x8 *)shared * (uint32_t)g->shared_factor;
        high += *(const jbw_u32x8 *)(shared + JBW_LANES) * (uint32_t)g->shared_factor;
    }
    *out = (wide_chunk){(jbw_i32x8)low, (jbw_i32x8)high};
}

JBW_INLINE void load_narrow(const jbw_gauge *g, ptrdiff_t at, narrow_chunk *out)
{
    jbw_u16x16 all = *(const jbw_u16x16 *)((const int16_t *)g->own + at);
    if (g->shared_factor != 0)
        all += *(const jbw_u16x16 *)((const int16_t *)g->shared + at) * (uint16_t)g->shared_factor;
    *out = (narrow_chunk){(jbw_i16x16)all};
}

// bit i is that of flag i
JBW_INLINE uint32_t pack_wide(const wide_chunk *flags)
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

JBW_INLINE uint32_t pack_narrow(const narrow_chunk *flags)
{
#if defined(__SSE2__)
    __m128i parts[2];
    memcpy(parts, flags, sizeof parts);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(parts[0], parts[1]));
#else
    uint32_t bits = 0;
    for (int i = 0; i < CHUNK; i++) bits |= (uint32_t)(flags->all[i] & 1) << i;
    return bits;
#endif
}

// bit i is set if value i is below `from`; processors compare that way, not with "at least"
JBW_INLINE uint32_t wide_below(const wide_chunk *c, int32_t from)
{
    const wide_chunk flags = {c->low < from, c->high < from};
    return pack_wide(&flags);
}

JBW_INLINE uint32_t narrow_below(const narrow_chunk *c, int32_t from)
{
    const narrow_chunk flags = {c->all < (int16_t)from};
    return pack_narrow(&flags);
}

// and if it is above `to`
JBW_INLINE uint32_t wide_above(const wide_chunk *c, int32_t to)
{
    const wide_chunk flags = {c->low > to, c->high > to};
    return pack_wide(&flags);
}

JBW_INLINE uint32_t narrow_above(const narrow_chunk *c, int32_t to)
{
    const narrow_chunk flags = {c->all > (int16_t)to};
    return pack_narrow(&flags);
}

#else

typedef struct wide_chunk {
    int32_t values[CHUNK];
} wide_chunk;

typedef wide_chunk narrow_chunk;

JBW_INLINE void load_wide(const jbw_gauge *g, ptrdiff_t at, wide_chunk *out)
{
    const int32_t *own = (const int32_t *)g->own + at;
    const int32_t *shared = (const int32_t *)g->shared + at;
    for (int i = 0; i < CHUNK; i++)
        out->values[i] =
            (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)g->shared_factor);
}

JBW_INLINE void load_narrow(const jbw_gauge *g, ptrdiff_t at, narrow_chunk *out)
{
    const int16_t *own = (const int16_t *)g->own + at;
    const int16_t *shared = (const int16_t *)g->shared + at;
    for (int i = 0; i < CHUNK; i++) out->values[i] = own[i] + shared[i] * g->shared_factor;
}

JBW_INLINE uint32_t wide_below(const wide_chunk *c, int32_t from)
{
    uint32_t bits = 0;
    for (int i = 0; i < CHUNK; i++) bits |= (uint32_t)(c->values[i] < from) << i;
    return bits;
}

JBW_INLINE uint32_t wide_above(const wide_chunk *c, int32_t to)
{
    uint32_t bits = 0;
    for (int i = 0; i < CHUNK; i++) bits |= (uint32_t)(c->values[i] > to) << i;
    return bits;
}

JBW_INLINE uint32_t narrow_below(const narrow_chunk *c, int32_t from)
{
    return wide_below(c, from);
}

JBW_INLINE uint32_t narrow_above(const narrow_chunk *c, int32_t to)
{
    return wide_above(c, to);
}

#endif

// Those of JBW_WORD cells that are at least `from`, or at most `to`. A row can be read as far from any cell on (workspace.c), and looking
// at all of them is faster than asking which chunks are needed.
enum { CHUNKS = JBW_WORD / CHUNK };

JBW_INLINE uint64_t all_wide_from(const wide_chunk *chunks, int32_t from)
{
    uint64_t bits = 0;
    for (int i = 0; i < CHUNKS; i++) bits |= (uint64_t)wide_below(&chunks[i], from) << (i * CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t all_wide_up_to(const wide_chunk *chunks, int32_t to)
{
    uint64_t bits = 0;
    for (int i = 0; i < CHUNKS; i++) bits |= (uint64_t)wide_above(&chunks[i], to) << (i * CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t all_narrow_from(const narrow_chunk *chunks, int32_t from)
{
    uint64_t bits = 0;
    for (int i = 0; i < CHUNKS; i++)
        bits |= (uint64_t)narrow_below(&chunks[i], from) << (i * CHUNK);
    return ~bits;
}

JBW_INLINE uint64_t all_narrow_up_to(const narrow_chunk *chunks, int32_t to)
{
    uint64_t bits = 0;
    for (int i = 0; i < CHUNKS; i++) bits |= (uint64_t)narrow_above(&chunks[i], to) << (i * CHUNK);
    return ~bits;
}

JBW_INLINE void find_wide(const jbw_gauge *g, ptrdiff_t at, uint64_t empty, uint64_t held,
                          jbw_hot_bits *found)
{
    const jbw_hot_thresholds *t = &g->thresholds;
    wide_chunk values[CHUNKS];
    for (int i = 0; i < CHUNKS; i++) load_wide(g, at + i * CHUNK, &values[i]);
    found->hot = all_wide_from(values, t->add_from) & empty;
    if (held != 0) found->hot |= all_wide_up_to(values, t->remove_up_to) & held;
    if (found->hot == 0) return;
    found->likely = all_wide_from(values, t->add_likely_from) & empty;
    if (held != 0) found->likely |= all_wide_up_to(values, t->remove_likely_up_to) & held;
}

JBW_INLINE void find_narrow(const jbw_gauge *g, ptrdiff_t at, uint64_t empty, uint64_t held,
                            jbw_hot_bits *found)
{
    const jbw_hot_thresholds *t = &g->thresholds;
    narrow_chunk values[CHUNKS];
    for (int i = 0; i < CHUNKS; i++) load_narrow(g, at + i * CHUNK, &values[i]);
    found->hot = all_narrow_from(values, t->add_from) & empty;
    if (held != 0) found->hot |= all_narrow_up_to(values, t->remove_up_to) & held;
    if (found->hot == 0) return;
    found->likely = all_narrow_from(values, t->add_likely_from) & empty;
    if (held != 0) found->likely |= all_narrow_up_to(values, t->remove_likely_up_to) & held;
}

JBW_SIMD_CLONES
static void find_hot(const jbw_gauge *g, int x, int y, uint64_t cells, jbw_hot_bits *found)
{
    const uint64_t empty = jbw_bits_from(g->empty + y * g->mask_stride, x) & cells;
    const uint64_t held = jbw_bits_from(g->held + y * g->mask_stride, x) & cells;
    *found = (jbw_hot_bits){.empty = empty, .held = held};
    if (g->is_narrow)
        find_narrow(g, y * g->stride + x, empty, held, found);
    else
        find_wide(g, y * g->stride + x, empty, held, found);
}

void jbw_gauge_find_hot(const jbw_gauge *gauge, int x, int y, uint64_t cells, jbw_hot_bits *found)
{
    find_hot(gauge, x, y, cells, found);
}

// ---- words ----

// Those of CHUNK cells that hold the type (`held`) and may lose it. The fields of slow types, the
// only ones that are watched, are wide.
JBW_INLINE uint32_t removals_at(const jbw_gauge *g, int x, int y, uint32_t held)
{
    uint32_t bits = 0;
    const ptrdiff_t at = y * g->stride + x;
    const int32_t *own = (const int32_t *)g->own + at;
    const int32_t *shared = (const int32_t *)g->shared + at;
    for (; held != 0; held &= held - 1) {
        const int i = jbw_lowest_bit(held);
        const int32_t value =
            (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)g->shared_factor);
        if (value <= g->thresholds.remove_up_to) bits |= held & (0 - held);
    }
    return bits;
}

// those of CHUNK cells that are empty and may get the type
JBW_INLINE uint32_t additions_at(const jbw_gauge *g, int x, int y, uint32_t empty)
{
    wide_chunk values;
    load_wide(g, y * g->stride + x, &values);
    return ~wide_below(&values, g->thresholds.add_from) & empty;
}

JBW_SIMD_CLONES
static uint64_t find_additions(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t empty = g->empty[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD; i += CHUNK)
        if ((empty >> i & CHUNK_BITS) != 0)
            bits |= (uint64_t)additions_at(g, word * JBW_WORD + i, y, empty >> i & CHUNK_BITS) << i;
    return bits;
}

uint64_t jbw_gauge_removals(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t held = g->held[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD && held != 0; i += CHUNK)
        bits |= (uint64_t)removals_at(g, word * JBW_WORD + i, y, held >> i & CHUNK_BITS) << i;
    return bits;
}

uint64_t jbw_gauge_additions(const jbw_gauge *gauge, int word, int y, uint64_t inside)
{
    return find_additions(gauge, word, y, inside);
}
