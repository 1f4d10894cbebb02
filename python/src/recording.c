// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recorder: records everything that happens to a world. Recording: replays it.
#include "core.h"

#include <string.h>

#include "notes.h"

struct core_recorder {
    PyObject_HEAD core_world *world;
    jbw_recorder *recorder; // NULL once it is closed
    PyObject *path;
};

typedef struct core_recording {
    PyObject_HEAD jbw_recording *recording; // NULL once it is closed
    core_gate gate;
    PyObject *path;
    PyObject *model; // of the worlds that were handed out, or NULL
} core_recording;

// --- recording ----------------------------------------------------------------------------------

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

// --- replaying ----------------------------------------------------------------------------------

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

// --- operations ---------------------------------------------------------------------------------

static PyStructSequence_Field operation_fields[] = {
    {"kind", "what was done"},
    {"time", "of the world after it"},
    {"agents", "the ids of the agents concerned"},
    {"actions", "their actions"},
    {"item", "the item that was placed, or None"},
    {"active", "whether the agent became active, or None"},
    {"positions", "cells; for finalize_patch the patch, in units of patches"},
    {NULL, NULL},
};

PyStructSequence_Desc core_operation_desc = {
    "jbw._core.Operation",
    "An operation that changed a world; fields of other kinds are None, or empty.",
    operation_fields, 7};

static const char *kind_name(jbw_operation_kind kind)
{
    switch (kind) {
    case JBW_OPERATION_ACT: return "act";
    case JBW_OPERATION_ACT_TOGETHER: return "act_together";
    case JBW_OPERATION_STEP: return "step";
    case JBW_OPERATION_ADD_AGENT: return "add_agent";
    case JBW_OPERATION_REMOVE_AGENT: return "remove_agent";
    case JBW_OPERATION_SET_ACTIVE: return "set_active";
    case JBW_OPERATION_PLACE_ITEM: return "place_item";
    case JBW_OPERATION_REMOVE_ITEM: return "remove_item";
    case JBW_OPERATION_EXPLORE: return "explore";
    case JBW_OPERATION_FINALIZE_PATCH: return "finalize_patch";
    }
    return "unknown";
}

static PyObject *id_of(jbw_agent_id id)
{
    return PyLong_FromUnsignedLongLong((uint64_t)id.generation << 32 | id.index1);
}

static PyObject *action_of(const jbw_model *model, int action)
{
    const int item = jbw_model_action_item(model, action);
    const char *kind = jbw_action_kind_name(jbw_model_action_kind(model, action));
    if (item < 0) return PyUnicode_FromString(kind);
    return PyUnicode_FromFormat("%s[%s]", kind, jbw_model_item_name(model, item));
}

// a tuple, filled index by index
static PyObject *tuple_of(size_t count)
{
    return PyTuple_New((Py_ssize_t)count);
}

static PyObject *operation_agents(const jbw_operation *operation)
{
    switch (operation->kind) {
    case JBW_OPERATION_ACT:
    case JBW_OPERATION_ADD_AGENT:
    case JBW_OPERATION_REMOVE_AGENT:
    case JBW_OPERATION_SET_ACTIVE: return Py_BuildValue("(N)", id_of(operation->agent));
    case JBW_OPERATION_ACT_TOGETHER: break;
    default: return tuple_of(0);
    }
    PyObject *agents = tuple_of(operation->count);
    for (size_t i = 0; agents && i < operation->count; i++)
        PyTuple_SetItem(agents, (Py_ssize_t)i, id_of(operation->agents[i]));
    return agents;
}

static PyObject *operation_actions(const jbw_model *model, const jbw_operation *operation)
{
    if (operation->kind == JBW_OPERATION_ACT)
        return Py_BuildValue("(N)", action_of(model, operation->action));
    if (operation->kind != JBW_OPERATION_ACT_TOGETHER) return tuple_of(0);
    PyObject *actions = tuple_of(operation->count);
    for (size_t i = 0; actions && i < operation->count; i++)
        PyTuple_SetItem(actions, (Py_ssize_t)i, action_of(model, operation->actions[i]));
    return actions;
}

static PyObject *operation_positions(const jbw_operation *operation)
{
    switch (operation->kind) {
    case JBW_OPERATION_PLACE_ITEM:
    case JBW_OPERATION_REMOVE_ITEM:
    case JBW_OPERATION_FINALIZE_PATCH:
        return Py_BuildValue("(N)", core_from_position(operation->position));
    case JBW_OPERATION_ADD_AGENT:
        if (!operation->options.has_position) return tuple_of(0);
        return Py_BuildValue("(N)", core_from_position(operation->options.position));
    case JBW_OPERATION_EXPLORE: break;
    default: return tuple_of(0);
    }
    PyObject *positions = tuple_of(operation->count);
    for (size_t i = 0; positions && i < operation->count; i++)
        PyTuple_SetItem(positions, (Py_ssize_t)i, core_from_position(operation->positions[i]));
    return positions;
}

static PyObject *make_operation(core_state *state, const jbw_world *world,
                                const jbw_operation *operation)
{
    const jbw_model *model = jbw_world_model(world);
    const bool places = operation->kind == JBW_OPERATION_PLACE_ITEM;
    const bool activates = operation->kind == JBW_OPERATION_SET_ACTIVE;
    PyObject *values[7] = {
        PyUnicode_FromString(kind_name(operation->kind)),
        PyLong_FromUnsignedLongLong(jbw_world_time(world)),
        operation_agents(operation),
        operation_actions(model, operation),
        places ? PyUnicode_FromString(jbw_model_item_name(model, operation->item_type))
               : core_new(Py_None),
        activates ? PyBool_FromLong(operation->is_active) : core_new(Py_None),
        operation_positions(operation),
    };
    return core_sequence(state->Operation, values, 7);
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
        status ? NULL : make_operation(state, jbw_recording_world(recording), &operation);
    core_gate_leave(&self->gate);
    if (status && status != JBW_NOT_FOUND) core_raise(state, status, error.text);
    return out;
}

// --- the types ----------------------------------------------------------------------------------

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

static PyObject *recorder_repr(core_recorder *self)
{
    return PyUnicode_FromFormat("<jbw.Recorder %S%s, of %R>", self->path,
                                self->recorder ? "" : ", closed", (PyObject *)self->world);
}

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
    {"__enter__", recorder_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)recording_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define INFO(name, doc)                                           \
    {                                                             \
#name, (getter)recording_get_info, NULL, PyDoc_STR(doc),  \
            (void *)(uintptr_t)offsetof(jbw_recording_info, name) \
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
