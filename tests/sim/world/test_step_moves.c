// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who gets a cell in a step, in drawings checked by hand.
#include "support/step_scene.h"

// --- moving -------------------------------------------------------------------------------------

static void test_moves_and_turns(void **state)
{
    (void)state;
    static const char start[] = ".........\n"
                                ".1.2.3.4.\n"
                                ".........\n";
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "^>v<", start);
    play(&d, "1F 2F 3F 4F");
    assert_drawing(&d, ".1.......\n"
                       "....2.4..\n"
                       ".....3...\n");
    assert_facing(&d, "^>v<");
    assert_outcomes(&d, "DDDD");
    const jbw_agent_result result = result_of(&d, 2);
    assert_int_equal(result.time, 1);
    assert_int_equal(result.action, action_by_letter('F'));
    assert_true(result.moved);
    assert_int_equal(result.item, JBW_OUTCOME_NONE);
    assert_int_equal(result.collected, -1);
    assert_int_equal(result.dropped, -1);
    assert_int_equal(result.position_before.x, 3);
    assert_int_equal(result.position_before.y, 1);
    assert_int_equal(result.position.x, 4);
    assert_int_equal(result.position.y, 1);
    assert_int_equal(state_of(&d, 2).start.x, 3);

    play(&d, "1B 2B 3B 4B");
    assert_drawing(&d, start);
    play(&d, "1L 2L 3L 4L");
    assert_drawing(&d, "...2.....\n"
                       "1.....3..\n"
                       ".......4.\n");
    play(&d, "1R 2R 3R 4R");
    assert_drawing(&d, start);
    assert_facing(&d, "^>v<");

    // a turn takes a step, and moves nobody
    play(&d, "1l 2r 3u 4N");
    assert_drawing(&d, start);
    assert_facing(&d, "<v^<");
    assert_outcomes(&d, "DDDD");
    assert_false(result_of(&d, 1).moved);
    assert_int_equal(jbw_world_time(d.world), 5);
    erase_world(&d);
}

static void test_chain(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        drawn_world d;
        draw_scene(&d, all_policies[i], ">>>", "123..\n");
        play(&d, "1F 2F 3F"); // the last in line asks first
        assert_drawing(&d, ".123.\n");
        play(&d, "3F 1F 2F");
        assert_drawing(&d, "..123\n");
        assert_outcomes(&d, "DDD");
        erase_world(&d);
    }
}

static void test_swap(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        drawn_world d;
        draw_scene(&d, all_policies[i], "><", ".12.\n");
        play(&d, "1F 2F");
        assert_drawing(&d, ".21.\n");
        assert_outcomes(&d, "DD");
        erase_world(&d);
    }
}

static void test_ring(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        drawn_world d;
        draw_scene(&d, all_policies[i], ">v<^",
                   ".12.\n"
                   ".43.\n");
        play(&d, "3F 1F 4F 2F");
        assert_drawing(&d, ".41.\n"
                           ".32.\n");
        assert_outcomes(&d, "DDDD");
        erase_world(&d);
    }
}

static void test_ring_with_intruder(void **state)
{
    (void)state;
    // 5 asks for the cell of 1 before 4 does: 4 loses, so 3, 2 and 1 cannot move, so 5 cannot
    static const char start[] = ".5..\n"
                                ".12.\n"
                                ".43.\n";
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">v<^v", start);
    play(&d, "5F 1F 2F 3F 4F");
    assert_drawing(&d, start);
    assert_outcomes(&d, "AAALA");

    // later than 4, it loses alone
    play(&d, "1F 2F 3F 4F 5F");
    assert_drawing(&d, ".5..\n"
                       ".41.\n"
                       ".32.\n");
    assert_outcomes(&d, "DDDDL");
    erase_world(&d);
}

static void test_swap_with_third(void **state)
{
    (void)state;
    static const char start[] = "3.\n"
                                "12\n";
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><v", start);
    play(&d, "3F 1F 2F");
    assert_drawing(&d, start);
    assert_outcomes(&d, "ALA");
    play(&d, "2F 1F 3F");
    assert_drawing(&d, "3.\n"
                       "21\n");
    assert_outcomes(&d, "DDL");
    erase_world(&d);
}

