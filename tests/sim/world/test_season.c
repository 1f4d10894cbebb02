// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Seasons, by hand: when they begin and end, and what agents, edits and looks find out of season.
/// test_world_oracle.c compares random worlds with seasons with a slow twin.
#include "support/drawing.h"

#include <string.h>

static const double one[] = {1};

// apples from 2 to 5 of every 10 steps, walls from 8 over the end of the period to 1
static const jbw_item_type items[] = {
    {.name = "Apple",
     .color = one,
     .intensity = "Constant[-60]",
     .season = {.period = 10, .from = 2, .to = 5}},
    {.name = "Wall",
     .color = one,
     .occlusion = 1.0,
     .blocks_movement = true,
     .intensity = "Constant[-60]",
     .season = {.period = 10, .from = 8, .to = 1}},
};

static bool has_apples(uint64_t time)
{
    const uint64_t phase = time % 10;
    return phase == 2 || phase == 3 || phase == 4;
}

static bool has_walls(uint64_t time)
{
    const uint64_t phase = time % 10;
    return phase == 8 || phase == 9 || phase == 0;
}

static void wait_until(drawn_world *d, uint64_t time)
{
    while (jbw_world_time(d->world) < time) assert_int_equal(jbw_world_step(d->world), JBW_OK);
    assert_int_equal(jbw_world_time(d->world), time);
}

static void read_cell(const drawn_world *d, int64_t x, int64_t y, uint8_t *item, uint8_t *hidden)
{
    const jbw_region_planes planes = {.items = item, .hidden = hidden};
    assert_int_equal(jbw_world_read_planes(d->world, (jbw_region){x, y, 1, 1}, &planes), JBW_OK);
}

static void test_begins_and_ends(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "#.\n"
               "a1\n");
    for (uint64_t time = 0; time < 45; time++) {
        wait_until(&d, time);
        uint8_t item;
        uint8_t hidden;
        jbw_cell_info info;
        read_cell(&d, 0, 0, &item, &hidden);
        assert_int_equal(item, has_apples(time) ? 1 : 0);
        assert_int_equal(hidden, has_apples(time) ? 0 : 1);
        read_cell(&d, 0, 1, &item, &hidden);
        assert_int_equal(item, has_walls(time) ? 2 : 0);
        assert_int_equal(hidden, has_walls(time) ? 0 : 2);
        read_cell(&d, 1, 1, &item, &hidden);
        assert_int_equal(item + hidden, 0);
        assert_int_equal(jbw_world_inspect(d.world, (jbw_position){0, 1}, &info), JBW_OK);
        assert_int_equal(info.item, 1);
        assert_int_equal(info.is_hidden, !has_walls(time));

        // the agent sees the cell to its left, and the wall ahead of that
        uint8_t seen[7 * 7];
        assert_int_equal(jbw_agent_see_items(d.world, d.agents[1], seen), JBW_OK);
        assert_int_equal(seen[3 * 7 + 2], has_apples(time) ? 1 : 0);
        assert_int_equal(seen[2 * 7 + 2], has_walls(time) ? 2 : 0);
    }
    erase_world(&d);
}

// the step from t uses the season at t
static void test_steps(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "a\n"
               "#\n"
               "1\n");
    play(&d, "1F"); // at time 0 the wall is in season
    assert_outcomes(&d, "I");
    play(&d, "1F"); // at time 1 it is not
    assert_outcomes(&d, "D");
    play(&d, "1C");
    assert_outcomes(&d, "0");
    assert_int_equal(jbw_world_time(d.world), 3);
    wait_until(&d, 5);
    play(&d, "1F"); // the apple is out of season: entering its cell does not collect it
    assert_outcomes(&d, "D");
    assert_item_outcomes(&d, "-");
    assert_carries(&d, 1, "0 0");
    play(&d, "1C");
    assert_outcomes(&d, "0");

    // what comes into season under an agent is not collected by itself
    wait_until(&d, 12);
    assert_carries(&d, 1, "0 0");
    play(&d, "1C");
    assert_outcomes(&d, "D");
    assert_carries(&d, 1, "1 0");

    // dropped in its last step in season, an apple is hidden at once
    wait_until(&d, 14);
    play(&d, "1D");
    assert_outcomes(&d, "D");
    uint8_t item;
    uint8_t hidden;
    read_cell(&d, 0, 2, &item, &hidden);
    assert_int_equal(item, 0);
    assert_int_equal(hidden, 1);
    erase_world(&d);
}

