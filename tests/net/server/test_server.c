// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A whole server, on loopback: pages, saving and starting again, worlds that are only shown.
#include "support/models.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "jbw/agent.h"
#include "jbw/client.h"
#include "jbw/server.h"
#include "jbw/snapshot.h"

static const double red[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2.5]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_NO_OP, NULL}};
static const jbw_token tokens[] = {
    {.name = "ann", .secret = "ann-secret", .permissions = 31, .agents_most = 10},
};

static jbw_model *make_model(void)
{
    jbw_config config = small_config(16, 200, items, 1);
    config.agent.vision_range = 3;
    config.agent.actions = actions;
    config.agent.action_count = 3;
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    return model;
}

static jbw_server *serve(jbw_world *world, jbw_server_options options)
{
    jbw_server *server;
    jbw_error error = {0};
    options.tokens = tokens;
    options.token_count = 1;
    if (jbw_server_create(world, &options, &server, &error)) fail_msg("%s", error.text);
    return server;
}

static jbw_client *connect_to(const jbw_server *server, const char *token)
{
    char url[100];
    snprintf(url, sizeof url, "ws://127.0.0.1:%d/ws", jbw_server_port(server));
    const jbw_client_options options = {.token = token, .reconnect_time = -1};
    jbw_client *client;
    jbw_error error = {0};
    if (jbw_client_connect(url, &options, &client, &error)) fail_msg("%s", error.text);
    return client;
}

static void pause_for(long milliseconds)
{
    const struct timespec wait = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&wait, NULL);
}

// ---- plain HTTP ----

