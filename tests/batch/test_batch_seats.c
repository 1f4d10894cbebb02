// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents of a batch leave and join: the same as in worlds that are stepped by hand.
#include "support/batch_scene.h"

#include <string.h>

#include "support/random.h"

enum { WORLDS = 9, STEPS = 400 };

// the same worlds without a batch; a row without an agent has the id 0
typedef struct by_hand {
    jbw_world *worlds[WORLDS];
    jbw_agent_id agents[MAX_ROWS];
} by_hand;

static void begin(const batch_scene *s, by_hand *h, size_t world)
{
    jbw_world_destroy(h->worlds[world]);
    assert_int_equal(jbw_world_create(s->model, s->worlds[world].seed, &h->worlds[world]), JBW_OK);
    for (int k = 0; k < s->worlds[world].agent_count; k++)
        assert_int_equal(jbw_world_add_agent(h->worlds[world], NULL,
                                             &h->agents[s->first_rows[world] + (size_t)k]),
                         JBW_OK);
}

static bool is_empty(const by_hand *h, size_t row)
{
    return h->agents[row].index1 == 0;
}

// agents act in the order in which they were added
static void step(const batch_scene *s, by_hand *h, size_t world, const int32_t *actions)
{
    jbw_world *w = h->worlds[world];
    const uint64_t time = jbw_world_time(w);
    jbw_agent_id order[MAX_ROWS];
    const size_t count = jbw_world_agents(w, order, MAX_ROWS);
    for (size_t i = 0; i < count; i++) {
        size_t row = s->first_rows[world];
        while (memcmp(&h->agents[row], &order[i], sizeof order[i]) != 0) row++;
        assert_int_equal(jbw_agent_act(w, order[i], actions[row], NULL), JBW_OK);
    }
    if (jbw_world_time(w) == time) assert_int_equal(jbw_world_step(w), JBW_OK);
}

static void compare(const batch_scene *s, const by_hand *h, jbw_batch *batch,
                    const batch_rows *rows)
{
    static const float black[VISION];
    for (size_t i = 0; i < WORLDS; i++) {
        assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)),
                         jbw_world_hash(h->worlds[i]));
        for (int k = 0; k < s->worlds[i].agent_count; k++) {
            const size_t row = s->first_rows[i] + (size_t)k;
            float vision[VISION];
            float scent[SCENTS];
            const float *seen = rows->vision + row * VISION;
            if (is_empty(h, row)) {
                assert_memory_equal(seen, black, sizeof black);
                assert_true(rows->reward[row] == 0 && rows->collected[row] == -1);
                assert_true(rows->time[row] == 0 && rows->inventory[row * TYPES] == 0);
                assert_int_equal(jbw_batch_agent(batch, row).index1, 0);
                continue;
            }
            jbw_agent_perceive(h->worlds[i], h->agents[row], vision, scent);
            assert_memory_equal(seen, vision, sizeof vision);
            assert_memory_equal(rows->scent + row * SCENTS, scent, sizeof scent);
            const jbw_reward *reward = s->worlds[i].reward;
            assert_true(rows->reward[row] ==
                        (reward ? jbw_agent_reward(h->worlds[i], h->agents[row], reward) : 0));
            assert_int_equal(rows->time[row], jbw_world_time(h->worlds[i]));
        }
    }
}

static size_t world_of_row(const batch_scene *s, size_t row)
{
    size_t world = 0;
    while (world + 1 < WORLDS && s->first_rows[world + 1] <= row) world++;
    return world;
}

