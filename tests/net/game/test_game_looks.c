// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Queries of an invariant world: the game answers them once their terrain is made, in turns, within
/// the time for looking, or says that it has cut them; acting goes on meanwhile.
#include "support/models.h"

#include <string.h>

#include "jbw/agent.h"
#include "net/game/game.h"
#include "net/thread/clock.h"
#include "net/wire/limits.h"
#include "support/waiting.h"

enum { SEED = 3, ANSWERS_MOST = 300, FAR = 60000 };

static const jbw_action actions[] = {{JBW_ACTION_MOVE_FORWARD, NULL}};
static const jbw_token ann = {
    .name = "ann", .secret = "ann-secret", .permissions = JBW_MAY_ACT, .agents_most = 10};

typedef struct answer {
    uint32_t connection;
    uint32_t request;
    uint16_t type;
    uint16_t code;       // of an error
    uint8_t items[4096]; // of a region
} answer;

typedef struct scene {
    jbw_model *model;
    jbw_world *world;
    jbw_token_set keys;
    jbw_looking looking;
    jbw_terrain_maker *maker;
    jbw_game *game;
    uint64_t now;
    answer answers[ANSWERS_MOST];
    size_t count;
} scene;

static void take_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                        bool is_final)
{
    (void)is_final;
    scene *s = user;
    jbw_scratch scratch = {0};
    jbw_message message;
    assert_true(s->count < ANSWERS_MOST);
    assert_int_equal(jbw_message_decode(bytes, size, &scratch, &message), JBW_OK);
    answer *a = &s->answers[s->count++];
    *a = (answer){connection, message.request, (uint16_t)message.type, 0, {0}};
    if (message.type == JBW_MESSAGE_ERROR) a->code = message.error.code;
    if (message.type == JBW_MESSAGE_REGION) {
        assert_true(message.region.items.count <= sizeof a->items);
        memcpy(a->items, message.region.items.at, message.region.items.count);
    }
    jbw_scratch_deinit(&scratch);
}

static void ignore(void *user)
{
    (void)user;
}

static void open_scene(scene *s)
{
    memset(s, 0, sizeof *s);
    jbw_config config = calm_config();
    config.generation = JBW_GENERATION_INVARIANT;
    config.agent.actions = actions;
    config.agent.action_count = 1;
    s->model = model_of(&config);
    s->world = world_of(s->model, SEED);
    s->now = 1000 * JBW_SECOND;
    jbw_looking_init(&s->looking);
    s->looking.all.is_unlimited = true; // of the time; queries still take turns
    assert_int_equal(jbw_token_set_init(&s->keys, &ann, 1, NULL), JBW_OK);
    assert_int_equal(
        jbw_terrain_maker_create(s->model, SEED, NULL, &s->looking, ignore, NULL, &s->maker),
        JBW_OK);
    const jbw_game_options options = {.keys = &s->keys,
                                      .looking = &s->looking,
                                      .maker = s->maker,
                                      .answer = take_answer,
                                      .user = s};
    assert_int_equal(jbw_game_create(s->world, &options, s->now, &s->game, NULL), JBW_OK);
}

static void close_scene(scene *s)
{
    jbw_game_destroy(s->game);
    jbw_terrain_maker_destroy(s->maker);
    jbw_token_set_deinit(&s->keys);
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
}

static void send(scene *s, uint32_t connection, uint32_t request, jbw_message message)
{
    jbw_buffer bytes = {0};
    message.request = request;
    assert_true(jbw_message_encode(&message, &bytes));
    jbw_game_receive(s->game, connection, 0, bytes.bytes, bytes.size, s->now);
    jbw_buffer_free(&bytes);
}

static jbw_message ask_region(int64_t x, int64_t y, int64_t side)
{
    return (jbw_message){.type = JBW_MESSAGE_READ_REGION,
                         .read_region = {.region = {x, y, side, side}}};
}

static const answer *find_answer(const scene *s, uint32_t connection, uint32_t request)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->answers[i].connection == connection && s->answers[i].request == request)
            return &s->answers[i];
    return NULL;
}

// lets the game run until there are that many answers
static void wait_for_answers(scene *s, size_t count)
{
    for (int i = 0; i < 300000 && s->count < count; i++) {
        s->now += JBW_MILLISECOND / 50; // so that deadlines are far away
        jbw_game_tick(s->game, s->now);
        pause_for(1);
    }
    assert_int_equal(s->count, count);
}

