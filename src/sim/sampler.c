// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sampler.h"

#include <string.h>

#include "base/dmath.h"

#if defined(__GNUC__)
#define JBW_PREFETCH(address) __builtin_prefetch(address)
#else
#define JBW_PREFETCH(address) ((void)(address))
#endif

/// What a site is about to do. Drawn for all sites before any of them is decided, so that the
/// memory of one is on its way while another is worked on: what a proposal is depends on its own
/// patch alone, only its energy depends on the others.
typedef struct proposal {
    enum { PROPOSE_NOTHING, PROPOSE_ADD, PROPOSE_REMOVE } kind;
    uint32_t cell;
    uint32_t type;
    double unit; // uniform in [0, 1)
    const int32_t *energy; // where the field of the type has this cell, or zero
} proposal;

struct jbw_site {
    jbw_patch *patch;
    jbw_position origin;
    jbw_rng stream;
    proposal next;
    uint32_t item_count;
    jbw_site *around[9]; // sites among the eight neighbours, and itself, row by row
    int32_t *fields;
    uint16_t *items;
    uint16_t *ranks;
};

enum { SITES_KEPT = 64 };

static size_t field_bytes(const jbw_model *model)
{
    return (size_t)model->field_count * (size_t)model->patch_cells * sizeof(int32_t);
}

static size_t list_bytes(const jbw_model *model)
{
    return (size_t)model->patch_cells * sizeof(uint16_t);
}

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model)
{
    *sampler = (jbw_sampler){.model = model};
}

static void shrink_to(jbw_sampler *sampler, size_t kept)
{
    const jbw_model *model = sampler->model;
    for (size_t i = kept; i < sampler->site_capacity; i++) {
        jbw_free(&model->allocator, sampler->sites[i].fields, field_bytes(model));
        jbw_free(&model->allocator, sampler->sites[i].items, list_bytes(model));
        jbw_free(&model->allocator, sampler->sites[i].ranks, list_bytes(model));
        sampler->sites[i] = (jbw_site){0};
    }
}

void jbw_sampler_deinit(jbw_sampler *sampler)
{
    if (!sampler->model) return;
    shrink_to(sampler, 0);
    jbw_free(&sampler->model->allocator, sampler->sites,
             sampler->site_capacity * sizeof(jbw_site));
    *sampler = (jbw_sampler){0};
}

bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count)
{
    const jbw_model *model = sampler->model;
    if (count > sampler->site_capacity) {
        const size_t old_capacity = sampler->site_capacity;
        void *sites = sampler->sites;
        if (!jbw_grow(&model->allocator, &sites, &sampler->site_capacity, count,
                      sizeof(jbw_site)))
            return false;
        sampler->sites = sites;
        memset(sampler->sites + old_capacity, 0,
               (sampler->site_capacity - old_capacity) * sizeof(jbw_site));
    }
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        if (!site->fields) site->fields = jbw_alloc(&model->allocator, field_bytes(model));
        if (!site->items) site->items = jbw_alloc(&model->allocator, list_bytes(model));
        if (!site->ranks) site->ranks = jbw_alloc(&model->allocator, list_bytes(model));
        if (!site->fields || !site->items || !site->ranks) return false;
    }
    return true;
}

void jbw_sampler_trim(jbw_sampler *sampler)
{
    shrink_to(sampler, SITES_KEPT);
}

size_t jbw_sampler_bytes(const jbw_sampler *sampler)
{
    size_t bytes = sampler->site_capacity * sizeof(jbw_site);
    for (size_t i = 0; i < sampler->site_capacity; i++)
        if (sampler->sites[i].fields)
            bytes += field_bytes(sampler->model) + 2 * list_bytes(sampler->model);
    return bytes;
}

// ---- setting up ----

// adds what the items of a patch contribute to a site's fields
static void feel_patch(const jbw_model *model, jbw_site *site, const jbw_patch *patch)
{
    const int size = model->patch_size;
    const int reach = model->reach;
    const jbw_position origin = {patch->at.x * size, patch->at.y * size};

    // of a neighbour, only the rows and columns that reach over the border
    const int dx = (int)(patch->at.x - site->patch->at.x);
    const int dy = (int)(patch->at.y - site->patch->at.y);
    const int left = dx < 0 && size > reach ? size - reach : 0;
    const int right = dx > 0 && reach < size ? reach : size;
    const int bottom = dy < 0 && size > reach ? size - reach : 0;
    const int top = dy > 0 && reach < size ? reach : size;
    for (int y = bottom; y < top; y++) {
        const uint8_t *row = patch->cells + (ptrdiff_t)y * size;
        for (int x = left; x < right; x++) {
            if (row[x] == 0) continue;
            const jbw_model_item *item = &model->items[row[x] - 1];
            const jbw_position cell = {origin.x + x, origin.y + y};
            for (int k = 0; k < item->kernel_count; k++) {
                const jbw_kernel *kernel = &item->kernels[k];
                int32_t *field =
                    site->fields + (ptrdiff_t)model->items[kernel->target].field *
                                       model->patch_cells;
                jbw_kernel_stamp(kernel, field, size, site->origin, cell, 1);
            }
        }
    }
}

static void list_items(const jbw_model *model, jbw_site *site)
{
    site->item_count = 0;
    for (int cell = 0; cell < model->patch_cells; cell++) {
        if (site->patch->cells[cell] == 0) continue;
        site->ranks[cell] = (uint16_t)site->item_count;
        site->items[site->item_count++] = (uint16_t)cell;
    }
}

