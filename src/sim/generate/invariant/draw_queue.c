// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/draw_queue.h"

#include <string.h>

enum { MOST_BUCKETS = 256, KEY_BITS = 64 };

static bool reserve(jbw_draws *draws, const jbw_allocator *allocator, size_t count)
{
    if (count <= draws->capacity) return true;
    void *items = draws->items;
    const bool has_room =
        jbw_grow(allocator, &items, &draws->capacity, count, sizeof *draws->items);
    draws->items = items;
    return has_room;
}

// ---- those that come late: a heap ----

static bool push_late(jbw_draws *late, const jbw_allocator *allocator, jbw_draw draw)
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

static void remove_first_late(jbw_draws *late)
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

// ---- all of them ----

bool jbw_draw_queue_put(jbw_draw_queue *agenda, const jbw_allocator *allocator, jbw_draw draw)
{
    if (agenda->has_begun) return push_late(&agenda->late, allocator, draw);
    jbw_draws *listed = &agenda->listed;
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

// Keys are random, so buckets by their highest bits are about equally full; `skipped` bits have been
// looked at already.
static void sort(jbw_draw *draws, jbw_draw *room, size_t count, int skipped)
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
        room[--ends[draws[i - 1].key >> shift & (buckets - 1)]] = draws[i - 1];
    memcpy(draws, room, count * sizeof *draws);
    for (size_t i = 0; i < buckets; i++) {
        const size_t end = i + 1 < buckets ? ends[i + 1] : count;
        if (end - ends[i] > 1) sort(draws + ends[i], room, end - ends[i], skipped + bits);
    }
}

bool jbw_draw_queue_begin(jbw_draw_queue *agenda, const jbw_allocator *allocator)
{
    if (!reserve(&agenda->sorted, allocator, agenda->listed.count)) return false;
    sort(agenda->listed.items, agenda->sorted.items, agenda->listed.count, 0);
    agenda->has_begun = true;
    return true;
}

const jbw_draw *jbw_draw_queue_first(const jbw_draw_queue *agenda)
{
    const jbw_draw *listed =
        agenda->taken < agenda->listed.count ? &agenda->listed.items[agenda->taken] : NULL;
    const jbw_draw *late = agenda->late.count > 0 ? &agenda->late.items[0] : NULL;
    if (!listed || !late) return listed ? listed : late;
    return jbw_draw_is_before(late, listed) ? late : listed;
}

bool jbw_draw_queue_take(jbw_draw_queue *agenda, jbw_draw *out)
{
    const jbw_draw *first = jbw_draw_queue_first(agenda);
    if (!first) {
        jbw_draw_queue_clear(agenda);
        return false;
    }
    *out = *first;
    do {
        if (agenda->late.count > 0 && first == agenda->late.items)
            remove_first_late(&agenda->late);
        else
            agenda->taken++;
        first = jbw_draw_queue_first(agenda);
    } while (first && !jbw_draw_is_before(out, first));
    return true;
}

void jbw_draw_queue_clear(jbw_draw_queue *agenda)
{
    agenda->listed.count = 0;
    agenda->late.count = 0;
    agenda->taken = 0;
    agenda->has_begun = false;
}

static void free_draws(jbw_draws *draws, const jbw_allocator *allocator)
{
    jbw_free(allocator, draws->items, draws->capacity * sizeof *draws->items);
}

void jbw_draw_queue_deinit(jbw_draw_queue *agenda, const jbw_allocator *allocator)
{
    free_draws(&agenda->listed, allocator);
    free_draws(&agenda->sorted, allocator);
    free_draws(&agenda->late, allocator);
    *agenda = (jbw_draw_queue){0};
}

size_t jbw_draw_queue_bytes(const jbw_draw_queue *agenda)
{
    return (agenda->listed.capacity + agenda->sorted.capacity + agenda->late.capacity) *
           sizeof(jbw_draw);
}
