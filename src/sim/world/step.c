// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/step.h"

#include <string.h>

#include "sim/map/change.h"
#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/world/edit.h"
#include "sim/world/step_terms.h"
#include "sim/world/terrain.h"

void jbw_step_deinit(jbw_step *step, const jbw_allocator *near, const jbw_allocator *allocator)
{
    jbw_free(near, step->acting, step->acting_capacity * sizeof *step->acting);
    jbw_free(allocator, step->explored, step->explored_capacity * sizeof *step->explored);
    jbw_free(allocator, step->collected, step->collected_capacity * sizeof *step->collected);
    jbw_free(allocator, step->put_down, step->put_down_capacity * sizeof *step->put_down);
    jbw_step_moves_deinit(&step->moves, allocator);
    jbw_voices_deinit(&step->voices, allocator);
    *step = (jbw_step){0};
}

size_t jbw_step_pocket(void)
{
    return jbw_pocket_piece(JBW_GROW_LEAST * sizeof(uint32_t));
}

static bool reserve_lists(jbw_world *world, size_t agent_count)
{
    jbw_step *step = &world->step;
    const jbw_allocator *allocator = &world->model->allocator;
    if (!JBW_GROW(&world->pocket.allocator, step->acting, step->acting_capacity, agent_count) ||
        !JBW_GROW(allocator, step->explored, step->explored_capacity, agent_count) ||
        !JBW_GROW(allocator, step->collected, step->collected_capacity, agent_count) ||
        !jbw_step_moves_reserve(&step->moves, agent_count, allocator))
        return false;
    step->agent_room = agent_count;
    return true;
}

static void list_acting(jbw_world *world)
{
    jbw_step *step = &world->step;
    const jbw_agents *agents = &world->agents;
    step->acting_count = 0;
    for (size_t i = 0; i < agents->request_count; i++) {
        if (jbw_agents_request_is_current(agents, &agents->requests[i]))
            step->acting[step->acting_count++] = agents->requests[i].slot;
    }
}

// ---- making room for changes ----

static bool may_change_item(const jbw_world *world, const jbw_agent *agent)
{
    if (agent->is_moving) {
        if (world->model->collection != JBW_COLLECTION_AUTOMATIC) return false;
        const jbw_model_item *item = jbw_world_item_near(world, agent, agent->target);
        return item && item->is_collectable;
    }
    const jbw_action_kind kind = agent->doing->kind;
    return kind == JBW_ACTION_COLLECT || kind == JBW_ACTION_DROP;
}

static bool reserve_change(jbw_world *world, const jbw_agent *agent, jbw_position cell)
{
    int index;
    jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, cell, &index);
    patch->reserved++;
    return jbw_changes_reserve(&world->map, patch, patch->reserved);
}

static void forget_reservation(const jbw_world *world, const jbw_agent *agent, jbw_position cell)
{
    int index;
    jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, cell, &index);
    patch->reserved = 0;
    patch->text_reserved = 0;
}

// makes room for the text of an item that an agent drops
static bool reserve_text(jbw_world *world, const jbw_agent *agent)
{
    const size_t length = strlen(jbw_agents_request_text(&world->agents, agent));
    if (length == 0) return true;
    int index;
    jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, agent->position, &index);
    patch->text_reserved += (uint32_t)(JBW_TEXT_HEAD + length);
    return jbw_texts_reserve(&world->map, patch, patch->text_reserved);
}

static bool reserve_changes(jbw_world *world)
{
    const jbw_step *step = &world->step;
    jbw_events_forget(&world->map, world->time + 1);
    bool has_room = jbw_edit_reserve_events(world, step->acting_count);
    size_t reserved_end = 0; // most steps change nothing, and then need not look at patches
    for (size_t i = 0; i < step->acting_count && has_room; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (!may_change_item(world, agent)) continue;
        has_room = reserve_change(world, agent, agent->target) &&
                   (!world->model->has_texts || reserve_text(world, agent));
        reserved_end = i + 1;
    }
    for (size_t i = 0; i < reserved_end; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        forget_reservation(world, agent, agent->target);
    }
    return has_room;
}

