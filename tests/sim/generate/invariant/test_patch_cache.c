// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The patch cache of invariant worlds: nothing that can be observed depends on which patches are
/// in memory, were dropped or were generated again. The twin never drops anything.
#include "support/models.h"

#include <stdlib.h>

#include "jbw/agent.h"
#include "jbw/state.h"
#include "sim/map/change_runs.h"
#include "sim/world/terrain.h"
#include "support/allocations.h"
#include "support/life.h"
#include "support/random.h"

enum { ENGINE_BYTES = 1 << 20, MOST_TYPES = 8 };

// without interactions, which makes generation fast; or as they are
static jbw_config make_config(bool has_interactions)
{
    static jbw_item_type items[MOST_TYPES];
    jbw_config config = life_growing_config();
    config.generation = JBW_GENERATION_INVARIANT;
    if (has_interactions) return config;
    for (size_t i = 0; i < config.item_count; i++) {
        items[i] = config.items[i];
        items[i].interaction_count = 0;
    }
    config.items = items;
    return config;
}

// a world that keeps as few patches as possible, or all of them
static jbw_world *world_that_keeps(const jbw_model *model, uint64_t seed, bool keeps_all)
{
    jbw_world *world = world_of(model, seed);
    jbw_patch_cache_set_budget(world->generator.patch_cache, keeps_all ? SIZE_MAX / 2 : 1,
                               ENGINE_BYTES);
    return world;
}

static void assert_same(jbw_world *a, jbw_world *b, const char *where)
{
    life_view view_a = life_look(a);
    life_view view_b = life_look(b);
    view_a.stats = view_b.stats = 0; // the number of patches may differ
    const char *difference = life_difference(&view_a, &view_b);
    if (difference) fail_msg("%s: different in %s", where, difference);
    jbw_buffer bytes_a = encode_world(a);
    jbw_buffer bytes_b = encode_world(b);
    assert_int_equal(bytes_a.size, bytes_b.size);
    assert_memory_equal(bytes_a.bytes, bytes_b.bytes, bytes_a.size);
    jbw_buffer_free(&bytes_a);
    jbw_buffer_free(&bytes_b);
}

static void assert_same_cell(jbw_world *a, jbw_world *b, jbw_position cell)
{
    jbw_cell_info x;
    jbw_cell_info y;
    assert_int_equal(jbw_world_inspect(a, cell, &x), JBW_OK);
    assert_int_equal(jbw_world_inspect(b, cell, &y), JBW_OK);
    assert_int_equal(x.state, JBW_PATCH_FINAL);
    assert_int_equal(x.state, y.state);
    assert_int_equal(x.item, y.item);
    assert_int_equal(x.is_generated, y.is_generated);
    assert_int_equal(x.is_since_known, y.is_since_known);
    assert_int_equal(x.since, y.since);
    float p[JBW_MAX_DIMENSIONS];
    float q[JBW_MAX_DIMENSIONS];
    const size_t dimensions = (size_t)jbw_model_scent_dimensions(jbw_world_model(a));
    assert_int_equal(jbw_world_smell(a, cell, p), JBW_OK);
    assert_int_equal(jbw_world_smell(b, cell, q), JBW_OK);
    assert_memory_equal(p, q, dimensions * sizeof *p);
}

// replaces a world by a copy, made by saving and loading or by cloning
static jbw_world *replace(jbw_world *world, bool by_bytes)
{
    jbw_world *copy;
    if (by_bytes) {
        jbw_buffer bytes = encode_world(world);
        jbw_model *model;
        copy = decode_world(&bytes, &(jbw_load_options){.model = world->model}, &model);
        assert_null(model); // the budget is not part of the comparison
        jbw_patch_cache_set_budget(copy->generator.patch_cache, 1, ENGINE_BYTES);
        jbw_buffer again = encode_world(copy);
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.bytes, bytes.bytes, bytes.size);
        jbw_buffer_free(&again);
        jbw_buffer_free(&bytes);
    } else {
        copy = clone_of(world);
    }
    assert_int_equal(jbw_world_hash(copy), jbw_world_hash(world));
    jbw_world_destroy(world);
    return copy;
}

// drops everything that is not needed now
static void drop_all(jbw_world *world)
{
    world->generator.patch_cache->patch_limit = 0;
    jbw_terrain_drop_if_full(world);
}

