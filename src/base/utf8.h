// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Decoding UTF-8.
#ifndef JBW_BASE_UTF8_H
#define JBW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Decodes the first character of `text`, which has `left` > 0 bytes. Returns its length in bytes,
/// or 0 if it is invalid: overlong forms, surrogates and code points above U+10FFFF are.
size_t jbw_utf8_decode(const char *text, size_t left, uint32_t *out);

/// Whether a text is valid UTF-8 without zeros.
bool jbw_utf8_is_valid(const char *text, size_t length);

#endif