static void test_failure_goes_down_the_chain(void **state)
{
    (void)state;
    for (int i = 0; i < EXCLUSIVE_POLICIES; i++) {
        drawn_world d;
        draw_scene(&d, all_policies[i], ">>>>", "123#.4\n");
        play(&d, "1F 2F 3F 4B"); // the head of the chain runs into the wall
        assert_drawing(&d, "123#4.\n");
        assert_outcomes(&d, "AAID");
        erase_world(&d);

        draw_scene(&d, all_policies[i], ">>>", "123.\n");
        play(&d, "1F 2F 3N"); // it stays because it wants to
        assert_drawing(&d, "123.\n");
        assert_outcomes(&d, "AAD");
        play(&d, "1F 2F 3r"); // to turn is to stay
        assert_drawing(&d, "123.\n");
        assert_outcomes(&d, "AAD");
        erase_world(&d);
    }
}

static void test_first_comes_first(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><", "1.2\n");
    play(&d, "2F 1F");
    assert_drawing(&d, "12.\n");
    assert_outcomes(&d, "LD");
    play(&d, "2B 1N");
    play(&d, "1F 2F");
    assert_drawing(&d, ".12\n");
    assert_outcomes(&d, "DL");
    erase_world(&d);
}

static void test_losers_get_no_second_chance(void **state)
{
    (void)state;
    // 3 and 1 want the same cell; 2 wants that of 1, which loses and stays
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">>v",
               "..3.\n"
               "21..\n");
    play(&d, "3F 1F 2F");
    assert_drawing(&d, "....\n"
                       "213.\n");
    assert_outcomes(&d, "LAD");
    erase_world(&d);

    // the cell is held: the first to ask fails, which does not make the other one the winner
    draw_scene(&d, JBW_COLLISION_FIRST, ">v^",
               ".2.\n"
               "13.\n");
    play(&d, "1F 2F 3N");
    assert_drawing(&d, ".2.\n"
                       "13.\n");
    assert_outcomes(&d, "ALD");
    erase_world(&d);

    // 1 wins the cell of 3, 3 loses its own goal to 4 and stays, so 1 fails and 2 does not step in
    draw_scene(&d, JBW_COLLISION_FIRST, ">v>v",
               ".24.\n"
               "13..\n");
    play(&d, "4F 1F 2F 3F");
    assert_drawing(&d, ".2..\n"
                       "134.\n");
    assert_outcomes(&d, "ALLD");
    erase_world(&d);
}

static void test_replaced_request_is_the_latest(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "><^",
               "1.2\n"
               "..3\n");
    ask(&d, "1F 2F");
    ask(&d, "1F"); // the same again, but now behind 2
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

    // they rank as they were added, however they are listed
    const jbw_agent_id all[] = {d.agents[3], d.agents[2], d.agents[1]};
    const int actions[] = {nothing, forward, forward};
    assert_int_equal(jbw_world_act(d.world, all, actions, 3, &stepped), JBW_OK);
    assert_true(stepped);
    assert_drawing(&d, ".12\n"
                       "..3\n");
    play(&d, "1B 2N 3N");

    // but behind who asked before
    ask(&d, "2F");
    const jbw_agent_id others[] = {d.agents[1], d.agents[3]};
    const int other_actions[] = {forward, nothing};
    assert_int_equal(jbw_world_act(d.world, others, other_actions, 2, NULL), JBW_OK);
    assert_drawing(&d, "12.\n"
                       "..3\n");

    // a part of them asks, then nothing happens yet
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

static void test_random_winner(void **state)
{
    (void)state;
    // both go to the middle, one gets there and goes back, over and over
    enum { ROUNDS = 1000 };
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_RANDOM, "><", "1.2\n");
    int wins = 0;
    int repeated = 0;
    bool won_before = false;
    for (int i = 0; i < ROUNDS; i++) {
        play(&d, "1F 2F");
        const bool won = result_of(&d, 1).moved;
        assert_int_not_equal(won, result_of(&d, 2).moved);
        assert_outcomes(&d, won ? "DL" : "LD");
        wins += won;
        repeated += won == won_before;
        won_before = won;
        play(&d, won ? "1B 2N" : "1N 2B");
    }
    // 500 on the average, with a standard deviation of 16
    assert_in_range(wins, 430, 570);
    assert_in_range(repeated, 430, 570);
    erase_world(&d);
}

