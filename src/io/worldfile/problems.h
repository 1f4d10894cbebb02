// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a world file, collected while it is read and told in the order of
/// the text once reading is over.
#ifndef JBW_IO_WORLDFILE_PROBLEMS_H
#define JBW_IO_WORLDFILE_PROBLEMS_H

#include "base/alloc.h"
#include "jbw/io.h"

/// A text that problems are found in: a file, or the value of an override.
typedef struct jbw_source {
    const char *name;
    size_t rank; // sources are told of in this order
    bool is_override;
} jbw_source;

/// A place in a source; line and column count from one, zero where there is none.
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

/// All zero but for the arena's allocator is an empty collection.
typedef struct jbw_problems {
    jbw_arena arena; // texts
    jbw_problem_entry *entries;
    size_t count;
    size_t capacity;
    size_t left_off;   // found, but not kept
    jbw_status status; // OK, INVALID_CONFIG once something was added, or OUT_OF_MEMORY
} jbw_problems;

void jbw_problems_deinit(jbw_problems *problems);

void jbw_problems_add(jbw_problems *problems, jbw_source_place place, const char *format, ...)
    JBW_PRINTF(3, 4);

/// Notes that memory ran out, which outweighs everything else.
void jbw_problems_add_out_of_memory(jbw_problems *problems);

/// Sorts by source, line and column, tells `report` (may be NULL) of each problem, puts the first
/// one into `error` (may be NULL), and returns the status.
jbw_status jbw_problems_tell(jbw_problems *problems, jbw_diagnostic_function *report, void *user,
                             jbw_error *error);

#endif
