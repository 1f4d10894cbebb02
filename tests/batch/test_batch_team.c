// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Team[r]: members of a team are paid for what all of them earn, in worlds that are stepped by hand,
/// in batches, and by policies that live in them.
#include "support/batch_scene.h"

#include "support/random.h"

enum { WORLDS = 9, STEPS = 300 };

// all amounts are exact, so sums do not depend on their order
static const char *const together =
    "Team[Collect[Apple, 2] & Explore[0.5]] & Action[-0.25] & Scaled[Team[Action[0.5]], 4] & "
    "Cyclical[(Team[Collect[Apple]], 5), (Collect[Apple, 8], 5)]";
static const char *const own = "Action[-0.25] & Cyclical[(Zero, 5), (Collect[Apple, 8], 5)]";
static const char *const shared = "Collect[Apple, 2] & Explore[0.5] & Scaled[Action[0.5], 4] & "
                                  "Cyclical[(Collect[Apple], 5), (Zero, 5)]";

// the agents of a row's world, in pairs of the first and the last
static const int teams[3] = {7, -1, 7};

typedef struct team_scene {
    batch_scene scene;
    jbw_reward *together;
    jbw_reward *own;
    jbw_reward *shared;
} team_scene;

static team_scene open_scene(void)
{
    team_scene s = {.scene = batch_scene_open(WORLDS)};
    s.together = reward_of(s.scene.model, together);
    s.own = reward_of(s.scene.model, own);
    s.shared = reward_of(s.scene.model, shared);
    for (size_t i = 0; i < WORLDS; i++) {
        s.scene.worlds[i].reward = s.together;
        s.scene.worlds[i].teams = teams;
    }
    return s;
}

static void close_scene(team_scene *s)
{
    jbw_reward_destroy(s->shared);
    jbw_reward_destroy(s->own);
    jbw_reward_destroy(s->together);
    batch_scene_close(&s->scene);
}

// what a row should be paid for the latest step
static double expect(const team_scene *s, jbw_batch *batch, size_t world, int agent,
                     const int *teams_of_world)
{
    const jbw_world *w = jbw_batch_get_world(batch, world);
    const size_t first = s->scene.first_rows[world];
    double sum = jbw_agent_reward(w, jbw_batch_agent(batch, first + (size_t)agent), s->own);
    for (int k = 0; k < s->scene.worlds[world].agent_count; k++)
        if (!teams_of_world || teams_of_world[k] == teams_of_world[agent])
            sum += jbw_agent_reward(w, jbw_batch_agent(batch, first + (size_t)k), s->shared);
    return sum;
}

static void check_rewards(const int *teams_of_world)
{
    static batch_rows rows;
    team_scene s = open_scene();
    for (size_t i = 0; i < WORLDS; i++) s.scene.worlds[i].teams = teams_of_world;
    const jbw_batch_buffers buffers = batch_buffers_of(&rows);
    jbw_batch *batch = batch_open(&s.scene, 2, &buffers);
    uint64_t random = 3;
    int differences = 0;
    for (int step = 0; step < STEPS; step++) {
        int32_t actions[MAX_ROWS];
        for (size_t row = 0; row < s.scene.row_count; row++)
            actions[row] = batch_draw_action(&random);
        assert_int_equal(jbw_batch_step(batch, actions), JBW_OK);
        for (size_t i = 0; i < WORLDS; i++)
            for (int k = 0; k < s.scene.worlds[i].agent_count; k++) {
                const size_t row = s.scene.first_rows[i] + (size_t)k;
                assert_true(rows.reward[row] == expect(&s, batch, i, k, teams_of_world));
                // alone it would be a team of its own
                const double alone = jbw_agent_reward(jbw_batch_get_world(batch, i),
                                                      jbw_batch_agent(batch, row), s.together);
                differences += rows.reward[row] != alone;
                if (s.scene.worlds[i].agent_count == 1) assert_true(rows.reward[row] == alone);
            }
    }
    assert_true(differences > STEPS);
    jbw_batch_destroy(batch);
    close_scene(&s);
}

static void test_named_teams(void **state)
{
    (void)state;
    check_rewards(teams);
}

