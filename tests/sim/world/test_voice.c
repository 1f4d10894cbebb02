// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Voices, in drawings checked by hand: who hears whom, and when. Also crowds against a double loop.
#include "support/drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/observation.h"
#include "support/allocations.h"
#include "support/random.h"

static const jbw_item_type items[] = {{.name = "Apple"}, {.name = "Pear"}};

static jbw_config config_of(int symbols, int range)
{
    jbw_config config = drawn_config(items, 2);
    config.agent.voice = (jbw_voice){.symbols = symbols, .range = range};
    return config;
}

// Agents request actions and say symbols, all at once: "1F2 2N0" is agent 1, forward, symbol 2.
static void say(drawn_world *d, const char *script)
{
    jbw_agent_id ids[MAX_DRAWN_AGENTS];
    int actions[MAX_DRAWN_AGENTS];
    int symbols[MAX_DRAWN_AGENTS];
    size_t count = 0;
    for (const char *at = script; *at; at += at[3] ? 4 : 3) {
        ids[count] = d->agents[at[0] - '0'];
        actions[count] = action_by_letter(at[1]);
        symbols[count++] = at[2] - '0';
    }
    const jbw_requests requests = {.actions = actions, .say = symbols};
    bool stepped;
    assert_int_equal(jbw_world_request(d->world, ids, &requests, count, &stepped), JBW_OK);
    assert_true(stepped);
}

// what an agent heard, one digit per symbol: "102"
static void assert_heard(const drawn_world *d, int agent, const char *expected)
{
    char found[16] = "";
    const uint32_t *heard = jbw_agent_heard(d->world, d->agents[agent]);
    const int symbols = jbw_model_voice(d->model).symbols;
    assert_non_null(heard);
    for (int s = 0; s < symbols; s++) found[s] = (char)('0' + heard[s]);
    assert_string_equal(found, expected);
}

static void test_who_hears_whom(void **state)
{
    (void)state;
    const jbw_config config = config_of(3, 2);
    drawn_world d;
    draw_world(&d, &config, "ap", "^^^^^",
               "..3..\n"
               ".4...\n"
               "1.2.5\n");
    for (int i = 1; i <= 5; i++) assert_heard(&d, i, "000");
    say(&d, "1N1 2N2 3N3 4N1 5N0");
    assert_heard(&d, 1, "110"); // 2 and 4: not itself, and 3 is too far
    assert_heard(&d, 2, "201"); // 1 and 4, and 3 two cells up
    assert_heard(&d, 3, "110"); // 4 diagonally, and 2
    assert_heard(&d, 4, "111");
    assert_heard(&d, 5, "010"); // 2; silence is not heard
    assert_int_equal(result_of(&d, 3).said, 3);
    assert_int_equal(result_of(&d, 5).said, 0);

    // from where they are when the step ends: 1 one row up, 5 next to 2
    say(&d, "1F1 2N0 3N0 4N0 5L2");
    assert_heard(&d, 2, "010");
    assert_heard(&d, 3, "000");
    assert_heard(&d, 4, "100");
    erase_world(&d);
}

static void test_steps_without_words(void **state)
{
    (void)state;
    const jbw_config config = config_of(2, 5);
    drawn_world d;
    draw_world(&d, &config, "ap", "^^^", "1.2.3\n");
    say(&d, "1N1 2N2 3N2");
    assert_heard(&d, 1, "02");
    play(&d, "1N 2N 3N"); // what was said is heard in one step only
    assert_heard(&d, 1, "00");

    // agents that rest are silent, and hear
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    say(&d, "1N1 3N2");
    assert_heard(&d, 2, "11");

    // so are agents that were not waited for
    const jbw_request asked = {.action = action_by_letter('N'), .say = 2};
    assert_int_equal(jbw_agent_request(d.world, d.agents[1], &asked, NULL), JBW_OK);
    assert_int_equal(state_of(&d, 1).say, 2);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_heard(&d, 3, "01");
    assert_heard(&d, 1, "00");
    assert_int_equal(state_of(&d, 1).say, 0);

    // another request replaces the first, with what it says
    assert_int_equal(jbw_agent_request(d.world, d.agents[1], &asked, NULL), JBW_OK);
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], asked.action, NULL), JBW_OK);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_heard(&d, 3, "00");

    // what was heard stays when the speaker goes, and nobody hears what was before
    assert_int_equal(jbw_agent_request(d.world, d.agents[1], &asked, NULL), JBW_OK);
    assert_int_equal(jbw_world_step(d.world), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    draw_agent(&d, (jbw_position){1, 0}, JBW_UP);
    assert_heard(&d, 3, "01");
    assert_heard(&d, 4, "00");
    erase_world(&d);
}

