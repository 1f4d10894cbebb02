// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Looking closely: what is in a cell and since when, how much of each cell an agent sees, and a
/// picture in memory.
#include "support/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "jbw/io.h"

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

static void cells_tell_since_when(void **state)
{
    (void)state;
    const jbw_config config = smelling_config();
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "...\n"
               ".a.\n"
               ".1.\n");
    // the drawing was placed by hand at time 0
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
    // nothing was generated there, but it has not always been empty
    assert_false(info.is_generated);
    assert_true(info.is_since_known);
    assert_true(info.since == 2);

    // long after, what could be smelled is forgotten: the cell is as it was generated
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

static void agents_see_parts(void **state)
{
    (void)state;
    jbw_config config = smelling_config();
    config.agent.visual_occlusion = true;
    config.agent.field_of_view = 180;
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               "...\n"
               ".#.\n"
               "...\n"
               ".1.\n");
    enum { SIDE = 7, CELLS = SIDE * SIDE };
    float parts[CELLS];
    uint8_t seen[CELLS];
    assert_int_equal(jbw_agent_see_parts(d.world, d.agents[1], parts), JBW_OK);
    assert_int_equal(jbw_agent_see_items(d.world, d.agents[1], seen), JBW_OK);
    assert_true(parts[3 * SIDE + 3] == 1.0f); // its own cell
    assert_true(parts[1 * SIDE + 3] == 1.0f); // the wall, two cells ahead
    assert_true(parts[0 * SIDE + 3] < 0.01f); // right behind the wall
    assert_true(parts[2 * SIDE + 3] == 1.0f); // before it
    for (int i = 4 * SIDE; i < CELLS; i++) assert_true(parts[i] < 0.6f); // behind the agent
    for (int i = 0; i < CELLS; i++) {
        assert_true(parts[i] >= 0.0f && parts[i] <= 1.0f);
        if (seen[i] != 0) assert_true(parts[i] > 0.0f);
    }
    const jbw_agent_id nobody = {77, 1};
    assert_int_equal(jbw_agent_see_parts(d.world, nobody, parts), JBW_NO_SUCH_AGENT);
    erase_world(&d);
}

static void pictures_in_memory(void **state)
{
    (void)state;
    const jbw_config config = smelling_config();
    drawn_world d;
    draw_world(&d, &config, "a#", "^",
               ".#.\n"
               "a.1\n");
    enum { WIDTH = 3, HEIGHT = 2, SCALE = 2, SIZE = 3 * WIDTH * HEIGHT * SCALE * SCALE };
    uint8_t pixels[SIZE + 1];
    memset(pixels, 77, sizeof pixels);
    const jbw_picture_options options = {.scale = SCALE};
    jbw_error error;
    assert_int_equal(
        jbw_picture_draw(d.world, (jbw_region){0, 0, WIDTH, HEIGHT}, &options, pixels, &error),
        JBW_OK);
    assert_int_equal(pixels[SIZE], 77);
    const uint8_t *wall = pixels + 3 * 1 * SCALE;                      // the upper row
    const uint8_t *apple = pixels + (size_t)3 * WIDTH * SCALE * SCALE; // the lower row
    const uint8_t *paper = pixels + (size_t)3 * (WIDTH * SCALE * SCALE + SCALE);
    // a single colour dimension is a shade of grey
    for (int i = 0; i < 3; i++) assert_int_equal(wall[i], 255);
    for (int i = 0; i < 3; i++) assert_int_equal(apple[i], 255);
    assert_true(paper[2] < 255);
    const jbw_picture_options wrong = {.scale = 0};
    assert_int_equal(
        jbw_picture_draw(d.world, (jbw_region){0, 0, WIDTH, HEIGHT}, &wrong, pixels, &error),
        JBW_INVALID_ARGUMENT);
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_tell_since_when),
        cmocka_unit_test(agents_see_parts),
        cmocka_unit_test(pictures_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
