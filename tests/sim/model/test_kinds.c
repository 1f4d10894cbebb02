// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Kinds of items, against the same worlds and rewards with every kind written out by a resolver of
/// the test's own.
#include "support/models.h"

#include <stdio.h>
#include <string.h>

#include "jbw/reward.h"
#include "support/allocations.h"
#include "support/random.h"

enum { TYPES = 5, KINDS = 4, NAMES = TYPES + KINDS };

static const char *const names[NAMES] = {"A", "B", "C", "D", "E", "K", "L", "M", "N"};

/// A world with kinds, drawn at random. It points into itself.
typedef struct scene {
    jbw_config config;
    jbw_item_type items[TYPES];
    jbw_kind kinds[KINDS];
    const char *members[KINDS][NAMES];
    jbw_interaction interactions[TYPES][NAMES];
    char expressions[TYPES][NAMES][40];
    bool is_member[KINDS][TYPES]; // as this test sees it
} scene;

static int index_of(const char *name)
{
    int i = 0;
    while (strcmp(names[i], name) != 0) i++;
    return i;
}

// kinds hold items and later kinds
static void draw_kinds(scene *s, uint64_t *random)
{
    for (int k = KINDS - 1; k >= 0; k--) {
        jbw_kind *kind = &s->kinds[k];
        *kind = (jbw_kind){.name = names[TYPES + k], .members = s->members[k]};
        const int first = random_between(random, 0, NAMES - 1);
        for (int i = 0; i < NAMES; i++) {
            const int n = (first + i) % NAMES;
            if (n >= TYPES ? n <= TYPES + k || random_chance(random, 50)
                           : random_chance(random, 60))
                continue;
            s->members[k][kind->member_count++] = names[n];
        }
        if (kind->member_count == 0) s->members[k][kind->member_count++] = names[k];
        for (size_t i = 0; i < kind->member_count; i++) {
            const int n = index_of(kind->members[i]);
            if (n < TYPES) s->is_member[k][n] = true;
            for (int t = 0; n >= TYPES && t < TYPES; t++)
                if (s->is_member[n - TYPES][t]) s->is_member[k][t] = true;
        }
    }
}

static void draw_scene(scene *s, uint64_t *random)
{
    memset(s, 0, sizeof *s);
    draw_kinds(s, random);
    for (int t = 0; t < TYPES; t++) {
        s->items[t] = (jbw_item_type){
            .name = names[t], .intensity = "Constant[-2]", .interactions = s->interactions[t]};
        for (int n = NAMES - 1; n >= 0; n--) {
            if (random_chance(random, 70)) continue;
            char *expression = s->expressions[t][n];
            snprintf(expression, sizeof s->expressions[t][n], "PiecewiseBox[%d, %d, %.1f, %.1f]",
                     random_between(random, 1, 4), random_between(random, 5, 16),
                     random_real(random, -1, 1), random_real(random, -1, 1));
            s->interactions[t][s->items[t].interaction_count++] =
                (jbw_interaction){names[n], expression};
        }
    }
    s->config = small_config(8, 200, s->items, TYPES);
    s->config.kinds = s->kinds;
    s->config.kind_count = KINDS;
}

static bool is_about(const scene *s, const char *name, int type)
{
    const int n = index_of(name);
    return n < TYPES ? n == type : s->is_member[n - TYPES][type];
}

static int size_of(const scene *s, const char *name)
{
    int size = 0;
    for (int t = 0; t < TYPES; t++) size += is_about(s, name, t);
    return size;
}

static bool is_within(const scene *s, const char *inner, const char *outer)
{
    for (int t = 0; t < TYPES; t++)
        if (is_about(s, inner, t) && !is_about(s, outer, t)) return false;
    return size_of(s, inner) < size_of(s, outer);
}

