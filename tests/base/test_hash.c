// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Hashes: equal input, equal hash, on every machine.
#include "support/checks.h"

#include "base/hash.h"

static void test_hash(void **state)
{
    (void)state;
    // equal for equal input, different for different input
    static const uint64_t numbers[] = {0, 1, 2, UINT64_C(1) << 63, UINT64_MAX};
    uint64_t values[25];
    size_t count = 0;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++) {
            jbw_hasher hasher = jbw_hash_begin(7);
            jbw_hash_u64(&hasher, numbers[i]);
            jbw_hash_u64(&hasher, numbers[k]);
            jbw_hasher again = jbw_hash_begin(7);
            jbw_hash_u64(&again, numbers[i]);
            jbw_hash_u64(&again, numbers[k]);
            assert_int_equal(hasher.value, again.value);
            for (size_t n = 0; n < count; n++) assert_int_not_equal(values[n], hasher.value);
            values[count++] = hasher.value;
        }
    jbw_hasher one = jbw_hash_begin(1);
    jbw_hasher two = jbw_hash_begin(2);
    jbw_hash_bytes(&one, "abc", 3);
    jbw_hash_bytes(&two, "abc", 3);
    assert_int_not_equal(one.value, two.value);
    jbw_hasher plus = jbw_hash_begin(1);
    jbw_hasher less = jbw_hash_begin(1);
    jbw_hash_double(&plus, 1.5);
    jbw_hash_double(&less, -1.5);
    assert_int_not_equal(plus.value, less.value);

    // a fixed value: byte order must not matter
    jbw_hasher pinned = jbw_hash_begin(42);
    jbw_hash_u64(&pinned, UINT64_C(0x0123456789abcdef));
    jbw_hash_double(&pinned, -0.1);
    jbw_hash_bytes(&pinned, "jelly bean", 10);
    assert_int_equal(pinned.value, UINT64_C(0x0f0f5045b1549b79));
}

// however the bytes are cut
static void test_pieces(void **state)
{
    (void)state;
    uint8_t bytes[2000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t size = 0; size <= sizeof bytes; size += 1 + size / 3)
        for (size_t piece = 1; piece <= 700; piece = piece * 3 + 1) {
            jbw_piece_hasher hasher;
            jbw_piece_hash_begin(&hasher);
            for (size_t at = 0; at < size; at += piece)
                jbw_piece_hash_add(&hasher, bytes + at, size - at < piece ? size - at : piece);
            jbw_hasher whole = jbw_hash_begin(0);
            jbw_hash_bytes(&whole, bytes, size);
            assert_int_equal(jbw_piece_hash_end(&hasher), whole.value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