static void test_leave_and_join(void **state)
{
    (void)state;
    static batch_rows rows;
    batch_scene s = batch_scene_open(WORLDS);
    by_hand h = {0};
    const jbw_batch_buffers buffers = batch_buffers_of(&rows);
    jbw_batch *batch = batch_open(&s, 2, &buffers);
    for (size_t i = 0; i < WORLDS; i++) begin(&s, &h, i);
    uint64_t random = 8;
    int left = 0;
    int joined = 0;
    for (int t = 0; t < STEPS; t++) {
        int32_t actions[MAX_ROWS];
        for (size_t row = 0; row < s.row_count; row++) actions[row] = batch_draw_action(&random);
        const size_t row = random_below(&random, (uint32_t)s.row_count);
        const size_t world = world_of_row(&s, row);
        if (is_empty(&h, row)) {
            const jbw_agent_options options = {.direction = JBW_LEFT};
            assert_int_equal(jbw_batch_leave(batch, row), JBW_NO_SUCH_AGENT);
            assert_int_equal(jbw_batch_join(batch, row, &options), JBW_OK);
            assert_int_equal(jbw_world_add_agent(h.worlds[world], &options, &h.agents[row]),
                             JBW_OK);
            joined++;
        } else {
            assert_int_equal(jbw_batch_join(batch, row, NULL), JBW_INVALID_ARGUMENT);
            assert_int_equal(jbw_batch_leave(batch, row), JBW_OK);
            assert_int_equal(jbw_world_remove_agent(h.worlds[world], h.agents[row]), JBW_OK);
            h.agents[row] = (jbw_agent_id){0};
            left++;
        }
        compare(&s, &h, batch, &rows);
        assert_int_equal(jbw_batch_step(batch, actions), JBW_OK);
        for (size_t i = 0; i < WORLDS; i++) step(&s, &h, i, actions);
        compare(&s, &h, batch, &rows);
        if (t % 9 == 8) { // a copy of a world, in which rows keep their agents
            jbw_world *copy;
            const jbw_agent_id *seats = h.agents + s.first_rows[world];
            assert_int_equal(jbw_world_clone(h.worlds[world], &copy), JBW_OK);
            assert_int_equal(jbw_batch_seat_world(batch, world, copy, seats), JBW_OK);
            compare(&s, &h, batch, &rows);
        }
        if (t % 50 == 49) { // a new world is full
            assert_int_equal(jbw_batch_reset(batch, world, s.worlds[world].seed), JBW_OK);
            begin(&s, &h, world);
            compare(&s, &h, batch, &rows);
        }
    }
    assert_true(left > STEPS / 4 && joined > STEPS / 4);
    for (size_t i = 0; i < WORLDS; i++) jbw_world_destroy(h.worlds[i]);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

// policies of empty rows rest, and one for all needs all
static void test_policies(void **state)
{
    (void)state;
    static batch_rows rows;
    batch_scene s = batch_scene_open(3);
    const jbw_batch_buffers buffers = batch_buffers_of(&rows);
    jbw_batch *batch = batch_open(&s, 1, &buffers);
    jbw_policy *policies[MAX_ROWS];
    double totals[MAX_ROWS];
    for (size_t row = 0; row < s.row_count; row++)
        assert_int_equal(jbw_policy_create("forward", s.model, NULL, &policies[row], NULL), JBW_OK);
    assert_int_equal(jbw_batch_leave(batch, 4), JBW_OK);
    assert_int_equal(jbw_batch_live(batch, policies, 20, totals), JBW_OK);
    assert_true(totals[4] == 0 && totals[3] != 0 && totals[5] != 0);
    assert_int_equal(rows.time[3], 20);
    int32_t actions[MAX_ROWS];
    assert_int_equal(jbw_batch_choose(batch, policies[0], actions), JBW_INVALID_ARGUMENT);
    for (size_t row = 0; row < s.row_count; row++) jbw_policy_destroy(policies[row]);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

static void test_misuse(void **state)
{
    (void)state;
    batch_scene s = batch_scene_open(3);
    jbw_batch *batch = batch_open(&s, 2, NULL);
    assert_int_equal(jbw_batch_leave(NULL, 0), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_leave(batch, s.row_count), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_join(batch, s.row_count, NULL), JBW_INVALID_ARGUMENT);
    const size_t world = 1;
    const int32_t actions[] = {FORWARD, FORWARD};
    assert_int_equal(jbw_batch_send(batch, &world, 1, actions), JBW_OK);
    assert_int_equal(jbw_batch_leave(batch, 1), JBW_INVALID_ARGUMENT); // its world is away
    assert_int_equal(jbw_batch_leave(batch, 0), JBW_OK);
    size_t done;
    size_t count;
    assert_int_equal(jbw_batch_receive(batch, 1, &done, 1, &count), JBW_OK);
    assert_int_equal(jbw_batch_leave(batch, 1), JBW_OK);
    // seats that do not fit: an agent twice, one that is not there, one without a seat
    jbw_world *copy;
    assert_int_equal(jbw_world_clone(jbw_batch_get_world(batch, 1), &copy), JBW_OK);
    assert_int_equal(s.worlds[1].agent_count, 2);
    const jbw_agent_id only = jbw_batch_agent(batch, 2);
    const jbw_agent_id none = {0};
    const jbw_agent_id other = {.index1 = 7};
    const jbw_agent_id wrong[][2] = {{only, only}, {none, none}, {only, other}, {other, none}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(jbw_batch_seat_world(batch, 1, copy, wrong[i]), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_seat_world(batch, 1, copy, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_seat_world(batch, 1, NULL, wrong[0]), JBW_INVALID_ARGUMENT);
    const jbw_agent_id turned[2] = {only, none};
    assert_int_equal(jbw_batch_seat_world(batch, 1, copy, turned), JBW_OK);
    assert_int_equal(jbw_batch_leave(batch, 2), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_batch_leave(batch, 1), JBW_OK);
    // a bad place leaves the row empty
    const jbw_agent_options far = {.has_position = true, .position = {INT64_MAX, 0}};
    assert_int_not_equal(jbw_batch_join(batch, 1, &far), JBW_OK);
    assert_int_equal(jbw_batch_join(batch, 1, NULL), JBW_OK);
    jbw_batch_destroy(batch);
    batch_scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leave_and_join),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests_name("batch_seats", tests, NULL, NULL);
}
