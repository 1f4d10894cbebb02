// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/planes.h"

#include <string.h>

#include "sim/model/plane_split.h"

enum {
    MOST_VALUES = 16,
    MOST_TYPES = 64, // with more, looking for planes would take too long
};

/// The different values that are added to a field.
typedef struct value_set {
    int32_t divisor; // of all of them
    int32_t values[MOST_VALUES];
    int count;
    bool is_full;    // there are more values
    bool is_unknown; // there are values that are not known
} value_set;

// ---- values ----

// the greatest common divisor; with zero, the absolute value
static int32_t divisor_of(int32_t a, int32_t b)
{
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void note_value(value_set *set, int32_t value)
{
    if (value == 0) return;
    for (int i = 0; i < set->count; i++)
        if (set->values[i] == value) return;
    set->divisor = divisor_of(set->divisor, value);
    if (set->count < MOST_VALUES)
        set->values[set->count++] = value;
    else
        set->is_full = true;
}

static void note_kernel(value_set *set, const jbw_kernel *kernel)
{
    if (kernel->kind == JBW_KERNEL_TABLE) {
        const int count = (2 * kernel->reach + 1) * kernel->table_stride;
        for (int i = 0; i < count; i++) note_value(set, kernel->table[i]);
    } else if (kernel->kind == JBW_KERNEL_COLUMNS) {
        for (int i = 0; i < 4; i++) {
            note_value(set, kernel->forward_values[i]);
            note_value(set, kernel->backward_values[i]);
        }
    } else {
        set->is_unknown = true;
    }
}

// the quotient that leaves the smallest rest
static int32_t nearest_quotient(int32_t value, int32_t divisor)
{
    const int32_t quotient = value / divisor;
    const int32_t rest = value % divisor;
    if (rest > divisor / 2) return quotient + 1;
    if (rest < -(divisor / 2)) return quotient - 1;
    return quotient;
}

int32_t jbw_field_part(const jbw_field_split *split, int term, int32_t value)
{
    if (split->count == 1) return value / split->factors[0];
    const int32_t first = nearest_quotient(value, split->factors[0]);
    return term == 0 ? first : (value - first * split->factors[0]) / split->factors[1];
}

// ---- bounds ----

/// The least and the most that any item adds to a plane, by offset.
typedef struct plane_bounds {
    int reach;
    int32_t *least; // (side x side)
    int32_t *most;
} plane_bounds;

static size_t bounds_count(const plane_bounds *bounds)
{
    const size_t side = 2 * (size_t)bounds->reach + 1;
    return side * side;
}

static void note_bounds(plane_bounds *bounds, int dx, int dy, int32_t least, int32_t most)
{
    const ptrdiff_t side = 2 * bounds->reach + 1;
    const ptrdiff_t at = (dy + bounds->reach) * side + dx + bounds->reach;
    if (least < bounds->least[at]) bounds->least[at] = least;
    if (most > bounds->most[at]) bounds->most[at] = most;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void bound_kernel(plane_bounds *bounds, const jbw_kernel *kernel,
                         const jbw_field_split *split, int term)
{
    const int reach = kernel->reach;
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            if (kernel->kind == JBW_KERNEL_TABLE) {
                const ptrdiff_t row = (ptrdiff_t)(dy + reach) * kernel->table_stride;
                const int32_t part =
                    jbw_field_part(split, term, kernel->table[row + JBW_LANES + dx + reach]);
                note_bounds(bounds, dx, dy, part, part);
                continue;
            }
            const int i = dx == 0 || dy == 0 ? 0 : 2; // on an axis or not
            const int32_t u = jbw_field_part(split, term, kernel->forward_values[i]);
            const int32_t v = jbw_field_part(split, term, kernel->forward_values[i + 1]);
            const int32_t back_u = jbw_field_part(split, term, kernel->backward_values[i]);
            const int32_t back_v = jbw_field_part(split, term, kernel->backward_values[i + 1]);
            note_bounds(bounds, dx, dy,
                        smaller(0, smaller(u, v)) + smaller(0, smaller(back_u, back_v)),
                        larger(0, larger(u, v)) + larger(0, larger(back_u, back_v)));
        }
    }
}

// whether the sums of a plane fit, whatever is around
static bool plane_fits(const jbw_model *model, plane_bounds *bounds, int field,
                       const jbw_field_split *split, int term)
{
    const size_t count = bounds_count(bounds);
    memset(bounds->least, 0, count * sizeof *bounds->least);
    memset(bounds->most, 0, count * sizeof *bounds->most);
    for (int source = 0; source < model->type_count; source++)
        for (int k = 0; k < model->items[source].kernel_count; k++)
            if (model->items[source].kernels[k].field == field)
                bound_kernel(bounds, &model->items[source].kernels[k], split, term);
    int64_t least = 0;
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        least += bounds->least[i];
        most += bounds->most[i];
    }
    return least >= INT16_MIN && most <= INT16_MAX;
}

