// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files: the shipped ones say what the paper says, and faulty ones are told all that is
/// wrong with them. tests/faulty holds one world file per mistake, with the messages beside it;
/// `test_world_file --update` writes those anew, for a person to read through.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jbw/jbw.h"

#define FAULTY JBW_SOURCE_DIR "/tests/faulty/"

// --- shared by the tests -------------------------------------------------------------------------

typedef struct report {
    char text[1 << 18];
    size_t used;
    size_t count;
} report;

static report told; // of the latest call of parse or read

static void take_report(const jbw_diagnostic *diagnostic, void *user)
{
    report *r = user;
    r->count++;
    r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used, "%s:%d:%d: %s\n",
                                diagnostic->source, diagnostic->line, diagnostic->column,
                                diagnostic->text);
    assert_true(r->used < sizeof r->text);
}

static jbw_config *parse_with(const char *text, jbw_world_file_options options)
{
    told = (report){0};
    options.report = take_report;
    options.report_user = &told;
    jbw_config *config;
    const jbw_status status =
        jbw_world_file_parse(text, strlen(text), "file", &options, &config, NULL);
    assert_int_equal(status == JBW_OK, config != NULL);
    assert_int_equal(status == JBW_OK, told.count == 0);
    return config;
}

static jbw_config *parse(const char *text)
{
    return parse_with(text, (jbw_world_file_options){0});
}

static jbw_config *parse_set(const char *text, const char *key, const char *value)
{
    const jbw_override override = {key, value};
    return parse_with(text, (jbw_world_file_options){.overrides = &override, .override_count = 1});
}

static void expect_told(const jbw_config *config, const char *expected)
{
    assert_null(config);
    assert_string_equal(told.text, expected);
}

static const jbw_item_type *item(const jbw_config *config, const char *name)
{
    for (size_t i = 0; i < config->item_count; i++)
        if (strcmp(config->items[i].name, name) == 0) return &config->items[i];
    fail_msg("no item %s", name);
    return NULL;
}

static const char *interaction(const jbw_config *config, const char *name, const char *other)
{
    const jbw_item_type *type = item(config, name);
    for (size_t i = 0; i < type->interaction_count; i++)
        if (strcmp(type->interactions[i].item, other) == 0) return type->interactions[i].expression;
    return "Zero";
}

static void expect_vector(const double *found, double a, double b, double c)
{
    assert_non_null(found);
    if (found[0] != a || found[1] != b || found[2] != c)
        fail_msg("found %g %g %g, expected %g %g %g", found[0], found[1], found[2], a, b, c);
}

static void expect_number(double found, double expected)
{
    if (found != expected) fail_msg("found %.17g, expected %.17g", found, expected);
}

// --- faulty files -------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 18);
    *length = fread(text, 1, (1 << 18) - 1, file);
    fclose(file);
    return text;
}

static int is_world_file(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".json") == 0);
}

// how the tool prints it
static void take_as_printed(const jbw_diagnostic *diagnostic, void *user)
{
    report *r = user;
    r->count++;
    char place[32] = "";
    if (diagnostic->line > 0)
        snprintf(place, sizeof place, ":%d:%d", diagnostic->line, diagnostic->column);
    r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used, "%s%s: error: %s\n",
                                diagnostic->source, place, diagnostic->text);
}

// the messages of one faulty file, left in `told`
static void judge(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, FAULTY "%s", name);
    size_t length = 0;
    char *text = read_file(path, &length);
    assert_non_null(text);
    told = (report){0};
    const jbw_world_file_options options = {.report = take_as_printed, .report_user = &told};
    jbw_config *config;
    jbw_error error;
    const jbw_status status = jbw_world_file_parse(text, length, name, &options, &config, &error);
    free(text);
    if (status != JBW_INVALID_CONFIG) fail_msg("%s is not faulty", name);
    assert_null(config);

    // the error is the first problem
    char first[1024];
    snprintf(first, sizeof first, "%s:%d:%d: error: %s\n", name, error.line, error.column,
             error.text);
    if (strncmp(told.text, first, strlen(first)) != 0)
        fail_msg("first error '%s' but told\n%s", first, told.text);
}

