// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The shipped worlds: they say what the paper and its code say.
#include "support/world_files.h"

static void test_all_worlds(void **state)
{
    (void)state;
    static const char *const names[] = {"biomes", "nonstationary", "orchard", "paper", "paper-code",
                                        "scent",  "seasons",       "village", "walk",  "workshop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t at = 0;
        while (jbw_shipped_world_name(at) && strcmp(jbw_shipped_world_name(at), names[i]) != 0)
            at++;
        assert_non_null(jbw_shipped_world_name(at));
        assert_non_null(jbw_shipped_world_text(names[i]));

        jbw_config *config = read_config(names[i]);
        jbw_model_destroy(model_of(config));
        jbw_config_free(config);
    }
    assert_null(jbw_shipped_world_name(10));
    assert_null(jbw_shipped_world_text("nowhere"));
    jbw_config_free(NULL);
}

static void test_paper(void **state)
{
    (void)state;
    jbw_config *config = read_config("paper");
    assert_int_equal(config->scent_dimensions, 3);
    assert_int_equal(config->color_dimensions, 3);
    assert_int_equal(config->patch_size, 64);
    assert_int_equal(config->mh_iterations, 10000);
    expect_number(config->scent_decay, 0.4);
    expect_number(config->scent_diffusion, 0.14);
    assert_int_equal(config->collision, JBW_COLLISION_FIRST);
    assert_int_equal(config->collection, JBW_COLLECTION_AUTOMATIC);
    assert_int_equal(config->agent.vision_range, 8);
    expect_number(config->agent.field_of_view, 360.0);
    assert_false(config->agent.visual_occlusion);
    expect_vector(config->agent.color, 0, 0, 0);
    expect_vector(config->agent.scent, 0, 0, 0);
    assert_int_equal(config->agent.action_count, 3);
    assert_int_equal(config->agent.actions[0].kind, JBW_ACTION_MOVE_FORWARD);
    assert_int_equal(config->agent.actions[1].kind, JBW_ACTION_TURN_LEFT);
    assert_int_equal(config->agent.actions[2].kind, JBW_ACTION_TURN_RIGHT);

    assert_int_equal(config->item_count, 6);
    assert_string_equal(config->items[0].name, "JellyBean");
    assert_string_equal(config->items[5].name, "Truffle");
    expect_vector(item_named(config, "JellyBean")->color, 0.82, 0.27, 0.20);
    expect_vector(item_named(config, "JellyBean")->scent, 1.64, 0.54, 0.40);
    expect_vector(item_named(config, "Banana")->color, 0.96, 0.88, 0.20);
    expect_vector(item_named(config, "Banana")->scent, 1.92, 1.76, 0.40);
    expect_vector(item_named(config, "Onion")->color, 0.68, 0.01, 0.99);
    expect_vector(item_named(config, "Onion")->scent, 0.68, 0.01, 0.99);
    expect_vector(item_named(config, "Wall")->color, 0.20, 0.47, 0.67);
    expect_vector(item_named(config, "Wall")->scent, 0, 0, 0);
    expect_vector(item_named(config, "Tree")->color, 0.00, 0.47, 0.06);
    expect_vector(item_named(config, "Tree")->scent, 0.00, 0.47, 0.06);
    expect_vector(item_named(config, "Truffle")->color, 0.42, 0.24, 0.13);
    expect_vector(item_named(config, "Truffle")->scent, 8.40, 4.80, 2.60);
    expect_number(item_named(config, "Onion")->occlusion, 0.0);
    expect_number(item_named(config, "Wall")->occlusion, 1.0);
    expect_number(item_named(config, "Tree")->occlusion, 0.1);
    for (size_t i = 0; i < config->item_count; i++) {
        const bool is_hard = i == 3 || i == 4; // walls and trees
        assert_int_equal(config->items[i].blocks_movement, is_hard);
        assert_false(config->items[i].is_uncollectable);
        assert_int_equal(config->items[i].requirement_count, 0);
        assert_int_equal(config->items[i].cost_count, 0);
    }

    static const char *const intensities[] = {"Constant[1.5]", "Constant[1.5]", "Constant[1.5]",
                                              "Constant[-12]", "Constant[2]",   "Constant[0]"};
    for (size_t i = 0; i < 6; i++) assert_string_equal(config->items[i].intensity, intensities[i]);
    static const size_t interaction_counts[] = {3, 3, 0, 1, 1, 2};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(config->items[i].interaction_count, interaction_counts[i]);
    static const char *const interactions[][3] = {
        {"JellyBean", "JellyBean", "PiecewiseBox[10, 100, 0, -6]"},
        {"JellyBean", "Banana", "PiecewiseBox[10, 100, 2, -100]"},
        {"JellyBean", "Wall", "PiecewiseBox[50, 100, -100, -100]"},
        {"Banana", "JellyBean", "PiecewiseBox[10, 100, 2, -100]"},
        {"Banana", "Banana", "PiecewiseBox[10, 100, 0, -6]"},
        {"Banana", "Wall", "PiecewiseBox[50, 100, -100, -100]"},
        {"Wall", "Wall", "Cross[20, 40, 8, -1000, -1000, -1]"},
        {"Tree", "Tree", "PiecewiseBox[100, 500, 0, -0.1]"},
        {"Truffle", "Truffle", "PiecewiseBox[30, 1000, -0.3, -1]"},
        {"Truffle", "Tree", "PiecewiseBox[4, 200, 2, 0]"},
    };
    for (size_t i = 0; i < sizeof interactions / sizeof *interactions; i++)
        assert_string_equal(interaction_between(config, interactions[i][0], interactions[i][1]),
                            interactions[i][2]);
    jbw_config_free(config);
}

