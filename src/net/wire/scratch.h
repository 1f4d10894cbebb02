// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Memory for the lists of one message. It is kept from message to message, so that after a few
/// messages nothing is allocated any more.
#ifndef JBW_NET_WIRE_SCRATCH_H
#define JBW_NET_WIRE_SCRATCH_H

#include "jbw/base.h"

/// All zero is empty.
typedef struct jbw_scratch {
    jbw_allocator allocator;
    struct jbw_scratch_block *blocks; // newest first; allocations come from the newest
} jbw_scratch;

/// Space for `count` elements of `size` bytes, valid until the next reset. NULL when memory runs
/// out.
void *jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size);

/// Invalidates everything in it, and keeps the memory.
void jbw_scratch_reset(jbw_scratch *scratch);

void jbw_scratch_deinit(jbw_scratch *scratch);

#endif