static void test_walls_do_not_hold(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               ".\n"
               "#\n"
               "1\n");
    wait_until(&d, 6);
    play(&d, "1F");
    wait_until(&d, 9); // the wall is back, below the agent
    play(&d, "1F");
    assert_outcomes(&d, "D");
    play(&d, "1B"); // the step from time 10, the last one in season
    assert_outcomes(&d, "I");
    play(&d, "1B");
    assert_outcomes(&d, "D");
    erase_world(&d);
}

static void test_edits(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "a.\n"
               ".1\n");
    const jbw_position cell = {0, 1};
    assert_int_equal(jbw_world_place_item(d.world, 1, cell), JBW_CELL_BLOCKED);
    assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_OK);
    assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_NOT_FOUND);
    assert_int_equal(jbw_world_place_item(d.world, 0, cell), JBW_OK);
    assert_int_equal(item_letter(&d, cell), '.');

    // a carried apple may be dropped in any season, but not onto a hidden one
    wait_until(&d, 2);
    assert_int_equal(item_letter(&d, cell), 'a');
    play(&d, "1L");
    play(&d, "1F");
    assert_carries(&d, 1, "1 0");
    wait_until(&d, 6);
    assert_int_equal(jbw_world_place_item(d.world, 0, cell), JBW_OK);
    play(&d, "1D");
    assert_outcomes(&d, "O");
    assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_OK);
    play(&d, "1D");
    assert_outcomes(&d, "D");
    assert_carries(&d, 1, "0 0");
    assert_int_equal(item_letter(&d, cell), '.');
    wait_until(&d, 12);
    play(&d, "1C");
    assert_carries(&d, 1, "1 0");
    erase_world(&d);
}

// a wall at the origin is a place for new agents in summer, also if nobody has moved since
static void test_new_agents(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    for (int i = 0; i < 2; i++) {
        drawn_world d;
        draw_world(&d, &config, "a#", "", "#\n");
        jbw_agent_id id;
        jbw_agent_state found;
        assert_int_equal(jbw_world_add_agent(d.world, NULL, &id), JBW_OK);
        assert_int_equal(jbw_agent_get_state(d.world, id, &found), JBW_OK);
        assert_int_equal(found.position.x, 1);
        const jbw_agent_options at_origin = {.has_position = true};
        assert_int_equal(jbw_world_add_agent(d.world, &at_origin, &id), JBW_CELL_BLOCKED);
        wait_until(&d, 1);
        assert_int_equal(jbw_world_add_agent(d.world, i == 0 ? NULL : &at_origin, &id), JBW_OK);
        assert_int_equal(jbw_agent_get_state(d.world, id, &found), JBW_OK);
        assert_int_equal(found.position.x, 0);
        assert_int_equal(found.position.y, 0);
        erase_world(&d);
    }
}

// marks tell when a patch looks different, in both kinds of worlds
static void test_marks(void **state)
{
    (void)state;
    jbw_config config = drawn_config(items, 2);
    for (int i = 0; i < 2; i++) {
        config.generation = i == 0 ? JBW_GENERATION_FRONTIER : JBW_GENERATION_INVARIANT;
        drawn_world d;
        draw_world(&d, &config, "a#", "", "a#\n");
        uint64_t before = jbw_world_patch_mark(d.world, (jbw_position){0, 0});
        for (uint64_t time = 1; time < 30; time++) {
            wait_until(&d, time);
            const uint64_t mark = jbw_world_patch_mark(d.world, (jbw_position){0, 0});
            const bool is_same =
                has_apples(time) == has_apples(time - 1) && has_walls(time) == has_walls(time - 1);
            assert_int_equal(mark == before, is_same);
            before = mark;
        }
        erase_world(&d);
    }
}

