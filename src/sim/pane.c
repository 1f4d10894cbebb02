// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/pane.h"

#include <math.h>
#include <string.h>

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

typedef struct sizes {
    size_t fields, radii, masks, types, cells;
} sizes;

static sizes find_sizes(const jbw_model *model, int capacity)
{
    const size_t side = (size_t)capacity;
    const size_t stride = (size_t)pane_stride(capacity);
    return (sizes){
        .fields = ((size_t)model->field_count * side * stride + JBW_RUN) * sizeof(int32_t),
        .radii = (size_t)model->column_function_count * 2 * stride * sizeof(int32_t),
        .masks = side * (side / WORD) * sizeof(uint64_t),
        .types = (size_t)model->type_count * sizeof(int32_t),
        .cells = side * side,
    };
}

bool jbw_pane_init(jbw_pane *pane, const jbw_invariant_plan *plan, int capacity)
{
    const jbw_model *model = plan->model;
    *pane = (jbw_pane){.plan = plan, .capacity = capacity};
    const sizes s = find_sizes(model, capacity);
    const size_t types = (size_t)model->type_count;
    pane->memory_bytes =
        (2 + 2 * types) * s.masks + s.fields + s.radii + 2 * s.types + s.cells + ALIGNMENT;
    pane->memory = jbw_alloc(&model->allocator, pane->memory_bytes);
    if (!pane->memory) return false;

    // masks first, they want the largest alignment
    unsigned char *at = (unsigned char *)pane->memory;
    at += (ALIGNMENT - (uintptr_t)at % ALIGNMENT) % ALIGNMENT;
    pane->empty = (uint64_t *)(void *)at, at += s.masks;
    pane->fresh = (uint64_t *)(void *)at, at += s.masks;
    pane->mine = (uint64_t *)(void *)at, at += s.masks * types;
    pane->likely = (uint64_t *)(void *)at, at += s.masks * types;
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
        jbw_invariant_intensity_bounds(plan, t, pane->window.origin, pane->capacity, &least, &most);
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
    const int64_t beyond = (corner.x % WORD + WORD) % WORD;
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
    pane->has_masks = false;
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

void jbw_pane_put(jbw_pane *pane, int type, jbw_position cell)
{
    const jbw_model_item *item = &pane->plan->model->items[type];
    const int64_t x = cell.x - pane->window.origin.x;
    const int64_t y = cell.y - pane->window.origin.y;
    if (x >= 0 && x < pane->window.width && y >= 0 && y < pane->window.height)
        pane->cells[y * pane->window.width + x] = (uint8_t)(type + 1);
    for (int k = 0; k < item->kernel_count; k++)
        jbw_kernel_stamp(&item->kernels[k], &pane->stamped, cell, 1);
}

// ---- masks ----

static size_t mask_size(const jbw_pane *pane)
{
    return (size_t)pane->window.height * (size_t)pane->word_count;
}

static uint64_t *mask_of(const jbw_pane *pane, uint64_t *masks, int type)
{
    return masks + (size_t)type * mask_size(pane);
}

/// What the masks of one type are made from.
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
    uint64_t *fresh;
} gauge;

// bit i is set if value i of a run is at least `from`, bit 8 + i if it is at most `up_to`
JBW_INLINE uint32_t compare_run(const int32_t *own, const int32_t *shared, int32_t factor,
                                int32_t from, int32_t up_to)
{
#if JBW_HAS_RUNS && defined(__SSE2__)
    const jbw_unsigned_run sum =
        *(const jbw_unsigned_run *)own + *(const jbw_unsigned_run *)shared * (uint32_t)factor;
    const jbw_run value = (jbw_run)sum;
    const jbw_run adds = value >= from;
    const jbw_run removes = value <= up_to;
    __m128i parts[4];
    memcpy(parts, &adds, sizeof adds);
    memcpy(parts + 2, &removes, sizeof removes);
    return (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_packs_epi32(parts[0], parts[1]), _mm_packs_epi32(parts[2], parts[3])));
#else
    uint32_t bits = 0;
    for (int i = 0; i < JBW_RUN; i++) {
        const int32_t value = (int32_t)((uint32_t)own[i] + (uint32_t)shared[i] * (uint32_t)factor);
        bits |= (uint32_t)(value >= from) << i | (uint32_t)(value <= up_to) << (JBW_RUN + i);
    }
    return bits;
#endif
}

