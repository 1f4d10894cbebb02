// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/frontier/sampler.h"

#include <math.h>

#include "base/dmath.h"

#if defined(__GNUC__)
#define JBW_PREFETCH(address) __builtin_prefetch(address)
#else
#define JBW_PREFETCH(address) ((void)(address))
#endif

/// What can be done: way t is to add an item of type t, way (types + t) to remove one. The energy
/// that is gained is that of the item in its cell or, for a removal, minus that.
typedef struct way {
    double unit;           // what one unit of the type's field gains
    double most_intensity; // what the intensity gains, at most, in any cell of the site
    ptrdiff_t field;       // from the site's first cell to that cell in the type's field
    ptrdiff_t shared;      // from there to the same cell in the field shared with other types
    int32_t shared_factor; // how many units one of those is worth
    bool is_constant;      // the intensity is the same in all cells
} way;

/// What a site is about to do, in one number:
///
///     change = 65536 way + 256 y + x
///
/// Drawn for all sites before any of them is decided, so that the
/// memory of one is on its way while another is worked on: what a proposal is depends on its own
/// patch alone, only its energy depends on the others.
typedef struct proposal {
    uint64_t bits;         // decide: a uniform number of 53 bits
    const int32_t *energy; // the cell in the type's field
    const way *way;
    double log_odds; // but for what comes from the fields
    uint32_t change;
    uint32_t rank; // of the item to be removed, in items
} proposal;

struct jbw_site {
    jbw_rng stream;
    uint32_t *items; // (item_count): the change that would remove each one
    uint32_t item_count;
    uint32_t choices;   // the same, but at least one
    int32_t *fields;    // its first cell in the first field
    ptrdiff_t stride;   // from row to row
    way *ways;          // (2 types)
    double log_odds[2]; // of a removal and of an addition, but for the energy
    proposal next;
    const jbw_grid_patch *place;
};

enum {
    SITES_AT_LEAST = 16, // what one agent needs in the beginning
    SITES_KEPT = 64,
};

// the logarithm of the odds of what cannot be
static const double never = -1e300;

// ---- memory ----

static size_t ways_bytes(const jbw_model *model)
{
    return 2 * (size_t)model->type_count * sizeof(way);
}

static size_t site_bytes(const jbw_model *model)
{
    return ways_bytes(model) + (size_t)model->patch_cells * sizeof(uint32_t);
}

void jbw_sampler_init(jbw_sampler *sampler, const jbw_model *model)
{
    *sampler = (jbw_sampler){.model = model};
    jbw_energy_grid_init(&sampler->grid, model);
}

static void release_room(jbw_sampler *sampler)
{
    const jbw_model *model = sampler->model;
    jbw_free(&model->allocator, sampler->sites, sampler->capacity * sizeof(jbw_site));
    jbw_free(&model->allocator, sampler->memory, sampler->capacity * site_bytes(model));
    sampler->sites = NULL;
    sampler->memory = NULL;
    sampler->capacity = 0;
    jbw_energy_grid_release(&sampler->grid);
}

void jbw_sampler_deinit(jbw_sampler *sampler)
{
    if (!sampler->model) return;
    release_room(sampler);
    *sampler = (jbw_sampler){0};
}

// all ways first, then all items
static void lay_out(jbw_sampler *sampler)
{
    const jbw_model *model = sampler->model;
    way *ways = sampler->memory;
    unsigned char *behind = sampler->memory;
    uint32_t *items = (uint32_t *)(void *)(behind + sampler->capacity * ways_bytes(model));
    for (size_t i = 0; i < sampler->capacity; i++) {
        sampler->sites[i].ways = ways + i * 2 * (size_t)model->type_count;
        sampler->sites[i].items = items + i * (size_t)model->patch_cells;
    }
}

bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count)
{
    if (count <= sampler->capacity) return true;
    release_room(sampler);
    const jbw_model *model = sampler->model;
    sampler->capacity = count < SITES_AT_LEAST ? SITES_AT_LEAST : count;
    sampler->sites = jbw_alloc_zero(&model->allocator, sampler->capacity, sizeof(jbw_site));
    sampler->memory = jbw_alloc(&model->allocator, sampler->capacity * site_bytes(model));
    if (!sampler->sites || !sampler->memory || !jbw_energy_grid_reserve(&sampler->grid, count)) {
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
    return sampler->capacity * (sizeof(jbw_site) + site_bytes(sampler->model)) +
           jbw_energy_grid_bytes(&sampler->grid);
}

void jbw_sampler_begin(jbw_sampler *sampler, size_t first_new)
{
    sampler->round++;
    sampler->first_new = first_new;
}

// ---- setting up ----

static uint32_t removal_of(const jbw_model *model, int type, int x, int y)
{
    return (uint32_t)(65536 * (model->type_count + type) + 256 * y + x);
}

static void list_items(const jbw_model *model, jbw_site *site)
{
    site->item_count = 0;
    site->items[0] = removal_of(model, 0, 0, 0); // is looked at even when there is none
    const uint8_t *cell = site->place->patch->cells;
    for (int y = 0; y < model->patch_size; y++) {
        for (int x = 0; x < model->patch_size; x++, cell++) {
            if (*cell == 0) continue;
            site->items[site->item_count++] = removal_of(model, *cell - 1, x, y);
        }
    }
}

static void set_up_ways(const jbw_model *model, jbw_site *site)
{
    const jbw_window *part = &site->place->part;
    way *ways = site->ways;
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        double least;
        double most;
        const bool is_constant = jbw_intensity_bounds(&model->items[t].intensity, part->origin,
                                                      model->patch_size, &least, &most);
        ways[t] = (way){
            .unit = scale->unit,
            .most_intensity = most,
            .field = scale->field * part->field_stride,
            .shared = (scale->shared_field - scale->field) * part->field_stride,
            .shared_factor = scale->shared_factor,
            .is_constant = is_constant,
        };
        way *removal = &ways[model->type_count + t];
        *removal = ways[t];
        removal->unit = -scale->unit;
        removal->most_intensity = -least;
    }
}

// For an addition that leads to m items, p(new) / p(old) is e^energy, q(there) is 1 / (2 cells types)
// and q(back) 1 / (2 m); a removal of one of m items is the inverse.
static void update_odds(const jbw_model *model, jbw_site *site)
{
    const uint32_t count = site->item_count;
    site->choices = count > 0 ? count : 1;
    site->log_odds[0] = count > 0 ? -model->log_add_odds[count] : never;
    site->log_odds[1] = model->log_add_odds[count + 1];
}

static void set_up(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                   size_t count)
{
    const jbw_model *model = sampler->model;
    const bool may_keep = sampler->last_round > 0 && sampler->last_round + 1 == sampler->round;
    jbw_energy_grid_prepare(&sampler->grid, map, patches, count, may_keep, sampler->first_new);
    sampler->last_round = sampler->round;
    for (size_t i = 0; i < count; i++) {
        jbw_site *site = &sampler->sites[i];
        site->place = &sampler->grid.places[i];
        site->stream = patches[i]->stream;
        site->fields = site->place->part.fields;
        site->stride = site->place->part.stride;
        list_items(model, site);
        update_odds(model, site);
        set_up_ways(model, site);
    }
}

// ---- proposing ----

/// What all proposals have in common.
typedef struct dice {
    uint32_t size;
    uint32_t types;
    uint32_t unfair; // 2^32 modulo (2 types size size)
} dice;

// Whether a draw must be thrown away, since otherwise some results would be likelier than others:
// `rest` is what is left of the draw, `bound` the number of results. Almost never.
static inline bool is_unfair(uint32_t rest, uint32_t bound)
{
    return rest < bound && rest < (0 - bound) % bound;
}

// Which way a proposal goes is a coin toss that no processor predicts, so both ways are worked out
// and one is chosen without a branch. The high half of a draw is taken apart into way * size * size
// + y * size + x: the high half of a product is a digit, its low half is left for the next one. If
// there is nothing to remove, the odds say so; whether the cell of an addition is occupied is only
// looked up when all else speaks for it.
static inline void draw_proposal(dice d, jbw_site *site)
{
    jbw_rng stream = site->stream;
    uint64_t number, row, column, rank;
    do {
        const uint64_t bits = jbw_rng_next(&stream);
        number = (bits >> 32) * (2 * d.types);
        row = (number & UINT32_MAX) * d.size;
        column = (row & UINT32_MAX) * d.size;
        rank = (bits & UINT32_MAX) * site->choices;
    } while ((uint32_t)column < d.unfair || is_unfair((uint32_t)rank, site->choices));

    proposal *next = &site->next;
    const uint32_t addition =
        (uint32_t)(number >> 32) << 16 | (uint32_t)(row >> 32) << 8 | (uint32_t)(column >> 32);
    const uint32_t removal = site->items[rank >> 32];
    const uint32_t adds = (uint32_t)(number >> 32) < d.types;
    const uint32_t change = removal ^ ((addition ^ removal) & (0 - adds)); // one of the two
    const uint32_t x = change & 255;
    const uint32_t y = change >> 8 & 255;
    const way *w = &site->ways[change >> 16];
    next->way = w;
    next->change = change;
    next->rank = (uint32_t)(rank >> 32);
    next->log_odds = site->log_odds[adds] + w->most_intensity;
    next->energy = site->fields + w->field + (ptrdiff_t)y * site->stride + x;
    JBW_PREFETCH(next->energy);
    JBW_PREFETCH(next->energy + w->shared);
    next->bits = jbw_rng_next(&stream) >> 11;
    site->stream.state = stream.state;
}

