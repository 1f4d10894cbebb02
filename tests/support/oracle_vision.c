// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's vision: the paper's arcs on the circle around an agent, one cell and one item at a
/// time.
#include "support/oracle_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

const jbw_body *oracle_body(const oracle *o, const oracle_agent *agent)
{
    return agent->state.body > 0 ? &o->config->bodies[agent->state.body - 1] : NULL;
}

int64_t oracle_frame_range(const oracle *o)
{
    int largest = o->config->agent.vision_range;
    for (size_t i = 0; i < o->config->body_count; i++) {
        const jbw_sight_keys *keys = &o->config->bodies[i].sight;
        if (keys->has_vision_range && keys->vision_range > largest) largest = keys->vision_range;
    }
    for (size_t i = 0; i < o->config->agent.tool_count; i++) {
        const jbw_sight_keys *keys = &o->config->agent.tools[i].sight;
        if (keys->has_vision_range && keys->vision_range > largest) largest = keys->vision_range;
    }
    return largest;
}

// How an agent sees now.
typedef struct sight {
    int64_t range;
    double field_of_view;
    bool is_occluded;
} sight;

static void change_sight(sight *s, const jbw_sight_keys *keys)
{
    if (keys->has_vision_range) s->range = keys->vision_range;
    if (keys->has_field_of_view) s->field_of_view = keys->field_of_view;
    if (keys->has_visual_occlusion) s->is_occluded = keys->visual_occlusion;
}

// first the body, then each tool that it carries, in the order of the world file
static sight sight_of(const oracle *o, const oracle_agent *agent)
{
    const jbw_agent_config *common = &o->config->agent;
    sight s = {common->vision_range, common->field_of_view, common->visual_occlusion};
    if (oracle_body(o, agent)) change_sight(&s, &oracle_body(o, agent)->sight);
    for (size_t t = 0; t < common->tool_count; t++)
        for (size_t i = 0; i < o->config->item_count; i++)
            if (strcmp(o->config->items[i].name, common->tools[t].item) == 0 &&
                agent->inventory[i] > 0)
                change_sight(&s, &common->tools[t].sight);
    return s;
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
static size_t find_occluders(const oracle *o, const oracle_agent *agent, const sight *s,
                             occluder *out)
{
    const int64_t range = s->range;
    size_t count = 0;
    if (!s->is_occluded) return 0;
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

static double visible_share(const sight *s, const occluder *occluders, size_t count, int64_t ahead,
                            int64_t right)
{
    if (llabs(ahead) > s->range || llabs(right) > s->range) return 0;
    if (ahead == 0 && right == 0) return 1;
    const arc cell = arc_of(ahead, right);
    const arc field_of_view = {0, s->field_of_view / 2 * pi / 180};

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
        const jbw_body *body = oracle_body(o, &o->agents[i]);
        const double *own = body && body->color ? body->color : o->config->agent.color;
        for (int c = 0; c < o->config->color_dimensions && own; c++) color[c] += own[c];
    }
    return is_something;
}

void oracle_vision(const oracle *o, const oracle_agent *agent, double *vision)
{
    const int64_t range = oracle_frame_range(o);
    const sight s = sight_of(o, agent);
    const int colors = o->config->color_dimensions;
    occluder *occluders =
        oracle_checked(malloc((size_t)((2 * range + 1) * (2 * range + 1)) * sizeof *occluders));
    const size_t occluder_count = find_occluders(o, agent, &s, occluders);
    for (int64_t row = 0; row <= 2 * range; row++)
        for (int64_t column = 0; column <= 2 * range; column++) {
            const int64_t ahead = range - row;
            const int64_t right = column - range;
            double color[ORACLE_MAX_DIMENSIONS];
            double share = 0; // of nothing, nothing is seen
            if (color_of(o, oracle_cell_from(agent, ahead, right), color))
                share = visible_share(&s, occluders, occluder_count, ahead, right);
            for (int c = 0; c < colors; c++)
                vision[(row * (2 * range + 1) + column) * colors + c] = share * color[c];
        }
    free(occluders);
}
