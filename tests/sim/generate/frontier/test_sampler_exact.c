// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The sampler against arithmetic: on patches of a few cells all states can be written down, and
/// the paper's equation (by the twin's double loops) says how likely each one is. Long chains of
/// the real sampler must visit the states just so often.
///
/// How the error is known: from the paper's proposals and their acceptance follows the exact
/// matrix of the chain. First, the law of the equation must be invariant under it, to rounding.
/// Second, its norm on functions of mean zero, over n rounds, bounds the correlation of any two
/// observations n rounds apart; n is taken so large that this is below 0.05, and chi-square is
/// divided by (1 + r) / (1 - r) for that bound r. What is left is the error of independent draws.
///
/// That the test can fail is tested, too: the same observations are held against the exact laws of
/// chains with typical mistakes, and wherever such a law is far enough away to be seen, chi-square
/// must say no.
///
/// Seeds are fixed. `test_sampler_exact --long --seed N` looks ten times closer, elsewhere.
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/twin.h"
#include "sim/generate/frontier/sampler.h"
#include "support/options.h"
#include "support/statistics.h"

static test_options options;

// --- small worlds -------------------------------------------------------------------------------

enum { MAX_TYPES = 2, MAX_SITES = 9, MAX_FROZEN = 16, MAX_CELLS = 12 };

typedef struct scenario {
    const char *name;
    const char *intensities[MAX_TYPES];
    const char *interactions[MAX_TYPES][MAX_TYPES];
    int patch_size;
    int type_count;
    int site_count;
    int frozen_count;
    jbw_position sites[MAX_SITES]; // patches that are sampled, by row, then column
    twin_item frozen[MAX_FROZEN];  // items that stand still, in patches that are not sampled
} scenario;

// the user's own: a function of both places, not only of the offset between them
static double leaning(const double *arguments, jbw_position first, jbw_position second, void *user)
{
    (void)user;
    const int64_t mixed = first.x * 7 + first.y * 2 + second.x * 5 - second.y * 3;
    return arguments[0] * (double)(((mixed % 5) + 5) % 5 - 2);
}

static double checkered(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    return (position.x + position.y) % 2 ? arguments[0] : arguments[1];
}

static const jbw_interaction_function custom_interaction = {
    .name = "Leaning", .argument_count = 1, .reach = 2, .largest = 2, .value = leaning};
static const jbw_intensity_function custom_intensity = {
    .name = "Checkered", .argument_count = 2, .value = checkered};

#define TILTED "Table[(0.9, -0.4, 0.1), (-0.7, 0, 0.5), (0.3, -0.2, -0.9)]"

