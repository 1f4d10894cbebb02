// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Replays a recording: a position in the file, and the world as it was there.
//
//     | snapshot | log | log | snapshot | log | torn
//                         ^ the position: a block, and an entry in it

#include "jbw/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "io/store/operation_log.h"
#include "io/store/recording_index.h"
#include "io/store/store.h"

struct jbw_recording {
    jbw_allocator allocator;
    jbw_load_options options;
    uint64_t replay_limit; // of the replayed map and its log, in bytes
    int descriptor;
    jbw_record_reader *blocks;
    jbw_recording_index index;
    jbw_loaded first; // the first snapshot, without its world
    ZSTD_DCtx *decompressor;

    jbw_world *world;
    uint64_t next_block;     // where the block after the position begins
    uint64_t block_offset;   // of the open log, for messages
    jbw_reader log_reader;   // of the open log
    jbw_log_state log_state; // of the open log
    bool is_after_step;      // the last operation was a step, or there was none since the snapshot

    jbw_buffer body; // of a block, compressed
    jbw_buffer mark; // the body of the latest mark that was read
    char mark_name[64];
    jbw_buffer log; // decompressed
    jbw_log_arrays arrays;
};

// ---- opening and closing ----

// the world must be the one that was recorded
static jbw_status check_snapshot(const jbw_record_block *block, const jbw_world *world,
                                 jbw_error *error)
{
    if (jbw_world_time(world) != block->last_time) {
        jbw_error_set(error, 0, 0,
                      "the snapshot at byte %" PRIu64 " is of time %" PRIu64 ", expected %" PRIu64,
                      block->offset, jbw_world_time(world), block->last_time);
        return JBW_INVALID_DATA;
    }
    if (block->has_world_hash && jbw_world_hash(world) != block->world_hash) {
        jbw_error_set(error, 0, 0,
                      "the snapshot of time %" PRIu64 " has hash %016" PRIx64 ", but %016" PRIx64
                      " was recorded",
                      block->last_time, jbw_world_hash(world), block->world_hash);
        return JBW_INVALID_DATA;
    }
    return JBW_OK;
}

// the file had a block here when it was opened
static jbw_status fail_truncated(uint64_t offset, jbw_error *error)
{
    jbw_error_set(error, 0, 0, "was truncated at byte %" PRIu64 " while it was open", offset);
    return JBW_INVALID_DATA;
}

static jbw_status load_snapshot(jbw_recording *r, uint64_t offset, jbw_loaded *out,
                                jbw_error *error)
{
    jbw_record_block block;
    jbw_status status = jbw_record_reader_read_head(r->blocks, offset, &block, error);
    if (status == JBW_NOT_FOUND) status = fail_truncated(offset, error);
    if (!status)
        status = jbw_record_reader_read_body(r->blocks, &block, r->options.memory_limit, &r->body,
                                             error);
    if (!status) status = jbw_snapshot_decode(r->body.bytes, r->body.size, &r->options, out, error);
    jbw_buffer_free(&r->body); // it may be large
    if (status) return status;
    status = check_snapshot(&block, out->world, error);
    if (status) {
        jbw_loaded_free(out);
        return status;
    }
    r->next_block = jbw_record_block_end(&block);
    r->log_reader = jbw_reader_begin(NULL, 0);
    r->is_after_step = true;
    return JBW_OK;
}

static jbw_status open_file(jbw_recording *r, const char *path, jbw_error *error)
{
    r->blocks = jbw_alloc(&r->allocator, sizeof *r->blocks);
    r->decompressor = ZSTD_createDCtx();
    if (!r->blocks || !r->decompressor) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    r->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (r->descriptor < 0) {
        const bool is_missing = errno == ENOENT || errno == ENOTDIR;
        return jbw_store_fail(error, is_missing ? JBW_NOT_FOUND : JBW_READ_FAILED,
                              "cannot be opened", errno);
    }
    const jbw_status status = jbw_record_reader_open(r->blocks, r->descriptor, error);
    if (status) return status;
    r->replay_limit = r->options.memory_limit > 0 ? r->options.memory_limit : UINT64_MAX;
    if (r->options.memory_limit == 0)
        r->options.memory_limit = jbw_limit_default(r->blocks->size, r->options.memory_budget);
    return jbw_recording_index_read(&r->index, r->blocks, r->options.memory_limit, &r->allocator,
                                    error);
}

