// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/vision.h"

#include <string.h>

#include "base/dmath.h"

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

// the length that two intervals have in common
static double common_length(double a_low, double a_high, double b_low, double b_high)
{
    const double low = a_low > b_low ? a_low : b_low;
    const double high = a_high < b_high ? a_high : b_high;
    return high > low ? high - low : 0.0;
}

// the length that two arcs of the circle have in common: the second once, and a turn either way
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

// ---- the model's part ----

static arc arc_of_index(const jbw_vision_model *v, int index)
{
    return arc_of(v->range - index / v->side, index % v->side - v->range);
}

static bool build_mask(jbw_model *model, double field_of_view)
{
    jbw_vision_model *v = &model->vision;
    v->mask = jbw_arena_alloc(&model->arena, (size_t)v->cells, sizeof *v->mask);
    v->plain_factors = jbw_arena_alloc(&model->arena, (size_t)v->cells, sizeof *v->plain_factors);
    if (!v->mask || !v->plain_factors) return false;
    for (int i = 0; i < v->cells; i++) {
        v->mask[i] = 1.0;
        if (i == v->own || field_of_view >= 360.0) continue;
        const arc cell = arc_of_index(v, i);
        const double half = field_of_view * (JBW_PI / 360.0);
        const double part = common_arc(0.0, half, cell.center, cell.half) / (2.0 * cell.half);
        v->mask[i] = part < 1.0 ? part : 1.0;
    }
    for (int i = 0; i < v->cells; i++) v->plain_factors[i] = (float)v->mask[i];
    return true;
}

