// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Background threads that generate an invariant world: no result depends on how many there are or
/// how much memory they have. The twin has none.
#include "support/models.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ahead/ahead.h"
#include "jbw/agent.h"
#include "jbw/ahead.h"
#include "jbw/state.h"
#include "sim/world/world.h"
#include "support/life.h"
#include "support/random.h"

enum { PATCH = 32, AGENTS = 3, SIDE = 96, PLENTY = 1 << 26 };

// clusters, and lines that come first, so that every stage is needed
static const jbw_interaction dot_interactions[] = {{"Dot", "PiecewiseBox[8, 20, 1, -0.5]"}};
static const jbw_interaction line_interactions[] = {{"Line", "Cross[1, 2, 5, -5, -5, -1]"}};
static const jbw_item_type items[] = {
    {.name = "Dot",
     .intensity = "Constant[-4]",
     .interactions = dot_interactions,
     .interaction_count = 1},
    {.name = "Line",
     .intensity = "Constant[-7]",
     .interactions = line_interactions,
     .interaction_count = 1},
    {.name = "Independent", .intensity = "Constant[-4]"},
};

static jbw_model *make_model(const jbw_allocator *allocator)
{
    jbw_config config = small_config(PATCH, 10, items, 3);
    config.generation = JBW_GENERATION_INVARIANT;
    config.agent.vision_range = 4;
    if (allocator) config.allocator = *allocator;
    return model_of(&config);
}

// Shrinks blocks, windows and times to make it fast. The map is a different one, which does not
// matter here.
static void shrink(jbw_invariant_plan *plan)
{
    enum { FACTOR = 4 };
    for (int i = 0; i < JBW_STAGES; i++) {
        jbw_invariant_stage *stage = &plan->stages[i];
        stage->side /= FACTOR;
        stage->shift /= FACTOR;
        stage->first_margin /= FACTOR;
        stage->last_margin /= FACTOR;
        stage->end_slice = stage->first_slice + (stage->end_slice - stage->first_slice) / FACTOR;
    }
}

// the block builder of a world; created with small blocks if there is none yet
static jbw_block_builder *blocks_of(const jbw_world *world)
{
    jbw_patch_cache *cache = world->generator.patch_cache;
    const bool is_new = !cache->engine;
    jbw_invariant *engine = jbw_patch_cache_engine(cache);
    assert_non_null(engine);
    jbw_block_builder *blocks = jbw_invariant_blocks(engine);
    assert_non_null(blocks);
    if (is_new) shrink((jbw_invariant_plan *)(uintptr_t)blocks->plan);
    return blocks;
}

// a world with that many bytes for its blocks and that many threads, whether sensible or not
static jbw_world *make_ahead(const jbw_model *model, uint64_t seed, size_t budget, size_t threads)
{
    jbw_world *world = world_of(model, seed);
    jbw_patch_cache_set_budget(world->generator.patch_cache, 1, budget);
    jbw_block_builder *blocks = blocks_of(world);
    if (threads > 0) assert_int_equal(jbw_ahead_start(blocks, threads), JBW_OK);
    assert_int_equal(jbw_world_generation_threads(world), threads);
    return world;
}

// --- runs ---------------------------------------------------------------------------------------

/// Everything that was observed in a run.
typedef struct digest {
    uint64_t value;
    int counts[4]; // of cells without an item, and with each type
    uint8_t latest[SIDE * SIDE];
} digest;