jbw_status jbw_recording_open(const char *path, const jbw_load_options *options,
                              jbw_recording **out, jbw_error *error)
{
    static const jbw_load_options default_options;
    if (!options) options = &default_options;
    *out = NULL;
    jbw_recording *r = jbw_alloc_zero(&options->allocator, 1, sizeof *r);
    if (!r) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    r->allocator = options->allocator;
    r->options = *options;
    r->descriptor = -1;
    r->index.allocator = r->allocator;
    r->body.allocator = r->allocator;
    r->mark.allocator = r->allocator;
    r->log.allocator = r->allocator;
    r->arrays.allocator = r->allocator;

    jbw_status status = open_file(r, path, error);
    if (!status) status = load_snapshot(r, r->index.snapshots[0].offset, &r->first, error);
    if (status) {
        jbw_error_set_path(error, path);
        jbw_recording_close(r);
        return status;
    }
    r->world = r->first.world;
    r->first.world = NULL;
    if (r->first.model) r->options.model = r->first.model; // for later snapshots as well
    *out = r;
    return JBW_OK;
}

void jbw_recording_close(jbw_recording *r)
{
    if (!r) return;
    jbw_world_destroy(r->world);
    jbw_loaded_free(&r->first);
    ZSTD_freeDCtx(r->decompressor);
    jbw_log_arrays_free(&r->arrays);
    jbw_buffer_free(&r->log);
    jbw_buffer_free(&r->mark);
    jbw_buffer_free(&r->body);
    jbw_recording_index_free(&r->index);
    if (r->descriptor >= 0) close(r->descriptor);
    const jbw_allocator allocator = r->allocator;
    jbw_free(&allocator, r->blocks, sizeof *r->blocks);
    jbw_free(&allocator, r, sizeof *r);
}

jbw_recording_info jbw_recording_get_info(const jbw_recording *recording)
{
    return recording->index.info;
}

const jbw_note *jbw_recording_notes(const jbw_recording *recording, size_t *count)
{
    *count = recording->first.note_count;
    return recording->first.notes;
}

const jbw_note *jbw_recording_note(const jbw_recording *recording, const char *name)
{
    return jbw_loaded_note(&recording->first, name);
}

static jbw_status fail_mark(const jbw_record_block *block, jbw_error *error)
{
    jbw_error_set(error, 0, 0, "the mark at byte %" PRIu64 " is damaged", block->offset);
    return JBW_INVALID_DATA;
}

jbw_status jbw_recording_read_mark(jbw_recording *r, size_t index, uint64_t *time, jbw_note *out,
                                   jbw_error *error)
{
    if (index >= r->index.mark_count) return JBW_NOT_FOUND;
    const uint64_t offset = r->index.marks[index].offset;
    jbw_record_block block;
    jbw_status status = jbw_record_reader_read_head(r->blocks, offset, &block, error);
    if (status == JBW_NOT_FOUND) return fail_truncated(offset, error);
    if (!status)
        status = jbw_record_reader_read_body(r->blocks, &block, r->options.memory_limit, &r->mark,
                                             error);
    if (status) return status;
    jbw_reader reader = jbw_reader_begin(r->mark.bytes, r->mark.size);
    const size_t length = jbw_read_count(&reader, 1);
    const uint8_t *name = jbw_read_bytes(&reader, length);
    if (!name || length >= sizeof r->mark_name) return fail_mark(&block, error);
    memcpy(r->mark_name, name, length);
    r->mark_name[length] = '\0';
    if (strlen(r->mark_name) != length || !jbw_is_note_name(r->mark_name))
        return fail_mark(&block, error);
    *time = block.last_time;
    *out = (jbw_note){.name = r->mark_name, .bytes = reader.at, .size = jbw_reader_left(&reader)};
    return JBW_OK;
}

jbw_world *jbw_recording_world(jbw_recording *recording)
{
    return recording->world;
}

// ---- replaying ----

static jbw_status check_hash(const jbw_recording *r, uint64_t expected, jbw_error *error)
{
    const uint64_t found = jbw_world_hash(r->world);
    if (found == expected) return JBW_OK;
    jbw_error_set(error, 0, 0,
                  "at time %" PRIu64 " the replayed world has hash %016" PRIx64 ", but %016" PRIx64
                  " was recorded",
                  jbw_world_time(r->world), found, expected);
    return JBW_INVALID_DATA;
}

// How much a log makes the map grow is known only afterwards, but the map must not have exceeded
// the limit already.
static jbw_status check_memory(const jbw_recording *r, uint64_t more, jbw_error *error)
{
    const uint64_t used = jbw_world_get_stats(r->world).map_bytes;
    const uint64_t limit = r->replay_limit;
    if (used <= limit && more <= limit - used) return JBW_OK;
    jbw_error_set(error, 0, 0,
                  "at time %" PRIu64 " the replayed world and its log need more than the limit of "
                  "%" PRIu64 " bytes; " JBW_LIMIT_ADVICE,
                  jbw_world_time(r->world), limit);
    return JBW_OUT_OF_MEMORY;
}

