// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The log of a recording: operations and hashes as bytes. Nearly every entry says that the agent
/// that acted last acts again; such an entry takes one byte, the action.
///
///     log:     entry entry entry ...
///     entry:   code (one byte), then its arguments; docs/snapshot_format.md has the table
#ifndef JBW_IO_STORE_OPERATION_LOG_H
#define JBW_IO_STORE_OPERATION_LOG_H

#include "base/bytes.h"
#include "jbw/operation.h"

/// What the writer and the reader remember between entries. All zero at the start of a log.
typedef struct jbw_log_state {
    jbw_agent_id actor; // the agent that acted last
} jbw_log_state;

/// Appends an operation.
void jbw_log_write_operation(jbw_writer *writer, jbw_log_state *state,
                             const jbw_operation *operation);

/// Appends the hash of the world.
void jbw_log_write_hash(jbw_writer *writer, uint64_t hash);

/// One entry of a log.
typedef struct jbw_log_entry {
    bool is_hash; // otherwise an operation
    uint64_t hash;
    jbw_operation operation; // its arrays belong to the jbw_log_arrays
} jbw_log_entry;

/// Memory for the arrays of the operation that was read last. Empty if zero except for the
/// allocator.
typedef struct jbw_log_arrays {
    jbw_allocator allocator;
    jbw_agent_id *agents;
    size_t agent_capacity;
    int *actions;
    size_t action_capacity;
    jbw_position *positions;
    size_t position_capacity;
    int *say;
    size_t say_capacity;
    const char **texts; // into `text_bytes`
    size_t text_capacity;
    char *text_bytes;
    size_t text_byte_capacity;
} jbw_log_arrays;

void jbw_log_arrays_free(jbw_log_arrays *arrays);

/// Whether the next entry is a hash. False at the end of the log.
bool jbw_log_has_hash(const jbw_reader *reader);

/// Reads the next entry. JBW_INVALID_DATA if the bytes are not an entry.
jbw_status jbw_log_read(jbw_reader *reader, jbw_log_state *state, jbw_log_arrays *arrays,
                        jbw_log_entry *out);

#endif
