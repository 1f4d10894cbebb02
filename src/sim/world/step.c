// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/step.h"

#include <string.h>

#include "base/rng.h"
#include "sim/map/change.h"
#include "sim/map/position.h"
#include "sim/world/edit.h"
#include "sim/world/terrain.h"

/// A cell that somebody wants to enter.
struct jbw_contest {
    jbw_position cell;
    uint32_t contender_count; // 0: the slot is free
    uint32_t seen;            // of them, while the winner is looked for
    uint32_t chosen;          // which one wins, in the order of their requests
    uint32_t winner;          // a slot, counted from one; 0 is none
};

void jbw_step_deinit(jbw_step *step, const jbw_model *model)
{
    const jbw_allocator *allocator = &model->allocator;
    jbw_free(allocator, step->acting, step->acting_capacity * sizeof *step->acting);
    jbw_free(allocator, step->stuck, step->stuck_capacity * sizeof *step->stuck);
    jbw_free(allocator, step->contests, step->contest_capacity * sizeof *step->contests);
    jbw_free(allocator, step->places, step->place_capacity * sizeof *step->places);
    jbw_free(allocator, step->taken, step->taken_capacity * sizeof *step->taken);
    *step = (jbw_step){0};
}

static bool reserve_lists(jbw_step *step, const jbw_model *model, size_t count)
{
    const jbw_allocator *allocator = &model->allocator;
    if (!JBW_GROW(allocator, step->acting, step->acting_capacity, count) ||
        !JBW_GROW(allocator, step->stuck, step->stuck_capacity, count) ||
        !JBW_GROW(allocator, step->places, step->place_capacity, count) ||
        !JBW_GROW(allocator, step->taken, step->taken_capacity, count))
        return false;

    // contests are a hash table, at most half full
    size_t wanted = 16;
    while (wanted < 2 * count) wanted *= 2;
    if (wanted <= step->contest_capacity) return true;
    jbw_contest *contests = jbw_alloc_zero(allocator, wanted, sizeof *contests);
    if (!contests) return false;
    jbw_free(allocator, step->contests, step->contest_capacity * sizeof *contests);
    step->contests = contests;
    step->contest_capacity = wanted;
    return true;
}

// lists the agents that have asked for something, in the order of their requests
static void list_acting(jbw_world *world)
{
    jbw_step *step = &world->step;
    const jbw_agents *agents = &world->agents;
    step->acting_count = 0;
    for (size_t i = 0; i < agents->request_count; i++) {
        if (jbw_agents_is_valid(agents, &agents->requests[i]))
            step->acting[step->acting_count++] = agents->requests[i].slot;
    }
}

// ---- moves ----

// how many quarter turns to the right of its direction an agent's move goes, or -1
static int turns_of_move(jbw_action_kind kind)
{
    switch (kind) {
    case JBW_ACTION_MOVE_FORWARD: return 0;
    case JBW_ACTION_MOVE_RIGHT: return 1;
    case JBW_ACTION_MOVE_BACKWARD: return 2;
    case JBW_ACTION_MOVE_LEFT: return 3;
    default: return -1;
    }
}

static jbw_position neighbour(jbw_position cell, int direction)
{
    static const int dx[] = {0, 1, 0, -1};
    static const int dy[] = {1, 0, -1, 0};
    return (jbw_position){cell.x + dx[direction], cell.y + dy[direction]};
}

static const jbw_model_item *item_at(const jbw_world *world, jbw_position cell)
{
    int index;
    const jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const int content = patch ? patch->cells[index] : 0;
    return content > 0 ? &world->model->items[content - 1] : NULL;
}

// where everybody wants to go, and what items have to say about it
static void aim(jbw_world *world)
{
    for (size_t i = 0; i < world->agents.count; i++) {
        jbw_agent *agent = &world->agents.slots[world->agents.order[i]];
        agent->is_moving = false;
        agent->target = agent->position;
        agent->next_result = (jbw_agent_result){
            .time = world->time + 1,
            .action = agent->has_request ? agent->request : -1,
            .outcome = agent->has_request ? JBW_OUTCOME_DONE : JBW_OUTCOME_NONE,
            .collected = -1,
            .dropped = -1,
            .position_before = agent->position,
            .position = agent->position,
        };
        if (!agent->has_request) continue;
        const int turns = turns_of_move(world->model->actions[agent->request].kind);
        if (turns < 0) continue;
        const jbw_position target = neighbour(agent->position, ((int)agent->direction + turns) % 4);
        if (!jbw_position_is_in_world(target)) {
            agent->next_result.outcome = JBW_OUTCOME_END_OF_WORLD;
            continue;
        }
        const jbw_model_item *item = item_at(world, target);
        if (item && item->blocks_movement) {
            agent->next_result.outcome = JBW_OUTCOME_BLOCKED_BY_ITEM;
            continue;
        }
        agent->target = target;
        agent->is_moving = true;
    }
}