// the entry of `type` that applies to `other`, or -1; `*is_clear` is false if two kinds compete
static int find_entry(const scene *s, int type, int other, bool *is_clear)
{
    const jbw_item_type *item = &s->items[type];
    for (size_t i = 0; i < item->interaction_count; i++)
        if (strcmp(item->interactions[i].item, names[other]) == 0) return (int)i;
    int found = -1;
    bool is_covered = false;
    for (size_t i = 0; i < item->interaction_count; i++) {
        const char *name = item->interactions[i].item;
        if (!is_about(s, name, other)) continue;
        bool is_inside_all = true;
        for (size_t k = 0; k < item->interaction_count; k++)
            if (k != i && is_about(s, item->interactions[k].item, other) &&
                !is_within(s, name, item->interactions[k].item))
                is_inside_all = false;
        if (is_inside_all) found = (int)i;
        is_covered = true;
    }
    if (is_covered && found < 0) *is_clear = false;
    return found;
}

static uint64_t hash_of(const jbw_config *config)
{
    jbw_model *model = model_of(config);
    jbw_world *world = world_of(model, 3);
    explore_cell(world, 0, 0);
    const uint64_t hash = jbw_world_hash(world);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return hash;
}

// ---- interactions ----

static void test_interactions(void **state)
{
    (void)state;
    uint64_t random = 1;
    int clear_count = 0;
    int rival_count = 0;
    for (int i = 0; i < 150; i++) {
        scene s;
        draw_scene(&s, &random);
        jbw_item_type items[TYPES];
        jbw_interaction written[TYPES][TYPES];
        bool is_clear = true;
        for (int t = 0; t < TYPES; t++) {
            items[t] = s.items[t];
            items[t].interactions = written[t];
            items[t].interaction_count = 0;
            for (int other = 0; other < TYPES; other++) {
                const int entry = find_entry(&s, t, other, &is_clear);
                if (entry < 0) continue;
                written[t][items[t].interaction_count++] =
                    (jbw_interaction){names[other], s.items[t].interactions[entry].expression};
            }
        }
        assert_int_equal(jbw_config_check(&s.config, NULL, NULL),
                         is_clear ? JBW_OK : JBW_INVALID_CONFIG);
        rival_count += !is_clear;
        if (!is_clear) continue;
        clear_count++;
        const jbw_config plain = small_config(8, 200, items, TYPES);
        assert_int_equal(hash_of(&s.config), hash_of(&plain));
    }
    assert_true(clear_count > 20 && rival_count > 20);
}

// ---- rewards ----

static void test_rewards(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 100; i++) {
        scene s;
        draw_scene(&s, &random);
        for (int t = 0; t < TYPES; t++) s.items[t].interaction_count = 0;
        jbw_model *model = model_of(&s.config);
        const int first = random_between(&random, 0, NAMES - 1);
        const int second = random_between(&random, 0, NAMES - 1);
        char text[100];
        snprintf(text, sizeof text, "Collect[%s, 2] & Avoid[%s, 0.25] & Action[0.5]", names[first],
                 names[second]);
        jbw_reward *reward = reward_of(model, text);
        for (int t = -1; t < TYPES; t++) {
            double expected = 0;
            if (t >= 0 && is_about(&s, names[first], t)) expected += 2;
            if (t >= 0 && is_about(&s, names[second], t)) expected -= 0.25;
            const jbw_reward_step step = {.has_acted = true, .collected = t};
            assert_true(jbw_reward_evaluate(reward, &step) == expected + 0.5);
            if (t >= 0) assert_true(jbw_reward_of_collecting(reward, 0, t) == expected);
        }
        char printed[100];
        jbw_reward_print(reward, printed, sizeof printed);
        assert_string_equal(printed, text);
        jbw_reward_destroy(reward);
        jbw_model_destroy(model);
    }
}

static void expect_reward_error(const jbw_model *model, const char *text, const char *expected)
{
    jbw_reward *reward;
    jbw_error error;
    assert_int_equal(jbw_reward_compile(model, text, NULL, 0, &reward, &error),
                     JBW_INVALID_EXPRESSION);
    assert_string_equal(error.text, expected);
}

// ---- by hand ----

static const char *const fruit[] = {"C", "A"};
static const char *const food[] = {"B", "Fruit", "A", "E"};
static const jbw_kind kinds[] = {{"Food", food, 4}, {"Fruit", fruit, 2}};

