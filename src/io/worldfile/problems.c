// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

// more are of no use, and a hostile file could have millions
enum { MAX_KEPT = 1000 };

void jbw_problems_deinit(jbw_problems *problems)
{
    jbw_free(&problems->arena.allocator, problems->entries,
             problems->capacity * sizeof *problems->entries);
    jbw_arena_deinit(&problems->arena);
}

// Messages quote the text, possibly with line breaks, and may be truncated within a character.
// Makes them a single line of complete characters.
static void clean(char *text)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t code;
        const size_t step = jbw_utf8_decode(text + at, length - at, &code);
        if (step == 0)
            text[at] = '?';
        else if (code < 0x20 || code == 0x7f)
            text[at] = ' ';
        at += step > 0 ? step : 1;
    }
}

void jbw_problems_add(jbw_problems *problems, jbw_source_place place, const char *format, ...)
{
    if (problems->status == JBW_OK) problems->status = JBW_INVALID_CONFIG;
    if (problems->count == MAX_KEPT) {
        problems->left_off++;
        return;
    }

    char text[sizeof((jbw_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    clean(text);
    char *kept = jbw_arena_text(&problems->arena, text, strlen(text));
    if (!kept || !JBW_GROW(&problems->arena.allocator, problems->entries, problems->capacity,
                           problems->count + 1)) {
        jbw_problems_add_out_of_memory(problems);
        return;
    }
    problems->entries[problems->count] =
        (jbw_problem_entry){.place = place, .order = problems->count, .text = kept};
    problems->count++;
}

void jbw_problems_add_out_of_memory(jbw_problems *problems)
{
    problems->status = JBW_OUT_OF_MEMORY;
}

static int compare_entries(const void *left, const void *right)
{
    const jbw_problem_entry *a = left;
    const jbw_problem_entry *b = right;
    if (a->place.source->rank != b->place.source->rank)
        return a->place.source->rank < b->place.source->rank ? -1 : 1;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column) return a->place.column < b->place.column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// A node with aliases is read once for each, so its problems are found more than once.
static bool is_repeated(const jbw_problems *problems, size_t index)
{
    const jbw_problem_entry *entry = &problems->entries[index];
    for (size_t i = index; i-- > 0;) {
        const jbw_problem_entry *other = &problems->entries[i];
        if (other->place.source != entry->place.source || other->place.line != entry->place.line ||
            other->place.column != entry->place.column)
            return false;
        if (strcmp(other->text, entry->text) == 0) return true;
    }
    return false;
}

static jbw_diagnostic diagnostic_of(const jbw_problem_entry *entry)
{
    jbw_diagnostic diagnostic = {.source = entry->place.source->name,
                                 .line = entry->place.line,
                                 .column = entry->place.column,
                                 .text = entry->text};
    // for an override, its name says as much as its beginning
    if (entry->place.source->is_override && diagnostic.line <= 1 && diagnostic.column <= 1)
        diagnostic.line = diagnostic.column = 0;
    return diagnostic;
}

jbw_status jbw_problems_report(jbw_problems *problems, jbw_diagnostic_function *report, void *user,
                               jbw_error *error)
{
    if (problems->status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, problems->status);
    if (problems->status != JBW_INVALID_CONFIG) return problems->status;

    qsort(problems->entries, problems->count, sizeof *problems->entries, compare_entries);

    const jbw_diagnostic first = diagnostic_of(&problems->entries[0]);
    const bool is_override = problems->entries[0].place.source->is_override;
    jbw_error_set(error, first.line, first.column, "%s%s%s", is_override ? first.source : "",
                  is_override ? ": " : "", first.text);
    if (!report) return problems->status;

    for (size_t i = 0; i < problems->count; i++) {
        if (is_repeated(problems, i)) continue;
        const jbw_diagnostic diagnostic = diagnostic_of(&problems->entries[i]);
        report(&diagnostic, user);
    }
    if (problems->left_off > 0) {
        char text[80];
        snprintf(text, sizeof text, "and %zu more problems", problems->left_off);
        const jbw_diagnostic rest = {.source = first.source, .text = text};
        report(&rest, user);
    }
    return problems->status;
}
