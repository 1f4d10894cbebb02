// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards by hand: what each one pays, and when schedules switch.
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/reward.h"
#include "support/random.h"
#include "support/statistics.h"

static const jbw_item_type items[] = {{.name = "JellyBean"}, {.name = "Onion"}, {.name = "Banana"}};
enum { JELLY_BEAN, ONION, BANANA, NO_ITEM = -1 };

static jbw_model *model;

static double pay(const char *text, const jbw_reward_step *step)
{
    jbw_reward *reward = reward_of(model, text);
    const double value = jbw_reward_evaluate(reward, step);
    jbw_reward_destroy(reward);
    return value;
}

static double pay_collecting(const char *text, uint64_t time, int item)
{
    const jbw_reward_step step = {.time = time, .collected = item};
    jbw_reward *reward = reward_of(model, text);
    const double value = jbw_reward_evaluate(reward, &step);
    assert_true(value == jbw_reward_of_collecting(reward, time, item));
    jbw_reward_destroy(reward);
    return value;
}

// --- rewards ------------------------------------------------------------------------------------

static void test_collect(void **state)
{
    (void)state;
    assert_true(pay_collecting("Collect[JellyBean]", 0, JELLY_BEAN) == 1);
    assert_true(pay_collecting("Collect[JellyBean]", 0, ONION) == 0);
    assert_true(pay_collecting("Collect[JellyBean]", 0, NO_ITEM) == 0);
    assert_true(pay_collecting("Collect[Onion, 2.5]", 9, ONION) == 2.5);
    assert_true(pay_collecting("Collect[Onion, -2.5]", 9, ONION) == -2.5);
    assert_true(pay_collecting("Avoid[Onion]", 0, ONION) == -1);
    assert_true(pay_collecting("Avoid[Onion, 3]", 0, ONION) == -3);
    assert_true(pay_collecting("Avoid[Onion, -3]", 0, ONION) == 3);
    assert_true(pay_collecting("Avoid[Onion, 3]", 0, BANANA) == 0);
    const double zero = pay_collecting("Avoid[Onion, 0]", 0, ONION);
    assert_true(zero == 0 && !signbit(zero));
    assert_true(pay_collecting("Zero", 0, ONION) == 0);
    assert_true(pay_collecting("Collect[Onion, 1e9]", 0, ONION) == 1e9);
}

static void test_action(void **state)
{
    (void)state;
    const jbw_reward_step acted = {.has_acted = true, .collected = NO_ITEM};
    const jbw_reward_step idle = {.collected = NO_ITEM};
    assert_true(pay("Action", &acted) == 1);
    assert_true(pay("Action[]", &acted) == 1);
    assert_true(pay("Action[-0.01]", &acted) == -0.01);
    assert_true(pay("Action[-0.01]", &idle) == 0);
    assert_true(pay("Zero", &acted) == 0);
}

static void test_combinations(void **state)
{
    (void)state;
    const jbw_reward_step step = {.has_acted = true, .collected = ONION};
    static const char *const same[] = {
        "Action[-0.5] & Avoid[Onion, 2] & Collect[JellyBean]",
        "Action[-0.5] \xe2\x88\xa7 Avoid[Onion, 2] \xe2\x88\xa7 Collect[JellyBean]",
        "Combined[Action[-0.5], Avoid[Onion, 2], Collect[JellyBean]]",
        "Combined[Action[-0.5], Combined[Avoid[Onion, 2], Collect[JellyBean]]]",
        "Fixed[Action[-0.5] & Fixed[Avoid[Onion, 2]]] & Collect[JellyBean]",
        "(Action[-0.5] & (Avoid[Onion, 2])) & (Fixed[(Collect[JellyBean])])",
        "\n Action[-5e-1]&\n\tAvoid [ Onion , +2.0 ]\n& Collect[JellyBean]\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char text[200];
        jbw_reward *reward = reward_of(model, same[i]);
        assert_true(jbw_reward_evaluate(reward, &step) == -2.5);
        jbw_reward_print(reward, text, sizeof text);
        assert_string_equal(text, same[0]);
        jbw_reward_destroy(reward);
    }
    assert_true(pay("Scaled[Avoid[Onion, 2] & Action, 3]", &step) == -3);
    assert_true(pay("Scaled[Scaled[Action, -2], 0.5] & Zero", &step) == -1);
    // alone, an agent is a team of its own
    assert_true(pay("Team[Avoid[Onion, 2]] & Action", &step) == -1);
    assert_true(pay("Action & Action & Action", &step) == 3);
}

// --- exploring ----------------------------------------------------------------------------------

