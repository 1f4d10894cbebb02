// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bodies, voices and texts through a client: agents say, write, hear and read exactly as in a local
/// world, one or several at a time, with or without waiting for each reply.
#include "support/served.h"

#include <string.h>

#include "support/random.h"
#include "support/words.h"

enum { AGENTS = 3, ACTIONS = 5, SYMBOLS = 4 };

static const char world_text[] =
    "scent_dimensions: 1\n"
    "color_dimensions: 3\n"
    "patch_size: 16\n"
    "mh_iterations: 500\n"
    "collection: manual\n"
    "agent:\n"
    "  vision_range: 3\n"
    "  actions: [MoveForward, TurnLeft, Collect, 'Drop[Note]', NoOp]\n"
    "  voice: {symbols: 4, range: 6}\n"
    "bodies:\n"
    "  Scout: {vision_range: 5, color: [0, 1, 1], actions: [MoveForward, TurnLeft, NoOp]}\n"
    "items:\n"
    "  Note: {text: true, color: [1, 1, 0], intensity: 'Constant[-1]'}\n"
    "  Bean: {color: [1, 0, 0], intensity: 'Constant[-3]'}\n";

/// A served world and a local one with the same agents.
typedef struct scene {
    served served;
    jbw_client *client;
    jbw_world *twin;
    jbw_agent_id ids[AGENTS];
} scene;

static void open_scene(scene *s)
{
    served_open_text(&s->served, NULL, world_text);
    s->client = served_connect(&s->served, SERVED_ALL);
    s->twin = world_of(s->served.model, SERVED_SEED);
    for (int i = 0; i < AGENTS; i++) {
        const jbw_agent_options options = {.body = i == 1};
        jbw_agent_id twin_id;
        assert_int_equal(jbw_client_add_agent(s->client, &options, &s->ids[i]), JBW_OK);
        assert_int_equal(jbw_world_add_agent(s->twin, &options, &twin_id), JBW_OK);
        assert_memory_equal(&s->ids[i], &twin_id, sizeof twin_id);
    }
}

static void close_scene(scene *s)
{
    uint64_t hash;
    assert_int_equal(jbw_client_get_hash(s->client, NULL, &hash), JBW_OK);
    assert_true(hash == jbw_world_hash(s->twin));
    jbw_client_close(s->client);
    jbw_world_destroy(s->twin);
    served_close(&s->served);
}

/// What a client observes of words.
typedef struct senses {
    float heard[SYMBOLS];
    uint8_t text[JBW_MAX_TEXT + 1];
    uint8_t body;
} senses;

static jbw_client_observation observe_into(senses *to)
{
    memset(to, 0xaa, sizeof *to);
    return (jbw_client_observation){
        .parts = {.heard = to->heard, .text = to->text, .body = &to->body}};
}

// true if the agent heard or read something
static bool assert_equal_words(const scene *s, int i, const jbw_client_observation *o,
                               const senses *received)
{
    senses here;
    const jbw_client_observation wanted = observe_into(&here);
    jbw_agent_result result;
    assert_int_equal(jbw_agent_observe(s->twin, s->ids[i], &wanted.parts), JBW_OK);
    assert_int_equal(jbw_agent_get_result(s->twin, s->ids[i], &result), JBW_OK);
    assert_true(o->time == jbw_world_time(s->twin));
    assert_memory_equal(here.heard, received->heard, sizeof here.heard);
    assert_memory_equal(here.text, received->text, sizeof here.text);
    assert_int_equal(here.body, received->body);
    assert_int_equal(here.body, i == 1);
    assert_int_equal(o->result.said, result.said);
    assert_int_equal(o->result.dropped, result.dropped);
    float heard = 0;
    for (int k = 0; k < SYMBOLS; k++) heard += here.heard[k];
    return heard > 0 && here.text[0] != 0;
}

