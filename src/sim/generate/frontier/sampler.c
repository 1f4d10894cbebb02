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

/// A kind of move: number t adds an item of type t, number (types + t) removes one. Its gain is the
/// energy of the item in its cell, or minus that for a removal.
typedef struct move_kind {
    double unit;           // the gain of one unit of the type's field
    double most_intensity; // the largest gain from the intensity in any cell of the site
    ptrdiff_t field;       // from the site's first cell to the same cell in the type's field
    ptrdiff_t shared;      // from there to the same cell in the field shared with other types
    int32_t shared_factor; // how many units one of those is worth
    bool is_constant;      // the intensity is the same in all cells
} move_kind;

/// The next proposal of a site. Its move is one number:
///
///     move = 65536 kind + 256 y + x
///
/// Proposals are drawn for all sites before any of them is decided, so that the memory of one is
/// prefetched while another is worked on. That is possible because a proposal depends only on its
/// own patch; only its energy depends on others.
typedef struct proposal {
    uint64_t bits;         // decide: a uniform number of 53 bits
    const int32_t *energy; // the cell in the type's field
    const move_kind *kind;
    double log_odds; // without the contribution of the fields
    uint32_t move;
    uint32_t rank; // in `items`, of the item to remove
} proposal;

struct jbw_site {
    jbw_rng stream;
    uint32_t *items; // (item_count): the move that would remove each one
    uint32_t item_count;
    uint32_t choices;   // item_count, but at least one
    int32_t *fields;    // its first cell in the first field
    ptrdiff_t stride;   // from row to row
    move_kind *kinds;   // (2 types)
    double log_odds[2]; // of a removal and of an addition, without the energy
    proposal next;
    const jbw_grid_patch *place;
    uint64_t seed;
    double *intensities; // (zone_count x type_count): zonal ones, from zone 1 on
    uint8_t *zones;      // (patch_cells): the zone of each cell
    int zone_count;      // with zone 0 (zones.h)
};

enum {
    LEAST_SITES = 16, // one agent needs that many at the start
    SITES_KEPT = 64,
};

// the logarithm of the odds of an impossible move
static const double never = -1e300;

// ---- memory ----

static size_t kinds_bytes(const jbw_model *model)
{
    return 2 * (size_t)model->type_count * sizeof(move_kind);
}

static size_t intensities_bytes(const jbw_model *model)
{
    if (model->layer_count == 0) return 0;
    return (size_t)JBW_MOST_ZONES * (size_t)model->type_count * sizeof(double);
}

static size_t items_bytes(const jbw_model *model)
{
    return (size_t)model->patch_cells * sizeof(uint32_t);
}

static size_t zones_bytes(const jbw_model *model)
{
    return model->layer_count > 0 ? (size_t)model->patch_cells : 0;
}

