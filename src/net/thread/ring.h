// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A lock-free queue of records from one thread to one other thread: a circular buffer of bytes.
///
///     | size, bytes ... | size, bytes ... |  free  | size, bytes ... |
///                                         ^ tail   ^ head
///
/// A record is never split. One that does not fit before the end of the buffer starts at its
/// beginning, and a size of zero tells the reader to continue there.
#ifndef JBW_NET_THREAD_RING_H
#define JBW_NET_THREAD_RING_H

#include <stdatomic.h>

#include "jbw/base.h"

enum { JBW_RING_ALIGNMENT = 16 };

typedef struct jbw_ring {
    uint8_t *bytes; // (capacity), a power of two
    size_t capacity;
    atomic_size_t tail;  // the writer's position; head and tail only grow
    size_t reserved;     // private to the writer: start of the record being filled
    size_t head_seen;    // private to the writer: the latest head it has read
    uint8_t between[64]; // keeps head and tail on separate cache lines
    atomic_size_t head;  // the reader's position
    uint8_t behind[64];
} jbw_ring;

/// `capacity` is a power of two. False when memory runs out.
bool jbw_ring_init(jbw_ring *ring, size_t capacity);
void jbw_ring_deinit(jbw_ring *ring);

/// Space for a record, aligned, or NULL if the ring is too full now. A record larger than a quarter
/// of the capacity never fits.
uint8_t *jbw_ring_reserve(jbw_ring *ring, size_t size);

/// Publishes the record that was reserved last.
void jbw_ring_commit(jbw_ring *ring);

/// The oldest record, or NULL if the ring is empty. It stays valid until it is released.
uint8_t *jbw_ring_peek(jbw_ring *ring, size_t *size);
void jbw_ring_release(jbw_ring *ring);

/// Bytes in the queue. May be called from any thread.
size_t jbw_ring_length(const jbw_ring *ring);

#endif
