// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/hot_cells.h"

#include <math.h>
#include <string.h>

#include "sim/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SLACK 1e-6 // of energies, for rounding

enum { CHUNK = 16, CHUNK_BITS = 0xffff };

// ---- memory ----

// words of a mask with one bit for each row
static size_t row_mask_size(const jbw_workspace *workspace)
{
    return (size_t)((workspace->capacity + JBW_WORD - 1) / JBW_WORD);
}

// sets of thresholds: for the whole workspace, and for each zone
static size_t threshold_sets(const jbw_workspace *workspace)
{
    return workspace->zones.map ? JBW_MOST_ZONES : 1;
}

bool jbw_hot_cells_init(jbw_hot_cells *hot, const jbw_workspace *workspace)
{
    const jbw_model *model = workspace->plan->model;
    const size_t words = jbw_workspace_mask_capacity(workspace) + row_mask_size(workspace);
    const size_t thresholds = threshold_sets(workspace) * (size_t)model->type_count;
    *hot = (jbw_hot_cells){.workspace = workspace, .watched_type = -1};
    hot->memory_bytes = words * sizeof(uint64_t) + thresholds * sizeof *hot->thresholds;
    hot->memory = jbw_alloc(&model->allocator, hot->memory_bytes);
    if (!hot->memory) return false;
    hot->watched = hot->memory;
    hot->watched_rows = hot->watched + jbw_workspace_mask_capacity(workspace);
    hot->thresholds = (jbw_hot_thresholds *)(void *)(hot->watched + words);
    return true;
}

void jbw_hot_cells_deinit(jbw_hot_cells *hot)
{
    if (!hot->workspace) return;
    jbw_free(&hot->workspace->plan->model->allocator, hot->memory, hot->memory_bytes);
    *hot = (jbw_hot_cells){0};
}

