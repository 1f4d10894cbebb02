// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Viewer: a server that shows a world in browsers while Python continues to use it.
///
/// The world owns its viewers, not the other way round: `world.view()` needs no variable, and ends
/// with the world. After each step the thread of the world offers it to them, which costs next to
/// nothing while nobody watches. Between steps, while the world is idle, the network thread looks
/// by itself (`peek`): it never uses the interpreter and never waits, but takes the world's gate if
/// it is free.
///
/// Locking: the list of a world's viewers may be used only in the world's gate. A viewer's `world`
/// is set in that gate and with the viewer's own lock, which the network thread takes to read it;
/// so a world cannot be destroyed while the network thread looks at it.
#include "core.h"

#include <string.h>
#include <unistd.h>

#include "server_table.h"

// looks at an idle world after which it is shown once more, so that watchers see that it is idle
enum { PEEKS_UNTIL_REST = 15 };

struct core_viewer {
    PyObject_HEAD core_model *model; // the server needs it until the end
    const core_server_table *table;
    jbw_server *server; // NULL once it is closed
    pid_t process;      // where its thread runs: a fork has no copy of the thread
    PyObject *url;
    int port;

    PyThread_type_lock lock;
    core_world *world; // the world that is shown, or NULL; not a reference
    core_viewer *next; // of the same world
    uint64_t shown;    // the world's version, plus one, when it was last looked at while idle
    int peek_count;    // since it has changed
};

// --- showing ------------------------------------------------------------------------------------

void core_viewers_publish(core_viewer *first, jbw_world *world)
{
    for (core_viewer *viewer = first; viewer; viewer = viewer->next)
        viewer->table->publish(viewer->server, world);
}

// in the gate of the viewer's world
static void look_at_rest(core_viewer *self, jbw_server *server)
{
    const core_world *world = self->world;
    const bool is_new = self->shown != world->version + 1;
    if (is_new) self->peek_count = 0;
    if (!is_new && self->peek_count >= PEEKS_UNTIL_REST) return;
    if (!is_new && ++self->peek_count < PEEKS_UNTIL_REST) return;
    if (self->table->publish(server, world->own))
        self->shown = world->version + 1;
    else if (!is_new)
        self->peek_count--; // once more
}

// in the network thread, without the interpreter
static void peek(jbw_server *server, void *user)
{
    core_viewer *self = user;
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) return;
    if (self->world && core_gate_try(&self->world->gate)) {
        look_at_rest(self, server);
        core_gate_open(&self->world->gate);
    }
    PyThread_release_lock(self->lock);
}

// --- worlds and their viewers
// ----------------------------------------------------------------------

// a fork has copies of the memory, but not of the threads
static bool is_in_fork(const core_viewer *self)
{
    return self->process != getpid();
}

// The network thread holds the lock only for a moment; a fork has no such thread, and the lock
// might stay locked forever.
static void set_world(core_viewer *self, core_world *world)
{
    const bool is_shared = !is_in_fork(self);
    if (is_shared) PyThread_acquire_lock(self->lock, WAIT_LOCK);
    self->world = world;
    self->shown = 0;
    if (is_shared) PyThread_release_lock(self->lock);
}

// takes over a reference; in the world's gate
static void link_to(core_viewer *self, core_world *world, jbw_world *own)
{
    self->next = world->viewers;
    world->viewers = self;
    core_world_listen(world, own);
    set_world(self, world);
}

// gives a reference back; in the world's gate
static void unlink_from(core_viewer *self, core_world *world, jbw_world *own)
{
    core_viewer **at = &world->viewers;
    while (*at != self) at = &(*at)->next;
    *at = self->next;
    self->next = NULL;
    core_world_listen(world, own);
    set_world(self, NULL);
}

static void end_server(core_viewer *self)
{
    jbw_server *server = self->server;
    self->server = NULL;
    if (server && !is_in_fork(self)) self->table->destroy(server);
}

