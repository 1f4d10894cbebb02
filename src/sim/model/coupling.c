// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Values of couplings, and how far and how strongly they act.

#include <math.h>

#include "sim/model/function.h"
#include "sim/model/interpolated_hash.h"

// far larger than any patch, yet safe to add and to square
enum { HUGE_REACH = 1 << 20 };

// not a number becomes the lowest value
static double clamp(double value, double largest)
{
    if (value > largest) return largest;
    return value >= -largest ? value : -largest;
}

// ---- values ----

static double piecewise_box(const double *arguments, int64_t dx, int64_t dy)
{
    const double squared = (double)(dx * dx + dy * dy);
    if (squared < arguments[0]) return arguments[2];
    if (squared < arguments[1]) return arguments[3];
    return 0.0;
}

// `values` are those on the axes within the inner and the outer radius, then those off the axes
static double cross(double inner, double outer, const double *values, int64_t dx, int64_t dy)
{
    const int64_t ax = dx < 0 ? -dx : dx;
    const int64_t ay = dy < 0 ? -dy : dy;
    const double far = (double)(ax > ay ? ax : ay);
    const bool on_axis = ax == 0 || ay == 0;
    if (far <= inner) return on_axis ? values[0] : values[2];
    if (far <= outer) return on_axis ? values[1] : values[3];
    return 0.0;
}

static double cross_hash_inner(const jbw_coupling *coupling, int64_t column)
{
    const double *arguments = coupling->arguments;
    return arguments[1] + arguments[2] * jbw_interpolated_hash((double)column / arguments[0]);
}

void jbw_cross_hash_radii(const jbw_coupling *coupling, int64_t column, int *inner, int *outer)
{
    const double radius = cross_hash_inner(coupling, column);
    *inner = (int)clamp(floor(radius), HUGE_REACH);
    *outer = (int)clamp(floor(radius + coupling->arguments[3]), HUGE_REACH);
}

static double table_value(const jbw_coupling *coupling, int64_t dx, int64_t dy)
{
    const int64_t reach = coupling->table_reach;
    const int64_t side = 2 * reach + 1;
    return coupling->table[(reach - dy) * side + (dx + reach)];
}

double jbw_coupling_value(const jbw_coupling *coupling, jbw_position first, jbw_position second)
{
    const int64_t dx = first.x - second.x;
    const int64_t dy = first.y - second.y;
    const int64_t reach = coupling->reach;
    if (dx > reach || dx < -reach || dy > reach || dy < -reach) return 0.0;

    const double *arguments = coupling->arguments;
    switch (coupling->kind) {
    case JBW_COUPLING_ZERO: return 0.0;
    case JBW_COUPLING_PIECEWISE_BOX: return piecewise_box(arguments, dx, dy);
    case JBW_COUPLING_CROSS: return cross(arguments[0], arguments[1], arguments + 2, dx, dy);
    case JBW_COUPLING_CROSS_HASH: {
        const double inner = cross_hash_inner(coupling, first.x);
        return cross(inner, inner + arguments[3], arguments + 4, dx, dy);
    }
    case JBW_COUPLING_TABLE: return table_value(coupling, dx, dy);
    case JBW_COUPLING_CUSTOM:
        // a user's function may break its promise
        return clamp(coupling->custom.value(arguments, first, second, coupling->custom.user),
                     coupling->largest);
    }
    return 0.0;
}

bool jbw_coupling_is_stationary(const jbw_coupling *coupling)
{
    return coupling->kind != JBW_COUPLING_CROSS_HASH && coupling->kind != JBW_COUPLING_CUSTOM;
}

// ---- reach and largest value ----

static int reach_of_radius(double radius)
{
    if (radius < 0.0) return 0;
    return radius > (double)HUGE_REACH ? HUGE_REACH : (int)floor(radius);
}

static double largest_of(const double *values, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) > largest) largest = fabs(values[i]);
    return largest;
}

// the largest n such that a cell at Chebyshev distance n has low <= squared distance < high
static int reach_of_ring(double low, double high)
{
    if (!(low < high) || high <= 1.0) return 0;
    for (int n = reach_of_radius(sqrt(high)); n > 0; n--) {
        if (n == HUGE_REACH) return n;
        // squared distances at Chebyshev distance n are n^2 + m^2 for m up to n
        for (int64_t m = 0; m <= n; m++) {
            const double squared = (double)((int64_t)n * n + m * m);
            if (squared >= high) break;
            if (squared >= low) return n;
        }
    }
    return 0;
}

