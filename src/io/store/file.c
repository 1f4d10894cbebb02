// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "io/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

// strerror may share a buffer between threads
static const char *reason(int error_number, char *buffer, size_t size)
{
    if (strerror_r(error_number, buffer, size) != 0)
        snprintf(buffer, size, "error %d", error_number);
    return buffer;
}

// --- reading ------------------------------------------------------------------------------------

// How large a file seems to be. The size of a pipe is not known before, and a file may grow.
static size_t guess_size(FILE *file, size_t limit)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
        return 0;
    return (uint64_t)status.st_size < limit ? (size_t)status.st_size : limit;
}

// Reads to the end or to one byte beyond the limit. There is room for one byte more.
static jbw_status read_all(FILE *file, size_t limit, const jbw_allocator *allocator, char **out,
                           size_t *capacity, size_t *length)
{
    *out = NULL;
    *capacity = 0;
    *length = 0;
    for (size_t wanted = guess_size(file, limit) + 1;; wanted = *length + 4096) {
        if (*length == *capacity && !JBW_GROW(allocator, *out, *capacity, wanted))
            return JBW_OUT_OF_MEMORY;
        const size_t got = fread(*out + *length, 1, *capacity - *length, file);
        *length += got;
        if (ferror(file)) return JBW_READ_FAILED;
        if (got == 0 || *length > limit) return JBW_OK;
    }
}

// the caller will give back exactly the length and one byte
static jbw_status fit(const jbw_allocator *allocator, char **bytes, size_t capacity, size_t length)
{
    if (capacity != length + 1) {
        char *fitting = jbw_alloc(allocator, length + 1);
        if (fitting) memcpy(fitting, *bytes, length);
        jbw_free(allocator, *bytes, capacity);
        *bytes = fitting;
    }
    if (!*bytes) return JBW_OUT_OF_MEMORY;
    (*bytes)[length] = '\0';
    return JBW_OK;
}

jbw_status jbw_file_read(const char *path, size_t limit, const jbw_allocator *allocator, char **out,
                         size_t *length, jbw_error *error)
{
    char buffer[128];
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        const int error_number = errno;
        jbw_error_set(error, 0, 0, "cannot be opened: %s",
                      reason(error_number, buffer, sizeof buffer));
        return error_number == ENOENT || error_number == ENOTDIR ? JBW_NOT_FOUND : JBW_READ_FAILED;
    }

    char *bytes;
    size_t capacity;
    errno = 0;
    jbw_status status = read_all(file, limit, allocator, &bytes, &capacity, length);
    if (status == JBW_READ_FAILED) {
        jbw_error_set(error, 0, 0, "cannot be read: %s", reason(errno, buffer, sizeof buffer));
    } else if (status == JBW_OK && *length > limit) {
        jbw_error_set(error, 0, 0, "is too large, expected at most %zu MiB", limit >> 20);
        status = JBW_READ_FAILED;
    }
    fclose(file);

    if (status)
        jbw_free(allocator, bytes, capacity);
    else
        status = fit(allocator, &bytes, capacity, *length);
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
    if (!status) *out = bytes;
    return status;
}

// --- writing ------------------------------------------------------------------------------------

static void note_failure(jbw_file_writer *writer, int error_number)
{
    if (writer->error_number == 0) writer->error_number = error_number ? error_number : EIO;
}

static void release(jbw_file_writer *writer)
{
    jbw_free(writer->allocator, writer->path, writer->path_size);
    jbw_free(writer->allocator, writer->aside, writer->aside_size);
    *writer = (jbw_file_writer){0};
}

static jbw_status fail_write(jbw_file_writer *writer, int error_number, jbw_error *error)
{
    char buffer[128];
    jbw_error_set(error, 0, 0, "%s cannot be written: %s", writer->path,
                  reason(error_number, buffer, sizeof buffer));
    jbw_file_abandon(writer);
    return JBW_WRITE_FAILED;
}