void core_viewers_end(core_world *world)
{
    core_viewer *next;
    for (core_viewer *viewer = world->viewers; viewer; viewer = viewer->next)
        set_world(viewer, NULL); // from here on no thread looks at the world
    for (core_viewer *viewer = world->viewers; viewer; viewer = next) {
        next = viewer->next;
        viewer->next = NULL;
        end_server(viewer);
        core_drop(viewer);
    }
    world->viewers = NULL;
}

// closes a viewer and waits for its thread; false with an exception
static bool close_viewer(core_viewer *self, core_state *state)
{
    core_world *world = self->world;
    if (!world) return true;
    core_new(world);
    jbw_world *own = core_world_enter_agents(world, state);
    const bool is_linked = own && self->world == world; // another thread may have been faster
    if (is_linked) unlink_from(self, world, own);
    if (own) core_world_leave(world);
    if (is_linked) {
        PyThreadState *thread = PyEval_SaveThread();
        end_server(self);
        PyEval_RestoreThread(thread);
        core_drop(self); // the world's
    }
    core_drop(world);
    return own != NULL;
}

// lets a viewer show another world; false with an exception
static bool move_viewer(core_viewer *self, core_state *state, core_world *to)
{
    core_world *from = self->world;
    if (!from) {
        PyErr_SetString(state->BusyError, "this viewer was closed");
        return false;
    }
    if (from == to) return true;
    if (to->batch) {
        PyErr_SetString(state->UnsupportedError, "a world of a batch cannot be viewed");
        return false;
    }
    if (to->model != self->model) {
        core_raise_argument(state, "a viewer can only change to a world of the same model, such as "
                                   "World(world.model, seed)");
        return false;
    }
    if (!core_world_enter_agents(to, state)) return false; // in the middle of a step
    core_world_leave(to);
    core_new(from);
    jbw_world *own = core_world_enter_agents(from, state);
    const bool is_linked = own && self->world == from;
    if (is_linked) unlink_from(self, from, own);
    if (own) core_world_leave(from);
    jbw_world *other = is_linked ? core_world_enter_agents(to, state) : NULL;
    if (other) {
        link_to(self, to, other);
        core_world_leave(to);
    }
    core_drop(from);
    if (own && !is_linked) PyErr_SetString(state->BusyError, "this viewer was closed");
    if (is_linked && !other) { // it shows nothing now
        end_server(self);
        core_drop(self);
    }
    return other != NULL;
}

void core_viewers_move(core_state *state, core_world *from, core_world *to)
{
    while (from->viewers) {
        core_viewer *viewer = from->viewers;
        core_new(viewer);
        const bool is_moved = move_viewer(viewer, state, to);
        core_drop(viewer);
        if (is_moved) continue;
        PyErr_Clear(); // the remaining ones stay with the old world
        return;
    }
}

PyObject *core_world_get_viewers(core_world *self, void *unused)
{
    (void)unused;
    PyObject *list = PyList_New(0);
    for (core_viewer *viewer = self->viewers; list && viewer; viewer = viewer->next)
        if (PyList_Append(list, (PyObject *)viewer) < 0) Py_CLEAR(list);
    PyObject *viewers = list && PyList_Reverse(list) == 0 ? PyList_AsTuple(list) : NULL;
    core_drop(list);
    return viewers;
}

PyObject *core_world_get_reward(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->reward ? self->reward : Py_None);
}

int core_world_set_reward(core_world *self, PyObject *reward, void *unused)
{
    (void)unused;
    PyObject *text = NULL;
    if (reward && reward != Py_None) {
        PyObject *type = (PyObject *)core_state_of(self)->Reward;
        PyObject *compiled =
            PyObject_CallFunctionObjArgs(type, (PyObject *)self->model, reward, NULL);
        if (!compiled) return -1;
        text = core_new(((core_reward *)compiled)->text);
        core_drop(compiled);
    }
    PyObject *old = self->reward;
    self->reward = text;
    core_drop(old);
    return 0;
}

