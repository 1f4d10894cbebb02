// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures of worlds, compared with the world pixel by pixel.
#include "support/picture_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/drawing.h"

static pixel item_pixel(uint8_t item)
{
    static const pixel pixels[] = {{250, 249, 245}, {204, 51, 0}, {255, 0, 128}};
    return pixels[item];
}

static bool is_between(pixel found, pixel plain)
{
    return abs(found.red - plain.red) <= abs(224 - plain.red) + 2 &&
           abs(found.green - plain.green) <= abs(224 - plain.green) + 2;
}

static void test_pixels(void **state)
{
    picture_scene *s = *state;
    const jbw_region region = {-2 * PICTURE_PATCH + 3, -PICTURE_PATCH - 3, 4 * PICTURE_PATCH,
                               3 * PICTURE_PATCH + 2};
    const jbw_picture_options options = {.scale = 3};
    jbw_error error;
    const jbw_status status = jbw_picture_write_png(s->world, region, &options, s->path, &error);
    if (status) fail_msg("%s", error.text);

    static uint8_t items[16 * PICTURE_PATCH * PICTURE_PATCH];
    static uint8_t states[16 * PICTURE_PATCH * PICTURE_PATCH];
    assert_int_equal(jbw_world_read_region(s->world, region, items, states), JBW_OK);
    pixel *pixels = png_read_sized(s->path, region.width * 3, region.height * 3);
    int seen[3][3] = {{0}}; // by state and item
    for (int64_t row = 0; row < region.height * 3; row++) {
        for (int64_t column = 0; column < region.width * 3; column++) {
            // the top row of the picture is the highest y
            const int64_t cell = (region.height - 1 - row / 3) * region.width + column / 3;
            const pixel found = pixels[row * region.width * 3 + column];
            const pixel plain = item_pixel(items[cell]);
            seen[states[cell]][items[cell]]++;
            switch (states[cell]) {
            case JBW_PATCH_FINAL: expect_pixel(found, plain, column, row); break;
            case JBW_PATCH_SAMPLED:
                assert_memory_not_equal(&found, &plain, sizeof found);
                assert_true(is_between(found, plain));
                break;
            default: assert_true(found.red == 176 || found.red == 160); break;
            }
        }
    }
    free(pixels);
    for (int i = 0; i < 3; i++) assert_true(seen[JBW_PATCH_FINAL][i] > 0);
    for (int i = 0; i < 3; i++) assert_true(seen[JBW_PATCH_SAMPLED][i] > 0);
    assert_true(seen[JBW_PATCH_MISSING][0] > 0);
}

static void test_grid(void **state)
{
    picture_scene *s = *state;
    const jbw_region region = {0, 0, PICTURE_PATCH + 2, PICTURE_PATCH + 2};
    const int64_t width = region.width * 2;
    jbw_picture_options options = {.scale = 2};
    assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, NULL), JBW_OK);
    pixel *plain = png_read_sized(s->path, width, width);
    options.show_grid = true;
    assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, NULL), JBW_OK);
    pixel *lined = png_read_sized(s->path, width, width);
    for (int64_t row = 0; row < width; row++) {
        for (int64_t column = 0; column < width; column++) {
            // left and lower edges of patches
            const int64_t up = width - 1 - row;
            const bool is_line = column % (2 * PICTURE_PATCH) == 0 || up % (2 * PICTURE_PATCH) == 0;
            const int64_t at = row * width + column;
            assert_int_equal(memcmp(&plain[at], &lined[at], sizeof *plain) != 0, is_line);
        }
    }
    free(plain);
    free(lined);
}

// Up close an item is a shape in its own colour, with the background around it.
static void test_icons(void **state)
{
    picture_scene *s = *state;
    enum { SCALE = 24, WIDTH = PICTURE_PATCH * SCALE };
    const jbw_region region = {0, 0, PICTURE_PATCH, PICTURE_PATCH};
    const jbw_picture_options options = {.scale = SCALE};
    assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, NULL), JBW_OK);
    static uint8_t items[PICTURE_PATCH * PICTURE_PATCH];
    assert_int_equal(jbw_world_read_region(s->world, region, items, NULL), JBW_OK);
    pixel *pixels = png_read_sized(s->path, WIDTH, WIDTH);
    for (int y = 0; y < PICTURE_PATCH; y++) {
        for (int x = 0; x < PICTURE_PATCH; x++) {
            const pixel *cell = &pixels[(PICTURE_PATCH - 1 - y) * SCALE * WIDTH + x * SCALE];
            const pixel plain = item_pixel(items[y * PICTURE_PATCH + x]);
            expect_pixel(cell[SCALE / 2 * WIDTH + SCALE / 2], plain, x, y);
            expect_pixel(cell[WIDTH + SCALE - 2], background, x, y); // a corner
            int own = 0;
            for (int i = 0; i < SCALE * SCALE; i++)
                own += memcmp(&cell[i / SCALE * WIDTH + i % SCALE], &plain, sizeof plain) == 0;
            if (items[y * PICTURE_PATCH + x] == 0)
                assert_true(own > SCALE * SCALE * 9 / 10); // all but faint lines
            else
                assert_in_range(own, SCALE * SCALE / 10, SCALE * SCALE / 2);
        }
    }
    free(pixels);
}

