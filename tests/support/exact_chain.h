// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Exact Markov chains of the sampler on patches of a few cells: the states can be listed, and the
/// paper's proposals and acceptance give the exact transition matrix. With typical mistakes, too.
#ifndef JBW_TESTS_EXACT_CHAIN_H
#define JBW_TESTS_EXACT_CHAIN_H

#include "bench/twin.h"

enum { MAX_TYPES = 2, MAX_SITES = 9, MAX_FROZEN = 16, MAX_CELLS = 12 };

/// Patches of a few cells, with items around them.
typedef struct scenario {
    const char *name;
    const char *intensities[MAX_TYPES];
    const char *interactions[MAX_TYPES][MAX_TYPES];
    int patch_size;
    int type_count;
    int site_count;
    int frozen_count;
    jbw_position sites[MAX_SITES]; // the sampled patches, by row, then column
    twin_item frozen[MAX_FROZEN];  // items in patches that are not sampled
} scenario;

/// Typical mistakes in a sampler.
typedef enum slip {
    NO_SLIP,
    SLIP_COUNT_OFF_BY_ONE, // adding to m items counts as if it led to m
    SLIP_COUNT_FORGOTTEN,  // the densities of the proposals are left out of the ratio
    SLIP_TYPES_FORGOTTEN,  // adding counts as uniform in position only
    SLIP_PAIRS_ONCE,       // g(a, b) counts, g(b, a) does not
    SLIP_PAIRS_SWAPPED,    // g(a, b) twice, instead of each once
    SLIP_PAIRS_SIGN,
    SLIP_INTENSITY_SIGN,
    SLIP_INTENSITY_FORGOTTEN,
    SLIP_NO_OTHER_PATCHES, // patches do not affect each other
    SLIP_NO_CORNERS,       // patches that touch only at a corner do not affect each other
    SLIP_MIRRORED,         // interactions see y growing downwards
    SLIP_TYPE_COUNT,
} slip;

extern const char *const slip_names[SLIP_TYPE_COUNT];

typedef struct edge {
    int target;
    double probability;
} edge;

/// The Markov chain of a sampler over all states of the sampled cells. The cells are the digits of
/// the number of a state, base types + 1, lowest cell of the first patch first.
typedef struct chain {
    const scenario *small;
    const twin_law *law;
    int cells;      // of all sites
    int site_cells; // of one
    int state_count;
    int degree;  // room for edges per site and state
    edge *edges; // (site_count x state_count x degree), target -1 behind the last
} chain;

/// The chain of a sampler that makes this mistake, or none.
void chain_init(chain *c, const scenario *small, const twin_law *law, slip wrong);
void chain_deinit(chain *c);

/// Advances a distribution by one round: one proposal in each site in turn. `scratch` has as many
/// numbers.
void chain_advance(const chain *c, double *p, double *scratch);

/// The distribution that the paper's equation gives.
void chain_equation_law(const chain *c, double *law);

/// The distribution that the chain converges to. False if it does not.
bool chain_limit_law(const chain *c, double *law, double *scratch);

/// A bound of the correlation between any two observations that many rounds apart: the norm of the
/// rounds on functions of mean zero, in the measure of `law`.
double chain_correlation_bound(const chain *c, const double *law, int rounds, double *scratch);

double largest_difference(const double *a, const double *b, int count);

/// a / b, rounded down.
int floor_divide(int64_t a, int b);

#endif
