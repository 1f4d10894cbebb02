// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A page has no environment. The C library would ask the system for one, and end the program when there is none.

#include <stddef.h>
#include <stdlib.h>

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}
