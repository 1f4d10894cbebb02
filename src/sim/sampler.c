// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sampler.h"

#include <math.h>
#include <string.h>

#include "base/dmath.h"
#include "sim/change.h"

#if defined(__GNUC__)
#define JBW_PREFETCH(address) __builtin_prefetch(address)
#else
#define JBW_PREFETCH(address) ((void)(address))
#endif

/// What a site is about to do. Drawn for all sites before any of them is decided, so that the
/// memory of one is on its way while another is worked on: what a proposal is depends on its own
/// patch alone, only its energy depends on the others.
typedef struct proposal {
    uint32_t item; // the item to remove, or the cell to add to: 256 y + x
    uint32_t type;
    uint64_t bits;         // decide: a uniform number of 53 bits
    const int32_t *energy; // where the type's field has this cell
    double sign;           // 1 for an addition, -1 for a removal
    double log_add_odds;   // of the larger of the two states
} proposal;

struct jbw_site {
    jbw_rng stream;
    uint8_t *cells;  // of the patch
    uint16_t *items; // (item_count): 256 y + x of each item
    uint32_t item_count;
    int32_t row_stride; // of the window
    ptrdiff_t field_stride;
    bool has_proposal;
    proposal next;

    // what only accepted proposals need
    jbw_window window;
    uint16_t *ranks;             // (patch_size x patch_size): the place of a cell's item in items
    jbw_patch *patch;            // NULL: the window is free
    uint64_t round;              // the last one that it was part of
    const jbw_window *around[9]; // the windows of its neighbours and its own, row by row; or NULL
};

enum {
    SITES_AT_LEAST = 16, // what one agent needs in the beginning
    SITES_KEPT = 64,
    ALIGNMENT = 64,
};

// ---- memory ----

static size_t align_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t field_bytes(const jbw_model *model)
{
    return align_up((size_t)(model->field_count * model->patch_size) *
                    (size_t)jbw_window_stride(model->patch_size) * sizeof(int32_t));
}

static size_t radii_bytes(const jbw_model *model)
{
    return align_up((size_t)(model->column_function_count * 2) *
                    (size_t)jbw_window_stride(model->patch_size) * sizeof(int32_t));
}

static size_t list_bytes(const jbw_model *model)
{
    return align_up((size_t)model->patch_cells * sizeof(uint16_t));
}

static size_t memory_bytes(const jbw_model *model, size_t capacity)
{
    const size_t site = field_bytes(model) + radii_bytes(model) + 2 * list_bytes(model);
    return capacity * site + ALIGNMENT;
}

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model)
{
    *sampler = (jbw_sampler){.model = model};
}

static void release_room(jbw_sampler *sampler)
{
    const jbw_model *model = sampler->model;
    for (size_t i = 0; i < sampler->capacity && sampler->sites; i++)
        if (sampler->sites[i].patch) sampler->sites[i].patch->window = -1;
    jbw_free(&model->allocator, sampler->sites, sampler->capacity * sizeof(jbw_site));
    jbw_free(&model->allocator, sampler->memory, memory_bytes(model, sampler->capacity));
    jbw_free(&model->allocator, sampler->buffer, (size_t)model->patch_cells);
    sampler->sites = NULL;
    sampler->memory = NULL;
    sampler->buffer = NULL;
    sampler->capacity = 0;
}

void jbw_sampler_deinit(jbw_sampler *sampler)
{
    if (!sampler->model) return;
    release_room(sampler);
    *sampler = (jbw_sampler){0};
}

// cuts the memory into the windows and lists of all sites
static void lay_out(jbw_sampler *sampler)
{
    const jbw_model *model = sampler->model;
    unsigned char *at = sampler->memory;
    at += ALIGNMENT - (uintptr_t)at % ALIGNMENT;
    for (size_t i = 0; i < sampler->capacity; i++) {
        jbw_site *site = &sampler->sites[i];
        site->window.size = model->patch_size;
        site->window.stride = jbw_window_stride(model->patch_size);
        site->row_stride = site->window.stride;
        site->field_stride = (ptrdiff_t)model->patch_size * site->window.stride;
        site->window.fields = (int32_t *)(void *)at;
        at += field_bytes(model);
        site->window.radii = (int32_t *)(void *)at;
        at += radii_bytes(model);
        site->items = (uint16_t *)(void *)at;
        at += list_bytes(model);
        site->ranks = (uint16_t *)(void *)at;
        at += list_bytes(model);
    }
}

bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count)
{
    if (count <= sampler->capacity) return true;
    release_room(sampler);
    const jbw_allocator *allocator = &sampler->model->allocator;
    sampler->capacity = count < SITES_AT_LEAST ? SITES_AT_LEAST : count;
    sampler->sites = jbw_alloc_zero(allocator, sampler->capacity, sizeof(jbw_site));
    sampler->memory = jbw_alloc(allocator, memory_bytes(sampler->model, sampler->capacity));
    sampler->buffer = jbw_alloc(allocator, (size_t)sampler->model->patch_cells);
    if (!sampler->sites || !sampler->memory || !sampler->buffer) {
        release_room(sampler);
        return false;
    }
    lay_out(sampler);
    return true;
}

void jbw_sampler_trim(jbw_sampler *sampler)
{
    if (sampler->capacity > SITES_KEPT) release_room(sampler);
}

size_t jbw_sampler_bytes(const jbw_sampler *sampler)
{
    if (sampler->capacity == 0) return 0;
    return sampler->capacity * sizeof(jbw_site) + memory_bytes(sampler->model, sampler->capacity) +
           (size_t)sampler->model->patch_cells;
}

void jbw_sampler_begin(jbw_sampler *sampler, size_t first_new)
{
    sampler->round++;
    sampler->first_new = (uint32_t)first_new;
}

// ---- setting up ----

static void swap_sites(jbw_sampler *sampler, size_t a, size_t b)
{
    const jbw_site kept = sampler->sites[a];
    sampler->sites[a] = sampler->sites[b];
    sampler->sites[b] = kept;
    if (sampler->sites[a].patch) sampler->sites[a].patch->window = (int32_t)a;
    if (sampler->sites[b].patch) sampler->sites[b].patch->window = (int32_t)b;
}

// Puts the windows that the patches still have at their places, and takes others' for the rest.
// Those come from behind, where the oldest ones are.
static void take_windows(jbw_sampler *sampler, jbw_patch *const *patches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t window = patches[i]->window;
        if (window >= 0 && (size_t)window != i) swap_sites(sampler, i, (size_t)window);
    }
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        if (site->patch == patches[i]) continue;
        if (site->patch) site->patch->window = -1;
        site->patch = patches[i];
        site->patch->window = (int32_t)i;
        site->round = 0;
    }
}

static void list_items(const jbw_model *model, jbw_site *site)
{
    site->item_count = 0;
    site->items[0] = 0; // is looked at, though not used, when there is none
    const uint8_t *cell = site->cells;
    for (int y = 0; y < model->patch_size; y++) {
        for (int x = 0; x < model->patch_size; x++, cell++) {
            if (*cell == 0) continue;
            site->ranks[cell - site->cells] = (uint16_t)site->item_count;
            site->items[site->item_count++] = (uint16_t)(256 * y + x);
        }
    }
}

static void fill_radii(const jbw_model *model, const jbw_window *window)
{
    for (int f = 0; f < model->column_function_count; f++) {
        int32_t *inner = window->radii + (ptrdiff_t)f * 2 * window->stride;
        int32_t *outer = inner + window->stride;
        for (int x = 0; x < window->stride; x++) {
            int near;
            int far;
            jbw_cross_hash_radii(model->column_functions[f], window->origin.x + x, &near, &far);
            inner[x] = near;
            outer[x] = far;
        }
    }
}

/// Which cells of a patch, along one axis, lie within reach of a window, and how far they are away.
typedef struct band {
    int begin;
    int end;
    int64_t offset; // of the patch's first cell, seen from the window
} band;

static band find_band(int64_t patch_first, int64_t window_first, int size, int reach)
{
    const int64_t offset = patch_first - window_first;
    const int64_t begin = -reach - offset;
    const int64_t end = size + reach - offset;
    return (band){
        .begin = begin > 0 ? (int)begin : 0, .end = end < size ? (int)end : size, .offset = offset};
}

// how far a cell lies outside of the window
static int64_t distance_to_window(const band *b, int cell, int size)
{
    const int64_t value = b->offset + cell;
    return value < 0 ? -value : value < size ? 0 : value - size + 1;
}

