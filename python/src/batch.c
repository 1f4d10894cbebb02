// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batch: many worlds, stepped in one call, straight into arrays of the caller.
#include "core.h"

#include <string.h>

enum { BUFFERS = CORE_BUFFERS };

// --- making and ending --------------------------------------------------------------------------

// `given` is one for all, or a sequence of `count`: a tuple of `count`, a new reference
static PyObject *spread(core_state *state, PyObject *given, bool is_one, Py_ssize_t count,
                        const char *what)
{
    if (!is_one && PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "expected %s, found %R", what, given);
        return NULL;
    }
    if (!is_one) {
        PyObject *tuple = PySequence_Tuple(given);
        if (tuple && PyTuple_Size(tuple) != count) {
            core_raise_argument(state, "there are %zd seeds, but %zd %s", count,
                                PyTuple_Size(tuple), what);
            Py_CLEAR(tuple);
        }
        return tuple;
    }
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) PyTuple_SetItem(tuple, i, core_new(given));
    return tuple;
}

static bool all_of(PyObject *tuple, PyTypeObject *type, bool may_be_none, const char *what)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        if (Py_IS_TYPE(item, type) || (may_be_none && item == Py_None)) continue;
        PyErr_Format(PyExc_TypeError, "expected %s, found %R", what, item);
        return false;
    }
    return true;
}

// the library's description of the worlds; false with an exception
static bool describe(core_batch *self, core_state *state, PyObject *seeds, PyObject *counts,
                     jbw_batch_world *worlds)
{
    for (size_t i = 0; i < self->world_count; i++) {
        PyObject *reward = PyTuple_GetItem(self->rewards, (Py_ssize_t)i);
        PyObject *seed = PyList_GetItem(seeds, (Py_ssize_t)i);
        const long count = PyLong_AsLong(PyTuple_GetItem(counts, (Py_ssize_t)i));
        if (count == -1 && PyErr_Occurred()) return false;
        if (count < 1 || count > 1000000) {
            core_raise_argument(state, "expected at least one agent in a world, found %ld", count);
            return false;
        }
        worlds[i].model = ((core_model *)PyTuple_GetItem(self->models, (Py_ssize_t)i))->model;
        worlds[i].reward = reward == Py_None ? NULL : ((core_reward *)reward)->reward;
        worlds[i].agent_count = (int)count;
        if (!core_to_uint64(seed, &worlds[i].seed)) return false;
        self->first_rows[i + 1] = self->first_rows[i] + (size_t)count;
    }
    self->agent_count = self->first_rows[self->world_count];
    return true;
}

static bool take_buffers(core_batch *self, core_state *state, PyObject *const given[BUFFERS],
                         jbw_batch_buffers *out)
{
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const npy_intp agents = (npy_intp)self->agent_count;
    const npy_intp vision[4] = {agents, model->side, model->side, model->colors};
    const npy_intp scent[2] = {agents, model->scents};
    const npy_intp position[2] = {agents, 2};
    const npy_intp inventory[2] = {agents, model->item_count};
    const struct {
        const char *name;
        int type;
        int dimensions;
        const npy_intp *shape;
        size_t offset;
    } kinds[BUFFERS] = {
        {"vision", NPY_FLOAT32, 4, vision, offsetof(jbw_batch_buffers, vision)},
        {"scent", NPY_FLOAT32, 2, scent, offsetof(jbw_batch_buffers, scent)},
        {"reward", NPY_FLOAT64, 1, &agents, offsetof(jbw_batch_buffers, reward)},
        {"moved", NPY_UINT8, 1, &agents, offsetof(jbw_batch_buffers, moved)},
        {"collected", NPY_INT32, 1, &agents, offsetof(jbw_batch_buffers, collected)},
        {"position", NPY_INT64, 2, position, offsetof(jbw_batch_buffers, position)},
        {"direction", NPY_UINT8, 1, &agents, offsetof(jbw_batch_buffers, direction)},
        {"time", NPY_UINT64, 1, &agents, offsetof(jbw_batch_buffers, time)},
        {"inventory", NPY_UINT64, 2, inventory, offsetof(jbw_batch_buffers, inventory)},
        {"items", NPY_UINT8, 3, vision, offsetof(jbw_batch_buffers, items)}, // but for colours
    };
    for (int i = 0; i < BUFFERS; i++) {
        if (given[i] == Py_None) continue;
        if (!core_array_check(state, given[i], kinds[i].name, kinds[i].type, kinds[i].dimensions,
                              kinds[i].shape))
            return false;
        self->buffers[i] = core_new(given[i]);
        void *data = PyArray_DATA((PyArrayObject *)given[i]);
        memcpy((char *)out + kinds[i].offset, &data, sizeof data);
    }
    return true;
}

