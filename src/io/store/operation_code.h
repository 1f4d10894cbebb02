// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The log of a recording: operations and hashes as bytes. One agent that acts, which is nearly all
/// that is ever noted, takes one byte: the action, of the agent that acted before.
///
///     log:     entry entry entry ...
///     entry:   code (one byte), then what belongs to it; docs/snapshot_format.md has the table
#ifndef JBW_IO_STORE_OPERATION_CODE_H
#define JBW_IO_STORE_OPERATION_CODE_H

#include "base/bytes.h"
#include "jbw/operation.h"

/// What both sides remember from entry to entry. All zero at the beginning of a log.
typedef struct jbw_log_state {
    jbw_agent_id actor; // who acted last
} jbw_log_state;

/// Adds an operation, or the world's hash.
void jbw_log_write_operation(jbw_writer *writer, jbw_log_state *state,
                             const jbw_operation *operation);
void jbw_log_write_hash(jbw_writer *writer, uint64_t hash);

/// One entry of a log.
typedef struct jbw_log_entry {
    bool is_hash; // else an operation
    uint64_t hash;
    jbw_operation operation; // its arrays belong to the room
} jbw_log_entry;

/// Arrays for the operations that have some. All zero but for the allocator is empty.
typedef struct jbw_log_room {
    jbw_allocator allocator;
    jbw_agent_id *agents;
    size_t agent_capacity;
    int *actions;
    size_t action_capacity;
    jbw_position *positions;
    size_t position_capacity;
} jbw_log_room;

void jbw_log_room_free(jbw_log_room *room);

/// Whether the next entry is a hash. False at the end.
bool jbw_log_has_hash(const jbw_reader *reader);

/// Reads the next entry. Bytes that are none are JBW_INVALID_DATA.
jbw_status jbw_log_read(jbw_reader *reader, jbw_log_state *state, jbw_log_room *room,
                        jbw_log_entry *out);

#endif