static void ask_http(int port, const char *request, char *answer, size_t size)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 10};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(s, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(s, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
    size_t length = 0;
    ssize_t count;
    while (length + 1 < size && (count = recv(s, answer + length, size - 1 - length, 0)) > 0)
        length += (size_t)count;
    answer[length] = '\0';
    close(s);
}

static void get(int port, const char *path, char *answer, size_t size)
{
    char request[200];
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", path, port);
    ask_http(port, request, answer, size);
}

static void pages_are_served(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    jbw_server *server = serve(world, (jbw_server_options){0});
    const int port = jbw_server_port(server);
    static char answer[200000];
    get(port, "/healthz", answer, sizeof answer);
    assert_non_null(strstr(answer, " 200 "));
    assert_non_null(strstr(answer, "\"status\": \"ok\""));
    get(port, "/metrics", answer, sizeof answer);
    assert_non_null(strstr(answer, "\njbw_clients 0\n"));
    assert_non_null(strstr(answer, "# TYPE jbw_steps_total counter\n"));
    get(port, "/", answer, sizeof answer);
    assert_non_null(strstr(answer, "text/html"));
    assert_non_null(strstr(answer, "Jelly Bean World"));
    get(port, "/../etc/passwd", answer, sizeof answer);
    assert_null(strstr(answer, " 200 "));
    get(port, "/ws", answer, sizeof answer);
    assert_non_null(strstr(answer, " 404 "));
    jbw_server_destroy(server);
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

static void pages_of_others_cannot_connect(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    static const char *const origins[] = {"https://class.example.org"};
    jbw_server *server = serve(world, (jbw_server_options){.origins = origins, .origin_count = 1});
    const int port = jbw_server_port(server);
    char own[50];
    snprintf(own, sizeof own, "http://127.0.0.1:%d", port);
    char answer[100];
    upgrade(port, own, answer, sizeof answer);
    assert_non_null(strstr(answer, " 101 "));
    upgrade(port, origins[0], answer, sizeof answer);
    assert_non_null(strstr(answer, " 101 "));
    upgrade(port, "https://evil.example.org", answer, sizeof answer);
    assert_null(strstr(answer, " 101 "));
    jbw_server_destroy(server);
    jbw_model_destroy(model);
}

static void a_port_is_taken_once(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    jbw_world *other;
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    assert_int_equal(jbw_world_create(model, 1, &other), JBW_OK);
    jbw_server *server = serve(world, (jbw_server_options){0});
    const jbw_server_options same = {.port = jbw_server_port(server)};
    jbw_server *second;
    jbw_error error = {0};
    assert_int_equal(jbw_server_create(other, &same, &second, &error), JBW_NO_CONNECTION);
    assert_null(second);
    assert_true(error.text[0] != '\0');
    const jbw_server_options nowhere = {.host = "no.such.host.invalid"};
    assert_int_equal(jbw_server_create(other, &nowhere, &second, &error), JBW_INVALID_ARGUMENT);
    jbw_world_destroy(other); // still ours
    jbw_server_destroy(server);
    jbw_model_destroy(model);
}

// ---- saving, and starting again ----

static void agents_are_given_back_after_a_restart(void **unused)
{
    (void)unused;
    char path[] = "/tmp/jbw-server-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 3, &world), JBW_OK);
    jbw_server *server =
        serve(world, (jbw_server_options){.save_path = path, .world_file = "patch_size: 16"});
    jbw_client *client = connect_to(server, "ann-secret");
    jbw_agent_id agent;
    assert_int_equal(jbw_client_add_agent(client, NULL, &agent), JBW_OK);
    jbw_observation seen = {0};
    for (int i = 0; i < 20; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, i % 3, &seen), JBW_OK);
    uint64_t time = 0;
    assert_int_equal(jbw_client_save(client, &time), JBW_OK);
    assert_int_equal(time, 20);
    assert_int_equal(jbw_client_act_and_observe(client, agent, 0, &seen), JBW_OK);
    jbw_client_close(client);
    jbw_error error = {0};
    assert_int_equal(jbw_server_stop(server, &error), JBW_OK);
    const uint64_t hash = jbw_world_hash(jbw_server_world(server));
    assert_int_equal(jbw_server_get_stats(server).saved_time, 21);
    jbw_server_destroy(server);

    jbw_loaded loaded;
    if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
    assert_true(jbw_world_hash(loaded.world) == hash);
    server = serve(loaded.world, (jbw_server_options){.save_path = path,
                                                      .notes = loaded.notes,
                                                      .note_count = loaded.note_count});
    loaded.world = NULL;
    client = connect_to(server, "ann-secret");
    const jbw_client_info info = jbw_client_get_info(client);
    assert_int_equal(info.time, 21);
    assert_int_equal(info.started_time, 21);
    jbw_agent_id left[4];
    assert_int_equal(jbw_client_left_agents(client, left, 4), 1);
    assert_int_equal(left[0].index1, agent.index1);
    assert_int_equal(left[0].generation, agent.generation);
    assert_int_equal(jbw_client_set_active(client, agent, true), JBW_OK);
    assert_int_equal(jbw_client_act_and_observe(client, agent, 0, &seen), JBW_OK);
    assert_int_equal(seen.time, 22);
    jbw_client_close(client);
    jbw_server_destroy(server);
    jbw_loaded_free(&loaded);
    jbw_model_destroy(model);
    unlink(path);
}

static void a_world_is_saved_as_it_goes(void **unused)
{
    (void)unused;
    char path[] = "/tmp/jbw-server-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 3, &world), JBW_OK);
    jbw_server *server = serve(world, (jbw_server_options){.save_path = path, .save_every = 10});
    jbw_client *client = connect_to(server, "ann-secret");
    jbw_agent_id agent;
    assert_int_equal(jbw_client_add_agent(client, NULL, &agent), JBW_OK);
    jbw_observation seen = {0};
    for (int i = 0; i < 35; i++)
        assert_int_equal(jbw_client_act_and_observe(client, agent, 1, &seen), JBW_OK);
    for (int i = 0; i < 500 && jbw_server_get_stats(server).saved_time < 10; i++) pause_for(10);
    jbw_loaded loaded;
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, NULL), JBW_OK);
    assert_true(jbw_world_time(loaded.world) >= 10);
    jbw_loaded_free(&loaded);
    jbw_client_close(client);
    jbw_server_destroy(server);
    jbw_model_destroy(model);
    unlink(path);
}

// ---- worlds that are only shown ----

