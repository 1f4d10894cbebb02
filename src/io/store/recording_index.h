// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a recording contains, according to the heads of its blocks: how much of it is valid, and
/// where its snapshots are.
#ifndef JBW_IO_STORE_RECORDING_INDEX_H
#define JBW_IO_STORE_RECORDING_INDEX_H

#include "base/alloc.h"
#include "io/store/record_reader.h"
#include "jbw/recording.h"

/// Where a snapshot is, from which replaying can start, or a mark.
typedef struct jbw_snapshot_place {
    uint64_t time;
    uint64_t offset; // of its block
} jbw_snapshot_place;

typedef struct jbw_recording_index {
    jbw_allocator allocator;
    jbw_recording_info info;
    jbw_snapshot_place *snapshots; // in order of time, at least one
    size_t snapshot_count;
    size_t snapshot_capacity;
    jbw_snapshot_place *marks; // in the order of the file
    size_t mark_count;
    size_t mark_capacity;
    jbw_record_block last; // the last snapshot or log
} jbw_recording_index;

/// Reads the heads of all blocks, and the bodies of those that may not have reached the disk before
/// a crash: the recording ends at the first damaged one. JBW_INVALID_DATA if there is no snapshot
/// at the beginning, or if the blocks do not fit together. Free the index even after a failure.
jbw_status jbw_recording_index_read(jbw_recording_index *index, jbw_record_reader *reader,
                                    uint64_t memory_limit, const jbw_allocator *allocator,
                                    jbw_error *error);
void jbw_recording_index_free(jbw_recording_index *index);

/// The last snapshot that is not later than `time`, or else the first one.
const jbw_snapshot_place *jbw_recording_index_find(const jbw_recording_index *index, uint64_t time);

/// Whether the bytes after the valid part are the torn end of a crash, which may be truncated.
/// JBW_INVALID_DATA if they had already reached the disk and were damaged later: truncating would
/// lose data that may still be recoverable.
jbw_status jbw_recording_index_check_torn(const jbw_recording_index *index,
                                          jbw_record_reader *reader, jbw_error *error);

#endif
