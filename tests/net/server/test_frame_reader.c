// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Frames of clients, cut out of bytes that arrive in pieces of any size.
#include "support/checks.h"

#include <string.h>

#include "net/server/frame_reader.h"
#include "support/random.h"

enum { MOST = 1 << 18 };

typedef struct text {
    uint8_t bytes[MOST];
    size_t size;
} text;

static void put(text *t, uint8_t byte)
{
    assert_true(t->size < MOST);
    t->bytes[t->size++] = byte;
}

// a frame as clients send it; `length_bytes` is 0, 2 or 8
static void put_frame(text *t, unsigned first, size_t length_bytes, const uint8_t *bytes,
                      size_t size)
{
    const uint8_t mask[4] = {0x5a, 0x00, 0xff, (uint8_t)size};
    put(t, (uint8_t)first);
    put(t, (uint8_t)(0x80 | (length_bytes == 0 ? size : length_bytes == 2 ? 126 : 127)));
    for (size_t i = length_bytes; i-- > 0;) put(t, (uint8_t)((uint64_t)size >> 8 * i));
    for (size_t i = 0; i < 4; i++) put(t, mask[i]);
    for (size_t i = 0; i < size; i++) put(t, bytes[i] ^ mask[i % 4]);
}

// what a reader has found, as text: letters for kinds, then the bytes
static void note(text *t, const jbw_frame_part *part, bool *is_open)
{
    static const char letters[] = {[JBW_FRAME_DATA] = 'd',
                                   [JBW_FRAME_CLOSE] = 'c',
                                   [JBW_FRAME_PING] = 'i',
                                   [JBW_FRAME_PONG] = 'o',
                                   [JBW_FRAME_WRONG] = 'w'};
    if (part->kind == JBW_FRAME_INCOMPLETE) return;
    if (part->kind != JBW_FRAME_DATA || !*is_open) put(t, (uint8_t)letters[part->kind]);
    *is_open = part->kind == JBW_FRAME_DATA && part->left > 0;
    for (size_t i = 0; i < part->size; i++) put(t, part->bytes[i]);
    if (part->kind != JBW_FRAME_DATA) return;
    if (part->left == 0) put(t, part->is_text ? 't' : 'b');
    if (part->is_end_of_message) put(t, '.');
}

// reads in pieces of random sizes up to `most`
static void read_all(text *in, uint32_t most, uint64_t *random, text *out)
{
    jbw_frame_reader reader = {0};
    bool is_open = false;
    out->size = 0;
    for (size_t start = 0; start < in->size;) {
        uint8_t piece[4096];
        size_t size = 1 + random_below(random, most);
        if (size > in->size - start) size = in->size - start;
        memcpy(piece, in->bytes + start, size);
        start += size;
        for (size_t used = 0; used < size;) {
            jbw_frame_part part;
            const size_t count = jbw_frame_reader_take(&reader, piece + used, size - used, &part);
            note(out, &part, &is_open);
            if (part.kind == JBW_FRAME_WRONG) return;
            assert_true(count > 0 && count <= size - used);
            used += count;
        }
    }
}

// random frames, with what a reader should say about them
static void make_frames(uint64_t *random, text *in, text *wanted)
{
    static uint8_t payload[70000];
    in->size = 0;
    wanted->size = 0;
    bool is_continued = false;
    bool is_text = false;
    for (int i = 0; i < 20; i++) {
        const unsigned control = (unsigned)random_below(random, 6);
        const bool is_control = control < 3;
        const size_t kind = random_below(random, 40);
        size_t size = kind == 0 ? 65536 + random_below(random, 4000) : random_below(random, 126);
        if (kind > 30) size = random_below(random, 3000);
        if (is_control) size %= 126;
        size_t length_bytes = size > 65535 ? 8 : size > 125 ? 2 : 0;
        if (!is_control && kind > 35) length_bytes = 8; // longer than needed
        for (size_t k = 0; k < size; k++) payload[k] = (uint8_t)random_next(random);
        if (is_control) {
            put_frame(in, 0x88 + control, length_bytes, payload, size);
            put(wanted, (uint8_t) "cio"[control]);
            for (size_t k = 0; k < size; k++) put(wanted, payload[k]);
            continue;
        }
        const bool is_last = random_below(random, 2);
        if (!is_continued) is_text = random_below(random, 4) == 0;
        const unsigned opcode = is_continued ? 0 : is_text ? 1 : 2;
        put_frame(in, (is_last ? 0x80 : 0) | opcode, length_bytes, payload, size);
        put(wanted, 'd');
        for (size_t k = 0; k < size; k++) put(wanted, payload[k]);
        put(wanted, is_text ? 't' : 'b');
        if (is_last) put(wanted, '.');
        is_continued = !is_last;
    }
}

static void test_pieces_of_any_size(void **state)
{
    (void)state;
    static text in;
    static text wanted;
    static text found;
    uint64_t random = 5;
    static const uint32_t mosts[] = {1, 2, 7, 100, 4096};
    for (int i = 0; i < 100; i++) {
        make_frames(&random, &in, &wanted);
        read_all(&in, mosts[i % 5], &random, &found);
        assert_int_equal(found.size, wanted.size);
        assert_memory_equal(found.bytes, wanted.bytes, wanted.size);
    }
}

static void test_wrong_frames(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint8_t bytes[16];
        const char *found;
    } cases[] = {
        {2, {0x82, 0x02}, "w"},                                 // no mask
        {2, {0x89, 0x00}, "w"},                                 // nor in a control frame
        {2, {0xc2, 0x81}, "w"},                                 // reserved bits
        {2, {0x92, 0x81}, "w"},                                 //
        {2, {0x83, 0x81}, "w"},                                 // reserved opcodes
        {2, {0x8b, 0x81}, "w"},                                 //
        {2, {0x80, 0x81}, "w"},                                 // nothing to continue
        {2, {0x09, 0x81}, "w"},                                 // a control frame in fragments
        {2, {0x89, 0xfe}, "w"},                                 // a long one
        {7, {0x02, 0x81, 0, 0, 0, 0, 'x'}, "dxb"},              // the first fragment
        {9, {0x02, 0x81, 0, 0, 0, 0, 'x', 0x82, 0x81}, "dxbw"}, // a message within a message
        {9, {0x82, 0x81, 0, 0, 0, 0, 'x', 0x80, 0x81}, "dxb.w"},
        {14, {0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "w"}, // 2^63 bytes
        {15, {0x82, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'y'}, "dy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static text in;
        static text found;
        uint64_t random = i;
        in.size = cases[i].size;
        memcpy(in.bytes, cases[i].bytes, in.size);
        for (uint32_t most = 1; most < 20; most++) {
            read_all(&in, most, &random, &found);
            put(&found, 0);
            assert_string_equal((const char *)found.bytes, cases[i].found);
        }
    }
}

// after an error nothing is taken any more
static void test_after_an_error(void **state)
{
    (void)state;
    jbw_frame_reader reader = {0};
    uint8_t bytes[] = {0x82, 0x01, 'x', 0x82, 0x81, 0, 0, 0, 0, 'y'};
    jbw_frame_part part;
    assert_int_equal(jbw_frame_reader_take(&reader, bytes, sizeof bytes, &part), 2);
    assert_int_equal(part.kind, JBW_FRAME_WRONG);
    assert_int_equal(jbw_frame_reader_take(&reader, bytes + 2, sizeof bytes - 2, &part), 0);
    assert_int_equal(part.kind, JBW_FRAME_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_of_any_size),
        cmocka_unit_test(test_wrong_frames),
        cmocka_unit_test(test_after_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
