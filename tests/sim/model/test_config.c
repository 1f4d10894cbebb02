// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Configs that a program made, with mistakes that no world file can have: each is found and named.
/// (tests/faulty has those of world files.) And configs without enough memory.
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/allocations.h"

// --- faulty configs -------------------------------------------------------------------------------

static jbw_interaction interactions[2];
static jbw_item_count counts[2];
static jbw_item_type items[2];
static jbw_action actions[2];
static jbw_intensity_function intensity_function;
static jbw_interaction_function interaction_function;

static double one(const double *arguments, jbw_position position, void *user)
{
    (void)arguments;
    (void)position;
    (void)user;
    return 1.0;
}

static double two(const double *arguments, jbw_position first, jbw_position second, void *user)
{
    (void)arguments;
    (void)first;
    (void)second;
    (void)user;
    return 2.0;
}

static double numberless(const double *arguments, jbw_position first, jbw_position second,
                         void *user)
{
    (void)arguments;
    (void)first;
    (void)second;
    (void)user;
    return NAN;
}

static void reach_far(const double *arguments, void *user, int *reach, double *largest)
{
    (void)user;
    *reach = (int)arguments[0];
    *largest = arguments[1];
}

// a good one, out of the parts above
static jbw_config make_config(void)
{
    interactions[0] = (jbw_interaction){"A", "Near[1]"};
    interactions[1] = (jbw_interaction){"B", "Zero[]"};
    counts[0] = (jbw_item_count){"A", 1};
    counts[1] = (jbw_item_count){"B", UINT32_MAX};
    items[0] = (jbw_item_type){.name = "A",
                               .intensity = "One[]",
                               .interactions = interactions,
                               .interaction_count = 2,
                               .requirements = counts,
                               .requirement_count = 2,
                               .costs = counts,
                               .cost_count = 2};
    items[1] = (jbw_item_type){.name = "B", .intensity = "Constant[0]"};
    actions[0] = (jbw_action){JBW_ACTION_DROP, "A"};
    actions[1] = (jbw_action){JBW_ACTION_DROP, "B"};
    intensity_function = (jbw_intensity_function){"One", 0, one, NULL};
    interaction_function = (jbw_interaction_function){
        .name = "Near", .argument_count = 1, .reach = 2, .largest = 2.0, .value = two};
    jbw_config config = small_config(8, 10, items, 2);
    config.agent.actions = actions;
    config.agent.action_count = 2;
    config.intensity_functions = &intensity_function;
    config.intensity_function_count = 1;
    config.interaction_functions = &interaction_function;
    config.interaction_function_count = 1;
    return config;
}

typedef struct first_problem {
    char path[100];
    char text[300];
    int column;
} first_problem;

static void note(const jbw_problem *problem, void *user)
{
    first_problem *first = user;
    if (first->path[0] || first->text[0]) return;
    strncpy(first->path, problem->path, sizeof first->path - 1);
    strncpy(first->text, problem->text, sizeof first->text - 1);
    first->column = problem->column;
}

static void expect(const jbw_config *config, const char *path, const char *text)
{
    first_problem first = {0};
    assert_int_equal(jbw_config_check(config, note, &first), JBW_INVALID_CONFIG);
    if (strcmp(first.path, path) != 0 || !strstr(first.text, text))
        fail_msg("found %s: %s, expected %s: %s", first.path, first.text, path, text);
    // only expressions have columns
    if (!strstr(path, "intensity") && !strstr(path, "interactions."))
        assert_int_equal(first.column, 0);
    jbw_model *model;
    assert_int_equal(jbw_model_create(config, &model, NULL), JBW_INVALID_CONFIG);
    assert_null(model);
}

