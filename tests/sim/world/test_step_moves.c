// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Moves in a step, in drawings checked by hand: which agent gets a cell, and how far agents can
/// go.
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

    // a turn takes a step and moves no agent
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
        play(&d, "1F 2F 3F"); // the last in line acts first
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
    // 5 requests the cell of 1 before 4 does: 4 loses, so 3, 2 and 1 cannot move, so neither can 5
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
        play(&d, "1F 2F 3F 4B"); // the first of the chain runs into the wall
        assert_drawing(&d, "123#4.\n");
        assert_outcomes(&d, "AAID");
        erase_world(&d);

        draw_scene(&d, all_policies[i], ">>>", "123.\n");
        play(&d, "1F 2F 3N"); // 3 stays on purpose
        assert_drawing(&d, "123.\n");
        assert_outcomes(&d, "AAD");
        play(&d, "1F 2F 3r"); // turning is staying
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

    // the cell is occupied: the first request fails, which does not make the other one succeed
    draw_scene(&d, JBW_COLLISION_FIRST, ">v^",
               ".2.\n"
               "13.\n");
    play(&d, "1F 2F 3N");
    assert_drawing(&d, ".2.\n"
                       "13.\n");
    assert_outcomes(&d, "ALD");
    erase_world(&d);

    // 1 wins the cell of 3; 3 loses its target to 4 and stays, so 1 fails, and 2 does not take its
    // place
    draw_scene(&d, JBW_COLLISION_FIRST, ">v>v",
               ".24.\n"
               "13..\n");
    play(&d, "4F 1F 2F 3F");
    assert_drawing(&d, ".2..\n"
                       "134.\n");
    assert_outcomes(&d, "ALLD");
    erase_world(&d);
}

static void test_random_winner(void **state)
{
    (void)state;
    // both move to the middle; one gets there and goes back, over and over
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
    // from one shared cell to another; but not into a wall
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
    // 2 is forced into the cell of 1; no other agent can enter until both have left
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
    play(&d, "1B 2N 3N"); // nor can 1 return
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

// --- new terrain --------------------------------------------------------------------------------

static void test_walking_makes_patches_final(void **state)
{
    (void)state;
    // patches of 26 cells: at 12 the square [-1, 25) still overlaps the left patch, at 13 [0, 26)
    // does not, and at 14 [1, 27) overlaps the right one
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

    // two agents that enter two new patches at once cause one sampling
    draw_agent(&d, (jbw_position){1013, 13}, JBW_UP);
    const uint64_t samplings = jbw_world_get_stats(d.world).sampling_count;
    play(&d, "1R 2F"); // (12, 12) and (1013, 14)
    assert_int_equal(jbw_world_get_stats(d.world).sampling_count, samplings + 1);
    erase_world(&d);
}

static void test_end_of_world(void **state)
{
    (void)state;
    // agents as far out as possible; the cells around them must still have coordinates
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
        cmocka_unit_test(test_moves_and_turns),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_ring_with_intruder),
        cmocka_unit_test(test_swap_with_third),
        cmocka_unit_test(test_failure_goes_down_the_chain),
        cmocka_unit_test(test_first_comes_first),
        cmocka_unit_test(test_losers_get_no_second_chance),
        cmocka_unit_test(test_random_winner),
        cmocka_unit_test(test_random_winner_of_three),
        cmocka_unit_test(test_sharing_cells),
        cmocka_unit_test(test_forced_into_one_cell),
        cmocka_unit_test(test_walking_makes_patches_final),
        cmocka_unit_test(test_end_of_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
