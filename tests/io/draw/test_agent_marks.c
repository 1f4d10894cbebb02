// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents in pictures: where they are, where they look, and what the followed one sees.
#include "support/picture_scene.h"

#include <stdlib.h>

#include "support/drawing.h"

enum { SCALE = 20 };

static const double white[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = white},
    {.name = "Wall", .color = white, .blocks_movement = true},
};
static const pixel ink = {21, 24, 31};
static const pixel accent = {230, 104, 0};

typedef struct image {
    pixel *pixels;
    int64_t width;
    int64_t height;
} image;

static image draw(jbw_world *world, jbw_region region, const jbw_picture_options *options)
{
    image made;
    jbw_error error;
    if (jbw_picture_size(jbw_world_model(world), region, options, &made.width, &made.height,
                         &error))
        fail_msg("%s", error.text);
    made.pixels = malloc((size_t)(made.width * made.height) * sizeof(pixel));
    assert_non_null(made.pixels);
    if (jbw_picture_draw(world, region, options, (uint8_t *)made.pixels, &error))
        fail_msg("%s", error.text);
    return made;
}

// how many pixels of a colour there are in a rectangle
static int count(const image *picture, pixel color, int64_t left, int64_t top, int64_t right,
                 int64_t bottom)
{
    int found = 0;
    for (int64_t y = top; y < bottom; y++)
        for (int64_t x = left; x < right; x++)
            found += memcmp(&picture->pixels[y * picture->width + x], &color, sizeof color) == 0;
    return found;
}

// there is less of an arrow in the half with its tip, and both sides are alike
static void test_directions(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    static const char *const facing[] = {"^", ">", "v", "<"};
    for (int i = 0; i < 4; i++) {
        drawn_world d;
        draw_world(&d, &config, "a#", facing[i], "...\n.1.\n...\n");
        const image picture =
            draw(d.world, (jbw_region){1, 1, 1, 1}, &(jbw_picture_options){.scale = SCALE});
        enum { HALF = SCALE / 2 };
        const int halves[] = {
            count(&picture, ink, 0, 0, SCALE, HALF), count(&picture, ink, HALF, 0, SCALE, SCALE),
            count(&picture, ink, 0, HALF, SCALE, SCALE), count(&picture, ink, 0, 0, HALF, SCALE)};
        assert_true(halves[i] * 3 < halves[(i + 2) % 4] * 2);
        assert_int_equal(halves[(i + 1) % 4], halves[(i + 3) % 4]);
        assert_int_equal(count(&picture, ink, SCALE / 2, SCALE / 2, SCALE / 2 + 1, SCALE / 2 + 1),
                         1);
        free(picture.pixels);
        erase_world(&d);
    }
}

static void test_places_and_kinds(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^^^", "1...2\n.....\n....3\n");
    const jbw_region region = {0, 0, 5, 3};
    jbw_picture_options options = {.scale = SCALE};
    const int64_t last = 4 * SCALE;
    image plain = draw(d.world, region, &options);
    const int whole = count(&plain, ink, 0, 0, SCALE, SCALE);
    assert_true(whole > 30);
    assert_int_equal(count(&plain, ink, last, 0, 5 * SCALE, SCALE), whole);
    assert_int_equal(count(&plain, ink, 2 * SCALE, SCALE, 3 * SCALE, 2 * SCALE), 0);
    free(plain.pixels);

    // an inactive agent is hollow, a followed one has another colour
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], false), JBW_OK);
    options.agent = d.agents[2];
    plain = draw(d.world, region, &options);
    assert_true(count(&plain, ink, 0, 0, SCALE, SCALE) < whole * 2 / 3);
    assert_int_equal(count(&plain, ink, last, 0, 5 * SCALE, SCALE), 0);
    assert_true(count(&plain, accent, last, 0, 5 * SCALE, SCALE) >= whole);
    free(plain.pixels);

    // the others can be hidden
    options.hide_agents = true;
    plain = draw(d.world, region, &options);
    assert_int_equal(count(&plain, ink, 0, 0, plain.width, plain.height), 0);
    assert_true(count(&plain, accent, last, 0, 5 * SCALE, SCALE) >= whole);
    free(plain.pixels);

    // agents outside leave nothing, or the part of a mark that reaches in
    options = (jbw_picture_options){.scale = 2};
    plain = draw(d.world, (jbw_region){1, 0, 3, 3}, &options);
    assert_true(count(&plain, ink, 0, 0, 2, 3) > 0);
    free(plain.pixels);
    plain = draw(d.world, (jbw_region){-40, -40, 20, 20}, &options);
    assert_int_equal(count(&plain, ink, 0, 0, plain.width, plain.height), 0);
    free(plain.pixels);
    erase_world(&d);
}

