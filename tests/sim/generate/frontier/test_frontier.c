// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which patches are sampled, created, copied and made final, compared with sets computed patch by
/// patch. Without Metropolis-Hastings iterations copies stay unchanged and can be recognised.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "sim/world/world.h"
#include "support/random.h"
#include "support/statistics.h"

enum { SIZE = 4, SPAN = 40 }; // the patches that are checked: -SPAN .. SPAN along each axis

static const jbw_interaction interactions[] = {{"A", "PiecewiseBox[3, 10, -0.5, 0.3]"}};
static const jbw_item_type items[] = {
    {.name = "A",
     .intensity = "Constant[0.2]",
     .interactions = interactions,
     .interaction_count = 1},
    {.name = "B", .intensity = "Constant[-0.4]"},
};

static jbw_model *make_model(int mh_iterations)
{
    const jbw_config config = small_config(SIZE, mh_iterations, items, 2);
    return model_of(&config);
}

// --- the naive policy --------------------------------------------------------------------------

// the expected state of each patch, and the patches in order of creation
typedef struct expectation {
    uint8_t states[2 * SPAN + 1][2 * SPAN + 1]; // jbw_patch_state
    jbw_position created[(2 * SPAN + 1) * (2 * SPAN + 1)];
    size_t created_count;
} expectation;

static uint8_t *state_at(expectation *expected, int64_t x, int64_t y)
{
    assert_true(x >= -SPAN && x <= SPAN && y >= -SPAN && y <= SPAN);
    return &expected->states[y + SPAN][x + SPAN];
}

static bool is_needed(int64_t x, int64_t y, const jbw_position *cells, size_t count)
{
    // do any of the patch's cells lie in the square around an agent?
    for (size_t i = 0; i < count; i++)
        for (int64_t cell_y = y * SIZE; cell_y < (y + 1) * SIZE; cell_y++)
            for (int64_t cell_x = x * SIZE; cell_x < (x + 1) * SIZE; cell_x++) {
                const int64_t dx = cell_x - cells[i].x;
                const int64_t dy = cell_y - cells[i].y;
                if (dx >= -(SIZE / 2) && dx < SIZE - SIZE / 2 && dy >= -(SIZE / 2) &&
                    dy < SIZE - SIZE / 2)
                    return true;
            }
    return false;
}

static void expect_explore(expectation *expected, const jbw_position *cells, size_t count)
{
    static uint8_t becomes_final[2 * SPAN + 1][2 * SPAN + 1];
    memset(becomes_final, 0, sizeof becomes_final);
    for (int64_t y = 1 - SPAN; y < SPAN; y++)
        for (int64_t x = 1 - SPAN; x < SPAN; x++)
            becomes_final[y + SPAN][x + SPAN] =
                *state_at(expected, x, y) != JBW_PATCH_FINAL && is_needed(x, y, cells, count);

    for (int64_t y = 1 - SPAN; y < SPAN; y++) {
        for (int64_t x = 1 - SPAN; x < SPAN; x++) {
            bool is_near = false;
            for (int64_t ny = y - 1; ny <= y + 1; ny++)
                for (int64_t nx = x - 1; nx <= x + 1; nx++)
                    is_near |= becomes_final[ny + SPAN][nx + SPAN];
            if (!is_near || *state_at(expected, x, y) != JBW_PATCH_MISSING) continue;
            *state_at(expected, x, y) = JBW_PATCH_SAMPLED;
            expected->created[expected->created_count++] = (jbw_position){x, y};
        }
    }
    for (int64_t y = -SPAN; y <= SPAN; y++)
        for (int64_t x = -SPAN; x <= SPAN; x++)
            if (becomes_final[y + SPAN][x + SPAN]) *state_at(expected, x, y) = JBW_PATCH_FINAL;
}

