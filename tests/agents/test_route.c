// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Planned routes on small random maps, compared with trying all sequences of actions. With --long
/// on more maps.
#include "support/models.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agents/route.h"
#include "support/action_sets.h"
#include "support/options.h"
#include "support/random.h"

static test_options options;

enum { SIDE = 7, CELLS = SIDE * SIDE };

// what the slow search knows: a map, and how an agent moves on it
typedef struct slow_map {
    double worth[CELLS]; // what is left
    bool is_blocked[CELLS];
    const action_set *actions;
    int horizon;
    double step_price;
} slow_map;

typedef struct slow_agent {
    int x, y, direction;
    int cost;         // in steps
    double worth;     // less the price of all steps
    bool has_gained;  // has collected something that pays
    bool has_crossed; // has paid for something
} slow_agent;

// whether the action leads anywhere; an agent that is blocked stays, at the price of a step
static slow_agent slow_step(slow_map *map, slow_agent agent, int action, int *entered)
{
    static const int right[4] = {0, 1, 0, -1};
    static const int up[4] = {1, 0, -1, 0};
    int move = -1; // quarter turns to the right
    switch (map->actions->actions[action].kind) {
    case JBW_ACTION_MOVE_FORWARD: move = 0; break;
    case JBW_ACTION_MOVE_RIGHT: move = 1; break;
    case JBW_ACTION_MOVE_BACKWARD: move = 2; break;
    case JBW_ACTION_MOVE_LEFT: move = 3; break;
    case JBW_ACTION_TURN_RIGHT: agent.direction = (agent.direction + 1) % 4; break;
    case JBW_ACTION_TURN_AROUND: agent.direction = (agent.direction + 2) % 4; break;
    case JBW_ACTION_TURN_LEFT: agent.direction = (agent.direction + 3) % 4; break;
    default: break;
    }
    agent.cost++;
    agent.worth -= map->step_price;
    *entered = -1;
    if (move < 0) return agent;
    const int x = agent.x + right[(agent.direction + move) % 4];
    const int y = agent.y + up[(agent.direction + move) % 4];
    if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || map->is_blocked[y * SIDE + x]) return agent;
    agent.x = x;
    agent.y = y;
    *entered = y * SIDE + x;
    const double worth = map->worth[*entered];
    agent.worth += worth;
    if (worth > 0) agent.has_gained = true;
    if (worth < 0) {
        agent.has_crossed = true;
        agent.cost += (int)lround(-worth / map->step_price);
    }
    return agent;
}

// the best that any sequence of actions reaches, and whether it crosses something
static void try_all(slow_map *map, slow_agent agent, double *best, bool *crosses)
{
    if (agent.cost > map->horizon) return;
    if (agent.has_gained && agent.worth > *best + 1e-9) {
        *best = agent.worth;
        *crosses = agent.has_crossed;
    }
    for (int i = 0; i < (int)map->actions->count && agent.cost < map->horizon; i++) {
        int entered;
        const slow_agent next = slow_step(map, agent, i, &entered);
        const double worth = entered < 0 ? 0 : map->worth[entered];
        if (entered >= 0) map->worth[entered] = 0;
        try_all(map, next, best, crosses);
        if (entered >= 0) map->worth[entered] = worth;
    }
}

static void fill(slow_map *map, uint64_t *random)
{
    const uint32_t walls = random_below(random, 40);
    const uint32_t avoided = random_below(random, 25);
    const uint32_t wanted = 1 + random_below(random, 15);
    for (int i = 0; i < CELLS; i++) {
        const uint32_t number = random_below(random, 100);
        map->worth[i] = 0;
        map->is_blocked[i] = number < walls;
        if (number >= walls && number < walls + avoided) map->worth[i] = -0.5;
        if (number >= walls + avoided && number < walls + avoided + wanted)
            map->worth[i] = 1 + random_below(random, 2);
    }
    map->is_blocked[CELLS / 2] = false;
    map->worth[CELLS / 2] = 0;
}

static jbw_model *make_model(const action_set *set)
{
    static const jbw_item_type bean = {.name = "Bean"};
    jbw_config config = small_config(SIDE + 1, 10, &bean, 1);
    config.agent.actions = set->actions;
    config.agent.action_count = set->count;
    return model_of(&config);
}

