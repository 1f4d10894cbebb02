// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents that a server lets act. A world of its own, stepped by plain loops, says what they should
/// have done.
#include "support/stage.h"

#include "net/game/residents.h"

enum { RESIDENTS = 2, NO_OP = 2 };

static const char *const names[RESIDENTS] = {"random", "forward"};

static void add_residents(const stage *s, jbw_world *world, jbw_resident *out)
{
    for (int i = 0; i < RESIDENTS; i++) {
        out[i] = (jbw_resident){.policy = policy_of(names[i], s->model, NULL, 5 + (uint64_t)i)};
        assert_int_equal(jbw_world_add_agent(world, NULL, &out[i].agent), JBW_OK);
    }
}

static void free_policies(jbw_resident *residents)
{
    for (int i = 0; i < RESIDENTS; i++) jbw_policy_destroy(residents[i].policy);
}

// a stage with residents, and the same agents in a world that no game runs
typedef struct scene {
    stage s;
    jbw_resident residents[RESIDENTS];
    jbw_world *twin;
    jbw_resident twins[RESIDENTS];
} scene;

static void open_scene(scene *c, jbw_game_options options)
{
    stage_prepare(&c->s);
    c->twin = world_of(c->s.model, 7);
    add_residents(&c->s, c->s.world, c->residents);
    add_residents(&c->s, c->twin, c->twins);
    options.residents = c->residents;
    options.resident_count = RESIDENTS;
    stage_start(&c->s, &options);
}

static void close_scene(scene *c)
{
    free_policies(c->residents);
    free_policies(c->twins);
    jbw_world_destroy(c->twin);
    stage_close(&c->s);
}

// one turn of the twin, with an action of a further agent if there is one
static void step_twin(scene *c, const jbw_agent_id *other, int action)
{
    for (int i = 0; i < RESIDENTS; i++) {
        jbw_policy *policy = c->twins[i].policy;
        const jbw_observation wanted = jbw_policy_wants(policy);
        assert_int_equal(jbw_agent_observe(c->twin, c->twins[i].agent, &wanted), JBW_OK);
        const int chosen = jbw_policy_act(policy, jbw_world_time(c->twin), &wanted);
        assert_int_equal(jbw_agent_act(c->twin, c->twins[i].agent, chosen, NULL), JBW_OK);
        jbw_policy_reward(policy, 0.0);
    }
    if (other) assert_int_equal(jbw_agent_act(c->twin, *other, action, NULL), JBW_OK);
}

static void expect_twin(scene *c, uint64_t time)
{
    assert_int_equal(jbw_world_time(c->s.world), time);
    while (jbw_world_time(c->twin) < time) step_twin(c, NULL, 0);
    assert_int_equal(jbw_world_hash(c->s.world), jbw_world_hash(c->twin));
}

// ---- turns ----

static void test_live_without_clients(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){0});
    assert_int_equal(jbw_game_get_info(c.s.game).active_count, RESIDENTS);
    // a tick takes many steps but not all time, and wants to be called again at once
    assert_true(jbw_game_tick(c.s.game, c.s.now) <= c.s.now);
    const uint64_t time = jbw_world_time(c.s.world);
    assert_in_range(time, 2, 1000);
    expect_twin(&c, time);
    jbw_game_tick(c.s.game, ++c.s.now);
    expect_twin(&c, 2 * time);
    close_scene(&c);
}

static void test_keep_to_the_rate(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){.rate = 10.0});
    const uint64_t beat = 100 * STAGE_MILLISECOND;
    for (uint64_t i = 1; i <= 5; i++) {
        assert_int_equal(jbw_game_tick(c.s.game, c.s.now), c.s.now + beat);
        expect_twin(&c, i);
        assert_int_equal(jbw_game_tick(c.s.game, c.s.now + beat - 1), c.s.now + beat);
        expect_twin(&c, i);
        c.s.now += beat;
    }
    close_scene(&c);
}

static void test_pause_and_single_steps(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){.is_paused = true});
    stage_hello(&c.s, 0, "ann-secret");
    stage_wait(&c.s, 1000 * STAGE_MILLISECOND);
    assert_int_equal(jbw_game_tick(c.s.game, c.s.now), UINT64_MAX);
    expect_twin(&c, 0);
    expect_ok(stage_ask(&c.s, 0, ASK(STEP, .step.count = 3)));
    expect_twin(&c, 3);
    close_scene(&c);
}

