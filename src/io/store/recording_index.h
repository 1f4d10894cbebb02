// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What is in a recording's file, from the heads of its blocks: how far it is good, and where its
/// snapshots are.
#ifndef JBW_IO_STORE_RECORDING_INDEX_H
#define JBW_IO_STORE_RECORDING_INDEX_H

#include "base/alloc.h"
#include "io/store/record_block.h"
#include "jbw/recording.h"

/// Where to enter a recording.
typedef struct jbw_snapshot_place {
    uint64_t time;
    uint64_t offset; // of its block
} jbw_snapshot_place;

typedef struct jbw_recording_index {
    jbw_allocator allocator;
    jbw_recording_info info;
    jbw_snapshot_place *snapshots; // in order, at least one
    size_t snapshot_count;
    size_t snapshot_capacity;
    jbw_record_block last; // the last block of a kind that is known
} jbw_recording_index;

/// Reads the heads of all blocks. The bodies of those that may not have reached the disk before a
/// crash are read too: the first bad one is where the recording ends. JBW_INVALID_DATA if there is
/// not even a first snapshot, or if the blocks do not belong together. Free it in any case.
jbw_status jbw_recording_index_read(jbw_recording_index *index, jbw_record_block_file *file,
                                    uint64_t memory_limit, const jbw_allocator *allocator,
                                    jbw_error *error);
void jbw_recording_index_free(jbw_recording_index *index);

/// The last snapshot that is not later than a time; there is always one.
const jbw_snapshot_place *jbw_recording_index_find(const jbw_recording_index *index, uint64_t time);

/// What is behind the good part may be cut off if it was torn by a crash. If it was damaged later,
/// though it had been on the disk, that would lose what may still be rescued: JBW_INVALID_DATA.
jbw_status jbw_recording_index_check_torn(const jbw_recording_index *index,
                                          jbw_record_block_file *file, jbw_error *error);

#endif
