// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An allocator that counts what is requested and released, and fails on demand.
#ifndef JBW_TESTS_ALLOCATIONS_H
#define JBW_TESTS_ALLOCATIONS_H

#include "support/checks.h"

#include "jbw/state.h"

typedef struct counting_allocator {
    size_t call_count;
    size_t fail_at;    // the first call that fails, counted from one; zero: none
    size_t fail_count; // how many calls fail in a row
    size_t block_count;
    size_t byte_count;
    size_t most_byte_count; // the largest byte_count so far
} counting_allocator;

/// An allocator that uses `counting`. New memory is filled with garbage, and a block released with
/// a wrong size fails the test.
jbw_allocator counting_allocator_make(counting_allocator *counting);

/// From now on the n-th call fails, counted from one, and so do the `count` - 1 calls after it.
void fail_allocations(counting_allocator *counting, size_t n, size_t count);

/// No call fails any more.
void allow_allocations(counting_allocator *counting);

/// Runs a function that writes into a buffer, with every allocation failing in turn until it
/// succeeds. Fails the test unless each failure is JBW_OUT_OF_MEMORY, leaves the buffer empty and
/// releases all memory.
typedef jbw_status buffer_writer(const void *what, jbw_buffer *out);
void fail_every_allocation(buffer_writer *write, const void *what);

#endif
