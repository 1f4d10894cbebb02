// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Inspecting cells: what they hold, and since when.
#include "jbw/state.h"
#include "support/drawing.h"

static const double red[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red},
    {.name = "Wall", .color = red, .scent = red, .occlusion = 1.0, .blocks_movement = true},
};

static jbw_config smelling_config(void)
{
    jbw_config config = drawn_config(items, 2);
    config.scent_dimensions = 1;
    config.scent_decay = 0.4;
    config.scent_diffusion = 0.1;
    return config;
}

static jbw_cell_info look(const drawn_world *d, int64_t x, int64_t y)
{
    jbw_cell_info info;
    assert_int_equal(jbw_world_inspect(d->world, (jbw_position){x, y}, &info), JBW_OK);
    return info;
}

static void test_since_when(void **state)
{
    (void)state;
    const jbw_config config = smelling_config();
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "...\n"
               ".a.\n"
               ".1.\n");
    // the items of a drawing are placed at time 0
    jbw_cell_info info = look(&d, 1, 1);
    assert_int_equal(info.item, 0);
    assert_int_equal(info.state, JBW_PATCH_FINAL);
    assert_false(info.is_generated);
    assert_true(info.is_since_known);
    assert_true(info.since == 0);
    info = look(&d, 2, 2);
    assert_int_equal(info.item, -1);
    assert_true(info.is_generated);

    play(&d, "1N");
    play(&d, "1F"); // collects the apple
    info = look(&d, 1, 1);
    assert_int_equal(info.item, -1);
    // nothing was generated there, but the cell was not always empty
    assert_false(info.is_generated);
    assert_true(info.is_since_known);
    assert_true(info.since == 2);

    // once the scent has faded the past is forgotten: the cell is as generated
    for (int i = 0; i < 1000; i++) assert_int_equal(jbw_world_step(d.world), JBW_OK);
    info = look(&d, 1, 1);
    assert_true(info.is_generated);

    assert_int_equal(jbw_world_place_item(d.world, 1, (jbw_position){2, 2}), JBW_OK);
    for (int i = 0; i < 1000; i++) assert_int_equal(jbw_world_step(d.world), JBW_OK);
    info = look(&d, 2, 2);
    assert_int_equal(info.item, 1);
    assert_false(info.is_generated);
    assert_false(info.is_since_known);
    assert_true(info.since >= 1002 && info.since <= 2002);

    info = look(&d, 100000, 0);
    assert_int_equal(info.state, JBW_PATCH_MISSING);
    assert_int_equal(info.item, -1);
    const jbw_position outside = {JBW_MAX_COORDINATE + 1, 0};
    assert_int_equal(jbw_world_inspect(d.world, outside, &info), JBW_OUT_OF_RANGE);
    erase_world(&d);
}

// a loaded world has forgotten what the world that was saved has forgotten, and nothing else
static void test_after_loading(void **state)
{
    (void)state;
    const jbw_config config = smelling_config();
    const jbw_load_options options = {0};
    drawn_world d;
    draw_world(&d, &config, "a#", "^", "a\n1\n");
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){0, 1}), JBW_OK);
    bool is_known = true;
    for (int step = 0; is_known; step++) {
        assert_true(step < 1000);
        jbw_buffer bytes = {0};
        jbw_model *model;
        drawn_world loaded = {0};
        assert_int_equal(jbw_world_encode(d.world, &bytes), JBW_OK);
        assert_int_equal(
            jbw_world_decode(bytes.bytes, bytes.size, &options, &model, &loaded.world, NULL),
            JBW_OK);
        const jbw_cell_info before = look(&d, 0, 1);
        const jbw_cell_info after = look(&loaded, 0, 1);
        is_known = before.is_since_known;
        assert_int_equal(after.is_since_known, is_known);
        assert_int_equal(after.is_generated, before.is_generated);
        jbw_world_destroy(loaded.world);
        jbw_model_destroy(model);
        jbw_buffer_free(&bytes);
        assert_int_equal(jbw_world_step(d.world), JBW_OK);
    }
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_since_when),
        cmocka_unit_test(test_after_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
