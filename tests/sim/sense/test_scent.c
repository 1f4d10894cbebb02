// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Scent against the paper's equation, simulated cell by cell on a grid that is large enough:
///
///     S(t) = C(t) + decay S(t-1) + diffusion (left, right, lower and upper neighbour in S(t-1))
#include "support/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/model.h"
#include "support/oracle.h"

// --- the equation -------------------------------------------------------------------------------

enum { SIDE = 141, ORIGIN = 70 }; // cell (0, 0) is in the middle

// One dimension of scent; there is none outside the grid.
typedef struct field {
    double decay;
    double diffusion;
    double emission[SIDE][SIDE]; // C, rows run up
    double scent[SIDE][SIDE];    // S
} field;

static double *at(double grid[SIDE][SIDE], int64_t x, int64_t y)
{
    assert_true(llabs(x) <= ORIGIN && llabs(y) <= ORIGIN);
    return &grid[y + ORIGIN][x + ORIGIN];
}

// one step of time; set C first
static void advance(field *f)
{
    static double before[SIDE][SIDE];
    memcpy(before, f->scent, sizeof before);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++)
            f->scent[y][x] = f->emission[y][x] + f->decay * before[y][x] +
                             f->diffusion * (before[y][x - 1] + before[y][x + 1] +
                                             before[y - 1][x] + before[y + 1][x]);
}

// until nothing changes any more
static void settle(field *f)
{
    for (int i = 0; i < 1000; i++) advance(f);
}

static field *field_create(const jbw_config *config)
{
    field *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->decay = config->scent_decay;
    f->diffusion = config->scent_diffusion;
    return f;
}

// an edit: C changes while the clock stands still
static void emit_now(field *f, int64_t x, int64_t y, double amount)
{
    *at(f->emission, x, y) += amount;
    *at(f->scent, x, y) += amount;
}

static void assert_smell(jbw_world *world, int64_t x, int64_t y, double expected)
{
    float found = 999;
    assert_int_equal(jbw_world_smell(world, (jbw_position){x, y}, &found), JBW_OK);
    if (!(fabs((double)found - expected) <= 1e-4))
        fail_msg("time %llu, (%lld, %lld): the scent is %.7f, not %.7f",
                 (unsigned long long)jbw_world_time(world), (long long)x, (long long)y,
                 (double)found, expected);
}

static void assert_field(jbw_world *world, field *f, int64_t reach, int64_t stride)
{
    for (int64_t y = -reach; y <= reach; y += stride)
        for (int64_t x = -reach; x <= reach; x += stride)
            assert_smell(world, x, y, *at(f->scent, x, y));
}

// --- worlds -------------------------------------------------------------------------------------

static const double one[] = {1};
static const double half[] = {0.5};

// an intensity that ensures one item in one cell, and none elsewhere
static double only_here(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    return position.x == (int64_t)arguments[0] && position.y == (int64_t)arguments[1] ? 40 : -400;
}

static const jbw_intensity_function intensities[] = {{"OnlyHere", 2, only_here, NULL}};

static jbw_item_type items[] = {
    {.name = "Cheese", .scent = one},
    {.name = "Mint", .scent = half, .is_uncollectable = true},
};

// `intensity` says where cheese is generated; NULL: nowhere.
static jbw_config config_with(const char *intensity, double decay, double diffusion)
{
    items[0].intensity = intensity;
    items[1].intensity = "Constant[-400]";
    jbw_config config = drawn_config(items, 2);
    config.mh_iterations = intensity ? 30000 : 0;
    if (!intensity) items[1].intensity = NULL;
    config.scent_dimensions = 1;
    config.scent_decay = decay;
    config.scent_diffusion = diffusion;
    config.intensity_functions = intensities;
    config.intensity_function_count = 1;
    return config;
}

static const char letters[] = "cm";

// --- generated items ----------------------------------------------------------------------------

