// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Items that grow back, by hand: when, what they wait for, what is left of them.
/// test_world_oracle.c compares random worlds in which items grow back with a slow twin.
#include "support/drawing.h"

#include <string.h>

#include "sim/map/growth.h"
#include "sim/world/edit.h"
#include "sim/world/world.h"

static const double one[] = {1};

// Apples were generated in the columns 2 and 7 of every ten in row 3, walls at (5, 3).
static double orchard(const double *arguments, jbw_position at, void *user)
{
    (void)user;
    const bool is_apple = at.y == 3 && (at.x % 10 + 10) % 5 == 2;
    const bool is_wall = at.y == 3 && at.x == 5;
    return (arguments[0] == 0 ? is_apple : is_wall) ? 50 : -50;
}

static const jbw_intensity_function functions[] = {
    {.name = "Orchard", .argument_count = 1, .value = orchard}};

// stones are never generated
static jbw_item_type items[] = {
    {.name = "Apple", .color = one, .intensity = "Orchard[0]", .regrows = "Constant[5]"},
    {.name = "Stone", .color = one, .intensity = "Constant[-50]"},
    {.name = "Wall",
     .color = one,
     .blocks_movement = true,
     .intensity = "Orchard[1]",
     .regrows = "Constant[2]"},
};

enum { APPLE, STONE, WALL };

static const jbw_position tree = {2, 3};

static jbw_config orchard_config(int generation)
{
    jbw_config config = drawn_config(items, 3);
    config.generation = (jbw_generation)generation;
    config.mh_iterations = 60000;
    config.intensity_functions = functions;
    config.intensity_function_count = 1;
    return config;
}

// agent 1 stands below the apple and faces it; agent 2 stands far to the right
static void begin(drawn_world *d, int generation)
{
    const jbw_config config = orchard_config(generation);
    draw_world(d, &config, "as#", "^^",
               "..1......2\n"
               "..........\n"
               "..........\n");
}

static void wait_until(drawn_world *d, uint64_t time)
{
    while (jbw_world_time(d->world) < time) assert_int_equal(jbw_world_step(d->world), JBW_OK);
    assert_int_equal(jbw_world_time(d->world), time);
}

static void expect_cell(const drawn_world *d, jbw_position at, int item, int growing, uint64_t due)
{
    uint8_t shown;
    uint8_t grows;
    const jbw_region_planes planes = {.items = &shown, .growing = &grows};
    const jbw_region region = {at.x, at.y, 1, 1};
    assert_int_equal(jbw_world_read_planes(d->world, region, &planes), JBW_OK);
    assert_int_equal(shown, item + 1);
    assert_int_equal(grows, growing + 1);
    jbw_cell_info info;
    assert_int_equal(jbw_world_inspect(d->world, at, &info), JBW_OK);
    assert_int_equal(info.item, item);
    assert_int_equal(info.growing, growing);
    if (growing >= 0) assert_int_equal(info.due, due);
}

static void test_returns(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        expect_cell(&d, tree, APPLE, -1, 0);
        const uint64_t mark = jbw_world_patch_mark(d.world, (jbw_position){0, 0});
        play(&d, "2N 1F"); // collected in the step that takes the clock to 1
        assert_carries(&d, 1, "1 0 0");
        play(&d, "2N 1B");
        for (uint64_t time = 2; time < 9; time++) {
            wait_until(&d, time);
            const bool is_back = time >= 6;
            expect_cell(&d, tree, is_back ? APPLE : -1, is_back ? -1 : APPLE, 6);
            uint8_t seen[7 * 7];
            assert_int_equal(jbw_agent_see_items(d.world, d.agents[1], seen), JBW_OK);
            assert_int_equal(seen[2 * 7 + 3], is_back ? 1 : 0);
            assert_int_equal(jbw_world_patch_mark(d.world, (jbw_position){0, 0}) == mark, is_back);
        }
        play(&d, "2N 1F"); // and once more
        assert_carries(&d, 1, "2 0 0");
        expect_cell(&d, tree, -1, APPLE, 14);
        erase_world(&d);
    }
}

