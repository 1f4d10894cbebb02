// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What decides the cells of an invariant world, as bytes: each field of a config changes the bytes,
/// or it does not change the cells. Also worlds that look into a store of patches: nothing but the
/// store can tell.
#include "support/models.h"

#include <stdlib.h>

#include "base/hash.h"
#include "jbw/agent.h"
#include "jbw/ahead.h"
#include "jbw/patch_store.h"
#include "sim/generate/invariant/invariant.h"
#include "support/allocations.h"
#include "support/life.h"
#include "support/random.h"

enum { MOST_TYPES = 8, SIDE = 44, SEED = 5 };

// ---- bytes ----

typedef struct draft {
    jbw_config config;
    jbw_item_type items[MOST_TYPES];
} draft;

// without interactions, which makes generation fast; or as they are
static draft begin_draft(bool is_calm)
{
    draft d = {.config = life_small_config()};
    d.config.generation = JBW_GENERATION_INVARIANT;
    memcpy(d.items, d.config.items, d.config.item_count * sizeof *d.items);
    for (size_t i = 0; is_calm && i < d.config.item_count; i++) d.items[i].interaction_count = 0;
    return d;
}

static jbw_model *finish_draft(draft *d)
{
    d->config.items = d->items;
    return model_of(&d->config);
}

static jbw_buffer bytes_of(const jbw_model *model)
{
    jbw_buffer bytes = {0};
    jbw_error error;
    assert_int_equal(jbw_model_write_generation(model, &bytes, &error), JBW_OK);
    return bytes;
}

// the content of cells, in season or not
static void read_cells(const jbw_model *model, uint64_t seed, uint8_t cells[SIDE * SIDE])
{
    jbw_world *world = world_of(model, seed);
    uint8_t hidden[SIDE * SIDE];
    const jbw_region region = {.x = -22, .y = -22, .width = SIDE, .height = SIDE};
    const jbw_region_planes planes = {.items = cells, .hidden = hidden};
    assert_int_equal(jbw_world_read_planes(world, region, &planes), JBW_OK);
    for (int i = 0; i < SIDE * SIDE; i++) cells[i] = (uint8_t)(cells[i] | hidden[i]);
    jbw_world_destroy(world);
}

// Statements that change a config, and whether the bytes become others.
#define CHANGES(X)                                                                                \
    X(scent_dimensions, d->config.scent_dimensions = 1, false)                                    \
    X(color_dimensions, d->config.color_dimensions = 1, false)                                    \
    X(patch_size, d->config.patch_size = 12, true)                                                \
    X(mh_iterations, d->config.mh_iterations = 7, false)                                          \
    X(scent_decay, d->config.scent_decay = 0.2, false)                                            \
    X(scent_diffusion, d->config.scent_diffusion = 0.1, false)                                    \
    X(collision, d->config.collision = JBW_COLLISION_ALLOW, false)                                \
    X(collection, d->config.collection = JBW_COLLECTION_MANUAL, false)                            \
    X(memory_budget, d->config.memory_budget = 3, false)                                          \
    X(agent_color, d->config.agent.color = other_vector, false)                                   \
    X(agent_scent, d->config.agent.scent = other_vector, false)                                   \
    X(vision_range, d->config.agent.vision_range = 5, false)                                      \
    X(field_of_view, d->config.agent.field_of_view = 90, false)                                   \
    X(visual_occlusion, d->config.agent.visual_occlusion = false, false)                          \
    X(actions, d->config.agent.action_count = 2, false)                                           \
    X(bodies, (d->config.bodies = other_bodies, d->config.body_count = 1), false)                 \
    X(tools, (d->config.agent.tools = other_tools, d->config.agent.tool_count = 1), false)        \
    X(name, d->items[3].name = "Silver", true)                                                    \
    X(color, d->items[0].color = other_vector, false)                                             \
    X(scent, d->items[0].scent = other_vector, false)                                             \
    X(occlusion, d->items[1].occlusion = 0.75, false)                                             \
    X(blocks_movement, d->items[1].blocks_movement = false, false)                                \
    X(is_uncollectable, d->items[1].is_uncollectable = false, false)                              \
    X(intensity, d->items[0].intensity = "Constant[-2.5]", true)                                  \
    X(interactions, d->items[0].interaction_count = 1, true)                                      \
    X(requirements, d->items[3].requirements = other_count, false)                                \
    X(requirement_count, d->items[3].requirement_count = 0, false)                                \
    X(costs, d->items[2].costs = other_count, false)                                              \
    X(cost_count, d->items[2].cost_count = 0, false)                                              \
    X(season, d->items[0].season = ((jbw_season){.period = 1000, .from = 400, .to = 900}), false) \
    X(regrows, d->items[0].regrows = "Uniform[1, 9]", false)                                      \
    X(has_text, d->items[0].has_text = true, false)                                               \
    X(voice, d->config.agent.voice = ((jbw_voice){.symbols = 2, .range = 3}), false)              \
    X(noise, d->items[0].intensity = "Constant[-2] + Noise[9, 1, -1, 1]", true)                   \
    X(item_count, d->config.item_count = 3, true)

