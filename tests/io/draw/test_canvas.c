// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What plots are made of: round numbers along axes, strokes against distances worked out pixel by
/// pixel, and letters.
#include "support/checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/draw/axis.h"
#include "io/draw/canvas_text.h"

static const jbw_color white = {255, 255, 255};
static const jbw_color black = {0, 0, 0};

// --- axes ---------------------------------------------------------------------------------------

// the labels of an axis, parted by spaces
static const char *labels(double low, double high, int most_ticks, bool is_loose)
{
    static char text[1024];
    const jbw_axis axis = jbw_axis_make(low, high, most_ticks, is_loose);
    text[0] = '\0';
    for (int i = 0; i < axis.tick_count; i++) {
        char label[JBW_AXIS_LABEL_SIZE];
        jbw_axis_label(&axis, i, label);
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "", label);
    }
    return text;
}

static void test_labels(void **state)
{
    (void)state;
    assert_string_equal(labels(0, 1, 5, false), "0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(labels(0, 1.2e6, 7, false), "0 200k 400k 600k 800k 1M 1.2M");
    assert_string_equal(labels(0, 5e6, 10, false), "0 500k 1M 1.5M 2M 2.5M 3M 3.5M 4M 4.5M 5M");
    assert_string_equal(labels(0, 2000, 5, false), "0 500 1000 1500 2000");
    assert_string_equal(labels(0, 20000, 5, false), "0 5k 10k 15k 20k");
    assert_string_equal(labels(0, 3e9, 4, false), "0 1G 2G 3G");
    assert_string_equal(labels(-0.3, 0.17, 6, true), "-0.3 -0.2 -0.1 0 0.1 0.2");
    assert_string_equal(labels(0.012, 0.049, 5, true), "0.01 0.02 0.03 0.04 0.05");
    assert_string_equal(labels(-30, -10, 2, true), "-30 -20 -10");
    assert_string_equal(labels(0, 2.5e13, 5, false), "0 5e12 1e13 1.5e13 2e13 2.5e13");
    assert_string_equal(labels(0, 3e-7, 3, false), "0 1e-7 2e-7 3e-7");
    assert_string_equal(labels(-1e300, 1e300, 4, true), "-1e300 -5e299 0 5e299 1e300");
    assert_string_equal(labels(1e6, 1000010, 2, false), "1M 1.000005M 1.00001M");

    // round numbers that are nearly reached
    assert_string_equal(labels(1, 999999, 5, false), "0 200k 400k 600k 800k 1M");
    assert_string_equal(labels(3, 97, 5, false), "20 40 60 80");
}

static void test_degenerate_axes(void **state)
{
    (void)state;
    assert_string_equal(labels(DBL_MAX, -DBL_MAX, 5, true), "0 0.2 0.4 0.6 0.8 1.0"); // no data
    assert_string_equal(labels(0, 0, 4, true), "-1.0 -0.5 0 0.5 1.0");
    assert_string_equal(labels(5e-324, 5e-324, 4, true), "-1.0 -0.5 0 0.5 1.0");
    assert_string_equal(labels(10, 10, 4, true), "9.0 9.5 10.0 10.5 11.0");
    assert_string_equal(labels(-1e300, -1e300, 2, true), "-1.1e300 -1e300 -9e299");

    // a million with the last bit set is a constant, for all that can be drawn
    const jbw_axis axis = jbw_axis_make(1e6, nextafter(1e6, 2e6), 5, true);
    assert_true(axis.high - axis.low > 1e5);
}

// every range gives an increasing axis around it with a bounded number of ticks
static void test_many_axes(void **state)
{
    (void)state;
    for (int exponent = -320; exponent <= 300; exponent++) {
        const double size = pow(10.0, exponent);
        for (int i = 0; i < 40; i++) {
            const double low = size * (i % 8 - 3) * 0.37;
            const double high = low + size * (i + 1) * 0.02;
            for (int most = -1; most < 14; most++) {
                const bool is_loose = most % 2 == 0;
                if (high > JBW_AXIS_LIMIT || low < -JBW_AXIS_LIMIT) continue;
                const jbw_axis axis = jbw_axis_make(low, high, most, is_loose);
                assert_true(axis.low < axis.high && axis.low <= low && axis.high >= high);
                assert_true(axis.tick_count >= 0 && axis.tick_count <= (most > 1 ? most : 1) + 2);
                for (int k = 0; k < axis.tick_count; k++) {
                    const double place = jbw_axis_place(&axis, jbw_axis_tick(&axis, k));
                    assert_true(place > -1e-5 && place < 1.00001);
                    char label[JBW_AXIS_LABEL_SIZE];
                    jbw_axis_label(&axis, k, label);
                    assert_true(strlen(label) > 0 && strlen(label) < 20);
                }
            }
        }
    }
}

// --- the canvas ---------------------------------------------------------------------------------

static const uint8_t *pixel_at(const jbw_canvas *canvas, int x, int y)
{
    return &canvas->pixels[((size_t)y * (size_t)canvas->width + (size_t)x) * 3];
}

static double away_from(jbw_point from, jbw_point to, double x, double y)
{
    // many points along the line, the nearest of them
    double best = DBL_MAX;
    for (int i = 0; i <= 1000; i++) {
        const double t = i / 1000.0;
        const double dx = from.x + t * (to.x - from.x) - x;
        const double dy = from.y + t * (to.y - from.y) - y;
        best = fmin(best, sqrt(dx * dx + dy * dy));
    }
    return best;
}

static void test_strokes(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static const jbw_point ends[][2] = {
        {{5, 5}, {30, 9}},     {{30, 9.3}, {5, 5}}, {{20, 3}, {17, 36}},     {{8, 8}, {8, 8}},
        {{-20, 50}, {60, -9}}, {{3, 20}, {36, 20}}, {{12.5, 30}, {12.5, 4}}, {{-9, -9}, {-5, 60}},
    };
    const jbw_allocator allocator = {0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (int thickness = 0; thickness < 3; thickness++) {
            const double width = 1.0 + 2.5 * thickness;
            jbw_canvas canvas;
            assert_true(jbw_canvas_init(&canvas, SIDE, SIDE, white, &allocator));
            jbw_canvas_stroke(&canvas, ends[i][0], ends[i][1], width);
            jbw_canvas_stroke(&canvas, ends[i][1], ends[i][0], width); // changes nothing
            jbw_canvas_ink(&canvas, black, 1.0);
            for (int y = 0; y < SIDE; y++) {
                for (int x = 0; x < SIDE; x++) {
                    const double away = away_from(ends[i][0], ends[i][1], x + 0.5, y + 0.5);
                    const double cover = fmin(fmax(width / 2.0 + 0.5 - away, 0.0), 1.0);
                    const double found = 1.0 - *pixel_at(&canvas, x, y) / 255.0;
                    if (fabs(cover - found) > 0.06)
                        fail_msg("stroke %zu covers pixel %d, %d by %g, expected %g", i, x, y,
                                 found, cover);
                }
            }
            for (int at = 0; at < SIDE * SIDE; at++) assert_int_equal(canvas.mask[at], 0);
            jbw_canvas_deinit(&canvas);
        }
    }
}

static void test_clip_and_fill(void **state)
{
    (void)state;
    const jbw_allocator allocator = {0};
    jbw_canvas canvas;
    assert_true(jbw_canvas_init(&canvas, 20, 10, white, &allocator));
    jbw_canvas_fill(&canvas, (jbw_rectangle){-5, 8, 3, 99}, (jbw_color){1, 2, 3});
    canvas.clip = (jbw_rectangle){10, 2, 15, 8};
    jbw_canvas_stroke(&canvas, (jbw_point){0, 5}, (jbw_point){20, 5}, 4.0);
    jbw_canvas_stroke(&canvas, (jbw_point){NAN, 5}, (jbw_point){20, 5}, 4.0); // does no harm
    jbw_canvas_ink(&canvas, black, 0.5);
    jbw_canvas_ink(&canvas, black, 1.0); // the mask is empty
    for (int y = 0; y < 10; y++) {
        for (int x = 0; x < 20; x++) {
            const bool is_filled = x < 3 && y >= 8;
            const bool is_stroked = x >= 10 && x < 15 && y >= 3 && y < 7;
            assert_int_equal(*pixel_at(&canvas, x, y), is_filled ? 1 : is_stroked ? 127 : 255);
        }
    }
    jbw_canvas_deinit(&canvas);
}

// counts dark pixels, and finds the box around them
static int count_ink(const jbw_canvas *canvas, jbw_rectangle *box)
{
    int count = 0;
    *box = (jbw_rectangle){canvas->width, canvas->height, 0, 0};
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++) {
            if (*pixel_at(canvas, x, y) >= 128) continue;
            count++;
            if (x < box->left) box->left = x;
            if (x >= box->right) box->right = x + 1;
            if (y < box->top) box->top = y;
            if (y >= box->bottom) box->bottom = y + 1;
        }
    }
    return count;
}

