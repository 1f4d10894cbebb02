// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/ring.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = JBW_RING_ALIGNMENT };

bool jbw_ring_init(jbw_ring *ring, size_t capacity)
{
    ring->bytes = aligned_alloc(64, capacity);
    ring->capacity = capacity;
    ring->reserved = 0;
    ring->head_seen = 0;
    atomic_init(&ring->tail, 0);
    atomic_init(&ring->head, 0);
    return ring->bytes != NULL;
}

void jbw_ring_deinit(jbw_ring *ring)
{
    free(ring->bytes);
    ring->bytes = NULL;
}

static size_t record_size(size_t size)
{
    const size_t unit = JBW_RING_ALIGNMENT;
    return HEADER_SIZE + (size + unit - 1) / unit * unit;
}

static void put_size(jbw_ring *ring, size_t at, size_t size)
{
    memcpy(ring->bytes + (at & (ring->capacity - 1)), &size, sizeof size);
}

static size_t get_size(const jbw_ring *ring, size_t at)
{
    size_t size;
    memcpy(&size, ring->bytes + (at & (ring->capacity - 1)), sizeof size);
    return size;
}

uint8_t *jbw_ring_reserve(jbw_ring *ring, size_t size)
{
    if (size > ring->capacity / 4) return NULL;
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const size_t to_end = ring->capacity - (tail & (ring->capacity - 1));
    const size_t wanted = record_size(size);
    const size_t skipped = wanted > to_end ? to_end : 0;
    if (tail + skipped + wanted - ring->head_seen > ring->capacity) {
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (tail + skipped + wanted - ring->head_seen > ring->capacity) return NULL;
    }
    if (skipped > 0) put_size(ring, tail, 0);
    ring->reserved = tail + skipped;
    put_size(ring, ring->reserved, size + 1);
    return ring->bytes + (ring->reserved & (ring->capacity - 1)) + HEADER_SIZE;
}

void jbw_ring_commit(jbw_ring *ring)
{
    const size_t size = get_size(ring, ring->reserved) - 1;
    atomic_store_explicit(&ring->tail, ring->reserved + record_size(size), memory_order_release);
}

uint8_t *jbw_ring_peek(jbw_ring *ring, size_t *size)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&ring->tail, memory_order_acquire)) return NULL;
    if (get_size(ring, head) == 0) {
        // the rest of the buffer was too short; the record is at its beginning
        head += ring->capacity - (head & (ring->capacity - 1));
        atomic_store_explicit(&ring->head, head, memory_order_release);
    }
    *size = get_size(ring, head) - 1;
    return ring->bytes + (head & (ring->capacity - 1)) + HEADER_SIZE;
}

void jbw_ring_release(jbw_ring *ring)
{
    const size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const size_t size = get_size(ring, head) - 1;
    atomic_store_explicit(&ring->head, head + record_size(size), memory_order_release);
}

size_t jbw_ring_length(const jbw_ring *ring)
{
    const size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    const size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return tail > head ? tail - head : 0;
}
