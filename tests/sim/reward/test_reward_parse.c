// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards as people write them: errors of faulty texts, the examples of docs/rewards.md, and
/// running out of memory.
#include "support/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/reward.h"
#include "support/allocations.h"
#include "support/files.h"

static jbw_model *model;

static double pay_nothing(const double *arguments, const jbw_reward_step *step, void *user)
{
    (void)arguments;
    (void)step;
    (void)user;
    return 0;
}

static const jbw_reward_function functions[] = {{"Distance", 2, pay_nothing, NULL},
                                                {"Hunger", 0, pay_nothing, NULL}};

// --- faulty texts -------------------------------------------------------------------------------

typedef struct faulty {
    const char *text;
    int line;
    int column;
    const char *message;
} faulty;

#define STEPS "a number of steps, a whole number from 1 to 4611686018427387904"
#define SEED "a seed, a whole number from 0 to 9223372036854775807"
#define REWARD "a reward such as Collect[item] or Action[v]"

static const faulty faulty_texts[] = {
    // names
    {"Collect[JelyBean]", 1, 9, "unknown item 'JelyBean', did you mean 'JellyBean'?"},
    {"Collect[onion] & Zero", 1, 9, "unknown item 'onion', did you mean 'Onion'?"},
    {"Avoid[Elephant]", 1, 7,
     "unknown item 'Elephant', expected the name of an item of this world"},
    {"Action &\n  Colect[Onion]", 2, 3,
     "unknown reward function 'Colect', did you mean 'Collect'?"},
    {"Cyclic[(Zero, 1)]", 1, 1, "unknown reward function 'Cyclic', did you mean 'Cyclical'?"},
    {"Distanse[1, 2]", 1, 1, "unknown reward function 'Distanse', did you mean 'Distance'?"},
    {"Zero & Teleport[1]", 1, 8,
     "unknown reward function 'Teleport', expected one of Action, Collect, Avoid, Explore, Zero, "
     "Combined, Scaled, Team, Fixed, Curriculum, Cyclical, Gradual, Random, Distance, Hunger"},
    {"JellyBean", 1, 1, "'JellyBean' is an item, expected a reward such as Collect[JellyBean]"},
    {"Action \xe2\x88\xa7 Onion", 1, 10,
     "'Onion' is an item, expected a reward such as Collect[Onion]"},
    // not a reward
    {"", 1, 1, "found the end, expected a name, a number or '('"},
    {"  \n ", 2, 2, "found the end, expected a name, a number or '('"},
    {"1", 1, 1, "found the number 1, expected " REWARD},
    {"Action & -0.5", 1, 10, "found the number -0.5, expected " REWARD},
    {"(Action, Zero)", 1, 1, "found a tuple, expected " REWARD},
    {"Scaled[2, Action]", 1, 8, "found the number 2, expected " REWARD},
    {"Scaled[Action, Action[2]]", 1, 16,
     "unknown function of time 'Action', expected one of Wave, Square, Steps, Drift"},
    // items
    {"Collect[3]", 1, 9, "found the number 3, expected the name of an item"},
    {"Collect[Onion[2]]", 1, 9, "found 'Onion[...]', expected the name of an item"},
    {"Collect[Onion & Banana]", 1, 9, "found a combination by '&', expected the name of an item"},
    {"Avoid[(Onion)]", 1, 7, "found a tuple, expected the name of an item"},
    // amounts
    {"Collect[Onion, Banana]", 1, 16, "found 'Banana', expected a number"},
    {"Action[1e10]", 1, 8, "found the number 10000000000, expected a number between -1e9 and 1e9"},
    {"Explore[-1000000001]", 1, 9,
     "found the number -1000000001, expected a number between -1e9 and 1e9"},
    {"Action[1e999]", 1, 8, "found '1e999', expected a number such as -1.5"},
    {"Action[nan]", 1, 8, "found 'nan', expected a number"},
    // numbers that change
    {"Collect[Onion, Waves[9, 0, 1]]", 1, 16,
     "unknown function of time 'Waves', did you mean 'Wave'?"},
    {"Collect[Onion, Wave]", 1, 16, "found 'Wave', expected a number"},
    {"Collect[Onion, Wave[9, 0]]", 1, 16,
     "'Wave' was given 2 arguments, expected 3: Wave[period, low, high]"},
    {"Collect[Onion, Wave[0, 0, 1]]", 1, 21, "found the number 0, expected " STEPS},
    {"Action[Square[10, -1, Zero]]", 1, 23, "found 'Zero', expected a number"},
    {"Action[Square[10, -1e10, 0]]", 1, 19,
     "found the number -10000000000, expected a number between -1e9 and 1e9"},
    {"Explore[Steps[]]", 1, 9,
     "'Steps' was given 0 arguments, expected at least 1: Steps[(0, value), (time, value), ...]"},
    {"Explore[Steps[1]]", 1, 15, "found the number 1, expected a pair (time, value)"},
    {"Explore[Steps[(0, 1, 2)]]", 1, 15, "found a tuple, expected a pair (time, value)"},
    {"Explore[Steps[(1, 2)]]", 1, 16,
     "found the number 1, expected 0, the time at which the first value begins"},
    {"Explore[Steps[(0, 1), (5, 2), (5, 3)]]", 1, 32,
     "found the number 5, expected a later time than that of the value before"},
    {"Explore[Steps[(0, 1), (2.5, 2)]]", 1, 24,
     "found the number 2.5, expected a time, a whole number from 0 to 4611686018427387904"},
    {"Scaled[Zero, Drift[-1, 5, 0, 1]]", 1, 20, "found the number -1, expected " SEED},
    {"Scaled[Zero, Drift[1, 5, 0, 1, 2]]", 1, 14,
     "'Drift' was given 5 arguments, expected 4: Drift[seed, steps, low, high]"},
    {"Wave[9, 0, 1]", 1, 1,
     "unknown reward function 'Wave', expected one of Action, Collect, Avoid, Explore, Zero, "
     "Combined, Scaled, Team, Fixed, Curriculum, Cyclical, Gradual, Random, Distance, Hunger"},
    {"Distance[1, Wave[9, 0, 1]]", 1, 13, "found 'Wave[...]', expected a number"},
    // numbers of arguments
    {"Collect", 1, 1, "'Collect' was given 0 arguments, expected 1 or 2: Collect[item, v]"},
    {"Collect[Onion, 1, 2]", 1, 1,
     "'Collect' was given 3 arguments, expected 1 or 2: Collect[item, v]"},
    {"Action[1, 2]", 1, 1, "'Action' was given 2 arguments, expected 0 or 1: Action[v]"},
    {"Zero[1]", 1, 1, "'Zero' was given 1 argument, expected 0: Zero"},
    {"Combined[Zero]", 1, 1,
     "'Combined' was given 1 argument, expected at least 2: Combined[a, b, ...]"},
    {"Zero & Fixed[Combined[]]", 1, 14,
     "'Combined' was given 0 arguments, expected at least 2: Combined[a, b, ...]"},
    {"Team[]", 1, 1, "'Team' was given 0 arguments, expected 1: Team[r]"},
    {"Team[Zero & Scaled[Team[Action], 2]]", 1, 20, "a Team cannot be inside another Team"},
    {"Scaled[Zero]", 1, 1, "'Scaled' was given 1 argument, expected 2: Scaled[r, c]"},
    {"Fixed[Zero, Zero]", 1, 1, "'Fixed' was given 2 arguments, expected 1: Fixed[r]"},
    {"Curriculum[]", 1, 1,
     "'Curriculum' was given 0 arguments, expected at least 1: "
     "Curriculum[(a, steps), (b, steps), ...]"},
    {"Gradual[Zero, 10]", 1, 1,
     "'Gradual' was given 2 arguments, expected 3: Gradual[a, b, steps]"},
    {"Random[1, 2]", 1, 1,
     "'Random' was given 2 arguments, expected at least 3: Random[steps, seed, a, b, ...]"},
    {"Distance[1]", 1, 1, "'Distance' was given 1 argument, expected 2: Distance[2 numbers]"},
    {"Hunger[1]", 1, 1, "'Hunger' was given 1 argument, expected 0: Hunger"},
    {"Distance[1, Onion]", 1, 13, "found 'Onion', expected a number"},
    // schedules
    {"Cyclical[Zero, 5]", 1, 10, "found 'Zero', expected a pair (reward, steps)"},
    {"Cyclical[(Zero, 5), (Action)]", 1, 21, "found a tuple of 1, expected a pair (reward, steps)"},
    {"Curriculum[(Zero, 5, 6)]", 1, 12, "found a tuple of 3, expected a pair (reward, steps)"},
    {"Curriculum[(5, Zero)]", 1, 13, "found the number 5, expected " REWARD},
    {"Curriculum[(Zero,\nAction)]", 2, 1, "found 'Action', expected " STEPS},
    {"Cyclical[(Zero, 0)]", 1, 17, "found the number 0, expected " STEPS},
    {"Cyclical[(Zero, -5)]", 1, 17, "found the number -5, expected " STEPS},
    {"Cyclical[(Zero, 2.5)]", 1, 17, "found the number 2.5, expected " STEPS},
    {"Cyclical[(Zero, 4611686018427387905)]", 1, 17,
     "found the number 4611686018427387905, expected " STEPS},
    {"Cyclical[(Zero, 99999999999999999999)]", 1, 17, "found the number 1e+20, expected " STEPS},
    {"Cyclical[(Zero, 4611686018427387904), (Zero, 4611686018427387904), (Zero, 1)]", 1, 75,
     "the steps of 'Cyclical' add up to more than 2^63"},
    {"Gradual[Zero, Action, 0.5]", 1, 23, "found the number 0.5, expected " STEPS},
    {"Random[0, 1, Zero]", 1, 8, "found the number 0, expected " STEPS},
    {"Random[Zero, 1, Zero]", 1, 8, "found 'Zero', expected " STEPS},
    {"Random[1, -1, Zero]", 1, 11, "found the number -1, expected " SEED},
    {"Random[1, 0.5, Zero]", 1, 11, "found the number 0.5, expected " SEED},
    {"Random[1, 1, 1]", 1, 14, "found the number 1, expected " REWARD},
    // the shape
    {"Collect[Onion", 1, 14, "found the end, expected ',' or ']'"},
    {"Collect[Onion] Avoid[Onion]", 1, 16, "found 'Avoid', expected '&' or the end"},
    {"Collect[Onion] + Zero", 1, 16, "found '+', expected '&' or the end"},
    {"Zero &", 1, 7, "found the end, expected a name, a number or '('"},
    {"Zero && Zero", 1, 7, "found '&', expected a name, a number or '('"},
};