static bool explores(jbw_position start, jbw_position from, jbw_position to)
{
    const jbw_reward_step step = {
        .collected = NO_ITEM, .start = start, .position_before = from, .position = to};
    const double value = pay("Explore[0.25]", &step);
    assert_true(value == 0 || value == 0.25);
    return value > 0;
}

static void test_explore(void **state)
{
    (void)state;
    const jbw_position start = {3, -4};
    assert_true(explores(start, start, (jbw_position){4, -4}));
    assert_true(explores(start, (jbw_position){4, -4}, (jbw_position){4, -5}));
    assert_false(explores(start, (jbw_position){4, -5}, (jbw_position){4, -4}));
    assert_false(explores(start, (jbw_position){4, -5}, (jbw_position){4, -5}));
    assert_false(explores(start, (jbw_position){4, -4}, start));
    // the Euclidean distance: 5^2 = 3^2 + 4^2 < 1 + 5^2
    assert_false(explores((jbw_position){0, 0}, (jbw_position){5, 0}, (jbw_position){3, 4}));
    assert_true(explores((jbw_position){0, 0}, (jbw_position){3, 4}, (jbw_position){5, 1}));

    // So far out that squares have 122 bits: one cell matters, although a double cannot tell.
    const int64_t far = JBW_MAX_COORDINATE;
    for (int k = 0; k < 8; k++) {
        const jbw_position origin = {k & 1 ? far : -far, k & 2 ? far : -far};
        const int64_t x = k & 4 ? far - 1 : 5;
        for (int64_t s = -1; s <= 1; s += 2) {
            const jbw_position from = {s * x, -origin.y};
            const jbw_position right = {s * x + 1, -origin.y};
            assert_true(explores(origin, from, right) == (origin.x < 0));
            assert_true(explores(origin, right, from) == (origin.x > 0));
            assert_false(explores(origin, from, from));
        }
    }
    // the low half carries into the high one: (2^32)^2 = 2^64 against (2^32 - 1)^2 + 2^32 < 2^64
    const int64_t edge = INT64_C(1) << 32;
    const jbw_position zero = {0, 0};
    assert_true(explores(zero, (jbw_position){edge - 1, 1 << 16}, (jbw_position){edge, 0}));
    assert_false(explores(zero, (jbw_position){edge, 0}, (jbw_position){edge - 1, 1 << 16}));
    assert_true(explores(zero, (jbw_position){edge, 0}, (jbw_position){edge, 1}));
    // Pythagoras, scaled: 3, 4, 5 times 2^57
    const int64_t unit = INT64_C(1) << 57;
    assert_false(explores(zero, (jbw_position){0, 5 * unit}, (jbw_position){3 * unit, 4 * unit}));
    assert_true(
        explores(zero, (jbw_position){0, 5 * unit}, (jbw_position){3 * unit + 1, 4 * unit}));
    assert_false(
        explores(zero, (jbw_position){0, 5 * unit}, (jbw_position){3 * unit - 1, 4 * unit}));
}

// below 2^bits, in absolute value
static int64_t draw_coordinate(uint64_t *random, int bits)
{
    const int64_t magnitude = (int64_t)(random_next(random) >> (64 - bits));
    return random_below(random, 2) ? magnitude : -magnitude;
}

static jbw_position draw_position(uint64_t *random, int bits)
{
    const int64_t x = draw_coordinate(random, bits);
    const int64_t y = draw_coordinate(random, bits);
    return (jbw_position){x, y};
}

// Steps of one cell, also diagonal, from anywhere: n^2 - b^2 = (n - b) (n + b) fits in 64 bits if n
// and b are neighbours.
static void test_explore_anywhere(void **state)
{
    (void)state;
    uint64_t random = 1;
    jbw_reward *reward = reward_of(model, "Explore");
    for (int i = 0; i < 100000; i++) {
        const int bits = 4 + i % 57; // up to 2^60
        const jbw_position start = draw_position(&random, bits);
        jbw_position before = draw_position(&random, bits);
        // on a diagonal, where a step can leave the distance as it is, or change it by two
        if (i % 3 == 0) before.y = start.y + (before.x - start.x) + (i % 9 == 0);
        const int64_t dx = random_between(&random, -1, 1);
        const int64_t dy = random_between(&random, -1, 1);
        const jbw_position now = {before.x + dx, before.y + dy};
        const int64_t x = now.x + before.x - 2 * start.x;
        const int64_t y = now.y + before.y - 2 * start.y;
        const jbw_reward_step step = {
            .collected = NO_ITEM, .start = start, .position_before = before, .position = now};
        // halved, plus the remainders, since the sum may need 65 bits
        const int64_t half = dx * x / 2 + dy * y / 2 + (dx * x % 2 + dy * y % 2) / 2;
        const int64_t rest = (dx * x % 2 + dy * y % 2) % 2;
        assert_true((jbw_reward_evaluate(reward, &step) > 0) ==
                    (half > 0 || (half == 0 && rest > 0)));
    }
    jbw_reward_destroy(reward);
}

