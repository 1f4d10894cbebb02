// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Texts that items carry, in drawings checked by hand: writing, reading, collecting, and everything
/// that keeps a text.
#include "support/drawing.h"

#include <stdio.h>
#include <string.h>

#include "jbw/observation.h"
#include "sim/map/texts.h"
#include "sim/world/world.h"
#include "support/allocations.h"

// notes may carry a text, and so may signs, which cannot be collected
enum { NOTE, APPLE, SIGN };
static const char letters[] = "nas";
static const jbw_item_type items[] = {
    {.name = "Note", .has_text = true, .intensity = "Constant[-30]"}, // nothing is generated
    {.name = "Apple", .intensity = "Constant[-30]"},
    {.name = "Sign", .has_text = true, .is_uncollectable = true, .intensity = "Constant[-30]"},
};

static jbw_config config_of(jbw_generation generation)
{
    jbw_config config = drawn_config(items, 3);
    config.generation = generation;
    config.collection = JBW_COLLECTION_MANUAL;
    config.collision = JBW_COLLISION_ALLOW;
    return config;
}

static const char *text_at(const jbw_world *world, jbw_position cell)
{
    static jbw_cell_info info;
    assert_int_equal(jbw_world_inspect(world, cell, &info), JBW_OK);
    return info.text;
}

static const char *read_by(const drawn_world *d, int agent)
{
    static char text[JBW_MAX_TEXT + 1];
    assert_int_equal(jbw_agent_read(d->world, d->agents[agent], text), JBW_OK);
    return text;
}

static jbw_status request(const drawn_world *d, int agent, char action, const char *text)
{
    const jbw_request request = {.action = action_by_letter(action), .text = text};
    return jbw_agent_request(d->world, d->agents[agent], &request, NULL);
}

static void write_note(const drawn_world *d, int agent, const char *text)
{
    assert_int_equal(request(d, agent, 'D', text), JBW_OK);
}

static void test_writing_and_reading(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        const jbw_config config =
            config_of(g == 0 ? JBW_GENERATION_FRONTIER : JBW_GENERATION_INVARIANT);
        drawn_world d;
        draw_world(&d, &config, letters, ">", "1.....\n");
        const jbw_position here = {0, 0};
        assert_string_equal(read_by(&d, 1), "");
        assert_int_equal(jbw_world_place_text(d.world, NOTE, here, "north: beans"), JBW_OK);
        assert_string_equal(read_by(&d, 1), "north: beans"); // in its own cell, at once
        assert_string_equal(text_at(d.world, here), "north: beans");
        play(&d, "1N");
        assert_string_equal(read_by(&d, 1), "north: beans");
        play(&d, "1C");
        assert_string_equal(text_at(d.world, here), "");
        assert_string_equal(read_by(&d, 1), "north: beans"); // what it collected in that step
        assert_int_equal(jbw_world_place_item(d.world, APPLE, here), JBW_OK);
        assert_string_equal(read_by(&d, 1), "north: beans");
        assert_int_equal(jbw_world_remove_item(d.world, here), JBW_OK);
        assert_int_equal(jbw_world_place_text(d.world, SIGN, here, "exit"), JBW_OK);
        assert_string_equal(read_by(&d, 1), "exit"); // its own cell comes first
        play(&d, "1F");
        assert_string_equal(read_by(&d, 1), "");

        write_note(&d, 1, "\xf0\x9f\x8d\x8c here");
        assert_outcomes(&d, "D");
        assert_string_equal(read_by(&d, 1), "\xf0\x9f\x8d\x8c here");
        write_note(&d, 1, "more"); // nothing left to drop
        assert_outcomes(&d, "Q");
        assert_string_equal(read_by(&d, 1), "\xf0\x9f\x8d\x8c here");
        play(&d, "1C");
        play(&d, "1F");
        play(&d, "1D"); // without a text
        assert_string_equal(text_at(d.world, (jbw_position){2, 0}), "");
        assert_string_equal(text_at(d.world, here), "exit");
        erase_world(&d);
    }
}

