// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Observer: makes observations of one agent, in a form that an environment returns.
#include "core.h"

typedef struct core_observer {
    PyObject_HEAD core_agent *agent;
    core_layout layout;
} core_observer;

static PyObject *observer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"agent", "parts", "form", "copy", NULL};
    core_state *state = core_state_of_type(type);
    core_agent *agent;
    PyObject *parts;
    const char *form_name = "dict";
    int copies = 1;
    core_form form;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|sp:Observer", names, state->Agent,
                                     &agent, &parts, &form_name, &copies) ||
        !core_to_form(state, form_name, &form))
        return NULL;
    core_observer *self = (core_observer *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->agent = (core_agent *)core_new(agent);
    if (!core_layout_init(&self->layout, state, agent->world->model, parts, form, copies != 0))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int observer_traverse(core_observer *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->agent);
    return 0;
}

static void observer_dealloc(core_observer *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_layout_deinit(&self->layout);
    core_drop(self->agent);
    PyObject_GC_Del(self);
    core_drop(type);
}

static PyObject *observer_observe(core_observer *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    core_world *owner = self->agent->world;
    core_observation observation;
    if (!core_observation_begin(&observation, &self->layout, self->layout.copies)) return NULL;
    jbw_world *world = core_world_enter(owner, state, true);
    jbw_status status = JBW_OK;
    if (world) {
        status = jbw_agent_observe(world, self->agent->id, &observation.wanted);
        core_world_leave(owner);
        if (status) core_raise(state, status, NULL);
    }
    if (world && !status) return core_observation_finish(&observation, &self->layout, state);
    core_observation_drop(&observation);
    return NULL;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"observe", (PyCFunction)observer_observe, METH_NOARGS,
     PyDoc_STR("observe($self, /)\n--\n\nThe agent's observation as of now.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Observer(agent, parts, form='dict', copy=True)\n--\n\n"
               "Makes observations of an agent. parts, form and copy are those of Env.")},
    {Py_tp_new, observer_new},
    {Py_tp_dealloc, observer_dealloc},
    {Py_tp_traverse, observer_traverse},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec core_observer_spec = {
    .name = "jbw._core.Observer",
    .basicsize = sizeof(core_observer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
