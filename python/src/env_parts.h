// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the type Env share. env.c has the table that describes it to Python.
#ifndef JBW_PYTHON_ENV_PARTS_H
#define JBW_PYTHON_ENV_PARTS_H

#include "life.h"

typedef struct core_env {
    PyObject_HEAD core_world *world;
    core_agent *agent;
    core_gate gate;          // entered before the world's
    jbw_agent_options place; // where the agent starts
    int generation_threads;  // of its worlds
    core_life life;
} core_env;

// --- env.c --------------------------------------------------------------------------------------

/// What an Env is made with, besides its model and reward.
typedef struct env_options {
    PyObject *parts; // from keys to names of parts
    core_form form;
    bool copies;
    core_info_kind info_kind;
    jbw_agent_options place;
    int generation_threads;
} env_options;

/// A new Env without a world; NULL with an exception.
core_env *env_allocate(PyTypeObject *type, core_state *state, core_model *model, PyObject *reward,
                       const env_options *options);

/// The parts of an observation, a new dict, by the options that the most common ones have. `vision`
/// is "color", "items" or NULL.
PyObject *env_common_parts(core_state *state, const core_model *model, const char *vision,
                           bool has_scent, bool has_moved, core_form form);

// --- env_life.c ---------------------------------------------------------------------------------

/// Starts a new life in a new world; false with an exception.
bool env_begin_life(core_env *self, core_state *state, uint64_t seed);

/// Starts a life in a world that has the agent already; takes over both references.
void env_move_in(core_env *self, PyObject *world, PyObject *agent);

/// Starts the threads that generate a world of this environment, if it has any; false with an
/// exception.
bool env_start_threads(const core_env *self, core_state *state, PyObject *world);

PyObject *env_reset(core_env *self, PyObject *number);
PyObject *env_step(core_env *self, PyObject *action);
PyObject *env_write(core_env *self, PyObject *text);
PyObject *env_observe(core_env *self, PyObject *unused);
PyObject *env_info(core_env *self, PyObject *unused);

// --- env_copy.c ---------------------------------------------------------------------------------

PyObject *env_clone(core_env *self, PyObject *unused);
PyObject *env_deepcopy(core_env *self, PyObject *memo);
PyObject *env_reduce(core_env *self, PyObject *unused);
PyObject *env_rebuild(PyTypeObject *type, PyObject *arguments);

#endif
