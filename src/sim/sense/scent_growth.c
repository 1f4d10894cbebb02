// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent_growth.h"

#include "sim/map/growth.h"
#include "sim/sense/scent_view.h"

// In a patch that is settled, nothing is due; without seasons, what came back fades like events.
static void add_returned(const jbw_model *model, const jbw_content *content,
                         const jbw_scent_view *view, uint64_t time, int64_t *faded)
{
    const jbw_scent_response *response = &model->scent.response;
    const uint64_t memory = (uint64_t)response->memory;
    const size_t octant_count = (size_t)response->octant_count;
    const jbw_growth *end = content->growth + content->growth_count;
    int dx;
    int dy;
    for (const jbw_growth *growth = content->growth; growth < end; growth++) {
        if (growth->kind != JBW_GROWTH_RETURNED) continue;
        const uint64_t age = time - growth->time;
        if (age >= memory || !jbw_scent_view_find(view, growth->cell, &dx, &dy)) continue;
        faded[growth->type] -=
            response->fading[(size_t)age * octant_count + (size_t)jbw_octant(dx, dy)];
    }
}

void jbw_scent_growth_add(const jbw_scent_cache *cache, const jbw_patch *patch, jbw_position cell,
                          uint64_t time, int64_t *units, int64_t *faded)
{
    if (!patch || patch->content->growth_count == 0) return;
    const jbw_model *model = cache->map->model;
    const jbw_content *content = patch->content;
    const jbw_scent_view view = jbw_scent_view_of(model, patch, cell);
    if (content->settle_time > time && model->scent.season_count == 0) {
        add_returned(model, content, &view, time, faded);
        return;
    }
    int dx;
    int dy;
    for (uint32_t i = 0; i < content->growth_count; i++) {
        const jbw_growth *growth = &content->growth[i];
        const bool is_unsettled = jbw_growth_is_due(growth, time);
        if (growth->kind != JBW_GROWTH_RETURNED && !is_unsettled) continue;
        if (!jbw_scent_view_find(&view, growth->cell, &dx, &dy)) continue;
        const int octant = jbw_octant(dx, dy);
        if (is_unsettled) {
            jbw_scent_add_kernel(model, cache->kernels[growth->type], dx, dy, units);
            if (cache->turning)
                faded[growth->type] +=
                    jbw_scent_turning_of(cache->turning, model, growth->type, octant);
        }
        if (time - growth->time < (uint64_t)model->scent.memory)
            faded[growth->type] -=
                jbw_scent_fading(model, growth->type, time, time - growth->time, octant);
    }
}
