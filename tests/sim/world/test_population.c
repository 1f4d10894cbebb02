// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Adding and removing agents: where they are put, their ids and their order.
#include "support/step_scene.h"

#include <stdlib.h>

static jbw_position add_by_default(jbw_world *world)
{
    jbw_agent_id id;
    jbw_agent_state state;
    assert_int_equal(jbw_world_add_agent(world, NULL, &id), JBW_OK);
    assert_int_equal(jbw_agent_get_state(world, id, &state), JBW_OK);
    assert_int_equal(state.direction, JBW_UP);
    assert_int_equal(state.start.x, state.position.x);
    assert_int_equal(state.start.y, state.position.y);
    return state.position;
}

static int64_t ring_of(jbw_position cell)
{
    return llabs(cell.x) > llabs(cell.y) ? llabs(cell.x) : llabs(cell.y);
}

static bool is_same(jbw_agent_id a, jbw_agent_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

// --- where agents are added ---------------------------------------------------------------------

static void test_default_place(void **state)
{
    (void)state;
    // one after the other they fill rings around the origin, from the inside out
    enum { COUNT = 49 };
    drawn_world d;
    drawn_world twin;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    draw_scene(&twin, JBW_COLLISION_FIRST, "", ".\n");
    jbw_position places[COUNT];
    for (int i = 0; i < COUNT; i++) {
        places[i] = add_by_default(d.world);
        assert_int_equal(ring_of(places[i]), i < 1 ? 0 : i < 9 ? 1 : i < 25 ? 2 : 3);
        for (int k = 0; k < i; k++)
            assert_false(places[k].x == places[i].x && places[k].y == places[i].y);

        // the order is always the same
        const jbw_position same = add_by_default(twin.world);
        assert_int_equal(places[i].x, same.x);
        assert_int_equal(places[i].y, same.y);
    }
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    erase_world(&d);
    erase_world(&twin);
}

static void test_default_place_around_walls(void **state)
{
    (void)state;
    // everything around the origin is walled in, except one cell two to the left and one down
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (int64_t y = -2; y <= 2; y++)
        for (int64_t x = -2; x <= 2; x++)
            if (x != -2 || y != -1)
                assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){x, y}), JBW_OK);
    const jbw_position place = add_by_default(d.world);
    assert_int_equal(place.x, -2);
    assert_int_equal(place.y, -1);
    assert_int_equal(ring_of(add_by_default(d.world)), 3);
    erase_world(&d);

    // an item that does not block movement is neither an obstacle nor collected
    draw_scene(&d, JBW_COLLISION_FIRST, "", "a\n");
    assert_int_equal(ring_of(add_by_default(d.world)), 0);
    assert_int_equal(item_letter(&d, (jbw_position){0, 0}), 'a');
    erase_world(&d);

    // if agents may share cells, all start at the origin, unless it is blocked
    draw_scene(&d, JBW_COLLISION_ALLOW, "", ".\n");
    for (int i = 0; i < 5; i++) assert_int_equal(ring_of(add_by_default(d.world)), 0);
    assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(ring_of(add_by_default(d.world)), 1);
    erase_world(&d);
}

static void test_default_place_in_a_covered_area(void **state)
{
    (void)state;
    // walls everywhere, more than a patch wide
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (int64_t y = -30; y <= 30; y++)
        for (int64_t x = -30; x <= 30; x++)
            assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){x, y}), JBW_OK);
    assert_int_equal(ring_of(add_by_default(d.world)), 31);

    // a wall that is gone leaves a place, however many were looked at since
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(ring_of(add_by_default(d.world)), 0);
    assert_int_equal(ring_of(add_by_default(d.world)), 31);
    erase_world(&d);
}

static void test_explicit_place(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1#a.\n");
    jbw_agent_id id = {5, 5};
    jbw_agent_options options = {.has_position = true, .direction = JBW_LEFT};
    const uint64_t hash = jbw_world_hash(d.world);
    for (int64_t x = 0; x < 2; x++) {
        options.position = (jbw_position){x, 0};
        assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_CELL_BLOCKED);
    }
    assert_int_equal(jbw_world_hash(d.world), hash);
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), 1);

    options.position = (jbw_position){2, 0}; // an apple does not block
    assert_int_equal(jbw_world_add_agent(d.world, &options, &d.agents[++d.agent_count]), JBW_OK);
    assert_drawing(&d, "1#2.\n");
    assert_facing(&d, "><");

    options.is_forced = true;
    for (int64_t x = 0; x < 2; x++) {
        options.position = (jbw_position){x, 0};
        assert_int_equal(jbw_world_add_agent(d.world, &options, &d.agents[++d.agent_count]),
                         JBW_OK);
        assert_int_equal(state_of(&d, (int)d.agent_count).position.x, x);
    }
    // they can leave, but not come back
    play(&d, "1N 2N 3F 4B");
    assert_outcomes(&d, "DDDA");
    play(&d, "1N 2B 3B 4B");
    assert_outcomes(&d, "DDAD");
    erase_world(&d);

    // agents may share cells with each other, but not with walls
    draw_scene(&d, JBW_COLLISION_ALLOW, ">", "1#\n");
    options = (jbw_agent_options){.has_position = true};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_OK);
    options.position.x = 1;
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_CELL_BLOCKED);
    erase_world(&d);
}

