// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files: every key, JSON, aliases, files that cannot be read, limits, functions of the
/// caller.
#include "support/world_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/allocations.h"
#include "support/files.h"

static void test_every_key(void **state)
{
    (void)state;
    jbw_config *config = parse_world("scent_dimensions: 1\n"
                                     "color_dimensions: 2\n"
                                     "patch_size: 16\n"
                                     "mh_iterations: 77\n"
                                     "scent_decay: 0.25\n"
                                     "scent_diffusion: 0.125\n"
                                     "collision: random\n"
                                     "collection: manual\n"
                                     "agent:\n"
                                     "  color: [1, 2]\n"
                                     "  scent: [3]\n"
                                     "  vision_range: 7\n"
                                     "  field_of_view: 90.5\n"
                                     "  visual_occlusion: True\n"
                                     "  actions:\n"
                                     "    - MoveBackward\n"
                                     "    - Drop [ Wall ]\n"
                                     "    - NoOp\n"
                                     "items:\n"
                                     "  Axe:\n"
                                     "  Wall:\n"
                                     "    color: [.5, -1e-1]\n"
                                     "    scent: [2]\n"
                                     "    occlusion: 0.5\n"
                                     "    blocks_movement: true\n"
                                     "    collectable: false\n"
                                     "    intensity: Constant[-1]\n"
                                     "    interactions:\n"
                                     "      Wall: Table[(0, 1, 0),\n"
                                     "                  (1, 0, 1),\n"
                                     "                  (0, 1, 0)]\n"
                                     "      Axe: \"Zero\"\n"
                                     "    requires: {Axe: 1}\n"
                                     "    costs: {Wall: 2, Axe: 3}\n");
    assert_non_null(config);
    assert_int_equal(config->scent_dimensions, 1);
    assert_int_equal(config->color_dimensions, 2);
    assert_int_equal(config->patch_size, 16);
    assert_int_equal(config->mh_iterations, 77);
    expect_number(config->scent_decay, 0.25);
    expect_number(config->scent_diffusion, 0.125);
    assert_int_equal(config->collision, JBW_COLLISION_RANDOM);
    assert_int_equal(config->collection, JBW_COLLECTION_MANUAL);
    expect_number(config->agent.color[1], 2.0);
    expect_number(config->agent.scent[0], 3.0);
    assert_int_equal(config->agent.vision_range, 7);
    expect_number(config->agent.field_of_view, 90.5);
    assert_true(config->agent.visual_occlusion);
    assert_int_equal(config->agent.action_count, 3);
    assert_int_equal(config->agent.actions[0].kind, JBW_ACTION_MOVE_BACKWARD);
    assert_int_equal(config->agent.actions[1].kind, JBW_ACTION_DROP);
    assert_string_equal(config->agent.actions[1].item, "Wall");
    assert_int_equal(config->agent.actions[2].kind, JBW_ACTION_NO_OP);
    assert_null(config->agent.actions[2].item);

    assert_int_equal(config->item_count, 2);
    const jbw_item_type *axe = item_named(config, "Axe");
    assert_null(axe->color);
    assert_null(axe->intensity);
    assert_false(axe->is_uncollectable);
    const jbw_item_type *wall = item_named(config, "Wall");
    expect_number(wall->color[0], 0.5);
    expect_number(wall->color[1], -0.1);
    expect_number(wall->occlusion, 0.5);
    assert_true(wall->blocks_movement);
    assert_true(wall->is_uncollectable);
    assert_string_equal(interaction_between(config, "Wall", "Wall"),
                        "Table[(0, 1, 0), (1, 0, 1), (0, 1, 0)]");
    assert_int_equal(wall->requirement_count, 1);
    assert_string_equal(wall->requirements[0].item, "Axe");
    assert_int_equal(wall->requirements[0].count, 1);
    assert_int_equal(wall->cost_count, 2);
    assert_int_equal(wall->costs[1].count, 3);
    jbw_config_free(config);
}