static void message_path(const char *name, char path[1024])
{
    snprintf(path, 1024, FAULTY "%.*s.txt", (int)(strrchr(name, '.') - name), name);
}

static void test_faulty_files(void **state)
{
    (void)state;
    struct dirent **entries;
    const int count = scandir(FAULTY, &entries, is_world_file, alphasort);
    assert_true(count >= 40);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[1024];
        message_path(name, path);
        size_t length = 0;
        char *expected = read_file(path, &length);
        judge(name);
        if (!expected || strcmp(expected, told.text) != 0) {
            print_error("%s\nfound:\n%sexpected:\n%s", name, told.text, expected ? expected : "");
            wrong++;
        }
        free(expected);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(wrong, 0);
}

static int update_faulty_files(void)
{
    struct dirent **entries;
    const int count = scandir(FAULTY, &entries, is_world_file, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        message_path(entries[i]->d_name, path);
        judge(entries[i]->d_name);
        FILE *file = fopen(path, "wb");
        if (!file) return 1;
        fputs(told.text, file);
        if (fclose(file) != 0) return 1;
        free(entries[i]);
    }
    free(entries);
    return 0;
}

// --- good worlds --------------------------------------------------------------------------------

static jbw_config *load(const char *name)
{
    jbw_config *config;
    jbw_error error = {0};
    const jbw_status status = jbw_world_file_read(name, NULL, &config, &error);
    if (status) fail_msg("%s:%d:%d: %s", name, error.line, error.column, error.text);
    assert_non_null(config);
    return config;
}

static void test_all_shipped(void **state)
{
    (void)state;
    static const char *const names[] = {"nonstationary", "paper", "paper-code", "scent", "walk"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t at = 0;
        while (jbw_shipped_world_name(at) && strcmp(jbw_shipped_world_name(at), names[i]) != 0)
            at++;
        assert_non_null(jbw_shipped_world_name(at));
        assert_non_null(jbw_shipped_world_text(names[i]));

        jbw_config *config = load(names[i]);
        jbw_model *model;
        assert_int_equal(jbw_model_create(config, &model, NULL), JBW_OK);
        jbw_model_destroy(model);
        jbw_config_free(config);
    }
    assert_null(jbw_shipped_world_name(5));
    assert_null(jbw_shipped_world_text("nowhere"));
    jbw_config_free(NULL);
}

static void test_paper(void **state)
{
    (void)state;
    jbw_config *config = load("paper");
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
    expect_vector(item(config, "JellyBean")->color, 0.82, 0.27, 0.20);
    expect_vector(item(config, "JellyBean")->scent, 1.64, 0.54, 0.40);
    expect_vector(item(config, "Banana")->color, 0.96, 0.88, 0.20);
    expect_vector(item(config, "Banana")->scent, 1.92, 1.76, 0.40);
    expect_vector(item(config, "Onion")->color, 0.68, 0.01, 0.99);
    expect_vector(item(config, "Onion")->scent, 0.68, 0.01, 0.99);
    expect_vector(item(config, "Wall")->color, 0.20, 0.47, 0.67);
    expect_vector(item(config, "Wall")->scent, 0, 0, 0);
    expect_vector(item(config, "Tree")->color, 0.00, 0.47, 0.06);
    expect_vector(item(config, "Tree")->scent, 0.00, 0.47, 0.06);
    expect_vector(item(config, "Truffle")->color, 0.42, 0.24, 0.13);
    expect_vector(item(config, "Truffle")->scent, 8.40, 4.80, 2.60);
    expect_number(item(config, "Onion")->occlusion, 0.0);
    expect_number(item(config, "Wall")->occlusion, 1.0);
    expect_number(item(config, "Tree")->occlusion, 0.1);
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
        assert_string_equal(interaction(config, interactions[i][0], interactions[i][1]),
                            interactions[i][2]);
    jbw_config_free(config);
}

