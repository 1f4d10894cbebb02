// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bodies, voices and texts of a served world: what clients ask for happens in the world, what they
/// are told is what the world says, and what is not possible is refused, says why, and changes nothing.
#include "support/stage.h"

#include <string.h>

#include "net/wire/limits.h"

enum { FORWARD, LEFT, NO_OP, DROP_APPLE, DROP_NOTE, NOTE = 2 };

static jbw_field_bytes bytes_of(const char *text)
{
    return (jbw_field_bytes){(const uint8_t *)text, strlen(text)};
}

static void open_words(stage *s, const jbw_game_options *options)
{
    stage_prepare_words(s);
    stage_start(s, options);
    stage_hello(s, 0, "ann-secret");
    stage_hello(s, 1, "bob-secret");
}

static jbw_message join(int body)
{
    return ASK(JOIN, .join = {.body = (uint8_t)body});
}

static jbw_agent_id add(stage *s, int client, int body)
{
    const jbw_message reply = stage_ask(s, client, join(body));
    assert_int_equal(reply.type, JBW_MESSAGE_AGENTS);
    assert_int_equal(reply.agents.agents_count, 1);
    return reply.agents.agents[0].agent;
}

static jbw_message act_words(const jbw_wire_wish *wishes, size_t count, bool waits)
{
    return ASK(ACT_WORDS, .act_words = {.waits = waits,
                                        .wants = JBW_WANT_WORDS,
                                        .wishes = wishes,
                                        .wishes_count = count});
}

static void expect_text(jbw_field_bytes found, const char *expected)
{
    assert_int_equal(found.count, strlen(expected));
    if (found.count > 0) assert_memory_equal(found.at, expected, found.count);
}

// what a message says about an agent is what the world says
static void expect_words(stage *s, jbw_agent_id agent, const jbw_wire_words *words)
{
    jbw_agent_state state;
    jbw_agent_result result;
    char text[JBW_MAX_TEXT + 1];
    assert_int_equal(jbw_agent_get_state(s->world, agent, &state), JBW_OK);
    assert_int_equal(jbw_agent_get_result(s->world, agent, &result), JBW_OK);
    assert_int_equal(jbw_agent_read(s->world, agent, text), JBW_OK);
    assert_int_equal(words->body, state.body);
    assert_int_equal(words->said, result.said);
    expect_text(words->text, text);
    const uint32_t *heard = jbw_agent_heard(s->world, agent);
    assert_int_equal(words->heard.count, 3);
    for (size_t i = 0; i < 3; i++) assert_true(words->heard.at[i] == (float)heard[i]);
}

// puts a note in front of an agent, which then walks over it
static void give_note(stage *s, int client, jbw_agent_id agent)
{
    jbw_agent_state state;
    assert_int_equal(jbw_agent_get_state(s->world, agent, &state), JBW_OK);
    const jbw_position cell = {state.position.x, state.position.y + 1};
    jbw_world_remove_item(s->world, cell);
    assert_int_equal(jbw_world_place_item(s->world, NOTE, cell), JBW_OK);
    stage_ask(s, client, stage_act(agent, FORWARD, true));
    assert_int_equal(jbw_agent_inventory(s->world, agent)[NOTE], 1);
}

// ---- what there is ----

