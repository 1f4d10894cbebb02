// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Changes of items, and the events that scent needs to know about them. Making a change never
/// fails: reserve room for it in its patch and among the events first.
#ifndef JBW_SIM_WORLD_EDIT_H
#define JBW_SIM_WORLD_EDIT_H

#include "jbw/agent.h"
#include "sim/map/map.h"

/// Sets a cell to an item type plus one, or 0 for empty. Its patch must be final and have room for
/// the change.
void jbw_edit_set_item(jbw_world *world, jbw_position cell, uint8_t content, uint64_t time);

/// Empties a cell whose item was collected in the step that takes the clock to `time`. If it was
/// generated there and its type grows back, that begins now.
void jbw_edit_collect(jbw_world *world, jbw_position cell, uint64_t time);

/// Gives the item in a cell a text, which must be possible and not empty. The patch must have room.
void jbw_edit_set_text(jbw_world *world, jbw_position cell, const char *text);

/// Settling a patch: what grew back in it by `time` is put into its cells (sim/map/growth.h). Only
/// ownership of the patch can fail, for lack of memory, and then nothing has changed.
bool jbw_edit_is_due(jbw_patch *const around[9], uint64_t time);
bool jbw_edit_own_if_due(jbw_world *world, jbw_patch *const around[9], uint64_t time);
void jbw_edit_settle(jbw_world *world, jbw_patch *const around[9]);

/// Settles what an agent in a cell perceives and steps on. False when memory runs out.
bool jbw_edit_settle_near(jbw_world *world, jbw_position cell);

/// Notes that an agent with this body entered a cell (`sign` 1) or left it (-1), if agents have a
/// scent. There must be room for the event.
void jbw_edit_note_agent(jbw_world *world, int body, jbw_position cell, int sign, uint64_t time);

/// Makes room for the events of this many agents in one step, or of as many edits. False when
/// memory runs out.
bool jbw_edit_reserve_events(jbw_world *world, size_t count);

/// Makes room for all events that this many agents can cause before the first of them is forgotten,
/// so that steps never allocate events. False when memory runs out.
bool jbw_edit_reserve_life(jbw_world *world, size_t agent_count);

/// The number of events that `jbw_edit_reserve_life` makes room for.
size_t jbw_edit_life_events(const jbw_model *model, size_t agent_count);

#endif