// The value of a plan is what its actions earn, and never above the best. It is the best, except
// that it may shun what would have to be crossed twice.
static void compare(const action_set *set, int horizon, int map_count, int *worse_count,
                    int *crossing_count)
{
    const jbw_route_settings settings = {
        .horizon = horizon, .beam = 256, .legs = JBW_ROUTE_MAX_LEGS, .step_price = 0.25};
    jbw_model *model = make_model(set);
    jbw_route_planner planner;
    assert_true(jbw_route_planner_init(&planner, model, SIDE, settings));
    uint64_t random = options.seed;
    int route_count = 0;
    for (int m = 0; m < map_count; m++) {
        slow_map map = {.actions = set, .horizon = horizon, .step_price = settings.step_price};
        fill(&map, &random);
        for (int i = 0; i < CELLS; i++) {
            planner.worth[i] = map.worth[i];
            planner.is_blocked[i] = map.is_blocked[i];
        }
        slow_agent agent = {.x = SIDE / 2, .y = SIDE / 2};
        agent.direction = (int)random_below(&random, 4);
        double best = -INFINITY;
        bool crosses = false;
        try_all(&map, agent, &best, &crosses);

        uint8_t actions[64];
        double worth;
        const int length =
            jbw_route_plan_all(&planner, (jbw_direction)agent.direction, actions, &worth);
        if (length == 0) {
            assert_true(best == -INFINITY);
            continue;
        }
        slow_map walked = map;
        for (int i = 0; i < length; i++) {
            int entered;
            agent = slow_step(&walked, agent, actions[i], &entered);
            if (entered >= 0) walked.worth[entered] = 0;
        }
        assert_true(agent.cost <= horizon);
        assert_true(agent.worth >= worth - 1e-9); // items on the way may have been underrated
        assert_true(agent.worth <= best + 1e-9);
        if (!crosses) assert_true(fabs(agent.worth - best) < 1e-9);
        *worse_count += agent.worth < best - 1e-9;
        *crossing_count += crosses;
        route_count++;
    }
    assert_true(route_count > map_count / 4);
    jbw_route_planner_deinit(&planner);
    jbw_model_destroy(model);
}

static void test_all_routes(void **state)
{
    (void)state;
    const int times = options.is_long ? 10 : 1;
    int worse_count = 0;
    int crossing_count = 0;
    compare(&action_sets[PAPER_ACTIONS], 9, 150 * times, &worse_count, &crossing_count);
    compare(&action_sets[PAPER_ACTIONS], 11, 15 * times, &worse_count, &crossing_count);
    compare(&action_sets[FOUR_MOVES], 7, 150 * times, &worse_count, &crossing_count);
    compare(&action_sets[ONE_TURN], 13, 100 * times, &worse_count, &crossing_count);
    compare(&action_sets[AROUND_ONLY], 13, 100 * times, &worse_count, &crossing_count);
    printf("%d best routes cross something; %d plans are worse than those\n", crossing_count,
           worse_count);
    assert_true(crossing_count > 20 && 5 * worse_count <= crossing_count);
}

// the first leg is the beginning of the route; where nothing is worth going, there is none
static void test_first_leg(void **state)
{
    (void)state;
    const jbw_route_settings settings = {.horizon = 30, .beam = 8, .legs = 6, .step_price = 0.1};
    jbw_model *model = make_model(&action_sets[PAPER_ACTIONS]);
    jbw_route_planner planner;
    assert_true(jbw_route_planner_init(&planner, model, SIDE, settings));
    uint8_t all[64];
    uint8_t first[64];
    planner.worth[5 * SIDE + 3] = 1; // two ahead
    planner.worth[5 * SIDE + 5] = 1; // two to the right of that
    assert_int_equal(jbw_route_plan_all(&planner, JBW_UP, all, NULL), 5);
    assert_int_equal(jbw_route_plan(&planner, JBW_UP, first, NULL), 2);
    assert_memory_equal(first, all, 2);

    memset(planner.worth, 0, CELLS * sizeof *planner.worth);
    assert_int_equal(jbw_route_plan(&planner, JBW_UP, first, NULL), 0);
    jbw_route_planner_deinit(&planner);
    jbw_model_destroy(model);
}