static void a_world_can_be_shown(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    jbw_world *twin; // that nobody watches
    assert_int_equal(jbw_world_create(model, 3, &world), JBW_OK);
    assert_int_equal(jbw_world_create(model, 3, &twin), JBW_OK);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_world_add_agent(twin, NULL, &agent), JBW_OK);
    const jbw_server_options options = {.tokens = tokens, .token_count = 1};
    jbw_server *server;
    assert_int_equal(jbw_server_attach(world, &options, &server, NULL), JBW_OK);
    jbw_client *client = connect_to(server, "ann-secret");
    assert_int_equal(jbw_client_get_info(client).permissions, JBW_MAY_WATCH);
    jbw_agent_id added;
    assert_int_equal(jbw_client_add_agent(client, NULL, &added), JBW_NOT_PERMITTED);
    const jbw_subscription wanted = {.topic = JBW_TOPIC_EVERYTHING};
    uint32_t subscription;
    assert_int_equal(jbw_client_subscribe(client, &wanted, &subscription), JBW_OK);
    uint64_t time = 0;
    for (int i = 0; i < 200000 && time < 100; i++) {
        jbw_agent_act(world, agent, i % 50 == 0, NULL);
        jbw_agent_act(twin, agent, i % 50 == 0, NULL);
        jbw_server_publish(server, world);
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
    jbw_server_destroy(server);
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
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

// nobody calls jbw_server_publish after a step here
static void a_world_at_rest_is_seen(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 3, &world), JBW_OK);
    resting r = {.world = world};
    const jbw_server_options options = {.peek = peek, .peek_user = &r};
    jbw_server *server;
    assert_int_equal(jbw_server_attach(world, &options, &server, NULL), JBW_OK);
    assert_false(jbw_server_publish(server, world)); // nobody is there
    for (int i = 0; i < 40; i++) assert_int_equal(jbw_world_step(world), JBW_OK);
    assert_int_equal(jbw_server_get_stats(server).copy_count, 0);
    jbw_client *client = connect_to(server, NULL);
    const jbw_subscription wanted = {.topic = JBW_TOPIC_EVERYTHING};
    uint32_t subscription;
    assert_int_equal(jbw_client_subscribe(client, &wanted, &subscription), JBW_OK);
    jbw_frame frame = {0};
    for (int i = 0; i < 100 && frame.time < 40; i++)
        assert_int_equal(jbw_client_next_frame(client, 30.0, &frame), JBW_OK);
    assert_int_equal(frame.time, 40);
    assert_true(r.peek_count > 0);
    assert_true(jbw_server_get_stats(server).copy_count >= (uint64_t)r.peek_count);
    jbw_client_close(client);
    jbw_server_destroy(server);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// clients that are there, and waiting, when the server ends
static void an_end_is_told(void **unused)
{
    (void)unused;
    jbw_model *model = make_model();
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 3, &world), JBW_OK);
    jbw_server *server = serve(world, (jbw_server_options){0});
    jbw_client *client = connect_to(server, "ann-secret");
    jbw_client *silent = connect_to(server, "ann-secret");
    jbw_agent_id agent;
    jbw_agent_id other;
    assert_int_equal(jbw_client_add_agent(client, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_client_add_agent(silent, NULL, &other), JBW_OK);
    jbw_observation seen = {0};
    uint32_t ticket;
    assert_int_equal(jbw_client_post_act(client, agent, 0, &seen, &ticket), JBW_OK);
    jbw_client_is_ready(client, ticket, 0.2);
    assert_int_equal(jbw_server_stop(server, NULL), JBW_OK);
    assert_int_not_equal(jbw_client_collect(client, ticket), JBW_OK);
    jbw_client_close(client);
    jbw_client_close(silent);
    jbw_server_destroy(server);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_served),
        cmocka_unit_test(pages_of_others_cannot_connect),
        cmocka_unit_test(a_port_is_taken_once),
        cmocka_unit_test(agents_are_given_back_after_a_restart),
        cmocka_unit_test(a_world_is_saved_as_it_goes),
        cmocka_unit_test(a_world_can_be_shown),
        cmocka_unit_test(a_world_at_rest_is_seen),
        cmocka_unit_test(an_end_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
