// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/snapshot_frame.h"

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"

// As in PNG: the first byte is not ASCII, and the rest reveals converted line endings.
static const uint8_t magic[8] = {0x89, 'J', 'B', 'S', '\r', '\n', 0x1a, '\n'};

// offsets in the header
enum {
    AT_VERSION = 8,
    AT_FLAGS = 12,
    AT_CONTENT_SIZE = 16,
    AT_FRAME_SIZE = 24,
    AT_CONTENT_CHECKSUM = 32, // of the uncompressed contents
    AT_FRAME_CHECKSUM = 40,   // of the compressed contents
    AT_HEADER_CHECKSUM = 48,  // of everything before it
};

enum {
    // zstd expands a byte to at most this: a block of 4 bytes to 128 KiB
    LARGEST_RATIO = 1 << 16,
};

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, size);
    return hasher.value;
}

// ---- packing ----

void jbw_snapshot_header_encode(const jbw_snapshot_sizes *sizes,
                                uint8_t out[JBW_SNAPSHOT_HEADER_SIZE])
{
    memcpy(out, magic, sizeof magic);
    jbw_put_u32(out + AT_VERSION, JBW_SNAPSHOT_VERSION);
    jbw_put_u32(out + AT_FLAGS, 0);
    jbw_put_u64(out + AT_CONTENT_SIZE, sizes->contents);
    jbw_put_u64(out + AT_FRAME_SIZE, sizes->frame);
    jbw_put_u64(out + AT_CONTENT_CHECKSUM, sizes->content_hash);
    jbw_put_u64(out + AT_FRAME_CHECKSUM, sizes->frame_hash);
    jbw_put_u64(out + AT_HEADER_CHECKSUM, checksum(out, AT_HEADER_CHECKSUM));
}

jbw_status jbw_snapshot_pack(const uint8_t *contents, size_t size, jbw_buffer *out)
{
    const size_t bound = ZSTD_compressBound(size);
    if (ZSTD_isError(bound)) return JBW_OUT_OF_MEMORY;
    jbw_writer writer = jbw_writer_begin(out);
    uint8_t *header = jbw_writer_room(&writer, JBW_SNAPSHOT_HEADER_SIZE + bound);
    if (!header) return JBW_OUT_OF_MEMORY;

    uint8_t *frame = header + JBW_SNAPSHOT_HEADER_SIZE;
    const size_t frame_size = ZSTD_compress(frame, bound, contents, size, JBW_SNAPSHOT_COMPRESSION);
    if (ZSTD_isError(frame_size)) return JBW_OUT_OF_MEMORY; // the only possible reason

    jbw_snapshot_header_encode(&(jbw_snapshot_sizes){.contents = size,
                                                     .frame = frame_size,
                                                     .content_hash = checksum(contents, size),
                                                     .frame_hash = checksum(frame, frame_size)},
                               header);
    jbw_writer_advance(&writer, frame + frame_size);
    return JBW_OK;
}

// ---- unpacking ----

static bool begins_with(const uint8_t *bytes, size_t size, const char *beginning, size_t length)
{
    return size >= length && memcmp(bytes, beginning, length) == 0;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 256; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
            return false;
    return true;
}

// guesses what a file is that is not a snapshot
static const char *guess(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *beginning;
        size_t length;
        const char *what;
    } known[] = {
        {"\x89JBR", 4, "it is a recording"},
        {"\x89JBS", 4, "its line endings were converted, as if it were a text file"},
        {"\x89PNG", 4, "it looks like a PNG picture"},
        {"\x28\xb5\x2f\xfd", 4, "it looks like a zstd file"},
        {"\x1f\x8b", 2, "it looks like a gzip file"},
        {"PK\x03\x04", 4, "it looks like a zip file"},
    };
    if (size == 0) return "it is empty";
    if (size < sizeof magic && memcmp(bytes, magic, size) == 0) return "it is truncated";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins_with(bytes, size, known[i].beginning, known[i].length)) return known[i].what;
    if (is_text(bytes, size)) return "it looks like a text file, such as a world file";
    return "its first bytes are unknown";
}

static jbw_status fail(jbw_error *error, const char *problem)
{
    jbw_error_set(error, 0, 0, "%s", problem);
    return JBW_INVALID_DATA;
}