static bool copy_path(jbw_file_writer *writer, const char *path)
{
    // a link stays a link: the file that it leads to is replaced
    char *resolved = realpath(path, NULL);
    const char *target = resolved ? resolved : path;
    writer->path_size = strlen(target) + 1;
    writer->path = jbw_alloc(writer->allocator, writer->path_size);
    if (writer->path) memcpy(writer->path, target, writer->path_size);
    free(resolved);

    writer->aside_size = writer->path_size + 60;
    writer->aside = jbw_alloc(writer->allocator, writer->aside_size);
    return writer->path && writer->aside;
}

// A new file beside the target, under a name that nobody has. Programs that were killed leave files
// behind, and in containers they all have the same number: the time keeps them apart.
static int open_aside(jbw_file_writer *writer, mode_t mode)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_REALTIME, &now);
        const unsigned long long stamp =
            (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
        snprintf(writer->aside, writer->aside_size, "%s.%ld-%llx.part", writer->path,
                 (long)getpid(), stamp + (unsigned)attempt);
        const int descriptor = open(writer->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

jbw_status jbw_file_begin(jbw_file_writer *writer, const char *path, const jbw_allocator *allocator,
                          jbw_error *error)
{
    *writer = (jbw_file_writer){.allocator = allocator};
    if (!copy_path(writer, path)) {
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
        release(writer);
        return JBW_OUT_OF_MEMORY;
    }

    struct stat status;
    const bool exists = stat(writer->path, &status) == 0;
    int descriptor;
    if (exists && !S_ISREG(status.st_mode)) {
        jbw_free(allocator, writer->aside, writer->aside_size);
        writer->aside = NULL;
        descriptor = open(writer->path, O_WRONLY | O_CLOEXEC);
    } else {
        descriptor = open_aside(writer, exists ? status.st_mode & 0777 : 0666);
    }
    if (descriptor < 0) {
        // there is nothing to remove
        const int error_number = errno;
        jbw_free(allocator, writer->aside, writer->aside_size);
        writer->aside = NULL;
        return fail_write(writer, error_number, error);
    }
    writer->file = fdopen(descriptor, "wb");
    if (!writer->file) {
        const int error_number = errno;
        close(descriptor);
        return fail_write(writer, error_number, error);
    }
    return JBW_OK;
}

bool jbw_file_write(jbw_file_writer *writer, const void *bytes, size_t size)
{
    if (writer->error_number != 0) return false;
    errno = 0;
    if (fwrite(bytes, 1, size, writer->file) != size) note_failure(writer, errno);
    return writer->error_number == 0;
}

// After a crash a renamed file is only there if its folder is on the disk as well. Some file
// systems cannot do this for folders; then there is nothing more to be done.
static void sync_folder(const char *path, char *buffer)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    memcpy(buffer, path, length);
    buffer[length] = '\0';
    const int descriptor = open(length ? buffer : ".", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

jbw_status jbw_file_commit(jbw_file_writer *writer, jbw_error *error)
{
    errno = 0;
    if (writer->error_number == 0 && fflush(writer->file) != 0) note_failure(writer, errno);
    if (writer->error_number == 0 && writer->aside && fsync(fileno(writer->file)) != 0)
        note_failure(writer, errno);
    if (fclose(writer->file) != 0) note_failure(writer, errno);
    writer->file = NULL;
    if (writer->error_number == 0 && writer->aside && rename(writer->aside, writer->path) != 0)
        note_failure(writer, errno);
    if (writer->error_number != 0) return fail_write(writer, writer->error_number, error);

    if (writer->aside) sync_folder(writer->path, writer->aside);
    release(writer);
    return JBW_OK;
}

void jbw_file_abandon(jbw_file_writer *writer)
{
    if (writer->file) fclose(writer->file);
    if (writer->aside) remove(writer->aside);
    release(writer);
}
