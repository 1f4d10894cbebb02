// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World: the map of one seed, and the agents in it. Either it owns a world of the library, or it
/// shows one of a batch, as long as that lives.
#include "core.h"

#include <limits.h>
#include <string.h>

// --- entering and leaving -----------------------------------------------------------------------

jbw_world *core_world_enter(core_world *self, core_state *state, bool reads)
{
    if (!self->batch) {
        if (!core_gate_enter(&self->gate, state, reads)) return NULL;
        if (!reads) self->version++;
        return self->own;
    }

    core_batch *batch = self->batch;
    if (!core_gate_enter(&batch->gate, state, reads)) return NULL;
    const char *problem = NULL;
    jbw_world *world = NULL;
    if (!batch->batch)
        problem = "the batch of this world was closed";
    else if (batch->lives[self->index] != self->life)
        problem = "this world has ended: it was reset in its batch";
    else if (!(world = jbw_batch_get_world(batch->batch, self->index)))
        problem = "this world is under way in its batch: receive it first";
    if (problem) {
        core_gate_leave(&batch->gate);
        PyErr_SetString(state->BusyError, problem);
        return NULL;
    }
    self->version++; // the batch may have stepped it
    return world;
}

jbw_world *core_world_enter_agents(core_world *self, core_state *state)
{
    if (self->batch) {
        PyErr_SetString(state->BusyError, "this world belongs to a batch, which steps it");
        return NULL;
    }
    return core_world_enter(self, state, false);
}

void core_world_leave(core_world *self)
{
    core_gate_leave(self->batch ? &self->batch->gate : &self->gate);
}

void core_world_release(core_world *self)
{
    self->thread = PyEval_SaveThread();
}

bool core_world_resume(core_world *self)
{
    PyEval_RestoreThread(self->thread);
    self->thread = NULL;
    if (!self->error[0]) return true;
    PyErr_Restore(self->error[0], self->error[1], self->error[2]);
    memset(self->error, 0, sizeof self->error);
    return false;
}

// raises what a call came to, after `core_world_leave`; None if all is well
static PyObject *none_or_raise(core_state *state, jbw_status status)
{
    if (status) return core_raise(state, status, NULL);
    return core_new(Py_None);
}

// --- making and ending --------------------------------------------------------------------------

static core_world *allocate(core_state *state, core_model *model)
{
    core_world *self = (core_world *)PyType_GenericAlloc(state->World, 0);
    if (!self) return NULL;
    self->model = (core_model *)core_new(model);
    if (!core_gate_init(&self->gate)) {
        core_drop(self);
        return NULL;
    }
    return self;
}

PyObject *core_world_wrap(core_state *state, core_model *model, jbw_world *world)
{
    core_world *self = allocate(state, model);
    if (self)
        self->own = world;
    else
        jbw_world_destroy(world);
    return (PyObject *)self;
}

PyObject *core_world_make(core_state *state, core_model *model, uint64_t seed)
{
    core_world *self = allocate(state, model);
    if (!self) return NULL;
    const jbw_status status = jbw_world_create(model->model, seed, &self->own);
    if (!status) return (PyObject *)self;
    core_drop(self);
    return core_raise(state, status, NULL);
}

PyObject *core_world_of_batch(core_state *state, core_batch *batch, size_t index)
{
    core_model *model = (core_model *)PyTuple_GetItem(batch->models, (Py_ssize_t)index);
    core_world *self = allocate(state, model);
    if (!self) return NULL;
    self->batch = (core_batch *)core_new(batch);
    self->index = index;
    self->life = batch->lives[index];
    return (PyObject *)self;
}

