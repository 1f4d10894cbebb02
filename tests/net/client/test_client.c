// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The client against a server in this process, beside a twin of the world that is here.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/files.h"
#include "support/random.h"
#include "support/served.h"

static void assert_text(jbw_client *client, const char *part)
{
    const char *text = jbw_client_error(client)->text;
    if (!strstr(text, part)) fail_msg("expected '%s' in '%s'", part, text);
}

// ---- connecting ----

static void refusals_of_connections_say_why(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client;
    jbw_error error = {0};
    jbw_client_options options = {.token = "nobody-has-this-one", .connect_timeout = 5};
    assert_int_equal(jbw_client_connect(s.url, &options, &client, &error), JBW_NOT_PERMITTED);
    assert_null(client);
    assert_non_null(strstr(error.text, "token"));
    assert_int_equal(jbw_client_connect("http://127.0.0.1:80", NULL, &client, &error),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_client_connect("ws://127.0.0.1:1", NULL, &client, &error),
                     JBW_NO_CONNECTION);
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
    served_close(&s);
}

static void what_is_not_permitted_changes_nothing(void **state)
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

    // the other token may have two agents, and touch only those
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

// ---- the same as a world that is here ----

typedef struct senses {
    float vision[9 * 9 * 3];
    float scent[2];
    uint8_t items[9 * 9];
    uint64_t inventory[3];
} senses;

static jbw_observation observe_into(senses *to)
{
    return (jbw_observation){
        .vision = to->vision, .scent = to->scent, .items = to->items, .inventory = to->inventory};
}

static void assert_equal_agent(jbw_world *world, jbw_agent_id id, const jbw_observation *o,
                               const senses *told)
{
    senses here = {0};
    jbw_agent_state state;
    jbw_agent_result result;
    assert_int_equal(jbw_agent_perceive(world, id, here.vision, here.scent), JBW_OK);
    assert_int_equal(jbw_agent_see_items(world, id, here.items), JBW_OK);
    assert_int_equal(jbw_agent_get_state(world, id, &state), JBW_OK);
    assert_int_equal(jbw_agent_get_result(world, id, &result), JBW_OK);
    memcpy(here.inventory, jbw_agent_inventory(world, id), sizeof here.inventory);
    assert_memory_equal(&here, told, sizeof here);
    assert_true(o->time == jbw_world_time(world));
    assert_true(o->position.x == state.position.x && o->position.y == state.position.y);
    assert_int_equal(o->direction, state.direction);
    assert_true(o->result.time == result.time);
    assert_int_equal(o->result.action, result.action);
    assert_int_equal(o->result.outcome, result.outcome);
    assert_int_equal(o->result.item, result.item);
    assert_int_equal(o->result.collected, result.collected);
    assert_int_equal(o->result.moved, result.moved);
    assert_true(o->result.position_before.x == result.position_before.x &&
                o->result.position_before.y == result.position_before.y);
}

static void a_served_life_is_as_a_life_here(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_world *twin;
    assert_int_equal(jbw_world_create(s.model, SERVED_SEED, &twin), JBW_OK);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id id;
    jbw_agent_id twin_id;
    assert_int_equal(jbw_client_add_agent(client, NULL, &id), JBW_OK);
    assert_int_equal(jbw_world_add_agent(twin, NULL, &twin_id), JBW_OK);
    assert_memory_equal(&id, &twin_id, sizeof id);

    senses told = {0};
    jbw_observation o = observe_into(&told);
    uint64_t random = 1;
    for (int i = 0; i < 300; i++) {
        const uint32_t number = random_below(&random, 6);
        const int action = number < 3 ? FORWARD : (int)number - 2;
        assert_int_equal(jbw_client_act_and_observe(client, id, action, &o), JBW_OK);
        assert_false(o.is_resumed);
        assert_int_equal(jbw_agent_act(twin, id, action, NULL), JBW_OK);
        assert_equal_agent(twin, id, &o, &told);
    }
    uint64_t time;
    uint64_t hash;
    assert_int_equal(jbw_client_get_hash(client, &time, &hash), JBW_OK);
    assert_true(time == 300 && hash == jbw_world_hash(twin));

    // the same by single questions
    senses again = {0};
    jbw_agent_state known;
    jbw_agent_state known_here;
    assert_int_equal(jbw_client_perceive(client, id, again.vision, again.scent), JBW_OK);
    assert_int_equal(jbw_client_get_inventory(client, id, again.inventory), JBW_OK);
    memcpy(again.items, told.items, sizeof told.items);
    assert_memory_equal(&again, &told, sizeof told);
    assert_int_equal(jbw_client_get_state(client, id, &known), JBW_OK);
    assert_int_equal(jbw_agent_get_state(twin, id, &known_here), JBW_OK);
    assert_memory_equal(&known.start, &known_here.start, sizeof known.start);
    assert_memory_equal(&known.position, &known_here.position, sizeof known.position);
    jbw_client_close(client);
    jbw_world_destroy(twin);
    served_close(&s);
}

