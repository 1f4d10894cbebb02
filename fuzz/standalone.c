// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Runs a fuzz target on files, for compilers without libFuzzer. Each argument is a file or a
/// folder of files.
#include "target.h"

#include <dirent.h>
#include <stdio.h>

#include "support/files.h"

static int run_file(const char *path)
{
    size_t size;
    char *data = file_read(path, &size);
    if (!data) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 1;
    }
    // exactly as large as the input, so that sanitizers notice reads beyond it
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
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
