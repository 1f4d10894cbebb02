// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's seasons: which items are there for agents, and how an item smells that has come and
/// gone with the seasons since long before time zero.
#include "support/oracle_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool oracle_is_in_season(const oracle *o, uint8_t item, int64_t time)
{
    if (!item) return false;
    const jbw_season *season = &o->config->items[item - 1].season;
    if (season->period == 0) return true;
    const int64_t period = (int64_t)season->period;
    const int64_t phase = (time % period + period) % period;
    // count through the season from its beginning
    for (int64_t at = (int64_t)season->from; at % period != (int64_t)season->to % period; at++)
        if (at % period == phase) return true;
    return false;
}

uint8_t oracle_visible(const oracle *o, uint8_t item)
{
    return oracle_is_in_season(o, item, (int64_t)o->time) ? item : 0;
}

static size_t field_cells(const oracle *o)
{
    const size_t width = 2 * (size_t)o->response.radius + 3; // with a border of zeros
    return width * width;
}

// the paper's equation for one item of a type: S(t) = C(t) + A S(t-1)
static void advance(oracle *o, uint8_t item, int64_t time)
{
    const size_t width = 2 * (size_t)o->response.radius + 3;
    const size_t middle = (width / 2) * width + width / 2;
    const double decay = o->config->scent_decay;
    const double diffusion = o->config->scent_diffusion;
    double *now = o->seasonal[item - 1];
    double *next = oracle_checked(calloc(field_cells(o), sizeof *next));
    for (size_t y = 1; y < width - 1; y++)
        for (size_t x = 1; x < width - 1; x++) {
            const size_t i = y * width + x;
            next[i] = decay * now[i] +
                      diffusion * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
        }
    if (oracle_is_in_season(o, item, time)) next[middle] += 1;
    o->seasonal[item - 1] = next;
    free(now);
}

void oracle_begin_seasons(oracle *o)
{
    const double kept = fabs(o->config->scent_decay) + 4 * fabs(o->config->scent_diffusion);
    const int64_t long_ago = kept > 0 ? (int64_t)(log(1e-12) / log(kept)) - 2 : -2;
    for (size_t i = 0; i < o->config->item_count; i++) {
        if (o->config->items[i].season.period == 0 || !o->config->items[i].scent) continue;
        o->seasonal[i] = oracle_checked(calloc(field_cells(o), sizeof(double)));
        for (int64_t time = -llabs(long_ago); time <= 0; time++) advance(o, (uint8_t)(i + 1), time);
    }
}

void oracle_advance_seasons(oracle *o)
{
    for (size_t i = 0; i < o->config->item_count; i++)
        if (o->seasonal[i]) advance(o, (uint8_t)(i + 1), (int64_t)o->time);
}

double oracle_generated_share(const oracle *o, uint8_t item, int64_t dx, int64_t dy)
{
    const int64_t radius = o->response.radius;
    if (!o->seasonal[item - 1])
        return o->response.values[(dy + radius) * (2 * radius + 1) + dx + radius];
    return o->seasonal[item - 1][(dy + radius + 1) * (2 * radius + 3) + dx + radius + 1];
}