static void test_one_team(void **state)
{
    (void)state;
    check_rewards(NULL);
}

// agents of a world with different rewards; one has left
static void test_own_rewards(void **state)
{
    (void)state;
    static batch_rows rows;
    team_scene s = open_scene();
    const jbw_reward *const rewards[3] = {s.together, s.own, NULL};
    for (size_t i = 0; i < WORLDS; i++) s.scene.worlds[i].rewards = rewards;
    const jbw_batch_buffers buffers = batch_buffers_of(&rows);
    jbw_batch *batch = batch_open(&s.scene, 2, &buffers);
    uint64_t random = 5;
    size_t gone = s.scene.row_count;
    for (int step = 0; step < STEPS; step++) {
        int32_t actions[MAX_ROWS];
        for (size_t row = 0; row < s.scene.row_count; row++)
            actions[row] = batch_draw_action(&random);
        assert_int_equal(jbw_batch_step(batch, actions), JBW_OK);
        for (size_t i = 0; i < WORLDS; i++)
            for (int k = 0; k < s.scene.worlds[i].agent_count; k++) {
                const size_t row = s.scene.first_rows[i] + (size_t)k;
                const double alone = jbw_agent_reward(jbw_batch_get_world(batch, i),
                                                      jbw_batch_agent(batch, row), s.own);
                const double expected = row == gone || k == 2 ? 0
                                        : k == 1              ? alone
                                                              : expect(&s, batch, i, k, teams);
                assert_true(rows.reward[row] == expected);
            }
        if (step != STEPS / 2) continue;
        gone = s.scene.first_rows[2]; // of a team in which another one stays
        assert_int_equal(jbw_batch_leave(batch, gone), JBW_OK);
    }
    jbw_batch_destroy(batch);
    close_scene(&s);
}

static jbw_status create_random(const team_scene *s, size_t row, jbw_policy **out)
{
    const jbw_policy_options options = {.seed = row};
    return jbw_policy_create("random", s->scene.model, &options, out, NULL);
}

// policies earn what rows say
static void test_policies_are_paid(void **state)
{
    (void)state;
    team_scene s = open_scene();
    static batch_rows rows;
    const jbw_batch_buffers buffers = batch_buffers_of(&rows);
    jbw_batch *batch = batch_open(&s.scene, 2, &buffers);
    jbw_batch *stepped = batch_open(&s.scene, 1, &buffers);
    jbw_policy *policies[MAX_ROWS];
    double totals[MAX_ROWS];
    double expected[MAX_ROWS] = {0};
    for (size_t row = 0; row < s.scene.row_count; row++)
        assert_int_equal(create_random(&s, row, &policies[row]), JBW_OK);
    assert_int_equal(jbw_batch_live(batch, policies, 50, totals), JBW_OK);

    for (size_t row = 0; row < s.scene.row_count; row++) {
        jbw_policy_destroy(policies[row]);
        assert_int_equal(create_random(&s, row, &policies[row]), JBW_OK);
    }
    for (int step = 0; step < 50; step++) {
        int32_t actions[MAX_ROWS];
        for (size_t i = 0; i < WORLDS; i++)
            for (int k = 0; k < s.scene.worlds[i].agent_count; k++) {
                const size_t row = s.scene.first_rows[i] + (size_t)k;
                int action;
                assert_int_equal(jbw_policy_choose(policies[row], jbw_batch_get_world(stepped, i),
                                                   jbw_batch_agent(stepped, row), &action),
                                 JBW_OK);
                actions[row] = action;
            }
        assert_int_equal(jbw_batch_step(stepped, actions), JBW_OK);
        for (size_t row = 0; row < s.scene.row_count; row++) expected[row] += rows.reward[row];
    }
    for (size_t row = 0; row < s.scene.row_count; row++) {
        assert_true(totals[row] == expected[row]);
        jbw_policy_destroy(policies[row]);
    }
    jbw_batch_destroy(stepped);
    jbw_batch_destroy(batch);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_teams),
        cmocka_unit_test(test_one_team),
        cmocka_unit_test(test_own_rewards),
        cmocka_unit_test(test_policies_are_paid),
    };
    return cmocka_run_group_tests_name("batch_team", tests, NULL, NULL);
}
