// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "playground/small_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- large whole numbers ----

enum { LIMBS = 96, DIGITS_MOST = 200 }; // 3,072 bits: more than the exact digits of any double take

/// Little-endian.
typedef struct large {
    uint32_t limbs[LIMBS];
    int count;
} large;

static large large_of(uint64_t value)
{
    return (large){.limbs = {(uint32_t)value, (uint32_t)(value >> 32)}, .count = 2};
}

static void trim(large *a)
{
    while (a->count > 0 && a->limbs[a->count - 1] == 0) a->count--;
}

static void multiply_add(large *a, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0 && a->count < LIMBS) a->limbs[a->count++] = (uint32_t)carry;
}

static void multiply_power(large *a, uint32_t base, int exponent)
{
    for (int i = 0; i < exponent; i++) multiply_add(a, base, 0);
}

// divides by a small number and returns the rest
static uint32_t divide(large *a, uint32_t by)
{
    uint64_t rest = 0;
    for (int i = a->count; i-- > 0;) {
        rest = rest << 32 | a->limbs[i];
        a->limbs[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    trim(a);
    return (uint32_t)rest;
}

static int bit_count(large *a)
{
    trim(a);
    return a->count == 0 ? 0 : 32 * a->count - __builtin_clz(a->limbs[a->count - 1]);
}

// subtracts if the difference is not negative
static bool subtract(large *a, const large *b)
{
    const int count = a->count > b->count ? a->count : b->count;
    for (int i = count; i-- > 0;) {
        const uint32_t left = i < a->count ? a->limbs[i] : 0;
        const uint32_t right = i < b->count ? b->limbs[i] : 0;
        if (left > right) break;
        if (left < right) return false;
    }
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0);
        a->limbs[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    trim(a);
    return true;
}

// ---- reading a number ----

// numerator / denominator to the nearest double, ties to even
static double ratio(large *numerator, large *denominator)
{
    // the first 64 bits of the quotient; the lowest also stands for all that follow
    int exponent = bit_count(numerator) - bit_count(denominator) - 64;
    if (exponent < 0)
        multiply_power(numerator, 2, -exponent);
    else
        multiply_power(denominator, 2, exponent);
    multiply_power(denominator, 2, 64);
    uint64_t bits = 0;
    while (!(bits >> 63)) {
        bits = bits << 1 | (subtract(numerator, denominator) ? 1 : 0);
        multiply_add(numerator, 2, 0);
        exponent--;
    }
    exponent += 65; // value = bits x 2^exponent
    if (numerator->count > 0) bits |= 1;
    // close to zero, doubles have fewer bits
    int dropped = 64 - 53;
    if (exponent + dropped < -1074) dropped = -1074 - exponent;
    if (dropped > 64) return 0.0;
    const uint64_t kept = dropped < 64 ? bits >> dropped : 0;
    const uint64_t half = (uint64_t)1 << (dropped - 1);
    const uint64_t rest = dropped < 64 ? bits & (2 * half - 1) : bits;
    const bool goes_up = rest > half || (rest == half && (kept & 1));
    return scalbn((double)(kept + goes_up), exponent + dropped);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// the exponent behind the digits, if there is one; very large ones are all the same
static int read_exponent(const char **at)
{
    const char *c = *at;
    if (*c != 'e' && *c != 'E') return 0;
    c++;
    const bool is_negative = *c == '-';
    if (*c == '-' || *c == '+') c++;
    if (!is_digit(*c)) return 0;
    int exponent = 0;
    for (; is_digit(*c); c++)
        if (exponent < 10000) exponent = 10 * exponent + (*c - '0');
    *at = c;
    return is_negative ? -exponent : exponent;
}

double jbw_small_strtod(const char *text, char **end)
{
    const char *at = text;
    const bool is_negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    large digits = large_of(0);
    int count = 0; // of digits since the first that is not zero
    int exponent = 0;
    bool has_digits = false;
    bool is_fraction = false;
    for (;; at++) {
        if (*at == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(*at)) break;
        has_digits = true;
        if (is_fraction) exponent--;
        if (count > 0 || *at != '0') count++;
        if (count > DIGITS_MOST)
            exponent++;
        else
            multiply_add(&digits, 10, (uint32_t)(*at - '0'));
    }
    if (has_digits) exponent += read_exponent(&at);
    if (end) *end = (char *)(has_digits ? at : text);
    trim(&digits);
    const int magnitude = exponent + (count < DIGITS_MOST ? count : DIGITS_MOST);
    double value = 0.0;
    if (digits.count > 0 && magnitude > 310) {
        value = HUGE_VAL;
    } else if (digits.count > 0 && magnitude > -330) {
        large divisor = large_of(1);
        multiply_power(exponent < 0 ? &divisor : &digits, 10, exponent < 0 ? -exponent : exponent);
        value = ratio(&digits, &divisor);
    }
    return is_negative && has_digits ? -value : value;
}

// ---- writing ----

typedef struct target {
    char *out;
    size_t size;
    size_t length; // what would be written if there were room
} target;

static void put(target *to, char c)
{
    if (to->length + 1 < to->size) to->out[to->length] = c;
    to->length++;
}

static void put_text(target *to, const char *text, size_t length, int width, char fill)
{
    for (size_t i = length; width > 0 && i < (size_t)width; i++) put(to, fill);
    for (size_t i = 0; i < length; i++) put(to, text[i]);
}

static void put_whole(target *to, uint64_t value, bool is_negative, unsigned base,
                      const char *digits, int width, char fill)
{
    char text[24];
    size_t at = sizeof text;
    do {
        text[--at] = digits[value % base];
        value /= base;
    } while (value > 0);
    if (is_negative && fill == '0') {
        put(to, '-'); // zeros come behind the sign
        width--;
    } else if (is_negative) {
        text[--at] = '-';
    }
    put_text(to, text + at, sizeof text - at, width, fill);
}

enum { EXACT_MOST = 800 }; // digits of a double, written out

// All decimal digits of a finite number above zero. Returns how many there are; the number is
// 0.d1d2d3... x 10^*point.
static int write_exactly(double value, char digits[EXACT_MOST], int *point)
{
    int exponent;
    uint64_t bits = (uint64_t)scalbn(frexp(value, &exponent), 53);
    exponent -= 53;
    // without zeros at the end even the smallest number has less than 800 digits
    for (; bits % 2 == 0; bits /= 2) exponent++;
    large whole = large_of(bits);
    multiply_power(&whole, exponent < 0 ? 5 : 2, exponent < 0 ? -exponent : exponent);
    char reversed[EXACT_MOST];
    int count = 0;
    for (trim(&whole); whole.count > 0;) reversed[count++] = (char)('0' + divide(&whole, 10));
    for (int i = 0; i < count; i++) digits[i] = reversed[count - 1 - i];
    *point = count + (exponent < 0 ? exponent : 0);
    return count;
}

// Rounds to some digits, ties to even. Returns how many are left without zeros at the end.
static int round_digits(char *digits, int count, int wanted, int *point)
{
    if (count > wanted) {
        bool is_beyond_half = digits[wanted] > '5';
        for (int i = wanted + 1; i < count && digits[wanted] == '5'; i++)
            is_beyond_half |= digits[i] != '0';
        const bool is_tie = digits[wanted] == '5' && !is_beyond_half;
        const bool goes_up = is_beyond_half || (is_tie && (digits[wanted - 1] - '0') % 2 == 1);
        count = wanted;
        int at = wanted - 1;
        for (; goes_up && at >= 0 && digits[at] == '9'; at--) digits[at] = '0';
        if (goes_up && at >= 0) digits[at]++;
        if (goes_up && at < 0) {
            digits[0] = '1';
            (*point)++;
        }
    }
    while (count > 1 && digits[count - 1] == '0') count--;
    return count;
}

static void put_number(target *to, double value, int precision)
{
    if (signbit(value)) put(to, '-');
    value = fabs(value);
    if (!isfinite(value)) {
        put_text(to, isnan(value) ? "nan" : "inf", 3, 0, ' ');
        return;
    }
    const int wanted = precision < 0 ? 6 : precision == 0 ? 1 : precision;
    char digits[EXACT_MOST] = "0";
    int point = 1;
    int count = value > 0.0 ? write_exactly(value, digits, &point) : 1;
    count = round_digits(digits, count, wanted, &point);
    const int exponent = point - 1;
    const bool is_scientific = exponent < -4 || exponent >= wanted;
    const int before = is_scientific ? 1 : point; // digits before the decimal point
    if (before <= 0) put(to, '0');
    for (int i = 0; i < before || i < count; i++) {
        if (i == before || (i == 0 && before < 0)) put(to, '.');
        for (int k = before; i == 0 && k < 0; k++) put(to, '0');
        put(to, i < count ? digits[i] : '0');
    }
    if (!is_scientific) return;
    put(to, 'e');
    put(to, exponent < 0 ? '-' : '+');
    put_whole(to, (uint64_t)abs(exponent), false, 10, "0123456789", 2, '0');
}

/// One conversion of a format.
typedef struct conversion {
    char fill;
    int width;
    int precision; // negative: none
    int longs;     // how many l; 64 bits from two on
} conversion;

// the analyzer does not see that the list behind the pointer was begun
// NOLINTBEGIN(clang-analyzer-valist.Uninitialized)

static int64_t take_signed(va_list *arguments, int longs)
{
    if (longs >= 2) return va_arg(*arguments, long long);
    return longs == 1 ? va_arg(*arguments, long) : va_arg(*arguments, int);
}

static uint64_t take_unsigned(va_list *arguments, int longs)
{
    if (longs >= 2) return va_arg(*arguments, unsigned long long);
    return longs == 1 ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
}

// reads what is between '%' and the letter
static const char *read_conversion(const char *at, va_list *arguments, conversion *out)
{
    *out = (conversion){.fill = ' ', .precision = -1};
    if (*at == '0') {
        out->fill = '0';
        at++;
    }
    for (; is_digit(*at); at++) out->width = 10 * out->width + (*at - '0');
    if (*at == '.') {
        out->precision = 0;
        at++;
        if (*at == '*') {
            out->precision = va_arg(*arguments, int);
            at++;
        }
        for (; is_digit(*at); at++) out->precision = 10 * out->precision + (*at - '0');
    }
    for (; *at == 'l' || *at == 'z' || *at == 'j'; at++)
        out->longs += *at == 'j' ? 2 : 1; // size_t is a long, or as long as one
    return at;
}

// false if the conversion is not known
static bool convert(target *to, char letter, const conversion *how, va_list *arguments)
{
    static const char *const lower = "0123456789abcdef";
    static const char *const upper = "0123456789ABCDEF";
    switch (letter) {
    case 'd':
    case 'i': {
        const int64_t value = take_signed(arguments, how->longs);
        const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        put_whole(to, size, value < 0, 10, lower, how->width, how->fill);
        return true;
    }
    case 'u':
        put_whole(to, take_unsigned(arguments, how->longs), false, 10, lower, how->width,
                  how->fill);
        return true;
    case 'x':
    case 'X':
        put_whole(to, take_unsigned(arguments, how->longs), false, 16,
                  letter == 'x' ? lower : upper, how->width, how->fill);
        return true;
    case 'c': put(to, (char)va_arg(*arguments, int)); return true;
    case 's': {
        const char *text = va_arg(*arguments, const char *);
        size_t length = 0;
        while ((how->precision < 0 || length < (size_t)how->precision) && text[length]) length++;
        put_text(to, text, length, how->width, ' ');
        return true;
    }
    case 'g': put_number(to, va_arg(*arguments, double), how->precision); return true;
    case '%': put(to, '%'); return true;
    default: return false;
    }
}

// NOLINTEND(clang-analyzer-valist.Uninitialized)

int jbw_small_vsnprintf(char *out, size_t size, const char *format, va_list arguments)
{
    target to = {out, size, 0};
    va_list rest;
    va_copy(rest, arguments);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            put(&to, *at);
            continue;
        }
        conversion how;
        const char *letter = read_conversion(at + 1, &rest, &how);
        if (*letter && convert(&to, *letter, &how, &rest))
            at = letter;
        else
            put(&to, '%');
    }
    va_end(rest);
    if (size > 0) out[to.length < size ? to.length : size - 1] = '\0';
    return (int)to.length;
}

#ifdef __wasm__

int vsnprintf(char *restrict out, size_t size, const char *restrict format, va_list arguments)
{
    return jbw_small_vsnprintf(out, size, format, arguments);
}

double strtod(const char *restrict text, char **restrict end)
{
    return jbw_small_strtod(text, end);
}

#endif
