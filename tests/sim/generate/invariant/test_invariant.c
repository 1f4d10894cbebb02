// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An invariant map is a function of model, seed and position: whatever order its patches are
/// generated in, whatever is kept or dropped, in whatever thread, with patches of any size.
#include "support/models.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/generate/invariant/invariant.h"
#include "support/allocations.h"
#include "support/random.h"

// --- models -------------------------------------------------------------------------------------

// clusters of two types that repel each other, a slow type in lines, and two independent types
static const jbw_interaction a_interactions[] = {{"A", "PiecewiseBox[10, 60, 0, -3]"},
                                                 {"B", "PiecewiseBox[10, 60, 1, -20]"}};
static const jbw_interaction b_interactions[] = {{"B", "PiecewiseBox[10, 60, 0, -3]"}};
static const jbw_interaction line_interactions[] = {{"Line", "Cross[6, 12, 6, -100, -100, -1]"}};
static const jbw_item_type items[] = {
    {.name = "A",
     .intensity = "Constant[0.5]",
     .interactions = a_interactions,
     .interaction_count = 2},
    {.name = "B",
     .intensity = "Constant[0.5]",
     .interactions = b_interactions,
     .interaction_count = 1},
    {.name = "Independent", .intensity = "Constant[-2]"},
    {.name = "Line",
     .intensity = "Constant[-9]",
     .interactions = line_interactions,
     .interaction_count = 1},
    {.name = "Rings", .intensity = "RadialHash[3, 20, -1, 3]"},
};

// every kind of function that depends on the position
static const jbw_interaction hash_interactions[] = {
    {"Wall", "CrossHash[20, 2, 6, 2, 8, -80, -8, 1]"}};
static const jbw_interaction ring_interactions[] = {{"Ring", "PiecewiseBox[5, 40, 1, -6]"},
                                                    {"Wall", "PiecewiseBox[9, 0, -9, 0]"}};
static const jbw_item_type uneven_items[] = {
    {.name = "Ring",
     .intensity = "RadialHash[500, 60, -1, 8]",
     .interactions = ring_interactions,
     .interaction_count = 2},
    {.name = "Wall",
     .intensity = "Constant[0]",
     .interactions = hash_interactions,
     .interaction_count = 1},
};

// noise, biomes with and without items, a patchy type, and a slow one near which others are
static const jbw_item_type varied_items[] = {
    {.name = "A",
     .intensity = "Constant[0.5] + Noise[30, 0, -2, 1]",
     .interactions = a_interactions,
     .interaction_count = 2},
    {.name = "B",
     .intensity = "Biome[40, 0, (0.4, 0.5), (0.3, -8), (0.3, never)]",
     .interactions = b_interactions,
     .interaction_count = 1},
    {.name = "Line",
     .intensity = "Biome[40, 0, (0.4, never), (0.6, -9)]",
     .interactions = line_interactions,
     .interaction_count = 1},
    {.name = "Scattered", .intensity = "Biome[40, 0, (0.4, never), (0.3, -2), (0.3, -4)]"},
    {.name = "Layered", .intensity = "Biome[25, 1, (0.5, -3), (0.5, never)]"},
};

static jbw_model *make_model(const jbw_item_type *types, size_t count, int patch_size,
                             bool force_generic, const jbw_allocator *allocator)
{
    jbw_config config = small_config(patch_size, 0, types, count);
    if (allocator) config.allocator = *allocator;
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_build(&config, (jbw_model_options){.force_generic = force_generic}, &model,
                        &error))
        fail_msg("%s", error.text);
    return model;
}

static jbw_model *make_even(int patch_size)
{
    return make_model(items, 5, patch_size, false, NULL);
}

static jbw_invariant *make_invariant(const jbw_model *model, uint64_t seed, size_t budget)
{
    jbw_invariant *invariant;
    assert_int_equal(jbw_invariant_create(model, seed, budget, &invariant), JBW_OK);
    return invariant;
}

// --- patches ------------------------------------------------------------------------------------

enum { SIZE = 32, PLACES = 4, AROUND = 2, PATCHES = PLACES * AROUND * AROUND };

// squares of patches at several places: the origin, a billion cells away, the end of the world
static jbw_position patch_at(int number)
{
    static const jbw_position places[PLACES] = {{-1, -1},
                                                {1000000000 / SIZE, 1000000000 / SIZE},
                                                {-1000000000 / SIZE, 7},
                                                {(INT64_C(1) << 60) / SIZE - AROUND, 0}};
    const jbw_position place = places[number / (AROUND * AROUND)];
    return (jbw_position){place.x + number % AROUND, place.y + number / AROUND % AROUND};
}

