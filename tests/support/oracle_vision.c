// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's vision: the paper's arcs on the circle around an agent, one cell and one item at a
/// time.
#include "support/oracle_parts.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static jbw_position offset_of(jbw_direction direction, int64_t ahead, int64_t right)
{
    switch (direction) {
    case JBW_UP: return (jbw_position){right, ahead};
    case JBW_RIGHT: return (jbw_position){ahead, -right};
    case JBW_DOWN: return (jbw_position){-right, -ahead};
    case JBW_LEFT: return (jbw_position){-ahead, right};
    }
    abort();
}

jbw_position oracle_cell_from(const oracle_agent *agent, int64_t ahead, int64_t right)
{
    const jbw_position offset = offset_of(agent->state.direction, ahead, right);
    return (jbw_position){agent->state.position.x + offset.x, agent->state.position.y + offset.y};
}

// An arc on the circle around the agent: its middle, and how far it extends to either side.
typedef struct arc {
    double middle;
    double half;
} arc;

// the arc that a cell's circle of radius 1/2 casts
static arc arc_of(int64_t ahead, int64_t right)
{
    const double distance = sqrt((double)(ahead * ahead + right * right));
    return (arc){atan2((double)right, (double)ahead), asin(1 / (2 * distance))};
}

// the share of an arc that another one covers
static double covered_share(arc covered, arc by)
{
    double length = 0;
    for (int turn = -1; turn <= 1; turn++) {
        const double middle = by.middle + 2 * pi * turn;
        if (fabs(middle - covered.middle) >= covered.half + by.half) continue; // they do not meet
        const double from = fmax(covered.middle - covered.half, middle - by.half);
        const double to = fmin(covered.middle + covered.half, middle + by.half);
        length += fmax(to - from, 0);
    }
    return length / (2 * covered.half);
}

// An item that hides what is behind it.
typedef struct occluder {
    arc covers;
    int64_t square; // of its distance
    double occlusion;
} occluder;

// all items in the field of vision that hide something, except in the agent's own cell; returns their
// number
static size_t find_occluders(const oracle *o, const oracle_agent *agent, occluder *out)
{
    const int64_t range = o->config->agent.vision_range;
    size_t count = 0;
    if (!o->config->agent.visual_occlusion) return 0;
    for (int64_t ahead = -range; ahead <= range; ahead++)
        for (int64_t right = -range; right <= range; right++) {
            const uint8_t item = oracle_item_at(o, oracle_cell_from(agent, ahead, right));
            if (!item || (ahead == 0 && right == 0)) continue;
            if (o->config->items[item - 1].occlusion == 0) continue;
            out[count++] = (occluder){arc_of(ahead, right), ahead * ahead + right * right,
                                      o->config->items[item - 1].occlusion};
        }
    return count;
}

static double visible_share(const oracle *o, const occluder *occluders, size_t count, int64_t ahead,
                            int64_t right)
{
    if (ahead == 0 && right == 0) return 1;
    const arc cell = arc_of(ahead, right);
    const arc field_of_view = {0, o->config->agent.field_of_view / 2 * pi / 180};

    // everything that is nearer hides its share, even from outside the field of view
    double hidden = 0;
    for (size_t i = 0; i < count; i++)
        if (occluders[i].square < ahead * ahead + right * right)
            hidden += occluders[i].occlusion * covered_share(cell, occluders[i].covers);
    return covered_share(cell, field_of_view) * fmax(1 - hidden, 0);
}

// the colour of what a cell holds; false if it holds nothing
static bool color_of(const oracle *o, jbw_position cell, double color[ORACLE_MAX_DIMENSIONS])
{
    const uint8_t item = oracle_item_at(o, cell);
    const double *item_color = item ? o->config->items[item - 1].color : NULL;
    bool is_something = item != 0;
    for (int c = 0; c < o->config->color_dimensions; c++) color[c] = item_color ? item_color[c] : 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        if (o->agents[i].is_gone || !oracle_is_same(o->agents[i].state.position, cell)) continue;
        is_something = true;
        for (int c = 0; c < o->config->color_dimensions && o->config->agent.color; c++)
            color[c] += o->config->agent.color[c];
    }
    return is_something;
}

void oracle_vision(const oracle *o, const oracle_agent *agent, double *vision)
{
    const int64_t range = o->config->agent.vision_range;
    const int colors = o->config->color_dimensions;
    occluder *occluders =
        oracle_checked(malloc((size_t)((2 * range + 1) * (2 * range + 1)) * sizeof *occluders));
    const size_t occluder_count = find_occluders(o, agent, occluders);
    for (int64_t row = 0; row <= 2 * range; row++)
        for (int64_t column = 0; column <= 2 * range; column++) {
            const int64_t ahead = range - row;
            const int64_t right = column - range;
            double color[ORACLE_MAX_DIMENSIONS];
            double share = 0; // of nothing, nothing is seen
            if (color_of(o, oracle_cell_from(agent, ahead, right), color))
                share = visible_share(o, occluders, occluder_count, ahead, right);
            for (int c = 0; c < colors; c++)
                vision[(row * (2 * range + 1) + column) * colors + c] = share * color[c];
        }
    free(occluders);
}
