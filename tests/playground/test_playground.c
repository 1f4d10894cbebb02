// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The playground as its Worker uses it, with a clock and a page that the test stands in for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "net/game/game.h"
#include "net/wire/message.h"
#include "playground/host.h"
#include "playground/playground.h"
#include "support/checks.h"
#include "support/golden_worlds.h"

// ---- the host ----

static double now;
static jbw_message_type last_type;
static uint32_t frame_count;
static uint64_t frame_time;
static uint32_t own_count;
static jbw_agent_id own_agent;
static char error_text[400];

double jbw_host_now(void)
{
    return now;
}

void jbw_host_send(const uint8_t *bytes, size_t size, bool is_final)
{
    jbw_scratch scratch = {0};
    jbw_message message;
    assert_false(is_final);
    assert_int_equal(jbw_message_decode(bytes, size, &scratch, &message), JBW_OK);
    if (message.type == JBW_MESSAGE_FRAME) {
        frame_count++;
        frame_time = message.frame.time;
    } else {
        last_type = (jbw_message_type)message.type;
    }
    if (message.type == JBW_MESSAGE_WELCOME) {
        own_count = (uint32_t)message.welcome.agents_count;
        if (own_count > 0) own_agent = message.welcome.agents[0].agent;
    }
    if (message.type == JBW_MESSAGE_ERROR)
        snprintf(error_text, sizeof error_text, "%.*s", (int)message.error.text.length,
                 message.error.text.at);
    jbw_scratch_deinit(&scratch);
}

static void send(jbw_playground *playground, const jbw_message *message)
{
    jbw_buffer bytes = {0};
    assert_true(jbw_message_encode(message, &bytes));
    jbw_playground_receive(playground, bytes.bytes, bytes.size);
    jbw_buffer_free(&bytes);
}

static void say_hello(jbw_playground *playground)
{
    const jbw_message hello = {.type = JBW_MESSAGE_HELLO,
                               .request = 1,
                               .hello = {.version_least = JBW_PROTOCOL_VERSION,
                                         .version_most = JBW_PROTOCOL_VERSION,
                                         .token = jbw_text_field("playground"),
                                         .client = jbw_text_field("test")}};
    jbw_playground_connect(playground);
    send(playground, &hello);
    assert_int_equal(last_type, JBW_MESSAGE_WELCOME);
}

static void set_rate(jbw_playground *playground, double rate)
{
    send(playground,
         &(jbw_message){.type = JBW_MESSAGE_SET_RATE, .request = 2, .set_rate = {.rate = rate}});
    assert_int_equal(last_type, JBW_MESSAGE_OK);
}

static void pause(jbw_playground *playground)
{
    send(playground, &(jbw_message){.type = JBW_MESSAGE_PAUSE, .request = 3});
}

static void step(jbw_playground *playground, uint32_t count)
{
    send(playground,
         &(jbw_message){.type = JBW_MESSAGE_STEP, .request = 4, .step = {.count = count}});
    assert_int_equal(last_type, JBW_MESSAGE_OK);
}

static uint64_t time_of(jbw_playground *playground)
{
    return jbw_world_time(jbw_playground_world(playground));
}

// ---- worlds ----

static const jbw_playground_life greedy = {"greedy", "Collect[JellyBean]"};

static jbw_config scent_config(void)
{
    for (size_t i = 0; i < golden_world_count; i++)
        if (strcmp(golden_worlds[i].name, "scent") == 0) return golden_worlds[i].config;
    fail_msg("no world is called scent");
    return (jbw_config){0};
}

// the bytes of a new world, as the page gets them
static jbw_buffer like(jbw_generation generation)
{
    jbw_model *model;
    jbw_world *world;
    jbw_buffer bytes = {0};
    jbw_config config = scent_config();
    config.generation = generation;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    assert_int_equal(jbw_world_create(model, 0, &world), JBW_OK);
    assert_int_equal(jbw_world_encode(world, &bytes), JBW_OK);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return bytes;
}

