// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/step_terms.h"

#include <string.h>

#include "sim/map/change.h"
#include "sim/map/position.h"
#include "sim/world/edit.h"

static bool is_final(const jbw_world *world, jbw_position cell)
{
    int index;
    if (!jbw_position_is_in_world(cell)) return false;
    const jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    return patch && patch->is_final;
}

static bool reserve_change(jbw_world *world, jbw_position cell)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    patch->reserved++;
    return jbw_changes_reserve(&world->map, patch, patch->reserved);
}

static void forget_reservation(const jbw_world *world, jbw_position cell)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    if (patch) patch->reserved = 0;
}

bool jbw_step_reserve_put_down(jbw_world *world)
{
    jbw_step *step = &world->step;
    step->put_down_count = 0;
    const size_t most = step->acting_count * JBW_MAX_DROPS;
    bool has_room =
        JBW_GROW(&world->model->allocator, step->put_down, step->put_down_capacity, most) &&
        jbw_edit_reserve_events(world, step->acting_count + most);
    for (size_t i = 0; i < step->acting_count && has_room; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        has_room = reserve_change(world, agent->target);
        const jbw_model_item *item = jbw_world_item_at(world, agent->target);
        if (!item || !item->terms || item->terms->drop_total == 0) continue;
        jbw_position offset = {0, 0};
        for (int k = 0; k < JBW_MAX_DROPS && has_room; k++, offset = jbw_spiral_next(offset)) {
            const jbw_position cell = {agent->target.x + offset.x, agent->target.y + offset.y};
            if (is_final(world, cell)) has_room = reserve_change(world, cell);
        }
    }
    for (size_t i = 0; i < step->acting_count; i++) {
        const jbw_position at = world->agents.slots[step->acting[i]].target;
        for (int k = 0; k < 9; k++)
            forget_reservation(world, (jbw_position){at.x + JBW_DROP_RANGE * (k % 3 - 1),
                                                     at.y + JBW_DROP_RANGE * (k / 3 - 1)});
    }
    return has_room;
}

// whether an item can be put down in a cell when all items are collected
static bool is_free(const jbw_world *world, jbw_position cell, jbw_position agent)
{
    const jbw_step *step = &world->step;
    // an agent's own cell holds what it is about to collect
    if (!is_final(world, cell)) return false;
    if (jbw_world_content_at(world, cell) != 0 && !jbw_position_is_same(cell, agent)) return false;
    for (size_t i = 0; i < step->put_down_count; i++)
        if (jbw_position_is_same(step->put_down[i].cell, cell)) return false;
    return true;
}

// keeps cells for items that are put down around an agent; false if there is no room
static bool find_room(jbw_world *world, jbw_position agent, const uint8_t *types, int count)
{
    jbw_step *step = &world->step;
    const size_t before = step->put_down_count;
    jbw_position offset = {0, 0};
    for (int i = 0; i < JBW_MAX_DROPS && count > 0; i++, offset = jbw_spiral_next(offset)) {
        const jbw_position cell = {agent.x + offset.x, agent.y + offset.y};
        if (!is_free(world, cell, agent)) continue;
        step->put_down[step->put_down_count++] = (jbw_put_down){cell, *types++};
        count--;
    }
    if (count > 0) step->put_down_count = before;
    return count == 0;
}

jbw_outcome jbw_step_agree(jbw_world *world, const jbw_agent *agent, const jbw_terms *terms)
{
    const int type_count = world->model->type_count;
    uint64_t *inventory = jbw_agents_inventory(&world->agents, agent);
    uint64_t before[JBW_MAX_ITEM_TYPES];
    uint8_t drops[JBW_MAX_DROPS];
    if (terms->drop_total > 0) memcpy(before, inventory, (size_t)type_count * sizeof *before);
    if (!jbw_terms_pay(terms, type_count, inventory, inventory + type_count, drops))
        return JBW_OUTCOME_LACKS_ITEMS;
    if (find_room(world, agent->position, drops, terms->drop_total)) return JBW_OUTCOME_DONE;
    memcpy(inventory, before, (size_t)type_count * sizeof *before);
    return JBW_OUTCOME_CELL_OCCUPIED;
}

void jbw_step_put_down(jbw_world *world)
{
    const jbw_step *step = &world->step;
    for (size_t i = 0; i < step->put_down_count; i++)
        jbw_edit_set_item(world, step->put_down[i].cell, (uint8_t)(step->put_down[i].type + 1),
                          world->time + 1);
}
