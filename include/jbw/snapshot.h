// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots: a whole world in a file, or in memory, compressed and with a checksum. One that was
/// loaded goes on bit by bit as the one that was saved. docs/snapshot_format.md describes the bytes.
#ifndef JBW_SNAPSHOT_H
#define JBW_SNAPSHOT_H

#include "jbw/base.h"
#include "jbw/state.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Something that is kept along with a world, such as the text of its reward. Names are 1 to 63
/// letters, digits, '.', '-' and '_'; each may stand once. Where notes were loaded, a zero stands
/// behind the bytes, so that a text can be used as it is.
typedef struct jbw_note {
    const char *name;
    const void *bytes;
    size_t size;
} jbw_note;

/// What a snapshot held. To keep the model or the world, take it and leave NULL in its place; a
/// world needs the model it came with.
typedef struct jbw_loaded {
    jbw_model *model; ///< NULL if the one in the options serves
    jbw_world *world;
    jbw_note *notes; ///< in the order in which they were saved
    size_t note_count;
    jbw_allocator allocator;
} jbw_loaded;

/// Ends what is there: world, model, notes. All zero is fine.
JBW_API void jbw_loaded_free(jbw_loaded *loaded);

/// The note of that name, or NULL.
JBW_API const jbw_note *jbw_loaded_note(const jbw_loaded *loaded, const char *name);

/// Appends a snapshot to a buffer. A bad name of a note is JBW_INVALID_ARGUMENT. On failure the
/// buffer is as it was. What zstd works with, a few hundred kilobytes, comes from malloc.
JBW_API jbw_status jbw_snapshot_encode(const jbw_world *world, const jbw_note *notes,
                                       size_t note_count, jbw_buffer *out);

/// Reads a snapshot from memory. As `jbw_world_decode`; the limit of memory holds for all that is
/// asked for on the way, too. What is no snapshot at all is JBW_INVALID_DATA, and `error` says what it
/// looks like. On failure `*out` is all zero.
JBW_API jbw_status jbw_snapshot_decode(const void *bytes, size_t size,
                                       const jbw_load_options *options, jbw_loaded *out,
                                       jbw_error *error);

/// Writes a snapshot to a file: aside, flushed, renamed, the folder flushed, so that after a crash
/// at any moment the path holds the old file or the new one. On failure the old one is there.
JBW_API jbw_status jbw_snapshot_write(const jbw_world *world, const jbw_note *notes,
                                      size_t note_count, const char *path, jbw_error *error);

/// Reads a snapshot from a file. JBW_NOT_FOUND if there is none; `error` names the file.
JBW_API jbw_status jbw_snapshot_read(const char *path, const jbw_load_options *options,
                                     jbw_loaded *out, jbw_error *error);

JBW_END_DECLS

#endif
