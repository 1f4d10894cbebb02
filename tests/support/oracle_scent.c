// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's scent: generated items have always been there; changes spread from when they
/// happen.
#include "support/oracle_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// scent this small, relative to the strongest, is removed from the edge of the field
static const double negligible = 1e-10;

// Iterates the paper's equation for a constant source of one unit until nothing changes.
static void iterate_response(int radius, double decay, double diffusion, double *values)
{
    // a border of zeros, so that all cells have neighbours
    const size_t width = 2 * (size_t)radius + 3;
    const size_t middle = ((size_t)radius + 1) * width + (size_t)radius + 1;
    double *now = oracle_checked(calloc(width * width, sizeof *now));
    double *next = oracle_checked(calloc(width * width, sizeof *next));
    for (double change = 1; change > 1e-13;) {
        change = 0;
        for (size_t y = 1; y < width - 1; y++)
            for (size_t x = 1; x < width - 1; x++) {
                const size_t i = y * width + x;
                next[i] = (i == middle) + decay * now[i] +
                          diffusion * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
                change = fmax(change, fabs(next[i] - now[i]));
            }
        double *swapped = now;
        now = next;
        next = swapped;
    }
    for (size_t y = 1; y < width - 1; y++)
        memcpy(values + (y - 1) * (width - 2), now + y * width + 1, (width - 2) * sizeof values[0]);
    free(now);
    free(next);
}

oracle_response oracle_response_make(double decay, double diffusion)
{
    // increase the radius until almost nothing reaches the border
    for (int radius = 6;; radius += radius / 2) {
        const size_t width = 2 * (size_t)radius + 1;
        double *values = oracle_checked(malloc(width * width * sizeof *values));
        iterate_response(radius, decay, diffusion, values);
        double lost = 0;
        for (size_t i = 0; i < width; i++)
            lost += 2 * fabs(values[i]) + 2 * fabs(values[i * width]);
        if (lost < 1e-8) return (oracle_response){radius, values};
        free(values);
    }
}

double oracle_scent_tolerance(const jbw_config *config)
{
    double largest = 0;
    for (int d = 0; d < config->scent_dimensions; d++) {
        if (config->agent.scent) largest = fmax(largest, fabs(config->agent.scent[d]));
        for (size_t i = 0; i < config->body_count; i++)
            if (config->bodies[i].scent) largest = fmax(largest, fabs(config->bodies[i].scent[d]));
        for (size_t i = 0; i < config->item_count; i++)
            if (config->items[i].scent) largest = fmax(largest, fabs(config->items[i].scent[d]));
    }
    return 1e-4 * largest;
}

static double item_scent(const oracle *o, uint8_t item, int dimension)
{
    if (!oracle_visible(o, item) || !o->config->items[item - 1].scent) return 0;
    return o->config->items[item - 1].scent[dimension];
}

static double agent_scent(const oracle *o, const oracle_agent *agent, int dimension)
{
    const jbw_body *body = oracle_body(o, agent);
    const double *scent = body && body->scent ? body->scent : o->config->agent.scent;
    return scent ? scent[dimension] : 0;
}

static double *field_at(const oracle *o, double *field, int dimension, int64_t x, int64_t y)
{
    return &field[((size_t)dimension * (size_t)o->side + (size_t)y) * (size_t)o->side + (size_t)x];
}

// enlarges the box outside of which everything is zero; there must be room for one more cell around
// it
static void widen_box(oracle *o, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    if (x0 < 1 || x1 >= o->side || y0 < 1 || y1 >= o->side) abort();
    const bool is_empty = o->x0 >= o->x1 || o->y0 >= o->y1;
    if (is_empty || x0 < o->x0) o->x0 = x0;
    if (is_empty || x1 > o->x1) o->x1 = x1;
    if (is_empty || y0 < o->y0) o->y0 = y0;
    if (is_empty || y1 > o->y1) o->y1 = y1;
}

// sets a part of the field to zero if almost nothing is left there
static bool wipe(oracle *o, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    const double limit = negligible * oracle_scent_tolerance(o->config) / 1e-4;
    if (o->x0 >= o->x1 || o->y0 >= o->y1) return false;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < o->config->scent_dimensions; d++)
            for (int64_t y = y0; y < y1; y++)
                for (int64_t x = x0; x < x1; x++) {
                    double *value = field_at(o, o->carried, d, x, y);
                    if (pass == 1)
                        *value = 0;
                    else if (fabs(*value) > limit)
                        return false;
                }
    return true;
}