static void test_take_turns_with_clients(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){.is_paused = true});
    stage_hello(&c.s, 0, "ann-secret");
    const jbw_agent_id ann = stage_add(&c.s, 0);
    jbw_agent_id other;
    assert_int_equal(jbw_world_add_agent(c.twin, NULL, &other), JBW_OK);
    expect_ok(stage_ask(&c.s, 0, ASK(RESUME, .request = 0)));
    for (uint64_t i = 1; i <= 20; i++) {
        // the residents have acted and wait for ann
        stage_wait(&c.s, STAGE_MILLISECOND);
        assert_int_equal(jbw_game_tick(c.s.game, c.s.now), UINT64_MAX);
        assert_int_equal(jbw_world_time(c.s.world), i - 1);
        const int action = (int)(i % 3);
        expect_observed(stage_ask(&c.s, 0, stage_act(ann, (uint32_t)action, true)), i, action);
        step_twin(&c, &other, action);
        expect_twin(&c, i);
    }
    close_scene(&c);
}

static void test_act_in_time_when_clients_do_not(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){
                       .turn_timeout = 50 * STAGE_MILLISECOND, .deactivates = true, .rate = 10.0});
    stage_hello(&c.s, 0, "ann-secret");
    const jbw_agent_id ann = stage_add(&c.s, 0);
    stage_wait(&c.s, 200 * STAGE_MILLISECOND);
    jbw_agent_state agent;
    assert_int_equal(jbw_agent_get_state(c.s.world, ann, &agent), JBW_OK);
    assert_false(agent.is_active); // ann was too slow
    assert_int_equal(jbw_game_get_info(c.s.game).active_count, RESIDENTS);
    const uint64_t time = jbw_world_time(c.s.world);
    stage_wait(&c.s, 1000 * STAGE_MILLISECOND);
    assert_true(jbw_world_time(c.s.world) > time);
    close_scene(&c);
}

static void test_clients_have_no_hold_on_them(void **state)
{
    (void)state;
    scene c;
    open_scene(&c, (jbw_game_options){.is_paused = true});
    stage_hello(&c.s, 0, "ann-secret");
    const jbw_agent_id agent = c.residents[0].agent;
    const jbw_message told = stage_ask(&c.s, 0, ASK(LIST_AGENTS, .list_agents.most = 9));
    assert_int_equal(told.agents.agents_count, RESIDENTS);
    const jbw_field_text owner = told.agents.agents[0].owner;
    assert_int_equal(owner.length, strlen("server:random"));
    assert_memory_equal(owner.at, "server:random", owner.length);
    assert_false(told.agents.agents[0].is_yours);
    expect_error(stage_ask(&c.s, 0, stage_act(agent, NO_OP, true)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&c.s, 0, stage_set_active(agent, false)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&c.s, 0, ASK(REMOVE_AGENT, .remove_agent.agent = agent)),
                 JBW_ERROR_NOT_YOURS);
    stage_leave(&c.s, 0);
    jbw_agent_state found;
    assert_int_equal(jbw_agent_get_state(c.s.world, agent, &found), JBW_OK);
    assert_true(found.is_active);
    close_scene(&c);
}

// ---- saving ----

static jbw_note note_of(const jbw_buffer *bytes)
{
    return (jbw_note){"server.residents", bytes->bytes, bytes->size};
}

// saved before a turn, or after `acted` of them have acted in it, they go on in the same way
static void check_saving(bool has_acted)
{
    stage s;
    stage_prepare(&s);
    jbw_resident list[RESIDENTS];
    add_residents(&s, s.world, list);
    jbw_agent_id client;
    assert_int_equal(jbw_world_add_agent(s.world, NULL, &client), JBW_OK);
    jbw_residents residents;
    assert_int_equal(jbw_residents_init(&residents, s.world, list, RESIDENTS), JBW_OK);
    if (has_acted) assert_int_equal(jbw_residents_act(&residents, s.world), JBW_OK);
    jbw_buffer saved = {0};
    assert_int_equal(jbw_residents_encode(&residents, &saved), JBW_OK);
    jbw_world *copy;
    assert_int_equal(jbw_world_clone(s.world, &copy), JBW_OK);

    const jbw_note note = note_of(&saved);
    jbw_resident *loaded;
    size_t count;
    assert_int_equal(jbw_residents_load(&note, 1, s.model, NULL, &loaded, &count, NULL), JBW_OK);
    assert_int_equal(count, RESIDENTS);
    jbw_residents again;
    assert_int_equal(jbw_residents_init(&again, copy, loaded, count), JBW_OK);
    assert_int_equal(again.acted_count, has_acted ? RESIDENTS : 0);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(jbw_residents_act(&residents, s.world), JBW_OK);
        assert_int_equal(jbw_residents_act(&again, copy), JBW_OK);
        assert_int_equal(jbw_agent_act(s.world, client, NO_OP, NULL), JBW_OK);
        assert_int_equal(jbw_agent_act(copy, client, NO_OP, NULL), JBW_OK);
        assert_int_equal(jbw_world_time(copy), i + 1);
        jbw_residents_end_turn(&residents, s.world);
        jbw_residents_end_turn(&again, copy);
    }
    assert_int_equal(jbw_world_hash(s.world), jbw_world_hash(copy));
    jbw_residents_deinit(&residents);
    jbw_residents_deinit(&again);
    jbw_residents_free(loaded, count);
    free_policies(list);
    jbw_buffer_free(&saved);
    jbw_world_destroy(copy);
    jbw_world_destroy(s.world);
    jbw_model_destroy(s.model);
}