static PyObject *batch_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"models",  "seeds",     "rewards",  "agent_counts",
                            "threads", "vision",    "scent",    "reward",
                            "moved",   "collected", "position", "direction",
                            "time",    "inventory", "items",    NULL};
    core_state *state = core_state_of_type(type);
    PyObject *models;
    PyObject *seeds;
    PyObject *rewards = Py_None;
    PyObject *counts = NULL;
    PyObject *given[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) given[i] = Py_None;
    int threads = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OOi$OOOOOOOOOO:Batch", names, &models,
                                     &seeds, &rewards, &counts, &threads, &given[0], &given[1],
                                     &given[2], &given[3], &given[4], &given[5], &given[6],
                                     &given[7], &given[8], &given[9]))
        return NULL;

    jbw_batch_world *worlds = NULL;
    PyObject *count_tuple = NULL;
    PyObject *one = PyLong_FromLong(1);
    PyObject *seed_list = PySequence_List(seeds);
    core_batch *self = one && seed_list ? (core_batch *)PyType_GenericAlloc(type, 0) : NULL;
    bool done = false;
    if (!self || !core_gate_init(&self->gate) || !(self->kept = PyList_New(0))) goto end;
    const Py_ssize_t count = PyList_Size(seed_list);
    if (count == 0) {
        core_raise_argument(state, "a batch has at least one world");
        goto end;
    }
    self->world_count = (size_t)count;
    self->lives = PyMem_Calloc(self->world_count, sizeof *self->lives);
    self->first_rows = PyMem_Calloc(self->world_count + 1, sizeof *self->first_rows);
    worlds = PyMem_Calloc(self->world_count, sizeof *worlds);
    if (!self->lives || !self->first_rows || !worlds) {
        PyErr_NoMemory();
        goto end;
    }
    if (!counts) counts = one;
    self->models = spread(state, models, Py_IS_TYPE(models, state->Model), count, "models");
    if (!self->models || !all_of(self->models, state->Model, false, "a Model")) goto end;
    self->rewards = spread(state, rewards, rewards == Py_None || Py_IS_TYPE(rewards, state->Reward),
                           count, "rewards");
    if (!self->rewards || !all_of(self->rewards, state->Reward, true, "a Reward or None")) goto end;
    count_tuple = spread(state, counts, PyLong_Check(counts), count, "agent counts");
    if (!count_tuple || !describe(self, state, seed_list, count_tuple, worlds)) goto end;

    jbw_batch_buffers buffers = {0};
    if (!take_buffers(self, state, given, &buffers)) goto end;
    jbw_status status;
    jbw_error error = {0};
    Py_BEGIN_ALLOW_THREADS status =
        jbw_batch_create(worlds, self->world_count, threads, &buffers, &self->batch, &error);
    Py_END_ALLOW_THREADS if (status) core_raise(state, status, error.text);
    else done = true;

end:
    PyMem_Free(worlds);
    core_drop(count_tuple);
    core_drop(one);
    core_drop(seed_list);
    if (!done) Py_CLEAR(self);
    return (PyObject *)self;
}

static int batch_traverse(core_batch *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->models);
    Py_VISIT(self->rewards);
    Py_VISIT(self->kept);
    for (int i = 0; i < BUFFERS; i++) Py_VISIT(self->buffers[i]);
    return 0;
}

// ends the batch first: it writes to the buffers
static void end_batch(core_batch *self)
{
    jbw_batch *batch = self->batch;
    self->batch = NULL;
    if (batch) {
        Py_BEGIN_ALLOW_THREADS jbw_batch_destroy(batch);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < BUFFERS; i++) Py_CLEAR(self->buffers[i]);
}

static void batch_dealloc(core_batch *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    end_batch(self);
    core_gate_deinit(&self->gate);
    PyMem_Free(self->lives);
    PyMem_Free(self->first_rows);
    core_drop(self->models);
    core_drop(self->rewards);
    core_drop(self->kept);
    PyObject_GC_Del(self);
    core_drop(type);
}

