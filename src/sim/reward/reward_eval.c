// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Evaluating rewards. Nothing here allocates or writes. Recursion is as deep as the nesting of the
// text, which the parser limits.

#include "base/rng.h"
#include "sim/reward/reward.h"
#include "sim/world/world.h"

// ---- schedules ----

const jbw_reward_node *jbw_reward_choose(const jbw_reward *reward, const jbw_reward_node *node,
                                         uint64_t time)
{
    if (node->kind == JBW_REWARD_RANDOM) {
        // each block of steps has its own random stream, so there is no state
        jbw_rng rng = jbw_rng_open_at(node->seed, time / node->steps, 0, 0, JBW_PURPOSE_SCHEDULE);
        return jbw_reward_part_at(reward, node, jbw_rng_below(&rng, node->part_count));
    }

    if (node->kind == JBW_REWARD_CYCLICAL) time %= node->steps;
    // the first part that has not ended, or the last part
    const jbw_reward_part *parts = &reward->parts[node->part];
    uint32_t low = 0;
    uint32_t high = node->part_count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (time < parts[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return jbw_reward_part_at(reward, node, low);
}

double jbw_reward_weight(const jbw_reward_node *node, uint64_t time)
{
    return time >= node->steps ? 1.0 : (double)time / (double)node->steps;
}

// ---- exploring ----

// an unsigned number of 128 bits
typedef struct wide {
    uint64_t high;
    uint64_t low;
} wide;

static wide square(uint64_t n)
{
    // (a 2^32 + b)^2 = a^2 2^64 + 2 a b 2^32 + b^2
    const uint64_t a = n >> 32;
    const uint64_t b = n & UINT32_MAX;
    const uint64_t ab = a * b;
    wide result = {.high = a * a + (ab >> 31), .low = ab << 33};
    result.low += b * b;
    result.high += result.low < b * b;
    return result;
}

static uint64_t difference(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

// exact for all cells of a world: differences are below 2^62, so squares are below 2^124
static wide squared_distance(jbw_position a, jbw_position b)
{
    const wide x = square(difference(a.x, b.x));
    const wide y = square(difference(a.y, b.y));
    const uint64_t low = x.low + y.low;
    return (wide){.high = x.high + y.high + (low < x.low), .low = low};
}

static bool has_gone_farther(const jbw_reward_step *step)
{
    const wide before = squared_distance(step->position_before, step->start);
    const wide now = squared_distance(step->position, step->start);
    return now.high > before.high || (now.high == before.high && now.low > before.low);
}

// ---- rewards ----

// which terms of a reward count
typedef enum reward_scope {
    SCOPE_ALL,
    SCOPE_OWN,    // those outside Team[ ]
    SCOPE_SHARED, // those inside
} reward_scope;

static double evaluate(const jbw_reward *reward, const jbw_reward_node *node,
                       const jbw_reward_step *step, reward_scope scope)
{
    if (scope == SCOPE_SHARED && node->part_count == 0) return 0.0;
    switch (node->kind) {
    case JBW_REWARD_ZERO: return 0.0;
    case JBW_REWARD_ACTION: return step->has_acted ? jbw_reward_value(node, step->time) : 0.0;
    case JBW_REWARD_COLLECT:
        return step->collected == node->item_type ? jbw_reward_value(node, step->time) : 0.0;
    case JBW_REWARD_COLLECT_KIND:
        return jbw_reward_has_type(node, step->collected) ? jbw_reward_value(node, step->time)
                                                          : 0.0;
    case JBW_REWARD_EXPLORE:
        return has_gone_farther(step) ? jbw_reward_value(node, step->time) : 0.0;
    case JBW_REWARD_CUSTOM: return node->custom->value(node->arguments, step, node->custom->user);
    case JBW_REWARD_COMBINED: {
        double sum = 0.0;
        for (uint32_t i = 0; i < node->part_count; i++)
            sum += evaluate(reward, jbw_reward_part_at(reward, node, i), step, scope);
        return sum;
    }
    case JBW_REWARD_SCALED:
        return evaluate(reward, jbw_reward_part_at(reward, node, 0), step, scope) *
               jbw_reward_value(node, step->time);
    case JBW_REWARD_TEAM:
        if (scope == SCOPE_OWN) return 0.0;
        return evaluate(reward, jbw_reward_part_at(reward, node, 0), step, SCOPE_ALL);
    case JBW_REWARD_GRADUAL: {
        const double weight = jbw_reward_weight(node, step->time);
        double value = 0.0;
        if (weight < 1.0)
            value +=
                evaluate(reward, jbw_reward_part_at(reward, node, 0), step, scope) * (1.0 - weight);
        if (weight > 0.0)
            value += evaluate(reward, jbw_reward_part_at(reward, node, 1), step, scope) * weight;
        return value;
    }
    case JBW_REWARD_CURRICULUM:
    case JBW_REWARD_CYCLICAL:
    case JBW_REWARD_RANDOM:
        return evaluate(reward, jbw_reward_choose(reward, node, step->time), step, scope);
    }
    return 0.0;
}

double jbw_reward_evaluate(const jbw_reward *reward, const jbw_reward_step *step)
{
    return evaluate(reward, &reward->nodes[0], step, SCOPE_ALL);
}

// the part of an agent in the latest step; false if there was none
static bool find_step(const jbw_world *world, jbw_agent_id id, jbw_reward_step *step)
{
    const jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent || agent->result.time == 0) return false;
    const jbw_agent_result *result = &agent->result;
    *step = (jbw_reward_step){
        .time = result->time - 1,
        .has_acted =
            result->action >= 0 && world->model->actions[result->action].kind != JBW_ACTION_NO_OP,
        .collected = result->collected,
        .start = agent->start,
        .position_before = result->position_before,
        .position = result->position,
    };
    return true;
}

double jbw_agent_reward(const jbw_world *world, jbw_agent_id id, const jbw_reward *reward)
{
    jbw_reward_step step;
    return find_step(world, id, &step) ? jbw_reward_evaluate(reward, &step) : 0.0;
}

bool jbw_reward_has_team(const jbw_reward *reward)
{
    return reward->has_team;
}

void jbw_team_rewards(const jbw_world *world, const jbw_reward *reward, const jbw_agent_id *agents,
                      const int *teams, size_t count, double *out)
{
    const jbw_reward_node *root = &reward->nodes[0];
    jbw_reward_step step;
    for (size_t i = 0; i < count; i++)
        out[i] =
            find_step(world, agents[i], &step) ? evaluate(reward, root, &step, SCOPE_OWN) : 0.0;
    for (size_t i = 0; i < count && reward->has_team; i++) {
        if (!find_step(world, agents[i], &step)) continue;
        const double shared = evaluate(reward, root, &step, SCOPE_SHARED);
        if (shared == 0.0) continue; // most agents earn nothing in most steps
        for (size_t j = 0; j < count; j++)
            if (!teams || teams[j] == teams[i]) out[j] += shared;
    }
}

static double of_collecting(const jbw_reward *reward, const jbw_reward_node *node, uint64_t time,
                            int item_type)
{
    double sum = 0.0;
    switch (node->kind) {
    case JBW_REWARD_ZERO:
    case JBW_REWARD_ACTION:
    case JBW_REWARD_EXPLORE:
    case JBW_REWARD_CUSTOM: return 0.0;
    case JBW_REWARD_COLLECT:
        return node->item_type == item_type ? jbw_reward_value(node, time) : 0.0;
    case JBW_REWARD_COLLECT_KIND:
        return jbw_reward_has_type(node, item_type) ? jbw_reward_value(node, time) : 0.0;
    case JBW_REWARD_COMBINED:
        for (uint32_t i = 0; i < node->part_count; i++)
            sum += of_collecting(reward, jbw_reward_part_at(reward, node, i), time, item_type);
        return sum;
    case JBW_REWARD_SCALED:
        return of_collecting(reward, jbw_reward_part_at(reward, node, 0), time, item_type) *
               jbw_reward_value(node, time);
    case JBW_REWARD_TEAM:
        return of_collecting(reward, jbw_reward_part_at(reward, node, 0), time, item_type);
    case JBW_REWARD_GRADUAL: {
        const double weight = jbw_reward_weight(node, time);
        sum += of_collecting(reward, jbw_reward_part_at(reward, node, 0), time, item_type) *
               (1.0 - weight);
        sum += of_collecting(reward, jbw_reward_part_at(reward, node, 1), time, item_type) * weight;
        return sum;
    }
    case JBW_REWARD_CURRICULUM:
    case JBW_REWARD_CYCLICAL:
    case JBW_REWARD_RANDOM:
        return of_collecting(reward, jbw_reward_choose(reward, node, time), time, item_type);
    }
    return sum;
}

double jbw_reward_of_collecting(const jbw_reward *reward, uint64_t time, int item_type)
{
    return of_collecting(reward, &reward->nodes[0], time, item_type);
}
