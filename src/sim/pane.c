// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/pane.h"

#include <math.h>
#include <string.h>

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/wide.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// ---- memory ----

enum { WORD = 64, ALIGNMENT = 64 };

static int pane_stride(int capacity)
{
    return capacity + 3 * JBW_RUN; // no power of two, so that rows do not fight for cache lines
}

// words with one bit for each row
static size_t row_words(int height)
{
    return (size_t)((height + WORD - 1) / WORD);
}

typedef struct sizes {
    size_t fields, radii, masks, rows, findings, types, cells;
} sizes;

static sizes find_sizes(const jbw_model *model, int width, int height)
{
    const size_t rows = (size_t)height;
    const size_t words = (size_t)(width / WORD);
    const size_t stride = (size_t)pane_stride(width);
    return (sizes){
        .fields = ((size_t)model->field_count * rows * stride + JBW_RUN) * sizeof(int32_t),
        .radii = (size_t)model->column_function_count * 2 * stride * sizeof(int32_t),
        .masks = rows * words * sizeof(uint64_t),
        .rows = row_words(height) * sizeof(uint64_t),
        .findings = rows * words * sizeof(jbw_pane_finding),
        .types = (size_t)model->type_count * sizeof(int32_t),
        .cells = rows * (size_t)width,
    };
}

bool jbw_pane_init(jbw_pane *pane, const jbw_invariant_plan *plan, int capacity)
{
    const jbw_model *model = plan->model;
    *pane = (jbw_pane){.plan = plan, .capacity = capacity};
    pane->width_capacity = (capacity + 2 * (WORD - 1)) / WORD * WORD;
    const sizes s = find_sizes(model, pane->width_capacity, capacity);
    const size_t types = (size_t)model->type_count;
    pane->memory_bytes = (1 + 2 * types) * s.masks + types * s.rows + s.findings + s.fields +
                         s.radii + 2 * s.types + s.cells + ALIGNMENT;
    pane->memory = jbw_alloc(&model->allocator, pane->memory_bytes);
    if (!pane->memory) return false;

    // masks first, they want the largest alignment
    unsigned char *at = (unsigned char *)pane->memory;
    at += (ALIGNMENT - (uintptr_t)at % ALIGNMENT) % ALIGNMENT;
    pane->empty = (uint64_t *)(void *)at, at += s.masks;
    pane->mine = (uint64_t *)(void *)at, at += s.masks * types;
    pane->likely = (uint64_t *)(void *)at, at += s.masks * types;
    pane->rows = (uint64_t *)(void *)at, at += s.rows * types;
    pane->findings = (jbw_pane_finding *)(void *)at, at += s.findings;
    pane->window.fields = (int32_t *)(void *)at, at += s.fields;
    pane->window.radii = (int32_t *)(void *)at, at += s.radii;
    pane->add_from = (int32_t *)(void *)at, at += s.types;
    pane->remove_up_to = (int32_t *)(void *)at, at += s.types;
    pane->cells = at;
    return true;
}

void jbw_pane_deinit(jbw_pane *pane)
{
    if (!pane->plan) return;
    jbw_free(&pane->plan->model->allocator, pane->memory, pane->memory_bytes);
    *pane = (jbw_pane){0};
}

size_t jbw_pane_bytes(const jbw_pane *pane)
{
    return pane->memory_bytes;
}

// ---- beginning ----

static size_t mask_size(const jbw_pane *pane)
{
    return (size_t)pane->window.height * (size_t)pane->word_count;
}

static uint64_t *mask_of(const jbw_pane *pane, uint64_t *masks, int type)
{
    return masks + (size_t)type * mask_size(pane);
}

