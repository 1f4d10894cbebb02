// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A whole server on loopback: pages, saving and restarting, and worlds that are only shown.
#include "support/served.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "support/files.h"
#include "support/raw_socket.h"
#include "support/waiting.h"

// ---- plain HTTP ----

static void ask_http(int port, const char *request, char *answer, size_t size)
{
    const int fd = raw_connect(port);
    assert_true(fd >= 0 && raw_send(fd, request, strlen(request)));
    raw_receive_text(fd, answer, size, 10);
    close(fd);
}

static void get(int port, const char *path, char *answer, size_t size)
{
    char request[200];
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", path, port);
    ask_http(port, request, answer, size);
}

static void test_pages(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    const int port = jbw_server_port(s.server);
    static char answer[200000];
    get(port, "/healthz", answer, sizeof answer);
    assert_contains(answer, " 200 ");
    assert_contains(answer, "\"status\": \"ok\"");
    assert_contains(answer, "\"shows\": \"world\", \"tokens\": true");
    get(port, "/metrics", answer, sizeof answer);
    assert_contains(answer, "\njbw_clients 0\n");
    assert_contains(answer, "# TYPE jbw_steps_total counter\n");
    get(port, "/", answer, sizeof answer);
    assert_contains(answer, "text/html");
    assert_contains(answer, "Jelly Bean World");
    static const struct {
        const char *path;
        const char *type;
    } files[] = {{"/style.css", "text/css"},
                 {"/main.js", "text/javascript"},
                 {"/icon.svg", "image/svg+xml"},
                 {"/reward", "text/plain"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        get(port, files[i].path, answer, sizeof answer);
        assert_contains(answer, " 200 ");
        assert_contains(answer, files[i].type);
    }
    get(port, "/../etc/passwd", answer, sizeof answer);
    assert_null(strstr(answer, " 200 "));
    get(port, "/ws", answer, sizeof answer);
    assert_contains(answer, " 404 ");
    served_close(&s);
}

static void test_pages_of_a_view(void **state)
{
    (void)state;
    jbw_model *model = served_model();
    jbw_world *world = world_of(model, 1);
    jbw_server *server;
    const jbw_server_options options = {.reward = "Collect[JellyBean]"};
    assert_int_equal(jbw_server_attach(world, &options, &server, NULL), JBW_OK);
    static char answer[20000];
    get(jbw_server_port(server), "/healthz", answer, sizeof answer);
    assert_contains(answer, "\"shows\": \"view\", \"tokens\": false");
    get(jbw_server_port(server), "/reward", answer, sizeof answer);
    assert_contains(answer, options.reward);
    jbw_server_destroy(server);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_bad_options(void **state)
{
    (void)state;
    static const jbw_server_options bad[] = {
        {.port = -1},           {.port = 65536},      {.clients_most = 60001},
        {.frame_rate = 0.001F}, {.frame_rate = 1e4F}, {.rate = -1},
        {.rate = 1e-4},         {.rate = 1e10},       {.save_timeout = 1e7},
        {.cert = "cert.pem"},   {.key = "key.pem"},
    };
    jbw_model *model = served_model();
    jbw_world *world = world_of(model, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        jbw_server *server;
        assert_int_equal(jbw_server_create(world, &bad[i], &server, NULL), JBW_INVALID_ARGUMENT);
        assert_null(server);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void upgrade(int port, const char *origin, char *answer, size_t size)
{
    char request[500];
    snprintf(request, sizeof request,
             "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\n"
             "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: %s\r\n\r\n",
             port, origin);
    const size_t enough = size < 20 ? size : 20; // the connection stays open
    ask_http(port, request, answer, enough);
}

static void test_foreign_pages_cannot_connect(void **state)
{
    (void)state;
    static const char *const origins[] = {"https://class.example.org"};
    const jbw_server_options options = {.origins = origins, .origin_count = 1};
    served s;
    served_open(&s, &options);
    const int port = jbw_server_port(s.server);
    char own[50];
    snprintf(own, sizeof own, "http://127.0.0.1:%d", port);
    char answer[100];
    upgrade(port, own, answer, sizeof answer);
    assert_contains(answer, " 101 ");
    upgrade(port, origins[0], answer, sizeof answer);
    assert_contains(answer, " 101 ");
    upgrade(port, "https://evil.example.org", answer, sizeof answer);
    assert_null(strstr(answer, " 101 "));
    served_close(&s);
}

static void test_port_in_use(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_world *other = world_of(s.model, 1);
    const jbw_server_options same = {.port = jbw_server_port(s.server)};
    jbw_server *second;
    jbw_error error = {0};
    assert_int_equal(jbw_server_create(other, &same, &second, &error), JBW_NO_CONNECTION);
    assert_null(second);
    assert_true(error.text[0] != '\0');
    const jbw_server_options nowhere = {.host = "no.such.host.invalid"};
    assert_int_equal(jbw_server_create(other, &nowhere, &second, &error), JBW_INVALID_ARGUMENT);
    jbw_world_destroy(other); // still ours
    served_close(&s);
}

// ---- saving and restarting ----

static void make_folder(temporary_folder *folder, char path[PATH_SIZE])
{
    assert_true(temporary_folder_create(folder));
    temporary_path(folder, "saved.jbw", path);
}

static void remove_folder(const temporary_folder *folder)
{
    temporary_folder_clear(folder);
    assert_true(temporary_folder_remove(folder));
}

static void test_agents_are_given_back_after_restart(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    make_folder(&folder, path);
    const jbw_server_options options = {.save_path = path};
    served s;
    served_open(&s, &options);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_agent_id agent = served_add_agent(client);
    jbw_client_observation seen = {0};
    for (int i = 0; i < 20; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, i % 3, &seen), JBW_OK);
    uint64_t time = 0;
    assert_int_equal(jbw_client_save(client, &time), JBW_OK);
    assert_int_equal(time, 20);
    assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &seen), JBW_OK);
    jbw_client_close(client);
    jbw_error error = {0};
    assert_int_equal(jbw_server_stop(s.server, &error), JBW_OK);
    const uint64_t hash = jbw_world_hash(jbw_server_world(s.server));
    assert_int_equal(jbw_server_get_stats(s.server).saved_time, 21);
    served_close(&s);

    served_load(&s, &options, path);
    client = served_connect(&s, SERVED_ALL);
    uint64_t loaded_hash;
    assert_int_equal(jbw_client_get_hash(client, NULL, &loaded_hash), JBW_OK);
    assert_true(loaded_hash == hash);
    const jbw_client_info info = jbw_client_get_info(client);
    assert_int_equal(info.time, 21);
    assert_int_equal(info.started_time, 21);
    jbw_agent_id left[4];
    assert_int_equal(jbw_client_left_agents(client, left, 4), 1);
    assert_memory_equal(&left[0], &agent, sizeof agent);
    assert_int_equal(jbw_client_set_active(client, agent, true), JBW_OK);
    assert_int_equal(jbw_client_act_and_observe(client, agent, FORWARD, &seen), JBW_OK);
    assert_int_equal(seen.time, 22);
    jbw_client_close(client);
    served_close(&s);
    remove_folder(&folder);
}

static void test_autosave(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    make_folder(&folder, path);
    const jbw_server_options options = {.save_path = path, .save_every = 10};
    served s;
    served_open(&s, &options);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_agent_id agent = served_add_agent(client);
    jbw_client_observation seen = {0};
    for (int i = 0; i < 35; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, LEFT, &seen), JBW_OK);
    for (int i = 0; i < 500 && jbw_server_get_stats(s.server).saved_time < 10; i++) pause_for(10);
    jbw_loaded loaded;
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, NULL), JBW_OK);
    assert_true(jbw_world_time(loaded.world) >= 10);
    jbw_loaded_free(&loaded);
    jbw_client_close(client);
    served_close(&s);
    remove_folder(&folder);
}

