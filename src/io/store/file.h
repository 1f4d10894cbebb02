// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reads whole files.
#ifndef JBW_IO_STORE_FILE_H
#define JBW_IO_STORE_FILE_H

#include "base/alloc.h"

/// Reads a file of at most `limit` bytes. On success `*out` has `*length` bytes and a terminating
/// zero; free it with `jbw_free` and the size `*length + 1`. JBW_NOT_FOUND if there is no such
/// file. `error` (may be NULL) says what went wrong, without naming the file.
jbw_status jbw_file_read(const char *path, size_t limit, const jbw_allocator *allocator, char **out,
                         size_t *length, jbw_error *error);

#endif
