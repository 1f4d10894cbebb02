// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The blocks that a recording consists of. A reader finds every block that was written completely,
/// starting from the beginning of the file, and recognises one that was not:
///
///     file     magic, version | block | block | ... | possibly a torn block
///     block    head (fixed size, with its own checksum) | body (its checksum is in the head)
#ifndef JBW_IO_STORE_RECORD_BLOCK_H
#define JBW_IO_STORE_RECORD_BLOCK_H

#include "jbw/base.h"

enum {
    JBW_RECORDING_VERSION = 1,
    JBW_RECORDING_HEADER_SIZE = 16,
    JBW_RECORD_BLOCK_HEAD_SIZE = 88,
};

/// What a block contains. Readers skip unknown kinds.
typedef enum jbw_record_block_kind {
    JBW_RECORD_BLOCK_SNAPSHOT = 1, ///< a complete snapshot, as in a snapshot file
    JBW_RECORD_BLOCK_LOG = 2,      ///< operations and hashes, compressed
    JBW_RECORD_BLOCK_MARK = 3,     ///< named bytes: a name, then the rest
} jbw_record_block_kind;

/// The head of a block.
typedef struct jbw_record_block {
    uint32_t kind;
    bool has_world_hash;      // `world_hash` is the hash of the world at the block's end
    uint64_t size;            // of the body
    uint64_t raw_size;        // of a log before compression; 0 for other kinds
    uint64_t first_time;      // of the world at the block's beginning
    uint64_t last_time;       // of the world at its end
    uint64_t operation_count; // in a log
    uint64_t hash_count;      // in a log
    uint64_t synced_size;     // how much of the file was on disk before this block was written
    uint64_t world_hash;
    uint64_t body_hash;

    uint64_t offset; // of the head in the file; not part of the encoding
} jbw_record_block;

/// Encodes the header of a file.
void jbw_recording_header_encode(uint8_t out[JBW_RECORDING_HEADER_SIZE]);

/// Checks the header of a file; NULL if the file is too short for one. JBW_INVALID_DATA if it is
/// not a recording, or of an unknown version.
jbw_status jbw_recording_header_check(const uint8_t *header, jbw_error *error);

/// Encodes a head. Its checksum also covers its offset, so that a misplaced copy is not a block.
void jbw_record_block_head_encode(const jbw_record_block *block,
                                  uint8_t out[JBW_RECORD_BLOCK_HEAD_SIZE]);

/// Decodes the head at `offset`. False if there is none.
bool jbw_record_block_head_decode(const uint8_t bytes[JBW_RECORD_BLOCK_HEAD_SIZE], uint64_t offset,
                                  jbw_record_block *out);

/// The checksum of a body.
uint64_t jbw_record_block_body_hash(const void *bytes, size_t size);

/// Where the next block begins.
static inline uint64_t jbw_record_block_end(const jbw_record_block *block)
{
    return block->offset + JBW_RECORD_BLOCK_HEAD_SIZE + block->size;
}

#endif
