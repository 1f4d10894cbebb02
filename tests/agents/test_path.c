// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shortest paths in random fields, compared with a slow search: the first in the order of actions.
/// With --long in more fields.
#include "support/models.h"

#include "support/options.h"
#include "support/random.h"
#include "support/slow_paths.h"

static test_options options;

static jbw_model *make_model(const action_set *set, int range)
{
    static const jbw_item_type bean = {.name = "Bean"};
    jbw_config config = small_config(2 * MAX_RANGE + 2, 10, &bean, 1);
    config.agent.vision_range = range;
    config.agent.actions = set->actions;
    config.agent.action_count = set->count;
    return model_of(&config);
}

static slow_field random_field(uint64_t *random, int range)
{
    slow_field f = {.side = 2 * range + 1};
    const uint32_t obstacles = random_below(random, 60);
    const uint32_t targets = random_below(random, 6);
    for (int i = 0; i < f.side * f.side; i++) {
        const uint32_t number = random_below(random, 100);
        f.marks[i] = number < obstacles             ? JBW_CELL_OBSTACLE
                     : number < obstacles + targets ? JBW_CELL_TARGET
                                                    : JBW_CELL_FREE;
    }
    f.marks[f.side * f.side / 2] = JBW_CELL_FREE;
    return f;
}

static void test_shortest_paths(void **state)
{
    (void)state;
    const int count = options.is_long ? 20000 : 1500;
    uint64_t random = options.seed;
    int found_count = 0;
    for (int s = 0; s < ACTION_SETS; s++) {
        for (int range = 0; range <= MAX_RANGE; range++) {
            const action_set *set = &action_sets[s];
            jbw_model *model = make_model(set, range);
            jbw_path_finder finder;
            assert_true(jbw_path_finder_init(&finder, model));
            for (int i = 0; i < count / (range + 1); i++) {
                const slow_field f = random_field(&random, range);
                int distances[MAX_STATES];
                slow_distances(&f, set, distances);
                pose p = {range, range, 0};
                const int distance = slow_distance_at(&f, distances, p);
                memcpy(finder.marks, f.marks, (size_t)f.side * (size_t)f.side);

                uint8_t path[MAX_STATES];
                const size_t length = jbw_path_find(&finder, SIZE_MAX, path);
                assert_int_equal(length, distance == INT32_MAX ? 0 : distance);
                for (size_t k = 0; k < length; k++) {
                    assert_int_equal(path[k], slow_best_action(&f, set, distances, p));
                    p = pose_after(p, set->actions[path[k]].kind);
                }
                // a limit: the path must be shorter
                assert_int_equal(jbw_path_find(&finder, length, path), 0);
                assert_int_equal(jbw_path_find(&finder, length + 1, path), length);
                found_count += length > 0;
            }
            jbw_path_finder_deinit(&finder, model);
            jbw_model_destroy(model);
        }
    }
    assert_true(found_count > count);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
