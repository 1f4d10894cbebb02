// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What can be done to a world between steps: adding and removing agents, editing, and everything
/// that is refused.
#include "support/drawing.h"

#include <stdlib.h>
#include <string.h>

static const jbw_item_type items[] = {
    {.name = "Apple"},
    {.name = "Wall", .blocks_movement = true, .is_uncollectable = true},
};
static const char letters[] = "a#";
enum { APPLE, WALL, TYPES };

static void draw(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing)
{
    jbw_config config = drawn_config(items, TYPES);
    config.collision = collision;
    draw_world(d, &config, letters, facing, drawing);
}

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
    // one after the other they fill the squares around the origin, from the inside out
    enum { COUNT = 49 };
    drawn_world d;
    drawn_world twin;
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
    draw(&twin, JBW_COLLISION_FIRST, "", ".\n");
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
    // all around the origin is walled in, but for one cell two to the left and one down
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (int64_t y = -2; y <= 2; y++)
        for (int64_t x = -2; x <= 2; x++)
            if (x != -2 || y != -1)
                assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){x, y}), JBW_OK);
    const jbw_position place = add_by_default(d.world);
    assert_int_equal(place.x, -2);
    assert_int_equal(place.y, -1);
    assert_int_equal(ring_of(add_by_default(d.world)), 3);
    erase_world(&d);

    // what does not block is no hindrance, and is not collected
    draw(&d, JBW_COLLISION_FIRST, "", "a\n");
    assert_int_equal(ring_of(add_by_default(d.world)), 0);
    assert_int_equal(item_letter(&d, (jbw_position){0, 0}), 'a');
    erase_world(&d);

    // where agents may share cells all begin at the origin, unless it is blocked
    draw(&d, JBW_COLLISION_ALLOW, "", ".\n");
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
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
    for (int64_t y = -30; y <= 30; y++)
        for (int64_t x = -30; x <= 30; x++)
            assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){x, y}), JBW_OK);
    assert_int_equal(ring_of(add_by_default(d.world)), 31);
    erase_world(&d);
}

static void test_explicit_place(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1#a.\n");
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
    // they can leave, but not go back
    play(&d, "1N 2N 3F 4B");
    assert_outcomes(&d, "DDDA");
    play(&d, "1N 2B 3B 4B");
    assert_outcomes(&d, "DDAD");
    erase_world(&d);

    // agents may share cells, but walls are walls
    draw(&d, JBW_COLLISION_ALLOW, ">", "1#\n");
    options = (jbw_agent_options){.has_position = true};
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_OK);
    options.position.x = 1;
    assert_int_equal(jbw_world_add_agent(d.world, &options, &id), JBW_CELL_BLOCKED);
    erase_world(&d);
}

static void test_adding_makes_final(void **state)
{
    (void)state;
    // the square [29, 55) x [-113, -87) in patches of 26
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
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
    // two come, one goes, from all over; no id is ever seen again
    enum { COUNT = 200 };
    drawn_world d;
    draw(&d, JBW_COLLISION_ALLOW, "", ".\n");
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
    // always in the order in which they were added, whichever places became free
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "^^^^", "1.2.3.4.\n");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[3]), JBW_OK);
    draw_agent(&d, (jbw_position){1, 0}, JBW_UP);
    draw_agent(&d, (jbw_position){3, 0}, JBW_UP);
    jbw_agent_id ids[5];
    assert_int_equal(jbw_world_agents(d.world, ids, 5), 4);
    static const int expected[] = {2, 4, 5, 6};
    for (int i = 0; i < 4; i++) assert_true(is_same(ids[i], d.agents[expected[i]]));

    // no more than there is room for
    memset(ids, 0, sizeof ids);
    assert_int_equal(jbw_world_agents(d.world, ids, 2), 4);
    assert_true(is_same(ids[1], d.agents[4]));
    assert_int_equal(ids[2].index1, 0);
    erase_world(&d);

    // requests handed over together rank in that order, too
    draw(&d, JBW_COLLISION_FIRST, "^>", "12..\n");
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
    draw_agent(&d, (jbw_position){3, 0}, JBW_LEFT); // may have got the place of 1
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

    // among others, too
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
    draw(&d, JBW_COLLISION_FIRST, "", ".\n");
    assert_no_such_agent(&d, (jbw_agent_id){0, 0});
    assert_no_such_agent(&d, (jbw_agent_id){1, 0});
    assert_no_such_agent(&d, (jbw_agent_id){1, 1});
    assert_no_such_agent(&d, (jbw_agent_id){UINT32_MAX, UINT32_MAX});

    // gone, and then another one in its place
    jbw_agent_id old;
    assert_int_equal(jbw_world_add_agent(d.world, NULL, &old), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(d.world, old), JBW_OK);
    assert_no_such_agent(&d, old);
    draw_agent(&d, (jbw_position){0, 0}, JBW_UP);
    assert_no_such_agent(&d, old);
    assert_no_such_agent(&d, (jbw_agent_id){0, d.agents[1].generation});
    assert_no_such_agent(&d, (jbw_agent_id){d.agents[1].index1, d.agents[1].generation + 1});
    assert_no_such_agent(&d, (jbw_agent_id){d.agents[1].index1 + 1, d.agents[1].generation});
    play(&d, "1F"); // and who is there is none the worse for it
    erase_world(&d);
}

