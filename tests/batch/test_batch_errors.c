// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches: refused calls change nothing, and a world that runs out of memory is the only one that
/// does not step.
#include "support/batch_scene.h"

#include <pthread.h>
#include <string.h>

#include "jbw/state.h"
#include "support/allocations.h"

// ---- bad arguments ----

static void refuse(const jbw_batch_world *worlds, size_t count, int threads, const char *text)
{
    jbw_batch *batch = (jbw_batch *)&batch;
    jbw_error error = {0};
    assert_int_equal(jbw_batch_create(worlds, count, threads, NULL, &batch, &error),
                     JBW_INVALID_ARGUMENT);
    assert_null(batch);
    assert_contains(error.text, text);
    assert_int_equal(jbw_batch_create(worlds, count, threads, NULL, &batch, NULL),
                     JBW_INVALID_ARGUMENT);
}

static void test_bad_worlds(void **state)
{
    (void)state;
    const jbw_config config = batch_config();
    batch_scene s = batch_scene_open_with(&config, 3);
    refuse(NULL, 1, 1, "at least one world");
    refuse(s.worlds, 0, 1, "at least one world");
    refuse(s.worlds, 3, -1, "-1 threads");
    assert_int_equal(jbw_batch_create(s.worlds, 3, 1, NULL, NULL, NULL), JBW_INVALID_ARGUMENT);

    jbw_batch_world worlds[3];
    memcpy(worlds, s.worlds, sizeof worlds);
    worlds[1].model = NULL;
    refuse(worlds, 3, 1, "world 1 has no model");
    worlds[1] = s.worlds[1];
    worlds[2].agent_count = 0;
    refuse(worlds, 3, 1, "world 2 has 0 agents");
    worlds[2].agent_count = -5;
    refuse(worlds, 3, 1, "world 2 has -5 agents");
    worlds[2] = s.worlds[2];

    // worlds of other shapes
    jbw_item_type other_items[2];
    jbw_action other_actions[ACTIONS];
    memcpy(other_items, config.items, sizeof other_items);
    memcpy(other_actions, config.agent.actions, sizeof other_actions);
    other_items[1].name = "Hedge";
    other_actions[0].kind = JBW_ACTION_MOVE_BACKWARD;
    for (int i = 0; i < 7; i++) {
        static const char *const texts[] = {"vision", "color",   "scent",  "items",
                                            "items",  "actions", "actions"};
        jbw_config other = config;
        other.agent.vision_range += i == 0;
        other.color_dimensions -= i == 1;
        other.scent_dimensions -= i == 2;
        other.item_count -= i == 3;
        if (i == 4) other.items = other_items;
        other.agent.action_count -= i == 5;
        if (i == 6) other.agent.actions = other_actions;
        jbw_model *model = model_of(&other);
        worlds[2].model = model;
        refuse(worlds, 3, 1, texts[i]);
        refuse(worlds, 3, 1, "world 2 differs from world 0");
        jbw_model_destroy(model);
    }
    batch_scene_close(&s);
}

static void test_different_models(void **state)
{
    (void)state;
    // models may differ in what does not affect the shape of rows
    const jbw_config config = batch_config();
    jbw_config other = config;
    other.mh_iterations = 50;
    other.scent_decay = 0.3;
    jbw_model *a = model_of(&config);
    jbw_model *b = model_of(&other);
    const jbw_batch_world worlds[] = {{.model = a, .seed = 1, .agent_count = 1},
                                      {.model = b, .seed = 1, .agent_count = 2}};
    jbw_batch *batch;
    assert_int_equal(jbw_batch_create(worlds, 2, 2, NULL, &batch, NULL), JBW_OK);
    assert_ptr_equal(jbw_world_model(jbw_batch_get_world(batch, 1)), b);
    jbw_batch_destroy(batch);
    jbw_model_destroy(b);
    jbw_model_destroy(a);
}