// a cell is so large that only some rows of its icon are kept at a time
static void test_huge_icon(void **state)
{
    picture_scene *s = *state;
    static uint8_t items[PICTURE_PATCH * PICTURE_PATCH];
    const jbw_region patch = {0, 0, PICTURE_PATCH, PICTURE_PATCH};
    assert_int_equal(jbw_world_read_region(s->world, patch, items, NULL), JBW_OK);
    int at = 0;
    while (items[at] == 0) at++;
    enum { SMALL = 500, LARGE = 1500 };
    const jbw_region region = {at % PICTURE_PATCH, at / PICTURE_PATCH, 1, 1};
    uint8_t *small = malloc((size_t)3 * SMALL * SMALL);
    uint8_t *large = malloc((size_t)3 * LARGE * LARGE);
    assert_true(small && large);
    assert_int_equal(
        jbw_picture_draw(s->world, region, &(jbw_picture_options){.scale = SMALL}, small, NULL),
        JBW_OK);
    assert_int_equal(
        jbw_picture_draw(s->world, region, &(jbw_picture_options){.scale = LARGE}, large, NULL),
        JBW_OK);
    int different = 0;
    for (int y = 0; y < SMALL; y++)
        for (int x = 0; x < SMALL; x++)
            different += memcmp(&small[3 * (y * SMALL + x)],
                                &large[3 * ((3 * y + 1) * LARGE + 3 * x + 1)], 3) != 0;
    assert_true(different < SMALL * SMALL / 50); // only at edges
    free(small);
    free(large);
}

static void test_few_colors(void **state)
{
    picture_scene *s = *state;
    static const char *const texts[] = {
        "patch_size: 4\nscent_dimensions: 0\ncolor_dimensions: 1\nagent: {vision_range: 1}\n"
        "items: {Grey: {color: [0.4], intensity: 'Constant[50]'}}\n",
        "patch_size: 4\nscent_dimensions: 0\ncolor_dimensions: 2\nagent: {vision_range: 1}\n"
        "items: {Green: {color: [0.4, 0.8], intensity: 'Constant[50]'}}\n",
        "patch_size: 4\nscent_dimensions: 0\ncolor_dimensions: 5\nagent: {vision_range: 1}\n"
        "items: {Red: {color: [0.8, 0.4, 0.2, 1, 1], intensity: 'Constant[50]'}}\n",
    };
    static const pixel expected[] = {{102, 102, 102}, {102, 204, 0}, {204, 102, 51}};
    for (int i = 0; i < 3; i++) {
        picture_scene_replace_world(s, texts[i]);
        assert_int_equal(jbw_world_finalize_patch(s->world, (jbw_position){0, 0}), JBW_OK);
        const jbw_picture_options options = {.scale = 1};
        const jbw_region region = {0, 0, 4, 4};
        assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, NULL), JBW_OK);
        pixel *pixels = png_read_sized(s->path, 4, 4);
        for (int at = 0; at < 16; at++) expect_pixel(pixels[at], expected[i], at % 4, at / 4);
        free(pixels);
    }
}

// the pixel of a picture of one cell, in cells from its middle
static pixel pixel_near(const pixel *pixels, int scale, double x, double y)
{
    const int column = (int)((x + 0.5) * scale);
    const int row = (int)((0.5 - y) * scale);
    return pixels[row * scale + column];
}

static pixel *draw_cell(picture_scene *s, jbw_position cell, int scale)
{
    const jbw_picture_options options = {.scale = scale, .hide_agents = true};
    const jbw_region region = {cell.x, cell.y, 1, 1};
    assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, NULL), JBW_OK);
    return png_read_sized(s->path, scale, scale);
}

static void expect_from_afar(picture_scene *s, jbw_position cell, pixel expected)
{
    pixel *pixels = draw_cell(s, cell, 1);
    expect_pixel(pixels[0], expected, cell.x, cell.y);
    free(pixels);
}

