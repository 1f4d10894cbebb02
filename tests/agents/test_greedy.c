// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The greedy policy: it takes the shortest paths that a slow search finds, avoids obstacles and
/// cells it does not see, and follows the reward. With --long on more ground.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "support/options.h"
#include "support/random.h"
#include "support/slow_paths.h"

static test_options options;

enum { COLORS = 3, EMPTY = -1, BEAN = 0, ONION = 1, WALL = 2, PEBBLE = 3 };

static const double bean_color[] = {0.82, 0.27, 0.20};
static const double onion_color[] = {0.68, 0.01, 0.99};
static const double wall_color[] = {0.20, 0.47, 0.67};
static const double pebble_color[] = {0.81, 0.27, 0.20}; // almost a bean's
static const double *const colors[] = {bean_color, onion_color, wall_color, pebble_color};
static const jbw_item_type items[] = {
    {.name = "Bean", .color = bean_color},
    {.name = "Onion", .color = onion_color},
    {.name = "Wall", .color = wall_color, .blocks_movement = true},
    {.name = "Pebble", .color = pebble_color},
};

static jbw_model *make_model(const action_set *set, int range, double field_of_view)
{
    jbw_config config = small_config(2 * MAX_RANGE + 2, 10, items, 4);
    config.color_dimensions = COLORS;
    config.agent.vision_range = range;
    config.agent.field_of_view = field_of_view;
    config.agent.actions = set->actions;
    config.agent.action_count = set->count;
    return model_of(&config);
}

// ---- an agent on drawn ground ----

enum { GROUND = 64 };

/// A torus of items with an agent in it; cells that were not drawn are empty.
typedef struct ground {
    int cells[GROUND][GROUND];
    pose at;
} ground;

// what the agent sees: colours dimmed by a factor that differs from cell to cell
static void look(const ground *g, const jbw_model *model, float *vision)
{
    const int side = jbw_model_vision_side(model);
    const double *view = jbw_model_field_of_view(model);
    for (int i = 0; i < side * side; i++) {
        const int ahead = side / 2 - i / side;
        const int right = i % side - side / 2;
        // one step ahead and one to the right, in rows and columns of the ground
        const pose forward = pose_after((pose){0, 0, g->at.direction}, JBW_ACTION_MOVE_FORWARD);
        const pose beside = pose_after((pose){0, 0, g->at.direction}, JBW_ACTION_MOVE_RIGHT);
        const int row = g->at.row + ahead * forward.row + right * beside.row;
        const int column = g->at.column + ahead * forward.column + right * beside.column;
        const int item = g->cells[(row + GROUND) % GROUND][(column + GROUND) % GROUND];
        const double part = view[i] / (1 + (row * 7 + column * 13 + 640) % 10);
        for (int d = 0; d < COLORS; d++)
            vision[i * COLORS + d] = item == EMPTY ? 0.0f : (float)(colors[item][d] * part);
    }
}

// one step of the policy; returns the item that the agent stepped on
static int walk(ground *g, const jbw_model *model, jbw_policy *policy, uint64_t time, int *action)
{
    float vision[MAX_SIDE * MAX_SIDE * COLORS];
    look(g, model, vision);
    *action = jbw_policy_act(policy, time, &(jbw_observation){.vision = vision});
    assert_in_range(*action, 0, jbw_model_action_count(model) - 1);
    const pose next = pose_after(g->at, jbw_model_action_kind(model, *action));
    const bool has_moved = next.row != g->at.row || next.column != g->at.column;
    g->at = (pose){(next.row + GROUND) % GROUND, (next.column + GROUND) % GROUND, next.direction};
    return has_moved ? g->cells[g->at.row][g->at.column] : EMPTY;
}

static ground empty_ground(void)
{
    ground g = {.at = {GROUND / 2, GROUND / 2, 0}};
    memset(g.cells, EMPTY, sizeof g.cells); // all bits set
    return g;
}

