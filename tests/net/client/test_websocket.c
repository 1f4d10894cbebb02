// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The client's WebSocket frames, over a pair of sockets. The test plays the server.
#include "support/checks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/client/websocket.h"

enum { MESSAGE_MOST = 1 << 20 };

typedef struct pair {
    jbw_websocket websocket;
    int other;
    int count; // of received messages
    uint8_t *latest;
    size_t latest_size;
} pair;

static bool get_random(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 37 + 11);
    return true;
}

static void receive(const void *bytes, size_t size, void *user)
{
    pair *p = user;
    p->count++;
    p->latest = realloc(p->latest, size + 1);
    assert_non_null(p->latest);
    memcpy(p->latest, bytes, size);
    p->latest_size = size;
}

static void open_pair(pair *p)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *p = (pair){.other = ends[1]};
    p->websocket = (jbw_websocket){
        .get_random = get_random, .receive = receive, .user = p, .message_most = MESSAGE_MOST};
    jbw_websocket_begin(&p->websocket, ends[0]);
}

static void close_pair(pair *p)
{
    close(p->websocket.socket);
    if (p->other >= 0) close(p->other);
    jbw_websocket_deinit(&p->websocket);
    free(p->latest);
}

static void send_bytes(const pair *p, const void *bytes, size_t size)
{
    assert_int_equal(write(p->other, bytes, size), size);
}

// the bytes of a frame as a server sends it; the caller frees them
static uint8_t *make_frame(unsigned first, const uint8_t *bytes, size_t size, size_t *frame_size)
{
    uint8_t *frame = malloc(size + 10);
    assert_non_null(frame);
    size_t at = 0;
    frame[at++] = (uint8_t)first;
    if (size < 126) {
        frame[at++] = (uint8_t)size;
    } else if (size < 65536) {
        frame[at++] = 126;
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    } else {
        frame[at++] = 127;
        for (int i = 7; i >= 0; i--) frame[at++] = (uint8_t)((uint64_t)size >> 8 * i);
    }
    if (size > 0) memcpy(frame + at, bytes, size);
    *frame_size = at + size;
    return frame;
}

static uint8_t *make_bytes(size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * i + size);
    return bytes;
}

static const size_t sizes[] = {0, 1, 125, 126, 127, 1000, 65535, 65536, 200000};
enum { SIZES = sizeof sizes / sizeof *sizes };

// in pieces, as the network may split them
static void test_split_messages(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < SIZES; i++) {
        static const size_t pieces[] = {1, 3, 4096, 1 << 20};
        for (size_t k = sizes[i] > 1000 ? 2 : 0; k < sizeof pieces / sizeof *pieces; k++) {
            uint8_t *bytes = make_bytes(sizes[i]);
            size_t frame_size;
            uint8_t *frame = make_frame(0x82, bytes, sizes[i], &frame_size);
            const int before = p.count;
            for (size_t at = 0; at < frame_size;) {
                assert_int_equal(p.count, before);
                size_t piece = frame_size - at < pieces[k] ? frame_size - at : pieces[k];
                if (piece > 60000) piece = 60000; // what the socket accepts at once
                send_bytes(&p, frame + at, piece);
                at += piece;
                assert_int_equal(jbw_websocket_read(&p.websocket), at == frame_size);
            }
            assert_int_equal(p.count, before + 1);
            assert_int_equal(p.latest_size, sizes[i]);
            assert_memory_equal(p.latest, bytes, sizes[i]);
            free(frame);
            free(bytes);
        }
    }
    assert_false(p.websocket.is_closed);
    close_pair(&p);
}

static void test_many_messages_at_once(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    uint8_t frames[500][4];
    for (int i = 0; i < 500; i++) {
        const uint8_t frame[] = {0x82, 2, (uint8_t)(i >> 8), (uint8_t)i};
        memcpy(frames[i], frame, sizeof frame);
    }
    send_bytes(&p, frames, sizeof frames);
    assert_true(jbw_websocket_read(&p.websocket));
    assert_int_equal(p.count, 500);
    assert_int_equal(p.latest[0] << 8 | p.latest[1], 499);
    assert_false(jbw_websocket_read(&p.websocket));
    close_pair(&p);
}

