// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/vision.h"

#include <string.h>

// rows are copied in whole blocks, and the last one may end behind the square
size_t jbw_sight_square_bytes(const jbw_model *model)
{
    return (size_t)model->vision.cells + JBW_CELLS_PADDING;
}

static size_t body_count_bytes(const jbw_model *model)
{
    return (size_t)model->body_count * (size_t)model->vision.cells * sizeof(uint32_t);
}

bool jbw_sight_init(jbw_sight *sight, const jbw_model *model, const jbw_allocator *near)
{
    const size_t cells = (size_t)model->vision.cells;
    sight->square = jbw_alloc_zero(near, jbw_sight_square_bytes(model), 1);
    sight->hidden = jbw_alloc(&model->allocator, cells * sizeof *sight->hidden);
    sight->factors = jbw_alloc(&model->allocator, cells * sizeof *sight->factors);
    sight->agent_counts = jbw_alloc_zero(&model->allocator, cells, sizeof *sight->agent_counts);
    sight->crowded = jbw_alloc(&model->allocator, cells * sizeof *sight->crowded);
    const bool has_bodies = model->body_count > 1;
    if (has_bodies)
        sight->body_counts = jbw_alloc_zero(&model->allocator, body_count_bytes(model), 1);
    return sight->square && sight->hidden && sight->factors && sight->agent_counts &&
           sight->crowded && (sight->body_counts || !has_bodies);
}

void jbw_sight_deinit(jbw_sight *sight, const jbw_model *model, const jbw_allocator *near)
{
    const size_t cells = (size_t)model->vision.cells;
    jbw_free(near, sight->square, jbw_sight_square_bytes(model));
    jbw_free(&model->allocator, sight->hidden, cells * sizeof *sight->hidden);
    jbw_free(&model->allocator, sight->factors, cells * sizeof *sight->factors);
    jbw_free(&model->allocator, sight->agent_counts, cells * sizeof *sight->agent_counts);
    jbw_free(&model->allocator, sight->crowded, cells * sizeof *sight->crowded);
    if (sight->body_counts)
        jbw_free(&model->allocator, sight->body_counts, body_count_bytes(model));
    *sight = (jbw_sight){0};
}

// ---- the square ----

/// Where the square around an agent lies, in the coordinates of its patch.
typedef struct square_place {
    const jbw_model *model;
    jbw_patch *const *around;
    int left;
    int bottom;
} square_place;

static square_place place_of(const jbw_map *map, const jbw_gaze *gaze)
{
    const jbw_position home = jbw_map_origin(map, gaze->around[4]->at);
    const int range = map->model->vision.range;
    return (square_place){
        .model = map->model,
        .around = gaze->around,
        .left = (int)(gaze->cell.x - home.x) - range,
        .bottom = (int)(gaze->cell.y - home.y) - range,
    };
}

// copies full blocks; the last one may extend into the padding
static inline void copy_cells(uint8_t *to, const uint8_t *from, int count)
{
    for (int i = 0; i < count; i += JBW_CELLS_PADDING) memcpy(to + i, from + i, JBW_CELLS_PADDING);
}

// Copies a row of the square out of its patches, from left to right, so that what one copy writes
// beyond its part is overwritten by the next. The last one may write beyond the row.
static inline void copy_row(const square_place *p, int y, uint8_t *row)
{
    const int side = p->model->vision.side;
    const int size = p->model->patch_size;
    const int right = p->left + side;
    const int part = y < 0 ? 0 : y < size ? 1 : 2;
    const ptrdiff_t start = (ptrdiff_t)(y - (part - 1) * size) * size;
    jbw_patch *const *patches = p->around + 3 * (ptrdiff_t)part;
    if (p->left < 0)
        copy_cells(row, patches[0]->cells + start + size + p->left, right < 0 ? side : -p->left);
    const int begin = p->left > 0 ? p->left : 0;
    const int end = right < size ? right : size;
    if (begin < end)
        copy_cells(row + (begin - p->left), patches[1]->cells + start + begin, end - begin);
    if (right > size) copy_cells(row + (size - p->left), patches[2]->cells + start, right - size);
}

static void copy_column(const square_place *p, int x, uint8_t *column)
{
    const int side = p->model->vision.side;
    const int size = p->model->patch_size;
    const int part = x < 0 ? 0 : x < size ? 1 : 2;
    x -= (part - 1) * size;
    for (int y = p->bottom; y < p->bottom + side; y++, column += side) {
        const int row = y < 0 ? 0 : y < size ? 1 : 2;
        *column = p->around[3 * row + part]->cells[(y - (row - 1) * size) * size + x];
    }
}