// Adds the difference between the map and what was generated, then spreads it for one step.
void oracle_advance_scent(oracle *o)
{
    const int dimensions = o->config->scent_dimensions;
    if (!dimensions) return;

    // D(t) = dC(t) + A D(t-1)
    for (size_t i = 0; i < o->changed_count; i++) {
        const size_t index = o->changed_cells[i];
        const int64_t x = (int64_t)index % o->side;
        const int64_t y = (int64_t)index / o->side;
        widen_box(o, x, x + 1, y, y + 1);
        for (int d = 0; d < dimensions; d++)
            *field_at(o, o->carried, d, x, y) +=
                item_scent(o, o->actual[index], d) - item_scent(o, o->generated[index], d);
    }
    for (size_t i = 0; i < o->agent_count; i++) {
        if (o->agents[i].is_gone) continue;
        const jbw_position at = o->agents[i].state.position;
        const int64_t x = at.x - o->corner.x;
        const int64_t y = at.y - o->corner.y;
        widen_box(o, x, x + 1, y, y + 1);
        for (int d = 0; d < dimensions; d++)
            *field_at(o, o->carried, d, x, y) += agent_scent(o, &o->agents[i], d);
    }
    if (o->x0 >= o->x1 || o->y0 >= o->y1) return;

    // A D(t)
    const double decay = o->config->scent_decay;
    const double diffusion = o->config->scent_diffusion;
    widen_box(o, o->x0 - 1, o->x1 + 1, o->y0 - 1, o->y1 + 1);
    for (int d = 0; d < dimensions; d++)
        for (int64_t y = o->y0; y < o->y1; y++)
            for (int64_t x = o->x0; x < o->x1; x++)
                *field_at(o, o->scratch, d, x, y) =
                    decay * *field_at(o, o->carried, d, x, y) +
                    diffusion * (*field_at(o, o->carried, d, x - 1, y) +
                                 *field_at(o, o->carried, d, x + 1, y) +
                                 *field_at(o, o->carried, d, x, y - 1) +
                                 *field_at(o, o->carried, d, x, y + 1));
    for (int d = 0; d < dimensions; d++)
        for (int64_t y = o->y0; y < o->y1; y++)
            memcpy(field_at(o, o->carried, d, o->x0, y), field_at(o, o->scratch, d, o->x0, y),
                   (size_t)(o->x1 - o->x0) * sizeof(double));

    while (wipe(o, o->x0, o->x0 + 1, o->y0, o->y1)) o->x0++;
    while (wipe(o, o->x1 - 1, o->x1, o->y0, o->y1)) o->x1--;
    while (wipe(o, o->x0, o->x1, o->y0, o->y0 + 1)) o->y0++;
    while (wipe(o, o->x0, o->x1, o->y1 - 1, o->y1)) o->y1--;
}

void oracle_scent(const oracle *o, jbw_position cell, double *scent)
{
    const int dimensions = o->config->scent_dimensions;
    const int64_t radius = o->response.radius;
    for (int d = 0; d < dimensions; d++) scent[d] = 0;

    // generated items have always been there
    for (int64_t dy = -radius; dy <= radius; dy++)
        for (int64_t dx = -radius; dx <= radius; dx++) {
            const jbw_position from = {cell.x + dx, cell.y + dy};
            const uint8_t item =
                oracle_is_inside(o, from) ? o->generated[oracle_cell_index(o, from)] : 0;
            if (!item) continue;
            const double *strength = o->config->items[item - 1].scent;
            const double share = oracle_generated_share(o, item, dx, dy);
            for (int d = 0; d < dimensions && strength; d++) scent[d] += share * strength[d];
        }

    // changes: what has spread, and what is there now
    if (!oracle_is_inside(o, cell)) return;
    const size_t index = oracle_cell_index(o, cell);
    for (int d = 0; d < dimensions; d++) {
        scent[d] += *field_at(o, o->carried, d, cell.x - o->corner.x, cell.y - o->corner.y);
        scent[d] += item_scent(o, o->actual[index], d) - item_scent(o, o->generated[index], d);
        for (size_t i = 0; i < o->agent_count; i++)
            if (!o->agents[i].is_gone && oracle_is_same(o->agents[i].state.position, cell))
                scent[d] += agent_scent(o, &o->agents[i], d);
    }
}

void oracle_check_scent(oracle *o, jbw_position cell, const float *found)
{
    const double tolerance = oracle_scent_tolerance(o->config);
    double expected[ORACLE_MAX_DIMENSIONS] = {0};
    oracle_scent(o, cell, expected);
    for (int d = 0; d < o->config->scent_dimensions; d++) {
        const double error = fabs((double)found[d] - expected[d]);
        if (!(error <= tolerance))
            oracle_tell(o, "scent %d at (%" PRId64 ", %" PRId64 ") is %.9g, not %.9g", d, cell.x,
                        cell.y, (double)found[d], expected[d]);
        if (tolerance > 0) o->scent_error = fmax(o->scent_error, error / tolerance);
    }
}

bool oracle_compare_scent(oracle *o, jbw_position cell)
{
    float found[ORACLE_MAX_DIMENSIONS];
    if (jbw_world_smell(o->world, cell, found))
        oracle_tell(o, "smelling failed");
    else
        oracle_check_scent(o, cell, found);
    return !o->problem[0];
}
