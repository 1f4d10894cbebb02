// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches give the same results as stepping each world by hand, with any number of threads, in any
/// order and with any of the buffers.
#include "support/batch_scene.h"

#include <string.h>

#include "jbw/state.h"
#include "support/random.h"

// ---- by hand ----

typedef struct by_hand {
    jbw_world *worlds[MAX_WORLDS];
    jbw_agent_id agents[MAX_ROWS];
} by_hand;

// each part by the function that is about it alone
static void write_by_hand(const batch_scene *s, by_hand *h, size_t world, batch_rows *out)
{
    jbw_world *w = h->worlds[world];
    for (int k = 0; k < s->worlds[world].agent_count; k++) {
        const size_t row = s->first_rows[world] + (size_t)k;
        const jbw_agent_id id = h->agents[row];
        uint8_t *items = out->items + row * SIDE * SIDE;
        float *item_vision = out->item_vision + row * SIDE * SIDE * TYPES;
        jbw_agent_result result;
        assert_int_equal(jbw_agent_get_result(w, id, &result), JBW_OK);
        jbw_agent_perceive(w, id, out->vision + row * VISION, out->scent + row * SCENTS);
        const jbw_reward *reward = s->worlds[world].reward;
        out->reward[row] = reward ? jbw_agent_reward(w, id, reward) : 0.0;
        out->moved[row] = result.time > 0 && result.moved;
        out->collected[row] = result.time > 0 ? result.collected : -1;
        jbw_agent_state agent;
        jbw_agent_get_state(w, id, &agent);
        out->position[2 * row] = agent.position.x;
        out->position[2 * row + 1] = agent.position.y;
        out->start[2 * row] = agent.start.x;
        out->start[2 * row + 1] = agent.start.y;
        out->direction[row] = (uint8_t)agent.direction;
        out->time[row] = jbw_world_time(w);
        const uint64_t *inventory = jbw_agent_inventory(w, id);
        memcpy(out->inventory + row * TYPES, inventory, TYPES * sizeof *inventory);
        jbw_agent_see_items(w, id, items);
        jbw_agent_see_fractions(w, id, out->seen + row * SIDE * SIDE);
        for (size_t i = 0; i < SIDE * SIDE * TYPES; i++)
            item_vision[i] = items[i / TYPES] == i % TYPES + 1 ? 1.0f : 0.0f;
    }
}

static void begin_by_hand(const batch_scene *s, by_hand *h, size_t world, uint64_t seed,
                          batch_rows *out)
{
    jbw_world_destroy(h->worlds[world]);
    assert_int_equal(jbw_world_create(s->model, seed, &h->worlds[world]), JBW_OK);
    for (int k = 0; k < s->worlds[world].agent_count; k++)
        assert_int_equal(jbw_world_add_agent(h->worlds[world], NULL,
                                             &h->agents[s->first_rows[world] + (size_t)k]),
                         JBW_OK);
    write_by_hand(s, h, world, out);
}

static void step_by_hand(const batch_scene *s, by_hand *h, size_t world, const int32_t *asked,
                         batch_rows *out)
{
    // one by one instead of together: the result must be the same
    bool has_stepped = false;
    for (int k = 0; k < s->worlds[world].agent_count; k++)
        assert_int_equal(jbw_agent_act(h->worlds[world],
                                       h->agents[s->first_rows[world] + (size_t)k], asked[k],
                                       &has_stepped),
                         JBW_OK);
    assert_true(has_stepped);
    write_by_hand(s, h, world, out);
}