static void test_faulty_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faulty_texts / sizeof faulty_texts[0]; i++) {
        const faulty *f = &faulty_texts[i];
        jbw_reward *reward;
        jbw_error error = {0};
        const jbw_status status = jbw_reward_compile(model, f->text, functions, 2, &reward, &error);
        if (!status) fail_msg("'%s' is accepted", f->text);
        assert_int_equal(status, JBW_INVALID_EXPRESSION);
        assert_null(reward);
        if (strcmp(error.text, f->message) != 0 || error.line != f->line ||
            error.column != f->column)
            fail_msg("'%s':\n%d:%d: %s, expected\n%d:%d: %s", f->text, error.line, error.column,
                     error.text, f->line, f->column, f->message);
        // the error is optional
        assert_int_equal(jbw_reward_compile(model, f->text, functions, 2, &reward, NULL), status);
    }
}

static void test_too_deep(void **state)
{
    (void)state;
    char text[1000] = "";
    for (int i = 0; i < 64; i++) append_text(text, sizeof text, "Fixed[");
    append_text(text, sizeof text, "Zero");
    for (int i = 0; i < 64; i++) append_text(text, sizeof text, "]");
    jbw_reward *reward;
    jbw_error error;
    assert_int_equal(jbw_reward_compile(model, text, NULL, 0, &reward, &error),
                     JBW_INVALID_EXPRESSION);
    assert_string_equal(error.text, "found 'Zero', expected at most 64 levels of nesting");
}

