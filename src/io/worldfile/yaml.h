// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// From YAML text to a tree. libfyaml finds the structure; the tree is our own, so that nothing in
/// it depends on libfyaml's memory and hostile documents meet our limits first.
#ifndef JBW_IO_WORLDFILE_YAML_H
#define JBW_IO_WORLDFILE_YAML_H

#include "io/worldfile/yaml_tree.h"

/// No text may be longer than this.
enum { JBW_YAML_MAX_LENGTH = 16 << 20 };

/// Parses one document into nodes of the arena. Returns NULL if `problems` now holds what makes
/// the text unreadable; lesser things, such as duplicate keys, are added there as well.
jbw_yaml_node *jbw_yaml_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems);

#endif
