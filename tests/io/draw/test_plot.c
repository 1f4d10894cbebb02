// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whole plots, read back from their files.
#include "support/picture_scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/draw/canvas.h"
#include "support/allocations.h"

static const jbw_color white = {255, 255, 255};
static const jbw_color red = {230, 0, 0};
static const jbw_color green = {0, 200, 0};

typedef struct fixture {
    temporary_folder folder;
    char path[PATH_SIZE];
    pixel *pixels; // of the last plot
    int width;
    int height;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f || !temporary_folder_create(&f->folder)) return 1;
    temporary_path(&f->folder, "plot.png", f->path);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    remove(f->path);
    const bool is_removed = temporary_folder_remove(&f->folder); // unless a plot left files behind
    free(f->pixels);
    free(f);
    return is_removed ? 0 : 1;
}

// draws a plot and reads it back
static void draw(fixture *f, const jbw_plot *plot)
{
    jbw_error error;
    if (jbw_plot_write_png(plot, f->path, &error)) fail_msg("%s", error.text);
    free(f->pixels);
    f->pixels = png_read(f->path, &f->width, &f->height);
    assert_int_equal(f->width, plot->width ? plot->width : 1200);
    assert_int_equal(f->height, plot->height ? plot->height : 675);
}

static bool is_near(pixel found, jbw_color color)
{
    return abs(found.red - color.red) < 40 && abs(found.green - color.green) < 40 &&
           abs(found.blue - color.blue) < 40;
}

// the pixels near a colour in columns [from, to), and the rows they span
static int count_color(const fixture *f, jbw_color color, int from, int to, int rows[2])
{
    int count = 0;
    rows[0] = f->height;
    rows[1] = 0;
    for (int y = 0; y < f->height; y++) {
        for (int x = from; x < to; x++) {
            if (!is_near(f->pixels[y * f->width + x], color)) continue;
            count++;
            if (y < rows[0]) rows[0] = y;
            rows[1] = y + 1;
        }
    }
    return count;
}

static int count_all(const fixture *f, jbw_color color)
{
    int rows[2];
    return count_color(f, color, 0, f->width, rows);
}

// --- plots --------------------------------------------------------------------------------------

static void test_lines(void **state)
{
    fixture *f = *state;
    const double x[] = {0, 1};
    const double up[] = {0, 1};
    const double half[] = {0.5, 0.5};
    const jbw_plot_series series[] = {{.x = x, .y = up, .count = 2, .color = red},
                                      {.x = x, .y = half, .count = 2, .color = green}};
    const jbw_plot plot = {.series = series, .series_count = 2};
    draw(f, &plot);

    // one line rises from left to right, the other is flat in the middle
    int left[2];
    int right[2];
    int flat[2];
    assert_true(count_color(f, red, 200, 220, left) > 20);
    assert_true(count_color(f, red, 1000, 1020, right) > 20);
    assert_true(right[1] < left[0] - 300);
    assert_true(count_color(f, green, 200, 1000, flat) > 1500);
    assert_true(flat[1] - flat[0] <= 3);
    assert_true(abs((flat[0] + flat[1]) - (left[0] + right[1])) < 160);

    // drawn alone it has no gaps
    draw(f, &(jbw_plot){.series = series, .series_count = 1});
    for (int at = 200; at < 1000; at++) {
        int rows[2];
        assert_true(count_color(f, red, at, at + 1, rows) >= 1);
    }
}

static void test_gaps_and_dots(void **state)
{
    fixture *f = *state;
    const double y[] = {1, 1, NAN, 1, INFINITY, 1, 1, -INFINITY, 1e301, 1};
    const jbw_plot_series series = {.y = y, .count = 10, .color = red};
    const jbw_plot plot = {.series = &series, .series_count = 1};
    draw(f, &plot);

    // from left to right: a line, a dot, a line, a dot
    int lengths[8] = {0};
    int count = 0;
    bool was_red = false;
    for (int x = 0; x < f->width; x++) {
        int rows[2];
        const bool is_red = count_color(f, red, x, x + 1, rows) > 0;
        if (is_red && !was_red && count < 8) count++;
        if (is_red) lengths[count - 1]++;
        was_red = is_red;
    }
    assert_int_equal(count, 4);
    assert_true(lengths[0] > 80 && lengths[2] > 80);
    assert_true(lengths[1] >= 4 && lengths[1] < 12);
    assert_true(lengths[3] >= 3 && lengths[3] < 12); // at the very end
}