static const scenario scenarios[] = {
    {.name = "constants",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[-0.5]", "Constant[0.8]"},
     .site_count = 1,
     .sites = {{0, 0}}},
    {.name = "radial hash",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"RadialHash[3.5, 1.3, 0.6, 3]"},
     .site_count = 1,
     .sites = {{-2, 1}}},
    {.name = "box",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.25]"}},
     .site_count = 1,
     .sites = {{0, 0}}},
    {.name = "box, V < U",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.3]", "Constant[-0.4]"},
     .interactions = {{"PiecewiseBox[2, 1, -0.8, 5]", "PiecewiseBox[3, 0, 0.4, 9]"}},
     .site_count = 1,
     .sites = {{1, -1}}},
    {.name = "box that excludes",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[0.5]"},
     .interactions = {{"PiecewiseBox[2, 5, -100, 0.3]"}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 1,
     .frozen = {{3, 1, 0}}},
    {.name = "box among frozen",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.3]"},
     .interactions = {{"PiecewiseBox[2, 6, -0.5, 0.4]"}},
     .site_count = 1,
     .sites = {{-1, -1}},
     .frozen_count = 8,
     .frozen = {{-4, -4, 0},
                {-2, -5, 0},
                {0, -4, 0},
                {1, -2, 0},
                {0, 0, 0},
                {-3, 0, 0},
                {-4, 1, 0},
                {-4, -2, 0}}},
    {.name = "cross among frozen",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[0]"},
     .interactions = {{"Cross[1, 3, 0.4, -0.3, -0.45, 0.2]"}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 7,
     .frozen = {{-3, -3, 0}, {-1, 1, 0}, {5, 2, 0}, {4, 4, 0}, {1, 3, 0}, {2, -2, 0}, {3, -1, 0}}},
    {.name = "cross hash",
     .patch_size = 3,
     .type_count = 1,
     .intensities = {"Constant[-0.1]"},
     .interactions = {{"CrossHash[0.8, 0.5, 2, 0.7, 0.5, -0.5, -0.6, 0.4]"}},
     .site_count = 1,
     .sites = {{5, 2}},
     .frozen_count = 3,
     .frozen = {{13, 7, 0}, {18, 6, 0}, {16, 10, 0}}},
    {.name = "cross hash, one way",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[-0.2]", "Constant[0.1]"},
     .interactions = {{NULL, "CrossHash[0.7, 0.3, 1.2, 0.5, 0.9, -0.7, -0.8, 0.5]"}},
     .site_count = 1,
     .sites = {{-4, 0}},
     .frozen_count = 3,
     .frozen = {{-9, 0, 1}, {-6, 1, 0}, {-7, 2, 1}}},
    {.name = "cross hash there, box back",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.1]", "Constant[-0.2]"},
     .interactions = {{NULL, "CrossHash[0.7, 0.3, 1.2, 0.5, 0.8, -0.6, -0.7, 0.5]"},
                      {"PiecewiseBox[2, 5, -0.3, 0.2]", NULL}},
     .site_count = 1,
     .sites = {{3, -2}},
     .frozen_count = 3,
     .frozen = {{5, -4, 1}, {8, -3, 0}, {7, -5, 1}}},
    {.name = "table, one way",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.1]", "Constant[-0.3]"},
     .interactions = {{NULL, TILTED}},
     .site_count = 1,
     .sites = {{0, 0}},
     .frozen_count = 4,
     .frozen = {{-1, -1, 0}, {2, 0, 1}, {1, 2, 0}, {-1, 2, 1}}},
    {.name = "asymmetric pair",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Constant[0.2]", "RadialHash[0, 0.9, 0.5, 1.5]"},
     .interactions = {{"Cross[1, 1, 0.3, 0, -0.5, 0]", "PiecewiseBox[2, 5, -0.7, 0.3]"},
                      {"PiecewiseBox[3, 0, 0.5, 0]", "Zero"}},
     .site_count = 1,
     .sites = {{0, 3}},
     .frozen_count = 3,
     .frozen = {{-1, 6, 0}, {2, 7, 1}, {0, 8, 1}}},
    {.name = "user's own",
     .patch_size = 2,
     .type_count = 2,
     .intensities = {"Checkered[-0.6, 0.5]", "Constant[0]"},
     .interactions = {{"Leaning[0.25]", "Leaning[-0.4]"}, {"PiecewiseBox[2, 3, 0.4, -0.3]"}},
     .site_count = 1,
     .sites = {{1, 1}},
     .frozen_count = 2,
     .frozen = {{4, 3, 1}, {2, 1, 0}}},
    {.name = "two side by side",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"PiecewiseBox[2, 5, -0.45, 0.35]"}},
     .site_count = 2,
     .sites = {{-1, 0}, {0, 0}}},
    {.name = "one above the other, frozen around",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"RadialHash[2, 1.1, 0.2, 1]"},
     .interactions = {{"CrossHash[0.6, 0.4, 1.3, 0.3, 0.5, -0.3, -0.5, 0.3]"}},
     .site_count = 2,
     .sites = {{2, -1}, {2, 0}},
     .frozen_count = 5,
     .frozen = {{3, -2, 0}, {3, 1, 0}, {6, 0, 0}, {5, 2, 0}, {4, -3, 0}}},
    {.name = "two corner to corner",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[0.1]"},
     .interactions = {{"Cross[1, 2, 0.4, -0.2, -0.8, 0.3]"}},
     .site_count = 2,
     .sites = {{1, 0}, {0, 1}},
     .frozen_count = 2,
     .frozen = {{1, 1, 0}, {2, 3, 0}}},
    {.name = "two with a frozen one between",
     .patch_size = 2,
     .type_count = 1,
     .intensities = {"Constant[-0.1]"},
     .interactions = {{"PiecewiseBox[2, 5, 0.5, -0.4]"}},
     .site_count = 2,
     .sites = {{0, 0}, {2, 0}},
     .frozen_count = 3,
     .frozen = {{2, 0, 0}, {3, 1, 0}, {1, 2, 0}}},
    {.name = "nine of one cell",
     .patch_size = 1,
     .type_count = 1,
     .intensities = {"Constant[-0.2]"},
     .interactions = {{"Table[(0.5, -0.3, 0.2), (-0.4, 0, -0.2), (0.1, 0.3, -0.6)]"}},
     .site_count = 9,
     .sites = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}},
     .frozen_count = 2,
     .frozen = {{-2, 0, 0}, {2, 2, 0}}},
    {.name = "a ring around a frozen cell",
     .patch_size = 1,
     .type_count = 1,
     .intensities = {"Constant[0.1]"},
     .interactions = {{"PiecewiseBox[2, 3, 0.4, -0.45]"}},
     .site_count = 8,
     .sites = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}},
     .frozen_count = 1,
     .frozen = {{0, 0, 0}}},
    {.name = "four cells, two types",
     .patch_size = 1,
     .type_count = 2,
     .intensities = {"Constant[-0.3]", "Constant[0.2]"},
     .interactions = {{"PiecewiseBox[2, 3, 0.3, -0.4]", "Cross[1, 1, -0.6, 0, 0.5, 0]"},
                      {"Zero", "CrossHash[0.5, 0.4, 0.9, 0.1, 0.5, 0.2, -0.4, -0.2]"}},
     .site_count = 4,
     .sites = {{7, 3}, {8, 3}, {7, 4}, {8, 4}}},
};

