// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's step: moving, collecting, dropping.
#include "support/oracle_parts.h"

#include <stdlib.h>
#include <string.h>

static int item_type_named(const oracle *o, const char *name)
{
    for (size_t i = 0; i < o->config->item_count; i++)
        if (strcmp(o->config->items[i].name, name) == 0) return (int)i;
    abort();
}

static bool is_move(jbw_action_kind kind)
{
    return kind == JBW_ACTION_MOVE_FORWARD || kind == JBW_ACTION_MOVE_BACKWARD ||
           kind == JBW_ACTION_MOVE_LEFT || kind == JBW_ACTION_MOVE_RIGHT;
}

static jbw_position move_target(const oracle_agent *agent, jbw_action_kind kind)
{
    switch (kind) {
    case JBW_ACTION_MOVE_FORWARD: return oracle_cell_from(agent, 1, 0);
    case JBW_ACTION_MOVE_BACKWARD: return oracle_cell_from(agent, -1, 0);
    case JBW_ACTION_MOVE_LEFT: return oracle_cell_from(agent, 0, -1);
    case JBW_ACTION_MOVE_RIGHT: return oracle_cell_from(agent, 0, 1);
    default: return agent->state.position;
    }
}

static bool is_beyond(jbw_position cell)
{
    return cell.x > JBW_MAX_COORDINATE || cell.x < -JBW_MAX_COORDINATE ||
           cell.y > JBW_MAX_COORDINATE || cell.y < -JBW_MAX_COORDINATE;
}

// A step in progress: the agents with requests, in the order of their requests, and their targets.
typedef struct plan {
    oracle_agent *actors[ORACLE_MAX_AGENTS];
    jbw_action_kind kinds[ORACLE_MAX_AGENTS];
    bool is_able[ORACLE_MAX_AGENTS];      // its body has this action; otherwise it does nothing
    const char *items[ORACLE_MAX_AGENTS]; // what to drop
    jbw_position targets[ORACLE_MAX_AGENTS];
    bool wins[ORACLE_MAX_AGENTS]; // moves, unless the cell is occupied
    size_t count;
} plan;

static bool has_action(const oracle *o, const oracle_agent *agent, const jbw_action *action)
{
    const jbw_body *body = oracle_body(o, agent);
    if (!body || !body->actions) return true;
    for (size_t i = 0; i < body->action_count; i++) {
        const jbw_action *own = &body->actions[i];
        if (own->kind != action->kind) continue;
        if (own->kind != JBW_ACTION_DROP || strcmp(own->item, action->item) == 0) return true;
    }
    return false;
}

static void make_plan(oracle *o, plan *p)
{
    p->count = 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        oracle_agent *agent = &o->agents[i];
        if (agent->is_gone || !agent->state.has_request) continue;
        size_t at = p->count++;
        for (; at > 0 && p->actors[at - 1]->rank > agent->rank; at--)
            p->actors[at] = p->actors[at - 1];
        p->actors[at] = agent;
    }
    for (size_t i = 0; i < p->count; i++) {
        const jbw_action *action = &o->config->agent.actions[p->actors[i]->state.request];
        p->is_able[i] = has_action(o, p->actors[i], action);
        p->kinds[i] = p->is_able[i] ? action->kind : JBW_ACTION_NO_OP;
        p->items[i] = action->item;
        p->targets[i] = move_target(p->actors[i], p->kinds[i]);
        p->wins[i] = false;
    }
}

// is this the agent that the world chose at random?
static bool is_drawn(const oracle *o, const oracle_agent *agent)
{
    jbw_agent_result result;
    return !jbw_agent_get_result(o->world, agent->id, &result) &&
           result.outcome != JBW_OUTCOME_LOST;
}

