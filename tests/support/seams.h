// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Figures of a map along a lattice: whether there are more items, or more pairs of items, at its
/// lines than between them, and whether the density varies with its period. They are sums over a
/// square of cells, one set per world, so that errors are estimated from whole worlds.
#ifndef JBW_TESTS_SEAMS_H
#define JBW_TESTS_SEAMS_H

#include <stddef.h>
#include <stdint.h>

/// A lattice of lines: at `shift` and every `period` cells from there, in both axes.
typedef struct seams_lattice {
    const char *name;
    int period;
    int shift;
} seams_lattice;

enum {
    SEAMS_MOST_PERIOD = 384,
    SEAMS_BORDER = 6,      // cells within this distance of a line are at the border
    SEAMS_PAIR_REACH = 12, // pairs are counted up to this distance along each axis
};

/// Of one type in one world on one lattice. Ratios are formed from sums over worlds.
typedef struct seams_sums {
    double border_items, border_cells;
    double center_items, center_cells;
    double line_pairs, lines;   // pairs with a line of the lattice between them
    double other_pairs, others; // pairs with another column or row between them, away from lines
    double wave[4];             // of the density: cosine and sine along x, then along y
    double items;
} seams_sums;

/// Pairs by where one could cut between them, in a square of cells (side x side, lowest row first,
/// type + 1): for each column, and then for each row, (side + 1) numbers, the pairs with one item
/// below the cut and the other one above. The caller frees them.
double *seams_cuts(const uint8_t *cells, int side, int type);

/// Measures such a square, whose first cell is at the origin. For waves, `side` is a multiple of the
/// period, which is at most SEAMS_MOST_PERIOD. Without `cuts`, which are the same for all lattices, pairs are left out.
seams_sums seams_measure(const uint8_t *cells, int side, int type, seams_lattice lattice,
                         const double *cuts);

/// A figure and its standard error.
typedef struct seams_figure {
    double value, error;
} seams_figure;

/// The density at the border divided by that in the centre. With `beside`, relative to the same
/// ratio in other maps of the same worlds, which may be uneven by themselves; it may be NULL.
seams_figure seams_density(const seams_sums *worlds, const seams_sums *beside, size_t count);

/// Pairs across a line divided by pairs across other columns and rows; likewise.
seams_figure seams_pairs(const seams_sums *worlds, const seams_sums *beside, size_t count);

/// The larger amplitude of the two waves, relative to the mean density and corrected for chance.
/// With `beside`, of the wave of the difference.
seams_figure seams_wave(const seams_sums *worlds, const seams_sums *beside, size_t count);

#endif
