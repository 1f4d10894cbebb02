// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Rows that begin as earlier ones did: what is copied has the bits of what is computed.

#include "support/checks.h"

#include <string.h>

#include "agents/learn/network.h"
#include "support/random.h"

static const jbw_allocator allocator = {0};

enum { ROWS = 60, SIDE = 7, COLORS = 3, SCENTS = 3, SIZE = 16 };

// ---- finding ----

static void expect_found(const jbw_repeats *repeats, jbw_row_key key, jbw_sameness sameness,
                         int row)
{
    const jbw_repeat found = jbw_repeats_find(repeats, &key);
    assert_int_equal(found.sameness, sameness);
    if (sameness != JBW_SAME_NOTHING) assert_int_equal(found.row, row);
}

static void test_finding(void **state)
{
    (void)state;
    jbw_repeats repeats;
    assert_true(jbw_repeats_init(&repeats, 4, &allocator));
    expect_found(&repeats, (jbw_row_key){1, 2, 3}, JBW_SAME_NOTHING, 0);
    jbw_repeats_add(&repeats, &(jbw_row_key){1, 2, 3}, 7);
    jbw_repeats_add(&repeats, &(jbw_row_key){1, 2, 4}, 5);
    jbw_repeats_add(&repeats, &(jbw_row_key){1, 9, 8}, 6);
    expect_found(&repeats, (jbw_row_key){1, 2, 3}, JBW_SAME_ALL, 7);
    expect_found(&repeats, (jbw_row_key){1, 2, 5}, JBW_SAME_PERCEPTION, 5); // the latest
    expect_found(&repeats, (jbw_row_key){1, 3, 3}, JBW_SAME_VISION, 6);
    expect_found(&repeats, (jbw_row_key){2, 2, 3}, JBW_SAME_NOTHING, 0);
    jbw_repeats_add(&repeats, &(jbw_row_key){2, 2, 2}, 0);
    jbw_repeats_add(&repeats, &(jbw_row_key){3, 3, 3}, 1); // no room
    expect_found(&repeats, (jbw_row_key){2, 2, 2}, JBW_SAME_ALL, 0);
    expect_found(&repeats, (jbw_row_key){3, 3, 3}, JBW_SAME_NOTHING, 0);
    jbw_repeats_forget(&repeats);
    expect_found(&repeats, (jbw_row_key){1, 2, 3}, JBW_SAME_NOTHING, 0);
    jbw_repeats_deinit(&repeats, &allocator);
}

// ---- copying ----

typedef struct fixture {
    jbw_network network;
    jbw_nn nn;
    jbw_network_pass computed, copied;
} fixture;

static void begin(fixture *f, const jbw_network_options *options)
{
    assert_true(jbw_network_init(&f->network, options, &allocator));
    assert_true(
        jbw_nn_init(&f->nn, jbw_nn_best_path(), jbw_network_columns(&f->network), &allocator));
    assert_true(jbw_network_pass_init(&f->computed, &f->network, ROWS, true, &allocator));
    assert_true(jbw_network_pass_init(&f->copied, &f->network, ROWS, true, &allocator));
    assert_true(jbw_network_pass_keep_rows(&f->copied, &f->network, &allocator));
    jbw_rng rng = jbw_rng_open(3, 0, 0, JBW_PURPOSE_LEARNER);
    jbw_network_begin(&f->network, &rng);
}

static void end(fixture *f)
{
    jbw_network_pass_deinit(&f->copied, &allocator);
    jbw_network_pass_deinit(&f->computed, &allocator);
    jbw_nn_deinit(&f->nn, &allocator);
    jbw_network_deinit(&f->network, &allocator);
}

// numbers that follow from a choice among a few
static void fill(float *to, int count, uint64_t choice)
{
    uint64_t random = choice + 1;
    for (int i = 0; i < count; i++) to[i] = (float)random_real(&random, -1.0, 1.0);
}

// what a row begins with
typedef struct beginning {
    uint64_t vision, scent, state;
    bool moved;
} beginning;

static void fill_row(const fixture *f, jbw_network_pass *pass, int row, const beginning *b)
{
    const int pixels = SIDE * SIDE * COLORS;
    const jbw_rows hidden = jbw_rows_from(pass->memory.input, row, f->network.feature_count);
    if (pass->vision) fill(pass->vision + (ptrdiff_t)row * pixels, pixels, b->vision);
    if (pass->scent) fill(pass->scent + (ptrdiff_t)row * SCENTS, SCENTS, 10 + b->scent);
    pass->moved[row] = b->moved ? 1.0f : -1.0f;
    fill(hidden.at, SIZE, 20 + b->state);
    fill(pass->memory.cell_before + (ptrdiff_t)row * SIZE, SIZE, 30 + b->state);
}

