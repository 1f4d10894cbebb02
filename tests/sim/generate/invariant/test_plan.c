// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Plans of invariant maps: the role of each type, and plans without enough memory.
#include "support/models.h"

#include <stdio.h>

#include "sim/generate/invariant/plan.h"
#include "support/allocations.h"

enum { MOST_TYPES = 20 };

// `count` types, of which every second one hardly ever appears on its own
static jbw_model *make_model(int count, int reach, const jbw_allocator *allocator)
{
    char names[MOST_TYPES][8];
    char line[80];
    char box[80];
    jbw_interaction interactions[MOST_TYPES];
    jbw_item_type items[MOST_TYPES];
    snprintf(line, sizeof line, "Cross[%d, %d, 6, -100, -100, -1]", reach / 2, reach);
    snprintf(box, sizeof box, "PiecewiseBox[5, %d, 0.25, -1.5]", reach * reach + 1);
    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "T%d", i);
        interactions[i] = (jbw_interaction){names[i], i % 2 ? line : box};
        items[i] = (jbw_item_type){.name = names[i],
                                   .intensity = i % 2 ? "Constant[-8]" : "Constant[0.5]",
                                   .interactions = &interactions[i],
                                   .interaction_count = 1};
    }
    jbw_config config = small_config(32, 0, items, (size_t)count);
    config.generation = JBW_GENERATION_INVARIANT;
    config.allocator = *allocator;
    return model_of(&config);
}

static void test_failing_plans(void **state)
{
    (void)state;
    // a plan is in blocks that many allocations share: other numbers of types, and other reaches,
    // let each of them be the one that needs a new block
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    size_t failures = 0;
    for (int count = 1; count <= MOST_TYPES; count++) {
        for (int reach = 2; reach <= 30; reach += 4) {
            jbw_model *model = make_model(count, reach, &allocator);
            const size_t before = counting.block_count;
            jbw_invariant_plan plan;
            for (size_t n = 1;; n++) {
                fail_allocations(&counting, n, 1);
                const bool is_made = jbw_invariant_plan_init(&plan, model);
                allow_allocations(&counting);
                if (is_made) break;
                jbw_invariant_plan_deinit(&plan);
                jbw_invariant_plan_deinit(&plan); // again, without effect
                assert_int_equal(counting.block_count, before);
                failures++;
            }
            for (int i = 0; i < count; i++)
                assert_int_equal(plan.types[i].role, i % 2 ? JBW_ROLE_FIRST : JBW_ROLE_NORMAL);
            assert_int_equal(plan.first_stage, count > 1 ? 0 : 1);
            assert_int_equal(plan.reach, reach);
            jbw_invariant_plan_deinit(&plan);
            jbw_model_destroy(model);
        }
    }
    assert_true(failures > 200);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
