// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terms of collecting items, in drawings checked by hand: kinds, what was ever collected, and
/// what is put down.
#include "support/drawing.h"

#include "support/allocations.h"

enum { PEAR, APPLE, AXE, CHEST, LOG, GOLD, TYPES };

static const char letters[] = "paxclg";
static const char *const fruit_members[] = {"Pear", "Apple"};
static const char *const food_members[] = {"Log", "Fruit"};
static const jbw_kind kinds[] = {{"Fruit", fruit_members, 2}, {"Food", food_members, 2}};

static const jbw_item_count two_fruit[] = {{"Fruit", 2}};
static const jbw_item_count fruit_and_pear[] = {{"Fruit", 1}, {"Pear", 1}};
static const jbw_item_count one_axe[] = {{"Axe", 1}};
static const jbw_item_count three_food[] = {{"Food", 3}};

static jbw_config config_of(const jbw_item_type items[TYPES])
{
    jbw_config config = drawn_config(items, TYPES);
    config.kinds = kinds;
    config.kind_count = 2;
    return config;
}

// an axe costs two fruit, a chest a fruit and a pear; logs are for those who once had an axe, and
// gold is for three pieces of food, which are put down
static const jbw_item_type items[TYPES] = {
    {.name = "Pear"},
    {.name = "Apple"},
    {.name = "Axe", .costs = two_fruit, .cost_count = 1},
    {.name = "Chest", .costs = fruit_and_pear, .cost_count = 2},
    {.name = "Log", .ever_requirements = one_axe, .ever_requirement_count = 1},
    {.name = "Gold", .drops = three_food, .drop_count = 1},
};

static void walk(drawn_world *d, const char *script)
{
    for (const char *at = script; *at; at++) play(d, (char[]){'1', *at, '\0'});
}

static void test_kinds_as_costs(void **state)
{
    (void)state;
    const jbw_config config = config_of(items);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1apxapc\n");
    walk(&d, "FFF");
    assert_carries(&d, 1, "0 0 1 0 0 0");
    walk(&d, "FFF"); // the pear is for the entry that names pears, the apple is a fruit
    assert_carries(&d, 1, "0 0 1 1 0 0");
    erase_world(&d);

    draw_world(&d, &config, letters, ">", "1aaxpac\n");
    walk(&d, "FFFFF");
    assert_carries(&d, 1, "1 1 1 0 0 0");
    walk(&d, "F");
    assert_carries(&d, 1, "0 0 1 1 0 0");
    erase_world(&d);

    draw_world(&d, &config, letters, ">", "1apx.aac\n"); // no pear, but fruit
    walk(&d, "FFFFFFF");
    assert_item_outcomes(&d, "Q");
    assert_carries(&d, 1, "0 2 1 0 0 0");
    erase_world(&d);
}

static void test_what_was_ever_collected(void **state)
{
    (void)state;
    static const jbw_item_type lost_axe[TYPES] = {
        {.name = "Pear"},
        {.name = "Apple"},
        {.name = "Axe"},
        {.name = "Chest", .costs = one_axe, .cost_count = 1},
        {.name = "Log", .ever_requirements = one_axe, .ever_requirement_count = 1},
        {.name = "Gold"},
    };
    const jbw_config config = config_of(lost_axe);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1lxcll\n");
    assert_non_null(jbw_agent_ever_collected(d.world, d.agents[1]));
    walk(&d, "F");
    assert_item_outcomes(&d, "Q");
    walk(&d, "FFF"); // the axe is gone for the chest, but it was there once
    assert_carries(&d, 1, "0 0 0 1 1 0");
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_agent_ever_collected(d.world, d.agents[1])[AXE], 1);

    // it is part of the state: a copy and a saved world know it
    d.world = replaced_world(d.world, false);
    d.world = replaced_world(d.world, true);
    assert_int_equal(jbw_world_hash(d.world), hash);
    walk(&d, "F");
    assert_carries(&d, 1, "0 0 0 1 2 0");
    erase_world(&d);

    // two worlds that differ in nothing else
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        draw_world(&d, &config, letters, ">", i == 0 ? "1p.\n" : "1..\n");
        walk(&d, "F");
        if (i == 0) walk(&d, "D");
        if (i == 1) walk(&d, "N");
        if (i == 1) assert_int_equal(jbw_world_place_item(d.world, PEAR, (jbw_position){1, 0}), 0);
        if (i == 0) assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), 0);
        if (i == 1) assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), 0);
        hashes[i] = jbw_world_hash(d.world);
        erase_world(&d);
    }
    assert_int_not_equal(hashes[0], hashes[1]);

    // not counted where nobody asks for it
    const jbw_config plain = drawn_config((const jbw_item_type[]){{.name = "Pear"}}, 1);
    draw_world(&d, &plain, "p", ">", "1p\n");
    assert_null(jbw_agent_ever_collected(d.world, d.agents[1]));
    erase_world(&d);
}

