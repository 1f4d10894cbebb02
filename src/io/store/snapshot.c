// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The contents of a snapshot: notes, then the state of the world (jbw/state.h).
//
//     count | name, size, bytes | name, size, bytes | ... | state

#include "jbw/snapshot.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "io/store/file.h"
#include "io/store/file_writer.h"
#include "io/store/snapshot_frame.h"
#include "io/store/snapshot_stream.h"
#include "io/store/store.h"

enum { MAX_NAME_LENGTH = 63 };

// ---- notes ----

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool jbw_is_note_name(const char *name)
{
    size_t length = 0;
    while (name && length <= MAX_NAME_LENGTH && is_name_letter(name[length])) length++;
    return length >= 1 && length <= MAX_NAME_LENGTH && name[length] == '\0';
}

static const jbw_note *find_note(const jbw_note *notes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].name, name) == 0) return &notes[i];
    return NULL;
}

const jbw_note *jbw_loaded_note(const jbw_loaded *loaded, const char *name)
{
    const jbw_note *note = find_note(loaded->notes, loaded->note_count, name);
    return note && note->bytes ? note : NULL;
}

void jbw_loaded_drop_note(jbw_loaded *loaded, const char *name)
{
    jbw_note *note = (jbw_note *)jbw_loaded_note(loaded, name);
    if (!note) return;
    jbw_free(&loaded->allocator, (void *)note->bytes, note->size + 1);
    note->bytes = NULL;
    note->size = 0;
}

static void free_note(const jbw_allocator *allocator, jbw_note *note)
{
    // both end in a zero
    if (note->name) jbw_free(allocator, (void *)note->name, strlen(note->name) + 1);
    if (note->bytes) jbw_free(allocator, (void *)note->bytes, note->size + 1);
}

void jbw_loaded_free(jbw_loaded *loaded)
{
    jbw_world_destroy(loaded->world);
    jbw_model_destroy(loaded->model);
    for (size_t i = 0; i < loaded->note_count; i++)
        free_note(&loaded->allocator, &loaded->notes[i]);
    jbw_free(&loaded->allocator, loaded->notes, loaded->note_count * sizeof *loaded->notes);
    *loaded = (jbw_loaded){0};
}

static bool are_names_good(const jbw_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jbw_is_note_name(notes[i].name) || find_note(notes, i, notes[i].name)) return false;
    return true;
}

static void write_notes(jbw_writer *writer, const jbw_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jbw_write_text(writer, notes[i].name);
        jbw_write_varint(writer, notes[i].size);
        jbw_write_bytes(writer, notes[i].bytes, notes[i].size);
    }
}

// a copy with a terminating zero
static void *copy_bytes(const jbw_allocator *allocator, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = jbw_alloc(allocator, size + 1);
    if (!copy) return NULL;
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = 0;
    return copy;
}

static jbw_status read_note(jbw_reader *in, const jbw_allocator *allocator, jbw_loaded *loaded,
                            size_t index)
{
    const size_t length = jbw_read_count(in, 1);
    const uint8_t *name = jbw_read_bytes(in, length);
    const size_t size = jbw_read_count(in, 1);
    const uint8_t *bytes = jbw_read_bytes(in, size);
    if (!in->ok || length > MAX_NAME_LENGTH) return JBW_INVALID_DATA;

    jbw_note *note = &loaded->notes[index];
    note->name = copy_bytes(allocator, name, length);
    note->bytes = copy_bytes(allocator, bytes, size);
    note->size = size;
    if (!note->name || !note->bytes) return JBW_OUT_OF_MEMORY;
    const bool is_good = strlen(note->name) == length && jbw_is_note_name(note->name) &&
                         !find_note(loaded->notes, index, note->name);
    return is_good ? JBW_OK : JBW_INVALID_DATA;
}

static jbw_status read_notes(jbw_reader *in, const jbw_allocator *allocator, jbw_loaded *loaded)
{
    enum { LEAST_NOTE_BYTES = 3 };
    const size_t count = jbw_read_count(in, LEAST_NOTE_BYTES);
    if (!in->ok) return JBW_INVALID_DATA;
    if (count == 0) return JBW_OK;
    loaded->notes = jbw_alloc_zero(allocator, count, sizeof *loaded->notes);
    if (!loaded->notes) return JBW_OUT_OF_MEMORY;
    loaded->note_count = count;
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = read_note(in, allocator, loaded, i);
        if (status) return status;
    }
    return JBW_OK;
}

// ---- in memory ----

jbw_status jbw_snapshot_encode(const jbw_world *world, const jbw_note *notes, size_t note_count,
                               jbw_buffer *out)
{
    if (!are_names_good(notes, note_count)) return JBW_INVALID_ARGUMENT;
    jbw_buffer contents = {.allocator = out->allocator};
    jbw_writer writer = jbw_writer_begin(&contents);
    jbw_write_varint(&writer, note_count);
    write_notes(&writer, notes, note_count);
    jbw_status status = writer.ok ? jbw_world_encode(world, &contents) : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_snapshot_pack(contents.bytes, contents.size, out);
    jbw_buffer_free(&contents);
    return status;
}