static void test_single_item_by_hand(void **state)
{
    (void)state;
    // without diffusion: 1 + 1/2 + 1/4 + ... in its own cell, and nothing elsewhere
    jbw_config config = config_with("OnlyHere[3, 4]", 0.5, 0);
    drawn_world d;
    draw_world(&d, &config, letters, "", ".\n");
    assert_int_equal(jbw_world_explore(d.world, &(jbw_position){0, 0}, 1), JBW_OK);
    assert_int_equal(item_letter(&d, (jbw_position){3, 4}), 'c');
    assert_smell(d.world, 3, 4, 2);
    assert_smell(d.world, 3, 5, 0);
    erase_world(&d);

    // without decay: the number of walks back to the start, 1, 4, 36, 400, 4900, ..., each step of
    // which keeps a tenth; and of walks to the next cell: 1, 9, 100, 1225, 15876, ...
    config = config_with("OnlyHere[3, 4]", 0, 0.1);
    draw_world(&d, &config, letters, "", ".\n");
    assert_int_equal(jbw_world_explore(d.world, &(jbw_position){0, 0}, 1), JBW_OK);
    assert_smell(d.world, 3, 4, 1 + 4e-2 + 36e-4 + 400e-6 + 4900e-8 + 63504e-10 + 853776e-12);
    assert_smell(d.world, 2, 4, 1e-1 + 9e-3 + 100e-5 + 1225e-7 + 15876e-9 + 213444e-11);
    erase_world(&d);
}

static void test_single_item(void **state)
{
    (void)state;
    static const double physics[][2] = {{0.4, 0.14}, {0.2, 0.05}, {0.9, 0.02}, {0.1, 0.2}};
    for (size_t i = 0; i < sizeof physics / sizeof physics[0]; i++) {
        const jbw_config config = config_with("OnlyHere[3, 4]", physics[i][0], physics[i][1]);
        drawn_world d;
        draw_world(&d, &config, letters, "", ".\n");
        assert_int_equal(jbw_world_explore(d.world, &(jbw_position){0, 0}, 1), JBW_OK);
        field *f = field_create(&config);
        *at(f->emission, 3, 4) = 1;
        settle(f);
        assert_field(d.world, f, 34, 1);

        // and it stays like that
        for (int k = 0; k < 5; k++) assert_int_equal(jbw_world_step(d.world), JBW_OK);
        assert_field(d.world, f, 34, 1);

        // the oracle, which superposes responses, agrees
        oracle_response response = oracle_response_make(physics[i][0], physics[i][1]);
        const int radius = response.radius;
        for (int y = -radius; y <= radius; y++)
            for (int x = -radius; x <= radius; x++)
                if (abs(x) <= 60 && abs(y) <= 60)
                    assert_true(fabs(response.values[(y + radius) * (2 * radius + 1) + x + radius] -
                                     *at(f->scent, 3 + x, 4 + y)) < 1e-7);
        free(response.values);
        free(f);
        erase_world(&d);
    }
}

static void test_item_in_non_final_patch(void **state)
{
    (void)state;
    // patches of 26 cells: the agent needs only the left one, but the other is sampled, too
    //
    //     |. . . 1 . . .|c . . .
    //      13     ->  25|26
    const jbw_config config = config_with("OnlyHere[26, 13]", 0.4, 0.14);
    drawn_world d;
    draw_world(&d, &config, letters, "", ".\n");
    draw_agent(&d, (jbw_position){13, 13}, JBW_RIGHT);
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){1, 0}), JBW_PATCH_SAMPLED);
    assert_int_equal(item_letter(&d, (jbw_position){26, 13}), 'c');
    field *f = field_create(&config);
    *at(f->emission, 26, 13) = 1;
    settle(f);
    for (int64_t x = 10; x <= 40; x++) assert_smell(d.world, x, 13, *at(f->scent, x, 13));

    // walking there makes it final, which changes nothing: the item was certain
    for (int i = 0; i < 12; i++) play(&d, "1F");
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){1, 0}), JBW_PATCH_FINAL);
    for (int64_t x = 10; x <= 40; x++) assert_smell(d.world, x, 13, *at(f->scent, x, 13));
    free(f);
    erase_world(&d);
}