static void maps_and_edits_are_as_here(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_world *twin;
    assert_int_equal(jbw_world_create(s.model, SERVED_SEED, &twin), JBW_OK);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_position places[2] = {{0, 0}, {40, -3}};
    assert_int_equal(jbw_client_explore(client, places, 2), JBW_OK);
    assert_int_equal(jbw_world_explore(twin, places, 2), JBW_OK);

    // larger than a message: read in bands
    enum { SIDE = 400 };
    const jbw_region region = {-200, -150, SIDE, SIDE};
    uint8_t *maps = calloc(4, SIDE * SIDE);
    assert_non_null(maps);
    uint8_t *at[4] = {maps, maps + SIDE * SIDE, maps + 2 * SIDE * SIDE, maps + 3 * SIDE * SIDE};
    assert_int_equal(jbw_client_read_region(client, region, at[0], at[1]), JBW_OK);
    assert_int_equal(jbw_world_read_region(twin, region, at[2], at[3]), JBW_OK);
    assert_memory_equal(at[0], at[2], 2 * SIDE * SIDE);

    // an empty cell, found by looking
    jbw_position cell = {0, 0};
    while (at[0][(cell.y - region.y) * SIDE + cell.x - region.x] != 0) cell.x++;
    assert_int_equal(jbw_client_place_item(client, 1, cell), JBW_OK);
    assert_int_equal(jbw_world_place_item(twin, 1, cell), JBW_OK);
    assert_int_equal(jbw_client_place_item(client, 1, cell), JBW_CELL_BLOCKED);
    float scents[2][4][80][2];
    const jbw_region smelled = {-40, -2, 80, 4};
    assert_int_equal(jbw_client_smell(client, smelled, &scents[0][0][0][0]), JBW_OK);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 80; x++) {
            const jbw_position p = {smelled.x + x, smelled.y + y};
            assert_int_equal(jbw_world_smell(twin, p, scents[1][y][x]), JBW_OK);
        }
    assert_memory_equal(scents[0], scents[1], sizeof scents[0]);
    assert_int_equal(jbw_client_remove_item(client, cell), JBW_OK);
    assert_int_equal(jbw_client_remove_item(client, cell), JBW_NOT_FOUND);
    assert_int_equal(jbw_world_remove_item(twin, cell), JBW_OK);
    assert_int_equal(jbw_client_step(client, 5), JBW_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(jbw_world_step(twin), JBW_OK);
    uint64_t hash;
    assert_int_equal(jbw_client_get_hash(client, NULL, &hash), JBW_OK);
    assert_true(hash == jbw_world_hash(twin));
    free(maps);
    jbw_client_close(client);
    jbw_world_destroy(twin);
    served_close(&s);
}

// ---- several agents ----