static jbw_status decode_contents(const jbw_buffer *contents, uint64_t left,
                                  const jbw_load_options *options, jbw_loaded *out,
                                  jbw_error *error)
{
    jbw_limit limit = {.from = options->allocator, .left = left};
    const jbw_allocator allocator = jbw_limit_allocator(&limit);
    jbw_reader in = jbw_reader_begin(contents->bytes, contents->size);
    const jbw_status status = read_notes(&in, &allocator, out);
    if (status == JBW_INVALID_DATA)
        jbw_error_set(error, 0, 0, "the snapshot is damaged: its notes cannot be read");
    else if (status)
        jbw_error_set_status(error, status);
    if (status) return status;

    jbw_load_options rest = *options;
    rest.memory_limit = limit.left > 0 ? limit.left : 1;
    return jbw_world_decode(in.at, jbw_reader_left(&in), &rest, &out->model, &out->world, error);
}

static uint64_t limit_of(const jbw_load_options *options, size_t size)
{
    return options->memory_limit ? options->memory_limit
                                 : jbw_limit_default(size, options->memory_budget);
}

// the second half of decoding, if the first one went well; frees the contents
static jbw_status decode_unpacked(jbw_status status, jbw_buffer *contents, uint64_t limit,
                                  const jbw_load_options *options, jbw_loaded *out,
                                  jbw_error *error)
{
    *out = (jbw_loaded){.allocator = options->allocator};
    // the contents and the world are in memory at the same time
    const uint64_t left = limit > contents->capacity ? limit - contents->capacity : 0;
    if (!status) status = decode_contents(contents, left, options, out, error);
    jbw_buffer_free(contents);
    if (status) jbw_loaded_free(out);
    return status;
}

jbw_status jbw_snapshot_decode(const void *bytes, size_t size, const jbw_load_options *options,
                               jbw_loaded *out, jbw_error *error)
{
    static const jbw_load_options default_options = {0};
    if (!options) options = &default_options;
    if (error) *error = (jbw_error){0};
    const uint64_t limit = limit_of(options, size);
    jbw_buffer contents = {.allocator = options->allocator};
    const jbw_status status = jbw_snapshot_unpack(bytes, size, limit, &contents, error);
    return decode_unpacked(status, &contents, limit, options, out, error);
}

// ---- in a file ----

static void explain_encoding(jbw_status status, const char *path, jbw_error *error)
{
    const bool is_note = status == JBW_INVALID_ARGUMENT;
    jbw_error_set(error, 0, 0, "cannot be written: %s",
                  is_note ? "a note has an invalid or duplicate name" : jbw_status_text(status));
    jbw_error_set_path(error, path);
}

jbw_status jbw_snapshot_write(const jbw_world *world, const jbw_note *notes, size_t note_count,
                              const char *path, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    const jbw_allocator allocator = jbw_model_allocator(jbw_world_model(world));
    jbw_buffer bytes = {.allocator = allocator};
    jbw_status status = jbw_snapshot_encode(world, notes, note_count, &bytes);
    if (status) {
        explain_encoding(status, path, error);
    } else {
        jbw_file_writer file;
        status = jbw_file_writer_open(&file, path, &allocator, error);
        if (!status) {
            jbw_file_writer_write(&file, bytes.bytes, bytes.size);
            status = jbw_file_writer_commit(&file, error);
        }
    }
    jbw_buffer_free(&bytes);
    return status;
}

// ---- with a long note ----

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

static bool collect_bytes(void *user, const void *bytes, size_t size)
{
    return jbw_buffer_append(user, bytes, size);
}

// what is sent to a file: at most as many bytes as were counted
typedef struct note_stream {
    jbw_snapshot_stream *stream;
    uint64_t left;
} note_stream;

static bool stream_bytes(void *user, const void *bytes, size_t size)
{
    note_stream *note = user;
    if (size > note->left) return false;
    note->left -= size;
    return jbw_snapshot_stream_add(note->stream, bytes, size);
}

static jbw_status stream_contents(jbw_snapshot_stream *stream, jbw_file_writer *file,
                                  const jbw_buffer *before, const jbw_long_note *note,
                                  uint64_t note_size, const jbw_buffer *after)
{
    note_stream sent = {.stream = stream, .left = note_size};
    jbw_status status = JBW_OK;
    if (!jbw_snapshot_stream_begin(stream, file, before->size + note_size + after->size) ||
        !jbw_snapshot_stream_add(stream, before->bytes, before->size))
        status = JBW_WRITE_FAILED;
    if (!status) status = note->send(note->user, (jbw_sink){stream_bytes, &sent});
    if (!status && sent.left > 0) status = JBW_INVALID_ARGUMENT;
    if (!status && (!jbw_snapshot_stream_add(stream, after->bytes, after->size) ||
                    !jbw_snapshot_stream_end(stream)))
        status = JBW_WRITE_FAILED;
    return stream->is_out_of_memory ? JBW_OUT_OF_MEMORY : status;
}

