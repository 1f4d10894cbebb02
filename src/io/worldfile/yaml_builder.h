// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Builds a tree from the events of libfyaml (a list begins, a text, a list ends). Finished nodes
/// wait on a stack until the container around them ends and takes them:
///
///     [a, {b: c}]     open: LIST            pending: a
///            ^        open: LIST MAPPING    pending: a b c
///             ^       open: LIST            pending: a MAPPING(b: c)
///
/// An alias pushes the node that it refers to once more.
#ifndef JBW_IO_WORLDFILE_YAML_BUILDER_H
#define JBW_IO_WORLDFILE_YAML_BUILDER_H

#include "io/worldfile/yaml_tree.h"

enum { JBW_YAML_MAX_DEPTH = 32 }; // a world file needs five

struct fy_event;

typedef struct jbw_yaml_anchor {
    const char *name;
    size_t length;
    jbw_yaml_node *node;
} jbw_yaml_anchor;

typedef struct jbw_yaml_container {
    jbw_yaml_node *node;
    size_t first_pending;
} jbw_yaml_container;

/// All zero except for the first five fields at the start of a document.
typedef struct jbw_yaml_builder {
    const char *text;
    size_t length;
    const jbw_source *source;
    jbw_arena *arena; // of the nodes
    jbw_problems *problems;

    jbw_yaml_node **pending;
    size_t pending_count;
    size_t pending_capacity;
    jbw_yaml_container open[JBW_YAML_MAX_DEPTH];
    size_t depth;
    jbw_yaml_anchor *anchors;
    size_t anchor_count;
    size_t anchor_capacity;
    size_t aliased; // nodes that the aliases so far expand to
    size_t document_count;
} jbw_yaml_builder;

void jbw_yaml_builder_deinit(jbw_yaml_builder *builder);

/// Takes the next event. False after adding to `problems` what makes the text unreadable; lesser
/// problems, such as duplicate keys, are only added.
bool jbw_yaml_builder_add(jbw_yaml_builder *builder, struct fy_event *event);

/// The root of the tree, after the last event. NULL if memory runs out.
jbw_yaml_node *jbw_yaml_builder_root(jbw_yaml_builder *builder);

#endif