// --- refusals -----------------------------------------------------------------------------------

static void test_invalid_arguments(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1a.\n");
    const uint64_t hash = jbw_world_hash(d.world);
    static const int64_t beyond = JBW_MAX_COORDINATE + 1;
    const jbw_position near = {2, 0};
    jbw_agent_id id;
    bool stepped = false;
    float scent[8];
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], -1, &stepped), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], 11, &stepped), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_agent_act(d.world, d.agents[1], INT32_MAX, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, -1, near), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, TYPES, near), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_CELL_BLOCKED);
    assert_int_equal(jbw_world_remove_item(d.world, near), JBW_NOT_FOUND);
    const jbw_agent_options nowhere = {.has_position = true, .position = {2, 0}, .direction = 4};
    assert_int_equal(jbw_world_add_agent(d.world, &nowhere, &id), JBW_INVALID_ARGUMENT);

    const jbw_position far_cells[] = {
        {beyond, 0}, {-beyond, 0}, {0, beyond}, {0, -beyond}, {INT64_MAX, INT64_MIN}};
    for (size_t i = 0; i < sizeof far_cells / sizeof far_cells[0]; i++) {
        const jbw_agent_options far = {.has_position = true, .position = far_cells[i]};
        assert_int_equal(jbw_world_add_agent(d.world, &far, &id), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_place_item(d.world, APPLE, far_cells[i]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_remove_item(d.world, far_cells[i]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_smell(d.world, far_cells[i], scent), JBW_OUT_OF_RANGE);
    }
    assert_false(stepped);
    assert_int_equal(jbw_world_hash(d.world), hash);
    assert_int_equal(jbw_world_time(d.world), 0);
    erase_world(&d);
}

// --- edits --------------------------------------------------------------------------------------

static void test_edits(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, ">", "1...\n");
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){1, 0}), JBW_OK);
    assert_drawing(&d, "1#..\n");
    assert_int_not_equal(jbw_world_hash(d.world), hash);
    play(&d, "1F");
    assert_outcomes(&d, "I");
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), JBW_OK);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_OK);
    play(&d, "1F");
    assert_carries(&d, 1, "1 0");

    // what was collected is gone, and there is room again
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), JBW_NOT_FOUND);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_OK);
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), 'a');
    assert_carries(&d, 1, "1 0");
    erase_world(&d);
}

static const jbw_item_type crowd[] = {
    {.name = "Apple", .intensity = "Constant[-1]"},
    {.name = "Wall", .intensity = "Constant[-2]", .blocks_movement = true},
};

static jbw_config crowded_config(void)
{
    jbw_config config = drawn_config(crowd, TYPES);
    config.mh_iterations = 3000;
    return config;
}

static void find_cell(const drawn_world *d, char wanted, jbw_position *cell)
{
    while (item_letter(d, *cell) != wanted) cell->x++;
}

static void test_edits_make_final_first(void **state)
{
    (void)state;
    // An edit does by itself what `finalize_patch` would have done before it. The patches: one that
    // is sampled but not final, and one of which nothing is known.
    const jbw_config config = crowded_config();
    const jbw_position patches[] = {{1, 1}, {7, -9}};
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 4; kind++) {
            drawn_world d;
            drawn_world twin;
            draw_world(&d, &config, letters, "", ".\n");
            draw_world(&twin, &config, letters, "", ".\n");
            assert_int_equal(jbw_world_finalize_patch(d.world, (jbw_position){0, 0}), JBW_OK);
            assert_int_equal(jbw_world_finalize_patch(twin.world, (jbw_position){0, 0}), JBW_OK);
            assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
            assert_int_equal(jbw_world_patch_state(d.world, patches[i]),
                             i == 0 ? JBW_PATCH_SAMPLED : JBW_PATCH_MISSING);

            // in one world in two calls: then it is known what is there
            jbw_position cell = {patches[i].x * DRAWN_PATCH_SIZE, patches[i].y * DRAWN_PATCH_SIZE};
            assert_int_equal(jbw_world_finalize_patch(d.world, patches[i]), JBW_OK);
            find_cell(&d, kind % 2 ? 'a' : '.', &cell);
            const jbw_status expected = kind == 0 || kind == 3 ? JBW_OK
                                        : kind == 1            ? JBW_CELL_BLOCKED
                                                               : JBW_NOT_FOUND;
            drawn_world *both[] = {&d, &twin};
            for (int k = 0; k < 2; k++) {
                jbw_world *world = both[k]->world;
                assert_int_equal(kind < 2 ? jbw_world_place_item(world, WALL, cell)
                                          : jbw_world_remove_item(world, cell),
                                 expected);
            }
            assert_int_equal(jbw_world_patch_state(twin.world, patches[i]), JBW_PATCH_FINAL);
            assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
            erase_world(&d);
            erase_world(&twin);
        }
}

