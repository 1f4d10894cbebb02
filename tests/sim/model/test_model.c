// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Models: queries, and that a model keeps nothing of its config.
#include "support/models.h"

static void test_queries(void **state)
{
    (void)state;
    jbw_model *model = varied_model(1);
    assert_int_equal(jbw_model_patch_size(model), VARIED_SIZE);
    assert_int_equal(jbw_model_item_type_count(model), 3);
    assert_string_equal(jbw_model_item_name(model, 0), "A");
    assert_string_equal(jbw_model_item_name(model, 2), "C");
    assert_null(jbw_model_item_name(model, 3));
    assert_null(jbw_model_item_name(model, -1));
    assert_int_equal(jbw_model_item_type(model, "B"), 1);
    assert_int_equal(jbw_model_item_type(model, "b"), -1);
    assert_int_equal(jbw_model_item_type(model, ""), -1);
    assert_int_equal(jbw_model_reach(model), VARIED_REACH);
    jbw_model_destroy(model);
    jbw_model_destroy(NULL);
    jbw_world_destroy(NULL);
}

static void test_config_is_copied(void **state)
{
    (void)state;
    // everything in the config is overwritten once the model exists
    char name[] = "Thing";
    char other[] = "Other";
    char intensity[] = "Constant[-0.25]";
    char interaction[] = "PiecewiseBox[4, 9, -0.5, 0.25]";
    jbw_interaction interactions[] = {{name, interaction}, {other, interaction}};
    jbw_item_type own[] = {
        {.name = name,
         .intensity = intensity,
         .interactions = interactions,
         .interaction_count = 2},
        {.name = other, .intensity = intensity},
    };
    jbw_config config = small_config(VARIED_SIZE, 200, own, 2);
    jbw_model *kept = model_of(&config);
    jbw_world *expected = world_of(kept, 3);
    explore_cell(expected, 0, 0);

    jbw_model *model = model_of(&config);
    memset(name, 'x', sizeof name);
    memset(other, 'x', sizeof other);
    memset(intensity, 'x', sizeof intensity);
    memset(interaction, 'x', sizeof interaction);
    memset(interactions, 0xA5, sizeof interactions);
    memset(own, 0xA5, sizeof own);
    memset(&config, 0xA5, sizeof config);
    jbw_world *world = world_of(model, 3);
    explore_cell(world, 0, 0);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(expected));
    assert_string_equal(jbw_model_item_name(model, 0), "Thing");
    jbw_world_destroy(world);
    jbw_world_destroy(expected);
    jbw_model_destroy(model);
    jbw_model_destroy(kept);
}

static void test_config_without_cookie(void **state)
{
    (void)state;
    const jbw_config config = {.patch_size = 8, .mh_iterations = 1, .color_dimensions = 1};
    jbw_model *model = (jbw_model *)&config;
    assert_int_not_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    assert_null(model);
}

static void test_farthest_sight(void **state)
{
    (void)state;
    static const struct {
        int patch_size;
        int farthest;
    } cases[] = {{3, 1}, {4, 1}, {5, 2}, {12, 5}};
    static const jbw_item_type thing = {.name = "Thing", .intensity = "Constant[0]"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_config config = small_config(cases[i].patch_size, 1, &thing, 1);
        config.agent.vision_range = cases[i].farthest;
        assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_OK);
        config.agent.vision_range++;
        assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_config_is_copied),
        cmocka_unit_test(test_config_without_cookie),
        cmocka_unit_test(test_farthest_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
