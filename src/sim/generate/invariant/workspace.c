// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/workspace.h"

#include <string.h>

#include "base/divide.h"

// ---- memory ----

enum { ALIGNMENT = 64, STRIP = 64 };

static int field_stride(int width)
{
    // 64 cells can be read from any cell of a row on. Each row of a narrow field is an odd number of
    // cache lines, so rows do not compete for the same ones.
    return width + JBW_WORD + JBW_WORD / 2;
}

typedef struct sizes {
    size_t masks, table, squares, fields, radii, offsets, flags, cells, zones;
} sizes;

static sizes find_sizes(const jbw_workspace *workspace)
{
    const jbw_model *model = workspace->plan->model;
    const size_t height = (size_t)workspace->capacity;
    const size_t width = (size_t)workspace->width_capacity;
    const size_t stride = (size_t)field_stride(workspace->width_capacity);
    return (sizes){
        .masks = jbw_workspace_mask_capacity(workspace) * sizeof(uint64_t),
        .fields = ((size_t)model->field_count * height * stride + JBW_LANES) * sizeof(int32_t),
        .radii = (size_t)model->column_function_count * 2 * stride * sizeof(int32_t),
        .offsets = (size_t)workspace->plan->offset_count * sizeof(int32_t),
        .flags = (size_t)model->field_count * sizeof(bool),
        .cells = height * width,
        .table = workspace->plan->has_zones
                     ? JBW_MOST_ZONES * (size_t)model->type_count * sizeof(double)
                     : 0,
        .squares = workspace->plan->has_zones ? JBW_ZONE_SQUARES * sizeof(jbw_zone_square) : 0,
        .zones = workspace->plan->has_zones ? height * width : 0,
    };
}

bool jbw_workspace_init(jbw_workspace *workspace, const jbw_invariant_plan *plan, int capacity)
{
    *workspace = (jbw_workspace){.plan = plan, .capacity = capacity};
    workspace->width_capacity = (capacity + 2 * (JBW_WORD - 1)) / JBW_WORD * JBW_WORD;
    const sizes s = find_sizes(workspace);
    const size_t types = (size_t)plan->model->type_count;
    workspace->memory_bytes = (1 + types) * s.masks + s.table + s.squares + s.fields + s.radii +
                              s.offsets + s.flags + s.cells + s.zones + 2 * ALIGNMENT;
    workspace->memory = jbw_alloc(&plan->model->allocator, workspace->memory_bytes);
    if (!workspace->memory) return false;

    // in descending order of alignment
    unsigned char *at = workspace->memory;
    at += ALIGNMENT + (ALIGNMENT - (uintptr_t)at % ALIGNMENT) % ALIGNMENT; // and room for stamps
    workspace->window.fields = (int32_t *)(void *)at, at += s.fields;
    workspace->empty = (uint64_t *)(void *)at, at += s.masks;
    workspace->held = (uint64_t *)(void *)at, at += s.masks * types;
    workspace->zone_intensities = (double *)(void *)at, at += s.table;
    workspace->zone_squares = (jbw_zone_square *)(void *)at, at += s.squares;
    if (s.squares > 0) memset(workspace->zone_squares, 0, s.squares);
    workspace->window.radii = (int32_t *)(void *)at, at += s.radii;
    workspace->offsets = (int32_t *)(void *)at, at += s.offsets;
    workspace->is_maintained = (bool *)at, at += s.flags;
    workspace->cells = at, at += s.cells;
    workspace->zones.map = s.zones > 0 ? at : NULL;
    return true;
}

void jbw_workspace_deinit(jbw_workspace *workspace)
{
    if (!workspace->plan) return;
    jbw_free(&workspace->plan->model->allocator, workspace->memory, workspace->memory_bytes);
    *workspace = (jbw_workspace){0};
}

size_t jbw_workspace_bytes(const jbw_workspace *workspace)
{
    return workspace->memory_bytes;
}

// ---- beginning ----

