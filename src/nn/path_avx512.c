// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// For x86 with AVX-512: compiled with flags of its own (CMakeLists.txt).

#include "nn/path.h"

#if defined(__AVX512F__)
#include "nn/cpu_x86.h"
#include "nn/vector_avx512.h"

#define PATH avx512
#define PATH_NAME "avx512"
#define TILE_ROWS 14
#define TILE_VECTORS 2

static bool is_supported(void)
{
    return jbw_cpu_has_avx512f();
}

#include "nn/path.inl"
#endif