static void test_features(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    jbw_message reply = stage_ask(&s, 1, ASK(GET_FEATURES, .request = 0));
    assert_int_equal(reply.type, JBW_MESSAGE_FEATURES);
    const jbw_wire_features *f = &reply.features;
    assert_int_equal(f->symbols, 3);
    assert_int_equal(f->voice_range, 5);
    assert_int_equal(f->carries_text.count, 3);
    assert_memory_equal(f->carries_text.at, "\0\0\1", 3);
    assert_int_equal(f->bodies_count, 2);
    assert_int_equal(f->bodies[0].name.length, 0);
    assert_int_equal(f->bodies[1].name.length, 5);
    assert_memory_equal(f->bodies[1].name.at, "Scout", 5);
    assert_int_equal(f->bodies[1].actions.count, 5);
    assert_memory_equal(f->bodies[0].actions.at, "\1\1\1\1\1", 5);
    assert_memory_equal(f->bodies[1].actions.at, "\1\0\1\0\0", 5);
    assert_int_equal(f->bodies[1].color.count, 3);
    assert_true(f->bodies[1].color.at[1] == 0.5F);
    stage_close(&s);

    // a world without any of it
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    reply = stage_ask(&s, 0, ASK(GET_FEATURES, .request = 0));
    assert_int_equal(reply.features.symbols, 0);
    assert_int_equal(reply.features.bodies_count, 1);
    stage_close(&s);
}

// version 1 knows none of it, so its clients are let in only where there is none
static void test_old_clients(void **state)
{
    (void)state;
    const jbw_message hello = ASK(HELLO, .hello = {.version_least = 1, .version_most = 1});
    stage s;
    open_words(&s, NULL);
    jbw_message reply = stage_ask(&s, 2, hello);
    expect_error(reply, JBW_ERROR_VERSION);
    assert_true(reply.error.is_final);
    assert_non_null(strstr(reply.error.text.at, "bodies, talk or leave texts"));
    assert_int_equal(stage_hello(&s, 3, "").welcome.version, 2);
    stage_close(&s);

    stage_open(&s, NULL);
    assert_int_equal(stage_ask(&s, 0, hello).welcome.version, 1);
    stage_close(&s);
}

