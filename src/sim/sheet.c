// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sheet.h"

#include <string.h>

#include "sim/change.h"

enum {
    PATCHES_AT_LEAST = 16, // a square of four by four is what one agent needs at most
    ALIGNMENT = 64,
};

// ---- memory ----

// One run is never used. It keeps rows from lying at distances that are powers of two, where they
// would fight for the same lines of the cache.
static size_t window_stride(const jbw_model *model, size_t columns)
{
    const size_t width = columns * (size_t)model->patch_size;
    return (width + JBW_RUN - 1) / JBW_RUN * JBW_RUN + JBW_RUN;
}

// windows are largest when each patch has one of its own
static size_t field_count(const jbw_model *model, size_t capacity)
{
    return capacity * (size_t)(model->field_count * model->patch_size) * window_stride(model, 1);
}

static size_t radius_count(const jbw_model *model, size_t capacity)
{
    return capacity * (size_t)(model->column_function_count * 2) * window_stride(model, 1);
}

static size_t memory_bytes(const jbw_model *model, size_t capacity)
{
    return (field_count(model, capacity) + radius_count(model, capacity)) * sizeof(int32_t) +
           ALIGNMENT;
}

void jbw_sheet_init(jbw_sheet *sheet, const jbw_model *model)
{
    *sheet = (jbw_sheet){.model = model};
}

void jbw_sheet_release(jbw_sheet *sheet)
{
    const jbw_allocator *allocator = &sheet->model->allocator;
    const size_t capacity = sheet->capacity;
    jbw_free(allocator, sheet->memory, memory_bytes(sheet->model, capacity));
    jbw_free(allocator, sheet->buffer, (size_t)sheet->model->patch_cells);
    jbw_free(allocator, sheet->windows, capacity * sizeof *sheet->windows);
    jbw_free(allocator, sheet->places, capacity * sizeof *sheet->places);
    jbw_free(allocator, sheet->is_valid, capacity * sizeof *sheet->is_valid);
    *sheet = (jbw_sheet){.model = sheet->model};
}

void jbw_sheet_deinit(jbw_sheet *sheet)
{
    if (sheet->model) jbw_sheet_release(sheet);
    *sheet = (jbw_sheet){0};
}

bool jbw_sheet_reserve(jbw_sheet *sheet, size_t count)
{
    if (count <= sheet->capacity) return true;
    jbw_sheet_release(sheet);
    const jbw_model *model = sheet->model;
    const jbw_allocator *allocator = &model->allocator;
    const size_t capacity = count < PATCHES_AT_LEAST ? PATCHES_AT_LEAST : count;
    sheet->capacity = capacity;
    sheet->memory = jbw_alloc_zero(allocator, 1, memory_bytes(model, capacity));
    sheet->buffer = jbw_alloc(allocator, (size_t)model->patch_cells);
    sheet->windows = jbw_alloc_zero(allocator, capacity, sizeof *sheet->windows);
    sheet->places = jbw_alloc_zero(allocator, capacity, sizeof *sheet->places);
    sheet->is_valid = jbw_alloc_zero(allocator, capacity, sizeof *sheet->is_valid);
    if (!sheet->memory || !sheet->buffer || !sheet->windows || !sheet->places || !sheet->is_valid) {
        jbw_sheet_release(sheet);
        return false;
    }
    unsigned char *at = sheet->memory;
    at += ALIGNMENT - (uintptr_t)at % ALIGNMENT;
    sheet->fields = (int32_t *)(void *)at;
    sheet->radii = sheet->fields + field_count(model, capacity);
    return true;
}

size_t jbw_sheet_bytes(const jbw_sheet *sheet)
{
    if (sheet->capacity == 0) return 0;
    return memory_bytes(sheet->model, sheet->capacity) + (size_t)sheet->model->patch_cells +
           sheet->capacity *
               (sizeof *sheet->windows + sizeof *sheet->places + sizeof *sheet->is_valid);
}

// ---- placing ----

