// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A file that only grows, written by one process at a time. Bytes that are appended are there
/// completely or, after a failure, not at all.
#ifndef JBW_IO_STORE_APPEND_FILE_H
#define JBW_IO_STORE_APPEND_FILE_H

#include "base/alloc.h"

typedef struct jbw_append_file {
    int descriptor; // holds the lock; -1 if the file is not open
    uint64_t size;
    uint64_t synced_size; // how much of it is known to be on disk
    int64_t synced_at;    // when it was last flushed, in nanoseconds
} jbw_append_file;

/// Creates a file with these initial bytes: it gets its name once they are on disk, so it never has
/// fewer. An existing file is replaced only if `may_replace`, and never while it is being written.
jbw_status jbw_append_file_create(jbw_append_file *file, const char *path, bool may_replace,
                                  const void *bytes, size_t size, const jbw_allocator *allocator,
                                  jbw_error *error);

/// Opens an existing file for reading and appending.
jbw_status jbw_append_file_open(jbw_append_file *file, const char *path, jbw_error *error);

/// Drops everything after the first `size` bytes.
jbw_status jbw_append_file_truncate(jbw_append_file *file, uint64_t size, jbw_error *error);

/// Appends bytes. They have reached the operating system then, but maybe not the disk.
jbw_status jbw_append_file_write(jbw_append_file *file, const void *bytes, size_t size,
                                 jbw_error *error);

/// Waits until everything is on disk.
jbw_status jbw_append_file_sync(jbw_append_file *file, jbw_error *error);

/// Does the same, but at most once a second, because disks are slow.
jbw_status jbw_append_file_sync_if_due(jbw_append_file *file, jbw_error *error);

/// Closes the file without flushing it. Does nothing if it is not open.
void jbw_append_file_close(jbw_append_file *file);

#endif