// takes the batch; NULL with an exception
static jbw_batch *enter(core_batch *self, core_state *state)
{
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    if (self->batch) return self->batch;
    core_gate_leave(&self->gate);
    PyErr_SetString(state->BusyError, "the batch was closed");
    return NULL;
}

static PyObject *batch_close(core_batch *self, PyObject *unused)
{
    (void)unused;
    if (!core_gate_enter(&self->gate, core_state_of(self), false)) return NULL;
    end_batch(self);
    core_gate_leave(&self->gate);
    return core_new(Py_None);
}

// --- stepping -----------------------------------------------------------------------------------

// whole numbers of any kind as a contiguous array of a type; one that is that already is not copied
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
    // through 64 bits, so that nothing that is too large comes out as something else
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

static PyObject *batch_step(core_batch *self, PyObject *actions)
{
    core_state *state = core_state_of(self);
    PyArrayObject *numbers = to_numbers(state, actions, NPY_INT32, "actions");
    if (!numbers) return NULL;
    if ((size_t)PyArray_SIZE(numbers) != self->agent_count) {
        core_raise_argument(state, "expected %zu actions, found %zd", self->agent_count,
                            (Py_ssize_t)PyArray_SIZE(numbers));
        core_drop(numbers);
        return NULL;
    }
    jbw_batch *batch = enter(self, state);
    jbw_status status = JBW_OK;
    if (batch) {
        const int32_t *data = PyArray_DATA(numbers);
        Py_BEGIN_ALLOW_THREADS status = jbw_batch_step(batch, data);
        Py_END_ALLOW_THREADS core_gate_leave(&self->gate);
    }
    core_drop(numbers);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status,
                          "there is no such action, or a world was sent and not received yet");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

static PyObject *batch_run(core_batch *self, PyObject *actions)
{
    enum { STRETCH = 256 }; // steps between two looks at signals such as Ctrl-C
    core_state *state = core_state_of(self);
    PyArrayObject *table = (PyArrayObject *)actions;
    if (!PyArray_Check(actions) || PyArray_TYPE(table) != NPY_INT32 || PyArray_NDIM(table) != 2 ||
        !PyArray_ISCARRAY_RO(table) || (size_t)PyArray_DIM(table, 1) != self->agent_count)
        return core_raise_argument(state, "expected an int32 array of shape (steps, %zu)",
                                   self->agent_count);
    jbw_batch *batch = enter(self, state);
    if (!batch) return NULL;
    const int32_t *data = PyArray_DATA(table);
    const npy_intp steps = PyArray_DIM(table, 0);
    jbw_status status = JBW_OK;
    bool is_fine = true;
    for (npy_intp step = 0; step < steps && !status && is_fine;) {
        Py_BEGIN_ALLOW_THREADS for (int i = 0; i < STRETCH && step < steps && !status; i++, step++)
            status = jbw_batch_step(batch, data + (size_t)step * self->agent_count);
        Py_END_ALLOW_THREADS is_fine = PyErr_CheckSignals() == 0;
    }
    core_gate_leave(&self->gate);
    if (!is_fine) return NULL;
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

static PyObject *batch_send(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"worlds", "actions", NULL};
    core_state *state = core_state_of(self);
    PyObject *worlds;
    PyObject *actions;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:send", names, &worlds, &actions))
        return NULL;
    PyArrayObject *indexes = to_numbers(state, worlds, NPY_INT64, "worlds");
    PyArrayObject *numbers = indexes ? to_numbers(state, actions, NPY_INT32, "actions") : NULL;
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
    batch = enter(self, state);
    if (batch) {
        const int32_t *data = PyArray_DATA(numbers);
        Py_BEGIN_ALLOW_THREADS status = jbw_batch_send(batch, sent, count, data);
        Py_END_ALLOW_THREADS core_gate_leave(&self->gate);
    }
end:
    PyMem_Free(sent);
    core_drop(indexes);
    core_drop(numbers);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(
            state, status,
            "there is no such action, or a world is named twice or under way already");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

static PyObject *batch_receive(core_batch *self, PyObject *arguments, PyObject *keywords)
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
    jbw_batch *batch = enter(self, state);
    size_t count = 0;
    jbw_status status = JBW_OK;
    if (batch) {
        Py_BEGIN_ALLOW_THREADS status =
            jbw_batch_receive(batch, (size_t)wanted, received, self->world_count, &count);
        Py_END_ALLOW_THREADS core_gate_leave(&self->gate);
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

static bool is_world(const core_batch *self, Py_ssize_t index)
{
    if (index >= 0 && (size_t)index < self->world_count) return true;
    PyErr_Format(PyExc_IndexError, "there is no world %zd, they go from 0 to %zu", index,
                 self->world_count - 1);
    return false;
}

static PyObject *batch_reset(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"index", "seed", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t index;
    uint64_t seed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO&:reset", names, &index,
                                     core_to_uint64, &seed) ||
        !is_world(self, index))
        return NULL;
    jbw_batch *batch = enter(self, state);
    if (!batch) return NULL;
    jbw_status status;
    Py_BEGIN_ALLOW_THREADS status = jbw_batch_reset(batch, (size_t)index, seed);
    Py_END_ALLOW_THREADS if (!status) self->lives[index]++;
    core_gate_leave(&self->gate);
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status, "the world was sent and not received yet");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

