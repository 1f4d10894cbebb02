// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"

jbw_hasher jbw_hash_begin(uint64_t seed)
{
    return (jbw_hasher){.value = seed};
}

// each hash seeds the next, which needs no aligned or allocated state
void jbw_hash_bytes(jbw_hasher *hasher, const void *bytes, size_t size)
{
    hasher->value = XXH3_64bits_withSeed(bytes, size, hasher->value);
}

void jbw_hash_u64(jbw_hasher *hasher, uint64_t number)
{
    uint8_t bytes[8];
    jbw_put_u64(bytes, number);
    jbw_hash_bytes(hasher, bytes, sizeof bytes);
}

void jbw_hash_double(jbw_hasher *hasher, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    jbw_hash_u64(hasher, bits);
}

void jbw_hash_name(const void *bytes, size_t size, uint8_t name[JBW_HASH_NAME_SIZE])
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    jbw_put_u64(name, hash.low64);
    jbw_put_u64(name + 8, hash.high64);
}

// ---- pieces ----

enum { ALIGNMENT = 64 }; // more than allocators promise

_Static_assert(sizeof(XXH3_state_t) + ALIGNMENT <= sizeof(jbw_piece_hasher),
               "no room for the state of XXH3");

static size_t offset_of_state(const jbw_piece_hasher *hasher)
{
    return (ALIGNMENT - (uintptr_t)hasher->room % ALIGNMENT) % ALIGNMENT;
}

void jbw_piece_hash_begin(jbw_piece_hasher *hasher)
{
    memset(hasher, 0, sizeof *hasher);
    XXH3_64bits_reset((XXH3_state_t *)(void *)(hasher->room + offset_of_state(hasher)));
}

void jbw_piece_hash_add(jbw_piece_hasher *hasher, const void *bytes, size_t size)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)(hasher->room + offset_of_state(hasher)), bytes,
                       size);
}

uint64_t jbw_piece_hash_end(const jbw_piece_hasher *hasher)
{
    return XXH3_64bits_digest(
        (const XXH3_state_t *)(const void *)(hasher->room + offset_of_state(hasher)));
}