// one winner for each target
static void choose_winners(oracle *o, plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        jbw_agent_result *result = &p->actors[i]->result;
        if (!is_move(p->kinds[i])) continue;
        if (is_beyond(p->targets[i])) {
            result->outcome = JBW_OUTCOME_END_OF_WORLD;
        } else if (oracle_is_blocked(o, p->targets[i])) {
            result->outcome = JBW_OUTCOME_BLOCKED_BY_ITEM;
        } else {
            p->wins[i] = true;
            result->outcome = JBW_OUTCOME_DONE;
        }
    }
    if (o->config->collision == JBW_COLLISION_ALLOW) return;

    for (size_t i = 0; i < p->count; i++) {
        if (!p->wins[i]) continue;
        size_t rivals[ORACLE_MAX_AGENTS];
        size_t rival_count = 0;
        for (size_t k = i; k < p->count; k++)
            if (p->wins[k] && oracle_is_same(p->targets[k], p->targets[i]))
                rivals[rival_count++] = k;
        size_t winner = 0;
        if (o->config->collision == JBW_COLLISION_RANDOM && rival_count > 1) {
            size_t drawn_count = 0;
            for (size_t k = 0; k < rival_count; k++)
                if (is_drawn(o, p->actors[rivals[k]])) {
                    winner = k;
                    drawn_count++;
                }
            if (drawn_count != 1)
                oracle_tell(o, "%zu of %zu agents with the same target have not lost", drawn_count,
                            rival_count);
        }
        for (size_t k = 0; k < rival_count; k++) {
            if (k == winner) continue;
            p->wins[rivals[k]] = false;
            p->actors[rivals[k]]->result.outcome = JBW_OUTCOME_LOST;
        }
    }
}

static bool leaves(const plan *p, const oracle_agent *agent)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->actors[i] == agent) return p->wins[i];
    return false;
}

// an agent whose target stays occupied must stay, which may stop others in turn
static void stop_blocked_moves(oracle *o, plan *p)
{
    if (o->config->collision == JBW_COLLISION_ALLOW) return;
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t i = 0; i < p->count; i++)
            for (size_t k = 0; k < o->agent_count && p->wins[i]; k++) {
                const oracle_agent *other = &o->agents[k];
                if (other->is_gone || !oracle_is_same(other->state.position, p->targets[i]))
                    continue;
                if (leaves(p, other)) continue;
                p->wins[i] = false;
                p->actors[i]->result.outcome = JBW_OUTCOME_BLOCKED_BY_AGENT;
                changes = true;
            }
    }
}

static void turn_and_move(const plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        oracle_agent *agent = p->actors[i];
        jbw_agent_result *result = &agent->result;
        int turn = 0;
        if (p->kinds[i] == JBW_ACTION_TURN_RIGHT) turn = 1;
        if (p->kinds[i] == JBW_ACTION_TURN_AROUND) turn = 2;
        if (p->kinds[i] == JBW_ACTION_TURN_LEFT) turn = 3;
        agent->state.direction = (jbw_direction)(((int)agent->state.direction + turn) % 4);
        if (turn || p->kinds[i] == JBW_ACTION_NO_OP) result->outcome = JBW_OUTCOME_DONE;
        if (!p->is_able[i]) result->outcome = JBW_OUTCOME_NOT_ABLE;
        if (p->wins[i]) {
            agent->state.position = p->targets[i];
            result->position = p->targets[i];
            result->moved = true;
        }
    }
}

static const jbw_kind *kind_named(const oracle *o, const char *name)
{
    for (size_t i = 0; i < o->config->kind_count; i++)
        if (strcmp(o->config->kinds[i].name, name) == 0) return &o->config->kinds[i];
    return NULL;
}

// the type of one item of a type or kind, which is taken; -1 if there is none
static int take_one(const oracle *o, uint64_t *inventory, const char *name)
{
    const jbw_kind *kind = kind_named(o, name);
    if (!kind) {
        const int type = item_type_named(o, name);
        if (inventory[type] == 0) return -1;
        inventory[type]--;
        return type;
    }
    for (size_t i = 0; i < kind->member_count; i++) {
        const int type = take_one(o, inventory, kind->members[i]);
        if (type >= 0) return type;
    }
    return -1;
}

enum { PILE_SIZE = 25 * ORACLE_MAX_AGENTS };

// Items that collecting puts down.
typedef struct pile {
    int types[PILE_SIZE];
    jbw_position cells[PILE_SIZE];
    size_t count;
} pile;