static void open_sites(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                       size_t count)
{
    const jbw_model *model = sampler->model;
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        site->patch = patches[i];
        site->patch->site = (int32_t)i;
        site->origin = jbw_map_origin(map, site->patch->at);
        site->stream = site->patch->stream;
        list_items(model, site);
        memset(site->fields, 0, field_bytes(model));
    }
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        for (int j = 0; j < 9; j++) {
            const jbw_position at = {site->patch->at.x + j % 3 - 1, site->patch->at.y + j / 3 - 1};
            const jbw_patch *patch = jbw_map_find(map, at);
            site->around[j] = patch && patch->site >= 0 ? &sampler->sites[patch->site] : NULL;
            if (patch) feel_patch(model, site, patch);
        }
    }
}

static void close_sites(jbw_sampler *sampler, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        site->patch->stream = site->stream;
        site->patch->site = -1;
    }
}

// ---- proposing ----

static const int32_t no_energy = 0;

static void draw_proposal(const jbw_model *model, jbw_site *site)
{
    proposal *next = &site->next;
    const uint32_t cells = (uint32_t)model->patch_cells;
    const uint32_t ways_to_add = cells * (uint32_t)model->type_count;
    const uint32_t number = jbw_rng_below(&site->stream, 2 * ways_to_add);
    next->kind = PROPOSE_NOTHING;
    if (number < ways_to_add) {
        next->type = number / cells;
        next->cell = number % cells;
        if (site->patch->cells[next->cell] != 0) return;
        next->kind = PROPOSE_ADD;
    } else {
        if (site->item_count == 0) return;
        next->cell = site->items[jbw_rng_below(&site->stream, site->item_count)];
        next->type = site->patch->cells[next->cell] - 1u;
        next->kind = PROPOSE_REMOVE;
    }
    next->unit = jbw_rng_unit(&site->stream);
    const int field = model->items[next->type].field;
    next->energy = field < 0 ? &no_energy : site->fields + (size_t)field * cells + next->cell;
    JBW_PREFETCH(next->energy);
}

static jbw_position cell_position(const jbw_model *model, const jbw_site *site, uint32_t cell)
{
    const uint32_t size = (uint32_t)model->patch_size;
    return (jbw_position){site->origin.x + cell % size, site->origin.y + cell / size};
}

// tells all fields in reach that an item came (`sign` 1) or went (-1)
static void spread_change(const jbw_model *model, const jbw_site *site, jbw_position cell,
                          const jbw_model_item *item, int sign)
{
    if (item->kernel_count == 0) return;
    for (int j = 0; j < 9; j++) {
        const jbw_site *other = site->around[j];
        if (!other) continue;
        for (int k = 0; k < item->kernel_count; k++) {
            const jbw_kernel *kernel = &item->kernels[k];
            int32_t *field = other->fields +
                             (ptrdiff_t)model->items[kernel->target].field * model->patch_cells;
            jbw_kernel_stamp(kernel, field, model->patch_size, other->origin, cell, sign);
        }
    }
}

static void add_item(const jbw_model *model, jbw_site *site, jbw_position cell)
{
    const proposal *p = &site->next;
    site->patch->cells[p->cell] = (uint8_t)(p->type + 1);
    site->ranks[p->cell] = (uint16_t)site->item_count;
    site->items[site->item_count++] = (uint16_t)p->cell;
    spread_change(model, site, cell, &model->items[p->type], 1);
}

static void remove_item(const jbw_model *model, jbw_site *site, jbw_position cell)
{
    const proposal *p = &site->next;
    const uint16_t last = site->items[--site->item_count];
    site->patch->cells[p->cell] = 0;
    site->items[site->ranks[p->cell]] = last;
    site->ranks[last] = site->ranks[p->cell];
    spread_change(model, site, cell, &model->items[p->type], -1);
}

// Accepts with probability min(1, p(new) q(back) / (p(old) q(there))). For an addition that leads
// to m items, p(new) / p(old) is e^energy, q(there) is 1 / (2 cells types) and q(back) 1 / (2 m); a
// removal of one of m items is the inverse.
static bool decide_proposal(const jbw_model *model, jbw_site *site)
{
    const proposal *p = &site->next;
    if (p->kind == PROPOSE_NOTHING) return false;
    const jbw_model_item *item = &model->items[p->type];
    const jbw_position cell = cell_position(model, site, p->cell);
    const double intensity = item->intensity.kind == JBW_INTENSITY_CONSTANT
                                 ? item->intensity.arguments[0]
                                 : jbw_intensity_value(&item->intensity, cell);
    const double energy = intensity + (double)*p->energy * item->energy_unit;
    const bool adds = p->kind == PROPOSE_ADD;
    const uint32_t larger_count = site->item_count + (adds ? 1 : 0);
    const double log_odds = energy + model->log_add_odds[larger_count];
    const double log_ratio = adds ? log_odds : -log_odds;
    if (log_ratio < 0.0 && !(p->unit < jbw_exp(log_ratio))) return false;

    if (adds)
        add_item(model, site, cell);
    else
        remove_item(model, site, cell);
    return true;
}

void jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations)
{
    const jbw_model *model = sampler->model;
    if (model->type_count == 0) return;
    open_sites(sampler, map, patches, count);
    uint64_t accepted = 0;
    for (int i = 0; i < iterations; i++) {
        for (size_t s = 0; s < count; s++) draw_proposal(model, &sampler->sites[s]);
        for (size_t s = 0; s < count; s++) accepted += decide_proposal(model, &sampler->sites[s]);
    }
    sampler->proposal_count += (uint64_t)iterations * count;
    sampler->accepted_count += accepted;
    close_sites(sampler, count);
}