static jbw_contest *find_contest(const jbw_step *step, jbw_position cell)
{
    const size_t mask = step->contest_capacity - 1;
    const uint64_t hash =
        jbw_mix64((uint64_t)cell.x * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)cell.y);
    size_t slot = (size_t)hash & mask;
    while (step->contests[slot].contender_count != 0 &&
           !jbw_position_is_same(step->contests[slot].cell, cell))
        slot = (slot + 1) & mask;
    return &step->contests[slot];
}

static void fail_move(jbw_agent *agent, jbw_outcome outcome)
{
    agent->is_moving = false;
    agent->target = agent->position;
    agent->next_result.outcome = outcome;
}

// one winner per cell that is asked for
static void choose_winners(jbw_world *world)
{
    jbw_step *step = &world->step;
    memset(step->contests, 0, step->contest_capacity * sizeof *step->contests);
    for (size_t i = 0; i < step->acting_count; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (!agent->is_moving) continue;
        jbw_contest *contest = find_contest(step, agent->target);
        contest->cell = agent->target;
        contest->contender_count++;
    }
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (!agent->is_moving) continue;
        jbw_contest *contest = find_contest(step, agent->target);
        if (contest->seen == 0 && contest->contender_count > 1 &&
            world->model->collision == JBW_COLLISION_RANDOM) {
            jbw_rng stream = jbw_rng_open_at(world->seed, world->time, contest->cell.x,
                                             contest->cell.y, JBW_PURPOSE_COLLISION);
            contest->chosen = jbw_rng_below(&stream, contest->contender_count);
        }
        const bool wins = contest->seen++ == contest->chosen;
        if (wins)
            contest->winner = step->acting[i] + 1;
        else
            fail_move(agent, JBW_OUTCOME_LOST);
    }
}

// Agents that stay keep whoever wants their cell from entering, who then stay too, and so on.
static void hold_cells(jbw_world *world)
{
    jbw_step *step = &world->step;
    size_t count = 0;
    for (size_t i = 0; i < world->agents.count; i++)
        if (!world->agents.slots[world->agents.order[i]].is_moving)
            step->stuck[count++] = world->agents.order[i];
    for (size_t i = 0; i < count; i++) {
        const jbw_agent *agent = &world->agents.slots[step->stuck[i]];
        const jbw_contest *contest = find_contest(step, agent->position);
        if (contest->contender_count == 0 || contest->winner == 0) continue;
        jbw_agent *winner = &world->agents.slots[contest->winner - 1];
        if (!winner->is_moving) continue;
        fail_move(winner, JBW_OUTCOME_BLOCKED_BY_AGENT);
        step->stuck[count++] = contest->winner - 1;
    }
}

// ---- making room ----

static bool may_change_item(const jbw_world *world, const jbw_agent *agent)
{
    if (agent->is_moving) {
        if (world->model->collection != JBW_COLLECTION_AUTOMATIC) return false;
        const jbw_model_item *item = item_at(world, agent->target);
        return item && item->is_collectable;
    }
    const jbw_action_kind kind = world->model->actions[agent->request].kind;
    return kind == JBW_ACTION_COLLECT || kind == JBW_ACTION_DROP;
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
    jbw_map_find_cell(&world->map, cell, &index)->reserved = 0;
}

static bool reserve_changes(jbw_world *world)
{
    const jbw_step *step = &world->step;
    jbw_events_forget(&world->map, world->time + 1);
    bool has_room = jbw_edit_reserve_events(world, step->acting_count);
    for (size_t i = 0; i < step->acting_count && has_room; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (may_change_item(world, agent)) has_room = reserve_change(world, agent->target);
    }
    for (size_t i = 0; i < step->acting_count; i++)
        forget_reservation(world, world->agents.slots[step->acting[i]].target);
    return has_room;
}

// true if a corner of the square around an agent stays in its patch
static bool is_patch_same(const jbw_world *world, const jbw_agent *agent, int64_t offset)
{
    const jbw_position before = {agent->position.x + offset, agent->position.y + offset};
    const jbw_position after = {agent->target.x + offset, agent->target.y + offset};
    return jbw_position_is_same(jbw_map_patch_of(&world->map, before),
                                jbw_map_patch_of(&world->map, after));
}

// makes final what agents will need where they go
static jbw_status explore(jbw_world *world)
{
    jbw_step *step = &world->step;
    size_t count = 0;
    for (size_t i = 0; i < step->acting_count; i++) {
        const jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (!agent->is_moving) continue;
        // what it needs changes only when a corner of its square enters another patch
        if (is_patch_same(world, agent, -world->model->near_low) &&
            is_patch_same(world, agent, world->model->near_high))
            continue;
        step->places[count++] = agent->target;
    }
    return count > 0 ? jbw_terrain_extend(world, step->places, count) : JBW_OK;
}

