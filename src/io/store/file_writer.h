// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes whole files atomically: a reader sees the old file or the complete new one.
#ifndef JBW_IO_STORE_FILE_WRITER_H
#define JBW_IO_STORE_FILE_WRITER_H

#include <stdio.h>

#include "io/store/temp_file.h"

/// A file that is being written. Once something fails, writing does nothing.
typedef struct jbw_file_writer {
    FILE *file;
    jbw_temp_file temp; // without a file if the target is written directly
    int error_number;   // of the first failure
} jbw_file_writer;

/// Opens a temporary file, which `jbw_file_writer_commit` renames to `path`. A path that is not a
/// regular file, such as /dev/stdout, is written directly. On failure there is nothing to clean up.
jbw_status jbw_file_writer_open(jbw_file_writer *writer, const char *path,
                                const jbw_allocator *allocator, jbw_error *error);

/// Appends bytes. False if this or an earlier call failed.
bool jbw_file_writer_write(jbw_file_writer *writer, const void *bytes, size_t size);

/// Whether `jbw_file_writer_rewrite` can be used.
bool jbw_file_writer_can_rewind(const jbw_file_writer *writer);

/// Writes the first bytes of the file again.
bool jbw_file_writer_rewrite(jbw_file_writer *writer, const void *bytes, size_t size);

/// Flushes the file to disk and puts it in place. On failure the old file is unchanged.
jbw_status jbw_file_writer_commit(jbw_file_writer *writer, jbw_error *error);

/// Gives up and removes the temporary file.
void jbw_file_writer_abandon(jbw_file_writer *writer);

#endif