static void test_random_winner_of_three(void **state)
{
    (void)state;
    // the same step in many worlds; each of the three wins in a third of them
    enum { WORLDS = 900 };
    jbw_config config = drawn_config(NULL, 0);
    config.collision = JBW_COLLISION_RANDOM;
    jbw_model *model = model_of(&config);
    int wins[3] = {0, 0, 0};
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        jbw_world *world;
        assert_int_equal(jbw_world_create(model, seed, &world), JBW_OK);
        static const jbw_agent_options places[] = {
            {.has_position = true, .position = {9, 10}, .direction = JBW_RIGHT},
            {.has_position = true, .position = {11, 10}, .direction = JBW_LEFT},
            {.has_position = true, .position = {10, 11}, .direction = JBW_DOWN},
        };
        jbw_agent_id ids[3];
        const int actions[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            assert_int_equal(jbw_world_add_agent(world, &places[i], &ids[i]), JBW_OK);
        assert_int_equal(jbw_world_act(world, ids, actions, 3, NULL), JBW_OK);
        int moved_count = 0;
        for (int i = 0; i < 3; i++) {
            jbw_agent_result result;
            assert_int_equal(jbw_agent_get_result(world, ids[i], &result), JBW_OK);
            wins[i] += result.moved;
            moved_count += result.moved;
        }
        assert_int_equal(moved_count, 1);
        jbw_world_destroy(world);
    }
    // 300 on the average, with a standard deviation of 14
    for (int i = 0; i < 3; i++) assert_in_range(wins[i], 240, 360);
    jbw_model_destroy(model);
}

static void test_sharing_cells(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_ALLOW, "><^",
               "1.2#\n"
               ".3..\n");
    play(&d, "1F 2F 3F");
    assert_outcomes(&d, "DDD");
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(state_of(&d, i).position.x, 1);
        assert_int_equal(state_of(&d, i).position.y, 1);
    }
    // out of one cell into one cell, where somebody stays; and a wall is a wall
    play(&d, "1F 2N 3R");
    assert_outcomes(&d, "DDD");
    play(&d, "1F 2B 3N");
    assert_outcomes(&d, "IDD");
    for (int i = 1; i <= 3; i++) assert_int_equal(state_of(&d, i).position.x, 2);
    erase_world(&d);
}

static void test_forced_into_one_cell(void **state)
{
    (void)state;
    // 2 is forced into the cell of 1; who wants it has to wait until both have left
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "^",
               "...\n"
               ".1.\n");
    const jbw_agent_options options = {
        .has_position = true, .position = {1, 0}, .direction = JBW_RIGHT, .is_forced = true};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &d.agents[++d.agent_count]), JBW_OK);
    draw_agent(&d, (jbw_position){0, 0}, JBW_RIGHT);
    play(&d, "3F 1F 2N");
    assert_drawing(&d, ".1.\n"
                       "32.\n");
    assert_outcomes(&d, "DDA");
    play(&d, "1B 2N 3N"); // nor can 1 come back
    assert_outcomes(&d, "ADD");
    erase_world(&d);

    draw_scene(&d, JBW_COLLISION_FIRST, "^",
               "...\n"
               ".1.\n");
    assert_int_equal(jbw_world_add_agent(d.world, &options, &d.agents[++d.agent_count]), JBW_OK);
    draw_agent(&d, (jbw_position){0, 0}, JBW_RIGHT);
    play(&d, "3F 1F 2F");
    assert_drawing(&d, ".1.\n"
                       ".32\n");
    assert_outcomes(&d, "DDD");
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_and_turns),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_ring_with_intruder),
        cmocka_unit_test(test_swap_with_third),
        cmocka_unit_test(test_failure_goes_down_the_chain),
        cmocka_unit_test(test_first_comes_first),
        cmocka_unit_test(test_losers_get_no_second_chance),
        cmocka_unit_test(test_replaced_request_is_the_latest),
        cmocka_unit_test(test_acting_together),
        cmocka_unit_test(test_random_winner),
        cmocka_unit_test(test_random_winner_of_three),
        cmocka_unit_test(test_sharing_cells),
        cmocka_unit_test(test_forced_into_one_cell),
    };
    return cmocka_run_group_tests_name("step_moves", tests, NULL, NULL);
}