static void test_putting_down(void **state)
{
    (void)state;
    const jbw_config config = config_of(items);
    drawn_world d;
    draw_world(&d, &config, letters, ">",
               "........\n"
               "...aa...\n"
               "1ppppg..\n"
               "........\n");
    walk(&d, "FFFFF"); // first where the gold was, then to the right, then above that
    assert_carries(&d, 1, "1 0 0 0 0 1");
    assert_drawing(&d, "........\n"
                       "...aa.p.\n"
                       ".....1p.\n"
                       "........\n");
    assert_int_equal(item_letter(&d, (jbw_position){5, 1}), 'p');
    erase_world(&d);

    // kinds within kinds: a log comes first, then pears, then apples; cells with items are left out
    draw_world(&d, &config, letters, ">",
               "........\n"
               "1aap.g..\n"
               "......c.\n");
    walk(&d, "FFFFF");
    assert_item_outcomes(&d, "D");
    assert_drawing(&d, "......a.\n"
                       ".....1a.\n"
                       "......c.\n");
    assert_int_equal(item_letter(&d, (jbw_position){5, 1}), 'p');
    erase_world(&d);

    draw_world(&d, &config, letters, ">", "1pp.g\n"); // too few
    walk(&d, "FFFF");
    assert_item_outcomes(&d, "Q");
    assert_carries(&d, 1, "2 0 0 0 0 0");
    erase_world(&d);
}

static void test_no_room(void **state)
{
    (void)state;
    const jbw_config config = config_of(items);
    drawn_world d;
    draw_world(&d, &config, letters, ">",
               "....lllll\n"
               "....lllll\n"
               "1ppp.lgll\n"
               "....lllll\n"
               "....lllll\n");
    // one cell is free besides that of the gold
    walk(&d, "FFFFFF");
    assert_item_outcomes(&d, "O");
    assert_outcomes(&d, "D"); // of moving
    assert_carries(&d, 1, "3 0 0 0 0 0");
    assert_int_equal(item_letter(&d, (jbw_position){6, 2}), 'g');

    // and now two, up in the corner and down in the other one, which are just near enough
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){8, 0}), JBW_OK);
    walk(&d, "C");
    assert_outcomes(&d, "D");
    assert_carries(&d, 1, "0 0 0 0 0 1");
    assert_drawing(&d, "....lllll\n"
                       "....lllll\n"
                       "....pl1ll\n"
                       "....lllll\n"
                       "....llllp\n");
    erase_world(&d);
}

static void test_kept_cells(void **state)
{
    (void)state;
    jbw_config config = config_of(items);
    config.collision = JBW_COLLISION_ALLOW;
    drawn_world d;
    draw_world(&d, &config, letters, ">>>",
               "1ppp.g..\n"
               "2ppp.g..\n"
               "3p......\n");
    for (int i = 0; i < 5; i++) play(&d, "1F 2F 3F");
    assert_item_outcomes(&d, "DD-");
    // the first agent keeps its cell, the one to the right and the one above that; then the second
    // finds its own cell, the one to the right, and goes on above the first one's cells
    assert_carries(&d, 1, "0 0 0 0 0 1");
    assert_carries(&d, 2, "0 0 0 0 0 1");
    assert_int_equal(item_letter(&d, (jbw_position){5, 2}), 'p');
    assert_int_equal(item_letter(&d, (jbw_position){6, 2}), 'p');
    assert_int_equal(item_letter(&d, (jbw_position){6, 3}), 'p');
    assert_int_equal(item_letter(&d, (jbw_position){5, 1}), 'p');
    assert_int_equal(item_letter(&d, (jbw_position){6, 1}), 'p');
    assert_int_equal(item_letter(&d, (jbw_position){4, 2}), 'p');
    erase_world(&d);

    // what is put down is there before others drop something, and cannot be collected in this step
    for (int i = 0; i < 2; i++) {
        draw_world(&d, &config, letters, "><", "1ppp.g.p2\n");
        play(&d, "1F 2F");
        play(&d, "1F 2F");
        play(&d, "1F 2N");
        play(&d, "1F 2N");
        play(&d, i == 0 ? "1F 2D" : "2C 1F");
        assert_outcomes(&d, i == 0 ? "DO" : "D0");
        assert_carries(&d, 1, "0 0 0 0 0 1");
        assert_carries(&d, 2, "1 0 0 0 0 0");
        assert_int_equal(item_letter(&d, (jbw_position){6, 0}), 'p');
        erase_world(&d);
    }
}

// a step that runs out of memory leaves the world as it was
static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = config_of(items);
    config.allocator = counting_allocator_make(&counting);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1pppg\n");
    walk(&d, "FFF");
    const uint64_t hash = jbw_world_hash(d.world);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status == JBW_OUT_OF_MEMORY; n++) {
        jbw_world *copy = clone_of(d.world);
        fail_allocations(&counting, n, 1);
        status = jbw_agent_act(copy, d.agents[1], action_by_letter('F'), NULL);
        allow_allocations(&counting);
        if (status) assert_int_equal(jbw_world_hash(copy), hash);
        assert_true(status == JBW_OUT_OF_MEMORY || status == JBW_OK);
        jbw_world_destroy(copy);
    }
    erase_world(&d);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_as_costs), cmocka_unit_test(test_what_was_ever_collected),
        cmocka_unit_test(test_putting_down),   cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_kept_cells),     cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