static const double other_vector[] = {0.75, 0.25};
static const jbw_item_count other_count[] = {{"Wall", 3}};
static const jbw_body other_bodies[] = {{.name = "Scout"}};
static const jbw_tool other_tools[] = {
    {"Gold", {.has_vision_range = true, .vision_range = 2}},
};

#define DEFINE_CHANGE(name, statement, changes) \
    static void change_##name(draft *d)         \
    {                                           \
        statement;                              \
    }
CHANGES(DEFINE_CHANGE)

typedef struct change {
    const char *name;
    void (*apply)(draft *d);
    bool is_other;
} change;

#define LIST_CHANGE(name, statement, changes) {#name, change_##name, changes},
static const change all_changes[] = {CHANGES(LIST_CHANGE)};

static bool is_equal(const jbw_buffer *a, const jbw_buffer *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void test_fields(void **state)
{
    (void)state;
    draft plain = begin_draft(true);
    jbw_model *model = finish_draft(&plain);
    jbw_buffer bytes = bytes_of(model);
    static uint8_t cells[SIDE * SIDE];
    read_cells(model, SEED, cells);

    for (size_t i = 0; i < sizeof all_changes / sizeof *all_changes; i++) {
        draft d = begin_draft(true);
        all_changes[i].apply(&d);
        jbw_model *changed = finish_draft(&d);
        jbw_buffer other = bytes_of(changed);
        const bool is_same = is_equal(&other, &bytes);
        if (is_same == all_changes[i].is_other)
            fail_msg("%s: the bytes are %s", all_changes[i].name, is_same ? "the same" : "others");
        static uint8_t others[SIDE * SIDE];
        read_cells(changed, SEED, others);
        if (is_same && memcmp(cells, others, sizeof cells) != 0)
            fail_msg("%s: other cells with the same bytes", all_changes[i].name);
        jbw_buffer_free(&other);
        jbw_model_destroy(changed);
    }
    jbw_buffer_free(&bytes);
    jbw_model_destroy(model);
}

// all changes at once that keep the bytes, where items interact
static void test_fields_together(void **state)
{
    (void)state;
    draft plain = begin_draft(false);
    draft changed = begin_draft(false);
    for (size_t i = 0; i < sizeof all_changes / sizeof *all_changes; i++)
        if (!all_changes[i].is_other) all_changes[i].apply(&changed);
    jbw_model *models[] = {finish_draft(&plain), finish_draft(&changed)};
    jbw_buffer bytes[] = {bytes_of(models[0]), bytes_of(models[1])};
    assert_true(is_equal(&bytes[0], &bytes[1]));
    static uint8_t cells[2][SIDE * SIDE];
    for (int i = 0; i < 2; i++) read_cells(models[i], SEED, cells[i]);
    assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
    for (int i = 0; i < 2; i++) {
        jbw_buffer_free(&bytes[i]);
        jbw_model_destroy(models[i]);
    }
}

static void test_read_again(void **state)
{
    (void)state;
    draft d = begin_draft(true);
    jbw_model *model = finish_draft(&d);
    jbw_buffer bytes = bytes_of(model);
    jbw_model *again;
    jbw_error error;
    assert_int_equal(jbw_model_read_generation(bytes.bytes, bytes.size, NULL, &again, &error),
                     JBW_OK);
    jbw_buffer bytes_again = bytes_of(again);
    assert_int_equal(bytes.size, bytes_again.size);
    assert_memory_equal(bytes.bytes, bytes_again.bytes, bytes.size);
    static uint8_t a[SIDE * SIDE];
    static uint8_t b[SIDE * SIDE];
    read_cells(model, 9, a);
    read_cells(again, 9, b);
    assert_memory_equal(a, b, sizeof a);
    jbw_model_destroy(again);

    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_equal(jbw_model_read_generation(bytes.bytes, size, NULL, &again, &error),
                         JBW_INVALID_DATA);
        assert_null(again);
    }
    bytes.bytes[0] = JBW_INVARIANT_VERSION + 1;
    assert_int_equal(jbw_model_read_generation(bytes.bytes, bytes.size, NULL, &again, &error),
                     JBW_UNSUPPORTED);
    jbw_buffer_free(&bytes_again);
    jbw_buffer_free(&bytes);
    jbw_model_destroy(model);
}

