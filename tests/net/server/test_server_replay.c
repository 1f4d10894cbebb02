// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A served world and the replay of its recording end in the same state, whatever order the
/// requests of many clients arrive in.
#include "support/served.h"

#include <pthread.h>
#include <unistd.h>

#include "support/files.h"
#include "support/random.h"

enum { STEPS = 150, MOST_CLIENTS = 50 };

typedef struct player {
    pthread_t thread;
    const served *server;
    int number;
    int problem; // the status that stopped it, or zero
    uint64_t last_time;
} player;

// acts until the world has that age; now and then edits, or replaces its agent
static jbw_status play(player *p, jbw_client *client)
{
    uint64_t random = (uint64_t)p->number + 1;
    jbw_agent_id id;
    jbw_status status = jbw_client_add_agent(client, NULL, &id);
    while (!status && p->last_time < STEPS) {
        jbw_client_observation o = {0};
        status = jbw_client_act_and_observe(client, id, (int)random_below(&random, 4), &o);
        p->last_time = o.time;
        if (!status && random_below(&random, 20) == 0) {
            const jbw_position cell = {o.position.x + 1, o.position.y + 2};
            status = jbw_client_place_item(client, 0, cell);
            if (status == JBW_CELL_BLOCKED) status = jbw_client_remove_item(client, cell);
            if (status == JBW_NOT_FOUND) status = JBW_OK; // another client was faster
        }
        if (!status && random_below(&random, 40) == 0) {
            status = jbw_client_remove_agent(client, id);
            if (!status) status = jbw_client_add_agent(client, NULL, &id);
        }
    }
    if (!status) status = jbw_client_remove_agent(client, id);
    return status;
}

static void *run_player(void *user)
{
    player *p = user;
    jbw_client *client;
    const jbw_client_options options = {.token = SERVED_ALL};
    jbw_status status = jbw_client_connect(p->server->url, &options, &client, NULL);
    if (!status) status = play(p, client);
    jbw_client_close(client);
    p->problem = (int)status;
    return NULL;
}

static uint64_t hash_of_replay(const char *path, uint64_t *time)
{
    jbw_recording *recording;
    jbw_error error = {0};
    if (jbw_recording_open(path, NULL, &recording, &error)) fail_msg("%s", error.text);
    jbw_status status;
    while (!(status = jbw_recording_next(recording, NULL, &error))) continue;
    if (status != JBW_NOT_FOUND) fail_msg("%s", error.text);
    jbw_world *world = jbw_recording_world(recording);
    const uint64_t hash = jbw_world_hash(world);
    *time = jbw_world_time(world);
    jbw_recording_close(recording);
    return hash;
}

static void compare(int client_count)
{
    char path[PATH_SIZE];
    temporary_folder folder;
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "served.jbwr", path);
    const jbw_server_options options = {.record_path = path, .may_replace_record = true};
    served s;
    served_open(&s, &options);
    player players[MOST_CLIENTS] = {0};
    for (int i = 0; i < client_count; i++) {
        players[i].server = &s;
        players[i].number = i;
        assert_int_equal(pthread_create(&players[i].thread, NULL, run_player, &players[i]), 0);
    }
    for (int i = 0; i < client_count; i++) pthread_join(players[i].thread, NULL);
    for (int i = 0; i < client_count; i++)
        if (players[i].problem)
            fail_msg("client %d: %s", i, jbw_status_text((jbw_status)players[i].problem));

    jbw_error error = {0};
    if (jbw_server_stop(s.server, &error)) fail_msg("%s", error.text);
    uint64_t time;
    const uint64_t replayed = hash_of_replay(path, &time);
    assert_true(time >= STEPS);
    assert_true(time == jbw_world_time(jbw_server_world(s.server)));
    assert_true(replayed == jbw_world_hash(jbw_server_world(s.server)));
    served_close(&s);
    unlink(path);
    assert_true(temporary_folder_remove(&folder));
}

static void test_one_client(void **state)
{
    (void)state;
    compare(1);
}

static void test_fifty_clients(void **state)
{
    (void)state;
    compare(MOST_CLIENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_client),
        cmocka_unit_test(test_fifty_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
