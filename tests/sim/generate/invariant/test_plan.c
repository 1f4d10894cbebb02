// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Plans of invariant maps: the role of each type, where the energy of slow types changes around an
/// item, and plans without enough memory.
#include "support/models.h"

#include <stdio.h>
#include <stdlib.h>

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
    jbw_config config = small_config(64, 0, items, (size_t)count);
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
                const bool is_made = jbw_invariant_plan_init(&plan, model, 7);
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

// three types, of which a slow one interacts with nothing but itself
static jbw_model *make_trio(int slow)
{
    static const char *const names[3] = {"A", "B", "C"};
    jbw_interaction with_slow = {names[slow], "Cross[4, 7, 6, -100, -100, -1]"};
    jbw_interaction with_others[3][2];
    jbw_item_type items[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            with_others[i][k] =
                (jbw_interaction){names[(slow + 1 + k) % 3], "PiecewiseBox[5, 10, 0.25, -1.5]"};
        const bool is_slow = i == slow;
        items[i] = (jbw_item_type){.name = names[i],
                                   .intensity = is_slow ? "Constant[-8]" : "Constant[0.5]",
                                   .interactions = is_slow ? &with_slow : with_others[i],
                                   .interaction_count = is_slow ? 1 : 2};
    }
    jbw_config config = small_config(32, 0, items, 3);
    config.generation = JBW_GENERATION_INVARIANT;
    return model_of(&config);
}

static void test_first_type_anywhere(void **state)
{
    (void)state;
    for (int slow = 0; slow < 3; slow++) {
        jbw_model *model = make_trio(slow);
        jbw_invariant_plan plan;
        assert_true(jbw_invariant_plan_init(&plan, model, 7));
        for (int i = 0; i < 3; i++)
            assert_int_equal(plan.types[i].role, i == slow ? JBW_ROLE_FIRST : JBW_ROLE_NORMAL);
        assert_int_equal(plan.first_stage, 0);
        jbw_invariant_plan_deinit(&plan);
        jbw_model_destroy(model);
    }
}

// how far to both sides in a row an item of Cross[4, 7, 6, -100, -100, -1] has an effect of a sign:
// 6 and -100 on the axes, -100 and -1 off them, up to 4 and up to 7 cells away
static int width_by_hand(int dy, int sign)
{
    if (sign > 0) return dy == 0 ? 4 : abs(dy) <= 4 ? 0 : -1;
    return 7;
}

static void test_widths(void **state)
{
    (void)state;
    jbw_model *model = make_trio(0);
    jbw_invariant_plan plan;
    assert_true(jbw_invariant_plan_init(&plan, model, 7));
    const jbw_invariant_effect *effect = &plan.effects[0];
    assert_int_equal(effect->up.reach, 4);
    assert_int_equal(effect->down.reach, 7);
    for (int dy = -4; dy <= 4; dy++)
        assert_int_equal(effect->up.widths[dy + 4], width_by_hand(dy, 1));
    for (int dy = -7; dy <= 7; dy++)
        assert_int_equal(effect->down.widths[dy + 7], width_by_hand(dy, -1));
    jbw_invariant_plan_deinit(&plan);
    jbw_model_destroy(model);
}

// stages of a world that begins crowded, by maturity: 6 early slices, and 32 late ones or fewer
static void test_maturity(void **state)
{
    (void)state;
    static const struct {
        double maturity;
        int end, last; // one past the last slice, and how many of stage 3
    } cases[] = {{1.0, 38, 8}, {0.95, 26, 8}, {0.925, 20, 7}, {0.9, 14, 0}};
    static const jbw_interaction with_itself = {"A", "PiecewiseBox[5, 10, 0.25, -1.5]"};
    const jbw_item_type item = {.name = "A",
                                .intensity = "Constant[0.5]",
                                .interactions = &with_itself,
                                .interaction_count = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_config config = small_config(32, 0, &item, 1);
        config.generation = JBW_GENERATION_INVARIANT;
        config.maturity = cases[i].maturity;
        jbw_model *model = model_of(&config);
        jbw_invariant_plan plan;
        assert_true(jbw_invariant_plan_init(&plan, model, 7));
        const jbw_invariant_stage *stages = plan.stages;
        assert_int_equal(stages[1].end_slice, 6);
        assert_int_equal(stages[2].first_slice, 6);
        assert_int_equal(stages[3].first_slice, stages[2].end_slice);
        assert_int_equal(stages[3].end_slice, cases[i].end);
        assert_int_equal(stages[3].end_slice - stages[3].first_slice, cases[i].last);
        assert_int_equal(plan.stage_count, cases[i].last > 0 ? 4 : 3);
        jbw_invariant_plan_deinit(&plan);
        jbw_model_destroy(model);
    }
}

// a block of stage 2 at the origin lies, with all that it needs, in one block of stage 1 or in four
static void test_sides(void **state)
{
    (void)state;
    for (int reach = 4; reach <= 60; reach += 8) {
        const jbw_allocator none = {0};
        jbw_model *model = make_model(1, reach, &none);
        jbw_invariant_plan plan;
        assert_true(jbw_invariant_plan_init(&plan, model, 7));
        const jbw_invariant_stage *stages = plan.stages;
        const int needed = 128 + stages[2].first_margin + plan.reach;
        assert_int_equal(stages[1].side, needed <= 192 ? 384 : 256);
        assert_int_equal(stages[1].shift, needed <= 192 ? 192 : 0);
        assert_true(plan.most_side >= stages[1].side + 2 * stages[1].first_margin);
        jbw_invariant_plan_deinit(&plan);
        jbw_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_plans), cmocka_unit_test(test_first_type_anywhere),
        cmocka_unit_test(test_widths),        cmocka_unit_test(test_maturity),
        cmocka_unit_test(test_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