static size_t site_bytes(const jbw_model *model)
{
    return kinds_bytes(model) + intensities_bytes(model) + items_bytes(model) + zones_bytes(model);
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

// all kinds of moves first, then all intensities, items and zones
static void lay_out(jbw_sampler *sampler)
{
    const jbw_model *model = sampler->model;
    unsigned char *kinds = sampler->memory;
    unsigned char *intensities = kinds + sampler->capacity * kinds_bytes(model);
    unsigned char *items = intensities + sampler->capacity * intensities_bytes(model);
    unsigned char *zones = items + sampler->capacity * items_bytes(model);
    for (size_t i = 0; i < sampler->capacity; i++) {
        jbw_site *site = &sampler->sites[i];
        site->kinds = (move_kind *)(void *)(kinds + i * kinds_bytes(model));
        site->intensities = (double *)(void *)(intensities + i * intensities_bytes(model));
        site->items = (uint32_t *)(void *)(items + i * items_bytes(model));
        site->zones = zones + i * zones_bytes(model);
    }
}

bool jbw_sampler_reserve(jbw_sampler *sampler, size_t count)
{
    if (count <= sampler->capacity) return true;
    release_room(sampler);
    const jbw_model *model = sampler->model;
    sampler->capacity = count < LEAST_SITES ? LEAST_SITES : count;
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
    site->items[0] = removal_of(model, 0, 0, 0); // is read even if there is no item
    const uint8_t *cell = site->place->patch->cells;
    for (int y = 0; y < model->patch_size; y++) {
        for (int x = 0; x < model->patch_size; x++, cell++) {
            if (*cell == 0) continue;
            site->items[site->item_count++] = removal_of(model, *cell - 1, x, y);
        }
    }
}

static void set_up_zones(const jbw_model *model, jbw_site *site)
{
    site->zone_count = 1;
    if (model->layer_count == 0) return;
    jbw_zones zones = {.map = site->zones};
    jbw_zones_fill(&zones, model, site->seed, site->place->part.origin, model->patch_size,
                   model->patch_size);
    site->zone_count = zones.count;
    for (int zone = 1; zone < zones.count; zone++)
        for (int t = 0; t < model->type_count; t++)
            if (model->items[t].intensity.is_zonal)
                site->intensities[zone * model->type_count + t] =
                    jbw_intensity_value(&model->items[t].intensity, site->seed, zones.cells[zone]);
}

// bounds of an intensity in a site; true if it is constant
static bool find_bounds(const jbw_model *model, const jbw_site *site, int type, double *least,
                        double *most)
{
    const jbw_intensity *intensity = &model->items[type].intensity;
    const int count = site->zone_count;
    if (!intensity->is_zonal || count == 1 || count == JBW_MOST_ZONES)
        return jbw_intensity_bounds(intensity, site->seed, site->place->part.origin,
                                    model->patch_size, least, most);
    *least = *most = site->intensities[model->type_count + type];
    for (int zone = 2; zone < count; zone++) {
        const double value = site->intensities[zone * model->type_count + type];
        if (value < *least) *least = value;
        if (value > *most) *most = value;
    }
    return *least == *most;
}

static void set_up_kinds(const jbw_model *model, jbw_site *site)
{
    const jbw_window *part = &site->place->part;
    move_kind *kinds = site->kinds;
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        double least;
        double most;
        const bool is_constant = find_bounds(model, site, t, &least, &most);
        kinds[t] = (move_kind){
            .unit = scale->unit,
            .most_intensity = most,
            .field = scale->field * part->field_stride,
            .shared = (scale->shared_field - scale->field) * part->field_stride,
            .shared_factor = scale->shared_factor,
            .is_constant = is_constant,
        };
        move_kind *removal = &kinds[model->type_count + t];
        *removal = kinds[t];
        removal->unit = -scale->unit;
        removal->most_intensity = -least;
    }
}

// For an addition that results in m items, p(new) / p(old) is e^energy, q(there) is
// 1 / (2 cells types) and q(back) is 1 / (2 m). The removal of one of m items is the inverse.
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
        site->seed = sampler->seed;
        site->stream = patches[i]->stream;
        site->fields = site->place->part.fields;
        site->stride = site->place->part.stride;
        list_items(model, site);
        update_odds(model, site);
        set_up_zones(model, site);
        set_up_kinds(model, site);
    }
}

// ---- proposing ----

/// The range that proposals are drawn from.
typedef struct move_range {
    uint32_t size;
    uint32_t types;
    uint32_t unfair; // 2^32 modulo (2 types size size)
} move_range;

// Whether a draw must be rejected, which is rare, because some results would be more likely than
// others: `rest` is the remainder of the draw, `bound` the number of results.
static inline bool is_unfair(uint32_t rest, uint32_t bound)
{
    return rest < bound && rest < (0 - bound) % bound;
}

// Whether to add or to remove is a coin toss that no branch predictor predicts, so both moves are
// computed and one is chosen without a branch. The high half of a draw is split into kind, y and x,
// as digits of a number: the high half of a product is a digit, its low half remains for the next
// one. If there is nothing to remove, the odds take care of it. Whether the cell of an addition is
// occupied is checked later, and only if the odds are not hopeless.
static inline void draw_proposal(move_range range, jbw_site *site)
{
    jbw_rng stream = site->stream;
    uint64_t number, row, column, rank;
    do {
        const uint64_t bits = jbw_rng_next(&stream);
        number = (bits >> 32) * (2 * range.types);
        row = (number & UINT32_MAX) * range.size;
        column = (row & UINT32_MAX) * range.size;
        rank = (bits & UINT32_MAX) * site->choices;
    } while ((uint32_t)column < range.unfair || is_unfair((uint32_t)rank, site->choices));

    proposal *next = &site->next;
    const uint32_t addition =
        (uint32_t)(number >> 32) << 16 | (uint32_t)(row >> 32) << 8 | (uint32_t)(column >> 32);
    const uint32_t removal = site->items[rank >> 32];
    const uint32_t adds = (uint32_t)(number >> 32) < range.types;
    const uint32_t move = removal ^ ((addition ^ removal) & (0 - adds)); // one of the two
    const uint32_t x = move & 255;
    const uint32_t y = move >> 8 & 255;
    const move_kind *kind = &site->kinds[move >> 16];
    next->kind = kind;
    next->move = move;
    next->rank = (uint32_t)(rank >> 32);
    next->log_odds = site->log_odds[adds] + kind->most_intensity;
    next->energy = site->fields + kind->field + (ptrdiff_t)y * site->stride + x;
    JBW_PREFETCH(next->energy);
    JBW_PREFETCH(next->energy + kind->shared);
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

// True only if `passes` is false, and in most such cases: e^-x is at most 1 / (1 + x / n)^n.
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
    // e^-x is at least (1 - x / n)^n, which decides most cases
    if (log_ratio > -16.0 && unit < power_16(1.0 + log_ratio * (1.0 / 16))) return true;
    return unit < jbw_exp(log_ratio);
}