static void test_same_as_by_hand(void **state)
{
    (void)state;
    static batch_rows together;
    static batch_rows alone;
    batch_scene s = batch_scene_open(10);
    by_hand h = {0};
    uint64_t random = 5;
    size_t collected = 0;
    const jbw_batch_buffers buffers = batch_buffers_of(&together);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    for (size_t i = 0; i < s.world_count; i++) begin_by_hand(&s, &h, i, s.worlds[i].seed, &alone);
    assert_rows_equal(&together, &alone, s.row_count);
    assert_int_equal(together.collected[0], -1);

    for (int step = 0; step < 300; step++) {
        // now and then a world is reset
        if (step % 20 == 10) {
            const size_t world = random_below(&random, (uint32_t)s.world_count);
            const uint64_t seed = random_next(&random);
            assert_int_equal(jbw_batch_reset(batch, world, seed), JBW_OK);
            begin_by_hand(&s, &h, world, seed, &alone);
            assert_rows_equal(&together, &alone, s.row_count);
        }
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s.row_count; i++) asked[i] = batch_draw_action(&random);
        assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
        for (size_t i = 0; i < s.world_count; i++)
            step_by_hand(&s, &h, i, asked + s.first_rows[i], &alone);
        assert_rows_equal(&together, &alone, s.row_count);
        for (size_t i = 0; i < s.row_count; i++) collected += together.collected[i] == 0;
    }
    assert_true(collected > 50); // there was something to see
    for (size_t i = 0; i < s.world_count; i++) {
        assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)),
                         jbw_world_hash(h.worlds[i]));
        jbw_world_destroy(h.worlds[i]);
    }
    for (size_t i = 0; i < s.row_count; i++) {
        const jbw_agent_id agent = jbw_batch_agent(batch, i);
        assert_memory_equal(&agent, &h.agents[i], sizeof agent);
    }
    assert_int_equal(jbw_batch_agent(batch, s.row_count).index1, 0);
    assert_null(jbw_batch_get_world(batch, s.world_count));
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

// ---- threads and orders ----

// an action depends only on the row and the step, not on the order of worlds
static int32_t action_at(size_t row, int step)
{
    uint64_t random = row * 1000 + (uint64_t)step;
    return batch_draw_action(&random);
}

enum { STEPS = 60 };

static uint64_t run_together(const batch_scene *s, int threads, batch_rows *out)
{
    const jbw_batch_buffers buffers = batch_buffers_of(out);
    jbw_batch *batch = batch_open(s, threads, &buffers);
    for (int step = 0; step < STEPS; step++) {
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s->row_count; i++) asked[i] = action_at(i, step);
        assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    }
    const uint64_t hash = batch_hash(batch);
    jbw_batch_destroy(batch);
    return hash;
}

// sends worlds in random groups as they come back, until each has taken all its steps
static uint64_t run_separately(const batch_scene *s, int threads, uint64_t random, batch_rows *out)
{
    const jbw_batch_buffers buffers = batch_buffers_of(out);
    jbw_batch *batch = batch_open(s, threads, &buffers);
    int steps[MAX_WORLDS] = {0};
    size_t idle[MAX_WORLDS];
    size_t idle_count = s->world_count;
    size_t away_count = 0;
    for (size_t i = 0; i < s->world_count; i++) idle[i] = i;
    while (idle_count + away_count > 0) {
        size_t sent[MAX_WORLDS];
        int32_t asked[MAX_ROWS];
        size_t sent_count = 0;
        size_t row_count = 0;
        for (size_t n = idle_count ? random_below(&random, (uint32_t)idle_count + 1) : 0; n > 0;
             n--) {
            const size_t place = random_below(&random, (uint32_t)idle_count);
            const size_t world = idle[place];
            idle[place] = idle[--idle_count];
            for (int k = 0; k < s->worlds[world].agent_count; k++)
                asked[row_count++] = action_at(s->first_rows[world] + (size_t)k, steps[world]);
            sent[sent_count++] = world;
        }
        assert_int_equal(jbw_batch_send(batch, sent, sent_count, asked), JBW_OK);
        memset(sent, 0xEE, sizeof sent); // both were copied
        memset(asked, 0xEE, sizeof asked);
        away_count += sent_count;

        size_t back[MAX_WORLDS];
        size_t back_count;
        const size_t capacity = 1 + random_below(&random, (uint32_t)MAX_WORLDS);
        const size_t wanted = random_below(&random, (uint32_t)capacity + 1);
        assert_int_equal(jbw_batch_receive(batch, wanted, back, capacity, &back_count), JBW_OK);
        assert_true(back_count <= capacity);
        assert_true(back_count >= (wanted < away_count ? wanted : away_count));
        away_count -= back_count;
        for (size_t i = 0; i < back_count; i++) {
            assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, back[i])), ++steps[back[i]]);
            if (steps[back[i]] < STEPS) idle[idle_count++] = back[i];
        }
    }
    const uint64_t hash = batch_hash(batch);
    jbw_batch_destroy(batch);
    return hash;
}

