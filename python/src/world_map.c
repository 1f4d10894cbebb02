// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The map: reading, editing and generating it.
#include "world_parts.h"

// reads items, or else states, of a region into a new array
static PyObject *read_region(core_world *self, PyObject *arguments, PyObject *keywords,
                             const char *format, bool wants_states)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &x, &y, &width, &height))
        return NULL;
    if (width < 0 || height < 0)
        return core_raise_argument(state, "the width and height of a region must not be negative");
    const npy_intp shape[2] = {(npy_intp)height, (npy_intp)width};
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT8);
    if (!array || PyArray_SIZE(array) == 0) return (PyObject *)array;
    PyArrayObject *other =
        wants_states ? (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT8) : NULL;
    jbw_world *world = wants_states && !other ? NULL : core_world_enter(self, state, true);
    if (!world) {
        core_drop(array);
        core_drop(other);
        return NULL;
    }
    const jbw_region region = {x, y, width, height};
    uint8_t *items = PyArray_DATA(array);
    uint8_t *states = other ? PyArray_DATA(other) : NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_read_region(world, region, items, states);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    if (other) {
        core_drop(array);
        array = other;
    }
    if (is_fine && !status) return (PyObject *)array;
    core_drop(array);
    return is_fine ? core_raise(state, status, NULL) : NULL;
}

PyObject *world_items(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_region(self, arguments, keywords, "LLLL:items", false);
}

PyObject *world_patch_states(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_region(self, arguments, keywords, "LLLL:patch_states", true);
}

// changes the world, with the interpreter released
static PyObject *change(core_world *self, core_state *state, const jbw_operation *operation)
{
    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_apply(world, operation);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}

PyObject *world_place(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"item", "x", "y", NULL};
    core_state *state = core_state_of(self);
    PyObject *item;
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLL:place", names, &item, &x, &y))
        return NULL;
    const int item_type = core_to_item(state, self->model, item);
    if (item_type < 0) return NULL;
    return change(self, state,
                  &(jbw_operation){.kind = JBW_OPERATION_PLACE_ITEM,
                                   .item_type = item_type,
                                   .position = {x, y}});
}

PyObject *world_remove(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:remove", names, &x, &y)) return NULL;
    return change(self, state,
                  &(jbw_operation){.kind = JBW_OPERATION_REMOVE_ITEM, .position = {x, y}});
}

PyObject *world_smell(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:smell", names, &x, &y)) return NULL;
    const npy_intp shape[1] = {self->model->scents};
    PyArrayObject *scent = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_FLOAT32);
    jbw_world *world = scent ? core_world_enter(self, state, true) : NULL;
    if (!world) {
        core_drop(scent);
        return NULL;
    }
    const jbw_status status = jbw_world_smell(world, (jbw_position){x, y}, PyArray_DATA(scent));
    core_world_leave(self);
    if (!status) return (PyObject *)scent;
    core_drop(scent);
    return core_raise(state, status, NULL);
}

PyObject *world_explore(core_world *self, PyObject *positions)
{
    core_state *state = core_state_of(self);
    PyArrayObject *cells = core_to_positions(state, positions);
    jbw_world *world = cells ? core_world_enter(self, state, false) : NULL;
    if (!world) {
        core_drop(cells);
        return NULL;
    }
    // an (n, 2) array of int64 is laid out as n positions
    const size_t count = (size_t)PyArray_SIZE(cells) / 2;
    const jbw_position *at = PyArray_DATA(cells);
    core_world_release(self);
    const jbw_status status = count > 0 ? jbw_world_explore(world, at, count) : JBW_OK;
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    core_drop(cells);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}

PyObject *world_explore_region(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LLLL:explore_region", names, &x, &y,
                                     &width, &height))
        return NULL;
    const int64_t far = JBW_MAX_COORDINATE;
    if (width < 0 || height < 0 || width > far || height > far)
        return core_raise_argument(state, "the width and height of a region must not be negative");
    if (width == 0 || height == 0) return core_new(Py_None);
    if (x < -far || y < -far || x > far - width || y > far - height)
        return core_raise(state, JBW_OUT_OF_RANGE, NULL);

    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    const jbw_position first = jbw_world_patch_of(world, (jbw_position){x, y});
    const jbw_position last =
        jbw_world_patch_of(world, (jbw_position){x + width - 1, y + height - 1});
    jbw_status status = JBW_OK;
    bool is_fine = true;
    for (int64_t patch_y = first.y; patch_y <= last.y && !status && is_fine; patch_y++) {
        for (int64_t patch_x = first.x; patch_x <= last.x && !status && is_fine; patch_x++) {
            core_world_release(self);
            status = jbw_world_finalize_patch(world, (jbw_position){patch_x, patch_y});
            // a large region takes a while: let Ctrl-C interrupt it
            is_fine = core_world_resume(self) && PyErr_CheckSignals() == 0;
        }
    }
    core_world_leave(self);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}
