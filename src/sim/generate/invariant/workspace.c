// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/workspace.h"

#include <math.h>
#include <string.h>

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/simd.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// ---- memory ----

enum { ALIGNMENT = 64, CHUNK = 16, CHUNK_BITS = 0xffff, STRIP = 64 };

static int pane_stride(int capacity)
{
    // one may read 64 cells from any of a row on; and no power of two, so that rows do not fight for
    // cache lines
    return capacity + JBW_WORD + 3 * JBW_LANES;
}

// words with one bit for each row
static size_t row_words(int height)
{
    return (size_t)((height + JBW_WORD - 1) / JBW_WORD);
}

typedef struct sizes {
    size_t fields, radii, masks, rows, types, flags, cells;
} sizes;

static sizes find_sizes(const jbw_model *model, int width, int height)
{
    const size_t rows = (size_t)height;
    const size_t words = (size_t)width / JBW_WORD + 1;
    const size_t stride = (size_t)pane_stride(width);
    return (sizes){
        .fields = ((size_t)model->field_count * rows * stride + JBW_LANES) * sizeof(int32_t),
        .radii = (size_t)model->column_function_count * 2 * stride * sizeof(int32_t),
        .masks = rows * words * sizeof(uint64_t),
        .rows = row_words(height) * sizeof(uint64_t),
        .types = (size_t)model->type_count * sizeof(int32_t),
        .flags = (size_t)model->field_count * sizeof(bool),
        .cells = rows * (size_t)width,
    };
}

bool jbw_workspace_init(jbw_workspace *workspace, const jbw_invariant_plan *plan, int capacity)
{
    const jbw_model *model = plan->model;
    *workspace = (jbw_workspace){.plan = plan, .capacity = capacity};
    workspace->width_capacity = (capacity + 2 * (JBW_WORD - 1)) / JBW_WORD * JBW_WORD;
    const sizes s = find_sizes(model, workspace->width_capacity, capacity);
    const size_t types = (size_t)model->type_count;
    workspace->memory_bytes = (2 + 2 * types) * s.masks + s.rows + s.fields + s.radii +
                              2 * s.types + s.flags + s.cells + ALIGNMENT;
    workspace->memory = jbw_alloc(&model->allocator, workspace->memory_bytes);
    if (!workspace->memory) return false;

    // masks first, they want the largest alignment
    unsigned char *at = (unsigned char *)workspace->memory;
    at += (ALIGNMENT - (uintptr_t)at % ALIGNMENT) % ALIGNMENT;
    workspace->empty = (uint64_t *)(void *)at, at += s.masks;
    workspace->mine = (uint64_t *)(void *)at, at += s.masks * types;
    workspace->low = (uint64_t *)(void *)at, at += s.masks * types;
    workspace->watched = (uint64_t *)(void *)at, at += s.masks;
    workspace->watched_rows = (uint64_t *)(void *)at, at += s.rows;
    workspace->window.fields = (int32_t *)(void *)at, at += s.fields;
    workspace->window.radii = (int32_t *)(void *)at, at += s.radii;
    workspace->add_from = (int32_t *)(void *)at, at += s.types;
    workspace->remove_up_to = (int32_t *)(void *)at, at += s.types;
    workspace->is_kept = (bool *)at, at += s.flags;
    workspace->cells = at;
    return true;
}

void jbw_workspace_deinit(jbw_workspace *workspace)
{
    if (!workspace->plan) return;
    jbw_free(&workspace->plan->model->allocator, workspace->memory, workspace->memory_bytes);
    *workspace = (jbw_workspace){0};
}

size_t jbw_workspace_bytes(const jbw_workspace *workspace)
{
    return workspace->memory_bytes;
}

// ---- beginning ----

static size_t mask_size(const jbw_workspace *workspace)
{
    return (size_t)workspace->window.height * (size_t)(workspace->word_count + 1);
}

static uint64_t *mine_of(const jbw_workspace *workspace, int type)
{
    return workspace->mine + (size_t)type * mask_size(workspace);
}

