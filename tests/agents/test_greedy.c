// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The greedy policy takes shortest paths, the first in the order of actions, as a slow search finds
/// them; it keeps out of obstacles and of what it does not see, and follows the reward. With --long
/// on more ground.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "agents/path.h"
#include "jbw/policy.h"
#include "support/options.h"
#include "support/random.h"

static test_options options;

enum { MAX_RANGE = 5, MAX_SIDE = 2 * MAX_RANGE + 1, MAX_STATES = 4 * MAX_SIDE * MAX_SIDE };
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

// the sets of actions that are tried
static const jbw_action paper_actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_TURN_RIGHT, NULL}};
static const jbw_action one_turn[] = {
    {JBW_ACTION_TURN_RIGHT, NULL}, {JBW_ACTION_NO_OP, NULL}, {JBW_ACTION_MOVE_FORWARD, NULL}};
static const jbw_action four_moves[] = {{JBW_ACTION_MOVE_LEFT, NULL},
                                        {JBW_ACTION_MOVE_FORWARD, NULL},
                                        {JBW_ACTION_MOVE_BACKWARD, NULL},
                                        {JBW_ACTION_MOVE_RIGHT, NULL}};
static const jbw_action all_actions[] = {
    {JBW_ACTION_NO_OP, NULL},      {JBW_ACTION_TURN_AROUND, NULL}, {JBW_ACTION_MOVE_RIGHT, NULL},
    {JBW_ACTION_COLLECT, NULL},    {JBW_ACTION_TURN_LEFT, NULL},   {JBW_ACTION_MOVE_BACKWARD, NULL},
    {JBW_ACTION_MOVE_LEFT, NULL},  {JBW_ACTION_DROP, "Bean"},      {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},
};
static const jbw_action around_only[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                         {JBW_ACTION_TURN_AROUND, NULL}};

typedef struct action_set {
    const jbw_action *actions;
    size_t count;
} action_set;
static const action_set action_sets[] = {
    {paper_actions, 3}, {one_turn, 3}, {four_moves, 4}, {all_actions, 10}, {around_only, 2}};
enum { SET_COUNT = sizeof action_sets / sizeof *action_sets };

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

// ---- a slow search, written for nothing but to be obvious ----

/// A square of marks around an agent that looks up: side x side of jbw_cell_mark.
typedef struct field {
    int side;
    uint8_t marks[MAX_SIDE * MAX_SIDE];
} field;

typedef struct pose {
    int row;
    int column;
    int direction; // 0 up, 1 right, 2 down, 3 left
} pose;

static pose pose_after(pose p, jbw_action_kind kind)
{
    const int forward_row[4] = {-1, 0, 1, 0};
    const int forward_column[4] = {0, 1, 0, -1};
    int way = -1;
    switch (kind) {
    case JBW_ACTION_TURN_LEFT: p.direction = (p.direction + 3) % 4; break;
    case JBW_ACTION_TURN_RIGHT: p.direction = (p.direction + 1) % 4; break;
    case JBW_ACTION_TURN_AROUND: p.direction = (p.direction + 2) % 4; break;
    case JBW_ACTION_MOVE_FORWARD: way = p.direction; break;
    case JBW_ACTION_MOVE_RIGHT: way = (p.direction + 1) % 4; break;
    case JBW_ACTION_MOVE_BACKWARD: way = (p.direction + 2) % 4; break;
    case JBW_ACTION_MOVE_LEFT: way = (p.direction + 3) % 4; break;
    default: break;
    }
    if (way >= 0) {
        p.row += forward_row[way];
        p.column += forward_column[way];
    }
    return p;
}

static bool can_be_at(const field *f, pose p)
{
    return p.row >= 0 && p.row < f->side && p.column >= 0 && p.column < f->side &&
           f->marks[p.row * f->side + p.column] != JBW_CELL_OBSTACLE;
}

static int index_of(const field *f, pose p)
{
    return (p.row * f->side + p.column) * 4 + p.direction;
}