// a Model from whatever describes a world: that is jbw.config's business
static core_model *to_model(core_state *state, PyObject *world, PyObject *overrides)
{
    const bool has_overrides = overrides && overrides != Py_None;
    if (Py_IS_TYPE(world, state->Model) && !has_overrides) return (core_model *)core_new(world);
    PyObject *module = PyImport_ImportModule("jbw.config");
    PyObject *model = module ? PyObject_CallMethod(module, "compile_world", "OO", world,
                                                   has_overrides ? overrides : Py_None)
                             : NULL;
    core_drop(module);
    if (model && !Py_IS_TYPE(model, state->Model)) {
        PyErr_Format(PyExc_TypeError, "expected a world, found %R", world);
        Py_CLEAR(model);
    }
    return (core_model *)model;
}

// starts and ends threads that make the world; false with an exception set if that fails
static bool set_generation_threads(core_world *self, core_state *state, int count)
{
    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return false;
    core_world_release(self);
    const jbw_status status = jbw_world_set_generation_threads(world, count);
    core_world_resume(self);
    core_world_leave(self);
    if (status == JBW_INVALID_ARGUMENT)
        core_raise_argument(state, "generation_threads: expected 0 to %d",
                            JBW_MAX_GENERATION_THREADS);
    else if (status)
        core_raise(state, status, NULL);
    return !status;
}

static PyObject *world_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"world", "seed", "overrides", "generation_threads", NULL};
    core_state *state = core_state_of_type(type);
    PyObject *world;
    PyObject *overrides = NULL;
    uint64_t seed = 0;
    int threads = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O&$Oi:World", names, &world,
                                     core_to_uint64, &seed, &overrides, &threads))
        return NULL;
    core_model *model = to_model(state, world, overrides);
    PyObject *self = model ? core_world_make(state, model, seed) : NULL;
    core_drop(model);
    if (self && threads != 0 && !set_generation_threads((core_world *)self, state, threads))
        Py_CLEAR(self);
    return self;
}

static int world_traverse(core_world *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->model);
    Py_VISIT(self->batch);
    Py_VISIT(self->callback);
    Py_VISIT(self->notes);
    for (int i = 0; i < 3; i++) Py_VISIT(self->error[i]);
    return 0;
}

// what may be part of a circle; the rest is needed until the end
static int world_clear(core_world *self)
{
    Py_CLEAR(self->callback);
    Py_CLEAR(self->notes);
    for (int i = 0; i < 3; i++) Py_CLEAR(self->error[i]);
    return 0;
}

static void world_dealloc(core_world *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_viewers_end(self);
    jbw_world_destroy(self->own);
    world_clear(self);
    core_gate_deinit(&self->gate);
    PyMem_Free(self->agents);
    core_drop(self->batch);
    core_drop(self->model);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- agents -------------------------------------------------------------------------------------

PyObject *core_world_agent(core_state *state, core_world *self, jbw_agent_id id)
{
    for (size_t i = 0; i < self->agent_count; i++) {
        core_agent *agent = self->agents[i];
        if (agent->id.index1 == id.index1 && agent->id.generation == id.generation)
            return core_new(agent);
    }
    if (self->agent_count == self->agent_capacity) {
        const size_t capacity = self->agent_capacity ? 2 * self->agent_capacity : 4;
        core_agent **agents = PyMem_Realloc(self->agents, capacity * sizeof *agents);
        if (!agents) return PyErr_NoMemory();
        self->agents = agents;
        self->agent_capacity = capacity;
    }
    core_agent *agent = (core_agent *)PyType_GenericAlloc(state->Agent, 0);
    if (!agent) return NULL;
    agent->world = (core_world *)core_new(self);
    agent->id = id;
    self->agents[self->agent_count++] = agent;
    return (PyObject *)agent;
}

static PyObject *world_get_agents(core_world *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *ids = PyMem_Calloc(count + 1, sizeof *ids);
    if (ids) jbw_world_agents(world, ids, count);
    core_world_leave(self);
    if (!ids) return PyErr_NoMemory();

    PyObject *agents = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; agents && i < count; i++) {
        PyObject *agent = core_world_agent(state, self, ids[i]);
        if (agent)
            PyTuple_SetItem(agents, (Py_ssize_t)i, agent);
        else
            Py_CLEAR(agents);
    }
    PyMem_Free(ids);
    return agents;
}