size_t jbw_hot_cells_bytes(const jbw_hot_cells *hot)
{
    return hot->memory_bytes;
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
        .add_from = to_number(scale, ceil((low - SLACK - most) / unit)),
        .add_likely_from = to_number(scale, ceil((likely - SLACK - most) / unit)),
        .remove_up_to = to_number(scale, floor((SLACK - low - least) / unit)),
        .remove_likely_up_to = to_number(scale, floor((SLACK - likely - least) / unit)),
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
static void find_zone_thresholds(jbw_hot_cells *hot, int type)
{
    const jbw_workspace *workspace = hot->workspace;
    const jbw_zones *zones = &workspace->zones;
    const int types = workspace->plan->model->type_count;
    jbw_hot_thresholds all = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (int zone = 1; zone < zones->count; zone++) {
        const double intensity = workspace->zone_intensities[zone * types + type];
        const jbw_hot_thresholds own = thresholds_of(workspace->plan, type, intensity, intensity);
        hot->thresholds[zone * types + type] = own;
        all.add_from = smaller(all.add_from, own.add_from);
        all.add_likely_from = smaller(all.add_likely_from, own.add_likely_from);
        all.remove_up_to = larger(all.remove_up_to, own.remove_up_to);
        all.remove_likely_up_to = larger(all.remove_likely_up_to, own.remove_likely_up_to);
    }
    if (zones->count < JBW_MOST_ZONES) hot->thresholds[type] = all;
}

void jbw_hot_cells_begin(jbw_hot_cells *hot)
{
    const jbw_workspace *workspace = hot->workspace;
    for (int t = 0; t < workspace->plan->model->type_count; t++) {
        if (workspace->plan->types[t].role == JBW_ROLE_INDEPENDENT) continue;
        hot->thresholds[t] = find_thresholds(workspace->plan, t, workspace->window.origin,
                                             workspace->width_capacity);
        if (workspace->plan->types[t].is_zonal) find_zone_thresholds(hot, t);
    }
    jbw_hot_cells_stop(hot);
}

// ---- gauges ----

jbw_gauge jbw_hot_cells_gauge(const jbw_hot_cells *hot, int type)
{
    const jbw_workspace *workspace = hot->workspace;
    const jbw_energy_scale *fields = &workspace->plan->model->scales[type];
    return (jbw_gauge){
        .own = jbw_workspace_field(workspace, fields->field),
        .shared = jbw_workspace_field(workspace, fields->shared_field),
        .shared_factor = workspace->plan->types[type].scale.shared_factor,
        .is_narrow = workspace->plan->types[type].scale.is_narrow,
        .thresholds = hot->thresholds[type],
        .stride = workspace->window.stride,
        .mask_stride = workspace->word_count + 1,
        .empty = workspace->empty,
        .held = jbw_workspace_held(workspace, type),
    };
}

void jbw_hot_cells_narrow_gauge(const jbw_hot_cells *hot, int type, int x, int y, int size,
                                jbw_gauge *gauge)
{
    const jbw_workspace *workspace = hot->workspace;
    const jbw_position corner = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    if (workspace->plan->types[type].has_constant_intensity) return;
    if (workspace->plan->types[type].is_zonal) return; // zones are narrower
    gauge->thresholds = find_thresholds(workspace->plan, type, corner, size);
}

bool jbw_hot_cells_set_zone(const jbw_hot_cells *hot, int type, int zone, jbw_gauge *gauge)
{
    const jbw_workspace *workspace = hot->workspace;
    const int at = zone * workspace->plan->model->type_count + type;
    gauge->thresholds = hot->thresholds[at];
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

// ---- watching one type ----

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// the bits of a word that lie between two columns
static uint64_t bits_between(int word, int left, int right)
{
    const int first = clip(left - word * JBW_WORD, 0, JBW_WORD);
    const int end = clip(right - word * JBW_WORD, 0, JBW_WORD);
    if (first >= end) return 0;
    return (UINT64_MAX >> (JBW_WORD - (end - first))) << first;
}

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

// the cells of a word, among `inside`, where an item may be added
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

// and where one may be removed
static uint64_t find_removals(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t held = g->held[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD && held != 0; i += CHUNK)
        bits |= (uint64_t)removals_at(g, word * JBW_WORD + i, y, held >> i & CHUNK_BITS) << i;
    return bits;
}

// The hot ones among cells of a word that thresholds have found. Where an intensity depends on the
// place, thresholds hold for the whole workspace and find too many; and as long as any cell is hot,
// a slow type gets all its subslices. A little is for rounding.
static uint64_t keep_hot(const jbw_hot_cells *hot, int word, int y, uint64_t bits)
{
    const jbw_workspace *workspace = hot->workspace;
    const int type = hot->watched_type;
    const jbw_invariant_type *traits = &workspace->plan->types[type];
    if (traits->has_constant_intensity) return bits;
    uint64_t kept = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int x = word * JBW_WORD + jbw_lowest_bit(bits);
        const double energy =
            (double)jbw_workspace_energy(workspace, type, x, y) * traits->scale.unit +
            jbw_workspace_intensity(workspace, type, x, y);
        const bool is_empty = workspace->cells[y * workspace->window.width + x] == 0;
        if ((is_empty ? energy : -energy) > traits->low_energy - SLACK) kept |= bits & (0 - bits);
    }
    return kept;
}

// Removes the cold cells of a row. There is no need to search for hot ones: every change reports
// what has become hot.
static void tidy_row(jbw_hot_cells *hot, const jbw_gauge *g, int y)
{
    const jbw_workspace_part *active = &hot->workspace->active;
    uint64_t *row = hot->watched + y * g->mask_stride;
    uint64_t any = 0;
    for (int word = 0; word < hot->workspace->word_count; word++) {
        if (row[word] == 0) continue;
        const uint64_t inside = row[word] & bits_between(word, active->left, active->right);
        row[word] = keep_hot(
            hot, word, y, find_additions(g, word, y, inside) | find_removals(g, word, y, inside));
        any |= row[word];
    }
    const uint64_t flag = UINT64_C(1) << (y % JBW_WORD);
    if (any != 0)
        hot->watched_rows[y / JBW_WORD] |= flag;
    else
        hot->watched_rows[y / JBW_WORD] &= ~flag;
}

void jbw_hot_cells_stop(jbw_hot_cells *hot)
{
    hot->watched_type = -1;
}

void jbw_hot_cells_watch(jbw_hot_cells *hot, int type)
{
    if (hot->watched_type != type) {
        // all cells might be hot, until tidied
        memset(hot->watched, 255, jbw_workspace_mask_size(hot->workspace) * sizeof *hot->watched);
        memset(hot->watched_rows, 255, row_mask_size(hot->workspace) * sizeof *hot->watched_rows);
    }
    hot->watched_type = type;
    jbw_hot_cells_tidy(hot);
}

int jbw_hot_cells_next_row(const jbw_hot_cells *hot, int y)
{
    const int top = hot->workspace->active.top;
    while (y < top) {
        const uint64_t left = hot->watched_rows[y / JBW_WORD] >> (y % JBW_WORD);
        if (left == 0) {
            y = (y / JBW_WORD + 1) * JBW_WORD;
            continue;
        }
        y += jbw_lowest_bit(left);
        return y < top ? y : top;
    }
    return top;
}

void jbw_hot_cells_tidy(jbw_hot_cells *hot)
{
    const jbw_workspace_part *active = &hot->workspace->active;
    const jbw_gauge g = jbw_hot_cells_gauge(hot, hot->watched_type);
    for (int y = jbw_hot_cells_next_row(hot, active->bottom); y < active->top;
         y = jbw_hot_cells_next_row(hot, y + 1))
        tidy_row(hot, &g, y);
}

// notes and reports cells of a word that have become hot
static inline void report_word(jbw_hot_cells *hot, const jbw_gauge *g, int word, int y,
                               uint64_t bits, jbw_hot_cells_found *found, void *user)
{
    bits = keep_hot(hot, word, y, bits);
    if (bits == 0) return;
    hot->watched[y * g->mask_stride + word] |= bits;
    hot->watched_rows[y / JBW_WORD] |= UINT64_C(1) << (y % JBW_WORD);
    found(user, word, y, bits);
}

// where energies went up; comparing them takes most of the time, so the extent is followed closely
static void update_additions(jbw_hot_cells *hot, const jbw_invariant_extent *extent, int x, int y,
                             jbw_hot_cells_found *found, void *user)
{
    const jbw_gauge g = jbw_hot_cells_gauge(hot, hot->watched_type);
    const jbw_workspace_part *active = &hot->workspace->active;
    const int first = clip(y - extent->reach, active->bottom, active->top);
    const int end = clip(y + extent->reach + 1, active->bottom, active->top);
    for (int row = first; row < end; row++) {
        const int width = extent->widths[row - y + extent->reach];
        const int left = clip(x - width, active->left, active->right);
        const int right = clip(x + width + 1, active->left, active->right);
        for (int word = left / JBW_WORD; word * JBW_WORD < right && left < right; word++) {
            const uint64_t inside =
                bits_between(word, left, right) & ~hot->watched[row * g.mask_stride + word];
            report_word(hot, &g, word, row, find_additions(&g, word, row, inside), found, user);
        }
    }
}

// where energies went down, which matters only in the few cells that hold the type
static void update_removals(jbw_hot_cells *hot, const jbw_invariant_extent *extent, int x, int y,
                            jbw_hot_cells_found *found, void *user)
{
    const jbw_gauge g = jbw_hot_cells_gauge(hot, hot->watched_type);
    const int reach = extent->reach;
    const jbw_workspace_part near = {x - reach, x + reach + 1, y - reach, y + reach + 1};
    const jbw_workspace_part part = jbw_workspace_intersect(&near, &hot->workspace->active);
    for (int word = part.left / JBW_WORD; word * JBW_WORD < part.right; word++) {
        const uint64_t inside = bits_between(word, part.left, part.right);
        for (int row = part.bottom; row < part.top; row++) {
            const ptrdiff_t at = row * g.mask_stride + word;
            const uint64_t held = g.held[at] & inside & ~hot->watched[at];
            if (held != 0)
                report_word(hot, &g, word, row, find_removals(&g, word, row, held), found, user);
        }
    }
}

void jbw_hot_cells_update(jbw_hot_cells *hot, int x, int y, jbw_hot_cells_found *found, void *user)
{
    // where energies went up, items may now be added; where they went down, removed
    const jbw_workspace *workspace = hot->workspace;
    const jbw_invariant_plan *plan = workspace->plan;
    const jbw_invariant_effect *effect =
        &plan->effects[hot->watched_type * plan->model->type_count + hot->watched_type];
    const bool added = workspace->cells[y * workspace->window.width + x] != 0;
    update_additions(hot, added ? &effect->up : &effect->down, x, y, found, user);
    update_removals(hot, added ? &effect->down : &effect->up, x, y, found, user);
}