static void test_patch_generated_late(void **state)
{
    (void)state;
    // the item is in a patch that is missing for the first thousand steps
    const jbw_config config = config_with("OnlyHere[50, 0]", 0.4, 0.14);
    drawn_world d;
    draw_world(&d, &config, letters, "", ".\n");
    draw_agent(&d, (jbw_position){-20, 0}, JBW_RIGHT);
    for (int i = 0; i < 1000; i++) assert_int_equal(jbw_world_step(d.world), JBW_OK);
    const uint64_t hash = jbw_world_hash(d.world);
    assert_int_equal(jbw_world_patch_state(d.world, (jbw_position){1, 0}), JBW_PATCH_MISSING);
    assert_smell(d.world, 50, 0, 0);
    assert_smell(d.world, 49, 0, 0);
    assert_int_equal(jbw_world_hash(d.world), hash); // smelling generates nothing

    assert_int_equal(jbw_world_explore(d.world, &(jbw_position){20, 0}, 1), JBW_OK);
    field *f = field_create(&config);
    *at(f->emission, 50, 0) = 1;
    settle(f);
    for (int64_t x = 20; x <= 60; x++) assert_smell(d.world, x, 0, *at(f->scent, x, 0));
    free(f);
    erase_world(&d);
}

// --- changes ------------------------------------------------------------------------------------

static void test_collected_item_fades(void **state)
{
    (void)state;
    static const double physics[][2] = {{0.4, 0.14}, {0.2, 0.05}, {0.9, 0.02}};
    for (size_t i = 0; i < sizeof physics / sizeof physics[0]; i++) {
        const jbw_config config = config_with("OnlyHere[0, 0]", physics[i][0], physics[i][1]);
        drawn_world d;
        draw_world(&d, &config, letters, "", ".\n");
        draw_agent(&d, (jbw_position){0, -1}, JBW_UP);
        field *f = field_create(&config);
        *at(f->emission, 0, 0) = 1;
        settle(f);
        assert_field(d.world, f, 5, 1);

        // at the time after the step it is gone
        play(&d, "1F");
        assert_int_equal(result_of(&d, 1).collected, 0);
        *at(f->emission, 0, 0) = 0;
        advance(f);
        assert_field(d.world, f, 10, 1);
        for (int k = 0; k < 600; k++) {
            play(&d, "1N");
            advance(f);
            assert_field(d.world, f, 12, k < 20 || k % 50 == 0 ? 1 : 6);
        }
        assert_smell(d.world, 0, 0, 0);
        free(f);
        erase_world(&d);
    }
}

static void test_dropped_item_builds_up(void **state)
{
    (void)state;
    const jbw_config config = config_with(NULL, 0.4, 0.14);
    drawn_world d;
    draw_world(&d, &config, letters, "<", "1c\n"); // it faces away
    field *f = field_create(&config);
    emit_now(f, 1, 0, 1); // placed at time zero, with immediate effect
    assert_smell(d.world, 1, 0, 1);
    assert_smell(d.world, 0, 0, 0);

    play(&d, "1B"); // collects it
    emit_now(f, 1, 0, 0);
    *at(f->emission, 1, 0) = 0;
    advance(f);
    assert_smell(d.world, 1, 0, 0.4);
    assert_smell(d.world, 0, 0, 0.14);
    assert_field(d.world, f, 6, 1);
    for (int k = 0; k < 400; k++) {
        play(&d, "1N");
        advance(f);
    }
    assert_field(d.world, f, 6, 1);

    play(&d, "1D");
    assert_int_equal(result_of(&d, 1).dropped, 0);
    *at(f->emission, 1, 0) = 1;
    advance(f);
    assert_smell(d.world, 1, 0, 1);
    for (int k = 0; k < 600; k++) {
        play(&d, "1N");
        advance(f);
        assert_field(d.world, f, 12, k < 20 || k % 50 == 0 ? 1 : 6);
    }
    free(f);
    erase_world(&d);
}