// out of season: a pale outline, from far away a hint of the colour
static void test_hidden_items(void **state)
{
    picture_scene *s = *state;
    enum { SCALE = 40 };
    picture_scene_replace_world(
        s, "patch_size: 4\nscent_dimensions: 0\nagent: {vision_range: 1, actions: [NoOp]}\n"
           "items: {Red: {color: [0.8, 0.2, 0], intensity: 'Constant[50]',\n"
           "              season: {period: 4, from: 1, to: 3}}}\n");
    const jbw_position cell = {1, 1};
    assert_int_equal(jbw_world_finalize_patch(s->world, (jbw_position){0, 0}), JBW_OK);
    expect_from_afar(s, cell, (pixel){244, 223, 213});
    pixel *pixels = draw_cell(s, cell, SCALE); // a disc of radius 0.36
    const pixel inside = pixel_near(pixels, SCALE, 0, 0);
    const pixel line = pixel_near(pixels, SCALE, 0.335, 0);
    expect_pixel(pixel_near(pixels, SCALE, 0.4, 0.4), background, 0, 0);
    assert_true(inside.green > 230 && inside.green < background.green); // hardly more than paper
    assert_true(line.green > 100 && line.green < 170);                  // half of the colour
    free(pixels);

    assert_int_equal(jbw_world_step(s->world), JBW_OK); // now the season begins
    expect_from_afar(s, cell, (pixel){204, 51, 0});
}

// growing back: a sprout with a bud in the colour of the item
static void test_growing_items(void **state)
{
    picture_scene *s = *state;
    enum { SCALE = 40 };
    picture_scene_replace_world(s, "patch_size: 4\nscent_dimensions: 0\nagent: {vision_range: 1, "
                                   "actions: [MoveForward, NoOp]}\n"
                                   "items: {Red: {color: [0.8, 0.2, 0], intensity: 'Constant[50]', "
                                   "regrows: 'Constant[2]'}}\n");
    const jbw_agent_options options = {.has_position = true};
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(s->world, &options, &agent), JBW_OK);
    assert_int_equal(jbw_agent_act(s->world, agent, 0, NULL), JBW_OK); // collects what is above
    const jbw_position cell = {0, 1};
    expect_from_afar(s, cell, (pixel){224, 219, 200});
    pixel *pixels = draw_cell(s, cell, SCALE);
    expect_pixel(pixel_near(pixels, SCALE, 0, 0.19), (pixel){204, 51, 0}, 0, 0); // the bud
    expect_pixel(pixel_near(pixels, SCALE, 0.4, 0.4), background, 0, 0);
    const pixel stem = pixel_near(pixels, SCALE, 0, -0.3);
    const pixel leaf = pixel_near(pixels, SCALE, 0.25, -0.06);
    const pixel beside = pixel_near(pixels, SCALE, 0.25, -0.3);
    assert_true(stem.green > stem.red + 40 && stem.green > stem.blue + 40);
    assert_true(leaf.green > leaf.red + 40 && leaf.green > leaf.blue + 40);
    expect_pixel(beside, background, 0, 0);
    free(pixels);

    for (int i = 0; i < 2; i++) assert_int_equal(jbw_agent_act(s->world, agent, 1, NULL), JBW_OK);
    expect_from_afar(s, cell, (pixel){204, 51, 0});
}

