// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Edits of the map, and their relation to generation.
#include "support/step_scene.h"

#include <stdlib.h>

static void test_edits(void **state)
{
    (void)state;
    drawn_world d;
    draw_scene(&d, JBW_COLLISION_FIRST, ">", "1...\n");
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_world_place_item(d.world, WALL, (jbw_position){1, 0}), JBW_OK);
    assert_drawing(&d, "1#..\n");
    assert_int_not_equal(jbw_world_hash(d.world), hash);
    play(&d, "1F");
    assert_outcomes(&d, "I");
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), JBW_OK);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_OK);
    play(&d, "1F");
    assert_carries(&d, 1, "1 0 0 0 0 0");

    // what was collected is gone, and the cell is free again
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){1, 0}), JBW_NOT_FOUND);
    assert_int_equal(jbw_world_place_item(d.world, APPLE, (jbw_position){1, 0}), JBW_OK);
    assert_int_equal(item_letter(&d, (jbw_position){1, 0}), 'a');
    assert_carries(&d, 1, "1 0 0 0 0 0");
    erase_world(&d);
}

// --- edits and generation -----------------------------------------------------------------------

static const jbw_item_type crowd[] = {
    {.name = "Apple", .intensity = "Constant[-1]"},
    {.name = "Wall", .intensity = "Constant[-2]", .blocks_movement = true},
};
static const char letters[] = "aw";
enum { CROWD_WALL = 1, CROWD_TYPES };

// a world full of items, with a final patch at the origin
static void draw_crowd(drawn_world *d)
{
    jbw_config config = drawn_config(crowd, CROWD_TYPES);
    config.mh_iterations = 3000;
    draw_world(d, &config, letters, "", ".\n");
    assert_int_equal(jbw_world_finalize_patch(d->world, (jbw_position){0, 0}), JBW_OK);
}

static void find_cell(const drawn_world *d, char wanted, jbw_position *cell)
{
    while (item_letter(d, *cell) != wanted) cell->x++;
}

static void test_edits_make_final_first(void **state)
{
    (void)state;
    // An edit first makes its patch final, as `finalize_patch` does. The patches: one that is
    // sampled but not final, and one that is missing.
    const jbw_position patches[] = {{1, 1}, {7, -9}};
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 4; kind++) {
            drawn_world d;
            drawn_world twin;
            draw_crowd(&d);
            draw_crowd(&twin);
            assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
            assert_int_equal(jbw_world_patch_state(d.world, patches[i]),
                             i == 0 ? JBW_PATCH_SAMPLED : JBW_PATCH_MISSING);

            // in one world in two calls, to know what is there
            jbw_position cell = {patches[i].x * DRAWN_PATCH_SIZE, patches[i].y * DRAWN_PATCH_SIZE};
            assert_int_equal(jbw_world_finalize_patch(d.world, patches[i]), JBW_OK);
            find_cell(&d, kind % 2 ? 'a' : '.', &cell);
            const jbw_status expected = kind == 0 || kind == 3 ? JBW_OK
                                        : kind == 1            ? JBW_CELL_BLOCKED
                                                               : JBW_NOT_FOUND;
            drawn_world *both[] = {&d, &twin};
            for (int k = 0; k < 2; k++) {
                jbw_world *world = both[k]->world;
                assert_int_equal(kind < 2 ? jbw_world_place_item(world, CROWD_WALL, cell)
                                          : jbw_world_remove_item(world, cell),
                                 expected);
            }
            assert_int_equal(jbw_world_patch_state(twin.world, patches[i]), JBW_PATCH_FINAL);
            assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(twin.world));
            erase_world(&d);
            erase_world(&twin);
        }
}

// everything in a large area
static void read_all(const drawn_world *d, uint8_t *out)
{
    const int64_t reach = 4 * DRAWN_PATCH_SIZE;
    const jbw_region region = {-reach, -reach, 2 * reach, 2 * reach};
    assert_int_equal(jbw_world_read_region(d->world, region, out, NULL), JBW_OK);
}

static void test_generation_ignores_edits(void **state)
{
    (void)state;
    enum { CELLS = 64 * DRAWN_PATCH_SIZE * DRAWN_PATCH_SIZE };
    // the same world twice; in one of them a patch is cleared and filled with walls
    drawn_world d;
    drawn_world twin;
    draw_crowd(&d);
    draw_crowd(&twin);
    for (int64_t y = 0; y < DRAWN_PATCH_SIZE; y++)
        for (int64_t x = 0; x < DRAWN_PATCH_SIZE; x++) {
            const jbw_position cell = {x, y};
            if (item_letter(&d, cell) != '.')
                assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_OK);
            if (x % 3) assert_int_equal(jbw_world_place_item(d.world, CROWD_WALL, cell), JBW_OK);
        }

    // what is generated afterwards is the same in both: changes are neither copied nor sampled
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_edits_make_final_first),
        cmocka_unit_test(test_generation_ignores_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
