// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What can be said about a file before it is opened. Its first bytes tell snapshots and recordings
/// apart, so that verbs accept both in the same place.
#ifndef JBW_CLI_FILE_INFO_H
#define JBW_CLI_FILE_INFO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum jbw_file_kind {
    JBW_FILE_OTHER, // a world file, or the name of a shipped world
    JBW_FILE_SNAPSHOT,
    JBW_FILE_RECORDING,
} jbw_file_kind;

/// The kind of a file. A file that cannot be read is JBW_FILE_OTHER.
jbw_file_kind jbw_file_kind_of(const char *path);

/// The format version of a snapshot or recording, and its size in bytes.
uint32_t jbw_file_version(const char *path);
uint64_t jbw_file_size(const char *path);

/// True if a file could be created in the folder of `path`. Ask before hours of work whose result
/// is to be written there.
bool jbw_is_folder_writable(const char *path);

#endif
