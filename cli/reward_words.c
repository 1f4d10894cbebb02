// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Rewards are asked, not read: what they pay for an item is looked up at every step of a long life, so
// that all schedules, and numbers that change, are told in the same way.

#include "reward_words.h"

#include <stdio.h>

enum {
    LIFE = 1000000,      // steps that are looked at
    TOLD_CHANGES = 3,    // until there is too much to tell
    STEADY_CHANGES = 100 // more of them are no steps but a curve
};

void jbw_print_grouped(uint64_t value)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) putchar(',');
        putchar(digits[i]);
    }
}

/// What is paid for an item in the course of a life.
typedef struct course {
    double least;
    double most;
    uint64_t change_count;
    uint64_t changes[TOLD_CHANGES]; // the times of the first ones
} course;

static course follow(const jbw_reward *reward, int item_type)
{
    double last = jbw_reward_of_collecting(reward, 0, item_type);
    course c = {.least = last, .most = last};
    for (uint64_t time = 1; time < LIFE; time++) {
        const double value = jbw_reward_of_collecting(reward, time, item_type);
        if (value == last) continue;
        last = value;
        if (value < c.least) c.least = value;
        if (value > c.most) c.most = value;
        if (c.change_count < TOLD_CHANGES) c.changes[c.change_count] = time;
        c.change_count++;
    }
    return c;
}

static void print_course(const jbw_reward *reward, int item_type, const course *c)
{
    const uint64_t told = c->change_count < TOLD_CHANGES ? c->change_count : TOLD_CHANGES;
    if (c->change_count > STEADY_CHANGES) {
        printf("pays between %g and %g, changing all the time\n", c->least, c->most);
        return;
    }
    printf("%spays %g", c->change_count == 0 ? "always " : "",
           jbw_reward_of_collecting(reward, 0, item_type));
    for (uint64_t i = 0; i < told; i++) {
        fputs(", from step ", stdout);
        jbw_print_grouped(c->changes[i]);
        printf(" %g", jbw_reward_of_collecting(reward, c->changes[i], item_type));
    }
    puts(c->change_count > told ? ", and so on" : "");
}

jbw_verb_status jbw_print_reward_words(const char *verb, const jbw_model *model, const char *text)
{
    jbw_reward *reward;
    jbw_error error = {0};
    const jbw_status status = jbw_reward_compile(model, text, NULL, 0, &reward, &error);
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s", jbw_status_text(status));
    if (status) {
        fprintf(stderr, "--reward:%d:%d: error: %s\n", error.line, error.column, error.text);
        return JBW_VERB_BAD_INPUT;
    }
    fputs("\nThe reward, in the first ", stdout);
    jbw_print_grouped(LIFE);
    puts(" steps:");
    for (int type = 0; type < jbw_model_item_type_count(model); type++) {
        const course c = follow(reward, type);
        if (c.change_count == 0 && c.least == 0.0) continue;
        printf("    collecting %s ", jbw_model_item_name(model, type));
        print_course(reward, type, &c);
    }
    jbw_reward_destroy(reward);
    return JBW_VERB_OK;
}