static jbw_status fail_log(const jbw_record_block *block, jbw_error *error)
{
    jbw_error_set(error, 0, 0, "the log at byte %" PRIu64 " is damaged: it cannot be decompressed",
                  block->offset);
    return JBW_INVALID_DATA;
}

static jbw_status open_log(jbw_recording *r, const jbw_record_block *block, jbw_error *error)
{
    jbw_status status = check_memory(r, block->raw_size, error);
    if (!status && block->raw_size > r->options.memory_limit) {
        jbw_error_set(error, 0, 0,
                      "the log at byte %" PRIu64 " contains %" PRIu64
                      " bytes, more than the memory limit of %" PRIu64 " bytes; " JBW_LIMIT_ADVICE,
                      block->offset, block->raw_size, r->options.memory_limit);
        status = JBW_OUT_OF_MEMORY;
    }
    if (!status)
        status =
            jbw_record_reader_read_body(r->blocks, block, r->options.memory_limit, &r->body, error);
    if (status) return status;
    // compare with the size that the frame claims before allocating that much
    if (block->raw_size > SIZE_MAX / 2 ||
        ZSTD_getFrameContentSize(r->body.bytes, r->body.size) != block->raw_size)
        return fail_log(block, error);
    r->log.size = 0;
    jbw_writer writer = jbw_writer_begin(&r->log);
    uint8_t *room = jbw_writer_room(&writer, (size_t)block->raw_size);
    if (!room) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    const size_t size = ZSTD_decompressDCtx(r->decompressor, room, (size_t)block->raw_size,
                                            r->body.bytes, r->body.size);
    if (ZSTD_isError(size) || size != block->raw_size) return fail_log(block, error);
    jbw_writer_advance(&writer, room + size);
    r->log_reader = jbw_reader_begin(r->log.bytes, r->log.size);
    r->log_state = (jbw_log_state){0};
    r->block_offset = block->offset;
    return JBW_OK;
}

// Moves to the next block when the open log has no more entries. JBW_NOT_FOUND at the end.
// Snapshots are skipped, but the replayed world must be the one they contain.
static jbw_status open_next_block(jbw_recording *r, jbw_error *error)
{
    if (r->next_block >= r->index.info.size) return JBW_NOT_FOUND;
    jbw_record_block block;
    jbw_status status = jbw_record_reader_read_head(r->blocks, r->next_block, &block, error);
    if (status == JBW_NOT_FOUND) return fail_truncated(r->next_block, error);
    if (status) return status;
    const uint64_t time = jbw_world_time(r->world);
    const bool is_known =
        block.kind == JBW_RECORD_BLOCK_LOG || block.kind == JBW_RECORD_BLOCK_SNAPSHOT;
    if (is_known && block.first_time != time) {
        jbw_error_set(error, 0, 0,
                      "the block at byte %" PRIu64 " begins at time %" PRIu64
                      ", but the replayed world is at time %" PRIu64,
                      block.offset, block.first_time, time);
        return JBW_INVALID_DATA;
    }
    if (block.kind == JBW_RECORD_BLOCK_LOG) status = open_log(r, &block, error);
    if (status) return status;
    r->next_block = jbw_record_block_end(&block);
    if (block.kind != JBW_RECORD_BLOCK_SNAPSHOT || !block.has_world_hash) return JBW_OK;
    return check_hash(r, block.world_hash, error);
}

// the position stays before the entry, so that none is skipped
static jbw_status fail_entry(jbw_recording *r, const uint8_t *at, const char *why, jbw_error *error)
{
    r->log_reader.at = at;
    r->log_reader.ok = true;
    jbw_error_set(
        error, 0, 0, "the log at byte %" PRIu64 ", entry at %zu of %zu, time %" PRIu64 ": %s",
        r->block_offset, (size_t)(at - r->log.bytes), r->log.size, jbw_world_time(r->world), why);
    return JBW_INVALID_DATA;
}

