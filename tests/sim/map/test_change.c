// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Changes of a patch: what was generated can be restored at any time.
#include "support/edited_patch.h"

#include "sim/map/change.h"
#include "support/random.h"

static void assert_generated(const edited_patch *e)
{
    uint8_t buffer[EDITED_CELLS];
    const uint8_t *generated = jbw_patch_generated(&e->world->map, edited_patch_get(e), buffer);
    assert_memory_equal(generated, e->generated, sizeof e->generated);
}

// only cells that differ from what was generated are listed
static void assert_listed(const edited_patch *e)
{
    size_t count = 0;
    for (int i = 0; i < EDITED_CELLS; i++) count += edited_patch_at(e, i) != e->generated[i];
    assert_int_equal(edited_patch_get(e)->content->undo_count, count);
}

static void test_generated_items_are_known(void **state)
{
    (void)state;
    edited_patch e;
    edited_patch_open(&e);
    uint64_t random = 1;
    for (int i = 0; i < 2000; i++) {
        const int cell = (int)random_below(&random, EDITED_CELLS);
        edited_patch_set(&e, cell, (uint8_t)random_below(&random, EDITED_TYPES + 1));
        assert_generated(&e);
        assert_listed(&e);
    }

    // undone, nothing is left
    for (int i = 0; i < EDITED_CELLS; i++) edited_patch_set(&e, i, e.generated[i]);
    assert_listed(&e);
    assert_ptr_equal(jbw_patch_generated(&e.world->map, edited_patch_get(&e), NULL),
                     edited_patch_get(&e)->cells);
    edited_patch_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_items_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
