// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/energy_model.h"

#include "base/dmath.h"
#include "sim/model/config.h"
#include "sim/model/model.h"

int jbw_energy_bits(int reach, double largest_pair)
{
    enum { FINEST = 24, COARSEST = 4 };
    // each cell in reach holds at most one item, and rounding adds at most one unit for it
    const double cells = (2.0 * reach + 1.0) * (2.0 * reach + 1.0);
    for (int bits = FINEST; bits >= COARSEST; bits--)
        if (cells * (largest_pair * (double)(1 << bits) + 1.0) < 0x1p31) return bits;
    return -1;
}

// fills (type_count x type_count): row t holds the interactions listed by type t
static jbw_status compile_couplings(jbw_model *model, const jbw_config *config,
                                    jbw_coupling *couplings, jbw_error *error)
{
    for (size_t t = 0; t < config->item_count; t++) {
        const jbw_item_type *item = &config->items[t];
        int entries[JBW_MAX_ITEM_TYPES];
        jbw_interaction_rivals rivals; // none in a valid config
        jbw_kinds_interactions(config, &model->kinds, item, entries, &rivals);
        for (size_t s = 0; s < config->item_count; s++) {
            if (entries[s] < 0) continue;
            jbw_status status = jbw_config_compile_coupling(
                config, item->interactions[entries[s]].expression, &model->arena,
                &couplings[t * config->item_count + s], error);
            if (status) return status;
        }
    }
    return JBW_OK;
}

// chooses the resolution of type t, and whether it needs a field at all
static void choose_resolution(jbw_model *model, const jbw_coupling *couplings, int t)
{
    jbw_model_item *item = &model->items[t];
    int reach;
    double largest;
    jbw_couplings_extent(couplings, model->type_count, t, &reach, &largest);
    item->energy_bits = jbw_energy_bits(reach, largest);
    item->reach = reach;
    if (reach > model->reach) model->reach = reach;

    jbw_energy_scale *scale = &model->scales[t];
    scale->has_constant_intensity = item->intensity.part_count == 0;
    scale->intensity = item->intensity.constant;
    if (reach == 0) return;
    scale->unit = 1.0 / (double)(1 << item->energy_bits);
    scale->field = model->field_count++;
    scale->shared_field = scale->field;
}

static bool number_column_functions(jbw_model *model, jbw_coupling *couplings)
{
    const int pairs = model->type_count * model->type_count;
    model->column_functions =
        jbw_arena_alloc(&model->arena, (size_t)pairs, sizeof *model->column_functions);
    if (!model->column_functions) return false;
    for (int i = 0; i < pairs; i++) {
        if (couplings[i].kind != JBW_COUPLING_CROSS_HASH || couplings[i].reach == 0) continue;
        couplings[i].column_function = model->column_function_count;
        model->column_functions[model->column_function_count++] = &couplings[i];
    }
    return true;
}

static jbw_energy_scale *find_target(const jbw_model *model, const jbw_kernel *kernel)
{
    int t = 0;
    while (model->scales[t].unit == 0.0 || model->scales[t].field != kernel->field) t++;
    return &model->scales[t];
}

// If the kernels of a source for several targets are equal except for a factor, as when it keeps
// all of them at the same distance, one of them is added to a field that these targets share, and
// the others are dropped. A target reads at most one shared field.
static void share_field(jbw_model *model, jbw_kernel *kernels, int *count)
{
    for (int i = 0; i < *count; i++) {
        jbw_energy_scale *first = find_target(model, &kernels[i]);
        if (first->shared_factor != 0) continue;
        int kept = i + 1;
        for (int j = i + 1; j < *count; j++) {
            jbw_energy_scale *other = find_target(model, &kernels[j]);
            if (other->shared_factor == 0 &&
                jbw_kernels_are_alike(&kernels[i], &kernels[j], &first->shared_factor,
                                      &other->shared_factor))
                other->shared_field = model->field_count;
            else
                kernels[kept++] = kernels[j];
        }
        if (kept == *count) continue;
        *count = kept;
        first->shared_field = model->field_count++;
        jbw_kernel_divide(&kernels[i], first->shared_factor, first->shared_field);
        return;
    }
}

static bool build_kernels(jbw_model *model, const jbw_coupling *couplings, bool force_generic)
{
    const int n = model->type_count;
    for (int source = 0; source < n; source++) {
        jbw_kernel *kernels = jbw_arena_alloc(&model->arena, (size_t)n, sizeof *kernels);
        if (!kernels) return false;
        model->items[source].kernels = kernels;
        for (int target = 0; target < n; target++) {
            jbw_kernel *kernel = &kernels[model->items[source].kernel_count];
            if (!jbw_kernel_init(kernel, model->scales[target].field,
                                 &couplings[target * n + source], &couplings[source * n + target],
                                 model->items[target].energy_bits, model->items[source].energy_bits,
                                 force_generic, &model->arena))
                return false;
            if (kernel->kind == JBW_KERNEL_NONE) continue;
            model->items[source].kernel_count++;
        }
        share_field(model, kernels, &model->items[source].kernel_count);
    }
    return true;
}

static bool build_odds(jbw_model *model)
{
    const int cells = model->patch_cells;
    double *odds = jbw_arena_alloc(&model->arena, (size_t)cells + 2, sizeof *odds);
    if (!odds) return false;
    for (int m = 1; m <= cells && model->type_count > 0; m++)
        odds[m] = jbw_log((double)cells * (double)model->type_count / (double)m);
    odds[0] = 1e300; // the removal of one of no items is impossible
    model->log_add_odds = odds;
    return true;
}

jbw_status jbw_energy_model_build(jbw_model *model, const jbw_config *config, bool force_generic,
                                  bool force_fields, jbw_error *error)
{
    const size_t n = config->item_count;
    model->scales = jbw_arena_alloc(&model->arena, n, sizeof *model->scales);
    jbw_coupling *couplings = jbw_arena_alloc(&model->arena, n * n, sizeof *couplings);
    if (!model->scales || !couplings) return JBW_OUT_OF_MEMORY;
    const jbw_status status = compile_couplings(model, config, couplings, error);
    if (status) return status;
    for (int t = 0; t < model->type_count; t++) choose_resolution(model, couplings, t);
    if (model->field_count == 0) model->field_count = 1;
    const bool has_room = number_column_functions(model, couplings) &&
                          build_kernels(model, couplings, force_generic) && build_odds(model) &&
                          jbw_planes_build(model, force_fields) && jbw_zones_build_layers(model);
    return has_room ? JBW_OK : JBW_OUT_OF_MEMORY;
}
