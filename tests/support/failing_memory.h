// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Lets allocations of the whole program fail, in every thread: for servers, which take memory
/// from the system and not from an allocator of the test. Libraries are not affected. Programs must
/// be added by `jbw_add_memory_tests`, which lets the linker replace `malloc` and others.
#ifndef JBW_TESTS_FAILING_MEMORY_H
#define JBW_TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// From now on the n-th allocation fails, counted from one; all others succeed. What looks for room
/// in memory that is kept (`jbw_scratch_alloc`) counts as an allocation, too.
void memory_fails_at(size_t n);

/// No allocation fails any more. True if one has failed.
bool memory_works_again(void);

#endif
