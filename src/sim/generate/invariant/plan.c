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
enum { LARGE_SIDE = 384 };

// ---- intensities ----

double jbw_invariant_intensity(const jbw_invariant_plan *plan, int type, jbw_position cell)
{
    if (plan->types[type].has_constant_intensity) return plan->types[type].constant_intensity;
    return jbw_intensity_value(&plan->model->items[type].intensity, plan->seed, cell) -
           jbw_independent_log_weight(&plan->independent_types, plan->seed, cell);
}

bool jbw_invariant_is_rare(double intensity)
{
    return -intensity / LOG_2 >= (double)JBW_SLOW_HALVINGS && intensity > -0.5 * JBW_MAX_ENERGY;
}

void jbw_invariant_intensity_bounds(const jbw_invariant_plan *plan, int type, jbw_position corner,
                                    int size, double *least, double *most)
{
    if (plan->types[type].has_constant_intensity) {
        *least = *most = plan->types[type].constant_intensity;
        return;
    }
    double least_weight;
    double most_weight;
    jbw_intensity_bounds(&plan->model->items[type].intensity, plan->seed, corner, size, least,
                         most);
    jbw_independent_log_weight_bounds(&plan->independent_types, plan->seed, corner, size,
                                      &least_weight, &most_weight);
    *least -= most_weight;
    *most -= least_weight;
}

// ---- roles ----

// what a unit of a field is worth in the energy of a type, in units of its own field; zero is
// nothing
static int32_t field_factor(const jbw_energy_scale *scale, int field)
{
    if (field == scale->field) return 1;
    return field == scale->shared_field ? scale->shared_factor : 0;
}

