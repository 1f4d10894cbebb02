// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A YAML document as a tree. Every node knows its place in the text. An alias is a second pointer
/// to the same node.
#ifndef JBW_IO_WORLDFILE_YAML_TREE_H
#define JBW_IO_WORLDFILE_YAML_TREE_H

#include "base/alloc.h"
#include "io/worldfile/problems.h"

typedef enum jbw_yaml_kind {
    JBW_YAML_NULL, // an empty value, ~ or null
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
    bool is_verbatim; // the source has exactly this text, on one line
    bool is_faulty;   // already reported
    jbw_source_place place;
    const char *text; // zero-terminated
    size_t length;
    jbw_yaml_pair *pairs;
    size_t count;
    size_t weight; // size of the subtree with aliases expanded; zero while it is being built
};

/// The entry of a mapping with this key, or NULL; also NULL if the node is not a mapping.
jbw_yaml_pair *jbw_yaml_find(const jbw_yaml_node *node, const char *key, size_t length);

/// The size of what the next two functions write.
enum { JBW_YAML_DESCRIPTION_SIZE = 96 };

/// Describes a node for messages: "a list", "the number 5", "the text 'abc'", "nothing", ...
void jbw_yaml_describe(const jbw_yaml_node *node, char out[JBW_YAML_DESCRIPTION_SIZE]);

/// Quotes a text for messages: shortened, and on one line.
void jbw_yaml_quote(const char *text, size_t length, char out[JBW_YAML_DESCRIPTION_SIZE]);

#endif