// adds what the items of a patch contribute to a window
static void feel_patch(const jbw_map *map, const jbw_window *window, const jbw_patch *patch,
                       uint8_t *buffer)
{
    const jbw_model *model = map->model;
    const int size = model->patch_size;
    const jbw_position origin = jbw_map_origin(map, patch->at);
    const uint8_t *cells = jbw_patch_generated(map, patch, buffer);
    const band rows = find_band(origin.y, window->origin.y, size, model->reach);
    const band columns = find_band(origin.x, window->origin.x, size, model->reach);
    for (int y = rows.begin; y < rows.end; y++) {
        const int64_t away_y = distance_to_window(&rows, y, size);
        const uint8_t *row = cells + (ptrdiff_t)y * size;
        for (int x = columns.begin; x < columns.end; x++) {
            if (row[x] == 0) continue;
            const jbw_model_item *item = &model->items[row[x] - 1];
            if (away_y > item->reach || distance_to_window(&columns, x, size) > item->reach)
                continue;
            for (int k = 0; k < item->kernel_count; k++)
                jbw_kernel_stamp(&item->kernels[k], window,
                                 (jbw_position){origin.x + x, origin.y + y}, 1);
        }
    }
}

// brings a window up to date, and finds the windows around it
static void set_up_window(jbw_sampler *sampler, const jbw_map *map, jbw_site *site, size_t count)
{
    const jbw_model *model = sampler->model;
    const bool is_kept = site->round > 0 && site->round + 1 == sampler->round;
    if (!is_kept) {
        memset(site->window.fields, 0, field_bytes(model));
        fill_radii(model, &site->window);
    }
    for (int j = 0; j < 9; j++) {
        site->around[j] = NULL;
        const jbw_position at = {site->patch->at.x + j % 3 - 1, site->patch->at.y + j / 3 - 1};
        const jbw_patch *patch = jbw_map_find(map, at);
        if (!patch) continue;
        if (!is_kept || patch->number >= sampler->first_new)
            feel_patch(map, &site->window, patch, sampler->buffer);
        if (patch->window >= 0 && (size_t)patch->window < count)
            site->around[j] = &sampler->sites[patch->window].window;
    }
    site->round = sampler->round;
}

static void set_up(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                   size_t count)
{
    take_windows(sampler, patches, count);
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        site->cells = site->patch->cells;
        site->stream = site->patch->stream;
        site->window.origin = jbw_map_origin(map, site->patch->at);
        list_items(sampler->model, site);
        set_up_window(sampler, map, site, count);
    }
}

// ---- proposing ----

/// What all proposals have in common.
typedef struct dice {
    uint32_t size;
    uint32_t types;
    uint32_t bound; // 2 types size size
} dice;

// `yes` where the mask has ones, `no` where it has zeros
static inline uint32_t choose(uint32_t mask, uint32_t yes, uint32_t no)
{
    return (yes & mask) | (no & ~mask);
}

// Whether a draw must be thrown away, since otherwise some results would be likelier than others:
// `rest` is what is left of the draw, `bound` the number of results. Almost never.
static inline bool is_unfair(uint32_t rest, uint32_t bound)
{
    return rest < bound && rest < (0 - bound) % bound;
}

// Which way a proposal goes is a coin toss that no processor predicts, so both ways are worked out
// and one is chosen without a branch. The high half of a draw is taken apart into way * size * size
// + y * size + x: the high half of a product is a digit, its low half is left for the next one.
// False if there is nothing to decide: an occupied cell to add to, or nothing to remove.
static inline bool draw_proposal(const jbw_model *model, dice d, jbw_site *site)
{
    const uint32_t is_empty = site->item_count == 0;
    const uint32_t choices = site->item_count | is_empty;
    uint64_t way, row, column, rank;
    do {
        const uint64_t bits = jbw_rng_next(&site->stream);
        way = (bits >> 32) * (2 * d.types);
        row = (way & UINT32_MAX) * d.size;
        column = (row & UINT32_MAX) * d.size;
        rank = (bits & UINT32_MAX) * choices;
    } while (is_unfair((uint32_t)column, d.bound) || is_unfair((uint32_t)rank, choices));

    proposal *next = &site->next;
    const uint32_t adds = (uint32_t)(way >> 32) < d.types;
    const uint32_t if_adds = 0 - adds;
    const uint32_t cell = (uint32_t)(row >> 32) * 256 + (uint32_t)(column >> 32);
    const uint32_t item = choose(if_adds, cell, site->items[rank >> 32]);
    const uint32_t x = item % 256;
    const uint32_t y = item / 256;
    const uint32_t content = site->cells[y * d.size + x];
    next->bits = jbw_rng_next(&site->stream) >> 11;
    if (choose(if_adds, content, is_empty) != 0) return false;

    const uint32_t type = choose(if_adds, (uint32_t)(way >> 32), content - 1);
    next->item = item;
    next->type = type;
    next->sign = (double)(int32_t)(2 * adds - 1);
    next->log_add_odds = model->log_add_odds[site->item_count + adds];
    next->energy = site->window.fields + model->scales[type].field * site->field_stride +
                   (ptrdiff_t)y * site->row_stride + x;
    JBW_PREFETCH(next->energy);
    return true;
}