// everything in a wide area, as a hash
static void read_all(const drawn_world *d, uint8_t *out)
{
    const int64_t reach = 4 * DRAWN_PATCH_SIZE;
    const jbw_region region = {-reach, -reach, 2 * reach, 2 * reach};
    assert_int_equal(jbw_world_read_region(d->world, region, out, NULL), JBW_OK);
}

static void test_generation_does_not_see_changes(void **state)
{
    (void)state;
    enum { CELLS = 64 * DRAWN_PATCH_SIZE * DRAWN_PATCH_SIZE };
    // the same world twice; in one of them a whole patch is cleared and built over with walls
    const jbw_config config = crowded_config();
    drawn_world d;
    drawn_world twin;
    draw_world(&d, &config, letters, "", ".\n");
    draw_world(&twin, &config, letters, "", ".\n");
    assert_int_equal(jbw_world_finalize_patch(d.world, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(jbw_world_finalize_patch(twin.world, (jbw_position){0, 0}), JBW_OK);
    for (int64_t y = 0; y < DRAWN_PATCH_SIZE; y++)
        for (int64_t x = 0; x < DRAWN_PATCH_SIZE; x++) {
            const jbw_position cell = {x, y};
            if (item_letter(&d, cell) != '.')
                assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_OK);
            if (x % 3) assert_int_equal(jbw_world_place_item(d.world, WALL, cell), JBW_OK);
        }

    // what is generated afterwards is the same in both: copied and sampled without the changes
    for (int64_t x = 1; x < 3; x++) {
        assert_int_equal(jbw_world_finalize_patch(d.world, (jbw_position){x, x}), JBW_OK);
        assert_int_equal(jbw_world_finalize_patch(twin.world, (jbw_position){x, x}), JBW_OK);
    }
    uint8_t *found = malloc(CELLS);
    uint8_t *expected = malloc(CELLS);
    assert_true(found && expected);
    read_all(&d, found);
    read_all(&twin, expected);
    size_t different = 0;
    for (int i = 0; i < CELLS; i++) {
        const int x = i % (8 * DRAWN_PATCH_SIZE) - 4 * DRAWN_PATCH_SIZE;
        const int y = i / (8 * DRAWN_PATCH_SIZE) - 4 * DRAWN_PATCH_SIZE;
        const bool is_built_over = x >= 0 && x < DRAWN_PATCH_SIZE && y >= 0 && y < DRAWN_PATCH_SIZE;
        if (is_built_over)
            different += found[i] != expected[i];
        else
            assert_int_equal(found[i], expected[i]);
    }
    assert_true(different > 100);
    free(found);
    free(expected);
    erase_world(&d);
    erase_world(&twin);
}

static void test_hash_knows_agents(void **state)
{
    (void)state;
    // all that makes a difference later makes one to the hash now
    drawn_world d;
    drawn_world twin;
    draw(&d, JBW_COLLISION_FIRST, ">^", "1a.2\n....\n");
    draw(&twin, JBW_COLLISION_FIRST, ">^", "1a.2\n....\n");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // a request, and which
    ask(&d, "1F");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    ask(&twin, "1N");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    ask(&d, "1N");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // a direction
    play(&d, "2l");
    play(&twin, "2r");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    play(&d, "1N 2r");
    play(&twin, "1N 2l");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // whether one is waited for
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], false), JBW_OK);
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[2], true), JBW_OK);
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));

    // what one carries: the apple is gone in both, but only 1 has it
    play(&d, "1F 2N");
    play(&twin, "1N 2N");
    assert_int_equal(jbw_world_remove_item(twin.world, (jbw_position){1, 1}), JBW_OK);
    play(&d, "1B 2N");
    play(&twin, "1N 2N");
    assert_drawing(&d, "1..2\n....\n");
    assert_drawing(&twin, "1..2\n....\n");
    assert_int_not_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
    erase_world(&d);
    erase_world(&twin);
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
        cmocka_unit_test(test_invalid_arguments),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_edits_make_final_first),
        cmocka_unit_test(test_generation_does_not_see_changes),
        cmocka_unit_test(test_hash_knows_agents),
    };
    return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
