// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The path of an agent in a picture: lines, marks at both ends, and darker lines where it was
/// often.
#include "support/picture_scene.h"

#include <math.h>
#include <stdlib.h>

#include "io/draw/trail.h"
#include "support/allocations.h"
#include "support/random.h"

enum { SIDE = 48, PATH_SCALE = 4 }; // the region of these tests, in cells

static const jbw_region path_region = {-20, -24, SIDE, SIDE};

static pixel *draw_path(const picture_scene *s, int scale, const jbw_position *path, size_t count)
{
    const jbw_picture_options options = {.scale = scale, .path = path, .path_count = count};
    jbw_error error;
    if (jbw_picture_write_png(s->world, path_region, &options, s->path, &error))
        fail_msg("%s", error.text);
    return png_read_sized(s->path, (int64_t)SIDE * scale, (int64_t)SIDE * scale);
}

// where the centre of a cell is, in pixels
static void find_center(jbw_position at, double out[2])
{
    out[0] = ((double)(at.x - path_region.x) + 0.5) * PATH_SCALE;
    out[1] = ((double)(path_region.y + SIDE - 1 - at.y) + 0.5) * PATH_SCALE;
}

// whether a pixel lies within a pixel of a straight line between the centres of two cells
static bool is_on_line(const double a[2], const double b[2], double x, double y)
{
    return x > fmin(a[0], b[0]) - 1 && x < fmax(a[0], b[0]) + 1 && y > fmin(a[1], b[1]) - 1 &&
           y < fmax(a[1], b[1]) + 1;
}

static bool is_far(const double mark[2], double x, double y)
{
    return hypot(x - mark[0], y - mark[1]) > 10.0;
}

// Compares with a picture without a path: only the lines differ, and the marks at both ends.
static void expect_path(const picture_scene *s, const jbw_position *path, size_t count,
                        const jbw_position (*lines)[2], size_t line_count)
{
    pixel *plain = draw_path(s, PATH_SCALE, NULL, 0);
    pixel *drawn = draw_path(s, PATH_SCALE, path, count);
    double start[2];
    double end[2];
    find_center(path[0], start);
    find_center(path[count - 1], end);
    for (int row = 0; row < SIDE * PATH_SCALE; row++) {
        for (int column = 0; column < SIDE * PATH_SCALE; column++) {
            const int at = row * SIDE * PATH_SCALE + column;
            const double x = column + 0.5;
            const double y = row + 0.5;
            if (!is_far(start, x, y) || !is_far(end, x, y)) continue;
            bool is_line = false;
            for (size_t i = 0; i < line_count; i++) {
                double a[2];
                double b[2];
                find_center(lines[i][0], a);
                find_center(lines[i][1], b);
                is_line = is_line || is_on_line(a, b, x, y);
            }
            if ((memcmp(&plain[at], &drawn[at], sizeof *plain) != 0) != is_line)
                fail_msg("pixel %d, %d is %sdrawn over", column, row, is_line ? "not " : "");
        }
    }

    // the marks: a ring with a white centre, and a dark dot
    if (start[0] > 0 && start[1] > 0 && is_far(start, end[0], end[1])) {
        const pixel center = drawn[(int)start[1] * SIDE * PATH_SCALE + (int)start[0]];
        expect_pixel(center, (pixel){255, 255, 255}, (int)start[0], (int)start[1]);
    }
    if (end[0] > 0 && end[1] > 0) {
        const pixel dot = drawn[(int)end[1] * SIDE * PATH_SCALE + (int)end[0]];
        assert_true(dot.red < 40 && dot.green < 40 && dot.blue < 60);
    }
    free(plain);
    free(drawn);
}

static void test_lines(void **state)
{
    picture_scene *s = *state;

    // up cell by cell, with stops, then far to the right at once, and back down beside the first
    // line
    jbw_position path[64];
    size_t count = 0;
    for (int y = -20; y < 10; y++) path[count++] = (jbw_position){-15, y};
    path[count++] = (jbw_position){-15, 9};
    path[count++] = (jbw_position){-15, 9};
    path[count++] = (jbw_position){15, 9};
    path[count++] = (jbw_position){15, 8};
    path[count++] = (jbw_position){-14, 8};
    path[count++] = (jbw_position){-14, -8};
    const jbw_position lines[][2] = {{{-15, -20}, {-15, 9}},
                                     {{-15, 9}, {15, 9}},
                                     {{15, 9}, {15, 8}},
                                     {{15, 8}, {-14, 8}},
                                     {{-14, 8}, {-14, -8}}};
    expect_path(s, path, count, lines, 5);
}

static void test_corners(void **state)
{
    picture_scene *s = *state;

    // steps that are neither single cells nor straight become a staircase
    const jbw_position path[] = {{-18, 20}, {-6, 20}, {-4, 18}, {-4, 2}, {-1, 1}, {20, 1}};
    const jbw_position lines[][2] = {
        {{-18, 20}, {-6, 20}}, {{-6, 20}, {-6, 19}}, {{-6, 19}, {-5, 19}},
        {{-5, 19}, {-5, 18}},  {{-5, 18}, {-4, 18}}, {{-4, 18}, {-4, 2}},
        {{-4, 2}, {-3, 2}},    {{-3, 2}, {-3, 1}},   {{-3, 1}, {20, 1}}};
    expect_path(s, path, 6, lines, 9);
}

