// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards: whatever compiles is printed and compiled again, and must pay the same.
#include "target.h"

#include "jbw/reward.h"

static double pay(const double *arguments, const jbw_reward_step *step, void *user)
{
    (void)user;
    return arguments[0] * (double)step->position.x - arguments[1];
}

static const jbw_reward_function function = {"Mine", 2, pay, NULL};

static jbw_model *make_model(void)
{
    static const jbw_item_type items[] = {{.name = "JellyBean"}, {.name = "Onion"}, {.name = "A"}};
    static const char *const fruit[] = {"JellyBean", "A"};
    static const char *const food[] = {"Fruit", "Onion"};
    static const jbw_kind kinds[] = {{"Fruit", fruit, 2}, {"Food", food, 2}};
    jbw_config config = small_config(8, 0, items, sizeof items / sizeof items[0]);
    config.kinds = kinds;
    config.kind_count = 2;
    return fuzz_model(&config);
}

// in full length; the caller frees it
static char *print(const jbw_reward *reward, const uint64_t *time)
{
    const size_t length =
        time ? jbw_reward_print_at(reward, *time, NULL, 0) : jbw_reward_print(reward, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) abort();
    const size_t same = time ? jbw_reward_print_at(reward, *time, text, length + 1)
                             : jbw_reward_print(reward, text, length + 1);
    if (same != length || strlen(text) != length) abort();
    return text;
}

static jbw_reward *compile_again(const jbw_model *model, const char *text)
{
    jbw_reward *reward;
    if (jbw_reward_compile(model, text, &function, 1, &reward, NULL)) abort();
    return reward;
}

// scaled often enough, a reward is infinite or not a number
static void compare(double a, double b)
{
    if (a != b && !(a != a && b != b)) abort();
}

static void check(const jbw_model *model, const jbw_reward *reward)
{
    char *text = print(reward, NULL);
    jbw_reward *copy = compile_again(model, text);
    char *same = print(copy, NULL);
    if (strcmp(text, same) != 0) abort();

    static const uint64_t times[] = {0, 1, 9, 10, 100000, UINT64_C(1) << 32, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const jbw_reward_step step = {
            .time = times[i],
            .has_acted = i % 2 == 0,
            .collected = (int)(i % 4) - 1,
            .start = {-JBW_MAX_COORDINATE, 3},
            .position_before = {JBW_MAX_COORDINATE - 1, 4},
            .position = {JBW_MAX_COORDINATE, 4},
        };
        compare(jbw_reward_evaluate(reward, &step), jbw_reward_evaluate(copy, &step));
        compare(jbw_reward_of_collecting(reward, times[i], 1),
                jbw_reward_of_collecting(copy, times[i], 1));
        char *in_force = print(reward, &times[i]);
        jbw_reward *resolved = compile_again(model, in_force);
        char *resolved_text = print(resolved, NULL);
        if (strcmp(in_force, resolved_text) != 0) abort();
        free(resolved_text);
        jbw_reward_destroy(resolved);
        free(in_force);
    }
    free(same);
    jbw_reward_destroy(copy);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jbw_model *model;
    if (!model) model = make_model();
    char *text = fuzz_text(data, size);
    if (!text) return 0;

    jbw_reward *reward;
    jbw_error error;
    const jbw_status status = jbw_reward_compile(model, text, &function, 1, &reward, &error);
    if ((status == JBW_OK) != (reward != NULL)) abort();
    if (status && (error.line < 1 || error.column < 1 || error.text[0] == '\0')) abort();
    if (reward) check(model, reward);
    jbw_reward_destroy(reward);
    free(text);
    return 0;
}
