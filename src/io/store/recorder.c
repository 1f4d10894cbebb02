// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/recorder.h"

#include "base/bytes.h"
#include "base/error.h"
#include "io/store/record_block.h"
#include "io/store/store.h"

enum {
    DEFAULT_HASH_EVERY = 10000,
    DEFAULT_SNAPSHOT_EVERY = 1000000,
    DEFAULT_FLUSH_EVERY = 1000,
    HASH_STEPS_PER_PATCH = 100,      // by default no more often: about 1 % of the time
    SNAPSHOT_STEPS_PER_PATCH = 1000, // likewise
    LOG_SIZE = 1 << 18,              // at which the log in memory is written
    COMPRESSION_LEVEL = 1,           // of zstd; higher levels hardly make logs smaller
};

// ---- when hashes, snapshots and flushes are due ----

static uint64_t add_steps(uint64_t time, uint64_t steps)
{
    return steps < UINT64_MAX - time ? time + steps : UINT64_MAX;
}

static uint64_t interval(const jbw_recorder *r, uint64_t requested, uint64_t least,
                         uint64_t steps_per_patch)
{
    if (requested > 0) return requested;
    const uint64_t wanted = steps_per_patch * jbw_world_get_stats(r->world).patch_count;
    return wanted > least ? wanted : least;
}

static void plan_flush(jbw_recorder *r)
{
    r->flush_time = add_steps(r->time, r->options.flush_every > 0 ? r->options.flush_every
                                                                  : DEFAULT_FLUSH_EVERY);
}

static void plan_hash(jbw_recorder *r)
{
    r->hash_time = add_steps(
        r->time, interval(r, r->options.hash_every, DEFAULT_HASH_EVERY, HASH_STEPS_PER_PATCH));
}

static void plan_snapshot(jbw_recorder *r)
{
    r->snapshot_time =
        add_steps(r->time, interval(r, r->options.snapshot_every, DEFAULT_SNAPSHOT_EVERY,
                                    SNAPSHOT_STEPS_PER_PATCH));
}

// ---- blocks ----

// Keeps the first failure, with its detail if there is one. From then on nothing is recorded.
static void fail(jbw_recorder *r, jbw_status status, const jbw_error *error)
{
    if (r->status) return;
    r->status = status;
    jbw_error_set(&r->error, 0, 0, "%s: %s", r->path,
                  error ? error->text : jbw_status_text(status));
}

// Appends room for a head, which `end_block` fills in, to the block buffer.
static jbw_writer begin_block(jbw_recorder *r)
{
    static const uint8_t nothing[JBW_RECORD_BLOCK_HEAD_SIZE];
    jbw_writer writer = jbw_writer_begin(&r->block);
    jbw_write_bytes(&writer, nothing, sizeof nothing);
    return writer;
}

// Fills in the head of the block that starts `skipped` bytes into the buffer.
static void end_block(jbw_recorder *r, jbw_record_block *block, size_t skipped)
{
    const uint8_t *body = r->block.bytes + skipped + JBW_RECORD_BLOCK_HEAD_SIZE;
    block->size = r->block.size - skipped - JBW_RECORD_BLOCK_HEAD_SIZE;
    block->body_hash = jbw_record_block_body_hash(body, (size_t)block->size);
    block->offset = r->file.size + skipped;
    block->synced_size = r->file.synced_size;
    jbw_record_block_head_encode(block, r->block.bytes + skipped);
}

static void append_block(jbw_recorder *r)
{
    jbw_error error;
    const jbw_status status =
        jbw_append_file_write(&r->file, r->block.bytes, r->block.size, &error);
    if (status) fail(r, status, &error);
}

// writes the log to the file, unless it is empty
static void write_log(jbw_recorder *r)
{
    plan_flush(r);
    if (r->status || r->log.size == 0) return;
    r->block.size = 0;
    jbw_writer writer = begin_block(r);
    const size_t most = ZSTD_compressBound(r->log.size);
    uint8_t *room = jbw_writer_room(&writer, most);
    const size_t size = room ? ZSTD_compressCCtx(r->compressor, room, most, r->log.bytes,
                                                 r->log.size, COMPRESSION_LEVEL)
                             : 0;
    if (!room || ZSTD_isError(size)) {
        fail(r, JBW_OUT_OF_MEMORY, NULL);
        return;
    }
    jbw_writer_advance(&writer, room + size);
    jbw_record_block block = {.kind = JBW_RECORD_BLOCK_LOG,
                              .has_world_hash = r->is_hash_known,
                              .world_hash = r->is_hash_known ? r->last_hash : 0,
                              .raw_size = r->log.size,
                              .first_time = r->first_time,
                              .last_time = r->time,
                              .operation_count = r->operation_count,
                              .hash_count = r->hash_count};
    end_block(r, &block, 0);
    append_block(r);

    r->log.size = 0;
    r->log_state = (jbw_log_state){0};
    r->first_time = r->time;
    r->operation_count = 0;
    r->hash_count = 0;
}

