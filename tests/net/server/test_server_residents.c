// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A real server with an agent of its own, which is watched meanwhile: it lives as it would without
/// a server, also after it was saved and loaded.
#include "support/served.h"

#include <stdio.h>
#include <unistd.h>

#include "support/files.h"
#include "support/waiting.h"

typedef struct scene {
    temporary_folder folder;
    char save_path[PATH_SIZE];
    char record_path[PATH_SIZE];
    jbw_model *model;
    jbw_reward *reward;
    jbw_world *twin; // in which the same agent acts without a server
    jbw_policy *twin_policy;
    jbw_agent_id agent;
} scene;

static void open_scene(scene *c)
{
    assert_true(temporary_folder_create(&c->folder));
    temporary_path(&c->folder, "saved.jbw", c->save_path);
    temporary_path(&c->folder, "served.jbwr", c->record_path);
    c->model = served_model();
    c->reward = reward_of(c->model, "Collect[JellyBean]");
    c->twin = world_of(c->model, SERVED_SEED);
    c->twin_policy = policy_of("greedy", c->model, c->reward, 5);
    assert_int_equal(jbw_world_add_agent(c->twin, NULL, &c->agent), JBW_OK);
}

static void close_scene(scene *c)
{
    jbw_policy_destroy(c->twin_policy);
    jbw_world_destroy(c->twin);
    jbw_reward_destroy(c->reward);
    jbw_model_destroy(c->model);
    unlink(c->save_path);
    unlink(c->record_path);
    assert_true(temporary_folder_remove(&c->folder));
}

// serves a world until it has that age, while someone watches, and compares it with the twin
static void serve(scene *c, jbw_world *world, const jbw_resident *resident,
                  const jbw_server_options *options, uint64_t age)
{
    enum { TRIES = 6000 };
    jbw_server_options o = *options;
    o.residents = resident;
    o.resident_count = 1;
    jbw_server *server;
    jbw_error error = {0};
    if (jbw_server_create(world, &o, &server, &error)) fail_msg("%s", error.text);
    char url[64];
    snprintf(url, sizeof url, "ws://127.0.0.1:%d", jbw_server_port(server));
    jbw_client *client;
    if (jbw_client_connect(url, NULL, &client, &error)) fail_msg("%s", error.text);
    for (int i = 0; jbw_server_get_stats(server).time < age; i++) {
        if (i == TRIES) fail_msg("the agent does not act");
        jbw_agent_state seen;
        assert_int_equal(jbw_client_get_state(client, resident->agent, &seen), JBW_OK);
        assert_true(seen.is_active);
        pause_for(10);
    }
    jbw_client_close(client);
    if (jbw_server_stop(server, &error)) fail_msg("%s", error.text);
    const jbw_world *end = jbw_server_world(server);
    while (jbw_world_time(c->twin) < jbw_world_time(end))
        assert_int_equal(jbw_policy_step(c->twin_policy, c->twin, c->agent, NULL), JBW_OK);
    assert_true(jbw_world_hash(end) == jbw_world_hash(c->twin));
    jbw_server_destroy(server);
}

static void expect_replay(const scene *c)
{
    jbw_recording *recording;
    jbw_error error = {0};
    if (jbw_recording_open(c->record_path, NULL, &recording, &error)) fail_msg("%s", error.text);
    jbw_status status;
    while (!(status = jbw_recording_next(recording, NULL, &error))) continue;
    assert_int_equal(status, JBW_NOT_FOUND);
    assert_true(jbw_world_hash(jbw_recording_world(recording)) == jbw_world_hash(c->twin));
    jbw_recording_close(recording);
}

static void test_lives_is_saved_and_goes_on(void **state)
{
    (void)state;
    scene c;
    open_scene(&c);
    jbw_world *world = world_of(c.model, SERVED_SEED);
    jbw_resident resident = {.policy = policy_of("greedy", c.model, c.reward, 5),
                             .reward = c.reward};
    assert_int_equal(jbw_world_add_agent(world, NULL, &resident.agent), JBW_OK);
    const jbw_server_options options = {.save_path = c.save_path,
                                        .record_path = c.record_path,
                                        .save_every = 50,
                                        .rate = 2000.0,
                                        .reward = "Collect[JellyBean]"};
    serve(&c, world, &resident, &options, 300);
    jbw_policy_destroy(resident.policy);
    expect_replay(&c);

    jbw_loaded loaded = {0};
    jbw_error error = {0};
    if (jbw_snapshot_read(c.save_path, NULL, &loaded, &error)) fail_msg("%s", error.text);
    assert_true(jbw_world_hash(loaded.world) == jbw_world_hash(c.twin));
    assert_string_equal(jbw_loaded_note(&loaded, "run.reward")->bytes, "Collect[JellyBean]");
    jbw_reward *reward = reward_of(loaded.model, "Collect[JellyBean]");
    jbw_resident *residents;
    size_t count;
    assert_int_equal(jbw_residents_load(loaded.notes, loaded.note_count, loaded.model, reward,
                                        &residents, &count, &error),
                     JBW_OK);
    assert_int_equal(count, 1);
    const jbw_server_options again = {.notes = loaded.notes, .note_count = loaded.note_count};
    const uint64_t age = jbw_world_time(loaded.world) + 100;
    serve(&c, loaded.world, residents, &again, age);
    loaded.world = NULL; // the server's, and gone
    jbw_residents_free(residents, count);
    jbw_reward_destroy(reward);
    jbw_loaded_free(&loaded);
    close_scene(&c);
}

static void test_strangers_are_refused(void **state)
{
    (void)state;
    scene c;
    open_scene(&c);
    const jbw_resident stranger = {.agent = {.index1 = 9, .generation = 1},
                                   .policy = c.twin_policy};
    const jbw_server_options options = {.residents = &stranger, .resident_count = 1};
    jbw_server *server;
    jbw_error error = {0};
    assert_int_equal(jbw_server_create(c.twin, &options, &server, &error), JBW_INVALID_ARGUMENT);
    assert_null(server);
    assert_string_equal(error.text, "a resident is not in the world, or belongs to someone else");
    close_scene(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives_is_saved_and_goes_on),
        cmocka_unit_test(test_strangers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