// Walls, onions, beans and pebbles within sight of the agent, and a wall around all that, so that
// no shorter path appears when it moves.
static void draw_around(ground *g, uint64_t *random, int range)
{
    const uint32_t walls = random_below(random, 30);
    const uint32_t onions = random_below(random, 30);
    for (int row = -range - 1; row <= range + 1; row++)
        for (int column = -range - 1; column <= range + 1; column++) {
            const uint32_t number = random_below(random, 100);
            int item = EMPTY;
            if (number < walls || abs(row) > range || abs(column) > range)
                item = WALL;
            else if (number < walls + onions)
                item = ONION;
            else if (number < walls + onions + 4)
                item = BEAN;
            else if (number < walls + onions + 14)
                item = PEBBLE; // worth nothing
            if (row || column) g->cells[g->at.row + row][g->at.column + column] = item;
        }
}

// what the cells should mean to the greedy agent
static void marks_of(const ground *g, const jbw_model *model, int range, slow_field *f)
{
    const double *view = jbw_model_field_of_view(model);
    f->side = 2 * range + 1;
    for (int i = 0; i < f->side * f->side; i++) {
        const int item =
            g->cells[g->at.row - range + i / f->side][g->at.column - range + i % f->side];
        f->marks[i] = view[i] <= 0 || item == WALL || item == ONION ? JBW_CELL_OBSTACLE
                      : item == BEAN                                ? JBW_CELL_TARGET
                                                                    : JBW_CELL_FREE;
    }
    f->marks[f->side * f->side / 2] = JBW_CELL_FREE;
}

static void test_takes_shortest_paths(void **state)
{
    (void)state;
    static const double views[] = {360, 360, 200, 90};
    uint64_t random = options.seed + 7;
    int arrived_count = 0;
    for (int round = 0; round < (options.is_long ? 40 : 4); round++) {
        for (int s = 0; s < ACTION_SETS; s++) {
            for (int range = 1; range <= MAX_RANGE; range++) {
                const action_set *set = &action_sets[s];
                const double field_of_view = views[round % 4];
                jbw_model *model = make_model(set, range, field_of_view);
                jbw_reward *reward = reward_of(model, "Collect[Bean] & Avoid[Onion]");
                for (int i = 0; i < 30; i++) {
                    ground g = empty_ground();
                    draw_around(&g, &random, range);
                    slow_field f;
                    int distances[MAX_STATES];
                    marks_of(&g, model, range, &f);
                    slow_distances(&f, set, distances);
                    pose p = {range, range, 0};
                    const int distance = slow_distance_at(&f, distances, p);
                    if (distance == INT32_MAX) continue;

                    // as long as it sees everything, no shorter path appears on the way
                    jbw_policy *policy = policy_of("greedy", model, reward, (uint64_t)i);
                    for (int step = 0; step < distance; step++) {
                        const int expected = slow_best_action(&f, set, distances, p);
                        int action;
                        const int item = walk(&g, model, policy, 0, &action);
                        if (field_of_view == 360.0 || step == 0) assert_int_equal(action, expected);
                        assert_true(item != WALL && item != ONION);
                        p = pose_after(p, set->actions[action].kind);
                        if (item == BEAN) {
                            assert_true(field_of_view < 360.0 || step == distance - 1);
                            arrived_count++;
                            break;
                        }
                        assert_true(step < distance - 1);
                    }
                    jbw_policy_destroy(policy);
                }
                jbw_reward_destroy(reward);
                jbw_model_destroy(model);
            }
        }
    }
    assert_true(arrived_count > 300);
}

static void test_avoids_obstacles(void **state)
{
    (void)state;
    // when it sees everything around it, it never enters a wall or an onion
    uint64_t random = options.seed + 3;
    int bean_count = 0;
    for (int s = 0; s < ACTION_SETS; s++) {
        jbw_model *model = make_model(&action_sets[s], 3, 360);
        jbw_reward *reward = reward_of(model, "Avoid[Onion] & Collect[Bean]");
        jbw_policy *policy = policy_of("greedy", model, reward, 1);
        ground g = empty_ground();
        for (int row = 0; row < GROUND; row++)
            for (int column = 0; column < GROUND; column++) {
                const uint32_t number = random_below(&random, 100);
                g.cells[row][column] = number < 6    ? WALL
                                       : number < 12 ? ONION
                                       : number < 20 ? BEAN
                                                     : EMPTY;
            }
        g.cells[g.at.row][g.at.column] = EMPTY;
        for (uint64_t step = 0; step < 3000; step++) {
            int action;
            const int item = walk(&g, model, policy, step, &action);
            assert_true(item != WALL && item != ONION);
            if (item != BEAN) continue;
            bean_count++;
            g.cells[g.at.row][g.at.column] = EMPTY;
        }
        jbw_policy_destroy(policy);
        jbw_reward_destroy(reward);
        jbw_model_destroy(model);
    }
    assert_true(bean_count > 100);
}

