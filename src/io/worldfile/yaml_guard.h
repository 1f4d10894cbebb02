// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rejects text before libfyaml sees it, if world files do not need it and it could do harm:
/// invalid UTF-8, control characters, and text that takes libfyaml a lot of time or memory.
#ifndef JBW_IO_WORLDFILE_YAML_GUARD_H
#define JBW_IO_WORLDFILE_YAML_GUARD_H

#include "io/worldfile/problems.h"

/// Whether the text is acceptable. If not, adds to `problems`.
bool jbw_yaml_guard_accepts(const char *text, size_t length, const jbw_source *source,
                            jbw_problems *problems);

#endif
