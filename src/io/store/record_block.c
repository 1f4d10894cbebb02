// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/record_block.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"

// as in a snapshot, except for one letter
static const uint8_t magic[8] = {0x89, 'J', 'B', 'R', '\r', '\n', 0x1a, '\n'};
static const uint8_t mark[4] = {'J', 'B', 'W', 'B'};

enum { HEAD_HASHED = JBW_RECORD_BLOCK_HEAD_SIZE - 8, KIND_BITS = 16 };

void jbw_recording_header_encode(uint8_t out[JBW_RECORDING_HEADER_SIZE])
{
    memcpy(out, magic, sizeof magic);
    jbw_put_u32(out + 8, JBW_RECORDING_VERSION);
    jbw_put_u32(out + 12, 0);
}

jbw_status jbw_recording_header_check(const uint8_t *header, jbw_error *error)
{
    if (!header || memcmp(header, magic, sizeof magic) != 0) {
        jbw_error_set(error, 0, 0, "is not a recording");
        return JBW_INVALID_DATA;
    }
    const uint32_t version = jbw_get_u32(header + 8);
    if (version != JBW_RECORDING_VERSION) {
        jbw_error_set(error, 0, 0, "is a recording of version %" PRIu32 ", expected %d", version,
                      JBW_RECORDING_VERSION);
        return JBW_INVALID_DATA;
    }
    return JBW_OK;
}

static uint64_t hash_of(const void *bytes, size_t size, uint64_t seed)
{
    jbw_hasher hasher = jbw_hash_begin(seed);
    jbw_hash_bytes(&hasher, bytes, size);
    return hasher.value;
}

uint64_t jbw_record_block_body_hash(const void *bytes, size_t size)
{
    return hash_of(bytes, size, 0);
}

void jbw_record_block_head_encode(const jbw_record_block *block,
                                  uint8_t out[JBW_RECORD_BLOCK_HEAD_SIZE])
{
    memcpy(out, mark, sizeof mark);
    jbw_put_u32(out + 4, block->kind | (uint32_t)block->has_world_hash << KIND_BITS);
    jbw_put_u64(out + 8, block->size);
    jbw_put_u64(out + 16, block->raw_size);
    jbw_put_u64(out + 24, block->first_time);
    jbw_put_u64(out + 32, block->last_time);
    jbw_put_u64(out + 40, block->operation_count);
    jbw_put_u64(out + 48, block->hash_count);
    jbw_put_u64(out + 56, block->synced_size);
    jbw_put_u64(out + 64, block->world_hash);
    jbw_put_u64(out + 72, block->body_hash);
    jbw_put_u64(out + HEAD_HASHED, hash_of(out, HEAD_HASHED, block->offset));
}

bool jbw_record_block_head_decode(const uint8_t bytes[JBW_RECORD_BLOCK_HEAD_SIZE], uint64_t offset,
                                  jbw_record_block *out)
{
    if (memcmp(bytes, mark, sizeof mark) != 0) return false;
    if (jbw_get_u64(bytes + HEAD_HASHED) != hash_of(bytes, HEAD_HASHED, offset)) return false;
    const uint32_t kind = jbw_get_u32(bytes + 4);
    *out = (jbw_record_block){
        .kind = kind & ((1U << KIND_BITS) - 1),
        .has_world_hash = (kind >> KIND_BITS & 1) != 0,
        .size = jbw_get_u64(bytes + 8),
        .raw_size = jbw_get_u64(bytes + 16),
        .first_time = jbw_get_u64(bytes + 24),
        .last_time = jbw_get_u64(bytes + 32),
        .operation_count = jbw_get_u64(bytes + 40),
        .hash_count = jbw_get_u64(bytes + 48),
        .synced_size = jbw_get_u64(bytes + 56),
        .world_hash = jbw_get_u64(bytes + 64),
        .body_hash = jbw_get_u64(bytes + 72),
        .offset = offset,
    };
    return true;
}