static void test_replaced_requests(void **state)
{
    (void)state;
    const jbw_config config = config_of(JBW_GENERATION_FRONTIER);
    drawn_world d;
    draw_world(&d, &config, letters, ">>", "1n\n2.\n");
    play(&d, "1F 2N");
    play(&d, "1C 2N");
    write_note(&d, 1, "first");
    assert_string_equal(state_of(&d, 1).text, "first");
    const uint64_t hash = jbw_world_hash(d.world);
    write_note(&d, 1, "other"); // replaces the text, which is part of the state
    assert_string_equal(state_of(&d, 1).text, "other");
    assert_true(jbw_world_hash(d.world) != hash);
    d.world = replaced_world(d.world, true);
    assert_string_equal(state_of(&d, 1).text, "other");
    // one that is not possible replaces nothing
    assert_int_equal(request(&d, 1, 'F', "first"), JBW_INVALID_ARGUMENT);
    assert_string_equal(state_of(&d, 1).text, "other");
    write_note(&d, 1, NULL);
    assert_string_equal(state_of(&d, 1).text, "");
    write_note(&d, 1, "last");
    play(&d, "2N");
    assert_string_equal(state_of(&d, 1).text, "");
    assert_string_equal(text_at(d.world, (jbw_position){1, 1}), "last");

    // an agent that rests withdraws what it wrote
    play(&d, "1C 2N");
    write_note(&d, 1, "never");
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[1], false), JBW_OK);
    assert_string_equal(state_of(&d, 1).text, "");
    erase_world(&d);
}

static void expect_refused(const drawn_world *d, char action, const char *text, const char *why)
{
    jbw_error error;
    const uint64_t hash = jbw_world_hash(d->world);
    const jbw_request asked = {.action = action_by_letter(action), .text = text};
    assert_int_equal(request(d, 1, action, text), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_model_check_request(d->model, &asked, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, why);
    if (action == 'D')
        assert_int_equal(jbw_world_place_text(d->world, NOTE, (jbw_position){5, 5}, text),
                         JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_hash(d->world), hash);
}

static void test_refused(void **state)
{
    (void)state;
    char longest[JBW_MAX_TEXT + 2];
    memset(longest, 'x', sizeof longest);
    longest[JBW_MAX_TEXT + 1] = '\0';
    const jbw_config config = config_of(JBW_GENERATION_FRONTIER);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1n\n");
    expect_refused(&d, 'D', longest, "the text has 256 bytes, expected at most 255");
    expect_refused(&d, 'D', "caf\xe9", "the text is not valid UTF-8");
    expect_refused(&d, 'D', "\xed\xa0\x80", "the text is not valid UTF-8");
    expect_refused(&d, 'E', "x",
                   "Apple carries no text: in the world file, `text: true` is missing");
    expect_refused(&d, 'F', "x", "MoveForward has no text: only what is dropped carries one");
    assert_int_equal(jbw_world_place_text(d.world, APPLE, (jbw_position){5, 5}, "x"),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_text(d.world, 3, (jbw_position){5, 5}, "x"),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_place_text(d.world, APPLE, (jbw_position){5, 5}, ""), JBW_OK);
    assert_int_equal(jbw_world_place_text(d.world, NOTE, (jbw_position){5, 5}, "x"),
                     JBW_CELL_BLOCKED);
    assert_string_equal(text_at(d.world, (jbw_position){5, 5}), "");

    longest[JBW_MAX_TEXT] = '\0'; // the longest that is possible
    assert_int_equal(jbw_world_place_text(d.world, NOTE, (jbw_position){6, 6}, longest), JBW_OK);
    assert_string_equal(text_at(d.world, (jbw_position){6, 6}), longest);
    d.world = replaced_world(d.world, true);
    assert_string_equal(text_at(d.world, (jbw_position){6, 6}), longest);
    erase_world(&d);
}

// a text is part of the hash, of what marks a patch, and of nothing else
static void test_hash_and_mark(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        const jbw_config config =
            config_of(g == 0 ? JBW_GENERATION_FRONTIER : JBW_GENERATION_INVARIANT);
        static const char *const texts[] = {NULL, "a", "b"};
        uint64_t hashes[3];
        uint64_t marks[3];
        drawn_world d;
        draw_world(&d, &config, letters, ">", "1.\n");
        const jbw_position cell = {9, 4};
        const jbw_position patch = jbw_world_patch_of(d.world, cell);
        const uint64_t other = jbw_world_patch_mark(d.world, (jbw_position){patch.x + 1, patch.y});
        for (int i = 0; i < 3; i++) {
            assert_int_equal(jbw_world_place_text(d.world, NOTE, cell, texts[i]), JBW_OK);
            hashes[i] = jbw_world_hash(d.world);
            marks[i] = jbw_world_patch_mark(d.world, patch);
            assert_true(marks[i] != 0);
            assert_int_equal(jbw_world_remove_item(d.world, cell), JBW_OK);
        }
        assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
        assert_true(marks[0] != marks[1] && marks[1] != marks[2] && marks[0] != marks[2]);
        assert_int_equal(jbw_world_patch_mark(d.world, (jbw_position){patch.x + 1, patch.y}),
                         other);
        // nothing is left of them
        assert_int_equal(jbw_world_place_item(d.world, NOTE, cell), JBW_OK);
        assert_int_equal(jbw_world_hash(d.world), hashes[0]);
        assert_int_equal(jbw_world_patch_mark(d.world, patch), marks[0]);
        erase_world(&d);
    }
}

