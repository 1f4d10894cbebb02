// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots: a complete world in a file or in memory, compressed and with checksums. A loaded
/// world continues bit-identically to the saved one. docs/snapshot_format.md describes the bytes.
#ifndef JBW_SNAPSHOT_H
#define JBW_SNAPSHOT_H

#include "jbw/base.h"
#include "jbw/state.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Data that is saved along with a world, such as the text of its reward. Names are unique and have
/// 1 to 63 letters, digits, '.', '-' and '_'. The bytes of a loaded note are followed by a zero, so
/// a text can be used directly.
typedef struct jbw_note {
    const char *name;
    const void *bytes;
    size_t size;
} jbw_note;

/// The contents of a snapshot. To keep the model or the world, take it and set the field to NULL;
/// the world needs the model it came with.
typedef struct jbw_loaded {
    jbw_model *model; ///< NULL if the one in the options is used
    jbw_world *world;
    jbw_note *notes; ///< in the order they were saved in
    size_t note_count;
    jbw_allocator allocator;
} jbw_loaded;

/// Frees the world, the model and the notes. All zero is fine.
JBW_API void jbw_loaded_free(jbw_loaded *loaded);

/// The note with this name, or NULL.
JBW_API const jbw_note *jbw_loaded_note(const jbw_loaded *loaded, const char *name);

/// Frees the bytes of a note that is no longer needed. There is no note with this name then.
JBW_API void jbw_loaded_drop_note(jbw_loaded *loaded, const char *name);

/// Appends a snapshot to a buffer. JBW_INVALID_ARGUMENT if the name of a note is invalid. On
/// failure the buffer is unchanged. The working memory of zstd, a few hundred kilobytes, comes from
/// malloc.
JBW_API jbw_status jbw_snapshot_encode(const jbw_world *world, const jbw_note *notes,
                                       size_t note_count, jbw_buffer *out);

/// Reads a snapshot from memory, like `jbw_world_decode`; the memory limit includes temporary
/// memory. If the bytes are not a snapshot, it returns JBW_INVALID_DATA, and `error` says what they
/// look like. On failure `*out` is all zero.
JBW_API jbw_status jbw_snapshot_decode(const void *bytes, size_t size,
                                       const jbw_load_options *options, jbw_loaded *out,
                                       jbw_error *error);

/// Writes a snapshot to a file, atomically and durably: whenever a crash happens, the path has the
/// old file or the complete new one. On failure the old file is unchanged.
JBW_API jbw_status jbw_snapshot_write(const jbw_world *world, const jbw_note *notes,
                                      size_t note_count, const char *path, jbw_error *error);

/// A note that is not in memory as bytes: `send` sends them to a sink. It is called twice, first to
/// count them, and must send the same bytes both times.
typedef struct jbw_long_note {
    const char *name;
    jbw_status (*send)(void *user, jbw_sink sink);
    void *user;
} jbw_long_note;

/// Does the same with a long note behind the others. It takes little memory beyond that for the
/// state of the world, unless the path is something that cannot be rewound, such as a pipe.
JBW_API jbw_status jbw_snapshot_write_long(const jbw_world *world, const jbw_note *notes,
                                           size_t note_count, const jbw_long_note *long_note,
                                           const char *path, jbw_error *error);

/// Reads a snapshot from a file. JBW_NOT_FOUND if there is none; `error` names the file.
JBW_API jbw_status jbw_snapshot_read(const char *path, const jbw_load_options *options,
                                     jbw_loaded *out, jbw_error *error);

JBW_END_DECLS

#endif
