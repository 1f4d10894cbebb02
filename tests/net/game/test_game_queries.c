// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests that only look at a served world: the replies match the world.
#include "support/stage.h"

static void test_welcome_describes_the_world(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    const jbw_message reply = stage_hello(&s, 0, "ann-secret");
    assert_int_equal(reply.welcome.version, JBW_PROTOCOL_VERSION);
    assert_int_equal(reply.welcome.permissions, 31);
    assert_memory_equal(reply.welcome.name.at, "ann", 3);
    assert_int_equal(reply.welcome.agents_most, 10);
    assert_int_equal(reply.welcome.seed, 7);
    assert_int_equal(reply.welcome.patch_size, 16);
    assert_int_equal(reply.welcome.vision_side, 7);
    assert_int_equal(reply.welcome.field_of_view.count, 49);
    assert_int_equal(reply.welcome.items_count, 2);
    assert_memory_equal(reply.welcome.items[1].name.at, "Wall", 4);
    assert_true(reply.welcome.items[1].blocks);
    assert_int_equal(reply.welcome.items[1].color.count, 3);
    assert_int_equal(reply.welcome.actions_count, 4);
    assert_memory_equal(reply.welcome.actions[3].name.at, "Drop[Apple]", 11);
    assert_int_equal(reply.welcome.agents_count, 0);
    stage_close(&s);
}

static void test_regions_match_the_world(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    stage_hello(&s, 1, "");
    stage_add(&s, 0);
    uint8_t items[40 * 30];
    uint8_t states[40 * 30];
    const jbw_region region = {-20, -15, 40, 30};
    assert_int_equal(jbw_world_read_region(s.world, region, items, states), JBW_OK);
    jbw_message reply =
        stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = region, .wants_states = true}));
    assert_int_equal(reply.type, JBW_MESSAGE_REGION);
    assert_int_equal(reply.region.items.count, sizeof items);
    assert_memory_equal(reply.region.items.at, items, sizeof items);
    assert_memory_equal(reply.region.states.at, states, sizeof states);

    expect_error(stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = {0, 0, 70000, 1}})),
                 JBW_ERROR_TOO_LARGE);
    expect_error(
        stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = {INT64_MIN, 0, 1, 1}})),
        JBW_ERROR_OUT_OF_RANGE);
    expect_error(stage_ask(&s, 1, ASK(SMELL, .smell.region = {INT64_MAX, 0, 1, 1})),
                 JBW_ERROR_OUT_OF_RANGE);

    float scent[3];
    assert_int_equal(jbw_world_smell(s.world, (jbw_position){1, 2}, scent), JBW_OK);
    reply = stage_ask(&s, 1, ASK(SMELL, .smell.region = {0, 2, 2, 1}));
    assert_int_equal(reply.scent.scent.count, 6);
    assert_memory_equal(reply.scent.scent.at + 3, scent, sizeof scent);
    stage_close(&s);
}

// apples come and go: what is told is what is in the world, hidden or not
static void test_planes_match_the_world(void **state)
{
    (void)state;
    const jbw_season season = {.period = 40, .from = 0, .to = 20};
    stage s;
    stage_prepare_season(&s, season);
    stage_start(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id agent = stage_add(&s, 0);
    enum { SIDE = 32 };
    static uint8_t planes[4][SIDE * SIDE];
    const jbw_region region = {-16, -16, SIDE, SIDE};
    const jbw_region_planes into = {planes[0], planes[1], planes[2], planes[3]};
    int hidden_cells = 0;
    int growing_cells = 0;
    for (int time = 0; time < 45; time++) {
        assert_int_equal(jbw_world_read_planes(s.world, region, &into), JBW_OK);
        jbw_message reply =
            stage_ask(&s, 0, ASK(READ_PLANES, .read_planes = {.region = region, .planes = 15}));
        assert_int_equal(reply.type, JBW_MESSAGE_PLANES);
        assert_int_equal(reply.planes.time, time);
        const jbw_field_bytes told[4] = {reply.planes.items, reply.planes.hidden,
                                         reply.planes.growing, reply.planes.states};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(told[i].count, sizeof planes[i]);
            assert_memory_equal(told[i].at, planes[i], sizeof planes[i]);
        }
        // one plane alone, and every hidden cell by itself
        reply = stage_ask(&s, 0, ASK(READ_PLANES, .read_planes = {.region = region, .planes = 2}));
        assert_int_equal(reply.planes.items.count + reply.planes.states.count, 0);
        assert_memory_equal(reply.planes.hidden.at, planes[1], sizeof planes[1]);
        for (int64_t i = 0; i < SIDE * SIDE; i++) {
            if (planes[1][i] == 0 && planes[2][i] == 0) continue;
            const jbw_position cell = {region.x + i % SIDE, region.y + i / SIDE};
            reply = stage_ask(&s, 0, ASK(EXAMINE, .examine.position = cell));
            assert_int_equal(reply.type, JBW_MESSAGE_CELL_DETAILS);
            jbw_cell_info info;
            assert_int_equal(jbw_world_inspect(s.world, cell, &info), JBW_OK);
            assert_int_equal(reply.cell_details.item, info.item);
            assert_int_equal(reply.cell_details.is_hidden, planes[1][i] > 0);
            assert_int_equal(reply.cell_details.is_generated, info.is_generated);
            assert_int_equal(reply.cell_details.growing, planes[2][i] - 1);
            assert_int_equal(reply.cell_details.due, info.due);
            assert_int_equal(reply.cell_details.scent.count, 3);
            hidden_cells += planes[1][i] > 0;
            growing_cells += planes[2][i] > 0;
        }
        stage_ask(&s, 0, stage_act(agent, time % 7 == 6 ? 1 : 0, true));
    }
    assert_true(hidden_cells > 0 && growing_cells > 0);

    jbw_message reply = stage_ask(&s, 0, ASK(GET_CALENDAR, .request = 0));
    assert_int_equal(reply.type, JBW_MESSAGE_CALENDAR);
    assert_int_equal(reply.calendar.items_count, 2);
    assert_int_equal(reply.calendar.items[0].period, season.period);
    assert_int_equal(reply.calendar.items[0].to, season.to);
    assert_int_equal(reply.calendar.items[0].regrowth, JBW_REGROWTH_UNIFORM);
    assert_int_equal(reply.calendar.items[0].least, 5);
    assert_int_equal(reply.calendar.items[0].most, 9);
    assert_int_equal(reply.calendar.items[1].period, 0);
    assert_int_equal(reply.calendar.items[1].regrowth, JBW_REGROWTH_NEVER);

    expect_error(stage_ask(&s, 0, ASK(READ_PLANES, .read_planes.region = {0, 0, 4, 4})),
                 JBW_ERROR_INVALID_ARGUMENT);
    expect_error(
        stage_ask(&s, 0, ASK(READ_PLANES, .read_planes = {.region = {0, 0, 4, 4}, .planes = 128})),
        JBW_ERROR_INVALID_ARGUMENT);
    expect_error(
        stage_ask(&s, 0,
                  ASK(READ_PLANES, .read_planes = {.region = {0, 0, 70000, 1}, .planes = 1})),
        JBW_ERROR_TOO_LARGE);
    expect_error(stage_ask(&s, 0, ASK(EXAMINE, .examine.position = {INT64_MAX, 0})),
                 JBW_ERROR_OUT_OF_RANGE);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_welcome_describes_the_world),
        cmocka_unit_test(test_regions_match_the_world),
        cmocka_unit_test(test_planes_match_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
