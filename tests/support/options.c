// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool read_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return end != text && !*end && !errno;
}

test_options test_options_read(int argc, char **argv)
{
    test_options options = {.seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0) {
            options.is_long = true;
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc &&
                   read_number(argv[i + 1], &options.seed)) {
            i++;
        } else {
            fprintf(stderr, "usage: %s [--long] [--seed N]\n", argv[0]);
            exit(2);
        }
    }
    return options;
}