// everything that does not need C is in jbw.viewer
PyObject *core_world_view(core_world *self, PyObject *arguments, PyObject *keywords)
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

// --- making -------------------------------------------------------------------------------------

static const core_server_table *find_table(core_state *state)
{
    PyObject *module = PyImport_ImportModule("jbw._server");
    if (!module) {
        if (!PyErr_ExceptionMatches(PyExc_ImportError)) return NULL;
        PyErr_Clear();
        PyErr_SetString(state->UnsupportedError,
                        "this jbw was built without the network (JBW_NET=OFF)");
        return NULL;
    }
    PyObject *capsule = PyObject_GetAttrString(module, "table");
    const core_server_table *table =
        capsule ? PyCapsule_GetPointer(capsule, CORE_SERVER_TABLE) : NULL;
    core_drop(capsule);
    core_drop(module); // it stays loaded
    if (!table) return NULL;
    if (strcmp(table->version, jbw_version()) == 0) return table;
    PyErr_SetString(state->UnsupportedError, "jbw._server and jbw._core are from different builds");
    return NULL;
}

// begins to serve, between enter and leave of the world
static jbw_status attach(core_viewer *self, core_world *world, jbw_world *own,
                         const jbw_server_options *options, jbw_error *error)
{
    core_world_release(world);
    const jbw_status status = self->table->attach(own, options, &self->server, error);
    core_world_resume(world);
    if (!status) link_to((core_viewer *)core_new(self), world, own);
    return status;
}

static PyObject *start(core_viewer *self, core_state *state, core_world *world,
                       jbw_server_options options)
{
    self->model = (core_model *)core_new(world->model);
    self->process = getpid();
    self->table = find_table(state);
    self->lock = PyThread_allocate_lock();
    if (!self->table) return NULL;
    if (!self->lock) return PyErr_NoMemory();
    PyObject *text = core_model_text(state, world->model, false);
    if (!text) PyErr_Clear(); // models of snapshots may have none
    options.world_file = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    options.peek = peek;
    options.peek_user = self;
    jbw_error error = {0};
    jbw_world *own = core_world_enter_agents(world, state);
    const jbw_status status = own ? attach(self, world, own, &options, &error) : JBW_OK;
    if (own) core_world_leave(world);
    core_drop(text);
    if (!own) return NULL;
    if (status) return core_raise(state, status, error.text);
    self->port = self->table->port(self->server);
    self->url = PyUnicode_FromString(self->table->url(self->server));
    if (self->url) return (PyObject *)self;
    close_viewer(self, state);
    return NULL;
}

static PyObject *viewer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"world", "port", "host", "frame_rate", "reward", NULL};
    core_state *state = core_state_of_type(type);
    core_world *world;
    int port = 0;
    const char *host = "127.0.0.1";
    double frame_rate = 30.0;
    const char *reward = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!|isdz:Viewer", names, state->World,
                                     &world, &port, &host, &frame_rate, &reward))
        return NULL;
    if (port < 0 || port > 65535)
        return core_raise_argument(state, "the port is %d, expected 0 to 65535", port);
    if (!(frame_rate >= 0.01 && frame_rate <= 1000.0))
        return core_raise_argument(state, "expected a frame rate from 0.01 to 1000");
    if (world->batch) {
        PyErr_SetString(state->UnsupportedError, "a world of a batch cannot be viewed");
        return NULL;
    }
    core_viewer *self = (core_viewer *)PyType_GenericAlloc(state->Viewer, 0);
    if (!self) return NULL;
    const jbw_server_options options = {
        .host = host, .port = port, .frame_rate = frame_rate, .reward = reward};
    PyObject *made = start(self, state, world, options);
    if (!made) core_drop(self);
    return made;
}

static void viewer_dealloc(core_viewer *self)
{
    PyTypeObject *type = core_type(self);
    if (self->lock) PyThread_free_lock(self->lock);
    core_drop(self->url);
    core_drop(self->model);
    PyObject_Free(self);
    core_drop(type);
}

