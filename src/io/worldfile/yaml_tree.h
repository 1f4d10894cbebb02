// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A YAML document as a tree whose every node knows its place in the text. An alias is just a
/// second way to the same node.
#ifndef JBW_IO_WORLDFILE_YAML_TREE_H
#define JBW_IO_WORLDFILE_YAML_TREE_H

#include "base/alloc.h"
#include "io/worldfile/problems.h"

typedef enum jbw_yaml_kind {
    JBW_YAML_NOTHING, // an empty place, ~ or null
    JBW_YAML_TEXT,
    JBW_YAML_LIST,
    JBW_YAML_MAPPING,
} jbw_yaml_kind;

typedef struct jbw_yaml_node jbw_yaml_node;

/// One entry of a mapping, or of a list, where `key` is NULL.
typedef struct jbw_yaml_pair {
    jbw_yaml_node *key; // a TEXT
    jbw_yaml_node *value;
} jbw_yaml_pair;

struct jbw_yaml_node {
    jbw_yaml_kind kind;
    bool is_quoted;
    bool is_verbatim; // the text stands in the source, on one line, exactly as it is here
    bool is_faulty;   // has been reported already
    jbw_source_place place;
    const char *text; // zero-terminated, with no zero inside
    size_t length;
    jbw_yaml_pair *pairs;
    size_t count;
    size_t weight; // nodes from here down, aliases written out; zero while it is being built
};

/// The entry of a mapping with that key, or NULL. Also NULL if the node is not a mapping.
jbw_yaml_pair *jbw_yaml_find(const jbw_yaml_node *node, const char *key, size_t length);

/// Enough room for what the next two write.
enum { JBW_YAML_WORDS = 96 };

/// What a node is, for messages: "a list", "the number 5", "the text 'abc'", "nothing", ...
void jbw_yaml_describe(const jbw_yaml_node *node, char out[JBW_YAML_WORDS]);

/// A text for a message: in quotes, shortened, and in one line.
void jbw_yaml_quote(const char *text, size_t length, char out[JBW_YAML_WORDS]);

/// Puts `value` to the place that a path such as "items.Wall.color.0" names, making the mappings
/// that are missing on the way. Nodes on the way are replaced, not changed, since an alias may
/// share them. Returns the new root, or NULL after adding to `problems`.
jbw_yaml_node *jbw_yaml_replace(jbw_yaml_node *root, const char *path, jbw_yaml_node *value,
                                jbw_arena *arena, jbw_problems *problems);

/// Where a path leads.
typedef struct jbw_yaml_target {
    jbw_yaml_node *node;      // the deepest node on the path that exists
    const jbw_yaml_node *key; // its key, or NULL for the root and in lists
    bool is_complete;         // nothing of the path was left
    bool is_faulty;           // this node, or one above it, was reported already
} jbw_yaml_target;

/// Follows a path as `jbw_config_check` names it, as far as it exists. In lists it counts only
/// entries that are not faulty, since the others never reached the config.
jbw_yaml_target jbw_yaml_follow(jbw_yaml_node *root, const char *path);

#endif
