// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a server does when something runs short: the disk, places for clients, memory; and which
/// kinds of HTTP it refuses.
#include "support/served.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/wire/message.h"
#include "support/files.h"
#include "support/raw_socket.h"
#include "support/waiting.h"

// the answer to a request, as far as it comes
static void ask_http(int port, const char *request, char *answer, size_t size)
{
    const int fd = raw_connect(port);
    assert_true(fd >= 0 && raw_send(fd, request, strlen(request)));
    raw_receive_text(fd, answer, size, 10);
    close(fd);
}

static void get_health(const served *s, char answer[2000])
{
    ask_http(jbw_server_port(s->server),
             "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", answer, 2000);
}

static void wait_for_health(const served *s, const char *text)
{
    char answer[2000] = "";
    for (int i = 0; i < 2000 && !strstr(answer, text); i++) {
        pause_for(10);
        get_health(s, answer);
    }
    assert_contains(answer, text);
}

// ---- saving ----

static void test_failed_saves_do_not_end_the_server(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    char inner[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "inner", inner);
    temporary_path(&folder, "inner/saved.jbw", path); // the folder does not exist
    const jbw_server_options options = {.save_path = path, .save_every = 2};
    served s;
    served_open(&s, &options);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_agent_id agent = served_add_agent(client);
    jbw_client_observation o = {0};
    for (int i = 0; i < 10; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &o), JBW_OK);
    wait_for_health(&s, "\"status\": \"save failed\"");
    char answer[2000];
    get_health(&s, answer);
    assert_null(strstr(answer, "\"save_error\": \"\""));
    // it goes on, says so, and is no failure of the server
    assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &o), JBW_OK);
    assert_int_equal(jbw_server_status(s.server, NULL), JBW_OK);
    assert_true(jbw_server_get_stats(s.server).save_failures > 0);
    // who asks for a save is told, at once
    assert_int_equal(jbw_client_save(client, NULL), JBW_WRITE_FAILED);
    // and it saves as soon as it can, without being asked
    assert_int_equal(mkdir(inner, 0700), 0);
    wait_for_health(&s, "\"status\": \"ok\"");
    assert_true(jbw_server_get_stats(s.server).saved_time > 0);
    jbw_client_close(client);
    served_close(&s);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(inner), 0);
    assert_true(temporary_folder_remove(&folder));
}

static void test_the_end_waits_for_a_save(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "nowhere/saved.jbw", path);
    const jbw_server_options options = {.save_path = path, .save_timeout = 0.5};
    served s;
    jbw_error error = {0};
    served_open(&s, &options);
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const jbw_status status = jbw_server_stop(s.server, &error);
    // on a slow machine the time may be up during an attempt
    assert_true(status == JBW_WRITE_FAILED || status == JBW_TIMED_OUT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double took =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    assert_true(took >= 0.3 && took < 30.0);
    assert_true(error.text[0] != '\0');
    assert_true(jbw_server_get_stats(s.server).save_failures > 1);
    jbw_server_destroy(s.server);
    jbw_model_destroy(s.model);
    assert_true(temporary_folder_remove(&folder));
}