// the least costs of all states, by going over all of them until nothing changes
static void slow_costs(slow_map *map, int direction, int costs[CELLS][4])
{
    for (int i = 0; i < 4 * CELLS; i++) costs[i / 4][i % 4] = INT_MAX;
    costs[CELLS / 2][direction] = 0;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < 4 * CELLS; i++) {
            if (costs[i / 4][i % 4] == INT_MAX) continue;
            for (int a = 0; a < (int)map->actions->count; a++) {
                int entered;
                const slow_agent from = {.x = i / 4 % SIDE,
                                         .y = i / 4 / SIDE,
                                         .direction = i % 4,
                                         .cost = costs[i / 4][i % 4]};
                const slow_agent to = slow_step(map, from, a, &entered);
                int *cost = &costs[to.y * SIDE + to.x][to.direction];
                if (to.cost > map->horizon || to.cost >= *cost) continue;
                *cost = to.cost;
                has_changed = true;
            }
        }
    }
}

static int slow_worth(int cell, int cost, const jbw_position *trail, int trail_length)
{
    const int x = cell % SIDE - SIDE / 2;
    const int y = cell / SIDE - SIDE / 2;
    int distance = abs(x) + abs(y);
    for (int i = 0; i < trail_length; i++) {
        const int other = abs(x - (int)trail[i].x) + abs(y - (int)trail[i].y);
        if (other < distance) distance = other;
    }
    return 4 * distance - cost;
}

// leaving leads to the place that trying all of them finds best
static void test_leaving(void **state)
{
    (void)state;
    static const int sets[] = {PAPER_ACTIONS, FOUR_MOVES, ONE_TURN, AROUND_ONLY};
    uint64_t random = options.seed;
    for (int round = 0; round < (options.is_long ? 20000 : 1000); round++) {
        const action_set *actions = &action_sets[sets[round % 4]];
        jbw_model *model = make_model(actions);
        slow_map map = {.actions = actions, .horizon = 3 + round % 12, .step_price = 0.25};
        const jbw_route_settings settings = {map.horizon, 4, 4, map.step_price};
        jbw_route_planner planner;
        assert_true(jbw_route_planner_init(&planner, model, SIDE, settings));
        for (int i = 0; i < CELLS; i++) {
            const uint32_t kind = random_below(&random, 5);
            map.is_blocked[i] = planner.is_blocked[i] = kind == 0 && i != CELLS / 2;
            map.worth[i] = planner.worth[i] = kind == 1 ? -1.0 : 0.0;
        }
        jbw_position trail[4];
        const int trail_length = (int)random_below(&random, 5);
        for (int i = 0; i < trail_length; i++) {
            trail[i].x = (int64_t)random_below(&random, 9) - 4;
            trail[i].y = (int64_t)random_below(&random, 9) - 4;
        }
        const int direction = (int)random_below(&random, 4);
        uint8_t way[16];
        const int length =
            jbw_route_leave(&planner, (jbw_direction)direction, trail, trail_length, way);
        slow_agent agent = {.x = SIDE / 2, .y = SIDE / 2, .direction = direction};
        for (int i = 0; i < length; i++) {
            int entered;
            agent = slow_step(&map, agent, way[i], &entered);
        }
        int costs[CELLS][4];
        slow_costs(&map, direction, costs);
        int best = INT_MIN;
        for (int i = 0; i < 4 * CELLS; i++) {
            if (i / 4 == CELLS / 2 || costs[i / 4][i % 4] == INT_MAX) continue;
            const int worth = slow_worth(i / 4, costs[i / 4][i % 4], trail, trail_length);
            if (worth > best) best = worth;
        }
        if (best == INT_MIN) {
            assert_int_equal(length, 0);
        } else {
            assert_int_equal(slow_worth(agent.y * SIDE + agent.x, agent.cost, trail, trail_length),
                             best);
        }
        jbw_route_planner_deinit(&planner);
        jbw_model_destroy(model);
    }
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_routes),
        cmocka_unit_test(test_first_leg),
        cmocka_unit_test(test_leaving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
