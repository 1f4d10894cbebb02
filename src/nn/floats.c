// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/floats.h"

#include <stdint.h>

enum { LINE = 64, LINE_FLOATS = LINE / sizeof(float) };

// Allocators align to 16 bytes or so. The array begins at the next line, and the byte before it says how
// many were skipped.
float *jbw_floats_alloc(const jbw_allocator *allocator, size_t count)
{
    if (count > SIZE_MAX - LINE_FLOATS) return NULL;
    unsigned char *block = jbw_alloc_zero(allocator, count + LINE_FLOATS, sizeof(float));
    if (!block) return NULL;
    const size_t skipped = LINE - (uintptr_t)block % LINE;
    block[skipped - 1] = (unsigned char)skipped;
    return (float *)(void *)(block + skipped);
}

void jbw_floats_free(const jbw_allocator *allocator, float *floats, size_t count)
{
    if (!floats) return;
    unsigned char *bytes = (unsigned char *)floats;
    jbw_free(allocator, bytes - bytes[-1], (count + LINE_FLOATS) * sizeof(float));
}
