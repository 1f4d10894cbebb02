// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/planes.h"

#include <string.h>

#include "sim/model/model.h"

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

/// How a field is split.
typedef struct field_split {
    int32_t factors[JBW_PLANE_TERMS];
    int count;
    int first_plane;
} field_split;

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

// what a value adds to plane `term` of a field
static int32_t part_of(const field_split *split, int term, int32_t value)
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

static void bound_kernel(plane_bounds *bounds, const jbw_kernel *kernel, const field_split *split,
                         int term)
{
    const int reach = kernel->reach;
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            if (kernel->kind == JBW_KERNEL_TABLE) {
                const ptrdiff_t row = (ptrdiff_t)(dy + reach) * kernel->table_stride;
                const int32_t part =
                    part_of(split, term, kernel->table[row + JBW_LANES + dx + reach]);
                note_bounds(bounds, dx, dy, part, part);
                continue;
            }
            const int i = dx == 0 || dy == 0 ? 0 : 2; // on an axis or not
            const int32_t u = part_of(split, term, kernel->forward_values[i]);
            const int32_t v = part_of(split, term, kernel->forward_values[i + 1]);
            const int32_t back_u = part_of(split, term, kernel->backward_values[i]);
            const int32_t back_v = part_of(split, term, kernel->backward_values[i + 1]);
            note_bounds(bounds, dx, dy,
                        smaller(0, smaller(u, v)) + smaller(0, smaller(back_u, back_v)),
                        larger(0, larger(u, v)) + larger(0, larger(back_u, back_v)));
        }
    }
}

// whether the sums of a plane fit, whatever is around
static bool plane_fits(const jbw_model *model, plane_bounds *bounds, int field,
                       const field_split *split, int term)
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
                       const field_split *split)
{
    for (int term = 0; term < split->count; term++)
        if (!plane_fits(model, bounds, field, split, term)) return false;
    return true;
}

// one plane if possible, else two; false if even these are not enough
static bool split_field(const jbw_model *model, plane_bounds *bounds, int field, field_split *split)
{
    value_set set = {0};
    for (int source = 0; source < model->type_count; source++)
        for (int k = 0; k < model->items[source].kernel_count; k++)
            if (model->items[source].kernels[k].field == field)
                note_kernel(&set, &model->items[source].kernels[k]);
    if (set.is_unknown) return false;
    *split = (field_split){.factors = {set.divisor > 0 ? set.divisor : 1}, .count = 1};
    if (split_fits(model, bounds, field, split)) return true;
    for (int i = 0; i < set.count && !set.is_full; i++) {
        const int32_t first = divisor_of(set.values[i], 0);
        int32_t rest = 0;
        for (int k = 0; k < set.count; k++)
            rest = divisor_of(rest, set.values[k] - nearest_quotient(set.values[k], first) * first);
        if (rest == 0) continue;
        *split = (field_split){.factors = {first, rest}, .count = 2};
        if (split_fits(model, bounds, field, split)) return true;
    }
    return false;
}

// ---- kernels ----

static bool is_table_row_empty(const jbw_kernel *kernel, const field_split *split, int term,
                               int distance)
{
    const int reach = kernel->reach;
    for (int i = -reach; i <= reach; i++) {
        const int cells[4][2] = {{i, distance}, {i, -distance}, {distance, i}, {-distance, i}};
        for (int k = 0; k < 4; k++) {
            const ptrdiff_t row = (ptrdiff_t)(cells[k][1] + reach) * kernel->table_stride;
            if (part_of(split, term, kernel->table[row + JBW_LANES + cells[k][0] + reach]) != 0)
                return false;
        }
    }
    return true;
}

// the part of a table; its kind stays NONE if there is none
static bool init_table(jbw_plane_kernel *part, const jbw_kernel *kernel, const field_split *split,
                       int term, jbw_arena *arena)
{
    int reach = kernel->reach;
    while (reach > 0 && is_table_row_empty(kernel, split, term, reach)) reach--;
    if (reach == 0) return true;
    const int side = 2 * reach + 1;
    part->kind = JBW_KERNEL_TABLE;
    part->reach = reach;
    part->table_stride = JBW_PLANE_LANES + side + JBW_PLANE_LANES;
    part->table =
        jbw_arena_alloc(arena, (size_t)side * (size_t)part->table_stride, sizeof *part->table);
    if (!part->table) return false;
    const int cut = kernel->reach - reach;
    for (int row = 0; row < side; row++) {
        const int32_t *from = kernel->table + (ptrdiff_t)(row + cut) * kernel->table_stride + cut;
        int16_t *to = part->table + (ptrdiff_t)row * part->table_stride;
        for (int column = 0; column < side; column++)
            to[JBW_PLANE_LANES + column] = (int16_t)part_of(split, term, from[JBW_LANES + column]);
    }
    return true;
}

