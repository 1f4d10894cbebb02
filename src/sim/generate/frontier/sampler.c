// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/frontier/sampler.h"

#include <assert.h>

#include "base/dmath.h"
#include "sim/generate/frontier/draws.h"
#include "sim/simd.h"

/// A kind of move. Its gain is the energy of the item in its cell, or minus that for a removal. The
/// energy is a sum of two terms, out of two planes, or out of the type's field and one that it
/// shares with other types.
typedef struct move_kind {
    double unit;           // the gain of one unit of energy
    double most_intensity; // the largest gain from the intensity in any cell of the site
    union {                // the site's first cell in the first plane or field
        const int16_t *plane;
        const int32_t *field;
    };
    ptrdiff_t second; // from there to the same cell in the second one
    int32_t factors[JBW_PLANE_TERMS];
    uint16_t steps[JBW_PLANE_TERMS]; // from cell to cell in a plane
    int16_t type;
    bool adds;
    bool is_constant; // the intensity is the same in all cells
} move_kind;

// Kinds are found in memory by the number that a move starts with, which processors multiply by
// eight on their way.
enum { KIND_STEP = sizeof(move_kind) / 8 };
static_assert(sizeof(move_kind) % 8 == 0, "kinds are counted in steps of eight bytes");
static_assert(2 * JBW_MAX_ITEM_TYPES * KIND_STEP <= 1 << (32 - JBW_MOVE_CELL_BITS),
              "all kinds fit a move");
static_assert((int)JBW_GRID_CELL_BITS == (int)JBW_MOVE_CELL_BITS, "all cells fit a move");

/// The next proposal of a site. Only proposals of the site itself change what it is about, so it is
/// known since the last one; by the time of its turn, the energies that it reads have arrived in the
/// nearest cache.
typedef struct next_proposal {
    const move_kind *kind;
    const void *terms[JBW_PLANE_TERMS]; // of the energy: numbers in two planes or fields
    double least_gain;                  // from the energy: with less, it is rejected
} next_proposal;

/// A patch that is being sampled.
struct jbw_site {
    next_proposal next;
    jbw_draws draws;
    uint32_t *items; // (item_count): the move that would remove each one
    uint32_t item_count;
    uint32_t choices;   // item_count, but at least one
    move_kind *kinds;   // (2 types)
    double log_odds[2]; // of a removal and of an addition, without the energy
    const jbw_grid_patch *place;
    jbw_draw_range range;
    uint64_t row_inverse; // 2^40 / range.row_step, rounded up
    uint64_t step;        // of its random stream
    uint64_t seed;
    double *intensities; // (zone_count x type_count): zonal ones, from zone 1 on
    uint8_t *zones;      // (patch_cells): the zone of each cell
    int zone_count;      // with zone 0 (zones.h); zero if nothing is known
    jbw_position zoned;  // the patch whose zones these are, by its first cell
    uint64_t zoned_seed;
};

enum {
    LEAST_SITES = 16, // one agent needs that many at the start
    SITES_KEPT = 64,
};

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

