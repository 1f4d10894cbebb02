// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The envelope of a snapshot: a header with sizes and checksums, then the contents as one zstd
/// frame. docs/snapshot_format.md describes the bytes.
#ifndef JBW_IO_STORE_SNAPSHOT_FRAME_H
#define JBW_IO_STORE_SNAPSHOT_FRAME_H

#include "base/alloc.h"

enum {
    JBW_SNAPSHOT_VERSION = 1,
    JBW_SNAPSHOT_HEADER_SIZE = 56,
    JBW_SNAPSHOT_COMPRESSION = 1, // the fastest level; the contents are compact already
};

/// What the header says about what follows it.
typedef struct jbw_snapshot_sizes {
    uint64_t contents;
    uint64_t frame;
    uint64_t content_hash;
    uint64_t frame_hash;
} jbw_snapshot_sizes;

void jbw_snapshot_header_encode(const jbw_snapshot_sizes *sizes,
                                uint8_t out[JBW_SNAPSHOT_HEADER_SIZE]);

/// Appends a header and the compressed contents. On failure the buffer is unchanged.
jbw_status jbw_snapshot_pack(const uint8_t *contents, size_t size, jbw_buffer *out);

/// Checks the header and unpacks the contents, of at most `limit` bytes, into an empty buffer. On
/// failure the buffer is empty, and `error` says why.
jbw_status jbw_snapshot_unpack(const uint8_t *bytes, size_t size, uint64_t limit, jbw_buffer *out,
                               jbw_error *error);

#endif