// --- schedules ----------------------------------------------------------------------------------

#define TWO_32 (UINT64_C(1) << 32)
#define TWO_62 (UINT64_C(1) << 62)
#define TWO_63 (UINT64_C(1) << 63)

// what an onion pays at a time
typedef struct moment {
    uint64_t time;
    double value;
} moment;

static void check_moments(const char *text, const moment *moments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double value = pay_collecting(text, moments[i].time, ONION);
        if (fabs(value - moments[i].value) > 1e-15)
            fail_msg("'%s' pays %g at %llu, expected %g", text, value,
                     (unsigned long long)moments[i].time, moments[i].value);
    }
}
#define CHECK_MOMENTS(text, ...)                       \
    check_moments(text, (const moment[]){__VA_ARGS__}, \
                  sizeof(const moment[]){__VA_ARGS__} / sizeof(moment))

static void test_curriculum(void **state)
{
    (void)state;
    CHECK_MOMENTS("Curriculum[(Collect[Onion], 10), (Collect[Onion, 2], 1), (Avoid[Onion], 5)]",
                  {0, 1}, {9, 1}, {10, 2}, {11, -1}, {15, -1}, {16, -1}, {TWO_32, -1}, {TWO_63, -1},
                  {UINT64_MAX, -1});
    CHECK_MOMENTS("Curriculum[(Collect[Onion, 7], 1)]", {0, 7}, {1, 7}, {TWO_63, 7});
    CHECK_MOMENTS(
        "Curriculum[(Collect[Onion, 1], 4294967296), (Collect[Onion, 2], 1e10), (Zero, 1)]",
        {TWO_32 - 1, 1}, {TWO_32, 2}, {TWO_32 + UINT64_C(9999999999), 2},
        {TWO_32 + UINT64_C(10000000000), 0});
    // beyond 2^53 doubles are not exact
    CHECK_MOMENTS("Curriculum[(Collect[Onion, 1], 9007199254740993), (Collect[Onion, 2], 1)]",
                  {UINT64_C(9007199254740992), 1}, {UINT64_C(9007199254740993), 2});
    CHECK_MOMENTS("Curriculum[(Collect[Onion, 1], 4611686018427387904), "
                  "(Collect[Onion, 2], 4611686018427387904)]",
                  {TWO_62 - 1, 1}, {TWO_62, 2}, {TWO_63 - 1, 2}, {TWO_63, 2});
}

static void test_cyclical(void **state)
{
    (void)state;
    CHECK_MOMENTS("Cyclical[(Collect[Onion], 10), (Collect[Onion, 2], 1), (Avoid[Onion], 5)]",
                  {0, 1}, {9, 1}, {10, 2}, {11, -1}, {15, -1}, {16, 1}, {25, 1}, {26, 2}, {27, -1},
                  {TWO_32, 1}, {TWO_32 + 10, 2}, {TWO_32 + 11, -1}, {TWO_63 + 10, 2},
                  {UINT64_MAX, -1});
    CHECK_MOMENTS("Cyclical[(Collect[Onion, 7], 3)]", {0, 7}, {3, 7}, {TWO_63, 7});
    CHECK_MOMENTS("Cyclical[(Collect[Onion], 4294967297), (Avoid[Onion], 4294967296)]", {TWO_32, 1},
                  {TWO_32 + 1, -1}, {2 * TWO_32, -1}, {2 * TWO_32 + 1, 1});
    CHECK_MOMENTS("Cyclical[(Collect[Onion], 4611686018427387904), "
                  "(Avoid[Onion], 4611686018427387904)]",
                  {TWO_62 - 1, 1}, {TWO_62, -1}, {TWO_63 - 1, -1}, {TWO_63, 1});
}

static void test_gradual(void **state)
{
    (void)state;
    CHECK_MOMENTS("Gradual[Collect[Onion, 4], Avoid[Onion, 4], 8]", {0, 4}, {1, 3}, {4, 0}, {7, -3},
                  {8, -4}, {9, -4}, {TWO_63, -4});
    CHECK_MOMENTS("Gradual[Zero, Collect[Onion], 1]", {0, 0}, {1, 1});
    CHECK_MOMENTS("Gradual[Zero, Collect[Onion], 4611686018427387904]", {0, 0}, {TWO_62 / 2, 0.5},
                  {TWO_62 / 4 * 3, 0.75}, {TWO_62, 1}, {TWO_63, 1});
}

