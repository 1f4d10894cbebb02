// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/gauge.h"

#include <math.h>

#include "sim/generate/invariant/gauge_cells.h"

// ---- memory ----

// sets of thresholds, for the whole workspace and for each zone, of each type
static size_t threshold_count(const jbw_workspace *workspace)
{
    const size_t sets = workspace->zones.map ? JBW_MOST_ZONES : 1;
    return sets * (size_t)workspace->plan->model->type_count;
}

bool jbw_hot_levels_init(jbw_hot_levels *levels, const jbw_workspace *workspace)
{
    *levels = (jbw_hot_levels){.workspace = workspace};
    levels->thresholds =
        jbw_alloc(&workspace->plan->model->allocator, jbw_hot_levels_bytes(levels));
    return levels->thresholds != NULL;
}

void jbw_hot_levels_deinit(jbw_hot_levels *levels)
{
    if (!levels->workspace) return;
    jbw_free(&levels->workspace->plan->model->allocator, levels->thresholds,
             jbw_hot_levels_bytes(levels));
    *levels = (jbw_hot_levels){0};
}

size_t jbw_hot_levels_bytes(const jbw_hot_levels *levels)
{
    return threshold_count(levels->workspace) * sizeof *levels->thresholds;
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
        .add_from = to_number(scale, ceil((low - JBW_HOT_SLACK - most) / unit)),
        .add_likely_from = to_number(scale, ceil((likely - JBW_HOT_SLACK - most) / unit)),
        .remove_up_to = to_number(scale, floor((JBW_HOT_SLACK - low - least) / unit)),
        .remove_likely_up_to = to_number(scale, floor((JBW_HOT_SLACK - likely - least) / unit)),
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
static void find_zone_thresholds(jbw_hot_levels *levels, int type)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_zones *zones = &workspace->zones;
    const int types = workspace->plan->model->type_count;
    jbw_hot_thresholds all = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (int zone = 1; zone < zones->count; zone++) {
        const double intensity = workspace->zone_intensities[zone * types + type];
        const jbw_hot_thresholds own = thresholds_of(workspace->plan, type, intensity, intensity);
        levels->thresholds[zone * types + type] = own;
        all.add_from = smaller(all.add_from, own.add_from);
        all.add_likely_from = smaller(all.add_likely_from, own.add_likely_from);
        all.remove_up_to = larger(all.remove_up_to, own.remove_up_to);
        all.remove_likely_up_to = larger(all.remove_likely_up_to, own.remove_likely_up_to);
    }
    if (zones->count < JBW_MOST_ZONES) levels->thresholds[type] = all;
}

void jbw_hot_levels_begin(jbw_hot_levels *levels)
{
    const jbw_workspace *workspace = levels->workspace;
    for (int t = 0; t < workspace->plan->model->type_count; t++) {
        if (workspace->plan->types[t].role == JBW_ROLE_INDEPENDENT) continue;
        levels->thresholds[t] = find_thresholds(workspace->plan, t, workspace->window.origin,
                                                workspace->width_capacity);
        if (workspace->plan->types[t].is_zonal) find_zone_thresholds(levels, t);
    }
}

// ---- gauges ----

jbw_gauge jbw_gauge_of(const jbw_hot_levels *levels, int type)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_energy_scale *fields = &workspace->plan->model->scales[type];
    return (jbw_gauge){
        .own = jbw_workspace_field(workspace, fields->field),
        .shared = jbw_workspace_field(workspace, fields->shared_field),
        .shared_factor = workspace->plan->types[type].scale.shared_factor,
        .is_narrow = workspace->plan->types[type].scale.is_narrow,
        .thresholds = levels->thresholds[type],
        .stride = workspace->window.stride,
        .mask_stride = workspace->word_count + 1,
        .empty = workspace->empty,
        .held = jbw_workspace_held(workspace, type),
    };
}

