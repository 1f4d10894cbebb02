// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml_builder.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ANCHORS = 1000,
    MAX_ALIASED = 1000000, // nodes that all aliases together may expand to
};

void jbw_yaml_builder_deinit(jbw_yaml_builder *b)
{
    jbw_free(&b->arena->allocator, b->pending, b->pending_capacity * sizeof *b->pending);
    jbw_free(&b->arena->allocator, b->anchors, b->anchor_capacity * sizeof *b->anchors);
}

// --- texts and aliases --------------------------------------------------------------------------

static jbw_source_place place_of(const jbw_yaml_builder *b, const struct fy_mark *mark)
{
    jbw_source_place place = {.source = b->source};
    if (mark) {
        place.line = mark->line + 1;
        place.column = mark->column + 1;
    }
    return place;
}

static bool push(jbw_yaml_builder *b, jbw_yaml_node *node)
{
    if (!JBW_GROW(&b->arena->allocator, b->pending, b->pending_capacity, b->pending_count + 1)) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }
    b->pending[b->pending_count++] = node;
    return true;
}

static jbw_yaml_node *new_node(jbw_yaml_builder *b, jbw_yaml_kind kind, const struct fy_mark *mark)
{
    jbw_yaml_node *node = jbw_arena_alloc(b->arena, 1, sizeof *node);
    if (!node) {
        jbw_problems_add_out_of_memory(b->problems);
        return NULL;
    }
    *node = (jbw_yaml_node){.kind = kind, .place = place_of(b, mark)};
    return node;
}

// every node may have an anchor and a tag before it
static bool note_properties(jbw_yaml_builder *b, struct fy_event *event, jbw_yaml_node *node)
{
    struct fy_token *tag = fy_event_get_tag_token(event);
    if (tag) {
        jbw_problems_add(b->problems, place_of(b, fy_token_start_mark(tag)),
                         "tags are not supported in world files");
        node->is_faulty = true;
    }

    struct fy_token *token = fy_event_get_anchor_token(event);
    if (!token) return true;
    if (b->anchor_count == MAX_ANCHORS) {
        jbw_problems_add(b->problems, place_of(b, fy_token_start_mark(token)),
                         "found more than %d anchors", MAX_ANCHORS);
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
    b->anchors[b->anchor_count++] = (jbw_yaml_anchor){.name = name, .length = length, .node = node};
    return true;
}

static bool is_null_word(const char *text, size_t length)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) return true;
    return false;
}

// The text of a token, or NULL after adding to `problems`. libfyaml leaks memory when a text in
// single quotes contains many doubled ones, so those are replaced here.
static const char *copy_text(jbw_yaml_builder *b, struct fy_token *token,
                             enum fy_scalar_style style, size_t *length)
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
                             "found '' in a text of several lines, expected double quotes around "
                             "the text");
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

static bool add_text(jbw_yaml_builder *b, struct fy_event *event)
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
    node->weight = 1 + length / 16; // long texts cost time as well

    const bool has_marks = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    node->is_quoted = style != FYSS_PLAIN;
    node->is_verbatim = start && end && (style == FYSS_PLAIN || has_marks) &&
                        end->input_pos <= b->length &&
                        end->input_pos - start->input_pos == length &&
                        memcmp(b->text + start->input_pos, node->text, length) == 0 &&
                        !memchr(node->text, '\n', length);
    // the token begins after the quotation mark, but readers look for the mark
    if (has_marks && node->place.column > 1) node->place.column--;
    if (!node->is_quoted && is_null_word(node->text, length)) node->kind = JBW_YAML_NULL;

    if (memchr(node->text, '\0', length)) {
        jbw_problems_add(b->problems, node->place,
                         "found a text that contains the character U+0000");
        node->is_faulty = true;
        node->length = strlen(node->text);
    }
    // a block text begins on the line below its key; the key is the better place
    if (style == FYSS_LITERAL || style == FYSS_FOLDED) node->place = place_of(b, NULL);
    return note_properties(b, event, node) && push(b, node);
}

