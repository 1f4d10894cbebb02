// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A temporary file beside the file that it will replace. A file that is written under a temporary
/// name, flushed, and only then renamed is either complete or not there, even after a crash.
///
/// A program that is killed leaves its temporary file behind. The next one that writes to the same
/// target removes it: whoever writes a temporary file holds a lock on it, so one that can be locked
/// has no writer any more.
#ifndef JBW_IO_STORE_TEMP_FILE_H
#define JBW_IO_STORE_TEMP_FILE_H

#include <sys/stat.h>

#include "base/alloc.h"

typedef struct jbw_temp_file {
    const jbw_allocator *allocator;
    char *target; // the file to replace; links are followed, so that a link stays a link
    char *folder; // of both files
    char *path;   // of the temporary file; empty if there is none
    size_t size;  // of each text
} jbw_temp_file;

/// Prepares to replace `target`; creates no file yet. False if memory runs out, with nothing to
/// clean up.
bool jbw_temp_file_init(jbw_temp_file *temp, const char *target, const jbw_allocator *allocator);

/// Creates the file under a name that is not in use, opens it with these flags of `open` and locks
/// it. Removes what killed programs have left for the same target. Returns the file's descriptor, or
/// -1 with errno set.
int jbw_temp_file_create(jbw_temp_file *temp, int flags, mode_t mode);

/// Removes the file, if it exists.
void jbw_temp_file_remove(jbw_temp_file *temp);

/// Renames the file to its target. False with errno set on failure.
bool jbw_temp_file_rename(jbw_temp_file *temp);

/// Flushes the target's folder to disk: only then does a new name survive a crash. Some file
/// systems cannot flush folders, and nothing more can be done there.
void jbw_temp_file_sync_folder(const jbw_temp_file *temp);

/// Frees the paths. Does not remove the file.
void jbw_temp_file_deinit(jbw_temp_file *temp);

#endif
