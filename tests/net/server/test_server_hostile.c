// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Hostile clients: whatever they send or fail to send, a good client keeps acting, and the memory
/// of the server stays bounded.
#include "support/served.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "net/wire/message.h"
#include "support/random.h"
#include "support/raw_socket.h"
#include "support/waiting.h"

static int thorough = 1; // how much is tried: 1 under sanitizers, otherwise 10

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// resident memory of this process, in bytes
static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    char line[128] = "";
    if (file) {
        if (!fgets(line, sizeof line, file)) line[0] = 0;
        fclose(file);
    }
    const char *second = strchr(line, ' '); // the first number includes more than that
    const unsigned long pages = second ? strtoul(second, NULL, 10) : 0;
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// ---- the good client, in a thread of its own ----

typedef struct good {
    served s;
    int port;
    pthread_t thread;
    atomic_bool is_over;
    atomic_ulong turns;
    atomic_int problem;
} good;

static void *act_on(void *user)
{
    good *g = user;
    jbw_client *client;
    jbw_agent_id id;
    const jbw_client_options options = {.token = SERVED_ALL, .reconnect_time = -1};
    jbw_status status = jbw_client_connect(g->s.url, &options, &client, NULL);
    if (!status) status = jbw_client_add_agent(client, NULL, &id);
    while (!status && !g->is_over) {
        jbw_client_observation o = {0};
        status = jbw_client_act_and_observe(client, id, (int)(g->turns % 3), &o);
        g->turns++;
        const struct timespec pause = {.tv_nsec = 200000};
        nanosleep(&pause, NULL);
    }
    jbw_client_close(client);
    g->problem = (int)status;
    return NULL;
}

static void wait_for_turns(good *g, unsigned long count)
{
    const unsigned long before = g->turns;
    for (int i = 0; i < 30000 && g->turns < before + count && !g->problem; i++) pause_for(1);
    if (g->problem) fail_msg("%s", jbw_status_text((jbw_status)g->problem));
    if (g->turns < before + count) fail_msg("the world does not step");
}

static void good_begin(good *g, const jbw_server_options *options)
{
    served_open(&g->s, options);
    g->port = jbw_server_port(g->s.server);
    g->is_over = false;
    g->turns = 0;
    g->problem = 0;
    assert_int_equal(pthread_create(&g->thread, NULL, act_on, g), 0);
    wait_for_turns(g, 10);
}

// ends it: the server is well, and did not grow
static void good_end(good *g, size_t resident_before, size_t growth_most)
{
    wait_for_turns(g, 10);
    const size_t after = resident();
    g->is_over = true;
    pthread_join(g->thread, NULL);
    assert_int_equal(g->problem, JBW_OK);
    if (thorough > 1 && after > resident_before + growth_most)
        fail_msg("memory grew from %zu to %zu", resident_before, after);
    jbw_error error = {0};
    assert_int_equal(jbw_server_status(g->s.server, &error), JBW_OK);
    served_close(&g->s);
}

// ---- hostile clients ----

static void test_garbage(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    uint64_t random = 1;
    for (int i = 0; i < 30 * thorough; i++) {
        uint8_t bytes[2000];
        for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (uint8_t)random_next(&random);
        const size_t size = random_below(&random, sizeof bytes);

        // instead of HTTP; as a WebSocket frame; as a message; and as a message with a valid header
        const int plain = raw_connect(g.port);
        assert_true(plain >= 0);
        raw_send(plain, bytes, size);
        const int upgraded = raw_upgrade(g.port);
        assert_true(upgraded >= 0);
        raw_send(upgraded, bytes, size);
        const int wrapped = raw_upgrade(g.port);
        assert_true(wrapped >= 0);
        for (int k = 0; k < 5; k++) {
            if (k == 1) raw_hello(wrapped, SERVED_ACT);
            bytes[0] = (uint8_t)random_below(&random, 30);
            bytes[1] = 0;
            if (!raw_send_frame(wrapped, 0x82, bytes, size, size)) break;
        }
        if (i % 3 == 0)
            raw_reset(plain);
        else
            close(plain);
        if (i % 3 == 1)
            raw_reset(upgraded);
        else
            close(upgraded);
        if (i % 3 == 2)
            raw_reset(wrapped);
        else
            close(wrapped);
    }
    good_end(&g, before, 32 << 20);
}

