// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Sums of scent, to the bit: a line of cells against plain loops, and what is cached against copies of
/// the world that compute everything anew.
#include "sim/sense/scent_line.h"

#include <math.h>
#include <stdlib.h>

#include "jbw/agent.h"
#include "sim/model/model.h"
#include "sim/world/world.h"
#include "support/allocations.h"
#include "support/models.h"
#include "support/random.h"
#include "support/random_world.h"

// --- a line against plain loops -----------------------------------------------------------------

enum { TYPES = 4, DIMENSIONS = 5, SPAN = 3 }; // patches from -SPAN to SPAN

static jbw_model *draw_model(uint64_t *random)
{
    static double scents[TYPES][DIMENSIONS];
    static jbw_item_type items[TYPES];
    static const char *const names[TYPES] = {"A", "B", "C", "D"};
    static const double physics[][2] = {{0.4, 0.14}, {0.2, 0.05}, {0.5, 0}, {0.1, 0.2}, {0, 0}};
    const int p = random_between(random, 0, 4);
    // scent reaches 25 cells at most
    jbw_config config = small_config(random_between(random, 30, 140), 0, items, TYPES);
    config.scent_dimensions = random_between(random, 1, DIMENSIONS);
    config.scent_decay = physics[p][0];
    config.scent_diffusion = physics[p][1];
    for (int t = 0; t < TYPES; t++) {
        for (int d = 0; d < DIMENSIONS; d++) scents[t][d] = random_real(random, -2, 2);
        items[t] = (jbw_item_type){.name = names[t], .scent = t == 1 ? NULL : scents[t]};
    }
    return model_of(&config);
}

// what an item adds to a cell, straight from the response
static int64_t contribution(const jbw_model *model, int type, int dx, int dy, int dimension)
{
    const jbw_scent_response *response = &model->scent.response;
    if (abs(dx) > response->reach || abs(dy) > response->reach) return 0;
    const double scent = model->items[type].scent[dimension];
    const double value = (double)response->steady[jbw_octant(dx, dy)] * response->unit * scent;
    return (int64_t)floor(value / model->scent.units[dimension] + 0.5);
}

static int64_t slow_sum(const jbw_map *map, const bool *is_smelled, jbw_position cell,
                        int dimension)
{
    const int size = map->model->patch_size;
    const int reach = map->model->scent.response.reach;
    int64_t sum = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        const jbw_patch *patch = map->patches[i];
        for (int y = 0; y < size; y++) {
            const int64_t dy = patch->at.y * size + y - cell.y;
            if (llabs(dy) > reach) continue;
            for (int x = 0; x < size; x++) {
                const int content = patch->cells[y * size + x];
                const int64_t dx = patch->at.x * size + x - cell.x;
                if (content > 0 && is_smelled[content - 1] && llabs(dx) <= reach)
                    sum += contribution(map->model, content - 1, (int)dx, (int)dy, dimension);
            }
        }
    }
    return sum;
}

// some patches around the origin; others are missing
static void fill_map(jbw_map *map, uint64_t *random)
{
    assert_true(jbw_map_reserve(map, (2 * SPAN + 1) * (2 * SPAN + 1)));
    const int percent = random_between(random, 0, 40); // of cells with an item
    for (int64_t y = -SPAN; y <= SPAN; y++) {
        for (int64_t x = -SPAN; x <= SPAN; x++) {
            if (random_chance(random, 20)) continue;
            jbw_patch *patch = jbw_map_new_patch(map, (jbw_position){x, y}, 1);
            assert_non_null(patch);
            for (int i = 0; i < map->model->patch_cells; i++)
                if (random_chance(random, percent))
                    patch->cells[i] = (uint8_t)random_between(random, 1, TYPES);
            jbw_map_insert(map, patch);
        }
    }
}

static void check_line(const jbw_map *map, uint64_t *random)
{
    const jbw_model *model = map->model;
    const int size = model->patch_size;
    const int32_t *kernels[TYPES];
    bool is_smelled[TYPES];
    int32_t sums[DIMENSIONS * JBW_SCENT_TILE];
    for (int t = 0; t < TYPES; t++) {
        // some are out of season
        kernels[t] = random_chance(random, 80) ? model->scent.kernels[t] : NULL;
        is_smelled[t] = kernels[t] != NULL;
    }
    jbw_scent_line line = {.map = map, .kernels = kernels, .sums = sums};
    line.first.x = random_between(random, -size, size);
    line.first.y = random_between(random, -size, size);
    line.is_column = random_chance(random, 50);
    jbw_scent_line_sum(&line);
    for (int i = 0; i < JBW_SCENT_TILE; i++) {
        const jbw_position cell = {line.first.x + (line.is_column ? 0 : i),
                                   line.first.y + (line.is_column ? i : 0)};
        for (int d = 0; d < model->scent_dimensions; d++)
            assert_int_equal(sums[d * JBW_SCENT_TILE + i], slow_sum(map, is_smelled, cell, d));
    }
}

