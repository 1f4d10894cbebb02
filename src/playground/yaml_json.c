// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// World files as JSON, for a playground that was built without libfyaml: strict, with the tree and the places
// that src/io/worldfile/yaml.c makes of the same text.

#include <string.h>

#include "base/utf8.h"
#include "io/worldfile/yaml.h"
#include "io/worldfile/yaml_guard.h"

enum { DEPTH_MOST = 64 };

typedef struct json_reader {
    const char *at;
    const char *end;
    jbw_source_place place; // of `at`
    int depth;
    jbw_arena *arena;
    jbw_problems *problems;
} json_reader;

static bool fail(json_reader *r, const char *expected)
{
    jbw_problems_add(r->problems, r->place, "found %s, expected %s",
                     r->at == r->end ? "the end of the text" : "something else", expected);
    return false;
}

static bool fail_memory(json_reader *r)
{
    jbw_problems_add_out_of_memory(r->problems);
    return false;
}

static char peek(const json_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static void advance(json_reader *r)
{
    const bool ends_line = *r->at == '\n';
    r->at++;
    while (r->at < r->end && ((unsigned char)*r->at & 0xc0) == 0x80) r->at++;
    r->place.column = ends_line ? 1 : r->place.column + 1;
    r->place.line += ends_line ? 1 : 0;
}

static void skip_space(json_reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) advance(r);
}

static bool take(json_reader *r, char c)
{
    skip_space(r);
    if (peek(r) != c) return false;
    advance(r);
    return true;
}

static jbw_yaml_node *new_node(json_reader *r, jbw_yaml_kind kind)
{
    jbw_yaml_node *node = jbw_arena_alloc(r->arena, 1, sizeof *node);
    if (!node) {
        fail_memory(r);
        return NULL;
    }
    *node = (jbw_yaml_node){.kind = kind, .place = r->place, .weight = 1};
    return node;
}

// ---- texts ----

static bool read_hex(json_reader *r, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char c = peek(r);
        const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
        if (!digit) return fail(r, "four hexadecimal digits");
        *out = *out << 4 | (uint32_t)(digit - digits);
        advance(r);
    }
    return true;
}

static char *put_utf8(char *to, uint32_t code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | code >> (6 * more));
    for (int i = more; i-- > 0;) *to++ = (char)(0x80 | (code >> (6 * i) & 0x3f));
    return to;
}

// what follows a backslash
static bool read_escape(json_reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char c = peek(r);
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        advance(r);
        *(*to)++ = meanings[letter - letters];
        return true;
    }
    if (c != 'u') return fail(r, "one of \" \\ / b f n r t u behind a backslash");
    advance(r);
    uint32_t code;
    if (!read_hex(r, &code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        uint32_t low = 0;
        const bool is_pair = take(r, '\\') && take(r, 'u');
        if (!is_pair || !read_hex(r, &low) || low < 0xdc00 || low >= 0xe000)
            return fail(r, "the second half of a character");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code == 0 || (code >= 0xdc00 && code < 0xe000)) {
        return fail(r, "a character");
    }
    *to = put_utf8(*to, code);
    return true;
}

static jbw_yaml_node *read_text(json_reader *r)
{
    jbw_yaml_node *node = new_node(r, JBW_YAML_TEXT);
    if (!node) return NULL;
    advance(r);
    const char *end = r->at;
    while (end < r->end && *end != '"') end += *end == '\\' && end + 1 < r->end ? 2 : 1;
    char *text = jbw_arena_alloc(r->arena, (size_t)(end - r->at) + 1, 1);
    if (!text) {
        fail_memory(r);
        return NULL;
    }
    char *to = text;
    node->is_quoted = node->is_verbatim = true;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
        const char *from = r->at;
        advance(r);
        if (*from == '\\') {
            node->is_verbatim = false;
            if (!read_escape(r, &to)) return NULL;
            continue;
        }
        memcpy(to, from, (size_t)(r->at - from));
        to += r->at - from;
    }
    if (peek(r) != '"') {
        fail(r, "\" at the end of the text");
        return NULL;
    }
    advance(r);
    *to = '\0';
    node->text = text;
    node->length = (size_t)(to - text);
    return node;
}