// ---- acting ----

static void move_agents(jbw_world *world)
{
    const jbw_step *step = &world->step;
    const jbw_agents *agents = &world->agents;
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &agents->slots[step->acting[i]];
        const jbw_action_kind kind = world->model->actions[agent->request].kind;
        int turns = 0;
        if (kind == JBW_ACTION_TURN_RIGHT) turns = 1;
        if (kind == JBW_ACTION_TURN_AROUND) turns = 2;
        if (kind == JBW_ACTION_TURN_LEFT) turns = 3;
        agent->direction = (jbw_direction)(((int)agent->direction + turns) % 4);
        if (!agent->is_moving) continue;
        jbw_edit_note_agent(world, agent->position, -1, world->time + 1);
        jbw_edit_note_agent(world, agent->target, 1, world->time + 1);
        jbw_agents_move(&world->agents, &world->map, agent, agent->target);
        agent->next_result.moved = true;
        agent->next_result.position = agent->target;
    }
}

static bool has_items(const jbw_model *model, const uint64_t *inventory, const uint32_t *counts)
{
    for (int t = 0; counts && t < model->type_count; t++)
        if (inventory[t] < counts[t]) return false;
    return true;
}

static bool was_taken(const jbw_step *step, jbw_position cell)
{
    for (size_t i = 0; i < step->taken_count; i++)
        if (jbw_position_is_same(step->taken[i], cell)) return true;
    return false;
}

static void collect(jbw_world *world, jbw_agent *agent, bool is_asked)
{
    jbw_step *step = &world->step;
    jbw_agent_result *result = &agent->next_result;
    const jbw_model *model = world->model;
    const jbw_model_item *item = item_at(world, agent->position);
    if (!item) {
        if (was_taken(step, agent->position))
            result->item = JBW_OUTCOME_LOST;
        else if (is_asked)
            result->item = JBW_OUTCOME_NOTHING_THERE;
    } else if (!item->is_collectable) {
        result->item = JBW_OUTCOME_UNCOLLECTABLE;
    } else {
        uint64_t *inventory = jbw_agents_inventory(&world->agents, agent);
        if (has_items(model, inventory, item->requirements) &&
            has_items(model, inventory, item->costs)) {
            for (int t = 0; item->costs && t < model->type_count; t++)
                inventory[t] -= item->costs[t];
            const int type = (int)(item - model->items);
            inventory[type]++;
            jbw_edit_set_item(world, agent->position, 0, world->time + 1);
            step->taken[step->taken_count++] = agent->position;
            result->collected = type;
            result->item = JBW_OUTCOME_DONE;
        } else {
            result->item = JBW_OUTCOME_LACKS_ITEMS;
        }
    }
    if (is_asked) result->outcome = result->item;
}

static void drop(jbw_world *world, jbw_agent *agent, int type)
{
    jbw_agent_result *result = &agent->next_result;
    uint64_t *inventory = jbw_agents_inventory(&world->agents, agent);
    if (inventory[type] == 0) {
        result->outcome = JBW_OUTCOME_LACKS_ITEMS;
    } else if (item_at(world, agent->position)) {
        result->outcome = JBW_OUTCOME_CELL_OCCUPIED;
    } else {
        inventory[type]--;
        jbw_edit_set_item(world, agent->position, (uint8_t)(type + 1), world->time + 1);
        result->dropped = type;
    }
}

static void handle_items(jbw_world *world)
{
    jbw_step *step = &world->step;
    step->taken_count = 0;
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        if (world->model->actions[agent->request].kind == JBW_ACTION_COLLECT)
            collect(world, agent, true);
        else if (agent->is_moving && world->model->collection == JBW_COLLECTION_AUTOMATIC)
            collect(world, agent, false);
    }
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        const jbw_model_action *action = &world->model->actions[agent->request];
        if (action->kind == JBW_ACTION_DROP) drop(world, agent, action->item_type);
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
    world->time++;
}

jbw_status jbw_step_run(jbw_world *world)
{
    if (!reserve_lists(&world->step, world->model, world->agents.count)) return JBW_OUT_OF_MEMORY;
    list_acting(world);
    aim(world);
    if (world->model->collision != JBW_COLLISION_ALLOW) {
        choose_winners(world);
        hold_cells(world);
    }
    if (!reserve_changes(world)) return JBW_OUT_OF_MEMORY;
    const jbw_status status = explore(world);
    if (status) return status;

    // from here on nothing can fail
    move_agents(world);
    handle_items(world);
    finish(world);
    jbw_terrain_tidy_if_full(world);
    return JBW_OK;
}
