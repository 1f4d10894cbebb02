// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Copies of worlds in memory, and the state of a world as bytes, the same on every platform.
/// docs/snapshot_format.md describes the bytes; snapshot.h adds compression, checksums and files.
#ifndef JBW_STATE_H
#define JBW_STATE_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Makes an independent copy of a world. It is cheap: the two share memory until one of them
/// changes it. Copies may be used in different threads. The functions set by `jbw_world_on_step`
/// and `jbw_world_on_operation` are not copied.
JBW_API jbw_status jbw_world_clone(const jbw_world *world, jbw_world **out);

/// How to read a world from bytes. All zero gives the defaults.
typedef struct jbw_load_options {
    /// Used instead of a new model if its config is equal, which saves the time to compile one; may
    /// be NULL. The world then uses the allocator of this model. Your own functions are compared by
    /// name only.
    const jbw_model *model;
    const jbw_intensity_function *intensity_functions; ///< your own, found by name
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator; ///< for the new model and world
    /// The most memory that loading may take, in bytes. Zero means 1,000 times the size of the
    /// bytes or of the file, or 256 MiB if that is more, and the memory budget on top: a small file
    /// that claims to hold far more than that is an attack rather than a world. The limit is checked
    /// before memory is allocated. Choose less for untrusted bytes, because this is also all that
    /// limits the time it takes to compile the model.
    uint64_t memory_limit;
    /// The memory budget of an invariant world in megabytes, as in the config; zero means 64. It is
    /// not part of the saved state. Ignored if `model` is used, which has its own.
    int memory_budget;
} jbw_load_options;

/// Appends the config and the complete state of a world to a buffer. On failure the buffer is
/// unchanged.
JBW_API jbw_status jbw_world_encode(const jbw_world *world, jbw_buffer *out);

/// Creates a world from the bytes that `jbw_world_encode` wrote; it continues bit-identically on
/// every platform. `options` may be NULL. `*model` is the new model, to be destroyed after the
/// world, or NULL if `options->model` is used.
///
/// The bytes may come from an untrusted source: the result is a failure, or a world that is safe to
/// use. JBW_INVALID_DATA if they are damaged, JBW_INVALID_CONFIG if a function is unknown or does
/// not fit, JBW_OUT_OF_MEMORY if they need more memory than the limit; `error` (may be NULL) says
/// more. On failure `*model` and `*world` are NULL.
JBW_API jbw_status jbw_world_decode(const void *bytes, size_t size, const jbw_load_options *options,
                                    jbw_model **model, jbw_world **world, jbw_error *error);

JBW_END_DECLS

#endif
