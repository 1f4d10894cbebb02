// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/hot_cells.h"

#include <math.h>
#include <string.h>

#include "sim/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
    hot->memory_bytes = words * sizeof(uint64_t) + 2 * thresholds * sizeof(int32_t);
    hot->memory = jbw_alloc(&model->allocator, hot->memory_bytes);
    if (!hot->memory) return false;
    hot->watched = hot->memory;
    hot->watched_rows = hot->watched + jbw_workspace_mask_capacity(workspace);
    hot->add_from = (int32_t *)(hot->watched + words);
    hot->remove_up_to = hot->add_from + thresholds;
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

static int32_t to_int32(double value)
{
    return value > 2147483647.0 ? INT32_MAX : value < -2147483648.0 ? INT32_MIN : (int32_t)value;
}

// Hot cells only tell where to look, so thresholds may be too generous: one unit is for rounding.
static void set_thresholds(const jbw_invariant_plan *plan, int type, double least, double most,
                           int32_t *add_from, int32_t *remove_up_to)
{
    const double low = plan->types[type].low_energy;
    const double unit = plan->model->scales[type].unit;
    *add_from = to_int32(floor((low - most) / unit) - 1.0);
    *remove_up_to = to_int32(floor((-low - least) / unit) + 2.0);
}

static void find_thresholds(const jbw_invariant_plan *plan, int type, jbw_position corner, int size,
                            int32_t *add_from, int32_t *remove_up_to)
{
    double least;
    double most;
    jbw_invariant_intensity_bounds(plan, type, corner, size, &least, &most);
    set_thresholds(plan, type, least, most, add_from, remove_up_to);
}

// those of each zone; and those of the whole workspace from them, if they cover it
static void find_zone_thresholds(jbw_hot_cells *hot, int type)
{
    const jbw_workspace *workspace = hot->workspace;
    const jbw_zones *zones = &workspace->zones;
    const int types = workspace->plan->model->type_count;
    for (int zone = 1; zone < zones->count; zone++) {
        const int at = zone * types + type;
        set_thresholds(workspace->plan, type, workspace->zone_intensities[at],
                       workspace->zone_intensities[at], &hot->add_from[at], &hot->remove_up_to[at]);
    }
    if (zones->count == JBW_MOST_ZONES) return;
    hot->add_from[type] = INT32_MAX;
    hot->remove_up_to[type] = INT32_MIN;
    for (int zone = 1; zone < zones->count; zone++) {
        const int at = zone * types + type;
        if (hot->add_from[at] < hot->add_from[type]) hot->add_from[type] = hot->add_from[at];
        if (hot->remove_up_to[at] > hot->remove_up_to[type])
            hot->remove_up_to[type] = hot->remove_up_to[at];
    }
}

void jbw_hot_cells_begin(jbw_hot_cells *hot)
{
    const jbw_workspace *workspace = hot->workspace;
    for (int t = 0; t < workspace->plan->model->type_count; t++) {
        if (workspace->plan->types[t].role == JBW_ROLE_INDEPENDENT) continue;
        find_thresholds(workspace->plan, t, workspace->window.origin, workspace->width_capacity,
                        &hot->add_from[t], &hot->remove_up_to[t]);
        if (workspace->plan->types[t].is_zonal) find_zone_thresholds(hot, t);
    }
    jbw_hot_cells_stop(hot);
}

// ---- gauges ----