static bool take_all(const oracle *o, uint64_t *inventory, const jbw_item_count *counts,
                     size_t count, bool of_kinds, pile *taken)
{
    for (size_t i = 0; i < count; i++) {
        if ((kind_named(o, counts[i].item) != NULL) != of_kinds) continue;
        for (uint64_t n = 0; n < counts[i].count; n++) {
            const int type = take_one(o, inventory, counts[i].item);
            if (type < 0) return false;
            if (taken) taken->types[taken->count++] = type;
        }
    }
    return true;
}

// each requirement on its own: what is required stays
static bool has_all(const oracle *o, const uint64_t *inventory, const jbw_item_count *counts,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t left[ORACLE_MAX_TYPES];
        memcpy(left, inventory, sizeof left);
        for (uint64_t n = 0; n < counts[i].count; n++)
            if (take_one(o, left, counts[i].item) < 0) return false;
    }
    return true;
}

// the cells around an agent, in the order in which items are put down there
static const int around[25][2] = {{0, 0},   {1, 0},  {1, 1},  {0, 1},  {-1, 1}, {-1, 0},  {-1, -1},
                                  {0, -1},  {1, -1}, {2, -1}, {2, 0},  {2, 1},  {2, 2},   {1, 2},
                                  {0, 2},   {-1, 2}, {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2},
                                  {-1, -2}, {0, -2}, {1, -2}, {2, -2}};

// finds a cell for each item, besides those that were put down before
static bool find_cells(oracle *o, jbw_position at, const pile *before, pile *items)
{
    size_t found = 0;
    for (int k = 0; k < 25 && found < items->count; k++) {
        const jbw_position cell = {at.x + around[k][0], at.y + around[k][1]};
        if (is_beyond(cell) || (k > 0 && oracle_content_at(o, cell))) continue;
        const int64_t size = o->config->patch_size;
        const jbw_position patch = {cell.x / size - (cell.x % size < 0),
                                    cell.y / size - (cell.y % size < 0)};
        if (oracle_patch_state(o, patch) != JBW_PATCH_FINAL) continue;
        bool is_kept = false;
        for (size_t i = 0; i < before->count; i++)
            is_kept = is_kept || oracle_is_same(before->cells[i], cell);
        if (!is_kept) items->cells[found++] = cell;
    }
    return found == items->count;
}

static jbw_outcome try_collect(oracle *o, oracle_agent *agent, uint8_t item, pile *put_down)
{
    const jbw_item_type *type = &o->config->items[item - 1];
    if (type->is_uncollectable) return JBW_OUTCOME_UNCOLLECTABLE;
    if (!has_all(o, agent->inventory, type->requirements, type->requirement_count) ||
        !has_all(o, agent->ever, type->ever_requirements, type->ever_requirement_count))
        return JBW_OUTCOME_LACKS_ITEMS;
    uint64_t left[ORACLE_MAX_TYPES];
    memcpy(left, agent->inventory, sizeof left);
    pile dropped = {.count = 0};
    for (int of_kinds = 0; of_kinds < 2; of_kinds++)
        if (!take_all(o, left, type->costs, type->cost_count, of_kinds, NULL) ||
            !take_all(o, left, type->drops, type->drop_count, of_kinds, &dropped))
            return JBW_OUTCOME_LACKS_ITEMS;
    if (!find_cells(o, agent->state.position, put_down, &dropped)) return JBW_OUTCOME_CELL_OCCUPIED;
    for (size_t i = 0; i < dropped.count; i++) {
        put_down->types[put_down->count] = dropped.types[i];
        put_down->cells[put_down->count++] = dropped.cells[i];
    }
    memcpy(agent->inventory, left, sizeof left);
    agent->inventory[item - 1]++;
    agent->ever[item - 1]++;
    return JBW_OUTCOME_DONE;
}