static void note_hash(jbw_recorder *r)
{
    plan_hash(r);
    if (r->is_hash_known) return;
    jbw_writer writer = jbw_writer_begin(&r->log);
    r->last_hash = jbw_world_hash(r->world);
    jbw_log_write_hash(&writer, r->last_hash);
    if (!writer.ok) fail(r, JBW_OUT_OF_MEMORY, NULL);
    r->hash_count++;
    r->is_hash_known = true;
}

jbw_status jbw_recorder_encode_snapshot(jbw_recorder *r)
{
    const size_t skipped = r->block.size;
    if (!begin_block(r).ok) return JBW_OUT_OF_MEMORY;
    const jbw_status status =
        jbw_snapshot_encode(r->world, r->options.notes, r->options.note_count, &r->block);
    if (status) return status;
    jbw_record_block block = {.kind = JBW_RECORD_BLOCK_SNAPSHOT,
                              .has_world_hash = true,
                              .world_hash = r->last_hash,
                              .first_time = r->time,
                              .last_time = r->time};
    end_block(r, &block, skipped);
    return JBW_OK;
}

// The log before the snapshot ends with the same hash, which a replay compares with its own world.
static void write_snapshot(jbw_recorder *r)
{
    plan_snapshot(r);
    note_hash(r);
    write_log(r);
    if (r->status) return;
    r->block.size = 0;
    const jbw_status status = jbw_recorder_encode_snapshot(r);
    if (status) {
        fail(r, status, NULL);
        return;
    }
    append_block(r);
    jbw_buffer_free(&r->block); // it may be large and is rarely needed
}

jbw_status jbw_recorder_mark(jbw_recorder *r, const jbw_note *mark, jbw_error *error)
{
    if (!jbw_is_note_name(mark->name)) {
        jbw_error_set(error, 0, 0, "a mark has an invalid name");
        return JBW_INVALID_ARGUMENT;
    }
    write_log(r); // what was before it
    if (!r->status) {
        r->block.size = 0;
        jbw_writer writer = begin_block(r);
        jbw_write_text(&writer, mark->name);
        jbw_write_bytes(&writer, mark->bytes, mark->size);
        if (writer.ok) {
            jbw_record_block block = {
                .kind = JBW_RECORD_BLOCK_MARK, .first_time = r->time, .last_time = r->time};
            end_block(r, &block, 0);
            append_block(r);
        } else {
            fail(r, JBW_OUT_OF_MEMORY, NULL);
        }
    }
    return jbw_recorder_status(r, error);
}

static void sync(jbw_recorder *r, bool is_requested)
{
    if (r->status) return;
    jbw_error error;
    const jbw_status status = is_requested ? jbw_append_file_sync(&r->file, &error)
                                           : jbw_append_file_sync_if_due(&r->file, &error);
    if (status) fail(r, status, &error);
}

// ---- listening ----

static void after_step(jbw_recorder *r)
{
    const bool is_flush_due = r->time >= r->flush_time;
    if (r->time >= r->snapshot_time)
        write_snapshot(r);
    else if (r->time >= r->hash_time)
        note_hash(r);
    if (!is_flush_due) return;
    write_log(r);
    sync(r, false);
}

static void note_operation(jbw_world *world, const jbw_operation *operation, void *user)
{
    jbw_recorder *r = user;
    if (r->status) return;
    jbw_writer writer = jbw_writer_begin(&r->log);
    jbw_log_write_operation(&writer, &r->log_state, operation);
    if (!writer.ok) {
        fail(r, JBW_OUT_OF_MEMORY, NULL);
        return;
    }
    r->operation_count++;
    r->is_hash_known = false;
    const uint64_t time = jbw_world_time(world);
    if (time != r->time) {
        r->time = time;
        after_step(r);
    }
    if (r->log.size >= LOG_SIZE) write_log(r);
}

void jbw_recorder_listen(jbw_recorder *r)
{
    plan_flush(r);
    plan_hash(r);
    plan_snapshot(r);
    jbw_world_on_operation(r->world, note_operation, r);
}

// ---- flushing and closing ----

jbw_status jbw_recorder_status(const jbw_recorder *recorder, jbw_error *error)
{
    if (recorder->status && error) *error = recorder->error;
    return recorder->status;
}

jbw_status jbw_recorder_flush(jbw_recorder *recorder, jbw_error *error)
{
    write_log(recorder);
    sync(recorder, true);
    return jbw_recorder_status(recorder, error);
}

jbw_status jbw_recorder_close(jbw_recorder *recorder, jbw_error *error)
{
    if (!recorder) return JBW_OK;
    // with the final hash, the recording can be appended to without a replay
    if (!recorder->status) note_hash(recorder);
    const jbw_status status = jbw_recorder_flush(recorder, error);
    jbw_world_on_operation(recorder->world, NULL, NULL);
    jbw_recorder_destroy(recorder);
    return status;
}
