// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the worlds of a batch lie in memory: side by side, never two in one place, however often they
/// are replaced. Worlds do not depend on it.
#include "support/batch_scene.h"

#include <stdlib.h>

#include "jbw/agent.h"
#include "jbw/place.h"
#include "jbw/state.h"
#include "support/allocations.h"
#include "support/random.h"

enum { WORLDS = 12 };

static uintptr_t address_of(jbw_batch *batch, size_t index)
{
    return (uintptr_t)jbw_batch_get_world(batch, index);
}

static void assert_apart(jbw_batch *batch, size_t size)
{
    for (size_t i = 0; i < WORLDS; i++)
        for (size_t k = 0; k < i; k++) {
            const uintptr_t a = address_of(batch, i);
            const uintptr_t b = address_of(batch, k);
            assert_true(a >= b + size || b >= a + size);
        }
}

static void test_side_by_side(void **state)
{
    (void)state;
    batch_scene s = batch_scene_open(WORLDS);
    jbw_batch *batch = batch_open(&s, 1, NULL);
    const size_t size = jbw_world_size(s.model);
    for (size_t i = 1; i < WORLDS; i++) {
        const uintptr_t step = address_of(batch, i) - address_of(batch, i - 1);
        assert_true(step >= size && step < size + 64);
    }
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

// worlds are replaced by new ones and by ones from elsewhere, and each has the life of its own
static void test_worlds_that_are_replaced(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = batch_config();
    config.allocator = counting_allocator_make(&counting);
    batch_scene s = batch_scene_open_with(&config, WORLDS);
    const jbw_model *model = s.model;
    jbw_batch *batch = batch_open(&s, 1, NULL);
    const uintptr_t first = address_of(batch, 0);
    uint64_t random = 9;
    for (int turn = 0; turn < 60; turn++) {
        const size_t i = (size_t)random_below(&random, WORLDS);
        if (turn % 3 != 0) {
            if (turn % 3 == 2) fail_allocations(&counting, 1, 1);
            const jbw_status status = jbw_batch_reset(batch, i, (uint64_t)turn);
            assert_int_equal(status, turn % 3 == 2 ? JBW_OUT_OF_MEMORY : JBW_OK);
        } else {
            jbw_world *copy;
            const size_t other = (i + 3) % WORLDS; // has as many agents
            assert_int_equal(jbw_world_clone(jbw_batch_get_world(batch, other), &copy), JBW_OK);
            const uint64_t hash = jbw_world_hash(copy);
            assert_int_equal(jbw_batch_set_world(batch, i, copy), JBW_OK);
            assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)), hash);
        }
        assert_apart(batch, jbw_world_size(model));
        int32_t actions[MAX_ROWS];
        for (size_t row = 0; row < s.row_count; row++) actions[row] = batch_draw_action(&random);
        assert_int_equal(jbw_batch_step(batch, actions), JBW_OK);
    }
    // all back where they were made, and none of them elsewhere
    for (size_t i = 0; i < WORLDS; i++) {
        assert_int_equal(jbw_batch_reset(batch, i, i), JBW_OK);
        jbw_world *alone = world_of(model, i);
        for (int k = 0; k < s.worlds[i].agent_count; k++)
            assert_int_equal(jbw_world_add_agent(alone, NULL, &(jbw_agent_id){0}), JBW_OK);
        assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)), jbw_world_hash(alone));
        jbw_world_destroy(alone);
        const uintptr_t at = address_of(batch, i);
        assert_true(at >= first && at < first + (WORLDS + 1) * (jbw_world_size(model) + 64));
    }
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
    assert_int_equal(counting.block_count, 0);
}

// one world in memory of ours lives as one that is made as usual, twice in the same place
static void test_a_place_of_our_own(void **state)
{
    (void)state;
    jbw_config config = batch_config();
    jbw_model *model = model_of(&config);
    void *place = malloc(jbw_world_size(model));
    assert_non_null(place);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        jbw_world *worlds[2];
        assert_int_equal(jbw_world_create_at(model, seed, place, &worlds[0]), JBW_OK);
        assert_ptr_equal(worlds[0], place);
        assert_null(jbw_world_map_place(worlds[0]));
        worlds[1] = world_of(model, seed);
        uint64_t random = seed;
        for (int agents = 1; agents <= 6; agents++) {
            jbw_agent_id ids[2];
            for (int k = 0; k < 2; k++)
                assert_int_equal(jbw_world_add_agent(worlds[k], NULL, &ids[k]), JBW_OK);
            for (int step = 0; step < 20; step++) {
                const int action = batch_draw_action(&random);
                for (int k = 0; k < 2; k++) {
                    assert_int_equal(jbw_agent_act(worlds[k], ids[k], action, NULL), JBW_OK);
                    assert_int_equal(jbw_world_step(worlds[k]), JBW_OK);
                }
                assert_int_equal(jbw_world_hash(worlds[0]), jbw_world_hash(worlds[1]));
            }
        }
        assert_non_null(jbw_world_map_place(worlds[0]));
        for (int k = 0; k < 2; k++) jbw_world_destroy(worlds[k]);
        for (size_t i = 0; i < jbw_world_size(model); i++) ((char *)place)[i] = 7; // ours again
    }
    free(place);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_worlds_that_are_replaced),
        cmocka_unit_test(test_a_place_of_our_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