static void check_function(const jbw_reward_function *faulty_functions, size_t count,
                           const char *message)
{
    jbw_reward *reward;
    jbw_error error;
    assert_int_equal(jbw_reward_compile(model, "Zero", faulty_functions, count, &reward, &error),
                     JBW_INVALID_ARGUMENT);
    assert_null(reward);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.text, message);
}

static void test_faulty_functions(void **state)
{
    (void)state;
    check_function(&(jbw_reward_function){"Zero", 0, pay_nothing, NULL}, 1,
                   "reward function 'Zero': its name is that of a built-in function");
    check_function(&(jbw_reward_function){"2nd", 0, pay_nothing, NULL}, 1,
                   "reward function '2nd': its name must be at most 100 letters, digits and '_'");
    check_function(&(jbw_reward_function){NULL, 0, pay_nothing, NULL}, 1,
                   "reward function '': its name must be at most 100 letters, digits and '_'");
    check_function(&(jbw_reward_function){"Mine", 17, pay_nothing, NULL}, 1,
                   "reward function 'Mine': it must have 0 to 16 arguments");
    check_function(&(jbw_reward_function){"Mine", -1, pay_nothing, NULL}, 1,
                   "reward function 'Mine': it must have 0 to 16 arguments");
    check_function(&(jbw_reward_function){"Mine", 0, NULL, NULL}, 1,
                   "reward function 'Mine': it needs a callback");
    const jbw_reward_function twice[] = {functions[0], functions[1], functions[0]};
    check_function(twice, 3, "reward function 'Distance': its name is used twice");
}