static void test_truncated_and_oversized_frames(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    uint8_t *bytes = calloc(1, 1 << 20);
    assert_non_null(bytes);
    enum { OPEN = 8 };
    int waiting[OPEN];
    for (int i = 0; i < OPEN; i++) {
        // headers that announce much more than follows: up to 2^62 bytes
        waiting[i] = raw_upgrade(g.port);
        assert_true(waiting[i] >= 0);
        raw_hello(waiting[i], SERVED_ACT);
        raw_send_frame(waiting[i], 0x82, bytes, 10, UINT64_C(1) << (8 * (i % 8) + 6));
    }
    int ended[2 * OPEN];
    for (int i = 0; i < OPEN; i++) {
        // messages that are too large: whole, and in endless fragments
        const int large = raw_upgrade(g.port);
        assert_true(large >= 0);
        raw_hello(large, SERVED_ACT);
        raw_send_frame(large, 0x82, bytes, 1 << 20, 1 << 20);
        const int endless = raw_upgrade(g.port);
        assert_true(endless >= 0);
        raw_hello(endless, SERVED_ACT);
        bool is_taken = raw_send_frame(endless, 0x02, bytes, 1000, 1000);
        for (int k = 0; k < 200 && is_taken; k++)
            is_taken = raw_send_frame(endless, 0x00, bytes, 1000, 1000);
        ended[2 * i] = large;
        ended[2 * i + 1] = endless;
        // half a message, then nothing
        const int half = raw_upgrade(g.port);
        assert_true(half >= 0);
        raw_send_frame(half, 0x82, bytes, 3, 100);
        close(half);
    }
    for (int i = 0; i < 2 * OPEN; i++) {
        assert_true(raw_hears_end(ended[i], 30.0));
        close(ended[i]);
    }
    for (int i = 0; i < OPEN; i++) close(waiting[i]);
    free(bytes);
    good_end(&g, before, 48 << 20);
}

// the code with which the server closes a WebSocket; 0 if it does not
static unsigned close_code(int fd)
{
    uint8_t bytes[200];
    for (int i = 0; i < 10; i++) { // there may be a welcome before
        char head[2];
        struct timeval patience = {.tv_sec = 10};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (recv(fd, head, 2, MSG_PEEK | MSG_WAITALL) != 2) return 0;
        const size_t size = raw_receive_frame(fd, bytes, sizeof bytes);
        if ((uint8_t)head[0] == 0x88) return size >= 2 ? (unsigned)bytes[0] << 8 | bytes[1] : 1;
    }
    return 0;
}

// what the standard of WebSockets forbids ends a connection, with a code that says so
static void test_forbidden_frames(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    static const struct {
        size_t size;
        uint8_t bytes[12];
    } cases[] = {
        {8, {0x82, 6, 3, 0, 9, 0, 0, 0}},          // a message without a mask
        {3, {0x89, 1, 'x'}},                       // a ping without a mask
        {2, {0x88, 0}},                            // a close without a mask
        {7, {0xc2, 0x81, 0, 0, 0, 0, 1}},          // a reserved bit
        {7, {0x83, 0x81, 0, 0, 0, 0, 1}},          // a reserved opcode
        {7, {0x80, 0x81, 0, 0, 0, 0, 1}},          // nothing to continue
        {6, {0x09, 0x80, 0, 0, 0, 0}},             // a ping in fragments
        {8, {0x89, 0xfe, 0, 126, 0, 0, 0, 0}},     // a long ping
        {8, {0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80}}, // a message within a message
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int has_hello = 0; has_hello < 2; has_hello++) {
            const int fd = raw_upgrade(g.port);
            assert_true(fd >= 0);
            if (has_hello) raw_hello(fd, SERVED_ACT);
            raw_send(fd, cases[i].bytes, cases[i].size);
            const unsigned code = close_code(fd);
            if (code != 1002) fail_msg("case %zu: the code is %u", i, code);
            close(fd);
        }
    }
    good_end(&g, before, 32 << 20);
}

