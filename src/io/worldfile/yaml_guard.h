// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Stands before libfyaml and keeps from it what world files have no use for and what would harm:
/// bytes that are not UTF-8, control characters, and shapes that take it long or much memory.
#ifndef JBW_IO_WORLDFILE_YAML_GUARD_H
#define JBW_IO_WORLDFILE_YAML_GUARD_H

#include "io/worldfile/problems.h"

/// False after adding to `problems`.
bool jbw_yaml_guard_pass(const char *text, size_t length, const jbw_source *source,
                         jbw_problems *problems);

#endif
