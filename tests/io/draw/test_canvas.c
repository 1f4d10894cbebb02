// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Drawing on a canvas: strokes, compared with distances computed pixel by pixel, and filled
/// rectangles.
#include "support/checks.h"

#include <float.h>
#include <math.h>

#include "io/draw/canvas.h"

static const jbw_color white = {255, 255, 255};
static const jbw_color black = {0, 0, 0};

static const uint8_t *pixel_at(const jbw_canvas *canvas, int x, int y)
{
    return &canvas->pixels[((size_t)y * (size_t)canvas->width + (size_t)x) * 3];
}

static double away_from(jbw_point from, jbw_point to, double x, double y)
{
    // the nearest of many points along the line
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strokes),
        cmocka_unit_test(test_clip_and_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
