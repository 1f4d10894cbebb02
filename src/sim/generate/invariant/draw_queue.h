// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A priority queue of pending draws, ordered by a random key. Most draws are put before the first
/// one is taken; these are sorted once. The few that arrive later go to a heap. A draw that is put
/// twice is taken once.
#ifndef JBW_SIM_GENERATE_INVARIANT_DRAW_QUEUE_H
#define JBW_SIM_GENERATE_INVARIANT_DRAW_QUEUE_H

#include "base/alloc.h"

/// Which range the number of a draw comes from; dynamics.h explains low draws.
typedef enum jbw_draw_kind {
    JBW_DRAW_ANY,     ///< [0, 1)
    JBW_DRAW_LOW,     ///< below the low bound of its type
    JBW_DRAW_HIGH,    ///< from the low bound up; the cell has no low draw
    JBW_DRAW_NOT_LOW, ///< the same, but low draws are made independently: this one may be void
} jbw_draw_kind;

typedef struct jbw_draw {
    uint64_t key;
    uint16_t x, y; // in the workspace
    uint16_t type;
    uint16_t kind; // jbw_draw_kind
} jbw_draw;

typedef struct jbw_draw_array {
    jbw_draw *items;
    size_t count;
    size_t capacity;
} jbw_draw_array;

typedef struct jbw_draw_queue {
    jbw_draw_array listed;  // sorted by `jbw_draw_queue_begin`
    jbw_draw_array scratch; // for sorting
    jbw_draw_array late;    // a binary heap, the next draw first
    size_t taken;           // how many of those listed
    bool has_begun;
} jbw_draw_queue;

/// True if a comes before b.
static inline bool jbw_draw_is_before(const jbw_draw *a, const jbw_draw *b)
{
    if (a->key != b->key) return a->key < b->key;
    // ties must not be broken by anything that depends on where the workspace begins
    if (a->y != b->y) return a->y < b->y;
    if (a->x != b->x) return a->x < b->x;
    if (a->type != b->type) return a->type < b->type;
    return a->kind < b->kind;
}

/// Adds a draw. False when memory runs out.
bool jbw_draw_queue_put(jbw_draw_queue *queue, const jbw_allocator *allocator, jbw_draw draw);

/// Sorts what was put so far; then draws can be taken. False when memory runs out.
bool jbw_draw_queue_begin(jbw_draw_queue *queue, const jbw_allocator *allocator);

/// The next draw, or NULL.
const jbw_draw *jbw_draw_queue_first(const jbw_draw_queue *queue);

/// Removes the next draw. If there is none, resets the queue and returns false.
bool jbw_draw_queue_take(jbw_draw_queue *queue, jbw_draw *out);

/// Removes all draws and resets the queue. Keeps its memory.
void jbw_draw_queue_clear(jbw_draw_queue *queue);

void jbw_draw_queue_deinit(jbw_draw_queue *queue, const jbw_allocator *allocator);
size_t jbw_draw_queue_bytes(const jbw_draw_queue *queue);

#endif
