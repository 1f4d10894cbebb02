// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random rewards against an oracle: each one is a small tree, which is evaluated in the most
/// obvious way, and written as text in one of many possible notations.
#include "support/models.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/reward.h"
#include "support/options.h"
#include "support/random.h"

static const jbw_item_type items[] = {{.name = "JellyBean"}, {.name = "Onion"}, {.name = "Banana"}};
enum { ITEM_COUNT = 3, MAX_CHILDREN = 4, MAX_DEPTH = 4, TEXT_SIZE = 1 << 16 };

static jbw_model *model;

static uint64_t random_state;

static uint64_t draw(void)
{
    return random_next(&random_state);
}

static int draw_below(int bound)
{
    return random_between(&random_state, 0, bound - 1);
}

// --- the oracle ---------------------------------------------------------------------------------

typedef enum kind {
    ACTION,
    COLLECT,
    AVOID,
    EXPLORE,
    CUSTOM,
    ZERO,
    COMBINED,
    SCALED,
    FIXED,
    CURRICULUM,
    CYCLICAL,
    GRADUAL,
    RANDOM,
} kind;

// a number, or one that changes with time
typedef enum shape { PLAIN, WAVE, SQUARE, STAIRS, DRIFT } shape;

typedef struct number {
    shape shape;
    double value; // PLAIN
    double low;
    double high;
    double third;
    uint64_t steps;
    uint64_t seed;
} number;

typedef struct tree tree;
struct tree {
    kind kind;
    int item;
    number value;
    uint64_t seed;
    int child_count;
    tree *children[MAX_CHILDREN];
    uint64_t steps[MAX_CHILDREN];
};

static double custom_value(const double *arguments, const jbw_reward_step *step, void *user)
{
    (void)user;
    return arguments[0] * (double)(step->position.x % 5) + arguments[1] * (double)step->has_acted;
}

static const jbw_reward_function custom = {"Custom", 2, custom_value, NULL};

// as docs/rewards.md describes it
static uint64_t mix(uint64_t z)
{
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9;
    z ^= z >> 27;
    z *= 0x94d049bb133111eb;
    z ^= z >> 31;
    return z;
}

static uint64_t absorb(uint64_t name, uint64_t word)
{
    return mix((name ^ word) + 0x9e3779b97f4a7c15);
}

static long double oracle_knot(uint64_t seed, uint64_t index)
{
    const uint64_t both = absorb(absorb(0, seed), index);
    const uint64_t name = absorb(absorb(absorb(absorb(0, both), 0), 0), 8);
    const uint64_t step = absorb(name, 1) | 1;
    const uint64_t bits = mix(name + step) >> 11;
    return (long double)bits / 9007199254740992.0L;
}

static long double oracle_number(const number *n, uint64_t time)
{
    const long double range = (long double)n->high - n->low;
    const long double u = (long double)(time % n->steps) / (long double)n->steps;
    switch (n->shape) {
    case PLAIN: return n->value;
    case WAVE: return n->low + range * (1 + sinl(2 * acosl(-1) * u)) / 2;
    case SQUARE: return time % n->steps * 2 < n->steps ? n->low : n->high;
    case STAIRS: // at 0, at n->steps and at twice that
        if (time < n->steps) return n->low;
        return time < 2 * n->steps ? n->high : n->third;
    case DRIFT: {
        const long double a = oracle_knot(n->seed, time / n->steps);
        const long double b = oracle_knot(n->seed, time / n->steps + 1);
        return n->low + range * (a + (b - a) * (3 * u * u - 2 * u * u * u));
    }
    }
    return 0;
}

static int oracle_choice(uint64_t seed, uint64_t block, int count)
{
    const uint64_t both = absorb(absorb(0, seed), block);
    const uint64_t name = absorb(absorb(absorb(absorb(0, both), 0), 0), 4);
    const uint64_t step = absorb(name, 1) | 1;
    for (uint64_t i = 1;; i++) {
        const uint64_t high = mix(name + i * step) >> 32;
        const uint64_t product = high * (uint64_t)count;
        if (product % 4294967296 >= 4294967296 % (uint64_t)count)
            return (int)(product / 4294967296);
    }
}

