// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recording: replays what happened to a world.
#include "core.h"

#include <string.h>

#include "notes.h"

typedef struct core_recording {
    PyObject_HEAD jbw_recording *recording; // NULL once it is closed
    core_gate gate;
    PyObject *path;
    PyObject *model; // of the worlds that were handed out, or NULL
} core_recording;

static PyObject *recording_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "memory_limit", NULL};
    core_state *state = core_state_of_type(type);
    PyObject *path;
    jbw_load_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$O&:Recording", names, &path,
                                     core_to_memory_limit, &options.memory_limit))
        return NULL;
    PyObject *file = core_path(path);
    core_recording *self = file ? (core_recording *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self || !core_gate_init(&self->gate)) {
        core_drop(file);
        core_drop(self);
        return NULL;
    }
    self->path = core_new(path);
    const char *name = PyBytes_AsString(file);
    jbw_error error = {0};
    jbw_status status;
    CORE_UNLOCKED(status = jbw_recording_open(name, &options, &self->recording, &error));
    core_drop(file);
    if (!status) return (PyObject *)self;
    core_drop(self);
    return core_raise_file(state, status, error.text, path);
}

static void recording_dealloc(core_recording *self)
{
    PyTypeObject *type = core_type(self);
    jbw_recording_close(self->recording);
    core_gate_deinit(&self->gate);
    core_drop(self->path);
    core_drop(self->model);
    PyObject_Free(self);
    core_drop(type);
}

static jbw_recording *enter(core_recording *self, core_state *state)
{
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    if (self->recording) return self->recording;
    core_gate_leave(&self->gate);
    core_raise_argument(state, "the recording was closed");
    return NULL;
}

jbw_recording *core_recording_enter(PyObject *recording, core_state *state)
{
    return enter((core_recording *)recording, state);
}

void core_recording_leave(PyObject *recording)
{
    core_gate_leave(&((core_recording *)recording)->gate);
}

static PyObject *recording_close(core_recording *self, PyObject *unused)
{
    (void)unused;
    if (!core_gate_enter(&self->gate, core_state_of(self), false)) return NULL;
    jbw_recording_close(self->recording);
    self->recording = NULL;
    core_gate_leave(&self->gate);
    return core_new(Py_None);
}

static PyObject *recording_with(PyObject *self, PyObject *unused)
{
    (void)unused;
    return core_new(self);
}

static PyObject *recording_exit(core_recording *self, PyObject *arguments)
{
    (void)arguments;
    return recording_close(self, NULL);
}

// copies the world by way of a snapshot; needs no interpreter
static jbw_status copy_world(jbw_recording *recording, const jbw_load_options *options,
                             jbw_loaded *loaded, jbw_error *error)
{
    jbw_buffer buffer = {0};
    jbw_status status = jbw_snapshot_encode(jbw_recording_world(recording), NULL, 0, &buffer);
    if (!status) status = jbw_snapshot_decode(buffer.bytes, buffer.size, options, loaded, error);
    jbw_buffer_free(&buffer);
    return status;
}

// A copy of the world with a model of its own: the recording may replace its model when it seeks.
static PyObject *recording_get_world(core_recording *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_recording *recording = enter(self, state);
    if (!recording) return NULL;
    jbw_loaded loaded = {0};
    jbw_error error = {0};
    core_model *known = (core_model *)core_new(self->model);
    jbw_config *config =
        known ? NULL : core_config_of_note(jbw_recording_note(recording, CORE_WORLD_NOTE));
    // it is a copy of what is in memory already
    const jbw_load_options options = {.model = known ? known->model : NULL,
                                      .memory_limit = UINT64_MAX,
                                      .memory_budget = config ? config->memory_budget : 0};
    jbw_status status;
    CORE_UNLOCKED(status = copy_world(recording, &options, &loaded, &error));
    PyObject *world = NULL;
    if (!status && loaded.model) {
        core_drop(known);
        known = (core_model *)core_model_wrap(state, loaded.model, config);
        if (known) {
            loaded.model = NULL;
            config = NULL;
            core_drop(self->model);
            self->model = core_new(known);
        }
    }
    if (!status && known) {
        world = core_world_wrap(state, known, loaded.world);
        loaded.world = NULL;
    }
    core_gate_leave(&self->gate);
    jbw_loaded_free(&loaded);
    jbw_config_free(config);
    core_drop(known);
    return status ? core_raise(state, status, error.text) : world;
}

static PyObject *recording_get_time(core_recording *self, void *unused)
{
    (void)unused;
    jbw_recording *recording = enter(self, core_state_of(self));
    if (!recording) return NULL;
    const uint64_t time = jbw_world_time(jbw_recording_world(recording));
    core_gate_leave(&self->gate);
    return PyLong_FromUnsignedLongLong(time);
}

// a number of jbw_recording_info, by its offset
static PyObject *recording_get_info(core_recording *self, void *offset)
{
    jbw_recording *recording = enter(self, core_state_of(self));
    if (!recording) return NULL;
    const jbw_recording_info info = jbw_recording_get_info(recording);
    core_gate_leave(&self->gate);
    uint64_t value;
    memcpy(&value, (const char *)&info + (uintptr_t)offset, sizeof value);
    return PyLong_FromUnsignedLongLong(value);
}

