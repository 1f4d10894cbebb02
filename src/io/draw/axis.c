// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- ticks --------------------------------------------------------------------------------------

static double largest(double low, double high)
{
    return fmax(fabs(low), fabs(high));
}

// rounds up to 1, 2 or 5 times a power of ten
static double round_step(double value)
{
    const double power = pow(10.0, floor(log10(value)));
    const double digit = value / power * (1.0 - 1e-9);
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

jbw_axis jbw_axis_make(double low, double high, int most_ticks, bool is_loose)
{
    if (low > high) {
        low = 0.0;
        high = 1.0;
    }
    const double size = largest(low, high);
    if (high - low <= size * 1e-9 || high - low < 1e-290) {
        // a constant: add a tenth on either side, or one around zero
        const double middle = low + (high - low) / 2.0;
        const double half = size > 1e-280 ? size * 0.1 : 1.0;
        low = middle - half;
        high = middle + half;
    }

    jbw_axis axis = {.low = low, .high = high};
    axis.step = round_step((high - low) / (most_ticks > 1 ? most_ticks : 1));
    const double slack = 1e-6; // so that rounding does not lose a tick at the end
    double last;
    if (is_loose) {
        axis.first = floor(low / axis.step + slack);
        last = ceil(high / axis.step - slack);
    } else {
        // include a round number just beyond an end: 999999 extends to a million
        const double near = (high - low) * 0.015;
        axis.first = ceil((low - near) / axis.step - slack);
        last = floor((high + near) / axis.step + slack);
    }
    axis.low = fmin(low, axis.first * axis.step);
    axis.high = fmax(high, last * axis.step);
    axis.tick_count = (int)(last - axis.first) + 1;
    return axis;
}

double jbw_axis_tick(const jbw_axis *axis, int index)
{
    return (axis->first + index) * axis->step;
}

double jbw_axis_place(const jbw_axis *axis, double value)
{
    return (value - axis->low) / (axis->high - axis->low);
}

// --- labels -------------------------------------------------------------------------------------

// how many decimals distinguish successive steps, in these units
static int decimals_for(double step, double unit)
{
    const double digits = ceil(log10(unit / step) - 1e-9);
    return digits <= 0.0 ? 0 : digits >= 15.0 ? 15 : (int)digits;
}

// 1.50 becomes 1.5 and 2.00 becomes 2; the text at `end` moves up
static void drop_zeros(char *text, char *end)
{
    char *kept = end;
    while (kept > text && kept[-1] == '0') kept--;
    if (kept > text && kept[-1] == '.') kept--;
    memmove(kept, end, strlen(end) + 1);
}

// 2.50e+07 becomes 2.5e7
static void print_exponent(double value, double step, char out[JBW_AXIS_LABEL_SIZE])
{
    const double digits = floor(log10(fabs(value)) + 1e-9) - floor(log10(step) + 1e-9);
    snprintf(out, JBW_AXIS_LABEL_SIZE, "%.*e", digits <= 0.0 ? 0 : (int)digits, value);
    char *exponent = strchr(out, 'e');
    if (!exponent) return;
    char *from = exponent + 1;
    char *to = from;
    if (*from == '-') to++;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1] != '\0') from++;
    memmove(to, from, strlen(from) + 1);
    if (memchr(out, '.', (size_t)(exponent - out))) drop_zeros(out, exponent);
}

void jbw_axis_label(const jbw_axis *axis, int index, char out[JBW_AXIS_LABEL_SIZE])
{
    const double value = jbw_axis_tick(axis, index);
    const double size = largest(axis->low, axis->high);
    if (value == 0.0) {
        snprintf(out, JBW_AXIS_LABEL_SIZE, "0");
    } else if (size >= 1e12 || size < 1e-4) {
        print_exponent(value, axis->step, out);
    } else if (size >= 1e4 && fabs(value) >= 1e3 * (1.0 - 1e-9)) {
        const double rounded = fabs(value) * (1.0 + 1e-9);
        const char letter = rounded >= 1e9 ? 'G' : rounded >= 1e6 ? 'M' : 'k';
        const double unit = letter == 'G' ? 1e9 : letter == 'M' ? 1e6 : 1e3;
        const int decimals = decimals_for(axis->step, unit);
        const int length =
            snprintf(out, JBW_AXIS_LABEL_SIZE, "%.*f%c", decimals, value / unit, letter);
        if (decimals > 0) drop_zeros(out, out + length - 1);
    } else {
        snprintf(out, JBW_AXIS_LABEL_SIZE, "%.*f", decimals_for(axis->step, 1.0), value);
    }
}