void jbw_gauge_tighten(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int x, int y,
                       int size)
{
    const jbw_workspace *workspace = levels->workspace;
    const jbw_position corner = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    if (workspace->plan->types[type].has_constant_intensity) return;
    if (workspace->plan->types[type].is_zonal) return; // zones are narrower
    gauge->thresholds = find_thresholds(workspace->plan, type, corner, size);
}

bool jbw_gauge_set_zone(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int zone)
{
    const jbw_workspace *workspace = levels->workspace;
    const int at = zone * workspace->plan->model->type_count + type;
    gauge->thresholds = levels->thresholds[at];
    return zone == 0 || !jbw_intensity_is_never(workspace->zone_intensities[at]);
}

// ---- rows ----

// whether all cells of a row from `left` on, and perhaps some beyond `right`, are too low for
// additions; a row can be read that far (workspace.c)
JBW_INLINE bool is_row_low(const jbw_gauge *g, int left, int right, int y)
{
    const ptrdiff_t row = y * g->stride;
    const int32_t from = g->thresholds.add_from;
#if JBW_HAS_I32X8
    jbw_wide_chunk flags = {~(jbw_i32x8){0}, ~(jbw_i32x8){0}};
    for (int x = left; x < right; x += JBW_CHUNK) {
        jbw_wide_chunk values;
        jbw_load_wide(g, row + x, &values);
        flags.low &= values.low < from;
        flags.high &= values.high < from;
    }
    return jbw_pack_wide(&flags) == JBW_CHUNK_BITS;
#else
    uint32_t bits = JBW_CHUNK_BITS;
    for (int x = left; x < right; x += JBW_CHUNK) {
        jbw_wide_chunk values;
        jbw_load_wide(g, row + x, &values);
        bits &= jbw_wide_below(&values, from);
    }
    return bits == JBW_CHUNK_BITS;
#endif
}

JBW_SIMD_CLONES
static int find_row(const jbw_gauge *gauge, const jbw_invariant_extent *extent, int x, int y,
                    int row, int end, const jbw_workspace_part *part)
{
    const jbw_gauge g = *gauge;
    for (; row < end; row++) {
        const int width = extent->widths[row - y + extent->reach];
        if (!is_row_low(&g, larger(x - width, part->left), smaller(x + width + 1, part->right),
                        row))
            break;
    }
    return row;
}

int jbw_gauge_next_row(const jbw_gauge *gauge, const jbw_invariant_extent *extent, int x, int y,
                       int row, int end, const jbw_workspace_part *part)
{
    return find_row(gauge, extent, x, y, row, end, part);
}

// ---- words ----

// Those of JBW_CHUNK cells that hold the type (`held`) and may lose it. The fields of slow types, the
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

// those of JBW_CHUNK cells that are empty and may get the type
JBW_INLINE uint32_t additions_at(const jbw_gauge *g, int x, int y, uint32_t empty)
{
    jbw_wide_chunk values;
    jbw_load_wide(g, y * g->stride + x, &values);
    return ~jbw_wide_below(&values, g->thresholds.add_from) & empty;
}

JBW_SIMD_CLONES
static uint64_t find_additions(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t empty = g->empty[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD; i += JBW_CHUNK)
        if ((empty >> i & JBW_CHUNK_BITS) != 0)
            bits |= (uint64_t)additions_at(g, word * JBW_WORD + i, y, empty >> i & JBW_CHUNK_BITS)
                    << i;
    return bits;
}

uint64_t jbw_gauge_removals(const jbw_gauge *g, int word, int y, uint64_t inside)
{
    const uint64_t held = g->held[y * g->mask_stride + word] & inside;
    uint64_t bits = 0;
    for (int i = 0; i < JBW_WORD && held != 0; i += JBW_CHUNK)
        bits |= (uint64_t)removals_at(g, word * JBW_WORD + i, y, held >> i & JBW_CHUNK_BITS) << i;
    return bits;
}

uint64_t jbw_gauge_additions(const jbw_gauge *gauge, int word, int y, uint64_t inside)
{
    return find_additions(gauge, word, y, inside);
}
