// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/step_moves.h"

#include <string.h>

#include "sim/map/position.h"
#include "sim/world/world.h"

/// A cell that agents aim at.
struct jbw_contest {
    jbw_position cell;
    uint32_t contender_count; // 0: this entry of the table is free
    uint32_t seen;            // how many of them were visited while looking for the winner
    uint32_t chosen;          // which one wins, in the order of their requests
    uint32_t winner;          // slot plus one; 0 is none
};

void jbw_step_moves_deinit(jbw_step_moves *moves, const jbw_allocator *allocator)
{
    jbw_free(allocator, moves->staying, moves->staying_capacity * sizeof *moves->staying);
    jbw_free(allocator, moves->contests, moves->contest_capacity * sizeof *moves->contests);
    *moves = (jbw_step_moves){0};
}

bool jbw_step_moves_reserve(jbw_step_moves *moves, size_t agent_count,
                            const jbw_allocator *allocator)
{
    if (!JBW_GROW(allocator, moves->staying, moves->staying_capacity, agent_count)) return false;
    size_t capacity = 16;
    while (capacity < 2 * agent_count) capacity *= 2;
    if (capacity <= moves->contest_capacity) return true;
    jbw_contest *contests = jbw_alloc_zero(allocator, capacity, sizeof *contests);
    if (!contests) return false;
    jbw_free(allocator, moves->contests, moves->contest_capacity * sizeof *contests);
    moves->contests = contests;
    moves->contest_capacity = capacity;
    return true;
}

// ---- aiming ----

// the direction of a move in quarter turns to the right of the agent's own, or -1 for other actions
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

static jbw_position neighbor(jbw_position cell, int direction)
{
    static const int dx[] = {0, 1, 0, -1};
    static const int dy[] = {1, 0, -1, 0};
    return (jbw_position){cell.x + dx[direction], cell.y + dy[direction]};
}

static void aim(const jbw_world *world, jbw_agent *agent)
{
    static const jbw_model_action nothing = {.kind = JBW_ACTION_NO_OP, .item_type = -1};
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
    if (!agent->has_request) return;
    agent->doing = &world->model->actions[agent->request];
    if (!world->model->bodies[agent->body].can[agent->request]) {
        agent->doing = &nothing;
        agent->next_result.outcome = JBW_OUTCOME_NOT_ABLE;
        return;
    }
    const int turns = turns_of_move(agent->doing->kind);
    if (turns < 0) return;

    const jbw_position target = neighbor(agent->position, ((int)agent->direction + turns) % 4);
    if (!jbw_position_is_in_world(target)) {
        agent->next_result.outcome = JBW_OUTCOME_END_OF_WORLD;
        return;
    }
    const jbw_model_item *item = jbw_world_item_near(world, agent, target);
    if (item && item->blocks_movement) {
        agent->next_result.outcome = JBW_OUTCOME_BLOCKED_BY_ITEM;
        return;
    }
    agent->target = target;
    agent->is_moving = true;
}

// ---- contests ----

static jbw_contest *find_contest(const jbw_step_moves *moves, jbw_position cell)
{
    const size_t mask = moves->contest_capacity - 1;
    size_t index = (size_t)jbw_position_hash(cell) & mask;
    while (moves->contests[index].contender_count != 0 &&
           !jbw_position_is_same(moves->contests[index].cell, cell))
        index = (index + 1) & mask;
    return &moves->contests[index];
}

static void fail_move(jbw_agent *agent, jbw_outcome outcome)
{
    agent->is_moving = false;
    agent->target = agent->position;
    agent->next_result.outcome = outcome;
}

static void count_contenders(const jbw_world *world, const uint32_t *acting, size_t acting_count)
{
    const jbw_step_moves *moves = &world->step.moves;
    memset(moves->contests, 0, moves->contest_capacity * sizeof *moves->contests);
    for (size_t i = 0; i < acting_count; i++) {
        const jbw_agent *agent = &world->agents.slots[acting[i]];
        if (!agent->is_moving) continue;
        jbw_contest *contest = find_contest(moves, agent->target);
        contest->cell = agent->target;
        contest->contender_count++;
    }
}

static void choose_winners(jbw_world *world, const uint32_t *acting, size_t acting_count)
{
    count_contenders(world, acting, acting_count);
    for (size_t i = 0; i < acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[acting[i]];
        if (!agent->is_moving) continue;
        jbw_contest *contest = find_contest(&world->step.moves, agent->target);
        if (contest->seen == 0 && contest->contender_count > 1 &&
            world->model->collision == JBW_COLLISION_RANDOM) {
            jbw_rng stream = jbw_rng_open_at(world->seed, world->time, contest->cell.x,
                                             contest->cell.y, JBW_PURPOSE_COLLISION);
            contest->chosen = jbw_rng_below(&stream, contest->contender_count);
        }
        const bool wins = contest->seen++ == contest->chosen;
        if (wins)
            contest->winner = acting[i] + 1;
        else
            fail_move(agent, JBW_OUTCOME_LOST);
    }
}

// `staying` is also a queue: an agent that is blocked joins its end
static void hold_cells(jbw_world *world)
{
    const jbw_step_moves *moves = &world->step.moves;
    size_t count = 0;
    for (size_t i = 0; i < world->agents.count; i++)
        if (!world->agents.slots[world->agents.order[i]].is_moving)
            moves->staying[count++] = world->agents.order[i];
    for (size_t i = 0; i < count; i++) {
        const jbw_agent *agent = &world->agents.slots[moves->staying[i]];
        const jbw_contest *contest = find_contest(moves, agent->position);
        if (contest->contender_count == 0 || contest->winner == 0) continue;
        jbw_agent *winner = &world->agents.slots[contest->winner - 1];
        if (!winner->is_moving) continue;
        fail_move(winner, JBW_OUTCOME_BLOCKED_BY_AGENT);
        moves->staying[count++] = contest->winner - 1;
    }
}

void jbw_step_moves_resolve(jbw_world *world, const uint32_t *acting, size_t acting_count)
{
    for (size_t i = 0; i < world->agents.count; i++)
        aim(world, &world->agents.slots[world->agents.order[i]]);
    // one agent meets nobody, so the table of contests stays out of the caches
    if (world->model->collision == JBW_COLLISION_ALLOW || world->agents.count < 2) return;
    choose_winners(world, acting, acting_count);
    hold_cells(world);
}