static void collect(oracle *o, const plan *p)
{
    // an agent that comes too late for an item has lost it
    bool had_item[ORACLE_MAX_AGENTS];
    for (size_t i = 0; i < p->count; i++)
        had_item[i] = oracle_item_at(o, p->actors[i]->state.position) != 0;

    pile put_down = {.count = 0};
    for (size_t i = 0; i < p->count; i++) {
        oracle_agent *agent = p->actors[i];
        const bool collects_by_moving =
            p->wins[i] && o->config->collection == JBW_COLLECTION_AUTOMATIC;
        const bool is_asked = p->kinds[i] == JBW_ACTION_COLLECT;
        if (!collects_by_moving && !is_asked) continue;

        const uint8_t item = oracle_item_at(o, agent->state.position);
        jbw_outcome outcome = is_asked ? JBW_OUTCOME_NOTHING_THERE : JBW_OUTCOME_NONE;
        if (item)
            outcome = try_collect(o, agent, item, &put_down);
        else if (had_item[i])
            outcome = JBW_OUTCOME_LOST;
        if (outcome == JBW_OUTCOME_DONE) {
            agent->result.collected = item - 1;
            const char *text = o->texts[oracle_cell_index(o, agent->state.position)];
            if (text) strcpy(agent->collected, text);
            oracle_set_item(o, agent->state.position, 0);
            oracle_begin_growth(o, agent->state.position, item);
        }
        agent->result.item = outcome;
        if (is_asked) agent->result.outcome = outcome;
    }
    for (size_t i = 0; i < put_down.count; i++)
        oracle_set_item(o, put_down.cells[i], (uint8_t)(put_down.types[i] + 1));
}

static void drop(oracle *o, const plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->kinds[i] != JBW_ACTION_DROP) continue;
        oracle_agent *agent = p->actors[i];
        const int type = item_type_named(o, p->items[i]);
        if (agent->inventory[type] == 0) {
            agent->result.outcome = JBW_OUTCOME_LACKS_ITEMS;
        } else if (oracle_content_at(o, agent->state.position)) {
            agent->result.outcome = JBW_OUTCOME_CELL_OCCUPIED;
        } else {
            agent->inventory[type]--;
            oracle_set_item(o, agent->state.position, (uint8_t)(type + 1));
            oracle_set_text(o, agent->state.position, agent->text);
            agent->result.outcome = JBW_OUTCOME_DONE;
            agent->result.dropped = type;
        }
    }
}

void oracle_step(oracle *o)
{
    oracle_advance_scent(o); // from the state before the step
    for (size_t i = 0; i < o->agent_count; i++) {
        oracle_agent *agent = &o->agents[i];
        agent->result = oracle_blank_result(agent);
        agent->result.time = o->time + 1;
        if (agent->state.has_request) agent->result.action = agent->state.request;
        if (agent->state.has_request) agent->result.said = agent->state.say;
        agent->collected[0] = '\0';
    }

    plan p;
    make_plan(o, &p);
    choose_winners(o, &p);
    stop_blocked_moves(o, &p);
    turn_and_move(&p);
    collect(o, &p);
    drop(o, &p);
    oracle_hear(o);
    for (size_t i = 0; i < p.count; i++) p.actors[i]->state.has_request = false;

    o->time++;
    oracle_regrow(o);
    oracle_advance_seasons(o);
    oracle_expect_all_needs(o);
    oracle_learn(o, false);
}

bool oracle_is_interesting(const oracle *o, const oracle_agent *agent, const jbw_action *action)
{
    // in quarter turns to the right
    static const int turns[] = {[JBW_ACTION_MOVE_FORWARD] = 0,
                                [JBW_ACTION_MOVE_RIGHT] = 1,
                                [JBW_ACTION_MOVE_BACKWARD] = 2,
                                [JBW_ACTION_MOVE_LEFT] = 3};
    static const jbw_position steps[] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    const jbw_position at = agent->state.position;
    if (action->kind == JBW_ACTION_COLLECT) return oracle_item_at(o, at) != 0;
    if (action->kind == JBW_ACTION_DROP) {
        for (size_t i = 0; i < o->config->item_count; i++)
            if (strcmp(o->config->items[i].name, action->item) == 0) return agent->inventory[i] > 0;
    }
    if (action->kind < JBW_ACTION_MOVE_FORWARD || action->kind > JBW_ACTION_MOVE_RIGHT)
        return false;
    const jbw_position step = steps[((int)agent->state.direction + turns[action->kind]) % 4];
    const jbw_position target = {at.x + step.x, at.y + step.y};
    for (size_t i = 0; i < o->agent_count; i++) {
        const oracle_agent *other = &o->agents[i];
        if (other->is_gone || other == agent) continue;
        if (llabs(other->state.position.x - target.x) + llabs(other->state.position.y - target.y) <=
            1)
            return true;
    }
    return oracle_item_at(o, target) != 0;
}
