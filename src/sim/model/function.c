// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/function.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// far beyond any patch, yet safe to add and to square
enum { HUGE_REACH = 1 << 20 };

// also turns what is not a number into the lowest value
static double clamp(double value, double largest)
{
    if (value > largest) return largest;
    return value >= -largest ? value : -largest;
}

// ---- the paper's functions ----

// the finaliser of MurmurHash3, 32 bits
static uint32_t murmur_mix(uint32_t h)
{
    h ^= h >> 16;
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    return h ^ (h >> 16);
}

// the largest whole number not above t, modulo 2^32, and what is left
static uint32_t split(double t, double *fraction)
{
    double whole;
    uint32_t index;
    if (t > -0x1p62 && t < 0x1p62) {
        int64_t number = (int64_t)t;
        if ((double)number > t) number--;
        whole = (double)number;
        index = (uint32_t)(uint64_t)number;
    } else {
        whole = t; // so far out all numbers are whole
        double wrapped = fmod(t, 0x1p32);
        if (wrapped < 0.0) wrapped += 0x1p32;
        index = (uint32_t)wrapped;
    }
    *fraction = t - whole;
    return index;
}

// the paper's M-hat: hashes of whole numbers scaled to [0, 1], and straight lines between them
static double interpolated_hash(double t)
{
    double fraction;
    const uint32_t index = split(t, &fraction);
    const double here = (double)murmur_mix(index) / 4294967295.0;
    const double there = (double)murmur_mix(index + 1) / 4294967295.0;
    return here + (there - here) * fraction;
}

static double radial_hash(const double *arguments, jbw_position cell)
{
    const double shift = arguments[0];
    const double scale = arguments[1];
    const double x = (double)cell.x;
    const double y = (double)cell.y;
    const double radius = sqrt(x * x + y * y);
    return arguments[2] - arguments[3] * interpolated_hash(radius / scale + shift);
}

static double piecewise_box(const double *arguments, int64_t dx, int64_t dy)
{
    const double squared = (double)(dx * dx + dy * dy);
    if (squared < arguments[0]) return arguments[2];
    if (squared < arguments[1]) return arguments[3];
    return 0.0;
}

// `values` are on the axes within and beyond the inner radius, then off the axes
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
    return arguments[1] + arguments[2] * interpolated_hash((double)column / arguments[0]);
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

double jbw_intensity_value(const jbw_intensity *intensity, jbw_position cell)
{
    switch (intensity->kind) {
    case JBW_INTENSITY_CONSTANT: return intensity->arguments[0];
    case JBW_INTENSITY_RADIAL_HASH: return radial_hash(intensity->arguments, cell);
    case JBW_INTENSITY_CUSTOM:
        // a user's function is not trusted to return a number
        return clamp(intensity->custom.value(intensity->arguments, cell, intensity->custom.user),
                     JBW_MAX_ENERGY);
    }
    return 0.0;
}

// how far a range of whole numbers is from zero, at least and at most
static void distance_range(int64_t first, int size, double *least, double *most)
{
    const double low = (double)first;
    const double high = (double)(first + size - 1);
    *least = low > 0.0 ? low : high < 0.0 ? -high : 0.0;
    *most = -low > high ? -low : high;
}