static void test_any_thread_count(void **state)
{
    (void)state;
    static batch_rows first;
    static batch_rows other;
    static const int threads[] = {2, 3, 8, 0};
    batch_scene s = batch_scene_open(MAX_WORLDS);
    const uint64_t hash = run_together(&s, 1, &first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        assert_int_equal(run_together(&s, threads[i], &other), hash);
        assert_rows_equal(&first, &other, s.row_count);
    }
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(run_separately(&s, i < 4 ? 1 + (int)i : 8, i, &other), hash);
        assert_rows_equal(&first, &other, s.row_count);
    }
    batch_scene_close(&s);
}

static void test_mixed_stepping(void **state)
{
    (void)state;
    // stepping worlds one by one and all together can be mixed
    static batch_rows out;
    batch_scene s = batch_scene_open(12);
    const jbw_batch_buffers buffers = batch_buffers_of(&out);
    for (int threads = 1; threads <= 3; threads++) {
        jbw_batch *batch = batch_open(&s, threads, &buffers);
        for (int round = 0; round < 20; round++) {
            const int32_t asked[MAX_ROWS] = {0};
            size_t worlds[12];
            size_t count = 0;
            for (size_t i = 0; i < 12; i++) worlds[i] = 11 - i;
            assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
            assert_int_equal(jbw_batch_send(batch, worlds, 12, asked), JBW_OK);
            assert_int_equal(jbw_batch_receive(batch, 12, worlds, 12, &count), JBW_OK);
            assert_int_equal(count, 12);
            // each once
            size_t sum = 0;
            for (size_t i = 0; i < 12; i++) sum += (size_t)1 << worlds[i];
            assert_int_equal(sum, 4095);
            assert_int_equal(jbw_batch_receive(batch, 12, worlds, 12, &count), JBW_OK);
            assert_int_equal(count, 0);
        }
        assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 5)), 40);
        jbw_batch_destroy(batch);
    }
    batch_scene_close(&s);
}

static void test_set_world(void **state)
{
    (void)state;
    // a copy of a world continues in another batch as the original does
    static batch_rows here;
    static batch_rows there;
    batch_scene s = batch_scene_open(3);
    const jbw_batch_buffers buffers = batch_buffers_of(&here);
    const jbw_batch_buffers others = batch_buffers_of(&there);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    for (size_t i = 0; i < 3; i++) s.worlds[i].seed += 50;
    jbw_batch *other = batch_open(&s, 2, &others);
    for (int step = 0; step < 80; step++) {
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s.row_count; i++) asked[i] = action_at(i, step);
        assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
        if (step > 40) {
            assert_int_equal(jbw_batch_step(other, asked), JBW_OK);
            assert_rows_equal(&here, &there, s.row_count);
        }
        for (size_t i = 0; step == 40 && i < 3; i++) {
            jbw_world *copy;
            assert_int_equal(jbw_world_clone(jbw_batch_get_world(batch, i), &copy), JBW_OK);
            // the other worlds have other numbers of agents
            assert_int_equal(jbw_batch_set_world(other, (i + 1) % 3, copy), JBW_INVALID_ARGUMENT);
            assert_int_equal(jbw_batch_set_world(other, i, copy), JBW_OK);
        }
        if (step == 40) assert_rows_equal(&here, &there, s.row_count);
    }
    assert_int_equal(batch_hash(batch), batch_hash(other));
    jbw_world *own = jbw_batch_get_world(other, 0);
    assert_int_equal(jbw_batch_set_world(other, 0, own), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_set_world(other, 3, own), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_set_world(other, 0, NULL), JBW_INVALID_ARGUMENT);
    jbw_batch_destroy(other);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

