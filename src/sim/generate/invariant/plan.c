// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/plan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/dmath.h"

#define LOG_2 0x1.62e42fefa39efp-1

enum { LEAST_REACH = 20, MOST_REACH = 64 }; // for margins
enum { CROWDING_SLICES = 8, RESTLESS_SLICES = 8 };

// ---- types that interact ----

double jbw_invariant_intensity(const jbw_invariant_plan *plan, int type, jbw_position cell)
{
    if (plan->types[type].is_constant) return plan->types[type].constant;
    return jbw_intensity_value(&plan->model->items[type].intensity, cell) -
           jbw_free_log_weight(&plan->independent_types, cell);
}

void jbw_invariant_intensity_bounds(const jbw_invariant_plan *plan, int type, jbw_position origin,
                                    int size, double *least, double *most)
{
    if (plan->types[type].is_constant) {
        *least = *most = plan->types[type].constant;
        return;
    }
    double least_free;
    double most_free;
    jbw_intensity_bounds(&plan->model->items[type].intensity, origin, size, least, most);
    jbw_free_log_weight_bounds(&plan->independent_types, origin, size, &least_free, &most_free);
    *least -= most_free;
    *most -= least_free;
}

// the smallest interaction of a type with any other
static double weakest_interaction(const jbw_model *model, int type)
{
    double weakest = INFINITY;
    for (int source = 0; source < model->type_count; source++) {
        const jbw_model_item *item = &model->items[source];
        for (int k = 0; k < item->kernel_count; k++) {
            const jbw_kernel *kernel = &item->kernels[k];
            const jbw_energy_scale *scale = &model->scales[type];
            const int32_t factor = kernel->field == scale->field          ? 1
                                   : kernel->field == scale->shared_field ? scale->shared_factor
                                                                          : 0;
            if (factor == 0) continue;
            if (kernel->kind != JBW_KERNEL_TABLE) return 0.0;
            const int count = (2 * kernel->reach + 1) * kernel->table_stride;
            for (int i = 0; i < count; i++) {
                const double value = fabs((double)kernel->table[i] * factor) * scale->unit;
                if (value > 0.0 && value < weakest) weakest = value;
            }
        }
    }
    return weakest;
}

// The lower the bound, the fewer low draws there are, and the more cells are likely. Where every
// interaction is strong, there are hardly any cells in between; but those that nothing has to do
// with must not become likely by it.
static int choose_low(const jbw_invariant_plan *plan, int type, double halvings)
{
    if (weakest_interaction(plan->model, type) < 1.0) return JBW_LEAST_LOW_HALVINGS;
    if (halvings < JBW_LEAST_LOW_HALVINGS || halvings > JBW_STRONG_LOW_HALVINGS)
        return JBW_STRONG_LOW_HALVINGS;
    return (int)halvings;
}

static void set_up_type(jbw_invariant_plan *plan, int t)
{
    const jbw_model *model = plan->model;
    jbw_invariant_type *type = &plan->types[t];
    type->role = JBW_ROLE_INDEPENDENT;
    if (jbw_is_free(model, t)) return;
    type->is_constant =
        model->scales[t].has_constant_intensity && plan->independent_types.is_constant;
    type->constant = model->scales[t].intensity - plan->independent_types.log_weight;

    // how rare it is at best, in any cell of the world that has no neighbours
    double least;
    double most;
    const jbw_position corner = {-(INT_MAX / 2), -(INT_MAX / 2)};
    jbw_invariant_intensity_bounds(plan, t, corner, INT_MAX, &least, &most);
    type->strongest = most;
    const double halvings = floor(-most / LOG_2);
    if (halvings >= JBW_SLOW_HALVINGS) {
        type->role = JBW_ROLE_SLOW;
        type->low = halvings > JBW_MAX_LOW_HALVINGS ? JBW_MAX_LOW_HALVINGS : (int)halvings;
    } else {
        type->role = JBW_ROLE_NORMAL;
        type->low = choose_low(plan, t, halvings);
        // of a function that somebody has written nobody knows how low it gets
        type->is_patchy = -least / LOG_2 >= JBW_SLOW_HALVINGS && least > -0.5 * JBW_MAX_ENERGY;
        if (halvings < JBW_OPEN_HALVINGS) plan->is_crowding = true;
    }
    type->low_factor = (double)(1 << type->low);
    type->low_bound = 1.0 / type->low_factor;
    type->low_energy = -jbw_log(type->low_factor - 1.0);
    type->few = jbw_few_of(type->low_bound);
    plan->stage_count = JBW_STAGES;
}

// ---- effects ----

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// whether a kernel may have a positive value there, or, with `sign` -1, a negative one
static bool has_sign(const jbw_kernel *kernel, int x, int y, int sign)
{
    if (kernel->kind != JBW_KERNEL_TABLE) return true;
    const ptrdiff_t row = (ptrdiff_t)(y + kernel->reach) * kernel->table_stride;
    const int32_t value = kernel->table[row + JBW_LANES + x + kernel->reach];
    return sign > 0 ? value > 0 : value < 0;
}