static PyObject *batch_set_world(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"index", "world", NULL};
    core_state *state = core_state_of(self);
    Py_ssize_t index;
    core_world *given;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO!:set_world", names, &index,
                                     state->World, &given) ||
        !is_world(self, index))
        return NULL;
    core_model *model = (core_model *)PyTuple_GetItem(self->models, index);
    const int equal = core_model_equals(state, model, given->model);
    if (equal < 0) return NULL;
    if (!equal) return core_raise_argument(state, "the world has another model");

    // the copy needs its model as long as the batch may have it
    if (given->model != model && PyList_Append(self->kept, (PyObject *)given->model) < 0)
        return NULL;
    jbw_world *world = core_world_enter(given, state, true);
    if (!world) return NULL;
    jbw_world *copy;
    core_world_release(given);
    jbw_status status = jbw_world_clone(world, &copy);
    core_world_resume(given);
    core_world_leave(given);
    if (status) return core_raise(state, status, NULL);

    jbw_batch *batch = enter(self, state);
    if (batch) {
        status = jbw_batch_set_world(batch, (size_t)index, copy);
        if (!status) self->lives[index]++;
        core_gate_leave(&self->gate);
    }
    if (!batch || status) jbw_world_destroy(copy);
    if (!batch) return NULL;
    if (status == JBW_INVALID_ARGUMENT)
        return core_raise(state, status,
                          "the world has another number of agents, or its place is under way");
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

// --- looking ------------------------------------------------------------------------------------

static PyObject *batch_world(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if ((index == -1 && PyErr_Occurred()) || !is_world(self, index)) return NULL;
    return core_world_of_batch(state, self, (size_t)index);
}

static PyObject *batch_agent(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t row = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (row == -1 && PyErr_Occurred()) return NULL;
    if (row < 0 || (size_t)row >= self->agent_count) {
        PyErr_Format(PyExc_IndexError, "there is no row %zd", row);
        return NULL;
    }
    size_t index = 0;
    while (self->first_rows[index + 1] <= (size_t)row) index++;
    jbw_batch *batch = enter(self, state);
    if (!batch) return NULL;
    const jbw_agent_id id = jbw_batch_agent(batch, (size_t)row);
    core_gate_leave(&self->gate);
    core_world *world = (core_world *)core_world_of_batch(state, self, index);
    PyObject *agent = world ? core_world_agent(state, world, id) : NULL;
    core_drop(world);
    return agent;
}

static PyObject *batch_hash(core_batch *self, PyObject *number)
{
    PyObject *world = batch_world(self, number);
    PyObject *hash = world ? PyObject_CallMethod(world, "hash", NULL) : NULL;
    core_drop(world);
    return hash;
}