static void fill_radii(jbw_workspace *workspace)
{
    const jbw_model *model = workspace->plan->model;
    const jbw_window *window = &workspace->window;
    for (int f = 0; f < model->column_function_count; f++) {
        int32_t *inner = window->radii + (ptrdiff_t)f * 2 * window->stride;
        int32_t *outer = inner + window->stride;
        for (int x = 0; x < window->stride; x++) {
            jbw_cross_hash_radii(model->column_functions[f], window->origin.x + x, &inner[x],
                                 &outer[x]);
            if (outer[x] < inner[x]) outer[x] = inner[x];
        }
    }
}

static void choose_fields(jbw_workspace *workspace, jbw_workspace_scope scope)
{
    const jbw_model *model = workspace->plan->model;
    memset(workspace->is_maintained, 0,
           (size_t)model->field_count * sizeof *workspace->is_maintained);
    for (int t = 0; t < model->type_count; t++) {
        const jbw_invariant_role role = workspace->plan->types[t].role;
        if (role == JBW_ROLE_INDEPENDENT) continue;
        if (scope != JBW_SCOPE_ALL && (role == JBW_ROLE_FIRST) != (scope == JBW_SCOPE_FIRST))
            continue;
        workspace->is_maintained[model->scales[t].field] = true;
        workspace->is_maintained[model->scales[t].shared_field] = true;
    }
}

// the number that stands for no energy
static int base_of(const jbw_workspace *workspace, int field)
{
    const jbw_model *model = workspace->plan->model;
    for (int t = 0; t < model->type_count; t++)
        if (model->scales[t].unit != 0.0 && model->scales[t].field == field)
            return workspace->plan->types[t].scale.base;
    return 0;
}

static void fill_field(jbw_workspace *workspace, int field, int16_t value)
{
    int16_t *cells = jbw_workspace_field(workspace, field);
    for (ptrdiff_t i = 0; i < workspace->window.field_stride; i++) cells[i] = value;
}

// sets all energies to zero
static void clear_fields(jbw_workspace *workspace)
{
    const size_t cells = (size_t)workspace->window.field_stride;
    for (int f = 0; f < workspace->plan->model->field_count; f++) {
        if (!workspace->is_maintained[f]) continue;
        if (workspace->plan->is_narrow[f])
            fill_field(workspace, f, (int16_t)base_of(workspace, f));
        else
            memset(jbw_workspace_field(workspace, f), 0, cells * sizeof(int32_t));
    }
}

static void find_offsets(jbw_workspace *workspace)
{
    const jbw_invariant_plan *plan = workspace->plan;
    const ptrdiff_t stride = workspace->window.stride;
    for (int t = 0; t < plan->model->type_count; t++) {
        for (int k = 0; k < plan->model->items[t].kernel_count; k++) {
            const jbw_narrow_kernel *narrow = &plan->narrow_kernels[t][k];
            const jbw_row_deltas *deltas = &plan->row_deltas[t][k];
            if (narrow->pieces)
                jbw_narrow_find_offsets(narrow, stride, workspace->offsets + narrow->first);
            else
                jbw_row_deltas_find_offsets(deltas, stride, workspace->offsets + deltas->first);
        }
    }
}

static void clear_cells(jbw_workspace *workspace)
{
    const size_t row_words = (size_t)workspace->word_count + 1;
    const size_t mask_size = jbw_workspace_mask_size(workspace);
    for (size_t i = 0; i < mask_size; i++)
        workspace->empty[i] = i % row_words < (size_t)workspace->word_count ? UINT64_MAX : 0;
    memset(workspace->held, 0,
           (size_t)workspace->plan->model->type_count * mask_size * sizeof *workspace->held);
    memset(workspace->cells, 0, (size_t)workspace->window.height * (size_t)workspace->window.width);
}

static void find_zones(jbw_workspace *workspace)
{
    const jbw_invariant_plan *plan = workspace->plan;
    const jbw_window *window = &workspace->window;
    jbw_zones *zones = &workspace->zones;
    zones->count = 1;
    if (!plan->has_zones) return;
    const int types = plan->model->type_count;
    jbw_zones_fill_cached(zones, workspace->zone_squares, plan->model, plan->seed, window->origin,
                          window->width, window->height);
    for (int zone = 1; zone < zones->count; zone++)
        for (int t = 0; t < types; t++)
            if (plan->types[t].is_zonal)
                workspace->zone_intensities[zone * types + t] =
                    jbw_invariant_intensity(plan, t, zones->cells[zone]);
}

