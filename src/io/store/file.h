// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whole files: read at once, and written so that a file is complete or not there.
#ifndef JBW_IO_STORE_FILE_H
#define JBW_IO_STORE_FILE_H

#include <stdio.h>

#include "base/alloc.h"

/// Reads a file of at most `limit` bytes. On success `*out` has `*length` bytes and a zero behind
/// them; free it with `jbw_free` and the size `*length + 1`. JBW_NOT_FOUND if there is no such
/// file. `error` (may be NULL) says what went wrong, without naming the file.
jbw_status jbw_file_read(const char *path, size_t limit, const jbw_allocator *allocator, char **out,
                         size_t *length, jbw_error *error);

/// A file that is being written aside. Once something failed, writing does nothing.
typedef struct jbw_file_writer {
    FILE *file;
    const jbw_allocator *allocator;
    char *path;  // where it will be
    char *aside; // where it is; NULL if it cannot be renamed, such as /dev/stdout
    size_t path_size;
    size_t aside_size;
    int error_number; // of the first failure
} jbw_file_writer;

/// Opens a file beside `path`, for `jbw_file_commit` to put in its place. On failure nothing is
/// left to clean up. A path that exists and is not a plain file is written to directly.
jbw_status jbw_file_begin(jbw_file_writer *writer, const char *path, const jbw_allocator *allocator,
                          jbw_error *error);

/// Adds bytes. False once anything failed.
bool jbw_file_write(jbw_file_writer *writer, const void *bytes, size_t size);

/// Puts everything safely onto the disk and under its name, or leaves what was there before.
jbw_status jbw_file_commit(jbw_file_writer *writer, jbw_error *error);

/// Gives up: removes what was written so far.
void jbw_file_abandon(jbw_file_writer *writer);

#endif
