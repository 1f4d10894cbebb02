// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures: read back by libpng and compared, pixel by pixel, with what the world holds.
#include "support/allocations.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/draw/trail.h"
#include "jbw/jbw.h"
#include "support/random.h"

enum { PATCH = 8 };

typedef struct pixel {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} pixel;

static const pixel background = {250, 249, 245};

typedef struct fixture {
    jbw_model *model;
    jbw_world *world;
    char folder[32];
    char path[64];
} fixture;

// --- shared by the tests -------------------------------------------------------------------------

static void make_world(fixture *f, const char *text)
{
    jbw_config *config;
    jbw_error error;
    if (jbw_world_file_parse(text, strlen(text), "file", NULL, &config, &error))
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    assert_int_equal(jbw_model_create(config, &f->model, NULL), JBW_OK);
    jbw_config_free(config);
    assert_int_equal(jbw_world_create(f->model, 1, &f->world), JBW_OK);
}

static void end_world(fixture *f)
{
    jbw_world_destroy(f->world);
    jbw_model_destroy(f->model);
    f->world = NULL;
    f->model = NULL;
}

// one final patch, its neighbours not final, and nothing beyond
static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return 1;
    strcpy(f->folder, "/tmp/jbw_test_XXXXXX");
    if (!mkdtemp(f->folder)) return 1;
    snprintf(f->path, sizeof f->path, "%s/picture.png", f->folder);
    make_world(f, "patch_size: 8\nmh_iterations: 2000\nscent_dimensions: 0\n"
                  "agent: {vision_range: 3}\n"
                  "items:\n"
                  "  Red: {color: [0.8, 0.2, 0], intensity: 'Constant[-1]'}\n"
                  "  Loud: {color: [2, -1, 0.5], intensity: 'Constant[-1]'}\n");
    assert_int_equal(jbw_world_finalize_patch(f->world, (jbw_position){0, 0}), JBW_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    end_world(f);
    remove(f->path);
    const int result = rmdir(f->folder); // fails if a picture left anything behind
    free(f);
    return result;
}

static pixel *read_png(const char *path, int64_t width, int64_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) fail_msg("%s", image.message);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGB;
    pixel *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) fail_msg("%s", image.message);
    return pixels;
}

static void expect_pixel(pixel found, pixel expected, int64_t x, int64_t y)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("pixel %lld, %lld is %d %d %d, expected %d %d %d", (long long)x, (long long)y,
                 found.red, found.green, found.blue, expected.red, expected.green, expected.blue);
}

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

// --- tests --------------------------------------------------------------------------------------

static void test_pixels(void **state)
{
    fixture *f = *state;
    const jbw_region region = {-2 * PATCH + 3, -PATCH - 3, 4 * PATCH, 3 * PATCH + 2};
    const jbw_picture_options options = {.scale = 3};
    jbw_error error;
    const jbw_status status = jbw_picture_write_png(f->world, region, &options, f->path, &error);
    if (status) fail_msg("%s", error.text);

    static uint8_t items[16 * PATCH * PATCH];
    static uint8_t states[16 * PATCH * PATCH];
    assert_int_equal(jbw_world_read_region(f->world, region, items, states), JBW_OK);
    pixel *pixels = read_png(f->path, region.width * 3, region.height * 3);
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
    fixture *f = *state;
    const jbw_region region = {0, 0, PATCH + 2, PATCH + 2};
    const int64_t width = region.width * 2;
    jbw_picture_options options = {.scale = 2};
    assert_int_equal(jbw_picture_write_png(f->world, region, &options, f->path, NULL), JBW_OK);
    pixel *plain = read_png(f->path, width, width);
    options.show_grid = true;
    assert_int_equal(jbw_picture_write_png(f->world, region, &options, f->path, NULL), JBW_OK);
    pixel *lined = read_png(f->path, width, width);
    for (int64_t row = 0; row < width; row++) {
        for (int64_t column = 0; column < width; column++) {
            // left and lower edges of patches
            const int64_t up = width - 1 - row;
            const bool is_line = column % (2 * PATCH) == 0 || up % (2 * PATCH) == 0;
            const int64_t at = row * width + column;
            assert_int_equal(memcmp(&plain[at], &lined[at], sizeof *plain) != 0, is_line);
        }
    }
    free(plain);
    free(lined);
}

