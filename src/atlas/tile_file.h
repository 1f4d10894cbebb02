// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A file with the patches of a tile: JBW_TILE_SIDE x JBW_TILE_SIDE patches of one world and seed.
///
///     header    64 bytes: what the file is (docs/atlas.md); with a checksum
///     slots     8 bytes for each patch of the tile, lowest row first: where its entry is, or zero
///     entries   in any order: a checksum of world, seed, place and code; then the code
///
/// Processes share a file without locks. An entry is appended first, which the system does in one
/// piece for each (O_APPEND), and then its slot is set. Nothing in a file is believed: a slot may be
/// torn, stale or damaged and point anywhere, but an entry counts only if its checksum is that of the
/// place that was asked for. Entries are never changed, so who finds one finds all of it.
///
/// Files are read rather than mapped into memory: a mapped file that somebody truncates ends the
/// process (SIGBUS).
#ifndef JBW_ATLAS_TILE_FILE_H
#define JBW_ATLAS_TILE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/hash.h"
#include "jbw/types.h"

enum {
    JBW_TILE_SIDE = 16,
    JBW_TILE_SLOTS = JBW_TILE_SIDE * JBW_TILE_SIDE,
    JBW_TILE_EMPTY_BYTES = 64 + JBW_TILE_SLOTS * 8, // of a file without entries
    JBW_ATLAS_VERSION = 1,                          // of the format of files and folders
};

/// What a tile belongs to, and where it is: in units of tiles.
typedef struct jbw_tile_name {
    uint8_t world[JBW_HASH_NAME_SIZE];
    uint64_t seed;
    jbw_position place;
} jbw_tile_name;

/// What is in each patch.
typedef struct jbw_tile_shape {
    int patch_size;
    int type_count;
} jbw_tile_shape;

typedef struct jbw_tile_file {
    jbw_tile_name name;
    jbw_tile_shape shape;
    int reads;                              // descriptors, or -1
    int appends;                            // opened when first needed
    _Atomic uint64_t slots[JBW_TILE_SLOTS]; // as last read or written
} jbw_tile_file;

/// Outcomes of opening and reading.
typedef enum jbw_tile_result {
    JBW_TILE_FOUND,
    JBW_TILE_MISSING,
    JBW_TILE_DAMAGED, // or not what it should be
    JBW_TILE_REFUSED, // the system says no
} jbw_tile_result;

/// The tile that holds a patch, and the patch's slot in it.
jbw_position jbw_tile_of(jbw_position patch);
size_t jbw_tile_slot_of(jbw_position patch);

/// The patch of a slot.
jbw_position jbw_tile_patch_at(jbw_position tile, size_t slot);

/// Begins a file that is not open.
void jbw_tile_file_init(jbw_tile_file *file, const jbw_tile_name *name, jbw_tile_shape shape);

/// Opens a file, and reads its slots. With `is_read_only` it can only be read.
jbw_tile_result jbw_tile_file_open(jbw_tile_file *file, const char *path, bool is_read_only);

/// Creates an empty file in one piece, and replaces one that is there if `replaces`. `temp_path` is a
/// path of the same folder that nobody else uses. False if that fails; another process that was first
/// is no failure.
bool jbw_tile_file_create(const jbw_tile_file *file, const char *path, const char *temp_path,
                          bool replaces);

/// Closes a file if it is open.
void jbw_tile_file_close(jbw_tile_file *file);

/// Whether it is open.
static inline bool jbw_tile_file_is_open(const jbw_tile_file *file)
{
    return file->reads >= 0;
}

/// Whether a slot is set, as far as is known without reading.
bool jbw_tile_file_has(const jbw_tile_file *file, jbw_position patch);

/// Reads a patch: (patch_size x patch_size). `bytes` (may be NULL) gets how many it takes.
jbw_tile_result jbw_tile_file_find(jbw_tile_file *file, jbw_position patch, uint8_t *cells,
                                   size_t *bytes);

/// What became of adding.
typedef enum jbw_tile_added {
    JBW_TILE_ADDED,
    JBW_TILE_WAS_THERE,
    JBW_TILE_IS_GONE,   // the file was removed: open another one
    JBW_TILE_IS_BROKEN, // it was truncated, or has grown out of all proportion: replace it
    JBW_TILE_FAILED,
} jbw_tile_added;

/// Adds a patch unless it is there. `bytes` gets how many it takes. Only one thread of a process at a
/// time may add to a file.
jbw_tile_added jbw_tile_file_add(jbw_tile_file *file, const char *path, jbw_position patch,
                                 const uint8_t *cells, size_t *bytes);

/// Marks a file as used now, if it was last an hour ago.
void jbw_tile_file_touch(const jbw_tile_file *file);

#endif
