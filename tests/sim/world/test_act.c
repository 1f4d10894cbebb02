// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests of agents and the steps they cause, in drawings checked by hand: which agents a step
/// waits for, the rank of requests, refused calls, the callback.
#include "support/step_scene.h"

#include "support/allocations.h"

// --- which agents a step waits for --------------------------------------------------------------

static void test_inactive_agents(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>>", "12.3\n");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_false(state_of(&d, 2).is_active);
    play(&d, "1F 3N"); // the step does not wait for 2, which keeps its cell
    assert_drawing(&d, "12.3\n");
    assert_outcomes(&d, "A-D");
    assert_int_equal(result_of(&d, 2).action, -1);
    assert_int_equal(result_of(&d, 2).time, 1);
    assert_int_equal(jbw_agent_act(d.world, d.agents[2], 0, NULL), JBW_INVALID_ARGUMENT);

    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    ask(&d, "1F 3N");
    play(&d, "2F");
    assert_drawing(&d, ".123\n");

    // becoming inactive drops a request for good
    ask(&d, "2N");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    assert_false(state_of(&d, 2).has_request);
    ask(&d, "1N 3N");
    assert_int_equal(jbw_world_time(d.world), 2);

    // activating an active agent changes nothing
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], true), JBW_OK);
    assert_true(state_of(&d, 1).has_request);

    // deactivating the last agent without a request causes a step
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 3);

    // without active agents there is no automatic step
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], false), JBW_OK);
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[3], false), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 3);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 4);
    erase_world(&d);
}

static void test_explicit_step(void **state)
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

    // time also passes without agents
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(jbw_world_time(d.world), i);
        assert_int_equal(jbw_world_step(d.world), JBW_OK);
    }
    erase_world(&d);
}

static void test_step_waits_for_new_agents(void **state)
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
    assert_int_equal(jbw_world_time(d.world), 1); // the step waited only for this agent
    assert_drawing(&d, ".1.3\n");                 // whose cell is free now
    assert_outcomes(&d, "D D");
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 2);

    // after removing an agent with a request, the step still waits for the other
    ask(&d, "1F");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 1);

    // removing the last agent causes no step
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[3]), JBW_OK);
    assert_int_equal(jbw_world_time(d.world), 1);
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 0);
    erase_world(&d);
}

// --- requests -----------------------------------------------------------------------------------

static void test_new_request_replaces_the_old_one(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><^",
               "1.2\n"
               "..3\n");
    ask(&d, "1F 2F");
    ask(&d, "1F"); // the same request again, but now after that of 2
    assert_true(state_of(&d, 1).has_request);
    assert_false(state_of(&d, 3).has_request);
    play(&d, "3N");
    assert_drawing(&d, "12.\n"
                       "..3\n");
    assert_outcomes(&d, "LDD");
    assert_false(state_of(&d, 1).has_request);

    // only the latest request counts
    ask(&d, "1F 2B 1r");
    assert_int_equal(state_of(&d, 1).request, action_by_letter('r'));
    play(&d, "3N");
    assert_drawing(&d, "1.2\n"
                       "..3\n");
    assert_facing(&d, "v<^");
    assert_int_equal(result_of(&d, 1).action, action_by_letter('r'));
    erase_world(&d);
}

