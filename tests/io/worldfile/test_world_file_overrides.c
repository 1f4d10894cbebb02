// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Overrides of single values of a world file, as with `--set`.
#include "support/world_files.h"

#include <stdio.h>

#include "support/allocations.h"

static void test_overrides(void **state)
{
    (void)state;
    char intensity[] = "Constant[-3]";
    const jbw_override overrides[] = {
        {"agent.field_of_view", "90"},
        {"items.Onion.intensity", intensity},
        {"items.Onion.interactions", ""},
        {"agent.color", "[0,0,1]"},
        {"items.Leek.color", "[1, 1, 0]"},
        {"items.Leek.interactions.Onion", "PiecewiseBox[1, 2, 3, 4]"},
        {"agent.actions.0", "Drop[Leek]"},
        {"agent.field_of_view", "120"}, // the last one wins
        {"collision", "allow"},
        {"items.Wall", "{blocks_movement: true, intensity: 'Constant[2]'}"},
    };
    const jbw_world_file_options options = {.overrides = overrides,
                                            .override_count = sizeof overrides / sizeof *overrides};
    jbw_config *config;
    assert_int_equal(jbw_world_file_read("paper", &options, &config, NULL), JBW_OK);
    memset(intensity, 'x', sizeof intensity - 1); // the config refers to none of it
    expect_number(config->agent.field_of_view, 120.0);
    expect_vector(config->agent.color, 0, 0, 1);
    assert_int_equal(config->agent.actions[0].kind, JBW_ACTION_DROP);
    assert_int_equal(config->agent.actions[1].kind, JBW_ACTION_TURN_LEFT);
    assert_string_equal(item_named(config, "Onion")->intensity, "Constant[-3]");
    expect_vector(item_named(config, "Onion")->color, 0.68, 0.01, 0.99);
    expect_vector(item_named(config, "Leek")->color, 1, 1, 0);
    assert_string_equal(interaction_between(config, "Leek", "Onion"), "PiecewiseBox[1, 2, 3, 4]");
    assert_int_equal(config->collision, JBW_COLLISION_ALLOW);
    assert_null(item_named(config, "Wall")->color); // replaced as a whole
    assert_true(item_named(config, "Wall")->blocks_movement);
    jbw_config_free(config);
}

// overrides of a file that is empty, and so many that each of their allocations is the one that needs
// a new block
static void test_memory(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    char keys[COUNT][32];
    jbw_override overrides[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(keys[i], sizeof keys[i], "items.T%d.interactions.T0", i);
        overrides[i] = (jbw_override){keys[i], "Zero"};
    }
    counting_allocator counting = {0};
    const jbw_world_file_options options = {.overrides = overrides,
                                            .override_count = COUNT,
                                            .allocator = counting_allocator_make(&counting)};
    for (size_t n = 1;; n++) {
        jbw_config *config;
        fail_allocations(&counting, n, 1);
        const jbw_status status = jbw_world_file_parse("", 0, "file", &options, &config, NULL);
        allow_allocations(&counting);
        if (!status) assert_int_equal(config->item_count, COUNT);
        jbw_config_free(config);
        assert_int_equal(counting.block_count, 0);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
    }
}

static void test_faulty_overrides(void **state)
{
    (void)state;
    const char *text = "agent:\n  color: [0, 0, 0]\nitems:\n  Onion: {intensity: Zero}\n";
    expect_problems(parse_world_set(text, "agent.vison_range", "5"),
                    "--set agent.vison_range:0:0: unknown key 'vison_range', did you mean "
                    "'vision_range'?\n");
    expect_problems(
        parse_world_set(text, "agent.vision_range", "far"),
        "--set agent.vision_range:0:0: found the text 'far', expected a whole number\n");
    expect_problems(parse_world_set(text, "agent.vision_range", "1000"),
                    "--set agent.vision_range:0:0: found 1000, expected 0 to 31: agents see at "
                    "most half a patch, and patch_size is 64\n");
    expect_problems(parse_world_set(text, "items.Onion.intensity", "Constant[x]"),
                    "--set items.Onion.intensity:1:10: found 'x', expected a number\n");
    expect_problems(parse_world_set(text, "agent.color", "[0, 0"),
                    "--set agent.color:1:6: flow sequence without a closing bracket\n");
    expect_problems(
        parse_world_set(text, "agent.color.3", "1"),
        "--set agent.color.3:0:0: 'agent.color' is a list of 3, so it has no entry '3'; "
        "entries are numbered from 0\n");
    expect_problems(
        parse_world_set(text, "agent.color.-1", "1"),
        "--set agent.color.-1:0:0: 'agent.color' is a list of 3, so it has no entry '-1'; "
        "entries are numbered from 0\n");
    expect_problems(
        parse_world_set(text, "agent.color.red", "1"),
        "--set agent.color.red:0:0: 'agent.color' is a list of 3, so it has no entry 'red'; "
        "entries are numbered from 0\n");
    // a long text is cut between two characters
    expect_problems(
        parse_world_set(text, "patch_size",
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\xc3\xbcyz"),
        "--set patch_size:0:0: found the text "
        "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected a whole "
        "number\n");
    expect_problems(parse_world_set(text, "patch_size", "\"a\\tb\""),
                    "--set patch_size:0:0: found the text 'a b', expected a whole number\n");
    expect_problems(parse_world_set(text, "items.Onion.intensity.value", "1"),
                    "--set items.Onion.intensity.value:0:0: 'items.Onion.intensity' is the text "
                    "'Zero', so it has no key 'value'\n");
    expect_problems(parse_world_set(text, "agent..color", "1"),
                    "--set agent..color:0:0: found an empty key or key part, expected a path such "
                    "as agent.vision_range\n");
    expect_problems(parse_world_set(text, "", "1"), "--set :0:0: found an empty key or key part, "
                                                    "expected a path such as agent.vision_range\n");

    // the problems of the file come first, then those of the overrides, in order
    const jbw_override overrides[] = {{"patch_size", "b"}, {"mh_iterations", "a"}};
    const jbw_world_file_options options = {.overrides = overrides, .override_count = 2};
    expect_problems(parse_world_with("agent: 5\npatch_size: x\n", options),
                    "file:1:8: found the number 5, expected a mapping such as {vision_range: 8}\n"
                    "--set patch_size:0:0: found the text 'b', expected a whole number\n"
                    "--set mh_iterations:0:0: found the text 'a', expected a whole number\n");

    // an error also says where it comes from
    jbw_config *config;
    jbw_error error;
    jbw_world_file_parse("{}", 2, "file", &options, &config, &error);
    assert_string_equal(error.text,
                        "--set patch_size: found the text 'b', expected a whole number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_faulty_overrides),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
