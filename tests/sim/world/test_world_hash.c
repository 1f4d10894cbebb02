// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the hash of a world covers.
#include "support/step_scene.h"

static void test_hash_covers_agents(void **state)
{
    (void)state;
    // whatever makes a difference later changes the hash now
    drawn_world d;
    drawn_world twin;
    draw_scene(&d, JBW_COLLISION_FIRST, ">^", "1a.2\n....\n");
    draw_scene(&twin, JBW_COLLISION_FIRST, ">^", "1a.2\n....\n");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // whether there is a request, and which
    ask(&d, "1F");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    ask(&twin, "1N");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    ask(&d, "1N");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // a direction
    play(&d, "2l");
    play(&twin, "2r");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    play(&d, "1N 2r");
    play(&twin, "1N 2l");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // whether it is active
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // the inventory: the apple is gone in both worlds, but only in one does agent 1 have it
    play(&d, "1F 2N");
    play(&twin, "1N 2N");
    assert_int_equal(jbw_world_remove_item(twin.world, (jbw_position){1, 1}), JBW_OK);
    play(&d, "1B 2N");
    play(&twin, "1N 2N");
    assert_drawing(&d, "1..2\n....\n");
    assert_drawing(&twin, "1..2\n....\n");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    erase_world(&d);
    erase_world(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_covers_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