static void test_keeps_its_path(void **state)
{
    (void)state;
    // a bean six actions away: when it vanishes the agent keeps its path, unless there is a shorter
    // one
    jbw_model *model = make_model(&action_sets[PAPER_ACTIONS], MAX_RANGE, 360);
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    jbw_policy *policy = policy_of("greedy", model, reward, 1);
    ground g = empty_ground();
    int *bean = &g.cells[g.at.row][g.at.column + 5]; // right, five times forward
    int action;
    *bean = BEAN;
    walk(&g, model, policy, 0, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_TURN_RIGHT);
    *bean = EMPTY;
    walk(&g, model, policy, 1, &action);
    walk(&g, model, policy, 2, &action);
    assert_int_equal(g.at.column, GROUND / 2 + 2);
    // a bean four actions away is not nearer than the three that are left; one action away is
    g.cells[g.at.row - 3][g.at.column] = BEAN;
    walk(&g, model, policy, 3, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_FORWARD);
    g.cells[g.at.row][g.at.column + 1] = BEAN;
    assert_int_equal(walk(&g, model, policy, 4, &action), BEAN);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

static void test_follows_the_reward(void **state)
{
    (void)state;
    jbw_model *model = make_model(&action_sets[PAPER_ACTIONS], MAX_RANGE, 360);
    jbw_reward *reward =
        reward_of(model, "Cyclical[(Collect[Bean], 3), (Collect[Onion] & Avoid[Bean], 100)]");
    jbw_policy *policy = policy_of("greedy", model, reward, 1);
    ground g = empty_ground();
    g.cells[g.at.row - 5][g.at.column] = BEAN;  // ahead
    g.cells[g.at.row + 5][g.at.column] = ONION; // behind
    int action;
    for (uint64_t time = 0; time < 3; time++) {
        walk(&g, model, policy, time, &action);
        assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_FORWARD);
    }
    // the onion is out of sight by now, and the bean ahead must be avoided
    for (uint64_t time = 3; time < 40; time++)
        assert_true(walk(&g, model, policy, time, &action) != BEAN);

    // the best paid item wins, and blocking items are never a goal
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    reward = reward_of(model, "Collect[Bean] & Collect[Onion] & Collect[Onion] & Collect[Wall] & "
                              "Collect[Wall] & Collect[Wall]");
    policy = policy_of("greedy", model, reward, 1);
    g = empty_ground();
    g.cells[g.at.row - 1][g.at.column] = WALL;
    g.cells[g.at.row + 1][g.at.column] = BEAN;
    g.cells[g.at.row][g.at.column + 4] = ONION;
    for (int step = 0; step < 4; step++)
        assert_int_equal(walk(&g, model, policy, 0, &action), EMPTY);
    assert_int_equal(walk(&g, model, policy, 0, &action), ONION);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);

    // of equally paid types the first wins; without a reward there is no goal
    reward = reward_of(model, "Collect[Onion] & Collect[Bean]");
    policy = policy_of("greedy", model, reward, 1);
    g = empty_ground();
    g.cells[g.at.row][g.at.column - 1] = ONION;
    g.cells[g.at.row][g.at.column + 1] = BEAN;
    walk(&g, model, policy, 0, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_TURN_RIGHT);
    jbw_policy_destroy(policy);
    policy = policy_of("greedy", model, NULL, 1);
    walk(&g, model, policy, 0, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_FORWARD);
    assert_int_equal(jbw_policy_act(policy, 1, NULL), action);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

