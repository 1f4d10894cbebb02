// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The module jbw._client: a connection to a server, as plain calls with numbers and arrays. What
/// people use, jbw/remote.py, is made of it. It is a module of its own so that the rest of the package
/// needs no network library.
///
/// Calls release the interpreter's lock. Threads that share a client wait for each other. While a
/// call waits, signals such as Ctrl-C are noticed.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "jbw/client.h"

// what to bring along with an observation; as in jbw/remote.py
enum { WANT_VISION = 1, WANT_SCENT = 2, WANT_ITEMS = 4, WANT_INVENTORY = 8 };

/// The exceptions of jbw/errors.py that a status becomes.
#define ERRORS(X)                       \
    X(INVALID_ARGUMENT, ArgumentError)  \
    X(INVALID_CONFIG, ConfigError)      \
    X(NOT_FOUND, NotFoundError)         \
    X(OUT_OF_RANGE, OutOfRangeError)    \
    X(NO_SUCH_AGENT, NoSuchAgentError)  \
    X(CELL_BLOCKED, CellBlockedError)   \
    X(UNSUPPORTED, UnsupportedError)    \
    X(INVALID_DATA, DataError)          \
    X(NO_CONNECTION, NoConnectionError) \
    X(TIMED_OUT, TimedOutError)         \
    X(NOT_PERMITTED, NotPermittedError)

typedef struct module_state {
    PyObject *Error;
#define X(status, name) PyObject *name;
    ERRORS(X)
#undef X
    PyTypeObject *Client;
} module_state;

typedef struct client_object {
    PyObject_HEAD jbw_client *client; // NULL once it is closed
    PyThread_type_lock lock;
    int side;
    int colors;
    int scents;
    int item_count;
} client_object;

static module_state *state_of(client_object *self)
{
    return PyType_GetModuleState(Py_TYPE((PyObject *)self));
}

// --- errors -------------------------------------------------------------------------------------

static PyObject *exception_of(module_state *state, jbw_status status)
{
    switch (status) {
#define X(code, name) \
    case JBW_##code: return state->name;
        ERRORS(X)
#undef X
    default: return state->Error;
    }
}

static PyObject *raise_status(module_state *state, jbw_status status, const char *detail)
{
    if (PyErr_Occurred()) return NULL; // a signal's handler has raised while the call waited
    if (status == JBW_OUT_OF_MEMORY) return PyErr_NoMemory();
    const char *text = detail && *detail ? detail : jbw_status_text(status);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (message) PyErr_SetObject(exception_of(state, status), message);
    Py_XDECREF(message);
    return NULL;
}

// asked while a call waits, without the interpreter's lock
static bool should_stop(void *user)
{
    (void)user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool has_raised = PyErr_CheckSignals() < 0;
    PyGILState_Release(gil);
    return has_raised;
}

// --- one thread at a time -----------------------------------------------------------------------

static jbw_client *enter(client_object *self)
{
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        PyThreadState *thread = PyEval_SaveThread();
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        PyEval_RestoreThread(thread);
    }
    if (self->client) return self->client;
    PyThread_release_lock(self->lock);
    return (jbw_client *)raise_status(state_of(self), JBW_NO_CONNECTION, "the client is closed");
}

// ends what `enter` began: true if all is well
static bool leave(client_object *self, jbw_status status)
{
    if (status || PyErr_Occurred())
        raise_status(state_of(self), status, jbw_client_error(self->client)->text);
    PyThread_release_lock(self->lock);
    return !PyErr_Occurred();
}

/// Runs a call of the library that yields a status, and leaves; true if all is well.
#define CALL(self, done, expression)                  \
    do {                                              \
        PyThreadState *thread_ = PyEval_SaveThread(); \
        const jbw_status status_ = (expression);      \
        PyEval_RestoreThread(thread_);                \
        (done) = leave((self), status_);              \
    } while (0)

// --- values -------------------------------------------------------------------------------------

static int to_agent(PyObject *object, void *out)
{
    const unsigned long long packed = PyLong_AsUnsignedLongLong(object);
    if (packed == (unsigned long long)-1 && PyErr_Occurred()) return 0;
    *(jbw_agent_id *)out =
        (jbw_agent_id){.index1 = (uint32_t)packed, .generation = (uint32_t)(packed >> 32)};
    return 1;
}