// a ping gets its pong, a close its close, between the fragments of a message too
static void test_control_frames(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    const int fd = raw_upgrade(g.port);
    assert_true(fd >= 0);
    raw_send_frame(fd, 0x02, "\1", 1, 1);
    raw_send_frame(fd, 0x89, "are you there", 13, 13);
    uint8_t answer[20] = {0};
    assert_int_equal(raw_receive_frame(fd, answer, sizeof answer), 13);
    assert_string_equal((const char *)answer, "are you there");
    raw_send_frame(fd, 0x8a, "yes", 3, 3);
    raw_send_frame(fd, 0x88, "\x03\xe8", 2, 2);
    assert_int_equal(close_code(fd), 1000);
    close(fd);
    // pings without end hold up nobody
    const int busy = raw_upgrade(g.port);
    assert_true(busy >= 0);
    for (int i = 0; i < 2000 * thorough; i++) raw_send_frame(busy, 0x89, "x", 1, 1);
    wait_for_turns(&g, 10);
    close(busy);
    good_end(&g, before, 32 << 20);
}

static void wait_for_clients(const good *g, uint32_t count)
{
    const double start = now();
    while (jbw_server_get_stats(g->s.server).client_count != count) {
        if (now() - start > 20) fail_msg("not %u clients", count);
        pause_for(1);
    }
}

// Whoever speaks and hangs up in the same breath is gone at once. In a crowd the server does not
// listen all the time, so it finds the last words and the end together.
static void test_farewells(void **state)
{
    (void)state;
    enum { CLIENTS = 20, WORDS = 20 };
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    int descriptors[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        descriptors[i] = raw_upgrade(g.port);
        assert_true(descriptors[i] >= 0);
        raw_hello(descriptors[i], SERVED_ACT);
    }
    wait_for_clients(&g, 1 + CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        for (int k = 0; k < WORDS; k++) raw_send_frame(descriptors[i], 0x8a, "bye", 3, 3);
        shutdown(descriptors[i], SHUT_WR);
    }
    wait_for_clients(&g, 1);
    for (int i = 0; i < CLIENTS; i++) close(descriptors[i]);
    good_end(&g, before, 32 << 20);
}

// connections that send nothing, or stop in the middle of a word
static void test_silent_connections(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    enum { SILENT = 100 };
    int fds[SILENT];
    for (int i = 0; i < SILENT; i++) {
        fds[i] = i % 2 ? raw_connect(g.port) : raw_upgrade(g.port);
        assert_true(fds[i] >= 0);
        if (i % 4 == 1) raw_send(fds[i], "GET /ws HT", 10);
        if (i % 4 == 2) raw_hello(fds[i], SERVED_ALL);
    }
    wait_for_turns(&g, 100);
    for (int i = 0; i < SILENT; i++) close(fds[i]);
    good_end(&g, before, 64 << 20);
}

static bool send_message(int fd, const jbw_message *message)
{
    jbw_buffer buffer = {0};
    const bool is_good = jbw_message_encode(message, &buffer) &&
                         raw_send_frame(fd, 0x82, buffer.bytes, buffer.size, buffer.size);
    jbw_buffer_free(&buffer);
    return is_good;
}

// subscribe to everything, ask for large regions, and never read
static void test_slow_readers(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    enum { SLOW = 10 };
    int fds[SLOW];
    for (int i = 0; i < SLOW; i++) {
        fds[i] = raw_upgrade(g.port);
        assert_true(fds[i] >= 0);
        raw_hello(fds[i], "");
        send_message(fds[i], &(jbw_message){.type = JBW_MESSAGE_SUBSCRIBE,
                                            .request = 2,
                                            .subscribe = {.topic = JBW_TOPIC_REGION,
                                                          .region = {-500, -500, 1000, 1000},
                                                          .rate_most = 1000.0F}});
        for (uint32_t k = 0; k < 500; k++)
            if (!send_message(fds[i],
                              &(jbw_message){.type = JBW_MESSAGE_READ_REGION,
                                             .request = k + 3,
                                             .read_region = {{-128, -128, 256, 256}, true, 0}}))
                break;
    }
    wait_for_turns(&g, 200);
    good_end(&g, before, (size_t)SLOW * (24 << 20));
    for (int i = 0; i < SLOW; i++) close(fds[i]);
}

static void test_endless_connections(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    int refused = 0;
    for (int i = 0; i < 1000 * thorough; i++) {
        const int fd = i % 10 ? raw_connect(g.port) : raw_upgrade(g.port);
        if (fd < 0)
            refused++;
        else if (i % 2)
            raw_reset(fd);
        else
            close(fd);
    }
    assert_int_equal(refused, 0);
    good_end(&g, before, 32 << 20);
}

