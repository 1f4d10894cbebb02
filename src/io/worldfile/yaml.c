// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml.h"

#include <libfyaml.h>
#include <string.h>

#include "io/worldfile/yaml_builder.h"
#include "io/worldfile/yaml_guard.h"

// The byte at a place. libfyaml may name a line after the last one; that becomes the end of the
// text as it was given to us, which has `given_length` bytes.
static const char *locate(const jbw_yaml_builder *b, size_t given_length, jbw_source_place *place)
{
    const char *at = b->text;
    const char *end = b->text + given_length;
    jbw_source_place here = {.source = b->source, .line = 1, .column = 1};
    while (at < end && (here.line < place->line || here.column < place->column)) {
        if (*at == '\n' && here.line == place->line) break;
        here.column = *at == '\n' ? 1 : here.column + 1;
        here.line += *at == '\n' ? 1 : 0;
        at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80) at++;
    }
    *place = here;
    return at;
}

// The most likely mistake has an unhelpful message: an expression within brackets or braces, where
// YAML takes the brackets of the expression for a list.
static bool is_bare_expression(const jbw_yaml_builder *b, const char *at)
{
    if (at == b->text || at == b->text + b->length || *at != '[') return false;
    return (at[-1] >= 'a' && at[-1] <= 'z') || (at[-1] >= 'A' && at[-1] <= 'Z');
}

static void add_syntax_errors(const jbw_yaml_builder *b, size_t given_length, struct fy_diag *diag)
{
    size_t count = 0;
    void *iterator = NULL;
    const struct fy_diag_error *error;
    while ((error = fy_diag_errors_iterate(diag, &iterator))) {
        if (error->type != FYET_ERROR) continue;
        jbw_source_place place = {
            .source = b->source, .line = error->line, .column = error->column};
        const char *at = locate(b, given_length, &place);
        jbw_problems_add(b->problems, place, "%s%s", error->msg,
                         is_bare_expression(b, at)
                             ? "; inside [ ] and { } an expression must be in quotes"
                             : "");
        count++;
    }
    const jbw_source_place start = {.source = b->source, .line = 1, .column = 1};
    if (count == 0) jbw_problems_add(b->problems, start, "this is not valid YAML");
}

// Runs libfyaml and builds the tree. False after adding to `problems`.
static bool build(jbw_yaml_builder *b, size_t given_length, struct fy_diag *diag)
{
    const struct fy_parse_cfg config = {
        .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = fy_parser_create(&config);
    if (!parser || fy_parser_set_string(parser, b->text, b->length) != 0) {
        if (parser) fy_parser_destroy(parser);
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }

    bool is_good = true;
    struct fy_event *event;
    while (is_good && (event = fy_parser_parse(parser))) {
        is_good = jbw_yaml_builder_add(b, event);
        fy_parser_event_free(parser, event);
    }
    if (is_good && fy_parser_get_stream_error(parser)) {
        add_syntax_errors(b, given_length, diag);
        is_good = false;
    }
    fy_parser_destroy(parser);
    return is_good;
}

jbw_yaml_node *jbw_yaml_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems)
{
    if (length > JBW_YAML_MAX_LENGTH) {
        jbw_problems_add(problems, (jbw_source_place){.source = source},
                         "the text is longer than %d MiB", JBW_YAML_MAX_LENGTH >> 20);
        return NULL;
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark
        text += 3;
        length -= 3;
    }
    // libfyaml misreads a block text that ends without a line break
    char *copy = jbw_arena_alloc(arena, length + 2, 1);
    if (!copy) {
        jbw_problems_add_out_of_memory(problems);
        return NULL;
    }
    if (length > 0) memcpy(copy, text, length);
    const size_t given_length = length;
    if (length > 0 && copy[length - 1] != '\n') copy[length++] = '\n';
    jbw_yaml_builder b = {
        .text = copy, .length = length, .source = source, .arena = arena, .problems = problems};
    if (!jbw_yaml_guard_accepts(copy, length, source, problems)) return NULL;

    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (!diag) {
        jbw_problems_add_out_of_memory(problems);
        return NULL;
    }
    fy_diag_set_collect_errors(diag, true);

    jbw_yaml_node *root = build(&b, given_length, diag) ? jbw_yaml_builder_root(&b) : NULL;
    fy_diag_destroy(diag);
    jbw_yaml_builder_deinit(&b);
    return root;
}
