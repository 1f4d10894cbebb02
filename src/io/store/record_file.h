// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A file that only ever grows, written by one process at a time. What was added is there in full
/// or, after a failure, not at all.
#ifndef JBW_IO_STORE_RECORD_FILE_H
#define JBW_IO_STORE_RECORD_FILE_H

#include "base/alloc.h"

typedef struct jbw_record_file {
    int descriptor; // holds the lock; -1 if it is not open
    uint64_t size;
    uint64_t synced_size; // so much of it is safely on the disk
    int64_t synced_at;    // when that was seen to, in nanoseconds
} jbw_record_file;

/// Makes a file that begins with these bytes: aside, flushed, and only then under its name, so that
/// there is never less in it. A file that exists is replaced only if it may be, and never while
/// somebody writes to it.
jbw_status jbw_record_file_create(jbw_record_file *file, const char *path, bool may_replace,
                                  const void *bytes, size_t size, const jbw_allocator *allocator,
                                  jbw_error *error);

/// Opens a file that exists, to read it and to go on with it.
jbw_status jbw_record_file_open(jbw_record_file *file, const char *path, jbw_error *error);

/// Cuts off what is behind `size`.
jbw_status jbw_record_file_cut(jbw_record_file *file, uint64_t size, jbw_error *error);

/// Adds bytes at the end. The operating system has them then; the disk may not.
jbw_status jbw_record_file_append(jbw_record_file *file, const void *bytes, size_t size,
                                  jbw_error *error);

/// Waits until everything is on the disk.
jbw_status jbw_record_file_sync(jbw_record_file *file, jbw_error *error);

/// The same if it was last done a second ago or more: disks are slow.
jbw_status jbw_record_file_sync_if_due(jbw_record_file *file, jbw_error *error);

/// Closes it, as it is. Also fine if it is not open.
void jbw_record_file_close(jbw_record_file *file);

#endif
