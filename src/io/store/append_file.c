// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/append_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "io/store/store.h"
#include "io/store/temp_file.h"

static jbw_status fail(const char *what, int error_number, jbw_error *error)
{
    jbw_store_fail(error, JBW_WRITE_FAILED, what, error_number);
    return JBW_WRITE_FAILED;
}

static jbw_status refuse(const char *why, jbw_error *error)
{
    jbw_error_set(error, 0, 0, "%s", why);
    return JBW_WRITE_FAILED;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Makes sure that no other recorder writes to a file. Without locks in the file system it does
// nothing.
static jbw_status lock(int descriptor, jbw_error *error)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return JBW_OK;
    return refuse("is being written by another recorder", error);
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

// Opens and locks the file to replace, if there is one, so that no recording in progress is lost.
static jbw_status open_old(const char *path, bool may_replace, int *out, struct stat *status,
                           jbw_error *error)
{
    *out = -1;
    if (stat(path, status) != 0) {
        if (errno == ENOENT) return JBW_OK;
        return fail("cannot be written", errno, error);
    }
    if (!S_ISREG(status->st_mode)) return refuse("is not a regular file", error);
    if (!may_replace) return refuse("already exists", error);
    *out = open(path, O_RDONLY | O_CLOEXEC);
    if (*out < 0) return fail("cannot be replaced", errno, error);
    return lock(*out, error);
}

// Gives the file its name. A link never replaces a file, even one created a moment ago.
static jbw_status publish(jbw_temp_file *temp, bool may_replace, jbw_error *error)
{
    if (may_replace)
        return jbw_temp_file_rename(temp) ? JBW_OK : fail("cannot be written", errno, error);
    if (link(temp->path, temp->target) == 0) {
        jbw_temp_file_remove(temp);
        return JBW_OK;
    }
    if (errno == EEXIST) return refuse("already exists", error);
    // a file system without links
    if (access(temp->target, F_OK) != 0 && jbw_temp_file_rename(temp)) return JBW_OK;
    return fail("cannot be written", errno, error);
}

static jbw_status create(jbw_append_file *file, jbw_temp_file *temp, bool may_replace, mode_t mode,
                         const void *bytes, size_t size, jbw_error *error)
{
    file->descriptor = jbw_temp_file_create(temp, O_RDWR, mode);
    if (file->descriptor < 0) return fail("cannot be written", errno, error);
    jbw_status status = jbw_append_file_write(file, bytes, size, error);
    if (!status) status = jbw_append_file_sync(file, error);
    if (!status) status = publish(temp, may_replace, error);
    if (status) {
        jbw_temp_file_remove(temp);
        jbw_append_file_close(file);
        return status;
    }
    jbw_temp_file_sync_folder(temp);
    return JBW_OK;
}

jbw_status jbw_append_file_create(jbw_append_file *file, const char *path, bool may_replace,
                                  const void *bytes, size_t size, const jbw_allocator *allocator,
                                  jbw_error *error)
{
    *file = (jbw_append_file){.descriptor = -1};
    jbw_temp_file temp;
    if (!jbw_temp_file_init(&temp, path, allocator))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    int old;
    struct stat before = {.st_mode = 0666};
    jbw_status status = open_old(temp.target, may_replace, &old, &before, error);
    if (!status)
        status = create(file, &temp, may_replace, before.st_mode & 0777, bytes, size, error);
    if (old >= 0) close(old);
    jbw_temp_file_deinit(&temp);
    return status;
}

// ---- appending ----

jbw_status jbw_append_file_open(jbw_append_file *file, const char *path, jbw_error *error)
{
    *file = (jbw_append_file){.descriptor = open(path, O_RDWR | O_CLOEXEC)};
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
    if (!result && (status.st_ino != named.st_ino || status.st_dev != named.st_dev))
        result = refuse("has just been replaced by another recorder", error);
    if (result) {
        jbw_append_file_close(file);
        return result;
    }
    file->size = (uint64_t)status.st_size;
    return JBW_OK;
}

jbw_status jbw_append_file_truncate(jbw_append_file *file, uint64_t size, jbw_error *error)
{
    if (ftruncate(file->descriptor, (off_t)size) != 0)
        return fail("cannot be truncated to its valid part", errno, error);
    file->size = size;
    return JBW_OK;
}

jbw_status jbw_append_file_write(jbw_append_file *file, const void *bytes, size_t size,
                                 jbw_error *error)
{
    const jbw_status status = write_all(file->descriptor, file->size, bytes, size, error);
    if (status) {
        // some of it may be in the file; if this fails as well, readers see a torn end
        jbw_append_file_truncate(file, file->size, NULL);
        return status;
    }
    file->size += size;
    return JBW_OK;
}

jbw_status jbw_append_file_sync(jbw_append_file *file, jbw_error *error)
{
    if (file->synced_size < file->size && fdatasync(file->descriptor) != 0 && errno != EINVAL)
        return fail("cannot be flushed to the disk", errno, error);
    file->synced_size = file->size;
    file->synced_at = now();
    return JBW_OK;
}

jbw_status jbw_append_file_sync_if_due(jbw_append_file *file, jbw_error *error)
{
    const int64_t second = 1000000000;
    return now() - file->synced_at < second ? JBW_OK : jbw_append_file_sync(file, error);
}

void jbw_append_file_close(jbw_append_file *file)
{
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
