// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A rectangle of an invariant map that is being worked on: its cells, the energy that each type
/// would have in each of them, and where something is likely to happen.
///
///     +----------------------+      A pane has room for the largest rectangle of any stage. Its
///     |  +----------------+  |      rows begin at a multiple of 64, so that masks of 64 cells are
///     |  |     active     |  |      the same in all panes. Only draws in the active part are
///     |  +----------------+  |      decided; it shrinks as time goes on, and energies are kept
///     +----------------------+      up to date there and nowhere else.
#ifndef JBW_SIM_PANE_H
#define JBW_SIM_PANE_H

#include "sim/invariant_plan.h"

/// A rectangle in the coordinates of a pane: columns [left, right), rows [bottom, top).
typedef struct jbw_pane_part {
    int left, right, bottom, top;
} jbw_pane_part;

/// Cells of one word, in one row.
typedef struct jbw_pane_finding {
    int word, y;
    uint64_t bits;
} jbw_pane_finding;

typedef struct jbw_pane {
    const jbw_invariant_plan *plan;
    int capacity;       // in rows
    int width_capacity; // in columns
    jbw_window window;  // all of it
    jbw_window stamped; // the active part
    jbw_pane_part active;
    uint8_t *cells; // (height x width): type + 1, zero is empty
    int word_count; // in each row

    // Bits, 64 cells to a word. A cell is likely for a type if it is empty and the type may be
    // added with more than its low bound, or if it holds the type and may lose it so. Bits of cells
    // that are not likely any more may stay until they are forgotten or the masks are refreshed.
    uint64_t *empty;  // (height x word_count)
    uint64_t *mine;   // (type_count x height x word_count): cells that hold the type
    uint64_t *likely; // (type_count x height x word_count)
    uint64_t *rows;   // (type_count x words of height bits): rows that may have something likely
    uint64_t *fresh;  // (height x word_count): what became likely by the latest refreshing
    jbw_pane_finding *findings; // (height x word_count): room for what a change makes likely
    int32_t *add_from;     // (type_count): field values from here on are likely for empty cells
    int32_t *remove_up_to; // (type_count): and up to here for those that hold it
    int32_t *memory;
    size_t memory_bytes;
} jbw_pane;

/// Makes room for panes of so many cells on each side. False when memory runs out.
bool jbw_pane_init(jbw_pane *pane, const jbw_invariant_plan *plan, int capacity);
void jbw_pane_deinit(jbw_pane *pane);
size_t jbw_pane_bytes(const jbw_pane *pane);

/// Begins a pane, empty and with all of it active, whose active part has this corner and size.
void jbw_pane_begin(jbw_pane *pane, jbw_position corner, int size);

/// Makes a smaller part active, in the pane's coordinates.
void jbw_pane_shrink(jbw_pane *pane, jbw_pane_part part);

/// Puts all items of a square of cells (type + 1, lowest row first) into the pane, which is empty.
/// Those outside are only felt.
void jbw_pane_fill(jbw_pane *pane, jbw_position corner, int side, const uint8_t *cells);

/// Works out in which active cells something is likely.
void jbw_pane_refresh(jbw_pane *pane);

/// Looks through what is said to be likely for a type, and forgets what is not.
void jbw_pane_tidy(jbw_pane *pane, int type);

/// The first row, from `y` on, that may have something likely for a type; or the end of the active
/// part.
int jbw_pane_next_row(const jbw_pane *pane, int type, int y);

/// Notes that nothing is likely in a cell.
static inline void jbw_pane_forget(jbw_pane *pane, int type, int x, int y)
{
    const size_t row = (size_t)type * (size_t)pane->window.height + (size_t)y;
    pane->likely[row * (size_t)pane->word_count + (size_t)x / 64] &= ~(UINT64_C(1) << (x % 64));
}

/// The number of the lowest bit of a word that is not zero.
static inline int jbw_lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int number = 0;
    while ((word >> number & 1) == 0) number++;
    return number;
#endif
}

/// Energy of a type in a cell, without its intensity, in units of its field.
static inline int32_t jbw_pane_field(const jbw_pane *pane, int type, int x, int y)
{
    const jbw_energy_scale *scale = &pane->plan->model->scales[type];
    const int32_t *at = pane->window.fields + (ptrdiff_t)y * pane->window.stride + x;
    return at[scale->field * pane->window.field_stride] +
           scale->shared_factor * at[scale->shared_field * pane->window.field_stride];
}

/// Told of cells that have become likely for a type: `bits` of a word in row y.
typedef void jbw_pane_fresh(void *user, int type, int word, int y, uint64_t bits);

/// Adds an item to an empty active cell, or removes the item there; then tells what has become likely.
void jbw_pane_flip(jbw_pane *pane, int type, int x, int y, jbw_pane_fresh *fresh, void *user);

#endif