// out of season a note cannot be read, but is still there
static void test_seasons(void **state)
{
    (void)state;
    static const jbw_item_type seasonal[] = {
        {.name = "Note", .has_text = true, .season = {.period = 4, .from = 0, .to = 2}},
        {.name = "Apple"},
    };
    jbw_config config = drawn_config(seasonal, 2);
    drawn_world d;
    draw_world(&d, &config, "na", ">", "1\n");
    assert_int_equal(jbw_world_place_text(d.world, NOTE, (jbw_position){0, 0}, "summer"), JBW_OK);
    static const char *const due[] = {"summer", "summer", "", "", "summer"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(read_by(&d, 1), due[i]);
        assert_string_equal(text_at(d.world, (jbw_position){0, 0}), "summer");
        play(&d, "1N");
    }
    erase_world(&d);
}

// texts of patches that are not in memory: kept, copied, hashed, saved, marked, and given back
static void test_dropped_patches(void **state)
{
    (void)state;
    enum { FAR = 40 };
    const jbw_config config = config_of(JBW_GENERATION_INVARIANT);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1.\n");
    jbw_world *in_memory = clone_of(d.world);
    jbw_patch_cache_set_budget(d.world->generator.patch_cache, 1, 1 << 20);
    const int64_t size = DRAWN_PATCH_SIZE;
    for (int i = 1; i <= FAR; i++) {
        const jbw_position cell = {i * size, i};
        char text[8];
        snprintf(text, sizeof text, "no %d", i);
        const int type = i % 2 ? NOTE : SIGN;
        assert_int_equal(jbw_world_place_text(d.world, type, cell, text), JBW_OK);
        assert_int_equal(jbw_world_place_text(in_memory, type, cell, text), JBW_OK);
    }
    assert_true(d.world->map.evicted_texts.count > FAR / 2);
    assert_true(jbw_world_get_stats(d.world).map_bytes > 0);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(in_memory));
        for (int i = 1; i <= FAR; i++) {
            const jbw_position cell = {i * size, i};
            const jbw_position patch = {i, 0};
            char text[8];
            snprintf(text, sizeof text, "no %d", i);
            assert_string_equal(text_at(d.world, cell), text);
            assert_int_equal(jbw_world_patch_mark(d.world, patch),
                             jbw_world_patch_mark(in_memory, patch));
        }
        d.world = replaced_world(d.world, round > 0);
        jbw_patch_cache_set_budget(d.world->generator.patch_cache, 1, 1 << 20);
    }
    const jbw_position third = {3 * size, 3}; // a patch that comes back
    assert_int_equal(jbw_world_remove_item(d.world, third), JBW_OK);
    assert_int_equal(jbw_world_remove_item(in_memory, third), JBW_OK);
    assert_string_equal(text_at(d.world, third), "");
    assert_int_equal(jbw_world_hash(d.world), jbw_world_hash(in_memory));
    jbw_world_destroy(in_memory);
    erase_world(&d);
}

