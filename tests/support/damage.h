// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Ways in which bytes get damaged, by chance, yet the same again for the same number.
#ifndef JBW_TESTS_DAMAGE_H
#define JBW_TESTS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/// The most that damage makes bytes longer.
enum { MOST_ADDED = 64 };

/// Copies `size` bytes, damaged in one to three places, to where there is room for MOST_ADDED more,
/// and returns how many they are now. By chance they may be as they were.
size_t damage(uint64_t *random, const uint8_t *from, size_t size, uint8_t *to);

#endif