static unsigned long long from_agent(jbw_agent_id id)
{
    return (unsigned long long)id.generation << 32 | id.index1;
}

static PyObject *from_agents(const jbw_agent_id *ids, size_t count)
{
    PyObject *list = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *id = PyLong_FromUnsignedLongLong(from_agent(ids[i]));
        if (id)
            PyTuple_SetItem(list, (Py_ssize_t)i, id);
        else
            Py_CLEAR(list);
    }
    return list;
}

// --- connecting ---------------------------------------------------------------------------------

static PyObject *client_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"url",
                            "token",
                            "name",
                            "ca_file",
                            "check",
                            "connect_timeout",
                            "answer_timeout",
                            "turn_timeout",
                            "reconnect_time",
                            NULL};
    module_state *state = PyType_GetModuleState(type);
    const char *url;
    int check = 1;
    jbw_client_options options = {.name = "jbw-python", .should_stop = should_stop};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|zzzpdddd:Client", names, &url,
                                     &options.token, &options.name, &options.ca_file, &check,
                                     &options.connect_timeout, &options.answer_timeout,
                                     &options.turn_timeout, &options.reconnect_time))
        return NULL;
    options.is_unchecked = !check;

    jbw_client *client;
    jbw_error error = {0};
    PyThreadState *thread = PyEval_SaveThread();
    const jbw_status status = jbw_client_connect(url, &options, &client, &error);
    PyEval_RestoreThread(thread);
    if (status) return raise_status(state, status, error.text);

    client_object *self = PyObject_New(client_object, type);
    PyThread_type_lock lock = self ? PyThread_allocate_lock() : NULL;
    if (!lock) {
        jbw_client_close(client);
        if (self) {
            self->client = NULL;
            self->lock = NULL;
            Py_DECREF((PyObject *)self);
        }
        return PyErr_NoMemory();
    }
    self->client = client;
    self->lock = lock;
    self->side = self->colors = self->scents = self->item_count = 0;
    return (PyObject *)self;
}

static void close_now(client_object *self)
{
    jbw_client *client = self->client;
    self->client = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    jbw_client_close(client);
    PyEval_RestoreThread(thread);
}

static void client_dealloc(client_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->client) close_now(self);
    if (self->lock) PyThread_free_lock(self->lock);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *client_close(client_object *self, PyObject *unused)
{
    (void)unused;
    if (!self->client) Py_RETURN_NONE;
    if (!enter(self)) return NULL;
    close_now(self);
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

static PyObject *client_shape(client_object *self, PyObject *arguments)
{
    if (!PyArg_ParseTuple(arguments, "iiii:set_shape", &self->side, &self->colors, &self->scents,
                          &self->item_count))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *client_world_file(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    jbw_buffer text = {0};
    bool done;
    CALL(self, done, jbw_client_get_world_file(client, &text));
    PyObject *out =
        done ? PyUnicode_DecodeUTF8((const char *)text.bytes, (Py_ssize_t)text.size, "strict")
             : NULL;
    jbw_buffer_free(&text);
    return out;
}

static PyObject *client_info(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    const jbw_client_info info = jbw_client_get_info(client);
    PyObject *out =
        Py_BuildValue("{s:s,s:s,s:I,s:I,s:K,s:K,s:K,s:K,s:K,s:d}", "server", info.server, "name",
                      info.name, "permissions", info.permissions, "agents_most", info.agents_most,
                      "seed", (unsigned long long)info.seed, "time", (unsigned long long)info.time,
                      "started_time", (unsigned long long)info.started_time, "resume_count",
                      (unsigned long long)info.resume_count, "resume_time",
                      (unsigned long long)info.resume_time, "turn_timeout", info.turn_timeout);
    PyThread_release_lock(self->lock);
    return out;
}

// --- agents -------------------------------------------------------------------------------------

static PyObject *client_add_agent(client_object *self, PyObject *arguments)
{
    jbw_agent_options options = {0};
    PyObject *position;
    int direction;
    int force;
    if (!PyArg_ParseTuple(arguments, "Oip:add_agent", &position, &direction, &force)) return NULL;
    if (position != Py_None) {
        long long x;
        long long y;
        if (!PyArg_ParseTuple(position, "LL", &x, &y)) return NULL;
        options.has_position = true;
        options.position = (jbw_position){x, y};
    }
    options.direction = (jbw_direction)direction;
    options.is_forced = force;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    jbw_agent_id id;
    bool done;
    CALL(self, done, jbw_client_add_agent(client, &options, &id));
    return done ? PyLong_FromUnsignedLongLong(from_agent(id)) : NULL;
}

static PyObject *client_remove_agent(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    jbw_client *client = to_agent(agent, &id) ? enter(self) : NULL;
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_remove_agent(client, id));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_set_active(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    int is_active;
    if (!PyArg_ParseTuple(arguments, "O&p:set_active", to_agent, &id, &is_active)) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_set_active(client, id, is_active));
    return done ? Py_NewRef(Py_None) : NULL;
}

typedef size_t agents_function(const jbw_client *client, jbw_agent_id *out, size_t capacity);

static PyObject *known_agents(client_object *self, agents_function *function)
{
    jbw_client *client = enter(self);
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

static PyObject *client_own_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    return known_agents(self, jbw_client_agents);
}

static PyObject *client_left_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    return known_agents(self, jbw_client_left_agents);
}

