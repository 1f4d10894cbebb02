// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_json.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { MAX_MEMBERS = 64 };

/// A key with its value.
typedef struct member {
    char key[JBW_FIGURE_TEXT_SIZE];
    char value[JBW_FIGURE_TEXT_SIZE];
    bool is_text;
} member;

/// One line of a file.
typedef struct object {
    member members[MAX_MEMBERS];
    size_t count;
} object;

bool jbw_bench_json_is(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '{';
}

// ---- parsing ----

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

// Reads a text in quotes. NULL, or what is wrong.
static const char *read_text(const char **at, char out[JBW_FIGURE_TEXT_SIZE])
{
    if (**at != '"') return "expected a text in quotes";
    size_t length = 0;
    for (++*at; **at != '"'; ++*at) {
        if (**at == '\\' && ((*at)[1] == '"' || (*at)[1] == '\\'))
            ++*at;
        else if (**at == '\0' || **at == '\n' || **at == '\\')
            return "a text is not closed, or has an escape that jbw bench does not write";
        if (length + 1 == JBW_FIGURE_TEXT_SIZE) return "a text is too long";
        out[length++] = **at;
    }
    ++*at;
    out[length] = '\0';
    return NULL;
}

// a number, true, false or null: up to what ends it
static const char *read_word(const char **at, char out[JBW_FIGURE_TEXT_SIZE])
{
    const size_t length = strcspn(*at, " \t,}\r\n");
    if (length == 0) return "expected a value";
    if (length >= JBW_FIGURE_TEXT_SIZE) return "a value is too long";
    memcpy(out, *at, length);
    out[length] = '\0';
    *at += length;
    return NULL;
}

static const char *read_member(const char **at, member *out)
{
    skip_blanks(at);
    const char *problem = read_text(at, out->key);
    if (problem) return problem;
    skip_blanks(at);
    if (**at != ':') return "expected a colon after a key";
    ++*at;
    skip_blanks(at);
    out->is_text = **at == '"';
    problem = out->is_text ? read_text(at, out->value) : read_word(at, out->value);
    skip_blanks(at);
    return problem;
}

// Reads a line with an object, and the line break. NULL, or what is wrong.
static const char *read_object(const char **at, object *out)
{
    out->count = 0;
    skip_blanks(at);
    if (**at != '{') return "expected an object of jbw bench --json";
    do {
        ++*at; // the brace, then commas
        if (out->count == MAX_MEMBERS) return "an object has too many keys";
        const char *problem = read_member(at, &out->members[out->count]);
        if (problem) return problem;
        out->count++;
    } while (**at == ',');
    if (**at != '}') return "expected a comma or the end of the object";
    ++*at;
    *at += strspn(*at, " \t\r");
    if (**at != '\n' && **at != '\0') return "expected the end of the line after an object";
    if (**at == '\n') ++*at;
    return NULL;
}

// ---- figures ----

// the text of a key, or NULL
static const char *find_text(const object *o, const char *key)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->members[i].is_text && strcmp(o->members[i].key, key) == 0)
            return o->members[i].value;
    return NULL;
}

static bool has_key(const object *o, const char *key)
{
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->members[i].key, key) == 0) return true;
    return false;
}

// true if a setup such as "worlds=64 threads=2" names a parameter
static bool is_parameter(const char *setup, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = setup; *at; at += strspn(at, " ")) {
        if (strncmp(at, key, length) == 0 && at[length] == '=') return true;
        at += strcspn(at, " ");
    }
    return false;
}

static jbw_verb_status keep_figures(jbw_bench_results *results, const object *o, const char *path,
                                    int line)
{
    const char *bench = find_text(o, "bench");
    const char *world = find_text(o, "world");
    const char *setup = find_text(o, "setup");
    if (!bench || !world)
        return jbw_bench_results_reject(path, line, "expected an object of jbw bench --json");
    if (!setup)
        return jbw_bench_results_reject(
            path, line,
            "expected a setup, which older versions do not write: compare with a file of --csv");
    jbw_figure figure = {0};
    snprintf(figure.bench, sizeof figure.bench, "%s", bench);
    snprintf(figure.world, sizeof figure.world, "%s", world);
    snprintf(figure.setup, sizeof figure.setup, "%s", setup);
    for (size_t i = 0; i < o->count; i++) {
        const member *m = &o->members[i];
        if (m->value == bench || m->value == world || m->value == setup) continue;
        if (is_parameter(setup, m->key)) continue;
        snprintf(figure.name, sizeof figure.name, "%s", m->key);
        if (m->is_text || !jbw_parse_double(m->value, strlen(m->value), &figure.value))
            return jbw_bench_results_reject(path, line, "expected a number as value of a figure");
        const jbw_verb_status status = jbw_bench_results_keep(results, path, line, &figure);
        if (status) return status;
    }
    return JBW_VERB_OK;
}

jbw_verb_status jbw_bench_json_read(jbw_bench_results *results, const char *path, const char *text)
{
    int line = 0;
    for (const char *at = text; *at != '\0';) {
        line++;
        if (*at == '\n') {
            at++;
            continue;
        }
        object o;
        const char *problem = read_object(&at, &o);
        if (problem) return jbw_bench_results_reject(path, line, problem);
        if (has_key(&o, "compared_with")) continue; // --json beside --compare
        const jbw_verb_status status = keep_figures(results, &o, path, line);
        if (status) return status;
    }
    return JBW_VERB_OK;
}