static PyObject *batch_reward_function(core_batch *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    const Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if ((index == -1 && PyErr_Occurred()) || !is_world(self, index)) return NULL;
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

static PyObject *batch_item_vision(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"out", NULL};
    core_state *state = core_state_of(self);
    PyObject *given = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:item_vision", names, &given))
        return NULL;
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const npy_intp shape[4] = {(npy_intp)self->agent_count, model->side, model->side,
                               model->item_count};
    if (given != Py_None && !core_array_check(state, given, "out", NPY_FLOAT32, 4, shape))
        return NULL;
    PyObject *out = given == Py_None ? PyArray_SimpleNew(4, shape, NPY_FLOAT32) : core_new(given);
    void *scratch = PyMem_Malloc(core_item_vision_scratch(model->model));
    if (out && !scratch) PyErr_NoMemory();
    jbw_batch *batch = out && scratch ? enter(self, state) : NULL;
    bool done = false;
    if (batch) {
        if (all_here(self, state, batch)) {
            const size_t stride = (size_t)(shape[1] * shape[2] * shape[3]);
            float *to = PyArray_DATA((PyArrayObject *)out);
            jbw_status status = JBW_OK;
            Py_BEGIN_ALLOW_THREADS for (size_t i = 0; i < self->world_count; i++)
            {
                jbw_world *world = jbw_batch_get_world(batch, i);
                for (size_t row = self->first_rows[i]; row < self->first_rows[i + 1]; row++) {
                    if (!status)
                        status = core_item_vision(world, jbw_batch_agent(batch, row), scratch,
                                                  to + row * stride);
                }
            }
            Py_END_ALLOW_THREADS done = !status;
            if (status) core_raise(state, status, NULL);
        }
        core_gate_leave(&self->gate);
    }
    PyMem_Free(scratch);
    if (!done) Py_CLEAR(out);
    return out;
}

static PyObject *batch_states(core_batch *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const npy_intp agents = (npy_intp)self->agent_count;
    const npy_intp pairs[2] = {agents, 2};
    const npy_intp items[2] = {agents, model->item_count};
    PyObject *position = PyArray_SimpleNew(2, pairs, NPY_INT64);
    PyObject *direction = position ? PyArray_SimpleNew(1, &agents, NPY_INT8) : NULL;
    PyObject *time = direction ? PyArray_SimpleNew(1, &agents, NPY_INT64) : NULL;
    PyObject *inventory = time ? PyArray_SimpleNew(2, items, NPY_INT64) : NULL;
    PyObject *out = inventory ? PyDict_New() : NULL;
    jbw_batch *batch = out ? enter(self, state) : NULL;
    bool done = false;
    if (batch) {
        done = all_here(self, state, batch);
        int64_t *positions = PyArray_DATA((PyArrayObject *)position);
        int8_t *directions = PyArray_DATA((PyArrayObject *)direction);
        int64_t *times = PyArray_DATA((PyArrayObject *)time);
        int64_t *counts = PyArray_DATA((PyArrayObject *)inventory);
        for (size_t i = 0; done && i < self->world_count; i++) {
            const jbw_world *world = jbw_batch_get_world(batch, i);
            for (size_t row = self->first_rows[i]; row < self->first_rows[i + 1]; row++) {
                const jbw_agent_id id = jbw_batch_agent(batch, row);
                jbw_agent_state now = {0};
                jbw_agent_get_state(world, id, &now);
                positions[2 * row] = now.position.x;
                positions[2 * row + 1] = now.position.y;
                directions[row] = (int8_t)now.direction;
                times[row] = (int64_t)jbw_world_time(world);
                const uint64_t *carried = jbw_agent_inventory(world, id);
                for (size_t k = 0; k < (size_t)model->item_count; k++)
                    counts[row * (size_t)model->item_count + k] = carried ? (int64_t)carried[k] : 0;
            }
        }
        core_gate_leave(&self->gate);
    }
    done = done && PyDict_SetItem(out, state->word_position, position) == 0 &&
           PyDict_SetItem(out, state->word_direction, direction) == 0 &&
           PyDict_SetItem(out, state->word_time, time) == 0 &&
           PyDict_SetItem(out, state->word_inventory, inventory) == 0;
    if (!done) Py_CLEAR(out);
    core_drop(position);
    core_drop(direction);
    core_drop(time);
    core_drop(inventory);
    return out;
}

static PyObject *batch_get_world_count(core_batch *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->world_count);
}

static PyObject *batch_get_agent_count(core_batch *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->agent_count);
}

static PyObject *batch_get_model(core_batch *self, void *unused)
{
    (void)unused;
    return core_new(PyTuple_GetItem(self->models, 0));
}

