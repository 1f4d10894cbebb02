// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/frontier/energy_grid.h"

#include <string.h>

#include "sim/map/change.h"

enum {
    LEAST_PATCHES = 16, // one agent needs at most four by four
    ALIGNMENT = 64,
};

// ---- memory ----

// Rows begin at a multiple of a vector's length (plane_stamp.c). The extra lanes at their end are not
// used: they keep the stride from being a power of two, which would make rows compete for the same
// cache lines.
static size_t window_stride(const jbw_model *model, size_t columns)
{
    const size_t width = columns * (size_t)model->patch_size;
    return (width + JBW_PLANE_LANES - 1) / JBW_PLANE_LANES * JBW_PLANE_LANES + JBW_PLANE_LANES;
}

// the fields or planes of a window
static int layer_count(const jbw_model *model)
{
    return model->plane_count > 0 ? model->plane_count : model->field_count;
}

// the bytes of a cell in one of them, and of a radius
static size_t cell_bytes(const jbw_model *model)
{
    return model->plane_count > 0 ? sizeof(int16_t) : sizeof(int32_t);
}

// windows take most memory if each patch has its own
static size_t fields_bytes(const jbw_model *model, size_t capacity)
{
    return capacity * (size_t)(layer_count(model) * model->patch_size) * window_stride(model, 1) *
           cell_bytes(model);
}

static size_t radii_bytes(const jbw_model *model, size_t capacity)
{
    return capacity * (size_t)(model->column_function_count * 2) * window_stride(model, 1) *
           cell_bytes(model);
}

static size_t memory_bytes(const jbw_model *model, size_t capacity)
{
    return fields_bytes(model, capacity) + radii_bytes(model, capacity) + ALIGNMENT;
}

// moves the first cell of a window
static void shift_fields(const jbw_model *model, jbw_window *window, ptrdiff_t cells)
{
    if (model->plane_count > 0)
        window->first_cell += cells;
    else
        window->fields += cells;
}

static void shift_radii(const jbw_model *model, jbw_window *window, ptrdiff_t columns)
{
    if (model->plane_count > 0)
        window->plane_radii += columns;
    else
        window->radii += columns;
}

/// Fields or planes that lie side by side, cell by cell.
typedef struct layer_group {
    int size;             // how many
    unsigned char *first; // the bytes of the window's first cell
    size_t cell_bytes;
} layer_group;

// the group that begins with a layer
static layer_group find_group(const jbw_model *model, const jbw_window *window, int layer)
{
    if (model->plane_count == 0) {
        int32_t *field = window->fields + layer * window->field_stride;
        return (layer_group){1, (unsigned char *)field, sizeof *field};
    }
    const int size = model->planes[layer].size;
    int16_t *plane = jbw_plane_at(model->planes, layer, window, 0, 0);
    return (layer_group){size, (unsigned char *)plane, (size_t)size * sizeof *plane};
}

void jbw_energy_grid_init(jbw_energy_grid *grid, const jbw_model *model)
{
    *grid = (jbw_energy_grid){.model = model};
}

void jbw_energy_grid_release(jbw_energy_grid *grid)
{
    const jbw_allocator *allocator = &grid->model->allocator;
    const size_t capacity = grid->capacity;
    jbw_free(allocator, grid->memory, memory_bytes(grid->model, capacity));
    jbw_free(allocator, grid->buffer, (size_t)grid->model->patch_cells);
    jbw_free(allocator, grid->windows, capacity * sizeof *grid->windows);
    jbw_free(allocator, grid->places, capacity * sizeof *grid->places);
    jbw_free(allocator, grid->is_valid, capacity * sizeof *grid->is_valid);
    *grid = (jbw_energy_grid){.model = grid->model};
}

void jbw_energy_grid_deinit(jbw_energy_grid *grid)
{
    if (grid->model) jbw_energy_grid_release(grid);
    *grid = (jbw_energy_grid){0};
}

