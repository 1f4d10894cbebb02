// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Looking at the worlds and agents of a Batch between steps.
#include "batch_parts.h"

PyObject *batch_world(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if ((index == -1 && PyErr_Occurred()) || !batch_has_world(self, index)) return NULL;
    return core_world_of_batch(state, self, (size_t)index);
}

Py_ssize_t batch_find_row(const core_batch *self, PyObject *number)
{
    const Py_ssize_t row = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (row == -1 && PyErr_Occurred()) return -1;
    if (row >= 0 && (size_t)row < self->agent_count) return row;
    PyErr_Format(PyExc_IndexError, "there is no row %zd", row);
    return -1;
}

PyObject *batch_agent(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t row = batch_find_row(self, number);
    if (row < 0) return NULL;
    size_t index = 0;
    while (self->first_rows[index + 1] <= (size_t)row) index++;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    const jbw_agent_id id = jbw_batch_agent(batch, (size_t)row);
    core_gate_leave(&self->gate);
    core_world *world = (core_world *)core_world_of_batch(state, self, index);
    PyObject *agent = world ? core_world_agent(state, world, id) : NULL;
    core_drop(world);
    return agent;
}

PyObject *batch_hash(core_batch *self, PyObject *number)
{
    PyObject *world = batch_world(self, number);
    PyObject *hash = world ? PyObject_CallMethod(world, "hash", NULL) : NULL;
    core_drop(world);
    return hash;
}

PyObject *batch_reward_function(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if ((index == -1 && PyErr_Occurred()) || !batch_has_world(self, index)) return NULL;
    core_reward *reward = (core_reward *)PyTuple_GetItem(self->rewards, index);
    if ((PyObject *)reward == Py_None) return core_new(state->word_zero);
    if (!reward->is_scheduled) return core_new(reward->text);
    core_world *world = (core_world *)core_world_of_batch(state, self, (size_t)index);
    jbw_world *own = world ? core_world_enter(world, state, true) : NULL;
    uint64_t time = 0;
    if (own) {
        time = jbw_world_time(own);
        core_world_leave(world);
    }
    core_drop(world);
    return own ? core_reward_at(reward, time) : NULL;
}

// raises if a world is under way; between enter and leave
static bool all_here(core_batch *self, core_state *state, jbw_batch *batch)
{
    for (size_t i = 0; i < self->world_count; i++) {
        if (jbw_batch_get_world(batch, i)) continue;
        PyErr_Format(state->BusyError, "world %zu is under way: receive it first", i);
        return false;
    }
    return true;
}

// observes parts of all agents into other arrays; false with an exception
static bool observe(core_batch *self, core_state *state, const jbw_observation *parts)
{
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return false;
    jbw_status status = JBW_OK;
    const bool is_free = all_here(self, state, batch);
    if (is_free) CORE_UNLOCKED(status = jbw_batch_observe(batch, parts));
    core_gate_leave(&self->gate);
    if (status) core_raise(state, status, NULL);
    return is_free && !status;
}

PyObject *batch_item_vision(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"out", NULL};
    core_state *state = core_state_of(self);
    PyObject *given = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:item_vision", names, &given))
        return NULL;
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const jbw_part_info info = jbw_model_part(model->model, JBW_PART_ITEM_VISION);
    npy_intp shape[JBW_PART_MAX_RANK + 1];
    const int rank = part_shape(&info, &self->agent_count, shape);
    if (given != Py_None && !core_array_check(state, given, "out", NPY_FLOAT32, rank, shape))
        return NULL;
    PyObject *out =
        given == Py_None ? PyArray_SimpleNew(rank, shape, NPY_FLOAT32) : core_new(given);
    if (!out) return NULL;
    const jbw_observation parts = {.item_vision = PyArray_DATA((PyArrayObject *)out)};
    if (!observe(self, state, &parts)) Py_CLEAR(out);
    return out;
}

// a new array for the rows of a part, of a type with elements of the same size
static PyObject *make_rows(core_batch *self, jbw_part part, int type, jbw_observation *parts)
{
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const jbw_part_info info = jbw_model_part(model->model, part);
    npy_intp shape[JBW_PART_MAX_RANK + 1];
    const int rank = part_shape(&info, &self->agent_count, shape);
    PyObject *array = PyArray_SimpleNew(rank, shape, type);
    if (array) jbw_observation_set(parts, part, PyArray_DATA((PyArrayObject *)array));
    return array;
}

PyObject *batch_states(core_batch *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_observation parts = {0};
    PyObject *out = PyDict_New();
    // signed numbers are easier to calculate with
    const bool done =
        out &&
        core_set(out, state->word_position,
                 make_rows(self, JBW_PART_POSITION, NPY_INT64, &parts)) &&
        core_set(out, state->word_direction,
                 make_rows(self, JBW_PART_DIRECTION, NPY_INT8, &parts)) &&
        core_set(out, state->word_time, make_rows(self, JBW_PART_TIME, NPY_INT64, &parts)) &&
        core_set(out, state->word_inventory,
                 make_rows(self, JBW_PART_INVENTORY, NPY_INT64, &parts)) &&
        observe(self, state, &parts);
    if (!done) Py_CLEAR(out);
    return out;
}