static jbw_status apply(jbw_recording *r, const jbw_operation *operation, const uint8_t *at,
                        jbw_error *error)
{
    const uint64_t time = jbw_world_time(r->world);
    jbw_status status = operation->count > 64 ? check_memory(r, 0, error) : JBW_OK;
    if (!status) {
        status = jbw_world_apply(r->world, operation);
        if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    }
    if (status == JBW_OUT_OF_MEMORY || status == JBW_INTERRUPTED) {
        r->log_reader.at = at; // the caller can try again
        return status == JBW_INTERRUPTED ? jbw_error_set_status(error, status) : status;
    }
    if (status) {
        char why[160];
        snprintf(why, sizeof why, "operation %d cannot be applied: %s", (int)operation->kind,
                 jbw_status_text(status));
        return fail_entry(r, at, why, error);
    }
    r->is_after_step = jbw_world_time(r->world) != time;
    return JBW_OK;
}

// checks the hashes that follow in the open log
static jbw_status check_hashes(jbw_recording *r, jbw_error *error)
{
    while (jbw_log_has_hash(&r->log_reader)) {
        const uint8_t *at = r->log_reader.at;
        jbw_log_entry entry;
        jbw_status status = jbw_log_read(&r->log_reader, &r->log_state, &r->arrays, &entry);
        if (status) return fail_entry(r, at, "the hash is truncated", error);
        status = check_hash(r, entry.hash, error);
        if (status) return status;
    }
    return JBW_OK;
}

jbw_status jbw_recording_next(jbw_recording *r, jbw_operation *operation, jbw_error *error)
{
    jbw_status status;
    for (;;) {
        // a log may contain nothing but hashes
        status = check_hashes(r, error);
        if (status) return status;
        if (jbw_reader_left(&r->log_reader) > 0) break;
        status = open_next_block(r, error);
        if (status) return status;
    }
    const uint8_t *at = r->log_reader.at;
    jbw_log_entry entry;
    status = jbw_log_read(&r->log_reader, &r->log_state, &r->arrays, &entry);
    if (status == JBW_OUT_OF_MEMORY) {
        r->log_reader.at = at;
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    }
    if (status) return fail_entry(r, at, "these bytes are not an operation", error);
    status = apply(r, &entry.operation, at, error);
    if (status) return status;
    if (operation) *operation = entry.operation;
    return check_hashes(r, error);
}

// ---- seeking ----

static jbw_status enter(jbw_recording *r, const jbw_snapshot_place *place, jbw_error *error)
{
    jbw_loaded loaded;
    const jbw_status status = load_snapshot(r, place->offset, &loaded, error);
    if (status) return status;
    if (loaded.model) {
        jbw_error_set(error, 0, 0,
                      "the snapshot of time %" PRIu64
                      " has a different configuration from the first",
                      place->time);
        jbw_loaded_free(&loaded);
        return JBW_INVALID_DATA;
    }
    jbw_world_destroy(r->world);
    r->world = loaded.world;
    loaded.world = NULL;
    jbw_loaded_free(&loaded);
    return JBW_OK;
}

static bool is_right_after(const jbw_recording *r, uint64_t time)
{
    return r->is_after_step && jbw_world_time(r->world) == time;
}

static jbw_status replay_to(jbw_recording *r, uint64_t time, jbw_error *error)
{
    while (time == UINT64_MAX || !is_right_after(r, time)) {
        const jbw_status status = jbw_recording_next(r, NULL, error);
        if (status == JBW_NOT_FOUND && time == UINT64_MAX) return JBW_OK;
        if (status == JBW_NOT_FOUND) {
            jbw_error_set(error, 0, 0,
                          "its last operation leads to time %" PRIu64
                          ", but its blocks end at time %" PRIu64,
                          jbw_world_time(r->world), r->index.info.last_time);
            return JBW_INVALID_DATA;
        }
        if (status) return status;
    }
    return JBW_OK;
}

jbw_status jbw_recording_seek(jbw_recording *r, uint64_t time, jbw_error *error)
{
    const jbw_recording_info *info = &r->index.info;
    const bool is_end = time == UINT64_MAX;
    if (!is_end && (time < info->first_time || time > info->last_time)) {
        jbw_error_set(error, 0, 0, "covers times %" PRIu64 " to %" PRIu64 ", not %" PRIu64,
                      info->first_time, info->last_time, time);
        return JBW_NOT_FOUND;
    }
    const uint64_t now = jbw_world_time(r->world);
    const bool is_ahead = is_end || now < time || is_right_after(r, time);
    const jbw_snapshot_place *place = jbw_recording_index_find(&r->index, time);
    // continue from here, unless there is a snapshot on the way or the target is behind
    if (!is_ahead || place->offset >= r->next_block) {
        const jbw_status status = enter(r, place, error);
        if (status) return status;
    }
    return replay_to(r, time, error);
}