static double steep(const double *arguments, jbw_position position, void *user)
{
    (void)arguments, (void)position, (void)user;
    return -2.0;
}

static void test_unsupported(void **state)
{
    (void)state;
    jbw_error error;
    jbw_buffer bytes = {0};
    draft d = begin_draft(true);
    d.config.generation = JBW_GENERATION_FRONTIER;
    jbw_model *model = finish_draft(&d);
    assert_int_equal(jbw_model_write_generation(model, &bytes, &error), JBW_UNSUPPORTED);
    assert_contains(error.text, "invariant");
    jbw_world *world = world_of(model, 1);
    assert_int_equal(jbw_world_set_patch_store(world, NULL), JBW_UNSUPPORTED);
    assert_null(jbw_world_patch_store(world));
    jbw_world_destroy(world);
    jbw_model_destroy(model);

    const jbw_intensity_function function = {.name = "Steep", .value = steep};
    static const char *const intensities[] = {"Steep[]", "Constant[-1] + Steep[]"};
    for (int i = 0; i < 2; i++) {
        d = begin_draft(true);
        d.items[0].intensity = intensities[i];
        d.config.intensity_functions = &function;
        d.config.intensity_function_count = 1;
        model = finish_draft(&d);
        assert_int_equal(jbw_model_write_generation(model, &bytes, &error), JBW_UNSUPPORTED);
        assert_contains(error.text, "user-defined");
        assert_int_equal(bytes.size, 0);
        jbw_model_destroy(model);
    }
}

static jbw_status write_bytes(const void *model, jbw_buffer *out)
{
    return jbw_model_write_generation(model, out, NULL);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    draft d = begin_draft(true);
    d.config.allocator = counting_allocator_make(&counting);
    jbw_model *model = finish_draft(&d);
    for (size_t n = 1;; n++) {
        jbw_buffer bytes = {.allocator = d.config.allocator};
        const size_t blocks = counting.block_count;
        fail_allocations(&counting, n, 1);
        const jbw_status status = write_bytes(model, &bytes);
        allow_allocations(&counting);
        assert_int_equal(bytes.size > 0, status == JBW_OK);
        jbw_buffer_free(&bytes);
        assert_int_equal(counting.block_count, blocks);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
    }
    jbw_model_destroy(model);
}

// Stored patches outlive the program that made them. If this fails, worlds have changed: raise
// JBW_INVARIANT_VERSION, and put the new hash here.
static void test_version(void **state)
{
    (void)state;
    draft d = begin_draft(false);
    jbw_model *model = finish_draft(&d);
    static uint8_t cells[SIDE * SIDE];
    read_cells(model, 77, cells);
    jbw_hasher hasher = jbw_hash_begin(JBW_INVARIANT_VERSION);
    jbw_hash_bytes(&hasher, cells, sizeof cells);
    jbw_buffer bytes = bytes_of(model);
    jbw_hash_bytes(&hasher, bytes.bytes, bytes.size); // old stores would be lost if these changed
    assert_int_equal(hasher.value, UINT64_C(0xbd7cb1734a5c5f84));
    jbw_buffer_free(&bytes);
    jbw_model_destroy(model);
}

// ---- stores ----

enum { MOST_PATCHES = 4096, LARGEST = 16 * 16 };

// a store in memory that also counts
typedef struct shelf {
    jbw_position places[MOST_PATCHES];
    uint8_t cells[MOST_PATCHES][LARGEST];
    size_t patch_cells;
    size_t count;
    size_t found;
    size_t offered;
    int references;
    int percent; // of the patches are forgotten at once
    uint64_t random;
} shelf;

static size_t shelf_index(const shelf *s, jbw_position patch)
{
    size_t i = 0;
    while (i < s->count && (s->places[i].x != patch.x || s->places[i].y != patch.y)) i++;
    return i;
}

static bool shelf_find(void *user, jbw_position patch, uint8_t *cells)
{
    shelf *s = user;
    const size_t i = shelf_index(s, patch);
    memset(cells, 255, s->patch_cells); // may hold anything if it is not found
    if (i == s->count) return false;
    memcpy(cells, s->cells[i], s->patch_cells);
    s->found++;
    return true;
}

static bool shelf_has(void *user, jbw_position patch)
{
    const shelf *s = user;
    return shelf_index(s, patch) < s->count;
}

