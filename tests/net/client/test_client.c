// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Clients of a server in this process: connecting, permissions, pausing, and a server that comes
/// back or is gone.
#include "support/served.h"

#include <unistd.h>

#include "support/files.h"

static void test_refused_connections(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client;
    jbw_error error = {0};
    jbw_client_options options = {.token = "nobody-has-this-one", .connect_timeout = 5};
    assert_int_equal(jbw_client_connect(s.url, &options, &client, &error), JBW_NOT_PERMITTED);
    assert_null(client);
    assert_contains(error.text, "token");
    assert_int_equal(jbw_client_connect("http://127.0.0.1:80", NULL, &client, &error),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_client_connect("ws://127.0.0.1:1", NULL, &client, &error),
                     JBW_NO_CONNECTION);
    assert_contains(error.text, "127.0.0.1:1");
    served_close(&s);
}

static void test_permissions(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *watcher = served_connect(&s, NULL);
    jbw_client *owner = served_connect(&s, SERVED_ALL);
    uint64_t before;
    uint64_t after;
    jbw_agent_id id;
    assert_int_equal(jbw_client_get_hash(owner, NULL, &before), JBW_OK);
    assert_int_equal(jbw_client_get_info(watcher).permissions, JBW_MAY_WATCH);
    assert_int_equal(jbw_client_add_agent(watcher, NULL, &id), JBW_NOT_PERMITTED);
    assert_int_equal(jbw_client_place_item(watcher, 0, (jbw_position){3, 3}), JBW_NOT_PERMITTED);
    assert_int_equal(jbw_client_step(watcher, 1), JBW_NOT_PERMITTED);
    assert_int_equal(jbw_client_get_hash(owner, NULL, &after), JBW_OK);
    assert_true(before == after);

    // the other token may have two agents, and control only those
    jbw_client *actor = served_connect(&s, SERVED_ACT);
    jbw_agent_id owned;
    assert_int_equal(jbw_client_add_agent(owner, NULL, &owned), JBW_OK);
    assert_int_equal(jbw_client_add_agent(actor, NULL, &id), JBW_OK);
    assert_int_equal(jbw_client_add_agent(actor, NULL, &id), JBW_OK);
    assert_int_equal(jbw_client_add_agent(actor, NULL, &id), JBW_NOT_PERMITTED);
    assert_int_equal(jbw_client_remove_agent(actor, owned), JBW_NOT_PERMITTED);
    assert_int_equal(jbw_client_set_active(actor, owned, false), JBW_NOT_PERMITTED);
    jbw_client_close(actor);
    jbw_client_close(owner);
    jbw_client_close(watcher);
    served_close(&s);
}

static void test_pause_keeps_requests(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_client *control = served_connect(&s, SERVED_ALL);
    jbw_agent_id id;
    jbw_client_observation o = {0};
    uint32_t ticket;
    assert_int_equal(jbw_client_add_agent(client, NULL, &id), JBW_OK);
    assert_int_equal(jbw_client_pause(control, true), JBW_OK);
    assert_int_equal(jbw_client_post_act(client, id, LEFT, &o, &ticket), JBW_OK);
    assert_false(jbw_client_is_ready(client, ticket, 0.2));
    assert_int_equal(jbw_client_pause(control, false), JBW_OK);
    assert_int_equal(jbw_client_collect(client, ticket), JBW_OK);
    assert_int_equal(o.result.action, LEFT);
    jbw_client_stats stats;
    assert_int_equal(jbw_client_set_rate(control, 1000.0), JBW_OK);
    assert_int_equal(jbw_client_get_stats(control, &stats), JBW_OK);
    assert_true(stats.rate == 1000.0 && stats.agent_count == 1 && stats.client_count == 2);
    assert_int_equal(jbw_client_save(control, NULL),
                     JBW_UNSUPPORTED); // the server has no save path
    jbw_client_close(control);
    jbw_client_close(client);
    served_close(&s);
}

// ---- reconnecting ----