// How far each pose is from a target: relaxed over and over until nothing changes.
static void relax(const field *f, const action_set *set, int distances[MAX_STATES])
{
    const int states = 4 * f->side * f->side;
    for (int i = 0; i < states; i++)
        distances[i] = f->marks[i / 4] == JBW_CELL_TARGET ? 0 : INT32_MAX;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < states; i++) {
            const pose p = {i / 4 / f->side, i / 4 % f->side, i % 4};
            if (!can_be_at(f, p)) continue;
            for (size_t a = 0; a < set->count; a++) {
                const pose next = pose_after(p, set->actions[a].kind);
                if (!can_be_at(f, next)) continue;
                const int through = distances[index_of(f, next)];
                if (through == INT32_MAX || through + 1 >= distances[i]) continue;
                distances[i] = through + 1;
                has_changed = true;
            }
        }
    }
}

// the first action, by number, that comes nearer
static int best_action(const field *f, const action_set *set, const int *distances, pose p)
{
    for (size_t a = 0; a < set->count; a++) {
        const pose next = pose_after(p, set->actions[a].kind);
        if (can_be_at(f, next) && distances[index_of(f, next)] == distances[index_of(f, p)] - 1)
            return (int)a;
    }
    return -1;
}

static field random_field(uint64_t *random, int range)
{
    field f = {.side = 2 * range + 1};
    const uint32_t obstacles = random_below(random, 60);
    const uint32_t targets = random_below(random, 6);
    for (int i = 0; i < f.side * f.side; i++) {
        const uint32_t number = random_below(random, 100);
        f.marks[i] = number < obstacles             ? JBW_CELL_OBSTACLE
                     : number < obstacles + targets ? JBW_CELL_TARGET
                                                    : JBW_CELL_FREE;
    }
    f.marks[f.side * f.side / 2] = JBW_CELL_FREE;
    return f;
}

// ---- shortest paths ----

static void test_shortest_paths(void **state)
{
    (void)state;
    const int count = options.is_long ? 20000 : 1500;
    uint64_t random = options.seed;
    int found_count = 0;
    for (int s = 0; s < SET_COUNT; s++) {
        for (int range = 0; range <= MAX_RANGE; range++) {
            const action_set *set = &action_sets[s];
            jbw_model *model = make_model(set, range, 360);
            jbw_path_finder finder;
            assert_true(jbw_path_finder_init(&finder, model));
            for (int i = 0; i < count / (range + 1); i++) {
                const field f = random_field(&random, range);
                int distances[MAX_STATES];
                relax(&f, set, distances);
                pose p = {range, range, 0};
                const int distance = distances[index_of(&f, p)];
                memcpy(finder.marks, f.marks, (size_t)f.side * (size_t)f.side);

                uint8_t path[MAX_STATES];
                const size_t length = jbw_path_find(&finder, SIZE_MAX, path);
                assert_int_equal(length, distance == INT32_MAX ? 0 : distance);
                for (size_t k = 0; k < length; k++) {
                    assert_int_equal(path[k], best_action(&f, set, distances, p));
                    p = pose_after(p, set->actions[path[k]].kind);
                }
                // limits: it must be shorter than that
                assert_int_equal(jbw_path_find(&finder, length, path), 0);
                assert_int_equal(jbw_path_find(&finder, length + 1, path), length);
                found_count += length > 0;
            }
            jbw_path_finder_deinit(&finder, model);
            jbw_model_destroy(model);
        }
    }
    assert_true(found_count > count);
}

// ---- the policy on flat ground that we draw ----

enum { GROUND = 64 };

/// A torus of items, and somebody in it; cells beyond what was drawn are empty.
typedef struct ground {
    int cells[GROUND][GROUND];
    pose at;
} ground;

// what the agent sees: each colour dimmed by a part that differs from cell to cell
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

