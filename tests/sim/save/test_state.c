// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds as bytes: a world that was written and read continues as if nothing had happened.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "jbw/state.h"
#include "sim/world/world.h"
#include "support/allocations.h"
#include "support/golden_worlds.h"
#include "support/life.h"
#include "support/random.h"

static void assert_same(jbw_world *a, jbw_world *b, const char *where)
{
    const life_view view_a = life_look(a);
    const life_view view_b = life_look(b);
    const char *difference = life_difference(&view_a, &view_b);
    if (difference) fail_msg("%s: different in %s", where, difference);
}

// ---- continuing ----

// saves at random times, reads, and continues both worlds side by side
static void check_continuation(const char *name, const jbw_config *config, uint64_t seed,
                               int rounds, int calls)
{
    jbw_model *model = model_of(config);
    jbw_world *world = world_of(model, seed);
    uint64_t random = seed;
    for (int round = 0; round < rounds; round++) {
        assert_true(life_run(world, &random, (int)random_below(&random, (uint32_t)calls)));
        jbw_buffer bytes = encode_world(world);
        jbw_model *other_model;
        const jbw_load_options options = {.model = round % 2 ? model : NULL};
        jbw_world *other = decode_world(&bytes, &options, &other_model);
        assert_true((other_model == NULL) == (round % 2 == 1));
        assert_same(world, other, name);

        // what was read is written as the same bytes
        jbw_buffer again = encode_world(other);
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.bytes, bytes.bytes, bytes.size);

        uint64_t other_random = random;
        for (int i = 0; i < calls; i++) {
            assert_true(life_call(world, &random));
            assert_true(life_call(other, &other_random));
            assert_int_equal(random, other_random);
            if (i % 8 == 0) assert_same(world, other, name);
        }
        assert_same(world, other, name);
        jbw_buffer_free(&bytes);
        jbw_buffer_free(&again);
        jbw_world_destroy(other);
        jbw_model_destroy(other_model);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_small_world_continues(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        jbw_config config = seed % 4 < 2 ? life_small_config() : life_growing_config();
        config.collision = (jbw_collision)(seed % 3);
        config.collection = (jbw_collection)(seed % 2);
        check_continuation("small", &config, seed, 10, 40);
    }
}

static void test_shipped_worlds_continue(void **state)
{
    (void)state;
    for (size_t i = 0; i < golden_world_count; i++) {
        const jbw_config lively = life_config(&golden_worlds[i].config);
        check_continuation(golden_worlds[i].name, &golden_worlds[i].config, 7, 5, 150);
        check_continuation(golden_worlds[i].name, &lively, 8, 5, 150);
    }
}

// ---- what else must be restored ----

static void test_ids_are_never_reused(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id gone;
    jbw_agent_id stays;
    assert_int_equal(jbw_world_add_agent(world, NULL, &gone), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &stays), JBW_OK);
    assert_int_equal(jbw_world_remove_agent(world, gone), JBW_OK);

    jbw_buffer bytes = encode_world(world);
    jbw_model *other_model;
    jbw_world *other = decode_world(&bytes, NULL, &other_model);
    jbw_agent_id next;
    jbw_agent_state unused;
    assert_int_equal(jbw_world_add_agent(other, NULL, &next), JBW_OK);
    assert_int_equal(next.index1, gone.index1);
    assert_int_equal(next.generation, gone.generation + 1);
    assert_int_equal(jbw_agent_get_state(other, gone, &unused), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_agent_get_state(other, stays, &unused), JBW_OK);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(other);
    jbw_model_destroy(other_model);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// saving and loading again and again loses nothing
static void test_many_round_trips(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 5);
    jbw_world *kept = world_of(model, 5);
    uint64_t random = 9;
    uint64_t kept_random = 9;
    for (int i = 0; i < 200; i++) {
        assert_true(life_run(world, &random, 7));
        assert_true(life_run(kept, &kept_random, 7));
        jbw_buffer bytes = encode_world(world);
        jbw_world_destroy(world);
        jbw_model *none;
        world = decode_world(&bytes, &(jbw_load_options){.model = model}, &none);
        assert_null(none);
        jbw_buffer_free(&bytes);
    }
    assert_same(world, kept, "after many round trips");
    assert_true(jbw_world_time(world) > 200);
    jbw_world_destroy(world);
    jbw_world_destroy(kept);
    jbw_model_destroy(model);
}