// the active part of a wide field
static jbw_delta_target delta_target(const jbw_workspace *workspace, int field)
{
    const jbw_workspace_part *active = &workspace->active;
    const ptrdiff_t first = (ptrdiff_t)active->bottom * workspace->window.stride + active->left;
    return (jbw_delta_target){
        .cells = (int32_t *)jbw_workspace_field(workspace, field) + first,
        .stride = workspace->window.stride,
        .width = active->right - active->left,
        .height = active->top - active->bottom,
    };
}

// the active rows of a narrow field; cells to both sides of the active part are never looked at
static jbw_narrow_target narrow_target(const jbw_workspace *workspace, int field)
{
    return (jbw_narrow_target){
        .field = jbw_workspace_field(workspace, field),
        .stride = workspace->window.stride,
        .width = workspace->window.width,
        .bottom = workspace->active.bottom,
        .top = workspace->active.top,
    };
}

void jbw_workspace_begin(jbw_workspace *workspace, jbw_position corner, int size,
                         jbw_workspace_scope scope)
{
    jbw_window *window = &workspace->window;
    const int left = (int)jbw_floor_modulo(corner.x, JBW_WORD);
    window->origin = (jbw_position){corner.x - left, corner.y};
    window->width = (left + size + JBW_WORD - 1) / JBW_WORD * JBW_WORD;
    window->height = size;
    window->stride = field_stride(window->width);
    window->field_stride = (ptrdiff_t)window->height * window->stride;
    workspace->word_count = window->width / JBW_WORD;
    choose_fields(workspace, scope);
    clear_fields(workspace);
    find_offsets(workspace);
    clear_cells(workspace);
    fill_radii(workspace);
    find_zones(workspace);
    jbw_workspace_shrink(
        workspace,
        (jbw_workspace_part){.left = left, .right = left + size, .bottom = 0, .top = size});
}

void jbw_workspace_shrink(jbw_workspace *workspace, jbw_workspace_part part)
{
    jbw_window *window = &workspace->active_window;
    workspace->active = part;
    *window = workspace->window;
    window->origin.x += part.left;
    window->origin.y += part.bottom;
    window->width = part.right - part.left;
    window->height = part.top - part.bottom;
    window->fields += (ptrdiff_t)part.bottom * window->stride + part.left;
    if (window->radii) window->radii += part.left;
}

// ---- items ----

static void flip_bits(jbw_workspace *workspace, int type, int x, int y)
{
    const size_t word = (size_t)y * (size_t)(workspace->word_count + 1) + (size_t)(x / JBW_WORD);
    const uint64_t bit = UINT64_C(1) << (x % JBW_WORD);
    workspace->empty[word] ^= bit;
    jbw_workspace_held(workspace, type)[word] ^= bit;
}

static void place_item(jbw_workspace *workspace, int type, jbw_position cell)
{
    const int64_t x = cell.x - workspace->window.origin.x;
    const int64_t y = cell.y - workspace->window.origin.y;
    if (x < 0 || x >= workspace->window.width || y < 0 || y >= workspace->window.height) return;
    workspace->cells[y * workspace->window.width + x] = (uint8_t)(type + 1);
    flip_bits(workspace, type, (int)x, (int)y);
}

