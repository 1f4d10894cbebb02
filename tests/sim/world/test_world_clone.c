// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Clones of worlds: each continues on its own, as if it had run from the beginning, whatever the
/// others do, also in other threads.
#include "support/models.h"

#include <pthread.h>

#include "jbw/state.h"
#include "support/allocations.h"
#include "support/life.h"

enum { MAX_DEPTH = 4, BRANCHES = 3, CALLS = 40, THREADS = 4 };

static jbw_model *model;

static int make_model(void **state)
{
    (void)state;
    const jbw_config config = life_growing_config();
    return jbw_model_create(&config, &model, NULL) != JBW_OK;
}

static int free_model(void **state)
{
    (void)state;
    jbw_model_destroy(model);
    return 0;
}

static void assert_view(jbw_world *world, const life_view *expected, const char *where)
{
    const life_view view = life_look(world);
    const char *difference = life_difference(&view, expected);
    if (difference) fail_msg("%s: different in %s", where, difference);
}

// the parts of a run: the number that each one started with
typedef struct path {
    uint64_t parts[MAX_DEPTH + 1];
    int length;
} path;

static void run_part(jbw_world *world, uint64_t part)
{
    assert_true(life_run(world, &part, CALLS));
}

static life_view run_from_the_beginning(const path *p)
{
    jbw_world *world = world_of(model, 11);
    for (int i = 0; i < p->length; i++) run_part(world, p->parts[i]);
    const life_view view = life_look(world);
    jbw_world_destroy(world);
    return view;
}

// A world has several clones, which continue in different ways and have clones themselves. Before,
// in between and afterwards it equals a fresh run.
static void grow_tree(jbw_world *world, const path *so_far)
{
    const life_view fresh = run_from_the_beginning(so_far);
    assert_view(world, &fresh, "a clone and a fresh run");
    if (so_far->length > MAX_DEPTH) return;
    for (uint64_t i = 0; i < BRANCHES; i++) {
        jbw_world *child = clone_of(world);
        assert_view(child, &fresh, "a new clone");
        path longer = *so_far;
        const uint64_t part = 10 * i + (uint64_t)longer.length;
        longer.parts[longer.length++] = part;
        run_part(child, part);
        assert_view(world, &fresh, "a world whose clone continued");
        grow_tree(child, &longer);
        jbw_world_destroy(child);
    }
    assert_view(world, &fresh, "a world whose clones are gone");
}

static void test_tree(void **state)
{
    (void)state;
    jbw_world *world = world_of(model, 11);
    path p = {.length = 1, .parts = {77}};
    run_part(world, 77);
    grow_tree(world, &p);
    jbw_world_destroy(world);
}

// a clone is independent of its source, even if that is destroyed
static void test_source_continues(void **state)
{
    (void)state;
    jbw_world *world = world_of(model, 11);
    run_part(world, 1);
    jbw_world *first = clone_of(world);
    jbw_world *second = clone_of(first);
    const life_view before = life_look(world);
    run_part(world, 2);
    const life_view after = life_look(world);
    assert_non_null(life_difference(&before, &after));
    assert_view(first, &before, "a clone whose source continued");
    jbw_world_destroy(world);
    assert_view(first, &before, "a clone whose source is gone");
    run_part(first, 2);
    assert_view(first, &after, "a clone that runs as its source did");
    jbw_world_destroy(first);
    assert_view(second, &before, "the clone of a clone");
    run_part(second, 2);
    assert_view(second, &after, "the clone of a clone that runs as its source did");
    jbw_world_destroy(second);
}

// callbacks of a world are not called for its clones
static void count_step(jbw_world *world, void *user)
{
    (void)world;
    ++*(int *)user;
}

static void test_callbacks_are_not_cloned(void **state)
{
    (void)state;
    jbw_world *world = world_of(model, 11);
    int count = 0;
    jbw_world_on_step(world, count_step, &count);
    run_part(world, 1);
    assert_true(count > 0);
    jbw_world *clone = clone_of(world);
    const int before = count;
    run_part(clone, 2);
    assert_int_equal(count, before);
    jbw_world_destroy(clone);
    jbw_world_destroy(world);
}

// ---- memory ----

