// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The NEON path. Every aarch64 processor supports NEON.

#include "nn/path.h"

#if defined(__aarch64__)
#include "nn/vector_neon.h"

#define PATH neon
#define PATH_NAME "neon"
#define TILE_ROWS 6
#define TILE_VECTORS 4

static bool is_supported(void)
{
    return true;
}

#include "nn/path.inl"
#endif