static void test_paper_code(void **state)
{
    (void)state;
    jbw_config *config = load("paper-code");
    assert_int_equal(config->item_count, 6);
    assert_string_equal(item(config, "Onion")->intensity, "Constant[-3]");
    assert_true(item(config, "Wall")->blocks_movement);
    assert_false(item(config, "Tree")->blocks_movement);
    assert_true(item(config, "Wall")->is_uncollectable);
    assert_true(item(config, "Tree")->is_uncollectable);
    assert_false(item(config, "Truffle")->is_uncollectable);
    static const char *const shy[] = {"JellyBean", "Banana"};
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(interaction(config, shy[i], "Wall"), "Zero");
        assert_string_equal(interaction(config, shy[i], "Tree"),
                            "PiecewiseBox[50, 100, -100, -100]");
    }
    jbw_config_free(config);
}

static void test_other_shipped(void **state)
{
    (void)state;
    jbw_config *config = load("scent");
    assert_int_equal(config->patch_size, 32);
    assert_int_equal(config->mh_iterations, 4000);
    assert_int_equal(config->agent.vision_range, 5);
    expect_number(config->agent.field_of_view, 60.0);
    assert_int_equal(config->item_count, 3);
    expect_vector(item(config, "JellyBean")->scent, 0, 0, 1);
    assert_string_equal(item(config, "Banana")->intensity, "Constant[-5.3]");
    assert_string_equal(item(config, "Onion")->intensity, "Constant[-5]");
    assert_string_equal(interaction(config, "JellyBean", "Onion"),
                        "PiecewiseBox[200, 0, -100, -100]");
    assert_string_equal(interaction(config, "Banana", "JellyBean"),
                        "PiecewiseBox[10, 100, 2, -100]");
    assert_string_equal(interaction(config, "Onion", "Banana"), "PiecewiseBox[200, 0, -6, -6]");
    jbw_config_free(config);

    config = load("nonstationary");
    assert_int_equal(config->patch_size, 32);
    expect_number(config->agent.field_of_view, 360.0);
    assert_int_equal(config->item_count, 4);
    assert_string_equal(item(config, "JellyBean")->intensity, "RadialHash[500, 60, -3.0, 14]");
    assert_string_equal(interaction(config, "Wall", "Wall"),
                        "CrossHash[60, 4, 25, 2, 20, -200, -20, 1]");
    expect_number(item(config, "Wall")->occlusion, 1.0);
    assert_true(item(config, "Wall")->blocks_movement);
    jbw_config_free(config);

    config = load("walk");
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
}

