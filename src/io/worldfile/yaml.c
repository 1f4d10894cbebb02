// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// libfyaml hands out events (a list begins, a text, a list ends). Finished nodes wait on a stack
/// until the container around them ends and takes them over:
///
///     [a, {b: c}]     open: LIST            pending: a
///            ^        open: LIST MAPPING    pending: a b c
///             ^       open: LIST            pending: a MAPPING(b: c)
///
/// An alias pushes the node it names once more.
#include "io/worldfile/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/worldfile/yaml_guard.h"

enum {
    MAX_DEPTH = 32, // a world file needs five
    MAX_ANCHORS = 1000,
    MAX_ALIASED = 1000000, // nodes that aliases may stand for, all together
};

typedef struct anchor {
    const char *name;
    size_t length;
    jbw_yaml_node *node;
} anchor;

typedef struct open_container {
    jbw_yaml_node *node;
    size_t first_pending;
} open_container;

typedef struct builder {
    const char *text;
    size_t length;
    size_t given_length; // without the line end that we may have added
    const jbw_source *source;
    jbw_arena *arena;
    jbw_problems *problems;

    jbw_yaml_node **pending;
    size_t pending_count;
    size_t pending_capacity;
    open_container open[MAX_DEPTH];
    size_t depth;
    anchor *anchors;
    size_t anchor_count;
    size_t anchor_capacity;
    size_t aliased; // nodes that aliases stand for so far
    size_t document_count;
} builder;

// --- nodes --------------------------------------------------------------------------------------

static jbw_source_place place_of(const builder *b, const struct fy_mark *mark)
{
    jbw_source_place place = {.source = b->source};
    if (mark) {
        place.line = mark->line + 1;
        place.column = mark->column + 1;
    }
    return place;
}

static bool push(builder *b, jbw_yaml_node *node)
{
    if (!JBW_GROW(&b->arena->allocator, b->pending, b->pending_capacity, b->pending_count + 1)) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }
    b->pending[b->pending_count++] = node;
    return true;
}

static jbw_yaml_node *new_node(builder *b, jbw_yaml_kind kind, const struct fy_mark *mark)
{
    jbw_yaml_node *node = jbw_arena_alloc(b->arena, 1, sizeof *node);
    if (!node) {
        jbw_problems_add_out_of_memory(b->problems);
        return NULL;
    }
    *node = (jbw_yaml_node){.kind = kind, .place = place_of(b, mark)};
    return node;
}

// anchors and tags, which every node may have in front of it
static bool note_properties(builder *b, struct fy_event *event, jbw_yaml_node *node)
{
    struct fy_token *tag = fy_event_get_tag_token(event);
    if (tag) {
        jbw_problems_add(b->problems, place_of(b, fy_token_start_mark(tag)),
                         "tags have no meaning in a world file");
        node->is_faulty = true;
    }

    struct fy_token *token = fy_event_get_anchor_token(event);
    if (!token) return true;
    if (b->anchor_count == MAX_ANCHORS) {
        jbw_problems_add(b->problems, place_of(b, fy_token_start_mark(token)),
                         "there are more than %d anchors", MAX_ANCHORS);
        return false;
    }
    size_t length;
    const char *text = fy_token_get_text(token, &length);
    const char *name = text ? jbw_arena_text(b->arena, text, length) : NULL;
    if (!name ||
        !JBW_GROW(&b->arena->allocator, b->anchors, b->anchor_capacity, b->anchor_count + 1)) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }
    b->anchors[b->anchor_count++] = (anchor){.name = name, .length = length, .node = node};
    return true;
}

static bool is_null_word(const char *text, size_t length)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) return true;
    return false;
}

