// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/zones.h"

#include <string.h>

#include "base/divide.h"
#include "sim/model/biome.h"
#include "sim/model/model.h"
#include "sim/model/place_noise.h"

enum { LARGEST = 16, SMALLEST = 4 }; // sides of tiles
enum { PER_REGION = 8 };             // of them, side by side
enum { MOST_CUTS = 1024 };           // of a layer; more than zones can be told apart

_Static_assert((int)LARGEST <= (int)JBW_SHIFTS_SIDE, "the cells of a tile are looked at together");

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// ---- layers ----

static jbw_biome_layer *find_layer(jbw_model *model, const jbw_intensity_part *part)
{
    for (int i = 0; i < model->layer_count; i++)
        if (model->layers[i].scale == part->scale && model->layers[i].layer == part->layer)
            return &model->layers[i];
    jbw_biome_layer *layer = &model->layers[model->layer_count++];
    layer->scale = part->scale;
    layer->layer = part->layer;
    return layer;
}

static void add_cut(jbw_biome_layer *layer, double cut)
{
    for (int i = 0; i < layer->cut_count; i++)
        if (layer->cuts[i] == cut) return;
    layer->cuts[layer->cut_count++] = cut;
}

// calls `visit` for each biome of the zonal intensities, until it fails
static bool visit_parts(jbw_model *model,
                        bool (*visit)(jbw_model *model, const jbw_intensity_part *part))
{
    for (int t = 0; t < model->type_count; t++) {
        const jbw_intensity *intensity = &model->items[t].intensity;
        for (int i = 0; i < intensity->part_count && intensity->is_zonal; i++)
            if (!visit(model, &intensity->parts[i])) return false;
    }
    return true;
}

// false if a layer has too many
static bool count_part(jbw_model *model, const jbw_intensity_part *part)
{
    jbw_biome_layer *layer = find_layer(model, part);
    layer->most_cuts += part->value_count - 1;
    return layer->most_cuts <= MOST_CUTS;
}

static bool add_part(jbw_model *model, const jbw_intensity_part *part)
{
    jbw_biome_layer *layer = find_layer(model, part);
    if (!layer->cuts && layer->most_cuts > 0) {
        const size_t most = (size_t)layer->most_cuts;
        layer->cuts = jbw_arena_alloc(&model->arena, most, sizeof *layer->cuts);
        if (!layer->cuts) return false;
    }
    for (int k = 0; k + 1 < part->value_count; k++) add_cut(layer, part->values[k].end);
    return true;
}

// whether the classes of all layers together fit into a key
static bool keys_are_unique(const jbw_model *model)
{
    uint64_t most = UINT64_MAX;
    for (int i = 0; i < model->layer_count; i++) most /= (uint64_t)(model->layers[i].cut_count + 1);
    return most > 0;
}

bool jbw_zones_build_layers(jbw_model *model)
{
    size_t parts = 0;
    for (int t = 0; t < model->type_count; t++) {
        const jbw_intensity *intensity = &model->items[t].intensity;
        if (intensity->is_zonal) parts += (size_t)intensity->part_count;
        if (intensity->has_never) model->has_never = true;
    }
    if (parts == 0) return true;
    model->layers = jbw_arena_alloc(&model->arena, parts, sizeof *model->layers);
    if (!model->layers) return false;
    if (visit_parts(model, count_part)) {
        if (!visit_parts(model, add_part)) return false;
        if (keys_are_unique(model)) return true;
    }
    // hardly any cell has its zone in common with another: intensities are computed cell by cell
    model->layer_count = 0;
    for (int t = 0; t < model->type_count; t++) model->items[t].intensity.is_zonal = false;
    return true;
}

// ---- classes ----

static uint64_t class_of(const jbw_biome_layer *layer, double number)
{
    uint64_t class = 0;
    for (int i = 0; i < layer->cut_count; i++) class += number >= layer->cuts[i];
    return class;
}

/// Cells of a rectangle, in a square from (x, y) on.
typedef struct tile {
    int x, y, size;
} tile;

/// What tells the zones of a tile's cells apart: the classes of all layers, one number.
typedef struct tile_keys {
    jbw_position corner;
    int width, height;                // of the part of the tile that is in the rectangle
    uint64_t keys[LARGEST * LARGEST]; // row by row
} tile_keys;

static void add_class(tile_keys *keys, const jbw_biome_layer *layer, int x, int y, uint64_t class)
{
    uint64_t *key = &keys->keys[y * LARGEST + x];
    *key = *key * (uint64_t)(layer->cut_count + 1) + class;
}

// whether all cells of a part of a tile are known to have the same class, and which
static bool find_class(const tile_keys *keys, const jbw_biome_layer *layer,
                       const jbw_biomes *biomes, tile part, uint64_t *class)
{
    double numbers[JBW_BIOMES_NEAR];
    const jbw_position corner = {keys->corner.x + part.x, keys->corner.y + part.y};
    const int count = jbw_biome_numbers(biomes, corner, part.size, numbers);
    if (count == 0) return false;
    *class = class_of(layer, numbers[0]);
    for (int i = 1; i < count; i++)
        if (class_of(layer, numbers[i]) != *class) return false;
    return true;
}

static void add_cells(tile_keys *keys, const jbw_biome_layer *layer, const jbw_biomes *biomes,
                      tile part)
{
    double numbers[LARGEST * LARGEST];
    const jbw_position corner = {keys->corner.x + part.x, keys->corner.y + part.y};
    jbw_biome_square(biomes, corner, part.size, numbers);
    double number = numbers[0];
    uint64_t class = class_of(layer, number);
    for (int y = 0; y < part.size; y++) {
        for (int x = 0; x < part.size; x++) {
            const double other = numbers[y * part.size + x];
            if (other != number) class = class_of(layer, other);
            number = other;
            add_class(keys, layer, part.x + x, part.y + y, class);
        }
    }
}

