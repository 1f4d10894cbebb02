// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server and its client, in one program, while every allocation of both fails in turn: calls
/// return an error instead of hanging, and the server goes on with others. The sanitizers tell
/// whether anything is lost.
#include "support/served.h"

#include "support/failing_memory.h"
#include "support/files.h"
#include "support/shipped.h"

static temporary_folder folder;
static char save_path[PATH_SIZE];
static char record_path[PATH_SIZE];

static int make_folder(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "saved", save_path);
    temporary_path(&folder, "recorded", record_path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_folder_clear(&folder);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

// all that a server can be given
static jbw_server_options all_options(void)
{
    static const char *const origins[] = {"https://example.org"};
    static const jbw_note notes[] = {{"mine", (const uint8_t *)"text", 4}};
    return (jbw_server_options){.save_path = save_path,
                                .record_path = record_path,
                                .may_replace_record = true,
                                .origins = origins,
                                .origin_count = 1,
                                .notes = notes,
                                .note_count = 1,
                                .save_timeout = 5,
                                .reward = "Collect[JellyBean]"};
}

// ---- starting ----

// true if the server has started
static bool start_without_memory(jbw_generation generation, size_t n)
{
    jbw_config *config = parse_config(served_text());
    config->generation = generation;
    jbw_model *model = model_of(config);
    jbw_config_free(config);
    jbw_world *world = world_of(model, 1);
    static const jbw_token token = {.name = "all", .secret = SERVED_ALL, .permissions = 31};
    jbw_server_options options = all_options();
    options.tokens = &token;
    options.token_count = 1;
    jbw_server *server;
    jbw_error error = {0};
    memory_fails_at(n);
    const jbw_status status = jbw_server_create(world, &options, &server, &error);
    memory_works_again();
    if (status) {
        assert_null(server);
        if (status != JBW_OUT_OF_MEMORY)
            fail_msg("%s, \"%s\", allocation %zu", jbw_status_name(status), error.text, n);
        jbw_world_destroy(world); // it still belongs to the caller
    }
    jbw_server_destroy(server);
    jbw_model_destroy(model);
    return !status;
}

static void test_starting(void **state)
{
    (void)state;
    // some allocations may fail: a viewer's copy of the world, say, is made later then
    for (int generation = 0; generation < 2; generation++) {
        size_t started = 0;
        size_t n = 1;
        for (; started < 10; n++) {
            const bool has_started = start_without_memory(
                generation ? JBW_GENERATION_INVARIANT : JBW_GENERATION_FRONTIER, n);
            started = has_started ? started + 1 : 0;
        }
        assert_true(n > 25);
    }
}

// a server that only shows: a world of the caller, or the recording of one
static jbw_status show(bool plays, jbw_world *world, jbw_server **out)
{
    const jbw_server_options options = {.world_file = served_text()};
    return plays ? jbw_server_play(record_path, &options, out, NULL)
                 : jbw_server_attach(world, &options, out, NULL);
}

// needs the recording of a server that was started before
static void test_showing(void **state)
{
    (void)state;
    jbw_model *model = served_model();
    jbw_world *world = world_of(model, 1);
    for (int plays = 0; plays < 2; plays++) {
        size_t started = 0;
        for (size_t n = 1; started < 10; n++) {
            jbw_server *server;
            memory_fails_at(n);
            const jbw_status status = show(plays, world, &server);
            memory_works_again();
            if (status && status != JBW_OUT_OF_MEMORY)
                fail_msg("%s, allocation %zu", jbw_status_name(status), n);
            assert_true(!status == (server != NULL));
            jbw_server_destroy(server);
            started = status ? 0 : started + 1;
        }
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- visiting ----

enum { AGENTS = 2, SIDE = 40 };

/// A client that does everything, and what went wrong first.
typedef struct visitor {
    jbw_client *client;
    jbw_status status;
    const char *what;
} visitor;

static void note(visitor *v, const char *what, jbw_status status)
{
    if (status == JBW_TIMED_OUT) fail_msg("%s hangs", what);
    if (!status || v->status) return;
    v->status = status;
    v->what = what;
}

#define CALL(v, function, ...) note(v, #function, jbw_client_##function((v)->client, __VA_ARGS__))

static void watch(visitor *v, jbw_agent_id agent)
{
    const jbw_subscription all[] = {
        {.topic = JBW_TOPIC_EVERYTHING},
        {.topic = JBW_TOPIC_PATCHES, .region = {-SIDE, -SIDE, 2 * SIDE, 2 * SIDE}},
        {.topic = JBW_TOPIC_PATCHES, .region = {-SIDE, -SIDE, 2 * SIDE, 2 * SIDE}, .detail = 2},
        {.topic = JBW_TOPIC_ONE_AGENT, .agent = agent},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t subscription;
        const jbw_status status = jbw_client_subscribe(v->client, &all[i], &subscription);
        note(v, "subscribe", status);
        if (status) continue;
        // a frame that had no memory comes later, which is not waited for
        jbw_frame frame;
        const jbw_status seen = jbw_client_next_frame(v->client, 0.05, &frame);
        if (seen != JBW_TIMED_OUT) note(v, "next_frame", seen);
        CALL(v, unsubscribe, subscription);
    }
}

static void act(visitor *v, const jbw_agent_id *agents)
{
    static float vision[9 * 9 * 3];
    static float scent[2];
    const int actions[AGENTS] = {FORWARD, LEFT};
    jbw_client_observation seen[AGENTS] = {0};
    seen[0].parts = (jbw_observation){.vision = vision, .scent = scent};
    CALL(v, act_together, agents, actions, AGENTS, seen);
    CALL(v, set_active, agents[1], false);
    CALL(v, act_and_observe, agents[0], FORWARD, seen);
    uint32_t ticket;
    const jbw_status posted = jbw_client_post_act(v->client, agents[0], RIGHT, &seen[0], &ticket);
    note(v, "post_act", posted);
    if (!posted) CALL(v, collect, ticket);
    CALL(v, observe, agents[0], seen);
    jbw_agent_state state;
    CALL(v, get_state, agents[0], &state);
    uint64_t inventory[3];
    CALL(v, get_inventory, agents[0], inventory);
}

static void edit(visitor *v)
{
    static uint8_t items[SIDE * SIDE];
    static uint8_t states[SIDE * SIDE];
    static float scent[SIDE * SIDE * 2];
    const jbw_region region = {-5, -5, SIDE, SIDE};
    const jbw_position far = {300, 400};
    CALL(v, explore, &far, 1);
    CALL(v, read_region, region, items, states);
    CALL(v, smell, region, scent);
    const jbw_status placed = jbw_client_place_item(v->client, 0, far);
    if (placed != JBW_CELL_BLOCKED) note(v, "place_item", placed);
    uint64_t time;
    uint64_t hash;
    CALL(v, get_hash, &time, &hash);
    CALL(v, save, &time);
    jbw_client_stats stats;
    CALL(v, get_stats, &stats);
    jbw_buffer file = {0};
    CALL(v, get_world_file, &file);
    jbw_buffer_free(&file);
    if (!jbw_client_model(v->client)) note(v, "model", JBW_OUT_OF_MEMORY);
}

// does everything that a client can do
static visitor visit(const served *s)
{
    visitor v = {0};
    const jbw_client_options options = {.token = SERVED_ALL,
                                        .name = "a test",
                                        .connect_timeout = 20,
                                        .answer_timeout = 20,
                                        .turn_timeout = 20,
                                        .reconnect_time = -1};
    jbw_error error = {0};
    note(&v, "connect", jbw_client_connect(s->url, &options, &v.client, &error));
    if (!v.client) return v;
    jbw_agent_id agents[AGENTS] = {0};
    size_t count;
    for (int i = 0; i < AGENTS; i++) CALL(&v, add_agent, NULL, &agents[i]);
    if (!v.status) act(&v, agents);
    if (!v.status) watch(&v, agents[0]);
    if (!v.status) edit(&v);
    if (!v.status) CALL(&v, all_agents, agents, AGENTS, &count);
    if (!v.status) CALL(&v, remove_agent, agents[0]);
    jbw_client_close(v.client);
    return v;
}

static void test_visiting(void **state)
{
    (void)state;
    const jbw_server_options options = all_options();
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        served s;
        served_open(&s, &options);
        memory_fails_at(n);
        visit(&s);
        const bool has_failed = memory_works_again();
        // everybody else is served
        const visitor next = visit(&s);
        if (next.status)
            fail_msg("%s after allocation %zu: %s", next.what, n, jbw_status_name(next.status));
        served_close(&s);
        if (!has_failed) break;
        failures++;
    }
    assert_true(failures > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starting),
        cmocka_unit_test(test_showing),
        cmocka_unit_test(test_visiting),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