static PyObject *world_agent(core_world *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    uint64_t packed;
    if (!core_to_uint64(number, &packed)) return NULL;
    const jbw_agent_id id = {(uint32_t)packed, (uint32_t)(packed >> 32)};
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    jbw_agent_state found;
    const jbw_status status = jbw_agent_get_state(world, id, &found);
    core_world_leave(self);
    return status ? core_raise(state, status, NULL) : core_world_agent(state, self, id);
}

static PyObject *world_add_agent(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"position", "direction", "force", NULL};
    core_state *state = core_state_of(self);
    jbw_agent_options options = {0};
    PyObject *position = Py_None;
    int is_forced = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO&p:add_agent", names, &position,
                                     core_to_direction, &options.direction, &is_forced))
        return NULL;
    options.has_position = position != Py_None;
    options.is_forced = is_forced != 0;
    if (options.has_position && !core_to_position(position, &options.position)) return NULL;

    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return NULL;
    jbw_agent_id id;
    core_world_release(self);
    const jbw_status status = jbw_world_add_agent(world, &options, &id);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    if (!is_fine) return NULL;
    return status ? core_raise(state, status, NULL) : core_world_agent(state, self, id);
}

// --- acting -------------------------------------------------------------------------------------

// hands over the requests of (count) agents
static PyObject *act_together(core_state *state, core_world *self, PyObject *agents,
                              PyObject *actions)
{
    const Py_ssize_t count = PyList_Size(agents);
    if (PyList_Size(actions) != count)
        return core_raise_argument(state, "there are %zd agents, but %zd actions", count,
                                   PyList_Size(actions));
    jbw_agent_id *ids = PyMem_Calloc((size_t)count + 1, sizeof *ids);
    int *numbers = PyMem_Calloc((size_t)count + 1, sizeof *numbers);
    PyObject *stepped = NULL;
    if (!ids || !numbers) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *agent = PyList_GetItem(agents, i);
        if (!Py_IS_TYPE(agent, state->Agent)) {
            PyErr_Format(PyExc_TypeError, "expected an Agent, found %R", agent);
            goto end;
        }
        if (((core_agent *)agent)->world != self) {
            core_raise_argument(state, "the agent %R is in another world", agent);
            goto end;
        }
        ids[i] = ((core_agent *)agent)->id;
        numbers[i] = core_to_action(state, self->model, PyList_GetItem(actions, i));
        if (numbers[i] < 0) goto end;
    }

    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) goto end;
    bool has_stepped = false;
    core_world_release(self);
    const jbw_status status = jbw_world_act(world, ids, numbers, (size_t)count, &has_stepped);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    if (is_fine) stepped = status ? core_raise(state, status, NULL) : PyBool_FromLong(has_stepped);

end:
    PyMem_Free(ids);
    PyMem_Free(numbers);
    return stepped;
}

static PyObject *world_act(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"agents", "actions", NULL};
    core_state *state = core_state_of(self);
    PyObject *agents;
    PyObject *actions = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:act", names, &agents, &actions))
        return NULL;
    PyObject *agent_list;
    PyObject *action_list;
    if (actions == Py_None) {
        agent_list = PyMapping_Keys(agents);
        action_list = agent_list ? PyMapping_Values(agents) : NULL;
    } else {
        agent_list = PySequence_List(agents);
        action_list = agent_list ? PySequence_List(actions) : NULL;
    }
    PyObject *stepped = action_list ? act_together(state, self, agent_list, action_list) : NULL;
    core_drop(agent_list);
    core_drop(action_list);
    return stepped;
}

static PyObject *world_step(core_world *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_step(world);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    return is_fine ? none_or_raise(state, status) : NULL;
}

