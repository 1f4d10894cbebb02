// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A running XXH3 hash of numbers. Each is hashed as little-endian bytes, so the value does not
/// depend on the machine.
#ifndef JBW_BASE_HASH_H
#define JBW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct jbw_hasher {
    uint64_t value;
} jbw_hasher;

jbw_hasher jbw_hash_begin(uint64_t seed);
void jbw_hash_bytes(jbw_hasher *hasher, const void *bytes, size_t size);
void jbw_hash_u64(jbw_hasher *hasher, uint64_t number);
void jbw_hash_double(jbw_hasher *hasher, double number);

#endif