static void test_bad_calls_change_nothing(void **state)
{
    (void)state;
    static batch_rows out;
    static batch_rows before;
    batch_scene s = batch_scene_open(5);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    const uint64_t hash = batch_hash(batch);
    before = out;

    const jbw_status bad = JBW_INVALID_ARGUMENT;
    assert_int_equal(jbw_batch_step(NULL, asked), bad);
    assert_int_equal(jbw_batch_step(batch, NULL), bad);
    for (int i = 0; i < 4; i++) {
        static const int32_t wrong[] = {-1, ACTIONS, INT32_MAX, INT32_MIN};
        asked[s.row_count - 1] = wrong[i];
        assert_int_equal(jbw_batch_step(batch, asked), bad);
        assert_int_equal(jbw_batch_send(batch, (size_t[]){4}, 1, &wrong[i]), bad);
    }
    asked[s.row_count - 1] = 0;
    assert_int_equal(jbw_batch_reset(NULL, 0, 1), bad);
    assert_int_equal(jbw_batch_reset(batch, 5, 1), bad);
    assert_int_equal(jbw_batch_send(NULL, (size_t[]){0}, 1, asked), bad);
    assert_int_equal(jbw_batch_send(batch, NULL, 1, asked), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0}, 1, NULL), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0, 5}, 2, asked), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0, 1, 0}, 3, asked), bad);
    assert_int_equal(jbw_batch_send(batch, NULL, 0, NULL), JBW_OK);
    size_t worlds[5];
    size_t count = 77;
    assert_int_equal(jbw_batch_receive(NULL, 1, worlds, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 1, NULL, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 6, worlds, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 1, worlds, 5, NULL), bad);
    assert_int_equal(count, 77);
    assert_int_equal(jbw_batch_receive(batch, 5, worlds, 5, &count), JBW_OK);
    assert_int_equal(count, 0); // nothing was sent
    assert_int_equal(jbw_batch_receive(batch, 0, NULL, 0, &count), JBW_OK);

    assert_int_equal(batch_hash(batch), hash);
    assert_memory_equal(&out, &before, sizeof out);
    assert_int_equal(jbw_batch_world_count(NULL), 0);
    assert_int_equal(jbw_batch_agent_count(NULL), 0);
    assert_null(jbw_batch_get_world(NULL, 0));
    assert_int_equal(jbw_batch_agent(NULL, 0).index1, 0);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

static void test_worlds_are_busy_until_received(void **state)
{
    (void)state;
    static batch_rows out;
    batch_scene s = batch_scene_open(4);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    const int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_send(batch, (size_t[]){2, 0}, 2, asked), JBW_OK);
    assert_null(jbw_batch_get_world(batch, 0));
    assert_non_null(jbw_batch_get_world(batch, 1));
    assert_int_equal(jbw_batch_step(batch, asked), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_reset(batch, 2, 9), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){1, 2}, 2, asked), JBW_INVALID_ARGUMENT);
    assert_non_null(jbw_batch_get_world(batch, 1)); // was not sent
    assert_int_equal(jbw_batch_send(batch, (size_t[]){1}, 1, asked), JBW_OK);
    size_t worlds[4];
    size_t count;
    assert_int_equal(jbw_batch_receive(batch, 3, worlds, 4, &count), JBW_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, i)), 1);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 3)), 0);
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

static void test_agents_added_by_the_user(void **state)
{
    (void)state;
    // an agent added by the user does not hold up the step
    batch_scene s = batch_scene_open(2);
    jbw_batch *batch = batch_open(&s, 1, NULL);
    jbw_agent_id own;
    assert_int_equal(jbw_world_add_agent(jbw_batch_get_world(batch, 1), NULL, &own), JBW_OK);
    const int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 1)), 1);
    // without an agent of its own a world does not step
    jbw_world_remove_agent(jbw_batch_get_world(batch, 1), jbw_batch_agent(batch, 2));
    assert_int_equal(jbw_batch_step(batch, asked), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 0)), 2);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 1)), 1);
    assert_int_equal(jbw_batch_reset(batch, 1, 4), JBW_OK);
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

// ---- memory ----

static pthread_mutex_t counting_lock = PTHREAD_MUTEX_INITIALIZER;
static counting_allocator counting;

static void *locked_allocate(size_t size, void *user)
{
    (void)user;
    const jbw_allocator inner = counting_allocator_make(&counting);
    pthread_mutex_lock(&counting_lock);
    void *memory = inner.allocate(size, inner.user);
    pthread_mutex_unlock(&counting_lock);
    return memory;
}

static void locked_release(void *memory, size_t size, void *user)
{
    (void)user;
    const jbw_allocator inner = counting_allocator_make(&counting);
    pthread_mutex_lock(&counting_lock);
    inner.release(memory, size, inner.user);
    pthread_mutex_unlock(&counting_lock);
}

static batch_scene open_counted(size_t world_count)
{
    counting = (counting_allocator){0};
    jbw_config config = batch_config();
    config.allocator = (jbw_allocator){.allocate = locked_allocate, .release = locked_release};
    return batch_scene_open_with(&config, world_count);
}

static void test_no_memory_to_create(void **state)
{
    (void)state;
    batch_scene s = open_counted(3);
    const size_t blocks = counting.block_count;
    jbw_status status = JBW_OUT_OF_MEMORY;
    size_t tries = 0;
    for (; status; tries++) {
        jbw_batch *batch;
        jbw_error error = {0};
        fail_allocations(&counting, tries + 1, 1);
        status = jbw_batch_create(s.worlds, 3, 1 + (int)(tries % 2), NULL, &batch, &error);
        allow_allocations(&counting);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != 0);
            assert_null(batch);
        }
        jbw_batch_destroy(batch);
        assert_int_equal(counting.block_count, blocks);
    }
    assert_true(tries > 20);
    batch_scene_close(&s);
    assert_int_equal(counting.block_count, 0);
}