static void test_regions_are_answered_when_they_are_made(void **state)
{
    (void)state;
    static scene s;
    enum { SIDE = 24 };
    uint8_t items[SIDE * SIDE];
    open_scene(&s);
    const uint64_t hash = jbw_world_hash(s.world);
    send(&s, 7, 1, ask_region(FAR, -FAR, SIDE));
    assert_int_equal(s.count, 0); // the world has not been held up
    wait_for_answers(&s, 1);
    assert_int_equal(s.answers[0].type, JBW_MESSAGE_REGION);
    jbw_world *other = world_of(s.model, SEED);
    const jbw_region region = {FAR, -FAR, SIDE, SIDE};
    assert_int_equal(jbw_world_read_region(other, region, items, NULL), JBW_OK);
    assert_memory_equal(s.answers[0].items, items, sizeof items);
    assert_int_equal(jbw_world_hash(s.world), hash);
    // now it is there, and the answer comes at once
    send(&s, 7, 2, ask_region(FAR, -FAR, SIDE));
    assert_int_equal(s.count, 2);
    assert_memory_equal(s.answers[1].items, items, sizeof items);
    // smelling, inspecting, and adding an agent need terrain, too
    send(&s, 7, 3,
         (jbw_message){.type = JBW_MESSAGE_SMELL, .smell = {.region = {FAR + 40, -FAR, 5, 5}}});
    send(&s, 8, 4,
         (jbw_message){.type = JBW_MESSAGE_INSPECT, .inspect = {.position = {FAR + 70, -FAR}}});
    send(&s, 9, 5,
         (jbw_message){.type = JBW_MESSAGE_ADD_AGENT,
                       .add_agent = {.has_position = true, .position = {FAR + 100, -FAR}}});
    assert_int_equal(s.count, 2);
    wait_for_answers(&s, 5);
    assert_int_equal(find_answer(&s, 7, 3)->type, JBW_MESSAGE_SCENT);
    assert_int_equal(find_answer(&s, 8, 4)->type, JBW_MESSAGE_CELL);
    const answer *added = find_answer(&s, 9, 5);
    assert_true(added->type == JBW_MESSAGE_AGENTS || added->code == JBW_ERROR_CELL_BLOCKED);
    jbw_world_destroy(other);
    close_scene(&s);
}

static void test_cut_after_the_deadline(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s);
    // no time for looking for an hour of the maker's clock
    jbw_looking_use(&s.looking, JBW_LOOKING_TERRAIN, jbw_clock_now(), 3600 * JBW_SECOND);
    s.looking.all.is_unlimited = false;
    s.looking.sure[JBW_LOOKING_QUERIES].divisor = 0;
    send(&s, 1, 1, ask_region(FAR, 0, 12));
    send(&s, 1, 2, ask_region(0, 0, 0)); // empty, but its turn comes after the first
    s.now += (JBW_LOOK_SECONDS - 1) * JBW_SECOND;
    jbw_game_tick(s.game, s.now);
    assert_int_equal(s.count, 0);
    s.now += 2 * JBW_SECOND;
    jbw_game_tick(s.game, s.now);
    wait_for_answers(&s, 2);
    assert_int_equal(find_answer(&s, 1, 1)->code, JBW_ERROR_CUT);
    assert_int_equal(find_answer(&s, 1, 2)->type, JBW_MESSAGE_REGION);
    assert_false(jbw_terrain_maker_is_at(s.maker, 1, JBW_SUBSCRIPTIONS_MOST));
    close_scene(&s);
}

// one connection asks for very much, another one for a little
static void test_connections_take_turns(void **state)
{
    (void)state;
    static scene s;
    enum { MANY = 200 };
    open_scene(&s);
    for (uint32_t i = 0; i < MANY; i++) send(&s, 1, i, ask_region(FAR + 12 * (int64_t)i, 0, 12));
    send(&s, 2, 1, ask_region(-FAR, 0, 6));
    for (int i = 0; i < 60000 && !find_answer(&s, 2, 1); i++) {
        s.now += JBW_MILLISECOND / 10;
        jbw_game_tick(s.game, s.now);
        pause_for(1);
    }
    assert_non_null(find_answer(&s, 2, 1));
    assert_true(s.count < MANY / 2);
    // what nobody waits for any more is not made
    jbw_game_forget(s.game, 1, 0, s.now);
    const size_t count = s.count;
    jbw_game_tick(s.game, s.now + 3600 * JBW_SECOND);
    assert_int_equal(s.count, count);
    assert_false(jbw_terrain_maker_is_at(s.maker, 1, JBW_SUBSCRIPTIONS_MOST));
    close_scene(&s);
}

static void test_limits(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s);
    send(&s, 1, 1, ask_region(0, 0, 1000));
    assert_int_equal(find_answer(&s, 1, 1)->code, JBW_ERROR_TOO_LARGE);
    // near the end of the world, what would have to be made lies beyond it
    send(&s, 1, 2,
         (jbw_message){.type = JBW_MESSAGE_INSPECT,
                       .inspect = {.position = {JBW_MAX_COORDINATE, 0}}});
    assert_int_equal(find_answer(&s, 1, 2)->code, JBW_ERROR_OUT_OF_RANGE);
    send(&s, 1, 3, ask_region(INT64_MAX - 10, 0, 60));
    assert_int_equal(find_answer(&s, 1, 3)->code, JBW_ERROR_OUT_OF_RANGE);
    // messages of one connection may wait, but not without end
    for (uint32_t i = 0; i < 256; i++) send(&s, 2, i, ask_region(FAR, FAR, 6));
    assert_null(find_answer(&s, 2, 255));
    jbw_game_close(s.game);
    assert_int_equal(find_answer(&s, 2, 255)->code, JBW_ERROR_CLOSING);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_are_answered_when_they_are_made),
        cmocka_unit_test(test_cut_after_the_deadline),
        cmocka_unit_test(test_connections_take_turns),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