// tells all windows in reach that an item came (`sign` 1) or went (-1)
static void spread_change(const jbw_model *model, const jbw_site *site, int sign)
{
    const jbw_model_item *item = &model->items[site->next.type];
    const int x = (int)(site->next.item % 256);
    const int y = (int)(site->next.item / 256);
    const jbw_position cell = {site->window.origin.x + x, site->window.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++) {
        const jbw_kernel *kernel = &item->kernels[k];
        const int first_row = y < kernel->reach ? 0 : 1;
        const int last_row = y + kernel->reach >= model->patch_size ? 2 : 1;
        const int first_column = x < kernel->reach ? 0 : 1;
        const int last_column = x + kernel->reach >= model->patch_size ? 2 : 1;
        for (int row = first_row; row <= last_row; row++)
            for (int column = first_column; column <= last_column; column++)
                if (site->around[3 * row + column])
                    jbw_kernel_stamp(kernel, site->around[3 * row + column], cell, sign);
    }
}

static uint32_t cell_of(const jbw_model *model, uint32_t item)
{
    return item / 256 * (uint32_t)model->patch_size + item % 256;
}

static void add_item(const jbw_model *model, jbw_site *site)
{
    const proposal *p = &site->next;
    const uint32_t cell = cell_of(model, p->item);
    site->cells[cell] = (uint8_t)(p->type + 1);
    site->ranks[cell] = (uint16_t)site->item_count;
    site->items[site->item_count++] = (uint16_t)p->item;
    spread_change(model, site, 1);
}

static void remove_item(const jbw_model *model, jbw_site *site)
{
    const uint32_t cell = cell_of(model, site->next.item);
    const uint16_t rank = site->ranks[cell];
    const uint16_t last = site->items[--site->item_count];
    site->cells[cell] = 0;
    site->items[rank] = last;
    site->ranks[cell_of(model, last)] = rank;
    spread_change(model, site, -1);
}

// True with probability min(1, e^log_ratio), given 53 random bits.
static inline bool passes(double log_ratio, uint64_t bits)
{
    // e^-x is at most one over the beginning of the series of e^x, which settles most cases
    const double unit = (double)(int64_t)bits;
    const double x = 0.5 * (fabs(log_ratio) - log_ratio); // minus log_ratio, or zero
    const double square = x * x;
    const double series = (1.0 + x) + square * ((0.5 + x * (1.0 / 6.0)) + square * (1.0 / 24.0));
    if (unit * series >= 0x1p53) return false;
    return x == 0.0 || unit < 0x1p53 * jbw_exp(log_ratio);
}

// Accepts with probability min(1, p(new) q(back) / (p(old) q(there))). For an addition that leads
// to m items, p(new) / p(old) is e^energy, q(there) is 1 / (2 cells types) and q(back) 1 / (2 m); a
// removal of one of m items is the inverse.
static inline bool decide_proposal(const jbw_model *model, jbw_site *site)
{
    const proposal *p = &site->next;
    const jbw_energy_scale *scale = &model->scales[p->type];
    double energy = (double)*p->energy * scale->unit;
    if (scale->has_constant_intensity) {
        energy += scale->intensity;
    } else {
        const jbw_position cell = {site->window.origin.x + p->item % 256,
                                   site->window.origin.y + p->item / 256};
        energy += jbw_intensity_value(&model->items[p->type].intensity, cell);
    }
    if (!passes(p->sign * (energy + p->log_add_odds), p->bits)) return false;
    if (p->sign > 0.0)
        add_item(model, site);
    else
        remove_item(model, site);
    return true;
}

void jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations)
{
    const jbw_model *model = sampler->model;
    if (model->type_count == 0) return;
    set_up(sampler, map, patches, count);

    const uint32_t size = (uint32_t)model->patch_size;
    const uint32_t types = (uint32_t)model->type_count;
    const dice d = {.size = size, .types = types, .bound = 2 * types * size * size};
    jbw_site *const end = sampler->sites + count;
    uint64_t accepted = 0;
    for (int i = 0; i < iterations; i++) {
        for (jbw_site *site = sampler->sites; site < end; site++)
            site->has_proposal = draw_proposal(model, d, site);
        for (jbw_site *site = sampler->sites; site < end; site++)
            if (site->has_proposal) accepted += decide_proposal(model, site);
    }
    sampler->proposal_count += (uint64_t)iterations * count;
    sampler->accepted_count += accepted;
    for (jbw_site *site = sampler->sites; site < end; site++) site->patch->stream = site->stream;
}