// a cell that is empty for good has another mark than one that only waits, though both look the same
static void test_marks(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        play(&d, "2N 1F");
        play(&d, "2N 1B");
        const uint64_t growing = jbw_world_patch_mark(d.world, (jbw_position){0, 0});
        assert_int_equal(jbw_world_place_item(d.world, STONE, tree), JBW_OK);
        const uint64_t covered = jbw_world_patch_mark(d.world, (jbw_position){0, 0});
        assert_true(covered != growing);
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_OK);
        assert_true(jbw_world_patch_mark(d.world, (jbw_position){0, 0}) == growing);
        assert_int_equal(jbw_world_place_item(d.world, APPLE, tree), JBW_OK);
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_OK);
        expect_cell(&d, tree, -1, -1, 0);
        assert_true(jbw_world_patch_mark(d.world, (jbw_position){0, 0}) != growing);
        erase_world(&d);
    }
}

// agents do not hinder it, do not collect it by standing there, and are not held by it
static void test_below_agents(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        play(&d, "2N 1F");
        wait_until(&d, 6);
        expect_cell(&d, tree, APPLE, -1, 0);
        assert_carries(&d, 1, "1 0 0");
        play(&d, "2N 1C");
        assert_outcomes(&d, "DD");
        assert_carries(&d, 1, "2 0 0");

        // a wall that was collected grows back below an agent, which walks on
        const jbw_agent_options below = {
            .has_position = true, .position = {5, 3}, .is_forced = true};
        assert_int_equal(jbw_world_add_agent(d.world, &below, &d.agents[3]), JBW_OK);
        d.agent_count = 3;
        play(&d, "1N 2N 3C");
        assert_carries(&d, 3, "0 0 1");
        wait_until(&d, 9);
        expect_cell(&d, below.position, -1, WALL, 10);
        wait_until(&d, 10);
        expect_cell(&d, below.position, WALL, -1, 0);
        play(&d, "1N 2N 3F");
        assert_outcomes(&d, "DDD");
        play(&d, "1N 2N 3B");
        assert_outcomes(&d, "DDI");
        erase_world(&d);
    }
}

static void test_waits_for_other_items(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        assert_int_equal(jbw_world_place_item(d.world, STONE, (jbw_position){2, 1}), JBW_OK);
        play(&d, "2N 1B"); // gets the stone
        play(&d, "2N 1F");
        play(&d, "2N 1F"); // gets the apple at time 3, so it is due at 8
        assert_carries(&d, 1, "1 1 0");
        wait_until(&d, 7);
        play(&d, "2N 1E"); // a drop in that step wins
        assert_outcomes(&d, "DD");
        expect_cell(&d, tree, STONE, APPLE, 8);
        wait_until(&d, 12);
        expect_cell(&d, tree, STONE, APPLE, 8);
        play(&d, "2N 1C"); // the stone is collected, and the apple is there at once
        assert_carries(&d, 1, "1 1 0");
        expect_cell(&d, tree, APPLE, -1, 0);

        // the same with an edit; place and remove tell what is there
        play(&d, "2N 1C");
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_NOT_FOUND);
        assert_int_equal(jbw_world_place_item(d.world, STONE, tree), JBW_OK);
        expect_cell(&d, tree, STONE, APPLE, 19);
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_OK);
        expect_cell(&d, tree, -1, APPLE, 19); // not due yet
        assert_int_equal(jbw_world_place_item(d.world, STONE, tree), JBW_OK);
        wait_until(&d, 25);
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_OK);
        expect_cell(&d, tree, APPLE, -1, 0);
        uint8_t seen[7 * 7]; // the agent stands there
        assert_int_equal(jbw_agent_see_items(d.world, d.agents[1], seen), JBW_OK);
        assert_int_equal(seen[3 * 7 + 3], APPLE + 1);
        assert_int_equal(jbw_world_place_item(d.world, STONE, tree), JBW_CELL_BLOCKED);
        erase_world(&d);
    }
}

