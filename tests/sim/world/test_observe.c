// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Observations: every part says the same as the function that is about that part alone, whatever
/// else is wanted with it, and nothing is written beyond what is wanted.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "jbw/observation.h"
#include "jbw/state.h"
#include "support/allocations.h"
#include "support/random.h"
#include "support/words.h"

enum { MAX_AGENTS = 6, GUARD = 16, FILL = 0x5A };

// ---- worlds ----

static const double red[] = {1, 0, 0.5};
static const double green[] = {0.25, 1, 0};
static const double blue[] = {-1, 0.125, 0.75};
static const jbw_item_type item_types[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2]", .has_text = true},
    {.name = "Wall",
     .color = green,
     .scent = blue,
     .blocks_movement = true,
     .is_uncollectable = true,
     .occlusion = 1,
     .intensity = "Constant[-3]"},
    {.name = "Bush", .color = blue, .occlusion = 0.5, .intensity = "Constant[-3]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},  {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},    {JBW_ACTION_NO_OP, NULL},
    {JBW_ACTION_MOVE_BACKWARD, NULL}, {JBW_ACTION_COLLECT, NULL},
    {JBW_ACTION_DROP, "Apple"},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static jbw_config draw_config(uint64_t *random)
{
    jbw_config config = jbw_config_default();
    config.patch_size = 26; // scent reaches 25 cells
    config.mh_iterations = 100;
    config.color_dimensions = 1 + (int)random_below(random, 3);
    config.scent_dimensions = (int)random_below(random, 4);
    config.collision = (jbw_collision)random_below(random, 3);
    config.collection = (jbw_collection)random_below(random, 2);
    config.generation =
        random_below(random, 4) == 0 ? JBW_GENERATION_INVARIANT : JBW_GENERATION_FRONTIER;
    config.items = item_types;
    config.item_count = 1 + random_below(random, 3);
    config.agent.color = random_below(random, 2) ? blue : NULL;
    config.agent.scent = random_below(random, 2) ? green : NULL;
    config.agent.vision_range = (int)random_below(random, 6);
    if (random_below(random, 2)) config.agent.voice = (jbw_voice){.symbols = 3, .range = 4};
    config.agent.field_of_view = random_below(random, 2) ? 360 : 60 + random_below(random, 200);
    config.agent.visual_occlusion = random_below(random, 2);
    config.agent.actions = actions;
    config.agent.action_count = ACTIONS;
    static const jbw_body bodies[] = {
        {.name = "Scout", .sight = {.has_vision_range = true, .vision_range = 4}},
        {.name = "Blind", .sight = {.has_field_of_view = true, .field_of_view = 40}},
    };
    config.bodies = bodies;
    config.body_count = random_below(random, 3);
    return config;
}

// ---- what parts should be ----

static int agents_seen; // by other agents, in all tests

static jbw_status expect_state(jbw_world *world, jbw_agent_id id, jbw_part part, void *out)
{
    jbw_agent_state state;
    const jbw_status status = jbw_agent_get_state(world, id, &state);
    if (status) return status;
    const jbw_position cell = part == JBW_PART_START ? state.start : state.position;
    if (part == JBW_PART_DIRECTION)
        *(uint8_t *)out = (uint8_t)state.direction;
    else if (part == JBW_PART_BODY)
        *(uint8_t *)out = (uint8_t)state.body;
    else
        memcpy(out, (int64_t[]){cell.x, cell.y}, 2 * sizeof(int64_t));
    return JBW_OK;
}

static jbw_status expect_result(jbw_world *world, jbw_agent_id id, jbw_part part, void *out)
{
    jbw_agent_result result;
    const jbw_status status = jbw_agent_get_result(world, id, &result);
    if (status) return status;
    const bool has_lived = result.time > 0;
    if (part == JBW_PART_MOVED)
        *(uint8_t *)out = has_lived && result.moved;
    else if (part == JBW_PART_OUTCOME)
        *(uint8_t *)out = has_lived ? (uint8_t)result.outcome : JBW_OUTCOME_NONE;
    else
        *(int32_t *)out = has_lived ? result.collected : -1;
    return JBW_OK;
}

static jbw_status expect_one_hot(jbw_world *world, jbw_agent_id id, float *out)
{
    const jbw_part_info info = jbw_model_part(jbw_world_model(world), JBW_PART_ITEM_VISION);
    const size_t cells = info.shape[0] * info.shape[1];
    uint8_t *items = malloc(cells);
    assert_non_null(items);
    const jbw_status status = jbw_agent_see_items(world, id, items);
    for (size_t i = 0; i < cells && !status; i++)
        for (size_t t = 0; t < info.shape[2]; t++)
            out[i * info.shape[2] + t] = items[i] == t + 1 ? 1.0f : 0.0f;
    free(items);
    return status;
}

// where a cell is in the frame of an agent: -1 if it is outside
static int frame_index(const jbw_agent_state *viewer, jbw_position cell, int range)
{
    const int64_t x = cell.x - viewer->position.x;
    const int64_t y = cell.y - viewer->position.y;
    const int64_t ahead[] = {[JBW_UP] = y, [JBW_RIGHT] = x, [JBW_DOWN] = -y, [JBW_LEFT] = -x};
    const int64_t right[] = {[JBW_UP] = x, [JBW_RIGHT] = -y, [JBW_DOWN] = -x, [JBW_LEFT] = y};
    const int64_t row = range - ahead[viewer->direction];
    const int64_t column = range + right[viewer->direction];
    const int side = 2 * range + 1;
    if (row < 0 || row >= side || column < 0 || column >= side) return -1;
    return (int)(row * side + column);
}

// the one-hot items of each cell, and the agents in those cells of which something is visible
static jbw_status expect_entities(jbw_world *world, jbw_agent_id id, float *out)
{
    const jbw_part_info info = jbw_model_part(jbw_world_model(world), JBW_PART_ENTITY_VISION);
    const size_t cells = info.shape[0] * info.shape[1];
    const size_t bodies = (size_t)jbw_model_body_count(jbw_world_model(world));
    const size_t types = info.shape[2] - bodies;
    float *items = malloc(cells * types * sizeof *items);
    float *seen = malloc(cells * sizeof *seen);
    assert_non_null(items);
    assert_non_null(seen);
    jbw_agent_state viewer;
    jbw_status status = jbw_agent_get_state(world, id, &viewer);
    if (!status) status = expect_one_hot(world, id, items);
    if (!status) status = jbw_agent_see_fractions(world, id, seen);
    for (size_t i = 0; i < cells && !status; i++) {
        memcpy(out + i * (types + bodies), items + i * types, types * sizeof *items);
        for (size_t k = 0; k < bodies; k++) out[i * (types + bodies) + types + k] = 0;
    }
    jbw_agent_id others[MAX_AGENTS];
    const size_t count = jbw_world_agents(world, others, MAX_AGENTS);
    for (size_t k = 0; k < count && !status; k++) {
        jbw_agent_state other;
        if (others[k].index1 == id.index1) continue;
        assert_int_equal(jbw_agent_get_state(world, others[k], &other), JBW_OK);
        const int cell = frame_index(&viewer, other.position, (int)(info.shape[0] / 2));
        if (cell >= 0 && seen[cell] > 0) {
            out[(size_t)cell * (types + bodies) + types + (size_t)other.body]++;
            agents_seen++;
        }
    }
    free(items);
    free(seen);
    return status;
}

static jbw_status expect_inventory(jbw_world *world, jbw_agent_id id, size_t size, void *out)
{
    const uint64_t *inventory = jbw_agent_inventory(world, id);
    if (!inventory) return JBW_NO_SUCH_AGENT;
    memcpy(out, inventory, size);
    return JBW_OK;
}

static jbw_status expect_heard(jbw_world *world, jbw_agent_id id, float *out)
{
    const uint32_t *heard = jbw_agent_heard(world, id);
    jbw_agent_state state;
    const jbw_status status = jbw_agent_get_state(world, id, &state);
    const int symbols = jbw_model_voice(jbw_world_model(world)).symbols;
    assert_true((heard != NULL) == (!status && symbols > 0));
    for (int s = 0; s < symbols && !status; s++) out[s] = (float)heard[s];
    return status;
}

// by the function that is about this part alone; every part has its case
static jbw_status expect(jbw_world *world, jbw_agent_id id, jbw_part part, void *out)
{
    switch (part) {
    case JBW_PART_VISION: return jbw_agent_perceive(world, id, out, NULL);
    case JBW_PART_SCENT: return jbw_agent_perceive(world, id, NULL, out);
    case JBW_PART_ITEMS: return jbw_agent_see_items(world, id, out);
    case JBW_PART_ITEM_VISION: return expect_one_hot(world, id, out);
    case JBW_PART_ENTITY_VISION: return expect_entities(world, id, out);
    case JBW_PART_SEEN: return jbw_agent_see_fractions(world, id, out);
    case JBW_PART_INVENTORY:
        return expect_inventory(world, id, jbw_model_part(jbw_world_model(world), part).size, out);
    case JBW_PART_POSITION:
    case JBW_PART_START:
    case JBW_PART_BODY:
    case JBW_PART_DIRECTION: return expect_state(world, id, part, out);
    case JBW_PART_TIME: *(uint64_t *)out = jbw_world_time(world); return JBW_OK;
    case JBW_PART_MOVED:
    case JBW_PART_COLLECTED:
    case JBW_PART_OUTCOME: return expect_result(world, id, part, out);
    case JBW_PART_HEARD: return expect_heard(world, id, out);
    case JBW_PART_TEXT: memset(out, 0, JBW_MAX_TEXT + 1); return jbw_agent_read(world, id, out);
    case JBW_PART_COUNT: break;
    }
    fail_msg("part %d is not tested", (int)part);
    return JBW_INVALID_ARGUMENT;
}

// ---- comparing ----

/// A buffer for each part, with a guard behind it, and the same once more for what is expected.
typedef struct buffers {
    uint8_t *found[JBW_PART_COUNT];
    uint8_t *expected[JBW_PART_COUNT];
    size_t sizes[JBW_PART_COUNT];
} buffers;

static buffers make_buffers(const jbw_model *model)
{
    buffers b;
    for (int p = 0; p < JBW_PART_COUNT; p++) {
        b.sizes[p] = jbw_model_part(model, (jbw_part)p).size;
        b.found[p] = malloc(b.sizes[p] + GUARD);
        b.expected[p] = malloc(b.sizes[p] + GUARD);
        assert_non_null(b.found[p]);
        assert_non_null(b.expected[p]);
    }
    return b;
}

static void free_buffers(buffers *b)
{
    for (int p = 0; p < JBW_PART_COUNT; p++) {
        free(b->found[p]);
        free(b->expected[p]);
    }
}

// observes the parts of a set (bits), and compares all buffers to their last byte
static void check_parts(jbw_world *world, jbw_agent_id id, uint32_t set, buffers *b)
{
    jbw_observation wanted = {0};
    for (int p = 0; p < JBW_PART_COUNT; p++) {
        memset(b->found[p], FILL, b->sizes[p] + GUARD);
        memset(b->expected[p], FILL, b->sizes[p] + GUARD);
        if (set >> p & 1) {
            jbw_observation_set(&wanted, (jbw_part)p, b->found[p]);
            assert_int_equal(expect(world, id, (jbw_part)p, b->expected[p]), JBW_OK);
        }
    }
    assert_int_equal(jbw_agent_observe(world, id, &wanted), JBW_OK);
    for (int p = 0; p < JBW_PART_COUNT; p++)
        assert_memory_equal(b->found[p], b->expected[p], b->sizes[p] + GUARD);
}

static void check_refused(jbw_world *world, jbw_agent_id id, buffers *b)
{
    jbw_observation wanted = {0};
    for (int p = 0; p < JBW_PART_COUNT; p++) {
        memset(b->found[p], FILL, b->sizes[p] + GUARD);
        memset(b->expected[p], FILL, b->sizes[p] + GUARD);
        jbw_observation_set(&wanted, (jbw_part)p, b->found[p]);
    }
    assert_int_equal(jbw_agent_observe(world, id, &wanted), JBW_NO_SUCH_AGENT);
    for (int p = 0; p < JBW_PART_COUNT; p++)
        assert_memory_equal(b->found[p], b->expected[p], b->sizes[p] + GUARD);
}

// ---- tests ----

// agents come, go, rest and act; true if one has collected something
static bool live(jbw_world *world, uint64_t *random, jbw_agent_id *gone)
{
    jbw_agent_id agents[MAX_AGENTS];
    size_t count = jbw_world_agents(world, agents, MAX_AGENTS);
    if (count < MAX_AGENTS && random_below(random, 4) == 0) {
        jbw_agent_id added;
        const int bodies = jbw_model_body_count(jbw_world_model(world));
        const jbw_agent_options options = {.body = (int)random_below(random, (uint32_t)bodies)};
        assert_int_equal(jbw_world_add_agent(world, &options, &added), JBW_OK);
    } else if (count > 1 && random_below(random, 12) == 0) {
        *gone = agents[random_below(random, (uint32_t)count)];
        assert_int_equal(jbw_world_remove_agent(world, *gone), JBW_OK);
    }
    count = jbw_world_agents(world, agents, MAX_AGENTS);
    bool has_collected = false;
    for (size_t i = 0; i < count; i++) {
        const int action = random_below(random, 2) ? 0 : (int)random_below(random, ACTIONS);
        const bool is_active = random_below(random, 8) > 0;
        assert_int_equal(jbw_agent_set_active(world, agents[i], is_active), JBW_OK);
        if (is_active) assert_int_equal(words_act(world, random, &agents[i], &action, 1), JBW_OK);
        jbw_agent_result result;
        assert_int_equal(jbw_agent_get_result(world, agents[i], &result), JBW_OK);
        has_collected |= result.collected >= 0;
    }
    return has_collected;
}

static void test_same_as_alone(void **state)
{
    (void)state;
    enum { WORLDS = 60, ROUNDS = 60 };
    uint64_t random = 7;
    int collected = 0;
    int refused = 0;
    for (int w = 0; w < WORLDS; w++) {
        const jbw_config config = draw_config(&random);
        jbw_model *model = model_of(&config);
        buffers b = make_buffers(model);
        jbw_world *world;
        assert_int_equal(jbw_world_create(model, (uint64_t)w, &world), JBW_OK);
        jbw_agent_id agent;
        jbw_agent_id gone = {0, 0};
        assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
        for (int round = 0; round < ROUNDS; round++) {
            jbw_agent_id agents[MAX_AGENTS];
            const size_t count = jbw_world_agents(world, agents, MAX_AGENTS);
            agent = agents[random_below(&random, (uint32_t)count)];
            check_parts(world, agent, round % 10 ? random_below(&random, 1 << JBW_PART_COUNT) : ~0u,
                        &b);
            check_refused(world, gone, &b); // in the beginning no agent, later one that has gone
            refused += gone.index1 > 0;
            collected += live(world, &random, &gone);
        }
        jbw_world_destroy(world);
        free_buffers(&b);
        jbw_model_destroy(model);
    }
    assert_true(collected > 100); // there was something to see
    assert_true(refused > 100);
    assert_true(agents_seen > 1000);
}

static void test_descriptions(void **state)
{
    (void)state;
    uint64_t random = 3;
    jbw_config config = draw_config(&random);
    config.agent.vision_range = 4;
    config.color_dimensions = 2;
    config.scent_dimensions = 0;
    config.item_count = 3;
    jbw_model *model = model_of(&config);

    const jbw_part_info vision = jbw_model_part(model, JBW_PART_VISION);
    assert_string_equal(vision.name, "vision");
    assert_int_equal(vision.element, JBW_ELEMENT_FLOAT32);
    assert_int_equal(vision.rank, 3);
    assert_int_equal(vision.shape[0], 9);
    assert_int_equal(vision.shape[1], 9);
    assert_int_equal(vision.shape[2], 2);
    assert_int_equal(vision.count, 9 * 9 * 2);
    assert_int_equal(vision.size, 9 * 9 * 2 * sizeof(float));

    const jbw_part_info inventory = jbw_model_part(model, JBW_PART_INVENTORY);
    assert_int_equal(inventory.element, JBW_ELEMENT_UINT64);
    assert_int_equal(inventory.rank, 1);
    assert_int_equal(inventory.size, 3 * sizeof(uint64_t));

    const jbw_part_info moved = jbw_model_part(model, JBW_PART_MOVED);
    assert_int_equal(moved.element, JBW_ELEMENT_UINT8);
    assert_int_equal(moved.rank, 0);
    assert_int_equal(moved.count, 1);
    assert_int_equal(moved.size, 1);

    const jbw_part_info scent = jbw_model_part(model, JBW_PART_SCENT); // this world has none
    assert_int_equal(scent.rank, 1);
    assert_int_equal(scent.count, 0);

    for (int p = 0; p < JBW_PART_COUNT; p++) {
        const jbw_part_info info = jbw_model_part(model, (jbw_part)p);
        assert_non_null(info.name);
        assert_true(strlen(info.about) > 0);
        assert_int_equal(jbw_part_named(info.name), p);
    }
    assert_null(jbw_model_part(model, JBW_PART_COUNT).name);
    assert_null(jbw_model_part(model, (jbw_part)-1).name);
    assert_int_equal(jbw_part_named("taste"), JBW_PART_COUNT);
    jbw_model_destroy(model);
}

static void test_pointers_by_number(void **state)
{
    (void)state;
    float vision;
    int32_t collected;
    jbw_observation o = {.vision = &vision};
    assert_ptr_equal(jbw_observation_get(&o, JBW_PART_VISION), &vision);
    assert_null(jbw_observation_get(&o, JBW_PART_COLLECTED));
    jbw_observation_set(&o, JBW_PART_COLLECTED, &collected);
    assert_ptr_equal(o.collected, &collected);
    jbw_observation_set(&o, JBW_PART_VISION, NULL);
    assert_null(o.vision);
}

// A copy of a world has no room for scent before somebody smells: that is the only memory observing
// ever needs, and without it nothing is written.
static void test_out_of_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    uint64_t random = 3;
    jbw_config config = draw_config(&random);
    config.scent_dimensions = 3;
    config.agent.scent = green;
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    buffers b = make_buffers(model);
    jbw_world *world;
    jbw_world *copy;
    jbw_agent_id agent;
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_world_clone(world, &copy), JBW_OK);

    memset(b.found[JBW_PART_TIME], FILL, sizeof(uint64_t));
    memset(b.expected[JBW_PART_TIME], FILL, sizeof(uint64_t));
    const jbw_observation wanted = {.scent = (float *)b.found[JBW_PART_SCENT],
                                    .time = (uint64_t *)b.found[JBW_PART_TIME]};
    counting.fail_at = counting.call_count + 1;
    counting.fail_count = 1;
    assert_int_equal(jbw_agent_observe(copy, agent, &wanted), JBW_OUT_OF_MEMORY);
    assert_memory_equal(b.found[JBW_PART_TIME], b.expected[JBW_PART_TIME], sizeof(uint64_t));
    check_parts(copy, agent, ~0u, &b); // the next call succeeds

    const size_t call_count = counting.call_count;
    check_parts(world, agent, ~0u, &b);
    check_parts(copy, agent, ~0u, &b);
    assert_int_equal(counting.call_count, call_count);

    jbw_world_destroy(copy);
    jbw_world_destroy(world);
    free_buffers(&b);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_alone),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_pointers_by_number),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