// exact for the small coordinates that are used here
static int64_t squared(jbw_position a, jbw_position b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static long double oracle(const tree *t, const jbw_reward_step *step, bool only_collecting);

static long double oracle_child(const tree *t, int i, const jbw_reward_step *step,
                                bool only_collecting)
{
    return oracle(t->children[i], step, only_collecting);
}

static long double oracle(const tree *t, const jbw_reward_step *step, bool only_collecting)
{
    long double sum = 0;
    uint64_t time = step->time;
    const long double value = oracle_number(&t->value, time);
    switch (t->kind) {
    case ACTION: return step->has_acted && !only_collecting ? value : 0;
    case COLLECT: return step->collected == t->item ? value : 0;
    case AVOID: return step->collected == t->item ? -value : 0;
    case EXPLORE: {
        const int64_t now = squared(step->start, step->position);
        const int64_t before = squared(step->start, step->position_before);
        return now > before && !only_collecting ? value : 0;
    }
    case CUSTOM:
        return only_collecting ? 0 : custom_value((double[]){t->value.value, 2}, step, NULL);
    case ZERO: return 0;
    case COMBINED:
        for (int i = 0; i < t->child_count; i++) sum += oracle_child(t, i, step, only_collecting);
        return sum;
    case SCALED: return oracle_child(t, 0, step, only_collecting) * value;
    case FIXED: return oracle_child(t, 0, step, only_collecting);
    case CURRICULUM:
        for (int i = 0; i < t->child_count; i++) {
            if (time < t->steps[i]) return oracle_child(t, i, step, only_collecting);
            time -= t->steps[i];
        }
        return oracle_child(t, t->child_count - 1, step, only_collecting);
    case CYCLICAL: {
        uint64_t total = 0;
        for (int i = 0; i < t->child_count; i++) total += t->steps[i];
        if (total == 0) abort(); // every stage has steps
        time %= total;
        int i = 0;
        for (; time >= t->steps[i]; i++) time -= t->steps[i];
        return oracle_child(t, i, step, only_collecting);
    }
    case GRADUAL: {
        const long double a = oracle_child(t, 0, step, only_collecting);
        const long double b = oracle_child(t, 1, step, only_collecting);
        if (time > t->steps[0]) time = t->steps[0];
        return a + (b - a) * ((long double)time / (long double)t->steps[0]);
    }
    case RANDOM:
        return oracle_child(t, oracle_choice(t->seed, time / t->steps[0], t->child_count), step,
                            only_collecting);
    }
    return 0;
}

// --- random trees -------------------------------------------------------------------------------

static double draw_value(void)
{
    static const double values[] = {1, 1, 1, -1, 0, 0.5, -0.25, 0.1, 3, -7.125, 1e-3, 1000};
    return values[draw_below(sizeof values / sizeof values[0])];
}

static uint64_t draw_steps(void)
{
    switch (draw_below(8)) {
    case 0: return 1;
    case 1: return UINT64_C(4294967296) + (uint64_t)draw_below(3) - 1;
    case 2: return (draw() >> 3) + 1; // up to 2^61
    case 3: return 100000;
    default: return 1 + (uint64_t)draw_below(20);
    }
}

static number draw_number(bool is_plain)
{
    number n = {.value = draw_value(),
                .low = draw_value(),
                .high = draw_value(),
                .third = draw_value(),
                .steps = draw_steps()};
    n.seed = draw_below(2) ? (uint64_t)draw_below(10) : draw() >> 1;
    if (!is_plain && draw_below(3) == 0) n.shape = (shape)(1 + draw_below(DRIFT));
    return n;
}

static tree *draw_tree(int depth)
{
    tree *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->kind = (kind)draw_below(depth < MAX_DEPTH ? RANDOM + 1 : ZERO + 1);
    t->item = draw_below(ITEM_COUNT);
    t->value = draw_number(t->kind == CUSTOM);
    t->seed = draw_below(2) ? (uint64_t)draw_below(10) : draw() >> 1;
    switch (t->kind) {
    case COMBINED: t->child_count = 2 + draw_below(MAX_CHILDREN - 1); break;
    case SCALED:
    case FIXED: t->child_count = 1; break;
    case GRADUAL: t->child_count = 2; break;
    case CURRICULUM:
    case CYCLICAL:
    case RANDOM: t->child_count = 1 + draw_below(MAX_CHILDREN); break;
    default: break;
    }
    for (int i = 0; i < t->child_count; i++) {
        t->children[i] = draw_tree(depth + 1);
        t->steps[i] = draw_steps();
    }
    return t;
}

static void free_tree(tree *t)
{
    for (int i = 0; i < t->child_count; i++) free_tree(t->children[i]);
    free(t);
}

// --- as text ------------------------------------------------------------------------------------

static char *out; // the end of the text

static void put(const char *text)
{
    if (draw_below(10) == 0) out += sprintf(out, draw_below(2) ? " " : "\n\t");
    out += sprintf(out, "%s", text);
}

static void put_plain(double value)
{
    static const char *const formats[] = {"%.10g", "%+.10g", "%.6e", "%f"};
    char text[60];
    snprintf(text, sizeof text, formats[draw_below(4)], value);
    put(text);
}

static void put_steps(uint64_t steps)
{
    char text[60];
    snprintf(text, sizeof text, steps == 100000 && draw_below(2) ? "1e5" : "%" PRIu64, steps);
    put(text);
}

static void put_pair(uint64_t time, double value, const char *after)
{
    put("(");
    put_steps(time);
    put(",");
    put_plain(value);
    put(after);
}

static void put_number(const number *n)
{
    static const char *const names[] = {"", "Wave[", "Square[", "Steps[", "Drift["};
    if (n->shape == PLAIN) {
        put_plain(n->value);
        return;
    }
    put(names[n->shape]);
    if (n->shape == STAIRS) {
        put_pair(0, n->low, "),");
        put_pair(n->steps, n->high, "),");
        put_pair(2 * n->steps, n->third, ")]");
        return;
    }
    if (n->shape == DRIFT) out += sprintf(out, "%" PRIu64 ", ", n->seed);
    put_steps(n->steps);
    put(",");
    put_plain(n->low);
    put(",");
    put_plain(n->high);
    put("]");
}

// a value of one may be left out
static bool may_omit(const tree *t)
{
    return t->value.shape == PLAIN && t->value.value == 1 && draw_below(2);
}

static void put_tree(const tree *t, bool is_term);

static void put_value(const tree *t, const char *before)
{
    if (may_omit(t)) return;
    put(before);
    put_number(&t->value);
}

static void put_combined(const tree *t, bool is_term)
{
    // a nested combination needs some kind of brackets
    const int way = is_term ? draw_below(2) : draw_below(3);
    if (way == 0) put("Combined[");
    if (way == 1) put("(");
    for (int i = 0; i < t->child_count; i++) {
        if (i > 0) put(way == 0 ? "," : draw_below(2) ? " & " : "\xe2\x88\xa7");
        put_tree(t->children[i], way != 0);
    }
    if (way == 0) put("]");
    if (way == 1) put(")");
}

static void put_stages(const tree *t, const char *name)
{
    put(name);
    for (int i = 0; i < t->child_count; i++) {
        put(i ? ", (" : "[(");
        put_tree(t->children[i], false);
        put(", ");
        put_steps(t->steps[i]);
        put(")");
    }
    put("]");
}

static void put_tree(const tree *t, bool is_term)
{
    switch (t->kind) {
    case ACTION:
    case EXPLORE:
        put(t->kind == ACTION ? "Action" : "Explore");
        if (may_omit(t)) return;
        put("[");
        put_number(&t->value);
        put("]");
        return;
    case COLLECT:
    case AVOID:
        put(t->kind == COLLECT ? "Collect" : "Avoid");
        put("[");
        put(items[t->item].name);
        put_value(t, ", ");
        put("]");
        return;
    case CUSTOM:
        put("Custom[");
        put_plain(t->value.value);
        put(",2]");
        return;
    case ZERO: put("Zero"); return;
    case COMBINED: put_combined(t, is_term); return;
    case SCALED:
        put("Scaled[");
        put_tree(t->children[0], false);
        put(",");
        put_number(&t->value);
        put("]");
        return;
    case FIXED:
        put("Fixed[");
        put_tree(t->children[0], false);
        put("]");
        return;
    case CURRICULUM: put_stages(t, "Curriculum"); return;
    case CYCLICAL: put_stages(t, "Cyclical"); return;
    case GRADUAL:
        put("Gradual[");
        put_tree(t->children[0], false);
        put(",");
        put_tree(t->children[1], false);
        put(",");
        put_steps(t->steps[0]);
        put("]");
        return;
    case RANDOM:
        put("Random[");
        put_steps(t->steps[0]);
        out += sprintf(out, ", %" PRIu64, t->seed);
        for (int i = 0; i < t->child_count; i++) {
            put(",");
            put_tree(t->children[i], false);
        }
        put("]");
        return;
    }
}

// --- random steps -------------------------------------------------------------------------------

// one of the numbers of steps in the tree
static uint64_t draw_switch(const tree *t)
{
    while (t->child_count > 0 && draw_below(3)) {
        const int i = draw_below(t->child_count);
        if (draw_below(3) == 0) return t->steps[i];
        t = t->children[i];
    }
    return t->value.shape == PLAIN ? 10 : t->value.steps;
}

static uint64_t draw_time(const tree *t)
{
    switch (draw_below(5)) {
    case 0: return (uint64_t)draw_below(60);
    case 1: return draw_switch(t) * (uint64_t)(1 + draw_below(2)) + (uint64_t)draw_below(3) - 1;
    case 2: return draw_switch(t) + draw_switch(t) + (uint64_t)draw_below(3) - 1;
    case 3: return (UINT64_C(1) << 32) + (uint64_t)draw_below(1000);
    default: return draw() >> (1 + draw_below(30));
    }
}

static jbw_position draw_near(jbw_position middle, int reach)
{
    const int dx = random_between(&random_state, -reach, reach);
    const int dy = random_between(&random_state, -reach, reach);
    return (jbw_position){middle.x + dx, middle.y + dy};
}

static jbw_reward_step draw_step(const tree *t)
{
    jbw_reward_step step = {.time = draw_time(t)};
    step.has_acted = draw_below(2);
    step.collected = draw_below(ITEM_COUNT + 1) - 1;
    step.start = draw_near((jbw_position){0, 0}, 4);
    step.position_before = draw_near((jbw_position){0, 0}, 4);
    step.position = draw_near(step.position_before, 1);
    return step;
}

// --- the tests ----------------------------------------------------------------------------------

static jbw_reward *compile(const char *text)
{
    jbw_reward *reward;
    jbw_error error;
    if (jbw_reward_compile(model, text, &custom, 1, &reward, &error))
        fail_msg("'%s': %d:%d: %s", text, error.line, error.column, error.text);
    return reward;
}

static void assert_near(const char *text, uint64_t time, double value, long double expected)
{
    if (!(fabsl(value - expected) <= 1e-9L * fmaxl(1, fabsl(expected))))
        fail_msg("'%s' gives %.17g at %" PRIu64 ", expected %.17Lg", text, value, time, expected);
}

// printed and compiled again, it gives the same text and the same values
static void check_round_trip(const tree *t, const jbw_reward *reward)
{
    static char printed[TEXT_SIZE];
    static char again[TEXT_SIZE];
    const size_t length = jbw_reward_print(reward, printed, sizeof printed);
    assert_true(length < sizeof printed && length == strlen(printed));
    jbw_reward *copy = compile(printed);
    jbw_reward_print(copy, again, sizeof again);
    assert_string_equal(printed, again);
    for (int i = 0; i < 10; i++) {
        const jbw_reward_step step = draw_step(t);
        if (jbw_reward_evaluate(reward, &step) != jbw_reward_evaluate(copy, &step))
            fail_msg("'%s' pays something else after printing", printed);
    }
    jbw_reward_destroy(copy);
}

// what applies at a time pays, at any time, what the whole reward pays at that time
static void check_print_at(const jbw_reward *reward, const jbw_reward_step *step)
{
    static char printed[TEXT_SIZE];
    jbw_reward_print_at(reward, step->time, printed, sizeof printed);
    static const char *const schedules[] = {"Curriculum", "Cyclical", "Gradual", "Random",
                                            "Wave",       "Square",   "Steps",   "Drift"};
    for (int i = 0; i < 8; i++) assert_null(strstr(printed, schedules[i]));
    jbw_reward *resolved = compile(printed);
    jbw_reward_step later = *step;
    later.time = draw();
    assert_near(printed, step->time, jbw_reward_evaluate(resolved, &later),
                jbw_reward_evaluate(reward, step));
    jbw_reward_destroy(resolved);
}

static void test_random_rewards(void **state)
{
    (void)state;
    enum { EXPRESSIONS = 3000, STEPS = 20 };
    static char text[TEXT_SIZE];
    int paid_count = 0;
    for (int k = 0; k < EXPRESSIONS; k++) {
        tree *t = draw_tree(k % 3);
        out = text;
        *out = '\0';
        put_tree(t, false);
        assert_true(out < text + sizeof text - 1000);
        jbw_reward *reward = compile(text);
        for (int i = 0; i < STEPS; i++) {
            const jbw_reward_step step = draw_step(t);
            const long double expected = oracle(t, &step, false);
            assert_near(text, step.time, jbw_reward_evaluate(reward, &step), expected);
            paid_count += expected != 0;
            if (step.collected >= 0)
                assert_near(text, step.time,
                            jbw_reward_of_collecting(reward, step.time, step.collected),
                            oracle(t, &step, true));
            if (i % 5 == 0) check_print_at(reward, &step);
        }
        check_round_trip(t, reward);
        jbw_reward_destroy(reward);
        free_tree(t);
    }
    assert_true(paid_count > EXPRESSIONS * STEPS / 5);
}

int main(int argc, char **argv)
{
    random_state = test_options_read(argc, argv).seed;
    const jbw_config config = small_config(8, 0, items, ITEM_COUNT);
    model = model_of(&config);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_rewards)};
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
