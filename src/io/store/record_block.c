// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/record_block.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"

// As in a snapshot, but for one letter.
static const uint8_t magic[8] = {0x89, 'J', 'B', 'R', '\r', '\n', 0x1a, '\n'};
static const uint8_t mark[4] = {'J', 'B', 'W', 'B'};

enum { HEAD_HASHED = JBW_RECORD_BLOCK_HEAD_SIZE - 8, KIND_BITS = 16 };

// ---- heads ----

void jbw_recording_header_encode(uint8_t out[JBW_RECORDING_HEADER_SIZE])
{
    memcpy(out, magic, sizeof magic);
    jbw_put_u32(out + 8, JBW_RECORDING_VERSION);
    jbw_put_u32(out + 12, 0);
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

// ---- reading ----

static jbw_status fail_read(int error_number, jbw_error *error)
{
    char reason[128];
    if (strerror_r(error_number, reason, sizeof reason) != 0) reason[0] = '\0';
    jbw_error_set(error, 0, 0, "cannot be read: %s", reason);
    return JBW_READ_FAILED;
}

// reads all of it; a file that became shorter meanwhile is JBW_NOT_FOUND
static jbw_status read_at(const jbw_record_block_file *file, uint64_t offset, uint8_t *out,
                          size_t size, jbw_error *error)
{
    while (size > 0) {
        const ssize_t got = pread(file->descriptor, out, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_read(errno, error);
        if (got == 0) return JBW_NOT_FOUND;
        out += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return JBW_OK;
}

// Moves the window so that `size` bytes from an offset on can be seen. NULL at the end of the file,
// or if reading failed.
static const uint8_t *look(jbw_record_block_file *file, uint64_t offset, size_t size,
                           jbw_status *status, jbw_error *error)
{
    *status = JBW_NOT_FOUND;
    if (offset > file->size || size > file->size - offset) return NULL;
    if (offset < file->window_offset || offset - file->window_offset + size > file->window_size) {
        uint64_t wanted = file->size - offset;
        if (wanted > sizeof file->window) wanted = sizeof file->window;
        file->window_size = 0; // until it has been read
        *status = read_at(file, offset, file->window, (size_t)wanted, error);
        if (*status) return NULL;
        file->window_offset = offset;
        file->window_size = (size_t)wanted;
    }
    *status = JBW_OK;
    return file->window + (offset - file->window_offset);
}

static jbw_status check_header(const uint8_t *header, jbw_error *error)
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

jbw_status jbw_record_block_file_open(jbw_record_block_file *file, int descriptor, jbw_error *error)
{
    file->descriptor = descriptor;
    file->size = 0;
    file->window_offset = 0;
    file->window_size = 0;
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail_read(errno, error);
    if (!S_ISREG(status.st_mode)) {
        jbw_error_set(error, 0, 0, "is not a plain file, which a recording must be");
        return JBW_INVALID_DATA;
    }
    file->size = (uint64_t)status.st_size;
    jbw_status result;
    const uint8_t *header = look(file, 0, JBW_RECORDING_HEADER_SIZE, &result, error);
    return result == JBW_READ_FAILED ? result : check_header(header, error);
}

jbw_status jbw_record_block_read_head(jbw_record_block_file *file, uint64_t offset,
                                      jbw_record_block *out, jbw_error *error)
{
    jbw_status status;
    const uint8_t *bytes = look(file, offset, JBW_RECORD_BLOCK_HEAD_SIZE, &status, error);
    if (!bytes) return status;
    const bool is_whole = jbw_record_block_head_decode(bytes, offset, out) &&
                          out->size <= file->size - offset - JBW_RECORD_BLOCK_HEAD_SIZE;
    return is_whole ? JBW_OK : JBW_NOT_FOUND;
}

jbw_status jbw_record_block_read_body(jbw_record_block_file *file, const jbw_record_block *block,
                                      uint64_t limit, jbw_buffer *out, jbw_error *error)
{
    out->size = 0;
    if (block->size > limit || block->size > SIZE_MAX / 2) {
        jbw_error_set(error, 0, 0,
                      "the block at byte %" PRIu64 " has %" PRIu64 " bytes, the limit is %" PRIu64,
                      block->offset, block->size, limit);
        return JBW_OUT_OF_MEMORY;
    }
    jbw_writer writer = jbw_writer_begin(out);
    uint8_t *room = jbw_writer_room(&writer, (size_t)block->size);
    if (!room) {
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
        return JBW_OUT_OF_MEMORY;
    }
    const jbw_status status =
        read_at(file, block->offset + JBW_RECORD_BLOCK_HEAD_SIZE, room, (size_t)block->size, error);
    if (status == JBW_READ_FAILED) return status;
    if (status || jbw_record_block_body_hash(room, (size_t)block->size) != block->body_hash) {
        jbw_error_set(error, 0, 0, "the block at byte %" PRIu64 " is damaged: wrong checksum",
                      block->offset);
        return JBW_INVALID_DATA;
    }
    jbw_writer_advance(&writer, room + block->size);
    return JBW_OK;
}

jbw_status jbw_record_block_search(jbw_record_block_file *file, uint64_t offset,
                                   jbw_record_block *out, jbw_error *error)
{
    jbw_status status;
    for (;; offset++) {
        const uint8_t *bytes = look(file, offset, JBW_RECORD_BLOCK_HEAD_SIZE, &status, error);
        if (!bytes) return status;
        if (jbw_record_block_head_decode(bytes, offset, out)) return JBW_OK;
    }
}