static void add_item(const jbw_model *model, jbw_site *site, int type, int x, int y)
{
    site->place->patch->cells[y * model->patch_size + x] = (uint8_t)(type + 1);
    site->items[site->item_count++] = removal_of(model, type, x, y);
    update_odds(model, site);
    jbw_energy_grid_stamp(model, site->place, type, x, y, 1);
}

static void remove_item(const jbw_model *model, jbw_site *site, int type, int x, int y)
{
    site->place->patch->cells[y * model->patch_size + x] = 0;
    site->items[site->next.rank] = site->items[--site->item_count];
    update_odds(model, site);
    jbw_energy_grid_stamp(model, site->place, type, x, y, -1);
}

static inline double power_16(double x)
{
    x *= x;
    x *= x;
    x *= x;
    return x * x;
}

// Whether `passes` would say no, for most cases in which it would: e^-x is at most 1 / (1 + x / n)^n.
static inline bool is_hopeless(double log_ratio, uint64_t bits)
{
    const double loss = fabs(log_ratio) - log_ratio; // minus twice log_ratio, or zero
    return !((double)(int64_t)bits * power_16(1.0 + loss * (1.0 / 32)) < 0x1p53);
}

// True with probability min(1, e^log_ratio), given 53 random bits.
static bool passes(double log_ratio, uint64_t bits)
{
    const double unit = (double)(int64_t)bits * 0x1p-53;
    if (log_ratio >= 0.0) return true;
    // e^-x is at least (1 - x / n)^n, which settles most cases
    if (log_ratio > -16.0 && unit < power_16(1.0 + log_ratio * (1.0 / 16))) return true;
    return unit < jbw_exp(log_ratio);
}

static inline int32_t find_energy(const proposal *p)
{
    return *p->energy + p->way->shared_factor * p->energy[p->way->shared];
}

// the log of the odds of a proposal, with the intensity of its very cell
static double find_log_ratio(const jbw_model *model, const jbw_site *site, int type, bool adds,
                             jbw_position cell)
{
    const proposal *p = &site->next;
    const double intensity = jbw_intensity_value(&model->items[type].intensity, cell);
    return site->log_odds[adds] + (adds ? intensity : -intensity) +
           (double)find_energy(p) * p->way->unit;
}

// the rest of a decision, where a first look has not settled it
static bool decide_exactly(const jbw_model *model, jbw_site *site, double log_ratio)
{
    const proposal *p = &site->next;
    const int number = (int)(p->change >> 16);
    const bool adds = number < model->type_count;
    const int type = adds ? number : number - model->type_count;
    const int x = (int)(p->change & 255);
    const int y = (int)(p->change >> 8 & 255);
    if (adds && site->place->patch->cells[y * model->patch_size + x] != 0) return false;
    if (!p->way->is_constant) {
        const jbw_position origin = site->place->part.origin;
        log_ratio =
            find_log_ratio(model, site, type, adds, (jbw_position){origin.x + x, origin.y + y});
    }
    if (!passes(log_ratio, p->bits)) return false;
    if (adds)
        add_item(model, site, type, x, y);
    else
        remove_item(model, site, type, x, y);
    return true;
}

// Accepts with probability min(1, p(new) q(back) / (p(old) q(there))). First with the intensity that
// would be the best in any cell: if even that fails, there is no need to work it out.
static inline bool decide_proposal(const jbw_model *model, jbw_site *site)
{
    const proposal *p = &site->next;
    const double log_ratio = p->log_odds + (double)find_energy(p) * p->way->unit;
    return !is_hopeless(log_ratio, p->bits) && decide_exactly(model, site, log_ratio);
}

void jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations)
{
    const jbw_model *model = sampler->model;
    if (model->type_count == 0) return;
    set_up(sampler, map, patches, count);

    const uint32_t size = (uint32_t)model->patch_size;
    const uint32_t types = (uint32_t)model->type_count;
    const uint32_t bound = 2 * types * size * size;
    const dice d = {.size = size, .types = types, .unfair = (0 - bound) % bound};
    jbw_site *const end = sampler->sites + count;
    uint64_t accepted = 0;
    for (int i = 0; i < iterations; i++) {
        for (jbw_site *site = sampler->sites; site < end; site++) draw_proposal(d, site);
        for (jbw_site *site = sampler->sites; site < end; site++)
            accepted += decide_proposal(model, site);
    }
    sampler->proposal_count += (uint64_t)iterations * count;
    sampler->accepted_count += accepted;
    for (size_t i = 0; i < count; i++) patches[i]->stream = sampler->sites[i].stream;
}
