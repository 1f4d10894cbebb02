// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "walkers.h"

#include <stdlib.h>

jbw_status walkers_open(walkers *c, const jbw_model *model, size_t count, uint64_t seed,
                        jbw_atlas *atlas)
{
    const size_t scents = (size_t)jbw_model_scent_dimensions(model);
    *c = (walkers){.count = count, .random = seed};
    c->vision = calloc(count * jbw_model_part(model, JBW_PART_VISION).count, sizeof *c->vision);
    c->scent = calloc(count * scents + 1, sizeof *c->scent);
    c->reward = calloc(count, sizeof *c->reward);
    c->positions = calloc(2 * count, sizeof *c->positions);
    c->actions = calloc(count, sizeof *c->actions);
    jbw_batch_world *worlds = calloc(count, sizeof *worlds);
    jbw_status status = JBW_OUT_OF_MEMORY;
    if (c->vision && c->scent && c->reward && c->positions && c->actions && worlds) {
        for (size_t i = 0; i < count; i++)
            worlds[i] = (jbw_batch_world){.model = model,
                                          .seed = seed + i,
                                          .agent_count = 1,
                                          .prepare = atlas ? jbw_atlas_attach : NULL,
                                          .prepare_user = atlas};
        const jbw_batch_buffers buffers = {
            .parts = {.vision = c->vision, .scent = c->scent, .position = c->positions},
            .reward = c->reward,
        };
        status = jbw_batch_create(worlds, count, 1, &buffers, &c->batch, NULL);
    }
    free(worlds);
    return status;
}

void walkers_close(walkers *c)
{
    jbw_batch_destroy(c->batch);
    free(c->vision);
    free(c->scent);
    free(c->reward);
    free(c->positions);
    free(c->actions);
}

jbw_status walkers_step(walkers *c, int64_t steps)
{
    jbw_status status = JBW_OK;
    for (int64_t i = 0; i < steps && !status; i++) {
        for (size_t k = 0; k < c->count; k++) {
            c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            c->actions[k] = (int32_t)((c->random >> 33) % 3); // forward, left and right
        }
        const double start = jbw_bench_thread_cpu();
        status = jbw_batch_step(c->batch, c->actions);
        c->seconds += jbw_bench_thread_cpu() - start;
    }
    return status;
}
