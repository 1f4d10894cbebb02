// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/path.h"

static const jbw_nn_path *const paths[] = {
    &jbw_nn_plain,
#if defined(JBW_NN_X86)
    &jbw_nn_avx2,
    &jbw_nn_avx512,
#elif defined(JBW_NN_NEON)
    &jbw_nn_neon,
#elif defined(JBW_NN_WASM)
    &jbw_nn_wasm,
#endif
    NULL,
};

const jbw_nn_path *jbw_nn_path_at(size_t index)
{
    return index < sizeof paths / sizeof *paths ? paths[index] : NULL;
}

const jbw_nn_path *jbw_nn_best_path(void)
{
    const jbw_nn_path *best = paths[0];
    for (size_t i = 1; paths[i]; i++)
        if (paths[i]->is_supported()) best = paths[i];
    return best;
}

size_t jbw_gemm_scratch(void)
{
    return (size_t)(JBW_GEMM_ROWS + JBW_GEMM_MOST_TILE_ROWS + JBW_GEMM_MOST_TILE_COLUMNS) *
           JBW_GEMM_DEPTH;
}

size_t jbw_packed_size(int k, int n)
{
    // whole panels of the widest path
    enum { PANEL = JBW_GEMM_MOST_TILE_COLUMNS };
    return (size_t)k * (size_t)((n + PANEL - 1) / PANEL * PANEL);
}