// places an item in an empty cell, or removes the item that is there
static void edit(jbw_world *world, jbw_position cell)
{
    const jbw_status status = jbw_world_remove_item(world, cell);
    if (status != JBW_NOT_FOUND)
        assert_int_equal(status, JBW_OK);
    else
        assert_int_equal(jbw_world_place_item(world, 2, cell), JBW_OK);
}

// with `stays`, nothing far away is generated
static void compare_with_twin(const jbw_config *config, uint64_t seed, int calls, bool stays)
{
    jbw_model *model = model_of(config);
    jbw_world *twin = world_that_keeps(model, seed, true);
    jbw_world *world = world_that_keeps(model, seed, false);
    uint64_t random = seed;
    uint64_t chance = seed + 1000;
    size_t most_kept = 0;
    for (int i = 0; i < calls; i++) {
        uint64_t random_too = random;
        assert_true(life_call(twin, &random));
        assert_true(life_call(world, &random_too));
        assert_int_equal(random, random_too);
        const uint32_t kind = random_below(&chance, 40);
        const int64_t x = (int64_t)random_below(&chance, 100) - 50;
        const int64_t y = (int64_t)random_below(&chance, 100) - 50;
        if (kind < 10) {
            // generate something else, so that what is here was not needed recently
            const jbw_position away[] = {{9000 + 90 * x, y}, {9000 + 90 * x, 500 + y}};
            if (!stays) assert_int_equal(jbw_world_explore(world, away, 2), JBW_OK);
            drop_all(world);
        }
        if (kind == 10 || kind == 11) world = replace(world, kind == 10);
        if (kind < 20 && !stays) assert_same_cell(twin, world, (jbw_position){x, y});
        if (kind > 20 && kind < 25 && !stays) {
            edit(twin, (jbw_position){4 * x, 4 * y});
            edit(world, (jbw_position){4 * x, 4 * y});
        }
        if (kind == 20) assert_same(twin, world, "in between");
        assert_int_equal(jbw_world_hash(twin), jbw_world_hash(world));
        if (world->map.evicted.count > most_kept) most_kept = world->map.evicted.count;
    }
    assert_same(twin, world, "at the end");
    assert_true(jbw_world_time(world) > (uint64_t)calls / 20);
    assert_true((stays || most_kept > 0) && twin->map.evicted.count == 0);
    assert_true(stays || twin->map.patch_count > world->map.patch_count);
    jbw_world_destroy(twin);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_twins(void **state)
{
    (void)state;
    const jbw_config config = make_config(false);
    for (uint64_t seed = 1; seed <= 3; seed++) compare_with_twin(&config, seed, 1500, false);
}

static void test_twins_with_interactions(void **state)
{
    (void)state;
    const jbw_config config = make_config(true);
    compare_with_twin(&config, 1, 60, true);
}

static void test_twins_far_reach(void **state)
{
    (void)state;
    // scent reaches almost one patch, farther than vision
    jbw_config config = make_config(false);
    config.patch_size = 14;
    config.scent_decay = 0.2;
    config.scent_diffusion = 0.13;
    jbw_model *model = model_of(&config);
    assert_true(model->near_low > config.patch_size / 2);
    jbw_model_destroy(model);
    compare_with_twin(&config, 1, 800, false);
}

static void test_twins_without_scent(void **state)
{
    (void)state;
    jbw_config config = make_config(false);
    config.scent_dimensions = 0;
    config.patch_size = 9;
    compare_with_twin(&config, 3, 2500, false);
}

// --- looking ------------------------------------------------------------------------------------

static void test_reading_changes_nothing(void **state)
{
    (void)state;
    enum { SIDE = 70 };
    static uint8_t seen[SIDE * SIDE];
    static uint8_t states[SIDE * SIDE];
    static uint8_t found[SIDE * SIDE];
    const jbw_config config = make_config(false);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_that_keeps(model, 5, false);
    uint64_t random = 1;
    assert_true(life_run(world, &random, 300));
    const jbw_position places[] = {
        {-35, -35}, {1000000000, -1000000007}, {JBW_MAX_COORDINATE - SIDE, -JBW_MAX_COORDINATE}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const jbw_region region = {places[i].x, places[i].y, SIDE, SIDE};
        const uint64_t hash = jbw_world_hash(world);
        const size_t count = world->map.patch_count;
        assert_int_equal(jbw_world_read_region(world, region, seen, states), JBW_OK);
        assert_int_equal(jbw_world_hash(world), hash);
        assert_int_equal(world->map.patch_count, count);
        for (int k = 0; k < SIDE * SIDE; k++) assert_int_equal(states[k], JBW_PATCH_FINAL);

        // an agent that goes there finds the same
        for (int64_t y = 0; y < SIDE; y += 11)
            for (int64_t x = 0; x < SIDE; x += 11)
                assert_int_equal(
                    jbw_world_explore(world, &(jbw_position){places[i].x + x, places[i].y + y}, 1),
                    JBW_OK);
        assert_int_equal(jbw_world_read_region(world, region, found, NULL), JBW_OK);
        assert_memory_equal(seen, found, sizeof seen);
        assert_int_equal(jbw_world_hash(world), hash);
    }
    assert_int_equal(jbw_world_patch_state(world, (jbw_position){INT64_C(1) << 50, 0}),
                     JBW_PATCH_FINAL);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void note_operation(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)world;
    assert_int_not_equal(operation->kind, JBW_OPERATION_EXPLORE);
    assert_int_not_equal(operation->kind, JBW_OPERATION_FINALIZE_PATCH);
    ++*(int *)user;
}

static void test_exploring_is_no_operation(void **state)
{
    (void)state;
    const jbw_config config = make_config(false);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_that_keeps(model, 5, false);
    int count = 0;
    jbw_world_on_operation(world, note_operation, &count);
    const uint64_t hash = jbw_world_hash(world);
    const jbw_position far[] = {{0, 0}, {5000, 0}, {0, -700}};
    assert_int_equal(jbw_world_explore(world, far, 3), JBW_OK);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){9, 9}), JBW_OK);
    assert_int_equal(count, 0);
    assert_int_equal(jbw_world_hash(world), hash);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(count, 1);
    const jbw_position beyond = {JBW_MAX_COORDINATE + 1, 0};
    assert_int_equal(jbw_world_explore(world, &beyond, 1), JBW_OUT_OF_RANGE);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- agents on different ways -------------------------------------------------------------------