static void test_destroy_while_stepping(void **state)
{
    (void)state;
    static batch_rows out;
    batch_scene s = batch_scene_open(MAX_WORLDS);
    size_t worlds[MAX_WORLDS];
    const int32_t asked[MAX_ROWS] = {0};
    for (size_t i = 0; i < MAX_WORLDS; i++) worlds[i] = i;
    for (int threads = 1; threads <= 3; threads++) {
        const jbw_batch_buffers buffers = batch_buffers_of(&out);
        jbw_batch *batch = batch_open(&s, threads, &buffers);
        assert_int_equal(jbw_batch_send(batch, worlds, MAX_WORLDS, asked), JBW_OK);
        jbw_batch_destroy(batch);
    }
    jbw_batch_destroy(NULL);
    batch_scene_close(&s);
}

static void test_without_buffers(void **state)
{
    (void)state;
    static batch_rows first;
    batch_scene s = batch_scene_open(6);
    const uint64_t hash = run_together(&s, 2, &first);
    // none at all, each part alone, and the reward alone
    for (int which = -1; which <= JBW_PART_COUNT; which++) {
        static batch_rows other;
        static batch_rows expected;
        const jbw_batch_buffers all = batch_buffers_of(&other);
        jbw_batch_buffers one = {0};
        expected = other;
        if (which == JBW_PART_COUNT) {
            one.reward = all.reward;
            memcpy(expected.reward, first.reward, s.row_count * sizeof *first.reward);
        } else if (which >= 0) {
            const size_t size = jbw_model_part(s.model, (jbw_part)which).size;
            uint8_t *at = jbw_observation_get(&all.parts, (jbw_part)which);
            if (!at) continue; // the scene has no such rows
            const size_t offset = (size_t)(at - (uint8_t *)&other);
            jbw_observation_set(&one.parts, (jbw_part)which, at);
            memcpy((uint8_t *)&expected + offset, (uint8_t *)&first + offset, s.row_count * size);
        }
        jbw_batch *batch = batch_open(&s, 2, which < 0 ? NULL : &one);
        for (int step = 0; step < STEPS; step++) {
            int32_t asked[MAX_ROWS];
            for (size_t i = 0; i < s.row_count; i++) asked[i] = action_at(i, step);
            assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
        }
        assert_int_equal(batch_hash(batch), hash);
        assert_memory_equal(&other, &expected, sizeof other);
        jbw_batch_destroy(batch);
    }
    batch_scene_close(&s);
}