// the line is visible whatever the numbers are
static void test_extremes(void **state)
{
    fixture *f = *state;
    static const double values[][3] = {
        {0, 0, 0},
        {7, 7, 7},
        {-7, -7, -7},
        {1e300, -1e300, 1e300},
        {1e-300, 2e-300, 0},
        {5e-324, 0, 5e-324},
        {1e15, 1e15 + 1, 1e15},
        {-1e-9, -3e-9, -2e-9},
        {DBL_MAX, 1, 2},
        {123456789, 123456790, 123456791},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (int is_turned = 0; is_turned < 2; is_turned++) {
            static const double plain[] = {0, 1, 2};
            const jbw_plot_series series = {.name = "numbers",
                                            .x = is_turned ? values[i] : plain,
                                            .y = is_turned ? plain : values[i],
                                            .count = 3,
                                            .color = red};
            const jbw_plot plot = {
                .x_label = "x", .y_label = "y", .series = &series, .series_count = 1};
            draw(f, &plot);
            assert_true(count_all(f, red) > 200);
        }
    }
    const double one = 3;
    const jbw_plot_series point = {.x = &one, .y = &one, .count = 1, .color = red};
    draw(f, &(jbw_plot){.series = &point, .series_count = 1});
    assert_true(count_all(f, red) > 20 && count_all(f, red) < 60);

    // nothing to draw, in three ways
    const double none = NAN;
    const jbw_plot_series empty[] = {{.name = "nothing", .color = red},
                                     {.y = &none, .count = 1, .color = red}};
    draw(f, &(jbw_plot){0});
    draw(f, &(jbw_plot){.title = "", .series = empty, .series_count = 2});
    assert_true(count_all(f, red) > 40); // in the legend
}

// with many points per column of pixels, every extreme is visible
static void test_many_points(void **state)
{
    fixture *f = *state;
    enum { COUNT = 1000000 };
    double *y = malloc(COUNT * sizeof *y);
    assert_non_null(y);
    for (int i = 0; i < COUNT; i++) y[i] = i % 2 ? -1 : 1;
    y[COUNT / 2] = 3; // one alone
    const jbw_plot_series series = {.y = y, .count = COUNT, .color = red};
    draw(f, &(jbw_plot){.series = &series, .series_count = 1});
    free(y);
    int all[2];
    int side[2];
    assert_true(count_color(f, red, 0, f->width, all) > 100000);
    count_color(f, red, 200, 300, side);
    assert_int_equal(side[1], all[1]);
    assert_true(all[0] < side[0] - 200);
    int peak[2];
    int first = 0;
    while (count_color(f, red, first, first + 1, peak) == 0 || peak[0] != all[0]) first++;
    assert_true(abs(first - f->width / 2) < 60);
}

static void test_marks(void **state)
{
    fixture *f = *state;
    const jbw_color mark = {132, 138, 152};
    const double y[] = {0, 1};
    const jbw_plot_series series = {.y = y, .count = 2, .color = red};
    jbw_plot_mark marks[] = {{0.5, NULL}, {NAN, "never"}, {7, "too late"}, {INFINITY, NULL}};
    jbw_plot plot = {.series = &series, .series_count = 1};
    draw(f, &plot);
    const int without = count_all(f, mark);
    plot.marks = marks;
    plot.mark_count = 4;
    draw(f, &plot);
    const int with = count_all(f, mark);
    assert_true(with > without + 100 && with < without + 800);

    // labels need space: the frame starts further down, but only if a label is drawn
    int rows[2][2];
    count_color(f, red, 0, f->width, rows[0]);
    marks[0].label = "switch";
    draw(f, &plot);
    count_color(f, red, 0, f->width, rows[1]);
    assert_true(rows[1][0] > rows[0][0] + 10);

    // very many marks with long labels
    static jbw_plot_mark many[2000];
    for (int i = 0; i < 2000; i++) many[i] = (jbw_plot_mark){i % 50 * 0.02, "a rather long label"};
    plot.marks = many;
    plot.mark_count = 2000;
    draw(f, &plot);
}