// --- exact chains -------------------------------------------------------------------------------

/// What could have gone wrong.
typedef enum slip {
    NO_SLIP,
    SLIP_COUNT_OFF_BY_ONE, // adding to m items is weighed as if it led to m
    SLIP_COUNT_FORGOTTEN,  // the proposals' densities are left out of the ratio
    SLIP_TYPES_FORGOTTEN,  // adding is taken for uniform in position only
    SLIP_PAIRS_ONCE,       // g(a, b) counts, g(b, a) does not
    SLIP_PAIRS_SWAPPED,    // g(a, b) twice, instead of each once
    SLIP_PAIRS_SIGN,
    SLIP_INTENSITY_SIGN,
    SLIP_INTENSITY_FORGOTTEN,
    SLIP_NO_OTHER_PATCHES, // each patch feels only itself
    SLIP_NO_CORNERS,       // patches that touch by a corner do not feel each other
    SLIP_MIRRORED,         // interactions see y growing downwards
    SLIP_TYPE_COUNT,
} slip;

static const char *const slip_names[] = {
    "none",         "count off by one", "count forgotten", "types forgotten",
    "pairs once",   "pairs swapped",    "pairs sign",      "intensity sign",
    "no intensity", "no other patches", "no corners",      "mirrored",
};

typedef struct edge {
    int target;
    double probability;
} edge;

// All states of the sampled cells: the digits of a state's number, base types + 1, lowest cell of
// the first patch first.
typedef struct chain {
    const scenario *small;
    const twin_law *law;
    int cells;      // of all sites
    int site_cells; // of one
    int state_count;
    int degree;  // room for edges per site and state
    edge *edges; // (site_count x state_count x degree), target -1 behind the last
} chain;

static int floor_divide(int64_t a, int b)
{
    return (int)(a / b - (a % b < 0));
}

static twin_item item_at(const chain *c, int cell, int type)
{
    const int size = c->small->patch_size;
    const jbw_position at = c->small->sites[cell / c->site_cells];
    const int within = cell % c->site_cells;
    return (twin_item){at.x * size + within % size, at.y * size + within / size, type};
}

static void unpack(const chain *c, int state, int digits[MAX_CELLS])
{
    for (int i = 0; i < c->cells; i++) {
        digits[i] = state % (c->small->type_count + 1);
        state /= c->small->type_count + 1;
    }
}