static void test_saved_between_turns(void **state)
{
    (void)state;
    check_saving(false);
}

static void test_saved_in_the_middle_of_a_turn(void **state)
{
    (void)state;
    check_saving(true);
}

// the owners of other agents are gone: the residents, who have acted, wait for no one
static void test_a_turn_that_was_left_open_ends(void **state)
{
    (void)state;
    stage s;
    stage_prepare(&s);
    jbw_resident list[RESIDENTS];
    add_residents(&s, s.world, list);
    jbw_agent_id client;
    assert_int_equal(jbw_world_add_agent(s.world, NULL, &client), JBW_OK);
    jbw_residents residents;
    assert_int_equal(jbw_residents_init(&residents, s.world, list, RESIDENTS), JBW_OK);
    assert_int_equal(jbw_residents_act(&residents, s.world), JBW_OK);
    jbw_residents_deinit(&residents);
    const jbw_game_options options = {
        .residents = list, .resident_count = RESIDENTS, .is_paused = true};
    stage_start(&s, &options);
    assert_int_equal(jbw_world_time(s.world), 1);
    stage_hello(&s, 0, "ann-secret");
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 2)));
    assert_int_equal(jbw_world_time(s.world), 3);
    free_policies(list);
    stage_close(&s);
}

static void test_damaged_notes(void **state)
{
    (void)state;
    stage s;
    stage_prepare(&s);
    jbw_resident list[RESIDENTS];
    add_residents(&s, s.world, list);
    jbw_residents residents;
    assert_int_equal(jbw_residents_init(&residents, s.world, list, RESIDENTS), JBW_OK);
    jbw_buffer saved = {0};
    assert_int_equal(jbw_residents_encode(&residents, &saved), JBW_OK);
    jbw_resident *loaded;
    size_t count;
    jbw_error error;
    for (size_t size = 0; size < saved.size; size++) {
        const jbw_note note = {"server.residents", saved.bytes, size};
        assert_int_equal(jbw_residents_load(&note, 1, s.model, NULL, &loaded, &count, &error),
                         JBW_INVALID_DATA);
        assert_null(loaded);
        assert_true(error.text[0] != '\0');
    }
    assert_true(jbw_buffer_append(&saved, "", 1));
    const jbw_note longer = note_of(&saved);
    assert_int_equal(jbw_residents_load(&longer, 1, s.model, NULL, &loaded, &count, &error),
                     JBW_INVALID_DATA);
    assert_int_equal(jbw_residents_load(NULL, 0, s.model, NULL, &loaded, &count, &error), JBW_OK);
    assert_int_equal(count, 0);
    jbw_residents_deinit(&residents);
    free_policies(list);
    jbw_buffer_free(&saved);
    jbw_world_destroy(s.world);
    jbw_model_destroy(s.model);
}

static void test_must_be_in_the_world_once(void **state)
{
    (void)state;
    stage s;
    stage_prepare(&s);
    jbw_resident list[RESIDENTS];
    add_residents(&s, s.world, list);
    jbw_residents residents;
    const jbw_resident twice[] = {list[0], list[0]};
    assert_int_equal(jbw_residents_init(&residents, s.world, twice, 2), JBW_INVALID_ARGUMENT);
    jbw_residents_deinit(&residents);
    jbw_resident gone = list[0];
    gone.agent.generation++;
    assert_int_equal(jbw_residents_init(&residents, s.world, &gone, 1), JBW_INVALID_ARGUMENT);
    jbw_residents_deinit(&residents);
    free_policies(list);
    jbw_world_destroy(s.world);
    jbw_model_destroy(s.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_without_clients),
        cmocka_unit_test(test_keep_to_the_rate),
        cmocka_unit_test(test_pause_and_single_steps),
        cmocka_unit_test(test_take_turns_with_clients),
        cmocka_unit_test(test_act_in_time_when_clients_do_not),
        cmocka_unit_test(test_clients_have_no_hold_on_them),
        cmocka_unit_test(test_saved_between_turns),
        cmocka_unit_test(test_saved_in_the_middle_of_a_turn),
        cmocka_unit_test(test_a_turn_that_was_left_open_ends),
        cmocka_unit_test(test_damaged_notes),
        cmocka_unit_test(test_must_be_in_the_world_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
