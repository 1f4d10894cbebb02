// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "file_kind.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"

enum { BEGINNING = 12 };

// true if the file is that long
static bool read_beginning(const char *path, uint8_t out[BEGINNING])
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t got = fread(out, 1, BEGINNING, file);
    fclose(file);
    return got == BEGINNING;
}

jbw_file_kind jbw_file_kind_of(const char *path)
{
    uint8_t bytes[BEGINNING];
    if (!read_beginning(path, bytes)) return JBW_FILE_OTHER;
    if (memcmp(bytes, "\x89JBS", 4) == 0) return JBW_FILE_SNAPSHOT;
    if (memcmp(bytes, "\x89JBR", 4) == 0) return JBW_FILE_RECORDING;
    return JBW_FILE_OTHER;
}

uint32_t jbw_file_version(const char *path)
{
    uint8_t bytes[BEGINNING];
    return read_beginning(path, bytes) ? jbw_get_u32(bytes + 8) : 0;
}

uint64_t jbw_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}