// seasons survive clones, and snapshots with versions of their own; without them these are as ever
static void test_saved(void **state)
{
    (void)state;
    jbw_config config = drawn_config(items, 2);
    for (int i = 0; i < 4; i++) {
        static jbw_item_type plain[2];
        memcpy(plain, items, sizeof plain);
        plain[0].season = plain[1].season = (jbw_season){0};
        config.items = i < 2 ? items : plain;
        config.generation = i % 2 == 0 ? JBW_GENERATION_FRONTIER : JBW_GENERATION_INVARIANT;
        drawn_world d;
        draw_world(&d, &config, "a#", "^",
                   "a\n"
                   "1\n");
        wait_until(&d, 1);
        jbw_buffer bytes = encode_world(d.world);
        assert_int_equal(bytes.bytes[0], (i < 2 ? 2 : 0) + (i % 2 == 0 ? 1 : 14));
        jbw_model *model;
        jbw_world *loaded = decode_world(&bytes, NULL, &model);
        jbw_world *copy = clone_of(loaded);
        assert_int_equal(jbw_world_hash(loaded), jbw_world_hash(d.world));
        for (int k = 0; k < 25; k++) {
            assert_int_equal(jbw_world_step(loaded), JBW_OK);
            assert_int_equal(jbw_world_step(copy), JBW_OK);
            uint8_t item;
            uint8_t copied;
            jbw_world_read_region(loaded, (jbw_region){0, 1, 1, 1}, &item, NULL);
            jbw_world_read_region(copy, (jbw_region){0, 1, 1, 1}, &copied, NULL);
            assert_int_equal(item, i >= 2 || has_apples(jbw_world_time(loaded)) ? 1 : 0);
            assert_int_equal(copied, item);
        }
        // a version that does not fit its config
        bytes.bytes[0] = (uint8_t)(bytes.bytes[0] <= 2 ? bytes.bytes[0] + 2 : bytes.bytes[0] - 2);
        jbw_model *none;
        jbw_world *no_world;
        jbw_error error;
        assert_int_equal(jbw_world_decode(bytes.bytes, bytes.size, NULL, &none, &no_world, &error),
                         JBW_INVALID_DATA);
        assert_non_null(strstr(error.text, "does not match its config"));
        jbw_buffer_free(&bytes);
        jbw_world_destroy(copy);
        jbw_world_destroy(loaded);
        jbw_model_destroy(model);
        erase_world(&d);
    }
}

static void expect_problem(jbw_season season, const double *scent, const char *text)
{
    const jbw_item_type item = {.name = "A", .scent = scent, .season = season};
    jbw_config config = jbw_config_default();
    config.scent_dimensions = 1;
    config.items = &item;
    config.item_count = 1;
    jbw_model *model;
    jbw_error error = {0};
    const jbw_status status = jbw_model_create(&config, &model, &error);
    assert_int_equal(status, text ? JBW_INVALID_CONFIG : JBW_OK);
    if (text && !strstr(error.text, text)) fail_msg("\"%s\", expected \"%s\"", error.text, text);
    jbw_model_destroy(model);
}

static void test_problems(void **state)
{
    (void)state;
    const uint64_t most = JBW_MAX_TIME;
    expect_problem((jbw_season){2, 0, 1}, NULL, NULL);
    expect_problem((jbw_season){2, 1, 2}, NULL, NULL);
    expect_problem((jbw_season){2, 1, 0}, NULL, NULL);
    expect_problem((jbw_season){most, most - 1, most}, NULL, NULL);
    expect_problem((jbw_season){1, 0, 1}, NULL, "items.A.season.period: found 1");
    expect_problem((jbw_season){0, 0, 1}, NULL, "items.A.season.period: found 0");
    expect_problem((jbw_season){most + 1, 0, 1}, NULL, "season.period: found");
    expect_problem((jbw_season){10, 10, 1}, NULL, "items.A.season.from: found 10");
    expect_problem((jbw_season){10, 0, 11}, NULL, "items.A.season.to: found 11");
    expect_problem((jbw_season){10, 3, 3}, NULL, "it is never in season");
    expect_problem((jbw_season){10, 0, 10}, NULL, "it is always in season");
    // an eighth of 361 steps
    expect_problem((jbw_season){92, 0, 46}, one, NULL);
    expect_problem((jbw_season){92, 80, 34}, one, NULL);
    expect_problem((jbw_season){92, 0, 45}, one, "it lasts 45 steps and pauses for 47");
    expect_problem((jbw_season){92, 80, 35}, one, "it lasts 47 steps and pauses for 45");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_and_ends),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_walls_do_not_hold),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_new_agents),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