// called in the middle of a call that has released the interpreter's lock
static void call_back(jbw_world *world, void *user)
{
    (void)world;
    core_world *self = user;
    PyEval_RestoreThread(self->thread);
    self->version++;
    if (!self->error[0]) {
        PyObject *function = core_new(self->callback);
        PyObject *result =
            function ? PyObject_CallFunctionObjArgs(function, (PyObject *)self, NULL) : NULL;
        if (function && !result) PyErr_Fetch(&self->error[0], &self->error[1], &self->error[2]);
        core_drop(result);
        core_drop(function);
    }
    self->thread = PyEval_SaveThread();
}

static void after_step(jbw_world *world, void *user)
{
    core_world *self = user;
    core_viewers_publish(self->viewers, world);
    if (self->callback) call_back(world, user);
}

void core_world_listen(core_world *self, jbw_world *world)
{
    const bool is_heard = self->callback || self->viewers;
    jbw_world_on_step(world, is_heard ? after_step : NULL, self);
}

static PyObject *world_on_step(core_world *self, PyObject *function)
{
    core_state *state = core_state_of(self);
    if (function != Py_None && !PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "expected a function or None, found %R", function);
        return NULL;
    }
    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return NULL;
    PyObject *old = self->callback;
    self->callback = function == Py_None ? NULL : core_new(function);
    core_world_listen(self, world);
    core_world_leave(self);
    core_drop(old);
    return core_new(Py_None);
}

// --- the map ------------------------------------------------------------------------------------

// reads items, or else states, of a region into a new array
static PyObject *read_region(core_world *self, PyObject *arguments, PyObject *keywords,
                             const char *format, bool wants_states)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &x, &y, &width, &height))
        return NULL;
    if (width < 0 || height < 0)
        return core_raise_argument(state, "the width and height of a region are not negative");
    const npy_intp shape[2] = {(npy_intp)height, (npy_intp)width};
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT8);
    if (!array || PyArray_SIZE(array) == 0) return (PyObject *)array;
    PyArrayObject *other =
        wants_states ? (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT8) : NULL;
    jbw_world *world = wants_states && !other ? NULL : core_world_enter(self, state, true);
    if (!world) {
        core_drop(array);
        core_drop(other);
        return NULL;
    }
    const jbw_region region = {x, y, width, height};
    uint8_t *items = PyArray_DATA(array);
    uint8_t *states = other ? PyArray_DATA(other) : NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_read_region(world, region, items, states);
    core_world_resume(self);
    core_world_leave(self);
    if (other) {
        core_drop(array);
        array = other;
    }
    if (!status) return (PyObject *)array;
    core_drop(array);
    return core_raise(state, status, NULL);
}

static PyObject *world_items(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_region(self, arguments, keywords, "LLLL:items", false);
}

static PyObject *world_patch_states(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_region(self, arguments, keywords, "LLLL:patch_states", true);
}

static PyObject *world_place(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"item", "x", "y", NULL};
    core_state *state = core_state_of(self);
    PyObject *item;
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLL:place", names, &item, &x, &y))
        return NULL;
    const int item_type = core_to_item(state, self->model, item);
    if (item_type < 0) return NULL;
    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_place_item(world, item_type, (jbw_position){x, y});
    core_world_resume(self);
    core_world_leave(self);
    return none_or_raise(state, status);
}

static PyObject *world_remove(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:remove", names, &x, &y)) return NULL;
    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_remove_item(world, (jbw_position){x, y});
    core_world_resume(self);
    core_world_leave(self);
    return none_or_raise(state, status);
}

static PyObject *world_smell(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:smell", names, &x, &y)) return NULL;
    const npy_intp shape[1] = {self->model->scents};
    PyArrayObject *scent = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_FLOAT32);
    jbw_world *world = scent ? core_world_enter(self, state, true) : NULL;
    if (!world) {
        core_drop(scent);
        return NULL;
    }
    const jbw_status status = jbw_world_smell(world, (jbw_position){x, y}, PyArray_DATA(scent));
    core_world_leave(self);
    if (!status) return (PyObject *)scent;
    core_drop(scent);
    return core_raise(state, status, NULL);
}