static void test_letters(void **state)
{
    (void)state;
    enum { SIDE = 40, LETTERS = 95 };
    const jbw_allocator allocator = {0};
    jbw_text_style style = {.unit = 2.0, .thickness = 1.0};
    static uint8_t seen[LETTERS][SIDE * SIDE * 3];
    jbw_canvas canvas;
    assert_true(jbw_canvas_init(&canvas, SIDE, SIDE, white, &allocator));
    for (int i = 0; i < LETTERS; i++) {
        const char text[2] = {(char)(' ' + i), '\0'};
        jbw_canvas_fill(&canvas, canvas.clip, white);
        jbw_canvas_text(&canvas, (jbw_point){4.5, 28.5}, text, &style);
        jbw_canvas_ink(&canvas, black, 1.0);
        jbw_rectangle box;
        const int count = count_ink(&canvas, &box);
        if (i == 0) {
            assert_int_equal(count, 0);
        } else {
            // within its length, and between the descenders and a little above the capitals
            assert_true(count > 4 && count < 200);
            assert_true(box.left >= 3 && box.right <= 6 + jbw_text_length(text, &style));
            assert_true(box.top >= 7 && box.bottom <= 36);
            if (text[0] >= 'A' && text[0] <= 'Z') assert_true(box.top >= 9 && box.top <= 11);
            if (text[0] >= 'A' && text[0] <= 'P') assert_true(box.bottom == 29 || box.bottom == 30);
        }
        memcpy(seen[i], canvas.pixels, sizeof seen[i]);
        for (int k = 0; k < i; k++) assert_memory_not_equal(seen[i], seen[k], sizeof seen[i]);
    }

    // upwards is the same, turned
    jbw_rectangle flat;
    jbw_rectangle turned;
    jbw_canvas_fill(&canvas, canvas.clip, white);
    jbw_canvas_text(&canvas, (jbw_point){10.5, 30.5}, "p", &style);
    jbw_canvas_ink(&canvas, black, 1.0);
    const int flat_count = count_ink(&canvas, &flat);
    style.is_vertical = true;
    jbw_canvas_fill(&canvas, canvas.clip, white);
    jbw_canvas_text(&canvas, (jbw_point){20.5, 30.5}, "p", &style);
    jbw_canvas_ink(&canvas, black, 1.0);
    assert_int_equal(count_ink(&canvas, &turned), flat_count);
    assert_int_equal(turned.right - turned.left, flat.bottom - flat.top);
    assert_int_equal(turned.bottom - turned.top, flat.right - flat.left);
    jbw_canvas_deinit(&canvas);

    // what is not ASCII is one box for each character, whole or cut off
    const double box = jbw_text_length("\x01", &style);
    assert_true(box > 0);
    assert_true(jbw_text_length("\xc3\xa9", &style) == box);
    assert_true(jbw_text_length("\xe2\x82", &style) == box);
    assert_true(jbw_text_length("\xff", &style) == box);
    assert_true(jbw_text_length("", &style) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),        cmocka_unit_test(test_degenerate_axes),
        cmocka_unit_test(test_many_axes),     cmocka_unit_test(test_strokes),
        cmocka_unit_test(test_clip_and_fill), cmocka_unit_test(test_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