static void test_outside(void **state)
{
    picture_scene *s = *state;

    // out on one side, far around, and back in elsewhere; a jump is not a line
    const jbw_position path[] = {
        {0, 0},
        {0, 40},
        {40, 40},
        {40, -10},
        {10, -10},
        {INT64_MAX, INT64_MIN},
        {0, -20},
        {5, -20},
        {5, 100},
        {9, 20},
        {INT64_MIN, INT64_MAX},
        {-9, 15},
        {-9, 20},
        {-300, 20},
        {-300, 0},
        {-18, -20},
    };
    const jbw_position lines[][2] = {{{0, 0}, {0, 40}},
                                     {{40, -10}, {10, -10}},
                                     {{0, -20}, {5, -20}},
                                     {{9, 20}, {9, 20}},
                                     {{-9, 15}, {-9, 20}}};
    expect_path(s, path, 16, lines, 5);

    // entirely elsewhere, or empty
    pixel *plain = draw_path(s, 1, NULL, 7);
    const jbw_position away[] = {{100, 0}, {130, 0}, {130, 60}, {100, 60}};
    const jbw_position around[] = {{-100, -100}, {100, 100}};
    pixel *drawn[] = {draw_path(s, 1, away, 4), draw_path(s, 1, around, 2),
                      draw_path(s, 1, away, 0)};
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(drawn[i], plain, SIDE * SIDE * sizeof *plain);
        free(drawn[i]);
    }
    free(plain);
}

// how dark a cell is at one pixel per cell, on a uniform background
static int darkness(const pixel *pixels, jbw_position at)
{
    return 255 - pixels[(path_region.y + SIDE - 1 - at.y) * SIDE + at.x - path_region.x].green;
}

static void test_visits(void **state)
{
    picture_scene *s = *state;
    picture_scene_replace_world(s, "patch_size: 64\nagent: {vision_range: 1}\n");
    for (int y = -1; y < 1; y++)
        for (int x = -1; x < 1; x++)
            assert_int_equal(jbw_world_finalize_patch(s->world, (jbw_position){x, y}), JBW_OK);

    // the farther to the left, the more visits; standing still does not count
    jbw_position path[2000];
    size_t count = 0;
    path[count++] = (jbw_position){-19, 23}; // the mark is out of the way
    path[count++] = (jbw_position){200, 200};
    for (int turn = 0; turn < 40; turn++) {
        path[count++] = (jbw_position){-10, 0};
        for (int still = 0; still < 30; still++) {
            path[count] = path[count - 1];
            count++;
        }
        path[count++] = (jbw_position){-10 + turn / 2, 0};
    }
    path[count++] = (jbw_position){200, 200};
    pixel *pixels = draw_path(s, 1, path, count);
    const int once = darkness(pixels, (jbw_position){9, 0});
    const int some = darkness(pixels, (jbw_position){7, 0});
    const int often = darkness(pixels, (jbw_position){-9, 0});
    assert_true(once > 120 && once < some && some < often && often < 250);
    assert_int_equal(darkness(pixels, (jbw_position){10, 0}), 255 - background.green);
    assert_int_equal(darkness(pixels, (jbw_position){0, 1}), 255 - background.green);
    free(pixels);
}

// a single position, whose mark is cut by an edge of the picture
static void test_single_point(void **state)
{
    picture_scene *s = *state;
    const jbw_position points[] = {{-20, -24}, {27, -24}, {-20, 23}, {27, 23}, {0, 0}};
    for (int scale = 1; scale < 20; scale += 3) {
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            pixel *pixels = draw_path(s, scale, &points[i], 1);
            const int64_t x = (points[i].x - path_region.x) * scale + scale / 2;
            const int64_t y = (path_region.y + SIDE - 1 - points[i].y) * scale + scale / 2;
            expect_pixel(pixels[y * SIDE * scale + x], (pixel){16, 20, 36}, x, y);
            free(pixels);
        }
    }
}

static void test_long_path(void **state)
{
    picture_scene *s = *state;
    enum { COUNT = 1000000 };
    jbw_position *path = malloc(COUNT * sizeof *path);
    assert_non_null(path);
    uint64_t random = 1;
    path[0] = (jbw_position){0, 0};
    for (int i = 1; i < COUNT; i++) {
        const int step = random_below(&random, 2) ? 1 : -1;
        path[i] = path[i - 1];
        if (random_below(&random, 2))
            path[i].x += step;
        else
            path[i].y += step;
    }
    free(draw_path(s, 1, path, COUNT));
    free(path);
}

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {.fail_at = 1, .fail_count = 1};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    const jbw_region region = {-1000, -1000, 2000, 2000};
    const jbw_position path[] = {{0, 0}, {9, 0}, {9, 4}};
    jbw_trail trail;
    assert_false(jbw_trail_init(&trail, path, 3, 0, region, 4, &allocator));
    assert_int_equal(counting.block_count, 0);
    assert_true(jbw_trail_init(&trail, path, 3, 0, region, 4, &allocator));
    assert_int_equal(counting.byte_count, 10 * 5); // only what the path covers
    jbw_trail_deinit(&trail);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
#define TRAIL_TEST(test) \
    cmocka_unit_test_setup_teardown(test, picture_scene_open, picture_scene_close)
    const struct CMUnitTest tests[] = {
        TRAIL_TEST(test_lines),        TRAIL_TEST(test_corners),      TRAIL_TEST(test_outside),
        TRAIL_TEST(test_visits),       TRAIL_TEST(test_single_point), TRAIL_TEST(test_long_path),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
