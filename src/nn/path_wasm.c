// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The path of WebAssembly with vectors.

#include "nn/path.h"

#if defined(__wasm_simd128__)
#include "nn/vector_wasm.h"

#define PATH wasm
#define PATH_NAME "wasm"
#define TILE_ROWS 4
#define TILE_VECTORS 2

static bool is_supported(void)
{
    return true;
}

#include "nn/path.inl"
#endif