// nested in every order, and side by side
static void test_nested(void **state)
{
    (void)state;
    CHECK_MOMENTS("Curriculum[(Zero, 5), (Cyclical[(Collect[Onion], 2), (Avoid[Onion], 1)], 1)]",
                  {4, 0}, {5, -1}, {6, 1}, {7, 1}, {8, -1}); // one clock for all
    CHECK_MOMENTS(
        "Cyclical[(Curriculum[(Collect[Onion], 3), (Collect[Onion, 2], 9)], 2), (Zero, 2)]", {0, 1},
        {1, 1}, {2, 0}, {4, 2}, {5, 2}, {6, 0});
    CHECK_MOMENTS("Gradual[Cyclical[(Collect[Onion], 1), (Zero, 1)], Collect[Onion, 10], 10]",
                  {0, 1}, {1, 1}, {2, 2.8}, {3, 3}, {10, 10});
    CHECK_MOMENTS("Cyclical[(Collect[Onion], 1), (Zero, 1)] & Gradual[Zero, Collect[Onion], 4] & "
                  "Curriculum[(Zero, 2), (Collect[Onion, 10], 2)]",
                  {0, 1}, {1, 0.25}, {2, 11.5}, {3, 10.75}, {4, 12}, {5, 11});
    CHECK_MOMENTS("Scaled[Curriculum[(Collect[Onion], 1), (Avoid[Onion], 1)] & Collect[Onion], 5]",
                  {0, 10}, {1, 0});
    CHECK_MOMENTS("Fixed[Cyclical[(Fixed[Collect[Onion]], 1), (Zero, 1)]]", {0, 1}, {1, 0}, {2, 1});
}

// amounts and factors that change with time
static void test_changing_numbers(void **state)
{
    (void)state;
    CHECK_MOMENTS("Collect[Onion, Wave[8, -1, 3]]", {0, 1}, {2, 3}, {4, 1}, {6, -1}, {8, 1},
                  {TWO_63 + 2, 3});
    CHECK_MOMENTS("Collect[Onion, Wave[12, 0, 4]]", {1, 3}, {5, 3}, {7, 1}, {11, 1});
    CHECK_MOMENTS("Collect[Onion, Wave[1, 0, 4]]", {0, 2}, {1, 2});
    CHECK_MOMENTS("Collect[Onion, Square[4, -1, 3]]", {0, -1}, {1, -1}, {2, 3}, {3, 3}, {4, -1});
    CHECK_MOMENTS("Collect[Onion, Square[3, -1, 3]]", {0, -1}, {1, -1}, {2, 3}, {3, -1});
    CHECK_MOMENTS("Collect[Onion, Square[4611686018427387904, -1, 3]]", {TWO_62 / 2 - 1, -1},
                  {TWO_62 / 2, 3}, {TWO_62, -1});
    CHECK_MOMENTS("Collect[Onion, Steps[(0, 5), (3, 6), (4611686018427387904, 7)]]", {0, 5}, {2, 5},
                  {3, 6}, {TWO_62 - 1, 6}, {TWO_62, 7}, {TWO_63, 7});
    CHECK_MOMENTS("Avoid[Onion, Square[2, 1, 2]]", {0, -1}, {1, -2});
    CHECK_MOMENTS("Scaled[Collect[Onion, 3], Square[2, 1, 2]]", {0, 3}, {1, 6});
    CHECK_MOMENTS("Scaled[Collect[Onion, Steps[(0, 1), (3, 5)]], Square[2, 1, 2]]", {0, 1}, {1, 2},
                  {3, 10}, {4, 5});
    const jbw_reward_step acted = {.time = 7, .has_acted = true, .collected = NO_ITEM};
    assert_true(pay("Action[Steps[(0, 1), (7, 2)]]", &acted) == 2);
    const jbw_reward_step gone = {.time = 6, .collected = NO_ITEM, .position = {1, 0}};
    assert_true(pay("Explore[Steps[(0, 1), (7, 2)]]", &gone) == 1);
}

