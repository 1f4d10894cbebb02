// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The state of a world as bytes, the same on every platform, and copies of worlds in memory.
/// docs/snapshot_format.md describes the bytes. Files, compression and checksums are in snapshot.h.
#ifndef JBW_STATE_H
#define JBW_STATE_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Makes a copy of a world that goes on by itself. What both have in common is shared until one of
/// them changes it, so a copy is cheap. Copies may live in different threads. The functions set by
/// `jbw_world_on_step` and `jbw_world_on_operation` are not copied.
JBW_API jbw_status jbw_world_clone(const jbw_world *world, jbw_world **out);

/// How to read a world from bytes; all zero is fine.
typedef struct jbw_load_options {
    /// Used, instead of a new one, if its config is equal; may be NULL. Saves the time of compiling
    /// it. The world then takes its memory from where the model does. What functions of the user's
    /// own do cannot be compared, only their names.
    const jbw_model *model;
    const jbw_intensity_function *intensity_functions; ///< the user's own, known by name
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator; ///< of the new model and world
    /// No more bytes than this are asked for, which is checked before; zero means 16 GiB. Bytes from
    /// people you do not know deserve less: how long a model takes to compile is bounded only by
    /// the memory it may have.
    uint64_t memory_limit;
    /// Megabytes for an invariant world, as in a config, which are not saved with it; zero means 64.
    /// Not used with a model of one's own, which has its own.
    int memory_budget;
} jbw_load_options;

/// Appends a world to a buffer: its config and all of its state. On failure the buffer is as it was.
JBW_API jbw_status jbw_world_encode(const jbw_world *world, jbw_buffer *out);

/// Makes a world from the bytes that `jbw_world_encode` wrote; the same, down to the bits of its
/// future, on every platform. `options` may be NULL. `*model` is the model that was made for it, to
/// be destroyed after it, or NULL if `options->model` serves. The bytes may come from anywhere:
/// whatever they are, what comes of them is a failure or a world that is safe to use. Anything wrong
/// with them is JBW_INVALID_DATA, functions that are not known or do not fit are
/// JBW_INVALID_CONFIG, more memory than the limit is JBW_OUT_OF_MEMORY; `error` (may be NULL) says
/// more. On failure both are NULL.
JBW_API jbw_status jbw_world_decode(const void *bytes, size_t size, const jbw_load_options *options,
                                    jbw_model **model, jbw_world **world, jbw_error *error);

JBW_END_DECLS

#endif