static PyObject *recording_note(core_recording *self, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    jbw_recording *recording = text ? enter(self, core_state_of(self)) : NULL;
    if (!recording) return NULL;
    const jbw_note *note = jbw_recording_note(recording, text);
    PyObject *bytes =
        note ? PyBytes_FromStringAndSize(note->bytes, (Py_ssize_t)note->size) : core_new(Py_None);
    core_gate_leave(&self->gate);
    return bytes;
}

static PyObject *recording_seek(core_recording *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"time", NULL};
    core_state *state = core_state_of(self);
    PyObject *given = Py_None;
    uint64_t time = UINT64_MAX;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:seek", names, &given) ||
        (given != Py_None && !core_to_uint64(given, &time)))
        return NULL;
    jbw_recording *recording = enter(self, state);
    if (!recording) return NULL;
    jbw_error error = {0};
    jbw_status status;
    CORE_UNLOCKED(status = jbw_recording_seek(recording, time, &error));
    core_gate_leave(&self->gate);
    return status ? core_raise(state, status, error.text) : core_new(Py_None);
}

static PyObject *recording_next(core_recording *self)
{
    core_state *state = core_state_of(self);
    jbw_recording *recording = enter(self, state);
    if (!recording) return NULL;
    jbw_operation operation;
    jbw_error error = {0};
    jbw_status status;
    CORE_UNLOCKED(status = jbw_recording_next(recording, &operation, &error));
    PyObject *out =
        status ? NULL : core_operation_make(state, jbw_recording_world(recording), &operation);
    core_gate_leave(&self->gate);
    if (status && status != JBW_NOT_FOUND) core_raise(state, status, error.text);
    return out;
}

static PyObject *recording_repr(core_recording *self)
{
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, true)) {
        PyErr_Clear();
        return PyUnicode_FromFormat("<jbw.Recording %S, busy>", self->path);
    }
    PyObject *text;
    if (self->recording) {
        const jbw_recording_info info = jbw_recording_get_info(self->recording);
        text = PyUnicode_FromFormat(
            "<jbw.Recording %S: times %llu to %llu, %llu operations%s>", self->path,
            (unsigned long long)info.first_time, (unsigned long long)info.last_time,
            (unsigned long long)info.operation_count, info.torn_size > 0 ? ", torn" : "");
    } else {
        text = PyUnicode_FromFormat("<jbw.Recording %S, closed>", self->path);
    }
    core_gate_leave(&self->gate);
    return text;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef recording_methods[] = {
    {"note", (PyCFunction)recording_note, METH_O,
     PyDoc_STR("note($self, name, /)\n--\n\nThe note of that name in the recording: bytes, or "
               "None.")},
    {"seek", (PyCFunction)(void (*)(void))recording_seek, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "seek($self, /, time=None)\n--\n\n"
         "Goes to the moment right after the step that led to time, forward or backward; None "
         "is the end.\nNotFoundError if the recording does not reach it.")},
    {"frames", (PyCFunction)(void (*)(void))core_recording_frames, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "frames($self, /, *, start=0, end=None, every=0, agent=1, region=None, "
         "size=(41, 31), scale=20, trail=400, reward=None, panel=True, grid=False)\n--\n\n"
         "The frames of a movie, one by one: an iterator of arrays, uint8 (height, width, 3). It "
         "replays the\nrecording, so do not move that in the meantime.")},
    {"movie", (PyCFunction)(void (*)(void))core_recording_movie, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("movie($self, /, path, *, fps=30, **options)\n--\n\n"
               "Writes a movie, .mp4, .gif or what else ffmpeg can write. The options are those of "
               "frames.")},
    {"close", (PyCFunction)recording_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nCloses the file. Closing twice is fine.")},
    {"__enter__", recording_with, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)recording_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define INFO(name, doc)                                           \
    {                                                             \
#name, (getter)recording_get_info, NULL, PyDoc_STR(doc),  \
            (void *)(uintptr_t)offsetof(jbw_recording_info, name) \
    }

static PyGetSetDef recording_getters[] = {
    INFO(first_time, "The time of the world at the beginning."),
    INFO(last_time, "The time of the world at the end."),
    INFO(operation_count, "Operations in it."),
    INFO(snapshot_count, "Snapshots in it."),
    INFO(hash_count, "Hashes in it."),
    INFO(size, "The number of valid bytes of the file."),
    INFO(torn_size, "The number of invalid bytes after those."),
    {"time", (getter)recording_get_time, NULL,
     PyDoc_STR("The time of the world at the current place."), NULL},
    {"world", (getter)recording_get_world, NULL,
     PyDoc_STR("The world at the current place: an independent copy."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot recording_slots[] = {
    {Py_tp_doc, PyDoc_STR("Recording(path, *, memory_limit=None)\n--\n\n"
                          "A recording, to replay from any step. Iterating replays it operation by "
                          "operation, and checks the\nhashes on the way. memory_limit is that of "
                          "World.load.")},
    {Py_tp_new, recording_new},
    {Py_tp_dealloc, recording_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, recording_next},
    {Py_tp_repr, recording_repr},
    {Py_tp_methods, recording_methods},
    {Py_tp_getset, recording_getters},
    {0, NULL},
};

PyType_Spec core_recording_spec = {
    .name = "jbw._core.Recording",
    .basicsize = sizeof(core_recording),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = recording_slots,
};