static void test_every_key(void **state)
{
    (void)state;
    jbw_config *config = parse("scent_dimensions: 1\n"
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
    const jbw_item_type *axe = item(config, "Axe");
    assert_null(axe->color);
    assert_null(axe->intensity);
    assert_false(axe->is_uncollectable);
    const jbw_item_type *wall = item(config, "Wall");
    expect_number(wall->color[0], 0.5);
    expect_number(wall->color[1], -0.1);
    expect_number(wall->occlusion, 0.5);
    assert_true(wall->blocks_movement);
    assert_true(wall->is_uncollectable);
    assert_string_equal(interaction(config, "Wall", "Wall"),
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
    jbw_config *config = parse("{\"patch_size\": 32, \"agent\": {\"vision_range\": 3,\n"
                               "  \"visual_occlusion\": true, \"actions\": [\"Drop[Onion]\"]},\n"
                               " \"items\": {\"Onion\": {\"color\": [0.5, 1e-3, -0.0],\n"
                               "  \"intensity\": \"Constant[-3]\", \"interactions\": null,\n"
                               "  \"costs\": {\"Onion\": 2}}}}");
    assert_non_null(config);
    assert_int_equal(config->patch_size, 32);
    assert_true(config->agent.visual_occlusion);
    assert_string_equal(config->agent.actions[0].item, "Onion");
    expect_vector(item(config, "Onion")->color, 0.5, 0.001, 0.0);
    assert_string_equal(item(config, "Onion")->intensity, "Constant[-3]");
    assert_int_equal(item(config, "Onion")->costs[0].count, 2);
    jbw_config_free(config);

    expect_told(parse("{\"items\": {\"Onion\": {\"intensity\": \"Constant[x]\"}}}"),
                "file:1:45: found 'x', expected a number\n");
}

static void test_defaults(void **state)
{
    (void)state;
    jbw_config *config = parse("{}");
    assert_non_null(config);
    const jbw_config usual = jbw_config_default();
    assert_int_equal(config->patch_size, usual.patch_size);
    assert_int_equal(config->agent.action_count, usual.agent.action_count);
    assert_int_equal(config->item_count, 0);
    jbw_config_free(config);
}

static void test_places(void **state)
{
    (void)state;
    // a byte order mark, Windows line ends and letters of several bytes do not shift places
    expect_told(parse("\xef\xbb\xbfpatch_size: x\r\nagent:\r\n  color: [\"\xc3\xa9\", x, 0]\r\n"),
                "file:1:13: found the text 'x', expected a whole number\n"
                "file:3:11: found the text '\xc3\xa9', expected a number\n"
                "file:3:16: found the text 'x', expected a number\n");
}

static void test_aliases(void **state)
{
    (void)state;
    const char *text = "items:\n  Onion: &onion\n    color: &c [1, 0, 0]\n    scent: *c\n"
                       "  Leek: *onion\n";
    jbw_config *config = parse(text);
    assert_non_null(config);
    expect_vector(item(config, "Leek")->scent, 1, 0, 0);
    jbw_config_free(config);

    // an override changes one of the two, not what they share
    config = parse_set(text, "items.Leek.scent.1", "7");
    assert_non_null(config);
    expect_vector(item(config, "Leek")->scent, 1, 7, 0);
    expect_vector(item(config, "Leek")->color, 1, 0, 0);
    expect_vector(item(config, "Onion")->scent, 1, 0, 0);
    jbw_config_free(config);
}

// --- overrides ----------------------------------------------------------------------------------

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
        {"agent.field_of_view", "120"}, // the last one counts
        {"collision", "allow"},
        {"items.Wall", "{blocks_movement: true, intensity: 'Constant[2]'}"},
    };
    const jbw_world_file_options options = {.overrides = overrides,
                                            .override_count = sizeof overrides / sizeof *overrides};
    jbw_config *config;
    assert_int_equal(jbw_world_file_read("paper", &options, &config, NULL), JBW_OK);
    memset(intensity, 'x', sizeof intensity - 1); // the config keeps nothing of ours
    expect_number(config->agent.field_of_view, 120.0);
    expect_vector(config->agent.color, 0, 0, 1);
    assert_int_equal(config->agent.actions[0].kind, JBW_ACTION_DROP);
    assert_int_equal(config->agent.actions[1].kind, JBW_ACTION_TURN_LEFT);
    assert_string_equal(item(config, "Onion")->intensity, "Constant[-3]");
    expect_vector(item(config, "Onion")->color, 0.68, 0.01, 0.99);
    expect_vector(item(config, "Leek")->color, 1, 1, 0);
    assert_string_equal(interaction(config, "Leek", "Onion"), "PiecewiseBox[1, 2, 3, 4]");
    assert_int_equal(config->collision, JBW_COLLISION_ALLOW);
    assert_null(item(config, "Wall")->color); // replaced as a whole
    assert_true(item(config, "Wall")->blocks_movement);
    jbw_config_free(config);
}

