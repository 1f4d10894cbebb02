// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The bodies of a model's agents, by name.
#include "core.h"

PyObject *core_model_body_names(const core_model *model)
{
    const int count = jbw_model_body_count(model->model) - 1;
    PyObject *names = PyTuple_New(count);
    for (int b = 0; names && b < count; b++) {
        PyObject *name = PyUnicode_FromString(jbw_model_body_name(model->model, b + 1));
        if (name)
            PyTuple_SetItem(names, b, name);
        else
            Py_CLEAR(names);
    }
    return names;
}

PyObject *core_model_action_mask(const core_model *model, int body)
{
    const npy_intp count = model->action_count;
    PyObject *mask = PyArray_SimpleNew(1, &count, NPY_INT8);
    if (!mask) return NULL;
    npy_int8 *can = PyArray_DATA((PyArrayObject *)mask);
    for (int i = 0; i < model->action_count; i++)
        can[i] = jbw_model_body_can(model->model, body, i);
    return mask;
}

bool core_to_body(core_state *state, const core_model *model, PyObject *object, int *out)
{
    *out = 0;
    if (!object || object == Py_None) return true;
    const char *name = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, NULL) : NULL;
    if (!name) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "expected the name of a body or None, found %R", object);
        return false;
    }
    *out = jbw_model_body(model->model, name);
    if (*out > 0) return true;
    PyObject *names = core_model_body_names(model);
    if (names && PyTuple_Size(names) == 0)
        core_raise_argument(state, "unknown body %R: this world has no bodies", object);
    else if (names)
        core_raise_argument(state, "unknown body %R, expected one of %R", object, names);
    core_drop(names);
    return false;
}
