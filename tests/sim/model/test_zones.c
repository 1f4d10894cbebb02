// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds with more biomes than zones can be told apart by, which are slower, and nothing else; and zones
/// that are kept for patches that are sampled again.
#include "support/allocations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/world.h"
#include "sim/model/model.h"

enum { SIZE = 20000, SIDE = 64, SEED = 5 };

// appends a biome of 16 equal shares, with every other value `never` or all of them different
static void append_biome(char *text, int scale, int layer, bool is_never)
{
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, SIZE - at, "%sBiome[%d, %d", at ? " + " : "", scale, layer);
    for (int k = 0; k < 16; k++)
        at += (size_t)(is_never && k % 2
                           ? snprintf(text + at, SIZE - at, ", (0.0625, never)")
                           : snprintf(text + at, SIZE - at, ", (0.0625, %g)", -1 - 0.001 * k));
    snprintf(text + at, SIZE - at, "]");
}

static jbw_model *make_model(const jbw_item_type *items, size_t count, jbw_generation generation,
                             jbw_allocator allocator)
{
    jbw_config config = jbw_config_default();
    config.allocator = allocator;
    config.items = items;
    config.item_count = count;
    config.generation = generation;
    config.patch_size = SIDE;
    config.agent.vision_range = 3;
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    return model;
}

// No item of the first type is where it never is. Returns how many there are in a patch.
static int check_cells(const jbw_world *world, const jbw_model *model, uint64_t seed, int64_t left)
{
    static uint8_t cells[SIDE * SIDE];
    const jbw_region region = {left, 0, SIDE, SIDE};
    assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
    int found = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (cells[i] != 1) continue;
        const jbw_position cell = {left + i % SIDE, i / SIDE};
        const double value = jbw_intensity_value(&model->items[0].intensity, seed, cell);
        assert_false(jbw_intensity_is_never(value));
        found++;
    }
    return found;
}

// 17 layers of 16 classes have 2^68 combinations
static void test_many_layers(void **state)
{
    (void)state;
    static char patchy[SIZE];
    static char other[SIZE];
    patchy[0] = other[0] = '\0';
    append_biome(patchy, 20, 0, true);
    for (int layer = 1; layer <= 16; layer++) append_biome(other, 1000000, layer, false);
    const jbw_interaction of_a[] = {{"A", "PiecewiseBox[1, 2, 0.1, -0.1]"}};
    const jbw_interaction of_b[] = {{"B", "PiecewiseBox[1, 2, 0.1, -0.1]"}};
    const jbw_item_type items[] = {
        {.name = "A", .intensity = patchy, .interactions = of_a, .interaction_count = 1},
        {.name = "B", .intensity = other, .interactions = of_b, .interaction_count = 1}};
    jbw_model *model = make_model(items, 2, JBW_GENERATION_INVARIANT, (jbw_allocator){0});
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, SEED, &world), JBW_OK);
    const int found = check_cells(world, model, SEED, 0);
    assert_true(found > 100);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// as many biomes as a config can hold take no more memory than their numbers
static void test_many_cuts(void **state)
{
    (void)state;
    enum { TYPES = 100 };
    static char text[SIZE];
    static char names[TYPES][8];
    static jbw_item_type items[TYPES];
    text[0] = '\0';
    for (int i = 0; i < 16; i++) append_biome(text, 50, i % 2, true);
    for (int t = 0; t < TYPES; t++) {
        snprintf(names[t], sizeof names[t], "T%d", t);
        items[t] = (jbw_item_type){.name = names[t], .intensity = text};
    }
    counting_allocator counting = {0};
    jbw_model *model =
        make_model(items, TYPES, JBW_GENERATION_INVARIANT, counting_allocator_make(&counting));
    assert_true(counting.most_byte_count < 20 << 20);
    jbw_model_destroy(model);
}

// the patches of a walk are sampled again and again, by samplers that worlds of other seeds used before
static void test_worlds_take_turns(void **state)
{
    (void)state;
    enum { WORLDS = 20, COLUMNS = 3 };
    const jbw_item_type item = {.name = "A", .intensity = "Biome[20, 0, (0.5, -1), (0.5, never)]"};
    jbw_model *model = make_model(&item, 1, JBW_GENERATION_FRONTIER, (jbw_allocator){0});
    jbw_world *worlds[WORLDS];
    for (int w = 0; w < WORLDS; w++)
        assert_int_equal(jbw_world_create(model, (uint64_t)w, &worlds[w]), JBW_OK);
    for (int64_t column = 0; column < COLUMNS; column++) {
        const jbw_position cell = {column * SIDE, 0};
        for (int w = 0; w < WORLDS; w++) {
            assert_int_equal(jbw_world_explore(worlds[w], &cell, 1), JBW_OK);
            assert_true(check_cells(worlds[w], model, (uint64_t)w, cell.x) > 100);
        }
    }
    for (int w = 0; w < WORLDS; w++) jbw_world_destroy(worlds[w]);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_layers),
        cmocka_unit_test(test_many_cuts),
        cmocka_unit_test(test_worlds_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