static void test_same_as_a_local_world(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    uint64_t random = 1;
    int told = 0;
    for (int step = 0; step < 300; step++) {
        char rooms[AGENTS][WORDS_ROOM];
        int actions[AGENTS];
        int say[AGENTS];
        const char *texts[AGENTS];
        for (int i = 0; i < AGENTS; i++) {
            actions[i] = (int)random_below(&random, ACTIONS);
            const jbw_request one = words_request(s.served.model, &random, actions[i], rooms[i]);
            say[i] = one.say;
            texts[i] = one.text;
        }
        const jbw_requests requests = {.actions = actions, .say = say, .texts = texts};
        senses received[AGENTS];
        jbw_client_observation o[AGENTS];
        for (int i = 0; i < AGENTS; i++) o[i] = observe_into(&received[i]);
        if (step % 2 == 0) {
            assert_int_equal(jbw_client_request_together(s.client, s.ids, &requests, AGENTS, o),
                             JBW_OK);
            assert_int_equal(jbw_world_request(s.twin, s.ids, &requests, AGENTS, NULL), JBW_OK);
        } else {
            for (int i = 0; i < AGENTS; i++) {
                const jbw_request one = {.action = actions[i], .say = say[i], .text = texts[i]};
                bool stepped;
                assert_int_equal(jbw_client_request(s.client, s.ids[i], &one, &stepped), JBW_OK);
                assert_int_equal(stepped, i == AGENTS - 1);
                assert_int_equal(jbw_agent_request(s.twin, s.ids[i], &one, NULL), JBW_OK);
            }
            for (int i = 0; i < AGENTS; i++)
                assert_int_equal(jbw_client_observe(s.client, s.ids[i], &o[i]), JBW_OK);
        }
        for (int i = 0; i < AGENTS; i++) told += assert_equal_words(&s, i, &o[i], &received[i]);
    }
    assert_true(told > 50);
    jbw_agent_state known;
    for (int i = 0; i < AGENTS; i++) {
        assert_int_equal(jbw_client_get_state(s.client, s.ids[i], &known), JBW_OK);
        assert_int_equal(known.body, i == 1);
    }
    close_scene(&s);
}

// requests in flight, each with words of its own
static void test_words_in_advance(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    scene s;
    open_scene(&s);
    for (int i = 1; i < AGENTS; i++) {
        assert_int_equal(jbw_client_set_active(s.client, s.ids[i], false), JBW_OK);
        assert_int_equal(jbw_agent_set_active(s.twin, s.ids[i], false), JBW_OK);
    }
    static char rooms[COUNT][WORDS_ROOM];
    static senses received[COUNT];
    jbw_client_observation o[COUNT];
    int actions[COUNT];
    int say[COUNT];
    const char *texts[COUNT];
    uint32_t tickets[COUNT];
    uint64_t random = 5;
    for (int i = 0; i < COUNT; i++) {
        o[i] = observe_into(&received[i]);
        actions[i] = (int)random_below(&random, ACTIONS);
        const jbw_request one = words_request(s.served.model, &random, actions[i], rooms[i]);
        say[i] = one.say;
        texts[i] = one.text;
    }
    const jbw_requests requests = {.actions = actions, .say = say, .texts = texts};
    assert_int_equal(jbw_client_post_requests(s.client, s.ids[0], &requests, COUNT, o, tickets),
                     JBW_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(jbw_client_collect(s.client, tickets[i]), JBW_OK);
        const jbw_request one = {.action = actions[i], .say = say[i], .text = texts[i]};
        assert_int_equal(jbw_agent_request(s.twin, s.ids[0], &one, NULL), JBW_OK);
        assert_equal_words(&s, 0, &o[i], &received[i]);
    }
    close_scene(&s);
}

static void expect_refused(const scene *s, jbw_request request, const char *why)
{
    jbw_client_observation o = {0};
    assert_int_equal(jbw_client_request_and_observe(s->client, s->ids[0], &request, &o),
                     JBW_INVALID_ARGUMENT);
    const char *text = jbw_client_error(s->client)->text;
    if (!strstr(text, why)) fail_msg("\"%s\" lacks \"%s\"", text, why);
}