void jbw_sampler_forget(jbw_sampler *sampler)
{
    sampler->last_round = 0;
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

static uint32_t move_of(const jbw_site *site, int kind, int x, int y)
{
    return (uint32_t)kind * site->range.kind_step + (uint32_t)y * site->range.row_step +
           (uint32_t)x;
}

static void list_items(const jbw_model *model, jbw_site *site)
{
    site->item_count = 0;
    site->items[0] = move_of(site, model->type_count, 0, 0); // is read even if there is no item
    for (int y = 0; y < model->patch_size; y++) {
        const uint8_t *row = site->place->patch->cells + (ptrdiff_t)y * model->patch_size;
        for (int x = jbw_next_item(row, 0, model->patch_size); x < model->patch_size;
             x = jbw_next_item(row, x + 1, model->patch_size))
            site->items[site->item_count++] = move_of(site, model->type_count + row[x] - 1, x, y);
    }
}

static bool has_zones_of(const jbw_site *site, jbw_position origin, uint64_t seed)
{
    return site->zone_count > 0 && site->zoned.x == origin.x && site->zoned.y == origin.y &&
           site->zoned_seed == seed;
}

// Patches are sampled several times, each time among others: their zones follow them.
static void give_back_zones(jbw_sampler *sampler, size_t index)
{
    jbw_site *site = &sampler->sites[index];
    for (size_t i = index; i < sampler->capacity; i++) {
        jbw_site *other = &sampler->sites[i];
        if (!has_zones_of(other, site->place->part.origin, site->seed)) continue;
        const jbw_site had = *site;
        site->intensities = other->intensities;
        site->zones = other->zones;
        site->zone_count = other->zone_count;
        site->zoned = other->zoned;
        site->zoned_seed = other->zoned_seed;
        other->intensities = had.intensities;
        other->zones = had.zones;
        other->zone_count = had.zone_count;
        other->zoned = had.zoned;
        other->zoned_seed = had.zoned_seed;
        return;
    }
}

static void set_up_zones(const jbw_model *model, jbw_site *site)
{
    if (has_zones_of(site, site->place->part.origin, site->seed)) return;
    site->zone_count = 1;
    if (model->layer_count == 0) return;
    site->zoned = site->place->part.origin;
    site->zoned_seed = site->seed;
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
            .type = (int16_t)t,
            .adds = true,
            .is_constant = is_constant,
        };
        if (model->plane_count > 0) {
            const jbw_plane_sum *sum = &model->plane_sums[t];
            kinds[t].plane = jbw_plane_at(model->planes, sum->planes[0], part, 0, 0);
            kinds[t].second =
                jbw_plane_at(model->planes, sum->planes[1], part, 0, 0) - kinds[t].plane;
            for (int i = 0; i < JBW_PLANE_TERMS; i++) {
                if (sum->factors[i] == 0) continue; // one cell stands for all: it is in the cache
                kinds[t].factors[i] = sum->factors[i];
                kinds[t].steps[i] = (uint16_t)model->planes[sum->planes[i]].size;
            }
        } else {
            kinds[t].field = part->fields + scale->field * part->field_stride;
            kinds[t].second = (scale->shared_field - scale->field) * part->field_stride;
            kinds[t].factors[0] = 1;
            kinds[t].factors[1] = scale->shared_factor;
        }
        move_kind *removal = &kinds[model->type_count + t];
        *removal = kinds[t];
        removal->unit = -scale->unit;
        removal->most_intensity = -least;
        removal->adds = false;
    }
}

// For an addition that results in m items, p(new) / p(old) is e^energy, q(there) is
// 1 / (2 cells types) and q(back) is 1 / (2 m). The removal of one of m items is the inverse; that
// of one of no items is impossible.
static void update_odds(const jbw_model *model, jbw_site *site)
{
    const uint32_t count = site->item_count;
    site->choices = count > 0 ? count : 1;
    site->log_odds[0] = -model->log_add_odds[count];
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
        site->step = patches[i]->stream.step;
        jbw_draws_start(&site->draws, &patches[i]->stream);
        site->range = jbw_draw_range_of(model->type_count, model->patch_size, KIND_STEP,
                                        site->place->part.stride);
        site->row_inverse = (UINT64_C(1) << 40) / site->range.row_step + 1;
        list_items(model, site);
        update_odds(model, site);
        if (model->layer_count > 0) give_back_zones(sampler, i);
    }
    for (size_t i = 0; i < count; i++) {
        set_up_zones(model, &sampler->sites[i]);
        set_up_kinds(model, &sampler->sites[i]);
    }
}

// ---- proposing ----

JBW_INLINE const move_kind *find_kind(const move_kind *kinds, uint32_t move)
{
    const char *first = (const char *)kinds;
    return (const move_kind *)(const void *)(first + (size_t)(move >> JBW_MOVE_CELL_BITS) * 8);
}

