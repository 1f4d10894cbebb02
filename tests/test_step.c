// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What happens in a step, in drawings checked by hand: who gets a cell, and who an item.
#include "drawing.h"

#include <math.h>
#include <string.h>

static const jbw_item_count needs_axe[] = {{"Axe", 1}};
static const jbw_item_count costs_two_apples[] = {{"Apple", 2}};
static const jbw_item_type items[] = {
    {.name = "Apple"},
    {.name = "Boulder", .blocks_movement = true},
    {.name = "Axe", .costs = costs_two_apples, .cost_count = 1},
    {.name = "Wood", .requirements = needs_axe, .requirement_count = 1},
    {.name = "Statue", .is_uncollectable = true},
    {.name = "Wall", .blocks_movement = true, .is_uncollectable = true},
};
static const char letters[] = "abxws#";
enum { APPLE, BOULDER, AXE, WOOD, STATUE, WALL, TYPES };

static void draw_with(drawn_world *d, jbw_collision collision, jbw_collection collection,
                      const char *facing, const char *drawing)
{
    jbw_config config = drawn_config(items, TYPES);
    config.collision = collision;
    config.collection = collection;
    draw_world(d, &config, letters, facing, drawing);
}

static void draw(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing)
{
    draw_with(d, collision, JBW_COLLECTION_AUTOMATIC, facing, drawing);
}

static void place(drawn_world *d, int type, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_place_item(d->world, type, (jbw_position){x, y}), JBW_OK);
}

// however conflicts are solved, agents do not share cells
static const jbw_collision exclusive[] = {JBW_COLLISION_FIRST, JBW_COLLISION_RANDOM};
static const jbw_collision all_policies[] = {JBW_COLLISION_FIRST, JBW_COLLISION_RANDOM,
                                             JBW_COLLISION_ALLOW};

// --- moving -------------------------------------------------------------------------------------

static void test_moves_and_turns(void **state)
{
    (void)state;
    static const char start[] = ".........\n"
                                ".1.2.3.4.\n"
                                ".........\n";
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "^>v<", start);
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
        draw(&d, all_policies[i], ">>>", "123..\n");
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
        draw(&d, all_policies[i], "><", ".12.\n");
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
        draw(&d, all_policies[i], ">v<^",
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
    draw(&d, JBW_COLLISION_FIRST, ">v<^v", start);
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
    draw(&d, JBW_COLLISION_FIRST, "><v", start);
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
    for (int i = 0; i < 2; i++) {
        drawn_world d;
        draw(&d, exclusive[i], ">>>>", "123#.4\n");
        play(&d, "1F 2F 3F 4B"); // the head of the chain runs into the wall
        assert_drawing(&d, "123#4.\n");
        assert_outcomes(&d, "AAID");
        erase_world(&d);

        draw(&d, exclusive[i], ">>>", "123.\n");
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
    draw(&d, JBW_COLLISION_FIRST, "><", "1.2\n");
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
    draw(&d, JBW_COLLISION_FIRST, ">>v",
         "..3.\n"
         "21..\n");
    play(&d, "3F 1F 2F");
    assert_drawing(&d, "....\n"
                       "213.\n");
    assert_outcomes(&d, "LAD");
    erase_world(&d);

    // the cell is held: the first to ask fails, which does not make the other one the winner
    draw(&d, JBW_COLLISION_FIRST, ">v^",
         ".2.\n"
         "13.\n");
    play(&d, "1F 2F 3N");
    assert_drawing(&d, ".2.\n"
                       "13.\n");
    assert_outcomes(&d, "ALD");
    erase_world(&d);

    // 1 wins the cell of 3, 3 loses its own goal to 4 and stays, so 1 fails and 2 does not step in
    draw(&d, JBW_COLLISION_FIRST, ">v>v",
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
    draw(&d, JBW_COLLISION_FIRST, "><^",
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
    draw(&d, JBW_COLLISION_FIRST, "><^",
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
    draw(&d, JBW_COLLISION_RANDOM, "><", "1.2\n");
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
    jbw_config config = drawn_config(items, TYPES);
    config.collision = JBW_COLLISION_RANDOM;
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
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
    draw(&d, JBW_COLLISION_ALLOW, "><^",
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
    draw(&d, JBW_COLLISION_FIRST, "^",
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

    draw(&d, JBW_COLLISION_FIRST, "^",
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

// --- blocking items -----------------------------------------------------------------------------

static void test_blocking_items(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        drawn_world d;
        draw(&d, all_policies[i], "><",
             "1#2\n"
             "...\n");
        play(&d, "1F 2F"); // both are stopped by the wall, none by the other
        assert_drawing(&d, "1#2\n"
                           "...\n");
        assert_outcomes(&d, "II");
        assert_item_outcomes(&d, "--");
        assert_false(result_of(&d, 1).moved);

        // what is placed where an agent stands does not hold it, but there is no way back
        place(&d, BOULDER, 0, 1);
        play(&d, "1R 2N");
        assert_drawing(&d, "b#2\n"
                           "1..\n");
        play(&d, "1L 2N");
        assert_outcomes(&d, "ID");
        erase_world(&d);

        // nor does the item let another one in when the agent leaves
        draw(&d, all_policies[i], ">>", "12.\n");
        place(&d, WALL, 1, 0);
        play(&d, "1F 2F");
        assert_drawing(&d, "1#2\n");
        assert_outcomes(&d, "ID");
        erase_world(&d);
    }
}

// --- collecting ---------------------------------------------------------------------------------

static void test_collecting_by_entering(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1as.\n");
    play(&d, "1F");
    assert_drawing(&d, ".1s.\n");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_item_outcomes(&d, "D");
    assert_int_equal(result_of(&d, 1).collected, APPLE);
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), '.');

    play(&d, "1F"); // statues stay
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "U");
    assert_int_equal(result_of(&d, 1).collected, -1);
    play(&d, "1F");
    assert_drawing(&d, "..s1\n");
    assert_item_outcomes(&d, "-");
    erase_world(&d);
}

static void test_only_entering_collects(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "", "a.\n");
    draw_agent(&d, (jbw_position){0, 0}, JBW_RIGHT); // being added is not entering
    assert_carries(&d, 1, "0 0 0 0 0 0");
    play(&d, "1N");
    play(&d, "1r");
    play(&d, "1l");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_item_outcomes(&d, "-");
    assert_int_equal(item_letter(&d, (jbw_position){0, 0}), 'a');

    play(&d, "1C"); // but it can be asked for
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "D");
    assert_int_equal(result_of(&d, 1).collected, APPLE);
    play(&d, "1C");
    assert_outcomes(&d, "0");
    assert_item_outcomes(&d, "0");
    erase_world(&d);
}

static void test_manual_collecting(void **state)
{
    (void)state;
    drawn_world d;
    draw_with(&d, JBW_COLLISION_FIRST, JBW_COLLECTION_MANUAL, ">", "1asx\n");
    play(&d, "1F");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "-");
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), 'a');
    play(&d, "1C");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_item_outcomes(&d, "D");
    play(&d, "1C");
    assert_outcomes(&d, "0");
    play(&d, "1F");
    play(&d, "1C");
    assert_outcomes(&d, "U");
    play(&d, "1F");
    play(&d, "1C");
    assert_outcomes(&d, "Q"); // an axe costs two apples
    assert_drawing(&d, "..s1\n");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    erase_world(&d);
}