static void test_json(void **state)
{
    (void)state;
    jbw_config *config =
        parse_world("{\"patch_size\": 32, \"agent\": {\"vision_range\": 3,\n"
                    "  \"visual_occlusion\": true, \"actions\": [\"Drop[Onion]\"]},\n"
                    " \"items\": {\"Onion\": {\"color\": [0.5, 1e-3, -0.0],\n"
                    "  \"intensity\": \"Constant[-3]\", \"interactions\": null,\n"
                    "  \"costs\": {\"Onion\": 2}}}}");
    assert_non_null(config);
    assert_int_equal(config->patch_size, 32);
    assert_true(config->agent.visual_occlusion);
    assert_string_equal(config->agent.actions[0].item, "Onion");
    expect_vector(item_named(config, "Onion")->color, 0.5, 0.001, 0.0);
    assert_string_equal(item_named(config, "Onion")->intensity, "Constant[-3]");
    assert_int_equal(item_named(config, "Onion")->costs[0].count, 2);
    jbw_config_free(config);

    expect_problems(parse_world("{\"items\": {\"Onion\": {\"intensity\": \"Constant[x]\"}}}"),
                    "file:1:45: found 'x', expected a number\n");
}

static void test_defaults(void **state)
{
    (void)state;
    jbw_config *config = parse_world("{}");
    assert_non_null(config);
    const jbw_config usual = jbw_config_default();
    assert_int_equal(config->patch_size, usual.patch_size);
    assert_int_equal(config->agent.action_count, usual.agent.action_count);
    assert_int_equal(config->item_count, 0);
    jbw_config_free(config);
}

static void test_positions(void **state)
{
    (void)state;
    // a byte order mark, Windows line ends and multibyte letters do not shift positions
    expect_problems(
        parse_world("\xef\xbb\xbfpatch_size: x\r\nagent:\r\n  color: [\"\xc3\xa9\", x, 0]\r\n"),
        "file:1:13: found the text 'x', expected a whole number\n"
        "file:3:11: found the text '\xc3\xa9', expected a number\n"
        "file:3:16: found the text 'x', expected a number\n");
}

static void test_aliases(void **state)
{
    (void)state;
    const char *text = "items:\n  Onion: &onion\n    color: &c [1, 0, 0]\n    scent: *c\n"
                       "  Leek: *onion\n";
    jbw_config *config = parse_world(text);
    assert_non_null(config);
    expect_vector(item_named(config, "Leek")->scent, 1, 0, 0);
    jbw_config_free(config);

    // an override changes one of the two, not the other
    config = parse_world_set(text, "items.Leek.scent.1", "7");
    assert_non_null(config);
    expect_vector(item_named(config, "Leek")->scent, 1, 7, 0);
    expect_vector(item_named(config, "Leek")->color, 1, 0, 0);
    expect_vector(item_named(config, "Onion")->scent, 1, 0, 0);
    jbw_config_free(config);
}

// --- files --------------------------------------------------------------------------------------

static void expect_unreadable(const char *path, jbw_status status, const char *text)
{
    reported = (problem_report){0};
    const jbw_world_file_options options = {.report = collect_problem, .report_user = &reported};
    jbw_config *config;
    jbw_error error = {0};
    assert_int_equal(jbw_world_file_read(path, &options, &config, &error), status);
    assert_null(config);
    assert_string_equal(error.text, text);
    char expected[PATH_SIZE + 200];
    snprintf(expected, sizeof expected, "%s:0:0: %s\n", path, text);
    assert_string_equal(reported.text, expected);
    assert_int_equal(jbw_world_file_read(path, NULL, &config, NULL), status);
}

static void test_files(void **state)
{
    (void)state;
    expect_unreadable("papper", JBW_NOT_FOUND,
                      "no such file or shipped world, did you mean 'paper'?");
    expect_unreadable(
        "somewhere/else.yaml", JBW_NOT_FOUND,
        "no such file or shipped world, expected a path or one of biomes, nonstationary, "
        "orchard, paper, paper-code, scent, seasons, village, walk, workshop");
    expect_unreadable("/", JBW_READ_FAILED, "cannot be read: Is a directory");

    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "world.yaml", path);
    assert_true(file_write(path, "patch_size: 48\n", 15));
    jbw_config *config = read_config(path);
    assert_int_equal(config->patch_size, 48);
    jbw_config_free(config);

    assert_int_equal(truncate(path, (16 << 20) + 1), 0);
    expect_unreadable(path, JBW_READ_FAILED, "is too large, expected at most 16 MiB");
    remove(path);
    assert_true(temporary_folder_remove(&folder));
}

