// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who is turned away when too many come.
#include "support/checks.h"

#include "net/server/door.h"
#include "net/thread/clock.h"
#include "support/random.h"

static char people[2000];

static void *come(jbw_door *door, int person, uint8_t from, uint64_t now)
{
    const uint8_t address[JBW_ADDRESS_SIZE] = {from};
    assert_true(jbw_door_is_open(door));
    return jbw_door_come(door, &people[person], address, now);
}

static void test_a_crowd_from_one_address(void **state)
{
    (void)state;
    jbw_door door;
    assert_true(jbw_door_init(&door, 10, 3));
    for (int i = 0; i < 3; i++) assert_null(come(&door, i, 1, 1));
    // the fourth of them is turned away, unless the first has had time to say hello
    assert_ptr_equal(come(&door, 3, 1, 2), &people[3]);
    assert_ptr_equal(come(&door, 4, 1, 2 + JBW_SECOND), &people[0]);
    assert_int_equal(door.count, 3);
    // those inside do not count
    jbw_door_admit(&door, &people[1]);
    assert_null(come(&door, 5, 1, 2 + JBW_SECOND));
    // others are not affected
    assert_null(come(&door, 6, 2, 2 + JBW_SECOND));
    jbw_door_leave(&door, &people[2]);
    jbw_door_leave(&door, &people[2]);
    assert_int_equal(door.count, 4);
    jbw_door_deinit(&door);
}

static void test_full(void **state)
{
    (void)state;
    jbw_door door;
    assert_true(jbw_door_init(&door, 6, 3));
    for (int i = 0; i < 3; i++) assert_null(come(&door, i, 1, 1));
    for (int i = 3; i < 5; i++) assert_null(come(&door, i, 2, 1));
    assert_null(come(&door, 5, 3, 1));
    assert_ptr_equal(come(&door, 6, 4, 1), &people[0]); // address 1 has most
    // everyone inside stays, and the newcomer goes
    for (int i = 1; i < 7; i++) jbw_door_admit(&door, &people[i]);
    assert_ptr_equal(come(&door, 7, 5, 1), &people[7]);
    assert_int_equal(door.count, 6);
    jbw_door_deinit(&door);
}

// whatever happens, there are never too many, and nobody inside is turned away
static void test_random_visitors(void **state)
{
    (void)state;
    jbw_door door;
    enum { MOST = 50, ADDRESS_MOST = 8, PEOPLE = 2000 };
    bool is_here[PEOPLE] = {false};
    bool is_inside[PEOPLE] = {false};
    uint64_t random = 7;
    assert_true(jbw_door_init(&door, MOST, ADDRESS_MOST));
    for (int i = 0; i < 20000; i++) {
        const int person = (int)random_below(&random, PEOPLE);
        if (!is_here[person]) {
            const uint8_t from = (uint8_t)(random_below(&random, 4) * random_below(&random, 4));
            is_here[person] = true;
            const char *away = come(&door, person, from, (uint64_t)i * JBW_MILLISECOND);
            if (away) {
                assert_false(is_inside[away - people]);
                is_here[away - people] = false;
            }
        } else if (!is_inside[person] && random_below(&random, 2) == 0) {
            jbw_door_admit(&door, &people[person]);
            is_inside[person] = true;
        } else {
            jbw_door_leave(&door, &people[person]);
            is_here[person] = false;
            is_inside[person] = false;
        }
        size_t here = 0;
        for (int k = 0; k < PEOPLE; k++) here += is_here[k];
        assert_int_equal(door.count, here);
        assert_true(door.count <= MOST);
    }
    jbw_door_deinit(&door);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_crowd_from_one_address),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_random_visitors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