static void test_requirements_and_costs(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1axaww\n");
    play(&d, "1F");
    play(&d, "1F"); // one apple is not enough for the axe, which stays where it is
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "Q");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    play(&d, "1F");
    assert_carries(&d, 1, "2 0 0 0 0 0");
    play(&d, "1F"); // no wood without an axe
    assert_item_outcomes(&d, "Q");
    assert_drawing(&d, "..x.1w\n");
    play(&d, "1B");
    play(&d, "1B"); // apples are used up
    assert_carries(&d, 1, "0 0 1 0 0 0");
    assert_item_outcomes(&d, "D");
    assert_int_equal(result_of(&d, 1).collected, AXE);
    play(&d, "1F");
    play(&d, "1F"); // an axe is not
    play(&d, "1F");
    assert_carries(&d, 1, "0 0 1 2 0 0");
    assert_drawing(&d, ".....1\n");
    erase_world(&d);
}

static void test_requirement_and_cost_of_one_type(void **state)
{
    (void)state;
    // both are held against the inventory as it is: two apples meet "has 2" and "pays 1"
    static const jbw_item_count two[] = {{"Apple", 2}};
    static const jbw_item_count one[] = {{"Apple", 1}};
    static const jbw_item_type two_types[] = {
        {.name = "Apple"},
        {.name = "Cake",
         .requirements = two,
         .requirement_count = 1,
         .costs = one,
         .cost_count = 1},
    };
    const jbw_config config = drawn_config(two_types, 2);
    drawn_world d;
    draw_world(&d, &config, "ac", ">", "1acac\n");
    play(&d, "1F");
    play(&d, "1F");
    assert_item_outcomes(&d, "Q");
    play(&d, "1F");
    play(&d, "1F");
    assert_item_outcomes(&d, "D");
    assert_carries(&d, 1, "1 1");
    erase_world(&d);
}

