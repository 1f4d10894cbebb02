// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Draws that are still to be decided, ordered by a random key. Most are put on it before the first
/// is taken, a few later. A draw may be put on it twice; it is taken once.
#ifndef JBW_SIM_GENERATE_INVARIANT_DRAW_QUEUE_H
#define JBW_SIM_GENERATE_INVARIANT_DRAW_QUEUE_H

#include "base/alloc.h"

/// Which numbers a draw may have.
typedef enum jbw_draw_kind {
    JBW_DRAW_ANY,     ///< any
    JBW_DRAW_LOW,     ///< those below the low bound of its type
    JBW_DRAW_HIGH,    ///< those from there on: the cell would have had a low one otherwise
    JBW_DRAW_NOT_LOW, ///< the same, but low ones are drawn apart: the draw may come to nothing
} jbw_draw_kind;

typedef struct jbw_draw {
    uint64_t key;
    uint16_t x, y; // in the workspace
    uint16_t type;
    uint16_t kind;
} jbw_draw;

typedef struct jbw_draws {
    jbw_draw *items;
    size_t count;
    size_t capacity;
} jbw_draws;

typedef struct jbw_draw_queue {
    jbw_draws listed; // ordered by `jbw_draw_queue_begin`
    jbw_draws sorted; // room for ordering
    jbw_draws late;   // a heap, the first is the next
    size_t taken;     // of those listed
    bool has_begun;
} jbw_draw_queue;

/// True if a comes before b.
static inline bool jbw_draw_is_before(const jbw_draw *a, const jbw_draw *b)
{
    if (a->key != b->key) return a->key < b->key;
    // whatever comes next must not depend on where the workspace begins
    if (a->y != b->y) return a->y < b->y;
    if (a->x != b->x) return a->x < b->x;
    if (a->type != b->type) return a->type < b->type;
    return a->kind < b->kind;
}

/// False when memory runs out.
bool jbw_draw_queue_put(jbw_draw_queue *agenda, const jbw_allocator *allocator, jbw_draw draw);

/// Orders what was put on it so far. False when memory runs out.
bool jbw_draw_queue_begin(jbw_draw_queue *agenda, const jbw_allocator *allocator);

/// The next draw, or NULL.
const jbw_draw *jbw_draw_queue_first(const jbw_draw_queue *agenda);

/// Takes the next draw; false if there is none, and then the agenda is as in the beginning.
bool jbw_draw_queue_take(jbw_draw_queue *agenda, jbw_draw *out);

/// Forgets all draws.
void jbw_draw_queue_clear(jbw_draw_queue *agenda);

void jbw_draw_queue_deinit(jbw_draw_queue *agenda, const jbw_allocator *allocator);
size_t jbw_draw_queue_bytes(const jbw_draw_queue *agenda);

#endif
