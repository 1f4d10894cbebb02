// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Atlas: a folder that keeps patches of invariant worlds; and which one a world gets.
#include "core.h"

#include <stdlib.h>

#include "jbw/atlas.h"

struct core_atlas {
    PyObject_HEAD jbw_atlas *atlas;
};

// --- making and ending --------------------------------------------------------------------------

static core_atlas *open_atlas(core_state *state, PyObject *path, const jbw_atlas_options *options)
{
    PyObject *bytes = core_path(path);
    if (!bytes) return NULL;
    core_atlas *self = (core_atlas *)PyType_GenericAlloc(state->Atlas, 0);
    jbw_error error = {0};
    jbw_status status = JBW_OK;
    if (self)
        CORE_UNLOCKED(status =
                          jbw_atlas_open(PyBytes_AsString(bytes), options, &self->atlas, &error));
    core_drop(bytes);
    if (!status) return self;
    core_drop(self);
    core_raise(state, status, error.text);
    return NULL;
}

static PyObject *atlas_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "read_only", "limit", NULL};
    core_state *state = core_state_of_type(type);
    PyObject *path;
    int is_read_only = 0;
    PyObject *limit = Py_None;
    jbw_atlas_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$pO:Atlas", names, &path,
                                     &is_read_only, &limit))
        return NULL;
    options.is_read_only = is_read_only != 0;
    if (limit != Py_None) {
        if (!core_to_uint64(limit, &options.limit)) return NULL;
        if (options.limit < 1 || options.limit > UINT64_C(1) << 40)
            return core_raise_argument(state, "limit: found %R, expected 1 to 2**40 megabytes",
                                       limit);
        options.limit <<= 20;
    }
    return (PyObject *)open_atlas(state, path, &options);
}

static void atlas_dealloc(core_atlas *self)
{
    PyTypeObject *type = core_type(self);
    jbw_atlas_close(self->atlas);
    PyObject_Free(self);
    core_drop(type);
}

PyObject *core_atlas_from(core_state *state, PyObject *object)
{
    if (Py_IS_TYPE(object, state->Atlas)) return core_new(object);
    return (PyObject *)open_atlas(state, object, NULL);
}

// --- which one a world gets ---------------------------------------------------------------------

PyObject *core_atlas_of_variable(core_state *state)
{
    const char *path = getenv("JBW_ATLAS");
    if (!path || !*path) return core_new(Py_None);
    PyObject *text = PyUnicode_DecodeFSDefault(path);
    PyObject *atlas = text ? (PyObject *)open_atlas(state, text, NULL) : NULL;
    core_drop(text);
    return atlas;
}

PyObject *core_model_choose_atlas(core_state *state, const core_model *model)
{
    if (model->atlas) return core_new(model->atlas);
    return core_atlas_of_variable(state);
}

jbw_atlas *core_atlas_inside(PyObject *atlas)
{
    return atlas != Py_None && atlas != Py_False ? ((core_atlas *)atlas)->atlas : NULL;
}

bool core_atlas_attach(core_state *state, const core_model *model, PyObject *given,
                       jbw_world *world)
{
    const bool is_given = given && given != Py_None;
    PyObject *atlas = given == Py_False ? core_new(Py_None)
                      : is_given        ? core_atlas_from(state, given)
                                        : core_model_choose_atlas(state, model);
    if (!atlas) return false;
    jbw_error error = {0};
    jbw_status status = jbw_world_set_atlas(world, core_atlas_inside(atlas), &error);
    core_drop(atlas);
    // the variable is for worlds that can have one
    if (status == JBW_UNSUPPORTED && !is_given) status = JBW_OK;
    if (status) core_raise(state, status, error.text);
    return !status;
}

// --- what it is like ----------------------------------------------------------------------------

static PyObject *atlas_get_path(core_atlas *self, void *unused)
{
    (void)unused;
    return PyUnicode_DecodeFSDefault(jbw_atlas_path(self->atlas));
}

static PyObject *atlas_get_read_only(core_atlas *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(jbw_atlas_is_read_only(self->atlas));
}

static PyObject *atlas_get_counts(core_atlas *self, void *unused)
{
    (void)unused;
    const jbw_atlas_counts c = jbw_atlas_get_counts(self->atlas);
    return Py_BuildValue("{sKsKsKsKsKsK}", "found", (unsigned long long)c.found, "missing",
                         (unsigned long long)c.missing, "damaged", (unsigned long long)c.damaged,
                         "added", (unsigned long long)c.added, "failed",
                         (unsigned long long)c.failed, "bytes", (unsigned long long)c.bytes);
}

static PyObject *atlas_prune(core_atlas *self, PyObject *megabytes)
{
    core_state *state = core_state_of(self);
    uint64_t limit;
    if (!core_to_uint64(megabytes, &limit)) return NULL;
    if (limit > UINT64_C(1) << 40)
        return core_raise_argument(state, "found %R, expected up to 2**40 megabytes", megabytes);
    jbw_atlas_pruned pruned;
    jbw_status status;
    CORE_UNLOCKED(status = jbw_atlas_prune(self->atlas, limit << 20, &pruned));
    if (status) return core_raise(state, status, NULL);
    return PyLong_FromUnsignedLongLong(pruned.bytes);
}

static PyObject *atlas_repr(core_atlas *self)
{
    PyObject *path = atlas_get_path(self, NULL);
    PyObject *text =
        path ? PyUnicode_FromFormat("<jbw.Atlas %R%s>", path,
                                    jbw_atlas_is_read_only(self->atlas) ? ", read-only" : "")
             : NULL;
    core_drop(path);
    return text;
}

static PyObject *atlas_reduce(core_atlas *self, PyObject *unused)
{
    PyObject *path = atlas_get_path(self, unused);
    return path ? Py_BuildValue("O(N)", core_type(self), path) : NULL;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"prune", (PyCFunction)atlas_prune, METH_O,
     PyDoc_STR("prune($self, megabytes, /)\n--\n\n"
               "Drops what was not used for longest until so many megabytes are left; returns how "
               "many bytes\nthat freed.")},
    {"__reduce__", (PyCFunction)atlas_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"path", (getter)atlas_get_path, NULL, PyDoc_STR("The folder."), NULL},
    {"read_only", (getter)atlas_get_read_only, NULL,
     PyDoc_STR("True if nothing is added: it was opened so, or cannot be written to."), NULL},
    {"counts", (getter)atlas_get_counts, NULL,
     PyDoc_STR("What has happened through it in this process: patches found, missing, damaged, "
               "added and\nfailed to be added, and bytes added."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Atlas(path, *, read_only=False, limit=None)\n--\n\n"
               "A folder that keeps patches of invariant worlds, so that nobody makes them twice. "
               "Results do\nnot depend on it. It is created if it is missing, and may be shared by "
               "any number of\nprocesses. limit is how many megabytes it may hold (4096).")},
    {Py_tp_new, atlas_new},
    {Py_tp_dealloc, atlas_dealloc},
    {Py_tp_repr, atlas_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_atlas_spec = {
    .name = "jbw._core.Atlas",
    .basicsize = sizeof(core_atlas),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
