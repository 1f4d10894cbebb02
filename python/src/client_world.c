// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The world: its map, its clock, and statistics of the server.
#include "client_parts.h"

PyObject *client_time(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    uint64_t time;
    bool done;
    CALL(self, done, jbw_client_get_time(client, &time));
    return done ? PyLong_FromUnsignedLongLong(time) : NULL;
}

PyObject *client_hash(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    uint64_t hash;
    bool done;
    CALL(self, done, jbw_client_get_hash(client, NULL, &hash));
    return done ? PyLong_FromUnsignedLongLong(hash) : NULL;
}

PyObject *client_save(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    uint64_t time;
    bool done;
    CALL(self, done, jbw_client_save(client, &time));
    return done ? PyLong_FromUnsignedLongLong(time) : NULL;
}

// items and states of a region
PyObject *client_region(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    Py_ssize_t width;
    Py_ssize_t height;
    if (!PyArg_ParseTuple(arguments, "LLnn:region", &x, &y, &width, &height)) return NULL;
    const npy_intp shape[2] = {height < 0 ? 0 : height, width < 0 ? 0 : width};
    PyObject *items = PyArray_ZEROS(2, shape, NPY_UINT8, 0);
    PyObject *states = items ? PyArray_ZEROS(2, shape, NPY_UINT8, 0) : NULL;
    jbw_client *client = states ? client_enter(self) : NULL;
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_read_region(client, (jbw_region){x, y, width, height},
                                    PyArray_DATA((PyArrayObject *)items),
                                    PyArray_DATA((PyArrayObject *)states)));
    PyObject *out = done ? PyTuple_Pack(2, items, states) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(states);
    return out;
}

// items, hidden items, growing items and states of a region
PyObject *client_planes(client_object *self, PyObject *arguments)
{
    enum { PLANES = 4 };
    long long x;
    long long y;
    Py_ssize_t width;
    Py_ssize_t height;
    if (!PyArg_ParseTuple(arguments, "LLnn:planes", &x, &y, &width, &height)) return NULL;
    const npy_intp shape[2] = {height < 0 ? 0 : height, width < 0 ? 0 : width};
    PyObject *arrays[PLANES] = {NULL};
    uint8_t *planes[PLANES] = {NULL};
    bool done = true;
    for (int i = 0; i < PLANES && done; i++) {
        arrays[i] = PyArray_ZEROS(2, shape, NPY_UINT8, 0);
        if (arrays[i]) planes[i] = PyArray_DATA((PyArrayObject *)arrays[i]);
        done = arrays[i] != NULL;
    }
    jbw_client *client = done ? client_enter(self) : NULL;
    done = false;
    const jbw_region_planes into = {
        .items = planes[0], .hidden = planes[1], .growing = planes[2], .states = planes[3]};
    if (client)
        CALL(self, done, jbw_client_read_planes(client, (jbw_region){x, y, width, height}, &into));
    PyObject *out = done ? PyTuple_Pack(PLANES, arrays[0], arrays[1], arrays[2], arrays[3]) : NULL;
    for (int i = 0; i < PLANES; i++) Py_XDECREF(arrays[i]);
    return out;
}

// (item, hidden, generated, since, since_known, growing, due, state, text)
PyObject *client_inspect(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "LL:inspect", &x, &y)) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    jbw_cell_info info;
    bool done;
    CALL(self, done, jbw_client_inspect(client, (jbw_position){x, y}, &info));
    if (!done) return NULL;
    return Py_BuildValue("(iNNKNiKis)", info.item, PyBool_FromLong(info.is_hidden),
                         PyBool_FromLong(info.is_generated), (unsigned long long)info.since,
                         PyBool_FromLong(info.is_since_known), info.growing,
                         (unsigned long long)info.due, (int)info.state, info.text);
}

PyObject *client_smell(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    Py_ssize_t width;
    Py_ssize_t height;
    if (!PyArg_ParseTuple(arguments, "LLnn:smell", &x, &y, &width, &height)) return NULL;
    const npy_intp shape[3] = {height < 0 ? 0 : height, width < 0 ? 0 : width,
                               (npy_intp)self->axes.scents};
    PyObject *scent = PyArray_ZEROS(3, shape, NPY_FLOAT32, 0);
    jbw_client *client = scent ? client_enter(self) : NULL;
    bool done = false;
    if (client)
        CALL(self, done,
             jbw_client_smell(client, (jbw_region){x, y, width, height},
                              PyArray_DATA((PyArrayObject *)scent)));
    if (!done) Py_CLEAR(scent);
    return scent;
}

PyObject *client_place(client_object *self, PyObject *arguments)
{
    int item;
    long long x;
    long long y;
    const char *text;
    if (!PyArg_ParseTuple(arguments, "iLLz:place", &item, &x, &y, &text)) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_place_text(client, item, (jbw_position){x, y}, text));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_remove(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "LL:remove", &x, &y)) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_remove_item(client, (jbw_position){x, y}));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_explore(client_object *self, PyObject *arguments)
{
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "LL:explore", &x, &y)) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    const jbw_position cell = {x, y};
    bool done;
    CALL(self, done, jbw_client_explore(client, &cell, 1));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_pause(client_object *self, PyObject *is_paused)
{
    const int truth = PyObject_IsTrue(is_paused);
    jbw_client *client = truth < 0 ? NULL : client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_pause(client, truth != 0));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_step(client_object *self, PyObject *count)
{
    const unsigned long steps = PyLong_AsUnsignedLong(count);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_step(client, (uint32_t)steps));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_set_rate(client_object *self, PyObject *rate)
{
    const double value = PyFloat_AsDouble(rate);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_set_rate(client, value));
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *client_stats(client_object *self, PyObject *unused)
{
    (void)unused;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    jbw_client_stats s;
    bool done;
    CALL(self, done, jbw_client_get_stats(client, &s));
    if (!done) return NULL;
    return Py_BuildValue("{s:K,s:K,s:K,s:d,s:d,s:I,s:I,s:I,s:I,s:K,s:K,s:K,s:N,s:d,s:K}", "time",
                         (unsigned long long)s.time, "step_count", (unsigned long long)s.step_count,
                         "timeout_count", (unsigned long long)s.timeout_count, "uptime", s.uptime,
                         "world_cpu", s.world_cpu, "agent_count", s.agent_count, "active_count",
                         s.active_count, "client_count", s.client_count, "subscription_count",
                         s.subscription_count, "patch_count", (unsigned long long)s.patch_count,
                         "final_patch_count", (unsigned long long)s.final_patch_count, "map_bytes",
                         (unsigned long long)s.map_bytes, "paused", PyBool_FromLong(s.is_paused),
                         "rate", s.rate, "saved_time", (unsigned long long)s.saved_time);
}