static void test_bodies(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    const jbw_agent_id scout = add(&s, 0, 1);
    jbw_agent_state found;
    assert_int_equal(jbw_agent_get_state(s.world, scout, &found), JBW_OK);
    assert_int_equal(found.body, 1);
    const jbw_message refused = stage_ask(&s, 0, join(2));
    expect_error(refused, JBW_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(refused.error.text.at, "there is no such body", 21);
    expect_error(stage_ask(&s, 0, join(255)), JBW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_agents(s.world, NULL, 0), 1);

    // an action that its body lacks takes a step, and does nothing
    const jbw_message reply = stage_ask(&s, 0, stage_act(scout, LEFT, true));
    expect_observed(reply, 1, LEFT);
    assert_int_equal(reply.observed.observations[0].outcome, JBW_OUTCOME_NOT_ABLE);

    // the limits of `add_agent` hold for `join`
    add(&s, 1, 1);
    add(&s, 1, 0);
    expect_error(stage_ask(&s, 1, join(1)), JBW_ERROR_TOO_MANY);
    expect_error(stage_ask(&s, 1, ASK(JOIN, .join.place.is_forced = true)),
                 JBW_ERROR_NOT_PERMITTED);
    stage_close(&s);
}

// ---- saying and writing ----

static void test_words_are_heard_and_read(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    const jbw_agent_id ann = add(&s, 0, 0);
    const jbw_agent_id bob = add(&s, 1, 1);
    expect_ok(stage_ask(&s, 1, stage_set_active(bob, false)));
    give_note(&s, 0, ann);
    expect_ok(stage_ask(&s, 1, stage_set_active(bob, true)));

    const jbw_wire_wish writes = {
        .agent = ann, .action = DROP_NOTE, .say = 2, .text = bytes_of("north:\n\xc3\xa9")};
    const jbw_wire_wish says = {.agent = bob, .action = NO_OP, .say = 3};
    const uint32_t first = stage_send(&s, 0, act_words(&writes, 1, true));
    assert_false(stage_has_reply(&s, 0, first));
    jbw_message reply = stage_ask(&s, 1, act_words(&says, 1, true));
    assert_int_equal(reply.type, JBW_MESSAGE_PERCEIVED);
    assert_int_equal(reply.perceived.observed.time, 2);
    assert_int_equal(reply.perceived.observed.observations_count, 1);
    assert_int_equal(reply.perceived.observed.observations[0].action, NO_OP);
    assert_int_equal(reply.perceived.words_count, 1);
    const jbw_wire_words *words = &reply.perceived.words[0];
    expect_words(&s, bob, words);
    assert_int_equal(words->body, 1);
    assert_int_equal(words->said, 3);
    assert_true(words->heard.at[0] == 0 && words->heard.at[1] == 1 && words->heard.at[2] == 0);

    reply = stage_read(&s, 0, first);
    assert_int_equal(reply.type, JBW_MESSAGE_PERCEIVED);
    expect_words(&s, ann, &reply.perceived.words[0]);
    expect_text(reply.perceived.words[0].text, "north:\n\xc3\xa9");
    assert_int_equal(reply.perceived.observed.observations[0].dropped, NOTE);

    // whoever looks at the cell is told
    const jbw_position cell = reply.perceived.observed.observations[0].position;
    reply = stage_ask(&s, 1, ASK(EXPLAIN, .explain.position = cell));
    assert_int_equal(reply.type, JBW_MESSAGE_EXPLAINED);
    expect_text(reply.explained.text, "north:\n\xc3\xa9");
    assert_int_equal(reply.explained.cell.item, NOTE);
    assert_int_equal(reply.explained.cell.agents.count, 1);
    reply = stage_ask(&s, 1, ASK(EXPLAIN, .explain.position = {cell.x, cell.y + 7}));
    expect_text(reply.explained.text, "");

    // a client that knows nothing of it is answered as ever
    expect_ok(stage_ask(&s, 0, stage_set_active(ann, false)));
    expect_observed(stage_ask(&s, 1, stage_act(bob, NO_OP, true)), 3, NO_OP);
    stage_close(&s);
}

static void test_texts_are_placed(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    const jbw_position cell = {3, 40};
    jbw_world_remove_item(s.world, cell);
    jbw_message place =
        ASK(PLACE_TEXT, .place_text = {.item = {NOTE, cell, 0}, .text = bytes_of("a task")});
    expect_error(stage_ask(&s, 1, place), JBW_ERROR_NOT_PERMITTED);
    const uint64_t hash = jbw_world_hash(s.world);
    place.place_text.item.item_type = 0;
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_INVALID_ARGUMENT);
    place.place_text.item.item_type = 3;
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_INVALID_ARGUMENT);
    place.place_text.item.item_type = NOTE;
    place.place_text.text = (jbw_field_bytes){(const uint8_t *)"a\0b", 3};
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_INVALID_ARGUMENT);
    assert_true(jbw_world_hash(s.world) == hash);
    place.place_text.text = bytes_of("a task");
    expect_ok(stage_ask(&s, 0, place));
    jbw_cell_info info;
    assert_int_equal(jbw_world_inspect(s.world, cell, &info), JBW_OK);
    assert_string_equal(info.text, "a task");
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_CELL_BLOCKED);
    stage_close(&s);
}

