// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who owns which agent, also in a world that was saved and loaded after agents had left.
#include "support/stage.h"

#include <string.h>

#include "net/game/game_internal.h"
#include "support/models.h"
#include "support/random.h"

enum { AGENTS = 40 };

static jbw_agent_id add(jbw_world *world, jbw_seats *seats, int owner)
{
    jbw_agent_id agent;
    assert_true(jbw_seats_reserve(seats, seats->count + 1));
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_true(jbw_seats_reserve(seats, agent.index1));
    jbw_seats_take(seats, agent, owner);
    return agent;
}

static void expect_owner(jbw_seats *seats, jbw_agent_id agent, const char *name)
{
    const jbw_seat *seat = jbw_seats_find(seats, agent);
    assert_non_null(seat);
    assert_string_equal(jbw_seats_name(seats, seat->owner), name);
    assert_int_equal(seat->driver, JBW_NO_CONNECTION_ID);
}

static void test_agents_join_a_loaded_world(void **state)
{
    (void)state;
    jbw_token_set keys;
    const jbw_token tokens[] = {
        {.name = "ann", .secret = "ann-has-a-secret", .permissions = JBW_PERMISSION_ACT},
        {.name = "bob", .secret = "bob-has-another", .permissions = JBW_PERMISSION_ACT},
    };
    static const char *const names[] = {"ann", "bob"};
    assert_int_equal(jbw_token_set_init(&keys, tokens, 2, NULL), JBW_OK);
    jbw_model *model = varied_model(50);
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t random = seed;
        jbw_world *world = world_of(model, seed);
        jbw_seats seats;
        assert_true(jbw_seats_init(&seats, &keys));
        jbw_agent_id agents[AGENTS];
        int owners[AGENTS];
        for (int i = 0; i < AGENTS; i++) {
            owners[i] = (int)random_below(&random, 2);
            agents[i] = add(world, &seats, owners[i]);
        }
        // some leave, in particular the last ones: their slots are free behind all others
        for (int i = 0; i < AGENTS; i++) {
            if (i < AGENTS / 2 && random_below(&random, 2)) continue;
            jbw_seats_leave(&seats, jbw_seats_find(&seats, agents[i]));
            assert_int_equal(jbw_world_remove_agent(world, agents[i]), JBW_OK);
            owners[i] = JBW_NOBODY;
        }
        jbw_buffer note = {0};
        assert_true(jbw_seats_encode(&seats, &note));
        jbw_buffer bytes = encode_world(world);
        jbw_model *none;
        jbw_world *loaded = decode_world(&bytes, &(jbw_load_options){.model = model}, &none);
        jbw_seats again;
        assert_true(jbw_seats_init(&again, &keys));
        assert_int_equal(jbw_seats_decode(&again, loaded, &(jbw_note){"", note.bytes, note.size}),
                         JBW_OK);
        assert_int_equal(again.agent_count, seats.agent_count);
        // newcomers take free slots, wherever they are, and nobody else's
        jbw_agent_id newcomers[AGENTS];
        for (int i = 0; i < AGENTS; i++) newcomers[i] = add(loaded, &again, i % 2);
        size_t counts[2] = {AGENTS / 2, AGENTS / 2};
        for (int i = 0; i < AGENTS; i++) {
            expect_owner(&again, newcomers[i], names[i % 2]);
            if (owners[i] == JBW_NOBODY) {
                assert_null(jbw_seats_find(&again, agents[i]));
                continue;
            }
            expect_owner(&again, agents[i], names[owners[i]]);
            counts[owners[i]]++;
        }
        for (int k = 0; k < 2; k++) assert_int_equal(again.owners[k].agent_count, counts[k]);
        jbw_seats_deinit(&again);
        jbw_seats_deinit(&seats);
        jbw_buffer_free(&note);
        jbw_buffer_free(&bytes);
        jbw_world_destroy(loaded);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
    jbw_token_set_deinit(&keys);
}

// the same through the game, in a world whose agents have all left
static void test_newcomers_of_a_game(void **state)
{
    (void)state;
    stage s;
    stage_prepare(&s);
    jbw_agent_id gone[10 * AGENTS];
    for (int i = 0; i < 10 * AGENTS; i++)
        assert_int_equal(jbw_world_add_agent(s.world, NULL, &gone[i]), JBW_OK);
    for (int i = 10 * AGENTS; i-- > 0;)
        assert_int_equal(jbw_world_remove_agent(s.world, gone[i]), JBW_OK);
    stage_start(&s, NULL);
    assert_int_equal(s.game->seats.count, 0);
    stage_hello(&s, 0, "ann-secret");
    for (int i = 0; i < 10; i++) {
        const jbw_agent_id agent = stage_add(&s, 0);
        expect_error(stage_ask(&s, 0, ASK(REMOVE_AGENT, .remove_agent.agent = gone[i])),
                     JBW_ERROR_NO_SUCH_AGENT);
        const jbw_seat *seat = jbw_seats_find(&s.game->seats, agent);
        assert_non_null(seat);
        assert_int_equal(seat->driver, 1);
    }
    assert_int_equal(s.game->seats.agent_count, 10);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agents_join_a_loaded_world),
        cmocka_unit_test(test_newcomers_of_a_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