static void fill_radii(const jbw_model *model, const jbw_window *window)
{
    for (int f = 0; f < model->column_function_count; f++) {
        int32_t *inner = window->radii + (ptrdiff_t)f * 2 * window->stride;
        int32_t *outer = inner + window->stride;
        for (int x = 0; x < window->stride; x++) {
            int near;
            int far;
            jbw_cross_hash_radii(model->column_functions[f], window->origin.x + x, &near, &far);
            inner[x] = near;
            outer[x] = far > near ? far : near;
        }
    }
}

// appends a window of so many patches, behind the others
static void add_window(jbw_sheet *sheet, const jbw_map *map, jbw_position first, size_t columns,
                       size_t rows)
{
    const jbw_model *model = sheet->model;
    const size_t stride = window_stride(model, columns);
    const size_t height = rows * (size_t)model->patch_size;
    int32_t *fields = sheet->fields;
    int32_t *radii = sheet->radii;
    if (sheet->window_count > 0) {
        const jbw_window *last = &sheet->windows[sheet->window_count - 1];
        fields = last->fields + model->field_count * last->field_stride;
        radii = last->radii + (ptrdiff_t)model->column_function_count * 2 * last->stride;
    }
    jbw_window *window = &sheet->windows[sheet->window_count++];
    *window = (jbw_window){
        .origin = jbw_map_origin(map, first),
        .width = (int)columns * model->patch_size,
        .height = (int)height,
        .stride = (int)stride,
        .field_stride = (ptrdiff_t)(height * stride),
        .fields = fields,
        .radii = radii,
    };
    fill_radii(model, window);
}

// the part of a window that is a rectangle of patches
static jbw_window cut_out(const jbw_map *map, const jbw_window *window, jbw_position first,
                          size_t columns, size_t rows)
{
    jbw_window part = *window;
    part.origin = jbw_map_origin(map, first);
    part.width = (int)columns * map->model->patch_size;
    part.height = (int)rows * map->model->patch_size;
    const ptrdiff_t x = (ptrdiff_t)(part.origin.x - window->origin.x);
    const ptrdiff_t y = (ptrdiff_t)(part.origin.y - window->origin.y);
    part.fields += y * window->stride + x;
    part.radii += x;
    return part;
}

/// A rectangle of patches.
typedef struct box {
    jbw_position first;
    size_t columns;
    size_t rows;
} box;

static box find_box(jbw_patch *const *patches, size_t count)
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
    return (box){low, (size_t)((uint64_t)high.x - (uint64_t)low.x + 1),
                 (size_t)((uint64_t)high.y - (uint64_t)low.y + 1)};
}