static void test_same_map_for_all_agents(void **state)
{
    (void)state;
    enum { SIDE = 120 };
    static uint8_t maps[2][SIDE * SIDE];
    static uint8_t untouched[SIDE * SIDE];
    const jbw_config config = make_config(false);
    jbw_model *model = model_of(&config);
    const jbw_region region = {-SIDE / 2, -SIDE / 2, SIDE, SIDE};
    jbw_world *nobody = world_that_keeps(model, 9, true);
    assert_int_equal(jbw_world_read_region(nobody, region, untouched, NULL), JBW_OK);
    jbw_world_destroy(nobody);
    jbw_world *worlds[2];
    for (uint64_t policy = 0; policy < 2; policy++) {
        worlds[policy] = world_that_keeps(model, 9, policy == 1);
        uint64_t random = 77 + policy;
        assert_true(life_run(worlds[policy], &random, 2000));
        assert_int_equal(jbw_world_read_region(worlds[policy], region, maps[policy], NULL), JBW_OK);
    }
    size_t changed[2] = {0, 0};
    for (int i = 0; i < SIDE * SIDE; i++) {
        const jbw_position cell = {region.x + i % SIDE, region.y + i / SIDE};
        for (int policy = 0; policy < 2; policy++) {
            jbw_cell_info info;
            assert_int_equal(jbw_world_inspect(worlds[policy], cell, &info), JBW_OK);
            // unchanged cells are as generated
            if (info.is_generated)
                assert_int_equal(maps[policy][i], untouched[i]);
            else
                changed[policy]++;
        }
    }
    for (int policy = 0; policy < 2; policy++) {
        assert_in_range(changed[policy], 50, SIDE * SIDE / 4);
        jbw_world_destroy(worlds[policy]);
    }
    jbw_model_destroy(model);
}

// --- memory -------------------------------------------------------------------------------------

