// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Listens to what is done to a world and writes it down, block by block:
//
//     operation --code--> log in memory --when full, or now and then: compress--> block --> file
//
// What is kept in memory is one block. Hashes and snapshots are due after so many steps; both take
// time that grows with the map, so by default they become rarer as it grows. When they are due
// depends on the world alone, never on the clock: the same life makes the same recording.

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "io/store/operation_code.h"
#include "io/store/record_file.h"
#include "io/store/recording_index.h"
#include "jbw/recording.h"

enum {
    DEFAULT_HASH_EVERY = 10000,
    DEFAULT_SNAPSHOT_EVERY = 1000000,
    DEFAULT_FLUSH_EVERY = 1000,
    HASH_STEPS_PER_PATCH = 100,      // by default no more often: about a percent of the time
    SNAPSHOT_STEPS_PER_PATCH = 1000, // the same
    LOG_SIZE = 1 << 18,              // of the log in memory: then it is written out
    COMPRESSION_LEVEL = 1,           // of zstd; logs are nearly as small as with higher ones
};

struct jbw_recorder {
    jbw_world *world;
    jbw_allocator allocator;
    char *path; // for messages
    jbw_record_file file;
    jbw_recorder_options options; // its notes are copies
    ZSTD_CCtx *compressor;

    // the log since the last block
    jbw_buffer log;
    jbw_log_state log_state;
    uint64_t first_time;
    uint64_t operation_count;
    uint64_t hash_count;
    bool is_hash_known; // that of the world as it is now was written down: this one
    uint64_t last_hash;

    uint64_t time; // of the world after the last operation
    uint64_t flush_time;
    uint64_t hash_time;
    uint64_t snapshot_time;

    jbw_buffer block; // being put together
    jbw_status status;
    jbw_error error;
};

// ---- when something is due ----

static uint64_t add_steps(uint64_t time, uint64_t steps)
{
    return steps < UINT64_MAX - time ? time + steps : UINT64_MAX;
}

static uint64_t interval(const jbw_recorder *r, uint64_t asked, uint64_t least,
                         uint64_t steps_per_patch)
{
    if (asked > 0) return asked;
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

// Keeps the first failure, which `error` may say more about; from then on nothing is noted.
static void fail(jbw_recorder *r, jbw_status status, const jbw_error *error)
{
    if (r->status) return;
    r->status = status;
    jbw_error_set(&r->error, 0, 0, "%s: %s", r->path,
                  error ? error->text : jbw_status_text(status));
}

// room for a head at the beginning of the block, to be filled in at the end
static jbw_writer begin_block(jbw_recorder *r)
{
    static const uint8_t nothing[JBW_RECORD_BLOCK_HEAD_SIZE];
    r->block.size = 0;
    jbw_writer writer = jbw_writer_begin(&r->block);
    jbw_write_bytes(&writer, nothing, sizeof nothing);
    return writer;
}

// completes the head of the block that is `skipped` bytes into the buffer
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
        jbw_record_file_append(&r->file, r->block.bytes, r->block.size, &error);
    if (status) fail(r, status, &error);
}

static jbw_record_block describe_snapshot(const jbw_recorder *r, uint64_t world_hash)
{
    return (jbw_record_block){.kind = JBW_RECORD_BLOCK_SNAPSHOT,
                              .has_world_hash = true,
                              .world_hash = world_hash,
                              .first_time = r->time,
                              .last_time = r->time};
}