static void copy_square(const square_place *p, uint8_t *square)
{
    const int side = p->model->vision.side;
    for (int y = p->bottom; y < p->bottom + side; y++, square += side) copy_row(p, y, square);
}

// Turns the square of a cell into that of a neighbour, of which only a row or a column is new.
static void shift_square(const square_place *p, int dx, int dy, uint8_t *square)
{
    const int side = p->model->vision.side;
    const size_t kept = (size_t)(p->model->vision.cells - (dx != 0 ? 1 : side));
    const ptrdiff_t shift = (ptrdiff_t)dy * side + dx;
    memmove(square + (shift < 0 ? -shift : 0), square + (shift > 0 ? shift : 0), kept);
    if (dx > 0) copy_column(p, p->left + side - 1, square + side - 1);
    if (dx < 0) copy_column(p, p->left, square);
    if (dy > 0) copy_row(p, p->bottom + side - 1, square + (ptrdiff_t)(side - 1) * side);
    if (dy >= 0) return;
    uint8_t behind[JBW_CELLS_PADDING]; // what copying the lowest row overwrites
    memcpy(behind, square + side, sizeof behind);
    copy_row(p, p->bottom, square);
    memcpy(square + side, behind, sizeof behind);
}

// Brings the square up to date. Mostly the same agent looks again, from its cell or the next one.
static void find_square(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze)
{
    const int64_t dx = gaze->cell.x - sight->cell.x;
    const int64_t dy = gaze->cell.y - sight->cell.y;
    const bool hides = map->presence.hidden_count > 0;
    if (jbw_sight_is_kept(sight, map) && !hides) {
        if (dx == 0 && dy == 0) return;
        if ((dx == 0 && (dy == 1 || dy == -1)) || (dy == 0 && (dx == 1 || dx == -1))) {
            const square_place p = place_of(map, gaze);
            shift_square(&p, (int)dx, (int)dy, sight->square);
            sight->cell = gaze->cell;
            return;
        }
    }
    const square_place p = place_of(map, gaze);
    copy_square(&p, sight->square);
    if (hides) jbw_presence_hide(&map->presence, sight->square, (size_t)map->model->vision.cells);
    sight->cell = gaze->cell;
    sight->version =
        hides ? 0 : map->version + map->cell_version; // what is out of season may be back
}

// how much of each cell is visible, after field of view and occlusion
static void find_factors(const jbw_model *model, const jbw_outlook *view, const uint32_t *frame,
                         const uint8_t *square, double *hidden, float *factors)
{
    const jbw_vision_model *v = &model->vision;
    memset(hidden, 0, (size_t)v->cells * sizeof *hidden);
    for (int i = 0; i < v->cells; i++) {
        const int content = square[frame[i]];
        if (content == 0 || i == v->own) continue;
        const double occlusion = model->items[content - 1].occlusion;
        if (occlusion == 0.0) continue;
        for (uint32_t s = view->first_shadow[i]; s < view->first_shadow[i + 1]; s++)
            hidden[view->shadows[s].cell] += occlusion * view->shadows[s].part;
    }
    for (int i = 0; i < v->cells; i++)
        factors[i] = hidden[i] < 1.0 ? (float)(view->mask[i] * (1.0 - hidden[i])) : 0.0f;
}

// Paints the items of the square into the agent's vision, where every cell is fully visible. Three
// colors are written four at a time (color_stride is 4 then), and the next cell overwrites the fourth.
// The second loop handles the last cell.
static void paint_plain(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                        float *vision)
{
    // copied bytes may be anything, so the loops would read these again for each cell
    const float *colors = model->vision.colors;
    const ptrdiff_t stride = model->vision.color_stride;
    const int cells = model->vision.cells;
    const int dimensions = model->color_dimensions;
    int i = 0;
    for (; dimensions == 3 && i < cells - 1; i++, vision += 3)
        memcpy(vision, colors + 4 * (ptrdiff_t)square[frame[i]], 4 * sizeof(float));
    for (; i < cells; i++, vision += dimensions)
        memcpy(vision, colors + stride * square[frame[i]], (size_t)dimensions * sizeof(float));
}

// paints the items of the square, weighted by how much of each cell is visible
static void paint_factors(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                          const float *restrict factors, float *restrict vision)
{
    const jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    int i = 0;
    for (; dimensions == 3 && i < v->cells - 1; i++, vision += 3) {
        float color[4]; // one vector
        memcpy(color, v->colors + 4 * (ptrdiff_t)square[frame[i]], sizeof color);
        for (int d = 0; d < 4; d++) color[d] *= factors[i];
        memcpy(vision, color, sizeof color);
    }
    for (; i < v->cells; i++, vision += dimensions) {
        const float *restrict color = v->colors + (ptrdiff_t)v->color_stride * square[frame[i]];
        for (int d = 0; d < dimensions; d++) vision[d] = color[d] * factors[i];
    }
}

