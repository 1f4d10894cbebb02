// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A pool: few owners keep their objects, many take turns, and none is lost.
#include "support/checks.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/pool.h"

static int alive;

static void destroy(jbw_pooled *object)
{
    alive--;
    free(object);
}

static jbw_pooled *take(jbw_pool *pool, uint64_t owner)
{
    jbw_pooled *object = jbw_pool_take(pool, owner);
    if (object) return object;
    object = calloc(1, sizeof *object);
    assert_non_null(object);
    object->destroy = destroy;
    alive++;
    return object;
}

static void test_few_owners_keep_theirs(void **state)
{
    (void)state;
    jbw_pool pool;
    memset(&pool, 0, sizeof pool);
    uint64_t owners[JBW_POOL_SHARED];
    jbw_pooled *objects[JBW_POOL_SHARED];
    for (int i = 0; i < JBW_POOL_SHARED; i++) {
        owners[i] = jbw_pool_join(&pool);
        assert_int_not_equal(owners[i], 0);
        assert_false(jbw_pool_keeps(&pool, owners[i]));
        objects[i] = take(&pool, owners[i]);
        jbw_pool_give(&pool, owners[i], objects[i]);
    }
    for (int round = 0; round < 10; round++) {
        const int i = 3 * round % JBW_POOL_SHARED;
        assert_true(jbw_pool_keeps(&pool, owners[i]));
        jbw_pooled *object = take(&pool, owners[i]);
        assert_ptr_equal(object, objects[i]);
        assert_int_equal(object->owner, owners[i]);
        assert_false(jbw_pool_keeps(&pool, owners[i]));
        jbw_pool_give(&pool, owners[i], object);
    }
    jbw_pool_deinit(&pool);
    assert_int_equal(alive, 0);
}

static void test_many_owners_take_turns(void **state)
{
    (void)state;
    jbw_pool pool;
    memset(&pool, 0, sizeof pool);
    for (uint64_t owner = 1; owner <= 65; owner++) assert_int_equal(jbw_pool_join(&pool), owner);
    for (int round = 0; round < 3; round++) {
        for (uint64_t owner = 1; owner <= 64; owner++) {
            jbw_pool_give(&pool, owner, take(&pool, owner));
            assert_true(jbw_pool_keeps(&pool, owner));
        }
    }
    assert_int_equal(alive, JBW_POOL_SHARED);

    // who leaves lets others have it
    jbw_pool_leave(&pool, 64);
    assert_false(jbw_pool_keeps(&pool, 64));
    jbw_pooled *object = take(&pool, 65);
    assert_int_equal(object->owner, 64);
    jbw_pool_give(&pool, 65, object);
    assert_int_equal(alive, JBW_POOL_SHARED);
    jbw_pool_deinit(&pool);
    assert_int_equal(alive, 0);
}

static void test_worlds_one_after_the_other(void **state)
{
    (void)state;
    jbw_pool pool;
    memset(&pool, 0, sizeof pool);
    const uint64_t first = jbw_pool_join(&pool);
    for (int i = 0; i < 20; i++) {
        const uint64_t owner = jbw_pool_join(&pool);
        jbw_pool_give(&pool, owner, take(&pool, owner));
        jbw_pool_leave(&pool, owner);
    }
    assert_int_equal(alive, 1);
    jbw_pool_leave(&pool, first); // the last one
    assert_int_equal(alive, 0);
    assert_int_equal(atomic_load(&pool.count), 0);
    jbw_pool_deinit(&pool);
}

static void test_all_at_once(void **state)
{
    (void)state;
    enum { OWNERS = 3 * JBW_POOL_MOST };
    jbw_pool pool;
    memset(&pool, 0, sizeof pool);
    jbw_pooled *objects[OWNERS];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < OWNERS; i++) {
            objects[i] = take(&pool, (uint64_t)i + 1);
            for (int k = 0; k < i; k++) assert_ptr_not_equal(objects[i], objects[k]);
        }
        assert_int_equal(alive, OWNERS);
        for (int i = 0; i < OWNERS; i++) jbw_pool_give(&pool, (uint64_t)i + 1, objects[i]);
        assert_int_equal(alive, JBW_POOL_MOST);
    }
    // one that could not be made does not count
    for (int i = 0; i < JBW_POOL_MOST; i++) objects[i] = take(&pool, 1000);
    assert_null(jbw_pool_take(&pool, 1000));
    jbw_pool_give(&pool, 1000, NULL);
    assert_int_equal(atomic_load(&pool.count), JBW_POOL_MOST);
    for (int i = 0; i < JBW_POOL_MOST; i++) jbw_pool_give(&pool, 1000, objects[i]);
    jbw_pool_deinit(&pool);
    assert_int_equal(alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_owners_keep_theirs),
        cmocka_unit_test(test_many_owners_take_turns),
        cmocka_unit_test(test_worlds_one_after_the_other),
        cmocka_unit_test(test_all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