bool jbw_energy_grid_reserve(jbw_energy_grid *grid, size_t count)
{
    if (count <= grid->capacity) return true;
    jbw_energy_grid_release(grid);
    const jbw_model *model = grid->model;
    const jbw_allocator *allocator = &model->allocator;
    const size_t capacity = count < LEAST_PATCHES ? LEAST_PATCHES : count;
    grid->capacity = capacity;
    grid->memory = jbw_alloc_zero(allocator, 1, memory_bytes(model, capacity));
    grid->buffer = jbw_alloc(allocator, (size_t)model->patch_cells);
    grid->windows = jbw_alloc_zero(allocator, capacity, sizeof *grid->windows);
    grid->places = jbw_alloc_zero(allocator, capacity, sizeof *grid->places);
    grid->is_valid = jbw_alloc_zero(allocator, capacity, sizeof *grid->is_valid);
    if (!grid->memory || !grid->buffer || !grid->windows || !grid->places || !grid->is_valid) {
        jbw_energy_grid_release(grid);
        return false;
    }
    unsigned char *at = grid->memory;
    at += ALIGNMENT - (uintptr_t)at % ALIGNMENT;
    grid->fields = at;
    grid->radii = grid->fields + fields_bytes(model, capacity);
    return true;
}

size_t jbw_energy_grid_bytes(const jbw_energy_grid *grid)
{
    if (grid->capacity == 0) return 0;
    return memory_bytes(grid->model, grid->capacity) + (size_t)grid->model->patch_cells +
           grid->capacity * (sizeof *grid->windows + sizeof *grid->places + sizeof *grid->is_valid);
}

// ---- placing patches ----

static void fill_radii(const jbw_model *model, const jbw_window *window)
{
    for (int f = 0; f < model->column_function_count; f++) {
        const ptrdiff_t inner = (ptrdiff_t)f * 2 * window->stride;
        const ptrdiff_t outer = inner + window->stride;
        for (int x = 0; x < window->stride; x++) {
            int near;
            int far;
            jbw_cross_hash_radii(model->column_functions[f], window->origin.x + x, &near, &far);
            if (far < near) far = near;
            if (model->plane_count > 0) {
                window->plane_radii[inner + x] = (int16_t)near;
                window->plane_radii[outer + x] = (int16_t)far;
            } else {
                window->radii[inner + x] = near;
                window->radii[outer + x] = far;
            }
        }
    }
}

// appends a window of columns x rows patches
static void add_window(jbw_energy_grid *grid, const jbw_map *map, jbw_position first,
                       size_t columns, size_t rows)
{
    const jbw_model *model = grid->model;
    const size_t stride = window_stride(model, columns);
    const size_t height = rows * (size_t)model->patch_size;
    const jbw_window *last = grid->window_count > 0 ? &grid->windows[grid->window_count - 1] : NULL;
    jbw_window *window = &grid->windows[grid->window_count++];
    *window = (jbw_window){
        .origin = jbw_map_origin(map, first),
        .width = (int)columns * model->patch_size,
        .height = (int)height,
        .stride = (int)stride,
        .field_stride = (ptrdiff_t)(height * stride),
    };
    if (last) {
        const ptrdiff_t count = layer_count(model) * last->field_stride;
        if (model->plane_count > 0)
            window->planes = last->planes + count;
        else
            window->fields = last->fields + count;
        window->radii = last->radii;
        shift_radii(model, window, (ptrdiff_t)model->column_function_count * 2 * last->stride);
    } else if (model->plane_count > 0) {
        window->planes = (int16_t *)(void *)grid->fields;
        window->plane_radii = (int16_t *)(void *)grid->radii;
    } else {
        window->fields = (int32_t *)(void *)grid->fields;
        window->radii = (int32_t *)(void *)grid->radii;
    }
    fill_radii(model, window);
}

// the part of a window that covers a rectangle of patches
static jbw_window cut_out(const jbw_map *map, const jbw_window *window, jbw_position first,
                          size_t columns, size_t rows)
{
    jbw_window part = *window;
    part.origin = jbw_map_origin(map, first);
    part.width = (int)columns * map->model->patch_size;
    part.height = (int)rows * map->model->patch_size;
    const ptrdiff_t x = (ptrdiff_t)(part.origin.x - window->origin.x);
    const ptrdiff_t y = (ptrdiff_t)(part.origin.y - window->origin.y);
    shift_fields(map->model, &part, y * window->stride + x);
    shift_radii(map->model, &part, x);
    return part;
}