// the world goes on without its recording, and nothing is missing in the saved world
static void test_a_failed_recording_does_not_end_the_server(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    char saved[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "recorded", path);
    temporary_path(&folder, "saved", saved);
    const jbw_server_options options = {.save_path = saved, .record_path = path};
    served s;
    served_open(&s, &options);
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    // files may not become larger than the recording is: its next block does not fit
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {.rlim_cur = (rlim_t)file.st_size, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_agent_id agent = served_add_agent(client);
    jbw_client_observation o = {0};
    for (int i = 0; i < 1100; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &o), JBW_OK);
    wait_for_health(&s, "\"status\": \"record failed\"");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &o), JBW_OK);
    assert_int_equal(jbw_server_status(s.server, NULL), JBW_OK);
    assert_contains(jbw_server_get_stats(s.server).record_error, path);
    jbw_client_close(client);
    // the end saves the world, and then tells that the recording is not whole
    jbw_error error = {0};
    assert_int_equal(jbw_server_stop(s.server, &error), JBW_WRITE_FAILED);
    assert_contains(error.text, path);
    jbw_loaded loaded;
    assert_int_equal(jbw_snapshot_read(saved, NULL, &loaded, NULL), JBW_OK);
    assert_int_equal(jbw_world_time(loaded.world), o.time);
    assert_int_equal(jbw_world_hash(loaded.world), jbw_world_hash(jbw_server_world(s.server)));
    jbw_loaded_free(&loaded);
    jbw_server_destroy(s.server);
    jbw_model_destroy(s.model);
    temporary_folder_clear(&folder);
    assert_true(temporary_folder_remove(&folder));
}

// ---- clients ----

// the type of the first message that comes in, and the code if it is an error; 0 if none comes
static unsigned read_answer(int fd, unsigned *code)
{
    uint8_t bytes[8] = {0};
    *code = 0;
    if (raw_receive_frame(fd, bytes, sizeof bytes) < sizeof bytes) return 0;
    const unsigned type = bytes[0] | (unsigned)bytes[1] << 8;
    if (type == JBW_MESSAGE_ERROR) *code = bytes[6] | (unsigned)bytes[7] << 8;
    return type;
}

static int enter(const served *s, const char *token, unsigned *type, unsigned *code)
{
    const int fd = raw_upgrade(jbw_server_port(s->server));
    assert_true(fd >= 0 && raw_hello(fd, token));
    *type = read_answer(fd, code);
    return fd;
}

static void test_tokens_get_in_first(void **state)
{
    (void)state;
    enum { MOST = 4 };
    const jbw_server_options options = {.clients_most = MOST};
    served s;
    served_open(&s, &options);
    unsigned type;
    unsigned code;
    int fds[MOST];
    for (int i = 0; i < MOST; i++) {
        fds[i] = enter(&s, "", &type, &code);
        assert_int_equal(type, JBW_MESSAGE_WELCOME);
    }
    // all of them were active a moment ago: there is no room for more of their kind
    const int late = enter(&s, "", &type, &code);
    assert_int_equal(code, JBW_ERROR_TOO_MANY);
    close(late);
    // but for one with a token: whoever was quiet for longest goes, and is told why
    const int first = enter(&s, SERVED_ACT, &type, &code);
    assert_int_equal(type, JBW_MESSAGE_WELCOME);
    assert_int_equal(read_answer(fds[0], &code), JBW_MESSAGE_ERROR);
    assert_int_equal(code, JBW_ERROR_TOO_MANY);
    // those with tokens do not make room for each other
    int others[MOST];
    for (int i = 1; i < MOST; i++) {
        others[i] = enter(&s, SERVED_ALL, &type, &code);
        assert_int_equal(type, JBW_MESSAGE_WELCOME);
    }
    others[0] = enter(&s, SERVED_ALL, &type, &code);
    assert_int_equal(code, JBW_ERROR_TOO_MANY);
    close(first);
    for (int i = 0; i < MOST; i++) {
        close(fds[i]);
        close(others[i]);
    }
    served_close(&s);
}

static bool send_message(int fd, const jbw_message *message)
{
    jbw_buffer buffer = {0};
    const bool is_good = jbw_message_encode(message, &buffer) &&
                         raw_send_frame(fd, 0x82, buffer.bytes, buffer.size, buffer.size);
    jbw_buffer_free(&buffer);
    return is_good;
}