// a step, an edit or a drop of patches that runs out of memory leaves everything as it was
static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = config_of(JBW_GENERATION_INVARIANT);
    config.allocator = counting_allocator_make(&counting);
    drawn_world d;
    draw_world(&d, &config, letters, ">", "1n\n");
    play(&d, "1F");
    play(&d, "1C");
    assert_int_equal(jbw_world_place_text(d.world, NOTE, (jbw_position){4, 4}, "there"), JBW_OK);
    const uint64_t hash = jbw_world_hash(d.world);
    for (int call = 0; call < 3; call++) {
        jbw_status status = JBW_OUT_OF_MEMORY;
        int failures = 0;
        for (size_t n = 1; status == JBW_OUT_OF_MEMORY; n++) {
            jbw_world *copy = clone_of(d.world);
            fail_allocations(&counting, n, 1);
            if (call == 0) {
                const jbw_request asked = {.action = action_by_letter('D'), .text = "dropped"};
                status = jbw_agent_request(copy, d.agents[1], &asked, NULL);
            } else if (call == 1) {
                status = jbw_world_place_text(copy, NOTE, (jbw_position){5, 4}, "placed");
            } else {
                jbw_patch_cache_set_budget(copy->generator.patch_cache, 1, 1 << 20);
                status = jbw_world_explore(copy, &(jbw_position){900, 900}, 1);
            }
            allow_allocations(&counting);
            failures += status == JBW_OUT_OF_MEMORY;
            if (status || call == 2) assert_int_equal(jbw_world_hash(copy), hash);
            assert_string_equal(text_at(copy, (jbw_position){4, 4}), "there");
            jbw_world_destroy(copy);
        }
        assert_int_equal(status, JBW_OK);
        assert_true(failures > 0);
    }
    erase_world(&d);
    assert_int_equal(counting.block_count, 0);
}

// requests that fail together leave the text of the request that they would have replaced
static void test_undone_requests(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = config_of(JBW_GENERATION_FRONTIER);
    config.allocator = counting_allocator_make(&counting);
    drawn_world d;
    draw_world(&d, &config, letters, ">>", "1n\n2.\n");
    play(&d, "1F 2N");
    play(&d, "1C 2N");
    write_note(&d, 1, "first");
    const int actions[] = {action_by_letter('D'), action_by_letter('N')};
    const char *const texts[] = {"second", NULL};
    const jbw_requests requests = {.actions = actions, .texts = texts};
    jbw_status status = JBW_OUT_OF_MEMORY;
    int failures = 0;
    for (size_t n = 1; status == JBW_OUT_OF_MEMORY; n++) {
        jbw_world *copy = clone_of(d.world);
        jbw_agent_state one;
        fail_allocations(&counting, n, 1);
        status = jbw_world_request(copy, &d.agents[1], &requests, 2, NULL);
        allow_allocations(&counting);
        failures += status == JBW_OUT_OF_MEMORY;
        assert_int_equal(jbw_agent_get_state(copy, d.agents[1], &one), JBW_OK);
        assert_string_equal(one.text, status ? "first" : "");
        assert_string_equal(text_at(copy, (jbw_position){1, 1}), status ? "" : "second");
        jbw_world_destroy(copy);
    }
    assert_int_equal(status, JBW_OK);
    assert_true(failures > 2);
    erase_world(&d);
    assert_int_equal(counting.block_count, 0);
}

static void test_bytes(void **state)
{
    (void)state;
    const jbw_config config = config_of(JBW_GENERATION_FRONTIER);
    jbw_model *model = model_of(&config);
    static const struct {
        const char *bytes;
        size_t size;
        bool is_good;
    } cases[] = {
        {"", 0, true},
        {"\5\0\1a", 4, true},
        {"\5\0\1a\6\0\2bc", 9, true},
        {"\5\0\1a\5\0\1a", 8, false}, // twice the same cell
        {"\6\0\1a\5\0\1a", 8, false}, // not in order
        {"\5\0\0", 3, false},         // empty
        {"\5\0\2a", 4, false},        // too short
        {"\5\0", 2, false},           // likewise
        {"\xa4\2\1a", 4, false},      // cell 676: beyond the patch
        {"\xa3\2\1a", 4, true},       // the last one
        {"\5\0\1\xff", 4, false},     // not UTF-8
        {"\5\0\2a\0", 5, false},      // a zero
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const jbw_patch_texts texts = {(const uint8_t *)cases[i].bytes, cases[i].size};
        if (jbw_texts_are_good(model, texts) != cases[i].is_good) fail_msg("case %zu", i);
    }
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writing_and_reading),
        cmocka_unit_test(test_replaced_requests),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hash_and_mark),
        cmocka_unit_test(test_seasons),
        cmocka_unit_test(test_dropped_patches),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_undone_requests),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