static void test_no_memory_to_reset(void **state)
{
    (void)state;
    static batch_rows out;
    static batch_rows before;
    batch_scene s = open_counted(3);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    jbw_batch *batch = batch_open(&s, 1, &buffers);
    const uint64_t hash = batch_hash(batch);
    before = out;
    size_t tries = 0;
    for (jbw_status status = JBW_OUT_OF_MEMORY; status; tries++) {
        fail_allocations(&counting, tries + 1, 1);
        status = jbw_batch_reset(batch, 1, 55);
        allow_allocations(&counting);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(batch_hash(batch), hash);
        assert_memory_equal(&out, &before, sizeof out);
    }
    assert_true(tries > 10);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
    assert_int_equal(counting.block_count, 0);
}

static void test_no_memory_to_smell(void **state)
{
    (void)state;
    // a clone allocates room for scent when it is first smelled
    static batch_rows out;
    static batch_rows before;
    batch_scene s = open_counted(2);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    jbw_batch *batch = batch_open(&s, 1, &buffers);
    jbw_world *copy;
    assert_int_equal(jbw_world_clone(jbw_batch_get_world(batch, 0), &copy), JBW_OK);
    const uint64_t hash = batch_hash(batch);
    memset(out.scent, 0x55, sizeof out.scent);
    before = out;
    size_t tries = 0;
    for (jbw_status status = JBW_OUT_OF_MEMORY; status; tries++) {
        fail_allocations(&counting, tries + 1, 1);
        status = jbw_batch_set_world(batch, 0, copy);
        allow_allocations(&counting);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(batch_hash(batch), hash);
        assert_memory_equal(&out, &before, sizeof out);
    }
    assert_true(tries >= 2);
    assert_int_equal(batch_hash(batch), hash);
    float scent[JBW_MAX_DIMENSIONS];
    jbw_agent_id agent;
    jbw_world_agents(copy, &agent, 1);
    assert_int_equal(jbw_agent_perceive(copy, agent, NULL, scent), JBW_OK);
    assert_memory_equal(out.scent, scent,
                        (size_t)jbw_model_scent_dimensions(jbw_world_model(copy)) * sizeof *scent);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
    assert_int_equal(counting.block_count, 0);
}

// Worlds that need new patches fail, the others step. Once there is memory again, the worlds that
// failed continue as if nothing had happened.
static void test_no_memory_to_step(void **state)
{
    (void)state;
    static batch_rows out;
    batch_scene s = open_counted(12);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    const int32_t asked[MAX_ROWS] = {FORWARD};
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        jbw_batch *batch = batch_open(&s, 3, &buffers);
        bool has_failed = false;
        size_t behind_count = 0;
        for (int step = 0; step < 200; step++) {
            size_t worlds[12];
            size_t count = 0;
            uint64_t times[12];
            uint64_t hashes[12];
            for (size_t i = 0; i < 12; i++) {
                worlds[i] = i;
                times[i] = jbw_world_time(jbw_batch_get_world(batch, i));
                hashes[i] = jbw_world_hash(jbw_batch_get_world(batch, i));
            }
            if (step % 2) fail_allocations(&counting, 1, SIZE_MAX);
            jbw_status status;
            if (is_apart) {
                assert_int_equal(jbw_batch_send(batch, worlds, 12, asked), JBW_OK);
                status = jbw_batch_receive(batch, 12, worlds, 12, &count);
                assert_int_equal(count, 12);
            } else {
                status = jbw_batch_step(batch, asked);
            }
            allow_allocations(&counting);
            bool is_behind = false;
            for (size_t i = 0; i < 12; i++) {
                const uint64_t time = jbw_world_time(jbw_batch_get_world(batch, i));
                assert_true(time == times[i] + 1 || (time == times[i] && status));
                if (time > times[i]) continue;
                assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)), hashes[i]);
                is_behind = true;
                behind_count++;
            }
            assert_int_equal(status, is_behind ? JBW_OUT_OF_MEMORY : JBW_OK);
            if (status) has_failed = true;
        }
        assert_true(has_failed);
        assert_true(behind_count < 12 * 100); // not all
        jbw_batch_destroy(batch);
    }
    batch_scene_close(&s);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_worlds),
        cmocka_unit_test(test_different_models),
        cmocka_unit_test(test_bad_calls_change_nothing),
        cmocka_unit_test(test_worlds_are_busy_until_received),
        cmocka_unit_test(test_agents_added_by_the_user),
        cmocka_unit_test(test_no_memory_to_create),
        cmocka_unit_test(test_no_memory_to_reset),
        cmocka_unit_test(test_no_memory_to_smell),
        cmocka_unit_test(test_no_memory_to_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
