// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings: a snapshot and every operation on the world since, with occasional hashes and
/// further snapshots. You can replay a recording, verify it, and seek to any step. After a crash,
/// everything up to the torn end is still usable. docs/snapshot_format.md describes the bytes.
#ifndef JBW_RECORDING_H
#define JBW_RECORDING_H

#include "jbw/base.h"
#include "jbw/operation.h"
#include "jbw/snapshot.h"
#include "jbw/state.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_recorder jbw_recorder;

/// How to record. All zero gives the defaults. Hashes and snapshots take time proportional to the
/// number of patches; by default they become rarer as the map grows. When they are due depends only
/// on the world.
typedef struct jbw_recorder_options {
    uint64_t hash_every;     ///< steps between hashes; zero means 10,000, or 100 per patch
    uint64_t snapshot_every; ///< steps between snapshots; zero means 1,000,000, or 1,000 per patch
    uint64_t flush_every;    ///< steps between writes to the file, which protect against a killed
                             ///< process; zero means 1,000. At most once a second, a write is also
                             ///< flushed to disk, which protects against power failures
    const jbw_note *notes;   ///< saved with the snapshots, such as the text of a reward; copied
    size_t note_count;
} jbw_recorder_options;

/// Begins a new recording with the current state of a world. JBW_WRITE_FAILED if the file exists
/// and `may_replace` is false, or if another recorder is writing to it. Uses
/// `jbw_world_on_operation` of the world, which must outlive the recorder. `options` may be NULL.
JBW_API jbw_status jbw_recorder_create(jbw_world *world, const char *path, bool may_replace,
                                       const jbw_recorder_options *options, jbw_recorder **out,
                                       jbw_error *error);

/// Appends to an existing recording. `world` must be in the state at its end, as after
/// `jbw_recording_seek` to UINT64_MAX; JBW_INVALID_ARGUMENT otherwise. A torn end is truncated
/// first. JBW_INVALID_DATA if the recording was damaged in another way, where truncating would lose
/// more.
JBW_API jbw_status jbw_recorder_append(jbw_world *world, const char *path,
                                       const jbw_recorder_options *options, jbw_recorder **out,
                                       jbw_error *error);

/// Writes everything recorded so far, and waits until it is on disk.
JBW_API jbw_status jbw_recorder_flush(jbw_recorder *recorder, jbw_error *error);

/// The first failure of the recorder, or JBW_OK. After a failure nothing more is written; what was
/// written before stays valid.
JBW_API jbw_status jbw_recorder_status(const jbw_recorder *recorder, jbw_error *error);

/// Writes a mark: named bytes that the recording has at this time, such as the hash of a learner's
/// weights. Marks are no part of the world; names are those of notes, and may repeat.
JBW_API jbw_status jbw_recorder_mark(jbw_recorder *recorder, const jbw_note *mark,
                                     jbw_error *error);

/// Flushes the recording and destroys the recorder. NULL is ignored.
JBW_API jbw_status jbw_recorder_close(jbw_recorder *recorder, jbw_error *error);

typedef struct jbw_recording jbw_recording;

/// What is known about a recording without replaying it.
typedef struct jbw_recording_info {
    uint64_t first_time; ///< of the world at the beginning
    uint64_t last_time;  ///< of the world at the end
    uint64_t operation_count;
    uint64_t snapshot_count;
    uint64_t hash_count; ///< including one of each snapshot
    uint64_t size;       ///< valid bytes of the file
    uint64_t torn_size;  ///< bytes after those that are not
} jbw_recording_info;

/// Opens a recording for reading; it may still be written by a recorder. The options are those of
/// snapshots and may be NULL; what they point to must outlive the recording. The memory limit
/// applies to snapshots, logs and the replayed map; its default to snapshots and logs only.
JBW_API jbw_status jbw_recording_open(const char *path, const jbw_load_options *options,
                                      jbw_recording **out, jbw_error *error);

/// Closes a recording and destroys its world. NULL is ignored.
JBW_API void jbw_recording_close(jbw_recording *recording);

JBW_API jbw_recording_info jbw_recording_get_info(const jbw_recording *recording);

/// The notes of the first snapshot, in their order. They live as long as the recording.
JBW_API const jbw_note *jbw_recording_notes(const jbw_recording *recording, size_t *count);

/// The note with this name, or NULL.
JBW_API const jbw_note *jbw_recording_note(const jbw_recording *recording, const char *name);

/// Reads the mark with this index, in the order in which they were written; `*time` is that of the
/// world then. `*out` is valid until the next mark is read. JBW_NOT_FOUND after the last one.
JBW_API jbw_status jbw_recording_read_mark(jbw_recording *recording, size_t index, uint64_t *time,
                                           jbw_note *out, jbw_error *error);

/// The world at the current position, which is initially the beginning. It belongs to the
/// recording; `jbw_recording_seek` may replace it, but not its model. Do not change it: the next
/// hash would not match.
JBW_API jbw_world *jbw_recording_world(jbw_recording *recording);

/// Replays one operation; `*operation` (may be NULL) describes it until the next call.
/// JBW_NOT_FOUND at the end. JBW_INVALID_DATA if a hash does not match; `error` says at which time,
/// the operation was applied, and the next call continues after it. Also JBW_INVALID_DATA if the
/// operation cannot be applied or the log is damaged; then the replay cannot continue.
JBW_API jbw_status jbw_recording_next(jbw_recording *recording, jbw_operation *operation,
                                      jbw_error *error);

/// Moves to the state right after the step that led to `time`, forwards or backwards, from the
/// nearest snapshot. JBW_NOT_FOUND, without any change, if the recording does not cover that time.
/// UINT64_MAX is the end, after the last operation. Hashes on the way are checked as above.
JBW_API jbw_status jbw_recording_seek(jbw_recording *recording, uint64_t time, jbw_error *error);

JBW_END_DECLS

#endif
