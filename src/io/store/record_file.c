// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "io/store/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

static jbw_status fail(const char *what, int error_number, jbw_error *error)
{
    char reason[128];
    if (strerror_r(error_number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error_number);
    jbw_error_set(error, 0, 0, "%s: %s", what, reason);
    return JBW_WRITE_FAILED;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Asks that nobody else writes to a file. Where a file system cannot do that, it goes without.
static jbw_status lock(int descriptor, jbw_error *error)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return JBW_OK;
    jbw_error_set(error, 0, 0, "is being written by another recorder");
    return JBW_WRITE_FAILED;
}

static jbw_status write_all(int descriptor, uint64_t offset, const uint8_t *bytes, size_t size,
                            jbw_error *error)
{
    while (size > 0) {
        const ssize_t done = pwrite(descriptor, bytes, size, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return fail("cannot be written", done < 0 ? errno : EIO, error);
        bytes += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return JBW_OK;
}

// ---- creating ----

// the paths that creating a file works with
typedef struct paths {
    char *target; // a link stays a link: the file that it leads to is written
    char *aside;
    char *folder;
    size_t size; // of each
} paths;

static bool find_paths(paths *p, const char *path, const jbw_allocator *allocator)
{
    char *resolved = realpath(path, NULL);
    const char *target = resolved ? resolved : path;
    p->size = strlen(target) + 40;
    p->target = jbw_alloc_zero(allocator, p->size, 1);
    p->aside = jbw_alloc_zero(allocator, p->size, 1);
    p->folder = jbw_alloc_zero(allocator, p->size, 1);
    const bool has_all = p->target && p->aside && p->folder;
    if (has_all) {
        memcpy(p->target, target, strlen(target) + 1);
        const char *slash = strrchr(p->target, '/');
        const size_t length = slash == p->target ? 1 : slash ? (size_t)(slash - p->target) : 0;
        memcpy(p->folder, length ? p->target : ".", length ? length : 1);
    }
    free(resolved);
    return has_all;
}

static void free_paths(paths *p, const jbw_allocator *allocator)
{
    jbw_free(allocator, p->target, p->size);
    jbw_free(allocator, p->aside, p->size);
    jbw_free(allocator, p->folder, p->size);
}

// The file that is to be replaced, locked, or -1: so nobody loses what is just being recorded.
static jbw_status open_old(const char *path, bool may_replace, int *out, struct stat *status,
                           jbw_error *error)
{
    *out = -1;
    if (stat(path, status) != 0) {
        if (errno == ENOENT) return JBW_OK;
        return fail("cannot be written", errno, error);
    }
    if (!S_ISREG(status->st_mode)) {
        jbw_error_set(error, 0, 0, "is not a plain file, which a recording must be");
        return JBW_WRITE_FAILED;
    }
    if (!may_replace) {
        jbw_error_set(error, 0, 0, "exists already");
        return JBW_WRITE_FAILED;
    }
    *out = open(path, O_RDONLY | O_CLOEXEC);
    if (*out < 0) return fail("cannot be replaced", errno, error);
    return lock(*out, error);
}

// a new file beside the target, under a name that nobody has
static int open_aside(paths *p, mode_t mode)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(p->aside, p->size, "%s.%ld-%d.part", p->target, (long)getpid(), attempt);
        const int descriptor = open(p->aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

// gives the file its name; if it must not replace another, not even one that has just come
static jbw_status publish(const paths *p, bool may_replace, jbw_error *error)
{
    if (may_replace) {
        if (rename(p->aside, p->target) == 0) return JBW_OK;
        return fail("cannot be written", errno, error);
    }
    if (link(p->aside, p->target) == 0) {
        unlink(p->aside);
        return JBW_OK;
    }
    if (errno == EEXIST) {
        jbw_error_set(error, 0, 0, "exists already");
        return JBW_WRITE_FAILED;
    }
    // a file system without links
    if (access(p->target, F_OK) != 0 && rename(p->aside, p->target) == 0) return JBW_OK;
    return fail("cannot be written", errno, error);
}

// After a crash a new file is only there if its folder is on the disk as well. Some file systems
// cannot do this for folders; then there is nothing more to be done.
static void sync_folder(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

static jbw_status create(jbw_record_file *file, paths *p, bool may_replace, mode_t mode,
                         const void *bytes, size_t size, jbw_error *error)
{
    file->descriptor = open_aside(p, mode);
    if (file->descriptor < 0) return fail("cannot be written", errno, error);
    jbw_status status = lock(file->descriptor, error);
    if (!status) status = jbw_record_file_append(file, bytes, size, error);
    if (!status) status = jbw_record_file_sync(file, error);
    if (!status) status = publish(p, may_replace, error);
    if (status) {
        unlink(p->aside);
        jbw_record_file_close(file);
        return status;
    }
    sync_folder(p->folder);
    return JBW_OK;
}

jbw_status jbw_record_file_create(jbw_record_file *file, const char *path, bool may_replace,
                                  const void *bytes, size_t size, const jbw_allocator *allocator,
                                  jbw_error *error)
{
    *file = (jbw_record_file){.descriptor = -1};
    paths p = {0};
    jbw_status status = JBW_OUT_OF_MEMORY;
    int old = -1;
    if (find_paths(&p, path, allocator)) {
        struct stat before = {.st_mode = 0666};
        status = open_old(p.target, may_replace, &old, &before, error);
        if (!status)
            status = create(file, &p, may_replace, before.st_mode & 0777, bytes, size, error);
    } else {
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
    }
    if (old >= 0) close(old);
    free_paths(&p, allocator);
    return status;
}

// ---- going on ----

jbw_status jbw_record_file_open(jbw_record_file *file, const char *path, jbw_error *error)
{
    *file = (jbw_record_file){.descriptor = open(path, O_RDWR | O_CLOEXEC)};
    if (file->descriptor < 0) {
        const bool is_missing = errno == ENOENT || errno == ENOTDIR;
        fail("cannot be opened", errno, error);
        return is_missing ? JBW_NOT_FOUND : JBW_WRITE_FAILED;
    }
    struct stat status;
    struct stat named;
    jbw_status result = lock(file->descriptor, error);
    if (!result && (fstat(file->descriptor, &status) != 0 || stat(path, &named) != 0))
        result = fail("cannot be opened", errno, error);
    if (!result && (status.st_ino != named.st_ino || status.st_dev != named.st_dev)) {
        jbw_error_set(error, 0, 0, "has just been replaced by another recorder");
        result = JBW_WRITE_FAILED;
    }
    if (result) {
        jbw_record_file_close(file);
        return result;
    }
    file->size = (uint64_t)status.st_size;
    return JBW_OK;
}

jbw_status jbw_record_file_cut(jbw_record_file *file, uint64_t size, jbw_error *error)
{
    if (ftruncate(file->descriptor, (off_t)size) != 0)
        return fail("cannot be cut to its good part", errno, error);
    file->size = size;
    return JBW_OK;
}

jbw_status jbw_record_file_append(jbw_record_file *file, const void *bytes, size_t size,
                                  jbw_error *error)
{
    const jbw_status status = write_all(file->descriptor, file->size, bytes, size, error);
    if (status) {
        // A part of it may be there. Should this fail too, readers will find it torn.
        jbw_record_file_cut(file, file->size, NULL);
        return status;
    }
    file->size += size;
    return JBW_OK;
}

jbw_status jbw_record_file_sync(jbw_record_file *file, jbw_error *error)
{
    if (file->synced_size < file->size && fdatasync(file->descriptor) != 0 && errno != EINVAL)
        return fail("cannot be flushed to the disk", errno, error);
    file->synced_size = file->size;
    file->synced_at = now();
    return JBW_OK;
}

jbw_status jbw_record_file_sync_if_due(jbw_record_file *file, jbw_error *error)
{
    const int64_t second = 1000000000;
    return now() - file->synced_at < second ? JBW_OK : jbw_record_file_sync(file, error);
}

void jbw_record_file_close(jbw_record_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
