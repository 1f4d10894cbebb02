// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The worlds of worlds/, which are part of the library.

#include <stddef.h>
#include <string.h>

#include "jbw/io.h"

#include "shipped_worlds.inl"

static const size_t shipped_world_count = sizeof shipped_worlds / sizeof *shipped_worlds;

const char *jbw_shipped_world_name(size_t index)
{
    return index < shipped_world_count ? shipped_worlds[index].name : NULL;
}

const char *jbw_shipped_world_text(const char *name)
{
    for (size_t i = 0; i < shipped_world_count; i++)
        if (strcmp(shipped_worlds[i].name, name) == 0) return shipped_worlds[i].text;
    return NULL;
}