// removing is for good, and an apple in its cell is the generated one, whoever put it there
static void test_removed_and_placed(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        assert_int_equal(jbw_world_remove_item(d.world, tree), JBW_OK);
        wait_until(&d, 20);
        expect_cell(&d, tree, -1, -1, 0);
        assert_int_equal(jbw_world_place_item(d.world, APPLE, tree), JBW_OK);
        play(&d, "2N 1F");
        expect_cell(&d, tree, -1, APPLE, 26);
        play(&d, "2N 1D"); // it drops its apple there, which ends the growth
        expect_cell(&d, tree, APPLE, -1, 0);
        wait_until(&d, 30);
        play(&d, "2N 1C");
        expect_cell(&d, tree, -1, APPLE, 36);

        // an apple that was placed elsewhere does not grow back
        const jbw_position elsewhere = {2, 4};
        assert_int_equal(jbw_world_place_item(d.world, APPLE, elsewhere), JBW_OK);
        play(&d, "2N 1F");
        assert_carries(&d, 1, "2 0 0");
        expect_cell(&d, elsewhere, -1, -1, 0);
        erase_world(&d);
    }
}

// nothing is left of what grew back
static void test_nothing_is_left(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++)
        for (int has_scent = 0; has_scent < 2; has_scent++) {
            items[APPLE].scent = has_scent ? one : NULL;
            jbw_config config = orchard_config(generation);
            config.scent_dimensions = 1;
            config.scent_decay = 0.5;
            config.scent_diffusion = 0.05;
            drawn_world d;
            draw_world(&d, &config, "as#", "^", "..1\n");
            wait_until(&d, 1);
            jbw_buffer before = encode_world(d.world);
            play(&d, "1F");
            play(&d, "1F");
            play(&d, "1F");
            play(&d, "1F");
            assert_carries(&d, 1, "1 0 0");
            jbw_patch *patch = jbw_map_find(&d.world->map, (jbw_position){0, 0});
            assert_int_equal(patch->content->growth_count, 1);
            const uint64_t memory = (uint64_t)d.model->scent.memory;
            assert_int_equal(memory > 0, has_scent);
            wait_until(&d, 4 + 5 + memory - 1); // it can still be smelled
            assert_int_equal(patch->content->growth_count, 1);
            wait_until(&d, 4 + 5 + memory);
            assert_int_equal(patch->content->growth_count, 0);
            assert_int_equal(patch->content->undo_count, 0);
            jbw_buffer after = encode_world(d.world);
            const size_t moved = 2; // the agent's place and inventory take as many bytes as before
            assert_true(after.size <= before.size + moved);
            jbw_buffer_free(&before);
            jbw_buffer_free(&after);
            erase_world(&d);
        }
    items[APPLE].scent = NULL;
}