static void test_item_comes_and_goes(void **state)
{
    (void)state;
    // a long history in one cell: collected every fourth step, and dropped two steps later
    const jbw_config config = config_with(NULL, 0.4, 0.14);
    drawn_world d;
    draw_world(&d, &config, letters, "^", "1\n");
    assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){0, 0}), JBW_OK);
    field *f = field_create(&config);
    emit_now(f, 0, 0, 1);
    for (int k = 0; k < 1500; k++) {
        play(&d, k % 4 == 0 ? "1C" : k % 4 == 2 ? "1D" : "1N");
        if (k % 4 == 0) *at(f->emission, 0, 0) = 0;
        if (k % 4 == 2) *at(f->emission, 0, 0) = 1;
        advance(f);
        assert_field(d.world, f, 6, 3);
    }
    free(f);
    erase_world(&d);
}

static void test_agent_leaves_a_trail(void **state)
{
    (void)state;
    static const double physics[][2] = {{0.4, 0.14}, {0.9, 0.02}};
    for (size_t i = 0; i < sizeof physics / sizeof physics[0]; i++) {
        jbw_config config = config_with(NULL, physics[i][0], physics[i][1]);
        config.agent.scent = one;
        drawn_world d;
        draw_world(&d, &config, letters, "", ".\n");
        draw_agent(&d, (jbw_position){-8, -8}, JBW_UP);
        field *f = field_create(&config);
        emit_now(f, -8, -8, 1);
        assert_field(d.world, f, 12, 1);

        // in circles, with a rest of a hundred steps
        int steps_taken = 0;
        for (int k = 0; k < 700; k++) {
            const bool rests = k >= 300 && k < 400;
            const jbw_position from = state_of(&d, 1).position;
            const bool turns = steps_taken % 17 == 16;
            play(&d, rests ? "1N" : turns ? "1r" : "1F");
            if (!rests) steps_taken++;
            const jbw_position to = state_of(&d, 1).position;
            *at(f->emission, from.x, from.y) -= 1;
            *at(f->emission, to.x, to.y) += 1;
            advance(f);
            assert_field(d.world, f, 12, k < 20 || k % 50 == 0 ? 1 : 6);
            float perceived;
            assert_int_equal(jbw_agent_perceive(d.world, d.agents[1], NULL, &perceived), JBW_OK);
            assert_true(fabs((double)perceived - *at(f->scent, to.x, to.y)) <= 1e-4);
        }

        // a removed agent stops emitting at once
        const jbw_position last = state_of(&d, 1).position;
        assert_int_equal(jbw_world_remove_agent(d.world, d.agents[1]), JBW_OK);
        emit_now(f, last.x, last.y, -1);
        assert_field(d.world, f, 12, 1);
        for (int k = 0; k < 100; k++) {
            assert_int_equal(jbw_world_step(d.world), JBW_OK);
            advance(f);
            assert_field(d.world, f, 12, 6);
        }
        free(f);
        erase_world(&d);
    }
}

