// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which items an agent sees, one-hot, as networks like them.
#include "core.h"

#include <string.h>

size_t core_item_vision_scratch(const jbw_model *model)
{
    const size_t side = (size_t)jbw_model_vision_side(model);
    return side * side;
}

jbw_status core_item_vision(jbw_world *world, jbw_agent_id agent, void *scratch, float *out)
{
    const jbw_model *model = jbw_world_model(world);
    const size_t cells = core_item_vision_scratch(model);
    const size_t items = (size_t)jbw_model_item_type_count(model);
    uint8_t *seen = scratch;
    const jbw_status status = jbw_agent_see_items(world, agent, seen);
    if (status) return status;
    memset(out, 0, cells * items * sizeof *out);
    for (size_t i = 0; i < cells; i++)
        if (seen[i] > 0) out[i * items + seen[i] - 1] = 1;
    return JBW_OK;
}
