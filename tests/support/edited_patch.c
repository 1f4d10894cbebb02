// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/edited_patch.h"

void edited_patch_open(edited_patch *e)
{
    static const jbw_item_type items[EDITED_TYPES] = {
        {.name = "A", .intensity = "Constant[-1]"},
        {.name = "B", .intensity = "Constant[-1.5]"},
        {.name = "C", .intensity = "Constant[-2]"},
    };
    const jbw_config config = small_config(EDITED_SIZE, 500, items, EDITED_TYPES);
    e->model = model_of(&config);
    e->world = world_of(e->model, 3);
    assert_int_equal(jbw_world_finalize_patch(e->world, (jbw_position){0, 0}), JBW_OK);
    memcpy(e->generated, edited_patch_get(e)->cells, sizeof e->generated);
}

void edited_patch_close(edited_patch *e)
{
    jbw_world_destroy(e->world);
    jbw_model_destroy(e->model);
}

const jbw_patch *edited_patch_get(const edited_patch *e)
{
    const jbw_patch *patch = jbw_map_find(&e->world->map, (jbw_position){0, 0});
    assert_non_null(patch);
    return patch;
}

uint8_t edited_patch_at(const edited_patch *e, int cell)
{
    return edited_patch_get(e)->cells[cell];
}

void edited_patch_set(edited_patch *e, int cell, uint8_t content)
{
    const jbw_position at = {cell % EDITED_SIZE, cell / EDITED_SIZE};
    if (edited_patch_at(e, cell) != 0)
        assert_int_equal(jbw_world_remove_item(e->world, at), JBW_OK);
    if (content != 0) assert_int_equal(jbw_world_place_item(e->world, content - 1, at), JBW_OK);
}
