// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/zones.h"

#include <string.h>

enum { LARGEST = 16 }; // side of a tile

size_t jbw_zones_map_bytes(const jbw_invariant_plan *plan, int width, int height)
{
    return plan->layer_count > 0 ? (size_t)width * (size_t)height : 0;
}

size_t jbw_zones_table_bytes(const jbw_invariant_plan *plan)
{
    if (plan->layer_count == 0) return 0;
    return (size_t)JBW_MOST_ZONES * (size_t)plan->model->type_count * sizeof(double);
}

// ---- classes ----

static uint64_t class_of(const jbw_biome_layer *layer, double number)
{
    uint64_t class = 0;
    for (int i = 0; i < layer->cut_count; i++) class += number >= layer->cuts[i];
    return class;
}

// Combines the classes that all layers have in a square of cells. False if they may differ.
static bool find_key(const jbw_invariant_plan *plan, jbw_position corner, int size, uint64_t *key)
{
    *key = 0;
    for (int i = 0; i < plan->layer_count; i++) {
        const jbw_biome_layer *layer = &plan->layers[i];
        double numbers[JBW_BIOMES_NEAR];
        int count = 1;
        if (size > 1)
            count = jbw_biome_numbers(&layer->biomes, corner, size, numbers);
        else
            numbers[0] = jbw_biome_number(&layer->biomes, corner);
        if (count == 0) return false;
        const uint64_t class = class_of(layer, numbers[0]);
        for (int k = 1; k < count; k++)
            if (class_of(layer, numbers[k]) != class) return false;
        *key = *key * (uint64_t)(layer->cut_count + 1) + class;
    }
    return true;
}

// ---- zones ----

static uint8_t find_zone(jbw_zones *zones, const jbw_invariant_plan *plan, uint64_t key,
                         jbw_position cell)
{
    for (int i = 1; i < zones->count; i++)
        if (zones->keys[i] == key) return (uint8_t)i;
    if (zones->count == JBW_MOST_ZONES) return 0;
    const int types = plan->model->type_count;
    const int zone = zones->count++;
    zones->keys[zone] = key;
    for (int t = 0; t < types; t++)
        if (plan->types[t].is_zonal)
            zones->intensities[zone * types + t] = jbw_invariant_intensity(plan, t, cell);
    return (uint8_t)zone;
}

/// A square of cells in the rectangle; cells outside are left out.
typedef struct tile {
    int x, y, size;
} tile;

static void fill_tile(jbw_zones *zones, tile t, int width, int height, uint8_t zone)
{
    const int right = t.x + t.size < width ? t.x + t.size : width;
    const int top = t.y + t.size < height ? t.y + t.size : height;
    for (int y = t.y; y < top; y++)
        memset(zones->map + (ptrdiff_t)y * zones->stride + t.x, zone, (size_t)(right - t.x));
}

void jbw_zones_fill(jbw_zones *zones, const jbw_invariant_plan *plan, jbw_position origin,
                    int width, int height)
{
    tile pending[4 * 4]; // to be looked at: at most four of each size
    zones->count = 1;
    zones->stride = width;
    if (plan->layer_count == 0) return;
    for (int y = 0; y < height; y += LARGEST) {
        for (int x = 0; x < width; x += LARGEST) {
            int count = 0;
            pending[count++] = (tile){x, y, LARGEST};
            while (count > 0) {
                const tile t = pending[--count];
                if (t.x >= width || t.y >= height) continue;
                const jbw_position corner = {origin.x + t.x, origin.y + t.y};
                uint64_t key;
                if (find_key(plan, corner, t.size, &key)) {
                    fill_tile(zones, t, width, height, find_zone(zones, plan, key, corner));
                    continue;
                }
                const int half = t.size / 2;
                for (int i = 0; i < 4; i++)
                    pending[count++] = (tile){t.x + i % 2 * half, t.y + i / 2 * half, half};
            }
        }
    }
}
