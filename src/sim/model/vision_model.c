// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/vision_model.h"

#include "base/dmath.h"
#include "sim/model/model.h"

// ---- angles ----

/// The part of the circle around an agent that a cell covers.
typedef struct arc {
    double center; // radians from straight ahead, to the right
    double half;   // half of its length
    int64_t squared_distance;
} arc;

// `ahead` and `right` are in cells; not for the agent's own cell
static arc arc_of(int ahead, int right)
{
    const double distance = jbw_sqrt((double)(ahead * ahead + right * right));
    return (arc){
        .center = jbw_atan2((double)right, (double)ahead),
        .half = jbw_asin(0.5 / distance),
        .squared_distance = (int64_t)ahead * ahead + (int64_t)right * right,
    };
}

// the length of the intersection of two intervals
static double common_length(double a_low, double a_high, double b_low, double b_high)
{
    const double low = a_low > b_low ? a_low : b_low;
    const double high = a_high < b_high ? a_high : b_high;
    return high > low ? high - low : 0.0;
}

// the length of the intersection of two arcs; the second one is also tried a full turn away
static double common_arc(double a_center, double a_half, double b_center, double b_half)
{
    double sum = 0.0;
    for (int turn = -1; turn <= 1; turn++) {
        const double center = b_center + (double)turn * 2.0 * JBW_PI;
        sum +=
            common_length(a_center - a_half, a_center + a_half, center - b_half, center + b_half);
    }
    return sum;
}

// ---- tables ----

static arc arc_of_index(const jbw_vision_model *v, int index)
{
    return arc_of(v->range - index / v->side, index % v->side - v->range);
}

static bool is_in_range(const jbw_vision_model *v, const jbw_outlook *view, int index)
{
    const int row = index / v->side - v->range;
    const int column = index % v->side - v->range;
    const int range = view->eyes.range;
    return row >= -range && row <= range && column >= -range && column <= range;
}

static bool build_mask(jbw_model *model, jbw_outlook *view)
{
    const jbw_vision_model *v = &model->vision;
    const double field_of_view = view->eyes.field_of_view;
    const size_t cells = (size_t)v->cells;
    view->mask = jbw_arena_alloc(&model->arena, cells, sizeof *view->mask);
    view->plain_factors = jbw_arena_alloc(&model->arena, cells, sizeof *view->plain_factors);
    if (!view->mask || !view->plain_factors) return false;
    for (int i = 0; i < v->cells; i++) {
        if (!is_in_range(v, view, i)) continue; // zero
        view->mask[i] = 1.0;
        if (i == v->own || field_of_view >= 360.0) continue;
        const arc cell = arc_of_index(v, i);
        const double half = field_of_view * (JBW_PI / 360.0);
        const double part = common_arc(0.0, half, cell.center, cell.half) / (2.0 * cell.half);
        view->mask[i] = part < 1.0 ? part : 1.0;
    }
    for (int i = 0; i < v->cells; i++) view->plain_factors[i] = (float)view->mask[i];
    return true;
}

// for each cell, which cells it hides and how much of them
static bool build_shadows(jbw_model *model, jbw_outlook *view)
{
    const jbw_vision_model *v = &model->vision;
    jbw_shadow *shadows = NULL;
    view->first_shadow =
        jbw_arena_alloc(&model->arena, (size_t)v->cells + 1, sizeof *view->first_shadow);
    arc *arcs = jbw_alloc_zero(&model->allocator, (size_t)v->cells, sizeof *arcs);
    bool has_room = view->first_shadow && arcs;
    for (int i = 0; has_room && i < v->cells; i++)
        if (i != v->own) arcs[i] = arc_of_index(v, i);

    // the first pass counts, the second one stores
    for (int pass = 0; has_room && pass < 2; pass++) {
        uint32_t count = 0;
        for (int near = 0; near < v->cells; near++) {
            view->first_shadow[near] = count;
            if (near == v->own || !is_in_range(v, view, near)) continue;
            for (int far = 0; far < v->cells; far++) {
                // cells out of view, or beyond the range, need not be hidden
                if (far == v->own || view->mask[far] == 0.0 ||
                    arcs[near].squared_distance >= arcs[far].squared_distance)
                    continue;
                const double part = common_arc(arcs[near].center, arcs[near].half, arcs[far].center,
                                               arcs[far].half) /
                                    (2.0 * arcs[far].half);
                if (part <= 0.0) continue;
                if (shadows) shadows[count] = (jbw_shadow){.cell = far, .part = part};
                count++;
            }
        }
        view->first_shadow[v->cells] = count;
        if (pass == 0) shadows = jbw_arena_alloc(&model->arena, count, sizeof *shadows);
        has_room = shadows != NULL;
    }
    view->shadows = shadows;
    jbw_free(&model->allocator, arcs, (size_t)v->cells * sizeof *arcs);
    return has_room;
}