// --- docs/rewards.md ----------------------------------------------------------------------------

// the caller frees it
static char *read_docs(void)
{
    char *text = file_read(JBW_SOURCE_DIR "/docs/rewards.md", NULL);
    assert_non_null(text);
    return text;
}

// each block of ```reward is one reward
static void test_docs(void **state)
{
    (void)state;
    char *text = read_docs();
    char *at = text;
    int count = 0;
    while ((at = strstr(at, "```reward\n"))) {
        at += strlen("```reward\n");
        char *end = strstr(at, "```");
        assert_non_null(end);
        *end = '\0';
        jbw_reward_destroy(reward_of(model, at));
        count++;
        at = end + 1;
    }
    assert_true(count >= 8);
    free(text);
}

// the reference names every function
static void test_docs_are_complete(void **state)
{
    (void)state;
    char *text = read_docs();
    static const char *const names[] = {"Action",     "Collect", "Avoid", "Explore",  "Zero",
                                        "Combined",   "Scaled",  "Fixed", "Cyclical", "Gradual",
                                        "Curriculum", "Random",  "Wave",  "Square",   "Steps",
                                        "Drift",      "Team"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char row[40];
        snprintf(row, sizeof row, "| `%s", names[i]);
        if (!strstr(text, row)) fail_msg("docs/rewards.md has no row for %s", names[i]);
    }
    free(text);
}

// --- memory -------------------------------------------------------------------------------------

static double pay_one(const double *arguments, const jbw_reward_step *step, void *user)
{
    (void)arguments;
    (void)step;
    (void)user;
    return 1;
}

// compiles with each allocation failing in turn; returns how many there are
static size_t check_failures(const jbw_model *counted, counting_allocator *counting,
                             const char *text, jbw_reward **reward)
{
    const jbw_reward_function clock = {"Clock", 1, pay_one, NULL};
    const size_t block_count = counting->block_count;
    for (size_t n = 1;; n++) {
        jbw_error error;
        fail_allocations(counting, n, 1);
        const jbw_status status = jbw_reward_compile(counted, text, &clock, 1, reward, &error);
        allow_allocations(counting);
        if (*reward) return n - 1;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_string_equal(error.text, "out of memory");
        assert_int_equal(error.line, 0);
        assert_int_equal(counting->block_count, block_count);
    }
}

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    static const jbw_item_type onion = {.name = "Onion"};
    jbw_config config = small_config(8, 0, &onion, 1);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *counted = model_of(&config);
    const size_t block_count = counting.block_count;

    // longer and longer, so that blocks of memory end at every position
    static char text[40000] = "Clock[1]";
    static char out[40000];
    jbw_reward *reward = NULL;
    size_t failure_count = 0;
    for (int i = 0; i < 300; i++) {
        append_text(text, sizeof text,
                    i % 2 ? " & Clock[2]"
                          : " & Random[3, 4, Collect[Onion, Steps[(0, 1), (7, 2)]], Explore]");
        jbw_reward_destroy(reward);
        failure_count = check_failures(counted, &counting, text, &reward);
        jbw_reward_print(reward, out, sizeof out);
        assert_string_equal(out, text);
    }
    assert_true(failure_count > 10);

    // a compiled reward allocates nothing
    const size_t call_count = counting.call_count;
    const jbw_reward_step step = {.time = 5, .collected = 0};
    assert_true(jbw_reward_evaluate(reward, &step) > 0);
    jbw_reward_of_collecting(reward, 5, 0);
    jbw_reward_print(reward, out, sizeof out);
    assert_string_equal(out, text);
    jbw_reward_print_at(reward, 5, out, sizeof out);
    assert_int_equal(counting.call_count, call_count);

    jbw_reward_destroy(reward);
    jbw_reward_destroy(NULL);
    assert_int_equal(counting.block_count, block_count);
    // a faulty text leaves nothing behind, either
    assert_int_equal(jbw_reward_compile(counted, "Zero & Zer", NULL, 0, &reward, NULL),
                     JBW_INVALID_EXPRESSION);
    assert_null(reward);
    assert_int_equal(counting.block_count, block_count);
    jbw_model_destroy(counted);
}

int main(void)
{
    model = shipped_model("paper");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faulty_texts),      cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_faulty_functions),  cmocka_unit_test(test_docs),
        cmocka_unit_test(test_docs_are_complete), cmocka_unit_test(test_memory),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
