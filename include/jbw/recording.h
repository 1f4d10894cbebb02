// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings: a snapshot, and everything that has changed the world since, with its hash now and
/// then and a further snapshot from time to time. A recording can be replayed, checked, and entered
/// at any step; one whose end was torn off by a crash is good up to there.
/// docs/snapshot_format.md describes the bytes.
#ifndef JBW_RECORDING_H
#define JBW_RECORDING_H

#include "jbw/base.h"
#include "jbw/operation.h"
#include "jbw/snapshot.h"
#include "jbw/state.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_recorder jbw_recorder;

/// How to record; all zero is fine. Hashes and snapshots take time with every patch; by default
/// they become rarer as the map grows. When they are due depends on the world alone.
typedef struct jbw_recorder_options {
    uint64_t hash_every;     ///< steps between hashes; zero means 10,000, or 100 per patch
    uint64_t snapshot_every; ///< steps between snapshots; zero means 1,000,000, or 1,000 per patch
    uint64_t flush_every;    ///< steps after which at the latest what was noted is written out, and
                             ///< safe if the process is killed; zero means 1,000. It is also
                             ///< flushed to the disk, against power failures, once a second
    const jbw_note *notes;   ///< kept with the snapshots, such as the text of a reward; copied
    size_t note_count;
} jbw_recorder_options;

/// Begins a new recording of a world, as it is now, in a file that must not exist yet unless
/// `may_replace`; JBW_WRITE_FAILED if it does, or if it is just being recorded to. Takes over
/// `jbw_world_on_operation` of the world, which must outlive it, until it is closed. `options` may
/// be NULL.
JBW_API jbw_status jbw_recorder_create(jbw_world *world, const char *path, bool may_replace,
                                       const jbw_recorder_options *options, jbw_recorder **out,
                                       jbw_error *error);

/// Goes on with a recording: `world` must be what its last operation led to, as
/// `jbw_recording_seek` to its end gives, or it is JBW_INVALID_ARGUMENT. A torn end is cut off
/// first. If the recording was damaged later, cutting would lose more: JBW_INVALID_DATA.
JBW_API jbw_status jbw_recorder_append(jbw_world *world, const char *path,
                                       const jbw_recorder_options *options, jbw_recorder **out,
                                       jbw_error *error);

/// Writes out everything noted so far, and waits until it is on the disk.
JBW_API jbw_status jbw_recorder_flush(jbw_recorder *recorder, jbw_error *error);

/// What has gone wrong since it was begun: JBW_OK as long as nothing has. After a failure nothing
/// more is written, and what was written before stays good.
JBW_API jbw_status jbw_recorder_status(const jbw_recorder *recorder, jbw_error *error);

/// Flushes and ends a recording. The world is no longer noted. NULL is fine.
JBW_API jbw_status jbw_recorder_close(jbw_recorder *recorder, jbw_error *error);

typedef struct jbw_recording jbw_recording;

/// What is known of a recording without replaying it.
typedef struct jbw_recording_info {
    uint64_t first_time; ///< of the world at its beginning
    uint64_t last_time;  ///< and at its end
    uint64_t operation_count;
    uint64_t snapshot_count;
    uint64_t hash_count; ///< one of each snapshot, and those between
    uint64_t size;       ///< bytes of the file that are good
    uint64_t torn_size;  ///< bytes behind those that are not
} jbw_recording_info;

/// Opens a recording. The file is only read, and may be one that is still being written. Options are
/// as for snapshots, and may be NULL; what they point at must stay until it is closed. The memory
/// limit holds for snapshots, logs, and the map as it is replayed.
JBW_API jbw_status jbw_recording_open(const char *path, const jbw_load_options *options,
                                      jbw_recording **out, jbw_error *error);

/// Ends it, with its world. NULL is fine.
JBW_API void jbw_recording_close(jbw_recording *recording);

JBW_API jbw_recording_info jbw_recording_get_info(const jbw_recording *recording);

/// The notes that were kept with its first snapshot, in their order; they live as long as it.
JBW_API const jbw_note *jbw_recording_notes(const jbw_recording *recording, size_t *count);

/// The one of that name, or NULL.
JBW_API const jbw_note *jbw_recording_note(const jbw_recording *recording, const char *name);

/// The world as it is at the place reached so far; at first, the beginning. Belongs to the recording
/// and is replaced by `jbw_recording_seek`. Its model stays the same. Who changes it replays
/// something else, which the next hash notices.
JBW_API jbw_world *jbw_recording_world(jbw_recording *recording);

/// Takes the world's part in the recording further by one operation; `*operation` (may be NULL)
/// tells it, until the next call. JBW_NOT_FOUND at the end. If a hash does not agree it is
/// JBW_INVALID_DATA, and `error` says at which time; the operation was done, and the next call goes
/// on behind it. An operation that cannot be done, or a damaged log, is JBW_INVALID_DATA as well, and
/// there it ends.
JBW_API jbw_status jbw_recording_next(jbw_recording *recording, jbw_operation *operation,
                                      jbw_error *error);

/// Goes to the moment right after the step that led to `time`, forward or back, from the nearest
/// snapshot. JBW_NOT_FOUND if the recording does not reach it, and then nothing has changed.
/// UINT64_MAX is the end, behind the last operation. Hashes on the way are checked as above.
JBW_API jbw_status jbw_recording_seek(jbw_recording *recording, uint64_t time, jbw_error *error);

JBW_END_DECLS

#endif
