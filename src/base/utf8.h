// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Characters of several bytes.
#ifndef JBW_BASE_UTF8_H
#define JBW_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/// The length of the character that begins `text`, which has `left` > 0 bytes, and its number; 0 if
/// there is none. Overlong forms, surrogates and numbers beyond the last character are none.
size_t jbw_utf8_decode(const char *text, size_t left, uint32_t *out);

#endif
