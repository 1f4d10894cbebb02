// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The queue of pending draws against an array that is searched for the least one, and the memory
/// it says it has.
#include "support/checks.h"

#include <string.h>

#include "sim/generate/invariant/draw_queue.h"
#include "support/allocations.h"
#include "support/random.h"

enum { MOST = 4000 };

typedef struct pending {
    jbw_draw draws[MOST];
    size_t count;
} pending;

// few different keys, so that there are ties
static jbw_draw random_draw(uint64_t *random)
{
    return (jbw_draw){.key = (uint64_t)random_below(random, 50) << 58 | random_below(random, 40),
                      .x = (uint16_t)random_below(random, 3),
                      .y = (uint16_t)random_below(random, 3),
                      .type = (uint16_t)random_below(random, 2)};
}

static bool is_same(const jbw_draw *a, const jbw_draw *b)
{
    return !jbw_draw_is_before(a, b) && !jbw_draw_is_before(b, a);
}

// a draw that is put twice is taken once
static void put(pending *expected, const jbw_draw *draw)
{
    for (size_t i = 0; i < expected->count; i++)
        if (is_same(&expected->draws[i], draw)) return;
    assert_true(expected->count < MOST);
    expected->draws[expected->count++] = *draw;
}

static bool take(pending *expected, jbw_draw *out)
{
    if (expected->count == 0) return false;
    size_t least = 0;
    for (size_t i = 1; i < expected->count; i++)
        if (jbw_draw_is_before(&expected->draws[i], &expected->draws[least])) least = i;
    *out = expected->draws[least];
    expected->draws[least] = expected->draws[--expected->count];
    return true;
}

static void test_order(void **state)
{
    (void)state;
    static pending expected;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_draw_queue queue = {0};
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        expected.count = 0;
        const uint32_t listed = random_below(&random, 1500);
        for (uint32_t i = 0; i < listed; i++) {
            const jbw_draw draw = random_draw(&random);
            assert_true(jbw_draw_queue_put(&queue, &allocator, draw));
            put(&expected, &draw);
        }
        assert_true(jbw_draw_queue_begin(&queue, &allocator));
        jbw_draw found;
        jbw_draw wanted;
        while (take(&expected, &wanted)) {
            assert_true(is_same(jbw_draw_queue_first(&queue), &wanted));
            assert_true(jbw_draw_queue_take(&queue, &found));
            assert_true(is_same(&found, &wanted));
            // some arrive late, but never before the one that was taken
            jbw_draw late = random_draw(&random);
            if (random_below(&random, 3) != 0 || !jbw_draw_is_before(&found, &late)) continue;
            assert_true(jbw_draw_queue_put(&queue, &allocator, late));
            put(&expected, &late);
        }
        assert_null(jbw_draw_queue_first(&queue));
        assert_false(jbw_draw_queue_take(&queue, &found));
        assert_int_equal(jbw_draw_queue_bytes(&queue), counting.byte_count);
    }
    assert_true(queue.late.capacity > 0);
    jbw_draw_queue_deinit(&queue, &allocator);
    assert_int_equal(counting.byte_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