/// A rectangle of patches.
typedef struct patch_box {
    jbw_position first;
    size_t columns;
    size_t rows;
} patch_box;

static patch_box find_box(jbw_patch *const *patches, size_t count)
{
    jbw_position low = patches[0]->at;
    jbw_position high = low;
    for (size_t i = 1; i < count; i++) {
        const jbw_position at = patches[i]->at;
        if (at.x < low.x) low.x = at.x;
        if (at.y < low.y) low.y = at.y;
        if (at.x > high.x) high.x = at.x;
        if (at.y > high.y) high.y = at.y;
    }
    return (patch_box){low, (size_t)((uint64_t)high.x - (uint64_t)low.x + 1),
                       (size_t)((uint64_t)high.y - (uint64_t)low.y + 1)};
}

// whether a window may have so many columns
static bool may_be_wide(const jbw_model *model, size_t columns)
{
    const size_t cells = window_stride(model, columns) * (size_t)model->patch_size;
    return cells <= (size_t)1 << JBW_GRID_CELL_BITS;
}

static bool has_room(const jbw_energy_grid *grid, size_t columns, size_t rows)
{
    return columns <= grid->capacity && rows <= grid->capacity &&
           columns * rows <= grid->capacity && may_be_wide(grid->model, columns);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// whether the shared window covers a patch
static bool covers(const jbw_energy_grid *grid, jbw_position at)
{
    return (uint64_t)at.x - (uint64_t)grid->first.x < grid->columns &&
           (uint64_t)at.y - (uint64_t)grid->first.y < grid->rows;
}

// the index in `is_valid` of a patch that it covers
static size_t slot_of(const jbw_energy_grid *grid, jbw_position at)
{
    return (size_t)(at.y - grid->first.y) * grid->columns + (size_t)(at.x - grid->first.x);
}

static int overlap_of(int size, ptrdiff_t distance)
{
    const ptrdiff_t away = distance < 0 ? -distance : distance;
    return away < size ? size - (int)away : 0;
}

// Moves the contents of a window whose first patch was `before` and is now `now`, as far as both
// cover it. Rows are moved in an order in which none is overwritten before its turn.
static void move_fields(const jbw_model *model, const jbw_window *window, jbw_position before,
                        jbw_position now)
{
    const ptrdiff_t dx = (ptrdiff_t)(before.x - now.x) * model->patch_size;
    const ptrdiff_t dy = (ptrdiff_t)(before.y - now.y) * model->patch_size;
    const int columns = overlap_of(window->width, dx);
    const int rows = overlap_of(window->height, dy);
    if (columns == 0 || (dx == 0 && dy == 0)) return;
    layer_group group;
    for (int layer = 0; layer < layer_count(model); layer += group.size) {
        group = find_group(model, window, layer);
        const size_t stride = (size_t)window->stride * group.cell_bytes;
        unsigned char *to = group.first + (dx > 0 ? (size_t)dx * group.cell_bytes : 0);
        const unsigned char *from = group.first + (dx < 0 ? (size_t)-dx * group.cell_bytes : 0);
        for (int i = 0; i < rows; i++) {
            const size_t y = (size_t)(dy > 0 ? rows - 1 - i : i); // of the rows that move
            memmove(to + (y + (dy > 0 ? (size_t)dy : 0)) * stride,
                    from + (y + (dy < 0 ? (size_t)-dy : 0)) * stride,
                    (size_t)columns * group.cell_bytes);
        }
    }
}

// Places all patches in one window. Its contents are kept as long as it is large enough.
static void place_together(jbw_energy_grid *grid, const jbw_map *map, patch_box box, bool may_keep)
{
    may_keep = may_keep && box.columns <= grid->columns && box.rows <= grid->rows;
    bool is_any_kept = false;
    for (size_t i = 0; i < grid->place_count; i++) {
        jbw_grid_patch *place = &grid->places[i];
        const jbw_position at = place->patch->at;
        place->is_kept = may_keep && covers(grid, at) && grid->is_valid[slot_of(grid, at)];
        place->window = &grid->windows[0];
        is_any_kept |= place->is_kept;
    }

    // grow rather than alternate between a high and a wide window
    const size_t columns = larger(box.columns, grid->columns);
    const size_t rows = larger(box.rows, grid->rows);
    const bool may_grow = has_room(grid, columns, rows);
    const jbw_position last = {box.first.x + (int64_t)box.columns - 1,
                               box.first.y + (int64_t)box.rows - 1};
    const bool may_stay = is_any_kept && covers(grid, box.first) && covers(grid, last);
    const jbw_position old_first = grid->first;
    grid->first = may_stay ? old_first : box.first;
    grid->columns = may_grow ? columns : box.columns;
    grid->rows = may_grow ? rows : box.rows;

    grid->window_count = 0;
    add_window(grid, map, grid->first, grid->columns, grid->rows);
    jbw_window *window = &grid->windows[0];
    if (is_any_kept) move_fields(grid->model, window, old_first, grid->first);
    *window = cut_out(map, window, box.first, box.columns, box.rows); // the rest is not updated

    memset(grid->is_valid, 0, grid->columns * grid->rows * sizeof *grid->is_valid);
    for (size_t i = 0; i < grid->place_count; i++)
        grid->is_valid[slot_of(grid, grid->places[i].patch->at)] = true;
}

// places each row of adjacent patches in its own window
static void place_apart(jbw_energy_grid *grid, const jbw_map *map)
{
    grid->columns = 0;
    grid->rows = 0;
    grid->window_count = 0;
    for (size_t i = 0; i < grid->place_count;) {
        const jbw_position first = grid->places[i].patch->at;
        size_t columns = 0;
        do {
            grid->places[i].window = &grid->windows[grid->window_count];
            grid->places[i].is_kept = false;
            columns++;
            i++;
        } while (i < grid->place_count && grid->places[i].patch->at.y == first.y &&
                 grid->places[i].patch->at.x == first.x + (int64_t)columns &&
                 may_be_wide(grid->model, columns + 1));
        add_window(grid, map, first, columns, 1);
    }
}

// ---- energies ----

static void clear_fields(const jbw_model *model, const jbw_window *window)
{
    layer_group group;
    for (int layer = 0; layer < layer_count(model); layer += group.size) {
        group = find_group(model, window, layer);
        const size_t stride = (size_t)window->stride * group.cell_bytes;
        for (int y = 0; y < window->height; y++)
            memset(group.first + (size_t)y * stride, 0, (size_t)window->width * group.cell_bytes);
    }
}

// stamps an item onto a window
static void stamp_item(const jbw_model *model, const jbw_window *window, int type,
                       jbw_position cell, int sign)
{
    const jbw_model_item *item = &model->items[type];
    if (model->plane_count > 0)
        jbw_planes_stamp(item->plane_kernels, item->plane_kernel_count, window, cell, sign);
    else
        for (int k = 0; k < item->kernel_count; k++)
            jbw_kernel_stamp(&item->kernels[k], window, cell, sign);
}

/// The cells of a patch, along one axis, that are within reach of a window.
typedef struct axis_range {
    int begin;
    int end;
    int length;     // of the window
    int64_t offset; // from the window's first cell to the patch's
} axis_range;

static axis_range find_range(int64_t patch_first, int size, int64_t window_first, int length,
                             int reach)
{
    const int64_t offset = patch_first - window_first;
    const int64_t begin = -reach - offset;
    const int64_t end = length + reach - offset;
    return (axis_range){.begin = begin > 0 ? (int)begin : 0,
                        .end = end < size ? (int)end : size,
                        .length = length,
                        .offset = offset};
}

// how far outside the window a cell is
static int64_t distance_to_window(const axis_range *range, int cell)
{
    const int64_t value = range->offset + cell;
    return value < 0 ? -value : value < range->length ? 0 : value - range->length + 1;
}

// stamps the items of a patch onto a window
static void stamp_patch(const jbw_map *map, const jbw_window *window, const jbw_patch *patch,
                        uint8_t *buffer)
{
    const jbw_model *model = map->model;
    const int size = model->patch_size;
    const jbw_position origin = jbw_map_origin(map, patch->at);
    const uint8_t *cells = jbw_patch_generated(map, patch, buffer);
    const axis_range rows =
        find_range(origin.y, size, window->origin.y, window->height, model->reach);
    const axis_range columns =
        find_range(origin.x, size, window->origin.x, window->width, model->reach);
    for (int y = rows.begin; y < rows.end; y++) {
        const int64_t away_y = distance_to_window(&rows, y);
        const uint8_t *row = cells + (ptrdiff_t)y * size;
        for (int x = jbw_next_item(row, columns.begin, columns.end); x < columns.end;
             x = jbw_next_item(row, x + 1, columns.end)) {
            const jbw_model_item *item = &model->items[row[x] - 1];
            if (item->kernel_count == 0) continue;
            if (away_y > item->reach || distance_to_window(&columns, x) > item->reach) continue;
            stamp_item(model, window, row[x] - 1, (jbw_position){origin.x + x, origin.y + y}, 1);
        }
    }
}

static jbw_grid_patch *find_place(const jbw_energy_grid *grid, const jbw_patch *patch)
{
    if (patch->grid_index >= grid->place_count) return NULL;
    jbw_grid_patch *place = &grid->places[patch->grid_index];
    return place->patch == patch ? place : NULL;
}

static void note_window(jbw_grid_patch *place, const jbw_window *window)
{
    for (int i = 0; i < place->around_count; i++)
        if (place->around[i] == window) return;
    place->around[place->around_count++] = window;
}

// New patches on the grid are left out here: they are not part of any energy yet, so they can be
// stamped onto whole windows afterwards.
static void stamp_old_patches(jbw_energy_grid *grid, const jbw_map *map, jbw_grid_patch *place,
                              size_t first_new)
{
    jbw_patch *around[9];
    jbw_map_find_around(map, place->patch->at, around);
    if (!place->is_kept) clear_fields(grid->model, &place->part);
    place->around_count = 0;
    for (int j = 0; j < 9; j++) {
        if (!around[j]) continue;
        const jbw_grid_patch *neighbour = find_place(grid, around[j]);
        const bool is_new = around[j]->number >= first_new;
        if (neighbour) note_window(place, neighbour->window);
        if (neighbour && is_new) continue;
        if (!place->is_kept || is_new) stamp_patch(map, &place->part, around[j], grid->buffer);
    }
}

void jbw_energy_grid_prepare(jbw_energy_grid *grid, const jbw_map *map, jbw_patch *const *patches,
                             size_t count, bool may_keep, size_t first_new)
{
    grid->place_count = count;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) {
        grid->places[i].patch = patches[i];
        patches[i]->grid_index = (uint32_t)i;
    }
    const patch_box box = find_box(patches, count);
    if (has_room(grid, box.columns, box.rows))
        place_together(grid, map, box, may_keep);
    else
        place_apart(grid, map);

    // if nothing is kept, all patches count as new
    bool is_any_kept = false;
    for (size_t i = 0; i < count; i++) is_any_kept |= grid->places[i].is_kept;
    if (!is_any_kept) first_new = 0;

    for (size_t i = 0; i < count; i++) {
        jbw_grid_patch *place = &grid->places[i];
        place->part = cut_out(map, place->window, place->patch->at, 1, 1);
        stamp_old_patches(grid, map, place, first_new);
    }
    for (size_t i = 0; i < count; i++) {
        const jbw_grid_patch *place = &grid->places[i];
        if (place->patch->number < first_new) continue;
        for (int k = 0; k < place->around_count; k++)
            stamp_patch(map, place->around[k], place->patch, grid->buffer);
    }
}

void jbw_energy_grid_stamp(const jbw_model *model, const jbw_grid_patch *place, int type, int x,
                           int y, int sign)
{
    if (model->items[type].kernel_count == 0) return;
    const jbw_position cell = {place->part.origin.x + x, place->part.origin.y + y};
    for (int i = 0; i < place->around_count; i++)
        stamp_item(model, place->around[i], type, cell, sign);
}
