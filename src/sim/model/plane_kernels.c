// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of planes, and which planes lie side by side.

#include <string.h>

#include "sim/model/plane_split.h"

/// What the items of a type add to a plane.
typedef struct plane_use {
    const jbw_kernel *kernel; // NULL: nothing
    const jbw_field_split *split;
    int term;
    int reach;
} plane_use;

/// Planes that may share a group.
typedef struct plane_group {
    int planes[JBW_PLANE_GROUP];
    int size;
    bool has_columns; // then it is alone
} plane_group;

typedef struct plane_groups {
    const jbw_model *model;
    plane_use *uses;     // (type_count x plane_count)
    plane_group *groups; // (count)
    int *numbers;        // (plane_count): the new number of each plane
    int plane_count;
    int count;
} plane_groups;

static plane_use *use_of(const plane_groups *all, int type, int plane)
{
    return &all->uses[type * all->plane_count + plane];
}

// ---- uses ----

static int32_t table_at(const jbw_kernel *kernel, int dx, int dy)
{
    const ptrdiff_t row = (ptrdiff_t)(dy + kernel->reach) * kernel->table_stride;
    return kernel->table[row + JBW_LANES + dx + kernel->reach];
}

static bool is_ring_empty(const plane_use *use, int distance)
{
    for (int i = -distance; i <= distance; i++) {
        const int cells[4][2] = {{i, distance}, {i, -distance}, {distance, i}, {-distance, i}};
        for (int k = 0; k < 4; k++)
            if (jbw_field_part(use->split, use->term,
                               table_at(use->kernel, cells[k][0], cells[k][1])) != 0)
                return false;
    }
    return true;
}

static bool are_columns_empty(const plane_use *use)
{
    for (int i = 0; i < 4; i++)
        if (jbw_field_part(use->split, use->term, use->kernel->forward_values[i]) != 0 ||
            jbw_field_part(use->split, use->term, use->kernel->backward_values[i]) != 0)
            return false;
    return true;
}

// how far a part of a kernel reaches; zero if it is empty
static int find_reach(const plane_use *use)
{
    int reach = use->kernel->reach;
    if (use->kernel->kind == JBW_KERNEL_COLUMNS) return are_columns_empty(use) ? 0 : reach;
    while (reach > 0 && is_ring_empty(use, reach)) reach--;
    return reach;
}

static void find_uses(const plane_groups *all, const jbw_field_split *splits)
{
    const jbw_model *model = all->model;
    for (int t = 0; t < model->type_count; t++) {
        for (int k = 0; k < model->items[t].kernel_count; k++) {
            const jbw_kernel *kernel = &model->items[t].kernels[k];
            const jbw_field_split *split = &splits[kernel->field];
            for (int term = 0; term < split->count; term++) {
                plane_use use = {.kernel = kernel, .split = split, .term = term};
                use.reach = find_reach(&use);
                if (use.reach > 0) *use_of(all, t, split->planes[term]) = use;
            }
        }
    }
}

// ---- groups ----

static int group_reach(const plane_groups *all, const plane_group *group, int type)
{
    int reach = 0;
    for (int i = 0; i < group->size; i++) {
        const plane_use *use = use_of(all, type, group->planes[i]);
        if (use->reach > reach) reach = use->reach;
    }
    return reach;
}

// the vectors that an item of a type changes
static int group_cost(const plane_groups *all, const plane_group *group, int type)
{
    const int reach = group_reach(all, group, type);
    if (reach == 0) return 0;
    const int side = 2 * reach + 1;
    return side * ((side * group->size + JBW_PLANE_LANES - 1) / JBW_PLANE_LANES);
}

// whether two groups may become one: no item then costs more
static bool may_join(const plane_groups *all, const plane_group *group, const plane_group *single,
                     plane_group *joined)
{
    if (group->has_columns || single->has_columns || group->size == JBW_PLANE_GROUP) return false;
    *joined = *group;
    joined->planes[joined->size++] = single->planes[0];
    for (int t = 0; t < all->model->type_count; t++)
        if (group_cost(all, joined, t) > group_cost(all, group, t) + group_cost(all, single, t))
            return false;
    return true;
}

static void find_groups(plane_groups *all)
{
    for (int plane = 0; plane < all->plane_count; plane++) {
        plane_group single = {.planes = {plane}, .size = 1};
        for (int t = 0; t < all->model->type_count; t++) {
            const plane_use *use = use_of(all, t, plane);
            single.has_columns |= use->kernel && use->kernel->kind == JBW_KERNEL_COLUMNS;
        }
        int g = 0;
        plane_group joined;
        while (g < all->count && !may_join(all, &all->groups[g], &single, &joined)) g++;
        if (g < all->count)
            all->groups[g] = joined;
        else
            all->groups[all->count++] = single;
    }
}

