// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Conversions between values of Python and of the library.
#include "core.h"

int core_to_uint64(PyObject *object, void *out)
{
    PyObject *number = PyNumber_Index(object);
    if (!number) return 0;
    const unsigned long long value = PyLong_AsUnsignedLongLong(number);
    core_drop(number);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_ValueError, "expected a whole number from 0 to 2**64 - 1, found %R",
                         object);
        return 0;
    }
    *(uint64_t *)out = value;
    return 1;
}

static int to_int64(PyObject *object, int64_t *out)
{
    PyObject *number = PyNumber_Index(object);
    if (!number) return 0;
    const long long value = PyLong_AsLongLong(number);
    core_drop(number);
    if (value == -1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_ValueError, "a coordinate is too large: %R", object);
        return 0;
    }
    *out = value;
    return 1;
}

int core_to_position(PyObject *object, void *out)
{
    jbw_position *position = out;
    PyObject *pair = PySequence_Tuple(object);
    if (!pair) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "expected a position (x, y), found %R", object);
        return 0;
    }
    int done = 0;
    if (PyTuple_Size(pair) != 2)
        PyErr_Format(PyExc_ValueError, "expected a position (x, y), found %R", object);
    else
        done = to_int64(PyTuple_GetItem(pair, 0), &position->x) &&
               to_int64(PyTuple_GetItem(pair, 1), &position->y);
    core_drop(pair);
    return done;
}

int core_to_direction(PyObject *object, void *out)
{
    static const char *const names[CORE_DIRECTIONS] = {"up", "right", "down", "left"};
    if (PyUnicode_Check(object)) {
        for (int i = 0; i < CORE_DIRECTIONS; i++) {
            if (PyUnicode_CompareWithASCIIString(object, names[i]) != 0) continue;
            *(jbw_direction *)out = (jbw_direction)i;
            return 1;
        }
    } else {
        int64_t number;
        if (!to_int64(object, &number)) return 0;
        if (number >= 0 && number < CORE_DIRECTIONS) {
            *(jbw_direction *)out = (jbw_direction)number;
            return 1;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "expected a direction, \"up\", \"right\", \"down\" or \"left\", found %R", object);
    return 0;
}

PyObject *core_path(PyObject *path)
{
    PyObject *bytes = NULL;
    return PyUnicode_FSConverter(path, &bytes) ? bytes : NULL;
}

// by name in a dict, or a number below a count; -1 with an exception
static int by_name_or_number(core_state *state, PyObject *object, PyObject *numbers,
                             PyObject *names, int count, const char *what)
{
    if (PyUnicode_Check(object)) {
        PyObject *number = PyDict_GetItemWithError(numbers, object);
        if (number) return (int)PyLong_AsLong(number);
        if (!PyErr_Occurred())
            core_raise_argument(state, "unknown %s %R, expected one of %R", what, object, names);
        return -1;
    }
    PyObject *index = PyNumber_Index(object);
    if (!index) return -1;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index, &overflow);
    core_drop(index);
    if (overflow != 0 || value < 0 || value >= count) {
        core_raise_argument(state, "there is no %s number %R, expected 0 to %d", what, object,
                            count - 1);
        return -1;
    }
    return (int)value;
}

int core_to_action(core_state *state, const core_model *model, PyObject *object)
{
    return by_name_or_number(state, object, model->actions, model->action_names,
                             model->action_count, "action");
}

int core_to_item(core_state *state, const core_model *model, PyObject *object)
{
    return by_name_or_number(state, object, model->item_types, model->item_names, model->item_count,
                             "item");
}

PyObject *core_from_position(jbw_position position)
{
    PyObject *x = PyLong_FromLongLong(position.x);
    PyObject *y = x ? PyLong_FromLongLong(position.y) : NULL;
    PyObject *pair = y ? PyTuple_New(2) : NULL;
    if (!pair) {
        core_drop(x);
        core_drop(y);
        return NULL;
    }
    PyTuple_SetItem(pair, 0, x);
    PyTuple_SetItem(pair, 1, y);
    return pair;
}

PyObject *core_from_item(const core_model *model, int item_type)
{
    if (item_type < 0 || item_type >= model->item_count) return core_new(Py_None);
    return core_new(PyTuple_GetItem(model->item_names, item_type));
}

PyArrayObject *core_to_positions(core_state *state, PyObject *object)
{
    // whatever integer type it has: only whole numbers are cells
    PyArrayObject *given = (PyArrayObject *)PyArray_FROM_O(object);
    if (!given) return NULL;
    const int dimensions = PyArray_NDIM(given);
    const npy_intp *shape = PyArray_DIMS(given);
    const bool is_empty = PyArray_SIZE(given) == 0;
    const bool has_shape =
        (dimensions == 1 && (shape[0] == 2 || is_empty)) || (dimensions == 2 && shape[1] == 2);
    if (!has_shape || (!is_empty && !PyArray_ISINTEGER(given))) {
        core_raise_argument(state, "expected cells, whole numbers of shape (n, 2), found %R",
                            object);
        core_drop(given);
        return NULL;
    }
    PyArrayObject *cells = (PyArrayObject *)PyArray_FROMANY(
        (PyObject *)given, NPY_INT64, 0, 0,
        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_FORCECAST);
    core_drop(given);
    return cells;
}

bool core_to_region(core_state *state, PyObject *object, jbw_region *out)
{
    *out = (jbw_region){0};
    if (!object || object == Py_None) return true;
    long long values[4];
    PyObject *tuple = PySequence_Tuple(object);
    const bool is_good =
        tuple && PyArg_ParseTuple(tuple, "LLLL", &values[0], &values[1], &values[2], &values[3]);
    core_drop(tuple);
    if (!is_good) {
        PyErr_Clear();
        core_raise_argument(state, "region: expected x, y, width and height, found %R", object);
        return false;
    }
    if (values[2] < 1 || values[3] < 1) {
        core_raise_argument(state, "the region is %lld x %lld cells, expected at least 1 x 1",
                            values[2], values[3]);
        return false;
    }
    *out = (jbw_region){values[0], values[1], values[2], values[3]};
    return true;
}

bool core_set(PyObject *dict, PyObject *key, PyObject *value)
{
    if (!value) return false;
    const int failed = PyDict_SetItem(dict, key, value);
    core_drop(value);
    return failed == 0;
}

PyObject *core_sequence(PyTypeObject *type, PyObject *const *values, int count)
{
    PyObject *out = PyStructSequence_New(type);
    for (int i = 0; i < count; i++) {
        if (!values[i]) Py_CLEAR(out);
        if (out)
            PyStructSequence_SetItem(out, i, values[i]);
        else
            core_drop(values[i]);
    }
    return out;
}
