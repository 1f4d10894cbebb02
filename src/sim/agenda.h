// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Draws that are still to be decided, ordered by a random key. A draw may be put on it twice; it
/// is taken from it once.
#ifndef JBW_SIM_AGENDA_H
#define JBW_SIM_AGENDA_H

#include "base/alloc.h"

/// Which numbers a draw may have: `JBW_DRAW_ANY` is uniform in [0, 1), the others below or from the
/// low bound of the type on.
typedef enum jbw_draw_kind { JBW_DRAW_ANY, JBW_DRAW_LOW, JBW_DRAW_HIGH } jbw_draw_kind;

typedef struct jbw_draw {
    uint64_t key;
    uint16_t x, y; // in the pane
    uint16_t type;
    uint16_t kind;
} jbw_draw;

typedef struct jbw_agenda {
    jbw_draw *draws; // a heap, the first is the next
    size_t count;
    size_t capacity;
} jbw_agenda;

/// True if a comes before b.
bool jbw_draw_is_before(const jbw_draw *a, const jbw_draw *b);

/// False when memory runs out.
bool jbw_agenda_push(jbw_agenda *agenda, const jbw_allocator *allocator, jbw_draw draw);

/// Takes the next draw; false if there is none.
bool jbw_agenda_pop(jbw_agenda *agenda, jbw_draw *out);

void jbw_agenda_deinit(jbw_agenda *agenda, const jbw_allocator *allocator);

#endif