static jbw_status check_kind(const uint8_t *bytes, size_t size, jbw_error *error)
{
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        jbw_error_set(error, 0, 0, "not a snapshot: %s", guess(bytes, size));
        return JBW_INVALID_DATA;
    }
    if (size < JBW_SNAPSHOT_HEADER_SIZE) return fail(error, "the snapshot is truncated");
    // a newer version may have another header, but its number is in the same place
    const uint32_t version = jbw_get_u32(bytes + AT_VERSION);
    if (version > JBW_SNAPSHOT_VERSION && version < 1000) {
        jbw_error_set(error, 0, 0,
                      "the snapshot has version %u, but this library reads versions up to %d: it "
                      "was written by a newer release",
                      (unsigned)version, JBW_SNAPSHOT_VERSION);
        return JBW_INVALID_DATA;
    }
    return JBW_OK;
}

static jbw_status check_header(const uint8_t *bytes, size_t size, uint64_t limit, jbw_error *error)
{
    if (jbw_get_u64(bytes + AT_HEADER_CHECKSUM) != checksum(bytes, AT_HEADER_CHECKSUM))
        return fail(error, "the snapshot is damaged: the checksum of its header is wrong");
    if (jbw_get_u32(bytes + AT_VERSION) != JBW_SNAPSHOT_VERSION ||
        jbw_get_u32(bytes + AT_FLAGS) != 0)
        return fail(error, "the snapshot has an unknown version or unknown flags");

    const uint64_t frame_size = jbw_get_u64(bytes + AT_FRAME_SIZE);
    const uint64_t present = size - JBW_SNAPSHOT_HEADER_SIZE;
    if (present != frame_size) {
        jbw_error_set(error, 0, 0,
                      "the snapshot %s: found %llu bytes after its header, expected %llu",
                      present < frame_size ? "is truncated" : "has data after its end",
                      (unsigned long long)present, (unsigned long long)frame_size);
        return JBW_INVALID_DATA;
    }
    const uint64_t content_size = jbw_get_u64(bytes + AT_CONTENT_SIZE);
    if (content_size / LARGEST_RATIO > frame_size)
        return fail(error, "the snapshot claims to contain more than it can");
    if (content_size > limit || content_size > SIZE_MAX / 2) {
        jbw_error_set(error, 0, 0,
                      "the snapshot contains %llu bytes, more than the memory limit of %llu "
                      "bytes; " JBW_LIMIT_ADVICE,
                      (unsigned long long)content_size, (unsigned long long)limit);
        return JBW_OUT_OF_MEMORY;
    }
    return JBW_OK;
}

static jbw_status decompress(const uint8_t *bytes, size_t size, jbw_buffer *out, jbw_error *error)
{
    const uint8_t *frame = bytes + JBW_SNAPSHOT_HEADER_SIZE;
    const size_t frame_size = size - JBW_SNAPSHOT_HEADER_SIZE;
    const size_t content_size = (size_t)jbw_get_u64(bytes + AT_CONTENT_SIZE);
    if (checksum(frame, frame_size) != jbw_get_u64(bytes + AT_FRAME_CHECKSUM))
        return fail(error, "the snapshot is damaged: its checksum is wrong");
    if (ZSTD_getFrameContentSize(frame, frame_size) != content_size ||
        ZSTD_findFrameCompressedSize(frame, frame_size) != frame_size)
        return fail(error, "the snapshot is damaged: its sizes disagree");

    jbw_writer writer = jbw_writer_begin(out);
    uint8_t *contents = jbw_writer_room(&writer, content_size);
    if (!contents) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    const size_t got = ZSTD_decompress(contents, content_size, frame, frame_size);
    if (ZSTD_isError(got) || got != content_size)
        return fail(error, "the snapshot is damaged: it cannot be decompressed");
    if (checksum(contents, content_size) != jbw_get_u64(bytes + AT_CONTENT_CHECKSUM))
        return fail(error, "the snapshot is damaged: the checksum of its contents is wrong");
    jbw_writer_advance(&writer, contents + content_size);
    return JBW_OK;
}

jbw_status jbw_snapshot_unpack(const uint8_t *bytes, size_t size, uint64_t limit, jbw_buffer *out,
                               jbw_error *error)
{
    jbw_status status = check_kind(bytes, size, error);
    if (!status) status = check_header(bytes, size, limit, error);
    if (!status) status = decompress(bytes, size, out, error);
    if (status) jbw_buffer_free(out);
    return status;
}
