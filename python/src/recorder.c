// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recorder: records everything that happens to a world.
#include "core.h"
#include "notes.h"

struct core_recorder {
    PyObject_HEAD core_world *world;
    jbw_recorder *recorder; // NULL once it is closed
    PyObject *path;
};

PyObject *core_world_record(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",       "replace",        "append",      "notes",
                            "hash_every", "snapshot_every", "flush_every", NULL};
    core_state *state = core_state_of(self);
    PyObject *path;
    PyObject *given = NULL;
    int replace = 0;
    int append = 0;
    jbw_recorder_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|p$pOO&O&O&:record", names, &path,
                                     &replace, &append, &given, core_to_uint64, &options.hash_every,
                                     core_to_uint64, &options.snapshot_every, core_to_uint64,
                                     &options.flush_every))
        return NULL;
    core_recorder *recorder = (core_recorder *)PyType_GenericAlloc(state->Recorder, 0);
    if (!recorder) return NULL;
    recorder->world = (core_world *)core_new(self);
    recorder->path = core_new(path);

    core_notes notes = {0};
    PyObject *file = core_path(path);
    jbw_status status = JBW_OK;
    jbw_error error = {0};
    const bool is_ready = file && core_notes_init(&notes, state, self->model, given);
    jbw_world *world = is_ready ? core_world_enter_agents(self, state) : NULL;
    bool is_taken = false;
    if (world) {
        is_taken = self->recorder != NULL;
        options.notes = notes.notes;
        options.note_count = notes.count;
        const char *name = PyBytes_AsString(file);
        core_world_release(self);
        if (!is_taken)
            status = append
                         ? jbw_recorder_append(world, name, &options, &recorder->recorder, &error)
                         : jbw_recorder_create(world, name, replace != 0, &options,
                                               &recorder->recorder, &error);
        core_world_resume(self);
        if (recorder->recorder) self->recorder = recorder;
        core_world_leave(self);
    }
    core_notes_deinit(&notes);
    core_drop(file);
    if (world && !is_taken && !status) return (PyObject *)recorder;
    core_drop(recorder);
    if (!world) return NULL;
    if (is_taken) {
        PyErr_SetString(state->BusyError, "the world is already being recorded");
        return NULL;
    }
    return core_raise_file(state, status, error.text, path);
}

// ends the recording, if it is active; between enter and leave of the world
static jbw_status finish(core_recorder *self, jbw_error *error)
{
    jbw_recorder *recorder = self->recorder;
    if (!recorder) return JBW_OK;
    self->recorder = NULL;
    self->world->recorder = NULL;
    core_world_release(self->world);
    const jbw_status status = jbw_recorder_close(recorder, error);
    core_world_resume(self->world);
    return status;
}

static PyObject *recorder_close(core_recorder *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_error error = {0};
    if (!core_world_enter_agents(self->world, state)) return NULL;
    const jbw_status status = finish(self, &error);
    core_world_leave(self->world);
    return status ? core_raise_file(state, status, error.text, self->path) : core_new(Py_None);
}

static PyObject *recorder_flush(core_recorder *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_error error = {0};
    jbw_status status = JBW_OK;
    if (!core_world_enter_agents(self->world, state)) return NULL;
    const bool is_open = self->recorder != NULL;
    if (is_open) {
        core_world_release(self->world);
        status = jbw_recorder_flush(self->recorder, &error);
        core_world_resume(self->world);
    }
    core_world_leave(self->world);
    if (!is_open) return core_raise_argument(state, "the recording was closed");
    return status ? core_raise_file(state, status, error.text, self->path) : core_new(Py_None);
}

static PyObject *recorder_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return core_new(self);
}

static PyObject *recorder_exit(core_recorder *self, PyObject *arguments)
{
    (void)arguments;
    return recorder_close(self, NULL);
}

static PyObject *recorder_get_world(core_recorder *self, void *unused)
{
    (void)unused;
    return core_new(self->world);
}

static int recorder_traverse(core_recorder *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->world);
    return 0;
}

static void recorder_dealloc(core_recorder *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    if (self->recorder) {
        // a failure cannot be reported here; keep the current exception, if any
        PyObject *error[3];
        PyErr_Fetch(&error[0], &error[1], &error[2]);
        core_gate *gate = &self->world->gate;
        const bool is_mine = gate->depth > 0 && gate->holder == PyThread_get_thread_ident();
        if (is_mine || core_gate_enter(gate, core_state_of(self), true)) {
            jbw_recorder_close(self->recorder, NULL);
            self->world->recorder = NULL;
            if (!is_mine) core_gate_leave(gate);
        }
        PyErr_Restore(error[0], error[1], error[2]);
    }
    core_drop(self->world);
    core_drop(self->path);
    PyObject_GC_Del(self);
    core_drop(type);
}

static PyObject *recorder_repr(core_recorder *self)
{
    return PyUnicode_FromFormat("<jbw.Recorder %S%s, of %R>", self->path,
                                self->recorder ? "" : ", closed", (PyObject *)self->world);
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef recorder_methods[] = {
    {"flush", (PyCFunction)recorder_flush, METH_NOARGS,
     PyDoc_STR("flush($self, /)\n--\n\n"
               "Writes everything recorded so far, and flushes it to disk.")},
    {"close", (PyCFunction)recorder_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nFlushes and ends the recording. Closing twice is fine.")},
    {"__enter__", recorder_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)recorder_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef recorder_getters[] = {
    {"world", (getter)recorder_get_world, NULL, PyDoc_STR("The world that is recorded."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_doc,
     PyDoc_STR("A recording in progress; see World.record. Keeps its world alive. Use it "
               "with \"with\".")},
    {Py_tp_dealloc, recorder_dealloc},
    {Py_tp_traverse, recorder_traverse},
    {Py_tp_repr, recorder_repr},
    {Py_tp_methods, recorder_methods},
    {Py_tp_getset, recorder_getters},
    {0, NULL},
};

PyType_Spec core_recorder_spec = {
    .name = "jbw._core.Recorder",
    .basicsize = sizeof(core_recorder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = recorder_slots,
};
