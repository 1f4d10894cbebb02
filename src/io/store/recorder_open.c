// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Creates recorders: at the beginning of a new recording, or at the end of an existing one.

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "io/store/recorder.h"
#include "io/store/recording_index.h"

void jbw_recorder_destroy(jbw_recorder *r)
{
    if (!r) return;
    jbw_append_file_close(&r->file);
    ZSTD_freeCCtx(r->compressor);
    jbw_buffer_free(&r->log);
    jbw_buffer_free(&r->block);
    jbw_arena_deinit(&r->arena);
    const jbw_allocator allocator = r->allocator;
    jbw_free(&allocator, r, sizeof *r);
}

// the caller's notes need not outlive the call
static bool copy_notes(jbw_recorder *r, const jbw_recorder_options *options)
{
    const size_t count = options->note_count;
    jbw_note *notes = jbw_arena_alloc(&r->arena, count, sizeof *notes);
    if (!notes) return false;
    for (size_t i = 0; i < count; i++) {
        const jbw_note *from = &options->notes[i];
        const char *name = jbw_arena_text(&r->arena, from->name, strlen(from->name));
        void *bytes = jbw_arena_alloc(&r->arena, from->size, 1);
        if (!name || !bytes) return false;
        if (from->size > 0) memcpy(bytes, from->bytes, from->size);
        notes[i] = (jbw_note){.name = name, .bytes = bytes, .size = from->size};
    }
    r->options.notes = notes;
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
    r->arena.allocator = allocator;
    r->file.descriptor = -1;
    r->log.allocator = allocator;
    r->block.allocator = allocator;
    r->options = *options;
    r->compressor = ZSTD_createCCtx();
    r->path = jbw_arena_text(&r->arena, path, strlen(path));
    r->time = jbw_world_time(world);
    r->first_time = r->time;
    if (copy_notes(r, options) && r->compressor && r->path) return r;
    jbw_recorder_destroy(r);
    return NULL;
}

// listens to the world if all went well, otherwise names the file in the error
static jbw_status start(jbw_recorder *r, jbw_status status, jbw_recorder **out, jbw_error *error)
{
    if (status) {
        jbw_error_set_path(error, r->path);
        jbw_recorder_destroy(r);
        return status;
    }
    jbw_recorder_listen(r);
    *out = r;
    return JBW_OK;
}

// ---- creating a recording ----

// the header and the first snapshot
static jbw_status encode_beginning(jbw_recorder *r, jbw_error *error)
{
    uint8_t header[JBW_RECORDING_HEADER_SIZE];
    jbw_recording_header_encode(header);
    if (!jbw_buffer_append(&r->block, header, sizeof header))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    r->last_hash = jbw_world_hash(r->world);
    r->is_hash_known = true;
    const jbw_status status = jbw_recorder_encode_snapshot(r);
    if (status)
        jbw_error_set(error, 0, 0, "the snapshot cannot be encoded: %s", jbw_status_text(status));
    return status;
}

jbw_status jbw_recorder_create(jbw_world *world, const char *path, bool may_replace,
                               const jbw_recorder_options *options, jbw_recorder **out,
                               jbw_error *error)
{
    *out = NULL;
    jbw_recorder *r = make(world, path, options);
    if (!r) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    jbw_status status = encode_beginning(r, error);
    if (!status)
        status = jbw_append_file_create(&r->file, path, may_replace, r->block.bytes, r->block.size,
                                        &r->allocator, error);
    jbw_buffer_free(&r->block);
    return start(r, status, out, error);
}

// ---- appending to a recording ----

// Finds the hash of the world at the end of a recording. If it was not recorded, replays the end.
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
        jbw_error_set(error, 0, 0, "ends at time %" PRIu64 ", but the world is at time %" PRIu64,
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
                  "ends with a world of hash %016" PRIx64 ", but this world has %016" PRIx64, hash,
                  r->last_hash);
    return JBW_INVALID_ARGUMENT;
}

static jbw_status open_end(jbw_recorder *r, const char *path, jbw_recording_index *index,
                           jbw_error *error)
{
    jbw_record_reader *reader = jbw_alloc(&r->allocator, sizeof *reader);
    if (!reader) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    jbw_status status = jbw_record_reader_open(reader, r->file.descriptor, error);
    if (!status) status = jbw_recording_index_read(index, reader, SIZE_MAX, &r->allocator, error);
    if (!status) status = check_end(r, path, index, error);
    if (!status) status = jbw_recording_index_check_torn(index, reader, error);
    jbw_free(&r->allocator, reader, sizeof *reader);
    return status;
}

jbw_status jbw_recorder_append(jbw_world *world, const char *path,
                               const jbw_recorder_options *options, jbw_recorder **out,
                               jbw_error *error)
{
    *out = NULL;
    jbw_recorder *r = make(world, path, options);
    if (!r) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    jbw_recording_index index = {.allocator = r->allocator};
    jbw_status status = jbw_append_file_open(&r->file, path, error);
    if (!status) status = open_end(r, path, &index, error);
    if (!status) status = jbw_append_file_truncate(&r->file, index.info.size, error);
    if (!status) status = jbw_append_file_sync(&r->file, error);
    jbw_recording_index_free(&index);
    return start(r, status, out, error);
}