static void test_undone_changes(void **state)
{
    (void)state;
    const jbw_config config = make_config(false);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_that_keeps(model, 2, false);
    const uint64_t empty = jbw_world_hash(world);
    jbw_buffer before = encode_world(world);
    uint8_t cells[11];
    assert_int_equal(jbw_world_read_region(world, (jbw_region){0, 0, 11, 1}, cells, NULL), JBW_OK);
    for (int round = 0; round < 2; round++) {
        for (int64_t x = 0; x < 11; x++) {
            const jbw_position cell = {x, 0};
            if (cells[x] != 0) assert_int_equal(jbw_world_remove_item(world, cell), JBW_OK);
            assert_int_equal(jbw_world_place_item(world, 3, cell), JBW_OK);
            if (round == 0) continue;
            assert_int_equal(jbw_world_remove_item(world, cell), JBW_OK);
            if (cells[x] != 0)
                assert_int_equal(jbw_world_place_item(world, cells[x] - 1, cell), JBW_OK);
        }
        for (int64_t x = 0; round == 0 && x < 11; x++) {
            const jbw_position cell = {x, 0};
            assert_int_equal(jbw_world_remove_item(world, cell), JBW_OK);
            if (cells[x] != 0)
                assert_int_equal(jbw_world_place_item(world, cells[x] - 1, cell), JBW_OK);
            drop_all(world);
        }
    }
    // finally the scent has faded
    for (int i = 0; i < model->scent.memory + 2; i++)
        assert_int_equal(jbw_world_step(world), JBW_OK);
    world->time = 0;
    for (int64_t i = 0; i < 40; i++)
        assert_int_equal(jbw_world_explore(world, &(jbw_position){100 + 50 * i, 0}, 1), JBW_OK);
    drop_all(world);
    assert_null(jbw_map_find(&world->map, (jbw_position){0, 0}));
    assert_int_equal(world->map.evicted.count, 0);
    assert_int_equal(jbw_world_hash(world), empty);
    jbw_buffer after = encode_world(world);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.bytes, after.bytes, after.size);
    jbw_buffer_free(&after);
    jbw_buffer_free(&before);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_bounded_memory(void **state)
{
    (void)state;
    // an agent walks straight ahead and collects everything
    counting_allocator counting = {0};
    static const jbw_item_type apples[] = {{.name = "Apple", .intensity = "Constant[-1.5]"}};
    jbw_config config = small_config(8, 10, apples, 1);
    config.agent.vision_range = 2;
    config.generation = JBW_GENERATION_INVARIANT;
    config.memory_budget = 1;
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    size_t most = 0;
    for (int i = 0; i < 40000; i++) {
        assert_int_equal(jbw_agent_act(world, agent, 0, NULL), JBW_OK);
        if (world->map.patch_count > most) most = world->map.patch_count;
    }
    const uint64_t *inventory = jbw_agent_inventory(world, agent);
    assert_true(inventory[0] > 4000);
    assert_true(world->map.evicted.count > 3000);
    assert_int_equal(jbw_world_get_stats(world).final_patch_count, world->map.patch_count);
    assert_in_range(most, 100,
                    (1 << 18) / sizeof(jbw_patch)); // a quarter of the budget is for patches
    assert_true(counting.most_byte_count < (3 << 19));
    jbw_buffer bytes = encode_world(world);
    assert_true(bytes.size < 40000);
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.byte_count, 0);
}