// whether a corner of the square around an agent stays in the same patch
static bool stays_in_patch(const jbw_world *world, const jbw_agent *agent, int64_t offset)
{
    const jbw_position before = {agent->position.x + offset, agent->position.y + offset};
    const jbw_position after = {agent->target.x + offset, agent->target.y + offset};
    return jbw_position_is_same(jbw_map_patch_of(&world->map, before),
                                jbw_map_patch_of(&world->map, after));
}

// generates the patches that agents will need where they go
static jbw_status explore(jbw_world *world)
{
    jbw_step *step = &world->step;
    size_t count = 0;
    for (size_t i = 0; i < step->acting_count; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (!agent->is_moving) continue;
        // it needs other patches only if a corner of its square enters another patch
        if (stays_in_patch(world, agent, -world->model->near_low) &&
            stays_in_patch(world, agent, world->model->near_high))
            continue;
        step->explored[count++] = agent->target;
    }
    return count > 0 ? jbw_terrain_extend(world, step->explored, count) : JBW_OK;
}

// ---- what grows back ----

// Makes room for what is there again after the step near all agents, wherever they go, and tells
// whether there is anything.
static bool reserve_growth(jbw_world *world, bool *is_due)
{
    const uint64_t time = world->time + 1;
    *is_due = false;
    for (size_t i = 0; i < world->agents.count; i++) {
        jbw_agent *agent = &world->agents.slots[world->agents.order[i]];
        jbw_patch *const *near = jbw_agents_around(&world->map, agent);
        jbw_patch *around[9];
        if (agent->is_moving && !stays_in_patch(world, agent, 0)) {
            jbw_map_find_around(&world->map, jbw_map_patch_of(&world->map, agent->target), around);
            near = around;
        }
        if (!jbw_edit_is_due(near, time)) continue;
        *is_due = true;
        if (!jbw_edit_own_if_due(world, near, time)) return false;
    }
    return true;
}

static void settle_growth(jbw_world *world)
{
    for (size_t i = 0; i < world->agents.count; i++) {
        jbw_agent *agent = &world->agents.slots[world->agents.order[i]];
        jbw_edit_settle(world, jbw_agents_around(&world->map, agent));
    }
}

// ---- acting ----

static jbw_direction turn(jbw_direction direction, jbw_action_kind kind)
{
    int turns = 0;
    if (kind == JBW_ACTION_TURN_RIGHT) turns = 1;
    if (kind == JBW_ACTION_TURN_AROUND) turns = 2;
    if (kind == JBW_ACTION_TURN_LEFT) turns = 3;
    return (jbw_direction)(((int)direction + turns) % 4);
}

static void move_agents(jbw_world *world)
{
    const jbw_step *step = &world->step;
    const jbw_agents *agents = &world->agents;
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &agents->slots[step->acting[i]];
        agent->direction = turn(agent->direction, agent->doing->kind);
        if (!agent->is_moving) continue;
        jbw_edit_note_agent(world, agent->body, agent->position, -1, world->time + 1);
        jbw_edit_note_agent(world, agent->body, agent->target, 1, world->time + 1);
        jbw_agents_move(&world->agents, &world->map, agent, agent->target);
        agent->next_result.moved = true;
        agent->next_result.position = agent->target;
    }
}

static bool was_collected(const jbw_step *step, jbw_position cell)
{
    for (size_t i = 0; i < step->collected_count; i++)
        if (jbw_position_is_same(step->collected[i], cell)) return true;
    return false;
}

// an agent reads what it collects
static void keep_text(const jbw_world *world, const jbw_agent *agent)
{
    int index;
    const jbw_patch *patch = jbw_agents_find_cell(&world->map, agent, agent->position, &index);
    jbw_texts_read(jbw_texts_of(patch), index, jbw_agents_texts(&world->agents, agent)->collected);
}

