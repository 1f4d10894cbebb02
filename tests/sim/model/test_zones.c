// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds with more biomes than zones can be told apart by: they are slower, and nothing else.
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

static jbw_model *make_model(const jbw_item_type *items, size_t count, jbw_allocator allocator)
{
    jbw_config config = jbw_config_default();
    config.allocator = allocator;
    config.items = items;
    config.item_count = count;
    config.generation = JBW_GENERATION_INVARIANT;
    config.patch_size = SIDE;
    config.agent.vision_range = 3;
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    return model;
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
    jbw_model *model = make_model(items, 2, (jbw_allocator){0});
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, SEED, &world), JBW_OK);
    static uint8_t cells[SIDE * SIDE];
    const jbw_region region = {0, 0, SIDE, SIDE};
    assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
    int found = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (cells[i] != 1) continue;
        const jbw_position cell = {i % SIDE, i / SIDE};
        const double value = jbw_intensity_value(&model->items[0].intensity, SEED, cell);
        assert_false(jbw_intensity_is_never(value));
        found++;
    }
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
    jbw_model *model = make_model(items, TYPES, counting_allocator_make(&counting));
    assert_true(counting.most_byte_count < 20 << 20);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_layers),
        cmocka_unit_test(test_many_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
