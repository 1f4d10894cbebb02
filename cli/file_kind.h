// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a file is, by how it begins. Where a WORLD is named, a snapshot may stand too.
#ifndef JBW_CLI_FILE_KIND_H
#define JBW_CLI_FILE_KIND_H

#include <stdint.h>

typedef enum jbw_file_kind {
    JBW_FILE_OTHER, // a world file, or the name of a shipped world
    JBW_FILE_SNAPSHOT,
    JBW_FILE_RECORDING,
} jbw_file_kind;

/// Looks at the beginning of a file. Something that cannot be read is JBW_FILE_OTHER.
jbw_file_kind jbw_file_kind_of(const char *path);

/// The version that a snapshot or a recording says it has, and its size in bytes.
uint32_t jbw_file_version(const char *path);
uint64_t jbw_file_size(const char *path);

#endif
