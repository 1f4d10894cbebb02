// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The world as a client sees and edits it, compared with a local world.
#include "support/served.h"

#include <stdlib.h>

static void test_maps_and_edits(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_world *twin = world_of(s.model, SERVED_SEED);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_position places[2] = {{0, 0}, {40, -3}};
    assert_int_equal(jbw_client_explore(client, places, 2), JBW_OK);
    assert_int_equal(jbw_world_explore(twin, places, 2), JBW_OK);

    // larger than a message: read in strips
    enum { SIDE = 400 };
    const jbw_region region = {-200, -150, SIDE, SIDE};
    uint8_t *maps = calloc(4, SIDE * SIDE);
    assert_non_null(maps);
    uint8_t *at[4] = {maps, maps + SIDE * SIDE, maps + 2 * SIDE * SIDE, maps + 3 * SIDE * SIDE};
    assert_int_equal(jbw_client_read_region(client, region, at[0], at[1]), JBW_OK);
    assert_int_equal(jbw_world_read_region(twin, region, at[2], at[3]), JBW_OK);
    assert_memory_equal(at[0], at[2], 2 * SIDE * SIDE);

    // onions are out of season
    const jbw_region_planes planes[2] = {{.hidden = at[0], .states = at[1]},
                                         {.hidden = at[2], .states = at[3]}};
    assert_int_equal(jbw_client_read_planes(client, region, &planes[0]), JBW_OK);
    assert_int_equal(jbw_world_read_planes(twin, region, &planes[1]), JBW_OK);
    assert_memory_equal(at[0], at[2], 2 * SIDE * SIDE);
    const jbw_region_planes nothing = {0};
    assert_int_equal(jbw_client_read_planes(client, region, &nothing), JBW_OK);
    const uint8_t *onion = memchr(at[0], 2, SIDE * SIDE);
    assert_non_null(onion);
    const int64_t index = onion - at[0];
    jbw_cell_info info[2];
    const jbw_position hidden = {region.x + index % SIDE, region.y + index / SIDE};
    assert_int_equal(jbw_client_inspect(client, hidden, &info[0]), JBW_OK);
    assert_int_equal(jbw_world_inspect(twin, hidden, &info[1]), JBW_OK);
    assert_int_equal(info[0].item, 1);
    assert_true(info[0].is_hidden && info[1].is_hidden && info[0].is_generated);
    assert_int_equal(info[0].state, info[1].state);

    // find an empty cell
    const jbw_region_planes all = {.items = at[0], .hidden = at[1]};
    assert_int_equal(jbw_client_read_planes(client, region, &all), JBW_OK);
    jbw_position cell = {0, 0};
    size_t at_cell = (size_t)((cell.y - region.y) * SIDE + cell.x - region.x);
    for (; at[0][at_cell] != 0 || at[1][at_cell] != 0; at_cell++) cell.x++;
    assert_int_equal(jbw_client_place_item(client, 0, cell), JBW_OK);
    assert_int_equal(jbw_world_place_item(twin, 0, cell), JBW_OK);
    assert_int_equal(jbw_client_place_item(client, 1, cell), JBW_CELL_BLOCKED);
    float scents[2][4][80][2];
    const jbw_region smelled = {-40, -2, 80, 4};
    assert_int_equal(jbw_client_smell(client, smelled, &scents[0][0][0][0]), JBW_OK);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 80; x++) {
            const jbw_position p = {smelled.x + x, smelled.y + y};
            assert_int_equal(jbw_world_smell(twin, p, scents[1][y][x]), JBW_OK);
        }
    assert_memory_equal(scents[0], scents[1], sizeof scents[0]);
    assert_int_equal(jbw_client_remove_item(client, cell), JBW_OK);
    assert_int_equal(jbw_client_remove_item(client, cell), JBW_NOT_FOUND);
    assert_int_equal(jbw_world_remove_item(twin, cell), JBW_OK);
    assert_int_equal(jbw_client_step(client, 5), JBW_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(jbw_world_step(twin), JBW_OK);
    uint64_t hash;
    assert_int_equal(jbw_client_get_hash(client, NULL, &hash), JBW_OK);
    assert_true(hash == jbw_world_hash(twin));
    free(maps);
    jbw_client_close(client);
    jbw_world_destroy(twin);
    served_close(&s);
}

static void test_model_for_rewards(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *client = served_connect(&s, SERVED_ALL);
    const jbw_model *model = jbw_client_model(client);
    assert_non_null(model);
    assert_int_equal(jbw_model_item_type_count(model), 3);
    assert_string_equal(jbw_model_item_name(model, 1), "Onion");
    assert_ptr_equal(jbw_client_model(client), model);
    jbw_reward *reward;
    assert_int_equal(jbw_reward_compile(model, "Action[-1]", NULL, 0, &reward, NULL), JBW_OK);
    jbw_reward_destroy(reward);
    jbw_client_close(client);
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps_and_edits),
        cmocka_unit_test(test_model_for_rewards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