static PyObject *world_explore(core_world *self, PyObject *positions)
{
    core_state *state = core_state_of(self);
    PyArrayObject *cells = core_to_positions(state, positions);
    jbw_world *world = cells ? core_world_enter(self, state, false) : NULL;
    if (!world) {
        core_drop(cells);
        return NULL;
    }
    // an (n, 2) array of int64 is laid out as n positions
    const size_t count = (size_t)PyArray_SIZE(cells) / 2;
    const jbw_position *at = PyArray_DATA(cells);
    core_world_release(self);
    const jbw_status status = count > 0 ? jbw_world_explore(world, at, count) : JBW_OK;
    core_world_resume(self);
    core_world_leave(self);
    core_drop(cells);
    return none_or_raise(state, status);
}

static PyObject *world_explore_region(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LLLL:explore_region", names, &x, &y,
                                     &width, &height))
        return NULL;
    const int64_t far = JBW_MAX_COORDINATE;
    if (width < 0 || height < 0 || width > far || height > far)
        return core_raise_argument(state, "the width and height of a region are not negative");
    if (width == 0 || height == 0) return core_new(Py_None);
    if (x < -far || y < -far || x > far - width || y > far - height)
        return core_raise(state, JBW_OUT_OF_RANGE, NULL);

    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    const jbw_position first = jbw_world_patch_of(world, (jbw_position){x, y});
    const jbw_position last =
        jbw_world_patch_of(world, (jbw_position){x + width - 1, y + height - 1});
    jbw_status status = JBW_OK;
    bool is_fine = true;
    for (int64_t patch_y = first.y; patch_y <= last.y && !status && is_fine; patch_y++) {
        for (int64_t patch_x = first.x; patch_x <= last.x && !status && is_fine; patch_x++) {
            core_world_release(self);
            status = jbw_world_finalize_patch(world, (jbw_position){patch_x, patch_y});
            // a large region takes its time: let Ctrl-C through
            is_fine = core_world_resume(self) && PyErr_CheckSignals() == 0;
        }
    }
    core_world_leave(self);
    return is_fine ? none_or_raise(state, status) : NULL;
}

static PyObject *world_draw(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "x", "y", "width", "height", "scale", "grid", "trail", NULL};
    core_state *state = core_state_of(self);
    PyObject *path;
    PyObject *trail = Py_None;
    long long x;
    long long y;
    long long width;
    long long height;
    int scale = 4;
    int grid = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLLLL|$ipO:draw", names, &path, &x, &y,
                                     &width, &height, &scale, &grid, &trail))
        return NULL;
    PyArrayObject *cells = trail == Py_None ? NULL : core_to_positions(state, trail);
    if (trail != Py_None && !cells) return NULL;
    PyObject *file = core_path(path);
    jbw_world *world = file ? core_world_enter(self, state, true) : NULL;
    if (!world) {
        core_drop(cells);
        core_drop(file);
        return NULL;
    }
    const jbw_picture_options options = {
        .scale = scale,
        .show_grid = grid != 0,
        .path = cells ? PyArray_DATA(cells) : NULL,
        .path_count = cells ? (size_t)PyArray_SIZE(cells) / 2 : 0,
    };
    const char *name = PyBytes_AsString(file);
    jbw_error error = {0};
    core_world_release(self);
    const jbw_status status =
        jbw_picture_write_png(world, (jbw_region){x, y, width, height}, &options, name, &error);
    core_world_resume(self);
    core_world_leave(self);
    core_drop(cells);
    core_drop(file);
    return status ? core_raise_file(state, status, error.text, path) : core_new(Py_None);
}

