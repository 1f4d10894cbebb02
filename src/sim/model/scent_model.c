// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/scent_model.h"

#include <float.h>
#include <math.h>

#include "sim/model/model.h"

static double largest_scent(const jbw_model *model, int dimension)
{
    double largest = 0.0;
    for (int b = 0; b < model->body_count; b++)
        if (fabs(model->bodies[b].scent[dimension]) > largest)
            largest = fabs(model->bodies[b].scent[dimension]);
    for (int t = 0; t < model->type_count; t++)
        if (fabs(model->items[t].scent[dimension]) > largest)
            largest = fabs(model->items[t].scent[dimension]);
    return largest;
}

static bool is_zero(const double *scent, int dimensions)
{
    for (int d = 0; d < dimensions; d++)
        if (scent[d] != 0.0) return false;
    return true;
}

// builds the steady state around a source with this scent; `*out` is NULL if the scent is zero
static bool build_kernel(jbw_model *model, const double *scent, const int32_t **out)
{
    *out = NULL;
    const jbw_scent_response *response = &model->scent.response;
    const int dimensions = model->scent_dimensions;
    if (is_zero(scent, dimensions)) return true;
    const int side = 2 * response->reach + 1;
    const int stride = model->scent.kernel_stride;
    int32_t *kernel = jbw_arena_alloc(&model->arena, (size_t)(dimensions * side) * (size_t)stride,
                                      sizeof *kernel);
    if (!kernel) return false;
    *out = kernel;
    for (int d = 0; d < dimensions; d++) {
        for (int y = 0; y < side; y++) {
            int32_t *row = kernel + (ptrdiff_t)(d * side + y) * stride + JBW_SCENT_TILE;
            for (int x = 0; x < side; x++) {
                const int octant = jbw_octant(x - response->reach, y - response->reach);
                const double value = (double)response->steady[octant] * response->unit * scent[d];
                row[x] = (int32_t)floor(value / model->scent.units[d] + 0.5);
            }
        }
    }
    return true;
}

jbw_status jbw_scent_model_build(jbw_model *model, const jbw_config *config)
{
    jbw_scent_model *s = &model->scent;
    const int dimensions = model->scent_dimensions;
    for (int b = 0; b < model->body_count; b++)
        if (!is_zero(model->bodies[b].scent, dimensions)) s->agents_smell = true;
    s->is_on = s->agents_smell;
    for (int t = 0; t < model->type_count; t++)
        if (!is_zero(model->items[t].scent, dimensions)) s->is_on = true;
    if (!s->is_on) return JBW_OK;

    if (!jbw_scent_response_init(&s->response, config->scent_decay, config->scent_diffusion,
                                 &model->arena))
        return JBW_OUT_OF_MEMORY;
    s->memory = s->response.memory;
    s->kernel_stride = JBW_SCENT_TILE + 2 * s->response.reach + 1 + JBW_SCENT_TILE;
    s->units = jbw_arena_alloc(&model->arena, (size_t)dimensions, sizeof *s->units);
    s->kernels = jbw_arena_alloc(&model->arena, (size_t)model->type_count, sizeof *s->kernels);
    s->body_kernels =
        jbw_arena_alloc(&model->arena, (size_t)model->body_count, sizeof *s->body_kernels);
    if (!s->units || !s->kernels || !s->body_kernels) return JBW_OUT_OF_MEMORY;

    // as fine as sums over a grid full of the strongest source permit, with room for rounding
    const double total =
        1.0 / (1.0 - fabs(config->scent_decay) - 4.0 * fabs(config->scent_diffusion));
    for (int d = 0; d < dimensions; d++) {
        const double largest = largest_scent(model, d);
        s->units[d] = largest > 0.0 ? total * largest / 2147000000.0 : 1.0;
        if (s->units[d] < DBL_MIN) s->units[d] = DBL_MIN; // smaller numbers lose precision
    }
    for (int t = 0; t < model->type_count; t++) {
        if (!build_kernel(model, model->items[t].scent, &s->kernels[t])) return JBW_OUT_OF_MEMORY;
        if (s->kernels[t] && model->items[t].season.period != 0) s->season_count++;
    }
    for (int b = 0; b < model->body_count; b++)
        if (!build_kernel(model, model->bodies[b].scent, &s->body_kernels[b]))
            return JBW_OUT_OF_MEMORY;
    return JBW_OK;
}
