// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/hot_cells.h"

#include <string.h>

// ---- memory ----

// words of a mask with one bit for each row
static size_t row_mask_size(const jbw_workspace *workspace)
{
    return (size_t)((workspace->capacity + JBW_WORD - 1) / JBW_WORD);
}

bool jbw_hot_cells_init(jbw_hot_cells *hot, const jbw_hot_levels *levels)
{
    const jbw_workspace *workspace = levels->workspace;
    *hot = (jbw_hot_cells){.levels = levels, .watched_type = -1};
    hot->watched = jbw_alloc(&workspace->plan->model->allocator, jbw_hot_cells_bytes(hot));
    if (!hot->watched) return false;
    hot->watched_rows = hot->watched + jbw_workspace_mask_capacity(workspace);
    return true;
}

void jbw_hot_cells_deinit(jbw_hot_cells *hot)
{
    if (!hot->levels) return;
    jbw_free(&hot->levels->workspace->plan->model->allocator, hot->watched,
             jbw_hot_cells_bytes(hot));
    *hot = (jbw_hot_cells){0};
}

size_t jbw_hot_cells_bytes(const jbw_hot_cells *hot)
{
    const jbw_workspace *workspace = hot->levels->workspace;
    return (jbw_workspace_mask_capacity(workspace) + row_mask_size(workspace)) * sizeof(uint64_t);
}

// ---- watching ----

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

// the bits of a word that lie between two columns
static uint64_t bits_between(int word, int left, int right)
{
    const int first = clip(left - word * JBW_WORD, 0, JBW_WORD);
    const int end = clip(right - word * JBW_WORD, 0, JBW_WORD);
    if (first >= end) return 0;
    return (UINT64_MAX >> (JBW_WORD - (end - first))) << first;
}

// The hot ones among cells of a word that thresholds have found. Where an intensity depends on the
// place, thresholds hold for the whole workspace and find too many; and as long as any cell is hot,
// a slow type gets all its subslices. A little is for rounding.
static uint64_t keep_hot(const jbw_hot_cells *hot, int word, int y, uint64_t bits)
{
    const jbw_workspace *workspace = hot->levels->workspace;
    const int type = hot->watched_type;
    const jbw_invariant_type *traits = &workspace->plan->types[type];
    if (traits->has_constant_intensity) return bits;
    uint64_t kept = 0;
    for (; bits != 0; bits &= bits - 1) {
        const int x = word * JBW_WORD + jbw_lowest_bit(bits);
        const double energy =
            (double)jbw_workspace_energy(workspace, type, x, y) * traits->scale.unit +
            jbw_workspace_intensity(workspace, type, x, y);
        const bool is_empty = workspace->cells[y * workspace->window.width + x] == 0;
        if ((is_empty ? energy : -energy) > traits->low_energy - JBW_HOT_SLACK)
            kept |= bits & (0 - bits);
    }
    return kept;
}

// Removes the cold cells of a row. There is no need to search for hot ones: every change reports
// what has become hot.
static void tidy_row(jbw_hot_cells *hot, const jbw_gauge *g, int y)
{
    const jbw_workspace_part *active = &hot->levels->workspace->active;
    uint64_t *row = hot->watched + y * g->mask_stride;
    uint64_t any = 0;
    for (int word = 0; word < hot->levels->workspace->word_count; word++) {
        if (row[word] == 0) continue;
        const uint64_t inside = row[word] & bits_between(word, active->left, active->right);
        row[word] = keep_hot(hot, word, y,
                             jbw_gauge_additions(g, word, y, inside) |
                                 jbw_gauge_removals(g, word, y, inside));
        any |= row[word];
    }
    const uint64_t flag = UINT64_C(1) << (y % JBW_WORD);
    if (any != 0)
        hot->watched_rows[y / JBW_WORD] |= flag;
    else
        hot->watched_rows[y / JBW_WORD] &= ~flag;
}

void jbw_hot_cells_stop(jbw_hot_cells *hot)
{
    hot->watched_type = -1;
}

void jbw_hot_cells_watch(jbw_hot_cells *hot, int type)
{
    if (hot->watched_type != type) {
        // all cells might be hot, until tidied
        memset(hot->watched, 255,
               jbw_workspace_mask_size(hot->levels->workspace) * sizeof *hot->watched);
        memset(hot->watched_rows, 255,
               row_mask_size(hot->levels->workspace) * sizeof *hot->watched_rows);
    }
    hot->watched_type = type;
    jbw_hot_cells_tidy(hot);
}