// Patches that nobody visits are not settled, and nobody can tell.
static void test_unsettled(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int generation = i % 2;
        const bool has_seasons = i >= 2;
        if (has_seasons) items[APPLE].season = (jbw_season){.period = 40, .from = 0, .to = 20};
        items[APPLE].scent = one;
        jbw_config config = orchard_config(generation);
        config.scent_dimensions = 1;
        config.scent_decay = 0.5;
        config.scent_diffusion = 0.05;
        drawn_world d;
        draw_world(&d, &config, "as#", "^", "..1\n");
        for (int k = 0; k < 4; k++) play(&d, "1F");
        const jbw_agent_options far = {.has_position = true, .position = {400, 0}};
        jbw_agent_id id;
        assert_int_equal(jbw_world_add_agent(d.world, &far, &id), JBW_OK);
        assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
        for (int step = 0; step < 60; step++) {
            assert_int_equal(jbw_world_step(d.world), JBW_OK);
            const bool is_back = jbw_world_time(d.world) >= 8;
            if (!has_seasons) expect_cell(&d, tree, is_back ? APPLE : -1, is_back ? -1 : APPLE, 8);
            jbw_world *copy = clone_of(d.world);
            float scents[2];
            assert_int_equal(jbw_world_smell(d.world, (jbw_position){3, 4}, &scents[0]), JBW_OK);
            assert_true(jbw_edit_settle_near(copy, tree));
            assert_int_equal(jbw_world_smell(copy, (jbw_position){3, 4}, &scents[1]), JBW_OK);
            assert_memory_equal(&scents[0], &scents[1], sizeof scents[0]);
            const jbw_patch *raw = jbw_map_find(&d.world->map, (jbw_position){0, 0});
            const jbw_patch *settled = jbw_map_find(&copy->map, (jbw_position){0, 0});
            assert_int_equal(raw->cells[3 * DRAWN_PATCH_SIZE + 2], 0);
            assert_int_equal(settled->cells[3 * DRAWN_PATCH_SIZE + 2], is_back ? 1 : 0);
            assert_true(jbw_world_hash(copy) == jbw_world_hash(d.world));
            assert_true(jbw_world_patch_mark(copy, (jbw_position){0, 0}) ==
                        jbw_world_patch_mark(d.world, (jbw_position){0, 0}));
            jbw_buffer bytes[2] = {encode_world(d.world), encode_world(copy)};
            assert_int_equal(bytes[0].size, bytes[1].size);
            assert_memory_equal(bytes[0].bytes, bytes[1].bytes, bytes[0].size);
            jbw_buffer_free(&bytes[0]);
            jbw_buffer_free(&bytes[1]);
            jbw_world_destroy(copy);
        }
        // a new agent sees it at once, two cells behind
        const jbw_agent_options near = {.has_position = true, .position = {2, 5}};
        uint8_t seen[7 * 7];
        assert_int_equal(jbw_world_add_agent(d.world, &near, &id), JBW_OK);
        assert_int_equal(jbw_agent_see_items(d.world, id, seen), JBW_OK);
        const bool is_hidden = has_seasons && jbw_world_time(d.world) % 40 >= 20;
        assert_int_equal(seen[5 * 7 + 3], is_hidden ? 0 : APPLE + 1);
        erase_world(&d);
    }
    items[APPLE].scent = NULL;
    items[APPLE].season = (jbw_season){0};
}

// A walker that never looks back: memory and snapshots stay as small as they are.
static void test_memory_stays_flat(void **state)
{
    (void)state;
    items[APPLE].regrows = "Geometric[20]";
    jbw_config config = orchard_config(JBW_GENERATION_INVARIANT);
    config.patch_size = 8;
    drawn_world d;
    draw_world(&d, &config, "as#", ">",
               "1..\n"
               "...\n"
               "...\n"
               "...\n");
    jbw_patch_cache_set_budget(d.world->generator.patch_cache, 1, 1 << 20);
    size_t most_early = 0;
    size_t most_late = 0;
    size_t size_early = 0;
    enum { STEPS = 8000 };
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){5, 3}), JBW_OK); // the wall
    for (int i = 0; i < STEPS; i++) {
        play(&d, "1F");
        size_t *most = i < STEPS / 4 ? &most_early : &most_late;
        const size_t slots = d.world->map.evicted_growth.slot_count;
        if (slots > *most) *most = slots;
        if (i != STEPS / 4 && i != STEPS - 1) continue;
        jbw_buffer bytes = encode_world(d.world);
        if (i == STEPS / 4) size_early = bytes.size;
        assert_true(bytes.size < size_early + 100);
        jbw_buffer_free(&bytes);
    }
    assert_int_equal(d.world->map.evicted.count, 1); // where the wall was
    assert_true(most_early > 0 && most_late <= most_early);
    jbw_agent_state found;
    assert_int_equal(jbw_agent_get_state(d.world, d.agents[1], &found), JBW_OK);
    assert_int_equal(found.position.x, STEPS);
    erase_world(&d);
    items[APPLE].regrows = "Constant[5]";
}

