// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The agents of a world, their requests, and callbacks after steps.
#include "world_parts.h"

// --- agents -------------------------------------------------------------------------------------

// makes room for the objects of agents in the first `count` slots
static bool reserve_agents(core_world *self, size_t count)
{
    if (count <= self->agent_capacity) return true;
    const size_t capacity = count < 4 ? 4 : 2 * count;
    core_agent **agents = PyMem_Realloc(self->agents, capacity * sizeof *agents);
    if (!agents) return false;
    for (size_t i = self->agent_capacity; i < capacity; i++) agents[i] = NULL;
    self->agents = agents;
    self->agent_capacity = capacity;
    return true;
}

PyObject *core_world_agent(core_state *state, core_world *self, jbw_agent_id id)
{
    if (!reserve_agents(self, id.index1)) return PyErr_NoMemory();
    const size_t slot = id.index1 - 1;
    for (core_agent *agent = self->agents[slot]; agent; agent = agent->next)
        if (agent->id.generation == id.generation) return core_new(agent);
    core_agent *agent = (core_agent *)PyType_GenericAlloc(state->Agent, 0);
    if (!agent) return NULL;
    agent->world = (core_world *)core_new(self);
    agent->id = id;
    agent->next = self->agents[slot];
    if (agent->next) agent->next->previous = agent;
    self->agents[slot] = agent;
    return (PyObject *)agent;
}

PyObject *world_get_agents(core_world *self, void *unused)
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

PyObject *world_agent(core_world *self, PyObject *number)
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

PyObject *world_add_agent(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"position", "direction", "force", "body", NULL};
    core_state *state = core_state_of(self);
    jbw_agent_options options = {0};
    PyObject *position = Py_None;
    PyObject *body = Py_None;
    int is_forced = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO&pO:add_agent", names, &position,
                                     core_to_direction, &options.direction, &is_forced, &body) ||
        !core_to_body(state, self->model, body, &options.body))
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

// requests the actions of (count) agents
static PyObject *act_together(core_state *state, core_world *self, PyObject *agents,
                              PyObject *actions, PyObject *texts)
{
    const Py_ssize_t count = PyList_Size(agents);
    if (PyList_Size(actions) != count)
        return core_raise_argument(state, "there are %zd agents, but %zd actions", count,
                                   PyList_Size(actions));
    if (texts && PyList_Size(texts) != count)
        return core_raise_argument(state, "there are %zd agents, but %zd texts", count,
                                   PyList_Size(texts));
    enum { ROOM = JBW_MAX_TEXT + 1 };
    jbw_agent_id *ids = PyMem_Calloc((size_t)count + 1, sizeof *ids);
    int *numbers = PyMem_Calloc((size_t)count + 1, sizeof *numbers);
    int *say = PyMem_Calloc((size_t)count + 1, sizeof *say);
    char *rooms = PyMem_Calloc((size_t)(texts ? count : 0) + 1, ROOM);
    const char **written = PyMem_Calloc((size_t)count + 1, sizeof *written);
    PyObject *stepped = NULL;
    if (!ids || !numbers || !say || !rooms || !written) {
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
        jbw_request request;
        char *room = texts ? rooms + (size_t)i * ROOM : rooms;
        if (!core_to_request(state, self->model, PyList_GetItem(actions, i), &request) ||
            !core_to_text(state, texts ? PyList_GetItem(texts, i) : NULL, room))
            goto end;
        request.text = room;
        jbw_error error;
        if (jbw_model_check_request(self->model->model, &request, &error)) {
            core_raise(state, JBW_INVALID_ARGUMENT, error.text);
            goto end;
        }
        numbers[i] = request.action;
        say[i] = request.say;
        written[i] = texts ? room : NULL;
    }

    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) goto end;
    bool has_stepped = false;
    core_world_release(self);
    const jbw_requests requests = {.actions = numbers, .say = say, .texts = written};
    const jbw_status status = jbw_world_request(world, ids, &requests, (size_t)count, &has_stepped);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    if (is_fine) stepped = status ? core_raise(state, status, NULL) : PyBool_FromLong(has_stepped);

end:
    PyMem_Free(ids);
    PyMem_Free(numbers);
    PyMem_Free(say);
    PyMem_Free(rooms);
    PyMem_Free((void *)written);
    return stepped;
}

PyObject *world_act(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"agents", "actions", "texts", NULL};
    core_state *state = core_state_of(self);
    PyObject *agents;
    PyObject *actions = Py_None;
    PyObject *texts = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO:act", names, &agents, &actions,
                                     &texts))
        return NULL;
    PyObject *text_list = texts != Py_None ? PySequence_List(texts) : NULL;
    if (texts != Py_None && !text_list) return NULL;
    PyObject *agent_list;
    PyObject *action_list;
    if (actions == Py_None) {
        agent_list = PyMapping_Keys(agents);
        action_list = agent_list ? PyMapping_Values(agents) : NULL;
    } else {
        agent_list = PySequence_List(agents);
        action_list = agent_list ? PySequence_List(actions) : NULL;
    }
    PyObject *stepped =
        action_list ? act_together(state, self, agent_list, action_list, text_list) : NULL;
    core_drop(text_list);
    core_drop(agent_list);
    core_drop(action_list);
    return stepped;
}

PyObject *world_step(core_world *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_step(world);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}

// called within a call that has released the interpreter's lock
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

PyObject *world_on_step(core_world *self, PyObject *function)
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
