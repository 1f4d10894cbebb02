// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The expression language: trees of good texts, errors of faulty ones, and their positions.
#include "support/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/expr.h"

// a tree as text, in a canonical form
static void write_tree(const jbw_expr *expr, char *out, size_t size)
{
    const size_t used = strlen(out);
    out += used;
    size -= used;
    switch (expr->kind) {
    case JBW_EXPR_NUMBER: snprintf(out, size, "%g", expr->number); return;
    case JBW_EXPR_CALL:
        snprintf(out, size, "%s%s", expr->name, expr->has_brackets ? "[" : "");
        break;
    case JBW_EXPR_TUPLE: snprintf(out, size, "("); break;
    case JBW_EXPR_AND: snprintf(out, size, "&("); break;
    case JBW_EXPR_SUM: snprintf(out, size, "+("); break;
    }
    int count = 0;
    for (const jbw_expr *child = expr->first_child; child; child = child->next) {
        if (count++) strncat(out, ",", size - strlen(out) - 1);
        write_tree(child, out, size);
    }
    assert_int_equal(count, expr->child_count);
    if (expr->kind == JBW_EXPR_CALL && expr->has_brackets)
        strncat(out, "]", size - strlen(out) - 1);
    if (expr->kind == JBW_EXPR_TUPLE || expr->kind == JBW_EXPR_AND || expr->kind == JBW_EXPR_SUM)
        strncat(out, ")", size - strlen(out) - 1);
}

static void check_tree(const char *text, const char *expected)
{
    jbw_arena arena = {0};
    jbw_expr *expr;
    jbw_error error = {0};
    if (jbw_expr_parse(text, strlen(text), &arena, &expr, &error))
        fail_msg("'%s': %d:%d: %s", text, error.line, error.column, error.text);
    char tree[1000] = "";
    write_tree(expr, tree, sizeof tree);
    assert_string_equal(tree, expected);
    jbw_arena_deinit(&arena);
}

static void test_trees(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"Zero", "Zero"},
        {"Zero[]", "Zero[]"},
        {"Constant[1.5]", "Constant[1.5]"},
        {"Constant[-1e-3]", "Constant[-0.001]"},
        {"Constant[+2]", "Constant[2]"},
        {"  Cross [ 20 ,40,8,\t-1000,\n-1000 , -1 ]  ", "Cross[20,40,8,-1000,-1000,-1]"},
        {"42", "42"},
        {"-0.5e2", "-50"},
        {"(1, 2)", "(1,2)"},
        {"(1)", "(1)"},
        {"Table[(0, 1, 0), (1, 0, 1), (0, 1, 0)]", "Table[(0,1,0),(1,0,1),(0,1,0)]"},
        {"Collect[JellyBean] & Avoid[Onion]", "&(Collect[JellyBean],Avoid[Onion])"},
        {"Collect[JellyBean] \xe2\x88\xa7 Avoid[Onion]", "&(Collect[JellyBean],Avoid[Onion])"},
        {"a & b & c", "&(a,b,c)"},
        {"a&b\xe2\x88\xa7"
         "c",
         "&(a,b,c)"},
        {"Combined[Action[-0.01], Explore[0.1]]", "Combined[Action[-0.01],Explore[0.1]]"},
        {"Cyclical[(Collect[A] & Avoid[B], 100000), (Avoid[A], 5)]",
         "Cyclical[(&(Collect[A],Avoid[B]),100000),(Avoid[A],5)]"},
        {"_x1[Y_2]", "_x1[Y_2]"},
        {"f[g[h[i[j]]]]", "f[g[h[i[j]]]]"},
        {"f[(a & b), c]", "f[(&(a,b)),c]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_tree(cases[i][0], cases[i][1]);
}