static void act_waits_when_all_of_its_own_have_asked(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id ids[3];
    bool stepped;
    for (int i = 0; i < 3; i++)
        assert_int_equal(jbw_client_add_agent(client, NULL, &ids[i]), JBW_OK);
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 3; i++) {
            assert_int_equal(jbw_client_act(client, ids[i], FORWARD, &stepped), JBW_OK);
            assert_int_equal(stepped, i == 2);
        }
    assert_int_equal(jbw_client_set_active(client, ids[2], false), JBW_OK);
    assert_int_equal(jbw_client_act(client, ids[0], LEFT, &stepped), JBW_OK);
    assert_false(stepped);
    assert_int_equal(jbw_client_act(client, ids[1], LEFT, &stepped), JBW_OK);
    assert_true(stepped);
    uint64_t time;
    assert_int_equal(jbw_client_get_time(client, &time), JBW_OK);
    assert_true(time == 4);
    assert_int_equal(jbw_client_act(client, ids[2], LEFT, &stepped), JBW_INVALID_ARGUMENT);
    assert_text(client, "active");

    jbw_agent_id all[8];
    size_t count;
    assert_int_equal(jbw_client_all_agents(client, all, 8, &count), JBW_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(all, ids, sizeof ids);
    assert_int_equal(jbw_client_remove_agent(client, ids[2]), JBW_OK);
    assert_int_equal(jbw_client_agents(client, all, 8), 2);
    jbw_agent_state gone;
    assert_int_equal(jbw_client_get_state(client, ids[2], &gone), JBW_NO_SUCH_AGENT);
    jbw_client_close(client);
    served_close(&s);
}

// in as many steps, and as if they had been asked for one by one
static void actions_can_be_asked_for_ahead(void **state)
{
    (void)state;
    enum { STEPS = 20, OTHERS = 3 };
    served s;
    served_open(&s, NULL);
    jbw_client *clients[OTHERS];
    jbw_agent_id ids[OTHERS];
    int actions[STEPS];
    senses told[STEPS] = {0};
    jbw_observation o[OTHERS][STEPS];
    uint32_t tickets[OTHERS][STEPS];
    for (int k = 0; k < STEPS; k++) actions[k] = k % 3;
    for (int i = 0; i < OTHERS; i++) {
        clients[i] = served_connect(&s, SERVED_ALL);
        assert_int_equal(jbw_client_add_agent(clients[i], NULL, &ids[i]), JBW_OK);
    }
    for (int i = 0; i < OTHERS; i++) {
        for (int k = 0; k < STEPS; k++)
            o[i][k] = i == 0 ? observe_into(&told[k]) : (jbw_observation){0};
        assert_int_equal(jbw_client_post_acts(clients[i], ids[i], actions, STEPS, o[i], tickets[i]),
                         JBW_OK);
    }
    for (int i = 0; i < OTHERS; i++) {
        for (int k = STEPS - 1; k >= 0; k--) {
            assert_int_equal(jbw_client_collect(clients[i], tickets[i][k]), JBW_OK);
            assert_int_equal(o[i][k].time, k + 1);
            assert_int_equal(o[i][k].result.action, actions[k]);
            assert_int_equal(o[i][k].agent.index1, ids[i].index1);
        }
    }
    senses last = {0};
    jbw_observation now = observe_into(&last);
    assert_int_equal(jbw_client_observe(clients[0], ids[0], &now), JBW_OK);
    assert_int_equal(now.time, STEPS);
    assert_memory_equal(&last, &told[STEPS - 1], sizeof last);
    for (int i = 0; i < OTHERS; i++) jbw_client_close(clients[i]);
    served_close(&s);
}

static void answers_are_collected_in_any_order(void **state)
{
    (void)state;
    enum { AGENTS = 8 };
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id ids[AGENTS];
    senses told[AGENTS] = {0};
    jbw_observation o[AGENTS];
    uint32_t tickets[AGENTS];
    for (int i = 0; i < AGENTS; i++)
        assert_int_equal(jbw_client_add_agent(client, NULL, &ids[i]), JBW_OK);
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < AGENTS; i++) {
            o[i] = observe_into(&told[i]);
            assert_int_equal(jbw_client_post_act(client, ids[i], turn % 3, &o[i], &tickets[i]),
                             JBW_OK);
        }
        assert_true(jbw_client_is_ready(client, tickets[0], 30.0));
        for (int i = AGENTS - 1; i >= 0; i--) {
            assert_int_equal(jbw_client_collect(client, tickets[i]), JBW_OK);
            assert_true(o[i].time == (uint64_t)turn + 1);
            assert_int_equal(o[i].agent.index1, ids[i].index1);
        }
        assert_int_equal(jbw_client_collect(client, tickets[0]), JBW_NOT_FOUND);
    }

    // and together, in one message
    const int actions[AGENTS] = {0};
    assert_int_equal(jbw_client_act_together(client, ids, actions, AGENTS, o), JBW_OK);
    for (int i = 0; i < AGENTS; i++) {
        senses single = {0};
        jbw_observation one = observe_into(&single);
        assert_int_equal(jbw_client_observe(client, ids[i], &one), JBW_OK);
        assert_memory_equal(&single, &told[i], sizeof single);
    }
    uint32_t forgotten;
    assert_int_equal(jbw_client_post_observe(client, ids[0], &o[0], &forgotten), JBW_OK);
    jbw_client_close(client);
    served_close(&s);
}