// loads a world whose saved entry, which follows `before`, was replaced by other bytes
static void expect_refused(const jbw_buffer *good, const char *before, const char *forged,
                           const char *text)
{
    const size_t length = strlen(before);
    size_t at = 0;
    while (at + length <= good->size && memcmp(good->bytes + at, before, length) != 0) at++;
    assert_true(at + length <= good->size);
    jbw_buffer bytes = {0};
    assert_true(jbw_buffer_append(&bytes, good->bytes, good->size));
    memcpy(bytes.bytes + at, forged, length);
    const jbw_load_options options = {.intensity_functions = functions,
                                      .intensity_function_count = 1};
    jbw_model *model;
    jbw_world *world;
    jbw_error error;
    const jbw_status status =
        jbw_world_decode(bytes.bytes, bytes.size, &options, &model, &world, &error);
    assert_int_equal(status, text ? JBW_INVALID_DATA : JBW_OK);
    if (text && !strstr(error.text, text)) fail_msg("\"%s\", expected \"%s\"", error.text, text);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_buffer_free(&bytes);
}

// One cell grows: 3 * 80 + 0 as a varint, and its time, 6; these are preceded by the count of entries.
static void test_forged_snapshots(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        drawn_world d;
        begin(&d, generation);
        play(&d, "2N 1F");
        jbw_buffer good = encode_world(d.world);
        assert_int_equal(good.bytes[0], generation == JBW_GENERATION_INVARIANT ? 18 : 5);
        const char *entry = "\x01\xf0\x01\x06";
        expect_refused(&good, entry, entry, NULL);
        expect_refused(&good, entry, "\x01\xf0\x01\x01", "an impossible time"); // it is time 1
        expect_refused(&good, entry, "\x01\xf2\x01\x01", "an impossible time"); // there is no scent
        expect_refused(&good, entry, "\x01\xf2\x01\x06", "an impossible time");
        expect_refused(&good, entry, "\x01\xf0\x7f\x06", "does not fit into it");
        const char *elsewhere = generation == 0 ? "that does not fit" : "in their shortest form";
        expect_refused(&good, entry, "\x01\xf3\x01\x06", elsewhere); // where nothing was generated
        expect_refused(&good, entry, "\x01\xf1\x01\x06", elsewhere); // nothing lies there
        expect_refused(&good, entry, "\x02\xf0\x01\x06", "invalid world state");
        jbw_buffer_free(&good);
        erase_world(&d);
    }
}

static void expect_problem(const char *regrows, bool is_uncollectable, const char *text)
{
    const jbw_item_type item = {
        .name = "A", .regrows = regrows, .is_uncollectable = is_uncollectable};
    jbw_config config = jbw_config_default();
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
    expect_problem("Constant[1]", false, NULL);
    expect_problem("Uniform[7, 7]", false, NULL);
    expect_problem("Uniform[1, 1e9]", false, NULL);
    expect_problem("Geometric[1]", false, NULL);
    expect_problem(NULL, true, NULL);
    expect_problem("Constant[1]", true, "items.A.regrows: items that cannot be collected");
    expect_problem("Constant[0]", false, "items.A.regrows: found the number 0, expected a whole");
    expect_problem("Geometric[1.5]", false, "found the number 1.5, expected a whole number");
    expect_problem("Uniform[9, 8]", false, "found the number 8, expected at least as many");
    expect_problem("Uniform[9]", false, "'Uniform' was given 1 argument, expected 2");
    expect_problem("Constant[1000000001]", false, "from 1 to 1000000000");
    expect_problem("Normal[5, 1]", false, "unknown law of regrowth 'Normal', expected one of");
    expect_problem("Uniforn[5, 1]", false, "did you mean 'Uniform'?");
    expect_problem("5", false, "found the number 5, expected a number of steps such as");
    expect_problem("Uniform[5, ", false, "items.A.regrows: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returns),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_below_agents),
        cmocka_unit_test(test_waits_for_other_items),
        cmocka_unit_test(test_removed_and_placed),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_unsettled),
        cmocka_unit_test(test_memory_stays_flat),
        cmocka_unit_test(test_forged_snapshots),
        cmocka_unit_test(test_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