// The text of a token, or NULL after adding to `problems`. libfyaml forgets to free memory when a
// text in single quotes holds many doubled ones, so those are undoubled here.
static const char *copy_text(builder *b, struct fy_token *token, enum fy_scalar_style style,
                             size_t *length)
{
    const struct fy_mark *start = fy_token_start_mark(token);
    const struct fy_mark *end = fy_token_end_mark(token);
    const bool is_single = style == FYSS_SINGLE_QUOTED && start && end;
    const char *raw = is_single ? b->text + start->input_pos : NULL;
    const size_t raw_length = is_single ? end->input_pos - start->input_pos : 0;
    char *copy = NULL;
    if (is_single && memchr(raw, '\'', raw_length)) {
        if (memchr(raw, '\n', raw_length) || memchr(raw, '\r', raw_length)) {
            jbw_problems_add(b->problems, place_of(b, start),
                             "found '' in a text of several lines, expected the text in double "
                             "quotes");
            return NULL;
        }
        copy = jbw_arena_text(b->arena, raw, raw_length);
        *length = 0;
        for (size_t i = 0; copy && i < raw_length; i++) {
            copy[(*length)++] = raw[i];
            if (raw[i] == '\'') i++;
        }
        if (copy) copy[*length] = '\0';
    } else {
        const char *text = fy_token_get_text(token, length);
        copy = text ? jbw_arena_text(b->arena, text, *length) : NULL;
    }
    if (!copy) jbw_problems_add_out_of_memory(b->problems);
    return copy;
}

static bool add_text(builder *b, struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    const enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    jbw_yaml_node *node = new_node(b, JBW_YAML_TEXT, start);
    if (!node) return false;

    size_t length = 0;
    node->text = token ? copy_text(b, token, style, &length) : "";
    if (!node->text) return false;
    node->length = length;
    node->weight = 1 + length / 16; // a long text is work, too

    const bool has_marks = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    node->is_quoted = style != FYSS_PLAIN;
    node->is_verbatim = start && end && (style == FYSS_PLAIN || has_marks) &&
                        end->input_pos <= b->length &&
                        end->input_pos - start->input_pos == length &&
                        memcmp(b->text + start->input_pos, node->text, length) == 0 &&
                        !memchr(node->text, '\n', length);
    // the token begins behind the quotation mark, but people look for the mark
    if (has_marks && node->place.column > 1) node->place.column--;
    if (!node->is_quoted && is_null_word(node->text, length)) node->kind = JBW_YAML_NOTHING;

    if (memchr(node->text, '\0', length)) {
        jbw_problems_add(b->problems, node->place, "a text holds the character U+0000");
        node->is_faulty = true;
        node->length = strlen(node->text);
    }
    // a block begins on the line below; its key is the better place
    if (style == FYSS_LITERAL || style == FYSS_FOLDED) node->place = place_of(b, NULL);
    return note_properties(b, event, node) && push(b, node);
}

static bool add_alias(builder *b, struct fy_event *event)
{
    struct fy_token *token = event->alias.anchor;
    const jbw_source_place place = place_of(b, token ? fy_token_start_mark(token) : NULL);
    size_t length = 0;
    const char *name = token ? fy_token_get_text(token, &length) : "";
    if (!name) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }

    // the latest anchor of that name counts
    jbw_yaml_node *node = NULL;
    for (size_t i = b->anchor_count; i-- > 0 && !node;)
        if (b->anchors[i].length == length && memcmp(b->anchors[i].name, name, length) == 0)
            node = b->anchors[i].node;

    char quoted[JBW_YAML_WORDS];
    jbw_yaml_quote(name, length, quoted);
    if (!node) {
        jbw_problems_add(b->problems, place, "the alias %s has no anchor before it", quoted);
        return false;
    }
    if (node->weight == 0) {
        jbw_problems_add(b->problems, place, "the alias %s stands inside what it names", quoted);
        return false;
    }
    b->aliased += node->weight;
    if (b->aliased > MAX_ALIASED) {
        jbw_problems_add(b->problems, place, "the aliases up to here stand for more than %d values",
                         MAX_ALIASED);
        return false;
    }
    return push(b, node);
}

