// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whole files, and temporary folders for them.
#ifndef JBW_TESTS_FILES_H
#define JBW_TESTS_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { PATH_SIZE = 512 };

/// The contents of a file with a zero behind them, or NULL if it cannot be read. The caller frees
/// them. `size` may be NULL.
char *file_read(const char *path, size_t *size);

/// Replaces a file; false if that fails.
bool file_write(const char *path, const void *bytes, size_t size);

/// A new folder below TMPDIR or /tmp.
typedef struct temporary_folder {
    char path[PATH_SIZE / 2];
} temporary_folder;

bool temporary_folder_create(temporary_folder *folder);

/// The path of a file in the folder; returns `out`.
char *temporary_path(const temporary_folder *folder, const char *name, char out[PATH_SIZE]);

/// How many files there are in the folder whose names contain `part`.
size_t temporary_folder_count(const temporary_folder *folder, const char *part);

/// Removes all files from the folder; returns how many there were.
size_t temporary_folder_clear(const temporary_folder *folder);

/// Calls a function for every file below a folder, in any order. Links are not followed.
void visit_tree(const char *path, void (*visit)(const char *path, void *user), void *user);

/// Removes a folder with everything in it.
void remove_tree(const char *path);

/// Removes the folder. False if it is not empty: something left a file behind.
bool temporary_folder_remove(const temporary_folder *folder);

#endif