static int place_value(const chain *c, int cell)
{
    int value = 1;
    for (int i = 0; i < cell; i++) value *= c->small->type_count + 1;
    return value;
}

static double pair_energy(const chain *c, slip wrong, twin_item item, twin_item other)
{
    const int size = c->small->patch_size;
    const int dx = abs(floor_divide(item.x, size) - floor_divide(other.x, size));
    const int dy = abs(floor_divide(item.y, size) - floor_divide(other.y, size));
    if (dx > 1 || dy > 1) return 0;
    if (wrong == SLIP_NO_OTHER_PATCHES && (dx || dy)) return 0;
    if (wrong == SLIP_NO_CORNERS && dx && dy) return 0;
    if (wrong == SLIP_MIRRORED) other.y = 2 * item.y - other.y;
    const double forward = twin_interaction(c->law, item, other);
    const double backward = twin_interaction(c->law, other, item);
    if (wrong == SLIP_PAIRS_ONCE) return forward;
    if (wrong == SLIP_PAIRS_SWAPPED) return 2 * forward;
    if (wrong == SLIP_PAIRS_SIGN) return -forward - backward;
    return forward + backward;
}

// by how much an item changes the exponent, next to all that stand in other cells
static double item_energy(const chain *c, slip wrong, const int *digits, int cell, int type)
{
    const twin_item item = item_at(c, cell, type);
    double sum = twin_intensity(c->law, item);
    if (wrong == SLIP_INTENSITY_SIGN) sum = -sum;
    if (wrong == SLIP_INTENSITY_FORGOTTEN) sum = 0;
    for (int i = 0; i < c->cells; i++)
        if (i != cell && digits[i])
            sum += pair_energy(c, wrong, item, item_at(c, i, digits[i] - 1));
    for (int i = 0; i < c->small->frozen_count; i++)
        sum += pair_energy(c, wrong, item, c->small->frozen[i]);
    return sum;
}

// log of how much likelier the way back is proposed than the way that adds to m items
static double log_proposal_odds(const chain *c, slip wrong, int m)
{
    double choices = c->site_cells;
    if (wrong != SLIP_TYPES_FORGOTTEN) choices *= c->small->type_count;
    if (wrong == SLIP_COUNT_FORGOTTEN) return 0;
    return log(choices / (m + 1));
}

static void chain_init(chain *c, const scenario *small, const twin_law *law, slip wrong)
{
    c->small = small;
    c->law = law;
    c->site_cells = small->patch_size * small->patch_size;
    c->cells = c->site_cells * small->site_count;
    assert_true(c->cells <= MAX_CELLS);
    c->state_count = place_value(c, c->cells);
    c->degree = c->site_cells * small->type_count + 2;
    c->edges = calloc((size_t)small->site_count * (size_t)c->state_count * (size_t)c->degree,
                      sizeof *c->edges);
    assert_non_null(c->edges);

    const double add = 1.0 / (2 * c->site_cells * small->type_count);
    edge *out = c->edges;
    for (int site = 0; site < small->site_count; site++) {
        for (int state = 0; state < c->state_count; state++) {
            int digits[MAX_CELLS] = {0};
            unpack(c, state, digits);
            const int first = site * c->site_cells;
            int m = 0;
            for (int i = 0; i < c->site_cells; i++) m += digits[first + i] != 0;

            edge *e = out;
            double stay = 1;
            for (int cell = first; cell < first + c->site_cells; cell++) {
                if (digits[cell]) { // remove it
                    double log_ratio = -item_energy(c, wrong, digits, cell, digits[cell] - 1);
                    log_ratio -= log_proposal_odds(c, wrong, m - 1);
                    *e = (edge){state - digits[cell] * place_value(c, cell),
                                1.0 / (2 * m) * fmin(1, exp(log_ratio))};
                    stay -= e++->probability;
                    continue;
                }
                for (int type = 0; type < small->type_count; type++) { // add one
                    double log_ratio = item_energy(c, wrong, digits, cell, type);
                    if (wrong == SLIP_COUNT_OFF_BY_ONE)
                        log_ratio += log_proposal_odds(c, wrong, m ? m - 1 : 0);
                    else
                        log_ratio += log_proposal_odds(c, wrong, m);
                    *e = (edge){state + (type + 1) * place_value(c, cell),
                                add * fmin(1, exp(log_ratio))};
                    stay -= e++->probability;
                }
            }
            *e++ = (edge){state, stay};
            *e = (edge){-1, 0};
            out += c->degree;
        }
    }
}