static void test_sums(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a + b", "+(a,b)"},
        {"Constant[1]+Noise[200, 0, -3, +3]", "+(Constant[1],Noise[200,0,-3,3])"},
        {"a+b & c + d +e", "&(+(a,b),+(c,d,e))"},
        {"+5", "5"},
        {"a + +5", "+(a,5)"},
        {"a + .5", "+(a,0.5)"},
        {"f[a + b, (c+d)]", "f[+(a,b),(+(c,d))]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        char tree[1000] = "";
        const char *text = cases[i][0];
        assert_int_equal(jbw_expr_parse_sum(text, strlen(text), &arena, &expr, NULL), JBW_OK);
        write_tree(expr, tree, sizeof tree);
        assert_string_equal(tree, cases[i][1]);
        jbw_arena_deinit(&arena);
    }
    static const struct {
        const char *text;
        int column;
    } faulty[] = {{"a +", 4}, {"a + + b", 5}, {"a +5", 3}, {"+ a", 1}, {"a b", 3}};
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        jbw_error error = {0};
        const char *text = faulty[i].text;
        assert_int_equal(jbw_expr_parse_sum(text, strlen(text), &arena, &expr, &error),
                         JBW_INVALID_EXPRESSION);
        assert_int_equal(error.column, faulty[i].column);
        jbw_arena_deinit(&arena);
    }
}

static void test_positions(void **state)
{
    (void)state;
    // columns count characters, not bytes, and restart with each line
    const char *text = "a \xe2\x88\xa7 b[1,\n  (c, -2)]";
    jbw_arena arena = {0};
    jbw_expr *expr;
    assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, NULL), JBW_OK);
    const jbw_expr *a = expr->first_child;
    const jbw_expr *b = a->next;
    const jbw_expr *tuple = b->first_child->next;
    assert_int_equal(a->line, 1);
    assert_int_equal(a->column, 1);
    assert_int_equal(b->line, 1);
    assert_int_equal(b->column, 5);
    assert_int_equal(b->first_child->column, 7);
    assert_int_equal(tuple->line, 2);
    assert_int_equal(tuple->column, 3);
    assert_int_equal(tuple->first_child->column, 4);
    assert_int_equal(tuple->first_child->next->line, 2);
    assert_int_equal(tuple->first_child->next->column, 7);
    jbw_arena_deinit(&arena);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_whole;
        int64_t whole;
    } cases[] = {
        {"0", true, 0},
        {"-17", true, -17},
        {"+5", true, 5},
        {"9007199254740993", true, INT64_C(9007199254740993)}, // not a double
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"1e3", false, 0},
        {"2.0", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        const char *text = cases[i].text;
        assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, NULL), JBW_OK);
        assert_int_equal(expr->is_whole, cases[i].is_whole);
        if (expr->is_whole) assert_int_equal(expr->whole, cases[i].whole);
        jbw_arena_deinit(&arena);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        int column;
    } cases[] = {
        {"", 1, 1},
        {"   ", 1, 4},
        {"Constant[1.5", 1, 13},
        {"Constant[1.5]]", 1, 14},
        {"Constant[1,]", 1, 12},
        {"Constant[,1]", 1, 10},
        {"Constant[1 2]", 1, 12},
        {"Constant(1)", 1, 9},
        {"()", 1, 2},
        {"(1, 2", 1, 6},
        {"a &", 1, 4},
        {"& a", 1, 1},
        {"a & & b", 1, 5},
        {"a b", 1, 3},
        {"1 2", 1, 3},
        {"a[b}", 1, 4},
        {"a]", 1, 2},
        {"\xe2\x88\xa7 a", 1, 1},
        {"a \xe2\x88\xa7 \xe2\x88\xa7", 1, 5},
        {"a[\n1,\n  ?]", 3, 3},
        {"a + b", 1, 3},
        {"-", 1, 1},
        {"1e999", 1, 1},
        {"a[-]", 1, 3},
        {"a[1.2.3]", 1, 3},
        {"a[\"b\"]", 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        jbw_error error = {0};
        const char *text = cases[i].text;
        assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, &error),
                         JBW_INVALID_EXPRESSION);
        if (error.line != cases[i].line || error.column != cases[i].column)
            fail_msg("'%s': found %d:%d (%s), expected %d:%d", text, error.line, error.column,
                     error.text, cases[i].line, cases[i].column);
        assert_true(error.column >= 1);
        assert_true(strlen(error.text) > 5);
        assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, NULL),
                         JBW_INVALID_EXPRESSION);
        jbw_arena_deinit(&arena);
    }
}

