// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Values and bounds of intensities. Their names and arguments are in the table of function.c.

#include <limits.h>
#include <math.h>

#include "sim/model/biome.h"
#include "sim/model/function.h"
#include "sim/model/interpolated_hash.h"
#include "sim/model/place_noise.h"

static double radial_hash(const double *arguments, jbw_position cell)
{
    const double shift = arguments[0];
    const double scale = arguments[1];
    const double x = (double)cell.x;
    const double y = (double)cell.y;
    const double radius = sqrt(x * x + y * y);
    return arguments[2] - arguments[3] * jbw_interpolated_hash(radius / scale + shift);
}

// a user's function may return anything; not a number becomes the lowest value
static double clamp(double value)
{
    if (value > JBW_MAX_ENERGY) return JBW_MAX_ENERGY;
    return value >= -JBW_MAX_ENERGY ? value : -JBW_MAX_ENERGY;
}

// from -1 to 1, to the range that the arguments tell
static double spread_noise(const double *arguments, double noise)
{
    return 0.5 * (arguments[2] + arguments[3]) + 0.5 * (arguments[3] - arguments[2]) * noise;
}

static uint64_t noise_plane(const jbw_intensity_part *part, uint64_t seed)
{
    return jbw_square_plane(seed, part->layer, part->scale, JBW_PURPOSE_NOISE);
}

double jbw_intensity_biome_value(const jbw_intensity_part *part, double number)
{
    const jbw_biome_value *at = part->values;
    while (number >= at->end) at++;
    return at->value;
}

static double part_value(const jbw_intensity_part *part, uint64_t seed, jbw_position cell)
{
    switch (part->kind) {
    case JBW_INTENSITY_CONSTANT: return part->arguments[0];
    case JBW_INTENSITY_RADIAL_HASH: return radial_hash(part->arguments, cell);
    case JBW_INTENSITY_NOISE:
        return spread_noise(part->arguments,
                            jbw_place_noise(noise_plane(part, seed), part->scale, cell));
    case JBW_INTENSITY_BIOME: {
        const jbw_biomes biomes = jbw_biomes_of(seed, part->scale, part->layer);
        return jbw_intensity_biome_value(part, jbw_biome_number(&biomes, cell));
    }
    case JBW_INTENSITY_CUSTOM:
        return clamp(part->custom.value(part->arguments, cell, part->custom.user));
    }
    return 0.0;
}

double jbw_intensity_value(const jbw_intensity *intensity, uint64_t seed, jbw_position cell)
{
    double sum = intensity->constant;
    for (int i = 0; i < intensity->part_count; i++)
        sum += part_value(&intensity->parts[i], seed, cell);
    return sum;
}

// ---- bounds in a square ----

// the smallest and largest distance of a range of coordinates from zero
static void distance_range(int64_t first, int size, double *least, double *most)
{
    const double low = (double)first;
    const double high = (double)(first + size - 1);
    *least = low > 0.0 ? low : high < 0.0 ? -high : 0.0;
    *most = -low > high ? -low : high;
}

// the hash is piecewise linear, so its extremes are at the ends or at a whole number
static void bound_radial_hash(const double *arguments, jbw_position origin, int size, double *least,
                              double *most)
{
    double near_x, far_x, near_y, far_y;
    distance_range(origin.x, size, &near_x, &far_x);
    distance_range(origin.y, size, &near_y, &far_y);
    const double shift = arguments[0];
    const double scale = arguments[1];
    const double first = sqrt(near_x * near_x + near_y * near_y) / scale + shift;
    const double last = sqrt(far_x * far_x + far_y * far_y) / scale + shift;
    double low = 0.0;
    double high = 1.0;
    if (first <= last && last - first < 16.0) {
        const double ends[2] = {jbw_interpolated_hash(first), jbw_interpolated_hash(last)};
        low = ends[0] < ends[1] ? ends[0] : ends[1];
        high = ends[0] < ends[1] ? ends[1] : ends[0];
        for (int i = 1; floor(first) + i < last; i++) {
            const double value = jbw_interpolated_hash(floor(first) + i);
            if (value < low) low = value;
            if (value > high) high = value;
        }
    }
    const double a = arguments[2] - arguments[3] * low;
    const double b = arguments[2] - arguments[3] * high;
    const double slack = 1e-9 * (1.0 + fabs(arguments[2]) + fabs(arguments[3])); // for rounding
    *least = (a < b ? a : b) - slack;
    *most = (a < b ? b : a) + slack;
}

static void bound_noise(const jbw_intensity_part *part, uint64_t seed, jbw_position origin,
                        int size, double *least, double *most)
{
    double low;
    double high;
    jbw_place_noise_bounds(noise_plane(part, seed), part->scale, origin, size, &low, &high);
    *least = spread_noise(part->arguments, low);
    *most = spread_noise(part->arguments, high);
}

static void bound_biome(const jbw_intensity_part *part, uint64_t seed, jbw_position origin,
                        int size, double *least, double *most)
{
    double numbers[JBW_BIOMES_NEAR];
    const jbw_biomes biomes = jbw_biomes_of(seed, part->scale, part->layer);
    const int count = jbw_biome_numbers(&biomes, origin, size, numbers);
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < (count > 0 ? count : part->value_count); i++) {
        const double value =
            count > 0 ? jbw_intensity_biome_value(part, numbers[i]) : part->values[i].value;
        if (value < *least) *least = value;
        if (value > *most) *most = value;
    }
}

static void bound_part(const jbw_intensity_part *part, uint64_t seed, jbw_position origin, int size,
                       double *least, double *most)
{
    switch (part->kind) {
    case JBW_INTENSITY_CONSTANT: *least = *most = part->arguments[0]; return;
    case JBW_INTENSITY_RADIAL_HASH:
        bound_radial_hash(part->arguments, origin, size, least, most);
        return;
    case JBW_INTENSITY_NOISE: bound_noise(part, seed, origin, size, least, most); return;
    case JBW_INTENSITY_BIOME: bound_biome(part, seed, origin, size, least, most); return;
    case JBW_INTENSITY_CUSTOM: break;
    }
    *least = -JBW_MAX_ENERGY;
    *most = JBW_MAX_ENERGY;
}

bool jbw_intensity_bounds(const jbw_intensity *intensity, uint64_t seed, jbw_position origin,
                          int size, double *least, double *most)
{
    bool is_constant = true;
    *least = *most = intensity->constant;
    for (int i = 0; i < intensity->part_count; i++) {
        const jbw_intensity_part *part = &intensity->parts[i];
        double low;
        double high;
        bound_part(part, seed, origin, size, &low, &high);
        *least += low;
        *most += high;
        if (part->kind != JBW_INTENSITY_BIOME || low < high) is_constant = false;
    }
    return is_constant;
}

double jbw_intensity_least(const jbw_intensity *intensity)
{
    const jbw_position corner = {-(INT_MAX / 2), -(INT_MAX / 2)};
    double sum = intensity->constant;
    for (int i = 0; i < intensity->part_count; i++) {
        const jbw_intensity_part *part = &intensity->parts[i];
        double least = INFINITY;
        double most;
        if (part->kind != JBW_INTENSITY_BIOME) bound_part(part, 0, corner, INT_MAX, &least, &most);
        for (int k = 0; k < part->value_count; k++)
            if (part->values[k].value < least && !jbw_intensity_is_never(part->values[k].value))
                least = part->values[k].value;
        sum += least;
    }
    return sum;
}
