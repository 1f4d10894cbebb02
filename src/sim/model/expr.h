// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The one small language of world files: intensities, interactions, rewards and schedules are all
/// written in it. This part knows its shape, not what any name means:
///
///     expression = term { ("&" | "∧") term }
///     term       = number | name [ "[" [ list ] "]" ] | "(" list ")"
///     list       = expression { "," expression }
///     name       = letter or "_", then letters, digits and "_"
///     number     = [ "-" | "+" ] decimal, as in -1.5e3
///
/// `Cross[20, -1]` becomes a tree of nodes, each of which knows the column it came from:
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
} jbw_expr_kind;

typedef struct jbw_expr jbw_expr;
struct jbw_expr {
    jbw_expr_kind kind;
    int line;   // counted from one
    int column; // counted from one, in characters
    double number;
    bool is_whole;    // of a NUMBER: written without point and exponent, and `whole` holds it
    int64_t whole;    // exact, also where `number` is not
    const char *name; // of a CALL, zero-terminated
    bool has_brackets;
    int child_count;
    jbw_expr *first_child;
    jbw_expr *next; // sibling
};

/// Parses all of a text into nodes of the arena. On failure returns JBW_INVALID_EXPRESSION or
/// JBW_OUT_OF_MEMORY, and `error` (may be NULL) says where, what was found and what was expected.
jbw_status jbw_expr_parse(const char *text, size_t length, jbw_arena *arena, jbw_expr **out,
                          jbw_error *error);

/// What a node is, for messages: "a number", "'Cross[...]'", "a tuple", ...
void jbw_expr_describe(const jbw_expr *expr, char *out, size_t size);

#endif