static void test_observe(void **state)
{
    (void)state;
    static batch_rows written;
    static batch_rows observed;
    batch_scene s = batch_scene_open(6);
    const jbw_batch_buffers buffers = batch_buffers_of(&written);
    const jbw_batch_buffers others = batch_buffers_of(&observed);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    const int32_t asked[MAX_ROWS] = {0};
    for (int step = 0; step < 20; step++) assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    assert_int_equal(jbw_batch_observe(batch, &others.parts), JBW_OK);
    memcpy(observed.reward, written.reward, sizeof observed.reward);
    assert_rows_equal(&observed, &written, s.row_count);

    // a world that is away has no rows to be observed
    const size_t away = 3;
    size_t back;
    size_t count;
    assert_int_equal(jbw_batch_send(batch, &away, 1, asked), JBW_OK);
    assert_int_equal(jbw_batch_observe(batch, &others.parts), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_receive(batch, 1, &back, 1, &count), JBW_OK);
    assert_int_equal(jbw_batch_observe(batch, &others.parts), JBW_OK);
    assert_int_equal(jbw_batch_observe(batch, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_observe(NULL, &others.parts), JBW_INVALID_ARGUMENT);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

// results go elsewhere, and the batch's own buffers stay as they were
static void test_step_into(void **state)
{
    (void)state;
    static batch_rows own;
    static batch_rows kept;
    static batch_rows elsewhere;
    static batch_rows expected;
    batch_scene s = batch_scene_open(5);
    const jbw_batch_buffers buffers = batch_buffers_of(&own);
    const jbw_batch_buffers others = batch_buffers_of(&elsewhere);
    const jbw_batch_buffers twins = batch_buffers_of(&expected);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    jbw_batch *twin = batch_open(&s, 1, &twins);
    uint64_t random = 9;
    for (int step = 0; step < 60; step++) {
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s.row_count; i++) asked[i] = batch_draw_action(&random);
        assert_int_equal(jbw_batch_step(twin, asked), JBW_OK);
        if (step % 3 == 2) {
            assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
            assert_rows_equal(&own, &expected, s.row_count);
            continue;
        }
        memcpy(&kept, &own, sizeof own);
        assert_int_equal(jbw_batch_step_into(batch, asked, &others), JBW_OK);
        assert_rows_equal(&elsewhere, &expected, s.row_count);
        assert_memory_equal(&own, &kept, sizeof own);
    }
    jbw_batch_destroy(batch);

    // a part that the batch does not have, actions that do not exist, nothing at all
    const jbw_batch_buffers few = {.reward = own.reward};
    const int32_t wrong[MAX_ROWS] = {99};
    const int32_t right[MAX_ROWS] = {0};
    batch = batch_open(&s, 1, &few);
    assert_int_equal(jbw_batch_step_into(batch, right, &others), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_step_into(batch, wrong, &few), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_step_into(batch, right, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_step_into(NULL, right, &few), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_step_into(batch, right, &few), JBW_OK);
    jbw_batch_destroy(batch);
    jbw_batch_destroy(twin);
    batch_scene_close(&s);
}

// the agents of a world have the bodies that were asked for, also after a reset
static void test_bodies(void **state)
{
    (void)state;
    static const jbw_body bodies[] = {{.name = "Scout"}, {.name = "Mole"}};
    static const int chosen[] = {2, 0, 1};
    static const int wrong[] = {0, 3, 0};
    jbw_config config = batch_config();
    config.bodies = bodies;
    config.body_count = 2;
    jbw_model *model = model_of(&config);
    uint8_t found[3];
    const jbw_batch_buffers buffers = {.parts = {.body = found}};
    jbw_batch_world world = {.model = model, .seed = 3, .agent_count = 3, .bodies = chosen};
    jbw_batch *batch;
    jbw_error error = {0};
    assert_int_equal(jbw_batch_create(&world, 1, 1, &buffers, &batch, &error), JBW_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(found[i], chosen[i]);
    memset(found, 9, sizeof found);
    assert_int_equal(jbw_batch_reset(batch, 0, 8), JBW_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(found[i], chosen[i]);
    jbw_batch_destroy(batch);
    world.bodies = wrong;
    assert_int_equal(jbw_batch_create(&world, 1, 1, NULL, &batch, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, "world 0 has no body 3");

    // rows and bodies must mean the same in all worlds
    config.body_count = 1;
    jbw_model *other = model_of(&config);
    const jbw_batch_world both[] = {{.model = model, .agent_count = 1},
                                    {.model = other, .agent_count = 1}};
    assert_int_equal(jbw_batch_create(both, 2, 1, NULL, &batch, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, "world 1 differs from world 0 in its bodies");
    jbw_model_destroy(other);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_hand), cmocka_unit_test(test_any_thread_count),
        cmocka_unit_test(test_mixed_stepping),  cmocka_unit_test(test_destroy_while_stepping),
        cmocka_unit_test(test_without_buffers), cmocka_unit_test(test_set_world),
        cmocka_unit_test(test_observe),         cmocka_unit_test(test_step_into),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
