// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What is beside the map: sizes, what the agent sees, the legend, the plot of the reward, bad
/// arguments, failing allocations, and pictures that are the same bits on every machine.
#include "support/picture_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "io/draw/panel.h"
#include "io/draw/reward_plot.h"
#include "support/allocations.h"
#include "support/shipped.h"

static const pixel white = {255, 255, 255};

typedef struct image {
    pixel *pixels;
    int64_t width;
    int64_t height;
} image;

static image draw(jbw_world *world, jbw_region region, const jbw_picture_options *options)
{
    image made;
    jbw_error error;
    if (jbw_picture_size(jbw_world_model(world), region, options, &made.width, &made.height,
                         &error))
        fail_msg("%s", error.text);
    const size_t size = (size_t)(made.width * made.height) * sizeof(pixel);
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memset(bytes, 77, size + 1);
    if (jbw_picture_draw(world, region, options, bytes, &error)) fail_msg("%s", error.text);
    assert_int_equal(bytes[size], 77);
    made.pixels = (pixel *)bytes;
    return made;
}

// an agent that has walked a little in a shipped world
static jbw_world *walk(const jbw_model *model, jbw_agent_id *agent)
{
    jbw_world *world = world_of(model, 3);
    assert_int_equal(jbw_world_add_agent(world, NULL, agent), JBW_OK);
    for (int i = 0; i < 60; i++)
        assert_int_equal(jbw_agent_act(world, *agent, i % 7 == 6 ? 1 : 0, NULL), JBW_OK);
    return world;
}

static const double rewards[150] = {[20] = 1.0, [40] = -1.0, [70] = 1.0, [149] = 1.0};
static const jbw_region around = {-20, -10, 41, 31};

static jbw_picture_options everything(jbw_agent_id agent)
{
    return (jbw_picture_options){
        .scale = 12, .agent = agent, .show_panel = true, .rewards = rewards, .reward_count = 150};
}

static void test_sizes(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("paper-code");
    int64_t width;
    int64_t height;
    jbw_picture_options options = {.scale = 10};
    assert_int_equal(jbw_picture_size(model, around, &options, &width, &height, NULL), JBW_OK);
    assert_true(width == 410 && height == 310);
    assert_int_equal(jbw_picture_size(model, around, NULL, &width, &height, NULL), JBW_OK);
    assert_true(width == 164 && height == 124);
    options.show_legend = true;
    assert_int_equal(jbw_picture_size(model, around, &options, &width, &height, NULL), JBW_OK);
    assert_true(width == 410 && height > 320 && height < 400);

    // a panel is as large as fits beside the map, but never too small to be read
    options = everything((jbw_agent_id){.index1 = 1});
    for (options.scale = 1; options.scale < 80; options.scale++) {
        const int64_t map = 31 * options.scale;
        assert_int_equal(jbw_picture_size(model, around, &options, &width, &height, NULL), JBW_OK);
        assert_true(map >= 450 ? height == map : height >= map);
        assert_in_range(width - 41 * options.scale, 250, 1000);
    }
    jbw_model_destroy(model);
}