static void test_wanders_without_a_goal(void **state)
{
    (void)state;
    // without a goal it goes forward; at a wall it turns left or right, each about half the time
    jbw_model *model = make_model(&action_sets[PAPER_ACTIONS], 2, 360);
    jbw_policy *policy = policy_of("greedy", model, NULL, 11);
    ground g = empty_ground();
    int action;
    walk(&g, model, policy, 0, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_FORWARD);
    int left_count = 0;
    for (int i = 0; i < 1000; i++) {
        g.at = (pose){30, 30, 0};
        g.cells[29][30] = WALL;
        walk(&g, model, policy, 0, &action);
        const jbw_action_kind kind = jbw_model_action_kind(model, action);
        assert_true(kind == JBW_ACTION_TURN_LEFT || kind == JBW_ACTION_TURN_RIGHT);
        left_count += kind == JBW_ACTION_TURN_LEFT;
    }
    assert_in_range(left_count, 400, 600);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);

    // without turns it follows the wall, and backs out of a dead end
    model = make_model(&action_sets[FOUR_MOVES], 2, 360);
    policy = policy_of("greedy", model, NULL, 11);
    g = empty_ground();
    g.at = (pose){30, 30, 0};
    g.cells[29][30] = WALL;
    g.cells[30][31] = WALL;
    walk(&g, model, policy, 0, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_LEFT);
    g.at = (pose){30, 30, 0};
    g.cells[30][29] = WALL;
    g.cells[29][30] = EMPTY;
    walk(&g, model, policy, 0, &action); // it was going left
    const jbw_action_kind kind = jbw_model_action_kind(model, action);
    assert_true(kind == JBW_ACTION_MOVE_FORWARD || kind == JBW_ACTION_MOVE_BACKWARD);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

// ---- collecting by an action, and what items ask for ----

static const double first_color[] = {1, 0};
static const double second_color[] = {0, 1};
static const jbw_item_count one_axe[] = {{"Axe", 1}};

// beans and axes near the agent; wood asks for an axe
static jbw_world *make_manual_world(jbw_collection collection, jbw_model **model,
                                    jbw_agent_id *agent)
{
    const jbw_item_type types[] = {
        {.name = "Axe", .color = first_color},
        {.name = "Wood", .color = second_color, .requirements = one_axe, .requirement_count = 1},
    };
    const jbw_action actions[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                  {JBW_ACTION_TURN_LEFT, NULL},
                                  {JBW_ACTION_TURN_RIGHT, NULL},
                                  {JBW_ACTION_COLLECT, NULL}};
    jbw_config config = small_config(32, 0, types, 2);
    config.color_dimensions = 2;
    config.collection = collection;
    config.agent.vision_range = 6;
    config.agent.actions = actions;
    config.agent.action_count = 4;
    *model = model_of(&config);
    jbw_world *world = world_of(*model, 1);
    assert_int_equal(jbw_world_add_agent(world, NULL, agent), JBW_OK);
    assert_int_equal(jbw_world_place_item(world, 1, (jbw_position){1, 0}), JBW_OK);
    assert_int_equal(jbw_world_place_item(world, 0, (jbw_position){-2, 2}), JBW_OK);
    assert_int_equal(jbw_world_place_item(world, 1, (jbw_position){2, 3}), JBW_OK);
    return world;
}