// uniform at its knots, between them a smooth way from one to the next, and never outside
static void test_drift(void **state)
{
    (void)state;
    enum { STEPS = 100, KNOTS = 20000, BINS = 10 };
    jbw_reward *reward = reward_of(model, "Collect[Onion, Drift[7, 100, -2, 3]]");
    int counts[BINS] = {0};
    double together = 0;
    double last = 0;
    for (uint64_t knot = 0; knot < KNOTS; knot++) {
        const double value = jbw_reward_of_collecting(reward, knot * STEPS, ONION);
        counts[(int)((value + 2) / 5 * BINS)]++;
        together += (value - 0.5) * (last - 0.5);
        last = value;
    }
    assert_true(uniform_z(counts, BINS) < 4);
    // knots know nothing of each other: the variance is 25 / 12
    assert_true(fabs(together / KNOTS) < 5 * 25.0 / 12 / sqrt(KNOTS));
    last = jbw_reward_of_collecting(reward, 0, ONION);
    for (uint64_t time = 1; time < 20 * STEPS; time++) {
        const double value = jbw_reward_of_collecting(reward, time, ONION);
        assert_true(value >= -2 && value <= 3);
        assert_true(fabs(value - last) <= 5 * 1.5 / STEPS); // the steepest part of the way
        last = value;
    }
    jbw_reward_destroy(reward);
    // part of the language: never changes
    CHECK_MOMENTS("Collect[Onion, Drift[0, 1, 0, 1]]", {0, 0x1.b864711c3c5bcp-3},
                  {1, 0x1.44705c57dbbafp-1});
}

static void test_random(void **state)
{
    (void)state;
    const char *text = "Random[10, 7, Collect[Onion, 0], Collect[Onion, 1], Collect[Onion, 2]]";
    jbw_reward *reward = reward_of(model, text);
    jbw_reward *other = reward_of(model, "Random[10, 8, Collect[Onion, 0], Collect[Onion, 1], "
                                         "Collect[Onion, 2]]");
    int counts[3] = {0};
    int same_count = 0;
    enum { BLOCKS = 30000 };
    for (uint64_t block = 0; block < BLOCKS; block++) {
        // also much later
        const uint64_t time = (block % 2 ? TWO_62 / 10 * 10 : 0) + 10 * block;
        const double first = jbw_reward_of_collecting(reward, time, ONION);
        assert_true(first == 0 || first == 1 || first == 2);
        assert_true(jbw_reward_of_collecting(reward, time + 9, ONION) == first);
        counts[(int)first]++;
        same_count += jbw_reward_of_collecting(other, time, ONION) == first;
    }
    assert_true(uniform_z(counts, 3) < 4);
    assert_true(abs(same_count - BLOCKS / 3) < 500); // another seed makes other choices
    jbw_reward_destroy(other);
    jbw_reward_destroy(reward);

    // the choices are part of the language and never change
    char choices[33] = "";
    for (uint64_t i = 0; i < 32; i++)
        choices[i] = (char)('0' + (int)pay_collecting(text, 10 * i, ONION));
    assert_string_equal(choices, "10200220000021101220012111100121");
    CHECK_MOMENTS("Random[3, 0, Collect[Onion, 5]]", {0, 5}, {3, 5}, {TWO_63, 5});
}

static void test_many_stages(void **state)
{
    (void)state;
    enum { STAGES = 3000 };
    static char text[STAGES * 32];
    size_t length = 0;
    for (int i = 0; i < STAGES; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s(Collect[Onion, %d], %d)",
                             i ? ", " : "Cyclical[", i, 1 + i % 3);
    snprintf(text + length, sizeof text - length, "]");
    jbw_reward *reward = reward_of(model, text);
    uint64_t time = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < STAGES; i++)
            for (int k = 0; k < 1 + i % 3; k++)
                assert_true(jbw_reward_of_collecting(reward, time++, ONION) == i);
    jbw_reward_destroy(reward);
}

static void test_depth(void **state)
{
    (void)state;
    char text[2000] = "";
    for (int i = 0; i < 62; i++)
        append_text(text, sizeof text, i % 2 ? "Scaled[Zero & " : "Combined[Action, ");
    append_text(text, sizeof text, "Action");
    for (int i = 61; i >= 0; i--) append_text(text, sizeof text, i % 2 ? ", 2]" : "]");
    const jbw_reward_step step = {.has_acted = true, .collected = NO_ITEM};
    double expected = 1;
    for (int i = 61; i >= 0; i--) expected = i % 2 ? expected * 2 : expected + 1;
    assert_true(pay(text, &step) == expected);
}

int main(void)
{
    const jbw_config config = small_config(8, 0, items, sizeof items / sizeof items[0]);
    model = model_of(&config);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collect),
        cmocka_unit_test(test_action),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_explore),
        cmocka_unit_test(test_explore_anywhere),
        cmocka_unit_test(test_curriculum),
        cmocka_unit_test(test_cyclical),
        cmocka_unit_test(test_gradual),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_changing_numbers),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_stages),
        cmocka_unit_test(test_depth),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
