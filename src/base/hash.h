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

/// A hash of 128 bits, as bytes: the name of something that is known by its bytes.
enum { JBW_HASH_NAME_SIZE = 16 };
void jbw_hash_name(const void *bytes, size_t size, uint8_t name[JBW_HASH_NAME_SIZE]);

/// The hash of bytes that come in pieces; how they are cut makes no difference. It is the value of
/// `jbw_hash_bytes` for all of them, with seed 0. Do not move it once it has begun.
typedef struct jbw_piece_hasher {
    unsigned char room[704]; // for the state of XXH3, at a multiple of 64 bytes
} jbw_piece_hasher;

void jbw_piece_hash_begin(jbw_piece_hasher *hasher);
void jbw_piece_hash_add(jbw_piece_hasher *hasher, const void *bytes, size_t size);
uint64_t jbw_piece_hash_end(const jbw_piece_hasher *hasher);

#endif