static void bound_piecewise_box(jbw_coupling *coupling)
{
    const double *a = coupling->arguments;
    const int inner = a[2] != 0.0 ? reach_of_ring(0.0, a[0]) : 0;
    const int outer = a[3] != 0.0 ? reach_of_ring(a[0] > 0.0 ? a[0] : 0.0, a[1]) : 0;
    coupling->reach = inner > outer ? inner : outer;
    coupling->largest = largest_of(a + 2, 2);
}

static void bound_cross(jbw_coupling *coupling, double inner, double outer, const double *values)
{
    const bool has_core = values[0] != 0.0 || values[2] != 0.0;
    const bool has_rim = values[1] != 0.0 || values[3] != 0.0;
    const int core = has_core ? reach_of_radius(inner) : 0;
    const int rim = has_rim && floor(outer) > floor(inner) ? reach_of_radius(outer) : 0;
    coupling->reach = core > rim ? core : rim;
    coupling->largest = largest_of(values, 4);
}

static void bound_cross_hash(jbw_coupling *coupling)
{
    const double *a = coupling->arguments;
    const double inner = a[2] > 0.0 ? a[1] + a[2] : a[1];
    bound_cross(coupling, inner, inner + (a[3] > 0.0 ? a[3] : 0.0), a + 4);
    // rounding of the sums above must not hide a rim that some column has
    if (a[3] > 0.0 && (a[5] != 0.0 || a[7] != 0.0)) {
        const int rim = reach_of_radius(inner + a[3]);
        if (rim > coupling->reach) coupling->reach = rim;
    }
}

static void bound_table(jbw_coupling *coupling)
{
    const int reach = coupling->table_reach;
    coupling->reach = 0;
    coupling->largest = 0.0;
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            if (dx == 0 && dy == 0) continue;
            const double value = fabs(table_value(coupling, dx, dy));
            if (value == 0.0) continue;
            const int ax = dx < 0 ? -dx : dx;
            const int ay = dy < 0 ? -dy : dy;
            const int far = ax > ay ? ax : ay;
            if (far > coupling->reach) coupling->reach = far;
            if (value > coupling->largest) coupling->largest = value;
        }
    }
}

static void bound_custom(jbw_coupling *coupling)
{
    coupling->reach = coupling->custom.reach;
    coupling->largest = coupling->custom.largest;
    if (coupling->custom.bounds)
        coupling->custom.bounds(coupling->arguments, coupling->custom.user, &coupling->reach,
                                &coupling->largest);
    if (coupling->reach < 0) coupling->reach = 0;
    if (coupling->reach > HUGE_REACH) coupling->reach = HUGE_REACH;
    if (!(coupling->largest >= 0.0)) coupling->largest = 0.0;
    if (coupling->largest > JBW_MAX_ENERGY) coupling->largest = JBW_MAX_ENERGY;
}

void jbw_coupling_set_bounds(jbw_coupling *coupling)
{
    const double *a = coupling->arguments;
    switch (coupling->kind) {
    case JBW_COUPLING_ZERO: break;
    case JBW_COUPLING_PIECEWISE_BOX: bound_piecewise_box(coupling); break;
    case JBW_COUPLING_CROSS: bound_cross(coupling, a[0], a[1], a + 2); break;
    case JBW_COUPLING_CROSS_HASH: bound_cross_hash(coupling); break;
    case JBW_COUPLING_TABLE: bound_table(coupling); break;
    case JBW_COUPLING_CUSTOM: bound_custom(coupling); break;
    }
}

void jbw_couplings_extent(const jbw_coupling *couplings, int type_count, int type, int *reach,
                          double *largest)
{
    *reach = 0;
    *largest = 0.0;
    for (int other = 0; other < type_count; other++) {
        const jbw_coupling *mine = &couplings[type * type_count + other];
        const jbw_coupling *theirs = &couplings[other * type_count + type];
        if (mine->reach > *reach) *reach = mine->reach;
        if (theirs->reach > *reach) *reach = theirs->reach;
        if (mine->largest + theirs->largest > *largest) *largest = mine->largest + theirs->largest;
    }
}
