// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Stepping the worlds of a Batch, and replacing them.
#include "batch_parts.h"

// whole numbers as a contiguous array of a type; not copied if they are that already
static PyArrayObject *to_numbers(core_state *state, PyObject *object, int type, const char *what)
{
    if (PyArray_Check(object)) {
        PyArrayObject *array = (PyArrayObject *)object;
        if (PyArray_TYPE(array) == type && PyArray_NDIM(array) == 1 && PyArray_ISCARRAY_RO(array))
            return (PyArrayObject *)core_new(object);
    }
    PyArrayObject *given = (PyArrayObject *)PyArray_FROM_O(object);
    if (!given) return NULL;
    if (PyArray_SIZE(given) > 0 && !PyArray_ISINTEGER(given)) {
        core_raise_argument(state, "%s: expected whole numbers, found %R", what, object);
        core_drop(given);
        return NULL;
    }
    // through 64 bits, so that numbers that are too large are not truncated
    PyArrayObject *wide = (PyArrayObject *)PyArray_FROMANY(
        (PyObject *)given, NPY_INT64, 0, 0, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
    core_drop(given);
    if (!wide || type == NPY_INT64) return wide;
    const npy_intp size = PyArray_SIZE(wide);
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(1, &size, NPY_INT32);
    const int64_t *from = PyArray_DATA(wide);
    int32_t *to = out ? PyArray_DATA(out) : NULL;
    for (npy_intp i = 0; out && i < size; i++)
        to[i] = from[i] < -1 || from[i] > INT32_MAX ? -1 : (int32_t)from[i];
    core_drop(wide);
    return out;
}

// Actions of (count, 2) with symbols, in a batch whose agents have a voice: two arrays; otherwise
// `*say` is NULL. False with an exception.
static bool to_requests(core_batch *self, core_state *state, PyObject *object,
                        PyArrayObject **actions, PyArrayObject **say)
{
    *actions = NULL;
    *say = NULL;
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    if (jbw_model_voice(model->model).symbols > 0) {
        PyArrayObject *given = (PyArrayObject *)PyArray_FROM_O(object);
        if (!given) return false;
        const bool is_pair = PyArray_NDIM(given) == 2 && PyArray_DIM(given, 1) == 2;
        if (is_pair) {
            PyArrayObject *pairs = to_numbers(state, (PyObject *)given, NPY_INT64, "actions");
            const npy_intp count = PyArray_DIM(given, 0);
            if (pairs) *actions = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_INT32);
            if (*actions) *say = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_INT32);
            const int64_t *from = pairs ? PyArray_DATA(pairs) : NULL;
            for (npy_intp i = 0; *say && i < count; i++) {
                const int64_t action = from[2 * i];
                const int64_t symbol = from[2 * i + 1];
                ((int32_t *)PyArray_DATA(*actions))[i] =
                    action < -1 || action > INT32_MAX ? -1 : (int32_t)action;
                ((int32_t *)PyArray_DATA(*say))[i] =
                    symbol < -1 || symbol > INT32_MAX ? -1 : (int32_t)symbol;
            }
            core_drop(pairs);
        }
        core_drop(given);
        if (is_pair && !*say) Py_CLEAR(*actions);
        if (is_pair) return *say != NULL;
    }
    *actions = to_numbers(state, object, NPY_INT32, "actions");
    return *actions != NULL;
}

PyObject *batch_write(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"row", "text", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t row;
    PyObject *object;
    char text[JBW_MAX_TEXT + 1];
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO:write", names, &row, &object) ||
        !core_to_text(state, object, text))
        return NULL;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    const jbw_status status =
        row >= 0 ? jbw_batch_write(batch, (size_t)row, text) : JBW_INVALID_ARGUMENT;
    core_gate_leave(&self->gate);
    if (status)
        return core_raise(state, status,
                          "there is no such row, no item of the world carries a text, or the world "
                          "was sent and not received yet");
    return core_new(Py_None);
}

PyObject *batch_step(core_batch *self, PyObject *actions)
{
    core_state *state = core_state_of(self);
    PyArrayObject *numbers;
    PyArrayObject *say;
    if (!to_requests(self, state, actions, &numbers, &say)) return NULL;
    if ((size_t)PyArray_SIZE(numbers) != self->agent_count) {
        core_raise_argument(state, "expected %zu actions, found %zd", self->agent_count,
                            (Py_ssize_t)PyArray_SIZE(numbers));
        core_drop(numbers);
        core_drop(say);
        return NULL;
    }
    jbw_batch *batch = batch_enter(self, state);
    jbw_status status = JBW_OK;
    if (batch) {
        const int32_t *data = PyArray_DATA(numbers);
        if (say) status = jbw_batch_say(batch, NULL, self->world_count, PyArray_DATA(say));
        if (!status) CORE_UNLOCKED(status = jbw_batch_step(batch, data));
        core_gate_leave(&self->gate);
    }
    core_drop(numbers);
    core_drop(say);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status,
                          "there is no such action or symbol, or a world was sent and not received "
                          "yet");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

