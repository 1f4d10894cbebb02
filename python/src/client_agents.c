// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Agents: adding and removing them, acting, and observing.
#include "client_parts.h"

// --- ids ----------------------------------------------------------------------------------------

int client_to_agent(PyObject *object, void *out)
{
    const unsigned long long packed = PyLong_AsUnsignedLongLong(object);
    if (packed == (unsigned long long)-1 && PyErr_Occurred()) return 0;
    *(jbw_agent_id *)out =
        (jbw_agent_id){.index1 = (uint32_t)packed, .generation = (uint32_t)(packed >> 32)};
    return 1;
}

unsigned long long client_from_agent(jbw_agent_id id)
{
    return (unsigned long long)id.generation << 32 | id.index1;
}

static PyObject *from_agents(const jbw_agent_id *ids, size_t count)
{
    PyObject *list = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *id = PyLong_FromUnsignedLongLong(client_from_agent(ids[i]));
        if (id)
            PyTuple_SetItem(list, (Py_ssize_t)i, id);
        else
            Py_CLEAR(list);
    }
    return list;
}

// --- agents -------------------------------------------------------------------------------------

PyObject *client_add_agent(client_object *self, PyObject *arguments)
{
    jbw_agent_options options = {0};
    PyObject *position;
    int direction;
    int force;
    if (!PyArg_ParseTuple(arguments, "Oipi:add_agent", &position, &direction, &force,
                          &options.body))
        return NULL;
    if (position != Py_None) {
        long long x;
        long long y;
        if (!PyArg_ParseTuple(position, "LL", &x, &y)) return NULL;
        options.has_position = true;
        options.position = (jbw_position){x, y};
    }
    options.direction = (jbw_direction)direction;
    options.is_forced = force;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    jbw_agent_id id;
    bool done;
    CALL(self, done, jbw_client_add_agent(client, &options, &id));
    return done ? PyLong_FromUnsignedLongLong(client_from_agent(id)) : NULL;
}

PyObject *client_remove_agent(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    jbw_client *client = client_to_agent(agent, &id) ? client_enter(self) : NULL;
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_remove_agent(client, id));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_set_active(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    int is_active;
    if (!PyArg_ParseTuple(arguments, "O&p:set_active", client_to_agent, &id, &is_active))
        return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_set_active(client, id, is_active));
    return done ? Py_NewRef(Py_None) : NULL;
}

typedef size_t agents_function(const jbw_client *client, jbw_agent_id *out, size_t capacity);

static PyObject *known_agents(client_object *self, agents_function *function)
{
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    const size_t count = function(client, NULL, 0);
    jbw_agent_id *ids = PyMem_Calloc(count + 1, sizeof *ids);
    if (ids) function(client, ids, count);
    PyThread_release_lock(self->lock);
    if (!ids) return PyErr_NoMemory();
    PyObject *out = from_agents(ids, count);
    PyMem_Free(ids);
    return out;
}

PyObject *client_own_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    return known_agents(self, jbw_client_agents);
}

PyObject *client_left_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    return known_agents(self, jbw_client_left_agents);
}

PyObject *client_all_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    size_t capacity = 64;
    for (;;) {
        jbw_client *client = client_enter(self);
        if (!client) return NULL;
        jbw_agent_id *ids = PyMem_Calloc(capacity, sizeof *ids);
        size_t count = 0;
        bool done;
        CALL(self, done,
             ids ? jbw_client_all_agents(client, ids, capacity, &count) : JBW_OUT_OF_MEMORY);
        PyObject *out = done && count <= capacity ? from_agents(ids, count) : NULL;
        PyMem_Free(ids);
        if (!done || out || PyErr_Occurred()) return out;
        capacity = count + 64;
    }
}

int client_to_request(PyObject *object, void *out)
{
    jbw_request *request = out;
    if (!PyTuple_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected (action, symbol, text), found %R", object);
        return 0;
    }
    return PyArg_ParseTuple(object, "iiz:request", &request->action, &request->say, &request->text);
}

// --- observations -------------------------------------------------------------------------------

void client_view_clear(client_view *v)
{
    Py_CLEAR(v->parts);
}

// adds a part by its name, in a new array; false with an exception
static bool add_part(client_view *v, const client_object *self, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const jbw_part part = text ? jbw_part_named(text) : JBW_PART_COUNT;
    if (part == JBW_PART_COUNT) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "observations have no part %R", name);
        return false;
    }
    const jbw_part_info info = jbw_part_describe(&self->axes, part);
    PyObject *array = part_array(&info);
    if (!array) return false;
    const bool done = PyDict_SetItem(v->parts, name, array) == 0;
    if (done) jbw_observation_set(&v->o.parts, part, PyArray_DATA((PyArrayObject *)array));
    Py_DECREF(array);
    return done;
}

bool client_view_init(client_view *v, const client_object *self, PyObject *wants)
{
    *v = (client_view){.parts = PyDict_New()};
    bool done = v->parts != NULL;
    for (Py_ssize_t i = 0; done && i < PyTuple_Size(wants); i++)
        done = add_part(v, self, PyTuple_GetItem(wants, i));
    if (!done) client_view_clear(v);
    return done;
}

PyObject *client_view_value(const client_view *v)
{
    const jbw_client_observation *o = &v->o;
    const jbw_agent_result *r = &o->result;
    return Py_BuildValue("(K(LL)iNN(KiiNiii(LL)(LL)i)O)", (unsigned long long)o->time,
                         (long long)o->position.x, (long long)o->position.y, (int)o->direction,
                         PyBool_FromLong(o->is_active), PyBool_FromLong(o->is_resumed),
                         (unsigned long long)r->time, r->action, (int)r->outcome,
                         PyBool_FromLong(r->moved), (int)r->item, r->collected, r->dropped,
                         (long long)r->position_before.x, (long long)r->position_before.y,
                         (long long)r->position.x, (long long)r->position.y, r->said, v->parts);
}