static void shelf_offer(void *user, jbw_position patch, const uint8_t *cells)
{
    shelf *s = user;
    s->offered++;
    if (s->count == MOST_PATCHES || random_chance(&s->random, s->percent)) return;
    const size_t i = shelf_index(s, patch);
    if (i < s->count) {
        assert_memory_equal(cells, s->cells[i], s->patch_cells);
        return;
    }
    s->places[i] = patch;
    memcpy(s->cells[i], cells, s->patch_cells);
    s->count++;
}

static void shelf_retain(void *user)
{
    ((shelf *)user)->references++;
}

static void shelf_release(void *user)
{
    ((shelf *)user)->references--;
}

static jbw_patch_store store_of(shelf *s)
{
    return (jbw_patch_store){.user = s,
                             .find = shelf_find,
                             .has = shelf_has,
                             .offer = shelf_offer,
                             .retain = shelf_retain,
                             .release = shelf_release};
}

static void assert_same_world(jbw_world *a, jbw_world *b)
{
    life_view view_a = life_look(a);
    life_view view_b = life_look(b);
    view_a.stats = view_b.stats = 0; // how much was sampled may differ
    const char *difference = life_difference(&view_a, &view_b);
    if (difference) fail_msg("different in %s", difference);
}

// a busy world with a store that forgets a part, beside one without
static void live_with(const jbw_model *model, shelf *s, int calls, int threads)
{
    jbw_world *with = world_of(model, 3);
    jbw_world *without = world_of(model, 3);
    const jbw_patch_store store = store_of(s);
    assert_int_equal(jbw_world_set_patch_store(with, &store), JBW_OK);
    assert_int_equal(jbw_world_set_generation_threads(with, threads), JBW_OK);
    assert_ptr_equal(jbw_world_patch_store(with)->user, s);
    uint64_t random_with = 8;
    uint64_t random_without = 8;
    for (int i = 0; i < calls; i++) {
        assert_true(life_call(with, &random_with));
        assert_true(life_call(without, &random_without));
        if (i % 32 == 0) assert_same_world(with, without);
        if (i % 64 == 17) {
            jbw_world *copy = clone_of(with);
            assert_int_equal(s->references, 2);
            jbw_world_destroy(with);
            with = copy;
        }
    }
    assert_same_world(with, without);
    assert_int_equal(s->references, 1);
    jbw_world_destroy(with);
    jbw_world_destroy(without);
    assert_int_equal(s->references, 0);
}

static void test_store(void **state)
{
    (void)state;
    draft d = begin_draft(true);
    jbw_model *model = finish_draft(&d);
    shelf *s = calloc(1, sizeof *s);
    s->patch_cells = (size_t)d.config.patch_size * (size_t)d.config.patch_size;
    s->percent = 30;
    live_with(model, s, 400, 0);
    assert_true(s->offered > 10 && s->found > 0);
    s->percent = 0;
    live_with(model, s, 400, 0);
    const size_t offered = s->offered;
    live_with(model, s, 400, 0); // everything is there: nothing is made, and no engine
    assert_int_equal(s->offered, offered);

    jbw_world *world = world_of(model, 3);
    const jbw_patch_store store = store_of(s);
    jbw_world_set_patch_store(world, &store);
    assert_true(jbw_world_patch_is_ready(world, s->places[0]));
    assert_int_equal(jbw_world_finalize_patch(world, s->places[0]), JBW_OK);
    assert_int_equal(jbw_world_get_stats(world).proposal_count, 0);
    jbw_world *other = world_of(model, 3);
    jbw_world_pass_on(world, other);
    assert_int_equal(s->references, 2);
    jbw_world_set_patch_store(other, NULL);
    assert_int_equal(s->references, 1);
    jbw_world_destroy(other);
    jbw_world_destroy(world);
    assert_int_equal(s->references, 0);
    free(s);
    jbw_model_destroy(model);
}

// what is in the store is not made ahead, and makes no difference to what is
static void test_store_ahead(void **state)
{
    (void)state;
    draft d = begin_draft(false);
    jbw_model *model = finish_draft(&d);
    shelf *s = calloc(1, sizeof *s);
    s->patch_cells = (size_t)d.config.patch_size * (size_t)d.config.patch_size;
    s->percent = 50;
    live_with(model, s, 24, 2);
    s->percent = 0;
    live_with(model, s, 24, 2);
    const size_t offered = s->offered;
    assert_true(offered > 0);
    live_with(model, s, 24, 2);
    assert_int_equal(s->offered, offered);
    free(s);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),          cmocka_unit_test(test_fields_together),
        cmocka_unit_test(test_read_again),      cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_memory_runs_out), cmocka_unit_test(test_version),
        cmocka_unit_test(test_store),           cmocka_unit_test(test_store_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