static void test_found_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *found;
    } cases[] = {
        {"~", "'~'"},
        {"!", "'!'"},
        {"\x7f", "an unexpected character"},
        {"\x1f", "an unexpected character"},
        {"\xe2\x82\xac", "an unexpected character"},
        {"a abcdefghijklmnopqrstuvwxyzabcdefghijklmn",
         "'abcdefghijklmnopqrstuvwxyzabcdefghijklmn'"},
        {"a abcdefghijklmnopqrstuvwxyzabcdefghijklmno",
         "'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...'"},
        {"a[", "the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        jbw_error error = {0};
        const char *text = cases[i].text;
        assert_int_equal(jbw_expr_parse(text, strlen(text), &arena, &expr, &error),
                         JBW_INVALID_EXPRESSION);
        if (!strstr(error.text, cases[i].found)) fail_msg("'%s': %s", text, error.text);
        jbw_arena_deinit(&arena);
    }
}

static void test_every_piece_of_a_text(void **state)
{
    (void)state;
    // every piece of a text, and every single change, gives a tree or an error
    const char *text = "Cyclical[(Collect[A] & Avoid[B], 1e5), (f[-0.5, +.5], 5)]";
    const size_t length = strlen(text);
    static const char odd[] = "[](),&-+.e0 \n\t\"\\\x80\xe2\xff";
    for (size_t begin = 0; begin < length; begin++) {
        for (size_t end = begin; end <= length; end++) {
            jbw_arena arena = {0};
            jbw_expr *expr = NULL;
            jbw_error error = {0};
            // a copy of exactly that length, so that sanitizers notice reads beyond it
            char *piece = malloc(end - begin + 1);
            assert_non_null(piece);
            memcpy(piece, text + begin, end - begin);
            char *exact = realloc(piece, end - begin ? end - begin : 1);
            assert_non_null(exact);
            const jbw_status status = jbw_expr_parse(exact, end - begin, &arena, &expr, &error);
            assert_true(status == JBW_OK || status == JBW_INVALID_EXPRESSION);
            assert_int_equal(status == JBW_OK, expr != NULL);
            if (status) assert_true(error.column >= 1 && error.column <= (int)(end - begin) + 1);
            free(exact);
            jbw_arena_deinit(&arena);
        }
    }
    for (size_t at = 0; at < length; at++) {
        for (size_t i = 0; i < sizeof odd; i++) { // including its terminating zero
            char changed[100];
            memcpy(changed, text, length + 1);
            changed[at] = odd[i];
            jbw_arena arena = {0};
            jbw_expr *expr = NULL;
            const jbw_status status = jbw_expr_parse(changed, length, &arena, &expr, NULL);
            assert_true(status == JBW_OK || status == JBW_INVALID_EXPRESSION);
            jbw_arena_deinit(&arena);
        }
    }
}

static void test_deep_nesting(void **state)
{
    (void)state;
    // a hundred thousand brackets are an error, not a stack overflow
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH);
    assert_non_null(text);
    static const char *const openings[] = {"(", "f["};
    for (int k = 0; k < 2; k++) {
        const size_t step = strlen(openings[k]);
        for (size_t i = 0; i < DEPTH; i++) memcpy(text + i * step, openings[k], step);
        jbw_arena arena = {0};
        jbw_expr *expr;
        jbw_error error = {0};
        assert_int_equal(jbw_expr_parse(text, DEPTH * step, &arena, &expr, &error),
                         JBW_INVALID_EXPRESSION);
        jbw_arena_deinit(&arena);
    }
    free(text);
}

static void test_describe(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"3", "number"}, {"Cross[1]", "Cross"}, {"(1, 2)", "tuple"}, {"a", "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_arena arena = {0};
        jbw_expr *expr;
        char text[100] = "";
        assert_int_equal(jbw_expr_parse(cases[i][0], strlen(cases[i][0]), &arena, &expr, NULL),
                         JBW_OK);
        jbw_expr_describe(expr, text, sizeof text);
        if (!strstr(text, cases[i][1])) fail_msg("'%s' is described as '%s'", cases[i][0], text);
        jbw_expr_describe(expr, text, 3); // truncated
        assert_true(strlen(text) <= 2);
        jbw_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_found_characters),
        cmocka_unit_test(test_every_piece_of_a_text),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
