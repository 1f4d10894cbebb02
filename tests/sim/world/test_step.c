// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who a step waits for, whom it tells, and how far it goes, in drawings checked by hand.
#include "support/step_scene.h"

// --- who is waited for --------------------------------------------------------------------------

static void test_inactive_agents(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>>", "12.3\n");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_false(state_of(&d, 2).is_active);
    play(&d, "1F 3N"); // 2 is not waited for, and keeps its cell
    assert_drawing(&d, "12.3\n");
    assert_outcomes(&d, "A-D");
    assert_int_equal(result_of(&d, 2).action, -1);
    assert_int_equal(result_of(&d, 2).time, 1);
    assert_int_equal(jbw_agent_act(d.world, d.agents[2], 0, NULL), JBW_INVALID_ARGUMENT);

    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    ask(&d, "1F 3N");
    play(&d, "2F");
    assert_drawing(&d, ".123\n");

    // becoming inactive takes back a request, and it does not come again
    ask(&d, "2N");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    assert_false(state_of(&d, 2).has_request);
    ask(&d, "1N 3N");
    assert_int_equal(jbw_world_time(d.world), 2);

    // active once more changes nothing
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], true), JBW_OK);
    assert_true(state_of(&d, 1).has_request);

    // the last one that all waited for
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 3);

    // when nobody is active, nobody waits
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], false), JBW_OK);
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[3], false), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 3);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 4);
    erase_world(&d);
}

static void test_step_without_waiting(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><", "1..2\n");
    ask(&d, "1F");
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_drawing(&d, ".1.2\n");
    assert_outcomes(&d, "D-");
    assert_int_equal(result_of(&d, 2).action, -1);
    assert_int_equal(result_of(&d, 2).time, 1);
    assert_false(state_of(&d, 1).has_request);
    erase_world(&d);

    // time passes without agents, too
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(jbw_world_time(d.world), i);
        assert_int_equal(jbw_world_step(d.world), JBW_OK);
    }
    erase_world(&d);
}

static void test_new_agents_are_waited_for(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>", "1.2.\n");
    ask(&d, "1F");
    draw_agent(&d, (jbw_position){3, 0}, JBW_UP);
    assert_true(state_of(&d, 3).is_active);
    assert_int_equal(result_of(&d, 3).time, 0);
    assert_int_equal(result_of(&d, 3).action, -1);
    ask(&d, "2N");
    play(&d, "3N");
    assert_drawing(&d, ".123\n");
    assert_int_equal(result_of(&d, 3).time, 1);
    erase_world(&d);
}

static void test_removing_agents(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>>", "12.3\n");
    ask(&d, "1F 3N");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[2]), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 1); // that was all they waited for
    assert_drawing(&d, ".1.3\n");                 // and its cell is free
    assert_outcomes(&d, "D D");
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 2);

    // one who had asked leaves: the other is still waited for
    ask(&d, "1F");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 1);

    // when the last one leaves nobody waits
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[3]), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 1);
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 0);
    erase_world(&d);
}

// --- the callback -------------------------------------------------------------------------------

typedef struct listener {
    int call_count;
    uint64_t time;
    jbw_agent_id agent;
    jbw_position position;
    float vision[7 * 7];
} listener;

static void listen(jbw_world *world, void *user)
{
    listener *l = user;
    l->call_count++;
    l->time = jbw_world_time(world);
    jbw_agent_state state;
    if (!jbw_agent_get_state(world, l->agent, &state)) l->position = state.position;
    assert_int_equal(jbw_agent_perceive(world, l->agent, l->vision, NULL), JBW_OK);
}

