// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A rectangle of an invariant map that is being worked on: its cells, the energy that each type
/// would have in each of them, and where something is likely to happen.
///
///     +----------------------+      A workspace has room for the largest rectangle of any stage. Its
///     |  +----------------+  |      rows begin at a multiple of 64, so that masks of 64 cells are
///     |  |     active     |  |      the same in all workspaces. Only draws in the active part are
///     |  +----------------+  |      decided; it shrinks as time goes on, and energies are kept
///     +----------------------+      up to date there and nowhere else.
///
/// A cell is likely for a type if it is empty and the type may be added with more than its low
/// bound, or if it holds the type and may lose it so.
#ifndef JBW_SIM_GENERATE_INVARIANT_WORKSPACE_H
#define JBW_SIM_GENERATE_INVARIANT_WORKSPACE_H

#include "sim/generate/invariant/plan.h"

/// A rectangle in the coordinates of a workspace: columns [left, right), rows [bottom, top).
typedef struct jbw_workspace_part {
    int left, right, bottom, top;
} jbw_workspace_part;

/// Whose energies a workspace keeps.
typedef enum jbw_workspace_scope {
    JBW_SCOPE_ALL,
    JBW_SCOPE_FIRST, ///< those of types that come first, which know only each other
    JBW_SCOPE_LATE,  ///< those of all others
} jbw_workspace_scope;

typedef struct jbw_workspace {
    const jbw_invariant_plan *plan;
    int capacity;       // in rows
    int width_capacity; // in columns
    jbw_window window;  // all of it
    jbw_window stamped; // the active part
    jbw_workspace_part active;
    uint8_t *cells; // (height x width): type + 1, zero is empty
    int word_count; // in each row
    bool *is_kept;  // (field_count): whether energies of a field are kept

    // bits, 64 cells to a word, with a word of zeros behind each row
    uint64_t *empty;       // (height x (word_count + 1))
    uint64_t *mine;        // (type_count x height x (word_count + 1)): cells that hold the type
    uint64_t *low;         // (type_count x height x (word_count + 1)): for sweep.c
    int32_t *add_from;     // (type_count): field values from here on are likely for empty cells
    int32_t *remove_up_to; // (type_count): and up to here for those that hold it

    // Where something is likely for one type. Bits of cells that are not likely any more may stay
    // until they are tidied up.
    int watched_type;       // or -1
    uint64_t *watched;      // (height x (word_count + 1))
    uint64_t *watched_rows; // a bit for each row that may have something likely

    int32_t *memory;
    size_t memory_bytes;
} jbw_workspace;

enum { JBW_WORD = 64 };

/// Makes room for workspaces of so many cells on each side. False when memory runs out.
bool jbw_workspace_init(jbw_workspace *workspace, const jbw_invariant_plan *plan, int capacity);
void jbw_workspace_deinit(jbw_workspace *workspace);
size_t jbw_workspace_bytes(const jbw_workspace *workspace);

/// Begins a workspace, empty and with all of it active, whose active part has this corner and size.
void jbw_workspace_begin(jbw_workspace *workspace, jbw_position corner, int size,
                         jbw_workspace_scope scope);

/// Makes a smaller part active, in the workspace's coordinates.
void jbw_workspace_shrink(jbw_workspace *workspace, jbw_workspace_part part);

/// Puts all items of a square of cells (type + 1, lowest row first) into the workspace, which is empty.
/// Those outside are only felt.
void jbw_workspace_fill(jbw_workspace *workspace, jbw_position corner, int side,
                        const uint8_t *cells);

/// Adds an item to an empty active cell, or removes the item there.
void jbw_workspace_flip(jbw_workspace *workspace, int type, int x, int y);

/// The energies of one type in a workspace, and from where on something is likely.
typedef struct jbw_gauge {
    const int32_t *own;
    const int32_t *shared;
    int32_t factor;
    int32_t add_from;
    int32_t remove_up_to;
    ptrdiff_t stride;
    ptrdiff_t mask_stride; // in words
    const uint64_t *empty;
    const uint64_t *mine;
} jbw_gauge;

jbw_gauge jbw_workspace_gauge(const jbw_workspace *workspace, int type);

/// Makes a gauge say less that is too much in a square, where an intensity that depends on the place
/// differs less than in the whole workspace. Outside it says nothing of use.
void jbw_workspace_narrow_gauge(const jbw_workspace *workspace, int type, int x, int y, int size,
                                jbw_gauge *gauge);

/// Finds which of `cells` are likely: bit i is the cell (x + i, y), and there is room for 64 of them.
/// It may say too much, never too little.
uint64_t jbw_gauge_find_likely(const jbw_gauge *gauge, int x, int y, uint64_t cells);

/// The part that two have in common.
jbw_workspace_part jbw_workspace_common(const jbw_workspace_part *a, const jbw_workspace_part *b);

// ---- watching one type ----

/// Told of cells that have become likely: `bits` of a word in row y.
typedef void jbw_workspace_fresh(void *user, int word, int y, uint64_t bits);

/// Begins to watch a type that is slow or comes first: works out in which active cells something is likely for it. From there on
/// every change is to be told, until one stops watching.
void jbw_workspace_watch(jbw_workspace *workspace, int type);
void jbw_workspace_stop_watching(jbw_workspace *workspace);

/// Tells what has become likely for the watched type through a change of that type in a cell.
void jbw_workspace_watch_change(jbw_workspace *workspace, int x, int y, jbw_workspace_fresh *fresh,
                                void *user);

/// Looks through what is said to be likely, and forgets what is not.
void jbw_workspace_tidy(jbw_workspace *workspace);

/// The first row, from `y` on, that may have something likely; or the end of the active part.
int jbw_workspace_next_row(const jbw_workspace *workspace, int y);

/// The bits of a word that lie between two columns.
uint64_t jbw_bits_between(int word, int left, int right);

/// 64 bits of a mask's row from a column on.
static inline uint64_t jbw_bits_from(const uint64_t *row, int x)
{
    const int shift = x % JBW_WORD;
    const uint64_t bits = row[x / JBW_WORD] >> shift;
    return shift == 0 ? bits : bits | row[x / JBW_WORD + 1] << (JBW_WORD - shift);
}

// ---- small things ----

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
static inline int32_t jbw_workspace_field(const jbw_workspace *workspace, int type, int x, int y)
{
    const jbw_energy_scale *scale = &workspace->plan->model->scales[type];
    const int32_t *at = workspace->window.fields + (ptrdiff_t)y * workspace->window.stride + x;
    return at[scale->field * workspace->window.field_stride] +
           scale->shared_factor * at[scale->shared_field * workspace->window.field_stride];
}

#endif
