// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "io/store/temp_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

// ---- what killed programs have left ----

// whether a name is that of a target's temporary file: target.PROCESS-STAMP.part
static bool is_temp_name(const char *name, const char *target)
{
    const size_t length = strlen(target);
    if (strncmp(name, target, length) != 0 || name[length] != '.') return false;
    const char *process = name + length + 1;
    const size_t process_length = strspn(process, "0123456789");
    if (process_length == 0 || process[process_length] != '-') return false;
    const char *stamp = process + process_length + 1;
    const size_t stamp_length = strspn(stamp, "0123456789abcdef");
    return stamp_length > 0 && strcmp(stamp + stamp_length, ".part") == 0;
}

static void remove_if_stale(const char *path)
{
    // O_NONBLOCK: do not wait if somebody has put a pipe there
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(path);
    close(descriptor);
}

static void remove_stale(jbw_temp_file *temp)
{
    DIR *folder = opendir(temp->folder);
    if (!folder) return;
    const char *slash = strrchr(temp->target, '/');
    const char *target = slash ? slash + 1 : temp->target;
    const size_t beginning = (size_t)(target - temp->target); // of the path, with the slash
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (!is_temp_name(entry->d_name, target)) continue;
        const size_t length = strlen(entry->d_name);
        if (beginning + length >= temp->size) continue; // longer than any of ours
        memcpy(temp->path, temp->target, beginning);
        memcpy(temp->path + beginning, entry->d_name, length + 1);
        remove_if_stale(temp->path);
    }
    closedir(folder);
    temp->path[0] = '\0';
}

// ---- the file ----

// Locks a new file. False if another program took it for a stale one and has removed it, or is about
// to. Without locks in the file system nobody removes anything.
static bool lock_new(int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    struct stat status;
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

// In containers all programs have the same process id: the time tells their files apart.
int jbw_temp_file_create(jbw_temp_file *temp, int flags, mode_t mode)
{
    remove_stale(temp);
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        const unsigned long long stamp =
            (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
        snprintf(temp->path, temp->size, "%s.%ld-%llx.part", temp->target, (long)getpid(),
                 stamp + (unsigned)attempt);
        const int descriptor = open(temp->path, flags | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 && lock_new(descriptor)) return descriptor;
        if (descriptor >= 0)
            close(descriptor);
        else if (errno != EEXIST)
            break;
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