// the smallest interaction of a type with any type, by absolute value
static double weakest_interaction(const jbw_model *model, int type)
{
    double weakest = INFINITY;
    for (int source = 0; source < model->type_count; source++) {
        const jbw_model_item *item = &model->items[source];
        for (int k = 0; k < item->kernel_count; k++) {
            const jbw_kernel *kernel = &item->kernels[k];
            const jbw_energy_scale *scale = &model->scales[type];
            const int32_t factor = field_factor(scale, kernel->field);
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

// The lower the bound, the fewer low draws there are, and the more cells are hot (gauge.h). If
// all interactions are strong, few cells lie between two bounds, so a low one costs little. But it
// must not make cells hot that nothing interacts with.
static int choose_low_halvings(const jbw_invariant_plan *plan, int type, double halvings)
{
    if (weakest_interaction(plan->model, type) < 1.0) return JBW_LEAST_LOW_HALVINGS;
    if (halvings < (double)JBW_LEAST_LOW_HALVINGS || halvings > (double)JBW_STRONG_LOW_HALVINGS)
        return JBW_STRONG_LOW_HALVINGS;
    return (int)halvings;
}

// a square from there of INT_MAX cells stands for the whole plane
static const jbw_position far_corner = {-(INT_MAX / 2), -(INT_MAX / 2)};

// the most by which independent types lower an intensity anywhere
static double most_weight(const jbw_invariant_plan *plan)
{
    double least;
    double most;
    jbw_independent_log_weight_bounds(&plan->independent_types, plan->seed, far_corner, INT_MAX,
                                      &least, &most);
    return most;
}

static void set_up_type(jbw_invariant_plan *plan, int t)
{
    const jbw_model *model = plan->model;
    jbw_invariant_type *type = &plan->types[t];
    type->role = JBW_ROLE_INDEPENDENT;
    if (jbw_is_independent(model, t)) return;
    type->has_constant_intensity =
        model->scales[t].has_constant_intensity && plan->independent_types.is_constant;
    type->constant_intensity = model->scales[t].intensity - plan->independent_types.log_weight;
    type->is_zonal = !type->has_constant_intensity && model->items[t].intensity.is_zonal &&
                     plan->independent_types.is_zonal;

    // how rare it is at best: in any cell of the world, without neighbours
    double least;
    double most;
    jbw_invariant_intensity_bounds(plan, t, far_corner, INT_MAX, &least, &most);
    type->max_intensity = most;
    const double halvings = floor(-most / LOG_2);
    if (halvings >= (double)JBW_SLOW_HALVINGS) {
        type->role = JBW_ROLE_SLOW;
        type->low_halvings =
            halvings > (double)JBW_MAX_LOW_HALVINGS ? JBW_MAX_LOW_HALVINGS : (int)halvings;
    } else {
        type->role = JBW_ROLE_NORMAL;
        type->low_halvings = choose_low_halvings(plan, t, halvings);
        // the lower bound of a user-defined function is unknown; where biomes have no such items,
        // there is nothing to draw
        if (model->items[t].intensity.has_never)
            least = jbw_intensity_least(&model->items[t].intensity) - most_weight(plan);
        type->is_patchy = jbw_invariant_is_rare(least);
        if (halvings < (double)JBW_CROWDING_HALVINGS) plan->is_crowding = true;
    }
    type->low_factor = (double)(1 << type->low_halvings);
    type->low_bound = 1.0 / type->low_factor;
    type->low_energy = -jbw_log(type->low_factor - 1.0);
    type->likely_number =
        (uint64_t)ceil((JBW_LIKELY - type->low_bound) / (1.0 - type->low_bound) * 0x1p53);
    type->low_counts = jbw_binomial_of(type->low_bound);
    plan->stage_count = JBW_STAGES;
}

// ---- effects ----

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// whether a kernel may be positive there, or, with `sign` -1, negative
static bool has_sign(const jbw_kernel *kernel, int x, int y, int sign)
{
    if (kernel->kind != JBW_KERNEL_TABLE) return true;
    const ptrdiff_t row = (ptrdiff_t)(y + kernel->reach) * kernel->table_stride;
    const int32_t value = kernel->table[row + JBW_LANES + x + kernel->reach];
    return sign > 0 ? value > 0 : value < 0;
}

// extends the widths, or the reach if there are no widths yet
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

// extends all effects, or with `has_widths` those that have widths
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
                const int32_t factor = field_factor(scale, kernel->field);
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

// whether items of type a change the energy of type b
static bool is_coupled(const jbw_invariant_plan *plan, int a, int b)
{
    const jbw_invariant_effect *effect = &plan->effects[a * plan->model->type_count + b];
    return effect->up.reach > 0 || effect->down.reach > 0;
}

// In late slices, when the layout of the map has settled, a type is drawn in every slice if it is
// weaker than one of the types that act on it, or seldom appears on its own. All others are drawn
// in every second slice.
static void choose_periods(jbw_invariant_plan *plan)
{
    for (int t = 0; t < plan->model->type_count; t++) {
        plan->types[t].period = plan->types[t].max_intensity < -5.0 ? 1 : 2;
        for (int other = 0; other < plan->model->type_count; other++)
            if (is_coupled(plan, other, t) &&
                plan->types[t].max_intensity < plan->types[other].max_intensity - 0.25)
                plan->types[t].period = 1;
    }
}

// ---- stages ----

// margins are in sixteenths of the reach of the types that a stage simulates
static const jbw_invariant_stage stages[JBW_STAGES] = {
    {JBW_STAGE_FIRST, 256, 128, 0, 7, 38, 26},
    {JBW_STAGE_MAIN, 256, 0, 0, 6, 18, 6},
    {JBW_STAGE_MAIN, 256, 128, 6, 22, 14, 4},
    {JBW_STAGE_MAIN, 128, 64, 22, 30, 8, 4},
};

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// the reach of everything that acts on the types that come first, or on all others
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

// whether some type is drawn more often than normal types in late slices
static bool has_restless_types(const jbw_invariant_plan *plan)
{
    for (int t = 0; t < plan->model->type_count; t++)
        if (plan->types[t].role == JBW_ROLE_SLOW || plan->types[t].is_patchy) return true;
    return false;
}

static void choose_slices(const jbw_invariant_plan *plan, int i, jbw_invariant_stage *stage)
{
    // a map that begins crowded takes longer to settle
    const int later = plan->is_crowding ? CROWDING_SLICES : 0;
    // where much happens, the block borders of one stage take longer to heal in the next
    const int sooner = plan->is_restless ? RESTLESS_SLICES : 0;
    if (i == 2) stage->end_slice += later - sooner;
    if (i == 3) stage->first_slice += later - sooner;
    if (i == 3) stage->end_slice += later;
}

// Half of the time goes into the last hundredths of the density. A map of maturity 0.9 has a quarter
// of the late slices, and one in between a share in between. The last stage heals the borders of the
// stage before, and nothing heals its own. If it is long enough for all late slices, one stage will
// do: the one before, since its margins are wider.
static void choose_maturity(jbw_invariant_plan *plan)
{
    jbw_invariant_stage *before = &plan->stages[2];
    jbw_invariant_stage *last = &plan->stages[3];
    const int late = last->end_slice - JBW_EARLY_SLICES;
    const int healing = last->end_slice - last->first_slice;
    const int kept =
        (int)floor(late * (1.0 - (1.0 - plan->model->maturity) * 7.5) + 0.5); // of all late ones
    last->end_slice = JBW_EARLY_SLICES + kept;
    last->first_slice = last->end_slice - (healing < kept / 2 ? healing : kept / 2);
    if (kept <= healing) {
        last->first_slice = last->end_slice;
        plan->stage_count = plan->stage_count > 0 ? JBW_STAGES - 1 : 0;
    }
    before->end_slice = last->first_slice;
}

// A block in the middle of a block of the stage before should need no other block: its margins and
// their surroundings must end within that block. Otherwise it needs eight more.
static void keep_to_one_block(const jbw_invariant_plan *plan, const jbw_invariant_stage *before,
                              jbw_invariant_stage *stage)
{
    const int room = (before->side - stage->side) / 2 - plan->reach;
    if (stage->first_margin > room && stage->last_margin < room) stage->first_margin = room;
}

// The blocks of stage 1 are larger if then the block of stage 2 around the origin, where most agents
// begin, needs only one of them: those next to it need two along an axis. If it needed more even so,
// they would be too large.
static void choose_sides(jbw_invariant_plan *plan)
{
    const jbw_invariant_stage *after = &plan->stages[2];
    if (LARGE_SIDE / 2 < after->side / 2 + after->first_margin + plan->reach) return;
    plan->stages[1].side = LARGE_SIDE;
    plan->stages[1].shift = LARGE_SIDE / 2;
}

static void choose_stages(jbw_invariant_plan *plan)
{
    // many types need much memory per cell, so their windows are smaller
    const bool has_many_fields = plan->model->field_count > 32;
    plan->is_restless = has_restless_types(plan);
    plan->reach = reach_of(plan, false);
    for (int i = 0; i < JBW_STAGES; i++) {
        jbw_invariant_stage *stage = &plan->stages[i];
        int reach = clip(reach_of(plan, i == 0), LEAST_REACH, MOST_REACH);
        // frequent changes have effects farther away
        if (plan->is_restless && i > 0) reach += reach / 2;
        *stage = stages[i];
        stage->first_margin = (stages[i].first_margin * reach + 15) / 16;
        stage->last_margin = (stages[i].last_margin * reach + 15) / 16;
        choose_slices(plan, i, stage);
        if (has_many_fields) {
            stage->side = 128;
            stage->shift = i % 2 == 0 ? 0 : 64;
        }
        if (i == JBW_STAGES - 1) keep_to_one_block(plan, &stage[-1], stage);
    }
    if (plan->model->maturity < 1.0) choose_maturity(plan);
    if (!has_many_fields) choose_sides(plan);
    for (int i = plan->first_stage; i < JBW_STAGES; i++)
        plan->most_side =
            larger(plan->most_side, plan->stages[i].side + 2 * plan->stages[i].first_margin);
}

// slow types that interact only with slow types come first
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
    // a type does not come first if a slow type that does not come first acts on it
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

// ---- fields ----

// a field that types share is narrow only if all of them read narrow fields
static void choose_scales(jbw_invariant_plan *plan)
{
    const jbw_model *model = plan->model;
    for (int t = 0; t < model->type_count; t++) {
        jbw_invariant_type *type = &plan->types[t];
        type->scale = (jbw_narrow_scale){.unit = model->scales[t].unit,
                                         .shared_factor = model->scales[t].shared_factor};
        if (type->role == JBW_ROLE_NORMAL)
            type->scale = jbw_narrow_scale_of(model, t, type->max_intensity);
    }
    for (int t = 0; t < model->type_count; t++) {
        const jbw_energy_scale *scale = &model->scales[t];
        bool is_narrow = plan->types[t].scale.is_narrow;
        for (int other = 0; other < model->type_count; other++)
            if (scale->shared_factor != 0 && model->scales[other].shared_factor != 0 &&
                model->scales[other].shared_field == scale->shared_field)
                is_narrow = is_narrow && plan->types[other].scale.is_narrow;
        if (!is_narrow) continue;
        plan->is_narrow[scale->field] = true;
        plan->is_narrow[scale->shared_field] = true;
    }
    for (int t = 0; t < model->type_count; t++)
        if (plan->types[t].role == JBW_ROLE_NORMAL && !plan->is_narrow[model->scales[t].field])
            plan->types[t].scale = (jbw_narrow_scale){
                .unit = model->scales[t].unit, .shared_factor = model->scales[t].shared_factor};
}

// the type whose own field it is, or -1
static int owner_of(const jbw_model *model, int field)
{
    for (int t = 0; t < model->type_count; t++)
        if (model->scales[t].unit != 0.0 && model->scales[t].field == field) return t;
    return -1;
}

static bool set_up_kernel(jbw_invariant_plan *plan, const jbw_kernel *kernel,
                          jbw_narrow_kernel *narrow, jbw_row_deltas *deltas)
{
    const int owner = owner_of(plan->model, kernel->field);
    if (plan->is_narrow[kernel->field] &&
        !jbw_narrow_kernel_init(narrow, kernel, owner >= 0 ? &plan->types[owner].scale : NULL,
                                owner >= 0 ? plan->model->scales[owner].unit : 1.0, &plan->arena))
        return false;
    if (plan->is_narrow[kernel->field]) {
        narrow->first = plan->offset_count;
        plan->offset_count += narrow->count;
        return true;
    }
    if (!jbw_row_deltas_init(deltas, kernel, &plan->arena)) return false;
    if (!deltas->items) plan->has_plain_kernels = true;
    deltas->first = plan->offset_count;
    plan->offset_count += deltas->count;
    return true;
}

static bool set_up_kernels(jbw_invariant_plan *plan)
{
    const jbw_model *model = plan->model;
    choose_scales(plan);
    for (int t = 0; t < model->type_count; t++) {
        const jbw_model_item *item = &model->items[t];
        const size_t count = (size_t)item->kernel_count;
        plan->narrow_kernels[t] = jbw_arena_alloc(&plan->arena, count, sizeof(jbw_narrow_kernel));
        plan->row_deltas[t] = jbw_arena_alloc(&plan->arena, count, sizeof(jbw_row_deltas));
        if (!plan->narrow_kernels[t] || !plan->row_deltas[t]) return false;
        for (int k = 0; k < item->kernel_count; k++)
            if (!set_up_kernel(plan, &item->kernels[k], &plan->narrow_kernels[t][k],
                               &plan->row_deltas[t][k]))
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
    plan->is_narrow =
        jbw_arena_alloc(&plan->arena, (size_t)plan->model->field_count, sizeof *plan->is_narrow);
    plan->narrow_kernels = jbw_arena_alloc(&plan->arena, types, sizeof(jbw_narrow_kernel *));
    plan->row_deltas = jbw_arena_alloc(&plan->arena, types, sizeof(jbw_row_deltas *));
    return plan->types && plan->effects && plan->is_narrow && plan->narrow_kernels &&
           plan->row_deltas;
}

bool jbw_invariant_plan_init(jbw_invariant_plan *plan, const jbw_model *model, uint64_t seed)
{
    *plan = (jbw_invariant_plan){
        .model = model, .seed = seed, .independent_types = jbw_independent_types_of(model)};
    if (!allocate(plan)) return false;
    for (int t = 0; t < model->type_count; t++) set_up_type(plan, t);
    for (int t = 0; t < model->type_count; t++)
        if (plan->types[t].is_zonal) plan->has_zones = true;
    if (!find_effects(plan)) return false;
    choose_periods(plan);
    find_first_types(plan);
    choose_stages(plan);
    return set_up_kernels(plan);
}

void jbw_invariant_plan_deinit(jbw_invariant_plan *plan)
{
    if (!plan->model) return;
    jbw_arena_deinit(&plan->arena);
    *plan = (jbw_invariant_plan){0};
}
