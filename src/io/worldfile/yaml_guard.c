// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml_guard.h"

#include <string.h>

#include "base/utf8.h"

enum {
    MAX_MARKS = 2000000, // line breaks, commas and opening brackets
    MAX_WORD = 200,      // characters of a tag or directive
};

typedef struct guarded {
    const char *text;
    size_t length;
    const jbw_source *source;
    jbw_problems *problems;
} guarded;

static bool is_allowed(uint32_t code)
{
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    if (code < 0xa0) return code < 0x7f || code == 0x85;
    return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

// libfyaml accepts some of these, but world files need none of them
static bool check_characters(const guarded *g)
{
    jbw_source_place place = {.source = g->source, .line = 1, .column = 1};
    for (size_t at = 0; at < g->length;) {
        uint32_t code;
        const size_t step = jbw_utf8_decode(g->text + at, g->length - at, &code);
        if (step == 0) {
            jbw_problems_add(g->problems, place, "byte 0x%02x is not valid UTF-8",
                             (unsigned char)g->text[at]);
            return false;
        }
        if (!is_allowed(code)) {
            jbw_problems_add(g->problems, place, "character U+%04X is not allowed", (unsigned)code);
            return false;
        }
        at += step;
        place.column++;
        const bool ends_line =
            code == '\n' || (code == '\r' && (at == g->length || g->text[at] != '\n'));
        if (ends_line) {
            place.line++;
            place.column = 1;
        }
    }
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// whether a directive or tag begins here that is longer than any useful one
static bool is_long_word(const guarded *g, size_t at)
{
    const bool begins_line = at == 0 || g->text[at - 1] == '\n' || g->text[at - 1] == '\r';
    const bool begins_word =
        begins_line || is_space(g->text[at - 1]) || strchr("[{,:", g->text[at - 1]);
    const bool is_directive = g->text[at] == '%' && begins_line;
    const bool is_tag = g->text[at] == '!' && begins_word;
    if (!is_directive && !is_tag) return false;
    size_t end = at;
    for (; end < g->length && end - at <= MAX_WORD; end++) {
        const char c = g->text[end];
        if (is_directive ? c == '\n' || c == '\r' : is_space(c)) return false;
    }
    return end - at > MAX_WORD;
}

// Rejects text that is expensive for libfyaml: it keeps tokens in memory until a bracketed list or
// mapping ends, and its time for tags and directives is quadratic in their length.
static bool check_work(const guarded *g)
{
    size_t mark_count = 0;
    for (size_t at = 0; at < g->length; at++) {
        switch (g->text[at]) {
        case '\n':
        case '\r':
        case ',':
        case '[':
        case '{':
            if (++mark_count <= MAX_MARKS) break;
            jbw_problems_add(g->problems, (jbw_source_place){.source = g->source},
                             "found more than %d lines, commas and brackets", MAX_MARKS);
            return false;
        case '%':
        case '!': {
            if (!is_long_word(g, at)) break;
            jbw_source_place place = {.source = g->source, .line = 1, .column = 1};
            for (size_t i = 0; i < at; i++) {
                place.column = g->text[i] == '\n' ? 1 : place.column + 1;
                place.line += g->text[i] == '\n' ? 1 : 0;
            }
            jbw_problems_add(g->problems, place, "found a %s of more than %d characters",
                             g->text[at] == '%' ? "directive" : "tag", MAX_WORD);
            return false;
        }
        default: break;
        }
    }
    return true;
}

bool jbw_yaml_guard_accepts(const char *text, size_t length, const jbw_source *source,
                            jbw_problems *problems)
{
    const guarded g = {.text = text, .length = length, .source = source, .problems = problems};
    return check_characters(&g) && check_work(&g);
}
