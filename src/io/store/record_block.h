// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The blocks that a recording's file consists of. Whatever was written whole can be found again
/// from the beginning, and what was not is noticed:
///
///     file     magic, version | block | block | ... | perhaps a torn one
///     block    head (fixed size, with a checksum of its own) | body (its checksum is in the head)
#ifndef JBW_IO_STORE_RECORD_BLOCK_H
#define JBW_IO_STORE_RECORD_BLOCK_H

#include "jbw/base.h"

enum {
    JBW_RECORDING_VERSION = 1,
    JBW_RECORDING_HEADER_SIZE = 16,
    JBW_RECORD_BLOCK_HEAD_SIZE = 88,
};

/// What a block holds. Readers pass over kinds that they do not know.
typedef enum jbw_record_block_kind {
    JBW_RECORD_BLOCK_SNAPSHOT = 1, ///< a whole snapshot, as in a file of its own
    JBW_RECORD_BLOCK_LOG = 2,      ///< operations and hashes, compressed
} jbw_record_block_kind;

/// What the head of a block says.
typedef struct jbw_record_block {
    uint32_t kind;
    bool has_world_hash;      // `world_hash` is that of the world at the block's end
    uint64_t size;            // of the body
    uint64_t raw_size;        // of a log before it was compressed; 0 for others
    uint64_t first_time;      // of the world at the block's beginning
    uint64_t last_time;       // and at its end
    uint64_t operation_count; // in a log
    uint64_t hash_count;      // in a log
    uint64_t synced_size;     // of the file: so much was safely on the disk before this was written
    uint64_t world_hash;
    uint64_t body_hash;

    uint64_t offset; // of the head in the file; not written down
} jbw_record_block;

/// Writes the header of a file.
void jbw_recording_header_encode(uint8_t out[JBW_RECORDING_HEADER_SIZE]);

/// Writes a head. Its checksum also covers its offset, so that a stray copy is no block.
void jbw_record_block_head_encode(const jbw_record_block *block,
                                  uint8_t out[JBW_RECORD_BLOCK_HEAD_SIZE]);

/// Reads a head that stands at `offset`. False if it is none.
bool jbw_record_block_head_decode(const uint8_t bytes[JBW_RECORD_BLOCK_HEAD_SIZE], uint64_t offset,
                                  jbw_record_block *out);

/// The checksum of a body.
uint64_t jbw_record_block_body_hash(const void *bytes, size_t size);

/// A file whose blocks are read. It looks at some bytes ahead, since blocks are often small.
typedef struct jbw_record_block_file {
    int descriptor; // of the caller
    uint64_t size;
    uint8_t window[1 << 15];
    uint64_t window_offset;
    size_t window_size;
} jbw_record_block_file;

/// Looks at the size and the header of a file. JBW_INVALID_DATA if it is not a recording, or of a
/// version that is not known here.
jbw_status jbw_record_block_file_open(jbw_record_block_file *file, int descriptor,
                                      jbw_error *error);

/// Reads the head at an offset. JBW_NOT_FOUND if no block stands there in full length.
jbw_status jbw_record_block_read_head(jbw_record_block_file *file, uint64_t offset,
                                      jbw_record_block *out, jbw_error *error);

/// Where the next block begins.
static inline uint64_t jbw_record_block_end(const jbw_record_block *block)
{
    return block->offset + JBW_RECORD_BLOCK_HEAD_SIZE + block->size;
}

/// Reads a body into a buffer, instead of what is there. A wrong checksum is JBW_INVALID_DATA, a
/// body beyond the limit JBW_OUT_OF_MEMORY.
jbw_status jbw_record_block_read_body(jbw_record_block_file *file, const jbw_record_block *block,
                                      uint64_t limit, jbw_buffer *out, jbw_error *error);

/// Looks for any head at or behind an offset; JBW_NOT_FOUND if there is none.
jbw_status jbw_record_block_search(jbw_record_block_file *file, uint64_t offset,
                                   jbw_record_block *out, jbw_error *error);

#endif
