// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random damage to bytes; the same for the same starting number.
#ifndef JBW_TESTS_DAMAGE_H
#define JBW_TESTS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/// How much longer damage can make bytes.
enum { DAMAGE_MOST_ADDED = 64 };

/// Copies `size` bytes and damages the copy in one to three places. `to` needs room for
/// DAMAGE_MOST_ADDED more. Returns the size of the copy, which may by chance be undamaged.
size_t damage(uint64_t *random, const uint8_t *from, size_t size, uint8_t *to);

#endif