static void fill_radii(jbw_pane *pane)
{
    const jbw_model *model = pane->plan->model;
    const jbw_window *window = &pane->window;
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
static void find_thresholds(jbw_pane *pane)
{
    const jbw_invariant_plan *plan = pane->plan;
    for (int t = 0; t < plan->model->type_count; t++) {
        const jbw_invariant_type *type = &plan->types[t];
        if (type->role == JBW_ROLE_FREE) continue;
        double least;
        double most;
        jbw_invariant_intensity_bounds(plan, t, pane->window.origin, pane->width_capacity, &least,
                                       &most);
        const double low = jbw_log(type->low_bound);
        const double unit = plan->model->scales[t].unit;
        pane->add_from[t] = to_int32(floor((low - most) / unit) - 1.0);
        pane->remove_up_to[t] = to_int32(floor((-low - least) / unit) + 2.0);
    }
}

void jbw_pane_begin(jbw_pane *pane, jbw_position corner, int size)
{
    const jbw_model *model = pane->plan->model;
    jbw_window *window = &pane->window;
    const int64_t beyond = jbw_floor_modulo(corner.x, WORD);
    window->origin = (jbw_position){corner.x - beyond, corner.y};
    window->width = ((int)beyond + size + WORD - 1) / WORD * WORD;
    window->height = size;
    window->stride = pane_stride(window->width);
    window->field_stride = (ptrdiff_t)window->height * window->stride;
    pane->word_count = window->width / WORD;
    memset(window->fields, 0,
           (size_t)model->field_count * (size_t)window->field_stride * sizeof(int32_t));
    memset(pane->cells, 0, (size_t)window->height * (size_t)window->width);
    fill_radii(pane);
    find_thresholds(pane);
    memset(pane->empty, 255, mask_size(pane) * sizeof(uint64_t));
    memset(pane->mine, 0, (size_t)model->type_count * mask_size(pane) * sizeof(uint64_t));
    jbw_pane_shrink(
        pane, (jbw_pane_part){
                  .left = (int)beyond, .right = (int)beyond + size, .bottom = 0, .top = size});
}

void jbw_pane_shrink(jbw_pane *pane, jbw_pane_part part)
{
    pane->active = part;
    pane->stamped = pane->window;
    pane->stamped.origin.x += part.left;
    pane->stamped.origin.y += part.bottom;
    pane->stamped.width = part.right - part.left;
    pane->stamped.height = part.top - part.bottom;
    pane->stamped.fields += (ptrdiff_t)part.bottom * pane->window.stride + part.left;
    if (pane->stamped.radii) pane->stamped.radii += part.left;
}

// an item has come or gone
static void flip_bits(jbw_pane *pane, int type, int x, int y)
{
    const size_t word = (size_t)y * (size_t)pane->word_count + (size_t)(x / WORD);
    const uint64_t bit = UINT64_C(1) << (x % WORD);
    pane->empty[word] ^= bit;
    mask_of(pane, pane->mine, type)[word] ^= bit;
}

static void put(jbw_pane *pane, int type, jbw_position cell)
{
    const int64_t x = cell.x - pane->window.origin.x;
    const int64_t y = cell.y - pane->window.origin.y;
    if (x < 0 || x >= pane->window.width || y < 0 || y >= pane->window.height) return;
    pane->cells[y * pane->window.width + x] = (uint8_t)(type + 1);
    flip_bits(pane, type, (int)x, (int)y);
}

void jbw_pane_fill(jbw_pane *pane, jbw_position corner, int side, const uint8_t *cells)
{
    // first all kernels whose edges are known, then the others
    const jbw_model *model = pane->plan->model;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < side * side; i++) {
            if (cells[i] == 0) continue;
            const int type = cells[i] - 1;
            const jbw_position cell = {corner.x + i % side, corner.y + i / side};
            const jbw_model_item *item = &model->items[type];
            if (pass == 0) put(pane, type, cell);
            for (int k = 0; k < item->kernel_count; k++) {
                const jbw_edges *edges = &pane->plan->edges[type][k];
                if (edges->edges && pass == 0)
                    jbw_edges_stamp(edges, &item->kernels[k], &pane->stamped, cell);
                else if (!edges->edges && pass == 1)
                    jbw_kernel_stamp(&item->kernels[k], &pane->stamped, cell, 1);
            }
        }
        if (pass == 0) jbw_edges_sum(&pane->stamped, model->field_count);
    }
}

// ---- masks ----

// the energies of one type, and from where on something is likely
typedef struct gauge {
    const int32_t *own;
    const int32_t *shared;
    int32_t factor;
    int32_t add_from;
    int32_t remove_up_to;
    ptrdiff_t stride;
    int word_count;
    const uint64_t *empty;
    const uint64_t *mine;
    uint64_t *likely;
    uint64_t *rows;
} gauge;

static gauge make_gauge(jbw_pane *pane, int type)
{
    const jbw_energy_scale *scale = &pane->plan->model->scales[type];
    return (gauge){
        .own = pane->window.fields + scale->field * pane->window.field_stride,
        .shared = pane->window.fields + scale->shared_field * pane->window.field_stride,
        .factor = scale->shared_factor,
        .add_from = pane->add_from[type],
        .remove_up_to = pane->remove_up_to[type],
        .stride = pane->window.stride,
        .word_count = pane->word_count,
        .empty = pane->empty,
        .mine = mask_of(pane, pane->mine, type),
        .likely = mask_of(pane, pane->likely, type),
        .rows = pane->rows + (size_t)type * row_words(pane->capacity),
    };
}

