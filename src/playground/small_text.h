// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Formatted text and numbers in a fraction of the C library's size: a page has to load it. In
/// WebAssembly they take the place of the C library's; tests hold them against those.
#ifndef JBW_PLAYGROUND_SMALL_TEXT_H
#define JBW_PLAYGROUND_SMALL_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/// `vsnprintf` for %d %i %u %x %X %c %s %g %%, with the flag 0, widths, precisions of %s and %g, and
/// the lengths l, ll, z and j. Other conversions appear as they are written.
int jbw_small_vsnprintf(char *out, size_t size, const char *format, va_list arguments);

/// `strtod` for decimal numbers of at most 200 digits, correctly rounded. Knows neither hexadecimal
/// numbers nor infinities, and sets no `errno`.
double jbw_small_strtod(const char *text, char **end);

#endif
