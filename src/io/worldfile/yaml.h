// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Parses YAML text into a tree. libfyaml finds the structure; the tree is our own, so it does not
/// depend on libfyaml's memory, and hostile documents meet our limits first.
#ifndef JBW_IO_WORLDFILE_YAML_H
#define JBW_IO_WORLDFILE_YAML_H

#include "io/worldfile/yaml_tree.h"

/// The longest text, in bytes.
enum { JBW_YAML_MAX_LENGTH = 16 << 20 };

/// Parses one document into nodes of the arena. Returns NULL after adding to `problems` what makes
/// the text unreadable; lesser problems, such as duplicate keys, are only added.
jbw_yaml_node *jbw_yaml_parse(const char *text, size_t length, const jbw_source *source,
                              jbw_arena *arena, jbw_problems *problems);

#endif
