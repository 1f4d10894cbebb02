// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point
static bool looks_like_number(const char *text, size_t length)
{
    size_t at = length > 0 && (*text == '-' || *text == '+') ? 1 : 0;
    size_t digits = count_digits(text + at, length - at);
    at += digits;
    if (at < length && text[at] == '.') {
        at++;
        size_t fraction = count_digits(text + at, length - at);
        at += fraction;
        digits += fraction;
    }
    if (digits == 0) return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '-' || text[at] == '+')) at++;
        size_t exponent = count_digits(text + at, length - at);
        if (exponent == 0) return false;
        at += exponent;
    }
    return at == length;
}

bool jbw_parse_double(const char *text, size_t length, double *out)
{
    char copy[128];
    if (length + 1 > sizeof copy || !looks_like_number(text, length)) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';

    // strtod expects the decimal point of the current locale
    char *point = strchr(copy, '.');
    const char *local_point = localeconv()->decimal_point;
    if (point && local_point[0] != '\0' && local_point[1] == '\0') *point = local_point[0];

    char *end;
    double value = strtod(copy, &end);
    if (*end != '\0' || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool jbw_parse_int64(const char *text, size_t length, int64_t *out)
{
    bool is_negative = length > 0 && *text == '-';
    size_t at = length > 0 && (*text == '-' || *text == '+') ? 1 : 0;
    if (at == length || count_digits(text + at, length - at) != length - at) return false;

    const uint64_t limit = is_negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t magnitude = 0;
    for (; at < length; at++) {
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (magnitude > (limit - digit) / 10) return false;
        magnitude = magnitude * 10 + digit;
    }
    if (is_negative)
        *out = magnitude == limit ? INT64_MIN : -(int64_t)magnitude;
    else
        *out = (int64_t)magnitude;
    return true;
}

void jbw_format_double(double value, char out[JBW_DOUBLE_TEXT_SIZE])
{
    // with fewer digits than there are before the point, 900 would become 9e+02
    int fewest = 1;
    double rest = fabs(value);
    while (rest >= 10.0 && fewest < 15) {
        rest /= 10.0;
        fewest++;
    }
    for (int digits = fewest; digits <= 17; digits++) {
        snprintf(out, JBW_DOUBLE_TEXT_SIZE, "%.*g", digits, value);
        char *point = strchr(out, localeconv()->decimal_point[0]);
        if (point) *point = '.';
        double back;
        if (jbw_parse_double(out, strlen(out), &back) && back == value) return;
    }
}

bool jbw_is_name(const char *text)
{
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        const char c = text[length];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && !(length > 0 && c >= '0' && c <= '9')) return false;
    }
    return length > 0 && length <= 100;
}

int jbw_name_distance(const char *a, size_t a_length, const char *b)
{
    enum { LONGEST = 64 };
    const size_t b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) return 1000;

    // the usual table of edit distances in half steps, of which three rows are kept
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = (int)(2 * j);
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *above_that = rows[(i + 1) % 3];
        row[0] = (int)(2 * i);
        for (size_t j = 1; j <= b_length; j++) {
            const char x = a[i - 1];
            const char y = b[j - 1];
            const bool same_letter = tolower((unsigned char)x) == tolower((unsigned char)y);
            int best = above[j - 1] + (x == y ? 0 : same_letter ? 1 : 2);
            if (above[j] + 2 < best) best = above[j] + 2;
            if (row[j - 1] + 2 < best) best = row[j - 1] + 2;
            if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y && above_that[j - 2] + 2 < best)
                best = above_that[j - 2] + 2;
            row[j] = best;
        }
    }
    return (rows[a_length % 3][b_length] + 1) / 2;
}

const char *jbw_nearest_name(const char *name, size_t length, const char *const *candidates,
                             size_t count)
{
    const char *nearest = NULL;
    int best = length < 4 ? 1 : length < 8 ? 2 : 3; // anything farther is not a typo
    for (size_t i = 0; i < count; i++) {
        const int distance = jbw_name_distance(name, length, candidates[i]);
        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
