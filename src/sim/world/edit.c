// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/edit.h"

#include <string.h>

#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/world/act.h"
#include "sim/world/world.h"

void jbw_edit_set_item(jbw_world *world, jbw_position cell, uint8_t content, uint64_t time)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const int type = (content != 0 ? content : patch->cells[index]) - 1;
    jbw_changes_set_item(&world->map, patch, index, content, time);
    if (content == 0 && world->model->items[type].blocks_movement)
        jbw_crowd_note_free(&world->agents.crowd, cell);
    jbw_scent_item_changed(&world->scent, type, cell, content != 0 ? 1 : -1);
}

void jbw_edit_collect(jbw_world *world, jbw_position cell, uint64_t time)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const uint8_t content = patch->cells[index];
    const jbw_regrowth_model *regrowth = &world->model->items[content - 1].regrowth;
    const bool grows = regrowth->law.law != JBW_REGROWTH_NEVER &&
                       jbw_changes_generated(patch->content, index) == content;
    jbw_edit_set_item(world, cell, 0, time);
    if (!grows) return;
    const uint64_t due = time + jbw_regrowth_draw(regrowth, world->seed, cell, time);
    jbw_growth_begin(patch, index, content - 1, due);
}

void jbw_edit_set_text(jbw_world *world, jbw_position cell, const char *text)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    jbw_texts_add(patch, index, text, strlen(text));
}

// ---- settling ----

static bool must_settle(const jbw_patch *patch, uint64_t time)
{
    return patch && patch->content->settle_time <= time;
}

static void settle(jbw_world *world, jbw_patch *patch)
{
    const jbw_content *content = patch->content;
    const jbw_position origin = jbw_map_origin(&world->map, patch->at);
    const int size = world->model->patch_size;
    for (size_t i = 0; i < content->growth_count; i++) {
        if (!jbw_changes_regrow(&world->map, patch, i, world->time)) continue;
        const jbw_growth *growth = &content->growth[i];
        const jbw_position cell = {origin.x + growth->cell % size, origin.y + growth->cell / size};
        jbw_scent_item_changed(&world->scent, growth->type, cell, 1);
    }
    jbw_growth_forget(&world->map, patch, world->time);
}

bool jbw_edit_is_due(jbw_patch *const around[9], uint64_t time)
{
    for (int i = 0; i < 9; i++)
        if (must_settle(around[i], time)) return true;
    return false;
}

bool jbw_edit_own_if_due(jbw_world *world, jbw_patch *const around[9], uint64_t time)
{
    for (int i = 0; i < 9; i++)
        if (must_settle(around[i], time) && !jbw_map_own(&world->map, around[i])) return false;
    return true;
}

void jbw_edit_settle(jbw_world *world, jbw_patch *const around[9])
{
    for (int i = 0; i < 9; i++)
        if (must_settle(around[i], world->time)) settle(world, around[i]);
}

bool jbw_edit_settle_near(jbw_world *world, jbw_position cell)
{
    if (!world->model->is_growing) return true;
    jbw_patch *around[9];
    jbw_map_find_around(&world->map, jbw_map_patch_of(&world->map, cell), around);
    if (!jbw_edit_own_if_due(world, around, world->time)) return false;
    jbw_edit_settle(world, around);
    return true;
}

// ---- making room ----

// an agent that moves leaves a cell, enters another one and changes at most one item
static size_t events_per_agent(const jbw_model *model)
{
    if (!model->scent.is_on) return 0;
    return model->scent.agents_smell ? 3 : 1;
}

bool jbw_edit_reserve_events(jbw_world *world, size_t count)
{
    return jbw_events_reserve(&world->map.events,
                              jbw_events_count(&world->map.events) +
                                  count * events_per_agent(world->model),
                              &world->model->allocator);
}

size_t jbw_edit_life_events(const jbw_model *model, size_t agent_count)
{
    // events are forgotten at the start of the next step
    const size_t steps = (size_t)model->scent.memory + 2;
    return agent_count * events_per_agent(model) * steps;
}

bool jbw_edit_reserve_life(jbw_world *world, size_t agent_count)
{
    return jbw_events_reserve(&world->map.events, jbw_edit_life_events(world->model, agent_count),
                              &world->model->allocator);
}

void jbw_edit_note_agent(jbw_world *world, int body, jbw_position cell, int sign, uint64_t time)
{
    if (!world->model->scent.agents_smell) return;
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    jbw_events_add(&world->map, patch,
                   (jbw_event){.time = time,
                               .cell = (uint16_t)index,
                               .source = (uint8_t)(JBW_SOURCE_AGENT - body),
                               .sign = (int8_t)sign});
}

// makes the patch of a cell final and reserves room for a change
static jbw_status prepare_change(jbw_world *world, jbw_position cell, jbw_patch **patch, int *index)
{
    if (!jbw_position_is_in_world(cell)) return JBW_OUT_OF_RANGE;
    const jbw_status status = jbw_world_finalize_patch(world, jbw_map_patch_of(&world->map, cell));
    if (status) return status;
    *patch = jbw_map_find_cell(&world->map, cell, index);
    jbw_events_forget(&world->map, world->time);
    const bool has_room =
        jbw_changes_reserve(&world->map, *patch, 1) && jbw_edit_reserve_events(world, 1);
    if (!has_room) return JBW_OUT_OF_MEMORY;
    if (must_settle(*patch, world->time)) settle(world, *patch);
    return JBW_OK;
}

jbw_status jbw_world_place_item(jbw_world *world, int item_type, jbw_position cell)
{
    return jbw_world_place_text(world, item_type, cell, NULL);
}

jbw_status jbw_world_place_text(jbw_world *world, int item_type, jbw_position cell,
                                const char *text)
{
    if (text && *text == '\0') text = NULL;
    if (item_type < 0 || item_type >= world->model->type_count) return JBW_INVALID_ARGUMENT;
    if (text && !jbw_act_can_write(world->model, item_type, text)) return JBW_INVALID_ARGUMENT;
    jbw_patch *patch;
    int index;
    const jbw_status status = prepare_change(world, cell, &patch, &index);
    if (status) return status;
    if (text && !jbw_texts_reserve(&world->map, patch, JBW_TEXT_MOST)) return JBW_OUT_OF_MEMORY;
    if (patch->cells[index] != 0) return JBW_CELL_BLOCKED;
    jbw_edit_set_item(world, cell, (uint8_t)(item_type + 1), world->time);
    if (text) jbw_edit_set_text(world, cell, text);
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_PLACE_ITEM,
                                           .item_type = item_type,
                                           .position = cell,
                                           .text = text});
    return JBW_OK;
}

jbw_status jbw_world_remove_item(jbw_world *world, jbw_position cell)
{
    jbw_patch *patch;
    int index;
    const jbw_status status = prepare_change(world, cell, &patch, &index);
    if (status) return status;
    if (patch->cells[index] == 0) return JBW_NOT_FOUND;
    jbw_edit_set_item(world, cell, 0, world->time);
    if (must_settle(patch, world->time)) settle(world, patch); // what waited for it to go
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_REMOVE_ITEM, .position = cell});
    return JBW_OK;
}