// planes of a group get numbers in a row
static void number_planes(const plane_groups *all, jbw_field_split *splits)
{
    const jbw_model *model = all->model;
    int next = 0;
    for (int g = 0; g < all->count; g++) {
        const plane_group *group = &all->groups[g];
        for (int i = 0; i < group->size; i++) {
            all->numbers[group->planes[i]] = next + i;
            model->planes[next + i] = (jbw_plane){.first = next, .size = group->size};
        }
        next += group->size;
    }
    for (int field = 0; field < model->field_count; field++)
        for (int term = 0; term < splits[field].count; term++)
            splits[field].planes[term] = all->numbers[splits[field].planes[term]];
}

// ---- kernels ----

// the part of a group that belongs to a plane
static void fill_table(const jbw_plane_kernel *kernel, int plane, const plane_use *use)
{
    for (int dy = -use->reach; dy <= use->reach; dy++) {
        int16_t *row = kernel->table + (ptrdiff_t)(dy + kernel->reach) * kernel->table_stride +
                       JBW_PLANE_LANES + plane;
        for (int dx = -use->reach; dx <= use->reach; dx++)
            row[(dx + kernel->reach) * kernel->size] =
                (int16_t)jbw_field_part(use->split, use->term, table_at(use->kernel, dx, dy));
    }
}

static bool is_symmetric(const jbw_plane_kernel *kernel)
{
    const ptrdiff_t stride = kernel->table_stride;
    const int16_t *center = kernel->table + kernel->reach * stride;
    for (int dy = 1; dy <= kernel->reach; dy++)
        if (memcmp(center + dy * stride, center - dy * stride,
                   (size_t)stride * sizeof *kernel->table) != 0)
            return false;
    return true;
}

static bool init_table(jbw_plane_kernel *kernel, const plane_groups *all, const plane_group *group,
                       int type, jbw_arena *arena)
{
    const int side = 2 * kernel->reach + 1;
    kernel->kind = JBW_KERNEL_TABLE;
    kernel->table_stride = JBW_PLANE_LANES + side * kernel->size + JBW_PLANE_LANES;
    kernel->table =
        jbw_arena_alloc(arena, (size_t)side * (size_t)kernel->table_stride, sizeof *kernel->table);
    if (!kernel->table) return false;
    for (int i = 0; i < group->size; i++) {
        const plane_use *use = use_of(all, type, group->planes[i]);
        if (use->kernel) fill_table(kernel, i, use);
    }
    kernel->is_symmetric = is_symmetric(kernel);
    return true;
}

static void init_columns(jbw_plane_kernel *kernel, const plane_use *use)
{
    kernel->kind = JBW_KERNEL_COLUMNS;
    kernel->whole = use->kernel;
    for (int i = 0; i < 4; i++) {
        kernel->forward_values[i] =
            (int16_t)jbw_field_part(use->split, use->term, use->kernel->forward_values[i]);
        kernel->backward_values[i] =
            (int16_t)jbw_field_part(use->split, use->term, use->kernel->backward_values[i]);
    }
}

static bool build_kernels(jbw_model *model, const plane_groups *all, int type)
{
    jbw_model_item *item = &model->items[type];
    jbw_plane_kernel *kernels =
        jbw_arena_alloc(&model->arena, (size_t)all->count + 1, sizeof *kernels);
    if (!kernels) return false;
    item->plane_kernels = kernels;
    for (int g = 0; g < all->count; g++) {
        const plane_group *group = &all->groups[g];
        const int reach = group_reach(all, group, type);
        if (reach == 0) continue;
        jbw_plane_kernel *kernel = &kernels[item->plane_kernel_count++];
        const plane_use *use = use_of(all, type, group->planes[0]);
        *kernel = (jbw_plane_kernel){
            .plane = all->numbers[group->planes[0]], .size = group->size, .reach = reach};
        if (group->has_columns && use->kernel->kind == JBW_KERNEL_COLUMNS)
            init_columns(kernel, use);
        else if (!init_table(kernel, all, group, type, &model->arena))
            return false;
    }
    return true;
}

bool jbw_plane_kernels_build(jbw_model *model, jbw_field_split *splits, int plane_count)
{
    const jbw_allocator *allocator = &model->allocator;
    const size_t planes = (size_t)plane_count;
    const size_t uses = (size_t)model->type_count * planes;
    plane_groups all = {.model = model, .plane_count = plane_count};
    all.uses = jbw_alloc_zero(allocator, uses, sizeof *all.uses);
    all.groups = jbw_alloc_zero(allocator, planes, sizeof *all.groups);
    all.numbers = jbw_alloc_zero(allocator, planes, sizeof *all.numbers);
    model->planes = jbw_arena_alloc(&model->arena, planes, sizeof *model->planes);
    bool is_good = all.uses && all.groups && all.numbers && model->planes;
    if (is_good) {
        find_uses(&all, splits);
        find_groups(&all);
        number_planes(&all, splits);
    }
    for (int t = 0; t < model->type_count && is_good; t++) is_good = build_kernels(model, &all, t);
    jbw_free(allocator, all.uses, uses * sizeof *all.uses);
    jbw_free(allocator, all.groups, planes * sizeof *all.groups);
    jbw_free(allocator, all.numbers, planes * sizeof *all.numbers);
    return is_good;
}