// agents at the end of the world, where patches extend beyond it
static void test_end_of_world(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    const int64_t far = JBW_MAX_COORDINATE;
    const jbw_position corners[] = {{far, far}, {-far, far}, {far, -far}, {-far, -far}, {far, 0}};
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        const jbw_agent_options options = {
            .has_position = true, .position = corners[i], .is_forced = true};
        jbw_agent_id agent;
        assert_int_equal(jbw_world_add_agent(world, &options, &agent), JBW_OK);
    }
    jbw_buffer bytes = encode_world(world);
    jbw_model *other_model;
    jbw_world *other = decode_world(&bytes, NULL, &other_model);
    uint64_t random = 1;
    uint64_t other_random = 1;
    for (int i = 0; i < 30; i++) {
        // edits beyond the end are refused, in both
        const bool is_good = life_call(world, &random);
        assert_int_equal(life_call(other, &other_random), is_good);
    }
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(other));
    jbw_buffer_free(&bytes);
    jbw_world_destroy(other);
    jbw_model_destroy(other_model);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a world without patches, and one without items
static void test_tiny_worlds(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const jbw_config config = small_config(3 + i, 5, NULL, 0);
        jbw_model *model = model_of(&config);
        jbw_world *world = world_of(model, UINT64_MAX);
        if (i == 1) assert_int_equal(jbw_world_explore(world, &(jbw_position){1, 1}, 1), JBW_OK);
        jbw_buffer bytes = encode_world(world);
        jbw_model *other_model;
        jbw_world *other = decode_world(&bytes, NULL, &other_model);
        assert_same(world, other, "tiny");
        jbw_buffer_free(&bytes);
        jbw_world_destroy(other);
        jbw_model_destroy(other_model);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// a model of the caller is used only if it is equal
static void test_models_of_the_caller(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_config changed = config;
    changed.agent.vision_range = 3;
    jbw_model *model = model_of(&config);
    jbw_model *equal = model_of(&config);
    jbw_model *different = model_of(&changed);
    jbw_world *world = world_of(model, 1);
    uint64_t random = 1;
    assert_true(life_run(world, &random, 30));
    jbw_buffer bytes = encode_world(world);
    jbw_model *made;
    jbw_world *other = decode_world(&bytes, &(jbw_load_options){.model = equal}, &made);
    assert_null(made);
    assert_ptr_equal(jbw_world_model(other), equal);
    jbw_world_destroy(other);
    other = decode_world(&bytes, &(jbw_load_options){.model = different}, &made);
    assert_non_null(made);
    assert_ptr_equal(jbw_world_model(other), made);
    assert_same(world, other, "with another model");
    jbw_world_destroy(other);
    jbw_model_destroy(made);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_model_destroy(equal);
    jbw_model_destroy(different);
}

// bytes are appended to the buffer
static void test_appending(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_buffer bytes = {0};
    assert_true(jbw_buffer_append(&bytes, "abc", 3));
    assert_int_equal(jbw_world_encode(world, &bytes), JBW_OK);
    assert_memory_equal(bytes.bytes, "abc", 3);
    jbw_model *made;
    jbw_world *other;
    assert_int_equal(jbw_world_decode(bytes.bytes + 3, bytes.size - 3, NULL, &made, &other, NULL),
                     JBW_OK);
    jbw_world_destroy(other);
    jbw_model_destroy(made);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- functions of the caller ----

static double hills(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    return arguments[0] + (double)(position.x & 7) * 0.25;
}

static double ties(const double *arguments, jbw_position first, jbw_position second, void *user)
{
    (void)user;
    return first.x == second.x ? arguments[0] : 0.0;
}

static void expect_failure(const jbw_buffer *bytes, const jbw_load_options *options,
                           jbw_status expected, const char *text)
{
    jbw_model *model = (jbw_model *)(void *)bytes->bytes;
    jbw_world *world = (jbw_world *)(void *)bytes->bytes;
    jbw_error error;
    const jbw_status status =
        jbw_world_decode(bytes->bytes, bytes->size, options, &model, &world, &error);
    if (status != expected || !strstr(error.text, text))
        fail_msg("status %s, \"%s\", expected %s, \"%s\"", jbw_status_name(status), error.text,
                 jbw_status_name(expected), text);
    assert_null(model);
    assert_null(world);
}

static void test_own_functions(void **state)
{
    (void)state;
    const jbw_intensity_function intensity = {.name = "Hills", .argument_count = 1, .value = hills};
    const jbw_interaction_function interaction = {
        .name = "Ties", .argument_count = 1, .reach = 2, .largest = 5, .value = ties};
    const jbw_interaction to_itself[] = {{"Tree", "Ties[-2]"}};
    const jbw_item_type items[] = {{.name = "Tree",
                                    .intensity = "Hills[-3]",
                                    .interactions = to_itself,
                                    .interaction_count = 1}};
    jbw_config config = small_config(6, 100, items, 1);
    config.intensity_functions = &intensity;
    config.intensity_function_count = 1;
    config.interaction_functions = &interaction;
    config.interaction_function_count = 1;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    assert_int_equal(jbw_world_explore(world, &(jbw_position){3, 3}, 1), JBW_OK);
    jbw_buffer bytes = encode_world(world);

    jbw_load_options options = {0};
    expect_failure(&bytes, &options, JBW_INVALID_CONFIG, "items.Tree.intensity");
    expect_failure(&bytes, &options, JBW_INVALID_CONFIG, "intensity function 'Hills'");
    options.intensity_functions = &intensity;
    options.intensity_function_count = 1;
    expect_failure(&bytes, &options, JBW_INVALID_CONFIG, "items.Tree.interactions.Tree");
    expect_failure(&bytes, &options, JBW_INVALID_CONFIG, "interaction function 'Ties'");
    options.interaction_functions = &interaction;
    options.interaction_function_count = 1;
    jbw_model *made;
    jbw_world *other = decode_world(&bytes, &options, &made);
    const jbw_position next = {20, 3};
    assert_int_equal(jbw_world_explore(world, &next, 1), JBW_OK);
    assert_int_equal(jbw_world_explore(other, &next, 1), JBW_OK);
    assert_same(world, other, "with functions of the caller");
    jbw_world_destroy(other);
    jbw_model_destroy(made);

    // a function with another number of arguments
    jbw_intensity_function wrong = intensity;
    wrong.argument_count = 2;
    options.intensity_functions = &wrong;
    expect_failure(&bytes, &options, JBW_INVALID_CONFIG, "Hills");

    // a model of the caller has them already
    other = decode_world(&bytes, &(jbw_load_options){.model = model}, &made);
    assert_null(made);
    jbw_world_destroy(other);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- bad input by hand; test_snapshot_damage.c has thousands of it ----

static void test_bad_bytes(void **state)
{
    (void)state;
    expect_failure(&(jbw_buffer){.bytes = (uint8_t *)"", .size = 0}, NULL, JBW_INVALID_DATA,
                   "ends too early");
    expect_failure(&(jbw_buffer){.bytes = (uint8_t *)"\x19", .size = 1}, NULL, JBW_INVALID_DATA,
                   "has version 25");
    expect_failure(&(jbw_buffer){.bytes = (uint8_t *)"\x00", .size = 1}, NULL, JBW_INVALID_DATA,
                   "unknown version");

    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_buffer bytes = encode_world(world);
    assert_true(jbw_buffer_append(&bytes, "", 1));
    expect_failure(&bytes, NULL, JBW_INVALID_DATA, "bytes after its end");
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a problem of the config is one of the state, which has no lines and columns
static void test_bad_config(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_buffer bytes = encode_world(world);
    static const char good[] = "Cross[3, 4, 1, -2, -4, -1]";
    size_t at = 0;
    while (at + sizeof good <= bytes.size && memcmp(bytes.bytes + at, good, sizeof good - 1) != 0)
        at++;
    assert_true(at + sizeof good <= bytes.size);
    memcpy(bytes.bytes + at, "Cross[3; ", 9);
    jbw_model *made;
    jbw_world *other;
    jbw_error error;
    assert_int_equal(jbw_world_decode(bytes.bytes, bytes.size, NULL, &made, &other, &error),
                     JBW_INVALID_DATA);
    assert_non_null(strstr(error.text, "invalid world state: in its config, "));
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- memory ----

static void test_last_time(void **state)
{
    (void)state;
    // a world at the end of time can be saved and loaded, but takes no more steps
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agents[2];
    assert_int_equal(jbw_world_add_agent(world, NULL, &agents[0]), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agents[1]), JBW_OK);
    world->time = JBW_MAX_TIME - 1;
    assert_int_equal(jbw_world_step(world), JBW_OK);
    assert_int_equal(jbw_world_time(world), JBW_MAX_TIME);
    assert_int_equal(jbw_agent_act(world, agents[0], 0, NULL), JBW_OK);

    const uint64_t hash = jbw_world_hash(world);
    const int actions[] = {0, 0};
    bool stepped = true;
    assert_int_equal(jbw_world_step(world), JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_agent_act(world, agents[1], 0, &stepped), JBW_OUT_OF_RANGE);
    assert_false(stepped);
    assert_int_equal(jbw_world_act(world, agents, actions, 2, &stepped), JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_agent_set_active(world, agents[1], false), JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_world_remove_agent(world, agents[1]), JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_world_hash(world), hash);

    jbw_buffer bytes = encode_world(world);
    const jbw_load_options load = {.model = model};
    jbw_model *none;
    jbw_world *loaded = decode_world(&bytes, &load, &none);
    assert_int_equal(jbw_world_hash(loaded), hash);
    assert_int_equal(jbw_world_step(loaded), JBW_OUT_OF_RANGE);
    jbw_world_destroy(loaded);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_buffer_free(&bytes);
}

static void test_memory_limit(void **state)
{
    (void)state;
    // from too little to enough: allocations never exceed the limit
    counting_allocator counting = {0};
    jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    uint64_t random = 1;
    assert_true(life_run(world, &random, 100));
    jbw_buffer bytes = encode_world(world);
    bool has_failed = false;
    for (uint64_t limit = 1;; limit += limit / 16 + 1) {
        counting.most_byte_count = 0;
        const jbw_load_options options = {.allocator = counting_allocator_make(&counting),
                                          .memory_limit = limit};
        jbw_model *made;
        jbw_world *other;
        jbw_error error;
        const jbw_status status =
            jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &other, &error);
        assert_true(counting.most_byte_count <= limit);
        if (!status) {
            jbw_world_destroy(other);
            jbw_model_destroy(made);
            assert_true(limit < 20 << 20);
            break;
        }
        has_failed = true;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_contains(error.text, "limit");
        assert_int_equal(counting.block_count, 0);
    }
    assert_true(has_failed);
    assert_int_equal(counting.block_count, 0);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static jbw_status write_state(const void *what, jbw_buffer *out)
{
    return jbw_world_encode(what, out);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    uint64_t random = 1;
    assert_true(life_run(world, &random, 150));
    jbw_buffer good = encode_world(world);

    fail_every_allocation(write_state, world);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        counting_allocator counting = {.fail_at = n, .fail_count = 1};
        const jbw_load_options options = {.allocator = counting_allocator_make(&counting)};
        jbw_model *made = NULL;
        jbw_world *other = NULL;
        jbw_error error;
        status = jbw_world_decode(good.bytes, good.size, &options, &made, &other, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_string_equal(error.text, "out of memory");
            assert_null(made);
            assert_null(other);
        } else {
            allow_allocations(&counting);
            assert_same(world, other, "after failures");
        }
        jbw_world_destroy(other);
        jbw_model_destroy(made);
        assert_int_equal(counting.block_count, 0);
        assert_int_equal(counting.byte_count, 0);
    }
    jbw_buffer_free(&good);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_world_continues),
        cmocka_unit_test(test_shipped_worlds_continue),
        cmocka_unit_test(test_ids_are_never_reused),
        cmocka_unit_test(test_many_round_trips),
        cmocka_unit_test(test_end_of_world),
        cmocka_unit_test(test_tiny_worlds),
        cmocka_unit_test(test_models_of_the_caller),
        cmocka_unit_test(test_appending),
        cmocka_unit_test(test_own_functions),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_bad_config),
        cmocka_unit_test(test_last_time),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
