// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A queue of records from one thread to another, without locks: bytes in a circle.
///
///     | size, bytes ... | size, bytes ... |  free  | size, bytes ... |
///                                         ^ tail   ^ head
///
/// A record is never split: one that does not fit before the end of the memory begins at its start,
/// and a size of zero tells the reader to go there.
#ifndef JBW_NET_THREAD_RING_H
#define JBW_NET_THREAD_RING_H

#include <stdatomic.h>

#include "jbw/base.h"

enum { JBW_RING_ALIGNMENT = 16 };

typedef struct jbw_ring {
    uint8_t *bytes; // (capacity), a power of two
    size_t capacity;
    atomic_size_t tail;  // where the writer is; both only grow
    size_t reserved;     // the writer's own: where the record that it fills begins
    size_t head_seen;    // the writer's own: what it knows of the reader
    uint8_t between[64]; // so that the two do not write to one line of the cache
    atomic_size_t head;  // where the reader is
    uint8_t behind[64];
} jbw_ring;

/// `capacity` is a power of two. False when memory runs out.
bool jbw_ring_init(jbw_ring *ring, size_t capacity);
void jbw_ring_deinit(jbw_ring *ring);

/// Room for a record, aligned, or NULL if there is none now. Larger than a quarter of the capacity
/// there never is.
uint8_t *jbw_ring_reserve(jbw_ring *ring, size_t size);

/// Hands over the record that was reserved last.
void jbw_ring_commit(jbw_ring *ring);

/// The oldest record, or NULL if there is none. It stays until it is released.
uint8_t *jbw_ring_peek(jbw_ring *ring, size_t *size);
void jbw_ring_release(jbw_ring *ring);

/// Bytes that are waiting; by any thread.
size_t jbw_ring_length(const jbw_ring *ring);

#endif