// ---- worlds that are only shown ----

// shows a world; the caller destroys it
static void attach(served *s, jbw_world *world, const jbw_server_options *options)
{
    assert_int_equal(jbw_server_attach(world, options, &s->server, NULL), JBW_OK);
    snprintf(s->url, sizeof s->url, "ws://127.0.0.1:%d", jbw_server_port(s->server));
}

static void subscribe_to_everything(jbw_client *client)
{
    const jbw_subscription wanted = {.topic = JBW_TOPIC_EVERYTHING};
    uint32_t subscription;
    assert_int_equal(jbw_client_subscribe(client, &wanted, &subscription), JBW_OK);
}

static void test_show_a_world(void **state)
{
    (void)state;
    static const jbw_token token = {.name = "all", .secret = SERVED_ALL, .permissions = 31};
    served s = {.model = served_model()};
    jbw_world *world = world_of(s.model, 3);
    jbw_world *twin = world_of(s.model, 3); // that no one watches
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_world_add_agent(twin, NULL, &agent), JBW_OK);
    attach(&s, world, &(jbw_server_options){.tokens = &token, .token_count = 1});
    jbw_client *client = served_connect(&s, SERVED_ALL);
    assert_int_equal(jbw_client_get_info(client).permissions, JBW_MAY_WATCH);
    jbw_agent_id added;
    assert_int_equal(jbw_client_add_agent(client, NULL, &added), JBW_NOT_PERMITTED);
    subscribe_to_everything(client);
    uint64_t time = 0;
    for (int i = 0; i < 200000 && time < 100; i++) {
        jbw_agent_act(world, agent, i % 50 == 0, NULL);
        jbw_agent_act(twin, agent, i % 50 == 0, NULL);
        jbw_server_publish(s.server, world);
        if (i % 200 != 0) continue;
        jbw_frame frame;
        if (jbw_client_next_frame(client, 0.05, &frame)) continue;
        assert_int_equal(frame.agent_count, 1);
        assert_true(frame.time >= time);
        time = frame.time;
    }
    assert_true(time >= 100);
    assert_true(jbw_world_hash(world) == jbw_world_hash(twin));
    jbw_client_close(client);
    jbw_server_destroy(s.server);
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(s.model);
}

