// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Operations: a second world that applies every operation of the first one stays equal to it,
/// whatever is called and whatever fails.
#include "support/models.h"

#include "jbw/operation.h"
#include "support/random.h"

enum { SIZE = 26, MAX_AGENTS = 6, CALLS = 400, HISTORIES = 60 };

static const double red[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2.5]"},
    {.name = "Wall", .color = red, .blocks_movement = true, .intensity = "Constant[-3]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_COLLECT, NULL},
    {JBW_ACTION_NO_OP, NULL},        {JBW_ACTION_DROP, "Apple"},
};

typedef struct mirror {
    jbw_world *world;
    size_t count; // of operations
    unsigned kinds;
} mirror;

static void repeat(jbw_world *world, const jbw_operation *operation, void *user)
{
    mirror *m = user;
    m->count++;
    m->kinds |= 1u << operation->kind;
    assert_int_equal(jbw_world_apply(m->world, operation), JBW_OK);
    assert_true(jbw_world_time(m->world) == jbw_world_time(world));
}

static jbw_position draw_near(uint64_t *random, int reach)
{
    const int x = random_between(random, -reach, reach);
    const int y = random_between(random, -reach, reach);
    return (jbw_position){x, y};
}

// a random call, sensible or not; returns its status
static jbw_status make_random_call(jbw_world *world, jbw_agent_id *agents, uint64_t *random)
{
    const uint32_t which = random_below(random, MAX_AGENTS);
    jbw_agent_id *agent = &agents[which];
    const int action = (int)(random_below(random, 6)); // the last one does not exist
    switch (random_below(random, 16)) {
    case 0: {
        jbw_agent_options options = {0};
        options.has_position = random_below(random, 3) > 0;
        options.position = draw_near(random, 60);
        options.direction = (jbw_direction)random_below(random, 5);
        options.is_forced = random_below(random, 4) == 0;
        jbw_agent_id added;
        const jbw_status status = jbw_world_add_agent(world, &options, &added);
        if (!status && jbw_world_agents(world, NULL, 0) > MAX_AGENTS)
            return jbw_world_remove_agent(world, added);
        if (!status) *agent = added; // the previous one stays, but is forgotten
        return status;
    }
    case 1: return jbw_world_remove_agent(world, *agent);
    case 2: return jbw_agent_set_active(world, *agent, random_below(random, 3) > 0);
    case 3:
        return jbw_world_place_item(world, (int)(random_below(random, 3)), draw_near(random, 70));
    case 4: return jbw_world_remove_item(world, draw_near(random, 70));
    case 5: return jbw_world_step(world);
    case 6: {
        jbw_position places[2];
        for (int i = 0; i < 2; i++) places[i] = draw_near(random, 100);
        return random_below(random, 8) ? JBW_OK : jbw_world_explore(world, places, 2);
    }
    case 7:
        return random_below(random, 8) ? JBW_OK
                                       : jbw_world_finalize_patch(world, draw_near(random, 4));
    case 8:
    case 9: {
        const jbw_agent_id two[] = {*agent,
                                    agents[(which + 1 + random_below(random, 5)) % MAX_AGENTS]};
        const int asked[] = {action, (int)(random_below(random, 5))};
        return jbw_world_act(world, two, asked, 2, NULL);
    }
    default: return jbw_agent_act(world, *agent, action, NULL);
    }
}

static void test_mirror_stays_equal(void **state)
{
    (void)state;
    jbw_config config = small_config(SIZE, 100, items, 2);
    config.scent_dimensions = 1;
    config.agent.scent = red;
    config.agent.vision_range = 2;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.collision = JBW_COLLISION_RANDOM;
    jbw_model *model = model_of(&config);
    unsigned kinds = 0;
    size_t refused = 0;
    for (uint32_t history = 1; history <= HISTORIES; history++) {
        uint64_t random = history;
        jbw_agent_id agents[MAX_AGENTS] = {0};
        jbw_world *world = world_of(model, history);
        mirror m = {.world = world_of(model, history)};
        jbw_world_on_operation(world, repeat, &m);
        for (int i = 0; i < CALLS; i++) {
            const uint64_t before = jbw_world_hash(world);
            const size_t count = m.count;
            const bool was_refused = make_random_call(world, agents, &random) != JBW_OK;
            refused += was_refused;
            const uint64_t after = jbw_world_hash(world);
            if (jbw_world_hash(m.world) != after)
                fail_msg("history %u: the mirror differs after call %d", history, i);
            // a call that was refused and changed nothing is no operation
            if (was_refused && before == after) assert_true(m.count == count);
        }
        kinds |= m.kinds;
        jbw_world_destroy(world);
        jbw_world_destroy(m.world);
    }
    assert_int_equal(kinds, 0x7fe); // all ten kinds occurred
    assert_true(refused > HISTORIES);
    jbw_model_destroy(model);
}

static void test_ids_must_agree(void **state)
{
    (void)state;
    const jbw_config config = small_config(SIZE, 100, items, 2);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_operation add = {.kind = JBW_OPERATION_ADD_AGENT, .agent = {2, 1}};
    const uint64_t before = jbw_world_hash(world);
    assert_int_equal(jbw_world_apply(world, &add), JBW_INVALID_ARGUMENT);
    assert_true(jbw_world_hash(world) == before);
    add.agent = (jbw_agent_id){1, 1};
    assert_int_equal(jbw_world_apply(world, &add), JBW_OK);
    add.agent = (jbw_agent_id){0, 0}; // any id
    assert_int_equal(jbw_world_apply(world, &add), JBW_OK);
    assert_int_equal(jbw_world_agents(world, NULL, 0), 2);
    assert_int_equal(jbw_world_apply(world, &(jbw_operation){.kind = 99}), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_apply(world, &(jbw_operation){0}), JBW_INVALID_ARGUMENT);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirror_stays_equal),
        cmocka_unit_test(test_ids_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