static void who_waits_in_vain_is_told(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *idle = served_connect(&s, SERVED_ACT);
    jbw_client *client;
    jbw_error error = {0};
    const jbw_client_options options = {.token = SERVED_ALL, .turn_timeout = 0.2};
    assert_int_equal(jbw_client_connect(s.url, &options, &client, &error), JBW_OK);
    jbw_agent_id ids[2];
    assert_int_equal(jbw_client_add_agent(idle, NULL, &ids[0]), JBW_OK);
    assert_int_equal(jbw_client_add_agent(client, NULL, &ids[1]), JBW_OK);
    jbw_observation o = {0};
    assert_int_equal(jbw_client_act_and_observe(client, ids[1], FORWARD, &o), JBW_TIMED_OUT);
    bool stepped;
    assert_int_equal(jbw_client_act(idle, ids[0], FORWARD, &stepped), JBW_OK);
    assert_true(stepped);
    // the late answer is nobody's, and the connection goes on
    uint64_t time;
    assert_int_equal(jbw_client_get_time(client, &time), JBW_OK);
    assert_true(time == 1);
    jbw_client_close(client);
    jbw_client_close(idle);
    served_close(&s);
}

// ---- frames ----

static void frames_tell_what_happens(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *actor = served_connect(&s, SERVED_ALL);
    jbw_client *watcher = served_connect(&s, NULL);
    jbw_agent_id id;
    assert_int_equal(jbw_client_add_agent(actor, NULL, &id), JBW_OK);
    uint32_t all;
    uint32_t map;
    uint32_t one;
    assert_int_equal(
        jbw_client_subscribe(watcher, &(jbw_subscription){.topic = JBW_TOPIC_EVERYTHING}, &all),
        JBW_OK);
    assert_int_equal(jbw_client_subscribe(watcher,
                                          &(jbw_subscription){.topic = JBW_TOPIC_PATCHES,
                                                              .region = {-20, -20, 40, 40}},
                                          &map),
                     JBW_OK);
    assert_int_equal(
        jbw_client_subscribe(watcher,
                             &(jbw_subscription){.topic = JBW_TOPIC_ONE_AGENT, .agent = id}, &one),
        JBW_OK);
    jbw_observation o = {0};
    for (int i = 0; i < 10; i++)
        assert_int_equal(jbw_client_act_and_observe(actor, id, i % 3, &o), JBW_OK);

    // sooner or later all of them tell of the latest step
    bool is_told[3] = {false, false, false};
    size_t patches = 0;
    jbw_frame frame;
    while (!is_told[0] || !is_told[1] || !is_told[2]) {
        assert_int_equal(jbw_client_next_frame(watcher, 30.0, &frame), JBW_OK);
        const int which = frame.subscription == all ? 0 : frame.subscription == map ? 1 : 2;
        if (frame.time == 10) is_told[which] = true;
        patches += frame.patch_count;
        if (which == 0) assert_int_equal(frame.mark_count, 1);
        if (which == 1 && frame.patch_count > 0 && frame.patches[0].items)
            assert_int_equal(frame.patches[0].side, 32);
        if (which == 2 && frame.time == 10) {
            float vision[9 * 9 * 3];
            assert_non_null(frame.observation);
            assert_int_equal(jbw_client_perceive(actor, id, vision, NULL), JBW_OK);
            assert_memory_equal(vision, frame.observation->vision, sizeof vision);
        }
    }
    assert_true(patches > 0);
    assert_int_equal(jbw_client_unsubscribe(watcher, all), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, map), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, one), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, one), JBW_NOT_FOUND);
    assert_int_equal(jbw_client_next_frame(watcher, 0.1, &frame), JBW_TIMED_OUT);
    jbw_client_close(watcher);
    jbw_client_close(actor);
    served_close(&s);
}

