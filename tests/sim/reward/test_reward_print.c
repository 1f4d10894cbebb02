// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards as text, in full and as they are at a time.
#include "support/models.h"

#include "jbw/reward.h"

static jbw_model *model;

static void check_print(const char *text, const char *expected)
{
    char out[500];
    jbw_reward *reward = reward_of(model, text);
    assert_int_equal(jbw_reward_print(reward, out, sizeof out), strlen(expected));
    assert_string_equal(out, expected);
    jbw_reward_destroy(reward);
}

static void check_print_at(const char *text, uint64_t time, const char *expected)
{
    char out[500];
    jbw_reward *reward = reward_of(model, text);
    assert_int_equal(jbw_reward_print_at(reward, time, out, sizeof out), strlen(expected));
    assert_string_equal(out, expected);
    jbw_reward_destroy(reward);
}

static void test_print(void **state)
{
    (void)state;
    check_print("Collect[JellyBean,1]&Avoid[Onion,1]", "Collect[JellyBean] & Avoid[Onion]");
    check_print("Collect[Onion, -1]", "Avoid[Onion]");
    check_print("Avoid[Onion, -0.1]", "Collect[Onion, 0.1]");
    check_print("Avoid[Onion, 0]", "Collect[Onion, 0]");
    check_print("Collect[Onion, -0]", "Collect[Onion, 0]");
    check_print("Action[1.0]", "Action");
    check_print("Action[-1]", "Action[-1]");
    check_print("Explore[1e-1]", "Explore[0.1]");
    check_print("Zero[]", "Zero");
    check_print("Scaled[Zero, 1]", "Scaled[Zero, 1]");
    check_print("Team[(Action & Fixed[Zero])] & Team[Avoid[Onion]]",
                "Team[Action & Zero] & Team[Avoid[Onion]]");
    check_print("Scaled[Zero & Action, -0]", "Scaled[Zero & Action, 0]");
    check_print("Fixed[(Action)]", "Action");
    check_print("Curriculum[(Zero & Action, 1e3), (Zero, 9007199254740993)]",
                "Curriculum[(Zero & Action, 1000), (Zero, 9007199254740993)]");
    check_print("Cyclical[(Zero, 4611686018427387904), (Zero, 4611686018427387904)]",
                "Cyclical[(Zero, 4611686018427387904), (Zero, 4611686018427387904)]");
    check_print("Gradual[Combined[Zero, Action], Zero, 7]", "Gradual[Zero & Action, Zero, 7]");
    check_print("Random[5, 9223372036854775807, Zero, Action & Zero]",
                "Random[5, 9223372036854775807, Zero, Action & Zero]");

    // numbers that change; an avoided one is a negative collected one
    check_print("Collect[Onion, Wave[1e3,-1,1]]", "Collect[Onion, Wave[1000, -1, 1]]");
    check_print("Avoid[Onion, Wave[1000, -1, 0.5]]", "Collect[Onion, Wave[1000, 1, -0.5]]");
    check_print("Avoid[Onion, Steps[(0, 0), (9, 2)]]", "Collect[Onion, Steps[(0, 0), (9, -2)]]");
    check_print("Action[Square[3, 0, 1]] & Explore[Drift[7, 50, -1, 1]]",
                "Action[Square[3, 0, 1]] & Explore[Drift[7, 50, -1, 1]]");
    check_print("Scaled[Action, Steps[(0, 1)]]", "Scaled[Action, Steps[(0, 1)]]");

    // like snprintf: truncates, but returns the full length
    char out[8] = "xxxxxxx";
    jbw_reward *reward = reward_of(model, "Action & Zero");
    assert_int_equal(jbw_reward_print(reward, NULL, 0), 13);
    assert_int_equal(jbw_reward_print(reward, out, 1), 13);
    assert_string_equal(out, "");
    assert_int_equal(jbw_reward_print(reward, out, 7), 13);
    assert_string_equal(out, "Action");
    assert_int_equal(jbw_reward_print_at(reward, 3, out, 8), 13);
    assert_string_equal(out, "Action ");
    jbw_reward_destroy(reward);
}

static void test_print_at(void **state)
{
    (void)state;
    const char *text = "Explore & Cyclical[(Collect[Onion] & Zero, 5), (Avoid[Onion], 5)]";
    check_print_at(text, 4, "Explore & Collect[Onion] & Zero");
    check_print_at(text, 5, "Explore & Avoid[Onion]");
    text = "Gradual[Collect[Onion], Action, 4]";
    check_print_at(text, 0, "Collect[Onion]");
    check_print_at(text, 1, "Scaled[Collect[Onion], 0.75] & Scaled[Action, 0.25]");
    check_print_at("Team[Gradual[Zero, Action, 2]]", 1,
                   "Team[Scaled[Zero, 0.5] & Scaled[Action, 0.5]]");
    check_print_at(text, 4, "Action");
    check_print_at("Scaled[Gradual[Zero, Action & Zero, 2] & Explore, 3]", 1,
                   "Scaled[Scaled[Zero, 0.5] & Scaled[Action & Zero, 0.5] & Explore, 3]");
    check_print_at("Curriculum[(Zero, 2), (Cyclical[(Action, 2), (Explore, 3)], 1)]", 4, "Explore");
    text = "Collect[Onion, Square[10, -1, 0.5]] & Action[Steps[(0, 1), (4, 2)]]";
    check_print_at(text, 0, "Avoid[Onion] & Action");
    check_print_at(text, 5, "Collect[Onion, 0.5] & Action[2]");
    check_print_at("Scaled[Action, Wave[4, -3, 3]]", 3, "Scaled[Action, -3]");
    check_print_at("Random[1, 2, Action[3]]", UINT64_C(1) << 63, "Action[3]");
}

int main(void)
{
    static const jbw_item_type items[] = {{.name = "JellyBean"}, {.name = "Onion"}};
    const jbw_config config = small_config(8, 0, items, 2);
    model = model_of(&config);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_at),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
