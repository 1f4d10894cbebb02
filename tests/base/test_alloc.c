// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Allocation, growing arrays, arenas and limits, also when memory runs out.
#include "support/allocations.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limit.h"

static void test_alloc(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    void *none = jbw_alloc(&allocator, 0);
    assert_non_null(none);
    jbw_free(&allocator, none, 0);
    jbw_free(&allocator, NULL, 10);
    assert_int_equal(counting.block_count, 0);

    uint8_t *zeros = jbw_alloc_zero(&allocator, 10, 7);
    for (int i = 0; i < 70; i++) assert_int_equal(zeros[i], 0);
    jbw_free(&allocator, zeros, 70);
    assert_null(jbw_alloc_zero(&allocator, SIZE_MAX / 2, 3));
    assert_int_equal(counting.block_count, 0);

    // without functions it uses malloc
    const jbw_allocator plain = {0};
    void *memory = jbw_alloc(&plain, 100);
    assert_non_null(memory);
    jbw_free(&plain, memory, 100);
}

static void test_grow(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(JBW_GROW(&allocator, numbers, capacity, i + 1));
        assert_true(capacity > i);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(numbers[i], i);
    assert_true(counting.call_count < 20); // it doubles
    assert_int_equal(counting.block_count, 1);

    // on failure nothing changes
    fail_allocations(&counting, 1, 1);
    const size_t before = capacity;
    uint32_t *same = numbers;
    assert_false(JBW_GROW(&allocator, numbers, capacity, capacity + 1));
    assert_int_equal(capacity, before);
    assert_ptr_equal(numbers, same);
    assert_int_equal(numbers[9999], 9999);
    assert_false(JBW_GROW(&allocator, numbers, capacity, SIZE_MAX / 2));
    assert_ptr_equal(numbers, same);
    jbw_free(&allocator, numbers, capacity * sizeof *numbers);
    assert_int_equal(counting.block_count, 0);
}

static void test_arena(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_arena arena = {.allocator = counting_allocator_make(&counting)};
    for (int round = 0; round < 2; round++) { // an arena can be reused
        uint8_t *pieces[2000];
        size_t sizes[2000];
        for (size_t i = 0; i < 2000; i++) {
            sizes[i] = i % 97 == 96 ? 100000 : i % 50;
            pieces[i] = jbw_arena_alloc(&arena, sizes[i], 1);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], 0);
            memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
        }
        for (size_t i = 0; i < 2000; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(pieces[i][k], (uint8_t)(i % 255 + 1));
        char *text = jbw_arena_text(&arena, "hello world", 5);
        assert_string_equal(text, "hello");
        assert_null(jbw_arena_alloc(&arena, SIZE_MAX / 2, 4));
        assert_null(jbw_arena_alloc(&arena, SIZE_MAX, 1));
        jbw_arena_deinit(&arena);
        assert_int_equal(counting.block_count, 0);
    }
    fail_allocations(&counting, 1, 2);
    assert_null(jbw_arena_text(&arena, "hello", 5));
    assert_null(jbw_arena_alloc(&arena, 10, 10));
    assert_non_null(jbw_arena_alloc(&arena, 10, 10));
    jbw_arena_deinit(&arena);
    assert_int_equal(counting.block_count, 0);
}

static void test_limit(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_limit limit = {.from = counting_allocator_make(&counting), .left = 100};
    const jbw_allocator allocator = jbw_limit_allocator(&limit);
    void *first = jbw_alloc(&allocator, 60);
    assert_non_null(first);
    assert_null(jbw_alloc(&allocator, 41));
    assert_true(limit.was_hit);
    fail_allocations(&counting, 1, 1);
    assert_null(jbw_alloc(&allocator, 40)); // which does not count
    void *second = jbw_alloc(&allocator, 40);
    assert_non_null(second);
    jbw_free(&allocator, first, 60);
    jbw_free(&allocator, second, 40);
    assert_int_equal(limit.left, 100);
    assert_int_equal(counting.block_count, 0);

    const uint64_t megabyte = 1 << 20;
    assert_int_equal(jbw_limit_default(0, 0), 320 * megabyte);
    assert_int_equal(jbw_limit_default(megabyte, 5), 1005 * megabyte);
    assert_int_equal(jbw_limit_default(UINT64_MAX, 1), UINT64_MAX / 4 + megabyte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
