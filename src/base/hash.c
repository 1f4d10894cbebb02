// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM
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