static jbw_playground *open_world(jbw_generation generation, size_t agents)
{
    jbw_playground *playground;
    jbw_error error = {0};
    jbw_buffer bytes = like(generation);
    now = 1000.0;
    frame_count = 0;
    assert_int_equal(
        jbw_playground_create(bytes.bytes, bytes.size, 7, agents, &greedy, &playground, &error),
        JBW_OK);
    jbw_buffer_free(&bytes);
    say_hello(playground);
    return playground;
}

// the hash of a world in which the first agent lives as `jbw run` has it live
static uint64_t hash_of_run(uint64_t steps)
{
    const jbw_config config = scent_config();
    jbw_model *model;
    jbw_world *world;
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_agent_id agent;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    assert_int_equal(jbw_world_create(model, 7, &world), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_reward_compile(model, greedy.reward, NULL, 0, &reward, NULL), JBW_OK);
    const jbw_policy_options options = {.reward = reward, .seed = 7};
    assert_int_equal(jbw_policy_create("greedy", model, &options, &policy, NULL), JBW_OK);
    for (uint64_t i = 0; i < steps; i++)
        assert_int_equal(jbw_policy_step(policy, world, agent, NULL), JBW_OK);
    const uint64_t hash = jbw_world_hash(world);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return hash;
}

// ---- tests ----

static void lives_as_jbw_run_does(void **state)
{
    (void)state;
    jbw_playground *playground = open_world(JBW_GENERATION_FRONTIER, 1);
    pause(playground);
    step(playground, 500);
    assert_int_equal(time_of(playground), 500);
    assert_true(jbw_world_hash(jbw_playground_world(playground)) == hash_of_run(500));
    jbw_playground_destroy(playground);
}

// a page calls late, and in between the world has to make up for it
static void keeps_its_rate(void **state)
{
    (void)state;
    jbw_playground *playground = open_world(JBW_GENERATION_FRONTIER, 1);
    set_rate(playground, 1000.0);
    const uint64_t before = time_of(playground);
    for (int i = 0; i < 50; i++) {
        now += 20.0;
        for (int k = 0; k < 40; k++) jbw_playground_run(playground, now, false);
    }
    const uint64_t steps = time_of(playground) - before;
    assert_true(steps >= 990 && steps <= 1001);
    // but a page that slept is not made to watch all that it missed
    now += 3600000.0;
    const uint64_t asleep = time_of(playground);
    for (int k = 0; k < 100; k++) jbw_playground_run(playground, now, false);
    assert_true(time_of(playground) - asleep <= 2);
    jbw_playground_destroy(playground);
}

static void sends_frames(void **state)
{
    (void)state;
    jbw_playground *playground = open_world(JBW_GENERATION_INVARIANT, 2);
    pause(playground);
    const jbw_message subscribe = {.type = JBW_MESSAGE_SUBSCRIBE,
                                   .request = 9,
                                   .subscribe = {.topic = JBW_TOPIC_REGION,
                                                 .region = {1000000, -1000000, 40, 40},
                                                 .rate_most = 30.0F}};
    send(playground, &subscribe);
    // terrain that nobody has seen is made piece by piece, until nothing is left to do
    int calls = 0;
    while (jbw_playground_run(playground, now, false) >= 0.0 && calls++ < 200) now += 40.0;
    assert_true(frame_count >= 2);
    assert_true(calls < 200);
    const uint32_t frames = frame_count;
    jbw_playground_run(playground, now + 100.0, false);
    assert_int_equal(frame_count, frames); // nothing has changed
    step(playground, 1);
    now += 40.0;
    jbw_playground_run(playground, now, true);
    assert_int_equal(frame_count, frames + 1);
    assert_int_equal(frame_time, time_of(playground));
    jbw_playground_destroy(playground);
}

