// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reading the changes of an invariant world: every byte of a small one is wrong in several ways. It
/// is refused, or is another world, which is then written as exactly these bytes.
#include "support/models.h"

#include <string.h>

#include "sim/generate/invariant/invariant.h"
#include "sim/save/state.h"
#include "support/allocations.h"

static const jbw_item_type items[] = {{.name = "Bean", .intensity = "Constant[-1]"},
                                      {.name = "Wall", .intensity = "Constant[-2]"}};

// changes in patches that are near the agent, next to each other, and far away
static jbw_world *make_world(const jbw_model *model)
{
    static const jbw_position cells[] = {
        {0, 0}, {1, 0}, {9, 0}, {17, 0}, {0, 300}, {1, 301}, {JBW_MAX_COORDINATE - 20, 5}};
    jbw_world *world = world_of(model, 3);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const jbw_status status = jbw_world_place_item(world, (int)i % 2, cells[i]);
        if (status) assert_int_equal(jbw_world_remove_item(world, cells[i]), JBW_OK);
    }
    return world;
}

static const char *const expected[] = {
    "outside of the world", "not ordered by position", "do not fit into it",
    "an unchanged patch",   "in their shortest form",
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };
static size_t seen[EXPECTED];

// reads bytes that may be wrong
static void try_bytes(const jbw_model *model, const jbw_buffer *bytes)
{
    const jbw_load_options options = {.model = model};
    jbw_model *made;
    jbw_world *world;
    jbw_error error = {0};
    const jbw_status status =
        jbw_world_decode(bytes->bytes, bytes->size, &options, &made, &world, &error);
    for (int i = 0; i < EXPECTED && status; i++) seen[i] += strstr(error.text, expected[i]) != NULL;
    if (!status && !made) { // the config is unchanged
        jbw_buffer again = encode_world(world);
        assert_int_equal(again.size, bytes->size);
        assert_memory_equal(again.bytes, bytes->bytes, bytes->size);
        jbw_buffer_free(&again);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(made);
}

static void test_wrong_bytes(void **state)
{
    (void)state;
    jbw_config config = small_config(8, 0, items, 2);
    config.generation = JBW_GENERATION_INVARIANT;
    jbw_model *model = model_of(&config);
    jbw_world *world = make_world(model);
    jbw_buffer bytes = encode_world(world);
    try_bytes(model, &bytes);
    for (size_t i = 0; i < bytes.size; i++) {
        const uint8_t good = bytes.bytes[i];
        const uint8_t wrong[] = {0, (uint8_t)(good + 1), (uint8_t)(good - 1), good ^ 0x80, 0xff};
        for (size_t k = 0; k < sizeof wrong; k++) {
            bytes.bytes[i] = wrong[k];
            if (wrong[k] != good) try_bytes(model, &bytes);
        }
        bytes.bytes[i] = good;
    }
    for (int i = 0; i < EXPECTED; i++)
        if (seen[i] == 0) fail_msg("nothing was refused because of '%s'", expected[i]);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// the states of invariant worlds begin with a version that grows with that of the algorithm
static void test_earlier_algorithm(void **state)
{
    (void)state;
    assert_int_equal(JBW_STATE_VERSION_INVARIANT,
                     2 + (JBW_INVARIANT_VERSION - 1) * JBW_STATE_VERSION_ALGORITHM);
    jbw_config config = small_config(8, 0, items, 2);
    config.generation = JBW_GENERATION_INVARIANT;
    jbw_model *model = model_of(&config);
    jbw_world *world = make_world(model);
    jbw_buffer bytes = encode_world(world);
    assert_int_equal(bytes.bytes[0], 14);
    bytes.bytes[0] = 2;
    const jbw_load_options options = {.model = model};
    jbw_model *made;
    jbw_world *loaded;
    jbw_error error = {0};
    assert_int_equal(jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &loaded, &error),
                     JBW_UNSUPPORTED);
    assert_null(loaded);
    assert_non_null(strstr(error.text, "saved by an earlier version"));
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a maturity other than one is part of the config, and one is not
static void test_maturity(void **state)
{
    (void)state;
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        jbw_config config = small_config(8, 0, items, 2);
        config.generation = JBW_GENERATION_INVARIANT;
        config.maturity = i == 0 ? 1.0 : 0.925;
        jbw_model *model = model_of(&config);
        jbw_world *world = make_world(model);
        jbw_buffer bytes = encode_world(world);
        sizes[i] = model->config_size;
        jbw_model *made;
        jbw_world *loaded = decode_world(&bytes, &(jbw_load_options){0}, &made);
        assert_true(made->maturity == config.maturity);
        assert_int_equal(jbw_world_hash(loaded), jbw_world_hash(world));
        jbw_world_destroy(loaded);
        jbw_model_destroy(made);
        jbw_buffer_free(&bytes);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
    assert_int_equal(sizes[1], sizes[0] + 9);
}

// Worlds of a maturity below one had other cells when section 6 said what it is; today section 11 does.
static void test_former_maturity(void **state)
{
    (void)state;
    jbw_config config = small_config(8, 0, items, 2);
    config.generation = JBW_GENERATION_INVARIANT;
    config.maturity = 0.9;
    jbw_model *model = model_of(&config);
    jbw_world *world = make_world(model);
    jbw_buffer bytes = encode_world(world);
    static const uint8_t section[] = {11, 0xcd, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xec, 0x3f};
    size_t at = 0;
    while (at + sizeof section < bytes.size &&
           memcmp(bytes.bytes + at, section, sizeof section) != 0)
        at++;
    assert_memory_equal(bytes.bytes + at, section, sizeof section);
    bytes.bytes[at] = 6;
    jbw_model *made;
    jbw_world *loaded;
    assert_int_equal(
        jbw_world_decode(bytes.bytes, bytes.size, &(jbw_load_options){0}, &made, &loaded, NULL),
        JBW_INVALID_DATA);
    assert_null(made);
    assert_null(loaded);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = small_config(8, 0, items, 2);
    config.generation = JBW_GENERATION_INVARIANT;
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *world = make_world(model);
    jbw_buffer bytes = encode_world(world);
    const size_t blocks = counting.block_count;
    const jbw_load_options options = {.model = model};
    jbw_world *loaded = NULL;
    for (size_t n = 1; !loaded; n++) {
        jbw_model *made;
        fail_allocations(&counting, n, 1);
        const jbw_status status =
            jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &loaded, NULL);
        allow_allocations(&counting);
        if (loaded) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(counting.block_count, blocks);
    }
    assert_int_equal(jbw_world_hash(loaded), jbw_world_hash(world));
    jbw_world_destroy(loaded);

    // nor is there a limit that it exceeds
    loaded = NULL;
    for (uint64_t limit = 1000; !loaded; limit += limit / 8) {
        const jbw_load_options tight = {.model = model, .memory_limit = limit};
        jbw_model *made;
        const jbw_status status =
            jbw_world_decode(bytes.bytes, bytes.size, &tight, &made, &loaded, NULL);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(counting.block_count, blocks);
    }
    assert_non_null(loaded);
    jbw_world_destroy(loaded);
    jbw_world_destroy(world);
    jbw_buffer_free(&bytes);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_bytes),    cmocka_unit_test(test_earlier_algorithm),
        cmocka_unit_test(test_maturity),       cmocka_unit_test(test_former_maturity),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