static void fill_radii(jbw_workspace *workspace)
{
    const jbw_model *model = workspace->plan->model;
    const jbw_window *window = &workspace->window;
    for (int f = 0; f < model->column_function_count; f++) {
        int32_t *inner = window->radii + (ptrdiff_t)f * 2 * window->stride;
        int32_t *outer = inner + window->stride;
        for (int x = 0; x < window->stride; x++) {
            jbw_cross_hash_radii(model->column_functions[f], window->origin.x + x, &inner[x],
                                 &outer[x]);
            if (outer[x] < inner[x]) outer[x] = inner[x];
        }
    }
}

static int32_t to_int32(double value)
{
    return value > 2147483647.0 ? INT32_MAX : value < -2147483648.0 ? INT32_MIN : (int32_t)value;
}

// Masks only say where to look, so they may say too much: one unit is for rounding.
static void find_thresholds(const jbw_invariant_plan *plan, int type, jbw_position corner, int size,
                            int32_t *add_from, int32_t *remove_up_to)
{
    double least;
    double most;
    jbw_invariant_intensity_bounds(plan, type, corner, size, &least, &most);
    const double low = plan->types[type].low_energy;
    const double unit = plan->model->scales[type].unit;
    *add_from = to_int32(floor((low - most) / unit) - 1.0);
    *remove_up_to = to_int32(floor((-low - least) / unit) + 2.0);
}

static void choose_fields(jbw_workspace *workspace, jbw_workspace_scope scope)
{
    const jbw_model *model = workspace->plan->model;
    memset(workspace->is_kept, 0, (size_t)model->field_count * sizeof *workspace->is_kept);
    for (int t = 0; t < model->type_count; t++) {
        const jbw_invariant_role role = workspace->plan->types[t].role;
        if (role == JBW_ROLE_INDEPENDENT) continue;
        if (scope != JBW_SCOPE_ALL && (role == JBW_ROLE_FIRST) != (scope == JBW_SCOPE_FIRST))
            continue;
        workspace->is_kept[model->scales[t].field] = true;
        workspace->is_kept[model->scales[t].shared_field] = true;
    }
}

static void clear_fields(jbw_workspace *workspace)
{
    const jbw_window *window = &workspace->window;
    for (int f = 0; f < workspace->plan->model->field_count; f++)
        if (workspace->is_kept[f])
            memset(window->fields + f * window->field_stride, 0,
                   (size_t)window->field_stride * sizeof *window->fields);
}

void jbw_workspace_begin(jbw_workspace *workspace, jbw_position corner, int size,
                         jbw_workspace_scope scope)
{
    const jbw_model *model = workspace->plan->model;
    jbw_window *window = &workspace->window;
    const int64_t beyond = jbw_floor_modulo(corner.x, JBW_WORD);
    window->origin = (jbw_position){corner.x - beyond, corner.y};
    window->width = ((int)beyond + size + JBW_WORD - 1) / JBW_WORD * JBW_WORD;
    window->height = size;
    window->stride = pane_stride(window->width);
    window->field_stride = (ptrdiff_t)window->height * window->stride;
    workspace->word_count = window->width / JBW_WORD;
    choose_fields(workspace, scope);
    clear_fields(workspace);
    memset(workspace->cells, 0, (size_t)window->height * (size_t)window->width);
    fill_radii(workspace);
    for (int t = 0; t < model->type_count; t++)
        if (workspace->plan->types[t].role != JBW_ROLE_INDEPENDENT)
            find_thresholds(workspace->plan, t, window->origin, workspace->width_capacity,
                            &workspace->add_from[t], &workspace->remove_up_to[t]);
    jbw_workspace_stop_watching(workspace);
    for (size_t i = 0; i < mask_size(workspace); i++)
        workspace->empty[i] =
            i % (size_t)(workspace->word_count + 1) < (size_t)workspace->word_count ? UINT64_MAX
                                                                                    : 0;
    memset(workspace->mine, 0, (size_t)model->type_count * mask_size(workspace) * sizeof(uint64_t));
    jbw_workspace_shrink(
        workspace, (jbw_workspace_part){
                       .left = (int)beyond, .right = (int)beyond + size, .bottom = 0, .top = size});
}

void jbw_workspace_shrink(jbw_workspace *workspace, jbw_workspace_part part)
{
    workspace->active = part;
    workspace->stamped = workspace->window;
    workspace->stamped.origin.x += part.left;
    workspace->stamped.origin.y += part.bottom;
    workspace->stamped.width = part.right - part.left;
    workspace->stamped.height = part.top - part.bottom;
    workspace->stamped.fields += (ptrdiff_t)part.bottom * workspace->window.stride + part.left;
    if (workspace->stamped.radii) workspace->stamped.radii += part.left;
}