static void chain_deinit(chain *c)
{
    free(c->edges);
}

static const edge *edges_of(const chain *c, int site, int state)
{
    return c->edges + ((size_t)site * (size_t)c->state_count + (size_t)state) * (size_t)c->degree;
}

// a distribution after one round: one proposal in each site in turn
static void next_distribution(const chain *c, double *p, double *scratch)
{
    for (int site = 0; site < c->small->site_count; site++) {
        memset(scratch, 0, (size_t)c->state_count * sizeof *scratch);
        for (int state = 0; state < c->state_count; state++)
            for (const edge *e = edges_of(c, site, state); e->target >= 0; e++)
                scratch[e->target] += p[state] * e->probability;
        memcpy(p, scratch, (size_t)c->state_count * sizeof *p);
    }
}

// what a function of the state is expected to be, one proposal in this site later
static void expect_site(const chain *c, int site, double *f, double *scratch)
{
    for (int state = 0; state < c->state_count; state++) {
        scratch[state] = 0;
        for (const edge *e = edges_of(c, site, state); e->target >= 0; e++)
            scratch[state] += e->probability * f[e->target];
    }
    memcpy(f, scratch, (size_t)c->state_count * sizeof *f);
}

// the law of the equation
static void equation_law(const chain *c, double *law)
{
    double sum = 0;
    for (int state = 0; state < c->state_count; state++) {
        int digits[MAX_CELLS] = {0};
        unpack(c, state, digits);
        twin_item items[MAX_CELLS + MAX_FROZEN];
        size_t count = 0;
        for (int i = 0; i < c->cells; i++)
            if (digits[i]) items[count++] = item_at(c, i, digits[i] - 1);
        for (int i = 0; i < c->small->frozen_count; i++) items[count++] = c->small->frozen[i];
        law[state] = exp(twin_energy(c->law, items, count));
        sum += law[state];
    }
    for (int state = 0; state < c->state_count; state++) law[state] /= sum;
}

