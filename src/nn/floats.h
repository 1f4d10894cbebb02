// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Arrays of floats that begin where a cache line does, so that no wide vector lies across two.
#ifndef JBW_NN_FLOATS_H
#define JBW_NN_FLOATS_H

#include "base/alloc.h"

/// Allocates `count` zeros. NULL when memory runs out.
float *jbw_floats_alloc(const jbw_allocator *allocator, size_t count);

/// Frees what the above returned for this count. NULL is ignored.
void jbw_floats_free(const jbw_allocator *allocator, float *floats, size_t count);

#endif