// an item has come or gone
static void flip_bits(jbw_workspace *workspace, int type, int x, int y)
{
    const size_t word = (size_t)y * (size_t)(workspace->word_count + 1) + (size_t)(x / JBW_WORD);
    const uint64_t bit = UINT64_C(1) << (x % JBW_WORD);
    workspace->empty[word] ^= bit;
    mine_of(workspace, type)[word] ^= bit;
}

static void put(jbw_workspace *workspace, int type, jbw_position cell)
{
    const int64_t x = cell.x - workspace->window.origin.x;
    const int64_t y = cell.y - workspace->window.origin.y;
    if (x < 0 || x >= workspace->window.width || y < 0 || y >= workspace->window.height) return;
    workspace->cells[y * workspace->window.width + x] = (uint8_t)(type + 1);
    flip_bits(workspace, type, (int)x, (int)y);
}

// adds what an item does to its surroundings: by edges, or the kernels that have none
static void feel(jbw_workspace *workspace, int type, jbw_position cell, bool by_edges)
{
    const jbw_model_item *item = &workspace->plan->model->items[type];
    for (int k = 0; k < item->kernel_count; k++) {
        const jbw_row_deltas *edges = &workspace->plan->edges[type][k];
        if (!workspace->is_kept[item->kernels[k].field]) continue;
        if (edges->edges && by_edges)
            jbw_row_deltas_stamp(edges, &item->kernels[k], &workspace->stamped, cell);
        else if (!edges->edges && !by_edges)
            jbw_kernel_stamp(&item->kernels[k], &workspace->stamped, cell, 1);
    }
}

void jbw_workspace_fill(jbw_workspace *workspace, jbw_position corner, int side,
                        const uint8_t *cells)
{
    for (int pass = 0; pass < 2; pass++) {
        // in strips, so that what one row touches is still in the processor's cache for the next
        for (int left = 0; left < side; left += STRIP) {
            const int right = left + STRIP < side ? left + STRIP : side;
            for (int y = 0; y < side; y++) {
                for (int x = left; x < right; x++) {
                    if (cells[y * side + x] == 0) continue;
                    const int type = cells[y * side + x] - 1;
                    const jbw_position cell = {corner.x + x, corner.y + y};
                    if (pass == 0) put(workspace, type, cell);
                    feel(workspace, type, cell, pass == 0);
                }
            }
        }
        for (int f = 0; f < workspace->plan->model->field_count && pass == 0; f++)
            if (workspace->is_kept[f]) jbw_row_deltas_sum(&workspace->stamped, f);
    }
}

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

jbw_workspace_part jbw_workspace_common(const jbw_workspace_part *a, const jbw_workspace_part *b)
{
    return (jbw_workspace_part){.left = clip(a->left, b->left, b->right),
                                .right = clip(a->right, b->left, b->right),
                                .bottom = clip(a->bottom, b->bottom, b->top),
                                .top = clip(a->top, b->bottom, b->top)};
}

void jbw_workspace_flip(jbw_workspace *workspace, int type, int x, int y)
{
    const jbw_model_item *item = &workspace->plan->model->items[type];
    uint8_t *cell = &workspace->cells[y * workspace->window.width + x];
    const bool adds = *cell == 0;
    *cell = (uint8_t)(adds ? type + 1 : 0);
    const jbw_position place = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++)
        if (workspace->is_kept[item->kernels[k].field])
            jbw_kernel_stamp(&item->kernels[k], &workspace->stamped, place, adds ? 1 : -1);
    flip_bits(workspace, type, x, y);
}

// ---- what is likely ----

jbw_gauge jbw_workspace_gauge(const jbw_workspace *workspace, int type)
{
    const jbw_energy_scale *scale = &workspace->plan->model->scales[type];
    return (jbw_gauge){
        .own = workspace->window.fields + scale->field * workspace->window.field_stride,
        .shared = workspace->window.fields + scale->shared_field * workspace->window.field_stride,
        .factor = scale->shared_factor,
        .add_from = workspace->add_from[type],
        .remove_up_to = workspace->remove_up_to[type],
        .stride = workspace->window.stride,
        .mask_stride = workspace->word_count + 1,
        .empty = workspace->empty,
        .mine = mine_of(workspace, type),
    };
}