static PyObject *client_all_agents(client_object *self, PyObject *unused)
{
    (void)unused;
    size_t capacity = 64;
    for (;;) {
        jbw_client *client = enter(self);
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

// --- observations -------------------------------------------------------------------------------

/// An observation and the arrays that it is written to; those that are not wanted are None.
typedef struct view {
    jbw_observation o;
    PyObject *vision;
    PyObject *scent;
    PyObject *items;
    PyObject *inventory;
} view;

static PyObject *make_array(bool is_wanted, int dimensions, const npy_intp *shape, int type)
{
    if (!is_wanted) return Py_NewRef(Py_None);
    return PyArray_ZEROS(dimensions, shape, type, 0);
}

static void *data_of(PyObject *array)
{
    return array == Py_None ? NULL : PyArray_DATA((PyArrayObject *)array);
}

static void view_clear(view *v)
{
    Py_CLEAR(v->vision);
    Py_CLEAR(v->scent);
    Py_CLEAR(v->items);
    Py_CLEAR(v->inventory);
}

static bool view_init(view *v, const client_object *self, int wants)
{
    const npy_intp vision[3] = {self->side, self->side, self->colors};
    const npy_intp scent[1] = {self->scents};
    const npy_intp inventory[1] = {self->item_count};
    *v = (view){0};
    v->vision = make_array(wants & WANT_VISION, 3, vision, NPY_FLOAT32);
    v->scent = make_array(wants & WANT_SCENT, 1, scent, NPY_FLOAT32);
    v->items = make_array(wants & WANT_ITEMS, 2, vision, NPY_UINT8);
    v->inventory = make_array(wants & WANT_INVENTORY, 1, inventory, NPY_UINT64);
    if (!v->vision || !v->scent || !v->items || !v->inventory) {
        view_clear(v);
        return false;
    }
    v->o.vision = data_of(v->vision);
    v->o.scent = data_of(v->scent);
    v->o.items = data_of(v->items);
    v->o.inventory = data_of(v->inventory);
    return true;
}

// (time, position, direction, active, resumed, result, vision, scent, items, inventory)
static PyObject *view_value(const view *v)
{
    const jbw_observation *o = &v->o;
    const jbw_agent_result *r = &o->result;
    return Py_BuildValue(
        "(K(LL)iNN(KiiNiii(LL)(LL))OOOO)", (unsigned long long)o->time, (long long)o->position.x,
        (long long)o->position.y, (int)o->direction, PyBool_FromLong(o->is_active),
        PyBool_FromLong(o->is_resumed), (unsigned long long)r->time, r->action, (int)r->outcome,
        PyBool_FromLong(r->moved), (int)r->item, r->collected, r->dropped,
        (long long)r->position_before.x, (long long)r->position_before.y, (long long)r->position.x,
        (long long)r->position.y, v->vision, v->scent, v->items, v->inventory);
}

static PyObject *client_observe(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    int wants;
    if (!PyArg_ParseTuple(arguments, "O&i:observe", to_agent, &id, &wants)) return NULL;
    view v;
    if (!view_init(&v, self, wants)) return NULL;
    jbw_client *client = enter(self);
    bool done = false;
    if (client) CALL(self, done, jbw_client_observe(client, id, &v.o));
    PyObject *out = done ? view_value(&v) : NULL;
    view_clear(&v);
    return out;
}

static PyObject *client_act(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    int action;
    if (!PyArg_ParseTuple(arguments, "O&i:act", to_agent, &id, &action)) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool stepped;
    bool done;
    CALL(self, done, jbw_client_act(client, id, action, &stepped));
    return done ? PyBool_FromLong(stepped) : NULL;
}

static PyObject *client_act_and_observe(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    int action;
    int wants;
    if (!PyArg_ParseTuple(arguments, "O&ii:act_and_observe", to_agent, &id, &action, &wants))
        return NULL;
    view v;
    if (!view_init(&v, self, wants)) return NULL;
    jbw_client *client = enter(self);
    bool done = false;
    if (client) CALL(self, done, jbw_client_act_and_observe(client, id, action, &v.o));
    PyObject *out = done ? view_value(&v) : NULL;
    view_clear(&v);
    return out;
}

/// Several agents that act together.
typedef struct crowd {
    size_t count;
    jbw_agent_id *ids;
    int *actions;
    view *views;
    jbw_observation *observations;
} crowd;

static void crowd_clear(crowd *c)
{
    for (size_t i = 0; c->views && i < c->count; i++) view_clear(&c->views[i]);
    PyMem_Free(c->ids);
    PyMem_Free(c->actions);
    PyMem_Free(c->views);
    PyMem_Free(c->observations);
}

static bool crowd_init(crowd *c, client_object *self, PyObject *ids, PyObject *actions, int wants)
{
    const Py_ssize_t count = PyTuple_Size(ids);
    if (count < 0 || PyTuple_Size(actions) != count) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "as many actions as agents");
        return false;
    }
    *c = (crowd){.count = (size_t)count};
    c->ids = PyMem_Calloc(c->count + 1, sizeof *c->ids);
    c->actions = PyMem_Calloc(c->count + 1, sizeof *c->actions);
    c->views = PyMem_Calloc(c->count + 1, sizeof *c->views);
    c->observations = PyMem_Calloc(c->count + 1, sizeof *c->observations);
    if (!c->ids || !c->actions || !c->views || !c->observations) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        c->actions[i] = (int)PyLong_AsLong(PyTuple_GetItem(actions, (Py_ssize_t)i));
        if (PyErr_Occurred() || !to_agent(PyTuple_GetItem(ids, (Py_ssize_t)i), &c->ids[i]) ||
            !view_init(&c->views[i], self, wants))
            return false;
        c->observations[i] = c->views[i].o;
    }
    return true;
}

