// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The atlas: a folder with patches of invariant worlds that were made before. Nobody needs to make
/// the same patch twice: not in another world, not in another process, not tomorrow. Any number of
/// processes may read and fill a folder at once.
///
/// Nothing but time depends on it: what is not there, or is damaged, is made again, and a folder that
/// cannot be written to, is full or vanishes is no failure of a step. docs/atlas.md describes use,
/// guarantees and format.
#ifndef JBW_ATLAS_H
#define JBW_ATLAS_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_atlas jbw_atlas;

/// The limit of a folder unless another one is set: 4 GiB.
#define JBW_ATLAS_DEFAULT_LIMIT (UINT64_C(4) << 30)

typedef struct jbw_atlas_options {
    bool is_read_only; ///< nothing is added, and the folder must exist
    /// Bytes that the folder may hold; beyond them, what was not used for longest is dropped. 0 means
    /// JBW_ATLAS_DEFAULT_LIMIT.
    uint64_t limit;
} jbw_atlas_options;

/// Opens a folder, and creates it if it is missing, though not its parent. A folder that cannot be
/// written to is opened read-only. `options` and `error` may be NULL. All openings of a folder in one
/// process share their files; the limit is that of the latest one. Memory comes from the system.
/// JBW_READ_FAILED or JBW_WRITE_FAILED, with an error, if there is no such folder or it cannot be
/// created.
JBW_API jbw_status jbw_atlas_open(const char *path, const jbw_atlas_options *options,
                                  jbw_atlas **out, jbw_error *error);

/// Closes an atlas; NULL is ignored. Worlds that use it keep it open.
JBW_API void jbw_atlas_close(jbw_atlas *atlas);

/// The folder, as an absolute path. Valid as long as the atlas.
JBW_API const char *jbw_atlas_path(const jbw_atlas *atlas);

/// Whether nothing is added to it.
JBW_API bool jbw_atlas_is_read_only(const jbw_atlas *atlas);

/// Lets a world, and all copies made of it from now on, look into an atlas and add to it; NULL for
/// none. JBW_UNSUPPORTED, with an error (may be NULL), if the world is not invariant or has
/// user-defined functions, which an atlas cannot tell apart.
JBW_API jbw_status jbw_world_set_atlas(jbw_world *world, jbw_atlas *atlas, jbw_error *error);

/// The same as a function for new worlds (jbw_batch_world): `atlas` is a jbw_atlas. A world that is not
/// supported has no atlas, and that is no failure.
JBW_API jbw_status jbw_atlas_attach(jbw_world *world, void *atlas);

/// What has happened through an atlas since it was opened in this process.
typedef struct jbw_atlas_counts {
    uint64_t found;   ///< patches that need not be made
    uint64_t missing; ///< patches that were looked for and were not there
    uint64_t damaged; ///< of these, how many were there and could not be read
    uint64_t added;
    uint64_t failed; ///< patches that could not be added
    uint64_t bytes;  ///< that were added
} jbw_atlas_counts;

JBW_API jbw_atlas_counts jbw_atlas_get_counts(const jbw_atlas *atlas);

// ---- keeping it ----

/// What was dropped, and what is left.
typedef struct jbw_atlas_pruned {
    uint64_t file_count;
    uint64_t bytes;
    uint64_t left_file_count;
    uint64_t left_bytes;
} jbw_atlas_pruned;

/// Drops what was not used for longest until at most `limit` bytes are left, and what killed programs
/// left unfinished. `out` may be NULL. Returns JBW_NOT_PERMITTED if the atlas is read-only.
JBW_API jbw_status jbw_atlas_prune(jbw_atlas *atlas, uint64_t limit, jbw_atlas_pruned *out);

/// A world of an atlas: a model, known by what decides its cells.
typedef struct jbw_atlas_world {
    const char *name; ///< 32 hexadecimal digits
    const jbw_model
        *model; ///< the cells are the same; colors, scents and agents are not kept. NULL
                ///< if it is damaged, or of another version of the algorithm
} jbw_atlas_world;

/// A file with patches of one world and seed.
typedef struct jbw_atlas_file {
    const jbw_atlas_world *world;
    uint64_t seed;
    const char *path;
    uint64_t bytes;
    bool is_good; ///< false: damaged as a whole, or not what its name says
} jbw_atlas_file;

/// A patch of an atlas.
typedef struct jbw_atlas_patch {
    const jbw_atlas_file *file;
    jbw_position place;   ///< in units of patches
    uint64_t bytes;       ///< that it takes
    const uint8_t *cells; ///< (patch_size x patch_size), as in jbw_patch_store; NULL if damaged
} jbw_atlas_patch;

/// Functions that are told what is in an atlas. Each may be NULL; returning false ends the visit.
typedef struct jbw_atlas_visitor {
    void *user;
    bool (*on_world)(void *user, const jbw_atlas_world *world);
    bool (*on_file)(void *user, const jbw_atlas_file *file);
    bool (*on_patch)(void *user, const jbw_atlas_patch *patch);
    bool (*on_world_end)(void *user, const jbw_atlas_world *world); ///< its last moment
} jbw_atlas_visitor;

/// Visits everything in an atlas, each world followed by its files and each file by its patches.
/// Patches of worlds without a model are not visited. Returns JBW_INTERRUPTED if a function ended the
/// visit; the world under way has ended then, too.
JBW_API jbw_status jbw_atlas_visit(const jbw_atlas *atlas, const jbw_atlas_visitor *visitor);

JBW_END_DECLS

#endif
