// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = NULL;
    size_t length = 0;
    size_t capacity = 1 << 16;
    for (;;) {
        char *larger = realloc(bytes, capacity + 1);
        if (!larger) break;
        bytes = larger;
        length += fread(bytes + length, 1, capacity - length, file);
        if (length < capacity) break;
        capacity *= 2;
    }
    fclose(file);
    if (bytes) bytes[length] = '\0';
    if (size) *size = length;
    return bytes;
}

bool file_write(const char *path, const void *bytes, size_t size)
{
    unlink(path); // overwriting makes some file systems wait for the disk
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const bool is_written = size == 0 || fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && is_written;
}

bool temporary_folder_create(temporary_folder *folder)
{
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(folder->path, sizeof folder->path, "%s/jbw-test-XXXXXX",
                                parent && *parent ? parent : "/tmp");
    return length < (int)sizeof folder->path && mkdtemp(folder->path);
}

char *temporary_path(const temporary_folder *folder, const char *name, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%s/%s", folder->path, name);
    return out;
}

// the files whose names contain `part`; removes them, or only counts them
static size_t visit_files(const temporary_folder *folder, const char *part, bool removes)
{
    size_t count = 0;
    DIR *entries = opendir(folder->path);
    if (!entries) return 0;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, part)) continue;
        char path[PATH_SIZE];
        count++;
        if (removes) unlink(temporary_path(folder, entry->d_name, path));
    }
    closedir(entries);
    return count;
}

size_t temporary_folder_count(const temporary_folder *folder, const char *part)
{
    return visit_files(folder, part, false);
}

size_t temporary_folder_clear(const temporary_folder *folder)
{
    return visit_files(folder, "", true);
}

void visit_tree(const char *path, void (*visit)(const char *path, void *user), void *user)
{
    DIR *entries = opendir(path);
    if (!entries) return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        char below[PATH_SIZE];
        struct stat about;
        if (snprintf(below, sizeof below, "%s/%s", path, name) >= (int)sizeof below) continue;
        const bool is_folder = lstat(below, &about) == 0 && S_ISDIR(about.st_mode);
        if (is_folder)
            visit_tree(below, visit, user);
        else
            visit(below, user);
    }
    closedir(entries);
}

void remove_tree(const char *path)
{
    DIR *entries = opendir(path);
    if (!entries) return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        char below[PATH_SIZE];
        if (snprintf(below, sizeof below, "%s/%s", path, name) >= (int)sizeof below) continue;
        if (unlink(below) != 0) remove_tree(below);
    }
    closedir(entries);
    rmdir(path);
}

bool temporary_folder_remove(const temporary_folder *folder)
{
    return rmdir(folder->path) == 0;
}
