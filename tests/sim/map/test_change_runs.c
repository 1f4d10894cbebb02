// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Changes of a patch as runs and as bytes: applied to what was generated, they give what is there
/// now.
#include "support/edited_patch.h"

#include <stdlib.h>

#include "sim/map/change_runs.h"
#include "support/random.h"

// the runs of the patch as bytes; the caller frees them
static uint8_t *encode(const edited_patch *e, size_t *size)
{
    const jbw_patch *patch = edited_patch_get(e);
    *size = jbw_change_runs_size(e->model, patch);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_ptr_equal(jbw_change_runs_put(e->model, patch, bytes), bytes + *size);
    return bytes;
}

static void assert_gives(const edited_patch *e, jbw_change_runs runs)
{
    uint8_t cells[EDITED_CELLS];
    memcpy(cells, e->generated, sizeof cells);
    jbw_change_runs_apply(runs, cells);
    assert_memory_equal(cells, edited_patch_get(e)->cells, sizeof cells);
}

static size_t count_runs(jbw_change_runs runs)
{
    size_t count = 0;
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run)) count++;
    return count;
}

static void test_round_trip(void **state)
{
    (void)state;
    edited_patch e;
    edited_patch_open(&e);
    uint64_t random = 2;
    for (int i = 0; i < 2000; i++) {
        const int cell = (int)random_below(&random, EDITED_CELLS);
        const uint8_t content = (uint8_t)random_below(&random, EDITED_TYPES + 1);
        edited_patch_set(&e, cell, random_below(&random, 2) ? e.generated[cell] : content);
        assert_gives(&e, jbw_change_runs_of_patch(e.model, edited_patch_get(&e)));
        size_t size;
        uint8_t *bytes = encode(&e, &size);
        if (size > 0) assert_gives(&e, jbw_change_runs_of_bytes(e.model, bytes, size));
        free(bytes);
    }
    for (int i = 0; i < EDITED_CELLS; i++) edited_patch_set(&e, i, e.generated[i]);
    assert_int_equal(jbw_change_runs_size(e.model, edited_patch_get(&e)), 0);
    edited_patch_close(&e);
}

// a collector's path along a row or a column is a single run
static void test_paths_are_short(void **state)
{
    (void)state;
    for (int is_column = 0; is_column < 2; is_column++) {
        edited_patch e;
        edited_patch_open(&e);
        int collected = 0;
        for (int i = 0; i < EDITED_SIZE; i++) {
            const int cell = is_column ? i * EDITED_SIZE + 3 : 3 * EDITED_SIZE + i;
            collected += e.generated[cell] != 0;
            edited_patch_set(&e, cell, 0);
        }
        assert_true(collected > 1);
        const jbw_change_runs runs = jbw_change_runs_of_patch(e.model, edited_patch_get(&e));
        assert_int_equal(count_runs(runs), 1);
        assert_int_equal(runs.is_along_columns, is_column);
        assert_int_equal(jbw_change_runs_size(e.model, edited_patch_get(&e)), 3);
        edited_patch_close(&e);
    }
}

// bytes that are no runs are rejected, and never lead outside the patch
static void test_bad_bytes(void **state)
{
    (void)state;
    edited_patch e;
    edited_patch_open(&e);
    uint64_t random = 3;
    size_t rejected = 0;
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[12];
        for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (uint8_t)random_below(&random, 100);
        jbw_change_runs runs = jbw_change_runs_of_bytes(e.model, bytes, sizeof bytes);
        jbw_change_run run;
        while (jbw_change_runs_next(&runs, &run)) {
            assert_in_range(run.length, 1, EDITED_SIZE);
            assert_in_range(run.cell + (run.length - 1) * run.stride, 0, EDITED_CELLS - 1);
            assert_in_range(run.now, 0, EDITED_TYPES);
        }
        rejected += !runs.in.ok;
    }
    assert_in_range(rejected, 1000, 19999);
    edited_patch_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_paths_are_short),
        cmocka_unit_test(test_bad_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