// paints cells with agents: the sum of all colors there
static void paint_agents(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                         const jbw_sight *sight, const float *factors, float *vision)
{
    const jbw_vision_model *v = &model->vision;
    const int dimensions = model->color_dimensions;
    for (size_t k = 0; k < sight->crowded_count; k++) {
        const ptrdiff_t i = sight->crowded[k];
        const int content = square[frame[i]];
        for (int d = 0; d < dimensions; d++) {
            double sum = content > 0 ? model->items[content - 1].color[d] : 0.0;
            if (!sight->body_counts)
                sum += (double)sight->agent_counts[i] * model->bodies[0].color[d];
            else
                for (int b = 0; b < model->body_count; b++)
                    sum += (double)sight->body_counts[b * (ptrdiff_t)v->cells + i] *
                           model->bodies[b].color[d];
            vision[dimensions * i + d] = (float)(sum * (factors ? (double)factors[i] : 1.0));
        }
    }
}

// Brings the square up to date and returns how much of each cell is visible; NULL if all cells are,
// completely.
static const float *look(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                         const uint32_t *frame)
{
    find_square(map, sight, gaze);
    if (gaze->view->is_occluded) {
        find_factors(map->model, gaze->view, frame, sight->square, sight->hidden, sight->factors);
        return sight->factors;
    }
    return gaze->view->is_masked ? gaze->view->plain_factors : NULL;
}

void jbw_vision_see_items(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                          uint8_t *items)
{
    const uint8_t *square = sight->square;
    const uint32_t *frame = map->model->vision.frames[gaze->direction];
    const float *factors = look(map, sight, gaze, frame);
    for (int i = 0; i < map->model->vision.cells; i++)
        items[i] = factors && factors[i] <= 0.0f ? 0 : square[frame[i]];
}

// writes the visible items of the square, one-hot, in the first of so many channels
static void write_one_hot(const jbw_model *model, const uint32_t *frame, const uint8_t *square,
                          const float *factors, size_t channels, float *items)
{
    memset(items, 0, (size_t)model->vision.cells * channels * sizeof *items);
    for (int i = 0; i < model->vision.cells; i++, items += channels) {
        const uint8_t content = square[frame[i]];
        if (content > 0 && (!factors || factors[i] > 0.0f)) items[content - 1] = 1.0f;
    }
}

void jbw_vision_see_one_hot(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                            float *items)
{
    const uint8_t *square = sight->square;
    const uint32_t *frame = map->model->vision.frames[gaze->direction];
    const float *factors = look(map, sight, gaze, frame);
    write_one_hot(map->model, frame, square, factors, (size_t)map->model->type_count, items);
}

void jbw_vision_see_entities(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                             float *entities)
{
    const uint8_t *square = sight->square;
    const size_t types = (size_t)map->model->type_count;
    const size_t bodies = (size_t)map->model->body_count;
    const size_t cells = (size_t)map->model->vision.cells;
    const uint32_t *counts = sight->body_counts ? sight->body_counts : sight->agent_counts;
    const uint32_t *frame = map->model->vision.frames[gaze->direction];
    const float *factors = look(map, sight, gaze, frame);
    write_one_hot(map->model, frame, square, factors, types + bodies, entities);
    for (size_t b = 0; b < bodies; b++)
        for (size_t i = 0; i < cells; i++)
            if (!factors || factors[i] > 0.0f)
                entities[(types + bodies) * i + types + b] = (float)counts[b * cells + i];
}

void jbw_vision_see_fractions(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                              float *fractions)
{
    const jbw_vision_model *v = &map->model->vision;
    const float *factors = look(map, sight, gaze, v->frames[gaze->direction]);
    for (int i = 0; i < v->cells; i++) fractions[i] = factors ? factors[i] : 1.0f;
}

void jbw_vision_see(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze, float *vision)
{
    const uint8_t *square = sight->square;
    const jbw_model *model = map->model;
    const uint32_t *frame = model->vision.frames[gaze->direction];
    const float *factors = look(map, sight, gaze, frame);
    if (factors)
        paint_factors(model, frame, square, factors, vision);
    else
        paint_plain(model, frame, square, vision);
    if (model->vision.agents_are_seen) paint_agents(model, frame, square, sight, factors, vision);
}