static void test_refusals_and_cells(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    static char long_text[JBW_MAX_TEXT + 2];
    memset(long_text, 'x', JBW_MAX_TEXT + 1);
    expect_refused(&s, (jbw_request){.action = 0, .say = 5}, "there is no symbol 5");
    expect_refused(&s, (jbw_request){.action = 0, .say = 256}, "there is no symbol 256");
    expect_refused(&s, (jbw_request){.action = 0, .say = -1}, "there is no symbol -1");
    expect_refused(&s, (jbw_request){.action = 3, .text = long_text}, "256 bytes");
    expect_refused(&s, (jbw_request){.action = 3, .text = "\xff"}, "not valid UTF-8");
    expect_refused(&s, (jbw_request){.action = 2, .text = "a"}, "has no text");
    jbw_agent_id id;
    assert_int_equal(jbw_client_add_agent(s.client, &(jbw_agent_options){.body = 2}, &id),
                     JBW_INVALID_ARGUMENT);
    assert_string_equal(jbw_client_error(s.client)->text, "there is no body 2, expected 0 to 1");

    jbw_position cell = {5, 40};
    jbw_cell_info info;
    jbw_client_remove_item(s.client, cell); // if there is one
    jbw_world_remove_item(s.twin, cell);
    assert_int_equal(jbw_client_place_text(s.client, 1, cell, "a"), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_client_place_text(s.client, 0, cell, long_text), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_client_place_text(s.client, 0, cell, "two\nlines"), JBW_OK);
    assert_int_equal(jbw_world_place_text(s.twin, 0, cell, "two\nlines"), JBW_OK);
    assert_int_equal(jbw_client_inspect(s.client, cell, &info), JBW_OK);
    assert_string_equal(info.text, "two\nlines");
    assert_int_equal(info.item, 0);
    close_scene(&s);
}

// frames tell bodies, what was said, and of one agent what it heard and reads
static void test_frames(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    jbw_client *watcher = served_connect(&s.served, NULL);
    uint32_t all;
    uint32_t one;
    const jbw_subscription of_all = {.topic = JBW_TOPIC_EVERYTHING};
    const jbw_subscription of_one = {.topic = JBW_TOPIC_ONE_AGENT, .agent = s.ids[2]};
    assert_int_equal(jbw_client_subscribe(watcher, &of_all, &all), JBW_OK);
    assert_int_equal(jbw_client_subscribe(watcher, &of_one, &one), JBW_OK);
    const int actions[AGENTS] = {4, 4, 4};
    const int say[AGENTS] = {1, 0, 4};
    const jbw_requests requests = {.actions = actions, .say = say};
    jbw_client_observation o[AGENTS] = {{.time = 0}};
    assert_int_equal(jbw_client_request_together(s.client, s.ids, &requests, AGENTS, o), JBW_OK);
    assert_int_equal(jbw_world_request(s.twin, s.ids, &requests, AGENTS, NULL), JBW_OK);
    bool is_delivered[2] = {false, false};
    while (!is_delivered[0] || !is_delivered[1]) {
        jbw_frame frame;
        assert_int_equal(jbw_client_next_frame(watcher, 30.0, &frame), JBW_OK);
        if (frame.time != 1) continue;
        is_delivered[frame.subscription == one] = true;
        for (size_t i = 0; i < frame.mark_count; i++) {
            const size_t who = frame.subscription == one ? 2 : i;
            assert_int_equal(frame.agents[i].body, who == 1);
            assert_int_equal(frame.agents[i].said, say[who]);
        }
        if (frame.subscription != one) continue;
        assert_int_equal(frame.mark_count, 1);
        assert_non_null(frame.observation);
        const float *heard = frame.observation->parts.heard;
        assert_true(heard[0] == 1 && heard[1] == 0 && heard[2] == 0 && heard[3] == 0);
        char text[JBW_MAX_TEXT + 1];
        assert_int_equal(jbw_agent_read(s.twin, s.ids[2], text), JBW_OK);
        assert_string_equal((const char *)frame.observation->parts.text, text);
        assert_int_equal(frame.observation->result.said, 4);
    }
    jbw_client_close(watcher);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_local_world),
        cmocka_unit_test(test_words_in_advance),
        cmocka_unit_test(test_refusals_and_cells),
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
