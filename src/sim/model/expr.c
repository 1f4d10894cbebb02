// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The parser of the expression language that world files and rewards share.

#include "sim/model/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
    MAX_DEPTH = 64, // of nesting, so that no text can overflow the stack
    MAX_NAME_LENGTH = 100,
};

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_OPEN_BRACKET,
    TOKEN_CLOSE_BRACKET,
    TOKEN_OPEN_PAREN,
    TOKEN_CLOSE_PAREN,
    TOKEN_COMMA,
    TOKEN_AND,
    TOKEN_PLUS,
    TOKEN_BAD,
} token_kind;

typedef struct token {
    token_kind kind;
    int line;
    int column;
    const char *text;
    size_t length;
} token;

typedef struct parser {
    const char *at;
    const char *end;
    int line;
    int column;
    token next; // lookahead
    int depth;
    bool has_sums; // '+' joins terms
    jbw_arena *arena;
    jbw_error *error;
    jbw_status status; // the first failure; parsing stops there
} parser;

static const char and_sign[] = "\xe2\x88\xa7"; // logical and, as in the paper

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *text, const char *end)
{
    const char *at = text;
    while (at < end && (is_letter(*at) || is_digit(*at))) at++;
    return (size_t)(at - text);
}

// a plus sign that no digit follows adds two terms
static bool is_sum(const char *text, size_t left)
{
    return *text == '+' && (left < 2 || (!is_digit(text[1]) && text[1] != '.'));
}

// takes everything that could belong to a number; whether it is valid is decided later
static size_t number_length(const char *text, const char *end)
{
    const char *at = text;
    while (at < end) {
        const bool is_sign = *at == '-' || *at == '+';
        const bool follows_exponent = at > text && (at[-1] == 'e' || at[-1] == 'E');
        if (is_sign && at != text && !follows_exponent) break;
        if (!is_sign && !is_digit(*at) && !is_letter(*at) && *at != '.') break;
        at++;
    }
    return (size_t)(at - text);
}

static void advance_over_space(parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') {
            p->line++;
            p->column = 1;
        } else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r') {
            p->column++;
        } else {
            return;
        }
        p->at++;
    }
}

static void read_token(parser *p)
{
    advance_over_space(p);
    token *next = &p->next;
    *next = (token){.line = p->line, .column = p->column, .text = p->at, .length = 1};
    if (p->at == p->end) {
        next->kind = TOKEN_END;
        next->length = 0;
        return;
    }

    int columns = 0; // zero means one per byte
    const size_t left = (size_t)(p->end - p->at);
    const char c = *p->at;
    if (is_letter(c)) {
        next->kind = TOKEN_NAME;
        next->length = name_length(p->at, p->end);
    } else if (p->has_sums && is_sum(p->at, left)) {
        next->kind = TOKEN_PLUS;
    } else if (is_digit(c) || c == '-' || c == '+' || c == '.') {
        next->kind = TOKEN_NUMBER;
        next->length = number_length(p->at, p->end);
    } else if (left >= 3 && memcmp(p->at, and_sign, 3) == 0) {
        next->kind = TOKEN_AND;
        next->length = 3;
        columns = 1;
    } else {
        next->kind = c == '['   ? TOKEN_OPEN_BRACKET
                     : c == ']' ? TOKEN_CLOSE_BRACKET
                     : c == '(' ? TOKEN_OPEN_PAREN
                     : c == ')' ? TOKEN_CLOSE_PAREN
                     : c == ',' ? TOKEN_COMMA
                     : c == '&' ? TOKEN_AND
                                : TOKEN_BAD;
    }
    p->at += next->length;
    p->column += columns ? columns : (int)next->length;
}

static void describe_token(const token *t, char *out, size_t size)
{
    if (t->kind == TOKEN_END) {
        snprintf(out, size, "the end");
    } else if (t->kind == TOKEN_BAD && (*t->text < 0x20 || *t->text > 0x7e)) {
        snprintf(out, size, "an unexpected character");
    } else {
        const int shown = t->length > 40 ? 40 : (int)t->length;
        snprintf(out, size, "'%.*s%s'", shown, t->text, t->length > 40 ? "..." : "");
    }
}

static jbw_expr *fail(parser *p, const token *at, const char *expected)
{
    if (p->status) return NULL;
    p->status = JBW_INVALID_EXPRESSION;
    char found[80];
    describe_token(at, found, sizeof found);
    jbw_error_set(p->error, at->line, at->column, "found %s, expected %s", found, expected);
    return NULL;
}

static jbw_expr *new_node(parser *p, jbw_expr_kind kind, const token *at)
{
    jbw_expr *node = jbw_arena_alloc(p->arena, 1, sizeof *node);
    if (!node) {
        p->status = jbw_error_set_status(p->error, JBW_OUT_OF_MEMORY);
        return NULL;
    }
    node->kind = kind;
    node->line = at->line;
    node->column = at->column;
    return node;
}

static jbw_expr *parse_expression(parser *p);

// expressions separated by commas, up to the closing token, as children of `parent`
static bool parse_list(parser *p, jbw_expr *parent, token_kind closing, const char *closing_text)
{
    jbw_expr **link = &parent->first_child;
    for (;;) {
        jbw_expr *child = parse_expression(p);
        if (!child) return false;
        *link = child;
        link = &child->next;
        parent->child_count++;

        if (p->next.kind == closing) break;
        if (p->next.kind != TOKEN_COMMA) return fail(p, &p->next, closing_text) != NULL;
        read_token(p);
    }
    read_token(p);
    return true;
}

