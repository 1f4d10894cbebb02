// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What stands around a snapshot's contents: a header with sizes and checksums, then one frame of
/// zstd. docs/snapshot_format.md describes the bytes.
#ifndef JBW_IO_STORE_SNAPSHOT_FRAME_H
#define JBW_IO_STORE_SNAPSHOT_FRAME_H

#include "base/alloc.h"

enum {
    JBW_SNAPSHOT_VERSION = 1,
    JBW_SNAPSHOT_HEADER_SIZE = 56,
};

/// Appends contents, compressed, behind a header. On failure the buffer is as it was.
jbw_status jbw_snapshot_pack(const uint8_t *contents, size_t size, jbw_buffer *out);

/// Checks a header, and unpacks what is behind it into a buffer that is empty, of no more than
/// `limit` bytes. On failure it is empty, and `error` says why.
jbw_status jbw_snapshot_unpack(const uint8_t *bytes, size_t size, uint64_t limit, jbw_buffer *out,
                               jbw_error *error);

#endif