PyObject *client_observe(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    PyObject *wants;
    if (!PyArg_ParseTuple(arguments, "O&O!:observe", client_to_agent, &id, &PyTuple_Type, &wants))
        return NULL;
    client_view v;
    if (!client_view_init(&v, self, wants)) return NULL;
    jbw_client *client = client_enter(self);
    bool done = false;
    if (client) CALL(self, done, jbw_client_observe(client, id, &v.o));
    PyObject *out = done ? client_view_value(&v) : NULL;
    client_view_clear(&v);
    return out;
}

PyObject *client_act(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    jbw_request request;
    if (!PyArg_ParseTuple(arguments, "O&O&:act", client_to_agent, &id, client_to_request, &request))
        return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool stepped;
    bool done;
    CALL(self, done, jbw_client_request(client, id, &request, &stepped));
    return done ? PyBool_FromLong(stepped) : NULL;
}

PyObject *client_act_and_observe(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    jbw_request request;
    PyObject *wants;
    if (!PyArg_ParseTuple(arguments, "O&O&O!:act_and_observe", client_to_agent, &id,
                          client_to_request, &request, &PyTuple_Type, &wants))
        return NULL;
    client_view v;
    if (!client_view_init(&v, self, wants)) return NULL;
    jbw_client *client = client_enter(self);
    bool done = false;
    if (client) CALL(self, done, jbw_client_request_and_observe(client, id, &request, &v.o));
    PyObject *out = done ? client_view_value(&v) : NULL;
    client_view_clear(&v);
    return out;
}

/// Several agents that act together.
typedef struct crowd {
    size_t count;
    jbw_agent_id *ids;
    int *actions;
    int *say;
    const char **texts;
    client_view *views;
    jbw_client_observation *observations;
} crowd;

static void crowd_clear(crowd *c)
{
    for (size_t i = 0; c->views && i < c->count; i++) client_view_clear(&c->views[i]);
    PyMem_Free(c->ids);
    PyMem_Free(c->actions);
    PyMem_Free(c->say);
    PyMem_Free((void *)c->texts);
    PyMem_Free(c->views);
    PyMem_Free(c->observations);
}

static bool crowd_init(crowd *c, client_object *self, PyObject *ids, PyObject *requests,
                       PyObject *wants)
{
    const Py_ssize_t count = PyTuple_Size(ids);
    if (count < 0 || PyTuple_Size(requests) != count) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "expected as many actions as agents");
        return false;
    }
    *c = (crowd){.count = (size_t)count};
    c->ids = PyMem_Calloc(c->count + 1, sizeof *c->ids);
    c->actions = PyMem_Calloc(c->count + 1, sizeof *c->actions);
    c->say = PyMem_Calloc(c->count + 1, sizeof *c->say);
    c->texts = PyMem_Calloc(c->count + 1, sizeof *c->texts);
    c->views = PyMem_Calloc(c->count + 1, sizeof *c->views);
    c->observations = PyMem_Calloc(c->count + 1, sizeof *c->observations);
    if (!c->ids || !c->actions || !c->say || !c->texts || !c->views || !c->observations) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        jbw_request request;
        if (!client_to_request(PyTuple_GetItem(requests, (Py_ssize_t)i), &request) ||
            !client_to_agent(PyTuple_GetItem(ids, (Py_ssize_t)i), &c->ids[i]) ||
            !client_view_init(&c->views[i], self, wants))
            return false;
        c->actions[i] = request.action;
        c->say[i] = request.say;
        c->texts[i] = request.text;
        c->observations[i] = c->views[i].o;
    }
    return true;
}

static PyObject *crowd_value(crowd *c)
{
    PyObject *list = PyTuple_New((Py_ssize_t)c->count);
    for (size_t i = 0; list && i < c->count; i++) {
        c->views[i].o = c->observations[i];
        PyObject *value = client_view_value(&c->views[i]);
        if (value)
            PyTuple_SetItem(list, (Py_ssize_t)i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *client_act_together(client_object *self, PyObject *arguments)
{
    PyObject *ids;
    PyObject *requests;
    PyObject *wants;
    if (!PyArg_ParseTuple(arguments, "O!O!O!:act_together", &PyTuple_Type, &ids, &PyTuple_Type,
                          &requests, &PyTuple_Type, &wants))
        return NULL;
    crowd c = {0};
    jbw_client *client = crowd_init(&c, self, ids, requests, wants) ? client_enter(self) : NULL;
    const jbw_requests asked = {.actions = c.actions, .say = c.say, .texts = c.texts};
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_request_together(client, c.ids, &asked, c.count, c.observations));
    PyObject *out = done ? crowd_value(&c) : NULL;
    crowd_clear(&c);
    return out;
}

// (position, start, direction, active, request or None, body)
PyObject *client_state(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    jbw_client *client = client_to_agent(agent, &id) ? client_enter(self) : NULL;
    if (!client) return NULL;
    jbw_agent_state s;
    bool done;
    CALL(self, done, jbw_client_get_state(client, id, &s));
    if (!done) return NULL;
    PyObject *request = s.has_request ? PyLong_FromLong(s.request) : Py_NewRef(Py_None);
    return Py_BuildValue("((LL)(LL)iNNi)", (long long)s.position.x, (long long)s.position.y,
                         (long long)s.start.x, (long long)s.start.y, (int)s.direction,
                         PyBool_FromLong(s.is_active), request, s.body);
}