// Adds the classes of a layer. Bounds are for squares that are much smaller than the regions, and at
// the borders cells are looked at one by one.
static void add_layer(tile_keys *keys, const jbw_biome_layer *layer, uint64_t seed)
{
    const jbw_biomes biomes = jbw_biomes_of(seed, layer->scale, layer->layer);
    tile pending[4 * 4] = {{0, 0, LARGEST}};       // to be looked at: at most four of each size
    const int largest = layer->scale / PER_REGION; // for which bounds are tight enough
    int count = 1;
    while (count > 0) {
        const tile part = pending[--count];
        if (part.x >= keys->width || part.y >= keys->height) continue;
        uint64_t class;
        if (part.size <= largest && find_class(keys, layer, &biomes, part, &class)) {
            for (int y = 0; y < part.size; y++)
                for (int x = 0; x < part.size; x++)
                    add_class(keys, layer, part.x + x, part.y + y, class);
        } else if (part.size == SMALLEST || largest < SMALLEST) {
            add_cells(keys, layer, &biomes, part);
        } else {
            const int half = part.size / 2;
            for (int i = 0; i < 4; i++)
                pending[count++] = (tile){part.x + i % 2 * half, part.y + i / 2 * half, half};
        }
    }
}

// ---- zones ----

static uint8_t find_zone(jbw_zones *zones, uint64_t key, jbw_position cell)
{
    for (int i = 1; i < zones->count; i++)
        if (zones->keys[i] == key) return (uint8_t)i;
    if (zones->count == JBW_MOST_ZONES) return 0;
    zones->keys[zones->count] = key;
    zones->cells[zones->count] = cell;
    return (uint8_t)zones->count++;
}

// fills a part of the map, from (x, y) on
static void fill_tile(jbw_zones *zones, const tile_keys *keys, int x, int y)
{
    int zone = 0;
    uint64_t key = 0;
    for (int j = 0; j < keys->height; j++) {
        uint8_t *row = zones->map + (ptrdiff_t)(y + j) * zones->stride + x;
        for (int i = 0; i < keys->width; i++) {
            const uint64_t other = keys->keys[j * LARGEST + i];
            if (i + j == 0 || other != key)
                zone =
                    find_zone(zones, other, (jbw_position){keys->corner.x + i, keys->corner.y + j});
            key = other;
            row[i] = (uint8_t)zone;
        }
    }
}

void jbw_zones_fill(jbw_zones *zones, const jbw_model *model, uint64_t seed, jbw_position origin,
                    int width, int height)
{
    zones->count = 1;
    zones->stride = width;
    for (int y = 0; y < height; y += LARGEST) {
        for (int x = 0; x < width; x += LARGEST) {
            tile_keys keys = {.corner = {origin.x + x, origin.y + y},
                              .width = smaller(width - x, LARGEST),
                              .height = smaller(height - y, LARGEST)};
            for (int i = 0; i < model->layer_count; i++) add_layer(&keys, &model->layers[i], seed);
            fill_tile(zones, &keys, x, y);
        }
    }
}

// ---- squares ----

static const jbw_zone_square *find_square(jbw_zone_square *squares, const jbw_model *model,
                                          uint64_t seed, int64_t x, int64_t y)
{
    // 16 x 16 squares next to each other have different places
    jbw_zone_square *square = &squares[(x & 15) + 16 * (y & 15)];
    if (square->is_known && square->x == x && square->y == y) return square;
    *square = (jbw_zone_square){.is_known = true, .x = x, .y = y};
    square->zones.map = square->map;
    jbw_zones_fill(&square->zones, model, seed,
                   (jbw_position){x * JBW_ZONE_SQUARE, y * JBW_ZONE_SQUARE}, JBW_ZONE_SQUARE,
                   JBW_ZONE_SQUARE);
    return square;
}

// copies what a rectangle needs of a square, whose corner is at (left, bottom) in the rectangle
static void copy_square(jbw_zones *zones, const jbw_zone_square *square, int left, int bottom,
                        int width, int height)
{
    uint8_t names[JBW_MOST_ZONES] = {0}; // of the square's zones, in the rectangle
    for (int i = 1; i < square->zones.count; i++)
        names[i] = find_zone(zones, square->zones.keys[i], square->zones.cells[i]);
    const int right = smaller(left + JBW_ZONE_SQUARE, width);
    const int top = smaller(bottom + JBW_ZONE_SQUARE, height);
    for (int y = larger(bottom, 0); y < top; y++) {
        const uint8_t *from = square->map + (ptrdiff_t)(y - bottom) * JBW_ZONE_SQUARE;
        uint8_t *to = zones->map + (ptrdiff_t)y * zones->stride;
        for (int x = larger(left, 0); x < right; x++) to[x] = names[from[x - left]];
    }
}

void jbw_zones_fill_cached(jbw_zones *zones, jbw_zone_square *squares, const jbw_model *model,
                           uint64_t seed, jbw_position origin, int width, int height)
{
    zones->count = 1;
    zones->stride = width;
    const int64_t first_x = jbw_floor_divide(origin.x, JBW_ZONE_SQUARE);
    const int64_t first_y = jbw_floor_divide(origin.y, JBW_ZONE_SQUARE);
    for (int64_t y = first_y; y * JBW_ZONE_SQUARE < origin.y + height; y++)
        for (int64_t x = first_x; x * JBW_ZONE_SQUARE < origin.x + width; x++)
            copy_square(zones, find_square(squares, model, seed, x, y),
                        (int)(x * JBW_ZONE_SQUARE - origin.x),
                        (int)(y * JBW_ZONE_SQUARE - origin.y), width, height);
}