jbw_gauge jbw_hot_cells_gauge(const jbw_hot_cells *hot, int type)
{
    const jbw_workspace *workspace = hot->workspace;
    const jbw_energy_scale *scale = &workspace->plan->model->scales[type];
    return (jbw_gauge){
        .own = workspace->window.fields + scale->field * workspace->window.field_stride,
        .shared = workspace->window.fields + scale->shared_field * workspace->window.field_stride,
        .shared_factor = scale->shared_factor,
        .add_from = hot->add_from[type],
        .remove_up_to = hot->remove_up_to[type],
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
    find_thresholds(workspace->plan, type, corner, size, &gauge->add_from, &gauge->remove_up_to);
}

bool jbw_hot_cells_set_zone(const jbw_hot_cells *hot, int type, int zone, jbw_gauge *gauge)
{
    const jbw_workspace *workspace = hot->workspace;
    const int at = zone * workspace->plan->model->type_count + type;
    gauge->add_from = hot->add_from[at];
    gauge->remove_up_to = hot->remove_up_to[at];
    return zone == 0 || !jbw_intensity_is_never(workspace->zone_intensities[at]);
}

// bit i is set if value i of CHUNK is at least `from`
JBW_INLINE uint32_t compare(const int32_t *own, const int32_t *shared, int32_t factor, int32_t from)
{
#if JBW_HAS_I32X8 && defined(__SSE2__)
    jbw_u32x8 low = *(const jbw_u32x8 *)own;
    jbw_u32x8 high = *(const jbw_u32x8 *)(own + JBW_LANES);
    if (factor != 0) {
        low += *(const jbw_u32x8 *)shared * (uint32_t)factor;
        high += *(const jbw_u32x8 *)(shared + JBW_LANES) * (uint32_t)factor;
    }
    const jbw_i32x8 adds[2] = {(jbw_i32x8)low >= from, (jbw_i32x8)high >= from};
    __m128i parts[4];
    memcpy(parts, adds, sizeof parts);
    return (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(parts[0], parts[1]), _mm_packs_epi32(parts[2], parts[3])));
#else
    uint32_t bits = 0;
    for (int i = 0; i < CHUNK; i++) {
        const int32_t value = (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)factor);
        bits |= (uint32_t)(value >= from) << i;
    }
    return bits;
#endif
}

// those of CHUNK cells that hold the type (`held`) and may lose it
JBW_INLINE uint32_t removals_at(const jbw_gauge *g, int x, int y, uint32_t held)
{
    uint32_t bits = 0;
    const ptrdiff_t at = y * g->stride + x;
    for (; held != 0; held &= held - 1) {
        const int i = jbw_lowest_bit(held);
        const int32_t value = (int32_t)((uint32_t)g->own[at + i] +
                                        (uint32_t)g->shared[at + i] * (uint32_t)g->shared_factor);
        if (value <= g->remove_up_to) bits |= held & (0 - held);
    }
    return bits;
}

// those of CHUNK cells that are empty and may get the type
JBW_INLINE uint32_t additions_at(const jbw_gauge *g, int x, int y, uint32_t empty)
{
    const ptrdiff_t at = y * g->stride + x;
    return compare(g->own + at, g->shared + at, g->shared_factor, g->add_from) & empty;
}

// static: clang does not find clones across files
JBW_SIMD_CLONES
static uint64_t find_hot(const jbw_gauge *g, int x, int y, uint64_t cells)
{
    const uint64_t empty = jbw_bits_from(g->empty + y * g->mask_stride, x) & cells;
    const uint64_t held = jbw_bits_from(g->held + y * g->mask_stride, x) & cells;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD; i += CHUNK) {
        const uint32_t adds = empty >> i & CHUNK_BITS;
        const uint32_t removes = held >> i & CHUNK_BITS;
        if (adds != 0) bits |= (uint64_t)additions_at(g, x + i, y, adds) << i;
        if (removes != 0) bits |= (uint64_t)removals_at(g, x + i, y, removes) << i;
    }
    return bits;
}

uint64_t jbw_gauge_find_hot(const jbw_gauge *gauge, int x, int y, uint64_t cells)
{
    return find_hot(gauge, x, y, cells);
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
        const double energy = (double)jbw_workspace_energy(workspace, type, x, y) *
                                  workspace->plan->model->scales[type].unit +
                              jbw_workspace_intensity(workspace, type, x, y);
        const bool is_empty = workspace->cells[y * workspace->window.width + x] == 0;
        if ((is_empty ? energy : -energy) > traits->low_energy - 1e-6) kept |= bits & (0 - bits);
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