static void test_faulty_overrides(void **state)
{
    (void)state;
    const char *text = "agent:\n  color: [0, 0, 0]\nitems:\n  Onion: {intensity: Zero}\n";
    expect_told(parse_set(text, "agent.vison_range", "5"),
                "--set agent.vison_range:0:0: unknown key 'vison_range', did you mean "
                "'vision_range'?\n");
    expect_told(parse_set(text, "agent.vision_range", "far"),
                "--set agent.vision_range:0:0: found the text 'far', expected a whole number\n");
    expect_told(parse_set(text, "agent.vision_range", "1000"),
                "--set agent.vision_range:0:0: found 1000, expected 0 to 31: agents see at "
                "most half a patch, and patch_size is 64\n");
    expect_told(parse_set(text, "items.Onion.intensity", "Constant[x]"),
                "--set items.Onion.intensity:1:10: found 'x', expected a number\n");
    expect_told(parse_set(text, "agent.color", "[0, 0"),
                "--set agent.color:1:6: flow sequence without a closing bracket\n");
    expect_told(parse_set(text, "agent.color.3", "1"),
                "--set agent.color.3:0:0: 'agent.color' is a list of 3, so it has no entry '3'; "
                "entries are numbered from 0\n");
    expect_told(parse_set(text, "items.Onion.intensity.value", "1"),
                "--set items.Onion.intensity.value:0:0: 'items.Onion.intensity' is the text "
                "'Zero', so it has no key 'value'\n");
    expect_told(parse_set(text, "agent..color", "1"),
                "--set agent..color:0:0: found an empty key or key part, expected a path such "
                "as agent.vision_range\n");
    expect_told(parse_set(text, "", "1"), "--set :0:0: found an empty key or key part, "
                                          "expected a path such as agent.vision_range\n");

    // the file's problems come first, then those of the overrides in their order
    const jbw_override overrides[] = {{"patch_size", "b"}, {"mh_iterations", "a"}};
    const jbw_world_file_options options = {.overrides = overrides, .override_count = 2};
    expect_told(parse_with("agent: 5\npatch_size: x\n", options),
                "file:1:8: found the number 5, expected a mapping such as {vision_range: 8}\n"
                "--set patch_size:0:0: found the text 'b', expected a whole number\n"
                "--set mh_iterations:0:0: found the text 'a', expected a whole number\n");

    // an error says where it came from as well
    jbw_config *config;
    jbw_error error;
    jbw_world_file_parse("{}", 2, "file", &options, &config, &error);
    assert_string_equal(error.text,
                        "--set patch_size: found the text 'b', expected a whole number");
}

// --- files --------------------------------------------------------------------------------------

static void expect_unreadable(const char *path, jbw_status status, const char *text)
{
    told = (report){0};
    const jbw_world_file_options options = {.report = take_report, .report_user = &told};
    jbw_config *config;
    jbw_error error = {0};
    assert_int_equal(jbw_world_file_read(path, &options, &config, &error), status);
    assert_null(config);
    assert_string_equal(error.text, text);
    char expected[700];
    snprintf(expected, sizeof expected, "%s:0:0: %s\n", path, text);
    assert_string_equal(told.text, expected);
    assert_int_equal(jbw_world_file_read(path, NULL, &config, NULL), status);
}

static void test_files(void **state)
{
    (void)state;
    expect_unreadable("papper", JBW_NOT_FOUND,
                      "no such file or shipped world, did you mean 'paper'?");
    expect_unreadable("somewhere/else.yaml", JBW_NOT_FOUND,
                      "no such file or shipped world, expected a path or one of nonstationary, "
                      "paper, paper-code, scent, walk");
    expect_unreadable("/", JBW_READ_FAILED, "cannot be read: Is a directory");

    char path[] = "/tmp/jbw_test_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "patch_size: 48\n", 15), 15);
    jbw_config *config;
    assert_int_equal(jbw_world_file_read(path, NULL, &config, NULL), JBW_OK);
    assert_int_equal(config->patch_size, 48);
    jbw_config_free(config);

    assert_int_equal(ftruncate(descriptor, (16 << 20) + 1), 0);
    expect_unreadable(path, JBW_READ_FAILED, "is too large, expected at most 16 MiB");
    close(descriptor);
    remove(path);
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

    // no more than a thousand problems, and a word about the others
    size_t used = (size_t)sprintf(text, "agent:\n  color:\n");
    for (int i = 0; i < 1100; i++) used += (size_t)sprintf(text + used, "    - x\n");
    assert_null(parse(text));
    assert_int_equal(told.count, 1001);
    assert_non_null(strstr(told.text, "file:0:0: and 101 more problems\n"));

    used = (size_t)sprintf(text, "items:\n");
    for (int i = 0; i <= JBW_MAX_ITEM_TYPES; i++)
        used += (size_t)sprintf(text + used, "  Item%d: {}\n", i);
    expect_told(parse(text), "file:1:1: found 255 items, expected at most 254\n");

    used = (size_t)sprintf(text, "items:\n  Wall:\n    interactions:\n");
    for (int i = 0; i <= JBW_MAX_ITEM_TYPES; i++)
        used += (size_t)sprintf(text + used, "      Item%d: Zero\n", i);
    expect_told(parse(text), "file:4:7: found 255 items, expected at most 254\n");

    used = (size_t)sprintf(text, "items:\n");
    for (int i = 0; i <= 1000; i++)
        used += (size_t)sprintf(text + used, "  Item%d: &a%d {}\n", i, i);
    expect_told(parse(text), "file:1002:14: found more than 1000 anchors\n");

    // tokens of a list in brackets wait in memory, so there must not be too many
    memset(text, '[', 2000001);
    text[2000001] = '\0';
    expect_told(parse(text), "file:0:0: found more than 2000000 lines, commas and brackets\n");

    // long texts count in an alias bomb, too
    used = (size_t)sprintf(text, "items:\n  Onion:\n    intensity: &long \"");
    memset(text + used, 'x', 8 << 20);
    used += 8 << 20;
    sprintf(text + used, "\"\n  Leek:\n    intensity: *long\n  Wall:\n    intensity: *long\n");
    assert_null(parse(text));
    assert_non_null(strstr(told.text, "file:7:17: the aliases up to here expand to more than"));
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
    jbw_config *config = parse_with(text, options);
    assert_non_null(config);
    name[0] = 'x'; // the config has its own copy
    assert_string_equal(config->intensity_functions[0].name, "Slope");
    jbw_model *model;
    assert_int_equal(jbw_model_create(config, &model, NULL), JBW_OK);
    assert_int_equal(jbw_model_reach(model), 2);
    jbw_model_destroy(model);
    jbw_config_free(config);

    assert_null(parse(text));
    assert_non_null(strstr(told.text, "file:3:16: unknown intensity function 'Slope'"));
    assert_non_null(strstr(told.text, "file:4:27: unknown interaction function 'Repel'"));
}