static jbw_config small_kinds(jbw_item_type items[TYPES])
{
    for (int t = 0; t < TYPES; t++) items[t] = (jbw_item_type){.name = names[t]};
    jbw_config config = small_config(8, 0, items, TYPES);
    config.kinds = kinds;
    config.kind_count = 2;
    return config;
}

static void test_model(void **state)
{
    (void)state;
    jbw_item_type items[TYPES];
    const jbw_config config = small_kinds(items);
    jbw_model *model = model_of(&config);
    assert_int_equal(jbw_model_kind_count(model), 2);
    assert_string_equal(jbw_model_kind_name(model, 1), "Fruit");
    assert_null(jbw_model_kind_name(model, 2));
    assert_int_equal(jbw_model_kind(model, "Food"), 0);
    assert_int_equal(jbw_model_kind(model, "A"), -1);
    size_t count;
    const uint8_t *types = jbw_model_kind_types(model, 0, &count);
    assert_int_equal(count, 4);
    assert_memory_equal(types, "\1\2\0\4", 4); // B, then the fruit, then what is left
    assert_null(jbw_model_kind_types(model, -1, &count));
    assert_int_equal(count, 0);

    expect_reward_error(model, "Collect[Foot]", "unknown item 'Foot', did you mean 'Food'?");
    expect_reward_error(model, "Fruit",
                        "'Fruit' is a kind, expected a reward such as Collect[Fruit]");
    jbw_model_destroy(model);
}

static void test_bad_configs(void **state)
{
    (void)state;
    jbw_item_type items[TYPES];
    jbw_config config = small_kinds(items);
    const jbw_kind nameless = {NULL, fruit, 2};
    static const char *const nothing[] = {NULL};
    const jbw_kind hollow = {"Kind", nothing, 1};
    config.kind_count = 1;
    config.kinds = &nameless;
    assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
    config.kinds = &hollow;
    assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
    // more names than there can be
    enum { TOO_MANY = JBW_MAX_ITEM_NAMES + 100 };
    static char unknown[TOO_MANY][8];
    static jbw_interaction entries[TOO_MANY];
    for (int i = 0; i < TOO_MANY; i++) {
        snprintf(unknown[i], sizeof unknown[i], "X%d", i);
        entries[i] = (jbw_interaction){unknown[i], "Zero"};
    }
    config = small_kinds(items);
    items[0].interactions = entries;
    items[0].interaction_count = TOO_MANY;
    assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
    config = small_kinds(items);
    config.kind_count = JBW_MAX_KINDS + 1;
    static jbw_kind many[JBW_MAX_KINDS + 1];
    for (int i = 0; i <= JBW_MAX_KINDS; i++) many[i] = (jbw_kind){unknown[i], fruit, 2};
    config.kinds = many;
    assert_int_equal(jbw_config_check(&config, NULL, NULL), JBW_INVALID_CONFIG);
}

// ---- memory ----

static jbw_status build(const jbw_allocator *allocator)
{
    jbw_item_type items[TYPES];
    jbw_config config = small_kinds(items);
    static const jbw_item_count costs[] = {{"Fruit", 1}, {"A", 1}};
    static const jbw_interaction entry = {"Food", "PiecewiseBox[1, 2, 1, 1]"};
    items[0].costs = costs;
    items[0].cost_count = 2;
    items[1].interactions = &entry;
    items[1].interaction_count = 1;
    config.allocator = *allocator;
    jbw_model *model;
    jbw_reward *reward;
    jbw_status status = jbw_model_create(&config, &model, NULL);
    if (status) return status;
    status = jbw_reward_compile(model, "Collect[Food]", NULL, 0, &reward, NULL);
    if (!status) jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    return status;
}

static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status == JBW_OUT_OF_MEMORY; n++) {
        fail_allocations(&counting, n, 1);
        status = build(&allocator);
        allow_allocations(&counting);
        assert_int_equal(counting.block_count, 0);
    }
    assert_int_equal(status, JBW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interactions),   cmocka_unit_test(test_rewards),
        cmocka_unit_test(test_model),          cmocka_unit_test(test_bad_configs),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