// the map is the same with and without a panel
static void test_map_is_unchanged(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("paper-code");
    jbw_agent_id agent;
    jbw_world *world = walk(model, &agent);
    jbw_picture_options options = everything(agent);
    const uint64_t before = jbw_world_hash(world);
    const image full = draw(world, around, &options);
    options.show_panel = false;
    const image map = draw(world, around, &options);
    for (int64_t row = 0; row < map.height; row++)
        assert_memory_equal(full.pixels + row * full.width, map.pixels + row * map.width,
                            (size_t)map.width * sizeof(pixel));
    assert_int_equal(jbw_world_hash(world), before);
    free(full.pixels);
    free(map.pixels);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static bool has_block(const image *picture, int64_t from, pixel color, int side)
{
    for (int64_t y = 0; y + side <= picture->height; y++) {
        for (int64_t x = from; x + side <= picture->width; x++) {
            int same = 0;
            while (same < side * side &&
                   memcmp(&picture->pixels[(y + same / side) * picture->width + x + same % side],
                          &color, sizeof color) == 0)
                same++;
            if (same == side * side) return true;
        }
    }
    return false;
}

// every colour that the agent sees is in the panel, as a square of a cell
static void test_vision(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("paper-code");
    jbw_agent_id agent;
    jbw_world *world = walk(model, &agent);
    const jbw_picture_options options = everything(agent);
    const image picture = draw(world, around, &options);
    const int side = jbw_model_vision_side(model);
    float *vision = malloc((size_t)(side * side * 3) * sizeof *vision);
    assert_non_null(vision);
    assert_int_equal(jbw_agent_perceive(world, agent, vision, NULL), JBW_OK);
    int items = 0;
    for (int i = 0; i < side * side; i++) {
        const float *cell = vision + 3 * i;
        const pixel color = {(uint8_t)(cell[0] * 255.0F + 0.5F), (uint8_t)(cell[1] * 255.0F + 0.5F),
                             (uint8_t)(cell[2] * 255.0F + 0.5F)};
        items += color.red + color.green + color.blue > 0;
        assert_true(has_block(&picture, 41 * 12, color, 6));
    }
    assert_true(items > 3);
    free(vision);
    free(picture.pixels);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// each item type has an icon below the map; the rest of the strip is white or text
static void test_legend(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("scent");
    jbw_world *world = world_of(model, 1);
    const jbw_picture_options options = {.scale = 16, .show_legend = true};
    const jbw_region region = {0, 0, 40, 5};
    const image picture = draw(world, region, &options);
    const image strip = {picture.pixels + picture.width * 80, picture.width, picture.height - 80};
    for (int type = 0; type < jbw_model_item_type_count(model); type++) {
        const double *color = jbw_model_item_color(model, type);
        const pixel wanted = {(uint8_t)(color[0] * 255.0 + 0.5), (uint8_t)(color[1] * 255.0 + 0.5),
                              (uint8_t)(color[2] * 255.0 + 0.5)};
        assert_true(has_block(&strip, 0, wanted, 2));
    }
    assert_true(has_block(&strip, 0, white, 6));
    free(picture.pixels);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_reward_rate(void **state)
{
    (void)state;
    double values[250];
    for (int i = 0; i < 250; i++) values[i] = i;
    assert_float_equal(jbw_reward_rate(values, 0), 0.0, 0.0);
    assert_float_equal(jbw_reward_rate(values, 3), 1.0, 1e-12);
    assert_float_equal(jbw_reward_rate(values, 250), 199.5, 1e-3);
    values[249] = 0.0 / 0.0; // counts as none
    assert_float_equal(jbw_reward_rate(values, 250), 197.01, 1e-3);
}

// strange worlds and rewards: no items, no scent, one cell of vision, many items, long names
static void test_strange_worlds(void **state)
{
    (void)state;
    static char many[20000];
    int length = snprintf(many, sizeof many,
                          "patch_size: 81\nmh_iterations: 0\nagent: {vision_range: 40}\n"
                          "color_dimensions: 1\nscent_dimensions: 8\nitems:\n");
    for (int i = 0; i < 200; i++)
        length += snprintf(
            many + length, sizeof many - (size_t)length,
            "  AnItemWithAVeryLongName%d: {color: [1], scent: [9, 1, 1, 1, 1, 1, 1, 1]}\n", i);
    const char *const texts[] = {
        "patch_size: 4\nagent: {vision_range: 1}\n",
        "patch_size: 4\nagent: {vision_range: 0}\ncolor_dimensions: 2\nscent_dimensions: 0\n"
        "items: {A: {color: [1, 0.5], intensity: 'Constant[3]'}}\n",
        many,
    };
    static const double odd[] = {1e308, -1e308, 0.0 / 0.0, 1.0 / 0.0, 5e-324};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        jbw_config *config = parse_config(texts[i]);
        jbw_model *model = model_of(config);
        jbw_world *world = world_of(model, 1);
        jbw_agent_id agent;
        assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
        for (int scale = 1; scale < 40; scale += 19) {
            jbw_picture_options options = {.scale = scale, .agent = agent, .show_panel = true};
            free(draw(world, (jbw_region){-3, -3, 7, 7}, &options).pixels);
            options.rewards = odd;
            free(draw(world, (jbw_region){-3, -3, 7, 7}, &options).pixels);
            options.reward_count = 5;
            free(draw(world, (jbw_region){-3, -3, 7, 7}, &options).pixels);
            options = (jbw_picture_options){.scale = scale, .show_legend = true};
            free(draw(world, (jbw_region){-3, -3, 7, 7}, &options).pixels);
            options.show_panel = true; // without an agent
            free(draw(world, (jbw_region){-3, -3, 7, 7}, &options).pixels);
        }
        jbw_world_destroy(world);
        jbw_model_destroy(model);
        jbw_config_free(config);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("scent");
    const jbw_picture_options options = {.scale = 100, .show_legend = true};
    int64_t width;
    int64_t height;
    jbw_error error;
    assert_int_equal(
        jbw_picture_size(model, (jbw_region){0, 0, 400, 2}, &options, &width, &height, &error),
        JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, "a map of 40000 x 200 pixels is too large for a legend or a "
                                    "panel, expected at most 32768 along a side");
    jbw_model_destroy(model);
}

// every allocation of a picture fails in turn
static void test_memory(void **state)
{
    (void)state;
    jbw_config *config = read_config("scent");
    counting_allocator counting = {0};
    config->allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(config);
    jbw_agent_id agent;
    jbw_world *world = walk(model, &agent);
    static const jbw_position path[] = {{0, 0}, {0, 3}};
    jbw_picture_options options = everything(agent);
    options.path = path;
    options.path_count = 2;
    options.path_memory = 10;
    const image good = draw(world, around, &options);
    const size_t size = (size_t)(good.width * good.height) * sizeof(pixel);
    uint8_t *pixels = malloc(size);
    assert_non_null(pixels);
    const size_t blocks = counting.block_count;
    size_t failures = 0;
    jbw_status status = JBW_OUT_OF_MEMORY;
    while (status) {
        fail_allocations(&counting, ++failures, 1);
        jbw_error error = {0};
        status = jbw_picture_draw(world, around, &options, pixels, &error);
        allow_allocations(&counting);
        assert_int_equal(counting.block_count, blocks);
        if (status) assert_int_equal(status, JBW_OUT_OF_MEMORY);
        if (status) assert_string_equal(error.text, jbw_status_text(JBW_OUT_OF_MEMORY));
    }
    assert_true(failures > 8);
    assert_memory_equal(pixels, good.pixels, size);
    free(pixels);
    free(good.pixels);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    assert_int_equal(counting.block_count, 0);
}

// If a picture is meant to look different, look at it, and change its hash here.
static void test_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *world;
        int scale;
        uint64_t hash;
    } expected[] = {
        {"paper-code", 3, 0x52aafb9f4487ad19},
        {"paper-code", 8, 0xc0a791bc2c57e3b0},
        {"paper-code", 24, 0x5e3bf2e4b35e3636},
        {"scent", 15, 0x21f90e13f4781228},
    };
    int different = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        jbw_model *model = shipped_model(expected[i].world);
        jbw_agent_id agent;
        jbw_world *world = walk(model, &agent);
        jbw_picture_options options = everything(agent);
        options.scale = expected[i].scale;
        const image picture = draw(world, around, &options);
        jbw_hasher hasher = jbw_hash_begin(0);
        jbw_hash_bytes(&hasher, picture.pixels,
                       (size_t)(picture.width * picture.height) * sizeof(pixel));
        if (hasher.value != expected[i].hash) {
            print_error("%s at %d: the hash is 0x%016" PRIx64 "\n", expected[i].world,
                        expected[i].scale, hasher.value);
            different++;
        }
        free(picture.pixels);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_map_is_unchanged),
        cmocka_unit_test(test_vision),      cmocka_unit_test(test_legend),
        cmocka_unit_test(test_reward_rate), cmocka_unit_test(test_strange_worlds),
        cmocka_unit_test(test_too_large),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