// Adds the effect of an item to the energies around it: in the first pass, of kernels that are
// narrow or have row deltas, in the second one of all others.
static void stamp_item(jbw_workspace *workspace, int type, jbw_position cell, bool is_first_pass)
{
    const jbw_model_item *item = &workspace->plan->model->items[type];
    for (int k = 0; k < item->kernel_count; k++) {
        const jbw_narrow_kernel *narrow = &workspace->plan->narrow_kernels[type][k];
        const jbw_row_deltas *deltas = &workspace->plan->row_deltas[type][k];
        const int field = item->kernels[k].field;
        if (!workspace->is_maintained[field]) continue;
        if (is_first_pass != (narrow->pieces || deltas->items)) continue;
        if (narrow->pieces) {
            const jbw_narrow_target target = narrow_target(workspace, field);
            jbw_narrow_stamp(narrow, workspace->offsets + narrow->first, &target,
                             (int)(cell.x - workspace->window.origin.x),
                             (int)(cell.y - workspace->window.origin.y), false);
        } else if (deltas->items) {
            const jbw_delta_target target = delta_target(workspace, field);
            jbw_row_deltas_stamp(deltas, workspace->offsets + deltas->first, &target,
                                 (int)(cell.x - workspace->active_window.origin.x),
                                 (int)(cell.y - workspace->active_window.origin.y));
        } else {
            jbw_kernel_stamp(&item->kernels[k], &workspace->active_window, cell, 1);
        }
    }
}

// the first cell of a row from x on, up to `end`, that is not empty; most are
static int next_item(const uint8_t *row, int x, int end)
{
    uint64_t eight;
    for (; x + (int)sizeof eight <= end; x += (int)sizeof eight) {
        memcpy(&eight, row + x, sizeof eight);
        if (eight != 0) break;
    }
    while (x < end && row[x] == 0) x++;
    return x;
}

// One pass over a square of cells: the first one places its items.
static void stamp_square(jbw_workspace *workspace, jbw_position corner, int side,
                         const uint8_t *cells, bool is_first_pass)
{
    // in strips, so that what one row touches is still in the cache for the next
    for (int left = 0; left < side; left += STRIP) {
        const int right = left + STRIP < side ? left + STRIP : side;
        for (int y = 0; y < side; y++) {
            for (int x = left; x < right; x++) {
                x = next_item(cells + y * side, x, right);
                if (x == right) break;
                const int type = cells[y * side + x] - 1;
                const jbw_position cell = {corner.x + x, corner.y + y};
                if (is_first_pass) place_item(workspace, type, cell);
                stamp_item(workspace, type, cell, is_first_pass);
            }
        }
    }
}

void jbw_workspace_fill(jbw_workspace *workspace, jbw_position corner, int side,
                        const uint8_t *cells)
{
    stamp_square(workspace, corner, side, cells, true);
    for (int f = 0; f < workspace->plan->model->field_count; f++) {
        if (!workspace->is_maintained[f] || workspace->plan->is_narrow[f]) continue;
        const jbw_delta_target target = delta_target(workspace, f);
        jbw_row_deltas_sum(&target);
    }
    if (workspace->plan->has_plain_kernels) stamp_square(workspace, corner, side, cells, false);
}

static int clip(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

jbw_workspace_part jbw_workspace_intersect(const jbw_workspace_part *a, const jbw_workspace_part *b)
{
    return (jbw_workspace_part){.left = clip(a->left, b->left, b->right),
                                .right = clip(a->right, b->left, b->right),
                                .bottom = clip(a->bottom, b->bottom, b->top),
                                .top = clip(a->top, b->bottom, b->top)};
}

void jbw_workspace_flip(jbw_workspace *workspace, int type, int x, int y)
{
    const jbw_model_item *item = &workspace->plan->model->items[type];
    uint8_t *cell = &workspace->cells[y * workspace->window.width + x];
    const bool adds = *cell == 0;
    *cell = (uint8_t)(adds ? type + 1 : 0);
    const jbw_position position = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    for (int k = 0; k < item->kernel_count; k++) {
        const jbw_narrow_kernel *narrow = &workspace->plan->narrow_kernels[type][k];
        const int field = item->kernels[k].field;
        if (!workspace->is_maintained[field]) continue;
        if (narrow->pieces) {
            const jbw_narrow_target target = narrow_target(workspace, field);
            jbw_narrow_stamp(narrow, workspace->offsets + narrow->first, &target, x, y, !adds);
        } else {
            jbw_kernel_stamp(&item->kernels[k], &workspace->active_window, position, adds ? 1 : -1);
        }
    }
    flip_bits(workspace, type, x, y);
}
