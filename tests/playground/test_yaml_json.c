// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The playground's reader of JSON, held against libfyaml: JSON is YAML, so both make the same tree.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/worldfile/yaml.h"
#include "support/checks.h"

/// `jbw_yaml_parse` of src/playground/yaml_json.c, renamed by the build.
jbw_yaml_node *jbw_json_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems);

static const jbw_source source = {.name = "text"};

static void compare(const jbw_yaml_node *a, const jbw_yaml_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->place.line, b->place.line);
    assert_int_equal(a->place.column, b->place.column);
    assert_int_equal(a->count, b->count);
    if (a->kind == JBW_YAML_TEXT) {
        assert_int_equal(a->is_quoted, b->is_quoted);
        assert_int_equal(a->is_verbatim, b->is_verbatim);
        assert_int_equal(a->length, b->length);
        assert_memory_equal(a->text, b->text, a->length + 1);
    }
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(!a->pairs[i].key, !b->pairs[i].key);
        if (a->pairs[i].key) compare(a->pairs[i].key, b->pairs[i].key);
        compare(a->pairs[i].value, b->pairs[i].value);
    }
}

static void check_same(const char *text)
{
    jbw_arena arena = {0};
    jbw_problems ours = {0};
    jbw_problems theirs = {0};
    const jbw_yaml_node *a = jbw_json_parse(text, strlen(text), &source, &arena, &ours);
    const jbw_yaml_node *b = jbw_yaml_parse(text, strlen(text), &source, &arena, &theirs);
    if (!a || !b) fail_msg("not read: %s", text);
    compare(a, b);
    assert_int_equal(ours.count, theirs.count);
    jbw_problems_report(&ours, NULL, NULL, NULL); // which sorts them
    jbw_problems_report(&theirs, NULL, NULL, NULL);
    for (size_t i = 0; i < ours.count; i++) {
        assert_string_equal(ours.entries[i].text, theirs.entries[i].text);
        assert_int_equal(ours.entries[i].place.column, theirs.entries[i].place.column);
    }
    jbw_problems_deinit(&ours);
    jbw_problems_deinit(&theirs);
    jbw_arena_deinit(&arena);
}

static void test_texts(void **state)
{
    (void)state;
    check_same("{}");
    check_same("[]");
    check_same("null");
    check_same("-1.5e3");
    check_same("\"a text\"");
    check_same("{\"a\": [1, 2.5, true, false, null, \"x\"],\n \"b\": {\"c\": []}}\n");
    check_same("[\"\\u00e4\\n\\t\\\"\\\\\\/\", \"\xc3\xa4\xe2\x82\xac\", \"\\u20ac\"]");
    check_same("[\"\\ud83d\\ude00\", \"\xf0\x9f\x98\x80\", 1]");
    check_same("{\"k\": 1, \"l\": 2, \"k\": 3}");
    check_same("{\n  \"items\": {\n    \"A\": {\"color\": [0, 0, 1], \"intensity\": "
               "\"constant[-3]\"}\n  }\n}");
}

// ---- random ones ----

static char text[20000];
static size_t length;
static unsigned long random_state = 7;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(random_state >> 33) % below;
}

static void add(const char *more)
{
    append_text(text, sizeof text, more);
    length += strlen(more);
    if (draw(5) == 0) append_text(text, sizeof text, draw(2) ? " " : "\n  ");
}

static void add_value(int depth)
{
    static const char *const words[] = {
        "1",       "-2.5",           "1e9",           "true", "null",   "\"a b\"",
        "\"[x]\"", "\"\\u0041: {\"", "\"\xc3\xa4#\"", "\"\"", "\"- y\""};
    const unsigned kind = depth > 4 ? 2 : draw(4);
    if (kind > 1) {
        add(words[draw(sizeof words / sizeof *words)]);
        return;
    }
    add(kind == 0 ? "[" : "{");
    const unsigned count = draw(4);
    for (unsigned i = 0; i < count; i++) {
        char key[20];
        if (i > 0) add(",");
        snprintf(key, sizeof key, "\"k%u\"", draw(6));
        if (kind == 1) {
            append_text(text, sizeof text, key);
            append_text(text, sizeof text, ": ");
        }
        add_value(depth + 1);
    }
    add(kind == 0 ? "]" : "}");
}

static void test_random_texts(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        text[0] = '\0';
        length = 0;
        add_value(0);
        check_same(text);
    }
}

static void check_refused(const char *bad, int line, int column, const char *why)
{
    jbw_arena arena = {0};
    jbw_problems problems = {0};
    assert_null(jbw_json_parse(bad, strlen(bad), &source, &arena, &problems));
    assert_int_equal(problems.count, 1);
    assert_contains(problems.entries[0].text, why);
    assert_int_equal(problems.entries[0].place.line, line);
    assert_int_equal(problems.entries[0].place.column, column);
    jbw_problems_deinit(&problems);
    jbw_arena_deinit(&arena);
}

static void test_what_is_no_json(void **state)
{
    (void)state;
    check_refused("", 1, 1, "found the end of the text, expected a JSON value");
    check_refused("{\"a\": 1,}", 1, 9, "expected a key in double quotes");
    check_refused("{\n \"a\" 1}", 2, 6, "expected ':' behind the key");
    check_refused("[1 2]", 1, 4, "expected ',' or ']'");
    check_refused("[1, 2", 1, 6, "found the end of the text");
    check_refused("[yes]", 1, 2, "expected a JSON value");
    check_refused("{a: 1}", 1, 2, "expected a key in double quotes");
    check_refused("[\"a\nb\"]", 1, 4, "expected \" at the end of the text");
    check_refused("[\"\\x\"]", 1, 4, "behind a backslash");
    check_refused("[\"\\u12g4\"]", 1, 7, "hexadecimal");
    check_refused("[\"\\ud83d!\"]", 1, 9, "second half");
    check_refused("[\"\\u0000\"]", 1, 9, "expected a character");
    check_refused("{} {}", 1, 4, "expected the end of the text");
    check_refused("[\"\xff\"]", 1, 3, "not valid UTF-8");
    char deep[200] = "";
    for (int i = 0; i < 70; i++) append_text(deep, sizeof deep, "[");
    check_refused(deep, 1, 65, "nested deeper than 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_what_is_no_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
