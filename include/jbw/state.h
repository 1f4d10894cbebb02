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
    const jbw_model *model; ///< used, instead of a new one, if its config is equal; may be NULL
    const jbw_intensity_function *intensity_functions; ///< the user's own, known by name
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator; ///< of the new model and world
    uint64_t memory_limit;   ///< more bytes than this are not asked for; zero means 16 GiB
} jbw_load_options;

/// Appends a world to a buffer: its config and all of its state. On failure the buffer is as it was.
JBW_API jbw_status jbw_world_encode(const jbw_world *world, jbw_buffer *out);

/// Makes a world from the bytes that `jbw_world_encode` wrote. `*model` is the model that was made
/// for it, to be destroyed after it, or NULL if `options->model` serves. Anything wrong with the
/// bytes is JBW_INVALID_DATA, functions that are not known are JBW_INVALID_CONFIG, more memory than
/// the limit is JBW_OUT_OF_MEMORY; `error` (may be NULL) says more. On failure both are NULL.
JBW_API jbw_status jbw_world_decode(const void *bytes, size_t size, const jbw_load_options *options,
                                    jbw_model **model, jbw_world **world, jbw_error *error);

JBW_END_DECLS

#endif
