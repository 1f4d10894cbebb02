// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The default places of agents in a crowd: what is remembered about them against a search that
/// remembers nothing, while agents move, come and go and cells are walled in and cleared. And a
/// hundred thousand agents, which a search from the origin for each of them would take days for.
#include "support/models.h"

#include <stdio.h>
#include <string.h>

#include "sim/world/crowd.h"
#include "support/options.h"
#include "support/random.h"
#include "support/random_world.h"

enum { WALL = 2 }; // of random_world.h

static test_options options;

/// The spiral as legs of growing length: 1 right, 1 up, 2 left, 2 down, 3 right, ...
typedef struct slow_spiral {
    jbw_position at;
    int direction; // 0 right, 1 up, 2 left, 3 down
    int64_t left;  // cells to go in this leg
    int64_t leg;   // number of the leg, from zero
} slow_spiral;

static void walk_spiral(slow_spiral *spiral)
{
    static const int dx[] = {1, 0, -1, 0};
    static const int dy[] = {0, 1, 0, -1};
    if (spiral->left == 0) spiral->left = 1;
    spiral->at.x += dx[spiral->direction];
    spiral->at.y += dy[spiral->direction];
    if (--spiral->left > 0) return;
    spiral->leg++;
    spiral->direction = (spiral->direction + 1) % 4;
    spiral->left = spiral->leg / 2 + 1;
}

static void test_spiral(void **state)
{
    (void)state;
    enum { CELLS = 600 };
    jbw_position cells[CELLS];
    slow_spiral spiral = {0};
    jbw_position cell = {0, 0};
    for (int i = 0; i < CELLS; i++) {
        cells[i] = spiral.at;
        assert_int_equal(cell.x, spiral.at.x);
        assert_int_equal(cell.y, spiral.at.y);
        cell = jbw_spiral_next(cell);
        walk_spiral(&spiral);
    }
    for (int i = 0; i < CELLS; i++)
        for (int k = 0; k < CELLS; k++)
            assert_int_equal(jbw_spiral_is_before(cells[i], cells[k]), i < k);

    // nothing overflows at the ends of the world
    const int64_t far = JBW_MAX_COORDINATE;
    const jbw_position corners[] = {{far, far}, {-far, far}, {-far, -far}, {far, -far}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            assert_int_equal(jbw_spiral_is_before(corners[i], corners[k]), i < k);
}

// --- the search that remembers nothing ------------------------------------------------------------

static bool holds_agent(const jbw_world *world, jbw_position cell)
{
    static jbw_agent_id ids[4096];
    const size_t count = jbw_world_agents(world, ids, 4096);
    assert_true(count <= 4096);
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state agent;
        assert_int_equal(jbw_agent_get_state(world, ids[i], &agent), JBW_OK);
        if (agent.position.x == cell.x && agent.position.y == cell.y) return true;
    }
    return false;
}

// the first free cell; makes the same patches final as adding an agent does
static jbw_position search_place(jbw_world *world, jbw_collision collision)
{
    for (slow_spiral spiral = {0};; walk_spiral(&spiral)) {
        explore_cell(world, spiral.at.x, spiral.at.y);
        jbw_cell_info info;
        assert_int_equal(jbw_world_inspect(world, spiral.at, &info), JBW_OK);
        if (info.item >= 0 && jbw_model_item_blocks(jbw_world_model(world), info.item)) continue;
        if (collision == JBW_COLLISION_ALLOW || !holds_agent(world, spiral.at)) return spiral.at;
    }
}

// adds an agent where the world thinks best, and to a copy where the search above does
static void add_and_compare(jbw_world *world, jbw_collision collision)
{
    jbw_world *copy = clone_of(world);
    const jbw_agent_options place = {.has_position = true,
                                     .position = search_place(copy, collision)};
    jbw_agent_id id;
    jbw_agent_id same;
    assert_int_equal(jbw_world_add_agent(copy, &place, &same), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &id), JBW_OK);
    assert_int_equal(id.index1, same.index1);
    assert_int_equal(id.generation, same.generation);
    jbw_agent_state agent;
    assert_int_equal(jbw_agent_get_state(world, id, &agent), JBW_OK);
    assert_int_equal(agent.position.x, place.position.x);
    assert_int_equal(agent.position.y, place.position.y);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(copy));
    jbw_world_destroy(copy);
}