// ---- control ----

static void pausing_keeps_requests(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_client *control = served_connect(&s, SERVED_ALL);
    jbw_agent_id id;
    jbw_observation o = {0};
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
    assert_int_equal(jbw_client_save(control, NULL), JBW_UNSUPPORTED); // there is nowhere to
    jbw_client_close(control);
    jbw_client_close(client);
    served_close(&s);
}

static void rewards_are_worked_out_by_the_model(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_model *model = jbw_client_model(client);
    assert_non_null(model);
    assert_int_equal(jbw_model_item_type_count(model), 3);
    assert_string_equal(jbw_model_item_name(model, 1), "Onion");
    assert_ptr_equal(jbw_client_model(client), model);
    jbw_reward *reward;
    assert_int_equal(jbw_reward_compile(model, "Action[-1]", NULL, 0, &reward, NULL), JBW_OK);
    jbw_reward_destroy(reward);
    jbw_client_close(client);
    served_close(&s);
}

// ---- a server that comes back ----

static void count_resumptions(uint64_t time, void *user)
{
    uint64_t *told = user;
    told[0]++;
    told[1] = time;
}

static void clients_come_back_by_themselves(void **state)
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
    jbw_client *client;
    jbw_error error = {0};
    const jbw_client_options how = {
        .token = SERVED_ALL, .on_resume = count_resumptions, .resume_user = told};
    assert_int_equal(jbw_client_connect(s.url, &how, &client, &error), JBW_OK);
    jbw_client *watcher = served_connect(&s, NULL);
    jbw_agent_id ids[2];
    bool stepped;
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_client_add_agent(client, NULL, &ids[i]), JBW_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(jbw_client_act(client, ids[i % 2], FORWARD, &stepped), JBW_OK);
    assert_int_equal(jbw_client_save(client, NULL), JBW_OK);
    uint32_t subscription;
    assert_int_equal(jbw_client_subscribe(watcher,
                                          &(jbw_subscription){.topic = JBW_TOPIC_EVERYTHING},
                                          &subscription),
                     JBW_OK);

    // stop, and start again at the same place
    options.port = jbw_server_port(s.server);
    served_close(&s);
    served_load(&s, &options, path);

    // what is only read is asked again; what acts is told
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

    // once more, in the middle of a turn
    options.port = jbw_server_port(s.server);
    assert_int_equal(jbw_client_act(client, ids[0], LEFT, &stepped), JBW_OK);
    served_close(&s);
    served_load(&s, &options, path);
    jbw_observation o = {0};
    assert_int_equal(jbw_client_act_and_observe(client, ids[1], LEFT, &o), JBW_OK);
    assert_true(o.is_resumed || o.time == 7);
    assert_int_equal(jbw_client_get_info(client).resume_count, 2);

    // an agent of an earlier client waits for its token
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

static void a_server_that_is_gone_is_told(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client;
    jbw_client *stubborn;
    jbw_client_options options = {.token = SERVED_ALL, .reconnect_time = -1};
    assert_int_equal(jbw_client_connect(s.url, &options, &client, NULL), JBW_OK);
    options.reconnect_time = 0.3;
    assert_int_equal(jbw_client_connect(s.url, &options, &stubborn, NULL), JBW_OK);
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
        cmocka_unit_test(refusals_of_connections_say_why),
        cmocka_unit_test(what_is_not_permitted_changes_nothing),
        cmocka_unit_test(a_served_life_is_as_a_life_here),
        cmocka_unit_test(maps_and_edits_are_as_here),
        cmocka_unit_test(act_waits_when_all_of_its_own_have_asked),
        cmocka_unit_test(actions_can_be_asked_for_ahead),
        cmocka_unit_test(answers_are_collected_in_any_order),
        cmocka_unit_test(who_waits_in_vain_is_told),
        cmocka_unit_test(frames_tell_what_happens),
        cmocka_unit_test(pausing_keeps_requests),
        cmocka_unit_test(rewards_are_worked_out_by_the_model),
        cmocka_unit_test(clients_come_back_by_themselves),
        cmocka_unit_test(a_server_that_is_gone_is_told),
    };
    return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
