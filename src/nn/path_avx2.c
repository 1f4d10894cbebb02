// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// For x86 with AVX2 and FMA: compiled with flags of its own (CMakeLists.txt).

#include "nn/path.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "nn/cpu_x86.h"
#include "nn/vector_avx2.h"

#define PATH avx2
#define PATH_NAME "avx2"
#define TILE_ROWS 6
#define TILE_VECTORS 2

static bool is_supported(void)
{
    return jbw_cpu_has_avx2_and_fma();
}

#include "nn/path.inl"
#endif