static void assert_as_expected(const jbw_world *world, expectation *expected)
{
    size_t final_count = 0;
    for (int64_t y = -SPAN; y <= SPAN; y++) {
        for (int64_t x = -SPAN; x <= SPAN; x++) {
            const jbw_position at = {x, y};
            assert_int_equal(jbw_world_patch_state(world, at), *state_at(expected, x, y));
            final_count += *state_at(expected, x, y) == JBW_PATCH_FINAL;
        }
    }
    assert_int_equal(world->map.patch_count, expected->created_count);
    assert_int_equal(world->map.final_count, final_count);
    for (size_t i = 0; i < expected->created_count; i++) {
        const jbw_patch *patch = world->map.patches[i];
        assert_int_equal(patch->number, i);
        assert_int_equal(patch->at.x, expected->created[i].x);
        assert_int_equal(patch->at.y, expected->created[i].y);
        assert_int_equal(patch->is_final,
                         *state_at(expected, patch->at.x, patch->at.y) == JBW_PATCH_FINAL);
    }
}

static void test_sets(void **state)
{
    (void)state;
    static expectation expected;
    jbw_model *model = make_model(2);
    uint64_t random = 7;
    for (uint64_t seed = 0; seed < 20; seed++) {
        memset(&expected, 0, sizeof expected);
        jbw_world *world = world_of(model, seed);
        for (int call = 0; call < 12; call++) {
            // one agent, or several, near each other or far apart
            jbw_position cells[5];
            const size_t count = random_below(&random, 5) + 1;
            const uint32_t spread = call % 3 == 0 ? 240 : 40;
            for (size_t i = 0; i < count; i++) {
                cells[i].x = (int64_t)random_below(&random, spread) - spread / 2;
                cells[i].y = (int64_t)random_below(&random, spread) - spread / 2;
            }
            const jbw_world_stats before = jbw_world_get_stats(world);
            const size_t sampled_before = expected.created_count;
            assert_int_equal(jbw_world_explore(world, cells, count), JBW_OK);
            expect_explore(&expected, cells, count);
            assert_as_expected(world, &expected);

            const jbw_world_stats after = jbw_world_get_stats(world);
            assert_int_equal(after.patch_count, expected.created_count);
            if (sampled_before != expected.created_count)
                assert_int_equal(after.sampling_count, before.sampling_count + 1);

            // repeating it changes nothing
            const uint64_t hash = jbw_world_hash(world);
            assert_int_equal(jbw_world_explore(world, cells, count), JBW_OK);
            assert_int_equal(jbw_world_hash(world), hash);
            assert_int_equal(jbw_world_get_stats(world).sampling_count, after.sampling_count);
        }
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_first_sampling(void **state)
{
    (void)state;
    // in the middle of a patch one patch is enough; elsewhere two or four are needed
    static const struct {
        jbw_position cell;
        uint64_t final_count;
        uint64_t patch_count;
    } cases[] = {
        {{2, 2}, 1, 9},  {{1, 2}, 2, 12}, {{2, 3}, 2, 12},
        {{0, 0}, 4, 16}, {{3, 3}, 4, 16}, {{-2, -2}, 1, 9},
    };
    jbw_model *model = make_model(3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_world *world = world_of(model, 1);
        assert_int_equal(jbw_world_explore(world, &cases[i].cell, 1), JBW_OK);
        const jbw_world_stats stats = jbw_world_get_stats(world);
        assert_int_equal(stats.final_patch_count, cases[i].final_count);
        assert_int_equal(stats.patch_count, cases[i].patch_count);
        assert_int_equal(stats.proposal_count, 3 * cases[i].patch_count);
        assert_int_equal(stats.sampling_count, 1);
        jbw_world_destroy(world);
    }

    // no agents need nothing
    jbw_world *world = world_of(model, 1);
    const uint64_t empty = jbw_world_hash(world);
    assert_int_equal(jbw_world_explore(world, NULL, 0), JBW_OK);
    assert_int_equal(jbw_world_hash(world), empty);
    assert_int_equal(jbw_world_get_stats(world).patch_count, 0);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_odd_patches(void **state)
{
    (void)state;
    // for patches of 5 cells the square reaches two cells to either side
    const jbw_config config = small_config(5, 1, items, 2);
    jbw_model *model = model_of(&config);
    for (int64_t x = -7; x < 8; x++) {
        jbw_world *world = world_of(model, 3);
        const jbw_position cell = {x, 2};
        assert_int_equal(jbw_world_explore(world, &cell, 1), JBW_OK);
        const bool is_centred = ((x % 5) + 5) % 5 == 2;
        assert_int_equal(jbw_world_get_stats(world).final_patch_count, is_centred ? 1 : 2);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_finalize(void **state)
{
    (void)state;
    jbw_model *model = make_model(2);
    jbw_world *world = world_of(model, 5);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){3, -2}), JBW_OK);
    assert_int_equal(jbw_world_get_stats(world).patch_count, 9);
    assert_int_equal(jbw_world_get_stats(world).final_patch_count, 1);
    assert_int_equal(jbw_world_patch_state(world, (jbw_position){3, -2}), JBW_PATCH_FINAL);
    assert_int_equal(jbw_world_patch_state(world, (jbw_position){4, -1}), JBW_PATCH_SAMPLED);

    // a neighbour: six of its patches exist, three do not
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){4, -2}), JBW_OK);
    assert_int_equal(jbw_world_get_stats(world).patch_count, 12);
    assert_int_equal(jbw_world_get_stats(world).proposal_count, 2 * 9 + 2 * 8);

    const uint64_t hash = jbw_world_hash(world);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){4, -2}), JBW_OK);
    assert_int_equal(jbw_world_hash(world), hash);

    // the same as for an agent in the middle of the patch
    jbw_world *other = world_of(model, 5);
    const jbw_position cells[] = {{3 * SIZE + 2, -2 * SIZE + 2}, {4 * SIZE + 2, -2 * SIZE + 2}};
    assert_int_equal(jbw_world_explore(other, &cells[0], 1), JBW_OK);
    assert_int_equal(jbw_world_explore(other, &cells[1], 1), JBW_OK);
    assert_int_equal(jbw_world_hash(other), hash);
    jbw_world_destroy(other);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a world in which all patches around the patch (0, 0) are final, except the one at `open`