typedef struct resting {
    const jbw_world *world;
    atomic_int peek_count;
} resting;

static void peek(jbw_server *server, void *user)
{
    resting *r = user;
    if (jbw_server_publish(server, r->world)) r->peek_count++;
}

// a world that does not step is published by the callback
static void test_show_a_resting_world(void **state)
{
    (void)state;
    served s = {.model = served_model()};
    jbw_world *world = world_of(s.model, 3);
    resting r = {.world = world};
    attach(&s, world, &(jbw_server_options){.peek = peek, .peek_user = &r});
    assert_false(jbw_server_publish(s.server, world)); // there are no clients
    for (int i = 0; i < 40; i++) assert_int_equal(jbw_world_step(world), JBW_OK);
    assert_int_equal(jbw_server_get_stats(s.server).copy_count, 0);
    jbw_client *client = served_connect(&s, NULL);
    subscribe_to_everything(client);
    jbw_frame frame = {0};
    for (int i = 0; i < 100 && frame.time < 40; i++)
        assert_int_equal(jbw_client_next_frame(client, 30.0, &frame), JBW_OK);
    assert_int_equal(frame.time, 40);
    assert_true(r.peek_count > 0);
    assert_true(jbw_server_get_stats(s.server).copy_count >= (uint64_t)r.peek_count);
    jbw_client_close(client);
    jbw_server_destroy(s.server);
    jbw_world_destroy(world);
    jbw_model_destroy(s.model);
}

// ---- the end ----

static void test_stop_while_clients_wait(void **state)
{
    (void)state;
    const jbw_client_options options = {.token = SERVED_ALL, .reconnect_time = -1};
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect_with(&s, &options);
    jbw_client *silent = served_connect_with(&s, &options);
    const jbw_agent_id agent = served_add_agent(client);
    served_add_agent(silent);
    jbw_client_observation seen = {0};
    uint32_t ticket;
    assert_int_equal(jbw_client_post_act(client, agent, FORWARD, &seen, &ticket), JBW_OK);
    jbw_client_is_ready(client, ticket, 0.2);
    assert_int_equal(jbw_server_stop(s.server, NULL), JBW_OK);
    assert_int_not_equal(jbw_client_collect(client, ticket), JBW_OK);
    jbw_client_close(client);
    jbw_client_close(silent);
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pages_of_a_view),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_foreign_pages_cannot_connect),
        cmocka_unit_test(test_port_in_use),
        cmocka_unit_test(test_agents_are_given_back_after_restart),
        cmocka_unit_test(test_autosave),
        cmocka_unit_test(test_show_a_world),
        cmocka_unit_test(test_show_a_resting_world),
        cmocka_unit_test(test_stop_while_clients_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