static void test_no_items(void **state)
{
    picture_scene *s = *state;
    picture_scene_replace_world(s, "patch_size: 4\nagent: {vision_range: 1}\n");
    assert_int_equal(jbw_world_finalize_patch(s->world, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(jbw_picture_write_png(s->world, (jbw_region){0, 0, 4, 4}, NULL, s->path, NULL),
                     JBW_OK);
    pixel *pixels = png_read_sized(s->path, 16, 16); // four pixels per cell by default
    expect_pixel(pixels[0], background, 0, 0);
    free(pixels);
}

static void expect_refused(const picture_scene *s, jbw_region region, int scale, const char *text)
{
    const jbw_picture_options options = {.scale = scale};
    jbw_error error = {0};
    assert_int_equal(jbw_picture_write_png(s->world, region, &options, s->path, &error),
                     JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, text);
    assert_int_equal(jbw_picture_check(region, &options, NULL), JBW_INVALID_ARGUMENT);
    assert_int_not_equal(access(s->path, F_OK), 0);
}

static void test_bad_regions(void **state)
{
    picture_scene *s = *state;
    expect_refused(s, (jbw_region){0, 0, 0, 5}, 1,
                   "the region is 0 x 5 cells, expected at least 1 x 1");
    expect_refused(s, (jbw_region){0, 0, 5, -7}, 1,
                   "the region is 5 x -7 cells, expected at least 1 x 1");
    expect_refused(s, (jbw_region){0, 0, 1, 1}, 0, "the scale is 0, expected at least 1");
    expect_refused(s, (jbw_region){0, 0, 1 << 14, (1 << 14) + 1}, 1,
                   "a picture of 16384 x 16385 cells at 1 pixels per cell is too large, expected "
                   "at most 2^28 pixels, and 1000000 along a side");
    expect_refused(s, (jbw_region){0, 0, INT64_MAX, INT64_MAX}, 2147483647,
                   "a picture of 9223372036854775807 x 9223372036854775807 cells at 2147483647 "
                   "pixels per cell is too large, expected at most 2^28 pixels, and 1000000 along "
                   "a side");
    const jbw_region far = {INT64_MAX, INT64_MIN, 1, 1};
    assert_int_equal(jbw_picture_write_png(s->world, far, NULL, s->path, NULL), JBW_OUT_OF_RANGE);
    const int64_t end = JBW_MAX_COORDINATE;
    const jbw_region outside[] = {
        {-end - 1, 0, 1, 1}, {end, 0, 1, 1}, {0, -end - 1, 1, 1}, {0, end, 1, 1}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(jbw_picture_check(outside[i], NULL, NULL), JBW_OUT_OF_RANGE);
    const jbw_region flat[] = {{0, 0, 1000001, 1}, {0, 0, 1, 1000001}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_picture_check(flat[i], NULL, NULL), JBW_INVALID_ARGUMENT);
    const jbw_picture_options dressed = {.scale = 1, .show_legend = true};
    const jbw_region long_ones[] = {{0, 0, 100000, 1}, {0, 0, 1, 100000}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_picture_check(long_ones[i], &dressed, NULL), JBW_INVALID_ARGUMENT);
    const jbw_region edge = {JBW_MAX_COORDINATE - 10, -JBW_MAX_COORDINATE, 10, 10};
    assert_int_equal(jbw_picture_check(edge, NULL, NULL), JBW_OK);
}

static void test_files(void **state)
{
    picture_scene *s = *state;
    const jbw_region region = {-9, -9, 300, 300};
    jbw_error error;
    assert_int_equal(jbw_picture_write_png(s->world, region, NULL, "/dev/full", &error),
                     JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(jbw_picture_write_png(s->world, region, NULL, "/nowhere/x.png", &error),
                     JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/nowhere/x.png: cannot be written: No such file or directory");
    assert_int_equal(jbw_picture_write_png(s->world, region, NULL, s->folder.path, &error),
                     JBW_WRITE_FAILED);

    // a device stays a device
    assert_int_equal(jbw_picture_write_png(s->world, region, NULL, "/dev/null", &error), JBW_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));

    // an existing file is replaced and keeps its mode; a link stays a link
    assert_true(file_write(s->path, "old", 3));
    chmod(s->path, 0600);
    char link_path[PATH_SIZE];
    temporary_path(&s->folder, "link", link_path);
    assert_int_equal(symlink(s->path, link_path), 0);
    assert_int_equal(jbw_picture_write_png(s->world, region, NULL, link_path, &error), JBW_OK);
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(s->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    free(png_read_sized(s->path, 1200, 1200));
    remove(link_path);
}

static const double white[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = white},
    {.name = "Wall", .color = white, .blocks_movement = true},
};

static void test_in_memory(void **state)
{
    (void)state;
    const jbw_config config = drawn_config(items, 2);
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
    const uint8_t *empty = pixels + (size_t)3 * (WIDTH * SCALE * SCALE + SCALE);
    // a single colour dimension is a shade of grey
    for (int i = 0; i < 3; i++) assert_int_equal(wall[i], 255);
    for (int i = 0; i < 3; i++) assert_int_equal(apple[i], 255);
    assert_true(empty[2] < 255);
    const jbw_picture_options wrong = {.scale = 0};
    assert_int_equal(
        jbw_picture_draw(d.world, (jbw_region){0, 0, WIDTH, HEIGHT}, &wrong, pixels, &error),
        JBW_INVALID_ARGUMENT);
    erase_world(&d);
}

int main(void)
{
#define PICTURE_TEST(test) \
    cmocka_unit_test_setup_teardown(test, picture_scene_open, picture_scene_close)
    const struct CMUnitTest tests[] = {
        PICTURE_TEST(test_pixels),        PICTURE_TEST(test_grid),
        PICTURE_TEST(test_icons),         PICTURE_TEST(test_huge_icon),
        PICTURE_TEST(test_few_colors),    PICTURE_TEST(test_no_items),
        PICTURE_TEST(test_bad_regions),   PICTURE_TEST(test_files),
        PICTURE_TEST(test_hidden_items),  PICTURE_TEST(test_growing_items),
        cmocka_unit_test(test_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