typedef struct patches {
    uint8_t cells[PATCHES][SIZE * SIZE];
} patches;

// all in order, with plenty of memory
static patches *make_patches(const jbw_model *model, uint64_t seed)
{
    patches *made = malloc(sizeof *made);
    assert_non_null(made);
    jbw_invariant *invariant = make_invariant(model, seed, (size_t)1 << 26);
    for (int i = 0; i < PATCHES; i++)
        assert_int_equal(jbw_invariant_make(invariant, patch_at(i), made->cells[i]), JBW_OK);
    jbw_invariant_destroy(invariant);
    return made;
}

static int count_items(const uint8_t *cells, size_t count)
{
    int found = 0;
    for (size_t i = 0; i < count; i++) found += cells[i] != 0;
    return found;
}

// generates some patches in a random order, some of them repeatedly
static void compare(const jbw_model *model, uint64_t seed, const patches *expected, size_t budget,
                    int requests, uint64_t order)
{
    jbw_invariant *invariant = make_invariant(model, seed, budget);
    uint64_t random = order;
    uint8_t cells[SIZE * SIZE];
    for (int i = 0; i < requests; i++) {
        const int number = (int)random_below(&random, PATCHES);
        assert_int_equal(jbw_invariant_make(invariant, patch_at(number), cells), JBW_OK);
        assert_memory_equal(cells, expected->cells[number], sizeof cells);
    }
    jbw_invariant_destroy(invariant);
}

static void compare_budgets(const jbw_model *model, uint64_t seed)
{
    patches *expected = make_patches(model, seed);
    assert_true(count_items(expected->cells[0], sizeof expected->cells) > PATCHES * 10);
    compare(model, seed, expected, (size_t)1 << 26, 20, 1);
    compare(model, seed, expected, 15 << 16, 6, 2); // fewer blocks than a single patch needs
    free(expected);
}

static void test_orders_and_budgets(void **state)
{
    (void)state;
    jbw_model *model = make_even(SIZE);
    compare_budgets(model, 1);
    jbw_model_destroy(model);
    model = make_model(uneven_items, 2, SIZE, false, NULL);
    compare_budgets(model, 2);
    jbw_model_destroy(model);
    model = make_model(varied_items, 5, SIZE, false, NULL);
    compare_budgets(model, 3);
    jbw_model_destroy(model);
}

// keeps no block at all: each one is generated again whenever it is needed
static void test_no_budget(void **state)
{
    (void)state;
    jbw_model *model = make_model(items + 1, 1, SIZE, false, NULL);
    patches *expected = make_patches(model, 4);
    compare(model, 4, expected, 0, 1, 4);
    free(expected);
    jbw_model_destroy(model);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    jbw_model *model = make_even(SIZE);
    jbw_invariant *one = make_invariant(model, 1, 1 << 22);
    jbw_invariant *two = make_invariant(model, 2, 1 << 22);
    uint8_t a[SIZE * SIZE];
    uint8_t b[SIZE * SIZE];
    assert_int_equal(jbw_invariant_make(one, (jbw_position){0, 0}, a), JBW_OK);
    assert_int_equal(jbw_invariant_make(two, (jbw_position){0, 0}, b), JBW_OK);
    assert_memory_not_equal(a, b, sizeof a);
    jbw_invariant_destroy(one);
    jbw_invariant_destroy(two);
    jbw_model_destroy(model);
}

// the generic way of adding energies gives the same map
static void test_generic_kernels(void **state)
{
    (void)state;
    jbw_model *fast = make_model(uneven_items, 2, SIZE, false, NULL);
    jbw_model *slow = make_model(uneven_items, 2, SIZE, true, NULL);
    jbw_invariant *one = make_invariant(fast, 5, 1 << 22);
    jbw_invariant *two = make_invariant(slow, 5, 1 << 22);
    uint8_t a[SIZE * SIZE];
    uint8_t b[SIZE * SIZE];
    assert_int_equal(jbw_invariant_make(one, (jbw_position){3, -9}, a), JBW_OK);
    assert_int_equal(jbw_invariant_make(two, (jbw_position){3, -9}, b), JBW_OK);
    assert_memory_equal(a, b, sizeof a);
    jbw_invariant_destroy(one);
    jbw_invariant_destroy(two);
    jbw_model_destroy(fast);
    jbw_model_destroy(slow);
}

// --- patches of other sizes ---------------------------------------------------------------------