static void test_good_config(void **state)
{
    (void)state;
    const jbw_config config = make_config();
    jbw_model *model = model_of(&config);
    assert_int_equal(jbw_model_reach(model), 2);

    // and it is saved with a world
    jbw_world *world = world_of(model, 1);
    jbw_buffer bytes = encode_world(world);
    const jbw_load_options options = {.intensity_functions = &intensity_function,
                                      .intensity_function_count = 1,
                                      .interaction_functions = &interaction_function,
                                      .interaction_function_count = 1};
    jbw_model *same;
    jbw_world *loaded = decode_world(&bytes, &options, &same);
    jbw_buffer again = encode_world(loaded);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.bytes, bytes.bytes, bytes.size);
    jbw_buffer_free(&again);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(loaded);
    jbw_world_destroy(world);
    jbw_model_destroy(same);
    jbw_model_destroy(model);
}

static void test_values(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const int wrong = sign * 100;
        jbw_config config = make_config();
        config.collision = (jbw_collision)wrong;
        expect(&config, "collision", "expected a collision policy");
        config = make_config();
        config.collection = (jbw_collection)wrong;
        expect(&config, "collection", "expected a collection policy");
        config = make_config();
        config.generation = (jbw_generation)wrong;
        expect(&config, "generation", "expected a generation policy");
        config = make_config();
        config.memory_budget = sign < 0 ? 0 : 2000000000;
        expect(&config, "memory_budget", "megabytes");
        config = make_config();
        config.generation = JBW_GENERATION_INVARIANT;
        config.maturity = sign < 0 ? 0.89 : 1.01;
        expect(&config, "maturity", "expected 0.9 to 1");
        config.maturity = NAN;
        expect(&config, "maturity", "expected 0.9 to 1");
        config.maturity = 0.95;
        config.generation = JBW_GENERATION_FRONTIER;
        expect(&config, "maturity", "unless generation is invariant");
        config = make_config();
        config.agent.voice = (jbw_voice){.symbols = sign < 0 ? -1 : 256, .range = 2};
        expect(&config, "agent.voice.symbols", "a whole number from 1 to 255");
        config.agent.voice = (jbw_voice){.symbols = 0, .range = 2};
        expect(&config, "agent.voice.symbols", "a whole number from 1 to 255");
        config.agent.voice =
            (jbw_voice){.symbols = 2, .range = sign < 0 ? 0 : config.patch_size + 1};
        expect(&config, "agent.voice.range", "a voice reaches at most as far as a patch");
        config = make_config();
        actions[1].kind = (jbw_action_kind)wrong;
        expect(&config, "agent.actions.1", "expected an action");
        config = make_config();
        config.agent.vision_range = wrong;
        expect(&config, "agent.vision_range", "expected 0 to 3");
        config = make_config();
        config.agent.action_count = sign < 0 ? 0 : 1000;
        expect(&config, "agent.actions", "expected 1 to 256");
        config = make_config();
        counts[1].count = sign < 0 ? 0 : UINT64_C(1) << 32;
        expect(&config, "items.A.requires.B", "expected a whole number");
    }
}

static void test_names(void **state)
{
    (void)state;
    jbw_config config = make_config();
    actions[1].item = NULL;
    expect(&config, "agent.actions.1", "unknown item");
    config = make_config();
    actions[1].item = "A";
    expect(&config, "agent.actions.1", "listed twice");
    config = make_config();
    items[1].name = NULL;
    expect(&config, "items", "item 1 has no name");
    config = make_config();
    items[1].name = "A";
    actions[1].item = "C";
    expect(&config, "agent.actions.1", "unknown item");
    config = make_config();
    config.agent.action_count = 1;
    items[0].interaction_count = items[0].requirement_count = items[0].cost_count = 0;
    items[1].name = "A";
    expect(&config, "items.A", "listed twice");
    config = make_config();
    interactions[1].item = NULL;
    expect(&config, "items.A.interactions", "has no item");
    config = make_config();
    interactions[1].item = "A";
    expect(&config, "items.A.interactions.A", "listed twice");
    config = make_config();
    counts[0].item = NULL;
    expect(&config, "items.A.requires", "has no item");
    config = make_config();
    counts[0].item = "B";
    expect(&config, "items.A.requires.B", "listed twice");
}

