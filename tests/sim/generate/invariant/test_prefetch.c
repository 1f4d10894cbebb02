// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Guesses about which patches agents will need next.
#include "support/checks.h"

#include "sim/generate/invariant/prefetch.h"

static void assert_place(jbw_position found, int64_t x, int64_t y)
{
    assert_int_equal(found.x, x);
    assert_int_equal(found.y, y);
}

static void test_guesses(void **state)
{
    (void)state;
    jbw_prefetch p = {0};
    jbw_position places[40];
    size_t sure;
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 0);

    // a new agent may go anywhere
    jbw_prefetch_note(&p, (jbw_position){10, 20}, 128);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 8);
    assert_int_equal(sure, 0);
    assert_place(places[0], 138, 20);
    assert_place(places[6], -118, -108);
    bool is_listed[9] = {false};
    for (int i = 0; i < 8; i++) {
        const int64_t column = (places[i].x - 10) / 128 + 1;
        const int64_t row = (places[i].y - 20) / 128 + 1;
        is_listed[3 * row + column] = true;
    }
    for (int i = 0; i < 9; i++) assert_int_equal(is_listed[i], i != 4);

    // then straight ahead, to the sides, and farther ahead
    jbw_prefetch_note(&p, (jbw_position){12, 20}, 128);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 10);
    assert_int_equal(sure, 4);
    for (int k = 0; k < 4; k++) assert_place(places[k], 12 + 128 * (k + 1), 20);
    assert_place(places[4], 12, 148);
    assert_place(places[5], 12, -108);
    assert_place(places[9], 12 + 128 * 8, 20);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 3, &sure), 3);
    assert_int_equal(sure, 3);

    // after a turn both directions count at first, then only the new one
    jbw_prefetch_note(&p, (jbw_position){74, 20}, 128);
    jbw_prefetch_note(&p, (jbw_position){74, 84}, 128);
    jbw_prefetch_guess(&p, 128, places, 40, &sure);
    assert_place(places[0], 202, 212);
    for (int64_t y = 94; y <= 984; y += 10) jbw_prefetch_note(&p, (jbw_position){74, y}, 128);
    jbw_prefetch_guess(&p, 128, places, 40, &sure);
    assert_place(places[0], 74, 984 + 128);

    // another agent: the latest comes first
    jbw_prefetch_note(&p, (jbw_position){5000, 5000}, 128);
    jbw_prefetch_note(&p, (jbw_position){5000, 4990}, 128);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 20);
    assert_int_equal(sure, 8);
    assert_place(places[0], 5000, 4862);
    assert_int_equal(places[1].x, 74);

    // more agents than fit, and nothing beyond the end of the world
    for (int64_t i = 0; i < 100; i++) jbw_prefetch_note(&p, (jbw_position){i * 1000, 0}, 128);
    assert_int_equal(p.track_count, JBW_MOST_TRACKS);
    assert_place(p.tracks[0].place, 99000, 0);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 40);
    p = (jbw_prefetch){0};
    jbw_prefetch_note(&p, (jbw_position){JBW_MAX_COORDINATE, -JBW_MAX_COORDINATE}, 128);
    assert_int_equal(jbw_prefetch_guess(&p, 128, places, 40, &sure), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
