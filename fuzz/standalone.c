// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Runs a fuzz target over files, for compilers without libFuzzer: each argument is a file, or a
/// folder of files.
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be opened\n", path);
        return 1;
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    uint8_t *data = malloc(capacity);
    for (size_t got = 1; data && got > 0; size += got) {
        if (size == capacity) {
            capacity *= 2;
            uint8_t *larger = realloc(data, capacity);
            if (!larger) free(data);
            data = larger;
            if (!data) break;
        }
        got = fread(data + size, 1, capacity - size, file);
    }
    fclose(file);
    if (!data) return 1;

    // exactly as large as the input, so that sanitizers see every step beyond it
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact) {
        for (size_t i = 0; i < size; i++) exact[i] = data[i];
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    int failures = 0;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            failures += run_file(argv[i]);
            count++;
            continue;
        }
        struct dirent *entry;
        while ((entry = readdir(folder))) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            failures += run_file(path);
            count++;
        }
        closedir(folder);
    }
    printf("%d inputs\n", count);
    return failures > 0 || count == 0;
}