// words that are not possible: the answer says why, nobody acts, and others do not notice
static void test_impossible_words(void **state)
{
    (void)state;
    static char long_text[JBW_MAX_TEXT + 2];
    memset(long_text, 'x', JBW_MAX_TEXT + 1);
    const struct {
        jbw_wire_wish wish;
        const char *why;
    } cases[] = {
        {{.action = DROP_NOTE, .text = bytes_of(long_text)}, "the text has 256 bytes"},
        {{.action = DROP_NOTE, .text = {(const uint8_t *)"a\0b", 3}}, "a byte that is zero"},
        {{.action = DROP_NOTE, .text = bytes_of("\xff")}, "not valid UTF-8"},
        {{.action = DROP_NOTE, .text = bytes_of("\xc3")}, "not valid UTF-8"},
        {{.action = DROP_APPLE, .text = bytes_of("a")}, "Apple carries no text"},
        {{.action = FORWARD, .text = bytes_of("a")}, "has no text"},
        {{.action = FORWARD, .say = 4}, "there is no symbol 4"},
        {{.action = FORWARD, .say = 255}, "there is no symbol 255"},
        {{.action = 5, .say = 1}, "a field has an invalid value"},
    };
    stage s;
    open_words(&s, NULL);
    const jbw_agent_id ann[2] = {add(&s, 0, 0), add(&s, 0, 1)};
    const jbw_agent_id bob = add(&s, 1, 0);
    const uint32_t waiting = stage_send(&s, 1, stage_act(bob, NO_OP, true));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int is_second = 0; is_second < 2; is_second++) {
            jbw_wire_wish wishes[2] = {{.agent = ann[0], .action = NO_OP, .say = 1},
                                       {.agent = ann[1], .action = NO_OP, .say = 1}};
            wishes[is_second] = cases[i].wish;
            wishes[is_second].agent = ann[is_second];
            const jbw_message reply = stage_ask(&s, 0, act_words(wishes, 2, true));
            expect_error(reply, JBW_ERROR_INVALID_ARGUMENT);
            char text[JBW_MAX_WIRE_TEXT + 1] = {0};
            memcpy(text, reply.error.text.at, reply.error.text.length);
            if (!strstr(text, cases[i].why)) fail_msg("\"%s\" lacks \"%s\"", text, cases[i].why);
            for (int j = 0; j < 2; j++) {
                jbw_agent_state found;
                assert_int_equal(jbw_agent_get_state(s.world, ann[j], &found), JBW_OK);
                assert_false(found.has_request);
            }
        }
    }
    assert_int_equal(jbw_world_time(s.world), 0);
    // somebody else's agent; the same one twice; nobody; several ahead
    jbw_wire_wish wishes[2] = {{.agent = ann[0], .action = NO_OP, .say = 1},
                               {.agent = bob, .action = NO_OP, .say = 1}};
    expect_error(stage_ask(&s, 0, act_words(wishes, 2, true)), JBW_ERROR_NOT_YOURS);
    wishes[1].agent = ann[0];
    expect_error(stage_ask(&s, 0, act_words(wishes, 2, true)), JBW_ERROR_INVALID_ARGUMENT);
    expect_error(stage_ask(&s, 0, act_words(wishes, 0, true)), JBW_ERROR_INVALID_ARGUMENT);
    wishes[1].agent = ann[1];
    jbw_message ahead = act_words(wishes, 2, true);
    ahead.act_words.is_next = true;
    expect_error(stage_ask(&s, 0, ahead), JBW_ERROR_INVALID_ARGUMENT);
    jbw_message unknown = act_words(wishes, 2, true);
    unknown.act_words.wants = JBW_WANT_WORDS | JBW_WANT_UNSEEN;
    expect_error(stage_ask(&s, 0, unknown), JBW_ERROR_INVALID_ARGUMENT);
    assert_false(stage_has_reply(&s, 1, waiting));

    const jbw_message reply = stage_ask(&s, 0, act_words(wishes, 2, true));
    assert_int_equal(reply.type, JBW_MESSAGE_PERCEIVED);
    assert_int_equal(reply.perceived.words_count, 2);
    expect_words(&s, ann[0], &reply.perceived.words[0]);
    expect_words(&s, ann[1], &reply.perceived.words[1]);
    expect_observed(stage_read(&s, 1, waiting), 1, NO_OP);
    stage_close(&s);
}

// ---- turns ----

