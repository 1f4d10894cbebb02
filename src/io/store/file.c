// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/store/store.h"

// How large a file seems to be. A pipe does not say, and a file may grow while it is read.
static size_t guess_size(FILE *file, size_t limit)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
        return 0;
    return (uint64_t)status.st_size < limit ? (size_t)status.st_size : limit;
}

// Reads to the end, or to one byte beyond the limit.
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

// shrinks the array to the length plus a terminating zero, the size that the caller will free
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
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        const int error_number = errno;
        const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
        return jbw_store_fail(error, is_missing ? JBW_NOT_FOUND : JBW_READ_FAILED,
                              "cannot be opened", error_number);
    }

    char *bytes;
    size_t capacity;
    errno = 0;
    jbw_status status = read_all(file, limit, allocator, &bytes, &capacity, length);
    if (status == JBW_READ_FAILED) {
        jbw_store_fail(error, status, "cannot be read", errno);
    } else if (status == JBW_OK && *length > limit) {
        jbw_error_set(error, 0, 0, "is too large, expected at most %zu MiB", limit >> 20);
        status = JBW_READ_FAILED;
    }
    fclose(file);

    if (status)
        jbw_free(allocator, bytes, capacity);
    else
        status = fit(allocator, &bytes, capacity, *length);
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, status);
    if (!status) *out = bytes;
    return status;
}