// what is more than the extension's business, is that of jbw.viewer
static PyObject *world_view(core_world *self, PyObject *arguments, PyObject *keywords)
{
    PyObject *module = PyImport_ImportModule("jbw.viewer");
    PyObject *function = module ? PyObject_GetAttrString(module, "view_world") : NULL;
    PyObject *first = function ? PyTuple_Pack(1, (PyObject *)self) : NULL;
    PyObject *all = first ? PySequence_Concat(first, arguments) : NULL;
    PyObject *viewer = all ? PyObject_Call(function, all, keywords) : NULL;
    core_drop(module);
    core_drop(function);
    core_drop(first);
    core_drop(all);
    return viewer;
}

// --- looking at it ------------------------------------------------------------------------------

static PyObject *world_hash(core_world *self, PyObject *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    core_world_release(self);
    const uint64_t hash = jbw_world_hash(world);
    core_world_resume(self);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(hash);
}

static PyObject *world_get_seed(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const uint64_t seed = jbw_world_seed(world);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(seed);
}

static PyObject *world_get_time(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const uint64_t time = jbw_world_time(world);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(time);
}

static PyStructSequence_Field stats_fields[] = {
    {"patch_count", "patches that are known"},
    {"final_patch_count", "of those, final"},
    {"sampling_count", "calls that sampled something"},
    {"proposal_count", "Metropolis-Hastings proposals made"},
    {"accepted_count", "of those, accepted"},
    {"map_bytes", "memory of patches and their index"},
    {"scratch_bytes", "memory kept for sampling, bounded"},
    {NULL, NULL},
};

PyStructSequence_Desc core_stats_desc = {"jbw._core.Stats", "What a world has done and holds.",
                                         stats_fields, 7};

static PyObject *world_get_stats(core_world *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    const jbw_world_stats stats = jbw_world_get_stats(world);
    core_world_leave(self);
    const uint64_t values[7] = {stats.patch_count,    stats.final_patch_count, stats.sampling_count,
                                stats.proposal_count, stats.accepted_count,    stats.map_bytes,
                                stats.scratch_bytes};
    PyObject *out = PyStructSequence_New(state->Stats);
    for (int i = 0; out && i < 7; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(values[i]);
        if (value)
            PyStructSequence_SetItem(out, i, value);
        else
            Py_CLEAR(out);
    }
    return out;
}

static PyObject *world_get_generation_threads(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const int count = jbw_world_generation_threads(world);
    core_world_leave(self);
    return PyLong_FromLong(count);
}

static int world_set_generation_threads(core_world *self, PyObject *value, void *unused)
{
    (void)unused;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "generation_threads cannot be deleted");
        return -1;
    }
    const long count = PyLong_AsLong(value);
    if (count == -1 && PyErr_Occurred()) return -1;
    const int number = count < 0 || count > INT_MAX ? -1 : (int)count;
    return set_generation_threads(self, core_state_of(self), number) ? 0 : -1;
}

static PyObject *world_get_model(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model);
}

static PyObject *world_get_config(core_world *self, void *unused)
{
    (void)unused;
    PyObject *module = PyImport_ImportModule("jbw.config");
    PyObject *config =
        module ? PyObject_CallMethod(module, "config_of_model", "O", (PyObject *)self->model)
               : NULL;
    core_drop(module);
    return config;
}

static PyObject *world_get_item_names(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model->item_names);
}

static PyObject *world_get_action_names(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model->action_names);
}

static PyObject *world_get_notes(core_world *self, void *unused)
{
    (void)unused;
    return self->notes ? PyDict_Copy(self->notes) : PyDict_New();
}

static PyObject *world_repr(core_world *self)
{
    PyObject *seed = world_get_seed(self, NULL);
    PyObject *time = seed ? world_get_time(self, NULL) : NULL;
    PyObject *text = NULL;
    if (time) {
        text = PyUnicode_FromFormat("<jbw.World: seed %R, time %R>", seed, time);
    } else if (PyErr_ExceptionMatches(core_state_of(self)->BusyError)) {
        PyErr_Clear();
        text = PyUnicode_FromString("<jbw.World of a batch, out of reach>");
    }
    core_drop(seed);
    core_drop(time);
    return text;
}

