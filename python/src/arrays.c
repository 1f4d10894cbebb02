// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Arrays over memory of our own, and checks of arrays of the caller.
#include "core.h"

static void free_memory(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, NULL));
}

PyObject *core_array_view(int dimensions, const npy_intp *shape, int type)
{
    PyArray_Descr *descr = PyArray_DescrFromType(type);
    if (!descr) return NULL;
    size_t size = (size_t)PyDataType_ELSIZE(descr);
    for (int i = 0; i < dimensions; i++) size *= (size_t)shape[i];

    // the capsule owns the memory and is not a buffer, so NumPy keeps the view read-only
    void *memory = PyMem_Calloc(1, size > 0 ? size : 1);
    PyObject *owner = memory ? PyCapsule_New(memory, NULL, free_memory) : PyErr_NoMemory();
    if (!owner) {
        PyMem_Free(memory);
        core_drop(descr);
        return NULL;
    }
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, dimensions, shape, NULL, memory,
                                           NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, NULL);
    if (!array) {
        core_drop(owner);
        return NULL;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) {
        core_drop(array);
        return NULL;
    }
    return array;
}

bool core_array_check(core_state *state, PyObject *object, const char *name, int type,
                      int dimensions, const npy_intp *shape)
{
    PyObject *expected = PyTuple_New(dimensions);
    for (int i = 0; expected && i < dimensions; i++)
        PyTuple_SetItem(expected, i, PyLong_FromSsize_t(shape[i]));
    if (!expected) return false;

    const char *problem = NULL;
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object)) {
        problem = "expected a NumPy array";
    } else if (PyArray_TYPE(array) != type || PyArray_ISBYTESWAPPED(array)) {
        problem = "the type of its elements is wrong";
    } else if (PyArray_NDIM(array) != dimensions ||
               !PyArray_CompareLists(PyArray_DIMS(array), shape, dimensions)) {
        problem = "its shape is wrong";
    } else if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array)) {
        problem = "it is not C-contiguous";
    } else if (!PyArray_ISWRITEABLE(array)) {
        problem = "it is read-only";
    }
    if (problem) {
        PyArray_Descr *descr = PyArray_DescrFromType(type);
        core_raise_argument(state, "%s: %s; expected %S of shape %R", name, problem,
                            descr ? (PyObject *)descr : Py_None, expected);
        core_drop(descr);
    }
    core_drop(expected);
    return !problem;
}