// The hash runs in straight lines, so it is least and most at the ends or at a whole number.
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
        const double ends[2] = {interpolated_hash(first), interpolated_hash(last)};
        low = ends[0] < ends[1] ? ends[0] : ends[1];
        high = ends[0] < ends[1] ? ends[1] : ends[0];
        for (int i = 1; floor(first) + i < last; i++) {
            const double value = interpolated_hash(floor(first) + i);
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

bool jbw_intensity_bounds(const jbw_intensity *intensity, jbw_position origin, int size,
                          double *least, double *most)
{
    switch (intensity->kind) {
    case JBW_INTENSITY_CONSTANT:
        *least = intensity->arguments[0];
        *most = intensity->arguments[0];
        return true;
    case JBW_INTENSITY_RADIAL_HASH:
        bound_radial_hash(intensity->arguments, origin, size, least, most);
        return false;
    case JBW_INTENSITY_CUSTOM: break;
    }
    *least = -JBW_MAX_ENERGY;
    *most = JBW_MAX_ENERGY;
    return false;
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
        // nor to keep its promise
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
    return radius > HUGE_REACH ? HUGE_REACH : (int)floor(radius);
}

static double largest_of(const double *values, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        if (fabs(values[i]) > largest) largest = fabs(values[i]);
    return largest;
}

// the largest n for which some cell at Chebyshev distance n has low <= squared distance < high
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
    // the rounding of the sums above must not hide a rim that is there in some column
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

// ---- from expressions ----

/// A function of the paper, and how its arguments are called in messages.
typedef struct signature {
    const char *name;
    int kind;
    int argument_count;
    const char *usage;
} signature;

// To add a function: a kind in function.h, a row here, its value and its bounds above, and a case
// in each of the switches.
static const signature intensities[] = {
    {"Zero", JBW_INTENSITY_CONSTANT, 0, "Zero"},
    {"Constant", JBW_INTENSITY_CONSTANT, 1, "Constant[v]"},
    {"RadialHash", JBW_INTENSITY_RADIAL_HASH, 4, "RadialHash[shift, scale, c, k]"},
};
static const signature couplings[] = {
    {"Zero", JBW_COUPLING_ZERO, 0, "Zero"},
    {"PiecewiseBox", JBW_COUPLING_PIECEWISE_BOX, 4, "PiecewiseBox[U, V, u, v]"},
    {"Cross", JBW_COUPLING_CROSS, 6, "Cross[U, V, u, v, alpha, beta]"},
    {"CrossHash", JBW_COUPLING_CROSS_HASH, 8, "CrossHash[scale, c, k, delta, u, v, alpha, beta]"},
    {"Table", JBW_COUPLING_TABLE, -1, "Table[(row), (row), ...]"},
};
enum {
    INTENSITY_COUNT = sizeof intensities / sizeof *intensities,
    COUPLING_COUNT = sizeof couplings / sizeof *couplings,
};

static const signature *find_signature(const signature *rows, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

bool jbw_function_name_is_taken(const char *name)
{
    return find_signature(intensities, INTENSITY_COUNT, name) ||
           find_signature(couplings, COUPLING_COUNT, name);
}

static jbw_status fail_at(const jbw_expr *expr, jbw_error *error, const char *found,
                          const char *expected)
{
    jbw_error_set(error, expr->line, expr->column, "found %s, expected %s", found, expected);
    return JBW_INVALID_EXPRESSION;
}

static jbw_status fail_kind(const jbw_expr *expr, jbw_error *error, const char *expected)
{
    char found[160];
    jbw_expr_describe(expr, found, sizeof found);
    return fail_at(expr, error, found, expected);
}

// the numbers between the brackets; `usage` is shown when there are too few or too many
static jbw_status read_arguments(const jbw_expr *call, int count, const char *usage,
                                 double *arguments, jbw_error *error)
{
    if (call->child_count != count) {
        jbw_error_set(error, call->line, call->column,
                      "'%s' was given %d argument%s, expected %d: %s", call->name,
                      call->child_count, call->child_count == 1 ? "" : "s", count, usage);
        return JBW_INVALID_EXPRESSION;
    }
    int i = 0;
    for (const jbw_expr *child = call->first_child; child; child = child->next, i++) {
        if (child->kind != JBW_EXPR_NUMBER) return fail_kind(child, error, "a number");
        if (fabs(child->number) > JBW_MAX_ENERGY)
            return fail_kind(child, error, "a number between -1e9 and 1e9");
        arguments[i] = child->number;
    }
    return JBW_OK;
}

static void usage_of_custom(const char *name, int count, char *out, size_t size)
{
    snprintf(out, size, count == 0 ? "%s" : "%s[%d number%s]", name, count, count == 1 ? "" : "s");
}

// names for "did you mean"; more than this many are not looked at
enum { MAX_SUGGESTED = 256 };

static jbw_status fail_unknown(const jbw_expr *call, const char *what, const char *const *known,
                               size_t count, jbw_error *error)
{
    const char *nearest = jbw_nearest_name(call->name, strlen(call->name), known, count);
    if (nearest) {
        jbw_error_set(error, call->line, call->column,
                      "unknown %s function '%s', did you mean '%s'?", what, call->name, nearest);
    } else {
        char list[200];
        size_t used = 0;
        list[0] = '\0';
        for (size_t i = 0; i < count && used < sizeof list; i++)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
        jbw_error_set(error, call->line, call->column,
                      "unknown %s function '%s', expected one of %s", what, call->name, list);
    }
    return JBW_INVALID_EXPRESSION;
}

static jbw_status check_scale(const jbw_expr *call, int index, double scale, jbw_error *error)
{
    if (scale > 0.0) return JBW_OK;
    const jbw_expr *child = call->first_child;
    while (index-- > 0) child = child->next;
    return fail_kind(child, error, "a scale above zero");
}

jbw_status jbw_intensity_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                 jbw_intensity *out, jbw_error *error)
{
    *out = (jbw_intensity){.kind = JBW_INTENSITY_CONSTANT};
    if (expr->kind != JBW_EXPR_CALL)
        return fail_kind(expr, error, "an intensity function such as Constant[1.5]");

    const signature *row = find_signature(intensities, INTENSITY_COUNT, expr->name);
    if (row) {
        out->kind = (jbw_intensity_kind)row->kind;
        jbw_status status =
            read_arguments(expr, row->argument_count, row->usage, out->arguments, error);
        if (!status && out->kind == JBW_INTENSITY_RADIAL_HASH)
            status = check_scale(expr, 1, out->arguments[1], error);
        return status;
    }

    const char *known[MAX_SUGGESTED];
    size_t known_count = 0;
    for (int i = 0; i < INTENSITY_COUNT; i++) known[known_count++] = intensities[i].name;
    for (size_t i = 0; i < functions->intensity_count; i++) {
        const jbw_intensity_function *custom = &functions->intensities[i];
        if (strcmp(custom->name, expr->name) == 0) {
            char usage[160];
            usage_of_custom(custom->name, custom->argument_count, usage, sizeof usage);
            out->kind = JBW_INTENSITY_CUSTOM;
            out->custom = *custom;
            return read_arguments(expr, custom->argument_count, usage, out->arguments, error);
        }
        if (known_count < MAX_SUGGESTED) known[known_count++] = custom->name;
    }
    return fail_unknown(expr, "intensity", known, known_count, error);
}

static jbw_status compile_table(const jbw_expr *call, jbw_arena *arena, jbw_coupling *out,
                                jbw_error *error)
{
    const int side = call->child_count;
    if (side % 2 == 0 || side > 2 * JBW_MAX_TABLE_REACH + 1) {
        jbw_error_set(error, call->line, call->column,
                      "'Table' was given %d row%s, expected an odd number of rows up to %d", side,
                      side == 1 ? "" : "s", 2 * JBW_MAX_TABLE_REACH + 1);
        return JBW_INVALID_EXPRESSION;
    }
    double *table = jbw_arena_alloc(arena, (size_t)side * (size_t)side, sizeof *table);
    if (!table) return JBW_OUT_OF_MEMORY;
    out->table = table;
    out->table_reach = side / 2;

    for (const jbw_expr *row = call->first_child; row; row = row->next) {
        if (row->kind != JBW_EXPR_TUPLE) return fail_kind(row, error, "a row such as (0, 1, 0)");
        if (row->child_count != side) {
            jbw_error_set(error, row->line, row->column,
                          "this row has %d number%s, expected %d, as many as there are rows",
                          row->child_count, row->child_count == 1 ? "" : "s", side);
            return JBW_INVALID_EXPRESSION;
        }
        for (const jbw_expr *child = row->first_child; child; child = child->next) {
            if (child->kind != JBW_EXPR_NUMBER) return fail_kind(child, error, "a number");
            if (fabs(child->number) > JBW_MAX_ENERGY)
                return fail_kind(child, error, "a number between -1e9 and 1e9");
            *table++ = child->number;
        }
    }
    bound_table(out);
    return JBW_OK;
}

static jbw_status compile_builtin(const jbw_expr *call, const signature *row, jbw_arena *arena,
                                  jbw_coupling *out, jbw_error *error)
{
    out->kind = (jbw_coupling_kind)row->kind;
    if (out->kind == JBW_COUPLING_TABLE) return compile_table(call, arena, out, error);

    jbw_status status =
        read_arguments(call, row->argument_count, row->usage, out->arguments, error);
    if (!status && out->kind == JBW_COUPLING_CROSS_HASH)
        status = check_scale(call, 0, out->arguments[0], error);
    if (status) return status;

    const double *a = out->arguments;
    switch (out->kind) {
    case JBW_COUPLING_PIECEWISE_BOX: bound_piecewise_box(out); break;
    case JBW_COUPLING_CROSS: bound_cross(out, a[0], a[1], a + 2); break;
    case JBW_COUPLING_CROSS_HASH: bound_cross_hash(out); break;
    default: break;
    }
    return JBW_OK;
}

jbw_status jbw_coupling_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                jbw_arena *arena, jbw_coupling *out, jbw_error *error)
{
    *out = (jbw_coupling){.kind = JBW_COUPLING_ZERO};
    if (expr->kind != JBW_EXPR_CALL)
        return fail_kind(expr, error,
                         "an interaction function such as PiecewiseBox[10, 100, 2, -100]");

    const signature *row = find_signature(couplings, COUPLING_COUNT, expr->name);
    if (row) return compile_builtin(expr, row, arena, out, error);

    const char *known[MAX_SUGGESTED];
    size_t known_count = 0;
    for (int i = 0; i < COUPLING_COUNT; i++) known[known_count++] = couplings[i].name;
    for (size_t i = 0; i < functions->interaction_count; i++) {
        const jbw_interaction_function *custom = &functions->interactions[i];
        if (strcmp(custom->name, expr->name) == 0) {
            char usage[160];
            usage_of_custom(custom->name, custom->argument_count, usage, sizeof usage);
            out->kind = JBW_COUPLING_CUSTOM;
            out->custom = *custom;
            jbw_status status =
                read_arguments(expr, custom->argument_count, usage, out->arguments, error);
            if (!status) bound_custom(out);
            return status;
        }
        if (known_count < MAX_SUGGESTED) known[known_count++] = custom->name;
    }
    return fail_unknown(expr, "interaction", known, known_count, error);
}