// where the cells of the frame are in the square around the agent
static bool build_frames(jbw_model *model)
{
    jbw_vision_model *v = &model->vision;
    for (int direction = 0; direction < 4; direction++) {
        uint32_t *frame = jbw_arena_alloc(&model->arena, (size_t)v->cells, sizeof *frame);
        if (!frame) return false;
        for (int y = -v->range; y <= v->range; y++)
            for (int x = -v->range; x <= v->range; x++) {
                const int index = jbw_vision_index(model, (jbw_direction)direction, x, y);
                frame[index] = (uint32_t)((y + v->range) * v->side + x + v->range);
            }
        v->frames[direction] = frame;
    }
    return true;
}

static bool build_colors(jbw_model *model)
{
    jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    v->color_stride = dimensions <= 4 ? 4 : dimensions;
    v->colors =
        jbw_arena_alloc(&model->arena, (size_t)(model->type_count + 1) * (size_t)v->color_stride,
                        sizeof *v->colors);
    if (!v->colors) return false;
    for (int t = 0; t < model->type_count; t++)
        for (int d = 0; d < dimensions; d++)
            v->colors[(t + 1) * v->color_stride + d] = (float)model->items[t].color[d];
    for (int b = 0; b < model->body_count; b++)
        for (int d = 0; d < dimensions; d++)
            if (model->bodies[b].color[d] != 0.0) v->agents_are_seen = true;
    return true;
}

static bool build_view(jbw_model *model, jbw_eyes eyes, jbw_outlook *view)
{
    view->eyes = eyes;
    view->is_masked = eyes.field_of_view < 360.0 || eyes.range < model->vision.range;
    if (eyes.has_occlusion)
        for (int t = 0; t < model->type_count; t++)
            if (model->items[t].occlusion > 0.0) view->is_occluded = true;
    return build_mask(model, view) && (!view->is_occluded || build_shadows(model, view));
}

bool jbw_vision_model_build(jbw_model *model, const jbw_config *config)
{
    jbw_vision_model *v = &model->vision;
    jbw_eyes eyes[JBW_MAX_VIEWS];
    jbw_eyes_list(config, eyes, &v->view_count);
    for (int i = 0; i < v->view_count; i++)
        if (eyes[i].range > v->range) v->range = eyes[i].range;
    v->side = 2 * v->range + 1;
    v->cells = v->side * v->side;
    v->own = v->range * v->side + v->range;
    v->views = jbw_arena_alloc(&model->arena, (size_t)v->view_count, sizeof *v->views);
    if (!v->views || !build_colors(model) || !build_frames(model)) return false;
    for (int i = 0; i < v->view_count; i++)
        if (!build_view(model, eyes[i], &v->views[i])) return false;
    for (int b = 0; b < model->body_count; b++) {
        jbw_body_model *body = &model->bodies[b];
        body->view = v->views;
        while (!jbw_eyes_are_same(body->view->eyes, body->eyes)) body->view++;
    }
    return true;
}

int jbw_vision_index(const jbw_model *model, jbw_direction direction, int64_t dx, int64_t dy)
{
    const jbw_vision_model *v = &model->vision;
    if (dx < -v->range || dx > v->range || dy < -v->range || dy > v->range) return -1;
    int ahead = (int)dy;
    int right = (int)dx;
    switch (direction) {
    case JBW_UP: break;
    case JBW_RIGHT: ahead = (int)dx, right = (int)-dy; break;
    case JBW_DOWN: ahead = (int)-dy, right = (int)-dx; break;
    case JBW_LEFT: ahead = (int)-dx, right = (int)dy; break;
    }
    return (v->range - ahead) * v->side + right + v->range;
}