// bit i is set if value i of a run is at least `from`
JBW_INLINE uint32_t compare_run(const int32_t *own, const int32_t *shared, int32_t factor,
                                int32_t from)
{
#if JBW_HAS_RUNS && defined(__SSE2__)
    jbw_unsigned_run sum = *(const jbw_unsigned_run *)own;
    if (factor != 0) sum += *(const jbw_unsigned_run *)shared * (uint32_t)factor;
    const jbw_run adds = (jbw_run)sum >= from;
    __m128i parts[2];
    memcpy(parts, &adds, sizeof adds);
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(parts[0])) |
           (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(parts[1])) << 4;
#else
    uint32_t bits = 0;
    for (int i = 0; i < JBW_RUN; i++) {
        const int32_t value = (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)factor);
        bits |= (uint32_t)(value >= from) << i;
    }
    return bits;
#endif
}

// bits of the cells that hold the type and may lose it
static uint64_t likely_removals(const gauge *g, int word, int y, uint64_t mine)
{
    uint64_t bits = 0;
    while (mine != 0) {
        const uint64_t lowest = mine & (0 - mine);
        const ptrdiff_t at = y * g->stride + (ptrdiff_t)word * WORD + jbw_lowest_bit(mine);
        const int32_t value =
            (int32_t)((uint32_t)g->own[at] + (uint32_t)g->shared[at] * (uint32_t)g->factor);
        if (value <= g->remove_up_to) bits |= lowest;
        mine ^= lowest;
    }
    return bits;
}

JBW_INLINE uint64_t likely_additions(const gauge *g, int word, int y, int first_run, int end_run)
{
    uint64_t bits = 0;
    const ptrdiff_t at = y * g->stride + (ptrdiff_t)word * WORD;
    for (int run = first_run; run < end_run; run++)
        bits |= (uint64_t)compare_run(g->own + at + run * JBW_RUN, g->shared + at + run * JBW_RUN,
                                      g->factor, g->add_from)
                << (run * JBW_RUN);
    return bits;
}

JBW_WIDE
static void refresh_row(const gauge *g, int first_word, int end_word, int y)
{
    uint64_t any = 0;
    for (int word = first_word; word < end_word; word++) {
        const ptrdiff_t at = (ptrdiff_t)y * g->word_count + word;
        uint64_t bits = 0;
        if (g->empty[at] != 0)
            bits = likely_additions(g, word, y, 0, WORD / JBW_RUN) & g->empty[at];
        if (g->mine[at] != 0) bits |= likely_removals(g, word, y, g->mine[at]);
        g->likely[at] = bits;
        any |= bits;
    }
    const uint64_t flag = UINT64_C(1) << (y % WORD);
    if (any != 0)
        g->rows[y / WORD] |= flag;
    else
        g->rows[y / WORD] &= ~flag;
}

void jbw_pane_refresh(jbw_pane *pane)
{
    const jbw_pane_part *active = &pane->active;
    for (int t = 0; t < pane->plan->model->type_count; t++) {
        if (pane->plan->types[t].role == JBW_ROLE_FREE) continue;
        const gauge g = make_gauge(pane, t);
        for (int y = active->bottom; y < active->top; y++)
            refresh_row(&g, active->left / WORD, (active->right + WORD - 1) / WORD, y);
    }
}

int jbw_pane_next_row(const jbw_pane *pane, int type, int y)
{
    const uint64_t *rows = pane->rows + (size_t)type * row_words(pane->capacity);
    while (y < pane->active.top) {
        const uint64_t left = rows[y / WORD] >> (y % WORD);
        if (left == 0) {
            y = (y / WORD + 1) * WORD;
            continue;
        }
        y += jbw_lowest_bit(left);
        return y < pane->active.top ? y : pane->active.top;
    }
    return pane->active.top;
}

void jbw_pane_tidy(jbw_pane *pane, int type)
{
    const jbw_pane_part *active = &pane->active;
    const gauge g = make_gauge(pane, type);
    for (int y = jbw_pane_next_row(pane, type, active->bottom); y < active->top;
         y = jbw_pane_next_row(pane, type, y + 1))
        refresh_row(&g, active->left / WORD, (active->right + WORD - 1) / WORD, y);
}