static bool add_alias(jbw_yaml_builder *b, struct fy_event *event)
{
    struct fy_token *token = event->alias.anchor;
    const jbw_source_place place = place_of(b, token ? fy_token_start_mark(token) : NULL);
    size_t length = 0;
    const char *name = token ? fy_token_get_text(token, &length) : "";
    if (!name) {
        jbw_problems_add_out_of_memory(b->problems);
        return false;
    }

    // the latest anchor with this name counts
    jbw_yaml_node *node = NULL;
    for (size_t i = b->anchor_count; i-- > 0 && !node;)
        if (b->anchors[i].length == length && memcmp(b->anchors[i].name, name, length) == 0)
            node = b->anchors[i].node;

    char quoted[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_quote(name, length, quoted);
    if (!node) {
        jbw_problems_add(b->problems, place, "the alias %s has no anchor before it", quoted);
        return false;
    }
    if (node->weight == 0) {
        jbw_problems_add(b->problems, place, "the alias %s refers to a value that contains it",
                         quoted);
        return false;
    }
    b->aliased += node->weight;
    if (b->aliased > MAX_ALIASED) {
        jbw_problems_add(b->problems, place, "the aliases up to here expand to more than %d values",
                         MAX_ALIASED);
        return false;
    }
    return push(b, node);
}

// --- lists and mappings -------------------------------------------------------------------------

static bool begin_container(jbw_yaml_builder *b, struct fy_event *event, jbw_yaml_kind kind)
{
    jbw_yaml_node *node = new_node(b, kind, fy_event_start_mark(event));
    if (!node) return false;
    if (b->depth == JBW_YAML_MAX_DEPTH) {
        jbw_problems_add(b->problems, node->place, "lists and mappings are nested deeper than %d",
                         JBW_YAML_MAX_DEPTH);
        return false;
    }
    b->open[b->depth++] = (jbw_yaml_container){.node = node, .first_pending = b->pending_count};
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

// Reports duplicate keys and keeps only the first of each. Sorting finds them without quadratic
// time for a hostile mapping.
static bool drop_duplicate_keys(jbw_yaml_builder *b, jbw_yaml_node *mapping)
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
        char quoted[JBW_YAML_DESCRIPTION_SIZE];
        jbw_yaml_quote(first->text, first->length, quoted);
        jbw_problems_add(b->problems, keys[i]->place,
                         "the key %s was already given at line %d, column %d", quoted,
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

static bool end_container(jbw_yaml_builder *b)
{
    if (b->depth == 0) return true; // libfyaml never ends a container that it did not begin
    const jbw_yaml_container open = b->open[--b->depth];
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

        // an implicit node takes the place of the node it belongs to
        if (key && key->place.line == 0) key->place = node->place;
        if (value->place.line == 0) value->place = key ? key->place : node->place;
        if (key && key->kind != JBW_YAML_TEXT && key->kind != JBW_YAML_NULL) {
            char found[JBW_YAML_DESCRIPTION_SIZE];
            jbw_yaml_describe(key, found);
            jbw_problems_add(b->problems, key->place, "found %s, expected a text as the key",
                             found);
            continue;
        }
        if (key) key->kind = JBW_YAML_TEXT; // `null: 1` is an odd but valid name
        node->pairs[node->count++] = (jbw_yaml_pair){.key = key, .value = value};
    }
    b->pending_count = open.first_pending;
    if (is_mapping && !drop_duplicate_keys(b, node)) return false;
    return push(b, node);
}

// --- the document -------------------------------------------------------------------------------

bool jbw_yaml_builder_add(jbw_yaml_builder *b, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->document_count++ > 0) {
            const struct fy_mark *mark = fy_event_start_mark(event);
            jbw_problems_add(b->problems, place_of(b, mark),
                             "found a second document, expected only one");
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

jbw_yaml_node *jbw_yaml_builder_root(jbw_yaml_builder *b)
{
    jbw_yaml_node *root = b->pending_count > 0 ? b->pending[0] : new_node(b, JBW_YAML_NULL, NULL);
    if (root && root->place.line == 0)
        root->place = (jbw_source_place){.source = b->source, .line = 1, .column = 1};
    return root;
}
