// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Finds and replaces nodes of a tree by paths such as "items.Wall.color.0".
#ifndef JBW_IO_WORLDFILE_YAML_PATH_H
#define JBW_IO_WORLDFILE_YAML_PATH_H

#include "io/worldfile/yaml_tree.h"

/// Replaces the node at a path by `value`, adding missing mappings. Nodes on the way are copied,
/// not changed, because aliases may share them. Returns the new root, or NULL after adding to
/// `problems`.
jbw_yaml_node *jbw_yaml_replace(jbw_yaml_node *root, const char *path, jbw_yaml_node *value,
                                jbw_arena *arena, jbw_problems *problems);

/// Where a path leads.
typedef struct jbw_yaml_target {
    jbw_yaml_node *node;      // the deepest node on the path that exists
    const jbw_yaml_node *key; // its key, or NULL for the root and in lists
    bool is_complete;         // the node is at the end of the path
    bool is_faulty;           // this node, or one above it, was already reported
} jbw_yaml_target;

/// Follows a path from `jbw_config_check` as far as it exists. In lists it counts only entries that
/// are not faulty, because the others are not in the config.
jbw_yaml_target jbw_yaml_follow(jbw_yaml_node *root, const char *path);

#endif