// --- the type -----------------------------------------------------------------------------------

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"agent", (PyCFunction)world_agent, METH_O,
     PyDoc_STR("agent($self, id, /)\n--\n\n"
               "The agent with that id; NoSuchAgentError if there is none.")},
    {"add_agent", KEYWORDS(world_add_agent),
     PyDoc_STR("add_agent($self, /, position=None, direction='up', force=False)\n--\n\n"
               "Adds an agent: by default on the first free cell of a spiral around the origin.\n\n"
               "CellBlockedError if the cell is blocked or taken, unless force.")},
    {"act", KEYWORDS(world_act),
     PyDoc_STR("act($self, /, agents, actions=None)\n--\n\n"
               "Asks for the actions of several agents: a mapping, or agents and their actions.\n\n"
               "All are taken, or none. True if the world took its step, since all active agents "
               "have asked.")},
    {"step", (PyCFunction)world_step, METH_NOARGS,
     PyDoc_STR("step($self, /)\n--\n\n"
               "Takes a step now; agents that have not asked for anything do nothing.")},
    {"items", KEYWORDS(world_items),
     PyDoc_STR("items($self, /, x, y, width, height)\n--\n\n"
               "What lies in cells [x, x + width) times [y, y + height): a new (height, width) "
               "array of uint8.\n\nRow 0 has the lowest y. 0 is an empty or unknown cell, "
               "otherwise the item type plus one.\nNothing is generated: see explore.")},
    {"patch_states", KEYWORDS(world_patch_states),
     PyDoc_STR("patch_states($self, /, x, y, width, height)\n--\n\n"
               "(height, width) of uint8, row 0 with the lowest y: 0 where nothing is known, 1 "
               "where items may\nstill be sampled again, 2 where generated items are final.")},
    {"place", KEYWORDS(world_place),
     PyDoc_STR("place($self, /, item, x, y)\n--\n\n"
               "Puts an item into an empty cell; CellBlockedError if it is not empty.")},
    {"remove", KEYWORDS(world_remove),
     PyDoc_STR("remove($self, /, x, y)\n--\n\n"
               "Takes the item out of a cell; NotFoundError if there is none.")},
    {"smell", KEYWORDS(world_smell),
     PyDoc_STR("smell($self, /, x, y)\n--\n\n"
               "The scent in a cell now: a new (scent_dimensions) array of float32.")},
    {"explore", (PyCFunction)world_explore, METH_O,
     PyDoc_STR("explore($self, positions, /)\n--\n\n"
               "Generates, and makes final, what agents at these cells would need: (n, 2) or "
               "(2,).")},
    {"explore_region", KEYWORDS(world_explore_region),
     PyDoc_STR("explore_region($self, /, x, y, width, height)\n--\n\n"
               "Makes every patch that touches the region final, one by one, row by row.")},
    {"hash", (PyCFunction)world_hash, METH_NOARGS,
     PyDoc_STR("hash($self, /)\n--\n\n"
               "A number that is equal for equal worlds, on every platform, and else almost "
               "never.")},
    {"on_step", (PyCFunction)world_on_step, METH_O,
     PyDoc_STR("on_step($self, function, /)\n--\n\n"
               "Calls function(world) after each step, before the call that caused it returns.\n\n"
               "It may look at the world but not change it. What it raises comes out of that call. "
               "None ends it.\nCopies and loaded worlds have none.")},
    {"draw", KEYWORDS(world_draw),
     PyDoc_STR(
         "draw($self, /, path, x, y, width, height, *, scale=4, grid=False, trail=None)\n--\n\n"
         "Draws a region into a PNG file, scale pixels per cell; trail is (n, 2) cells.")},
    {"view", KEYWORDS(world_view),
     PyDoc_STR("view($self, /, port=0, *, open=False, quiet=False, reward=None, "
               "host='127.0.0.1', frame_rate=30.0)\n--\n\n"
               "Lets browsers watch the world while Python goes on with it; says where.\n\n"
               "Port 0 is any that is free; open also opens a browser; reward is whose rate the "
               "page plots. Who watches can change "
               "nothing, and as long as\nnobody does it costs next to nothing. It lasts until the "
               "viewer is closed or the world is gone.")},
    {"clone", (PyCFunction)core_world_clone, METH_NOARGS,
     PyDoc_STR("clone($self, /)\n--\n\n"
               "A copy that goes on by itself; cheap, since both share what neither changes.")},
    {"save", KEYWORDS(core_world_save),
     PyDoc_STR("save($self, /, path, notes=None)\n--\n\n"
               "Writes a snapshot: the file is complete, or as it was before.")},
    {"load", (PyCFunction)core_world_load, METH_O | METH_CLASS,
     PyDoc_STR("load($type, path, /)\n--\n\n"
               "Reads a snapshot. The world goes on bit by bit as the one that was saved.")},
    {"to_bytes", KEYWORDS(core_world_to_bytes),
     PyDoc_STR("to_bytes($self, /, notes=None)\n--\n\nA snapshot in memory.")},
    {"from_bytes", (PyCFunction)core_world_from_bytes, METH_O | METH_CLASS,
     PyDoc_STR("from_bytes($type, snapshot, /)\n--\n\nThe world of a snapshot in memory.")},
    {"record", KEYWORDS(core_world_record),
     PyDoc_STR("record($self, /, path, replace=False, *, append=False, notes=None, hash_every=0, "
               "snapshot_every=0, flush_every=0)\n--\n\n"
               "Begins a recording of all that happens from now on, until the recorder is "
               "closed.\n\nappend goes on with a recording whose end this world is. Zero numbers "
               "of steps mean 10,000 (hashes),\n1,000,000 (snapshots) and 1,000 (flushes).")},
    {"__copy__", (PyCFunction)core_world_clone, METH_NOARGS, NULL},
    {"__deepcopy__", (PyCFunction)core_world_deepcopy, METH_O, NULL},
    {"__reduce__", (PyCFunction)core_world_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define GETTER(name, doc)                                           \
    {                                                               \
#name, (getter)world_get_##name, NULL, PyDoc_STR(doc), NULL \
    }

static PyGetSetDef getters[] = {
    GETTER(model, "What the world is made by."),
    GETTER(config, "A new Config that describes this world."),
    GETTER(seed, "What its randomness began with."),
    GETTER(time, "Steps taken so far."),
    GETTER(item_names, "Names by item type."),
    GETTER(action_names, "Names by action number."),
    GETTER(agents, "The agents in the world, in the order in which they were added."),
    GETTER(stats, "What the world has done and holds."),
    GETTER(notes, "What was kept with the snapshot that the world was loaded from; otherwise "
                  "empty."),
    {"generation_threads", (getter)world_get_generation_threads,
     (setter)world_set_generation_threads,
     PyDoc_STR("How many threads make the world ahead of its agents, if it is invariant."), NULL},
    {"viewers", (getter)core_world_get_viewers, NULL,
     PyDoc_STR("Who shows this world, in the order of World.view."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("World(world, seed=0, *, overrides=None, generation_threads=0)\n--\n\n"
                          "An endless world: the map of one seed, and the agents in it.\n\n"
                          "world is the name of a shipped world, a path, YAML as a mapping, a "
                          "Config or a Model; overrides\nreplaces keys such as "
                          "{\"agent.field_of_view\": 90}. seed is from 0 to 2**64 - 1. So many "
                          "generation_threads make\nan invariant world ahead of its agents.")},
    {Py_tp_new, world_new},
    {Py_tp_dealloc, world_dealloc},
    {Py_tp_traverse, world_traverse},
    {Py_tp_clear, world_clear},
    {Py_tp_repr, world_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_world_spec = {
    .name = "jbw._core.World",
    .basicsize = sizeof(core_world),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