// to a file that can be rewound
static jbw_status write_streamed(const jbw_world *world, const jbw_note *notes, size_t note_count,
                                 const jbw_long_note *long_note, jbw_file_writer *file,
                                 const jbw_allocator *allocator)
{
    uint64_t size = 0;
    jbw_buffer before = {.allocator = *allocator};
    jbw_buffer after = {.allocator = *allocator};
    jbw_snapshot_stream *stream = jbw_alloc_zero(allocator, 1, sizeof *stream);
    jbw_status status = stream ? long_note->send(long_note->user, (jbw_sink){count_bytes, &size})
                               : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_world_encode(world, &after);
    if (!status) {
        jbw_writer writer = jbw_writer_begin(&before);
        jbw_write_varint(&writer, note_count + 1);
        write_notes(&writer, notes, note_count);
        jbw_write_text(&writer, long_note->name);
        jbw_write_varint(&writer, size);
        status = writer.ok ? stream_contents(stream, file, &before, long_note, size, &after)
                           : JBW_OUT_OF_MEMORY;
        jbw_snapshot_stream_deinit(stream);
    }
    jbw_free(allocator, stream, sizeof *stream);
    jbw_buffer_free(&before);
    jbw_buffer_free(&after);
    return status;
}

// to something else, through memory
static jbw_status write_collected(const jbw_world *world, const jbw_note *notes, size_t note_count,
                                  const jbw_long_note *long_note, jbw_file_writer *file,
                                  const jbw_allocator *allocator)
{
    jbw_buffer bytes = {.allocator = *allocator};
    jbw_buffer snapshot = {.allocator = *allocator};
    jbw_note *all = jbw_alloc_zero(allocator, note_count + 1, sizeof *all);
    jbw_status status = all ? long_note->send(long_note->user, (jbw_sink){collect_bytes, &bytes})
                            : JBW_OUT_OF_MEMORY;
    if (status == JBW_WRITE_FAILED) status = JBW_OUT_OF_MEMORY; // only memory can refuse
    if (!status) {
        if (note_count > 0) memcpy(all, notes, note_count * sizeof *all);
        all[note_count] = (jbw_note){long_note->name, bytes.bytes, bytes.size};
        status = jbw_snapshot_encode(world, all, note_count + 1, &snapshot);
    }
    if (!status) jbw_file_writer_write(file, snapshot.bytes, snapshot.size);
    jbw_free(allocator, all, (note_count + 1) * sizeof *all);
    jbw_buffer_free(&bytes);
    jbw_buffer_free(&snapshot);
    return status;
}

jbw_status jbw_snapshot_write_long(const jbw_world *world, const jbw_note *notes, size_t note_count,
                                   const jbw_long_note *long_note, const char *path,
                                   jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    const jbw_allocator allocator = jbw_model_allocator(jbw_world_model(world));
    jbw_status status = JBW_OK;
    if (!are_names_good(notes, note_count) || !jbw_is_note_name(long_note->name) ||
        find_note(notes, note_count, long_note->name))
        status = JBW_INVALID_ARGUMENT;
    if (status) {
        explain_encoding(status, path, error);
        return status;
    }
    jbw_file_writer file;
    status = jbw_file_writer_open(&file, path, &allocator, error);
    if (status) return status;
    status = jbw_file_writer_can_rewind(&file)
                 ? write_streamed(world, notes, note_count, long_note, &file, &allocator)
                 : write_collected(world, notes, note_count, long_note, &file, &allocator);
    // a file that cannot be written says itself why
    if (!status || file.error_number != 0) return jbw_file_writer_commit(&file, error);
    explain_encoding(status, path, error);
    jbw_file_writer_abandon(&file);
    return status;
}

jbw_status jbw_snapshot_read(const char *path, const jbw_load_options *options, jbw_loaded *out,
                             jbw_error *error)
{
    static const jbw_load_options default_options = {0};
    if (!options) options = &default_options;
    if (error) *error = (jbw_error){0};
    *out = (jbw_loaded){0};
    const uint64_t limit = options->memory_limit ? options->memory_limit : UINT64_MAX;
    const size_t most = limit < SIZE_MAX / 2 ? (size_t)limit : SIZE_MAX / 2;
    char *bytes;
    size_t size;
    jbw_status status = jbw_file_read(path, most, &options->allocator, &bytes, &size, error);
    if (!status) {
        jbw_load_options rest = *options;
        if (rest.memory_limit > 0) rest.memory_limit = limit > size ? limit - size : 1;
        const uint64_t most_contents = limit_of(&rest, size);
        jbw_buffer contents = {.allocator = options->allocator};
        status = jbw_snapshot_unpack((const uint8_t *)bytes, size, most_contents, &contents, error);
        jbw_free(&options->allocator, bytes, size + 1); // before the notes are copied
        status = decode_unpacked(status, &contents, most_contents, &rest, out, error);
    }
    if (status) jbw_error_set_path(error, path);
    return status;
}