static void test_two_on_one_item(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_ALLOW, "><", "1a2\n");
    play(&d, "2F 1F");
    assert_outcomes(&d, "DD");
    assert_item_outcomes(&d, "LD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "1 0 0 0 0 0");
    erase_world(&d);

    // 1 asks first, but only 2 can pay
    draw(&d, JBW_COLLISION_ALLOW, "><", "1x2\n");
    for (int i = 0; i < 2; i++) {
        place(&d, APPLE, 2, 0);
        play(&d, "1N 2C");
    }
    play(&d, "1F 2F");
    assert_item_outcomes(&d, "QD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "0 0 1 0 0 0");
    erase_world(&d);

    // one stands on it and asks for it, the other one enters
    draw(&d, JBW_COLLISION_ALLOW, "><", "1.2\n");
    place(&d, APPLE, 0, 0);
    play(&d, "2F 1N");
    play(&d, "2F 1C");
    assert_outcomes(&d, "LD");
    assert_item_outcomes(&d, "LD");
    erase_world(&d);
}

// --- dropping -----------------------------------------------------------------------------------

static void test_dropping(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1as.\n");
    play(&d, "1D");
    assert_outcomes(&d, "Q"); // nothing to drop yet
    play(&d, "1F");
    play(&d, "1F");
    play(&d, "1D");
    assert_outcomes(&d, "O"); // on a statue
    assert_int_equal(result_of(&d, 1).dropped, -1);
    assert_carries(&d, 1, "1 0 0 0 0 0");
    play(&d, "1F");
    play(&d, "1D");
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "-"); // it does not jump back
    assert_int_equal(result_of(&d, 1).dropped, APPLE);
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_int_equal(item_letter(&d, (jbw_position){3, 0}), 'a');
    play(&d, "1N");
    play(&d, "1B");
    assert_drawing(&d, "..1a\n");
    play(&d, "1F"); // to enter the cell collects it like any other
    assert_carries(&d, 1, "1 0 0 0 0 0");
    erase_world(&d);
}

static void test_dropping_a_boulder(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1..\n");
    place(&d, BOULDER, 0, 0);
    play(&d, "1C");
    assert_carries(&d, 1, "0 1 0 0 0 0");
    play(&d, "1E");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    play(&d, "1F"); // it does not hold who dropped it
    assert_drawing(&d, "b1.\n");
    play(&d, "1B");
    assert_outcomes(&d, "I");
    erase_world(&d);
}

static void test_dropping_together(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_ALLOW, "><", "1.2\n");
    place(&d, APPLE, 0, 0);
    place(&d, APPLE, 2, 0);
    play(&d, "1C 2C");
    play(&d, "1F 2F");
    play(&d, "2D 1D"); // the earliest drop gets the cell
    assert_outcomes(&d, "OD");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_carries(&d, 2, "0 0 0 0 0 0");

    // what lies there is collected before anything is dropped, whoever asked first
    play(&d, "1D 2C");
    assert_outcomes(&d, "DD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "1 0 0 0 0 0");
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), 'a');

    // what is dropped in this step cannot be collected in it
    play(&d, "1C 2N");
    play(&d, "2D 1C");
    assert_outcomes(&d, "0D");
    erase_world(&d);
}

// --- who is waited for --------------------------------------------------------------------------

static void test_inactive_agents(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">>>", "12.3\n");
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
    draw(&d, JBW_COLLISION_FIRST, "><", "1..2\n");
    ask(&d, "1F");
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_drawing(&d, ".1.2\n");
    assert_outcomes(&d, "D-");
    assert_int_equal(result_of(&d, 2).action, -1);
    assert_int_equal(result_of(&d, 2).time, 1);
    assert_false(state_of(&d, 1).has_request);
    erase_world(&d);

    // time passes without agents, too
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
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
    draw(&d, JBW_COLLISION_FIRST, ">>", "1.2.\n");
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
    draw(&d, JBW_COLLISION_FIRST, ">>>", "12.3\n");
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
    draw(&d, JBW_COLLISION_FIRST, ">>>>", "1...\n2...\n3...\n4...\n");
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
    place(&d, APPLE, 9, 9);
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
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
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
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
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
        cmocka_unit_test(test_replaced_request_is_the_latest),
        cmocka_unit_test(test_acting_together),
        cmocka_unit_test(test_random_winner),
        cmocka_unit_test(test_random_winner_of_three),
        cmocka_unit_test(test_sharing_cells),
        cmocka_unit_test(test_forced_into_one_cell),
        cmocka_unit_test(test_blocking_items),
        cmocka_unit_test(test_collecting_by_entering),
        cmocka_unit_test(test_only_entering_collects),
        cmocka_unit_test(test_manual_collecting),
        cmocka_unit_test(test_requirements_and_costs),
        cmocka_unit_test(test_requirement_and_cost_of_one_type),
        cmocka_unit_test(test_two_on_one_item),
        cmocka_unit_test(test_dropping),
        cmocka_unit_test(test_dropping_a_boulder),
        cmocka_unit_test(test_dropping_together),
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
