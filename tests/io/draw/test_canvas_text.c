// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Letters on a canvas: all different, within their bounds, also vertical.
#include "support/checks.h"

#include "io/draw/canvas_text.h"

static const jbw_color white = {255, 255, 255};
static const jbw_color black = {0, 0, 0};

static const uint8_t *pixel_at(const jbw_canvas *canvas, int x, int y)
{
    return &canvas->pixels[((size_t)y * (size_t)canvas->width + (size_t)x) * 3];
}

// counts dark pixels and finds the box around them
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
            // within its width, and between the descenders and just above the capitals
            assert_true(count > 4 && count < 200);
            assert_true(box.left >= 3 && box.right <= 6 + jbw_text_length(text, &style));
            assert_true(box.top >= 7 && box.bottom <= 36);
            if (text[0] >= 'A' && text[0] <= 'Z') assert_true(box.top >= 9 && box.top <= 11);
            if (text[0] >= 'A' && text[0] <= 'P') assert_true(box.bottom == 29 || box.bottom == 30);
        }
        memcpy(seen[i], canvas.pixels, sizeof seen[i]);
        for (int k = 0; k < i; k++) assert_memory_not_equal(seen[i], seen[k], sizeof seen[i]);
    }

    // vertical text is the same, turned
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

    // each character outside ASCII is one box, even if it is truncated
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
        cmocka_unit_test(test_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
