// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pockets: what fits lies inside, everything else comes from the allocator and goes back to it.
#include "support/allocations.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pocket.h"
#include "support/random.h"

enum { ROOM = 4096, PIECES = 40 };

static alignas(max_align_t) char room[ROOM];

static bool is_inside(const void *memory, size_t size)
{
    const char *at = memory;
    return at >= room && at + size <= room + ROOM;
}

static void test_what_fits(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator outer = counting_allocator_make(&counting);
    const size_t size = 2 * jbw_pocket_piece(100);
    jbw_pocket pocket;
    jbw_pocket_init(&pocket, room, size, &outer);
    void *first = jbw_alloc(&pocket.allocator, 100);
    void *second = jbw_alloc(&pocket.allocator, 100);
    assert_true(is_inside(first, 100) && is_inside(second, 100));
    assert_int_equal(counting.block_count, 0);
    void *third = jbw_alloc(&pocket.allocator, 1);
    assert_false(is_inside(third, 1));
    assert_int_equal(counting.block_count, 1);
    jbw_free(&pocket.allocator, third, 1);
    assert_int_equal(counting.block_count, 0);
    // the latest piece can be used again, others cannot
    jbw_free(&pocket.allocator, second, 100);
    assert_ptr_equal(jbw_alloc(&pocket.allocator, 90), second);
    jbw_free(&pocket.allocator, first, 100);
    void *outside = jbw_alloc(&pocket.allocator, 100);
    assert_false(is_inside(outside, 100));
    jbw_free(&pocket.allocator, outside, 100);
    jbw_free(&pocket.allocator, second, 90);
    jbw_pocket_deinit(&pocket);
    memset(room, 1, sizeof room); // all of it is ours again
}

static void test_failures_are_those_of_the_allocator(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator outer = counting_allocator_make(&counting);
    jbw_pocket pocket;
    jbw_pocket_init(&pocket, room, jbw_pocket_piece(8 * sizeof(int)), &outer);
    int *numbers = NULL;
    size_t capacity = 0;
    fail_allocations(&counting, 1, 1);
    assert_true(JBW_GROW(&pocket.allocator, numbers, capacity, 1));
    for (int i = 0; i < (int)capacity; i++) numbers[i] = i;
    const size_t before = capacity;
    assert_false(JBW_GROW(&pocket.allocator, numbers, capacity, before + 1));
    assert_int_equal(capacity, before);
    assert_true(JBW_GROW(&pocket.allocator, numbers, capacity, before + 1));
    assert_false(is_inside(numbers, sizeof *numbers));
    for (int i = 0; i < (int)before; i++) assert_int_equal(numbers[i], i);
    assert_null(jbw_alloc_zero(&pocket.allocator, SIZE_MAX / 2, 3));
    jbw_free(&pocket.allocator, numbers, capacity * sizeof *numbers);
    assert_int_equal(counting.block_count, 0);
    jbw_pocket_deinit(&pocket);
}

// pieces of random sizes come and go, and none ever overlaps another
static void test_pieces_do_not_overlap(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator outer = counting_allocator_make(&counting);
    jbw_pocket pocket;
    jbw_pocket_init(&pocket, room, sizeof room, &outer);
    uint8_t *pieces[PIECES] = {0};
    size_t sizes[PIECES] = {0};
    uint64_t random = 5;
    size_t inside_count = 0;
    for (int turn = 0; turn < 4000; turn++) {
        const size_t i = (size_t)random_below(&random, PIECES);
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], i);
        jbw_free(&pocket.allocator, pieces[i], sizes[i]);
        sizes[i] = 1 + (size_t)random_below(&random, 200);
        pieces[i] = jbw_alloc(&pocket.allocator, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)i, sizes[i]);
        inside_count += is_inside(pieces[i], sizes[i]);
    }
    assert_true(inside_count > 0);
    for (size_t i = 0; i < PIECES; i++) jbw_free(&pocket.allocator, pieces[i], sizes[i]);
    assert_int_equal(counting.block_count, 0);
    jbw_pocket_deinit(&pocket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_fits),
        cmocka_unit_test(test_failures_are_those_of_the_allocator),
        cmocka_unit_test(test_pieces_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