static void test_paper_code(void **state)
{
    (void)state;
    jbw_config *config = read_config("paper-code");
    assert_int_equal(config->item_count, 6);
    assert_string_equal(item_named(config, "Onion")->intensity, "Constant[-3]");
    assert_true(item_named(config, "Wall")->blocks_movement);
    assert_false(item_named(config, "Tree")->blocks_movement);
    assert_true(item_named(config, "Wall")->is_uncollectable);
    assert_true(item_named(config, "Tree")->is_uncollectable);
    assert_false(item_named(config, "Truffle")->is_uncollectable);
    static const char *const shy[] = {"JellyBean", "Banana"};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(interaction_between(config, shy[i], "Wall"), "Zero");
        assert_string_equal(interaction_between(config, shy[i], "Tree"),
                            "PiecewiseBox[50, 100, -100, -100]");
    }
    jbw_config_free(config);
}

static void test_other_worlds(void **state)
{
    (void)state;
    jbw_config *config = read_config("scent");
    assert_int_equal(config->patch_size, 32);
    assert_int_equal(config->mh_iterations, 4000);
    assert_int_equal(config->agent.vision_range, 5);
    expect_number(config->agent.field_of_view, 60.0);
    assert_int_equal(config->item_count, 3);
    expect_vector(item_named(config, "JellyBean")->scent, 0, 0, 1);
    assert_string_equal(item_named(config, "Banana")->intensity, "Constant[-5.3]");
    assert_string_equal(item_named(config, "Onion")->intensity, "Constant[-5]");
    assert_string_equal(interaction_between(config, "JellyBean", "Onion"),
                        "PiecewiseBox[200, 0, -100, -100]");
    assert_string_equal(interaction_between(config, "Banana", "JellyBean"),
                        "PiecewiseBox[10, 100, 2, -100]");
    assert_string_equal(interaction_between(config, "Onion", "Banana"),
                        "PiecewiseBox[200, 0, -6, -6]");
    jbw_config_free(config);

    config = read_config("nonstationary");
    assert_int_equal(config->patch_size, 32);
    expect_number(config->agent.field_of_view, 360.0);
    assert_int_equal(config->item_count, 4);
    assert_string_equal(item_named(config, "JellyBean")->intensity,
                        "RadialHash[500, 60, -3.0, 14]");
    assert_string_equal(interaction_between(config, "Wall", "Wall"),
                        "CrossHash[60, 4, 25, 2, 20, -200, -20, 1]");
    expect_number(item_named(config, "Wall")->occlusion, 1.0);
    assert_true(item_named(config, "Wall")->blocks_movement);
    jbw_config_free(config);

    config = read_config("walk");
    assert_int_equal(config->patch_size, 32);
    assert_int_equal(config->mh_iterations, 4000);
    assert_int_equal(config->agent.vision_range, 5);
    assert_int_equal(config->scent_dimensions, 0);
    assert_int_equal(config->item_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(config->items[i].intensity, "Constant[-2]");
        assert_int_equal(config->items[i].interaction_count, 0);
    }
    jbw_config_free(config);

    // what pays in one biome looks and smells like what costs in another
    config = read_config("biomes");
    static const char *const pairs[3][2] = {
        {"JellyBean", "Toadstool"}, {"Truffle", "Pebble"}, {"Crystal", "Thistle"}};
    for (int i = 0; i < 3; i++) {
        const jbw_item_type *good = item_named(config, pairs[i][0]);
        const jbw_item_type *bad = item_named(config, pairs[i][1]);
        for (int k = 0; k < 3; k++) {
            assert_true(good->color[k] == bad->color[k]);
            assert_true(good->scent[k] == bad->scent[k]);
        }
        assert_string_not_equal(good->intensity, bad->intensity);
    }
    jbw_config_free(config);

    // everything that can be collected grows back, so that memory stays flat
    config = read_config("orchard");
    for (size_t i = 0; i < config->item_count; i++)
        assert_true((config->items[i].regrows == NULL) == config->items[i].is_uncollectable);
    assert_string_equal(item_named(config, "JellyBean")->regrows, "Geometric[1000]");
    jbw_config_free(config);

    // two crops in turn, then a winter without either
    config = read_config("seasons");
    const jbw_season beans = item_named(config, "JellyBean")->season;
    const jbw_season bananas = item_named(config, "Banana")->season;
    assert_int_equal(beans.period, bananas.period);
    assert_int_equal(beans.from, 0);
    assert_int_equal(beans.to, bananas.from);
    assert_true(bananas.to < beans.period);
    assert_int_equal(item_named(config, "Onion")->season.period, 0);
    jbw_config_free(config);

    // metal, an axe, wood, a telescope: each needs what comes before
    config = read_config("workshop");
    assert_int_equal(item_named(config, "Metal")->requirement_count, 0);
    assert_string_equal(item_named(config, "Wood")->requirements[0].item, "Axe");
    assert_string_equal(item_named(config, "Axe")->costs[0].item, "Metal");
    assert_string_equal(item_named(config, "Telescope")->costs[0].item, "Material");
    assert_int_equal(config->kind_count, 2);
    jbw_config_free(config);

    // those who see far collect nothing, and those who collect see little; they can talk and write
    config = read_config("village");
    assert_int_equal(config->item_count, 4);
    assert_int_equal(config->body_count, 2);
    const jbw_body *scout = &config->bodies[0];
    const jbw_body *gatherer = &config->bodies[1];
    assert_string_equal(scout->name, "Scout");
    assert_string_equal(gatherer->name, "Gatherer");
    assert_int_equal(scout->sight.vision_range, 5);
    assert_true(config->agent.vision_range < scout->sight.vision_range);
    assert_true(gatherer->sight.vision_range < config->agent.vision_range);
    assert_int_equal(config->agent.voice.symbols, 4);
    assert_int_equal(config->collection, JBW_COLLECTION_MANUAL);
    assert_true(item_named(config, "Note")->has_text);
    jbw_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_worlds),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_paper_code),
        cmocka_unit_test(test_other_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