static jbw_world *world_with_one_gap(const jbw_model *model, uint64_t seed, jbw_position open)
{
    jbw_world *world = world_of(model, seed);
    for (int64_t y = -1; y <= 1; y++)
        for (int64_t x = -1; x <= 1; x++)
            if ((x != 0 || y != 0) && (x != open.x || y != open.y))
                assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){x, y}), JBW_OK);
    return world;
}

// two patches that touch are sampled together, in whichever direction they touch
static void test_pairs_are_sampled_together(void **state)
{
    (void)state;
    jbw_model *model = make_model(50);
    for (uint64_t n = 0; n < 90; n++) {
        const int i = (int)(n % 9);
        if (i == 4) continue;
        const jbw_position open = {i % 3 - 1, i / 3 - 1};
        const jbw_position middle = {0, 0};
        jbw_world *world = world_with_one_gap(model, n, open);
        assert_int_equal(jbw_world_finalize_patch(world, middle), JBW_OK);

        jbw_world *twin = world_with_one_gap(model, n, open);
        jbw_patch *pair[2] = {jbw_map_find(&twin->map, i < 4 ? open : middle),
                              jbw_map_find(&twin->map, i < 4 ? middle : open)};
        jbw_sampler sampler;
        jbw_sampler_init(&sampler, model);
        assert_true(jbw_sampler_reserve(&sampler, 2));
        assert_true(jbw_sampler_run(&sampler, &twin->map, pair, 2, 50));
        for (int k = 0; k < 2; k++)
            assert_memory_equal(pair[k]->cells, jbw_map_find(&world->map, pair[k]->at)->cells,
                                SIZE * SIZE);
        jbw_sampler_deinit(&sampler);
        jbw_world_destroy(twin);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_final_patches_never_change(void **state)
{
    (void)state;
    jbw_model *model = make_model(50);
    jbw_world *world = world_of(model, 11);
    uint64_t random = 3;
    uint8_t kept[400][SIZE * SIZE];
    bool is_kept[400] = {false};
    uint64_t resampled = 0;
    for (int call = 0; call < 60; call++) {
        uint8_t before[400][SIZE * SIZE];
        const size_t count = world->map.patch_count;
        for (size_t i = 0; i < count && i < 400; i++)
            memcpy(before[i], world->map.patches[i]->cells, SIZE * SIZE);
        const jbw_position cell = {(int64_t)random_below(&random, 36) - 18,
                                   (int64_t)random_below(&random, 36) - 18};
        assert_int_equal(jbw_world_explore(world, &cell, 1), JBW_OK);
        for (size_t i = 0; i < world->map.patch_count && i < 400; i++) {
            const jbw_patch *patch = world->map.patches[i];
            if (is_kept[i]) assert_memory_equal(kept[i], patch->cells, SIZE * SIZE);
            if (!is_kept[i] && i < count)
                resampled += memcmp(before[i], patch->cells, SIZE * SIZE) != 0;
            if (patch->is_final) {
                memcpy(kept[i], patch->cells, SIZE * SIZE);
                is_kept[i] = true;
            }
        }
    }
    assert_true(resampled > 20); // those that are not final keep changing
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- copies -------------------------------------------------------------------------------------

// writes the number of a patch into its cells, base three
static void sign(jbw_patch *patch)
{
    uint32_t rest = patch->number + 1;
    for (int i = 0; i < SIZE * SIZE; i++) {
        patch->cells[i] = (uint8_t)(rest % 3);
        rest /= 3;
    }
}

static uint32_t signature(const jbw_patch *patch)
{
    uint32_t number = 0;
    for (int i = SIZE * SIZE - 1; i >= 0; i--) number = number * 3 + patch->cells[i];
    return number;
}

static void test_copies(void **state)
{
    (void)state;
    jbw_model *model = make_model(0);
    enum { OLD = 16, WORLDS = 600 };
    int chosen[OLD] = {0};
    int chosen_later = 0;
    int pairs_alike = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        // the first sampling has nothing to copy
        jbw_world *world = world_of(model, seed);
        assert_int_equal(jbw_world_explore(world, &(jbw_position){0, 0}, 1), JBW_OK);
        assert_int_equal(world->map.patch_count, OLD);
        for (size_t i = 0; i < OLD; i++) {
            assert_int_equal(signature(world->map.patches[i]), 0);
            sign(world->map.patches[i]);
        }

        // new patches are copies of those that existed before the call, final or not, never of each
        // other; existing patches do not change
        const jbw_position cells[] = {{SIZE, 0}, {400, 0}};
        assert_int_equal(jbw_world_explore(world, cells, 2), JBW_OK);
        assert_int_equal(world->map.patch_count, OLD + 4 + 16);
        for (uint32_t i = 0; i < world->map.patch_count; i++) {
            const uint32_t number = signature(world->map.patches[i]);
            if (i < OLD) {
                assert_int_equal(number, i + 1);
                continue;
            }
            assert_in_range(number, 1, OLD);
            chosen[number - 1]++;
            if (i > OLD) pairs_alike += number == signature(world->map.patches[i - 1]);
        }

        // the next call may also copy those
        for (size_t i = OLD; i < world->map.patch_count; i++) sign(world->map.patches[i]);
        const size_t before = world->map.patch_count;
        assert_int_equal(jbw_world_explore(world, &(jbw_position){-400, 40}, 1), JBW_OK);
        for (size_t i = before; i < world->map.patch_count; i++) {
            assert_in_range(signature(world->map.patches[i]), 1, before);
            chosen_later += signature(world->map.patches[i]) > OLD;
        }
        jbw_world_destroy(world);
    }

    // all old patches are equally likely, within five standard deviations
    assert_true(uniform_z(chosen, OLD) < 5);
    assert_true(chosen_later > WORLDS * 16 * 50 / 100 && chosen_later < WORLDS * 16 * 61 / 100);

    // and independent: two in a row are equal once in sixteen times
    const int pairs = WORLDS * 19;
    assert_true(pairs_alike > pairs / 16 - 150 && pairs_alike < pairs / 16 + 150);
    jbw_model_destroy(model);
}

// --- several agents at once ---------------------------------------------------------------------

static void assert_same_patches(const jbw_world *a, const jbw_world *b, jbw_position cell)
{
    int found = 0;
    const jbw_position middle = jbw_world_patch_of(a, cell);
    for (int64_t y = middle.y - 3; y <= middle.y + 3; y++) {
        for (int64_t x = middle.x - 3; x <= middle.x + 3; x++) {
            const jbw_position at = {x, y};
            assert_int_equal(jbw_world_patch_state(a, at), jbw_world_patch_state(b, at));
            const jbw_patch *p = jbw_map_find(&a->map, at);
            const jbw_patch *q = jbw_map_find(&b->map, at);
            if (!p) continue;
            assert_memory_equal(p->cells, q->cells, SIZE * SIZE);
            found++;
        }
    }
    assert_true(found >= 9);
}

static void test_groups(void **state)
{
    (void)state;
    // Agents far apart do not affect each other, and in an empty world there is nothing to copy. So
    // one sampling for all gives the same patches as one for each, in whatever order the agents are
    // listed.
    jbw_model *model = make_model(200);
    const jbw_position cells[] = {{1, 1}, {200, 1}, {-90, 2}, {0, -300}, {202, 1}};
    const jbw_position shuffled[] = {cells[3], cells[4], cells[0], cells[2], cells[1], cells[0]};
    jbw_world *together = world_of(model, 9);
    jbw_world *reordered = world_of(model, 9);
    assert_int_equal(jbw_world_explore(together, cells, 5), JBW_OK);
    assert_int_equal(jbw_world_explore(reordered, shuffled, 6), JBW_OK);
    assert_int_equal(jbw_world_hash(together), jbw_world_hash(reordered));
    assert_int_equal(jbw_world_get_stats(together).sampling_count, 1);

    // cells 1 and 4 share a group
    const jbw_position groups[][2] = {
        {cells[0], cells[0]}, {cells[1], cells[4]}, {cells[2], cells[2]}, {cells[3], cells[3]}};
    for (size_t i = 0; i < 4; i++) {
        jbw_world *alone = world_of(model, 9);
        assert_int_equal(jbw_world_explore(alone, groups[i], 2), JBW_OK);
        assert_same_patches(alone, together, groups[i][0]);
        jbw_world_destroy(alone);
    }

    // but one after the other, the later patches start as copies of the earlier ones
    jbw_world *in_turn = world_of(model, 9);
    assert_int_equal(jbw_world_explore(in_turn, &cells[0], 1), JBW_OK);
    assert_int_equal(jbw_world_explore(in_turn, &cells[2], 1), JBW_OK);
    assert_same_patches(in_turn, together, cells[0]);
    assert_int_not_equal(jbw_world_hash(in_turn), jbw_world_hash(together));

    jbw_world_destroy(in_turn);
    jbw_world_destroy(reordered);
    jbw_world_destroy(together);
    jbw_model_destroy(model);
}

static void test_neighbouring_groups(void **state)
{
    (void)state;
    // Two needed patches up to five apart along each axis: from four on their neighbours no longer
    // touch, and three apart along both axes they touch only at a corner. Sampling by groups must
    // not be visible: the proposals go round robin through all patches, and a patch that is sampled
    // while those of the other group do not change would come out differently.
    jbw_model *model = make_model(100);
    for (int64_t i = 1; i < 36; i++) {
        const int64_t gap_x = i % 6;
        const int64_t gap_y = i / 6;
        const jbw_position cells[] = {{2, 2}, {2 + gap_x * SIZE, 2 + gap_y * SIZE}};
        jbw_world *world = world_of(model, 21);
        assert_int_equal(jbw_world_explore(world, cells, 2), JBW_OK);

        // the same by hand: all patches in one run of the sampler
        jbw_map map;
        jbw_sampler sampler;
        jbw_map_init(&map, model);
        jbw_sampler_init(&sampler, model);
        jbw_patch *patches[32];
        const size_t count = world->map.patch_count;
        assert_true(count <= 32 && jbw_map_reserve(&map, count));
        for (size_t k = 0; k < count; k++) {
            patches[k] = jbw_map_new_patch(&map, world->map.patches[k]->at, 21);
            assert_non_null(patches[k]);
            jbw_map_insert(&map, patches[k]);
        }
        assert_true(jbw_sampler_reserve(&sampler, count));
        jbw_sampler_run(&sampler, &map, patches, count, 100);
        for (size_t k = 0; k < count; k++)
            assert_memory_equal(patches[k]->cells, world->map.patches[k]->cells, SIZE * SIZE);
        jbw_sampler_deinit(&sampler);
        jbw_map_deinit(&map);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_only_the_map_matters(void **state)
{
    (void)state;
    // a sampler may keep intermediate results, but a new one must give the same patches
    jbw_model *model = make_model(60);
    jbw_world *kept = world_of(model, 4);
    jbw_world *fresh = world_of(model, 4);
    uint64_t random = 5;
    jbw_position cell = {0, 0};
    for (int call = 0; call < 150; call++) {
        if (call % 40 == 39) // a jump
            cell = (jbw_position){(int64_t)random_below(&random, 100),
                                  (int64_t)random_below(&random, 100)};
        cell.x += (int64_t)random_below(&random, 9) - 4;
        cell.y += (int64_t)random_below(&random, 9) - 4;
        const jbw_position cells[] = {cell, {-cell.y, cell.x}};
        const size_t count = call % 5 == 0 ? 2 : 1;
        jbw_frontier_deinit(&fresh->generator.frontier);
        jbw_frontier_init(&fresh->generator.frontier, model);
        assert_int_equal(jbw_world_explore(kept, cells, count), JBW_OK);
        assert_int_equal(jbw_world_explore(fresh, cells, count), JBW_OK);
        assert_int_equal(jbw_world_hash(kept), jbw_world_hash(fresh));
    }
    jbw_world_destroy(fresh);
    jbw_world_destroy(kept);
    jbw_model_destroy(model);
}

static bool keeps_sampler(const jbw_world *world)
{
    return jbw_pool_keeps(world->model->samplers, world->generator.frontier.owner);
}

// the first sampling of a lone world leaves no sampler behind, which nobody can tell from its patches
static void test_lone_world(void **state)
{
    (void)state;
    jbw_model *model = make_model(50);
    jbw_world *alone = world_of(model, 8);
    explore_cell(alone, 0, 0);
    assert_false(keeps_sampler(alone));
    const size_t least_bytes = jbw_world_get_stats(alone).scratch_bytes;
    explore_cell(alone, 2 * SIZE, 0);
    assert_true(keeps_sampler(alone));
    assert_true(jbw_world_get_stats(alone).scratch_bytes > least_bytes + sizeof(jbw_sampler));

    jbw_world *other = world_of(model, 8); // now there are two
    explore_cell(other, 0, 0);
    assert_true(keeps_sampler(other));
    explore_cell(other, 2 * SIZE, 0);
    assert_int_equal(jbw_world_hash(alone), jbw_world_hash(other));
    jbw_world_destroy(other);
    jbw_world_destroy(alone);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_first_sampling),
        cmocka_unit_test(test_odd_patches),
        cmocka_unit_test(test_finalize),
        cmocka_unit_test(test_pairs_are_sampled_together),
        cmocka_unit_test(test_final_patches_never_change),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_neighbouring_groups),
        cmocka_unit_test(test_only_the_map_matters),
        cmocka_unit_test(test_lone_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
