// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a world file. Problems are collected while it is read and reported
/// at the end, in the order of the text.
#ifndef JBW_IO_WORLDFILE_PROBLEMS_H
#define JBW_IO_WORLDFILE_PROBLEMS_H

#include "base/alloc.h"
#include "jbw/io.h"

/// A text in which problems are found: a file, or the value of an override.
typedef struct jbw_source {
    const char *name;
    size_t rank; // sources are reported in this order
    bool is_override;
} jbw_source;

/// A place in a source. Line and column count from one; zero means unknown.
typedef struct jbw_source_place {
    const jbw_source *source;
    int line;
    int column;
} jbw_source_place;

typedef struct jbw_problem_entry {
    jbw_source_place place;
    size_t order; // of discovery
    const char *text;
} jbw_problem_entry;

/// Empty if zero except for the arena's allocator.
typedef struct jbw_problems {
    jbw_arena arena; // of the texts
    jbw_problem_entry *entries;
    size_t count;
    size_t capacity;
    size_t left_off;   // found but not kept
    jbw_status status; // OK, INVALID_CONFIG once something was added, or OUT_OF_MEMORY
} jbw_problems;

void jbw_problems_deinit(jbw_problems *problems);

void jbw_problems_add(jbw_problems *problems, jbw_source_place place, const char *format, ...)
    JBW_PRINTF(3, 4);

/// Notes that memory ran out, which overrides all problems.
void jbw_problems_add_out_of_memory(jbw_problems *problems);

/// Sorts the problems by source, line and column, passes each to `report` (may be NULL), copies the
/// first to `error` (may be NULL) and returns the status.
jbw_status jbw_problems_report(jbw_problems *problems, jbw_diagnostic_function *report, void *user,
                               jbw_error *error);

#endif