// does what the policy says; returns the item that was stepped upon
static int walk(ground *g, const jbw_model *model, jbw_policy *policy, uint64_t time, int *action)
{
    float vision[MAX_SIDE * MAX_SIDE * COLORS];
    look(g, model, vision);
    *action = jbw_policy_act(policy, time, vision);
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

// Walls, onions, beans and pebbles within the agent's sight, and a wall around that: no shorter way
// shows up when it moves.
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
                item = PEBBLE; // neither here nor there
            if (row || column) g->cells[g->at.row + row][g->at.column + column] = item;
        }
}

// what the greedy agent should make of a cell
static void marks_of(const ground *g, const jbw_model *model, int range, field *f)
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

static void test_greedy_walks_shortest_paths(void **state)
{
    (void)state;
    static const double views[] = {360, 360, 200, 90};
    uint64_t random = options.seed + 7;
    int arrived_count = 0;
    for (int round = 0; round < (options.is_long ? 40 : 4); round++) {
        for (int s = 0; s < SET_COUNT; s++) {
            for (int range = 1; range <= MAX_RANGE; range++) {
                const action_set *set = &action_sets[s];
                const double field_of_view = views[round % 4];
                jbw_model *model = make_model(set, range, field_of_view);
                jbw_reward *reward = reward_of(model, "Collect[Bean] & Avoid[Onion]");
                for (int i = 0; i < 30; i++) {
                    ground g = empty_ground();
                    draw_around(&g, &random, range);
                    field f;
                    int distances[MAX_STATES];
                    marks_of(&g, model, range, &f);
                    relax(&f, set, distances);
                    pose p = {range, range, 0};
                    const int distance = distances[index_of(&f, p)];
                    if (distance == INT32_MAX) continue;

                    // as long as it sees everything, no shorter path turns up on the way
                    jbw_policy *policy = policy_of("greedy", model, reward, (uint64_t)i);
                    for (int step = 0; step < distance; step++) {
                        const int expected = best_action(&f, set, distances, p);
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

static void test_greedy_keeps_out(void **state)
{
    (void)state;
    // on wide ground, seeing everything around it, it never enters a wall or an onion
    uint64_t random = options.seed + 3;
    int bean_count = 0;
    for (int s = 0; s < SET_COUNT; s++) {
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

static void test_greedy_keeps_its_path(void **state)
{
    (void)state;
    // a bean six ahead; when it vanishes the path goes on, and a shorter one replaces it
    jbw_model *model = make_model(&action_sets[0], MAX_RANGE, 360);
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
    // four steps to the side: not shorter than the three that are left; one: shorter
    g.cells[g.at.row - 3][g.at.column] = BEAN;
    walk(&g, model, policy, 3, &action);
    assert_int_equal(jbw_model_action_kind(model, action), JBW_ACTION_MOVE_FORWARD);
    g.cells[g.at.row][g.at.column + 1] = BEAN;
    assert_int_equal(walk(&g, model, policy, 4, &action), BEAN);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

static void test_greedy_follows_the_reward(void **state)
{
    (void)state;
    jbw_model *model = make_model(&action_sets[0], MAX_RANGE, 360);
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
    // the onion is out of sight by now, and the bean ahead is not to be touched
    for (uint64_t time = 3; time < 40; time++)
        assert_true(walk(&g, model, policy, time, &action) != BEAN);

    // what is paid best counts, and what blocks is never looked for
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

    // of equals the first type counts; without a reward there is nothing to look for
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

static void test_greedy_wanders(void **state)
{
    (void)state;
    // with nothing to look for: forward, but at a wall left or right, each about half the time
    jbw_model *model = make_model(&action_sets[0], 2, 360);
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

    // without turns it goes along the wall, and back out of a dead end
    model = make_model(&action_sets[2], 2, 360);
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

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest_paths),
        cmocka_unit_test(test_greedy_walks_shortest_paths),
        cmocka_unit_test(test_greedy_keeps_out),
        cmocka_unit_test(test_greedy_keeps_its_path),
        cmocka_unit_test(test_greedy_follows_the_reward),
        cmocka_unit_test(test_greedy_wanders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