static void test_functions(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "", "a b", "Constant", "Zero"};
    static const char *const texts[] = {"must be letters", "must be letters", "must be letters",
                                        "built-in", "built-in"};
    char path[40];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "functions.%s", names[i] ? names[i] : "");
        jbw_config config = make_config();
        intensity_function.name = names[i];
        expect(&config, path, texts[i]);
        config = make_config();
        interaction_function.name = names[i];
        expect(&config, path, texts[i]);
    }
    for (int count = -1; count <= 17; count += 18) {
        jbw_config config = make_config();
        intensity_function.argument_count = count;
        expect(&config, "functions.One", "expected 0 to 16");
        config = make_config();
        interaction_function.argument_count = count;
        expect(&config, "functions.Near", "expected 0 to 16");
    }
    jbw_config config = make_config();
    intensity_function.value = NULL;
    expect(&config, "functions.One", "needs a callback");
    config = make_config();
    interaction_function.value = NULL;
    expect(&config, "functions.Near", "needs a callback");
    config = make_config();
    interaction_function.reach = -1;
    expect(&config, "functions.Near", "needs its reach");
    config = make_config();
    interaction_function.largest = NAN;
    expect(&config, "functions.Near", "needs its reach");
    config = make_config();
    interactions[0].expression = "Nera[1]";
    expect(&config, "items.A.interactions.A", "did you mean 'Near'");
    config = make_config();
    items[0].intensity = "On[]";
    expect(&config, "items.A.intensity", "did you mean 'One'");
    config = make_config();
    items[0].intensity = "One[1]";
    expect(&config, "items.A.intensity", "");
}

static void test_bounds_of_functions(void **state)
{
    (void)state;
    // whatever the callbacks say
    jbw_config config = make_config();
    interaction_function.argument_count = 2;
    interaction_function.bounds = reach_far;
    interactions[0].expression = "Near[8, 1]";
    jbw_model *model = model_of(&config);
    assert_int_equal(jbw_model_reach(model), 8);
    jbw_model_destroy(model);
    interactions[0].expression = "Near[-5, -7]";
    interaction_function.value = numberless;
    model = model_of(&config);
    assert_int_equal(jbw_model_reach(model), 0);
    jbw_model_destroy(model);
    interactions[0].expression = "Near[9, 1]";
    expect(&config, "items.A.interactions.A", "its reach is 9 cells");
    interactions[0].expression = "Near[1000000000, 1]";
    expect(&config, "items.A.interactions.A", "its reach is 1048576 cells");
    interactions[0].expression = "Near[3, 1e9]";
    expect(&config, "items.A.interactions", "too strong");
}

// --- memory ---------------------------------------------------------------------------------------

static void test_failing_models(void **state)
{
    (void)state;
    // Most of a model is in blocks that many allocations share. Vectors of every length let each of
    // them be the one that needs a new block.
    static const double vector[JBW_MAX_DIMENSIONS] = {0.5};
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    size_t failures = 0;
    for (int dimensions = 1; dimensions <= JBW_MAX_DIMENSIONS; dimensions++) {
        for (int scents = 0; scents <= JBW_MAX_DIMENSIONS; scents += 16) {
            jbw_config config = make_config();
            config.allocator = allocator;
            config.color_dimensions = dimensions;
            config.scent_dimensions = scents;
            config.scent_decay = 0.25;
            config.agent.vision_range = 1 + dimensions % 3;
            config.agent.visual_occlusion = dimensions % 2;
            config.agent.color = vector;
            config.agent.scent = vector;
            items[0].color = vector;
            items[0].scent = vector;
            jbw_model *model = NULL;
            for (size_t n = 1; !model; n++) {
                fail_allocations(&counting, n, 1);
                const jbw_status status = jbw_model_create(&config, &model, NULL);
                allow_allocations(&counting);
                if (model) break;
                assert_int_equal(status, JBW_OUT_OF_MEMORY);
                assert_int_equal(counting.block_count, 0);
                failures++;
            }
            jbw_model_destroy(model);
            assert_int_equal(counting.block_count, 0);
        }
    }
    assert_true(failures > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_config),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_bounds_of_functions),
        cmocka_unit_test(test_failing_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