static bool begin_container(builder *b, struct fy_event *event, jbw_yaml_kind kind)
{
    jbw_yaml_node *node = new_node(b, kind, fy_event_start_mark(event));
    if (!node) return false;
    if (b->depth == MAX_DEPTH) {
        jbw_problems_add(b->problems, node->place, "lists and mappings are nested deeper than %d",
                         MAX_DEPTH);
        return false;
    }
    b->open[b->depth++] = (open_container){.node = node, .first_pending = b->pending_count};
    return note_properties(b, event, node);
}

static int compare_keys(const void *left, const void *right)
{
    const jbw_yaml_node *a = *(jbw_yaml_node *const *)left;
    const jbw_yaml_node *b = *(jbw_yaml_node *const *)right;
    const int order = strcmp(a->text, b->text);
    if (order != 0) return order;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    return a->place.column < b->place.column ? -1 : a->place.column > b->place.column;
}

// Duplicate keys are reported and left out; the first of them stays. Sorting finds them in time
// that does not explode for a hostile mapping.
static bool drop_duplicate_keys(builder *b, jbw_yaml_node *mapping)
{
    const size_t size = mapping->count * sizeof(jbw_yaml_node *);
    jbw_yaml_node **keys = jbw_alloc(&b->arena->allocator, size);
    if (!keys) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }
    for (size_t i = 0; i < mapping->count; i++) keys[i] = mapping->pairs[i].key;
    qsort(keys, mapping->count, sizeof *keys, compare_keys);
    const jbw_yaml_node *first = NULL;
    for (size_t i = 0; i < mapping->count; i++) {
        if (!first || strcmp(first->text, keys[i]->text) != 0) {
            first = keys[i];
            continue;
        }
        char quoted[JBW_YAML_WORDS];
        jbw_yaml_quote(first->text, first->length, quoted);
        jbw_problems_add(b->problems, keys[i]->place,
                         "the key %s was already given in line %d, column %d", quoted,
                         first->place.line, first->place.column);
        keys[i]->is_faulty = true;
    }
    jbw_free(&b->arena->allocator, keys, size);

    size_t kept = 0;
    for (size_t i = 0; i < mapping->count; i++)
        if (!mapping->pairs[i].key->is_faulty) mapping->pairs[kept++] = mapping->pairs[i];
    mapping->count = kept;
    return true;
}

static bool end_container(builder *b)
{
    if (b->depth == 0) return true; // libfyaml never ends what did not begin
    const open_container open = b->open[--b->depth];
    jbw_yaml_node *node = open.node;
    jbw_yaml_node **children = b->pending ? b->pending + open.first_pending : NULL;
    const size_t child_count = children ? b->pending_count - open.first_pending : 0;
    const bool is_mapping = node->kind == JBW_YAML_MAPPING;
    const size_t stride = is_mapping ? 2 : 1;

    node->pairs = jbw_arena_alloc(b->arena, child_count / stride, sizeof *node->pairs);
    if (!node->pairs) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }
    node->weight = 1;
    for (size_t i = 0; i + stride <= child_count; i += stride) {
        jbw_yaml_node *key = is_mapping ? children[i] : NULL;
        jbw_yaml_node *value = children[i + stride - 1];
        node->weight += value->weight + (key ? key->weight : 0);

        // what is not written has the place of what it belongs to
        if (key && key->place.line == 0) key->place = node->place;
        if (value->place.line == 0) value->place = key ? key->place : node->place;
        if (key && key->kind != JBW_YAML_TEXT && key->kind != JBW_YAML_NOTHING) {
            char found[JBW_YAML_WORDS];
            jbw_yaml_describe(key, found);
            jbw_problems_add(b->problems, key->place, "found %s, expected a text as key", found);
            continue;
        }
        if (key) key->kind = JBW_YAML_TEXT; // `null: 1` is just an odd name
        node->pairs[node->count++] = (jbw_yaml_pair){.key = key, .value = value};
    }
    b->pending_count = open.first_pending;
    if (is_mapping && !drop_duplicate_keys(b, node)) return false;
    return push(b, node);
}

// --- the whole document -------------------------------------------------------------------------

