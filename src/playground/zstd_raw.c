// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The part of zstd's interface that snapshots need, without compression: frames of raw blocks, as
// RFC 8878 describes them. Every zstd reads what is written here; here, frames with compressed
// blocks cannot be read.
//
//     magic, 4 bytes | descriptor, 1 | content size, 8 | block | block | ...
//     block: header of 3 bytes: last (1 bit), type (2 bits), size (21 bits); then its bytes

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"

enum {
    HEADER_SIZE = 13,
    BLOCK_HEADER = 3,
    BLOCK_MOST = 1 << 17,
    DESCRIPTOR = 0xe0, // eight bytes of content size, a single segment, no checksum, no dictionary
    RAW = 0,
    REPEATED = 1, // one byte, many times
};

static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

static const size_t failed = (size_t)-1;

size_t ZSTD_compressBound(size_t size)
{
    return HEADER_SIZE + size + (size / BLOCK_MOST + 1) * BLOCK_HEADER;
}

unsigned ZSTD_isError(size_t result)
{
    return result == failed;
}

size_t ZSTD_compress(void *to, size_t capacity, const void *from, size_t size, int level)
{
    (void)level;
    uint8_t *at = to;
    const uint8_t *in = from;
    if (capacity < ZSTD_compressBound(size)) return failed;
    memcpy(at, frame_magic, sizeof frame_magic);
    at[sizeof frame_magic] = DESCRIPTOR;
    jbw_put_u64(at + sizeof frame_magic + 1, size);
    at += HEADER_SIZE;
    for (size_t left = size;;) {
        const size_t part = left < BLOCK_MOST ? left : BLOCK_MOST;
        const uint32_t header = (uint32_t)part << 3 | RAW << 1 | (part == left ? 1 : 0);
        at[0] = (uint8_t)header;
        at[1] = (uint8_t)(header >> 8);
        at[2] = (uint8_t)(header >> 16);
        if (part > 0) memcpy(at + BLOCK_HEADER, in, part);
        at += BLOCK_HEADER + part;
        in += part;
        left -= part;
        if (left == 0) return (size_t)(at - (uint8_t *)to);
    }
}

// ---- reading ----

// The size of a frame's header and of its contents. False if this is no frame, or one of a kind that
// is not written here.
static bool read_header(const uint8_t *bytes, size_t size, size_t *header_size,
                        uint64_t *content_size)
{
    enum { CHECKSUM = 4, RESERVED = 8, DICTIONARY = 3, SINGLE = 0x20 };
    if (size < sizeof frame_magic + 1 || memcmp(bytes, frame_magic, sizeof frame_magic) != 0)
        return false;
    const uint8_t descriptor = bytes[sizeof frame_magic];
    const unsigned kind = descriptor >> 6;
    const bool is_single = (descriptor & SINGLE) != 0;
    if (descriptor & (CHECKSUM | RESERVED | DICTIONARY)) return false;
    size_t at = sizeof frame_magic + 1 + (is_single ? 0 : 1);
    const size_t width = kind == 0 ? (is_single ? 1 : 0) : (size_t)1 << kind;
    if (width == 0 || size < at + width) return false;
    *content_size = kind == 1 ? 256 : 0;
    for (size_t i = 0; i < width; i++) *content_size += (uint64_t)bytes[at + i] << (8 * i);
    *header_size = at + width;
    return true;
}

unsigned long long ZSTD_getFrameContentSize(const void *bytes, size_t size)
{
    size_t header_size;
    uint64_t content_size;
    return read_header(bytes, size, &header_size, &content_size) ? content_size
                                                                 : ZSTD_CONTENTSIZE_ERROR;
}

/// A block of a frame, somewhere in its bytes.
typedef struct raw_block {
    bool is_last;
    unsigned type;
    size_t size;        // of the contents
    size_t stored_size; // of the bytes behind the header
} raw_block;

static bool read_block(const uint8_t *bytes, size_t left, raw_block *out)
{
    if (left < BLOCK_HEADER) return false;
    const uint32_t header = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    out->is_last = (header & 1) != 0;
    out->type = header >> 1 & 3;
    out->size = header >> 3;
    out->stored_size = out->type == REPEATED ? 1 : out->size;
    return left - BLOCK_HEADER >= out->stored_size;
}

size_t ZSTD_findFrameCompressedSize(const void *bytes, size_t size)
{
    size_t at;
    uint64_t content_size;
    if (!read_header(bytes, size, &at, &content_size)) return failed;
    raw_block block = {0};
    while (!block.is_last) {
        if (!read_block((const uint8_t *)bytes + at, size - at, &block)) return failed;
        at += BLOCK_HEADER + block.stored_size;
    }
    return at;
}

size_t ZSTD_decompress(void *to, size_t capacity, const void *from, size_t size)
{
    const uint8_t *bytes = from;
    size_t at;
    uint64_t content_size;
    if (!read_header(bytes, size, &at, &content_size)) return failed;
    size_t done = 0;
    raw_block block = {0};
    while (!block.is_last) {
        if (!read_block(bytes + at, size - at, &block)) return failed;
        at += BLOCK_HEADER;
        if (block.type > REPEATED || block.size > capacity - done) return failed;
        if (block.type == REPEATED)
            memset((uint8_t *)to + done, bytes[at], block.size);
        else if (block.size > 0)
            memcpy((uint8_t *)to + done, bytes + at, block.size);
        at += block.stored_size;
        done += block.size;
    }
    return done;
}