// one step with pairs of actions and symbols, which `room` (2 x agents) separates
static jbw_status step_with_words(const core_batch *self, const int32_t *pairs, int32_t *room)
{
    int32_t *say = room + self->agent_count;
    for (size_t i = 0; i < self->agent_count; i++) {
        room[i] = pairs[2 * i];
        say[i] = pairs[2 * i + 1];
    }
    const jbw_status status = jbw_batch_say(self->batch, NULL, self->world_count, say);
    return status ? status : jbw_batch_step(self->batch, room);
}

// Steps once for each of the rows [begin, end) of actions, or with `room` of pairs. Needs no
// interpreter.
static jbw_status run_steps(const core_batch *self, const int32_t *actions, int32_t *room,
                            npy_intp begin, npy_intp end)
{
    const size_t length = self->agent_count * (room ? 2 : 1);
    jbw_status status = JBW_OK;
    for (npy_intp step = begin; step < end && !status; step++) {
        const int32_t *row = actions + (size_t)step * length;
        status = room ? step_with_words(self, row, room) : jbw_batch_step(self->batch, row);
    }
    return status;
}

PyObject *batch_run(core_batch *self, PyObject *actions)
{
    enum { STRETCH = 256 }; // steps between checks for signals such as Ctrl-C
    core_state *state = core_state_of(self);
    PyArrayObject *table = (PyArrayObject *)actions;
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const bool can_speak = jbw_model_voice(model->model).symbols > 0;
    const bool is_table = PyArray_Check(actions) && PyArray_TYPE(table) == NPY_INT32 &&
                          PyArray_NDIM(table) >= 2 && PyArray_ISCARRAY_RO(table) &&
                          (size_t)PyArray_DIM(table, 1) == self->agent_count;
    const bool has_words =
        is_table && can_speak && PyArray_NDIM(table) == 3 && PyArray_DIM(table, 2) == 2;
    if (!is_table || (PyArray_NDIM(table) != 2 && !has_words))
        return core_raise_argument(state, "expected an int32 array of shape (steps, %zu)",
                                   self->agent_count);
    int32_t *room = has_words ? PyMem_Calloc(self->agent_count * 2, sizeof *room) : NULL;
    if (has_words && !room) return PyErr_NoMemory();
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) {
        PyMem_Free(room);
        return NULL;
    }
    const int32_t *data = PyArray_DATA(table);
    const npy_intp steps = PyArray_DIM(table, 0);
    jbw_status status = JBW_OK;
    bool is_fine = true;
    for (npy_intp step = 0; step < steps && !status && is_fine;) {
        const npy_intp end = step + STRETCH < steps ? step + STRETCH : steps;
        CORE_UNLOCKED(status = run_steps(self, data, room, step, end));
        step = end;
        is_fine = PyErr_CheckSignals() == 0;
    }
    core_gate_leave(&self->gate);
    PyMem_Free(room);
    if (!is_fine) return NULL;
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

PyObject *batch_send(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"worlds", "actions", NULL};
    core_state *state = core_state_of(self);
    PyObject *worlds;
    PyObject *actions;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:send", names, &worlds, &actions))
        return NULL;
    PyArrayObject *indexes = to_numbers(state, worlds, NPY_INT64, "worlds");
    PyArrayObject *numbers = NULL;
    PyArrayObject *say = NULL;
    if (indexes) to_requests(self, state, actions, &numbers, &say);
    const size_t count = indexes ? (size_t)PyArray_SIZE(indexes) : 0;
    size_t *sent = numbers ? PyMem_Calloc(count + 1, sizeof *sent) : NULL;
    jbw_batch *batch = NULL;
    jbw_status status = JBW_OK;
    if (numbers && !sent) PyErr_NoMemory();
    if (!sent) goto end;

    size_t agents = 0;
    const int64_t *from = PyArray_DATA(indexes);
    for (size_t i = 0; i < count; i++) {
        if (from[i] < 0 || (uint64_t)from[i] >= self->world_count) {
            core_raise_argument(state, "there is no world %lld", (long long)from[i]);
            goto end;
        }
        sent[i] = (size_t)from[i];
        agents += self->first_rows[sent[i] + 1] - self->first_rows[sent[i]];
    }
    if ((size_t)PyArray_SIZE(numbers) != agents) {
        core_raise_argument(state, "expected %zu actions, found %zd", agents,
                            (Py_ssize_t)PyArray_SIZE(numbers));
        goto end;
    }
    batch = batch_enter(self, state);
    if (batch) {
        const int32_t *data = PyArray_DATA(numbers);
        if (say) status = jbw_batch_say(batch, sent, count, PyArray_DATA(say));
        if (!status) CORE_UNLOCKED(status = jbw_batch_send(batch, sent, count, data));
        core_gate_leave(&self->gate);
    }