static bool split_fits(const jbw_model *model, plane_bounds *bounds, int field,
                       const jbw_field_split *split)
{
    for (int term = 0; term < split->count; term++)
        if (!plane_fits(model, bounds, field, split, term)) return false;
    return true;
}

// one plane if possible, else two; false if even these are not enough
static bool split_field(const jbw_model *model, plane_bounds *bounds, int field,
                        jbw_field_split *split)
{
    value_set set = {0};
    for (int source = 0; source < model->type_count; source++)
        for (int k = 0; k < model->items[source].kernel_count; k++)
            if (model->items[source].kernels[k].field == field)
                note_kernel(&set, &model->items[source].kernels[k]);
    if (set.is_unknown) return false;
    *split = (jbw_field_split){.factors = {set.divisor > 0 ? set.divisor : 1}, .count = 1};
    if (split_fits(model, bounds, field, split)) return true;
    for (int i = 0; i < set.count && !set.is_full; i++) {
        const int32_t first = divisor_of(set.values[i], 0);
        int32_t rest = 0;
        for (int k = 0; k < set.count; k++)
            rest = divisor_of(rest, set.values[k] - nearest_quotient(set.values[k], first) * first);
        if (rest == 0) continue;
        *split = (jbw_field_split){.factors = {first, rest}, .count = 2};
        if (split_fits(model, bounds, field, split)) return true;
    }
    return false;
}

// ---- the model ----

// whether the energy of each type is the sum of few enough planes
static bool has_sums(const jbw_model *model, const jbw_field_split *splits)
{
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        int count = scale->unit == 0.0 ? 0 : splits[scale->field].count;
        if (scale->shared_factor != 0) count += splits[scale->shared_field].count;
        if (count > JBW_PLANE_TERMS) return false;
    }
    return true;
}

// appends the planes of a field, each worth `factor` times as much
static void add_terms(jbw_plane_sum *sum, int *count, const jbw_field_split *split, int32_t factor)
{
    for (int term = 0; term < split->count; term++) {
        sum->planes[*count] = split->planes[term];
        sum->factors[(*count)++] = (int32_t)((uint32_t)factor * (uint32_t)split->factors[term]);
    }
}

static void find_sums(jbw_model *model, const jbw_field_split *splits)
{
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        jbw_plane_sum *sum = &model->plane_sums[t];
        int count = 0;
        if (scale->unit == 0.0) continue;
        add_terms(sum, &count, &splits[scale->field], 1);
        if (scale->shared_factor != 0)
            add_terms(sum, &count, &splits[scale->shared_field], scale->shared_factor);
        if (count < JBW_PLANE_TERMS) sum->planes[1] = sum->planes[0];
    }
}

static bool split_fields(const jbw_model *model, plane_bounds *bounds, jbw_field_split *splits,
                         int *plane_count)
{
    for (int field = 0; field < model->field_count; field++) {
        if (!split_field(model, bounds, field, &splits[field])) return false;
        for (int term = 0; term < splits[field].count; term++)
            splits[field].planes[term] = (*plane_count)++;
    }
    return true;
}

bool jbw_planes_build(jbw_model *model, bool force_fields)
{
    const bool is_used = model->generation == JBW_GENERATION_FRONTIER;
    if (force_fields || !is_used || model->type_count > MOST_TYPES) return true;
    const jbw_allocator *allocator = &model->allocator;
    plane_bounds bounds = {.reach = model->reach};
    const size_t bytes = bounds_count(&bounds) * sizeof *bounds.least;
    const size_t split_bytes = (size_t)model->field_count * sizeof(jbw_field_split);
    bounds.least = jbw_alloc(allocator, bytes);
    bounds.most = jbw_alloc(allocator, bytes);
    jbw_field_split *splits = jbw_alloc(allocator, split_bytes);
    model->plane_sums =
        jbw_arena_alloc(&model->arena, (size_t)model->type_count + 1, sizeof *model->plane_sums);
    bool is_good = bounds.least && bounds.most && splits && model->plane_sums;
    int plane_count = 0;
    if (is_good && split_fields(model, &bounds, splits, &plane_count) && has_sums(model, splits)) {
        is_good = jbw_plane_kernels_build(model, splits, plane_count);
        find_sums(model, splits);
        model->plane_count = plane_count;
    }
    jbw_free(allocator, bounds.least, bytes);
    jbw_free(allocator, bounds.most, bytes);
    jbw_free(allocator, splits, split_bytes);
    return is_good;
}