void jbw_workspace_narrow_gauge(const jbw_workspace *workspace, int type, int x, int y, int size,
                                jbw_gauge *gauge)
{
    const jbw_position corner = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    if (workspace->plan->types[type].is_constant) return;
    find_thresholds(workspace->plan, type, corner, size, &gauge->add_from, &gauge->remove_up_to);
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

// those of CHUNK cells that hold the type and may lose it; `mine` are the ones that hold it
JBW_INLINE uint32_t removals_at(const jbw_gauge *g, int x, int y, uint32_t mine)
{
    uint32_t bits = 0;
    const ptrdiff_t at = y * g->stride + x;
    for (; mine != 0; mine &= mine - 1) {
        const int i = jbw_lowest_bit(mine);
        const int32_t value =
            (int32_t)((uint32_t)g->own[at + i] + (uint32_t)g->shared[at + i] * (uint32_t)g->factor);
        if (value <= g->remove_up_to) bits |= mine & (0 - mine);
    }
    return bits;
}

JBW_INLINE uint32_t additions_at(const jbw_gauge *g, int x, int y, uint32_t empty)
{
    const ptrdiff_t at = y * g->stride + x;
    return compare(g->own + at, g->shared + at, g->factor, g->add_from) & empty;
}

// static, since clang does not find wide functions of other files
JBW_SIMD_CLONES
static uint64_t find_likely(const jbw_gauge *g, int x, int y, uint64_t cells)
{
    const uint64_t empty = jbw_bits_from(g->empty + y * g->mask_stride, x) & cells;
    const uint64_t mine = jbw_bits_from(g->mine + y * g->mask_stride, x) & cells;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD; i += CHUNK) {
        const uint32_t adds = empty >> i & CHUNK_BITS;
        const uint32_t removes = mine >> i & CHUNK_BITS;
        if (adds != 0) bits |= (uint64_t)additions_at(g, x + i, y, adds) << i;
        if (removes != 0) bits |= (uint64_t)removals_at(g, x + i, y, removes) << i;
    }
    return bits;
}

uint64_t jbw_gauge_find_likely(const jbw_gauge *gauge, int x, int y, uint64_t cells)
{
    return find_likely(gauge, x, y, cells);
}

// ---- watching one type ----

uint64_t jbw_bits_between(int word, int left, int right)
{
    const int first = clip(left - word * JBW_WORD, 0, JBW_WORD);
    const int end = clip(right - word * JBW_WORD, 0, JBW_WORD);
    if (first >= end) return 0;
    return (UINT64_MAX >> (JBW_WORD - (end - first))) << first;
}

// those of a word, of `inside` only
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

static uint64_t find_removals(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t mine = g->mine[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD && mine != 0; i += CHUNK)
        bits |= (uint64_t)removals_at(g, word * JBW_WORD + i, y, mine >> i & CHUNK_BITS) << i;
    return bits;
}

// Keeps the bits of a row that are still likely. Others need not be looked for: whenever there are
// any, one is told.
static void tidy_row(jbw_workspace *workspace, const jbw_gauge *g, int y)
{
    const jbw_workspace_part *active = &workspace->active;
    uint64_t *row = workspace->watched + y * g->mask_stride;
    uint64_t any = 0;
    for (int word = 0; word < workspace->word_count; word++) {
        if (row[word] == 0) continue;
        const uint64_t inside = row[word] & jbw_bits_between(word, active->left, active->right);
        row[word] = find_additions(g, word, y, inside) | find_removals(g, word, y, inside);
        any |= row[word];
    }
    const uint64_t flag = UINT64_C(1) << (y % JBW_WORD);
    if (any != 0)
        workspace->watched_rows[y / JBW_WORD] |= flag;
    else
        workspace->watched_rows[y / JBW_WORD] &= ~flag;
}

void jbw_workspace_stop_watching(jbw_workspace *workspace)
{
    workspace->watched_type = -1;
}

void jbw_workspace_watch(jbw_workspace *workspace, int type)
{
    if (workspace->watched_type != type) {
        memset(workspace->watched, 255, mask_size(workspace) * sizeof *workspace->watched);
        memset(workspace->watched_rows, 255,
               row_words(workspace->capacity) * sizeof *workspace->watched_rows);
    }
    workspace->watched_type = type;
    jbw_workspace_tidy(workspace);
}