static double largest_difference(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// where a chain ends up, whatever it does
static void limit_law(const chain *c, double *law, double *scratch)
{
    const size_t bytes = (size_t)c->state_count * sizeof *law;
    double *before = malloc(bytes);
    assert_non_null(before);
    for (int i = 0; i < c->state_count; i++) law[i] = 1.0 / c->state_count;
    int round = 0;
    do {
        memcpy(before, law, bytes);
        for (int i = 0; i < 64; i++) next_distribution(c, law, scratch);
    } while (largest_difference(before, law, c->state_count) > 1e-13 && ++round < 2000);
    assert_true(round < 2000);
    free(before);
}

// The norm of `rounds` rounds on functions of mean zero, in the law's own measure, by power
// iteration of the operator times its adjoint. One site's step is its own adjoint, so that of a
// round takes the sites in reverse.
static double correlation_bound(const chain *c, const double *law, int rounds, double *scratch)
{
    const int n = c->state_count;
    double *f = malloc((size_t)n * sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < n; i++) f[i] = (double)(twin_murmur((uint32_t)i + 1) % 1000);
    double norm = 0;
    for (int i = 0; i < 30; i++) {
        double mean = 0;
        for (int s = 0; s < n; s++) mean += law[s] * f[s];
        for (int s = 0; s < n; s++) f[s] -= mean;
        double square = 0;
        for (int s = 0; s < n; s++) square += law[s] * f[s] * f[s];
        norm = sqrt(square);
        if (norm < 1e-100) break;
        for (int s = 0; s < n; s++) f[s] /= norm;
        for (int r = 0; r < rounds; r++)
            for (int site = c->small->site_count - 1; site >= 0; site--)
                expect_site(c, site, f, scratch);
        for (int r = 0; r < rounds; r++)
            for (int site = 0; site < c->small->site_count; site++)
                expect_site(c, site, f, scratch);
    }
    free(f);
    return sqrt(norm);
}

// --- the real sampler ---------------------------------------------------------------------------

static jbw_config make_config(const scenario *small, jbw_item_type *items,
                              jbw_interaction interactions[MAX_TYPES][MAX_TYPES])
{
    static const char *const names[MAX_TYPES] = {"A", "B"};
    for (int t = 0; t < small->type_count; t++) {
        items[t] = (jbw_item_type){.name = names[t], .intensity = small->intensities[t]};
        size_t count = 0;
        for (int s = 0; s < small->type_count; s++)
            if (small->interactions[t][s])
                interactions[t][count++] = (jbw_interaction){names[s], small->interactions[t][s]};
        items[t].interactions = interactions[t];
        items[t].interaction_count = count;
    }
    jbw_config config = small_config(small->patch_size, 1, items, (size_t)small->type_count);
    config.interaction_functions = &custom_interaction;
    config.interaction_function_count = 1;
    config.intensity_functions = &custom_intensity;
    config.intensity_function_count = 1;
    return config;
}

static jbw_patch *add_patch(jbw_map *map, jbw_position at)
{
    jbw_patch *patch = jbw_map_find(map, at);
    if (patch) return patch;
    patch = jbw_map_new_patch(map, at, options.seed);
    assert_non_null(patch);
    assert_true(jbw_map_reserve(map, 1));
    jbw_map_insert(map, patch);
    return patch;
}

// how often each state is seen, `thin` rounds apart
static void observe(const chain *c, const jbw_model *model, int thin, int observations,
                    double *seen)
{
    jbw_map map;
    jbw_sampler sampler;
    jbw_map_init(&map, model);
    jbw_sampler_init(&sampler, model);

    const int size = c->small->patch_size;
    for (int i = 0; i < c->small->frozen_count; i++) {
        const twin_item item = c->small->frozen[i];
        const jbw_position at = {floor_divide(item.x, size), floor_divide(item.y, size)};
        jbw_patch *patch = add_patch(&map, at);
        patch->cells[(item.y - at.y * size) * size + item.x - at.x * size] =
            (uint8_t)(item.type + 1);
    }
    jbw_patch *sites[MAX_SITES];
    for (int i = 0; i < c->small->site_count; i++) {
        sites[i] = jbw_map_find(&map, c->small->sites[i]);
        assert_null(sites[i]);
        sites[i] = add_patch(&map, c->small->sites[i]);
    }
    const size_t site_count = (size_t)c->small->site_count;
    assert_true(jbw_sampler_reserve(&sampler, site_count));

    jbw_sampler_run(&sampler, &map, sites, site_count, 8 * thin);
    for (int i = 0; i < observations; i++) {
        // half of the way it begins anew each time, half it goes on with what it kept
        if (i % 2) jbw_sampler_begin(&sampler, map.patch_count);
        jbw_sampler_run(&sampler, &map, sites, site_count, thin);
        int state = 0;
        for (int cell = c->cells - 1; cell >= 0; cell--)
            state = state * (c->small->type_count + 1) +
                    sites[cell / c->site_cells]->cells[cell % c->site_cells];
        seen[state]++;
    }
    assert_int_equal(sampler.proposal_count,
                     (uint64_t)thin * (uint64_t)(observations + 8) * site_count);

    // what stands still stood still
    for (int i = 0; i < c->small->frozen_count; i++) {
        const twin_item item = c->small->frozen[i];
        const jbw_position at = {floor_divide(item.x, size), floor_divide(item.y, size)};
        const jbw_patch *patch = jbw_map_find(&map, at);
        assert_int_equal(patch->cells[(item.y - at.y * size) * size + item.x - at.x * size],
                         item.type + 1);
    }
    jbw_sampler_deinit(&sampler);
    jbw_map_deinit(&map);
}

// --- the comparison -----------------------------------------------------------------------------

typedef struct verdict {
    double chi_square;
    double degrees;
    double z;
} verdict;

// States that are expected less than ten times share one cell of chi-square. `inflation` is how
// much larger correlation can make it than independent observations would.
static verdict compare(const double *seen, const double *law, int count, double observations,
                       double inflation)
{
    verdict v = {0};
    double rare_expected = 0;
    double rare_seen = 0;
    for (int i = 0; i < count; i++) {
        const double expected = law[i] * observations;
        if (expected < 10) {
            rare_expected += expected;
            rare_seen += seen[i];
            continue;
        }
        v.chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
        v.degrees++;
    }
    if (rare_expected > 1) {
        v.chi_square += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
        v.degrees++;
    } else if (rare_seen > 20) {
        v.chi_square += 1e6; // what should hardly ever be, is
    }
    v.degrees--;
    v.chi_square /= inflation;
    v.z = chi_square_z(v.chi_square, v.degrees);
    return v;
}

static int slip_seen[SLIP_TYPE_COUNT]; // in how many scenarios it would have been noticed

static void check_scenario(const scenario *small)
{
    jbw_item_type items[MAX_TYPES];
    jbw_interaction interactions[MAX_TYPES][MAX_TYPES];
    const jbw_config config = make_config(small, items, interactions);
    twin_law law;
    assert_true(twin_law_init(&law, &config));
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_build(&config, false, &model, &error)) fail_msg("%s", error.text);

    chain right;
    chain_init(&right, small, &law, NO_SLIP);
    const int n = right.state_count;
    double *exact = calloc((size_t)n * 4, sizeof *exact);
    assert_non_null(exact);
    double *wrong_law = exact + n;
    double *scratch = exact + 2 * n;
    double *seen = exact + 3 * n;

    // the acceptance that follows from the proposals keeps the law of the equation
    equation_law(&right, exact);
    memcpy(wrong_law, exact, (size_t)n * sizeof *exact);
    next_distribution(&right, wrong_law, scratch);
    assert_true(largest_difference(exact, wrong_law, n) < 1e-14);

    int thin = 4;
    double bound;
    do {
        thin *= 2;
        bound = correlation_bound(&right, exact, thin, scratch);
    } while (bound > 0.05 && thin < 4096);
    assert_true(bound <= 0.05);
    const double inflation = (1 + bound) / (1 - bound);

    const int observations = options.is_long ? 400000 : 40000;
    observe(&right, model, thin, observations, seen);
    for (int i = 0; i < n; i++)
        if (exact[i] < 1e-12) assert_true(seen[i] == 0);
    const verdict good = compare(seen, exact, n, observations, inflation);
    print_message("%-36s %3d states, every %3d rounds: chi-square %6.1f of %3.0f, z %5.2f\n",
                  small->name, n, thin, good.chi_square, good.degrees, good.z);

    // each mistake that shows here must be told from the truth
    for (slip wrong = NO_SLIP + 1; wrong < SLIP_TYPE_COUNT; wrong++) {
        chain broken;
        chain_init(&broken, small, &law, wrong);
        limit_law(&broken, wrong_law, scratch);
        double expected_chi = 0;
        for (int i = 0; i < n; i++)
            if (wrong_law[i] > 0)
                expected_chi += observations * (exact[i] - wrong_law[i]) *
                                (exact[i] - wrong_law[i]) / wrong_law[i];
        const verdict bad = compare(seen, wrong_law, n, observations, inflation);
        if (expected_chi > 30 * sqrt(2 * good.degrees) && expected_chi > 100) {
            slip_seen[wrong]++;
            if (options.is_long)
                print_message("    would notice: %-18s z %7.1f\n", slip_names[wrong], bad.z);
            if (bad.z < 8) fail_msg("%s: looks like '%s'", small->name, slip_names[wrong]);
        }
        chain_deinit(&broken);
    }
    // 4.5 standard deviations: once in 300,000 honest runs
    if (!(good.z < 4.5)) fail_msg("%s: z = %g", small->name, good.z);

    chain_deinit(&right);
    free(exact);
    jbw_model_destroy(model);
    twin_law_deinit(&law);
}

static void test_scenarios(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        check_scenario(&scenarios[i]);

    // and each mistake shows somewhere
    for (slip wrong = NO_SLIP + 1; wrong < SLIP_TYPE_COUNT; wrong++)
        if (slip_seen[wrong] == 0) fail_msg("'%s' shows nowhere", slip_names[wrong]);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