// the reach first; the widths if there is room for them
static void widen_extent(jbw_invariant_extent *extent, const jbw_kernel *kernel, int sign)
{
    for (int y = -kernel->reach; y <= kernel->reach; y++) {
        for (int x = -kernel->reach; x <= kernel->reach; x++) {
            if (!has_sign(kernel, x, y, sign)) continue;
            if (extent->widths)
                extent->widths[y + extent->reach] =
                    (int16_t)larger(extent->widths[y + extent->reach], abs(x));
            else
                extent->reach = larger(extent->reach, larger(abs(x), abs(y)));
        }
    }
}

// of all effects, or of those that have room for widths
static void widen_effects(jbw_invariant_plan *plan, bool has_widths)
{
    const jbw_model *model = plan->model;
    for (int source = 0; source < model->type_count; source++) {
        const jbw_model_item *item = &model->items[source];
        for (int k = 0; k < item->kernel_count; k++) {
            const jbw_kernel *kernel = &item->kernels[k];
            for (int target = 0; target < model->type_count; target++) {
                const jbw_energy_scale *scale = &model->scales[target];
                jbw_invariant_effect *effect = &plan->effects[source * model->type_count + target];
                const int factor = scale->field == kernel->field          ? 1
                                   : scale->shared_field == kernel->field ? scale->shared_factor
                                                                          : 0;
                if (scale->unit == 0.0 || factor == 0) continue;
                if (has_widths && !effect->up.widths) continue;
                widen_extent(&effect->up, kernel, factor > 0 ? 1 : -1);
                widen_extent(&effect->down, kernel, factor > 0 ? -1 : 1);
            }
        }
    }
}

static bool add_widths(jbw_invariant_plan *plan, jbw_invariant_extent *extent)
{
    const int rows = 2 * extent->reach + 1;
    extent->widths = jbw_arena_alloc(&plan->arena, (size_t)rows, sizeof *extent->widths);
    if (!extent->widths) return false;
    for (int i = 0; i < rows; i++) extent->widths[i] = -1;
    extent->widths[extent->reach] = 0;
    return true;
}

static bool find_effects(jbw_invariant_plan *plan)
{
    const int types = plan->model->type_count;
    widen_effects(plan, false);
    for (int t = 0; t < types; t++) {
        jbw_invariant_effect *own = &plan->effects[t * types + t];
        if (plan->types[t].role != JBW_ROLE_SLOW) continue;
        if (!add_widths(plan, &own->up) || !add_widths(plan, &own->down)) return false;
    }
    widen_effects(plan, true);
    return true;
}

// ---- late slices ----

// whether two types have anything to do with each other
static bool is_coupled(const jbw_invariant_plan *plan, int a, int b)
{
    const jbw_invariant_effect *effect = &plan->effects[a * plan->model->type_count + b];
    return effect->up.reach > 0 || effect->down.reach > 0;
}

// Late, when it is settled who is where, a type is drawn in every slice if it is weaker than one of
// those it has to do with, or seldom appears by itself; and else in every second.
static void find_periods(jbw_invariant_plan *plan)
{
    for (int t = 0; t < plan->model->type_count; t++) {
        plan->types[t].period = plan->types[t].strongest < -5.0 ? 1 : 2;
        for (int other = 0; other < plan->model->type_count; other++)
            if (is_coupled(plan, other, t) &&
                plan->types[t].strongest < plan->types[other].strongest - 0.25)
                plan->types[t].period = 1;
    }
}

// ---- stages ----

// margins are in units of a sixteenth of how far the types reach that a stage has to do with
static const jbw_invariant_stage stages[JBW_STAGES] = {
    {256, 128, JBW_FIRST_SLICE, JBW_FIRST_SLICE + 7, 38, 26},
    {256, 0, 0, 6, 18, 6},
    {256, 128, 6, 22, 14, 4},
    {128, 64, 22, 30, 8, 4},
};

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// how far types reach that come first, or all others
static int reach_of(const jbw_invariant_plan *plan, bool is_first)
{
    int reach = 0;
    const int types = plan->model->type_count;
    for (int a = 0; a < types; a++) {
        for (int b = 0; b < types; b++) {
            if ((plan->types[b].role == JBW_ROLE_FIRST) != is_first) continue;
            const jbw_invariant_effect *effect = &plan->effects[a * types + b];
            reach = larger(reach, larger(effect->up.reach, effect->down.reach));
        }
    }
    return reach;
}

// whether some type is drawn more often in late slices than others
static bool has_restless_types(const jbw_invariant_plan *plan)
{
    for (int t = 0; t < plan->model->type_count; t++)
        if (plan->types[t].role == JBW_ROLE_SLOW || plan->types[t].is_patchy) return true;
    return false;
}

