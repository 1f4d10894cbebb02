// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes a snapshot to a file piece by piece: what `jbw_snapshot_pack` does, for contents that are
/// never in memory all at once.
#ifndef JBW_IO_STORE_SNAPSHOT_STREAM_H
#define JBW_IO_STORE_SNAPSHOT_STREAM_H

#include <zstd.h>

#include "base/hash.h"
#include "io/store/file_writer.h"

typedef struct jbw_snapshot_stream {
    jbw_file_writer *file;
    ZSTD_CCtx *compressor;
    jbw_piece_hasher content_hash;
    jbw_piece_hasher frame_hash;
    uint64_t content_size;
    uint64_t frame_size;
    bool is_out_of_memory;
    uint8_t compressed[1 << 16]; // on its way to the file
} jbw_snapshot_stream;

/// Begins with contents of this size, in a file that can be rewound. False if memory runs out.
bool jbw_snapshot_stream_begin(jbw_snapshot_stream *stream, jbw_file_writer *file, uint64_t size);

/// Appends to the contents. False if memory runs out, the file cannot be written, or these are more
/// than the announced contents.
bool jbw_snapshot_stream_add(jbw_snapshot_stream *stream, const void *bytes, size_t size);

/// Writes the rest and the header, once everything was added. False as above.
bool jbw_snapshot_stream_end(jbw_snapshot_stream *stream);

/// Frees the compressor, whatever happened.
void jbw_snapshot_stream_deinit(jbw_snapshot_stream *stream);

#endif