static void drives(void **state)
{
    (void)state;
    jbw_error error = {0};
    jbw_playground *playground = open_world(JBW_GENERATION_FRONTIER, 3);
    assert_int_equal(own_count, 0);
    assert_int_equal(jbw_playground_set_life(playground, &greedy, true, &error), JBW_OK);
    say_hello(playground);
    assert_int_equal(own_count, 1);
    // the world waits for the page
    const jbw_message wake = {.type = JBW_MESSAGE_SET_ACTIVE,
                              .request = 5,
                              .set_active = {.agent = own_agent, .is_active = true}};
    send(playground, &wake);
    const uint64_t before = time_of(playground);
    for (int i = 0; i < 20; i++) jbw_playground_run(playground, now += 100.0, false);
    assert_int_equal(time_of(playground), before);
    const jbw_message act = {
        .type = JBW_MESSAGE_ACT, .request = 6, .act = {.agent = own_agent, .action = 0}};
    send(playground, &act);
    jbw_playground_run(playground, now += 100.0, false);
    assert_int_equal(time_of(playground), before + 1);
    // and goes on by itself when the agent has a policy again
    assert_int_equal(jbw_playground_set_life(playground, &greedy, false, &error), JBW_OK);
    for (int i = 0; i < 20; i++) jbw_playground_run(playground, now += 100.0, false);
    assert_true(time_of(playground) > before + 10);
    send(playground, &act);
    assert_int_equal(last_type, JBW_MESSAGE_ERROR);
    jbw_playground_destroy(playground);
}

static void saves_and_loads(void **state)
{
    (void)state;
    jbw_error error = {0};
    const jbw_buffer *saved;
    jbw_playground *playground = open_world(JBW_GENERATION_FRONTIER, 2);
    pause(playground);
    step(playground, 100);
    assert_int_equal(jbw_playground_save(playground, "#world=scent", &saved, &error), JBW_OK);
    jbw_playground *loaded;
    const jbw_playground_life other = {"random", "Collect[Onion]"};
    assert_int_equal(jbw_playground_load(saved->bytes, saved->size, &other, &loaded, &error),
                     JBW_OK);
    assert_string_equal(jbw_playground_note(loaded), "#world=scent");
    assert_string_equal(jbw_playground_reward(loaded), greedy.reward);
    step(playground, 100);
    say_hello(loaded);
    pause(loaded);
    step(loaded, 100);
    assert_true(jbw_world_hash(jbw_playground_world(loaded)) ==
                jbw_world_hash(jbw_playground_world(playground)));
    // damaged and cut files are refused
    uint8_t *damaged = malloc(saved->size);
    memcpy(damaged, saved->bytes, saved->size);
    damaged[saved->size / 2] ^= 1;
    jbw_playground *none;
    assert_int_equal(jbw_playground_load(damaged, saved->size, &other, &none, &error),
                     JBW_INVALID_DATA);
    assert_null(none);
    for (size_t size = 0; size < saved->size; size += 1 + size / 3)
        assert_int_equal(jbw_playground_load(saved->bytes, size, &other, &none, &error),
                         JBW_INVALID_DATA);
    free(damaged);
    jbw_playground_destroy(loaded);
    jbw_playground_destroy(playground);
}

static void refuses_and_goes_on(void **state)
{
    (void)state;
    jbw_error error = {0};
    jbw_playground *playground = open_world(JBW_GENERATION_FRONTIER, 1);
    pause(playground);
    step(playground, 10);
    const jbw_playground_life bad_reward = {"greedy", "Collect[Jelly]"};
    assert_int_equal(jbw_playground_set_life(playground, &bad_reward, false, &error),
                     JBW_INVALID_EXPRESSION);
    assert_true(error.column > 0);
    const jbw_playground_life bad_policy = {"clever", ""};
    assert_int_equal(jbw_playground_set_life(playground, &bad_policy, false, &error),
                     JBW_NOT_FOUND);
    step(playground, 490);
    assert_true(jbw_world_hash(jbw_playground_world(playground)) == hash_of_run(500));
    jbw_playground *none;
    assert_int_equal(jbw_playground_create((const uint8_t *)"x", 1, 0, 1, &greedy, &none, &error),
                     JBW_INVALID_DATA);
    assert_null(none);
    jbw_playground_destroy(playground);
    jbw_playground_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_as_jbw_run_does), cmocka_unit_test(keeps_its_rate),
        cmocka_unit_test(sends_frames),          cmocka_unit_test(drives),
        cmocka_unit_test(saves_and_loads),       cmocka_unit_test(refuses_and_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