static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = life_small_config();
    config.allocator = counting_allocator_make(&counting);
    jbw_model *own_model = model_of(&config);
    jbw_world *world = world_of(own_model, 11);
    run_part(world, 1);
    const life_view before = life_look(world);
    const size_t block_count = counting.block_count;
    const size_t byte_count = counting.byte_count;

    jbw_world *clone = NULL;
    for (size_t n = 1; !clone; n++) {
        fail_allocations(&counting, n, 1);
        const jbw_status status = jbw_world_clone(world, &clone);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_null(clone);
            assert_int_equal(counting.block_count, block_count);
            assert_int_equal(counting.byte_count, byte_count);
        }
    }

    // a call that cannot allocate its own copy of a patch leaves both worlds unchanged, and works
    // later
    uint64_t random = 2;
    size_t failure_count = 0;
    for (int i = 0; i < CALLS; i++) {
        for (size_t n = 1;; n++) {
            const uint64_t time = jbw_world_time(clone);
            uint64_t attempt = random;
            fail_allocations(&counting, n, 1);
            const bool is_good = life_call(clone, &attempt);
            allow_allocations(&counting);
            if (is_good) {
                random = attempt;
                break;
            }
            failure_count++;
            assert_int_equal(jbw_world_time(clone), time);
        }
    }
    assert_true(failure_count > 20);
    assert_view(world, &before, "a world whose clone ran out of memory");
    run_part(world, 2);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(clone));
    jbw_world_destroy(clone);
    jbw_world_destroy(world);
    jbw_model_destroy(own_model);
    assert_int_equal(counting.block_count, 0);
    assert_int_equal(counting.byte_count, 0);
}

// patches are shared until they change
static void test_sharing(void **state)
{
    (void)state;
    const jbw_item_type items[] = {{.name = "A", .intensity = "Constant[-2]"}};
    counting_allocator counting = {0};
    jbw_config config = small_config(64, 100, items, 1);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *own_model = model_of(&config);
    const size_t model_bytes = counting.byte_count;
    jbw_world *world = world_of(own_model, 11);
    for (int64_t i = 0; i < 100; i++) explore_cell(world, 64 * i, 0);
    const size_t world_bytes = counting.byte_count - model_bytes;
    jbw_world *clone = clone_of(world);
    const size_t clone_bytes = counting.byte_count - model_bytes - world_bytes;
    assert_in_range(clone_bytes, 1, world_bytes / 10);

    // one change, one patch
    const size_t before = counting.byte_count;
    if (jbw_world_remove_item(clone, (jbw_position){5, 5}))
        assert_int_equal(jbw_world_place_item(clone, 0, (jbw_position){5, 5}), JBW_OK);
    assert_in_range(counting.byte_count - before, 64 * 64, 64 * 64 + 1024);
    jbw_world_destroy(clone);
    jbw_world_destroy(world);
    jbw_model_destroy(own_model);
    assert_int_equal(counting.byte_count, 0);
}

// ---- threads ----

typedef struct lane {
    jbw_world *world;
    uint64_t part;
    life_view view;
    bool is_good;
} lane;

static void *run_lane(void *user)
{
    lane *l = user;
    uint64_t random = l->part;
    l->is_good = life_run(l->world, &random, 4 * CALLS);
    // a clone of a clone, created and destroyed here
    jbw_world *clone = NULL;
    if (jbw_world_clone(l->world, &clone)) l->is_good = false;
    if (clone && !life_run(clone, &random, CALLS)) l->is_good = false;
    jbw_world_destroy(clone);
    l->view = life_look(l->world);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    jbw_world *world = world_of(model, 11);
    for (uint64_t i = 0; i < 5; i++) run_part(world, i);

    // one after the other, then all at once, including the source
    lane alone[THREADS];
    lane together[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i] = (lane){.world = clone_of(world), .part = (uint64_t)i % 2};
        together[i] = alone[i];
        run_lane(&alone[i]);
        jbw_world_destroy(alone[i].world);
        together[i].world = i == 0 ? world : clone_of(world);
    }
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_lane, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_true(alone[i].is_good && together[i].is_good);
        if (life_difference(&alone[i].view, &together[i].view))
            fail_msg("lane %d differs when others run at the same time", i);
        jbw_world_destroy(together[i].world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_source_continues),
        cmocka_unit_test(test_callbacks_are_not_cloned),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
