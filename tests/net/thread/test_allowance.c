// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Allowances: whatever is tried, no more than the share of the time is used.
#include "support/checks.h"

#include "net/game/looking.h"
#include "net/thread/allowance.h"
#include "support/random.h"

static void test_work_waits(void **state)
{
    (void)state;
    jbw_allowance a;
    jbw_allowance_init(&a, 5);
    assert_int_equal(jbw_allowance_due(&a, 1000, 0), 1000);
    jbw_allowance_use(&a, 1000, 100); // pays for 500 to come
    assert_int_equal(jbw_allowance_due(&a, 1000, 0), 1500);
    assert_int_equal(jbw_allowance_due(&a, 1600, 0), 1600);
    assert_int_equal(jbw_allowance_due(&a, 1000, 60), 1200); // a burst of 60 is 300 ahead
    assert_int_equal(jbw_allowance_due(&a, 1000, 100), 1000);
    jbw_allowance_use(&a, 1200, 10);
    assert_int_equal(jbw_allowance_due(&a, 1200, 0), 1550);
    a.is_unlimited = true;
    assert_int_equal(jbw_allowance_due(&a, 1200, 0), 1200);
}

// lets the kinds in the mask work whenever they may, in pieces of random length, for that many
// seconds of pretended time; adds up what they use
static void work(unsigned kinds, uint64_t seconds, uint64_t used[JBW_LOOKING_KINDS])
{
    const uint64_t step = 100000;
    jbw_looking looking;
    jbw_looking_init(&looking);
    uint64_t random = kinds;
    uint64_t busy_until[JBW_LOOKING_KINDS] = {0};
    for (uint64_t now = 1; now < seconds * 1000000000; now += step) {
        for (int k = 0; k < JBW_LOOKING_KINDS; k++) {
            const jbw_looking_kind kind = (jbw_looking_kind)k;
            if (!(kinds & 1U << k) || now < busy_until[k]) continue;
            if (jbw_looking_due(&looking, kind, now) > now) continue;
            const uint64_t piece = random_below(&random, 8000000);
            jbw_looking_use(&looking, kind, now, piece);
            used[k] += piece;
            busy_until[k] = now + piece;
        }
    }
    assert_int_equal(looking.used, used[0] + used[1] + used[2]);
}

// together a fifth, apart from the first burst of two seconds; nobody starves
static void test_looking_is_a_fifth_of_the_time(void **state)
{
    (void)state;
    enum { SECONDS = 100 };
    const uint64_t second = 1000000000;
    for (unsigned kinds = 1; kinds < 1U << JBW_LOOKING_KINDS; kinds++) {
        uint64_t used[JBW_LOOKING_KINDS] = {0};
        work(kinds, SECONDS, used);
        const uint64_t all = used[0] + used[1] + used[2];
        assert_in_range(all, SECONDS * second / 5 - second, SECONDS * second / 5 + 3 * second);
        for (int k = 0; k < JBW_LOOKING_KINDS; k++)
            if (kinds & 1U << k) assert_true(used[k] >= SECONDS * second / 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_waits),
        cmocka_unit_test(test_looking_is_a_fifth_of_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
