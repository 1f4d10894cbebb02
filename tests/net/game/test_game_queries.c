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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_welcome_describes_the_world),
        cmocka_unit_test(test_regions_match_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