static void count_resumptions(uint64_t time, void *user)
{
    uint64_t *told = user;
    told[0]++;
    told[1] = time;
}

static void test_reconnect(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    temporary_folder folder;
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "back.jbw", path);
    jbw_server_options options = {.save_path = path};
    served s;
    served_open(&s, &options);
    uint64_t told[2] = {0, 0};
    const jbw_client_options how = {
        .token = SERVED_ALL, .on_resume = count_resumptions, .resume_user = told};
    jbw_client *client = served_connect_with(&s, &how);
    jbw_client *watcher = served_connect(&s, NULL);
    jbw_agent_id ids[2];
    bool stepped;
    for (int i = 0; i < 2; i++) ids[i] = served_add_agent(client);
    for (int i = 0; i < 10; i++)
        assert_int_equal(jbw_client_act(client, ids[i % 2], FORWARD, &stepped), JBW_OK);
    assert_int_equal(jbw_client_save(client, NULL), JBW_OK);
    uint32_t subscription;
    assert_int_equal(jbw_client_subscribe(watcher,
                                          &(jbw_subscription){.topic = JBW_TOPIC_EVERYTHING},
                                          &subscription),
                     JBW_OK);

    // stop, and restart on the same port
    options.port = jbw_server_port(s.server);
    served_close(&s);
    served_load(&s, &options, path);

    // requests that only read are repeated; the callback is called
    uint64_t time;
    assert_int_equal(jbw_client_get_time(client, &time), JBW_OK);
    assert_true(time == 5);
    assert_true(told[0] == 1 && told[1] == 5);
    jbw_agent_state known;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jbw_client_get_state(client, ids[i], &known), JBW_OK);
        assert_true(known.is_active);
        assert_int_equal(jbw_client_act(client, ids[i], FORWARD, &stepped), JBW_OK);
        assert_int_equal(stepped, i == 1);
    }
    jbw_frame frame;
    do {
        assert_int_equal(jbw_client_next_frame(watcher, 30.0, &frame), JBW_OK);
    } while (frame.time != 6);
    assert_int_equal(frame.mark_count, 2);

    // once more, in mid-turn
    options.port = jbw_server_port(s.server);
    assert_int_equal(jbw_client_act(client, ids[0], LEFT, &stepped), JBW_OK);
    served_close(&s);
    served_load(&s, &options, path);
    jbw_client_observation o = {0};
    assert_int_equal(jbw_client_act_and_observe(client, ids[1], LEFT, &o), JBW_OK);
    assert_true(o.is_resumed || o.time == 7);
    assert_int_equal(jbw_client_get_info(client).resume_count, 2);

    // agents of an earlier client wait for their token
    jbw_client_close(client);
    client = served_connect(&s, SERVED_ALL);
    jbw_agent_id left[4];
    assert_int_equal(jbw_client_left_agents(client, left, 4), 2);
    assert_int_equal(jbw_client_get_state(client, left[0], &known), JBW_OK);
    assert_false(known.is_active);
    assert_int_equal(jbw_client_set_active(client, left[0], true), JBW_OK);
    assert_int_equal(jbw_client_act(client, left[0], FORWARD, &stepped), JBW_OK);
    assert_true(stepped);
    jbw_client_close(client);
    jbw_client_close(watcher);
    served_close(&s);
    unlink(path);
    assert_true(temporary_folder_remove(&folder));
}

static void test_server_is_gone(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client_options options = {.token = SERVED_ALL, .reconnect_time = -1};
    jbw_client *client = served_connect_with(&s, &options);
    options.reconnect_time = 0.3;
    jbw_client *stubborn = served_connect_with(&s, &options);
    served_close(&s);
    uint64_t time;
    assert_int_equal(jbw_client_get_time(client, &time), JBW_NO_CONNECTION);
    assert_int_equal(jbw_client_get_time(stubborn, &time), JBW_NO_CONNECTION);
    jbw_client_close(client);
    jbw_client_close(stubborn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_connections),  cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_pause_keeps_requests), cmocka_unit_test(test_reconnect),
        cmocka_unit_test(test_server_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