static PyObject *crowd_value(crowd *c)
{
    PyObject *list = PyTuple_New((Py_ssize_t)c->count);
    for (size_t i = 0; list && i < c->count; i++) {
        c->views[i].o = c->observations[i];
        PyObject *value = view_value(&c->views[i]);
        if (value)
            PyTuple_SetItem(list, (Py_ssize_t)i, value);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *client_act_together(client_object *self, PyObject *arguments)
{
    PyObject *ids;
    PyObject *actions;
    int wants;
    if (!PyArg_ParseTuple(arguments, "O!O!i:act_together", &PyTuple_Type, &ids, &PyTuple_Type,
                          &actions, &wants))
        return NULL;
    crowd c = {0};
    jbw_client *client = crowd_init(&c, self, ids, actions, wants) ? enter(self) : NULL;
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_act_together(client, c.ids, c.actions, c.count, c.observations));
    PyObject *out = done ? crowd_value(&c) : NULL;
    crowd_clear(&c);
    return out;
}

// (position, start, direction, active, request or None)
static PyObject *client_state(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    jbw_client *client = to_agent(agent, &id) ? enter(self) : NULL;
    if (!client) return NULL;
    jbw_agent_state s;
    bool done;
    CALL(self, done, jbw_client_get_state(client, id, &s));
    if (!done) return NULL;
    PyObject *request = s.has_request ? PyLong_FromLong(s.request) : Py_NewRef(Py_None);
    return Py_BuildValue("((LL)(LL)iNN)", (long long)s.position.x, (long long)s.position.y,
                         (long long)s.start.x, (long long)s.start.y, (int)s.direction,
                         PyBool_FromLong(s.is_active), request);
}

// --- the world ----------------------------------------------------------------------------------

static PyObject *client_time(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    uint64_t time;
    bool done;
    CALL(self, done, jbw_client_get_time(client, &time));
    return done ? PyLong_FromUnsignedLongLong(time) : NULL;
}

static PyObject *client_hash(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    uint64_t hash;
    bool done;
    CALL(self, done, jbw_client_get_hash(client, NULL, &hash));
    return done ? PyLong_FromUnsignedLongLong(hash) : NULL;
}

static PyObject *client_save(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    uint64_t time;
    bool done;
    CALL(self, done, jbw_client_save(client, &time));
    return done ? PyLong_FromUnsignedLongLong(time) : NULL;
}

// items and states of a region
static PyObject *client_region(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    Py_ssize_t width;
    Py_ssize_t height;
    if (!PyArg_ParseTuple(arguments, "LLnn:region", &x, &y, &width, &height)) return NULL;
    const npy_intp shape[2] = {height < 0 ? 0 : height, width < 0 ? 0 : width};
    PyObject *items = PyArray_ZEROS(2, shape, NPY_UINT8, 0);
    PyObject *states = items ? PyArray_ZEROS(2, shape, NPY_UINT8, 0) : NULL;
    jbw_client *client = states ? enter(self) : NULL;
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_read_region(client, (jbw_region){x, y, width, height}, data_of(items),
                                    data_of(states)));
    PyObject *out = done ? PyTuple_Pack(2, items, states) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(states);
    return out;
}

