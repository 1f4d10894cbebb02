// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// For every processor.

#include "nn/path.h"

#include "nn/vector_plain.h"

#define PATH plain
#define PATH_NAME "plain"
#define TILE_ROWS 4
#define TILE_VECTORS 4

static bool is_supported(void)
{
    return true;
}

#include "nn/path.inl"
