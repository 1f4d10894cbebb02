// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The syntax of expressions: intensities, interactions, rewards and schedules are all written in
/// it. Nothing here knows what a name means.
///
///     expression = sum { ("&" | "∧") sum }
///     sum        = term { "+" term }, in intensities; elsewhere a term
///     term       = number | name [ "[" [ list ] "]" ] | "(" list ")"
///     list       = expression { "," expression }
///     name       = letter or "_", then letters, digits and "_"
///     number     = [ "-" | "+" ] decimal, as in -1.5e3
///
/// A "+" right before a digit or a point is a sign, any other adds.
///
/// `Cross[20, -1]` becomes a tree of nodes, each with its place in the text:
///
///     CALL "Cross" -- first_child --> NUMBER 20 -- next --> NUMBER -1
#ifndef JBW_SIM_MODEL_EXPR_H
#define JBW_SIM_MODEL_EXPR_H

#include "base/alloc.h"

typedef enum jbw_expr_kind {
    JBW_EXPR_NUMBER,
    JBW_EXPR_CALL,  // a name, with or without brackets
    JBW_EXPR_TUPLE, // ( ... )
    JBW_EXPR_AND,   // two or more children
    JBW_EXPR_SUM,   // two or more children
} jbw_expr_kind;

typedef struct jbw_expr jbw_expr;
struct jbw_expr {
    jbw_expr_kind kind;
    int line;   // counted from one
    int column; // counted from one, in characters
    double number;
    bool is_whole;    // NUMBER: written without point and exponent, and fits `whole`
    int64_t whole;    // exact even where `number` is rounded
    const char *name; // CALL
    bool has_brackets;
    int child_count;
    jbw_expr *first_child;
    jbw_expr *next; // sibling
};

/// Parses all of a text into nodes in the arena. Fails with JBW_INVALID_EXPRESSION or
/// JBW_OUT_OF_MEMORY; `error` (may be NULL) tells where, what was found and what was expected.
jbw_status jbw_expr_parse(const char *text, size_t length, jbw_arena *arena, jbw_expr **out,
                          jbw_error *error);

/// The same for an intensity, whose terms '+' may join.
jbw_status jbw_expr_parse_sum(const char *text, size_t length, jbw_arena *arena, jbw_expr **out,
                              jbw_error *error);

/// Describes a node for messages: "the number 3", "'Cross[...]'", "a tuple", ...
void jbw_expr_describe(const jbw_expr *expr, char *out, size_t size);

#endif
