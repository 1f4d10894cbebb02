// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "file_info.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

enum { HEADER_SIZE = 12 };

// false if the file is shorter
static bool read_start(const char *path, uint8_t out[HEADER_SIZE])
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t got = fread(out, 1, HEADER_SIZE, file);
    fclose(file);
    return got == HEADER_SIZE;
}

jbw_file_kind jbw_file_kind_of(const char *path)
{
    uint8_t bytes[HEADER_SIZE];
    if (!read_start(path, bytes)) return JBW_FILE_OTHER;
    if (memcmp(bytes, "\x89JBS", 4) == 0) return JBW_FILE_SNAPSHOT;
    if (memcmp(bytes, "\x89JBR", 4) == 0) return JBW_FILE_RECORDING;
    return JBW_FILE_OTHER;
}

uint32_t jbw_file_version(const char *path)
{
    uint8_t bytes[HEADER_SIZE];
    return read_start(path, bytes) ? jbw_get_u32(bytes + 8) : 0;
}

uint64_t jbw_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

bool jbw_is_folder_writable(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (!slash) return access(".", W_OK) == 0;
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder) return true;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return access(folder, W_OK) == 0;
}