static void test_adding_makes_final(void **state)
{
    (void)state;
    // the agent needs the square [29, 55) x [-113, -87), in patches of 26 cells
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    draw_agent(&d, (jbw_position){42, -100}, JBW_UP);
    for (int64_t y = -5; y <= -4; y++)
        for (int64_t x = 1; x <= 2; x++)
            assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){x, y}), JBW_PATCH_FINAL);
    assert_int_equal(jbw_world_get_stats(d.world).final_patch_count, 4);
    assert_int_equal(jbw_world_get_stats(d.world).patch_count, 16);
    erase_world(&d);
}

// --- ids ----------------------------------------------------------------------------------------

static void test_ids(void **state)
{
    (void)state;
    // agents come and go; no id is ever reused
    enum { COUNT = 200 };
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_ALLOW, "", ".\n");
    jbw_agent_id seen[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(jbw_world_add_agent(d.world, NULL, &seen[i]), JBW_OK);
        assert_int_not_equal(seen[i].index1, 0);
        for (size_t k = 0; k < i; k++) assert_false(is_same(seen[i], seen[k]));
        jbw_agent_id there[COUNT];
        const size_t count = jbw_world_agents(d.world, there, COUNT);
        assert_true(is_same(there[count - 1], seen[i]));
        if (i % 2) assert_int_equal(jbw_world_remove_agent(d.world, there[7 * i % count]), JBW_OK);
    }
    assert_int_equal(jbw_world_agents(d.world, NULL, 0), COUNT / 2);
    erase_world(&d);
}

static void test_order_of_agents(void **state)
{
    (void)state;
    // always in the order in which they were added, whichever slots became free
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "^^^^", "1.2.3.4.\n");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[3]), JBW_OK);
    draw_agent(&d, (jbw_position){1, 0}, JBW_UP);
    draw_agent(&d, (jbw_position){3, 0}, JBW_UP);
    jbw_agent_id ids[5];
    assert_int_equal(jbw_world_agents(d.world, ids, 5), 4);
    static const int expected[] = {2, 4, 5, 6};
    for (int i = 0; i < 4; i++) assert_true(is_same(ids[i], d.agents[expected[i]]));

    // no more than fit
    memset(ids, 0, sizeof ids);
    assert_int_equal(jbw_world_agents(d.world, ids, 2), 4);
    assert_true(is_same(ids[1], d.agents[4]));
    assert_int_equal(ids[2].index1, 0);
    erase_world(&d);

    // requests made together rank in that order, too
    draw_scene(&d, JBW_COLLISION_FIRST, "^>", "12..\n");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    draw_agent(&d, (jbw_position){3, 0}, JBW_LEFT); // may reuse the slot of 1
    const jbw_agent_id both[] = {d.agents[3], d.agents[2]};
    const int actions[] = {0, 0};
    assert_int_equal(jbw_world_act(d.world, both, actions, 2, NULL), JBW_OK);
    assert_drawing(&d, "..23\n");
    erase_world(&d);
}

static void assert_no_such_agent(drawn_world *d, jbw_agent_id id)
{
    jbw_agent_state agent_state;
    jbw_agent_result result;
    float vision[7 * 7];
    bool stepped = false;
    const int action = 0;
    const uint64_t hash = jbw_world_hash(d->world);
    assert_int_equal(jbw_agent_get_state(d->world, id, &agent_state), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_get_result(d->world, id, &result), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_perceive(d->world, id, vision, NULL), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_act(d->world, id, action, &stepped), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_world_act(d->world, &id, &action, 1, &stepped), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_set_active(d->world, id, true), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_set_active(d->world, id, false), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_world_remove_agent(d->world, id), JBW_NO_SUCH_AGENT);
    assert_null(jbw_agent_inventory(d->world, id));
    assert_false(stepped);
    assert_int_equal(jbw_world_hash(d->world), hash);

    // also together with others
    if (!d->agent_count) return;
    const jbw_agent_id both[] = {d->agents[d->agent_count], id};
    const int actions[] = {0, 0};
    assert_int_equal(jbw_world_act(d->world, both, actions, 2, &stepped), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_world_hash(d->world), hash);
}

static void test_stale_ids(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, "", ".\n");
    assert_no_such_agent(&d, (jbw_agent_id){0, 0});
    assert_no_such_agent(&d, (jbw_agent_id){1, 0});
    assert_no_such_agent(&d, (jbw_agent_id){1, 1});
    assert_no_such_agent(&d, (jbw_agent_id){UINT32_MAX, UINT32_MAX});

    // removed, and then another one in its slot
    jbw_agent_id old;
    assert_int_equal(jbw_world_add_agent(d.world, NULL, &old), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(d.world, old), JBW_OK);
    assert_no_such_agent(&d, old);
    draw_agent(&d, (jbw_position){0, 0}, JBW_UP);
    assert_no_such_agent(&d, old);
    assert_no_such_agent(&d, (jbw_agent_id){0, d.agents[1].generation});
    assert_no_such_agent(&d, (jbw_agent_id){d.agents[1].index1, d.agents[1].generation + 1});
    assert_no_such_agent(&d, (jbw_agent_id){d.agents[1].index1 + 1, d.agents[1].generation});
    play(&d, "1F"); // the agent that is there still works
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_place),
        cmocka_unit_test(test_default_place_around_walls),
        cmocka_unit_test(test_default_place_in_a_covered_area),
        cmocka_unit_test(test_explicit_place),
        cmocka_unit_test(test_adding_makes_final),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_order_of_agents),
        cmocka_unit_test(test_stale_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