static void test_outline(void **state)
{
    fixture *f = *state;
    const jbw_region region = {0, 0, PATCH, PATCH};
    const jbw_picture_options options = {.scale = 5};
    assert_int_equal(jbw_picture_write_png(f->world, region, &options, f->path, NULL), JBW_OK);
    static uint8_t items[PATCH * PATCH];
    assert_int_equal(jbw_world_read_region(f->world, region, items, NULL), JBW_OK);
    pixel *pixels = read_png(f->path, PATCH * 5, PATCH * 5);
    for (int y = 0; y < PATCH; y++) {
        for (int x = 0; x < PATCH; x++) {
            const pixel *corner = &pixels[(PATCH - 1 - y) * 5 * PATCH * 5 + x * 5];
            const pixel plain = item_pixel(items[y * PATCH + x]);
            expect_pixel(corner[2 * PATCH * 5 + 2], plain, x, y);
            assert_int_equal(memcmp(corner, &plain, sizeof plain) != 0, items[y * PATCH + x] != 0);
        }
    }
    free(pixels);
}

static void test_few_colors(void **state)
{
    fixture *f = *state;
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
        end_world(f);
        make_world(f, texts[i]);
        assert_int_equal(jbw_world_finalize_patch(f->world, (jbw_position){0, 0}), JBW_OK);
        const jbw_picture_options options = {.scale = 1};
        const jbw_region region = {0, 0, 4, 4};
        assert_int_equal(jbw_picture_write_png(f->world, region, &options, f->path, NULL), JBW_OK);
        pixel *pixels = read_png(f->path, 4, 4);
        for (int at = 0; at < 16; at++) expect_pixel(pixels[at], expected[i], at % 4, at / 4);
        free(pixels);
    }
}

static void test_no_items(void **state)
{
    fixture *f = *state;
    end_world(f);
    make_world(f, "patch_size: 4\nagent: {vision_range: 1}\n");
    assert_int_equal(jbw_world_finalize_patch(f->world, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(jbw_picture_write_png(f->world, (jbw_region){0, 0, 4, 4}, NULL, f->path, NULL),
                     JBW_OK);
    pixel *pixels = read_png(f->path, 16, 16); // four pixels per cell if nothing else is asked for
    expect_pixel(pixels[0], background, 0, 0);
    free(pixels);
}

static void expect_refused(const fixture *f, jbw_region region, int scale, const char *text)
{
    const jbw_picture_options options = {.scale = scale};
    jbw_error error = {0};
    assert_int_equal(jbw_picture_write_png(f->world, region, &options, f->path, &error),
                     JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, text);
    assert_int_equal(jbw_picture_check(region, &options, NULL), JBW_INVALID_ARGUMENT);
    assert_int_not_equal(access(f->path, F_OK), 0);
}

static void test_bad_regions(void **state)
{
    fixture *f = *state;
    expect_refused(f, (jbw_region){0, 0, 0, 5}, 1,
                   "the region is 0 x 5 cells, expected at least 1 x 1");
    expect_refused(f, (jbw_region){0, 0, 5, -7}, 1,
                   "the region is 5 x -7 cells, expected at least 1 x 1");
    expect_refused(f, (jbw_region){0, 0, 1, 1}, 0, "the scale is 0, expected at least 1");
    expect_refused(f, (jbw_region){0, 0, 1 << 14, (1 << 14) + 1}, 1,
                   "a picture of 16384 x 16385 cells at 1 pixels per cell is too large, expected "
                   "at most 2^28 pixels, and 1000000 along a side");
    expect_refused(f, (jbw_region){0, 0, INT64_MAX, INT64_MAX}, 2147483647,
                   "a picture of 9223372036854775807 x 9223372036854775807 cells at 2147483647 "
                   "pixels per cell is too large, expected at most 2^28 pixels, and 1000000 along "
                   "a side");
    const jbw_region far = {INT64_MAX, INT64_MIN, 1, 1};
    assert_int_equal(jbw_picture_write_png(f->world, far, NULL, f->path, NULL), JBW_OUT_OF_RANGE);
    const jbw_region edge = {JBW_MAX_COORDINATE - 10, -JBW_MAX_COORDINATE, 10, 10};
    assert_int_equal(jbw_picture_check(edge, NULL, NULL), JBW_OK);
}

static void test_files(void **state)
{
    fixture *f = *state;
    const jbw_region region = {-9, -9, 300, 300};
    jbw_error error;
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, "/dev/full", &error),
                     JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, "/nowhere/x.png", &error),
                     JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/nowhere/x.png: cannot be written: No such file or directory");
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, f->folder, &error),
                     JBW_WRITE_FAILED);

    // a device stays what it is
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, "/dev/null", &error), JBW_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));

    // a file that is there is replaced and keeps its mode; a link stays a link
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
    chmod(f->path, 0600);
    char link_path[64];
    snprintf(link_path, sizeof link_path, "%s/link", f->folder);
    assert_int_equal(symlink(f->path, link_path), 0);
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, link_path, &error), JBW_OK);
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(f->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    free(read_png(f->path, 1200, 1200));
    remove(link_path);
}

