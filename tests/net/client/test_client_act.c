// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents of a client: they act and perceive exactly as in a local world, one or several at a time,
/// with or without waiting for each reply.
#include "support/served.h"

#include "support/random.h"

/// All parts that a client can observe.
typedef struct senses {
    uint64_t inventory[3];
    int64_t position[2];
    uint64_t time;
    float vision[9 * 9 * 3];
    float scent[2];
    float item_vision[9 * 9 * 3];
    float seen[9 * 9];
    int32_t collected;
    uint8_t items[9 * 9];
    uint8_t direction;
    uint8_t moved;
} senses;

static jbw_client_observation observe_into(senses *to)
{
    memset(to, 0, sizeof *to); // the bytes between fields as well
    return (jbw_client_observation){.parts = {.vision = to->vision,
                                              .scent = to->scent,
                                              .items = to->items,
                                              .item_vision = to->item_vision,
                                              .seen = to->seen,
                                              .inventory = to->inventory,
                                              .position = to->position,
                                              .direction = &to->direction,
                                              .time = &to->time,
                                              .moved = &to->moved,
                                              .collected = &to->collected}};
}

static void assert_equal_agent(jbw_world *world, jbw_agent_id id, const jbw_client_observation *o,
                               const senses *received)
{
    senses here;
    const jbw_client_observation wanted = observe_into(&here);
    jbw_agent_state state;
    jbw_agent_result result;
    assert_int_equal(jbw_agent_observe(world, id, &wanted.parts), JBW_OK);
    assert_memory_equal(&here, received, sizeof here);
    assert_int_equal(jbw_agent_get_state(world, id, &state), JBW_OK);
    assert_int_equal(jbw_agent_get_result(world, id, &result), JBW_OK);
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

static void test_same_as_a_local_world(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_world *twin = world_of(s.model, SERVED_SEED);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id id;
    jbw_agent_id twin_id;
    assert_int_equal(jbw_client_add_agent(client, NULL, &id), JBW_OK);
    assert_int_equal(jbw_world_add_agent(twin, NULL, &twin_id), JBW_OK);
    assert_memory_equal(&id, &twin_id, sizeof id);

    senses received;
    jbw_client_observation o = observe_into(&received);
    uint64_t random = 1;
    for (int i = 0; i < 300; i++) {
        const uint32_t number = random_below(&random, 6);
        const int action = number < 3 ? FORWARD : (int)number - 2;
        assert_int_equal(jbw_client_act_and_observe(client, id, action, &o), JBW_OK);
        assert_false(o.is_resumed);
        assert_int_equal(jbw_agent_act(twin, id, action, NULL), JBW_OK);
        assert_equal_agent(twin, id, &o, &received);
    }
    uint64_t time;
    uint64_t hash;
    assert_int_equal(jbw_client_get_hash(client, &time, &hash), JBW_OK);
    assert_true(time == 300 && hash == jbw_world_hash(twin));

    // a part that no message has
    int64_t start[2] = {7, 7};
    jbw_client_observation unknown = {.parts = {.start = start}};
    assert_int_equal(jbw_client_observe(client, id, &unknown), JBW_UNSUPPORTED);
    assert_string_equal(jbw_client_error(client)->text, "servers do not send the part \"start\"");
    assert_true(start[0] == 7 && start[1] == 7);

    // the same, by separate requests
    senses again = {0};
    jbw_agent_state known;
    jbw_agent_state known_here;
    assert_int_equal(jbw_client_perceive(client, id, again.vision, again.scent), JBW_OK);
    assert_int_equal(jbw_client_get_inventory(client, id, again.inventory), JBW_OK);
    assert_memory_equal(again.vision, received.vision, sizeof received.vision);
    assert_memory_equal(again.scent, received.scent, sizeof received.scent);
    assert_memory_equal(again.inventory, received.inventory, sizeof received.inventory);
    assert_int_equal(jbw_client_get_state(client, id, &known), JBW_OK);
    assert_int_equal(jbw_agent_get_state(twin, id, &known_here), JBW_OK);
    assert_memory_equal(&known.start, &known_here.start, sizeof known.start);
    assert_memory_equal(&known.position, &known_here.position, sizeof known.position);
    jbw_client_close(client);
    jbw_world_destroy(twin);
    served_close(&s);
}

// ---- several agents and actions ----

static void test_last_action_waits_for_the_step(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id ids[3];
    bool stepped;
    for (int i = 0; i < 3; i++) ids[i] = served_add_agent(client);
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
    assert_contains(jbw_client_error(client)->text, "active");

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

// one step per action, with the same result as one request at a time
static void test_actions_in_advance(void **state)
{
    (void)state;
    enum { STEPS = 20, OTHERS = 3 };
    served s;
    served_open(&s, NULL);
    jbw_client *clients[OTHERS];
    jbw_agent_id ids[OTHERS];
    int actions[STEPS];
    senses received[STEPS];
    jbw_client_observation o[OTHERS][STEPS];
    uint32_t tickets[OTHERS][STEPS];
    for (int k = 0; k < STEPS; k++) actions[k] = k % 3;
    for (int i = 0; i < OTHERS; i++) {
        clients[i] = served_connect(&s, SERVED_ALL);
        ids[i] = served_add_agent(clients[i]);
    }
    for (int i = 0; i < OTHERS; i++) {
        for (int k = 0; k < STEPS; k++)
            o[i][k] = i == 0 ? observe_into(&received[k]) : (jbw_client_observation){0};
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
    senses last;
    jbw_client_observation now = observe_into(&last);
    assert_int_equal(jbw_client_observe(clients[0], ids[0], &now), JBW_OK);
    assert_int_equal(now.time, STEPS);
    assert_memory_equal(&last, &received[STEPS - 1], sizeof last);
    for (int i = 0; i < OTHERS; i++) jbw_client_close(clients[i]);
    served_close(&s);
}

static void test_replies_in_any_order(void **state)
{
    (void)state;
    enum { AGENTS = 8 };
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    jbw_agent_id ids[AGENTS];
    senses received[AGENTS] = {0};
    jbw_client_observation o[AGENTS];
    uint32_t tickets[AGENTS];
    for (int i = 0; i < AGENTS; i++) ids[i] = served_add_agent(client);
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < AGENTS; i++) {
            o[i] = observe_into(&received[i]);
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

    // and all together, in one message
    const int actions[AGENTS] = {0};
    assert_int_equal(jbw_client_act_together(client, ids, actions, AGENTS, o), JBW_OK);
    for (int i = 0; i < AGENTS; i++) {
        senses single = {0};
        jbw_client_observation one = observe_into(&single);
        assert_int_equal(jbw_client_observe(client, ids[i], &one), JBW_OK);
        assert_memory_equal(&single, &received[i], sizeof single);
    }
    uint32_t forgotten;
    assert_int_equal(jbw_client_post_observe(client, ids[0], &o[0], &forgotten), JBW_OK);
    jbw_client_close(client);
    served_close(&s);
}

static void test_turn_timeout(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *idle = served_connect(&s, SERVED_ACT);
    const jbw_client_options options = {.token = SERVED_ALL, .turn_timeout = 0.2};
    jbw_client *client = served_connect_with(&s, &options);
    const jbw_agent_id ids[] = {served_add_agent(idle), served_add_agent(client)};
    jbw_client_observation o = {0};
    assert_int_equal(jbw_client_act_and_observe(client, ids[1], FORWARD, &o), JBW_TIMED_OUT);
    bool stepped;
    assert_int_equal(jbw_client_act(idle, ids[0], FORWARD, &stepped), JBW_OK);
    assert_true(stepped);
    // the late reply is dropped, and the connection stays usable
    uint64_t time;
    assert_int_equal(jbw_client_get_time(client, &time), JBW_OK);
    assert_true(time == 1);
    jbw_client_close(client);
    jbw_client_close(idle);
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_local_world),
        cmocka_unit_test(test_last_action_waits_for_the_step),
        cmocka_unit_test(test_actions_in_advance),
        cmocka_unit_test(test_replies_in_any_order),
        cmocka_unit_test(test_turn_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
