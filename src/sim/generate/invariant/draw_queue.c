// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/draw_queue.h"

#include <string.h>

enum { MOST_BUCKETS = 256, KEY_BITS = 64 };

static bool reserve(jbw_draw_array *draws, const jbw_allocator *allocator, size_t count)
{
    return count <= draws->capacity || JBW_GROW(allocator, draws->items, draws->capacity, count);
}

// ---- late draws: a heap ----

static bool push_late(jbw_draw_array *late, const jbw_allocator *allocator, jbw_draw draw)
{
    if (!reserve(late, allocator, late->count + 1)) return false;
    size_t hole = late->count++;
    while (hole > 0) {
        const size_t parent = (hole - 1) / 2;
        if (!jbw_draw_is_before(&draw, &late->items[parent])) break;
        late->items[hole] = late->items[parent];
        hole = parent;
    }
    late->items[hole] = draw;
    return true;
}

static void remove_first_late(jbw_draw_array *late)
{
    const jbw_draw last = late->items[--late->count];
    size_t hole = 0;
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= late->count) break;
        if (child + 1 < late->count &&
            jbw_draw_is_before(&late->items[child + 1], &late->items[child]))
            child++;
        if (!jbw_draw_is_before(&late->items[child], &last)) break;
        late->items[hole] = late->items[child];
        hole = child;
    }
    late->items[hole] = last;
}

// ---- the queue ----

bool jbw_draw_queue_put(jbw_draw_queue *queue, const jbw_allocator *allocator, jbw_draw draw)
{
    if (queue->has_begun) return push_late(&queue->late, allocator, draw);
    jbw_draw_array *listed = &queue->listed;
    if (!reserve(listed, allocator, listed->count + 1)) return false;
    listed->items[listed->count++] = draw;
    return true;
}

static void sort_by_insertion(jbw_draw *draws, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const jbw_draw draw = draws[i];
        size_t hole = i;
        for (; hole > 0 && jbw_draw_is_before(&draw, &draws[hole - 1]); hole--)
            draws[hole] = draws[hole - 1];
        draws[hole] = draw;
    }
}

// Keys are random, so buckets by their highest bits are about equally full. The first `skipped`
// bits are equal in all draws.
static void sort(jbw_draw *draws, jbw_draw *scratch, size_t count, int skipped)
{
    const int bits = count < 256 ? 4 : 8;
    if (count <= 16 || skipped + bits > KEY_BITS) {
        sort_by_insertion(draws, count);
        return;
    }
    size_t ends[MOST_BUCKETS];
    const size_t buckets = (size_t)1 << bits;
    memset(ends, 0, buckets * sizeof *ends);
    const int shift = KEY_BITS - bits - skipped;
    for (size_t i = 0; i < count; i++) ends[draws[i].key >> shift & (buckets - 1)]++;
    for (size_t i = 1; i < buckets; i++) ends[i] += ends[i - 1];
    for (size_t i = count; i > 0; i--)
        scratch[--ends[draws[i - 1].key >> shift & (buckets - 1)]] = draws[i - 1];
    memcpy(draws, scratch, count * sizeof *draws);
    for (size_t i = 0; i < buckets; i++) {
        const size_t end = i + 1 < buckets ? ends[i + 1] : count;
        if (end - ends[i] > 1) sort(draws + ends[i], scratch, end - ends[i], skipped + bits);
    }
}

bool jbw_draw_queue_begin(jbw_draw_queue *queue, const jbw_allocator *allocator)
{
    if (!reserve(&queue->scratch, allocator, queue->listed.count)) return false;
    sort(queue->listed.items, queue->scratch.items, queue->listed.count, 0);
    queue->has_begun = true;
    return true;
}

const jbw_draw *jbw_draw_queue_first(const jbw_draw_queue *queue)
{
    const jbw_draw *listed =
        queue->taken < queue->listed.count ? &queue->listed.items[queue->taken] : NULL;
    const jbw_draw *late = queue->late.count > 0 ? &queue->late.items[0] : NULL;
    if (!listed || !late) return listed ? listed : late;
    return jbw_draw_is_before(late, listed) ? late : listed;
}

bool jbw_draw_queue_take(jbw_draw_queue *queue, jbw_draw *out)
{
    const jbw_draw *first = jbw_draw_queue_first(queue);
    if (!first) {
        jbw_draw_queue_clear(queue);
        return false;
    }
    *out = *first;
    do {
        if (queue->late.count > 0 && first == queue->late.items)
            remove_first_late(&queue->late);
        else
            queue->taken++;
        first = jbw_draw_queue_first(queue);
    } while (first && !jbw_draw_is_before(out, first));
    return true;
}

void jbw_draw_queue_clear(jbw_draw_queue *queue)
{
    queue->listed.count = 0;
    queue->late.count = 0;
    queue->taken = 0;
    queue->has_begun = false;
}

static void free_draws(jbw_draw_array *draws, const jbw_allocator *allocator)
{
    jbw_free(allocator, draws->items, draws->capacity * sizeof *draws->items);
}

void jbw_draw_queue_deinit(jbw_draw_queue *queue, const jbw_allocator *allocator)
{
    free_draws(&queue->listed, allocator);
    free_draws(&queue->scratch, allocator);
    free_draws(&queue->late, allocator);
    *queue = (jbw_draw_queue){0};
}

size_t jbw_draw_queue_bytes(const jbw_draw_queue *queue)
{
    return (queue->listed.capacity + queue->scratch.capacity + queue->late.capacity) *
           sizeof(jbw_draw);
}