static void take_in(digest *d, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        d->value = (d->value ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void look(digest *d, const jbw_world *world, jbw_position corner)
{
    const jbw_region region = {corner.x, corner.y, SIDE, SIDE};
    assert_int_equal(jbw_world_read_region(world, region, d->latest, NULL), JBW_OK);
    take_in(d, d->latest, sizeof d->latest);
    for (size_t i = 0; i < sizeof d->latest; i++) d->counts[d->latest[i]]++;
}

// agents wander, distant places are looked at and explored
static digest *run(jbw_world *world, int steps, uint64_t random)
{
    digest *d = calloc(1, sizeof *d);
    assert_non_null(d);
    jbw_agent_id agents[AGENTS];
    for (int i = 0; i < AGENTS; i++) {
        const jbw_agent_options options = {.has_position = true, .position = {40 * i, -300 * i}};
        assert_int_equal(jbw_world_add_agent(world, &options, &agents[i]), JBW_OK);
    }
    for (int step = 0; step < steps; step++) {
        int actions[AGENTS];
        for (int i = 0; i < AGENTS; i++) {
            const bool turns = random_below(&random, 60) == 0;
            actions[i] = turns ? 1 + (int)random_below(&random, 2) : 0;
        }
        assert_int_equal(jbw_world_act(world, agents, actions, AGENTS, NULL), JBW_OK);
        if (step % 16 != 0) continue;
        const uint64_t hash = jbw_world_hash(world);
        take_in(d, &hash, sizeof hash);
        jbw_agent_state state = {0};
        jbw_agent_get_state(world, agents[step / 16 % AGENTS], &state);
        look(d, world, (jbw_position){state.position.x - SIDE / 2, state.position.y - SIDE / 2});
        const uint32_t chance = random_below(&random, 12);
        const int64_t far = 100000 * (int64_t)random_below(&random, 7);
        if (chance == 0) look(d, world, (jbw_position){far, -far - 1000});
        const jbw_position places[] = {{far, 5}, {far, 200}, {far + 300, 5}, {300, far}, {0, 9}};
        if (chance == 1) assert_int_equal(jbw_world_explore(world, places, 5), JBW_OK);
    }
    return d;
}

static void assert_same_runs(size_t budget, int steps, const size_t *counts, size_t count_count)
{
    jbw_model *model = make_model(NULL);
    jbw_world *twin = make_ahead(model, 3, PLENTY, 0);
    digest *expected = run(twin, steps, 7);
    for (size_t i = 0; i < count_count; i++) {
        jbw_world *world = make_ahead(model, 3, budget, counts[i]);
        digest *found = run(world, steps, 7);
        assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));
        assert_memory_equal(found->latest, expected->latest, sizeof found->latest);
        assert_int_equal(found->value, expected->value);
        free(found);
        jbw_world_destroy(world);
    }
    for (int i = 0; i < 4 && steps > 50; i++) assert_in_range(expected->counts[i], 20, SIZE_MAX);
    free(expected);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
}

static void test_same_run(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 2, 3, 8};
    assert_same_runs(PLENTY, 60, counts, 5);
}

// blocks are dropped although they are about to be needed
static void test_same_run_with_little_memory(void **state)
{
    (void)state;
    const size_t counts[] = {2, 8};
    assert_same_runs(60 << 12, 20, counts, 2);
    assert_same_runs(30 << 12, 1, counts, 1);
}

// --- blocks ----------------------------------------------------------------------------------

// with enough memory no block is generated twice
static void test_no_block_twice(void **state)
{
    (void)state;
    enum { LARGE = 160 };
    uint8_t *cells = malloc((size_t)LARGE * LARGE);
    uint8_t *expected = malloc((size_t)LARGE * LARGE);
    assert_true(cells && expected);
    jbw_model *model = make_model(NULL);
    const jbw_region region = {-150, 1000, LARGE, LARGE};
    uint64_t draws = 0;
    const size_t counts[] = {0, 1, 4};
    for (size_t i = 0; i < 3; i++) {
        jbw_world *world = make_ahead(model, 5, PLENTY, counts[i]);
        assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
        const uint64_t found = jbw_world_get_stats(world).proposal_count;
        assert_true(found > 1000);
        if (i == 0) {
            draws = found;
            memcpy(expected, cells, (size_t)LARGE * LARGE);
        }
        assert_memory_equal(cells, expected, (size_t)LARGE * LARGE);
        jbw_world_destroy(world); // joins the threads, so that their unfinished blocks count
        assert_int_equal(found, draws);
    }
    free(cells);
    free(expected);
    jbw_model_destroy(model);
}

static void do_nothing(void *user)
{
    (void)user;
}