// --- memory -------------------------------------------------------------------------------------

typedef struct meter {
    size_t calls;
    size_t fail_at; // counted from one; zero: never
    size_t live;    // bytes
} meter;

static void *metered_allocate(size_t size, void *user)
{
    meter *m = user;
    if (++m->calls == m->fail_at) return NULL;
    m->live += size;
    return malloc(size);
}

static void metered_release(void *memory, size_t size, void *user)
{
    meter *m = user;
    assert_true(m->live >= size);
    m->live -= size;
    free(memory);
}

// every allocation fails once, and each time everything is given back
static void exhaust(const char *path, const char *text, jbw_status expected)
{
    const jbw_override override = {"items.Leek.interactions.Leek", "Cross[1, 2, 3, 4, 5, 6]"};
    const jbw_intensity_function intensity = {.name = "Slope", .argument_count = 1, .value = slope};
    meter m = {0};
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (m.fail_at = 1; status == JBW_OUT_OF_MEMORY; m.fail_at++) {
        m.calls = 0;
        told = (report){0};
        const jbw_world_file_options options = {
            .overrides = &override,
            .override_count = 1,
            .intensity_functions = &intensity,
            .intensity_function_count = 1,
            .allocator = {.allocate = metered_allocate, .release = metered_release, .user = &m},
            .report = take_report,
            .report_user = &told,
        };
        jbw_config *config;
        jbw_error error;
        status = text ? jbw_world_file_parse(text, strlen(text), path, &options, &config, &error)
                      : jbw_world_file_read(path, &options, &config, &error);
        assert_int_equal(config != NULL, status == JBW_OK);
        if (status == JBW_OUT_OF_MEMORY) assert_string_equal(error.text, "out of memory");
        jbw_config_free(config);
        assert_int_equal(m.live, 0);
    }
    assert_int_equal(status, expected);
    assert_true(m.fail_at > 10); // there was something to try
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

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--update") == 0) return update_faulty_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faulty_files),  cmocka_unit_test(test_all_shipped),
        cmocka_unit_test(test_paper),         cmocka_unit_test(test_paper_code),
        cmocka_unit_test(test_other_shipped), cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_json),          cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_places),        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_overrides),     cmocka_unit_test(test_faulty_overrides),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_limits),
        cmocka_unit_test(test_own_functions), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