static void test_fragmented_message(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    // "abc" in three frames, with a ping in between
    send_bytes(&p,
               "\x02\x01"
               "a"
               "\x00\x01"
               "b"
               "\x89\x02"
               "hi",
               10);
    assert_false(jbw_websocket_read(&p.websocket));
    send_bytes(&p,
               "\x80\x01"
               "c",
               3);
    assert_true(jbw_websocket_read(&p.websocket));
    assert_int_equal(p.latest_size, 3);
    assert_memory_equal(p.latest, "abc", 3);
    // the pong has the same contents, masked
    uint8_t pong[20];
    assert_int_equal(read(p.other, pong, sizeof pong), 8);
    assert_int_equal(pong[0], 0x8a);
    assert_int_equal(pong[1], 0x82);
    assert_int_equal(pong[6] ^ pong[2], 'h');
    assert_int_equal(pong[7] ^ pong[3], 'i');
    close_pair(&p);
}

static void test_sent_frames_are_masked(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < SIZES; i++) {
        uint8_t *bytes = make_bytes(sizes[i]);
        assert_true(jbw_websocket_put(&p.websocket, bytes, sizes[i]));
        // the socket accepts a part; the rest follows
        size_t expected_size;
        uint8_t *expected = make_frame(0x82, bytes, sizes[i], &expected_size);
        const size_t header = expected_size - sizes[i];
        uint8_t *got = malloc(expected_size + 4);
        assert_non_null(got);
        for (size_t at = 0; at < expected_size + 4;) {
            jbw_websocket_flush(&p.websocket);
            const ssize_t n = read(p.other, got + at, expected_size + 4 - at);
            assert_true(n > 0);
            at += (size_t)n;
        }
        assert_true(jbw_websocket_is_flushed(&p.websocket));
        assert_int_equal(got[0], 0x82);
        assert_int_equal(got[1], expected[1] | 0x80);
        assert_memory_equal(got + 2, expected + 2, header - 2);
        const uint8_t *mask = got + header;
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(mask[4 + k] ^ mask[k % 4], bytes[k]);
        free(got);
        free(expected);
        free(bytes);
    }
    close_pair(&p);
}

static void expect_closed(const char *bytes, size_t size, const char *problem)
{
    pair p;
    open_pair(&p);
    send_bytes(&p, bytes, size);
    assert_false(jbw_websocket_read(&p.websocket));
    if (!p.websocket.is_closed) { // only after the other end is closed
        close(p.other);
        p.other = -1;
        assert_false(jbw_websocket_read(&p.websocket));
    }
    assert_true(p.websocket.is_closed);
    assert_string_equal(p.websocket.problem, problem);
    assert_false(jbw_websocket_read(&p.websocket));
    assert_int_equal(p.count, 0);
    close_pair(&p);
}

static void test_invalid_frames_close_it(void **state)
{
    (void)state;
    static const char none[] = "the server violates the WebSocket protocol";
    static const char gone[] = "the server closed the connection";
    static const char large[] = "a message from the server is too large";
    expect_closed("\x82\x81"
                  "aaaab",
                  7, none); // a server does not mask
    expect_closed("\xc2\x01"
                  "a",
                  3, none); // a reserved bit
    expect_closed("\x83\x01"
                  "a",
                  3, none); // unknown opcode
    expect_closed("\x09\x01"
                  "a",
                  3, none); // a fragmented ping
    expect_closed("\x89\x7e\x01\x00"
                  "a",
                  5, none); // a long ping
    expect_closed("\x82\x7f\x00\x00\x00\x01\x00\x00\x00\x00", 10, large);
    expect_closed("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff", 10, large);
    expect_closed("\x88\x06\x03\xe8"
                  "late",
                  8, "late");
    expect_closed("\x88\x00", 2, gone);
    expect_closed("\x82\x05"
                  "abc",
                  5, gone); // truncated
}

static void test_fragments_are_limited(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    uint8_t *bytes = make_bytes(60000);
    size_t size;
    uint8_t *frame = make_frame(0x00, bytes, 60000, &size);
    for (int i = 0; i < 100 && !p.websocket.is_closed; i++) {
        send_bytes(&p, frame, size);
        assert_false(jbw_websocket_read(&p.websocket));
    }
    assert_string_equal(p.websocket.problem, "a message from the server is too large");
    free(frame);
    free(bytes);
    close_pair(&p);
}

static void test_send_after_close(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    close(p.other);
    p.other = -1;
    assert_true(jbw_websocket_put(&p.websocket, (const uint8_t *)"a", 1));
    jbw_websocket_flush(&p.websocket);
    assert_true(p.websocket.is_closed);
    assert_true(jbw_websocket_is_flushed(&p.websocket));
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_messages),
        cmocka_unit_test(test_many_messages_at_once),
        cmocka_unit_test(test_fragmented_message),
        cmocka_unit_test(test_sent_frames_are_masked),
        cmocka_unit_test(test_invalid_frames_close_it),
        cmocka_unit_test(test_fragments_are_limited),
        cmocka_unit_test(test_send_after_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