// --- what it offers -----------------------------------------------------------------------------

static PyObject *viewer_close(core_viewer *self, PyObject *unused)
{
    (void)unused;
    return close_viewer(self, core_state_of(self)) ? core_new(Py_None) : NULL;
}

static PyObject *viewer_exit(core_viewer *self, PyObject *arguments)
{
    (void)arguments;
    return viewer_close(self, NULL);
}

static PyObject *viewer_enter(core_viewer *self, PyObject *unused)
{
    (void)unused;
    return core_new(self);
}

static PyObject *viewer_show(core_viewer *self, PyObject *world)
{
    core_state *state = core_state_of(self);
    if (!Py_IS_TYPE(world, state->World)) {
        PyErr_Format(PyExc_TypeError, "expected a World, found %R", world);
        return NULL;
    }
    return move_viewer(self, state, (core_world *)world) ? core_new(Py_None) : NULL;
}

static PyObject *viewer_get_url(core_viewer *self, void *unused)
{
    (void)unused;
    return core_new(self->url);
}

static PyObject *viewer_get_port(core_viewer *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->port);
}

static PyObject *viewer_get_closed(core_viewer *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->world == NULL);
}

static PyObject *viewer_get_world(core_viewer *self, void *unused)
{
    (void)unused;
    return core_new(self->world ? (PyObject *)self->world : Py_None);
}

static PyObject *viewer_get_watchers(core_viewer *self, void *unused)
{
    (void)unused;
    const bool is_open = self->world && !is_in_fork(self);
    return PyLong_FromUnsignedLong(is_open ? self->table->get_stats(self->server).client_count : 0);
}

static PyObject *viewer_get_copies(core_viewer *self, void *unused)
{
    (void)unused;
    const bool is_open = self->world && !is_in_fork(self);
    return PyLong_FromUnsignedLongLong(is_open ? self->table->get_stats(self->server).copy_count
                                               : 0);
}

static PyObject *viewer_repr(core_viewer *self)
{
    return self->world ? PyUnicode_FromFormat("<jbw.Viewer at %U>", self->url)
                       : PyUnicode_FromString("<jbw.Viewer, closed>");
}

static PyMethodDef methods[] = {
    {"close", (PyCFunction)viewer_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nStops the server. Closing twice is fine.")},
    {"show", (PyCFunction)viewer_show, METH_O,
     PyDoc_STR("show($self, world, /)\n--\n\n"
               "Switches to another world of the same model, for all watchers.")},
    {"__enter__", (PyCFunction)viewer_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)viewer_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"url", (getter)viewer_get_url, NULL, PyDoc_STR("The address to open in a browser."), NULL},
    {"port", (getter)viewer_get_port, NULL, PyDoc_STR("The port that it listens on."), NULL},
    {"closed", (getter)viewer_get_closed, NULL, PyDoc_STR("True after it was closed."), NULL},
    {"world", (getter)viewer_get_world, NULL,
     PyDoc_STR("The world that is shown; None after it was closed."), NULL},
    {"watchers", (getter)viewer_get_watchers, NULL, PyDoc_STR("The number of connected pages."),
     NULL},
    {"copies", (getter)viewer_get_copies, NULL,
     PyDoc_STR("How often the world was copied for watchers."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Viewer(world, port=0, host='127.0.0.1', frame_rate=30.0, reward=None)\n--\n\n"
               "Shows a world in browsers; World.view creates one.\n\n"
               "It lasts until it is closed or its world is destroyed, which it does not keep "
               "alive. Use it with ``with``.")},
    {Py_tp_new, viewer_new},
    {Py_tp_dealloc, viewer_dealloc},
    {Py_tp_repr, viewer_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_viewer_spec = {
    .name = "jbw._core.Viewer",
    .basicsize = sizeof(core_viewer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