// reading a large region takes no more memory than reading a small one
static void test_large_region(void **state)
{
    (void)state;
    enum { SIDE = 600 };
    counting_allocator counting = {0};
    jbw_config config = make_config(false);
    config.allocator = counting_allocator_make(&counting);
    config.memory_budget = 1;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    uint8_t *items = malloc((size_t)SIDE * SIDE);
    assert_non_null(items);
    assert_int_equal(jbw_world_read_region(world, (jbw_region){0, 0, 40, 40}, items, NULL), JBW_OK);
    assert_int_equal(jbw_world_read_region(world, (jbw_region){-5000, 70, SIDE, SIDE}, items, NULL),
                     JBW_OK);
    assert_true(counting.most_byte_count < (3 << 19));
    assert_int_equal(world->map.patch_count, 0);
    free(items);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// the budget is not saved, so it can be chosen when loading
static void test_budget_of_a_loaded_world(void **state)
{
    (void)state;
    const jbw_config config = make_config(false);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_that_keeps(model, 5, false);
    jbw_buffer bytes = encode_world(world);
    const int budgets[] = {0, 3, 100};
    for (size_t i = 0; i < 3; i++) {
        const jbw_load_options options = {.memory_budget = budgets[i]};
        const size_t expected = (size_t)(budgets[i] > 0 ? budgets[i] : 64) << 20;
        jbw_model *made;
        jbw_world *copy = decode_world(&bytes, &options, &made);
        const jbw_patch_cache *cache = copy->generator.patch_cache;
        assert_int_equal(cache->map_budget + cache->engine_budget, expected);
        assert_int_equal(jbw_world_hash(copy), jbw_world_hash(world));
        jbw_world_destroy(copy);
        jbw_model_destroy(made);
    }
    for (int budget = -1; budget <= JBW_MAX_MEMORY_BUDGET + 1;
         budget += JBW_MAX_MEMORY_BUDGET + 2) {
        const jbw_load_options options = {.memory_budget = budget};
        jbw_model *made;
        jbw_world *copy;
        jbw_error error;
        assert_int_equal(jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &copy, &error),
                         JBW_INVALID_ARGUMENT);
        assert_contains(error.text, "expected 1 to 1048576 megabytes");
        assert_true(!made && !copy);
    }
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// every allocation of cloning, saving and loading fails in turn
static void test_failing_copies(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = make_config(false);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_that_keeps(model, 5, false);
    uint64_t random = 1;
    assert_true(life_run(world, &random, 1500));
    drop_all(world);
    assert_true(world->map.evicted.count > 3);
    const uint64_t hash = jbw_world_hash(world);
    jbw_buffer bytes = encode_world(world);
    const size_t block_count = counting.block_count;
    for (int kind = 0; kind < 4; kind++) {
        size_t failures = 0;
        for (bool is_done = false; !is_done;) {
            fail_allocations(&counting, failures + 1, failures % 2 ? 1 : SIZE_MAX);
            jbw_world *copy = NULL;
            jbw_model *made = NULL;
            jbw_buffer again = {.allocator = config.allocator};
            uint8_t cell;
            jbw_status status = JBW_OK;
            const jbw_load_options options = {.model = model, .allocator = config.allocator};
            if (kind == 0) status = jbw_world_clone(world, &copy);
            if (kind == 1) status = jbw_world_encode(world, &again);
            if (kind == 2)
                status = jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &copy, NULL);
            if (kind == 3) {
                jbw_patch_cache_set_budget(world->generator.patch_cache, 1,
                                           ENGINE_BYTES); // an engine must be created
                status = jbw_world_read_region(world, (jbw_region){999, 9, 1, 1}, &cell, NULL);
            }
            allow_allocations(&counting);
            is_done = status == JBW_OK;
            if (!is_done) assert_int_equal(status, JBW_OUT_OF_MEMORY);
            if (copy) assert_int_equal(jbw_world_hash(copy), hash);
            if (kind == 1 && is_done) assert_int_equal(again.size, bytes.size);
            jbw_buffer_free(&again);
            jbw_world_destroy(copy);
            assert_int_equal(jbw_world_hash(world), hash);
            failures += !is_done;
        }
        assert_true(failures >= 1);
        if (kind < 3) assert_true(counting.block_count <= block_count + 3);
    }
    jbw_buffer_free(&bytes);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
    assert_int_equal(counting.byte_count, 0);
}

// patches whose changes cannot be kept are not dropped
static void test_failing_to_drop(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = make_config(false);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *twin = world_that_keeps(model, 5, true);
    jbw_world *world = world_that_keeps(model, 5, true);
    uint64_t random = 1;
    uint64_t random_too = 1;
    assert_true(life_run(twin, &random, 1500));
    assert_true(life_run(world, &random_too, 1500));
    jbw_patch_cache_set_budget(world->generator.patch_cache, 1, ENGINE_BYTES);
    const size_t count = world->map.patch_count;
    const uint64_t version = world->map.version;
    fail_allocations(&counting, 4, SIZE_MAX);
    drop_all(world);
    allow_allocations(&counting);
    assert_true(world->map.version > version); // agents must not use the patches they remember
    assert_true(world->map.patch_count < count && world->map.evicted.count > 0);
    assert_same(twin, world, "after dropping without memory");
    drop_all(world);
    assert_same(twin, world, "after dropping");
    jbw_world_destroy(twin);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_twins_with_interactions),
        cmocka_unit_test(test_twins_far_reach),
        cmocka_unit_test(test_twins_without_scent),
        cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_budget_of_a_loaded_world),
        cmocka_unit_test(test_exploring_is_no_operation),
        cmocka_unit_test(test_same_map_for_all_agents),
        cmocka_unit_test(test_undone_changes),
        cmocka_unit_test(test_bounded_memory),
        cmocka_unit_test(test_large_region),
        cmocka_unit_test(test_failing_copies),
        cmocka_unit_test(test_failing_to_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