static void choose_slices(const jbw_invariant_plan *plan, int i, jbw_invariant_stage *stage)
{
    // those that are everywhere at once take longer to settle
    const int later = plan->is_crowding ? CROWDING_SLICES : 0;
    // where much happens, the borders of one stage take longer to heal in the next
    const int sooner = plan->is_restless ? RESTLESS_SLICES : 0;
    if (i == 2) stage->end_slice += later - sooner;
    if (i == 3) stage->first_slice += later - sooner;
    if (i == 3) stage->end_slice += later;
}

// The margins of a block in the middle of one of the stage before are to end within that, with what
// they feel: otherwise it would need eight more.
static void keep_to_one_block(const jbw_invariant_plan *plan, const jbw_invariant_stage *before,
                              jbw_invariant_stage *stage)
{
    const int room = (before->side - stage->side) / 2 - plan->reach;
    if (stage->first_margin > room && stage->last_margin < room) stage->first_margin = room;
}

static void choose_stages(jbw_invariant_plan *plan)
{
    // many types need much memory for each cell of a window, so they get smaller ones
    const bool is_crowded = plan->model->field_count > 32;
    plan->is_restless = has_restless_types(plan);
    plan->reach = reach_of(plan, false);
    for (int i = 0; i < JBW_STAGES; i++) {
        jbw_invariant_stage *stage = &plan->stages[i];
        int reach = clip(reach_of(plan, i == 0), LEAST_REACH, MOST_REACH);
        // what happens more often is felt farther away
        if (plan->is_restless && i > 0) reach += reach / 2;
        *stage = stages[i];
        stage->first_margin = (stages[i].first_margin * reach + 15) / 16;
        stage->last_margin = (stages[i].last_margin * reach + 15) / 16;
        choose_slices(plan, i, stage);
        if (is_crowded) {
            stage->side = 128;
            stage->shift = i % 2 == 0 ? 0 : 64;
        }
        if (i == JBW_STAGES - 1) keep_to_one_block(plan, &stage[-1], stage);
        if (i >= plan->first_stage)
            plan->most_side = larger(plan->most_side, stage->side + 2 * stage->first_margin);
    }
}

// slow types that have to do with slow ones only come first
static void find_first_types(jbw_invariant_plan *plan)
{
    const int types = plan->model->type_count;
    plan->first_stage = 1;
    for (int t = 0; t < types; t++) {
        if (plan->types[t].role != JBW_ROLE_SLOW) continue;
        bool is_first = true;
        for (int other = 0; other < types; other++)
            if (plan->types[other].role == JBW_ROLE_NORMAL &&
                (is_coupled(plan, other, t) || is_coupled(plan, t, other)))
                is_first = false;
        plan->types[t].comes_first = is_first;
    }
    // nor may those have to do with others
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int t = 0; t < types; t++)
            for (int other = 0; other < types; other++)
                if (plan->types[t].comes_first && plan->types[other].role == JBW_ROLE_SLOW &&
                    !plan->types[other].comes_first && is_coupled(plan, other, t))
                    plan->types[t].comes_first = false, is_changed = true;
    }
    for (int t = 0; t < types; t++) {
        if (!plan->types[t].comes_first) continue;
        plan->types[t].role = JBW_ROLE_FIRST;
        plan->first_stage = 0;
    }
}

static bool find_edges(jbw_invariant_plan *plan)
{
    const jbw_model *model = plan->model;
    for (int t = 0; t < model->type_count; t++) {
        const jbw_model_item *item = &model->items[t];
        plan->edges[t] =
            jbw_arena_alloc(&plan->arena, (size_t)item->kernel_count, sizeof(jbw_row_deltas));
        if (!plan->edges[t]) return false;
        for (int k = 0; k < item->kernel_count; k++)
            if (!jbw_row_deltas_init(&plan->edges[t][k], &item->kernels[k], &plan->arena))
                return false;
    }
    return true;
}

static bool allocate(jbw_invariant_plan *plan)
{
    const size_t types = (size_t)plan->model->type_count;
    plan->arena.allocator = plan->model->allocator;
    plan->types = jbw_arena_alloc(&plan->arena, types, sizeof *plan->types);
    plan->effects = jbw_arena_alloc(&plan->arena, types * types, sizeof *plan->effects);
    plan->edges = jbw_arena_alloc(&plan->arena, types, sizeof(jbw_row_deltas *));
    return plan->types && plan->effects && plan->edges && find_edges(plan);
}

bool jbw_invariant_plan_init(jbw_invariant_plan *plan, const jbw_model *model)
{
    *plan =
        (jbw_invariant_plan){.model = model, .independent_types = jbw_independent_types_of(model)};
    if (!allocate(plan)) return false;
    for (int t = 0; t < model->type_count; t++) set_up_type(plan, t);
    if (!find_effects(plan)) return false;
    find_periods(plan);
    find_first_types(plan);
    choose_stages(plan);
    return true;
}

void jbw_invariant_plan_deinit(jbw_invariant_plan *plan)
{
    if (!plan->model) return;
    jbw_arena_deinit(&plan->arena);
    *plan = (jbw_invariant_plan){0};
}
