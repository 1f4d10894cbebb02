// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/yaml_path.h"

#include <string.h>

#include "base/text.h"

static jbw_yaml_node *new_mapping(jbw_source_place place, jbw_arena *arena)
{
    jbw_yaml_node *node = jbw_arena_alloc(arena, 1, sizeof *node);
    if (node) *node = (jbw_yaml_node){.kind = JBW_YAML_MAPPING, .place = place, .weight = 1};
    return node;
}

// a copy of a list or mapping with room for one more entry
static jbw_yaml_node *copy_container(const jbw_yaml_node *node, jbw_arena *arena)
{
    jbw_yaml_node *copy = jbw_arena_alloc(arena, 1, sizeof *copy);
    jbw_yaml_pair *pairs = jbw_arena_alloc(arena, node->count + 1, sizeof *pairs);
    if (!copy || !pairs) return NULL;
    *copy = *node;
    if (node->count > 0) memcpy(pairs, node->pairs, node->count * sizeof *pairs);
    copy->pairs = pairs;
    return copy;
}

static jbw_yaml_pair *add_entry(jbw_yaml_node *mapping, const char *key, size_t length,
                                jbw_source_place place, jbw_arena *arena)
{
    jbw_yaml_node *key_node = jbw_arena_alloc(arena, 1, sizeof *key_node);
    const char *text = jbw_arena_text(arena, key, length);
    if (!key_node || !text) return NULL;
    *key_node = (jbw_yaml_node){
        .kind = JBW_YAML_TEXT, .place = place, .text = text, .length = length, .weight = 1};

    jbw_yaml_pair *pair = &mapping->pairs[mapping->count++];
    *pair = (jbw_yaml_pair){.key = key_node};
    return pair;
}

// the entry of a container that one part of a path names; NULL after adding to `problems`
static jbw_yaml_pair *entry_for(jbw_yaml_node *node, const char *path, const char *part,
                                size_t length, jbw_source_place place, jbw_arena *arena,
                                jbw_problems *problems)
{
    char above[JBW_YAML_DESCRIPTION_SIZE];
    char name[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_quote(path, part == path ? 0 : (size_t)(part - path) - 1, above);
    jbw_yaml_quote(part, length, name);

    if (length == 0) {
        jbw_problems_add(problems, place,
                         "found an empty key or key part, expected a path such as "
                         "agent.vision_range");
        return NULL;
    }
    if (node->kind == JBW_YAML_MAPPING) {
        jbw_yaml_pair *pair = jbw_yaml_find(node, part, length);
        if (!pair) pair = add_entry(node, part, length, place, arena);
        if (!pair) jbw_problems_add_out_of_memory(problems);
        return pair;
    }
    if (node->kind == JBW_YAML_LIST) {
        int64_t index;
        if (jbw_parse_int64(part, length, &index) && index >= 0 && (uint64_t)index < node->count)
            return &node->pairs[index];
        jbw_problems_add(problems, place,
                         "%s is a list of %zu, so it has no entry %s; entries are numbered from 0",
                         above, node->count, name);
        return NULL;
    }
    char found[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_describe(node, found);
    jbw_problems_add(problems, place, "%s is %s, so it has no key %s", above, found, name);
    return NULL;
}

jbw_yaml_node *jbw_yaml_replace(jbw_yaml_node *root, const char *path, jbw_yaml_node *value,
                                jbw_arena *arena, jbw_problems *problems)
{
    const jbw_source_place place = {.source = value->place.source};
    jbw_yaml_node **slot = &root;
    for (const char *part = path; part;) {
        const size_t length = strcspn(part, ".");

        // what contains the value must be a container of our own, not one that an alias shares
        const bool is_container =
            (*slot)->kind == JBW_YAML_MAPPING || (*slot)->kind == JBW_YAML_LIST;
        if ((*slot)->kind == JBW_YAML_NULL) *slot = new_mapping(place, arena);
        if (*slot && (is_container || (*slot)->kind == JBW_YAML_MAPPING))
            *slot = copy_container(*slot, arena);
        if (!*slot) {
            jbw_problems_add_out_of_memory(problems);
            return NULL;
        }

        jbw_yaml_pair *pair = entry_for(*slot, path, part, length, place, arena, problems);
        if (!pair) return NULL;
        const bool is_last = part[length] == '\0';
        if (!is_last && !pair->value) pair->value = new_mapping(place, arena);
        if (!is_last && !pair->value) {
            jbw_problems_add_out_of_memory(problems);
            return NULL;
        }
        slot = &pair->value;
        part = is_last ? NULL : part + length + 1;
    }
    *slot = value;
    return root;
}

// The entry of a mapping that a path leads to: the one with the longest matching key, because names
// may contain dots. `*rest` is the rest of the path.
static jbw_yaml_pair *follow_mapping(const jbw_yaml_node *node, const char *path, const char **rest)
{
    jbw_yaml_pair *best = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *key = node->pairs[i].key;
        if (strncmp(path, key->text, key->length) != 0) continue;
        const char after = path[key->length];
        if (after != '.' && after != '\0') continue;
        if (best && best->key->length >= key->length) continue;
        best = &node->pairs[i];
        *rest = after == '.' ? path + key->length + 1 : NULL;
    }
    return best;
}

static jbw_yaml_pair *follow_list(const jbw_yaml_node *node, const char *path, const char **rest)
{
    const size_t length = strcspn(path, ".");
    int64_t index;
    if (!jbw_parse_int64(path, length, &index)) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        if (node->pairs[i].value->is_faulty || index-- > 0) continue;
        *rest = path[length] == '.' ? path + length + 1 : NULL;
        return &node->pairs[i];
    }
    return NULL;
}

jbw_yaml_target jbw_yaml_follow(jbw_yaml_node *root, const char *path)
{
    jbw_yaml_target target = {.node = root, .is_faulty = root->is_faulty};
    const char *rest = *path ? path : NULL;
    while (rest) {
        jbw_yaml_pair *pair = NULL;
        if (target.node->kind == JBW_YAML_MAPPING)
            pair = follow_mapping(target.node, rest, &rest);
        else if (target.node->kind == JBW_YAML_LIST)
            pair = follow_list(target.node, rest, &rest);
        if (!pair) break;
        target.node = pair->value;
        target.key = pair->key;
        target.is_faulty = target.is_faulty || pair->value->is_faulty;
    }
    target.is_complete = !rest;
    return target;
}