// cells [0, 120) x [-120, 0), assembled from patches
static void fill_square(int patch_size, uint8_t *cells)
{
    enum { SIDE = 120 };
    jbw_model *model = make_even(patch_size);
    jbw_invariant *invariant = make_invariant(model, 1, (size_t)1 << 22);
    uint8_t *patch = malloc((size_t)model->patch_cells);
    assert_non_null(patch);
    for (int y = -((SIDE - 1) / patch_size + 1); y < 0; y++) {
        for (int x = 0; x * patch_size < SIDE; x++) {
            assert_int_equal(jbw_invariant_make(invariant, (jbw_position){x, y}, patch), JBW_OK);
            for (int i = 0; i < model->patch_cells; i++) {
                const int cell_x = x * patch_size + i % patch_size;
                const int cell_y = y * patch_size + i / patch_size;
                if (cell_x < SIDE && cell_y >= -SIDE)
                    cells[(cell_y + SIDE) * SIDE + cell_x] = patch[i];
            }
        }
    }
    free(patch);
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);
}

static void test_patch_sizes(void **state)
{
    (void)state;
    static uint8_t expected[120 * 120];
    static uint8_t found[120 * 120];
    fill_square(32, expected);
    assert_true(count_items(expected, sizeof expected) > 1000);
    const int sizes[] = {12, 13, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(found, 255, sizeof found);
        fill_square(sizes[i], found);
        assert_memory_equal(found, expected, sizeof found);
    }
}

// --- threads ------------------------------------------------------------------------------------

enum { THREADS = 4 };

typedef struct job {
    const jbw_model *model;
    const patches *expected;
    int first;
    bool is_equal;
} job;

static void *work(void *argument)
{
    job *j = argument;
    jbw_invariant *invariant;
    uint8_t cells[SIZE * SIZE];
    j->is_equal = jbw_invariant_create(j->model, 3, 1 << 20, &invariant) == JBW_OK;
    for (int i = 0; i < 2 && j->is_equal; i++) {
        const int number = (j->first + i * 7) % PATCHES;
        j->is_equal = jbw_invariant_make(invariant, patch_at(number), cells) == JBW_OK &&
                      memcmp(cells, j->expected->cells[number], sizeof cells) == 0;
    }
    jbw_invariant_destroy(invariant);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    jbw_model *model = make_even(SIZE);
    patches *expected = make_patches(model, 3);
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.model = model, .expected = expected, .first = i * 5};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(jobs[i].is_equal);
    }
    free(expected);
    jbw_model_destroy(model);
}

// --- memory -------------------------------------------------------------------------------------

static void test_out_of_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_model *model = make_model(items, 5, SIZE, false, &allocator);
    const size_t before = counting.block_count;
    uint8_t expected[SIZE * SIZE];
    uint8_t cells[SIZE * SIZE];
    jbw_invariant *invariant = make_invariant(model, 1, 1 << 20);
    assert_int_equal(jbw_invariant_make(invariant, (jbw_position){0, 0}, expected), JBW_OK);
    jbw_invariant_destroy(invariant);

    // each allocation fails once; the next attempt succeeds
    bool is_done = false;
    for (size_t call = 1; !is_done; call += 1 + call / 4) {
        fail_allocations(&counting, call, 1);
        jbw_status status = jbw_invariant_create(model, 1, 1 << 20, &invariant);
        if (status == JBW_OUT_OF_MEMORY) {
            assert_null(invariant);
            continue;
        }
        status = jbw_invariant_make(invariant, (jbw_position){0, 0}, cells);
        is_done = status == JBW_OK;
        if (!is_done) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            status = jbw_invariant_make(invariant, (jbw_position){0, 0}, cells);
            assert_int_equal(status, JBW_OK);
        }
        assert_memory_equal(cells, expected, sizeof cells);
        jbw_invariant_destroy(invariant);
    }
    allow_allocations(&counting);
    assert_int_equal(counting.block_count, before);

    // the reported bytes are those that were allocated, and stay within the budget
    const size_t bytes = counting.byte_count;
    invariant = make_invariant(model, 1, 50 * 17000);
    const size_t empty = jbw_invariant_bytes(invariant);
    assert_int_equal(counting.byte_count - bytes, empty);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(jbw_invariant_make(invariant, (jbw_position){i * 20, 0}, cells), JBW_OK);
        assert_int_equal(counting.byte_count - bytes, jbw_invariant_bytes(invariant));
    }
    assert_true(jbw_invariant_bytes(invariant) <= empty + 50 * 17000 + (1 << 20));
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

// --- models at the limits -----------------------------------------------------------------------