static void test_edits_take_effect_at_once(void **state)
{
    (void)state;
    const jbw_config config = config_with("OnlyHere[0, 0]", 0.4, 0.14);
    drawn_world d;
    draw_world(&d, &config, letters, "", ".\n");
    draw_agent(&d, (jbw_position){5, 5}, JBW_UP);
    field *f = field_create(&config);
    *at(f->emission, 0, 0) = 1;
    settle(f);
    for (int k = 0; k < 3; k++) play(&d, "1N");
    const double before = *at(f->scent, 0, 0);

    // removed: the emission of this step is missing, but what has spread before is still there
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){0, 0}), JBW_OK);
    assert_smell(d.world, 0, 0, before - 1);

    // put back before time passes: as if nothing had happened
    assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){0, 0}), JBW_OK);
    assert_field(d.world, f, 8, 1);
    for (int k = 0; k < 3; k++) play(&d, "1N");
    assert_field(d.world, f, 8, 1);

    // replaced by one that is half as strong
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){0, 0}), JBW_OK);
    assert_int_equal(jbw_world_place_item(d.world, 1, (jbw_position){0, 0}), JBW_OK);
    emit_now(f, 0, 0, -0.5);
    assert_field(d.world, f, 8, 1);
    for (int k = 0; k < 300; k++) {
        play(&d, "1N");
        advance(f);
        if (k < 10 || k % 50 == 0) assert_field(d.world, f, 12, 1);
    }

    // placing and removing without a step leaves no trace
    assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){2, 2}), JBW_OK);
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){2, 2}), JBW_OK);
    assert_field(d.world, f, 8, 1);
    play(&d, "1N");
    advance(f);
    assert_field(d.world, f, 8, 1);
    free(f);
    erase_world(&d);
}

static void test_each_agent_counts(void **state)
{
    (void)state;
    jbw_config config = config_with(NULL, 0.4, 0.14);
    config.agent.scent = one;
    config.collision = JBW_COLLISION_ALLOW;
    drawn_world d;
    draw_world(&d, &config, letters, "><^", "1.2\n.3.\n");
    field *f = field_create(&config);
    emit_now(f, 0, 1, 1);
    emit_now(f, 2, 1, 1);
    emit_now(f, 1, 0, 1);
    assert_field(d.world, f, 4, 1);
    play(&d, "1F 2F 3F"); // all three in the middle
    memset(f->emission, 0, sizeof f->emission);
    *at(f->emission, 1, 1) = 3;
    advance(f);
    assert_field(d.world, f, 4, 1);

    // inactive agents have a scent, too
    assert_int_equal(jbw_agent_set_active(d.world, d.agents[3], false), JBW_OK);
    play(&d, "1N 2N");
    advance(f);
    assert_field(d.world, f, 4, 1);
    free(f);
    erase_world(&d);
}

// --- accumulating errors ------------------------------------------------------------------------

static void test_full_grid(void **state)
{
    (void)state;
    // an item generated in every cell: 16 patches of 26 cells exist, and the middle four are final
    static const double physics[][2] = {{0.4, 0.14}, {0.9, 0.02}};
    for (size_t i = 0; i < sizeof physics / sizeof physics[0]; i++) {
        const jbw_config config = config_with("Constant[40]", physics[i][0], physics[i][1]);
        drawn_world d;
        draw_world(&d, &config, letters, "", ".\n");
        assert_int_equal(jbw_world_explore(d.world, &(jbw_position){0, 0}, 1), JBW_OK);
        field *f = field_create(&config);
        for (int64_t y = -52; y < 52; y++)
            for (int64_t x = -52; x < 52; x++) {
                assert_int_equal(item_letter(&d, (jbw_position){x, y}), 'c');
                *at(f->emission, x, y) = 1;
            }
        settle(f);
        assert_smell(d.world, 0, 0, 1 / (1 - physics[i][0] - 4 * physics[i][1]));
        assert_field(d.world, f, 20, 1);

        // the middle is cleared at once, and filled again later
        for (int64_t y = -26; y < 26; y++)
            for (int64_t x = -26; x < 26; x++) {
                assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){x, y}), JBW_OK);
                emit_now(f, x, y, -1);
            }
        for (int k = 0; k < 300; k++) {
            assert_field(d.world, f, 24, k % 50 ? 12 : 2);
            assert_int_equal(jbw_world_step(d.world), JBW_OK);
            advance(f);
        }
        for (int64_t y = -26; y < 26; y++)
            for (int64_t x = -26; x < 26; x++) {
                assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){x, y}), JBW_OK);
                emit_now(f, x, y, 1);
            }
        for (int k = 0; k < 600; k++) {
            assert_field(d.world, f, 24, k % 50 ? 12 : 2);
            assert_int_equal(jbw_world_step(d.world), JBW_OK);
            advance(f);
        }
        free(f);
        erase_world(&d);
    }
}

