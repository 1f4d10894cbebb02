// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The module jbw._client: a connection to a server, as plain calls with numbers and arrays, which
/// jbw/remote.py wraps for users. It is a separate module so that the rest of the package needs no
/// network library.
///
/// Calls release the interpreter's lock. Threads that share a client wait for each other. Signals
/// such as Ctrl-C interrupt a call that waits.
#define JBW_CLIENT_MODULE
#include "client_parts.h"

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
    if (PyErr_Occurred())
        return NULL; // a signal handler has raised an exception while the call waited
    if (status == JBW_OUT_OF_MEMORY) return PyErr_NoMemory();
    const char *text = detail && *detail ? detail : jbw_status_text(status);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (message) PyErr_SetObject(exception_of(state, status), message);
    Py_XDECREF(message);
    return NULL;
}

// called while a call waits, without the interpreter's lock
static bool should_stop(void *user)
{
    (void)user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool has_raised = PyErr_CheckSignals() < 0;
    PyGILState_Release(gil);
    return has_raised;
}

// --- one thread at a time -----------------------------------------------------------------------

jbw_client *client_enter(client_object *self)
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

// ends what `enter` began: true on success
bool client_leave(client_object *self, jbw_status status)
{
    if (status || PyErr_Occurred())
        raise_status(state_of(self), status, jbw_client_error(self->client)->text);
    PyThread_release_lock(self->lock);
    return !PyErr_Occurred();
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
    self->axes = jbw_client_axes(client); // it never changes
    self->posts = NULL;
    return (PyObject *)self;
}

static void close_now(client_object *self)
{
    jbw_client *client = self->client;
    self->client = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    jbw_client_close(client);
    PyEval_RestoreThread(thread);
    client_free_posts(self);
}

static void client_dealloc(client_object *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->client) close_now(self);
    if (self->lock) PyThread_free_lock(self->lock);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

PyObject *client_close(client_object *self, PyObject *unused)
{
    (void)unused;
    if (!self->client) Py_RETURN_NONE;
    if (!client_enter(self)) return NULL;
    close_now(self);
    PyThread_release_lock(self->lock);
    Py_RETURN_NONE;
}

PyObject *client_world_file(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
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

PyObject *client_info(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
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

// --- the type -----------------------------------------------------------------------------------

#define X(name, flags, doc) {#name, (PyCFunction)client_##name, flags, PyDoc_STR(doc)},
static PyMethodDef methods[] = {
    CLIENT_METHODS(X){NULL, NULL, 0, NULL},
};
#undef X

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
