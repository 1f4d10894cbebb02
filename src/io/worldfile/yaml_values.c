// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml_values.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { MAX_KEYS = 16 }; // of a mapping

// --- reporting problems -------------------------------------------------------------------------

void jbw_value_complain(jbw_value_reader *r, jbw_yaml_node *node, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jbw_problems_add(r->problems, node->place, "%s", text);
    node->is_faulty = true;
}

void jbw_value_complain_kind(jbw_value_reader *r, jbw_yaml_node *node, const char *expected)
{
    char found[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_describe(node, found);

    // a number or word that would be right without its quotes
    double number;
    const bool is_number = jbw_parse_double(node->text ? node->text : "", node->length, &number);
    const bool is_word =
        node->text && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0);
    const bool is_only_quoted = node->is_quoted && ((is_number && strstr(expected, "number")) ||
                                                    (is_word && strstr(expected, "true")));
    jbw_value_complain(r, node, "found %s, expected %s%s", found, expected,
                       is_only_quoted ? " without quotes" : "");
}

static void join_names(const char *const *names, size_t count, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? "" : ", ", names[i]);
}

// returns the name that was probably meant, or NULL
const char *jbw_value_complain_unknown(jbw_value_reader *r, jbw_yaml_node *node, const char *what,
                                       const char *name, size_t length, const char *const *names,
                                       size_t count)
{
    char quoted[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_quote(name, length, quoted);
    if (r->problems->left_off > 0) { // it will not be kept
        jbw_value_complain(r, node, "unknown %s %s", what, quoted);
        return NULL;
    }
    const char *nearest = jbw_nearest_name(name, length, names, count);
    if (nearest) {
        jbw_value_complain(r, node, "unknown %s %s, did you mean '%s'?", what, quoted, nearest);
    } else {
        char all[300];
        join_names(names, count, all, sizeof all);
        jbw_value_complain(r, node, "unknown %s %s, expected one of %s", what, quoted, all);
    }
    return nearest;
}

void *jbw_value_take(jbw_value_reader *r, size_t count, size_t size)
{
    void *memory = jbw_arena_alloc(r->arena, count, size);
    if (!memory) jbw_problems_add_out_of_memory(r->problems);
    return memory;
}

const char *jbw_value_take_text(jbw_value_reader *r, const char *text, size_t length)
{
    const char *copy = jbw_arena_text(r->arena, text, length);
    if (!copy) jbw_problems_add_out_of_memory(r->problems);
    return copy;
}

// --- values -------------------------------------------------------------------------------------

static bool is_bare(const jbw_yaml_node *node)
{
    return node->kind == JBW_YAML_TEXT && !node->is_quoted;
}

static bool parse_number(jbw_value_reader *r, jbw_yaml_node *node, double *out)
{
    if (is_bare(node) && jbw_parse_double(node->text, node->length, out)) return true;
    jbw_value_complain_kind(r, node, "a number");
    return false;
}

bool jbw_value_whole(jbw_value_reader *r, jbw_yaml_node *node, int64_t low, int64_t high,
                     int64_t *out)
{
    if (!is_bare(node) || !jbw_parse_int64(node->text, node->length, out)) {
        jbw_value_complain_kind(r, node, "a whole number");
        return false;
    }
    if (*out < low || *out > high) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)low,
                 (long long)high);
        jbw_value_complain_kind(r, node, expected);
        return false;
    }
    return true;
}

void jbw_value_int(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (jbw_value_whole(r, node, INT_MIN, INT_MAX, &value)) *(int *)target = (int)value;
}

void jbw_value_number(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    double value;
    if (parse_number(r, node, &value)) *(double *)target = value;
}

void jbw_value_bool(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    for (size_t i = 0; is_bare(node) && i < sizeof words / sizeof *words; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *(bool *)target = i % 2 == 1;
        return;
    }
    jbw_value_complain_kind(r, node, "true or false");
}

// the index of a word in a list, or -1 after complaining
int jbw_value_word(jbw_value_reader *r, jbw_yaml_node *node, const char *what,
                   const char *const *words, size_t count)
{
    if (node->kind != JBW_YAML_TEXT) {
        char all[100];
        char expected[120];
        join_names(words, count, all, sizeof all);
        snprintf(expected, sizeof expected, "one of %s", all);
        jbw_value_complain_kind(r, node, expected);
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(node->text, words[i]) == 0) return (int)i;
    jbw_value_complain_unknown(r, node, what, node->text, node->length, words, count);
    return -1;
}

void jbw_value_vector(jbw_value_reader *r, jbw_yaml_node *node, const double **out, int dimensions,
                      const char *dimensions_key)
{
    if (node->kind != JBW_YAML_LIST) {
        jbw_value_complain_kind(r, node, "a list of numbers");
        return;
    }
    bool is_good = true;
    if (dimensions >= 0 && node->count != (size_t)dimensions) {
        jbw_value_complain(r, node,
                           "found a list of %zu, expected a list of %d numbers, as set by %s",
                           node->count, dimensions, dimensions_key);
        is_good = false;
    }
    double *values = jbw_value_take(r, node->count, sizeof *values);
    if (!values) return;
    for (size_t i = 0; i < node->count; i++)
        if (!parse_number(r, node->pairs[i].value, &values[i])) is_good = false;
    if (is_good && dimensions >= 0) *out = values;
}

const char *jbw_value_expression(jbw_value_reader *r, jbw_yaml_node *node, const char *example)
{
    double number;
    char expected[80];
    snprintf(expected, sizeof expected, "an expression such as %s", example);
    if (node->kind != JBW_YAML_TEXT ||
        (is_bare(node) && jbw_parse_double(node->text, node->length, &number))) {
        jbw_value_complain_kind(r, node, expected);
        return NULL;
    }
    return jbw_value_take_text(r, node->text, node->length);
}

// --- mappings -----------------------------------------------------------------------------------

// `interactions:` with nothing below it is an empty mapping
bool jbw_value_is_mapping(jbw_value_reader *r, jbw_yaml_node *node, const char *expected)
{
    if (node->kind == JBW_YAML_MAPPING) return true;
    if (node->kind != JBW_YAML_NULL) jbw_value_complain_kind(r, node, expected);
    return false;
}

// Reads a mapping with known keys, in the order of `keys`, because some depend on earlier ones.
void jbw_value_keys(jbw_value_reader *r, jbw_yaml_node *node, const jbw_value_key *keys,
                    size_t key_count, void *target)
{
    const char *names[MAX_KEYS];
    jbw_yaml_node *values[MAX_KEYS] = {NULL};
    for (size_t k = 0; k < key_count; k++) {
        names[k] = keys[k].name;
        jbw_yaml_pair *pair = jbw_yaml_find(node, names[k], strlen(names[k]));
        if (pair) values[k] = pair->value;
    }
    for (size_t i = 0; i < node->count; i++) {
        jbw_yaml_node *name = node->pairs[i].key;
        size_t k = 0;
        while (k < key_count && strcmp(names[k], name->text) != 0) k++;
        if (k < key_count) continue;

        // continue as if it had been spelt correctly
        const char *nearest =
            jbw_value_complain_unknown(r, name, "key", name->text, name->length, names, key_count);
        for (k = 0; nearest && k < key_count; k++) {
            if (names[k] != nearest || values[k]) continue;
            values[k] = node->pairs[i].value;
            name->text = nearest;
            name->length = strlen(nearest);
        }
    }
    for (size_t k = 0; k < key_count; k++)
        if (values[k]) keys[k].read(r, values[k], (char *)target + keys[k].offset);
}
