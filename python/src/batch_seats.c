// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Agents of a Batch that leave and join, and what they wait to write.
#include "batch_parts.h"

static const char *const refusal = "there is no such row, its world was sent and not received yet, "
                                   "or an agent has the row already";

PyObject *batch_leave(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t row = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (row == -1 && PyErr_Occurred()) return NULL;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    const jbw_status status = row >= 0 ? jbw_batch_leave(batch, (size_t)row) : JBW_INVALID_ARGUMENT;
    core_gate_leave(&self->gate);
    if (status == JBW_NO_SUCH_AGENT)
        return core_raise_argument(state, "row %zd is empty: its agent has left", row);
    if (status) return core_raise(state, status, status == JBW_INVALID_ARGUMENT ? refusal : NULL);
    return core_new(Py_None);
}

PyObject *batch_join(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"row", "position", "direction", "body", NULL};
    core_state *state = core_state_of(self);
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    jbw_agent_options options = {0};
    Py_ssize_t row;
    PyObject *position = Py_None;
    PyObject *body = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n|OO&O:join", names, &row, &position,
                                     core_to_direction, &options.direction, &body) ||
        !core_to_body(state, model, body, &options.body))
        return NULL;
    options.has_position = position != Py_None;
    if (options.has_position && !core_to_position(position, &options.position)) return NULL;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    jbw_status status = JBW_INVALID_ARGUMENT;
    if (row >= 0) CORE_UNLOCKED(status = jbw_batch_join(batch, (size_t)row, &options));
    core_gate_leave(&self->gate);
    if (status) return core_raise(state, status, status == JBW_INVALID_ARGUMENT ? refusal : NULL);
    return core_new(Py_None);
}

PyObject *batch_agent_ids(core_batch *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    PyObject *ids = PyList_New((Py_ssize_t)self->agent_count);
    for (size_t row = 0; ids && row < self->agent_count; row++) {
        const jbw_agent_id id = jbw_batch_agent(batch, row);
        const uint64_t packed = (uint64_t)id.generation << 32 | id.index1;
        PyObject *number = id.index1 ? PyLong_FromUnsignedLongLong(packed) : core_new(Py_None);
        if (!number || PyList_SetItem(ids, (Py_ssize_t)row, number) < 0) Py_CLEAR(ids);
    }
    core_gate_leave(&self->gate);
    return ids;
}

jbw_agent_id *batch_seats_of(core_batch *self, core_state *state, size_t index, PyObject *given)
{
    const size_t count = self->first_rows[index + 1] - self->first_rows[index];
    PyObject *numbers = PySequence_Tuple(given);
    if (!numbers) return NULL;
    jbw_agent_id *ids = PyMem_Calloc(count + 1, sizeof *ids);
    bool done = ids && (size_t)PyTuple_Size(numbers) == count;
    if (!ids)
        PyErr_NoMemory();
    else if (!done)
        core_raise_argument(state, "there are %zd agents for %zu rows", PyTuple_Size(numbers),
                            count);
    for (size_t i = 0; i < count && done; i++) {
        PyObject *number = PyTuple_GetItem(numbers, (Py_ssize_t)i);
        uint64_t packed = 0;
        done = number == Py_None || core_to_uint64(number, &packed);
        ids[i] = (jbw_agent_id){.index1 = (uint32_t)packed, .generation = (uint32_t)(packed >> 32)};
    }
    core_drop(numbers);
    if (done) return ids;
    PyMem_Free(ids);
    return NULL;
}

PyObject *batch_written(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t row = batch_find_row(self, number);
    if (row < 0) return NULL;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    PyObject *text = PyUnicode_FromString(jbw_batch_written(batch, (size_t)row));
    core_gate_leave(&self->gate);
    return text;
}