// who changes its mind again and again takes no more memory for that
static void test_replaced_requests_do_not_pile_up(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = small_config(4, 0, NULL, 0);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agents[2]; // the second one never acts, so there is no step
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_world_add_agent(world, NULL, &agents[i]), JBW_OK);
    size_t bytes = 0;
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(jbw_agent_act(world, agents[0], i % 2, NULL), JBW_OK);
        if (i == 100) bytes = counting.byte_count;
    }
    assert_int_equal(counting.byte_count, bytes);
    assert_int_equal(jbw_world_time(world), 0);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_acting_together(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><^",
               "1.2\n"
               "..3\n");
    const int forward = action_by_letter('F');
    const int nothing = action_by_letter('N');
    bool stepped = false;

    // they rank in the order in which they were added, not listed
    const jbw_agent_id all[] = {d.agents[3], d.agents[2], d.agents[1]};
    const int actions[] = {nothing, forward, forward};
    assert_int_equal(jbw_world_act(d.world, all, actions, 3, &stepped), JBW_OK);
    assert_true(stepped);
    assert_drawing(&d, ".12\n"
                       "..3\n");
    play(&d, "1B 2N 3N");

    // but after earlier requests
    ask(&d, "2F");
    const jbw_agent_id others[] = {d.agents[1], d.agents[3]};
    const int other_actions[] = {forward, nothing};
    assert_int_equal(jbw_world_act(d.world, others, other_actions, 2, NULL), JBW_OK);
    assert_drawing(&d, "12.\n"
                       "..3\n");

    // if only some agents act, nothing happens yet
    assert_int_equal(jbw_world_act(d.world, others, other_actions, 2, &stepped), JBW_OK);
    assert_false(stepped);
    assert_int_equal(jbw_world_time(d.world), 3);

    // all or none
    const jbw_agent_id nobody = {99, 1};
    const jbw_agent_id with_nobody[] = {d.agents[2], nobody};
    const int two[] = {nothing, nothing};
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_world_act(d.world, with_nobody, two, 2, &stepped), JBW_NO_SUCH_AGENT);
    const jbw_agent_id known[] = {d.agents[2], d.agents[1]};
    const int bad[] = {nothing, 99};
    assert_int_equal(jbw_world_act(d.world, known, bad, 2, &stepped), JBW_INVALID_ARGUMENT);
    const int negative[] = {-1, nothing};
    assert_int_equal(jbw_world_act(d.world, known, negative, 2, &stepped), JBW_INVALID_ARGUMENT);
    assert_false(state_of(&d, 2).has_request);
    assert_int_equal(jbw_world_hash(d.world), hash);
    assert_int_equal(jbw_world_act(d.world, NULL, NULL, 0, &stepped), JBW_OK);
    assert_false(stepped);
    erase_world(&d);
}

static void test_invalid_arguments(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1a.\n");
    const uint64_t hash = jbw_world_hash(d.world);
    static const int64_t beyond = JBW_MAX_COORDINATE + 1;
    const jbw_position near = {2, 0};
    jbw_agent_id id;
    bool stepped = false;
    float scent[8];
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], -1, &stepped), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], 11, &stepped), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], INT32_MAX, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, -1, near), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, TYPES, near), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_CELL_BLOCKED);
    assert_int_equal(jbw_world_remove_item(d.world, near), JBW_NOT_FOUND);
    const jbw_agent_options nowhere = {.has_position = true, .position = {2, 0}, .direction = 4};
    assert_int_equal(jbw_world_add_agent(d.world, &nowhere, &id), JBW_INVALID_ARGUMENT);

    const jbw_position far_cells[] = {
        {beyond, 0}, {-beyond, 0}, {0, beyond}, {0, -beyond}, {INT64_MAX, INT64_MIN}};
    for (size_t i = 0; i < sizeof far_cells / sizeof far_cells[0]; i++) {
        const jbw_agent_options far = {.has_position = true, .position = far_cells[i]};
        assert_int_equal(jbw_world_add_agent(d.world, &far, &id), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_place_item(d.world, APPLE, far_cells[i]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_remove_item(d.world, far_cells[i]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_smell(d.world, far_cells[i], scent), JBW_OUT_OF_RANGE);
    }
    assert_false(stepped);
    assert_int_equal(jbw_world_hash(d.world), hash);
    assert_int_equal(jbw_world_time(d.world), 0);
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

    // the callback is called for every step, before the call that causes it returns
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

    // only steps call it, and it can be removed
    place_item(&d, APPLE, 9, 9);
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){9, 9}), JBW_OK);
    draw_agent(&d, (jbw_position){5, 5}, JBW_UP);
    assert_int_equal(l.call_count, 5);
    jbw_world_on_step(d.world, NULL, NULL);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(l.call_count, 5);
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inactive_agents),
        cmocka_unit_test(test_explicit_step),
        cmocka_unit_test(test_step_waits_for_new_agents),
        cmocka_unit_test(test_removing_agents),
        cmocka_unit_test(test_new_request_replaces_the_old_one),
        cmocka_unit_test(test_replaced_requests_do_not_pile_up),
        cmocka_unit_test(test_acting_together),
        cmocka_unit_test(test_invalid_arguments),
        cmocka_unit_test(test_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