static void test_limits(void **state)
{
    (void)state;
    const size_t size = (16 << 20) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    jbw_config *config;
    jbw_error error;
    memset(text, '\n', size);
    assert_int_equal(jbw_world_file_parse(text, size, "file", NULL, &config, &error),
                     JBW_INVALID_CONFIG);
    assert_string_equal(error.text, "the text is longer than 16 MiB");

    // at most a thousand problems, and the number of the others
    size_t used = (size_t)sprintf(text, "agent:\n  color:\n");
    for (int i = 0; i < 1100; i++) used += (size_t)sprintf(text + used, "    - x\n");
    assert_null(parse_world(text));
    assert_int_equal(reported.count, 1001);
    assert_contains(reported.text, "file:0:0: and 101 more problems\n");

    used = (size_t)sprintf(text, "items:\n");
    for (int i = 0; i <= JBW_MAX_ITEM_TYPES; i++)
        used += (size_t)sprintf(text + used, "  Item%d: {}\n", i);
    expect_problems(parse_world(text), "file:1:1: found 255 items, expected at most 254\n");

    used = (size_t)sprintf(text, "items:\n  Wall:\n    interactions:\n");
    for (int i = 0; i <= JBW_MAX_ITEM_NAMES; i++)
        used += (size_t)sprintf(text + used, "      Item%d: Zero\n", i);
    expect_problems(parse_world(text), "file:4:7: found 509 items, expected at most 508\n");

    used = (size_t)sprintf(text, "items: {Wall: }\nkinds:\n");
    for (int i = 0; i <= JBW_MAX_KINDS; i++)
        used += (size_t)sprintf(text + used, "  Kind%d: [Wall]\n", i);
    expect_problems(parse_world(text), "file:2:1: found 255 kinds, expected at most 254\n");

    used = (size_t)sprintf(text, "items:\n");
    for (int i = 0; i <= 1000; i++)
        used += (size_t)sprintf(text + used, "  Item%d: &a%d {}\n", i, i);
    expect_problems(parse_world(text), "file:1002:14: found more than 1000 anchors\n");

    // tokens of a bracketed list are kept in memory, so their number is limited
    memset(text, '[', 2000001);
    text[2000001] = '\0';
    expect_problems(parse_world(text),
                    "file:0:0: found more than 2000000 lines, commas and brackets\n");

    // long texts count towards alias bombs, too
    used = (size_t)sprintf(text, "items:\n  Onion:\n    intensity: &long \"");
    memset(text + used, 'x', 8 << 20);
    used += 8 << 20;
    sprintf(text + used, "\"\n  Leek:\n    intensity: *long\n  Wall:\n    intensity: *long\n");
    assert_null(parse_world(text));
    assert_contains(reported.text, "file:7:17: the aliases up to here expand to more than");
    free(text);
}

// --- the user's own functions -------------------------------------------------------------------

static double slope(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    return arguments[0] * (double)position.x;
}

static double repel(const double *arguments, jbw_position first, jbw_position second, void *user)
{
    (void)arguments;
    (void)first;
    (void)second;
    (void)user;
    return -1.0;
}

static void test_own_functions(void **state)
{
    (void)state;
    const char *text = "items:\n  Onion:\n    intensity: Slope[0.5]\n"
                       "    interactions: {Onion: Repel}\n";
    char name[] = "Slope";
    const jbw_intensity_function intensity = {.name = name, .argument_count = 1, .value = slope};
    const jbw_interaction_function interaction_function = {
        .name = "Repel", .reach = 2, .largest = 1.0, .value = repel};
    const jbw_world_file_options options = {.intensity_functions = &intensity,
                                            .intensity_function_count = 1,
                                            .interaction_functions = &interaction_function,
                                            .interaction_function_count = 1};
    jbw_config *config = parse_world_with(text, options);
    assert_non_null(config);
    name[0] = 'x'; // the config has a copy
    assert_string_equal(config->intensity_functions[0].name, "Slope");
    jbw_model *model = model_of(config);
    assert_int_equal(jbw_model_reach(model), 2);
    jbw_model_destroy(model);
    jbw_config_free(config);

    assert_null(parse_world(text));
    assert_contains(reported.text, "file:3:16: unknown intensity function 'Slope'");
    assert_contains(reported.text, "file:4:27: unknown interaction function 'Repel'");
}

// --- memory -------------------------------------------------------------------------------------

