// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Changes of cells, and what they leave behind for scent. A change never fails: room for it, in its
/// patch and among the events, is made before.
#ifndef JBW_SIM_WORLD_EDIT_H
#define JBW_SIM_WORLD_EDIT_H

#include "jbw/agent.h"

/// Changes the item of a cell to type + 1, or 0 for none. Its patch is final and has room for the change.
void jbw_edit_set_item(jbw_world *world, jbw_position cell, uint8_t content, uint64_t time);

/// Notes that an agent came to a cell (`sign` 1) or left it (-1), if agents have a scent. There must be
/// room for the event.
void jbw_edit_note_agent(jbw_world *world, jbw_position cell, int sign, uint64_t time);

/// Makes room for the events of this many agents in one step, or of as many edits. False when memory
/// runs out.
bool jbw_edit_reserve_events(jbw_world *world, size_t count);

/// Makes room for all events that this many agents can cause before they are forgotten, so that steps
/// allocate none. False when memory runs out.
bool jbw_edit_reserve_life(jbw_world *world, size_t agent_count);

/// The number of events that `jbw_edit_reserve_life` makes room for.
size_t jbw_edit_life_events(const jbw_model *model, size_t agent_count);

#endif
