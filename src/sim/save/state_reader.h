// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the parts of the reader of saved worlds share.
#ifndef JBW_SIM_SAVE_STATE_READER_H
#define JBW_SIM_SAVE_STATE_READER_H

#include "base/bytes.h"
#include "sim/world/world.h"

typedef struct jbw_state_reader {
    jbw_reader in;
    const jbw_model *model;
    jbw_model *made_model; // the same model if it was created for this world, otherwise NULL
    jbw_world *world;
    uint64_t limit; // of memory in bytes, and how much of it is left
    uint64_t left;
    jbw_status status; // of the first failure
    jbw_error *error;
} jbw_state_reader;

/// Record a failure, unless there was one before, and return false.
bool jbw_state_fail(jbw_state_reader *r, const char *problem);
bool jbw_state_fail_memory(jbw_state_reader *r);

/// Accounts for `count * size` bytes. Call it before they are allocated. False if that exceeds the
/// limit.
bool jbw_state_charge(jbw_state_reader *r, uint64_t count, uint64_t size);

jbw_position jbw_state_read_position(jbw_state_reader *r);

/// Reads the changes of an invariant world.
bool jbw_state_read_changes(jbw_state_reader *r);

/// Reads what grows back, after the map or its changes, in a world in which something can.
bool jbw_state_read_growth(jbw_state_reader *r);

/// Reads the texts that items carry, after what grows back, in a world in which some can.
bool jbw_state_read_texts(jbw_state_reader *r);

/// Reads a text, which may be empty.
bool jbw_state_read_text(jbw_state_reader *r, char out[JBW_MAX_TEXT + 1]);

/// Generate a patch of an invariant world, or all patches that an agent at a cell needs.
bool jbw_state_make_patch(jbw_state_reader *r, jbw_position patch);
bool jbw_state_make_near(jbw_state_reader *r, jbw_position cell);

/// Whether there can be a patch at a position.
bool jbw_state_patch_is_in_world(const jbw_model *model, jbw_position patch);

/// Reads the agents of a world whose map and events were read.
bool jbw_state_read_agents(jbw_state_reader *r);

#endif