// For each cell, which cells behind it it hides, and what part of them.
static bool build_shadows(jbw_model *model)
{
    jbw_vision_model *v = &model->vision;
    jbw_shadow *shadows = NULL;
    v->first_shadow = jbw_arena_alloc(&model->arena, (size_t)v->cells + 1, sizeof *v->first_shadow);
    arc *arcs = jbw_alloc_zero(&model->allocator, (size_t)v->cells, sizeof *arcs);
    bool has_room = v->first_shadow && arcs;
    for (int i = 0; has_room && i < v->cells; i++)
        if (i != v->own) arcs[i] = arc_of_index(v, i);

    // count them, then keep them
    for (int pass = 0; has_room && pass < 2; pass++) {
        uint32_t count = 0;
        for (int near = 0; near < v->cells; near++) {
            v->first_shadow[near] = count;
            if (near == v->own) continue;
            for (int far = 0; far < v->cells; far++) {
                // what is out of view need not be hidden
                if (far == v->own || v->mask[far] == 0.0 ||
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
        v->first_shadow[v->cells] = count;
        if (pass == 0) shadows = jbw_arena_alloc(&model->arena, count, sizeof *shadows);
        has_room = shadows != NULL;
    }
    v->shadows = shadows;
    jbw_free(&model->allocator, arcs, (size_t)v->cells * sizeof *arcs);
    return has_room;
}

// where the cells of the frame are in the square around the agent, lowest row first
static bool build_frames(jbw_model *model)
{
    jbw_vision_model *v = &model->vision;
    for (int direction = 0; direction < 4; direction++) {
        uint32_t *frame = jbw_arena_alloc(&model->arena, (size_t)v->cells, sizeof *frame);
        if (!frame) return false;
        for (int y = -v->range; y <= v->range; y++)
            for (int x = -v->range; x <= v->range; x++) {
                const int index = jbw_vision_index(model, (jbw_direction)direction, x, y);
                frame[index] = (uint32_t)((y + v->range) * v->square_stride + x + v->range);
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
    for (int d = 0; d < dimensions; d++)
        if (model->agent_color[d] != 0.0) v->agents_are_seen = true;
    return true;
}

bool jbw_vision_build(jbw_model *model, const jbw_config *config)
{
    jbw_vision_model *v = &model->vision;
    v->range = config->agent.vision_range;
    v->side = 2 * v->range + 1;
    v->cells = v->side * v->side;
    v->own = v->range * v->side + v->range;
    v->square_stride = v->side + JBW_CELLS_PADDING;
    v->is_masked = config->agent.field_of_view < 360.0;
    if (config->agent.visual_occlusion)
        for (int t = 0; t < model->type_count; t++)
            if (model->items[t].occlusion > 0.0) v->is_occluded = true;
    return build_colors(model) && build_frames(model) &&
           build_mask(model, config->agent.field_of_view) &&
           (!v->is_occluded || build_shadows(model));
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

// ---- seeing ----

static size_t square_bytes(const jbw_model *model)
{
    return (size_t)model->vision.side * (size_t)model->vision.square_stride;
}

bool jbw_sight_init(jbw_sight *sight, const jbw_model *model)
{
    const size_t cells = (size_t)model->vision.cells;
    sight->square = jbw_alloc(&model->allocator, square_bytes(model));
    sight->hidden = jbw_alloc(&model->allocator, cells * sizeof *sight->hidden);
    sight->factors = jbw_alloc(&model->allocator, cells * sizeof *sight->factors);
    sight->agent_counts = jbw_alloc_zero(&model->allocator, cells, sizeof *sight->agent_counts);
    return sight->square && sight->hidden && sight->factors && sight->agent_counts;
}

void jbw_sight_deinit(jbw_sight *sight, const jbw_model *model)
{
    const size_t cells = (size_t)model->vision.cells;
    jbw_free(&model->allocator, sight->square, square_bytes(model));
    jbw_free(&model->allocator, sight->hidden, cells * sizeof *sight->hidden);
    jbw_free(&model->allocator, sight->factors, cells * sizeof *sight->factors);
    jbw_free(&model->allocator, sight->agent_counts, cells * sizeof *sight->agent_counts);
    *sight = (jbw_sight){0};
}

// whole blocks, the last of which may go on into padding
static inline void copy_cells(uint8_t *to, const uint8_t *from, int count)
{
    for (int i = 0; i < count; i += JBW_CELLS_PADDING) memcpy(to + i, from + i, JBW_CELLS_PADDING);
}

// Copies the square around a cell out of the patches it lies in: from left to right, so that what a
// copy writes beyond its part is overwritten by the next.
static void copy_square(const jbw_map *map, jbw_position cell, jbw_patch *const around[9],
                        uint8_t *square)
{
    const jbw_vision_model *v = &map->model->vision;
    const int size = map->model->patch_size;
    const jbw_position home = jbw_map_origin(map, around[4]->at);
    // in the home patch's coordinates
    const int left = (int)(cell.x - home.x) - v->range;
    const int bottom = (int)(cell.y - home.y) - v->range;
    const int right = left + v->side;
    for (int y = bottom; y < bottom + v->side; y++, square += v->square_stride) {
        const int row = y < 0 ? 0 : y < size ? 1 : 2;
        const ptrdiff_t start = (ptrdiff_t)(y - (row - 1) * size) * size;
        jbw_patch *const *patches = around + 3 * (ptrdiff_t)row;
        if (left < 0)
            copy_cells(square, patches[0]->cells + start + size + left,
                       right < 0 ? v->side : -left);
        const int begin = left > 0 ? left : 0;
        const int end = right < size ? right : size;
        if (begin < end)
            copy_cells(square + (begin - left), patches[1]->cells + start + begin, end - begin);
        if (right > size)
            copy_cells(square + (size - left), patches[2]->cells + start, right - size);
    }
}

// how much of each cell is seen, after field of view and occlusion
static void find_factors(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                         double *hidden, float *factors)
{
    const jbw_vision_model *v = &model->vision;
    memset(hidden, 0, (size_t)v->cells * sizeof *hidden);
    for (int i = 0; i < v->cells; i++) {
        const int content = square[frame[i]];
        if (content == 0 || i == v->own) continue;
        const double occlusion = model->items[content - 1].occlusion;
        if (occlusion == 0.0) continue;
        for (uint32_t s = v->first_shadow[i]; s < v->first_shadow[i + 1]; s++)
            hidden[v->shadows[s].cell] += occlusion * v->shadows[s].part;
    }
    for (int i = 0; i < v->cells; i++)
        factors[i] = hidden[i] < 1.0 ? (float)(v->mask[i] * (1.0 - hidden[i])) : 0.0f;
}

// Three colours are written four at a time: the fourth is overwritten by the next cell. That leaves
// the last cell to the loop behind.
static void paint_plain(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                        float *vision)
{
    const jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    int i = 0;
    for (; dimensions == 3 && i < v->cells - 1; i++, vision += 3)
        memcpy(vision, v->colors + 4 * (ptrdiff_t)square[frame[i]], 4 * sizeof(float));
    for (; i < v->cells; i++, vision += dimensions)
        memcpy(vision, v->colors + (ptrdiff_t)v->color_stride * square[frame[i]],
               (size_t)dimensions * sizeof(float));
}

static void paint_factors(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                          const float *restrict factors, float *restrict vision)
{
    const jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    int i = 0;
    for (; dimensions == 3 && i < v->cells - 1; i++, vision += 3) {
        const float *restrict color = v->colors + 4 * (ptrdiff_t)square[frame[i]];
        for (int d = 0; d < 4; d++) vision[d] = color[d] * factors[i];
    }
    for (; i < v->cells; i++, vision += dimensions) {
        const float *restrict color = v->colors + (ptrdiff_t)v->color_stride * square[frame[i]];
        for (int d = 0; d < dimensions; d++) vision[d] = color[d] * factors[i];
    }
}

// cells with agents in them: the sum of all colours there
static void paint_agents(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                         const uint32_t *agent_counts, const float *factors, float *vision)
{
    const jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    for (int i = 0; i < v->cells; i++) {
        if (agent_counts[i] == 0) continue;
        const int content = square[frame[i]];
        for (int d = 0; d < dimensions; d++) {
            const double item = content > 0 ? model->items[content - 1].color[d] : 0.0;
            const double sum = item + (double)agent_counts[i] * model->agent_color[d];
            vision[(ptrdiff_t)dimensions * i + d] =
                (float)(sum * (factors ? (double)factors[i] : 1.0));
        }
    }
}

// Copies the square, and returns how much of each cell is seen; NULL if that is all of all.
static const float *look(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                         const uint32_t *frame, jbw_patch *const around[9])
{
    const jbw_vision_model *v = &map->model->vision;
    copy_square(map, cell, around, sight->square);
    if (v->is_occluded) {
        find_factors(map->model, frame, sight->square, sight->hidden, sight->factors);
        return sight->factors;
    }
    return v->is_masked ? v->plain_factors : NULL;
}

void jbw_vision_see_items(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                          jbw_direction direction, jbw_patch *const around[9], uint8_t *items)
{
    const uint32_t *frame = map->model->vision.frames[direction];
    const float *factors = look(map, sight, cell, frame, around);
    for (int i = 0; i < map->model->vision.cells; i++)
        items[i] = factors && factors[i] <= 0.0f ? 0 : sight->square[frame[i]];
}

void jbw_vision_see_parts(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                          jbw_direction direction, jbw_patch *const around[9], float *parts)
{
    const jbw_vision_model *v = &map->model->vision;
    const float *factors = look(map, sight, cell, v->frames[direction], around);
    for (int i = 0; i < v->cells; i++) parts[i] = factors ? factors[i] : 1.0f;
}

void jbw_vision_see(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                    jbw_direction direction, jbw_patch *const around[9], float *vision)
{
    const jbw_model *model = map->model;
    const jbw_vision_model *v = &model->vision;
    const uint32_t *frame = v->frames[direction];
    const float *factors = look(map, sight, cell, frame, around);
    if (factors)
        paint_factors(model, frame, sight->square, factors, vision);
    else
        paint_plain(model, frame, sight->square, vision);
    if (v->agents_are_seen)
        paint_agents(model, frame, sight->square, sight->agent_counts, factors, vision);
}
