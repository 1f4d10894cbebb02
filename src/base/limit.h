// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An allocator that gives no more than so many bytes. It passes on what it gets from another one
/// unchanged, so that what was made with it may be given back to that one later.
#ifndef JBW_BASE_LIMIT_H
#define JBW_BASE_LIMIT_H

#include "jbw/base.h"

typedef struct jbw_limit {
    jbw_allocator from;
    uint64_t left;
    bool was_hit; // more was asked for
} jbw_limit;

/// The allocator of a limit, which must outlive its use.
jbw_allocator jbw_limit_allocator(jbw_limit *limit);

#endif
