// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/agenda.h"

// The order of equal keys does not depend on where the pane begins.
bool jbw_draw_is_before(const jbw_draw *a, const jbw_draw *b)
{
    if (a->key != b->key) return a->key < b->key;
    if (a->y != b->y) return a->y < b->y;
    if (a->x != b->x) return a->x < b->x;
    if (a->type != b->type) return a->type < b->type;
    return a->kind < b->kind;
}

bool jbw_agenda_push(jbw_agenda *agenda, const jbw_allocator *allocator, jbw_draw draw)
{
    void *draws = agenda->draws;
    const bool has_room =
        jbw_grow(allocator, &draws, &agenda->capacity, agenda->count + 1, sizeof *agenda->draws);
    agenda->draws = draws;
    if (!has_room) return false;
    size_t hole = agenda->count++;
    while (hole > 0) {
        const size_t parent = (hole - 1) / 2;
        if (!jbw_draw_is_before(&draw, &agenda->draws[parent])) break;
        agenda->draws[hole] = agenda->draws[parent];
        hole = parent;
    }
    agenda->draws[hole] = draw;
    return true;
}

static void remove_first(jbw_agenda *agenda)
{
    const jbw_draw last = agenda->draws[--agenda->count];
    size_t hole = 0;
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= agenda->count) break;
        if (child + 1 < agenda->count &&
            jbw_draw_is_before(&agenda->draws[child + 1], &agenda->draws[child]))
            child++;
        if (!jbw_draw_is_before(&agenda->draws[child], &last)) break;
        agenda->draws[hole] = agenda->draws[child];
        hole = child;
    }
    agenda->draws[hole] = last;
}

bool jbw_agenda_pop(jbw_agenda *agenda, jbw_draw *out)
{
    if (agenda->count == 0) return false;
    *out = agenda->draws[0];
    do {
        remove_first(agenda);
    } while (agenda->count > 0 && !jbw_draw_is_before(out, &agenda->draws[0]));
    return true;
}

void jbw_agenda_deinit(jbw_agenda *agenda, const jbw_allocator *allocator)
{
    jbw_free(allocator, agenda->draws, agenda->capacity * sizeof *agenda->draws);
    *agenda = (jbw_agenda){0};
}