// --- configs ------------------------------------------------------------------------------------

static jbw_status try_model(double decay, double diffusion, int patch_size)
{
    jbw_config config = config_with(NULL, decay, diffusion);
    config.patch_size = patch_size;
    config.agent.vision_range = 2;
    jbw_model *model;
    jbw_error error;
    const jbw_status status = jbw_model_create(&config, &model, &error);
    jbw_model_destroy(model);
    return status;
}

static void test_limits(void **state)
{
    (void)state;
    // with the parameters of the paper scent reaches 25 cells, which must be within one patch
    assert_int_equal(try_model(0.4, 0.14, 26), JBW_OK);
    assert_int_equal(try_model(0.4, 0.14, 20), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(0.2, 0.05, 12), JBW_OK);

    // scent must fade
    assert_int_equal(try_model(0.4, 0.15, 200), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(1, 0, 200), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(-0.4, 0.15, 200), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(0.4, -0.15, 200), JBW_INVALID_CONFIG);
    assert_int_equal(try_model((double)NAN, 0.1, 200), JBW_INVALID_CONFIG);

    // and not too slowly: floats could not tell present items from past ones
    assert_int_equal(try_model(0.998, 0, 64), JBW_OK);
    assert_int_equal(try_model(0.9991, 0, 64), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(0.999999, 0, 64), JBW_INVALID_CONFIG);
    assert_int_equal(try_model(1 - 2e-16, 0, 64), JBW_INVALID_CONFIG);
}

// so little that fractions of it underflow
static void test_tiny_scent(void **state)
{
    (void)state;
    const double amounts[] = {1e-300, 1e-310, 5e-324};
    for (size_t i = 0; i < 3; i++) {
        items[0].scent = items[1].scent = &amounts[i];
        const jbw_config config = config_with(NULL, 0.4, 0.14);
        drawn_world d;
        draw_world(&d, &config, letters, "^", "1c\n");
        assert_true(jbw_world_model(d.world)->scent.units[0] > 0.0);
        assert_smell(d.world, 0, 0, 0);
        assert_smell(d.world, 1, 0, 0);
        erase_world(&d);
    }
    items[0].scent = one;
    items[1].scent = half;
}

static void test_no_scent(void **state)
{
    (void)state;
    jbw_config config = config_with(NULL, 0.4, 0.14);
    config.scent_dimensions = 0;
    drawn_world d;
    draw_world(&d, &config, letters, "^", "1c\n");
    float untouched = 7;
    assert_int_equal(jbw_agent_perceive(d.world, d.agents[1], NULL, &untouched), JBW_OK);
    assert_int_equal(jbw_world_smell(d.world, (jbw_position){0, 0}, &untouched), JBW_OK);
    assert_true(untouched == 7);
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_item_by_hand),
        cmocka_unit_test(test_single_item),
        cmocka_unit_test(test_tiny_scent),
        cmocka_unit_test(test_item_in_non_final_patch),
        cmocka_unit_test(test_patch_generated_late),
        cmocka_unit_test(test_collected_item_fades),
        cmocka_unit_test(test_dropped_item_builds_up),
        cmocka_unit_test(test_item_comes_and_goes),
        cmocka_unit_test(test_agent_leaves_a_trail),
        cmocka_unit_test(test_edits_take_effect_at_once),
        cmocka_unit_test(test_each_agent_counts),
        cmocka_unit_test(test_full_grid),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_scent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
