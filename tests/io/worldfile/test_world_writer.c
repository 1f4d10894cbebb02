// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Configs as text: what is printed parses to the same text and the same world.
#include "support/shipped.h"

#include "support/allocations.h"

// every feature of a world file, in the least tidy notation
static const char full[] =
    "scent_dimensions: 2\n"
    "color_dimensions: 1\n"
    "patch_size: 16\n"
    "mh_iterations: 500\n"
    "scent_decay: 0.1\n"
    "scent_diffusion: 0.0123456789012345678\n"
    "collision: random\n"
    "collection: manual\n"
    "agent:\n"
    "  color: [0.1]\n"
    "  scent: [1e-7, -0.0]\n"
    "  vision_range: 3\n"
    "  field_of_view: 123.456\n"
    "  visual_occlusion: true\n"
    "  actions: [MoveForward, MoveBackward, MoveLeft, MoveRight, TurnLeft, TurnRight, TurnAround,\n"
    "            Collect, 'Drop[ Axe ]', NoOp]\n"
    "  voice: {range: 5, symbols: 255}\n"
    "  tools: {Axe: {vision_range: 5, visual_occlusion: false}}\n"
    "bodies:\n"
    "  Scout: {field_of_view: 9e1, actions: ['Drop[Axe]', Collect, MoveForward]}\n"
    "  \"no\": {color: [1], scent: [0, 2], vision_range: 1, visual_occlusion: false}\n"
    "kinds: {Tool: [ Axe,'Off' ], \"on\": [Tool]}\n"
    "items:\n"
    "  Axe:\n"
    "    color: [0.30000000000000004]\n"
    "    occlusion: 0.25\n"
    "    intensity: Constant[ -1.50 ]\n"
    "    interactions:\n"
    "      Axe: \"Table[(0, 1,2),\\n(-1e0,0,.5),\\t(0,0,0)]\"\n"
    "      Off: PiecewiseBox[2,4,  1.0,-3]\n"
    "    regrows: Uniform[ 1e2,900 ]\n"
    "  \"Off\":\n"
    "    scent: [0.5, -0.25]\n"
    "    blocks_movement: true\n"
    "    collectable: false\n"
    "    requires: {Axe: 2}\n"
    "    costs: {Axe: 1, \"on\": 2, \"Off\": 4294967295}\n"
    "    requires_ever: {Tool: 3}\n"
    "    drops: {Axe: 20, Tool: 5}\n"
    "    text: true\n"
    "    season: {period: 4611686018427387904, from: 9000, to: 0}\n";

static jbw_buffer print(const jbw_config *config, bool as_json)
{
    jbw_buffer buffer = {0};
    assert_int_equal(jbw_world_file_print(config, as_json, &buffer), JBW_OK);
    assert_true(jbw_buffer_append(&buffer, "", 1)); // ends with a zero
    return buffer;
}

static uint64_t hash_of_world(const jbw_config *config)
{
    jbw_model *model = model_of(config);
    jbw_world *world = world_of(model, 5);
    assert_int_equal(jbw_world_explore(world, &(jbw_position){3, -4}, 1), JBW_OK);
    const uint64_t hash = jbw_world_hash(world);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return hash;
}

static void check_round_trip(const char *text)
{
    jbw_config *config = parse_config(text);
    jbw_buffer yaml = print(config, false);
    jbw_buffer json = print(config, true);
    const jbw_buffer *both[] = {&yaml, &json};
    for (int i = 0; i < 2; i++) {
        jbw_config *again = parse_config((const char *)both[i]->bytes);
        jbw_buffer second = print(again, false);
        assert_int_equal(second.size, yaml.size);
        assert_memory_equal(second.bytes, yaml.bytes, yaml.size);
        assert_int_equal(hash_of_world(again), hash_of_world(config));
        jbw_buffer_free(&second);
        jbw_config_free(again);
    }
    jbw_buffer_free(&json);
    jbw_buffer_free(&yaml);
    jbw_config_free(config);
}

static void test_shipped_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; jbw_shipped_world_name(i); i++)
        check_round_trip(jbw_shipped_world_text(jbw_shipped_world_name(i)));
}

static void test_every_feature(void **state)
{
    (void)state;
    check_round_trip(full);
    check_round_trip("{}");
}

static void test_spelling(void **state)
{
    (void)state;
    jbw_config *config = parse_config(full);
    jbw_buffer buffer = print(config, false);
    const char *text = (const char *)buffer.bytes;
    static const char *const parts[] = {
        "scent_diffusion: 0.012345678901234568\n",
        "  scent: [1e-07, -0.0]\n",
        "collision: random\n",
        "  actions: [MoveForward, MoveBackward, MoveLeft, MoveRight, TurnLeft, ",
        " TurnRight, TurnAround, Collect, \"Drop[Axe]\", NoOp]\n",
        "    color: [0.30000000000000004]\n    scent: [0, 0]\n",
        "    intensity: Constant[-1.5]\n",
        "      Axe: Table[(0, 1, 2), (-1, 0, 0.5), (0, 0, 0)]\n",
        "      \"Off\": PiecewiseBox[2, 4, 1, -3]\n",
        "    regrows: Uniform[100, 900]\n",
        "  \"Off\":\n    color: [0]\n",
        "    intensity: Zero\n    requires:\n      Axe: 2\n    costs:\n      Axe: 1\n",
        "    costs:\n      Axe: 1\n      \"on\": 2\n      \"Off\": 4294967295\n",
        "    requires_ever:\n      Tool: 3\n    drops:\n      Axe: 20\n      Tool: 5\n",
        "      to: 0\n    text: true\n",
        "  voice:\n    symbols: 255\n    range: 5\n",
        "kinds:\n  Tool: [Axe, \"Off\"]\n  \"on\": [Tool]\n",
        "  tools:\n    Axe:\n      vision_range: 5\n      visual_occlusion: false\nbodies:\n",
        "  Scout:\n    color: [0.1]\n    scent: [1e-07, -0.0]\n    vision_range: 3\n",
        "    field_of_view: 90\n    visual_occlusion: true\n",
        "    actions: [MoveForward, Collect, \"Drop[Axe]\"]\n  \"no\":\n    color: [1]\n",
        "    season:\n      period: 4611686018427387904\n      from: 9000\n      to: 0\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_contains(text, parts[i]);
    jbw_buffer_free(&buffer);
    jbw_config_free(config);
}

static void test_faulty_config(void **state)
{
    (void)state;
    jbw_config config = jbw_config_default();
    config.patch_size = 0;
    jbw_buffer buffer = {0};
    assert_true(jbw_buffer_append(&buffer, "abc", 3));
    assert_int_equal(jbw_world_file_print(&config, false, &buffer), JBW_INVALID_CONFIG);
    assert_int_equal(buffer.size, 3);
    jbw_buffer_free(&buffer);
}

static jbw_status write_yaml(const void *config, jbw_buffer *out)
{
    return jbw_world_file_print(config, false, out);
}

static void test_memory(void **state)
{
    (void)state;
    jbw_config *config = parse_config(full);
    fail_every_allocation(write_yaml, config);
    jbw_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_worlds), cmocka_unit_test(test_every_feature),
        cmocka_unit_test(test_spelling),       cmocka_unit_test(test_faulty_config),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