// a number, true, false or null
static jbw_yaml_node *read_word(json_reader *r)
{
    jbw_yaml_node *node = new_node(r, JBW_YAML_TEXT);
    const char *from = r->at;
    while (r->at < r->end && !strchr(" \t\r\n,:[]{}\"", *r->at)) advance(r);
    const size_t length = (size_t)(r->at - from);
    if (!node) return NULL;
    node->text = jbw_arena_text(r->arena, from, length);
    node->length = length;
    node->is_verbatim = true;
    const bool is_number = length > 0 && (*from == '-' || (*from >= '0' && *from <= '9'));
    if (!node->text) {
        fail_memory(r);
        return NULL;
    }
    if (strcmp(node->text, "null") == 0) {
        node->kind = JBW_YAML_NULL;
    } else if (!is_number && strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0) {
        r->place = node->place;
        r->at = from;
        fail(r, "a JSON value: a text in double quotes, a number, true, false, null, [ or {");
        return NULL;
    }
    return node;
}

// ---- lists and mappings ----

static jbw_yaml_node *read_value(json_reader *r);

// one more entry; a key that was there before is reported and left out
static bool add_pair(json_reader *r, jbw_yaml_node *node, size_t *capacity, jbw_yaml_pair pair)
{
    jbw_yaml_pair *before = pair.key ? jbw_yaml_find(node, pair.key->text, pair.key->length) : NULL;
    if (before) {
        char quoted[JBW_YAML_DESCRIPTION_SIZE];
        jbw_yaml_quote(pair.key->text, pair.key->length, quoted);
        jbw_problems_add(r->problems, pair.key->place,
                         "the key %s was already given at line %d, column %d", quoted,
                         before->key->place.line, before->key->place.column);
        return true;
    }
    if (node->count == *capacity) {
        const size_t larger = *capacity ? 2 * *capacity : 8;
        jbw_yaml_pair *pairs = jbw_arena_alloc(r->arena, larger, sizeof *pairs);
        if (!pairs) return fail_memory(r);
        if (node->count > 0) memcpy(pairs, node->pairs, node->count * sizeof *pairs);
        node->pairs = pairs;
        *capacity = larger;
    }
    node->pairs[node->count++] = pair;
    return true;
}

static jbw_yaml_node *read_container(json_reader *r, jbw_yaml_kind kind, char closing)
{
    jbw_yaml_node *node = new_node(r, kind);
    if (!node) return NULL;
    if (++r->depth > DEPTH_MOST) {
        jbw_problems_add(r->problems, r->place, "lists and mappings are nested deeper than %d",
                         DEPTH_MOST);
        return NULL;
    }
    advance(r);
    size_t capacity = 0;
    bool is_first = true;
    while (!take(r, closing)) {
        jbw_yaml_pair pair = {0};
        if (!is_first && !take(r, ',')) {
            fail(r, closing == ']' ? "',' or ']'" : "',' or '}'");
            return NULL;
        }
        is_first = false;
        skip_space(r);
        if (kind == JBW_YAML_MAPPING) {
            if (peek(r) != '"') {
                fail(r, "a key in double quotes");
                return NULL;
            }
            pair.key = read_text(r);
            if (!pair.key) return NULL;
            if (!take(r, ':')) {
                fail(r, "':' behind the key");
                return NULL;
            }
        }
        pair.value = read_value(r);
        if (!pair.value || !add_pair(r, node, &capacity, pair)) return NULL;
        node->weight += pair.value->weight;
    }
    r->depth--;
    return node;
}

static jbw_yaml_node *read_value(json_reader *r)
{
    skip_space(r);
    switch (peek(r)) {
    case '{': return read_container(r, JBW_YAML_MAPPING, '}');
    case '[': return read_container(r, JBW_YAML_LIST, ']');
    case '"': return read_text(r);
    default: return read_word(r);
    }
}

jbw_yaml_node *jbw_yaml_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems)
{
    if (length > JBW_YAML_MAX_LENGTH) {
        jbw_problems_add(problems, (jbw_source_place){.source = source},
                         "the text is longer than %d MiB", JBW_YAML_MAX_LENGTH >> 20);
        return NULL;
    }
    if (!jbw_yaml_guard_accepts(text, length, source, problems)) return NULL;
    json_reader r = {.at = text,
                     .end = text + length,
                     .place = {.source = source, .line = 1, .column = 1},
                     .arena = arena,
                     .problems = problems};
    jbw_yaml_node *root = read_value(&r);
    skip_space(&r);
    if (root && r.at < r.end) {
        fail(&r, "the end of the text");
        return NULL;
    }
    return root;
}