// as many requests as possible, good ones and bad ones, without reading the replies
static void test_floods(void **state)
{
    (void)state;
    good g;
    const jbw_server_options options = {.turn_timeout =
                                            20}; // agents of flooding clients do not act
    good_begin(&g, &options);
    const size_t before = resident();
    uint64_t random = 3;
    enum { FLOODS = 4 };
    int fds[FLOODS];
    for (int i = 0; i < FLOODS; i++) {
        fds[i] = raw_upgrade(g.port);
        assert_true(fds[i] >= 0);
        raw_hello(fds[i], SERVED_ACT);
    }
    const double stop = now() + 0.2 * thorough;
    for (uint32_t k = 2; now() < stop; k++) {
        const int i = (int)(k % FLOODS);
        if (fds[i] < 0) continue;
        jbw_message message = {.type = JBW_MESSAGE_PING, .request = k};
        switch (random_below(&random, 4)) {
        case 0:
            message.type = JBW_MESSAGE_LIST_AGENTS;
            message.list_agents.most = 1000;
            break;
        case 1: message.type = JBW_MESSAGE_ADD_AGENT; break;
        case 2: message.type = JBW_MESSAGE_PLACE_ITEM; break;
        default: break;
        }
        if (send_message(fds[i], &message)) continue;
        close(fds[i]);
        fds[i] = -1;
    }
    for (int i = 0; i < FLOODS; i++)
        if (fds[i] >= 0) close(fds[i]);
    good_end(&g, before, 96 << 20);
}

// clients that add an agent and disconnect while the step waits for it
static void test_disconnects_in_mid_turn(void **state)
{
    (void)state;
    good g;
    good_begin(&g, NULL);
    const size_t before = resident();
    enum { AT_ONCE = 20 };
    const int rounds = thorough > 1 ? 10 : 2;
    for (int round = 0; round < rounds; round++) {
        int fds[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            fds[i] = raw_upgrade(g.port);
            assert_true(fds[i] >= 0);
            raw_hello(fds[i], SERVED_ALL);
            send_message(fds[i], &(jbw_message){.type = JBW_MESSAGE_ADD_AGENT, .request = 2});
            send_message(fds[i], &(jbw_message){.type = JBW_MESSAGE_PING, .request = 3});
        }
        uint8_t bytes[8];
        for (int i = 0; i < 3 * AT_ONCE; i++) // the welcome and two answers
            assert_true(raw_receive_frame(fds[i / 3], bytes, sizeof bytes) > 0);
        for (int i = 0; i < AT_ONCE; i++) {
            if (i % 2)
                raw_reset(fds[i]);
            else
                close(fds[i]);
        }
        wait_for_turns(&g, 5);
    }
    jbw_client *client = served_connect(&g.s, NULL);
    jbw_client_stats stats;
    assert_int_equal(jbw_client_get_stats(client, &stats), JBW_OK);
    assert_int_equal(stats.agent_count, rounds * AT_ONCE + 1);
    assert_int_equal(stats.active_count, 1);
    jbw_client_close(client);
    good_end(&g, before, 64 << 20);
}

// a client that holds up the step: the turn timeout lets the world continue
static void test_idle_client(void **state)
{
    (void)state;
    good g;
    const jbw_server_options options = {.turn_timeout = 20};
    good_begin(&g, &options);
    const size_t before = resident();
    jbw_client *idle = served_connect(&g.s, SERVED_ACT);
    const jbw_agent_id id = served_add_agent(idle);
    wait_for_turns(&g, 20);
    jbw_agent_result result;
    assert_int_equal(jbw_client_get_result(idle, id, &result), JBW_OK);
    assert_true(result.time > 0);
    assert_int_equal(result.action, -1);
    good_end(&g, before, 32 << 20);
    jbw_client_close(idle);
}

int main(void)
{
    thorough = is_sanitized() ? 1 : 10;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_truncated_and_oversized_frames),
        cmocka_unit_test(test_forbidden_frames),
        cmocka_unit_test(test_control_frames),
        cmocka_unit_test(test_farewells),
        cmocka_unit_test(test_silent_connections),
        cmocka_unit_test(test_slow_readers),
        cmocka_unit_test(test_endless_connections),
        cmocka_unit_test(test_floods),
        cmocka_unit_test(test_disconnects_in_mid_turn),
        cmocka_unit_test(test_idle_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
