// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/exact_chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const slip_names[SLIP_TYPE_COUNT] = {
    "none",         "count off by one", "count forgotten", "types forgotten",
    "pairs once",   "pairs swapped",    "pairs sign",      "intensity sign",
    "no intensity", "no other patches", "no corners",      "mirrored",
};

int floor_divide(int64_t a, int b)
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

// by how much an item changes the exponent, given all other items
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

// the log odds of proposing the reverse move rather than adding to m items
static double log_proposal_odds(const chain *c, slip wrong, int m)
{
    double choices = c->site_cells;
    if (wrong != SLIP_TYPES_FORGOTTEN) choices *= c->small->type_count;
    if (wrong == SLIP_COUNT_FORGOTTEN) return 0;
    return log(choices / (m + 1));
}

void chain_init(chain *c, const scenario *small, const twin_law *law, slip wrong)
{
    c->small = small;
    c->law = law;
    c->site_cells = small->patch_size * small->patch_size;
    c->cells = c->site_cells * small->site_count;
    if (c->cells > MAX_CELLS) abort();
    c->state_count = place_value(c, c->cells);
    c->degree = c->site_cells * small->type_count + 2;
    c->edges = calloc((size_t)small->site_count * (size_t)c->state_count * (size_t)c->degree,
                      sizeof *c->edges);
    if (!c->edges) abort();

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

void chain_deinit(chain *c)
{
    free(c->edges);
}

static const edge *edges_of(const chain *c, int site, int state)
{
    return c->edges + ((size_t)site * (size_t)c->state_count + (size_t)state) * (size_t)c->degree;
}

void chain_advance(const chain *c, double *p, double *scratch)
{
    for (int site = 0; site < c->small->site_count; site++) {
        memset(scratch, 0, (size_t)c->state_count * sizeof *scratch);
        for (int state = 0; state < c->state_count; state++)
            for (const edge *e = edges_of(c, site, state); e->target >= 0; e++)
                scratch[e->target] += p[state] * e->probability;
        memcpy(p, scratch, (size_t)c->state_count * sizeof *p);
    }
}

// the expectation of a function of the state after one proposal in this site
static void expect_site(const chain *c, int site, double *f, double *scratch)
{
    for (int state = 0; state < c->state_count; state++) {
        scratch[state] = 0;
        for (const edge *e = edges_of(c, site, state); e->target >= 0; e++)
            scratch[state] += e->probability * f[e->target];
    }
    memcpy(f, scratch, (size_t)c->state_count * sizeof *f);
}

void chain_equation_law(const chain *c, double *law)
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

double largest_difference(const double *a, const double *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

bool chain_limit_law(const chain *c, double *law, double *scratch)
{
    const size_t bytes = (size_t)c->state_count * sizeof *law;
    double *before = malloc(bytes);
    if (!before) abort();
    for (int i = 0; i < c->state_count; i++) law[i] = 1.0 / c->state_count;
    int round = 0;
    do {
        memcpy(before, law, bytes);
        for (int i = 0; i < 64; i++) chain_advance(c, law, scratch);
    } while (largest_difference(before, law, c->state_count) > 1e-13 && ++round < 2000);
    free(before);
    return round < 2000;
}

// By power iteration of the operator times its adjoint. The step of one site is its own adjoint, so
// the adjoint of a round takes the sites in reverse.
double chain_correlation_bound(const chain *c, const double *law, int rounds, double *scratch)
{
    const int n = c->state_count;
    double *f = malloc((size_t)n * sizeof *f);
    if (!f) abort();
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