static void test_callback(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>>>", "1...\n2...\n3...\n4...\n");
    listener l = {.agent = d.agents[1]};
    jbw_world_on_step(d.world, listen, &l);
    ask(&d, "1F 2N 3N");
    assert_int_equal(l.call_count, 0);

    // whatever causes a step, it is heard of, and before the call returns
    play(&d, "4N");
    assert_int_equal(l.call_count, 1);
    assert_int_equal(l.time, 1);
    assert_int_equal(l.position.x, 1); // the step has been taken
    const jbw_agent_id all[] = {d.agents[1], d.agents[2], d.agents[3], d.agents[4]};
    const int actions[] = {0, 0, 0, 0};
    assert_int_equal(jbw_world_act(d.world, all, actions, 4, NULL), JBW_OK);
    assert_int_equal(l.call_count, 2);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(l.call_count, 3);
    ask(&d, "1N 2N 3N");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[4]), JBW_OK);
    assert_int_equal(l.call_count, 4);
    ask(&d, "1N 2N");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[3], false), JBW_OK);
    assert_int_equal(l.call_count, 5);
    assert_int_equal(l.time, 5);

    // what is no step is not heard of, and who does not listen hears nothing
    place_item(&d, APPLE, 9, 9);
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){9, 9}), JBW_OK);
    draw_agent(&d, (jbw_position){5, 5}, JBW_UP);
    assert_int_equal(l.call_count, 5);
    jbw_world_on_step(d.world, NULL, NULL);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(l.call_count, 5);
    erase_world(&d);
}

// --- the map ------------------------------------------------------------------------------------

static void test_walking_makes_patches_final(void **state)
{
    (void)state;
    // patches of 26: at 12 the square [-1, 25) still meets the patch to the left, at 13 [0, 26)
    // does not, and at 14 [1, 27) meets the one to the right
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    draw_agent(&d, (jbw_position){13, 13}, JBW_RIGHT);
    assert_int_equal(jbw_world_get_stats(d.world).final_patch_count, 1);
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){1, 0}), JBW_PATCH_SAMPLED);
    play(&d, "1F");
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){1, 0}), JBW_PATCH_FINAL);
    assert_int_equal(jbw_world_get_stats(d.world).final_patch_count, 2);
    play(&d, "1B");
    play(&d, "1B");
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){-1, 0}), JBW_PATCH_FINAL);
    assert_int_equal(jbw_world_get_stats(d.world).final_patch_count, 3);

    // two agents that walk into two patches at once need one sampling
    draw_agent(&d, (jbw_position){1013, 13}, JBW_UP);
    const uint64_t samplings = jbw_world_get_stats(d.world).sampling_count;
    play(&d, "1R 2F"); // (12, 12) and (1013, 14)
    assert_int_equal(jbw_world_get_stats(d.world).sampling_count, samplings + 1);
    erase_world(&d);
}

static void test_end_of_world(void **state)
{
    (void)state;
    // as far out as an agent can be put; what lies around it must still have coordinates
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    static const int64_t beyond = JBW_MAX_COORDINATE + 1;
    jbw_agent_id id;
    jbw_agent_options options = {.has_position = true, .position = {beyond, 0}};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_OUT_OF_RANGE);
    options.position = (jbw_position){0, -beyond};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_OUT_OF_RANGE);
    options.position = (jbw_position){INT64_MIN, INT64_MAX};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 0);

    static const jbw_position outward[] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (int i = 0; i < 4; i++) {
        const int64_t far = JBW_MAX_COORDINATE - 100;
        draw_agent(&d, (jbw_position){outward[i].x * far, outward[i].y * far}, (jbw_direction)i);
    }
    for (int k = 0; k < 110; k++) {
        play(&d, "1F 2F 3F 4F");
        for (int i = 0; i < 4; i++) {
            const jbw_agent_result result = result_of(&d, i + 1);
            const int64_t distance =
                result.position.x * outward[i].x + result.position.y * outward[i].y;
            assert_true(distance <= JBW_MAX_COORDINATE);
            assert_int_equal(result.outcome,
                             result.moved ? JBW_OUTCOME_DONE : JBW_OUTCOME_END_OF_WORLD);
        }
    }
    assert_outcomes(&d, "EEEE");

    // the way back is open
    play(&d, "1B 2B 3B 4B");
    assert_outcomes(&d, "DDDD");
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inactive_agents),
        cmocka_unit_test(test_step_without_waiting),
        cmocka_unit_test(test_new_agents_are_waited_for),
        cmocka_unit_test(test_removing_agents),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_walking_makes_patches_final),
        cmocka_unit_test(test_end_of_world),
    };
    return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
