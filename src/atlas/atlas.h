// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The inside of an atlas (jbw/atlas.h):
///
///     atlas          opening and closing; one atlas per folder and process
///     atlas_store    what worlds ask (jbw/patch_store.h): finding and adding patches
///     atlas_visit    everything that is there, and pruning
///     folder         paths; which files there are
///     tile_file      one file: finding and adding a patch
///     patch_code     the cells of a patch as bytes
#ifndef JBW_ATLAS_ATLAS_H
#define JBW_ATLAS_ATLAS_H

#include <pthread.h>
#include <stdatomic.h>

#include "atlas/folder.h"
#include "jbw/atlas.h"

enum { JBW_OPEN_TILES = 64 };

/// A tile that is open, or was looked for and not found.
typedef struct jbw_open_tile {
    jbw_tile_file file;
    atomic_uint find_count;
    int user_count; // threads that use it now
    bool is_listed; // false: closed when its last user is done
} jbw_open_tile;

struct jbw_atlas {
    char *root;
    uint64_t device; // of the folder
    uint64_t inode;
    bool is_read_only;
    int reference_count; // under the lock of the list of all atlases
    jbw_atlas *next;

    pthread_mutex_t mutex;                // over all that follows; held only briefly
    jbw_open_tile *tiles[JBW_OPEN_TILES]; // the most recently used first
    size_t tile_count;
    uint64_t limit;
    jbw_atlas_counts counts;
    uint64_t pause; // after a failure, this many patches are not added

    pthread_mutex_t add_mutex; // one thread adds at a time; taken before `mutex`
    uint64_t unchecked_bytes;  // that were added since the size of the folder was looked at
    bool is_checked;           // it was looked at
};

/// Holds and lets go of an atlas.
void jbw_atlas_retain(jbw_atlas *atlas);
void jbw_atlas_release(jbw_atlas *atlas);

/// Lets go of a tile that is no longer used or listed.
void jbw_open_tile_destroy(jbw_open_tile *tile);

#endif
