// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An allocator that hands out a limited number of bytes. It returns the memory of the underlying
/// allocator unchanged, so that objects made with it may later be freed by that one.
#ifndef JBW_BASE_LIMIT_H
#define JBW_BASE_LIMIT_H

#include "jbw/base.h"

/// How to read bytes that exceed a limit, for messages.
#define JBW_LIMIT_ADVICE \
    "if you trust it, choose a larger memory limit (--memory-limit, memory_limit)"

/// How much memory loading a world from this many bytes may take if nobody says otherwise:
/// `jbw_load_options` explains it. The memory budget is in megabytes.
uint64_t jbw_limit_default(uint64_t size, int memory_budget);

typedef struct jbw_limit {
    jbw_allocator from; // the underlying allocator
    uint64_t left;      // bytes
    bool was_hit;       // an allocation was refused
} jbw_limit;

/// The allocator that enforces a limit. The limit must outlive it.
jbw_allocator jbw_limit_allocator(jbw_limit *limit);

#endif