static void test_copies_and_hashes(void **state)
{
    (void)state;
    const jbw_config config = config_of(2, 5);
    drawn_world d;
    draw_world(&d, &config, "ap", "^^", "1.2\n");
    say(&d, "1N1 2N2");
    const jbw_request asked = {.action = action_by_letter('N'), .say = 2};
    assert_int_equal(jbw_agent_request(d.world, d.agents[1], &asked, NULL), JBW_OK);
    d.world = replaced_world(d.world, false);
    d.world = replaced_world(d.world, true);
    assert_heard(&d, 1, "01");
    assert_heard(&d, 2, "10");
    assert_int_equal(result_of(&d, 1).said, 1);
    assert_int_equal(state_of(&d, 1).say, 2);

    // nothing in the world depends on what is said, so its hash does not
    jbw_world *other = clone_of(d.world);
    say(&d, "1N0 2N1");
    assert_int_equal(jbw_agent_act(other, d.agents[2], asked.action, NULL), JBW_OK);
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(other));
    assert_int_equal(jbw_agent_heard(other, d.agents[2])[1], 1);
    assert_heard(&d, 2, "00");
    jbw_world_destroy(other);
    erase_world(&d);
}

static void expect_refused(const drawn_world *d, jbw_request request, const char *why)
{
    jbw_error error;
    const uint64_t hash = jbw_world_hash(d->world);
    bool stepped = true;
    assert_int_equal(jbw_agent_request(d->world, d->agents[1], &request, &stepped),
                     JBW_INVALID_ARGUMENT);
    assert_false(stepped);
    assert_int_equal(jbw_world_hash(d->world), hash);
    assert_int_equal(jbw_model_check_request(d->model, &request, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, why);
    assert_int_equal(jbw_model_check_request(d->model, &request, NULL), JBW_INVALID_ARGUMENT);
}

static void test_refused(void **state)
{
    (void)state;
    jbw_config config = config_of(4, 3);
    drawn_world d;
    draw_world(&d, &config, "ap", "^", "1\n");
    expect_refused(&d, (jbw_request){.say = 5},
                   "there is no symbol 5, expected 1 to 4, or 0 for silence");
    expect_refused(&d, (jbw_request){.say = -1},
                   "there is no symbol -1, expected 1 to 4, or 0 for silence");
    expect_refused(&d, (jbw_request){.action = 99, .say = 1},
                   "there is no action 99, expected 0 to 10");
    const jbw_request good = {.action = action_by_letter('N'), .say = 4};
    assert_int_equal(jbw_model_check_request(d.model, &good, NULL), JBW_OK);
    erase_world(&d);

    config.agent.voice = (jbw_voice){0};
    draw_world(&d, &config, "ap", "^", "1\n");
    assert_null(jbw_agent_heard(d.world, d.agents[1]));
    assert_int_equal(jbw_model_part(d.model, JBW_PART_HEARD).count, 0);
    expect_refused(&d, (jbw_request){.say = 1}, "agents of this world have no voice");
    erase_world(&d);
}

// many agents in few cells, and spread over many patches: the same as comparing all pairs
static void test_crowds(void **state)
{
    (void)state;
    enum { AGENTS = 1500, SYMBOLS = 5 };
    uint64_t random = 4;
    static jbw_agent_id ids[AGENTS];
    static jbw_position at[AGENTS];
    static int actions[AGENTS];
    static int said[AGENTS];
    for (int round = 0; round < 6; round++) {
        jbw_config config = config_of(SYMBOLS, round < 3 ? 1 + 5 * round : DRAWN_PATCH_SIZE);
        config.collision = JBW_COLLISION_ALLOW;
        jbw_model *model = model_of(&config);
        jbw_world *world = world_of(model, 1);
        const int spread = round % 3 == 0 ? 3 : round % 3 == 1 ? 30 : 200;
        for (int i = 0; i < AGENTS; i++) {
            jbw_agent_options options = {.has_position = true};
            options.position.x = random_between(&random, -spread, spread);
            options.position.y = random_between(&random, -spread, spread);
            assert_int_equal(jbw_world_add_agent(world, &options, &ids[i]), JBW_OK);
            actions[i] = action_by_letter("FBLRN"[random_below(&random, 5)]);
            said[i] = random_below(&random, 3) ? random_between(&random, 1, SYMBOLS) : 0;
        }
        const jbw_requests requests = {.actions = actions, .say = said};
        assert_int_equal(jbw_world_request(world, ids, &requests, AGENTS, NULL), JBW_OK);
        for (int i = 0; i < AGENTS; i++) {
            jbw_agent_state now;
            assert_int_equal(jbw_agent_get_state(world, ids[i], &now), JBW_OK);
            at[i] = now.position;
        }
        for (int i = 0; i < AGENTS; i++) {
            uint32_t due[SYMBOLS + 1] = {0};
            for (int k = 0; k < AGENTS; k++) {
                const int64_t dx = at[k].x - at[i].x;
                const int64_t dy = at[k].y - at[i].y;
                const int64_t range = config.agent.voice.range;
                due[said[k]] += k != i && dx * dx + dy * dy <= range * range;
            }
            assert_memory_equal(jbw_agent_heard(world, ids[i]), due + 1, SYMBOLS * sizeof *due);
        }
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// comparing all pairs of so many agents would take minutes for each step
static void test_many_thousands(void **state)
{
    (void)state;
    enum { AGENTS = 60000, STEPS = 5 };
    jbw_config config = config_of(4, 6);
    config.collision = JBW_COLLISION_ALLOW;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id *ids = calloc(AGENTS, sizeof *ids);
    int *actions = calloc(AGENTS, sizeof *actions);
    int *said = calloc(AGENTS, sizeof *said);
    assert_true(ids && actions && said);
    for (int i = 0; i < AGENTS; i++) {
        const jbw_agent_options options = {.has_position = true, .position = {i % 13, i / 13 % 13}};
        assert_int_equal(jbw_world_add_agent(world, &options, &ids[i]), JBW_OK);
        actions[i] = action_by_letter('N');
        said[i] = 1 + i % 4;
    }
    const jbw_requests requests = {.actions = actions, .say = said};
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(jbw_world_request(world, ids, &requests, AGENTS, NULL), JBW_OK);
    // the middle hears all 113 cells around it
    uint64_t heard = 0;
    for (int s = 0; s < 4; s++) heard += jbw_agent_heard(world, ids[6 * 13 + 6])[s];
    assert_true(heard > 113 * (AGENTS / 169) - 113 && heard < 113 * (AGENTS / 169 + 1));
    free(ids);
    free(actions);
    free(said);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a step that runs out of memory leaves everything as it was, also what was heard
static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = config_of(3, 4);
    config.allocator = counting_allocator_make(&counting);
    drawn_world d;
    draw_world(&d, &config, "ap", "^^", "1.2\n");
    say(&d, "1N1 2N2");
    const jbw_request first = {.action = action_by_letter('N'), .say = 3};
    assert_int_equal(jbw_agent_request(d.world, d.agents[1], &first, NULL), JBW_OK);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status == JBW_OUT_OF_MEMORY; n++) {
        jbw_world *copy = clone_of(d.world);
        const jbw_request request = {.action = action_by_letter('F'), .say = 1};
        fail_allocations(&counting, n, 1);
        status = jbw_agent_request(copy, d.agents[2], &request, NULL);
        allow_allocations(&counting);
        assert_true(status == JBW_OUT_OF_MEMORY || status == JBW_OK);
        jbw_agent_state one;
        assert_int_equal(jbw_agent_get_state(copy, d.agents[1], &one), JBW_OK);
        const uint32_t *heard = jbw_agent_heard(copy, d.agents[1]);
        assert_int_equal(one.say, status ? 3 : 0);
        assert_int_equal(heard[0], status ? 0 : 1);
        assert_int_equal(heard[1], status ? 1 : 0);
        if (n == 1) assert_int_equal(status, JBW_OUT_OF_MEMORY); // something is allocated
        jbw_world_destroy(copy);
    }
    erase_world(&d);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_hears_whom),
        cmocka_unit_test(test_steps_without_words),
        cmocka_unit_test(test_copies_and_hashes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_many_thousands),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
