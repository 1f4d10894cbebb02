// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A recorder listens to a world and writes every operation to a file, block by block:
///
///     operation -> log in memory -> when full or due: compressed -> block -> file
///
/// recorder_open.c creates recorders, recorder.c does the rest. Memory use is bounded by one block.
/// Hashes and snapshots are due after a number of steps. Both take time proportional to the size of
/// the map, so by default they become rarer as it grows. When they are due depends only on the
/// world, never on a clock: the same run has the same hashes and snapshots.
#ifndef JBW_IO_STORE_RECORDER_H
#define JBW_IO_STORE_RECORDER_H

#include <zstd.h>

#include "io/store/append_file.h"
#include "io/store/operation_log.h"
#include "jbw/recording.h"

struct jbw_recorder {
    jbw_world *world;
    jbw_allocator allocator;
    jbw_arena arena;  // of the path and the notes
    const char *path; // for messages
    jbw_append_file file;
    jbw_recorder_options options; // with copies of the notes
    ZSTD_CCtx *compressor;

    // the log since the last block
    jbw_buffer log;
    jbw_log_state log_state;
    uint64_t first_time; // of the world when the log began
    uint64_t operation_count;
    uint64_t hash_count;
    bool is_hash_known; // `last_hash` is the hash of the world as it is now
    uint64_t last_hash;

    uint64_t time; // of the world after the last operation
    uint64_t flush_time;
    uint64_t hash_time;
    uint64_t snapshot_time;

    jbw_buffer block; // the block being assembled
    jbw_status status;
    jbw_error error;
};

/// Appends a block with a snapshot of the world, and `last_hash`, to the recorder's `block` buffer,
/// which is going to be written at the end of the file.
jbw_status jbw_recorder_encode_snapshot(jbw_recorder *recorder);

/// Starts to listen to the world.
void jbw_recorder_listen(jbw_recorder *recorder);

/// Frees a recorder without flushing it. NULL is ignored.
void jbw_recorder_destroy(jbw_recorder *recorder);

#endif