// `is_requested` is false when an agent collects because it entered the cell
static void collect(jbw_world *world, jbw_agent *agent, bool is_requested)
{
    jbw_step *step = &world->step;
    jbw_agent_result *result = &agent->next_result;
    const jbw_model *model = world->model;
    const jbw_model_item *item = jbw_world_item_near(world, agent, agent->position);
    if (!item) {
        if (was_collected(step, agent->position))
            result->item = JBW_OUTCOME_LOST;
        else if (is_requested)
            result->item = JBW_OUTCOME_NOTHING_THERE;
    } else if (!item->is_collectable) {
        result->item = JBW_OUTCOME_UNCOLLECTABLE;
    } else {
        uint64_t *inventory = jbw_agents_inventory(&world->agents, agent);
        const jbw_outcome terms =
            item->terms ? jbw_step_agree(world, agent, item->terms) : JBW_OUTCOME_DONE;
        if (terms == JBW_OUTCOME_DONE) {
            const int type = (int)(item - model->items);
            inventory[type]++;
            if (model->counts_ever) inventory[model->type_count + type]++;
            jbw_agents_note_items(&world->agents, agent);
            if (model->has_texts) keep_text(world, agent);
            jbw_edit_collect(world, agent->position, world->time + 1);
            step->collected[step->collected_count++] = agent->position;
            result->collected = type;
            result->item = JBW_OUTCOME_DONE;
        } else {
            result->item = terms;
        }
    }
    if (is_requested) result->outcome = result->item;
}

static void drop(jbw_world *world, jbw_agent *agent, int type)
{
    jbw_agent_result *result = &agent->next_result;
    uint64_t *inventory = jbw_agents_inventory(&world->agents, agent);
    if (inventory[type] == 0) {
        result->outcome = JBW_OUTCOME_LACKS_ITEMS;
    } else if (jbw_world_content_near(world, agent, agent->position) != 0) {
        result->outcome = JBW_OUTCOME_CELL_OCCUPIED;
    } else {
        inventory[type]--;
        jbw_agents_note_items(&world->agents, agent);
        jbw_edit_set_item(world, agent->position, (uint8_t)(type + 1), world->time + 1);
        const char *text = jbw_agents_request_text(&world->agents, agent);
        if (*text != '\0') jbw_edit_set_text(world, agent->position, text);
        result->dropped = type;
    }
}

static void handle_items(jbw_world *world)
{
    jbw_step *step = &world->step;
    step->collected_count = 0;
    for (size_t i = 0; world->model->has_texts && i < world->agents.count; i++)
        world->agents.texts[world->agents.order[i]].collected[0] = '\0';
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (agent->doing->kind == JBW_ACTION_COLLECT)
            collect(world, agent, true);
        else if (agent->is_moving && world->model->collection == JBW_COLLECTION_AUTOMATIC)
            collect(world, agent, false);
    }
    if (world->model->has_drops) jbw_step_put_down(world);
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (agent->doing->kind == JBW_ACTION_DROP) drop(world, agent, agent->doing->item_type);
    }
}

static void finish(jbw_world *world)
{
    for (size_t i = 0; i < world->agents.count; i++) {
        jbw_agent *agent = &world->agents.slots[world->agents.order[i]];
        agent->result = agent->next_result;
        agent->has_request = false;
        agent->is_moving = false;
    }
    world->agents.waiting_count = world->agents.active_count;
    world->agents.request_count = 0;
    jbw_world_set_time(world, world->time + 1);
}

jbw_status jbw_step_run(jbw_world *world)
{
    jbw_step *step = &world->step;
    if (world->time >= JBW_MAX_TIME) return JBW_OUT_OF_RANGE;
    if (world->agents.count > step->agent_room && !reserve_lists(world, world->agents.count))
        return JBW_OUT_OF_MEMORY;
    list_acting(world);
    jbw_step_moves_resolve(world, step->acting, step->acting_count);
    if (!reserve_changes(world)) return JBW_OUT_OF_MEMORY;
    const jbw_status status = explore(world);
    if (status) return status;
    if (world->model->has_drops && !jbw_step_reserve_put_down(world)) return JBW_OUT_OF_MEMORY;
    const bool is_growing = world->model->is_growing;
    bool is_due = false;
    if (is_growing && !reserve_growth(world, &is_due)) return JBW_OUT_OF_MEMORY;

    const bool has_voice = world->model->voice.symbols > 0;
    if (has_voice && !jbw_voices_reserve(world)) return JBW_OUT_OF_MEMORY;

    // from here on nothing can fail
    move_agents(world);
    handle_items(world);
    if (has_voice) jbw_voices_spread(world);
    finish(world);
    // what is collected may have covered a cell in which an item was due
    if (is_growing && (is_due || step->collected_count > 0)) settle_growth(world);
    jbw_terrain_drop_if_full(world);
    return JBW_OK;
}
