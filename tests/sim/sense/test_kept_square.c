// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The square of cells that a world keeps from one look to the next. Its twin reads the region anew,
/// and turns it here.
#include "support/random.h"
#include "support/random_world.h"
#include "support/shipped.h"

#include "jbw/agent.h"

#include <stdlib.h>

enum { MOST_AGENTS = 32, MOST_SIDE = 127 };

// what the agent must see, row by row, the farthest row ahead first
static void read_ahead(const jbw_world *world, jbw_agent_id agent, int range, uint8_t *items)
{
    static uint8_t cells[MOST_SIDE * MOST_SIDE];
    jbw_agent_state info;
    const int side = 2 * range + 1;
    assert_int_equal(jbw_agent_get_state(world, agent, &info), JBW_OK);
    const jbw_region region = {
        .x = info.position.x - range, .y = info.position.y - range, .width = side, .height = side};
    assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
    for (int ahead = range; ahead >= -range; ahead--) {
        for (int right = -range; right <= range; right++) {
            int x = right;
            int y = ahead;
            for (int turn = 0; turn < (int)info.direction; turn++) {
                const int before = x;
                x = y;
                y = -before;
            }
            *items++ = cells[(y + range) * side + x + range];
        }
    }
}

static void assert_sees_what_is_there(jbw_world *world, jbw_agent_id agent)
{
    static uint8_t expected[MOST_SIDE * MOST_SIDE];
    static uint8_t seen[MOST_SIDE * MOST_SIDE];
    const int side = jbw_model_vision_side(jbw_world_model(world));
    assert_true(side <= MOST_SIDE);
    read_ahead(world, agent, side / 2, expected);
    assert_int_equal(jbw_agent_see_items(world, agent, seen), JBW_OK);
    assert_memory_equal(seen, expected, (size_t)(side * side));
}

// agents act, come, go and are moved aside by others; items are placed and removed; in some steps
// only one of the agents looks
static void test_random_worlds(void **state)
{
    (void)state;
    uint64_t random = 20261117;
    for (int i = 0; i < 60; i++) {
        random_world_config drawn;
        random_world_config_draw(&drawn, &random);
        drawn.config.agent.visual_occlusion = false;
        drawn.config.agent.field_of_view = 360;
        if (random_chance(&random, 50)) // otherwise nothing is ever out of season
            drawn.items[0].season = (jbw_season){.period = 7, .from = 1, .to = 4};
        jbw_model *model = model_of(&drawn.config);
        jbw_world *world = world_of(model, random_next(&random));
        jbw_agent_id agents[MOST_AGENTS];
        for (int step = 0; step < 120; step++) {
            random_world_change(world, &random);
            const size_t count = jbw_world_agents(world, agents, MOST_AGENTS);
            const bool is_shy = random_chance(&random, 50);
            for (size_t k = 0; k < count && (k < 1 || !is_shy); k++)
                assert_sees_what_is_there(world, agents[k]);
        }
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// one agent walks and collects; now and then an item near it is placed or removed
static void walk(const char *name, int steps)
{
    jbw_model *model = shipped_model(name);
    jbw_world *world = world_of(model, 3);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    uint64_t random = 5;
    const int types = jbw_model_item_type_count(model);
    for (int step = 0; step < steps; step++) {
        // the first action is to move forward
        const uint32_t actions = (uint32_t)jbw_model_action_count(model);
        const int action = random_chance(&random, 50) ? 0 : (int)random_below(&random, actions);
        assert_int_equal(jbw_agent_act(world, agent, action, NULL), JBW_OK);
        if (random_chance(&random, 5)) {
            jbw_agent_state info;
            assert_int_equal(jbw_agent_get_state(world, agent, &info), JBW_OK);
            const jbw_position cell = {info.position.x + random_between(&random, -9, 9),
                                       info.position.y + random_between(&random, -9, 9)};
            if (jbw_world_remove_item(world, cell) == JBW_NOT_FOUND)
                jbw_world_place_item(world, random_between(&random, 0, types - 1), cell);
        }
        if (random_chance(&random, 80)) assert_sees_what_is_there(world, agent);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_walks(void **state)
{
    (void)state;
    walk("walk", 3000);
    walk("orchard", 3000);  // items grow back
    walk("seasons", 12000); // items come and go
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
