// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Items in a step, in drawings checked by hand: blocking, collecting, dropping.
#include "support/step_scene.h"

// --- blocking items -----------------------------------------------------------------------------

static void test_blocking_items(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        drawn_world d;
        draw_scene(&d, all_policies[i], "><",
                   "1#2\n"
                   "...\n");
        play(&d, "1F 2F"); // both are stopped by the wall, not by each other
        assert_drawing(&d, "1#2\n"
                           "...\n");
        assert_outcomes(&d, "II");
        assert_item_outcomes(&d, "--");
        assert_false(result_of(&d, 1).moved);

        // an item placed under an agent does not hold it, but it cannot come back
        place_item(&d, BOULDER, 0, 1);
        play(&d, "1R 2N");
        assert_drawing(&d, "b#2\n"
                           "1..\n");
        play(&d, "1L 2N");
        assert_outcomes(&d, "ID");
        erase_world(&d);

        // nor can another agent enter when it leaves
        draw_scene(&d, all_policies[i], ">>", "12.\n");
        place_item(&d, WALL, 1, 0);
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
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1as.\n");
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
    draw_scene(&d, JBW_COLLISION_FIRST, "", "a.\n");
    draw_agent(&d, (jbw_position){0, 0}, JBW_RIGHT); // being added is not entering
    assert_carries(&d, 1, "0 0 0 0 0 0");
    play(&d, "1N");
    play(&d, "1r");
    play(&d, "1l");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_item_outcomes(&d, "-");
    assert_int_equal(item_letter(&d, (jbw_position){0, 0}), 'a');

    play(&d, "1C"); // but it can be collected explicitly
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
    draw_scene_with(&d, JBW_COLLISION_FIRST, JBW_COLLECTION_MANUAL, ">", "1asx\n");
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
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1axaww\n");
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
    // both are compared with the same inventory: two apples satisfy "requires 2" and "costs 1"
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
    draw_scene(&d, JBW_COLLISION_ALLOW, "><", "1a2\n");
    play(&d, "2F 1F");
    assert_outcomes(&d, "DD");
    assert_item_outcomes(&d, "LD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "1 0 0 0 0 0");
    erase_world(&d);

    // 1 acts first, but only 2 can pay
    draw_scene(&d, JBW_COLLISION_ALLOW, "><", "1x2\n");
    for (int i = 0; i < 2; i++) {
        place_item(&d, APPLE, 2, 0);
        play(&d, "1N 2C");
    }
    play(&d, "1F 2F");
    assert_item_outcomes(&d, "QD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "0 0 1 0 0 0");
    erase_world(&d);

    // one stands on the item and collects it, the other one enters
    draw_scene(&d, JBW_COLLISION_ALLOW, "><", "1.2\n");
    place_item(&d, APPLE, 0, 0);
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
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1as.\n");
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
    assert_item_outcomes(&d, "-"); // it is not collected again
    assert_int_equal(result_of(&d, 1).dropped, APPLE);
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_int_equal(item_letter(&d, (jbw_position){3, 0}), 'a');
    play(&d, "1N");
    play(&d, "1B");
    assert_drawing(&d, "..1a\n");
    play(&d, "1F"); // entering the cell collects it like any other item
    assert_carries(&d, 1, "1 0 0 0 0 0");
    erase_world(&d);
}

static void test_dropping_a_boulder(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1..\n");
    place_item(&d, BOULDER, 0, 0);
    play(&d, "1C");
    assert_carries(&d, 1, "0 1 0 0 0 0");
    play(&d, "1E");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    play(&d, "1F"); // it does not hold the agent that dropped it
    assert_drawing(&d, "b1.\n");
    play(&d, "1B");
    assert_outcomes(&d, "I");
    erase_world(&d);
}

static void test_dropping_together(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_ALLOW, "><", "1.2\n");
    place_item(&d, APPLE, 0, 0);
    place_item(&d, APPLE, 2, 0);
    play(&d, "1C 2C");
    play(&d, "1F 2F");
    play(&d, "2D 1D"); // the first drop gets the cell
    assert_outcomes(&d, "OD");
    assert_carries(&d, 1, "1 0 0 0 0 0");
    assert_carries(&d, 2, "0 0 0 0 0 0");

    // items are collected before others are dropped, in whatever order
    play(&d, "1D 2C");
    assert_outcomes(&d, "DD");
    assert_carries(&d, 1, "0 0 0 0 0 0");
    assert_carries(&d, 2, "1 0 0 0 0 0");
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), 'a');

    // an item cannot be dropped and collected in the same step
    play(&d, "1C 2N");
    play(&d, "2D 1C");
    assert_outcomes(&d, "0D");
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