static void test_sizes_and_texts(void **state)
{
    fixture *f = *state;
    static char text[3000];
    memset(text, 'W', sizeof text - 1);
    const double y[] = {1000, 2000000};
    jbw_plot_series series[100];
    for (int i = 0; i < 100; i++)
        series[i] = (jbw_plot_series){.name = i % 3 ? "name" : text, .y = y, .count = 2};
    jbw_plot plot = {
        .title = text, .x_label = text, .y_label = text, .series = series, .series_count = 100};
    static const int sizes[][2] = {{320, 200}, {16384, 200}, {320, 3000}, {0, 0}, {2400, 1350}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        plot.width = sizes[i][0];
        plot.height = sizes[i][1];
        draw(f, &plot);
    }

    // lines without a colour get different ones
    plot = (jbw_plot){.series = series, .series_count = 1};
    draw(f, &plot);
    const int blue_count = count_all(f, (jbw_color){0, 104, 182});
    assert_true(blue_count > 500);
    series[0].count = 0;
    plot.series_count = 2;
    draw(f, &plot);
    assert_true(count_all(f, (jbw_color){216, 88, 0}) > 500);
}

// --- failures -----------------------------------------------------------------------------------

static void expect_refused(const fixture *f, const jbw_plot *plot, const char *text)
{
    jbw_error error = {0};
    assert_int_equal(jbw_plot_write_png(plot, f->path, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, text);
    assert_int_equal(jbw_plot_write_png(plot, f->path, NULL), JBW_INVALID_ARGUMENT);
    assert_int_not_equal(access(f->path, F_OK), 0);
}

static void test_refused(void **state)
{
    const fixture *f = *state;
    expect_refused(f, &(jbw_plot){.width = 319},
                   "the plot is 319 x 675 pixels, expected at least 320 x 200 and at most 16384 x "
                   "16384");
    expect_refused(f, &(jbw_plot){.height = -1},
                   "the plot is 1200 x -1 pixels, expected at least 320 x 200 and at most 16384 x "
                   "16384");
    expect_refused(f, &(jbw_plot){.width = 100000},
                   "the plot is 100000 x 675 pixels, expected at least 320 x 200 and at most 16384 "
                   "x 16384");
    const jbw_plot_series series[] = {{.count = 0}, {.count = 1}};
    expect_refused(f, &(jbw_plot){.series = series, .series_count = 2},
                   "series 1 of the plot has no values");
}

static void test_files(void **state)
{
    fixture *f = *state;
    const jbw_plot plot = {.title = "title"};
    jbw_error error;
    assert_int_equal(jbw_plot_write_png(&plot, "/dev/full", &error), JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(jbw_plot_write_png(&plot, "/nowhere/x.png", &error), JBW_WRITE_FAILED);
    assert_string_equal(error.text, "/nowhere/x.png: cannot be written: No such file or directory");
    assert_int_equal(jbw_plot_write_png(&plot, f->folder.path, NULL), JBW_WRITE_FAILED);
    draw(f, &plot);
    draw(f, &plot); // over an existing file
}

static void test_memory(void **state)
{
    const fixture *f = *state;
    counting_allocator counting = {.fail_count = SIZE_MAX};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t fail_at = 1; status; fail_at++) {
        assert_true(fail_at < 20);
        counting.call_count = 0;
        counting.fail_at = fail_at;
        jbw_canvas canvas;
        if (jbw_canvas_init(&canvas, 30, 20, white, &allocator)) {
            jbw_error error = {0};
            status = jbw_canvas_write_png(&canvas, f->path, &error);
            if (status) {
                assert_int_equal(status, JBW_OUT_OF_MEMORY);
                assert_string_equal(error.text, jbw_status_text(JBW_OUT_OF_MEMORY));
                assert_int_not_equal(access(f->path, F_OK), 0);
            }
            jbw_canvas_deinit(&canvas);
        }
        assert_int_equal(counting.block_count, 0);
    }
    assert_int_equal(access(f->path, F_OK), 0);
}

int main(void)
{
#define PLOT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PLOT_TEST(test_lines),       PLOT_TEST(test_gaps_and_dots), PLOT_TEST(test_extremes),
        PLOT_TEST(test_many_points), PLOT_TEST(test_marks),         PLOT_TEST(test_sizes_and_texts),
        PLOT_TEST(test_refused),     PLOT_TEST(test_files),         PLOT_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
