// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Values and bounds of intensities. Their names and arguments are in the table of function.c.

#include <math.h>

#include "sim/model/function.h"
#include "sim/model/interpolated_hash.h"

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

static double part_value(const jbw_intensity_part *part, jbw_position cell)
{
    switch (part->kind) {
    case JBW_INTENSITY_CONSTANT: return part->arguments[0];
    case JBW_INTENSITY_RADIAL_HASH: return radial_hash(part->arguments, cell);
    case JBW_INTENSITY_CUSTOM:
        return clamp(part->custom.value(part->arguments, cell, part->custom.user));
    }
    return 0.0;
}

double jbw_intensity_value(const jbw_intensity *intensity, jbw_position cell)
{
    double sum = intensity->constant;
    for (int i = 0; i < intensity->part_count; i++) sum += part_value(&intensity->parts[i], cell);
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

static void bound_part(const jbw_intensity_part *part, jbw_position origin, int size, double *least,
                       double *most)
{
    switch (part->kind) {
    case JBW_INTENSITY_CONSTANT: *least = *most = part->arguments[0]; return;
    case JBW_INTENSITY_RADIAL_HASH:
        bound_radial_hash(part->arguments, origin, size, least, most);
        return;
    case JBW_INTENSITY_CUSTOM: break;
    }
    *least = -JBW_MAX_ENERGY;
    *most = JBW_MAX_ENERGY;
}

bool jbw_intensity_bounds(const jbw_intensity *intensity, jbw_position origin, int size,
                          double *least, double *most)
{
    *least = *most = intensity->constant;
    for (int i = 0; i < intensity->part_count; i++) {
        double low;
        double high;
        bound_part(&intensity->parts[i], origin, size, &low, &high);
        *least += low;
        *most += high;
    }
    return intensity->part_count == 0;
}
