// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A served village in which many clients talk and write at the same time: the replay of its recording
/// ends in the same state, and in every step each agent hears and reads there what its client was told.
#include "support/served.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "support/files.h"
#include "support/random.h"
#include "support/shipped.h"
#include "support/words.h"

enum { CLIENTS = 20, STEPS = 120, SYMBOLS = 4, NOTE = 0 };

/// What a client was told after a step.
typedef struct moment {
    bool is_known;
    jbw_agent_id agent;
    int said;
    uint8_t body;
    float heard[SYMBOLS];
    uint8_t text[JBW_MAX_TEXT + 1];
} moment;

typedef struct villager {
    pthread_t thread;
    const served *server;
    int number;
    int problem; // the status that stopped it, or zero
    moment moments[STEPS + 1];
} villager;

static villager villagers[CLIENTS];

// Nobody acts before everybody has moved in: who comes first would otherwise live part of the steps, or
// all of them, alone.
static pthread_barrier_t moved_in;

static jbw_status live(villager *v, jbw_client *client, jbw_agent_id id, int body)
{
    const jbw_model *model = v->server->model;
    uint64_t random = (uint64_t)v->number + 1;
    uint64_t time = 0;
    jbw_status status = JBW_OK;
    while (!status && time < STEPS) {
        char room[WORDS_ROOM];
        const int action = (int)random_below(&random, (uint32_t)jbw_model_action_count(model));
        const jbw_request request = words_request(model, &random, action, room);
        moment m = {.is_known = true, .agent = id};
        jbw_client_observation o = {.parts = {.heard = m.heard, .text = m.text, .body = &m.body}};
        status = jbw_client_request_and_observe(client, id, &request, &o);
        time = o.time;
        m.said = o.result.said;
        if (!status && (m.said != request.say || m.body != body)) return JBW_INVALID_DATA;
        if (!status && time <= STEPS) v->moments[time] = m;
    }
    if (!status) status = jbw_client_remove_agent(client, id);
    return status;
}

static void *run_villager(void *user)
{
    villager *v = user;
    jbw_client *client;
    const jbw_client_options options = {.token = SERVED_ALL, .turn_timeout = 60.0};
    jbw_status status = jbw_client_connect(v->server->url, &options, &client, NULL);
    const jbw_agent_options agent = {.body = v->number % jbw_model_body_count(v->server->model)};
    jbw_agent_id id;
    if (!status) status = jbw_client_add_agent(client, &agent, &id);
    pthread_barrier_wait(&moved_in);
    if (!status) status = live(v, client, id, agent.body);
    jbw_client_close(client);
    v->problem = (int)status;
    return NULL;
}

// notes to collect, some with a text, so that there is something to read and to write on
static void strew_notes(const served *s)
{
    jbw_client *client = served_connect(s, SERVED_ALL);
    for (int64_t y = -6; y <= 6; y++)
        for (int64_t x = -6; x <= 6; x++) {
            const jbw_position cell = {x, y};
            const jbw_status status =
                jbw_client_place_text(client, NOTE, cell, (x + y) % 3 == 0 ? "a sign" : NULL);
            assert_true(status == JBW_OK || status == JBW_CELL_BLOCKED);
        }
    jbw_client_close(client);
}

typedef struct tally {
    int heard;
    int read;
    int known;
} tally;

static void compare_moment(const jbw_world *world, const moment *m, tally *sum)
{
    if (!m->is_known) return;
    jbw_agent_state state;
    jbw_agent_result result;
    char text[JBW_MAX_TEXT + 1];
    assert_int_equal(jbw_agent_get_state(world, m->agent, &state), JBW_OK);
    assert_int_equal(jbw_agent_get_result(world, m->agent, &result), JBW_OK);
    assert_int_equal(jbw_agent_read(world, m->agent, text), JBW_OK);
    assert_string_equal((const char *)m->text, text);
    assert_int_equal(m->body, state.body);
    assert_int_equal(m->said, result.said);
    const uint32_t *heard = jbw_agent_heard(world, m->agent);
    for (int i = 0; i < SYMBOLS; i++) {
        assert_true(m->heard[i] == (float)heard[i]);
        sum->heard += (int)heard[i];
    }
    sum->read += text[0] != '\0';
    sum->known++;
}

static uint64_t replay(const char *path, tally *sum)
{
    jbw_recording *recording;
    jbw_error error = {0};
    if (jbw_recording_open(path, NULL, &recording, &error)) fail_msg("%s", error.text);
    jbw_status status;
    uint64_t time = 0;
    while (!(status = jbw_recording_next(recording, NULL, &error))) {
        const jbw_world *world = jbw_recording_world(recording);
        if (jbw_world_time(world) == time) continue;
        time = jbw_world_time(world);
        for (int i = 0; i < CLIENTS && time <= STEPS; i++)
            compare_moment(world, &villagers[i].moments[time], sum);
    }
    if (status != JBW_NOT_FOUND) fail_msg("%s", error.text);
    const uint64_t hash = jbw_world_hash(jbw_recording_world(recording));
    jbw_recording_close(recording);
    return hash;
}

static void test_village(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    temporary_folder folder;
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "village.jbwr", path);
    const jbw_server_options options = {.record_path = path, .may_replace_record = true};
    served s;
    served_open_model(&s, &options, shipped_model("village"));
    assert_int_equal(jbw_model_voice(s.model).symbols, SYMBOLS);
    strew_notes(&s);
    assert_int_equal(pthread_barrier_init(&moved_in, NULL, CLIENTS), 0);
    for (int i = 0; i < CLIENTS; i++) {
        villagers[i].server = &s;
        villagers[i].number = i;
        assert_int_equal(pthread_create(&villagers[i].thread, NULL, run_villager, &villagers[i]),
                         0);
    }
    for (int i = 0; i < CLIENTS; i++) pthread_join(villagers[i].thread, NULL);
    pthread_barrier_destroy(&moved_in);
    for (int i = 0; i < CLIENTS; i++)
        if (villagers[i].problem)
            fail_msg("client %d: %s", i, jbw_status_text((jbw_status)villagers[i].problem));

    jbw_error error = {0};
    if (jbw_server_stop(s.server, &error)) fail_msg("%s", error.text);
    tally sum = {0};
    const uint64_t replayed = replay(path, &sum);
    assert_true(replayed == jbw_world_hash(jbw_server_world(s.server)));
    // all of them were there all the time, and had a lot to say
    assert_int_equal(sum.known, CLIENTS * STEPS);
    assert_true(sum.heard > sum.known && sum.read > sum.known / 20);
    served_close(&s);
    unlink(path);
    assert_true(temporary_folder_remove(&folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_village)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