static void test_no_types(void **state)
{
    (void)state;
    jbw_model *model = make_model(NULL, 0, SIZE, false, NULL);
    jbw_invariant *invariant = make_invariant(model, 1, 0);
    uint8_t cells[SIZE * SIZE];
    memset(cells, 255, sizeof cells);
    assert_int_equal(jbw_invariant_make(invariant, (jbw_position){4, 4}, cells), JBW_OK);
    assert_int_equal(count_items(cells, sizeof cells), 0);
    assert_int_equal(jbw_invariant_proposals(invariant), 0);
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);
}

// independent types have the right density, and exclude much weaker types
static void test_independent_types(void **state)
{
    (void)state;
    const jbw_item_type mixed[] = {
        {.name = "A", .intensity = "Constant[-1]"},
        {.name = "B",
         .intensity = "Constant[0.5]",
         .interactions = b_interactions,
         .interaction_count = 1},
        {.name = "C", .intensity = "Constant[0]"},
    };
    jbw_model *model = make_model(mixed, 1, 128, false, NULL);
    jbw_invariant *invariant = make_invariant(model, 1, 0);
    static uint8_t cells[128 * 128];
    assert_int_equal(jbw_invariant_make(invariant, (jbw_position){-1, 8}, cells), JBW_OK);
    // e^-1 / (1 + e^-1) of 16384 cells are 4406, with a standard deviation of 57
    assert_in_range(count_items(cells, sizeof cells), 4406 - 285, 4406 + 285);
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);

    const jbw_item_type crowded[] = {
        {.name = "A", .intensity = "Constant[1e9]"},
        {.name = "B",
         .intensity = "Constant[0.5]",
         .interactions = b_interactions,
         .interaction_count = 1},
    };
    model = make_model(crowded, 2, 128, false, NULL);
    invariant = make_invariant(model, 1, 0);
    assert_int_equal(jbw_invariant_make(invariant, (jbw_position){0, 0}, cells), JBW_OK);
    for (size_t i = 0; i < sizeof cells; i++) assert_int_equal(cells[i], 1);
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);
}

// generates one patch, which must terminate, and returns the number of items
static int make_one(const jbw_item_type *types, size_t count, int patch_size)
{
    jbw_model *model = make_model(types, count, patch_size, false, NULL);
    jbw_invariant *invariant = make_invariant(model, 9, (size_t)1 << 25);
    uint8_t *cells = malloc((size_t)model->patch_cells);
    assert_non_null(cells);
    assert_int_equal(jbw_invariant_make(invariant, (jbw_position){-1, 0}, cells), JBW_OK);
    const int found = count_items(cells, (size_t)model->patch_cells);
    free(cells);
    jbw_invariant_destroy(invariant);
    jbw_model_destroy(model);
    return found;
}

static void test_extremes(void **state)
{
    (void)state;
    // a type that fills everything and one that never occurs, both with interactions
    const jbw_interaction self[] = {{"A", "PiecewiseBox[2, 9, 100, -1e-3]"}};
    const jbw_item_type full[] = {
        {.name = "A", .intensity = "Constant[1e9]", .interactions = self, .interaction_count = 1}};
    assert_int_equal(make_one(full, 1, 3), 9);
    const jbw_item_type none[] = {
        {.name = "A", .intensity = "Constant[-1e9]", .interactions = self, .interaction_count = 1}};
    assert_int_equal(make_one(none, 1, 3), 0);

    // one that repels others farther than the margin of a window
    const jbw_interaction wide[] = {{"A", "PiecewiseBox[3600, 0, -50, 0]"}};
    const jbw_item_type lonely[] = {
        {.name = "A", .intensity = "Constant[3]", .interactions = wide, .interaction_count = 1}};
    assert_in_range(make_one(lonely, 1, 128), 1, 12);

    // so many types that windows become smaller; each one repels the next
    enum { MANY = 33 };
    static char names[MANY][8];
    static jbw_interaction rings[MANY];
    static jbw_item_type many[MANY];
    for (int i = 0; i < MANY; i++) snprintf(names[i], sizeof names[i], "T%d", i);
    for (int i = 0; i < MANY; i++) {
        rings[i] = (jbw_interaction){names[(i + 1) % MANY], "PiecewiseBox[5, 0, -2, 0]"};
        many[i] = (jbw_item_type){.name = names[i],
                                  .intensity = "Constant[-6.5]",
                                  .interactions = &rings[i],
                                  .interaction_count = 1};
    }
    assert_in_range(make_one(many, MANY, 32), 20, 1023);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_and_budgets), cmocka_unit_test(test_no_budget),
        cmocka_unit_test(test_seeds_differ),       cmocka_unit_test(test_generic_kernels),
        cmocka_unit_test(test_patch_sizes),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_out_of_memory),      cmocka_unit_test(test_no_types),
        cmocka_unit_test(test_independent_types),  cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
