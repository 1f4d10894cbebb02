// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the type Batch share. batch.c has the table that describes it to Python.
#ifndef JBW_PYTHON_BATCH_PARTS_H
#define JBW_PYTHON_BATCH_PARTS_H

#include "core.h"

/// Takes the batch; NULL with an exception. Leave with `core_gate_leave`.
jbw_batch *batch_enter(core_batch *self, core_state *state);

/// False with an IndexError if there is no such world.
bool batch_has_world(const core_batch *self, Py_ssize_t index);

// --- batch_step.c -------------------------------------------------------------------------------

PyObject *batch_step(core_batch *self, PyObject *actions);
PyObject *batch_write(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_run(core_batch *self, PyObject *actions);
PyObject *batch_send(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_receive(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_reset(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_set_world(core_batch *self, PyObject *arguments, PyObject *keywords);

// --- batch_seats.c ------------------------------------------------------------------------------

PyObject *batch_leave(core_batch *self, PyObject *number);
PyObject *batch_join(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_agent_ids(core_batch *self, PyObject *unused);
PyObject *batch_written(core_batch *self, PyObject *number);

/// The agents of a world's rows from their numbers, None for empty rows: memory to be freed with
/// PyMem_Free, or NULL with an exception.
jbw_agent_id *batch_seats_of(core_batch *self, core_state *state, size_t index, PyObject *given);

// --- batch_share.c ------------------------------------------------------------------------------

PyObject *batch_choose(core_batch *self, PyObject *policy);

// --- xla.c --------------------------------------------------------------------------------------

/// What a compiled program needs to step the batch: uint32 (3). Earlier ones are void.
PyObject *batch_ticket(core_batch *self, PyObject *unused);

/// No program may step the batch any more. Waits for a step in progress.
void core_batch_return_ticket(core_batch *self);

// --- batch_look.c -------------------------------------------------------------------------------

PyObject *batch_world(core_batch *self, PyObject *number);
PyObject *batch_agent(core_batch *self, PyObject *number);
PyObject *batch_hash(core_batch *self, PyObject *number);
PyObject *batch_reward_function(core_batch *self, PyObject *number);
PyObject *batch_item_vision(core_batch *self, PyObject *arguments, PyObject *keywords);
PyObject *batch_states(core_batch *self, PyObject *unused);

/// The row of this number; -1 with an exception if there is none.
Py_ssize_t batch_find_row(const core_batch *self, PyObject *number);

/// Keeps an object for as long as there is the batch; false with an exception. In a tuple, since the
/// collector of cycles would empty a list before the batch ends, which still uses what is in it.
bool batch_keep(core_batch *self, PyObject *object);

#endif
