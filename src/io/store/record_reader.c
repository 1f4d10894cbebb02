// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/record_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "io/store/store.h"

static jbw_status fail_read(int error_number, jbw_error *error)
{
    return jbw_store_fail(error, JBW_READ_FAILED, "cannot be read", error_number);
}

// reads all of it; JBW_NOT_FOUND if the file has become shorter
static jbw_status read_at(const jbw_record_reader *reader, uint64_t offset, uint8_t *out,
                          size_t size, jbw_error *error)
{
    while (size > 0) {
        const ssize_t got = pread(reader->descriptor, out, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_read(errno, error);
        if (got == 0) return JBW_NOT_FOUND;
        out += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return JBW_OK;
}

// Moves the window so that it shows `size` bytes from an offset. NULL at the end of the file, or if
// reading failed.
static const uint8_t *look(jbw_record_reader *reader, uint64_t offset, size_t size,
                           jbw_status *status, jbw_error *error)
{
    *status = JBW_NOT_FOUND;
    if (offset > reader->size || size > reader->size - offset) return NULL;
    if (offset < reader->window_offset ||
        offset - reader->window_offset + size > reader->window_size) {
        uint64_t wanted = reader->size - offset;
        if (wanted > sizeof reader->window) wanted = sizeof reader->window;
        reader->window_size = 0; // until it has been read
        *status = read_at(reader, offset, reader->window, (size_t)wanted, error);
        if (*status) return NULL;
        reader->window_offset = offset;
        reader->window_size = (size_t)wanted;
    }
    *status = JBW_OK;
    return reader->window + (offset - reader->window_offset);
}

jbw_status jbw_record_reader_open(jbw_record_reader *reader, int descriptor, jbw_error *error)
{
    reader->descriptor = descriptor;
    reader->size = 0;
    reader->window_offset = 0;
    reader->window_size = 0;
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail_read(errno, error);
    if (!S_ISREG(status.st_mode)) {
        jbw_error_set(error, 0, 0, "is not a regular file");
        return JBW_INVALID_DATA;
    }
    reader->size = (uint64_t)status.st_size;
    jbw_status result;
    const uint8_t *header = look(reader, 0, JBW_RECORDING_HEADER_SIZE, &result, error);
    return result == JBW_READ_FAILED ? result : jbw_recording_header_check(header, error);
}

jbw_status jbw_record_reader_read_head(jbw_record_reader *reader, uint64_t offset,
                                       jbw_record_block *out, jbw_error *error)
{
    jbw_status status;
    const uint8_t *bytes = look(reader, offset, JBW_RECORD_BLOCK_HEAD_SIZE, &status, error);
    if (!bytes) return status;
    const bool is_whole = jbw_record_block_head_decode(bytes, offset, out) &&
                          out->size <= reader->size - offset - JBW_RECORD_BLOCK_HEAD_SIZE;
    return is_whole ? JBW_OK : JBW_NOT_FOUND;
}

jbw_status jbw_record_reader_read_body(jbw_record_reader *reader, const jbw_record_block *block,
                                       uint64_t limit, jbw_buffer *out, jbw_error *error)
{
    out->size = 0;
    if (block->size > limit || block->size > SIZE_MAX / 2) {
        jbw_error_set(error, 0, 0,
                      "the block at byte %" PRIu64 " has %" PRIu64 " bytes, the limit is %" PRIu64
                      "; " JBW_LIMIT_ADVICE,
                      block->offset, block->size, limit);
        return JBW_OUT_OF_MEMORY;
    }
    jbw_writer writer = jbw_writer_begin(out);
    uint8_t *room = jbw_writer_room(&writer, (size_t)block->size);
    if (!room) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    const jbw_status status = read_at(reader, block->offset + JBW_RECORD_BLOCK_HEAD_SIZE, room,
                                      (size_t)block->size, error);
    if (status == JBW_READ_FAILED) return status;
    if (status || jbw_record_block_body_hash(room, (size_t)block->size) != block->body_hash) {
        jbw_error_set(error, 0, 0, "the block at byte %" PRIu64 " is damaged: wrong checksum",
                      block->offset);
        return JBW_INVALID_DATA;
    }
    jbw_writer_advance(&writer, room + block->size);
    return JBW_OK;
}

jbw_status jbw_record_reader_search(jbw_record_reader *reader, uint64_t offset,
                                    jbw_record_block *out, jbw_error *error)
{
    jbw_status status;
    for (;; offset++) {
        const uint8_t *bytes = look(reader, offset, JBW_RECORD_BLOCK_HEAD_SIZE, &status, error);
        if (!bytes) return status;
        if (jbw_record_block_head_decode(bytes, offset, out)) return JBW_OK;
    }
}