static jbw_expr *parse_number(parser *p)
{
    double value;
    if (!jbw_parse_double(p->next.text, p->next.length, &value))
        return fail(p, &p->next, "a number such as -1.5");
    jbw_expr *node = new_node(p, JBW_EXPR_NUMBER, &p->next);
    if (!node) return NULL;
    node->number = value;
    node->is_whole = jbw_parse_int64(p->next.text, p->next.length, &node->whole);
    read_token(p);
    return node;
}

static jbw_expr *parse_call(parser *p)
{
    if (p->next.length > MAX_NAME_LENGTH) return fail(p, &p->next, "a name of at most 100 letters");
    jbw_expr *node = new_node(p, JBW_EXPR_CALL, &p->next);
    if (!node) return NULL;
    node->name = jbw_arena_text(p->arena, p->next.text, p->next.length);
    if (!node->name) {
        p->status = JBW_OUT_OF_MEMORY;
        return NULL;
    }
    read_token(p);

    if (p->next.kind != TOKEN_OPEN_BRACKET) return node;
    node->has_brackets = true;
    read_token(p);
    if (p->next.kind == TOKEN_CLOSE_BRACKET) {
        read_token(p);
        return node;
    }
    return parse_list(p, node, TOKEN_CLOSE_BRACKET, "',' or ']'") ? node : NULL;
}

static jbw_expr *parse_tuple(parser *p)
{
    jbw_expr *node = new_node(p, JBW_EXPR_TUPLE, &p->next);
    if (!node) return NULL;
    read_token(p);
    return parse_list(p, node, TOKEN_CLOSE_PAREN, "',' or ')'") ? node : NULL;
}

static jbw_expr *parse_term(parser *p)
{
    switch (p->next.kind) {
    case TOKEN_NUMBER: return parse_number(p);
    case TOKEN_NAME: return parse_call(p);
    case TOKEN_OPEN_PAREN: return parse_tuple(p);
    default: return fail(p, &p->next, "a name, a number or '('");
    }
}

// one operand, or several that an operator joins, as children of a node
static jbw_expr *parse_joined(parser *p, token_kind operator, jbw_expr_kind kind,
                              jbw_expr *(*parse_operand)(parser *))
{
    const token start = p->next;
    jbw_expr *node = parse_operand(p);
    if (!node || p->next.kind != operator) return node;
    jbw_expr *all = new_node(p, kind, &start);
    if (!all) return NULL;
    all->first_child = node;
    all->child_count = 1;
    while (p->next.kind == operator) {
        read_token(p);
        node->next = parse_operand(p);
        if (!node->next) return NULL;
        node = node->next;
        all->child_count++;
    }
    return all;
}

static jbw_expr *parse_sum(parser *p)
{
    return parse_joined(p, TOKEN_PLUS, JBW_EXPR_SUM, parse_term);
}

static jbw_expr *parse_expression(parser *p)
{
    if (p->depth == MAX_DEPTH) return fail(p, &p->next, "at most 64 levels of nesting");
    p->depth++;
    jbw_expr *node = parse_joined(p, TOKEN_AND, JBW_EXPR_AND, parse_sum);
    p->depth--;
    return node;
}

static jbw_status parse(parser *p, const char *after, jbw_expr **out)
{
    *out = NULL;
    read_token(p);
    jbw_expr *node = parse_expression(p);
    if (node && p->next.kind != TOKEN_END) node = fail(p, &p->next, after);
    if (!node) return p->status;
    *out = node;
    return JBW_OK;
}

jbw_status jbw_expr_parse(const char *text, size_t length, jbw_arena *arena, jbw_expr **out,
                          jbw_error *error)
{
    parser p = {
        .at = text, .end = text + length, .line = 1, .column = 1, .arena = arena, .error = error};
    return parse(&p, "'&' or the end", out);
}

jbw_status jbw_expr_parse_sum(const char *text, size_t length, jbw_arena *arena, jbw_expr **out,
                              jbw_error *error)
{
    parser p = {
        .at = text, .end = text + length, .line = 1, .column = 1, .arena = arena, .error = error};
    p.has_sums = true;
    return parse(&p, "'+' or the end", out);
}

void jbw_expr_describe(const jbw_expr *expr, char *out, size_t size)
{
    char number[JBW_DOUBLE_TEXT_SIZE];
    switch (expr->kind) {
    case JBW_EXPR_NUMBER:
        if (expr->is_whole)
            snprintf(number, sizeof number, "%" PRId64, expr->whole);
        else
            jbw_format_double(expr->number, number);
        snprintf(out, size, "the number %s", number);
        break;
    case JBW_EXPR_CALL:
        snprintf(out, size, "'%s%s'", expr->name, expr->has_brackets ? "[...]" : "");
        break;
    case JBW_EXPR_TUPLE: snprintf(out, size, "a tuple"); break;
    case JBW_EXPR_AND: snprintf(out, size, "a combination by '&'"); break;
    case JBW_EXPR_SUM: snprintf(out, size, "a sum"); break;
    }
}
