// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One thread at a time; see core.h.
#include "core.h"

bool core_gate_init(core_gate *gate)
{
    gate->lock = PyThread_allocate_lock();
    if (!gate->lock) PyErr_NoMemory();
    return gate->lock != NULL;
}

void core_gate_deinit(core_gate *gate)
{
    if (gate->lock) PyThread_free_lock(gate->lock);
    gate->lock = NULL;
}

bool core_gate_enter(core_gate *gate, core_state *state, bool reads)
{
    const unsigned long thread = PyThread_get_thread_ident();
    if (gate->depth > 0 && gate->holder == thread) {
        if (!reads) {
            PyErr_SetString(state->BusyError,
                            "a step is under way: its callback may look, but not change anything");
            return false;
        }
        gate->depth++;
        return true;
    }

    // usually the gate is free; otherwise release the interpreter's lock while waiting
    if (!PyThread_acquire_lock(gate->lock, NOWAIT_LOCK)) {
        PyThreadState *self = PyEval_SaveThread();
        PyThread_acquire_lock(gate->lock, WAIT_LOCK);
        PyEval_RestoreThread(self);
    }
    gate->holder = thread;
    gate->depth = 1;
    return true;
}

void core_gate_leave(core_gate *gate)
{
    if (--gate->depth == 0) PyThread_release_lock(gate->lock);
}
