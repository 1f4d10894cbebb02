// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds on disk. This folder implements jbw/snapshot.h and jbw/recording.h, and reads and writes
/// files for the other folders of io. docs/snapshot_format.md describes the bytes.
///
///     snapshot      a world and its notes as bytes: header and zstd frame (snapshot_frame)
///     recorder      writes every operation on a world: operation_log, record_block, append_file
///     recording     replays them: record_reader, recording_index, operation_log
///
///     file          reads a whole file
///     file_writer   replaces a whole file atomically, through a temp_file
///     append_file   a file that only grows, locked and flushed
#ifndef JBW_IO_STORE_STORE_H
#define JBW_IO_STORE_STORE_H

#include "base/error.h"

/// Fills in an error with "what: reason", the reason being that of an errno, and returns `status`.
jbw_status jbw_store_fail(jbw_error *error, jbw_status status, const char *what, int error_number);

/// Whether a text can be the name of a note or a mark.
bool jbw_is_note_name(const char *name);

#endif
