// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches of so many worlds that memory is asked for ahead of time: nothing depends on it.
#include "support/batch_scene.h"

#include <stdlib.h>

#include "jbw/agent.h"
#include "jbw/fetch.h"
#include "jbw/place.h"
#include "support/random.h"

enum { WORLDS = 300, STEPS = 12 };

static jbw_model *hasty_model(void)
{
    jbw_config config = batch_config();
    config.mh_iterations = 20;
    return model_of(&config);
}

// every third world has two agents
static int agents_of(size_t world)
{
    return world % 3 == 0 ? 2 : 1;
}

static jbw_batch *open_many(const jbw_model *model, int threads)
{
    static jbw_batch_world worlds[WORLDS];
    for (size_t i = 0; i < WORLDS; i++)
        worlds[i] = (jbw_batch_world){.model = model, .seed = i, .agent_count = agents_of(i)};
    jbw_batch *batch;
    assert_int_equal(jbw_batch_create(worlds, WORLDS, threads, NULL, &batch, NULL), JBW_OK);
    return batch;
}

// the same life, one world after the other
static uint64_t live_alone(const jbw_model *model, size_t index, const int32_t *actions,
                           size_t row_count)
{
    jbw_world *world = world_of(model, index);
    jbw_agent_id agents[2];
    const size_t count = (size_t)agents_of(index);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(jbw_world_add_agent(world, NULL, &agents[i]), JBW_OK);
    for (int step = 0; step < STEPS; step++, actions += row_count)
        for (size_t i = 0; i < count; i++)
            assert_int_equal(jbw_agent_act(world, agents[i], actions[i], NULL), JBW_OK);
    const uint64_t hash = jbw_world_hash(world);
    jbw_world_destroy(world);
    return hash;
}

static void test_many_worlds(void **state)
{
    (void)state;
    jbw_model *model = hasty_model();
    jbw_batch *batches[2] = {open_many(model, 1), open_many(model, 2)};
    const size_t rows = jbw_batch_agent_count(batches[0]);
    int32_t *actions = calloc(rows * STEPS, sizeof *actions);
    size_t all[WORLDS];
    assert_non_null(actions);
    uint64_t random = 3;
    for (size_t i = 0; i < rows * STEPS; i++) actions[i] = batch_draw_action(&random);
    for (size_t i = 0; i < WORLDS; i++) all[i] = i;
    for (size_t step = 0; step < STEPS; step++) {
        assert_int_equal(jbw_batch_step(batches[0], actions + step * rows), JBW_OK);
        // the other one steps in both ways
        if (step % 2 == 0) {
            assert_int_equal(jbw_batch_step(batches[1], actions + step * rows), JBW_OK);
            continue;
        }
        size_t received[WORLDS];
        size_t count;
        assert_int_equal(jbw_batch_send(batches[1], all, WORLDS, actions + step * rows), JBW_OK);
        assert_int_equal(jbw_batch_receive(batches[1], WORLDS, received, WORLDS, &count), JBW_OK);
        assert_int_equal(count, WORLDS);
    }
    for (size_t i = 0, row = 0; i < WORLDS; i++) {
        const uint64_t expected = live_alone(model, i, actions + row, rows);
        for (int k = 0; k < 2; k++)
            assert_int_equal(jbw_world_hash(jbw_batch_get_world(batches[k], i)), expected);
        row += (size_t)agents_of(i);
    }
    for (int k = 0; k < 2; k++) jbw_batch_destroy(batches[k]);
    free(actions);
    jbw_model_destroy(model);
}

static void test_fetching_changes_nothing(void **state)
{
    (void)state;
    jbw_model *model = hasty_model();
    jbw_world *world = world_of(model, 1);
    const size_t size = jbw_world_size(model);
    float vision[VISION];
    float scent[SCENTS];
    for (int agents = 0; agents < 7; agents++) {
        const uint64_t hash = jbw_world_hash(world);
        for (int stage = -1; stage <= JBW_FETCH_STAGES; stage++)
            jbw_world_fetch(world, size, stage);
        assert_int_equal(jbw_world_hash(world), hash);
        jbw_agent_id agent;
        assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
        if (agents % 2 == 0)
            assert_int_equal(jbw_agent_perceive(world, agent, vision, scent), JBW_OK);
        if (agents == 3) assert_int_equal(jbw_world_remove_agent(world, agent), JBW_OK);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_worlds),
        cmocka_unit_test(test_fetching_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
