// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures: read back by libpng and compared, pixel by pixel, with what the world holds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jbw/jbw.h"

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
    assert_string_equal(error.text, "/dev/full cannot be written: No space left on device");
    assert_int_equal(jbw_picture_write_png(f->world, region, NULL, "/nowhere/x.png", &error),
                     JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/nowhere/x.png cannot be written: No such file or directory");
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

int main(void)
{
#define PICTURE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PICTURE_TEST(test_pixels),     PICTURE_TEST(test_grid),     PICTURE_TEST(test_outline),
        PICTURE_TEST(test_few_colors), PICTURE_TEST(test_no_items), PICTURE_TEST(test_bad_regions),
        PICTURE_TEST(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