static inline int32_t find_energy(const proposal *p)
{
    return *p->energy + p->kind->shared_factor * p->energy[p->kind->shared];
}

// the intensity in a cell of a site
static double find_intensity(const jbw_model *model, const jbw_site *site, int type, int x, int y)
{
    const jbw_intensity *intensity = &model->items[type].intensity;
    const jbw_position origin = site->place->part.origin;
    if (intensity->is_zonal && site->zone_count > 1) {
        const int zone = site->zones[y * model->patch_size + x];
        if (zone > 0) return site->intensities[zone * model->type_count + type];
    }
    return jbw_intensity_value(intensity, site->seed, (jbw_position){origin.x + x, origin.y + y});
}

// the logarithm of the odds of a proposal, with the intensity of its own cell
static double find_log_ratio(const jbw_model *model, const jbw_site *site, int type, bool adds,
                             int x, int y)
{
    const proposal *p = &site->next;
    const double intensity = find_intensity(model, site, type, x, y);
    return site->log_odds[adds] + (adds ? intensity : -intensity) +
           (double)find_energy(p) * p->kind->unit;
}

// decides a proposal that a first look has not rejected
static bool decide_exactly(const jbw_model *model, jbw_site *site, double log_ratio)
{
    const proposal *p = &site->next;
    const int number = (int)(p->move >> 16);
    const bool adds = number < model->type_count;
    const int type = adds ? number : number - model->type_count;
    const int x = (int)(p->move & 255);
    const int y = (int)(p->move >> 8 & 255);
    if (adds && site->place->patch->cells[y * model->patch_size + x] != 0) return false;
    if (!p->kind->is_constant) log_ratio = find_log_ratio(model, site, type, adds, x, y);
    if (!passes(log_ratio, p->bits)) return false;
    if (adds)
        add_item(model, site, type, x, y);
    else
        remove_item(model, site, type, x, y);
    return true;
}

// Accepts with probability min(1, p(new) q(back) / (p(old) q(there))). The first look takes the
// most favourable intensity in any cell: if even that fails, there is no need to compute it.
static inline bool decide_proposal(const jbw_model *model, jbw_site *site)
{
    const proposal *p = &site->next;
    const double log_ratio = p->log_odds + (double)find_energy(p) * p->kind->unit;
    return !is_hopeless(log_ratio, p->bits) && decide_exactly(model, site, log_ratio);
}

// how many rounds of proposals to make before asking whether to stop
static int choose_stretch(const jbw_sampler *sampler, size_t count, int iterations)
{
    enum { PROPOSALS = 1 << 15 }; // about a millisecond
    if (!sampler->interrupt.function) return iterations;
    return count < PROPOSALS ? (int)(PROPOSALS / count) : 1;
}

bool jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations)
{
    const jbw_model *model = sampler->model;
    if (model->type_count == 0) return true;
    set_up(sampler, map, patches, count);

    const uint32_t size = (uint32_t)model->patch_size;
    const uint32_t types = (uint32_t)model->type_count;
    const uint32_t bound = 2 * types * size * size;
    const move_range range = {.size = size, .types = types, .unfair = (0 - bound) % bound};
    jbw_site *const end = sampler->sites + count;
    const int stretch = choose_stretch(sampler, count, iterations);
    uint64_t accepted = 0;
    for (int done = 0; done < iterations;) {
        const int until = iterations - done < stretch ? iterations : done + stretch;
        for (; done < until; done++) {
            for (jbw_site *site = sampler->sites; site < end; site++) draw_proposal(range, site);
            for (jbw_site *site = sampler->sites; site < end; site++)
                accepted += decide_proposal(model, site);
        }
        if (jbw_interrupt_is_wanted(&sampler->interrupt)) {
            sampler->last_round = 0;
            return false;
        }
    }
    sampler->proposal_count += (uint64_t)iterations * count;
    sampler->accepted_count += accepted;
    for (size_t i = 0; i < count; i++) patches[i]->stream = sampler->sites[i].stream;
    return true;
}