// clients that take much memory are dropped, the greediest first
static void test_client_memory(void **state)
{
    (void)state;
    const jbw_server_options options = {.client_memory = 1 << 20};
    served s;
    served_open(&s, &options);
    const int port = jbw_server_port(s.server);
    jbw_client *modest = served_connect(&s, NULL);
    const jbw_subscription small = {.topic = JBW_TOPIC_PATCHES, .region = {0, 0, 64, 64}};
    uint32_t number;
    assert_int_equal(jbw_client_subscribe(modest, &small, &number), JBW_OK);
    // each subscription remembers 16,384 patches, which takes 128 kilobytes
    const int64_t side = 128 * jbw_model_patch_size(s.model);
    const jbw_message large = {
        .type = JBW_MESSAGE_SUBSCRIBE,
        .request = 2,
        .subscribe = {.topic = JBW_TOPIC_REGION, .region = {0, 0, side, side}, .rate_most = 1.0F}};
    enum { GREEDY = 4 };
    int fds[GREEDY];
    for (int i = 0; i < GREEDY; i++) {
        fds[i] = raw_upgrade(port);
        assert_true(fds[i] >= 0 && raw_hello(fds[i], ""));
        for (uint32_t k = 0; k < 6; k++) {
            jbw_message message = large;
            message.request = k + 2;
            send_message(fds[i], &message);
        }
    }
    int dropped = 0;
    for (int i = 0; i < GREEDY; i++) dropped += raw_hears_end(fds[i], 1.0);
    assert_in_range(dropped, 1, GREEDY - 1);
    jbw_client_stats stats;
    assert_int_equal(jbw_client_get_stats(modest, &stats), JBW_OK);
    assert_int_equal(stats.client_count, 1 + GREEDY - dropped);
    for (int i = 0; i < GREEDY; i++) close(fds[i]);
    jbw_client_close(modest);
    served_close(&s);
}

// a client that lets megabytes pile up, and then reads them after all
static void test_a_burst_that_is_read_late(void **state)
{
    (void)state;
    enum { QUERIES = 100 };
    served s;
    served_open(&s, NULL);
    const int fd = raw_upgrade(jbw_server_port(s.server));
    assert_true(fd >= 0 && raw_hello(fd, SERVED_ACT));
    for (uint32_t k = 0; k < QUERIES; k++)
        assert_true(
            send_message(fd, &(jbw_message){.type = JBW_MESSAGE_READ_REGION,
                                            .request = k + 2,
                                            .read_region = {.region = {-128, -128, 256, 256},
                                                            .wants_states = true}}));
    pause_for(500);
    uint8_t bytes[8];
    for (int i = 0; i < 1 + QUERIES; i++)
        assert_true(raw_receive_frame(fd, bytes, sizeof bytes) > 8);
    wait_for_health(&s, "\"status\": \"ok\"");
    close(fd);
    served_close(&s);
}

// ---- HTTP ----

static void test_methods_and_upgrades(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    const int port = jbw_server_port(s.server);
    char answer[4000];
    ask_http(port, "HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", answer,
             sizeof answer);
    assert_contains(answer, " 200 ");
    assert_contains(answer, "content-length: ");
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    assert_string_equal(body, "\r\n\r\n");
    ask_http(port, "HEAD /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", answer,
             sizeof answer);
    assert_contains(answer, " 404 ");
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    ask_http(port, "DELETE / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", answer,
             sizeof answer);
    assert_null(strstr(answer, " 200 "));
    ask_http(port,
             "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
             "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
             answer, sizeof answer);
    assert_null(strstr(answer, " 101 "));
    ask_http(port, "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", answer,
             sizeof answer);
    assert_null(strstr(answer, " 200 "));
    wait_for_health(&s, "\"status\": \"ok\"");
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failed_saves_do_not_end_the_server),
        cmocka_unit_test(test_the_end_waits_for_a_save),
        cmocka_unit_test(test_a_failed_recording_does_not_end_the_server),
        cmocka_unit_test(test_tokens_get_in_first),
        cmocka_unit_test(test_client_memory),
        cmocka_unit_test(test_a_burst_that_is_read_late),
        cmocka_unit_test(test_methods_and_upgrades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