int jbw_hot_cells_next_row(const jbw_hot_cells *hot, int y)
{
    const int top = hot->levels->workspace->active.top;
    while (y < top) {
        const uint64_t left = hot->watched_rows[y / JBW_WORD] >> (y % JBW_WORD);
        if (left == 0) {
            y = (y / JBW_WORD + 1) * JBW_WORD;
            continue;
        }
        y += jbw_lowest_bit(left);
        return y < top ? y : top;
    }
    return top;
}

void jbw_hot_cells_tidy(jbw_hot_cells *hot)
{
    const jbw_workspace_part *active = &hot->levels->workspace->active;
    const jbw_gauge g = jbw_gauge_of(hot->levels, hot->watched_type);
    for (int y = jbw_hot_cells_next_row(hot, active->bottom); y < active->top;
         y = jbw_hot_cells_next_row(hot, y + 1))
        tidy_row(hot, &g, y);
}

// notes and reports cells of a word that have become hot
static inline void report_word(jbw_hot_cells *hot, const jbw_gauge *g, int word, int y,
                               uint64_t bits, jbw_hot_cells_found *found, void *user)
{
    if (bits != 0) bits = keep_hot(hot, word, y, bits);
    if (bits == 0) return;
    hot->watched[y * g->mask_stride + word] |= bits;
    hot->watched_rows[y / JBW_WORD] |= UINT64_C(1) << (y % JBW_WORD);
    found(user, word, y, bits);
}

// where energies went up; comparing them takes most of the time, so the extent is followed closely
static void update_additions(jbw_hot_cells *hot, const jbw_invariant_extent *extent, int x, int y,
                             jbw_hot_cells_found *found, void *user)
{
    const jbw_gauge g = jbw_gauge_of(hot->levels, hot->watched_type);
    const jbw_workspace_part *active = &hot->levels->workspace->active;
    const int end = clip(y + extent->reach + 1, active->bottom, active->top);
    for (int row = clip(y - extent->reach, active->bottom, active->top); row < end; row++) {
        row = jbw_gauge_next_row(&g, extent, x, y, row, end, active);
        if (row == end) return;
        const int width = extent->widths[row - y + extent->reach];
        const int left = clip(x - width, active->left, active->right);
        const int right = clip(x + width + 1, active->left, active->right);
        for (int word = left / JBW_WORD; word * JBW_WORD < right && left < right; word++) {
            const uint64_t inside =
                bits_between(word, left, right) & ~hot->watched[row * g.mask_stride + word];
            report_word(hot, &g, word, row, jbw_gauge_additions(&g, word, row, inside), found,
                        user);
        }
    }
}

// where energies went down, which matters only in the few cells that hold the type
static void update_removals(jbw_hot_cells *hot, const jbw_invariant_extent *extent, int x, int y,
                            jbw_hot_cells_found *found, void *user)
{
    const jbw_gauge g = jbw_gauge_of(hot->levels, hot->watched_type);
    const int reach = extent->reach;
    const jbw_workspace_part near = {x - reach, x + reach + 1, y - reach, y + reach + 1};
    const jbw_workspace_part part = jbw_workspace_intersect(&near, &hot->levels->workspace->active);
    for (int word = part.left / JBW_WORD; word * JBW_WORD < part.right; word++) {
        const uint64_t inside = bits_between(word, part.left, part.right);
        ptrdiff_t at = part.bottom * g.mask_stride + word;
        for (int row = part.bottom; row < part.top; row++, at += g.mask_stride) {
            if ((g.held[at] & inside) == 0) continue;
            const uint64_t held = g.held[at] & inside & ~hot->watched[at];
            report_word(hot, &g, word, row, jbw_gauge_removals(&g, word, row, held), found, user);
        }
    }
}

void jbw_hot_cells_update(jbw_hot_cells *hot, int x, int y, jbw_hot_cells_found *found, void *user)
{
    // where energies went up, items may now be added; where they went down, removed
    const jbw_workspace *workspace = hot->levels->workspace;
    const jbw_invariant_plan *plan = workspace->plan;
    const jbw_invariant_effect *effect =
        &plan->effects[hot->watched_type * plan->model->type_count + hot->watched_type];
    const bool added = workspace->cells[y * workspace->window.width + x] != 0;
    update_additions(hot, added ? &effect->up : &effect->down, x, y, found, user);
    update_removals(hot, added ? &effect->down : &effect->up, x, y, found, user);
}
