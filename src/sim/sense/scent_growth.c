// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent_growth.h"

#include "sim/map/growth.h"

void jbw_scent_growth_add(const jbw_scent_cache *cache, const jbw_patch *patch, jbw_position cell,
                          uint64_t time, int64_t *units, int64_t *faded)
{
    if (!patch) return;
    const jbw_model *model = cache->map->model;
    const jbw_content *content = patch->content;
    const int size = model->patch_size;
    const int64_t reach = model->scent.response.reach;
    const int64_t left = patch->at.x * size - cell.x;
    const int64_t bottom = patch->at.y * size - cell.y;
    for (uint32_t i = 0; i < content->growth_count; i++) {
        const jbw_growth *growth = &content->growth[i];
        const bool is_unsettled = jbw_growth_is_due(growth, time);
        if (growth->kind != JBW_GROWTH_RETURNED && !is_unsettled) continue;
        const int64_t dx = left + growth->cell % size;
        const int64_t dy = bottom + growth->cell / size;
        if (dx > reach || dx < -reach || dy > reach || dy < -reach) continue;
        const int octant = jbw_octant((int)dx, (int)dy);
        if (is_unsettled) {
            jbw_scent_add_kernel(model, cache->kernels[growth->type], dx, dy, units);
            faded[growth->type] +=
                jbw_scent_turning_of(&cache->turning, model, growth->type, octant);
        }
        if (time - growth->time < (uint64_t)model->scent.memory)
            faded[growth->type] -=
                jbw_scent_fading(model, growth->type, time, time - growth->time, octant);
    }
}
