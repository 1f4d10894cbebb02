// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "io/store/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Fills in the target and its folder.
static void split(jbw_temp_file *temp, const char *target)
{
    memcpy(temp->target, target, strlen(target) + 1);
    const char *slash = strrchr(temp->target, '/');
    if (!slash)
        temp->folder[0] = '.';
    else
        memcpy(temp->folder, temp->target,
               slash > temp->target ? (size_t)(slash - temp->target) : 1);
}

bool jbw_temp_file_init(jbw_temp_file *temp, const char *target, const jbw_allocator *allocator)
{
    enum { LONGEST_SUFFIX = 60 };
    char *resolved = realpath(target, NULL);
    if (resolved) target = resolved;
    *temp = (jbw_temp_file){.allocator = allocator, .size = strlen(target) + LONGEST_SUFFIX};
    temp->target = jbw_alloc_zero(allocator, temp->size, 1);
    temp->folder = jbw_alloc_zero(allocator, temp->size, 1);
    temp->path = jbw_alloc_zero(allocator, temp->size, 1);
    const bool has_all = temp->target && temp->folder && temp->path;
    if (has_all)
        split(temp, target);
    else
        jbw_temp_file_deinit(temp);
    free(resolved);
    return has_all;
}

// Killed programs leave their temporary files behind, and in containers they all have the same
// process id: the time tells their names apart.
int jbw_temp_file_create(jbw_temp_file *temp, int flags, mode_t mode)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        const unsigned long long stamp =
            (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
        snprintf(temp->path, temp->size, "%s.%ld-%llx.part", temp->target, (long)getpid(),
                 stamp + (unsigned)attempt);
        const int descriptor = open(temp->path, flags | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0) return descriptor;
        if (errno != EEXIST) break;
    }
    temp->path[0] = '\0';
    return -1;
}

void jbw_temp_file_remove(jbw_temp_file *temp)
{
    if (temp->path[0] != '\0') remove(temp->path);
    temp->path[0] = '\0';
}

bool jbw_temp_file_rename(jbw_temp_file *temp)
{
    if (rename(temp->path, temp->target) != 0) return false;
    temp->path[0] = '\0';
    return true;
}

void jbw_temp_file_sync_folder(const jbw_temp_file *temp)
{
    const int descriptor = open(temp->folder, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

void jbw_temp_file_deinit(jbw_temp_file *temp)
{
    jbw_free(temp->allocator, temp->target, temp->size);
    jbw_free(temp->allocator, temp->folder, temp->size);
    jbw_free(temp->allocator, temp->path, temp->size);
    *temp = (jbw_temp_file){0};
}