static PyObject *client_smell(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    Py_ssize_t width;
    Py_ssize_t height;
    if (!PyArg_ParseTuple(arguments, "LLnn:smell", &x, &y, &width, &height)) return NULL;
    const npy_intp shape[3] = {height < 0 ? 0 : height, width < 0 ? 0 : width, self->scents};
    PyObject *scent = PyArray_ZEROS(3, shape, NPY_FLOAT32, 0);
    jbw_client *client = scent ? enter(self) : NULL;
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_smell(client, (jbw_region){x, y, width, height}, data_of(scent)));
    if (!done) Py_CLEAR(scent);
    return scent;
}

static PyObject *client_place(client_object *self, PyObject *arguments)
{
    int item;
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "iLL:place", &item, &x, &y)) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_place_item(client, item, (jbw_position){x, y}));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_remove(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "LL:remove", &x, &y)) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_remove_item(client, (jbw_position){x, y}));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_explore(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "LL:explore", &x, &y)) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    const jbw_position cell = {x, y};
    bool done;
    CALL(self, done, jbw_client_explore(client, &cell, 1));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_pause(client_object *self, PyObject *is_paused)
{
    const int truth = PyObject_IsTrue(is_paused);
    jbw_client *client = truth < 0 ? NULL : enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_pause(client, truth != 0));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_step(client_object *self, PyObject *count)
{
    const unsigned long steps = PyLong_AsUnsignedLong(count);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_step(client, (uint32_t)steps));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_set_rate(client_object *self, PyObject *rate)
{
    const double value = PyFloat_AsDouble(rate);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_set_rate(client, value));
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *client_stats(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = enter(self);
    if (!client) return NULL;
    jbw_client_stats s;
    bool done;
    CALL(self, done, jbw_client_get_stats(client, &s));
    if (!done) return NULL;
    return Py_BuildValue("{s:K,s:K,s:K,s:d,s:d,s:I,s:I,s:I,s:I,s:K,s:K,s:K,s:N,s:d,s:K}", "time",
                         (unsigned long long)s.time, "step_count", (unsigned long long)s.step_count,
                         "timeout_count", (unsigned long long)s.timeout_count, "uptime", s.uptime,
                         "world_cpu", s.world_cpu, "agent_count", s.agent_count, "active_count",
                         s.active_count, "client_count", s.client_count, "subscription_count",
                         s.subscription_count, "patch_count", (unsigned long long)s.patch_count,
                         "final_patch_count", (unsigned long long)s.final_patch_count, "map_bytes",
                         (unsigned long long)s.map_bytes, "paused", PyBool_FromLong(s.is_paused),
                         "rate", s.rate, "saved_time", (unsigned long long)s.saved_time);
}