// every allocation fails once, and each time all memory is released
static void exhaust(const char *path, const char *text, jbw_status expected)
{
    const jbw_override override = {"items.Leek.interactions.Leek", "Cross[1, 2, 3, 4, 5, 6]"};
    const jbw_intensity_function intensity = {.name = "Slope", .argument_count = 1, .value = slope};
    counting_allocator counting = {.fail_count = 1};
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (counting.fail_at = 1; status == JBW_OUT_OF_MEMORY; counting.fail_at++) {
        counting.call_count = 0;
        reported = (problem_report){0};
        const jbw_world_file_options options = {
            .overrides = &override,
            .override_count = 1,
            .intensity_functions = &intensity,
            .intensity_function_count = 1,
            .allocator = counting_allocator_make(&counting),
            .report = collect_problem,
            .report_user = &reported,
        };
        jbw_config *config;
        jbw_error error;
        status = text ? jbw_world_file_parse(text, strlen(text), path, &options, &config, &error)
                      : jbw_world_file_read(path, &options, &config, &error);
        assert_int_equal(config != NULL, status == JBW_OK);
        if (status == JBW_OUT_OF_MEMORY) assert_string_equal(error.text, "out of memory");
        jbw_config_free(config);
        assert_int_equal(counting.block_count, 0);
    }
    assert_int_equal(status, expected);
    assert_true(counting.fail_at > 10); // there were some
}

// A config is in blocks that many allocations share: longer and longer names let each of them be the
// one that needs a new block.
static void test_out_of_memory_everywhere(void **state)
{
    (void)state;
    enum { ITEMS = 24, MOST = 100 };
    for (int shift = 0; shift < 64; shift++) {
        char text[20000];
        size_t used = (size_t)snprintf(text, sizeof text, "items:\n  Leek: {}\n");
        int left = 16 * shift;
        for (int i = 0; i < ITEMS; i++) {
            const int extra = left < MOST - 8 ? left : MOST - 8;
            left -= extra;
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "  T%d%.*s:\n    color: [0.5, 0, 1]\n    scent: [1, 2, 3]\n    intensity: "
                "'Constant[-%d]'\n    interactions: {Leek: Zero}\n    requires: {Leek: 1}\n"
                "    costs: {Leek: 1}\n",
                i, extra,
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                "xxxxxxxxxx",
                i);
        }
        assert_true(used < sizeof text);
        exhaust("file", text, JBW_OK);
    }
}

static void test_characters(void **state)
{
    (void)state;
    // in a comment, where YAML would ignore them
    static const struct {
        const char *text;
        const char *problem;
    } cases[] = {
        {"# \t \xc2\x85 \xc2\xa0 \xef\xbf\xbd \xf0\x9f\x90\xb8 ~\r\n{}", NULL},
        {"#\r{}", NULL},
        {"# \x7f\n{}", "file:1:3: character U+007F is not allowed\n"},
        {"# \xc2\x84\n{}", "file:1:3: character U+0084 is not allowed\n"},
        {"# \xc2\x86\n{}", "file:1:3: character U+0086 is not allowed\n"},
        {"# \xc2\x9f\n{}", "file:1:3: character U+009F is not allowed\n"},
        {"#\r\n#\r# \xef\xbb\xbf\n{}", "file:3:3: character U+FEFF is not allowed\n"},
        {"# \xef\xbf\xbe\n{}", "file:1:3: character U+FFFE is not allowed\n"},
        {"# \xef\xbf\xbf\n{}", "file:1:3: character U+FFFF is not allowed\n"},
        {"# \xed\xa0\x80\n{}", "file:1:3: byte 0xed is not valid UTF-8\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_config *config = parse_world(cases[i].text);
        if (cases[i].problem)
            expect_problems(config, cases[i].problem);
        else if (!config)
            fail_msg("%s: %s", cases[i].text, reported.text);
        jbw_config_free(config);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    exhaust("paper", NULL, JBW_OK);
    exhaust(JBW_SOURCE_DIR "/worlds/scent.yaml", NULL, JBW_OK);
    exhaust("file",
            "agent: {color: &a [1, 0, 0], scent: *a, actions: [MoveForward, 'Drop[Leek]']}\n"
            "items: {Onion: {intensity: 'Slope[1]', requires: {Onion: 1}, costs: {Leek: 2}}}\n",
            JBW_OK);
    exhaust("file",
            "agent: {colour: [1, 0], color: [0], actions: [Fly]}\npatch_size: x\n"
            "items: {Onion: {intensity: 'Slope[', requires: {Oniom: 1}, costs: 5}, Onion: {}}\n",
            JBW_INVALID_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key),     cmocka_unit_test(test_json),
        cmocka_unit_test(test_defaults),      cmocka_unit_test(test_positions),
        cmocka_unit_test(test_aliases),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_own_functions),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_out_of_memory_everywhere),
        cmocka_unit_test(test_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
