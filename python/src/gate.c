// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One thread at a time; see core.h.
#include "core.h"

bool core_gate_init(core_gate *gate)
{
    gate->signal = PyThread_allocate_lock();
    if (!gate->signal) {
        PyErr_NoMemory();
        return false;
    }
    PyThread_acquire_lock(gate->signal, WAIT_LOCK);
    return true;
}

void core_gate_deinit(core_gate *gate)
{
    if (gate->signal) PyThread_free_lock(gate->signal);
    gate->signal = NULL;
}

bool core_gate_try(core_gate *gate)
{
    bool is_free = false;
    return atomic_compare_exchange_strong(&gate->is_taken, &is_free, true);
}

// Nobody misses a signal: who waits says so before trying the gate once more, and who leaves opens
// the gate before looking for others that wait. One signal is enough for all of them, since whoever
// hears it and leaves later signals to the next.
void core_gate_wait(core_gate *gate)
{
    atomic_fetch_add(&gate->waiting, 1);
    while (!core_gate_try(gate)) {
        PyThread_acquire_lock(gate->signal, WAIT_LOCK);
        atomic_store(&gate->is_signalled, false);
    }
    atomic_fetch_sub(&gate->waiting, 1);
}

void core_gate_open(core_gate *gate)
{
    atomic_store(&gate->is_taken, false);
    if (atomic_load(&gate->waiting) > 0 && !atomic_exchange(&gate->is_signalled, true))
        PyThread_release_lock(gate->signal);
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
    if (!core_gate_try(gate)) CORE_UNLOCKED(core_gate_wait(gate));
    gate->holder = thread;
    gate->depth = 1;
    return true;
}

void core_gate_leave(core_gate *gate)
{
    if (--gate->depth == 0) core_gate_open(gate);
}