// while the world is paused, requests keep their words; a later request replaces them
static void test_held_words(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    const jbw_agent_id ann[2] = {add(&s, 0, 0), add(&s, 0, 0)};
    expect_ok(stage_ask(&s, 0, stage_set_active(ann[1], false)));
    give_note(&s, 0, ann[0]);
    expect_ok(stage_ask(&s, 0, stage_set_active(ann[1], true)));
    expect_ok(stage_ask(&s, 0, stage_set_active(ann[0], false)));
    give_note(&s, 0, ann[1]);
    expect_ok(stage_ask(&s, 0, stage_set_active(ann[0], true)));
    expect_ok(stage_ask(&s, 0, ASK(PAUSE, .request = 0)));

    jbw_wire_wish wishes[2] = {
        {.agent = ann[0], .action = DROP_NOTE, .say = 1, .text = bytes_of("the first")},
        {.agent = ann[1], .action = DROP_NOTE, .say = 2, .text = bytes_of("the second")}};
    const uint32_t both = stage_send(&s, 0, act_words(wishes, 2, true));
    // one agent changes its mind: the other one keeps its words
    const jbw_wire_wish other = {
        .agent = ann[0], .action = DROP_NOTE, .say = 3, .text = bytes_of("another")};
    const uint32_t alone = stage_send(&s, 0, act_words(&other, 1, true));
    expect_error(stage_read(&s, 0, both), JBW_ERROR_REPLACED);
    expect_ok(stage_ask(&s, 0, ASK(RESUME, .request = 0)));
    stage_wait(&s, STAGE_MILLISECOND);
    const jbw_message reply = stage_read(&s, 0, alone);
    assert_int_equal(reply.type, JBW_MESSAGE_PERCEIVED);
    expect_text(reply.perceived.words[0].text, "another");
    expect_words(&s, ann[0], &reply.perceived.words[0]);
    char text[JBW_MAX_TEXT + 1];
    jbw_agent_result result;
    assert_int_equal(jbw_agent_read(s.world, ann[1], text), JBW_OK);
    assert_string_equal(text, "the second");
    assert_int_equal(jbw_agent_get_result(s.world, ann[1], &result), JBW_OK);
    assert_int_equal(result.said, 2);
    stage_close(&s);
}

// actions ahead have words of their own; each is answered after its own step
static void test_words_ahead(void **state)
{
    (void)state;
    stage s;
    open_words(&s, NULL);
    const jbw_agent_id ann = add(&s, 0, 0);
    give_note(&s, 0, ann);
    expect_ok(stage_ask(&s, 0, ASK(PAUSE, .request = 0)));
    uint32_t requests[1 + JBW_AHEAD_MOST];
    for (int i = 0; i <= JBW_AHEAD_MOST; i++) {
        const jbw_wire_wish wish = {.agent = ann,
                                    .action = i == 1 ? DROP_NOTE : NO_OP,
                                    .say = (uint8_t)(1 + i % 3),
                                    .text = bytes_of(i == 1 ? "later" : "")};
        jbw_message message = act_words(&wish, 1, true);
        message.act_words.is_next = true;
        requests[i] = stage_send(&s, 0, message);
    }
    const jbw_wire_wish wish = {.agent = ann, .action = NO_OP, .say = 1};
    jbw_message message = act_words(&wish, 1, true);
    message.act_words.is_next = true;
    expect_error(stage_ask(&s, 0, message), JBW_ERROR_TOO_MANY);
    expect_ok(stage_ask(&s, 0, ASK(RESUME, .request = 0)));
    stage_wait(&s, STAGE_MILLISECOND);
    for (int i = 0; i <= JBW_AHEAD_MOST; i++) {
        const jbw_message reply = stage_read(&s, 0, requests[i]);
        assert_int_equal(reply.type, JBW_MESSAGE_PERCEIVED);
        assert_int_equal(reply.perceived.observed.time, (uint64_t)i + 2);
        assert_int_equal(reply.perceived.words[0].said, 1 + i % 3);
        expect_text(reply.perceived.words[0].text, i >= 1 ? "later" : "");
    }
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),         cmocka_unit_test(test_old_clients),
        cmocka_unit_test(test_bodies),           cmocka_unit_test(test_words_are_heard_and_read),
        cmocka_unit_test(test_texts_are_placed), cmocka_unit_test(test_impossible_words),
        cmocka_unit_test(test_held_words),       cmocka_unit_test(test_words_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