// ---- changes ----

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// the active cells around one, up to some distance
static jbw_pane_part around(const jbw_pane *pane, int x, int y, int reach)
{
    const jbw_pane_part *active = &pane->active;
    return (jbw_pane_part){.left = clip(x - reach, active->left, active->right),
                           .right = clip(x + reach + 1, active->left, active->right),
                           .bottom = clip(y - reach, active->bottom, active->top),
                           .top = clip(y + reach + 1, active->bottom, active->top)};
}

// the bits of a word between two columns
static uint64_t bits_between(int word, int left, int right)
{
    const int first = clip(left - word * WORD, 0, WORD);
    const int end = clip(right - word * WORD, 0, WORD);
    if (first >= end) return 0;
    return (UINT64_MAX >> (WORD - (end - first))) << first;
}

// Lists the cells of a part to which the type may now be added and that were not likely before.
// Returns how many words have such; there is room for all of a part.
JBW_WIDE
static int find_additions(const gauge *g, const jbw_pane_part *part, jbw_pane_finding *found)
{
    int count = 0;
    for (int word = part->left / WORD; word * WORD < part->right; word++) {
        const int first_run = clip(part->left - word * WORD, 0, WORD) / JBW_RUN;
        const int end_run = (clip(part->right - word * WORD, 0, WORD) + JBW_RUN - 1) / JBW_RUN;
        for (int y = part->bottom; y < part->top; y++) {
            const ptrdiff_t at = (ptrdiff_t)y * g->word_count + word;
            const uint64_t bits =
                likely_additions(g, word, y, first_run, end_run) & g->empty[at] & ~g->likely[at];
            if (bits == 0) continue;
            found[count++] = (jbw_pane_finding){.word = word, .y = y, .bits = bits};
        }
    }
    return count;
}

static int find_removals(const gauge *g, const jbw_pane_part *part, jbw_pane_finding *found)
{
    int count = 0;
    for (int word = part->left / WORD; word * WORD < part->right; word++) {
        const uint64_t inside = bits_between(word, part->left, part->right);
        for (int y = part->bottom; y < part->top; y++) {
            const ptrdiff_t at = (ptrdiff_t)y * g->word_count + word;
            const uint64_t mine = g->mine[at] & inside & ~g->likely[at];
            if (mine == 0) continue;
            const uint64_t bits = likely_removals(g, word, y, mine);
            if (bits != 0) found[count++] = (jbw_pane_finding){.word = word, .y = y, .bits = bits};
        }
    }
    return count;
}

static void tell(const gauge *g, int type, const jbw_pane_finding *found, int count,
                 jbw_pane_fresh *fresh, void *user)
{
    for (int i = 0; i < count; i++) {
        g->likely[(ptrdiff_t)found[i].y * g->word_count + found[i].word] |= found[i].bits;
        g->rows[found[i].y / WORD] |= UINT64_C(1) << (found[i].y % WORD);
        fresh(user, type, found[i].word, found[i].y, found[i].bits);
    }
}

void jbw_pane_flip(jbw_pane *pane, int type, int x, int y, jbw_pane_fresh *fresh, void *user)
{
    const jbw_model *model = pane->plan->model;
    const jbw_model_item *item = &model->items[type];
    uint8_t *cell = &pane->cells[y * pane->window.width + x];
    const bool adds = *cell == 0;
    *cell = (uint8_t)(adds ? type + 1 : 0);
    const jbw_position place = {pane->window.origin.x + x, pane->window.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++)
        jbw_kernel_stamp(&item->kernels[k], &pane->stamped, place, adds ? 1 : -1);
    flip_bits(pane, type, x, y);

    // where energies went up, others may now come; where they went down, they may go; and in the
    // cell itself all is different
    jbw_pane_finding *found = pane->findings;
    for (int t = 0; t < model->type_count; t++) {
        if (pane->plan->types[t].role == JBW_ROLE_FREE) continue;
        const jbw_invariant_effect *effect = &pane->plan->effects[type * model->type_count + t];
        const int up = adds ? effect->reach_up : effect->reach_down;
        const int down = adds ? effect->reach_down : effect->reach_up;
        const gauge g = make_gauge(pane, t);
        if (up > 0 || !adds) {
            const jbw_pane_part part = around(pane, x, y, up);
            tell(&g, t, found, find_additions(&g, &part, found), fresh, user);
        }
        if (down > 0 || t == type) {
            const jbw_pane_part part = around(pane, x, y, down);
            tell(&g, t, found, find_removals(&g, &part, found), fresh, user);
        }
    }
}