// writes out the log, if there is any
static void write_log(jbw_recorder *r)
{
    plan_flush(r);
    if (r->status || r->log.size == 0) return;
    jbw_writer writer = begin_block(r);
    const size_t most = ZSTD_compressBound(r->log.size);
    uint8_t *room = jbw_writer_room(&writer, most);
    if (!room) {
        fail(r, JBW_OUT_OF_MEMORY, NULL);
        return;
    }
    const size_t size =
        ZSTD_compressCCtx(r->compressor, room, most, r->log.bytes, r->log.size, COMPRESSION_LEVEL);
    if (ZSTD_isError(size)) {
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

// The hash stands in the log too: so it is known to be that of the world which was replayed.
static void write_snapshot(jbw_recorder *r)
{
    plan_snapshot(r);
    note_hash(r);
    write_log(r);
    if (r->status) return;
    begin_block(r);
    const jbw_status status =
        r->block.size < JBW_RECORD_BLOCK_HEAD_SIZE
            ? JBW_OUT_OF_MEMORY
            : jbw_snapshot_encode(r->world, r->options.notes, r->options.note_count, &r->block);
    if (status) {
        fail(r, status, NULL);
        return;
    }
    jbw_record_block block = describe_snapshot(r, r->last_hash);
    end_block(r, &block, 0);
    append_block(r);
    jbw_buffer_free(&r->block); // it may be large, and will not be needed for long
}

static void sync(jbw_recorder *r, bool is_asked)
{
    if (r->status) return;
    jbw_error error;
    const jbw_status status = is_asked ? jbw_record_file_sync(&r->file, &error)
                                       : jbw_record_file_sync_if_due(&r->file, &error);
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

// ---- beginning ----

static void destroy(jbw_recorder *r)
{
    if (!r) return;
    jbw_record_file_close(&r->file);
    ZSTD_freeCCtx(r->compressor);
    jbw_buffer_free(&r->log);
    jbw_buffer_free(&r->block);
    jbw_note *notes = (jbw_note *)r->options.notes;
    for (size_t i = 0; notes && i < r->options.note_count; i++) {
        if (notes[i].name)
            jbw_free(&r->allocator, (char *)notes[i].name, strlen(notes[i].name) + 1);
        jbw_free(&r->allocator, (void *)notes[i].bytes, notes[i].size);
    }
    jbw_free(&r->allocator, notes, r->options.note_count * sizeof *notes);
    if (r->path) jbw_free(&r->allocator, r->path, strlen(r->path) + 1);
    const jbw_allocator allocator = r->allocator;
    jbw_free(&allocator, r, sizeof *r);
}

static char *copy_text(const jbw_allocator *allocator, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = jbw_alloc(allocator, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// the caller's notes need not outlive the call
static bool copy_notes(jbw_recorder *r, const jbw_recorder_options *options)
{
    const size_t count = options->note_count;
    jbw_note *notes = jbw_alloc_zero(&r->allocator, count, sizeof *notes);
    r->options.notes = notes;
    r->options.note_count = notes ? count : 0;
    if (!notes) return false;
    for (size_t i = 0; i < count; i++) {
        const jbw_note *from = &options->notes[i];
        char *name = copy_text(&r->allocator, from->name);
        void *bytes = jbw_alloc(&r->allocator, from->size);
        if (bytes && from->size > 0) memcpy(bytes, from->bytes, from->size);
        notes[i] = (jbw_note){.name = name, .bytes = bytes, .size = from->size};
        if (!name || !bytes) return false;
    }
    return true;
}

static jbw_recorder *make(jbw_world *world, const char *path, const jbw_recorder_options *options)
{
    static const jbw_recorder_options default_options;
    if (!options) options = &default_options;
    const jbw_allocator allocator = jbw_model_allocator(jbw_world_model(world));
    jbw_recorder *r = jbw_alloc_zero(&allocator, 1, sizeof *r);
    if (!r) return NULL;
    r->world = world;
    r->allocator = allocator;
    r->file.descriptor = -1;
    r->log.allocator = allocator;
    r->block.allocator = allocator;
    r->options = *options;
    r->compressor = ZSTD_createCCtx();
    r->path = copy_text(&allocator, path);
    if (copy_notes(r, options) && r->compressor && r->path) {
        r->time = jbw_world_time(world);
        r->first_time = r->time;
        plan_flush(r);
        plan_hash(r);
        plan_snapshot(r);
        return r;
    }
    destroy(r);
    return NULL;
}

static jbw_status start(jbw_recorder *r, jbw_status status, jbw_recorder **out, jbw_error *error)
{
    if (status) {
        const jbw_error before = error ? *error : (jbw_error){0};
        jbw_error_set(error, 0, 0, "%s: %s", r->path, before.text);
        destroy(r);
        return status;
    }
    jbw_world_on_operation(r->world, note_operation, r);
    *out = r;
    return JBW_OK;
}

static jbw_status fail_memory(jbw_error *error)
{
    jbw_error_set(error, 0, 0, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
    return JBW_OUT_OF_MEMORY;
}

// the header and the first snapshot
static jbw_status encode_beginning(jbw_recorder *r, jbw_error *error)
{
    uint8_t beginning[JBW_RECORDING_HEADER_SIZE + JBW_RECORD_BLOCK_HEAD_SIZE] = {0};
    jbw_recording_header_encode(beginning);
    if (!jbw_buffer_append(&r->block, beginning, sizeof beginning)) return fail_memory(error);
    const jbw_status status =
        jbw_snapshot_encode(r->world, r->options.notes, r->options.note_count, &r->block);
    if (status) {
        jbw_error_set(error, 0, 0, "the snapshot cannot be made: %s", jbw_status_text(status));
        return status;
    }
    r->last_hash = jbw_world_hash(r->world);
    r->is_hash_known = true;
    jbw_record_block block = describe_snapshot(r, r->last_hash);
    end_block(r, &block, JBW_RECORDING_HEADER_SIZE);
    return JBW_OK;
}

jbw_status jbw_recorder_create(jbw_world *world, const char *path, bool may_replace,
                               const jbw_recorder_options *options, jbw_recorder **out,
                               jbw_error *error)
{
    *out = NULL;
    jbw_recorder *r = make(world, path, options);
    if (!r) return fail_memory(error);
    jbw_status status = encode_beginning(r, error);
    if (!status)
        status = jbw_record_file_create(&r->file, path, may_replace, r->block.bytes, r->block.size,
                                        &r->allocator, error);
    jbw_buffer_free(&r->block);
    return start(r, status, out, error);
}

// ---- going on with a recording ----

// replays the end, if the hash of the last state was not written down
static jbw_status find_last_hash(const jbw_recorder *r, const char *path,
                                 const jbw_record_block *last, uint64_t *out, jbw_error *error)
{
    if (last->has_world_hash) {
        *out = last->world_hash;
        return JBW_OK;
    }
    const jbw_load_options options = {.model = jbw_world_model(r->world),
                                      .allocator = r->allocator};
    jbw_recording *recording;
    jbw_status status = jbw_recording_open(path, &options, &recording, error);
    if (!status) status = jbw_recording_seek(recording, UINT64_MAX, error);
    if (!status) *out = jbw_world_hash(jbw_recording_world(recording));
    jbw_recording_close(recording);
    return status;
}

static jbw_status check_end(jbw_recorder *r, const char *path, const jbw_recording_index *index,
                            jbw_error *error)
{
    if (index->info.last_time != r->time) {
        jbw_error_set(error, 0, 0, "ends at time %" PRIu64 ", the world is at time %" PRIu64,
                      index->info.last_time, r->time);
        return JBW_INVALID_ARGUMENT;
    }
    uint64_t hash;
    const jbw_status status = find_last_hash(r, path, &index->last, &hash, error);
    if (status) return status;
    r->last_hash = jbw_world_hash(r->world);
    r->is_hash_known = index->last.has_world_hash;
    if (r->last_hash == hash) return JBW_OK;
    jbw_error_set(error, 0, 0,
                  "ends with a world of hash %016" PRIx64 ", this world has %016" PRIx64, hash,
                  r->last_hash);
    return JBW_INVALID_ARGUMENT;
}

static jbw_status open_end(jbw_recorder *r, const char *path, jbw_recording_index *index,
                           jbw_error *error)
{
    jbw_record_block_file *blocks = jbw_alloc(&r->allocator, sizeof *blocks);
    if (!blocks) return fail_memory(error);
    jbw_status status = jbw_record_block_file_open(blocks, r->file.descriptor, error);
    if (!status) status = jbw_recording_index_read(index, blocks, SIZE_MAX, &r->allocator, error);
    if (!status) status = check_end(r, path, index, error);
    if (!status) status = jbw_recording_index_check_torn(index, blocks, error);
    jbw_free(&r->allocator, blocks, sizeof *blocks);
    return status;
}

jbw_status jbw_recorder_append(jbw_world *world, const char *path,
                               const jbw_recorder_options *options, jbw_recorder **out,
                               jbw_error *error)
{
    *out = NULL;
    jbw_recorder *r = make(world, path, options);
    if (!r) return fail_memory(error);
    jbw_recording_index index = {.allocator = r->allocator};
    jbw_status status = jbw_record_file_open(&r->file, path, error);
    if (!status) status = open_end(r, path, &index, error);
    if (!status) status = jbw_record_file_cut(&r->file, index.info.size, error);
    if (!status) status = jbw_record_file_sync(&r->file, error);
    jbw_recording_index_free(&index);
    return start(r, status, out, error);
}

// ---- flushing and ending ----

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
    // with the last hash there, going on with the recording needs no replaying
    if (!recorder->status) note_hash(recorder);
    const jbw_status status = jbw_recorder_flush(recorder, error);
    jbw_world_on_operation(recorder->world, NULL, NULL);
    destroy(recorder);
    return status;
}
