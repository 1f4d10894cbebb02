// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers and texts as bytes, and bytes that are neither.
#include "support/allocations.h"

#include "base/alloc.h"
#include "base/bytes.h"

static uint64_t read_varint(const char *bytes, size_t size, bool *ok)
{
    jbw_reader in = jbw_reader_begin(bytes, size);
    const uint64_t value = jbw_read_varint(&in);
    *ok = in.ok;
    return value;
}

static void test_varints(void **state)
{
    (void)state;
    const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        jbw_buffer bytes = {0};
        jbw_writer w = jbw_writer_begin(&bytes);
        jbw_write_varint(&w, numbers[i]);
        jbw_write_signed(&w, (int64_t)numbers[i]);
        jbw_write_signed(&w, INT64_MIN);
        jbw_reader in = jbw_reader_begin(bytes.bytes, bytes.size);
        assert_true(jbw_read_varint(&in) == numbers[i]);
        assert_true(jbw_read_signed(&in) == (int64_t)numbers[i]);
        assert_true(jbw_read_signed(&in) == INT64_MIN);
        assert_true(in.ok && in.at == in.end);
        jbw_buffer_free(&bytes);
    }
    bool ok;
    assert_true(read_varint("\xb4\x01", 2, &ok) == 180 && ok);
    read_varint("\x80", 1, &ok); // cut off
    assert_false(ok);
    read_varint("\x80\x00", 2, &ok); // longer than needed
    assert_false(ok);
    read_varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &ok); // more than 64 bits
    assert_false(ok);
    read_varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, &ok);
    assert_false(ok);
}

static void test_numbers(void **state)
{
    (void)state;
    jbw_buffer bytes = {0};
    jbw_writer w = jbw_writer_begin(&bytes);
    jbw_write_u32(&w, UINT32_C(0x01020304));
    jbw_write_u64(&w, UINT64_C(0x0102030405060708));
    jbw_write_double(&w, -2.0);
    jbw_write_text(&w, "abc");
    static const uint8_t expected[] = {4, 3, 2, 1, 8, 7, 6, 5,    4, 3,   2,   1,
                                       0, 0, 0, 0, 0, 0, 0, 0xc0, 3, 'a', 'b', 'c'};
    assert_int_equal(bytes.size, sizeof expected);
    assert_memory_equal(bytes.bytes, expected, sizeof expected);

    // beyond the end everything reads as zero
    jbw_arena arena = {0};
    jbw_reader in = jbw_reader_begin(bytes.bytes, bytes.size);
    assert_true(jbw_read_u32(&in) == UINT32_C(0x01020304));
    assert_true(jbw_read_u64(&in) == UINT64_C(0x0102030405060708));
    assert_true(jbw_read_double(&in) == -2.0);
    assert_string_equal(jbw_read_text(&in, &arena), "abc");
    assert_true(in.ok);
    assert_int_equal(jbw_read_u8(&in), 0);
    assert_false(in.ok);
    in.at = bytes.bytes;
    assert_int_equal(jbw_read_u32(&in), 0);
    assert_int_equal(jbw_read_u64(&in), 0);
    assert_int_equal(jbw_read_varint(&in), 0);

    // a text with a zero in it, and one that is longer than the rest
    in = jbw_reader_begin("\x02x\0", 3);
    assert_null(jbw_read_text(&in, &arena));
    assert_false(in.ok);
    in = jbw_reader_begin("\x03xy", 3);
    assert_null(jbw_read_text(&in, &arena));
    assert_false(in.ok);
    in = jbw_reader_begin("\0", 1);
    assert_string_equal(jbw_read_text(&in, &arena), "");
    assert_true(in.ok);
    jbw_arena_deinit(&arena);
    jbw_buffer_free(&bytes);
}

static void test_failing_memory(void **state)
{
    (void)state;
    // a writer that failed writes nothing more; a buffer stays as it was
    counting_allocator counting = {0};
    jbw_buffer bytes = {.allocator = counting_allocator_make(&counting)};
    fail_allocations(&counting, 1, 1);
    jbw_writer writer = jbw_writer_begin(&bytes);
    jbw_write_u8(&writer, 1);
    jbw_write_bytes(&writer, "abc", 3);
    jbw_write_varint(&writer, 5);
    assert_false(writer.ok);
    assert_int_equal(bytes.size, 0);

    writer = jbw_writer_begin(&bytes);
    jbw_write_u8(&writer, 1);
    jbw_write_bytes(&writer, NULL, 0);
    assert_null(jbw_writer_room(&writer, SIZE_MAX));
    assert_false(writer.ok);
    assert_int_equal(bytes.size, 1);

    assert_true(jbw_buffer_append(&bytes, NULL, 0));
    assert_true(jbw_buffer_append(&bytes, "z", 1));
    fail_allocations(&counting, 1, 1);
    static const char much[1000];
    assert_false(jbw_buffer_append(&bytes, much, sizeof much));
    assert_false(jbw_buffer_append(&bytes, much, SIZE_MAX));
    assert_int_equal(bytes.size, 2);
    assert_int_equal(bytes.bytes[1], 'z');
    jbw_buffer_free(&bytes);
    assert_int_equal(counting.block_count, 0);
}

// takes pieces, up to a limit
typedef struct basin {
    jbw_buffer bytes;
    size_t limit;
    size_t largest; // piece
} basin;

static bool fill(void *user, const void *bytes, size_t size)
{
    basin *b = user;
    if (b->bytes.size + size > b->limit) return false;
    if (size > b->largest) b->largest = size;
    return jbw_buffer_append(&b->bytes, bytes, size);
}

static void write_much(jbw_writer *writer)
{
    static const uint8_t block[70000] = {1, 2, 3};
    jbw_writer_expect(writer, 1000000);
    for (uint32_t i = 0; i < 50000; i++) jbw_write_u32(writer, i);
    jbw_write_bytes(writer, block, sizeof block); // more than a piece
    jbw_write_u8(writer, 7);
}

static void test_sinks(void **state)
{
    (void)state;
    jbw_buffer twin = {0};
    jbw_writer writer = jbw_writer_begin(&twin);
    write_much(&writer);
    jbw_writer_finish(&writer); // without effect
    assert_true(writer.ok);

    basin all = {.limit = SIZE_MAX};
    jbw_buffer small = {0};
    writer = jbw_writer_begin_sink(&small, (jbw_sink){fill, &all});
    write_much(&writer);
    jbw_writer_finish(&writer);
    assert_true(writer.ok);
    assert_int_equal(all.bytes.size, twin.size);
    assert_memory_equal(all.bytes.bytes, twin.bytes, twin.size);
    assert_int_equal(all.largest, 70000);
    assert_true(small.capacity < 200000);
    jbw_buffer_free(&small);

    // a sink that is full ends everything
    basin tight = {.limit = 100000};
    writer = jbw_writer_begin_sink(&small, (jbw_sink){fill, &tight});
    write_much(&writer);
    jbw_writer_finish(&writer);
    assert_false(writer.ok);
    assert_true(tight.bytes.size > 0 && tight.bytes.size <= 100000);
    assert_memory_equal(tight.bytes.bytes, twin.bytes, tight.bytes.size);
    jbw_buffer_free(&small);
    jbw_buffer_free(&tight.bytes);
    jbw_buffer_free(&all.bytes);
    jbw_buffer_free(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_sinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
