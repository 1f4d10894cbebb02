// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/snapshot_stream.h"

#include <zstd_errors.h>

#include "io/store/snapshot_frame.h"

bool jbw_snapshot_stream_begin(jbw_snapshot_stream *stream, jbw_file_writer *file, uint64_t size)
{
    stream->file = file;
    stream->content_size = size;
    stream->frame_size = 0;
    stream->compressor = ZSTD_createCCtx();
    // the file can be rewound, so the header comes last
    static const uint8_t empty[JBW_SNAPSHOT_HEADER_SIZE] = {0};
    jbw_file_writer_write(file, empty, sizeof empty);
    jbw_piece_hash_begin(&stream->content_hash);
    jbw_piece_hash_begin(&stream->frame_hash);
    stream->is_out_of_memory = !stream->compressor;
    if (!stream->compressor) return false;
    ZSTD_CCtx_setParameter(stream->compressor, ZSTD_c_compressionLevel, JBW_SNAPSHOT_COMPRESSION);
    ZSTD_CCtx_setPledgedSrcSize(stream->compressor, size);
    return true;
}

static bool compress(jbw_snapshot_stream *stream, const void *bytes, size_t size,
                     ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {stream->compressed, sizeof stream->compressed, 0};
        left = ZSTD_compressStream2(stream->compressor, &out, &in, directive);
        if (ZSTD_isError(left)) {
            stream->is_out_of_memory = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation;
            return false;
        }
        jbw_piece_hash_add(&stream->frame_hash, out.dst, out.pos);
        stream->frame_size += out.pos;
        if (!jbw_file_writer_write(stream->file, out.dst, out.pos)) return false;
    } while (directive == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

bool jbw_snapshot_stream_add(jbw_snapshot_stream *stream, const void *bytes, size_t size)
{
    jbw_piece_hash_add(&stream->content_hash, bytes, size);
    return compress(stream, bytes, size, ZSTD_e_continue);
}

bool jbw_snapshot_stream_end(jbw_snapshot_stream *stream)
{
    if (!compress(stream, NULL, 0, ZSTD_e_end)) return false;
    uint8_t header[JBW_SNAPSHOT_HEADER_SIZE];
    jbw_snapshot_header_encode(
        &(jbw_snapshot_sizes){
            .contents = stream->content_size,
            .frame = stream->frame_size,
            .content_hash = jbw_piece_hash_end(&stream->content_hash),
            .frame_hash = jbw_piece_hash_end(&stream->frame_hash),
        },
        header);
    return jbw_file_writer_rewrite(stream->file, header, sizeof header);
}

void jbw_snapshot_stream_deinit(jbw_snapshot_stream *stream)
{
    ZSTD_freeCCtx(stream->compressor);
    stream->compressor = NULL;
}
