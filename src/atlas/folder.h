// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The folder of an atlas: where its files are, and which there are.
///
///     ROOT/atlas-1/WORLD/world              what decides the cells of a world; WORLD is its hash
///     ROOT/atlas-1/WORLD/SEED/X_Y.tile      a tile (tile_file.h); WORLD and SEED in hexadecimal
///     ROOT/atlas-1/WORLD/SEED/*.part        files that are being written
///
/// The number is the version of the format: other versions have folders of their own. Whatever else
/// is there is left alone.
#ifndef JBW_ATLAS_FOLDER_H
#define JBW_ATLAS_FOLDER_H

#include "atlas/tile_file.h"
#include "jbw/base.h"

enum {
    JBW_ATLAS_ROOT_MOST = 3840, // the longest path of a folder
    JBW_ATLAS_PATH_SIZE = 4096, // has room for the path of any file in it
    JBW_WORLD_NAME_SIZE = 2 * JBW_HASH_NAME_SIZE + 1,
};

/// A hash in hexadecimal digits.
void jbw_folder_world_name(const uint8_t world[JBW_HASH_NAME_SIZE], char out[JBW_WORLD_NAME_SIZE]);

/// The path of a tile.
void jbw_folder_tile_path(const char *root, const jbw_tile_name *name,
                          char out[JBW_ATLAS_PATH_SIZE]);

/// Makes the folders of a tile, and writes what its world is, unless they are there. The root must
/// exist. False if that fails.
bool jbw_folder_prepare(const char *root, const jbw_tile_name *name, const uint8_t *world,
                        size_t world_size);

/// Reads what a world is. Appends nothing if it is missing or damaged. False when memory runs out.
bool jbw_folder_read_world(const char *root, const uint8_t name[JBW_HASH_NAME_SIZE],
                           jbw_buffer *out);

/// Creates a tile file that is not open (`jbw_tile_file_create`).
bool jbw_folder_create_tile(const jbw_tile_file *file, const char *path, bool replaces);

typedef struct jbw_listed_tile {
    jbw_tile_name name;
    uint64_t bytes;
    int64_t used; // the time of its latest use, in nanoseconds
} jbw_listed_tile;

typedef struct jbw_tile_list {
    jbw_listed_tile *tiles; // free it with `jbw_tile_list_deinit`
    size_t count;
    size_t capacity;
    uint64_t bytes; // of all
} jbw_tile_list;

/// Lists all tiles, in the order of their names. With `removes_parts`, also removes what killed
/// processes left unfinished. False when memory runs out.
bool jbw_folder_list(const char *root, bool removes_parts, jbw_tile_list *out);
void jbw_tile_list_deinit(jbw_tile_list *list);

/// Removes the least recently used tiles until at most `limit` bytes are left, and empty folders with
/// them. `*removed` gets the number of files, `*bytes` theirs. What cannot be removed stays.
void jbw_folder_prune(const char *root, jbw_tile_list *list, uint64_t limit, uint64_t *removed,
                      uint64_t *bytes);

#endif