// in a world with bodies, agents have the colours of theirs, the first one, too
static void test_bodies(void **state)
{
    (void)state;
    static const double red[] = {1, 0, 0};
    static const double green[] = {0, 1, 0};
    static const double blue[] = {0, 0, 1};
    static const jbw_item_type apple = {.name = "Apple", .color = red};
    static const jbw_body scout = {.name = "Scout", .color = green};
    jbw_config config = drawn_config(&apple, 1);
    config.color_dimensions = 3;
    config.agent.color = blue;
    config.bodies = &scout;
    config.body_count = 1;
    drawn_world d;
    draw_world(&d, &config, "a", "^", "1..\n...\n");
    jbw_agent_id other;
    const jbw_agent_options options = {.has_position = true, .position = {2, 1}, .body = 1};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &other), JBW_OK);
    jbw_picture_options how = {.scale = SCALE};
    const jbw_region region = {0, 0, 3, 2};
    const pixel is_blue = {0, 0, 255};
    const pixel is_green = {0, 255, 0};
    image picture = draw(d.world, region, &how);
    const int whole = count(&picture, is_blue, 0, 0, SCALE, SCALE);
    assert_true(whole > 10);
    assert_int_equal(count(&picture, is_green, 2 * SCALE, 0, 3 * SCALE, SCALE), whole);
    assert_int_equal(count(&picture, is_green, 0, 0, SCALE, SCALE), 0);
    assert_int_equal(count(&picture, is_blue, SCALE / 2, SCALE / 2, SCALE / 2 + 1, SCALE / 2 + 1),
                     1);
    assert_true(count(&picture, ink, 0, 0, SCALE, SCALE) > 0);
    free(picture.pixels);

    // the followed one keeps its colour, and has the ring
    how.agent = other;
    picture = draw(d.world, region, &how);
    assert_int_equal(count(&picture, is_green, 2 * SCALE, 0, 3 * SCALE, SCALE), whole);
    assert_true(count(&picture, accent, 2 * SCALE, 0, 3 * SCALE, SCALE) > 0);
    free(picture.pixels);

    // hollow if it is inactive, with a rim of its colour
    assert_int_equal(jbw_agent_set_active(d.world, other, false), JBW_OK);
    picture = draw(d.world, region, &(jbw_picture_options){.scale = SCALE});
    const int rim = count(&picture, is_green, 2 * SCALE, 0, 3 * SCALE, SCALE);
    const int64_t middle = 2 * SCALE + SCALE / 2;
    assert_true(rim > 0);
    assert_int_equal(count(&picture, is_green, middle, SCALE / 2, middle + 1, SCALE / 2 + 1), 0);
    free(picture.pixels);
    erase_world(&d);
}

// a frame around the square, and shadow on what is behind the agent
static void test_sight(void **state)
{
    (void)state;
    jbw_config config = drawn_config(items, 2);
    config.agent.field_of_view = 90.0;
    drawn_world d;
    draw_world(&d, &config, "a#", ">",
               ".........\n.........\n.........\n.........\n....1....\n.........\n.........\n"
               ".........\n.........\n");
    const jbw_region region = {0, 0, 9, 9};
    const jbw_picture_options options = {.scale = SCALE, .agent = d.agents[1]};
    const image picture = draw(d.world, region, &options);
    // what is outside of the square, ahead, and behind: the middles of cells
    const int64_t row = (4 * SCALE + SCALE / 2) * picture.width;
    expect_pixel(picture.pixels[row + SCALE / 2], background, 0, 4);
    expect_pixel(picture.pixels[row + 6 * SCALE + SCALE / 2], background, 6, 4);
    assert_true(picture.pixels[row + 2 * SCALE + SCALE / 2].red < background.red - 20);
    // the frame: its corners
    const int64_t edge = SCALE * picture.width + SCALE;
    assert_true(picture.pixels[edge].blue < 60 && picture.pixels[edge].red > 200);
    assert_true(picture.pixels[edge - 1].blue > 200);
    free(picture.pixels);
    erase_world(&d);
}

static void test_no_such_agent(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    draw_world(&d, &config, "a#", "^", "1\n");
    uint8_t pixels[3 * 4 * 4];
    jbw_error error = {0};
    const jbw_picture_options options = {.scale = 4, .agent = {.index1 = 7}};
    assert_int_equal(jbw_picture_draw(d.world, (jbw_region){0, 0, 1, 1}, &options, pixels, &error),
                     JBW_NO_SUCH_AGENT);
    assert_string_not_equal(error.text, "");
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions),    cmocka_unit_test(test_places_and_kinds),
        cmocka_unit_test(test_bodies),        cmocka_unit_test(test_sight),
        cmocka_unit_test(test_no_such_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