// --- paths --------------------------------------------------------------------------------------

enum { SIDE = 48, PATH_SCALE = 4 }; // the region of these tests, in cells

static const jbw_region path_region = {-20, -24, SIDE, SIDE};

static pixel *draw_path(const fixture *f, int scale, const jbw_position *path, size_t count)
{
    const jbw_picture_options options = {.scale = scale, .path = path, .path_count = count};
    jbw_error error;
    if (jbw_picture_write_png(f->world, path_region, &options, f->path, &error))
        fail_msg("%s", error.text);
    return read_png(f->path, (int64_t)SIDE * scale, (int64_t)SIDE * scale);
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

// Compares with a picture that has no path: only the lines differ, and near both ends the marks.
static void expect_path(const fixture *f, const jbw_position *path, size_t count,
                        const jbw_position (*lines)[2], size_t line_count)
{
    pixel *plain = draw_path(f, PATH_SCALE, NULL, 0);
    pixel *drawn = draw_path(f, PATH_SCALE, path, count);
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

    // the marks: a ring with a white heart, and a dark dot
    if (start[0] > 0 && start[1] > 0 && is_far(start, end[0], end[1])) {
        const pixel heart = drawn[(int)start[1] * SIDE * PATH_SCALE + (int)start[0]];
        expect_pixel(heart, (pixel){255, 255, 255}, (int)start[0], (int)start[1]);
    }
    if (end[0] > 0 && end[1] > 0) {
        const pixel dot = drawn[(int)end[1] * SIDE * PATH_SCALE + (int)end[0]];
        assert_true(dot.red < 40 && dot.green < 40 && dot.blue < 60);
    }
    free(plain);
    free(drawn);
}

static void test_path(void **state)
{
    fixture *f = *state;

    // cell by cell up, with stops, then far to the right at once, and down beside the way it came
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
    expect_path(f, path, count, lines, 5);
}

static void test_path_corners(void **state)
{
    fixture *f = *state;

    // neither cell by cell nor straight: a staircase
    const jbw_position path[] = {{-18, 20}, {-6, 20}, {-4, 18}, {-4, 2}, {-1, 1}, {20, 1}};
    const jbw_position lines[][2] = {
        {{-18, 20}, {-6, 20}}, {{-6, 20}, {-6, 19}}, {{-6, 19}, {-5, 19}},
        {{-5, 19}, {-5, 18}},  {{-5, 18}, {-4, 18}}, {{-4, 18}, {-4, 2}},
        {{-4, 2}, {-3, 2}},    {{-3, 2}, {-3, 1}},   {{-3, 1}, {20, 1}}};
    expect_path(f, path, 6, lines, 9);
}

static void test_path_outside(void **state)
{
    fixture *f = *state;

    // out on one side, far around, and in again elsewhere; a jump is not a line
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
    expect_path(f, path, 16, lines, 5);

    // all of it is elsewhere, or there is none
    pixel *plain = draw_path(f, 1, NULL, 7);
    const jbw_position away[] = {{100, 0}, {130, 0}, {130, 60}, {100, 60}};
    const jbw_position around[] = {{-100, -100}, {100, 100}};
    pixel *drawn[] = {draw_path(f, 1, away, 4), draw_path(f, 1, around, 2),
                      draw_path(f, 1, away, 0)};
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(drawn[i], plain, SIDE * SIDE * sizeof *plain);
        free(drawn[i]);
    }
    free(plain);
}

