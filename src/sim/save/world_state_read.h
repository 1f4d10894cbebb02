// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reading the state of a world; inside of it.
#ifndef JBW_SIM_SAVE_WORLD_STATE_READ_H
#define JBW_SIM_SAVE_WORLD_STATE_READ_H

#include "base/bytes.h"
#include "sim/world/world.h"

typedef struct jbw_state_reader {
    jbw_reader in;
    const jbw_model *model;
    jbw_model *made_model; // the same, if it was made for this world
    jbw_world *world;
    uint64_t limit; // of memory, and what is left of it
    uint64_t left;
    jbw_status status; // of the first failure
    jbw_error *error;
} jbw_state_reader;

/// Note a failure, unless there was one before, and return false.
bool jbw_state_fail(jbw_state_reader *r, const char *problem);
bool jbw_state_fail_memory(jbw_state_reader *r);

/// To be asked before so much memory is taken. False if it is over the limit.
bool jbw_state_ask(jbw_state_reader *r, uint64_t count, uint64_t size);

jbw_position jbw_state_read_position(jbw_state_reader *r);

/// Reads what has changed in the patches of an invariant world.
bool jbw_state_read_changes(jbw_state_reader *r);

/// Makes a patch of an invariant world, or those that an agent at this cell needs.
bool jbw_state_make_patch(jbw_state_reader *r, jbw_position patch);
bool jbw_state_make_near(jbw_state_reader *r, jbw_position cell);

/// True if there can be a patch in a place.
bool jbw_state_is_place(const jbw_model *model, jbw_position patch);

/// Reads the agents into a world whose map and events are there.
bool jbw_state_read_agents(jbw_state_reader *r);

#endif