// --- the type -----------------------------------------------------------------------------------

#define METHOD(name, flags, doc)                                 \
    {                                                            \
#name, (PyCFunction)client_##name, flags, PyDoc_STR(doc) \
    }

static PyMethodDef methods[] = {
    METHOD(close, METH_NOARGS, "Says goodbye; closing twice is fine."),
    {"set_shape", (PyCFunction)client_shape, METH_VARARGS,
     PyDoc_STR("The sizes of arrays: side, colors, scents, items.")},
    METHOD(world_file, METH_NOARGS, "The world file of the world, as YAML."),
    METHOD(info, METH_NOARGS, "What is known without asking."),
    METHOD(add_agent, METH_VARARGS, "(position or None, direction, force): the agent's id."),
    METHOD(remove_agent, METH_O, ""),
    METHOD(set_active, METH_VARARGS, "(agent, active)"),
    METHOD(own_agents, METH_NOARGS, "Those that this client has added or activated."),
    METHOD(left_agents, METH_NOARGS, "Those that belonged to the token when it connected."),
    METHOD(all_agents, METH_NOARGS, "All agents of the world."),
    METHOD(observe, METH_VARARGS, "(agent, wants): an observation."),
    METHOD(act, METH_VARARGS, "(agent, action): True if the world took its step."),
    METHOD(act_and_observe, METH_VARARGS, "(agent, action, wants): an observation."),
    METHOD(act_together, METH_VARARGS, "(agents, actions, wants): observations."),
    METHOD(state, METH_O, "(position, start, direction, active, request) of an agent."),
    METHOD(time, METH_NOARGS, "Steps taken so far."),
    METHOD(hash, METH_NOARGS, "Of the world."),
    METHOD(save, METH_NOARGS, "Lets the server save the world; the time of what was saved."),
    METHOD(region, METH_VARARGS, "(x, y, width, height): items and patch states."),
    METHOD(smell, METH_VARARGS, "(x, y, width, height): scents."),
    METHOD(place, METH_VARARGS, "(item type, x, y)"),
    METHOD(remove, METH_VARARGS, "(x, y)"),
    METHOD(explore, METH_VARARGS, "(x, y)"),
    METHOD(pause, METH_O, "Pauses, or goes on."),
    METHOD(step, METH_O, "Takes so many steps now."),
    METHOD(set_rate, METH_O, "Steps per second at most; zero for no limit."),
    METHOD(stats, METH_NOARGS, "How the server is doing."),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("A connection to a server; see jbw.connect.")},
    {Py_tp_new, client_new},
    {Py_tp_dealloc, client_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec client_spec = {
    .name = "jbw._client.Client",
    .basicsize = sizeof(client_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

// --- the module ---------------------------------------------------------------------------------

static int execute(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (PyArray_ImportNumPyAPI() < 0) return -1;
    PyObject *errors = PyImport_ImportModule("jbw.errors");
    if (!errors) return -1;
    bool done = (state->Error = PyObject_GetAttrString(errors, "Error")) != NULL;
#define X(status, name) done = done && (state->name = PyObject_GetAttrString(errors, #name));
    ERRORS(X)
#undef X
    Py_DECREF(errors);
    if (!done) return -1;
    state->Client = (PyTypeObject *)PyType_FromModuleAndSpec(module, &client_spec, NULL);
    return state->Client ? PyModule_AddType(module, state->Client) : -1;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    if (!state) return 0;
    Py_VISIT(state->Error);
#define X(status, name) Py_VISIT(state->name);
    ERRORS(X)
#undef X
    Py_VISIT(state->Client);
    return 0;
}

static int clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (!state) return 0;
    Py_CLEAR(state->Error);
#define X(status, name) Py_CLEAR(state->name);
    ERRORS(X)
#undef X
    Py_CLEAR(state->Client);
    return 0;
}

static void free_module(void *module)
{
    clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jbw._client",
    .m_doc = PyDoc_STR("Connections to servers, as plain calls; see jbw.connect."),
    .m_size = sizeof(module_state),
    .m_slots = module_slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__client(void); // found by name

PyMODINIT_FUNC PyInit__client(void)
{
    return PyModuleDef_Init(&definition);
}
