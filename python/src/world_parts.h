// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the type World share: its functions, by file. world.c has the table that
/// describes them to Python.
#ifndef JBW_PYTHON_WORLD_PARTS_H
#define JBW_PYTHON_WORLD_PARTS_H

#include "core.h"

/// None, or NULL with the exception for a status; to be called after `core_world_leave`.
static inline PyObject *world_none_or_raise(core_state *state, jbw_status status)
{
    if (status) return core_raise(state, status, NULL);
    return core_new(Py_None);
}

// --- world_agents.c -----------------------------------------------------------------------------

PyObject *world_get_agents(core_world *self, void *unused);
PyObject *world_agent(core_world *self, PyObject *number);
PyObject *world_add_agent(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_act(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_step(core_world *self, PyObject *unused);
PyObject *world_on_step(core_world *self, PyObject *function);

// --- world_map.c --------------------------------------------------------------------------------

PyObject *world_items(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_patch_states(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_planes(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_inspect(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_place(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_remove(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_smell(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_explore(core_world *self, PyObject *positions);
PyObject *world_explore_region(core_world *self, PyObject *arguments, PyObject *keywords);

// --- picture.c ----------------------------------------------------------------------------------

PyObject *world_draw(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *world_picture(core_world *self, PyObject *arguments, PyObject *keywords);

// --- world_look.c -------------------------------------------------------------------------------

PyObject *world_hash(core_world *self, PyObject *unused);
PyObject *world_get_seed(core_world *self, void *unused);
PyObject *world_get_time(core_world *self, void *unused);
PyObject *world_get_stats(core_world *self, void *unused);
PyObject *world_get_model(core_world *self, void *unused);
PyObject *world_get_config(core_world *self, void *unused);
PyObject *world_get_item_names(core_world *self, void *unused);
PyObject *world_get_action_names(core_world *self, void *unused);
PyObject *world_get_notes(core_world *self, void *unused);
PyObject *world_pop_note(core_world *self, PyObject *name);
PyObject *world_repr(core_world *self);

#endif