static void test_collects_by_an_action(void **state)
{
    (void)state;
    for (int is_manual = 0; is_manual < 2; is_manual++) {
        jbw_model *model;
        jbw_agent_id agent;
        jbw_world *world = make_manual_world(
            is_manual ? JBW_COLLECTION_MANUAL : JBW_COLLECTION_AUTOMATIC, &model, &agent);
        jbw_reward *reward = reward_of(model, "Collect[Wood, 2] & Collect[Axe]");
        jbw_policy *policy = policy_of("greedy", model, reward, 1);
        double earned = 0;
        int collect_count = 0;
        int step = 0;
        for (; step < 30 && earned < 5; step++) {
            double paid;
            // what was saved in any step goes on in the same way
            jbw_policy *copy = reloaded(policy, model, reward);
            jbw_policy_destroy(policy);
            policy = copy;
            assert_int_equal(jbw_policy_step(policy, world, agent, &paid), JBW_OK);
            jbw_agent_result result;
            assert_int_equal(jbw_agent_get_result(world, agent, &result), JBW_OK);
            collect_count += result.action == 3;
            // the wood is best paid, but of no use before the axe
            if (earned == 0 && paid > 0) assert_true(paid == 1);
            earned += paid;
        }
        assert_true(earned == 5);
        assert_int_equal(collect_count, is_manual ? 3 : 0);
        // the axe in 5 steps, the upper wood in 6 or the lower one in 6, the last one in 6 or less
        assert_true(step <= 20 + 3 * is_manual);
        jbw_policy_destroy(policy);
        jbw_reward_destroy(reward);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

static void test_what_is_payable(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_agent_id agent;
    jbw_world *world = make_manual_world(JBW_COLLECTION_MANUAL, &model, &agent);
    assert_int_equal(jbw_model_collection(model), JBW_COLLECTION_MANUAL);
    const uint64_t nothing[] = {0, 0};
    const uint64_t axe[] = {1, 0};
    assert_true(jbw_model_item_is_payable(model, 0, nothing, NULL));
    assert_false(jbw_model_item_is_payable(model, 1, nothing, axe));
    assert_true(jbw_model_item_is_payable(model, 1, axe, NULL));
    assert_false(jbw_model_item_is_payable(model, 2, axe, NULL));
    assert_false(jbw_model_item_is_payable(model, -1, axe, NULL));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- bodies ----

static const jbw_item_type grown[] = {
    {.name = "Bean", .color = bean_color, .intensity = "Constant[-2.5]"},
    {.name = "Onion", .color = onion_color, .intensity = "Constant[-2]"},
    {.name = "Wall",
     .color = wall_color,
     .intensity = "Constant[-2]",
     .blocks_movement = true,
     .occlusion = 1,
     .is_uncollectable = true},
};

static jbw_config grown_config(const jbw_action *actions, size_t count)
{
    jbw_config config = small_config(26, 400, grown, 3);
    config.color_dimensions = COLORS;
    config.agent.vision_range = 2;
    config.agent.actions = actions;
    config.agent.action_count = count;
    return config;
}

static jbw_policy *greedy_for(const jbw_model *model, const jbw_reward *reward)
{
    jbw_policy *policy;
    const jbw_policy_options how = {.reward = reward, .seed = 5};
    assert_int_equal(jbw_policy_create("greedy", model, &how, &policy, NULL), JBW_OK);
    return policy;
}

// An agent with a body acts as one in a world where all agents are like that, although its frame is
// larger.
static void test_sees_as_its_body(void **state)
{
    (void)state;
    static const jbw_action actions[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                         {JBW_ACTION_TURN_LEFT, NULL},
                                         {JBW_ACTION_TURN_RIGHT, NULL}};
    for (int i = 0; i < 24; i++) {
        const jbw_body bodies[] = {
            {.name = "Other", .sight = {.has_vision_range = true, .vision_range = 7}},
            {.name = "Own",
             .sight = {.has_vision_range = true,
                       .vision_range = 1 + i % 4,
                       .has_field_of_view = true,
                       .field_of_view = i % 3 == 0 ? 360 : 90 + 10 * i,
                       .has_visual_occlusion = true,
                       .visual_occlusion = i % 2 == 0}},
        };
        jbw_config config = grown_config(actions, 3);
        config.bodies = bodies;
        config.body_count = 2;
        jbw_config plain = grown_config(actions, 3);
        plain.agent.vision_range = bodies[1].sight.vision_range;
        plain.agent.field_of_view = bodies[1].sight.field_of_view;
        plain.agent.visual_occlusion = bodies[1].sight.visual_occlusion;
        const jbw_config *both[2] = {&config, &plain};
        jbw_model *models[2];
        jbw_world *worlds[2];
        jbw_reward *rewards[2];
        jbw_policy *policies[2];
        jbw_agent_id agents[2];
        for (int k = 0; k < 2; k++) {
            models[k] = model_of(both[k]);
            worlds[k] = world_of(models[k], (uint64_t)i);
            const jbw_agent_options with = {.body = k == 0 ? 2 : 0};
            assert_int_equal(jbw_world_add_agent(worlds[k], &with, &agents[k]), JBW_OK);
            rewards[k] = reward_of(models[k], "Collect[Bean] & Avoid[Onion]");
            policies[k] = greedy_for(models[k], rewards[k]);
        }
        for (int step = 0; step < 150; step++) {
            jbw_agent_state states[2];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(jbw_policy_step(policies[k], worlds[k], agents[k], NULL), JBW_OK);
                jbw_agent_get_state(worlds[k], agents[k], &states[k]);
            }
            assert_int_equal(states[0].position.x, states[1].position.x);
            assert_int_equal(states[0].position.y, states[1].position.y);
            assert_int_equal(states[0].direction, states[1].direction);
        }
        for (int k = 0; k < 2; k++) {
            jbw_policy_destroy(policies[k]);
            jbw_reward_destroy(rewards[k]);
            jbw_world_destroy(worlds[k]);
            jbw_model_destroy(models[k]);
        }
    }
}

// whatever a body lacks, the agent does not ask for it
static void test_does_what_its_body_can(void **state)
{
    (void)state;
    static const jbw_action all[] = {
        {JBW_ACTION_NO_OP, NULL},       {JBW_ACTION_MOVE_FORWARD, NULL},
        {JBW_ACTION_MOVE_RIGHT, NULL},  {JBW_ACTION_MOVE_BACKWARD, NULL},
        {JBW_ACTION_MOVE_LEFT, NULL},   {JBW_ACTION_TURN_LEFT, NULL},
        {JBW_ACTION_TURN_AROUND, NULL}, {JBW_ACTION_COLLECT, NULL},
    };
    enum { COUNT = sizeof all / sizeof *all };
    static const char *const names[] = {"greedy", "oracle", "random"};
    for (unsigned set = 1; set < 1u << COUNT; set++) {
        jbw_action some[COUNT];
        jbw_body body = {.name = "Some", .actions = some};
        for (unsigned i = 0; i < COUNT; i++)
            if (set >> i & 1) some[body.action_count++] = all[i];
        jbw_config config = grown_config(all, COUNT);
        config.collection = set % 2 ? JBW_COLLECTION_MANUAL : JBW_COLLECTION_AUTOMATIC;
        config.bodies = &body;
        config.body_count = 1;
        jbw_model *model = model_of(&config);
        jbw_world *world = world_of(model, set);
        jbw_reward *reward = reward_of(model, "Collect[Bean] & Avoid[Onion]");
        jbw_policy *policy;
        jbw_agent_id agent;
        const jbw_policy_options how = {.reward = reward, .seed = set};
        assert_int_equal(jbw_policy_create(names[set % 3], model, &how, &policy, NULL), JBW_OK);
        const jbw_agent_options with = {.body = 1};
        assert_int_equal(jbw_world_add_agent(world, &with, &agent), JBW_OK);
        for (int step = 0; step < 25; step++) {
            jbw_agent_result result;
            assert_int_equal(jbw_policy_step(policy, world, agent, NULL), JBW_OK);
            assert_int_equal(jbw_agent_get_result(world, agent, &result), JBW_OK);
            assert_int_not_equal(result.outcome, JBW_OUTCOME_NOT_ABLE);
        }
        jbw_policy_destroy(policy);
        jbw_reward_destroy(reward);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collects_by_an_action),  cmocka_unit_test(test_what_is_payable),
        cmocka_unit_test(test_takes_shortest_paths),   cmocka_unit_test(test_avoids_obstacles),
        cmocka_unit_test(test_keeps_its_path),         cmocka_unit_test(test_follows_the_reward),
        cmocka_unit_test(test_wanders_without_a_goal), cmocka_unit_test(test_sees_as_its_body),
        cmocka_unit_test(test_does_what_its_body_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