// Works out the masks of one type in a rectangle whose columns are runs. True if any bit is new.
JBW_WIDE
static bool refresh_rectangle(const gauge *g, int first_run, int end_run, int bottom, int top)
{
    uint64_t any = 0;
    for (int y = bottom; y < top; y++) {
        const int32_t *own = g->own + y * g->stride;
        const int32_t *shared = g->shared + y * g->stride;
        const ptrdiff_t row = (ptrdiff_t)y * g->word_count;
        int run = first_run;
        while (run < end_run) {
            const int word = run / JBW_RUN;
            const int first_bit = run % JBW_RUN * JBW_RUN;
            uint64_t adds = 0;
            uint64_t removes = 0;
            for (; run < end_run && run / JBW_RUN == word; run++) {
                const uint32_t bits =
                    compare_run(own + (ptrdiff_t)run * JBW_RUN, shared + (ptrdiff_t)run * JBW_RUN,
                                g->factor, g->add_from, g->remove_up_to);
                adds |= (uint64_t)(bits & 255) << (run % JBW_RUN * JBW_RUN);
                removes |= (uint64_t)(bits >> 8) << (run % JBW_RUN * JBW_RUN);
            }
            const int bit_count = (run - 1) % JBW_RUN * JBW_RUN + JBW_RUN - first_bit;
            const uint64_t seen = (UINT64_MAX >> (WORD - bit_count)) << first_bit;
            const uint64_t before = g->likely[row + word];
            const uint64_t now = (adds & g->empty[row + word]) | (removes & g->mine[row + word]);
            g->likely[row + word] = (before & ~seen) | now;
            g->fresh[row + word] = now & ~before;
            any |= now & ~before;
        }
    }
    return any != 0;
}

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
        .fresh = pane->fresh,
    };
}

void jbw_pane_make_masks(jbw_pane *pane)
{
    const int types = pane->plan->model->type_count;
    memset(pane->empty, 0, mask_size(pane) * sizeof(uint64_t));
    memset(pane->mine, 0, (size_t)types * mask_size(pane) * sizeof(uint64_t));
    memset(pane->likely, 0, (size_t)types * mask_size(pane) * sizeof(uint64_t));
    for (int y = 0; y < pane->window.height; y++) {
        for (int x = 0; x < pane->window.width; x++) {
            const int cell = pane->cells[y * pane->window.width + x];
            uint64_t *mask = cell == 0 ? pane->empty : mask_of(pane, pane->mine, cell - 1);
            mask[y * pane->word_count + x / WORD] |= UINT64_C(1) << (x % WORD);
        }
    }
    for (int t = 0; t < types; t++) {
        if (pane->plan->types[t].role == JBW_ROLE_FREE) continue;
        const gauge g = make_gauge(pane, t);
        refresh_rectangle(&g, pane->active.left / JBW_RUN,
                          (pane->active.right + JBW_RUN - 1) / JBW_RUN, pane->active.bottom,
                          pane->active.top);
    }
    pane->has_masks = true;
}

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static void refresh_type(jbw_pane *pane, int type, int x, int y, int reach, jbw_pane_fresh *fresh,
                         void *user)
{
    const jbw_pane_part *active = &pane->active;
    const int left = clip(x - reach, active->left, active->right);
    const int right = clip(x + reach + 1, active->left, active->right);
    const int bottom = clip(y - reach, active->bottom, active->top);
    const int top = clip(y + reach + 1, active->bottom, active->top);
    if (left >= right || bottom >= top) return;
    const gauge g = make_gauge(pane, type);
    const bool any =
        refresh_rectangle(&g, left / JBW_RUN, (right + JBW_RUN - 1) / JBW_RUN, bottom, top);
    if (!any || !fresh) return;
    fresh(
        pane, type,
        (jbw_pane_part){
            .left = left / WORD, .right = (right + WORD - 1) / WORD, .bottom = bottom, .top = top},
        user);
}

static bool reads_field(const jbw_energy_scale *scale, int field)
{
    return scale->field == field || scale->shared_field == field;
}

// how far an item of type `source` changes the energy of type `target`, or zero
static int find_reach(const jbw_model *model, int source, int target)
{
    const jbw_model_item *item = &model->items[source];
    int reach = 0;
    for (int k = 0; k < item->kernel_count; k++) {
        const jbw_kernel *kernel = &item->kernels[k];
        if (reads_field(&model->scales[target], kernel->field) && kernel->reach > reach)
            reach = kernel->reach;
    }
    return reach;
}

void jbw_pane_flip(jbw_pane *pane, int type, int x, int y, jbw_pane_fresh *fresh, void *user)
{
    const jbw_model *model = pane->plan->model;
    const jbw_model_item *item = &model->items[type];
    uint8_t *cell = &pane->cells[y * pane->window.width + x];
    const int sign = *cell == 0 ? 1 : -1;
    *cell = (uint8_t)(*cell == 0 ? type + 1 : 0);
    const jbw_position place = {pane->window.origin.x + x, pane->window.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++)
        jbw_kernel_stamp(&item->kernels[k], &pane->stamped, place, sign);
    if (!pane->has_masks) return;

    const size_t word = (size_t)(y * pane->word_count + x / WORD);
    const uint64_t bit = UINT64_C(1) << (x % WORD);
    pane->empty[word] ^= bit;
    mask_of(pane, pane->mine, type)[word] ^= bit;
    for (int t = 0; t < model->type_count; t++) {
        if (pane->plan->types[t].role == JBW_ROLE_FREE) continue;
        refresh_type(pane, t, x, y, find_reach(model, type, t), fresh, user);
    }
}