static void test_lines_are_exact(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 12; i++) {
        jbw_model *model = draw_model(&random);
        jbw_map map;
        jbw_map_init(&map, model);
        fill_map(&map, &random);
        for (int k = 0; k < 6; k++) check_line(&map, &random);
        jbw_map_deinit(&map);
        jbw_model_destroy(model);
    }
}

// --- what is cached -----------------------------------------------------------------------------

// what agents smell, and cells near them
static size_t smell_all(jbw_world *world, const jbw_agent_id *agents, size_t count, uint64_t random,
                        float *scents)
{
    const size_t dimensions = (size_t)jbw_model_scent_dimensions(jbw_world_model(world));
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state agent;
        assert_int_equal(jbw_agent_perceive(world, agents[i], NULL, scents + length), JBW_OK);
        length += dimensions;
        assert_int_equal(jbw_agent_get_state(world, agents[i], &agent), JBW_OK);
        const jbw_position cell = {agent.position.x + random_between(&random, -30, 30),
                                   agent.position.y + random_between(&random, -30, 30)};
        assert_int_equal(jbw_world_smell(world, cell, scents + length), JBW_OK);
        length += dimensions;
    }
    return length;
}

static void test_cached_scent_is_exact(void **state)
{
    (void)state;
    enum { MOST = 2 * RANDOM_WORLD_MAX_AGENTS * JBW_MAX_DIMENSIONS };
    static float cached[MOST];
    static float fresh[MOST];
    uint64_t random = 5;
    size_t smelled = 0;
    for (int i = 0; i < 10; i++) {
        random_world_config drawn;
        random_world_config_draw(&drawn, &random);
        jbw_model *model = model_of(&drawn.config);
        jbw_world *world = world_of(model, random_next(&random));
        for (int k = 0; k < 150; k++) {
            jbw_agent_id agents[RANDOM_WORLD_MAX_AGENTS];
            random_world_change(world, &random);
            const size_t count = jbw_world_agents(world, agents, RANDOM_WORLD_MAX_AGENTS);
            jbw_world *copy = clone_of(world);
            const uint64_t draw = random_next(&random);
            const size_t length = smell_all(world, agents, count, draw, cached);
            assert_int_equal(smell_all(copy, agents, count, draw, fresh), length);
            assert_memory_equal(cached, fresh, length * sizeof *cached);
            for (size_t s = 0; s < length; s++) smelled += cached[s] != 0;
            jbw_world_destroy(copy);
        }
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
    assert_true(smelled > 1000);
}

// an agent that goes far, so that tiles have to make room for others; memory for more of them may lack
static void walk_far(bool has_memory)
{
    enum { LESS = 3, MORE = 5 }; // side of the cache, as a power of two: at first and in the end
    static const double scents[] = {1, 2, -1};
    const jbw_item_type items[] = {{.name = "A", .intensity = "Constant[-1]", .scent = scents}};
    counting_allocator counting = {0};
    jbw_config config = small_config(26, 30, items, 1);
    config.allocator = counting_allocator_make(&counting);
    config.generation = JBW_GENERATION_INVARIANT; // no patch is sampled again, tiles stay valid
    config.scent_dimensions = 3;
    config.scent_decay = 0.4;
    config.scent_diffusion = 0.14;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    for (int i = 0; i < 3200; i++) {
        float cached[3];
        float fresh[3];
        assert_int_equal(jbw_agent_act(world, agent, 0, NULL), JBW_OK);
        if (!has_memory) fail_allocations(&counting, 1, 1000);
        assert_int_equal(jbw_agent_perceive(world, agent, NULL, cached), JBW_OK);
        allow_allocations(&counting);
        if (i % 50 != 0) continue;
        jbw_world *copy = clone_of(world);
        assert_int_equal(jbw_agent_perceive(copy, agent, NULL, fresh), JBW_OK);
        assert_memory_equal(cached, fresh, sizeof cached);
        assert_true(cached[0] != 0);
        jbw_world_destroy(copy);
    }
    assert_int_equal(world->scent.side_bits, has_memory ? MORE : LESS);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

static void test_cache_grows(void **state)
{
    (void)state;
    walk_far(true);
    walk_far(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_exact),
        cmocka_unit_test(test_cached_scent_is_exact),
        cmocka_unit_test(test_cache_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