// how dark a cell is at one pixel per cell; what is below is the same in all of them
static int darkness(const pixel *pixels, jbw_position at)
{
    return 255 - pixels[(path_region.y + SIDE - 1 - at.y) * SIDE + at.x - path_region.x].green;
}

static void test_path_visits(void **state)
{
    fixture *f = *state;
    end_world(f);
    make_world(f, "patch_size: 64\nagent: {vision_range: 1}\n");
    for (int y = -1; y < 1; y++)
        for (int x = -1; x < 1; x++)
            assert_int_equal(jbw_world_finalize_patch(f->world, (jbw_position){x, y}), JBW_OK);

    // the nearer to the left, the more often; standing still does not count
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
    pixel *pixels = draw_path(f, 1, path, count);
    const int once = darkness(pixels, (jbw_position){9, 0});
    const int some = darkness(pixels, (jbw_position){7, 0});
    const int often = darkness(pixels, (jbw_position){-9, 0});
    assert_true(once > 120 && once < some && some < often && often < 250);
    assert_int_equal(darkness(pixels, (jbw_position){10, 0}), 255 - background.green);
    assert_int_equal(darkness(pixels, (jbw_position){0, 1}), 255 - background.green);
    free(pixels);
}

// a single position, and a mark that is cut by each edge of the picture
static void test_path_point(void **state)
{
    fixture *f = *state;
    const jbw_position points[] = {{-20, -24}, {27, -24}, {-20, 23}, {27, 23}, {0, 0}};
    for (int scale = 1; scale < 20; scale += 3) {
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            pixel *pixels = draw_path(f, scale, &points[i], 1);
            const int64_t x = (points[i].x - path_region.x) * scale + scale / 2;
            const int64_t y = (path_region.y + SIDE - 1 - points[i].y) * scale + scale / 2;
            expect_pixel(pixels[y * SIDE * scale + x], (pixel){16, 20, 36}, x, y);
            free(pixels);
        }
    }
}

static void test_long_path(void **state)
{
    fixture *f = *state;
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
    free(draw_path(f, 1, path, COUNT));
    free(path);
}

static void test_path_memory(void **state)
{
    (void)state;
    counting_allocator counting = {.fail_at = 1, .fail_count = 1};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    const jbw_region region = {-1000, -1000, 2000, 2000};
    const jbw_position path[] = {{0, 0}, {9, 0}, {9, 4}};
    jbw_trail trail;
    assert_false(jbw_trail_init(&trail, path, 3, region, 4, &allocator));
    assert_int_equal(counting.block_count, 0);
    assert_true(jbw_trail_init(&trail, path, 3, region, 4, &allocator));
    assert_int_equal(counting.byte_count, 10 * 5); // only what the path touches
    jbw_trail_deinit(&trail);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
#define PICTURE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PICTURE_TEST(test_pixels),       PICTURE_TEST(test_grid),
        PICTURE_TEST(test_outline),      PICTURE_TEST(test_few_colors),
        PICTURE_TEST(test_no_items),     PICTURE_TEST(test_bad_regions),
        PICTURE_TEST(test_files),        PICTURE_TEST(test_path),
        PICTURE_TEST(test_path_corners), PICTURE_TEST(test_path_outside),
        PICTURE_TEST(test_path_visits),  PICTURE_TEST(test_path_point),
        PICTURE_TEST(test_long_path),    cmocka_unit_test(test_path_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
