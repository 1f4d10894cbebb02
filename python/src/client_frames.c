// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Subscriptions and their frames.
#include "client_parts.h"

PyObject *client_subscribe(client_object *self, PyObject *arguments)
{
    jbw_subscription what = {0};
    int topic;
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "i(LLII)iO&f:subscribe", &topic, &x, &y, &what.region.width,
                          &what.region.height, &what.detail, client_to_agent, &what.agent,
                          &what.rate))
        return NULL;
    what.topic = (jbw_topic)topic;
    what.region.x = x;
    what.region.y = y;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    uint32_t subscription;
    bool done;
    CALL(self, done, jbw_client_subscribe(client, &what, &subscription));
    return done ? PyLong_FromUnsignedLong(subscription) : NULL;
}

PyObject *client_unsubscribe(client_object *self, PyObject *arguments)
{
    const unsigned long subscription = PyLong_AsUnsignedLong(arguments);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    bool done;
    CALL(self, done, jbw_client_unsubscribe(client, (uint32_t)subscription));
    return done ? Py_NewRef(Py_None) : NULL;
}

// puts a value into a tuple; false if there is none
static bool put(PyObject *tuple, size_t at, PyObject *value)
{
    return value && PyTuple_SetItem(tuple, (Py_ssize_t)at, value) == 0;
}

// (agent, position, direction, active, action, collected, body, said) of each
static PyObject *make_marks(const jbw_frame *frame)
{
    PyObject *list = PyTuple_New((Py_ssize_t)frame->mark_count);
    for (size_t i = 0; list && i < frame->mark_count; i++) {
        const jbw_agent_mark *m = &frame->agents[i];
        PyObject *mark =
            Py_BuildValue("(K(LL)iNiiii)", client_from_agent(m->agent), (long long)m->position.x,
                          (long long)m->position.y, (int)m->direction,
                          PyBool_FromLong(m->is_active), m->action, m->collected, m->body, m->said);
        if (!put(list, i, mark)) Py_CLEAR(list);
    }
    return list;
}

// the items of a patch: (side, side), or (side, side, 4) with detail
static PyObject *make_items(const jbw_patch_view *patch)
{
    if (!patch->items) return Py_NewRef(Py_None);
    const npy_intp shape[3] = {patch->side, patch->side, patch->channels};
    PyObject *array = PyArray_ZEROS(patch->channels > 1 ? 3 : 2, shape, NPY_UINT8, 0);
    const size_t size = (size_t)patch->side * (size_t)patch->side * (size_t)patch->channels;
    if (array) memcpy(PyArray_DATA((PyArrayObject *)array), patch->items, size);
    return array;
}

// (patch, state, items) of each
static PyObject *make_patches(const jbw_frame *frame)
{
    PyObject *list = PyTuple_New((Py_ssize_t)frame->patch_count);
    for (size_t i = 0; list && i < frame->patch_count; i++) {
        const jbw_patch_view *p = &frame->patches[i];
        PyObject *items = make_items(p);
        PyObject *patch = items ? Py_BuildValue("((LL)iN)", (long long)p->patch.x,
                                                (long long)p->patch.y, (int)p->state, items)
                                : NULL;
        if (!put(list, i, patch)) Py_CLEAR(list);
    }
    return list;
}

// copies a part of an observation to where another one is written
static void copy_part(const client_object *self, jbw_part part, const jbw_observation *from,
                      const jbw_observation *to)
{
    const size_t size = jbw_part_describe(&self->axes, part).size;
    memcpy(jbw_observation_get(to, part), jbw_observation_get(from, part), size);
}

// (agent, observation), or None
static PyObject *make_observation(const client_object *self, const jbw_frame *frame)
{
    if (!frame->observation) return Py_NewRef(Py_None);
    client_view v;
    const bool has_words = frame->observation->parts.heard != NULL;
    PyObject *names = has_words
                          ? Py_BuildValue("(sssss)", "vision", "scent", "heard", "text", "body")
                          : Py_BuildValue("(ss)", "vision", "scent");
    const bool has_arrays = names && client_view_init(&v, self, names);
    Py_XDECREF(names);
    if (!has_arrays) return NULL;
    copy_part(self, JBW_PART_VISION, &frame->observation->parts, &v.o.parts);
    copy_part(self, JBW_PART_SCENT, &frame->observation->parts, &v.o.parts);
    if (has_words) {
        copy_part(self, JBW_PART_HEARD, &frame->observation->parts, &v.o.parts);
        copy_part(self, JBW_PART_TEXT, &frame->observation->parts, &v.o.parts);
        copy_part(self, JBW_PART_BODY, &frame->observation->parts, &v.o.parts);
    }
    v.o = *frame->observation;
    PyObject *value = Py_BuildValue("(KN)", client_from_agent(v.o.agent), client_view_value(&v));
    client_view_clear(&v);
    return value;
}

static PyObject *make_frame(const client_object *self, const jbw_frame *f)
{
    PyObject *marks = make_marks(f);
    PyObject *patches = marks ? make_patches(f) : NULL;
    PyObject *observation = patches ? make_observation(self, f) : NULL;
    PyObject *frame = NULL;
    if (observation)
        frame = Py_BuildValue("(IKNddIKOOO)", (unsigned)f->subscription,
                              (unsigned long long)f->time, PyBool_FromLong(f->is_paused), f->rate,
                              f->steps_per_second, (unsigned)f->agent_count,
                              (unsigned long long)f->missed, marks, patches, observation);
    Py_XDECREF(marks);
    Py_XDECREF(patches);
    Py_XDECREF(observation);
    return frame;
}

PyObject *client_next_frame(client_object *self, PyObject *arguments)
{
    const double seconds = PyFloat_AsDouble(arguments);
    if (PyErr_Occurred()) return NULL;
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    jbw_frame frame;
    PyThreadState *thread = PyEval_SaveThread();
    const jbw_status status = jbw_client_next_frame(client, seconds, &frame);
    PyEval_RestoreThread(thread);
    if (status == JBW_TIMED_OUT && !PyErr_Occurred()) {
        PyThread_release_lock(self->lock);
        return Py_NewRef(Py_None);
    }
    // the frame is valid until the client is used again, so copy it before leaving
    PyObject *out = status ? NULL : make_frame(self, &frame);
    if (client_leave(self, status)) return out;
    Py_XDECREF(out);
    return NULL;
}