static void init_columns(jbw_plane_kernel *part, const jbw_kernel *kernel, const field_split *split,
                         int term)
{
    bool is_any = false;
    for (int i = 0; i < 4; i++) {
        part->forward_values[i] = (int16_t)part_of(split, term, kernel->forward_values[i]);
        part->backward_values[i] = (int16_t)part_of(split, term, kernel->backward_values[i]);
        is_any |= part->forward_values[i] != 0 || part->backward_values[i] != 0;
    }
    part->kind = is_any ? JBW_KERNEL_COLUMNS : JBW_KERNEL_NONE;
    part->reach = kernel->reach;
}

static bool build_kernels(jbw_model *model, const field_split *splits)
{
    for (int t = 0; t < model->type_count; t++) {
        jbw_model_item *item = &model->items[t];
        jbw_plane_kernel *kernels = jbw_arena_alloc(
            &model->arena, (size_t)item->kernel_count * JBW_PLANE_TERMS + 1, sizeof *kernels);
        if (!kernels) return false;
        item->plane_kernels = kernels;
        for (int k = 0; k < item->kernel_count; k++) {
            const jbw_kernel *kernel = &item->kernels[k];
            const field_split *split = &splits[kernel->field];
            for (int term = 0; term < split->count; term++) {
                jbw_plane_kernel *part = &kernels[item->plane_kernel_count];
                *part = (jbw_plane_kernel){.plane = split->first_plane + term, .whole = kernel};
                if (kernel->kind == JBW_KERNEL_COLUMNS)
                    init_columns(part, kernel, split, term);
                else if (!init_table(part, kernel, split, term, &model->arena))
                    return false;
                item->plane_kernel_count += part->kind != JBW_KERNEL_NONE;
            }
        }
    }
    return true;
}

// ---- the model ----

// appends the planes of a field, each worth `factor` times as much; false if there are too many
static bool add_terms(jbw_plane_sum *sum, int *count, const field_split *split, int32_t factor)
{
    for (int term = 0; term < split->count; term++) {
        if (*count == JBW_PLANE_TERMS) return false;
        sum->planes[*count] = split->first_plane + term;
        sum->factors[(*count)++] = (int32_t)((uint32_t)factor * (uint32_t)split->factors[term]);
    }
    return true;
}

static bool find_sums(jbw_model *model, const field_split *splits)
{
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        jbw_plane_sum *sum = &model->plane_sums[t];
        int count = 0;
        if (scale->unit == 0.0) continue;
        if (!add_terms(sum, &count, &splits[scale->field], 1)) return false;
        if (scale->shared_factor != 0 &&
            !add_terms(sum, &count, &splits[scale->shared_field], scale->shared_factor))
            return false;
        if (count < JBW_PLANE_TERMS) sum->planes[1] = sum->planes[0];
    }
    return true;
}

static bool split_fields(const jbw_model *model, plane_bounds *bounds, field_split *splits,
                         int *plane_count)
{
    for (int field = 0; field < model->field_count; field++) {
        if (!split_field(model, bounds, field, &splits[field])) return false;
        splits[field].first_plane = *plane_count;
        *plane_count += splits[field].count;
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
    const size_t split_bytes = (size_t)model->field_count * sizeof(field_split);
    bounds.least = jbw_alloc(allocator, bytes);
    bounds.most = jbw_alloc(allocator, bytes);
    field_split *splits = jbw_alloc(allocator, split_bytes);
    model->plane_sums =
        jbw_arena_alloc(&model->arena, (size_t)model->type_count + 1, sizeof *model->plane_sums);
    bool is_good = bounds.least && bounds.most && splits && model->plane_sums;
    int plane_count = 0;
    if (is_good && split_fields(model, &bounds, splits, &plane_count) && find_sums(model, splits)) {
        is_good = build_kernels(model, splits);
        model->plane_count = plane_count;
    }
    jbw_free(allocator, bounds.least, bytes);
    jbw_free(allocator, bounds.most, bytes);
    jbw_free(allocator, splits, split_bytes);
    return is_good;
}