static void expect_same_bits(const jbw_network_options *options)
{
    fixture f;
    begin(&f, options);
    uint64_t random = 8;
    for (int row = 0; row < ROWS; row++) {
        const beginning b = {.vision = random_below(&random, 4),
                             .scent = random_below(&random, 3),
                             .state = random_below(&random, 3),
                             .moved = random_chance(&random, 50)};
        fill_row(&f, &f.computed, row, &b);
        fill_row(&f, &f.copied, row, &b);
        jbw_network_forward_one(&f.nn, &f.network, &f.computed, row);
        jbw_network_forward_one(&f.nn, &f.network, &f.copied, row);
        assert_memory_equal(f.copied.memory_block, f.computed.memory_block,
                            f.computed.float_count * sizeof(float));
    }
    end(&f);
}

static const jbw_network_options plain = {.vision_side = SIDE,
                                          .colors = COLORS,
                                          .scents = SCENTS,
                                          .actions = 3,
                                          .dense_size = 32,
                                          .lstm_size = SIZE,
                                          .activation = JBW_ACTIVATION_GELU,
                                          .has_moved = true,
                                          .moved_is_activated = true,
                                          .heads_see_features = true,
                                          .heads_see_cell = true};

static void test_both_senses(void **state)
{
    (void)state;
    expect_same_bits(&plain);
}

static void test_one_sense(void **state)
{
    (void)state;
    jbw_network_options o = plain;
    o.scents = 0;
    expect_same_bits(&o);
    o = plain;
    o.vision_side = 0;
    expect_same_bits(&o);
}

static void test_other_networks(void **state)
{
    (void)state;
    jbw_network_options o = plain;
    o.has_layer_norm = true;
    o.activation = JBW_ACTIVATION_RELU;
    o.has_moved = false;
    o.heads_see_cell = false;
    expect_same_bits(&o);
    o.heads_see_features = false;
    expect_same_bits(&o);
}

// ---- what is really copied ----

// the sum of what the heads say of a row that begins like this
static double think(fixture *f, int row, const beginning *b)
{
    double sum = 0.0;
    fill_row(f, &f->copied, row, b);
    jbw_network_forward_one(&f->nn, &f->network, &f->copied, row);
    for (int i = 0; i < f->network.heads.out; i++)
        sum += (double)f->copied.heads[row * f->network.heads.out + i];
    return sum;
}

// Weights are changed behind the back of the pass, so that what is computed differs from what is copied.
static void test_forgetting(void **state)
{
    (void)state;
    fixture f;
    begin(&f, &plain);
    const beginning b = {.vision = 1, .scent = 1, .state = 1};
    const double before = think(&f, 0, &b);
    float *recurrent = f.network.parameters.weights + f.network.lstm.weights;
    const size_t count = (size_t)(f.network.feature_count + SIZE) * 4 * SIZE;
    for (size_t i = 0; i < count; i++) recurrent[i] += 0.5f;
    assert_true(think(&f, 1, &b) == before);

    // the memory alone is computed, then also scent, then also vision: each has more of the new weights
    double known[3];
    known[0] = think(&f, 2, &(beginning){.vision = 1, .scent = 1, .state = 2});
    known[1] = think(&f, 3, &(beginning){.vision = 1, .scent = 2, .state = 2});
    known[2] = think(&f, 4, &(beginning){.vision = 2, .scent = 2, .state = 2});
    jbw_network_pass_forget(&f.copied);
    assert_true(think(&f, 5, &(beginning){.vision = 1, .scent = 1, .state = 2}) != known[0]);
    assert_true(think(&f, 6, &(beginning){.vision = 1, .scent = 2, .state = 2}) != known[1]);
    assert_true(think(&f, 7, &(beginning){.vision = 2, .scent = 2, .state = 2}) == known[2]);
    assert_true(think(&f, 8, &b) != before);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding),    cmocka_unit_test(test_both_senses),
        cmocka_unit_test(test_one_sense),  cmocka_unit_test(test_other_networks),
        cmocka_unit_test(test_forgetting),
    };
    return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