// With a worker that runs between steps, in the same thread, until there is nothing left to do, an
// agent that walks straight ahead never waits.
static void test_walkers_never_wait(void **state)
{
    (void)state;
    jbw_model *model = make_model(NULL);
    jbw_world *world = make_ahead(model, 5, PLENTY, 0);
    jbw_block_builder *blocks = blocks_of(world);
    blocks->hooks = (jbw_thread_hooks){
        .lock = do_nothing, .unlock = do_nothing, .wait = do_nothing, .wake = do_nothing};
    jbw_block_worker *worker = jbw_block_builder_add_worker(blocks, true);
    assert_non_null(worker);
    const jbw_position ways[] = {{1, 0}, {0, -1}, {-2, 3}};
    for (size_t way = 0; way < 3; way++) {
        for (int i = 0; i < 20; i++) {
            const uint64_t before = jbw_block_builder_proposals(blocks);
            const jbw_position place = {9 * i * ways[way].x + 5000 * (int64_t)way,
                                        9 * i * ways[way].y};
            assert_int_equal(jbw_world_explore(world, &place, 1), JBW_OK);
            const uint64_t after = jbw_block_builder_proposals(blocks);
            // only the arrival of a new agent cannot be predicted
            if (i > 0)
                assert_int_equal(after, before);
            else
                assert_true(after > before);
            while (jbw_block_builder_help(blocks, worker)) continue;
        }
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- the public functions -----------------------------------------------------------------------

static void test_counts(void **state)
{
    (void)state;
    jbw_model *model = make_model(NULL);
    jbw_world *world = world_of(model, 1);
    assert_int_equal(jbw_world_generation_threads(world), 0);
    assert_int_equal(jbw_world_set_generation_threads(world, -1), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_world_set_generation_threads(world, JBW_MAX_GENERATION_THREADS + 1),
                     JBW_INVALID_ARGUMENT);
    const int counts[] = {2, 0, 3, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(jbw_world_set_generation_threads(world, counts[i]), JBW_OK);
        assert_int_equal(jbw_world_generation_threads(world), counts[i]);
    }
    // 48 megabytes are enough for 24 blocks of 144 kilobytes each, and a window, of about 14
    assert_int_equal(jbw_world_set_generation_threads(world, JBW_MAX_GENERATION_THREADS), JBW_OK);
    assert_in_range(jbw_world_generation_threads(world), 10, 20);
    assert_int_equal(jbw_world_set_generation_threads(world, 2), JBW_OK);

    // clones have none, until they are handed over
    jbw_world *copy;
    assert_int_equal(jbw_world_clone(world, &copy), JBW_OK);
    assert_int_equal(jbw_world_generation_threads(copy), 0);
    jbw_world_pass_on(world, copy);
    assert_int_equal(jbw_world_generation_threads(world), 0);
    assert_int_equal(jbw_world_generation_threads(copy), 2);
    jbw_world_pass_on(copy, world);
    assert_int_equal(jbw_world_generation_threads(world), 2);
    jbw_world_destroy(copy);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_threads_without_use(void **state)
{
    (void)state;
    // too little memory; nothing to generate ahead; generation as in the paper
    for (int kind = 0; kind < 3; kind++) {
        jbw_config config =
            small_config(PATCH, 10, kind == 1 ? items + 2 : items, kind == 1 ? 1 : 3);
        config.generation = kind == 2 ? JBW_GENERATION_FRONTIER : JBW_GENERATION_INVARIANT;
        config.memory_budget = 1;
        jbw_model *model = model_of(&config);
        jbw_world *world = world_of(model, 1);
        assert_int_equal(jbw_world_set_generation_threads(world, 4), JBW_OK);
        assert_int_equal(jbw_world_generation_threads(world), 0);
        if (kind > 0) assert_int_equal(jbw_world_explore(world, &(jbw_position){0, 0}, 1), JBW_OK);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// threads start and stop while there is a lot to do
static void test_start_and_stop(void **state)
{
    (void)state;
    jbw_model *model = make_model(NULL);
    uint8_t cell;
    for (int i = 0; i < 12; i++) {
        jbw_world *world = make_ahead(model, (uint64_t)i, PLENTY, 0);
        assert_int_equal(jbw_world_set_generation_threads(world, 1 + i % 5), JBW_OK);
        const jbw_region region = {1000 * (int64_t)i, 0, 1, 1};
        if (i % 4 == 0)
            assert_int_equal(jbw_world_explore(world, &(jbw_position){i, 0}, 1), JBW_OK);
        if (i % 4 == 1) assert_int_equal(jbw_world_read_region(world, region, &cell, NULL), JBW_OK);
        if (i % 4 == 2) {
            const jbw_region much = {0, 0, 5000, 5000};
            jbw_block_builder_want(blocks_of(world), &much, 1, 1);
        }
        if (i % 3 == 0) assert_int_equal(jbw_world_set_generation_threads(world, 2), JBW_OK);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

// --- memory -------------------------------------------------------------------------------------

/// An allocator for several threads that fails now and then: in all threads, or in all but one.
typedef struct scarcity {
    atomic_size_t call_count;
    atomic_size_t block_count;
    atomic_size_t failure_count;
    atomic_size_t period; // every so many calls one fails; 0: none
    pthread_t exempt;     // the thread in which no call fails, if any
    bool has_exempt;
} scarcity;

static void *scarce_allocate(size_t size, void *user)
{
    scarcity *s = user;
    const size_t call = atomic_fetch_add(&s->call_count, 1) + 1;
    const size_t period = atomic_load(&s->period);
    if (period > 0 && call % period == 0 &&
        !(s->has_exempt && pthread_equal(s->exempt, pthread_self()))) {
        atomic_fetch_add(&s->failure_count, 1);
        return NULL;
    }
    atomic_fetch_add(&s->block_count, 1);
    return malloc(size);
}

static void scarce_release(void *memory, size_t size, void *user)
{
    (void)size;
    atomic_fetch_sub(&((scarcity *)user)->block_count, 1);
    free(memory);
}

// if the workers run out of memory, the thread that needs a patch generates it
static void test_workers_without_memory(void **state)
{
    (void)state;
    scarcity s = {.exempt = pthread_self(), .has_exempt = true};
    const jbw_allocator allocator = {scarce_allocate, scarce_release, &s};
    jbw_model *model = make_model(&allocator);
    jbw_world *twin = make_ahead(model, 3, PLENTY, 0);
    digest *expected = run(twin, 40, 9);
    for (size_t period = 1; period <= 2; period++) {
        jbw_world *world = make_ahead(model, 3, PLENTY, 3);
        atomic_store(&s.failure_count, 0);
        atomic_store(&s.period, period);
        digest *found = run(world, 40, 9);
        atomic_store(&s.period, 0);
        assert_true(atomic_load(&s.failure_count) > 0);
        assert_int_equal(found->value, expected->value);
        free(found);
        jbw_world_destroy(world);
    }
    free(expected);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
    assert_int_equal(atomic_load(&s.block_count), 0);
}

// any call may run out of memory, and the next one works again
static void test_all_without_memory(void **state)
{
    (void)state;
    static uint8_t expected[SIDE * SIDE];
    static uint8_t found[SIDE * SIDE];
    scarcity s = {0};
    const jbw_allocator allocator = {scarce_allocate, scarce_release, &s};
    jbw_model *model = make_model(&allocator);
    jbw_world *twin = make_ahead(model, 3, PLENTY, 0);
    jbw_world *world = make_ahead(model, 3, PLENTY, 0);
    size_t failures = 0;
    for (size_t round = 0; round < 4; round++) {
        const jbw_region region = {400 * (int64_t)round, -50, SIDE, SIDE};
        assert_int_equal(jbw_world_read_region(twin, region, expected, NULL), JBW_OK);
        // first to start threads, then to generate places
        size_t period = 2 + round;
        for (bool is_done = false; !is_done; period += 3) {
            // counted anew: otherwise failures may keep step with the attempts, for ever
            atomic_store(&s.call_count, 0);
            atomic_store(&s.period, period);
            jbw_status status = jbw_world_set_generation_threads(world, 2);
            assert_int_equal(jbw_world_generation_threads(world), status ? 0 : 2);
            if (!status) status = jbw_world_read_region(world, region, found, NULL);
            atomic_store(&s.period, 0);
            is_done = status == JBW_OK;
            failures += !is_done;
            if (!is_done) assert_int_equal(status, JBW_OUT_OF_MEMORY);
        }
        assert_memory_equal(found, expected, sizeof found);
    }
    assert_true(failures > 4);
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
    assert_int_equal(atomic_load(&s.block_count), 0);
}

// blocks stay within the budget, except those in progress
static void test_memory_is_bounded(void **state)
{
    (void)state;
    enum { THREADS = 3, BLOCK = 1 << 12 };
    const size_t budget = 40 * BLOCK;
    jbw_model *model = make_model(NULL);
    jbw_world *world = make_ahead(model, 3, budget, THREADS);
    jbw_block_builder *blocks = blocks_of(world);
    size_t most = 0;
    for (int64_t i = 0; i < 20; i++) {
        assert_int_equal(jbw_world_explore(world, &(jbw_position){i * 50, 3 * i}, 1), JBW_OK);
        blocks->hooks.lock(blocks->hooks.user);
        if (blocks->cache.bytes > most) most = blocks->cache.bytes;
        blocks->hooks.unlock(blocks->hooks.user);
    }
    // each thread holds at most one block per stage
    assert_in_range(most, budget / 2, budget + (THREADS + 1) * JBW_STAGES * (BLOCK + 100));
    assert_true(jbw_world_get_stats(world).scratch_bytes > most); // the windows come on top
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walkers_never_wait),
        cmocka_unit_test(test_no_block_twice),
        cmocka_unit_test(test_same_run),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_same_run_with_little_memory),
        cmocka_unit_test(test_threads_without_use),
        cmocka_unit_test(test_start_and_stop),
        cmocka_unit_test(test_workers_without_memory),
        cmocka_unit_test(test_all_without_memory),
        cmocka_unit_test(test_memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