end:
    PyMem_Free(sent);
    core_drop(indexes);
    core_drop(numbers);
    core_drop(say);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(
            state, status,
            "there is no such action or symbol, or a world is listed twice or already under way");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

PyObject *batch_receive(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"wanted", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t wanted = 1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|n:receive", names, &wanted))
        return NULL;
    if (wanted < 0 || (size_t)wanted > self->world_count)
        return core_raise_argument(state, "expected a number of worlds from 0 to %zu, found %zd",
                                   self->world_count, wanted);
    size_t *received = PyMem_Calloc(self->world_count, sizeof *received);
    if (!received) return PyErr_NoMemory();
    jbw_batch *batch = batch_enter(self, state);
    size_t count = 0;
    jbw_status status = JBW_OK;
    if (batch) {
        CORE_UNLOCKED(
            status = jbw_batch_receive(batch, (size_t)wanted, received, self->world_count, &count));
        core_gate_leave(&self->gate);
    }
    PyObject *out = NULL;
    if (batch && !status) {
        const npy_intp size = (npy_intp)count;
        out = PyArray_SimpleNew(1, &size, NPY_INT64);
        int64_t *to = out ? PyArray_DATA((PyArrayObject *)out) : NULL;
        for (size_t i = 0; out && i < count; i++) to[i] = (int64_t)received[i];
    } else if (batch) {
        core_raise(state, status, NULL);
    }
    PyMem_Free(received);
    return out;
}

PyObject *batch_reset(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"index", "seed", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t index;
    uint64_t seed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO&:reset", names, &index,
                                     core_to_uint64, &seed) ||
        !batch_has_world(self, index))
        return NULL;
    jbw_batch *batch = batch_enter(self, state);
    if (!batch) return NULL;
    jbw_status status;
    CORE_UNLOCKED(status = jbw_batch_reset(batch, (size_t)index, seed));
    if (!status) self->lives[index]++;
    core_gate_leave(&self->gate);
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status, "the world was sent and not received yet");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

PyObject *batch_set_world(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"index", "world", "agents", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t index;
    core_world *given;
    PyObject *agents = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO!|O:set_world", names, &index,
                                     state->World, &given, &agents) ||
        !batch_has_world(self, index))
        return NULL;
    core_model *model = (core_model *)PyTuple_GetItem(self->models, index);
    const int equal = core_model_equals(state, model, given->model);
    if (equal < 0) return NULL;
    if (!equal) return core_raise_argument(state, "the world has another model");

    // the copy needs its model for as long as the batch may use it
    if (given->model != model && !batch_keep(self, (PyObject *)given->model)) return NULL;
    jbw_agent_id *seats =
        agents == Py_None ? NULL : batch_seats_of(self, state, (size_t)index, agents);
    if (agents != Py_None && !seats) return NULL;
    jbw_world *world = core_world_enter(given, state, true);
    jbw_world *copy = NULL;
    jbw_status status = JBW_OK;
    if (world) {
        core_world_release(given);
        status = jbw_world_clone(world, &copy);
        core_world_resume(given);
        core_world_leave(given);
    }
    if (!world || status) {
        PyMem_Free(seats);
        return world ? core_raise(state, status, NULL) : NULL;
    }
    jbw_batch *batch = batch_enter(self, state);
    if (batch) {
        status = seats ? jbw_batch_seat_world(batch, (size_t)index, copy, seats)
                       : jbw_batch_set_world(batch, (size_t)index, copy);
        if (!status) self->lives[index]++;
        core_gate_leave(&self->gate);
    }
    PyMem_Free(seats);
    if (!batch || status) jbw_world_destroy(copy);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status,
                          "the world has another number of agents or other agents, or its place is "
                          "under way");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}