// Sums fit 32 bits; their terms may wrap around.
JBW_INLINE int32_t sum_terms(const move_kind *kind, const void *const terms[], bool has_planes)
{
    const int32_t first = has_planes ? *(const int16_t *)terms[0] : *(const int32_t *)terms[0];
    const int32_t second = has_planes ? *(const int16_t *)terms[1] : *(const int32_t *)terms[1];
    return (int32_t)((uint32_t)kind->factors[0] * (uint32_t)first +
                     (uint32_t)kind->factors[1] * (uint32_t)second);
}

static inline double power_16(double x)
{
    x *= x;
    x *= x;
    x *= x;
    return x * x;
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

// of the item to remove
static inline uint32_t find_rank(const jbw_site *site, int index)
{
    return (uint32_t)((uint64_t)site->draws.rank[index] * site->choices >> 32);
}

// adds the item of a move to the list, or removes the one at `rank`
JBW_INLINE void change_items(const jbw_model *model, jbw_site *site, uint32_t move, uint32_t rank,
                             bool adds)
{
    const uint32_t count = site->item_count;
    const uint32_t last = site->items[count > 0 ? count - 1 : 0];
    site->items[adds ? count : rank] =
        adds ? move + site->range.types * site->range.kind_step : last;
    site->item_count = adds ? count + 1 : count - 1;
    update_odds(model, site);
}

// Decides a proposal that a first look has not rejected, given the energy of its item.
static bool decide_exactly(const jbw_model *model, jbw_site *site, int32_t energy, int index)
{
    const move_kind *kind = site->next.kind;
    const uint32_t rank = find_rank(site, index);
    const uint32_t move = kind->adds ? site->draws.addition[index] : site->items[rank];
    const uint32_t place = move % (1U << JBW_MOVE_CELL_BITS);
    const int y = (int)(place * site->row_inverse >> 40);
    const int x = (int)(place - (uint32_t)y * site->range.row_step);
    uint8_t *cell = &site->place->patch->cells[y * model->patch_size + x];
    const bool adds = kind->adds;
    if (adds ? *cell != 0 : site->item_count == 0) return false;
    double gain = kind->most_intensity;
    if (!kind->is_constant) {
        const double intensity = find_intensity(model, site, kind->type, x, y);
        gain = adds ? intensity : -intensity;
    }
    const double log_ratio = site->log_odds[adds] + gain + (double)energy * kind->unit;
    if (!passes(log_ratio, site->draws.decide[index] >> 11)) return false;
    *cell = (uint8_t)(adds ? kind->type + 1 : 0);
    change_items(model, site, move, rank, adds);
    if (model->items[kind->type].kernel_count == 0) return true;
    jbw_energy_grid_stamp(model, site->place, kind->type, x, y, adds ? 1 : -1);
    return true;
}

// the rank, after draws that favour some of the items were rejected
static uint32_t choose_fairly(jbw_site *site, int index)
{
    jbw_draws_choose_fairly(&site->draws, &site->range, site->step, index, site->choices);
    return find_rank(site, index);
}

// Finds out what a proposal is about. Whether to add or to remove is a coin toss that no branch
// predictor predicts, so both moves are computed and one is chosen without a branch. If there is
// nothing to remove, the odds take care of it.
JBW_INLINE void prepare_proposal(jbw_site *site, int index, uint32_t additions, bool has_planes)
{
    const uint64_t product = (uint64_t)site->draws.rank[index] * site->choices;
    uint32_t rank = (uint32_t)(product >> 32);
    if ((uint32_t)product < site->choices) rank = choose_fairly(site, index); // hardly ever
    const uint32_t addition = site->draws.addition[index];
    const uint32_t removal = site->items[rank];
    const uint32_t adds = addition < additions;
    const uint32_t move = JBW_UNPREDICTABLE(adds) ? addition : removal;
    const move_kind *kind = find_kind(site->kinds, move);
    const ptrdiff_t cell = (ptrdiff_t)(move % (1U << JBW_MOVE_CELL_BITS));
    next_proposal *next = &site->next;
    next->kind = kind;
    next->least_gain = site->draws.least_log[index] - kind->most_intensity - site->log_odds[adds];
    if (has_planes) {
        next->terms[0] = kind->plane + cell * kind->steps[0];
        next->terms[1] = kind->plane + kind->second + cell * kind->steps[1];
    } else {
        next->terms[0] = kind->field + cell;
        next->terms[1] = kind->field + kind->second + cell;
    }
    JBW_PREFETCH(next->terms[0]);
    JBW_PREFETCH(next->terms[1]);
}

// Accepts with probability min(1, p(new) q(back) / (p(old) q(there))).
//
// The first look takes the most favourable intensity in any cell, and a lower bound of the logarithm
// that the ratio is compared with: if even that fails, there is no need to compute them, nor to know
// whether the cell of an addition is occupied.
JBW_INLINE bool decide_proposal(const jbw_model *model, jbw_site *site, int index, bool has_planes)
{
    const move_kind *kind = site->next.kind;
    const int32_t energy = sum_terms(kind, site->next.terms, has_planes);
    if ((double)energy * kind->unit < site->next.least_gain) return false;
    return decide_exactly(model, site, energy, index);
}

JBW_INLINE uint64_t run_rounds(const jbw_sampler *sampler, size_t count, int rounds,
                               bool has_planes)
{
    const jbw_model *model = sampler->model;
    jbw_site *const end = sampler->sites + count;
    const uint32_t additions =
        (uint32_t)model->type_count * (KIND_STEP << JBW_MOVE_CELL_BITS); // moves below that
    uint64_t accepted = 0;
    for (jbw_site *site = sampler->sites; site < end; site++) {
        jbw_draws_fill(&site->draws, &site->range, site->step);
        prepare_proposal(site, 0, additions, has_planes);
    }
    int j = 0;
    for (; j < rounds - 1; j++) {
        for (jbw_site *site = sampler->sites; site < end; site++) {
            accepted += decide_proposal(model, site, j, has_planes);
            prepare_proposal(site, j + 1, additions, has_planes);
        }
    }
    for (jbw_site *site = sampler->sites; site < end; site++)
        accepted += decide_proposal(model, site, j, has_planes);
    return accepted;
}

// makes up to JBW_DRAWS proposals in each site, and returns how many were accepted
static uint64_t run_block(const jbw_sampler *sampler, size_t count, int rounds)
{
    return sampler->model->plane_count > 0 ? run_rounds(sampler, count, rounds, true)
                                           : run_rounds(sampler, count, rounds, false);
}

bool jbw_sampler_run(jbw_sampler *sampler, const jbw_map *map, jbw_patch *const *patches,
                     size_t count, int iterations)
{
    enum { PATIENCE = 1 << 15 }; // proposals, about a millisecond
    const jbw_model *model = sampler->model;
    if (model->type_count == 0 || iterations <= 0) return true;
    set_up(sampler, map, patches, count);

    uint64_t accepted = 0;
    size_t since = 0; // it last asked whether to stop
    int rounds = 0;
    for (int done = 0; done < iterations; done += rounds) {
        rounds = iterations - done < JBW_DRAWS ? iterations - done : JBW_DRAWS;
        accepted += run_block(sampler, count, rounds);
        since += (size_t)rounds * count;
        if (since < PATIENCE && done + rounds < iterations) continue;
        since = 0;
        if (jbw_interrupt_is_wanted(&sampler->interrupt)) {
            sampler->last_round = 0;
            return false;
        }
    }
    sampler->proposal_count += (uint64_t)iterations * count;
    sampler->accepted_count += accepted;
    for (size_t i = 0; i < count; i++)
        patches[i]->stream.state = sampler->sites[i].draws.after[rounds - 1];
    return true;
}