// adds an agent to a cell that may be taken
static void add_at(jbw_world *world, jbw_position cell, bool is_forced, jbw_collision collision)
{
    explore_cell(world, cell.x, cell.y);
    jbw_cell_info info;
    assert_int_equal(jbw_world_inspect(world, cell, &info), JBW_OK);
    const bool is_blocked =
        (info.item >= 0 && jbw_model_item_blocks(jbw_world_model(world), info.item)) ||
        (collision != JBW_COLLISION_ALLOW && holds_agent(world, cell));
    const jbw_agent_options place = {
        .has_position = true, .position = cell, .is_forced = is_forced};
    jbw_agent_id id;
    assert_int_equal(jbw_world_add_agent(world, &place, &id),
                     is_blocked && !is_forced ? JBW_CELL_BLOCKED : JBW_OK);
}

static void change_crowd(jbw_world *world, jbw_collision collision, uint64_t *random)
{
    static jbw_agent_id ids[4096];
    const size_t count = jbw_world_agents(world, ids, 4096);
    const jbw_agent_id agent = ids[count > 0 ? random_next(random) % count : 0];
    const jbw_position cell = {random_between(random, -5, 5), random_between(random, -5, 5)};
    const uint32_t kind = random_below(random, 100);
    if (kind < 45) {
        add_and_compare(world, collision);
    } else if (kind < 55) {
        add_at(world, cell, random_below(random, 2), collision);
    } else if (kind < 65 && count > 0) {
        assert_int_equal(jbw_world_remove_agent(world, agent), JBW_OK);
    } else if (kind < 75) {
        jbw_world_place_item(world, WALL, cell);
    } else if (kind < 85) {
        jbw_world_remove_item(world, cell);
    } else {
        // all agents act, mostly by moving
        static int actions[4096];
        for (size_t i = 0; i < count; i++)
            actions[i] = (int)random_below(random, random_chance(random, 70) ? 4 : 13);
        assert_int_equal(jbw_world_act(world, ids, actions, count, NULL), JBW_OK);
    }
}

static void test_random_crowds(void **state)
{
    (void)state;
    const int worlds = options.is_long ? 400 : 24;
    for (int i = 0; i < worlds; i++) {
        uint64_t random = options.seed * 1000 + (uint64_t)i;
        random_world_config drawn;
        random_world_config_draw(&drawn, &random);
        drawn.config.collision = (jbw_collision)(i % 3);
        if (i % 4 == 3) drawn.config.generation = JBW_GENERATION_INVARIANT;
        if (i % 4 == 3) drawn.config.mh_iterations = 20;
        jbw_model *model = model_of(&drawn.config);
        jbw_world *world = world_of(model, random);
        for (int k = 0; k < 200; k++) change_crowd(world, drawn.config.collision, &random);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// --- a large crowd --------------------------------------------------------------------------------

static void test_large_crowd(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    jbw_config config = jbw_config_default();
    config.patch_size = 255; // agents of one patch must not slow each other down
    config.mh_iterations = 1;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_world *twin = world_of(model, 1);
    slow_spiral spiral = {0};
    for (int i = 0; i < COUNT; i++, walk_spiral(&spiral)) {
        jbw_agent_id id;
        jbw_agent_state agent;
        assert_int_equal(jbw_world_add_agent(world, NULL, &id), JBW_OK);
        assert_int_equal(jbw_agent_get_state(world, id, &agent), JBW_OK);
        assert_int_equal(agent.position.x, spiral.at.x);
        assert_int_equal(agent.position.y, spiral.at.y);
        const jbw_agent_options place = {.has_position = true, .position = spiral.at};
        assert_int_equal(jbw_world_add_agent(twin, &place, &id), JBW_OK);
        assert_int_equal(id.index1, i + 1);
    }
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));

    // those who leave make room for others, in the order of the spiral and of the slots
    jbw_agent_id ids[10];
    jbw_world_agents(world, ids, 10);
    for (int i = 8; i > 0; i--) assert_int_equal(jbw_world_remove_agent(world, ids[i]), JBW_OK);
    for (int i = 1; i < 9; i++) {
        jbw_agent_id id;
        jbw_agent_state agent;
        jbw_agent_state before;
        assert_int_equal(jbw_world_add_agent(world, NULL, &id), JBW_OK);
        assert_int_equal(id.index1, i + 1);
        assert_int_equal(jbw_agent_get_state(world, id, &agent), JBW_OK);
        assert_int_equal(jbw_agent_get_state(twin, ids[i], &before), JBW_OK);
        assert_int_equal(agent.position.x, before.position.x);
        assert_int_equal(agent.position.y, before.position.y);
    }

    // however many are forced into one cell
    for (int i = 0; i < COUNT / 2; i++) {
        const jbw_agent_options place = {.has_position = true, .is_forced = true};
        jbw_agent_id id;
        assert_int_equal(jbw_world_add_agent(world, &place, &id), JBW_OK);
    }
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spiral),
        cmocka_unit_test(test_random_crowds),
        cmocka_unit_test(test_large_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