// --- the type -----------------------------------------------------------------------------------

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"step", (PyCFunction)batch_step, METH_O,
     PyDoc_STR("step($self, actions, /)\n--\n\n"
               "Steps all worlds: (agents) action numbers, by row. An int32 array is taken as it "
               "is.")},
    {"run", (PyCFunction)batch_run, METH_O,
     PyDoc_STR("run($self, actions, /)\n--\n\n"
               "Steps all worlds once for each row of actions, int32 (steps, agents), in one call. "
               "The arrays hold what\nthe last step led to.")},
    {"send", KEYWORDS(batch_send),
     PyDoc_STR("send($self, /, worlds, actions)\n--\n\n"
               "Hands actions to some worlds, (n) indexes, and returns at once; the actions of "
               "their agents, in that\norder, are copied.")},
    {"receive", KEYWORDS(batch_receive),
     PyDoc_STR("receive($self, /, wanted=1)\n--\n\n"
               "Waits for at least wanted of the worlds that were sent, and returns the indexes of "
               "all that are done,\nin the order in which they finished: int64.")},
    {"reset", KEYWORDS(batch_reset),
     PyDoc_STR("reset($self, /, index, seed)\n--\n\nStarts a new life in one world.")},
    {"set_world", KEYWORDS(batch_set_world),
     PyDoc_STR("set_world($self, /, index, world)\n--\n\n"
               "Puts a copy of a world, of an equal model and with as many agents, in the place of "
               "another one.\nIts rows become what they were after its latest step.")},
    {"world", (PyCFunction)batch_world, METH_O,
     PyDoc_STR("world($self, index, /)\n--\n\n"
               "A World to look at and edit between steps, but not to step or to add agents to. "
               "After a reset it\nraises; while its world is under way too.")},
    {"agent", (PyCFunction)batch_agent, METH_O,
     PyDoc_STR("agent($self, row, /)\n--\n\nThe agent of a row, of the World above.")},
    {"hash", (PyCFunction)batch_hash, METH_O,
     PyDoc_STR("hash($self, index, /)\n--\n\nWorld.hash of one world.")},
    {"item_vision", KEYWORDS(batch_item_vision),
     PyDoc_STR("item_vision($self, /, out=None)\n--\n\n"
               "Agent.item_vision of all agents: float32 (agents, 2 R + 1, 2 R + 1, item types), "
               "into out.")},
    {"states", (PyCFunction)batch_states, METH_NOARGS,
     PyDoc_STR("states($self, /)\n--\n\n"
               "New arrays, one row per agent: position int64 (agents, 2), direction int8 "
               "(agents,) as 0 up, 1 right,\n2 down, 3 left, time int64 (agents,) and inventory "
               "int64 (agents, item types).")},
    {"reward_function", (PyCFunction)batch_reward_function, METH_O,
     PyDoc_STR("reward_function($self, index, /)\n--\n\n"
               "The text of the reward in force in the next step of one world.")},
    {"close", (PyCFunction)batch_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\n"
               "Waits for worlds under way and ends the batch; later calls raise. Closing twice is "
               "fine.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"world_count", (getter)batch_get_world_count, NULL, PyDoc_STR("The number of worlds."), NULL},
    {"agent_count", (getter)batch_get_agent_count, NULL,
     PyDoc_STR("The number of agents in all worlds, which is that of rows."), NULL},
    {"model", (getter)batch_get_model, NULL, PyDoc_STR("The model of world 0."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR(
         "Batch(models, seeds, rewards=None, agent_counts=1, threads=0, *, vision=None, "
         "scent=None, reward=None, moved=None, collected=None, position=None, direction=None, "
         "time=None, inventory=None, items=None)\n--\n\n"
         "Many worlds, stepped together by a pool of threads, straight into arrays of the "
         "caller.\n\n"
         "There is one row per agent: world 0's agents first, in the order of adding. All "
         "models must agree in\nshapes, actions and items. threads 0 means one per "
         "processor. The arrays, C-contiguous and writeable, are\nkept alive: vision float32 "
         "(agents, 2 R + 1, 2 R + 1, color_dimensions), scent float32 (agents,\n"
         "scent_dimensions), reward float64 (agents,), moved uint8 (agents,), collected "
         "int32 (agents,),\nposition int64 (agents, 2), direction uint8 (agents,), time "
         "uint64 (agents,), inventory uint64 (agents,\nitem types), items uint8 (agents, "
         "2 R + 1, 2 R + 1).")},
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_traverse, batch_traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_batch_spec = {
    .name = "jbw._core.Batch",
    .basicsize = sizeof(core_batch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