static bool add_event(builder *b, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->document_count++ > 0) {
            const struct fy_mark *mark = fy_event_start_mark(event);
            jbw_problems_add(b->problems, place_of(b, mark),
                             "a second document begins here; a world file holds one");
            return false;
        }
        return true;
    case FYET_SCALAR: return add_text(b, event);
    case FYET_ALIAS: return add_alias(b, event);
    case FYET_SEQUENCE_START: return begin_container(b, event, JBW_YAML_LIST);
    case FYET_MAPPING_START: return begin_container(b, event, JBW_YAML_MAPPING);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: return end_container(b);
    default: return true;
    }
}

// The byte at a place. libfyaml sees a line behind the last; such a place becomes the text's end.
static const char *locate(const builder *b, jbw_source_place *place)
{
    const char *at = b->text;
    const char *end = b->text + b->given_length;
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

// The most likely slip has an unhelpful message: an expression among brackets or braces, where
// YAML takes its own brackets for a list.
static bool is_bare_expression(const builder *b, const char *at)
{
    if (at == b->text || at == b->text + b->length || *at != '[') return false;
    return (at[-1] >= 'a' && at[-1] <= 'z') || (at[-1] >= 'A' && at[-1] <= 'Z');
}

static void add_syntax_errors(builder *b, struct fy_diag *diag)
{
    size_t count = 0;
    void *iterator = NULL;
    const struct fy_diag_error *error;
    while ((error = fy_diag_errors_iterate(diag, &iterator))) {
        if (error->type != FYET_ERROR) continue;
        jbw_source_place place = {
            .source = b->source, .line = error->line, .column = error->column};
        const char *at = locate(b, &place);
        jbw_problems_add(b->problems, place, "%s%s", error->msg,
                         is_bare_expression(b, at)
                             ? "; inside [ ] and { } an expression must be in quotes"
                             : "");
        count++;
    }
    const jbw_source_place start = {.source = b->source, .line = 1, .column = 1};
    if (count == 0) jbw_problems_add(b->problems, start, "this is not YAML");
}

static bool build(builder *b, struct fy_diag *diag)
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
        is_good = add_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (is_good && fy_parser_get_stream_error(parser)) {
        add_syntax_errors(b, diag);
        is_good = false;
    }
    fy_parser_destroy(parser);
    return is_good;
}

jbw_yaml_node *jbw_yaml_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems)
{
    const jbw_source_place start = {.source = source, .line = 1, .column = 1};
    if (length > JBW_YAML_MAX_LENGTH) {
        jbw_problems_add(problems, (jbw_source_place){.source = source},
                         "the text is longer than %d MiB", JBW_YAML_MAX_LENGTH >> 20);
        return NULL;
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark
        text += 3;
        length -= 3;
    }
    // libfyaml reads astray where a block of text ends without a line end
    char *copy = jbw_arena_alloc(arena, length + 2, 1);
    if (!copy) {
        jbw_problems_add_out_of_memory(problems);
        return NULL;
    }
    if (length > 0) memcpy(copy, text, length);
    const size_t given_length = length;
    if (length > 0 && copy[length - 1] != '\n') copy[length++] = '\n';
    builder b = {.text = copy,
                 .length = length,
                 .given_length = given_length,
                 .source = source,
                 .arena = arena,
                 .problems = problems};
    if (!jbw_yaml_guard_pass(copy, length, source, problems)) return NULL;

    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (!diag) {
        jbw_problems_add_out_of_memory(problems);
        return NULL;
    }
    fy_diag_set_collect_errors(diag, true);

    jbw_yaml_node *root = NULL;
    if (build(&b, diag)) {
        root = b.pending_count > 0 ? b.pending[0] : new_node(&b, JBW_YAML_NOTHING, NULL);
        if (root && root->place.line == 0) root->place = start;
    }
    fy_diag_destroy(diag);
    jbw_free(&arena->allocator, b.pending, b.pending_capacity * sizeof *b.pending);
    jbw_free(&arena->allocator, b.anchors, b.anchor_capacity * sizeof *b.anchors);
    return root;
}