static bool has_room(const jbw_sheet *sheet, size_t columns, size_t rows)
{
    return columns <= sheet->capacity && rows <= sheet->capacity &&
           columns * rows <= sheet->capacity;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// whether the one window covers a patch
static bool covers(const jbw_sheet *sheet, jbw_position at)
{
    return (uint64_t)at.x - (uint64_t)sheet->first.x < sheet->columns &&
           (uint64_t)at.y - (uint64_t)sheet->first.y < sheet->rows;
}

// the index of a patch that it covers
static size_t slot_of(const jbw_sheet *sheet, jbw_position at)
{
    return (size_t)(at.y - sheet->first.y) * sheet->columns + (size_t)(at.x - sheet->first.x);
}

// moves all that a window holds, whose first patch was `before` and is `now`, not far away
static void move_fields(const jbw_model *model, const jbw_window *window, jbw_position before,
                        jbw_position now)
{
    // all rows of all fields move by the same distance, so they move at once
    const ptrdiff_t rows = (ptrdiff_t)(before.y - now.y) * model->patch_size;
    const ptrdiff_t columns = (ptrdiff_t)(before.x - now.x) * model->patch_size;
    const ptrdiff_t distance = rows * window->stride + columns;
    const ptrdiff_t total = model->field_count * window->field_stride;
    int32_t *fields = window->fields;
    if (distance > 0 && distance < total)
        memmove(fields + distance, fields, (size_t)(total - distance) * sizeof *fields);
    else if (distance < 0 && -distance < total)
        memmove(fields, fields - distance, (size_t)(total + distance) * sizeof *fields);
}

// One window for all. What it holds is kept as long as it is large enough.
static void place_together(jbw_sheet *sheet, const jbw_map *map, box b, bool may_keep)
{
    may_keep = may_keep && b.columns <= sheet->columns && b.rows <= sheet->rows;
    bool is_any_kept = false;
    for (size_t i = 0; i < sheet->place_count; i++) {
        jbw_place *place = &sheet->places[i];
        const jbw_position at = place->patch->at;
        place->is_kept = may_keep && covers(sheet, at) && sheet->is_valid[slot_of(sheet, at)];
        place->window = &sheet->windows[0];
        is_any_kept |= place->is_kept;
    }

    // rather grow than change from high to wide and back
    const size_t columns = larger(b.columns, sheet->columns);
    const size_t rows = larger(b.rows, sheet->rows);
    const bool may_grow = has_room(sheet, columns, rows);
    const jbw_position last = {b.first.x + (int64_t)b.columns - 1, b.first.y + (int64_t)b.rows - 1};
    const bool may_stay = is_any_kept && covers(sheet, b.first) && covers(sheet, last);
    const jbw_position old_first = sheet->first;
    sheet->first = may_stay ? old_first : b.first;
    sheet->columns = may_grow ? columns : b.columns;
    sheet->rows = may_grow ? rows : b.rows;

    sheet->window_count = 0;
    add_window(sheet, map, sheet->first, sheet->columns, sheet->rows);
    jbw_window *window = &sheet->windows[0];
    if (is_any_kept) move_fields(sheet->model, window, old_first, sheet->first);
    *window = cut_out(map, window, b.first, b.columns, b.rows); // the rest is not touched

    memset(sheet->is_valid, 0, sheet->columns * sheet->rows * sizeof *sheet->is_valid);
    for (size_t i = 0; i < sheet->place_count; i++)
        sheet->is_valid[slot_of(sheet, sheet->places[i].patch->at)] = true;
}

// one window for each row of neighbours
static void place_apart(jbw_sheet *sheet, const jbw_map *map)
{
    sheet->columns = 0;
    sheet->rows = 0;
    sheet->window_count = 0;
    for (size_t i = 0; i < sheet->place_count;) {
        const jbw_position first = sheet->places[i].patch->at;
        size_t columns = 0;
        do {
            sheet->places[i].window = &sheet->windows[sheet->window_count];
            sheet->places[i].is_kept = false;
            columns++;
            i++;
        } while (i < sheet->place_count && sheet->places[i].patch->at.y == first.y &&
                 sheet->places[i].patch->at.x == first.x + (int64_t)columns);
        add_window(sheet, map, first, columns, 1);
    }
}

// ---- energies ----

static void clear(const jbw_model *model, const jbw_window *window)
{
    for (int field = 0; field < model->field_count; field++)
        for (int y = 0; y < window->height; y++)
            memset(window->fields + field * window->field_stride + (ptrdiff_t)y * window->stride, 0,
                   (size_t)window->width * sizeof(int32_t));
}

/// Which cells of a patch, along one axis, lie within reach of a window, and how far they are away.
typedef struct band {
    int begin;
    int end;
    int length;     // of the window
    int64_t offset; // of the patch's first cell, seen from the window
} band;

static band find_band(int64_t patch_first, int size, int64_t window_first, int length, int reach)
{
    const int64_t offset = patch_first - window_first;
    const int64_t begin = -reach - offset;
    const int64_t end = length + reach - offset;
    return (band){.begin = begin > 0 ? (int)begin : 0,
                  .end = end < size ? (int)end : size,
                  .length = length,
                  .offset = offset};
}

// how far a cell lies outside of the window
static int64_t distance_to_window(const band *b, int cell)
{
    const int64_t value = b->offset + cell;
    return value < 0 ? -value : value < b->length ? 0 : value - b->length + 1;
}

// adds what the items of a patch contribute to a window
static void feel_patch(const jbw_map *map, const jbw_window *window, const jbw_patch *patch,
                       uint8_t *buffer)
{
    const jbw_model *model = map->model;
    const int size = model->patch_size;
    const jbw_position origin = jbw_map_origin(map, patch->at);
    const uint8_t *cells = jbw_patch_generated(map, patch, buffer);
    const band rows = find_band(origin.y, size, window->origin.y, window->height, model->reach);
    const band columns = find_band(origin.x, size, window->origin.x, window->width, model->reach);
    for (int y = rows.begin; y < rows.end; y++) {
        const int64_t away_y = distance_to_window(&rows, y);
        const uint8_t *row = cells + (ptrdiff_t)y * size;
        for (int x = columns.begin; x < columns.end; x++) {
            if (row[x] == 0) continue;
            const jbw_model_item *item = &model->items[row[x] - 1];
            if (away_y > item->reach || distance_to_window(&columns, x) > item->reach) continue;
            for (int k = 0; k < item->kernel_count; k++)
                jbw_kernel_stamp(&item->kernels[k], window,
                                 (jbw_position){origin.x + x, origin.y + y}, 1);
        }
    }
}

static jbw_place *find_place(const jbw_sheet *sheet, const jbw_patch *patch)
{
    if (patch->place >= sheet->place_count) return NULL;
    jbw_place *place = &sheet->places[patch->place];
    return place->patch == patch ? place : NULL;
}

static void note_window(jbw_place *place, const jbw_window *window)
{
    for (int i = 0; i < place->around_count; i++)
        if (place->around[i] == window) return;
    place->around[place->around_count++] = window;
}

// Patches that are new, and on the sheet, are left out here: nothing has felt them yet, so they
// can be felt by all at once.
static void feel_old_patches(jbw_sheet *sheet, const jbw_map *map, jbw_place *place,
                             size_t first_new)
{
    jbw_patch *around[9];
    jbw_map_find_around(map, place->patch->at, around);
    if (!place->is_kept) clear(sheet->model, &place->part);
    place->around_count = 0;
    for (int j = 0; j < 9; j++) {
        if (!around[j]) continue;
        const jbw_place *neighbour = find_place(sheet, around[j]);
        const bool is_new = around[j]->number >= first_new;
        if (neighbour) note_window(place, neighbour->window);
        if (neighbour && is_new) continue;
        if (!place->is_kept || is_new) feel_patch(map, &place->part, around[j], sheet->buffer);
    }
}

void jbw_sheet_prepare(jbw_sheet *sheet, const jbw_map *map, jbw_patch *const *patches,
                       size_t count, bool may_keep, size_t first_new)
{
    sheet->place_count = count;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) {
        sheet->places[i].patch = patches[i];
        patches[i]->place = (uint32_t)i;
    }
    const box b = find_box(patches, count);
    if (has_room(sheet, b.columns, b.rows))
        place_together(sheet, map, b, may_keep);
    else
        place_apart(sheet, map);

    // if nothing is kept, all may as well be called new
    bool is_any_kept = false;
    for (size_t i = 0; i < count; i++) is_any_kept |= sheet->places[i].is_kept;
    if (!is_any_kept) first_new = 0;

    for (size_t i = 0; i < count; i++) {
        jbw_place *place = &sheet->places[i];
        place->part = cut_out(map, place->window, place->patch->at, 1, 1);
        feel_old_patches(sheet, map, place, first_new);
    }
    for (size_t i = 0; i < count; i++) {
        const jbw_place *place = &sheet->places[i];
        if (place->patch->number < first_new) continue;
        for (int k = 0; k < place->around_count; k++)
            feel_patch(map, place->around[k], place->patch, sheet->buffer);
    }
}

void jbw_sheet_stamp(const jbw_model *model, const jbw_place *place, int type, int x, int y,
                     int sign)
{
    const jbw_model_item *item = &model->items[type];
    const jbw_position cell = {place->part.origin.x + x, place->part.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++)
        for (int i = 0; i < place->around_count; i++)
            jbw_kernel_stamp(&item->kernels[k], place->around[i], cell, sign);
}