int jbw_workspace_next_row(const jbw_workspace *workspace, int y)
{
    while (y < workspace->active.top) {
        const uint64_t left = workspace->watched_rows[y / JBW_WORD] >> (y % JBW_WORD);
        if (left == 0) {
            y = (y / JBW_WORD + 1) * JBW_WORD;
            continue;
        }
        y += jbw_lowest_bit(left);
        return y < workspace->active.top ? y : workspace->active.top;
    }
    return workspace->active.top;
}

void jbw_workspace_tidy(jbw_workspace *workspace)
{
    const jbw_gauge g = jbw_workspace_gauge(workspace, workspace->watched_type);
    for (int y = jbw_workspace_next_row(workspace, workspace->active.bottom);
         y < workspace->active.top; y = jbw_workspace_next_row(workspace, y + 1))
        tidy_row(workspace, &g, y);
}

// tells what has become likely in some columns of a word
static inline void watch_word(jbw_workspace *workspace, const jbw_gauge *g, int word, int y,
                              uint64_t bits, jbw_workspace_fresh *fresh, void *user)
{
    if (bits == 0) return;
    workspace->watched[y * g->mask_stride + word] |= bits;
    workspace->watched_rows[y / JBW_WORD] |= UINT64_C(1) << (y % JBW_WORD);
    fresh(user, word, y, bits);
}

// where energies went up: comparing them is what takes time, so no more are than need be
static void watch_additions(jbw_workspace *workspace, const jbw_invariant_extent *extent, int x,
                            int y, jbw_workspace_fresh *fresh, void *user)
{
    const jbw_gauge g = jbw_workspace_gauge(workspace, workspace->watched_type);
    const jbw_workspace_part *active = &workspace->active;
    const int first = clip(y - extent->reach, active->bottom, active->top);
    const int end = clip(y + extent->reach + 1, active->bottom, active->top);
    for (int row = first; row < end; row++) {
        const int width = extent->widths[row - y + extent->reach];
        const int left = clip(x - width, active->left, active->right);
        const int right = clip(x + width + 1, active->left, active->right);
        for (int word = left / JBW_WORD; word * JBW_WORD < right && left < right; word++) {
            const uint64_t inside = jbw_bits_between(word, left, right) &
                                    ~workspace->watched[row * g.mask_stride + word];
            watch_word(workspace, &g, word, row, find_additions(&g, word, row, inside), fresh,
                       user);
        }
    }
}

// where they went down, which matters in few cells
static void watch_removals(jbw_workspace *workspace, const jbw_invariant_extent *extent, int x,
                           int y, jbw_workspace_fresh *fresh, void *user)
{
    const jbw_gauge g = jbw_workspace_gauge(workspace, workspace->watched_type);
    const int reach = extent->reach;
    const jbw_workspace_part near = {x - reach, x + reach + 1, y - reach, y + reach + 1};
    const jbw_workspace_part part = jbw_workspace_common(&near, &workspace->active);
    for (int word = part.left / JBW_WORD; word * JBW_WORD < part.right; word++) {
        const uint64_t inside = jbw_bits_between(word, part.left, part.right);
        for (int row = part.bottom; row < part.top; row++) {
            const ptrdiff_t at = row * g.mask_stride + word;
            const uint64_t mine = g.mine[at] & inside & ~workspace->watched[at];
            if (mine != 0)
                watch_word(workspace, &g, word, row, find_removals(&g, word, row, mine), fresh,
                           user);
        }
    }
}

void jbw_workspace_watch_change(jbw_workspace *workspace, int x, int y, jbw_workspace_fresh *fresh,
                                void *user)
{
    // where energies went up, others may now come; where they went down, they may go; and in the
    // cell itself all is different
    const jbw_invariant_plan *plan = workspace->plan;
    const jbw_invariant_effect *effect =
        &plan->effects[workspace->watched_type * plan->model->type_count + workspace->watched_type];
    const bool added = workspace->cells[y * workspace->window.width + x] != 0;
    watch_additions(workspace, added ? &effect->up : &effect->down, x, y, fresh, user);
    watch_removals(workspace, added ? &effect->down : &effect->up, x, y, fresh, user);
}
