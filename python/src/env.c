// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Env: one world with one agent. A step is one call that returns everything that Gymnasium wants:
/// putting it together in Python would cost more than the step itself. This file has the type;
/// env_life.c steps, env_copy.c copies.
#include "env_parts.h"

#include <string.h>

// --- creating and destroying --------------------------------------------------------------------

PyObject *env_common_parts(core_state *state, const core_model *model, const char *vision,
                           bool has_scent, bool has_moved, core_form form)
{
    if (vision && strcmp(vision, "color") != 0 && strcmp(vision, "items") != 0)
        return core_raise_argument(state, "unknown vision \"%s\", expected color or items", vision);
    PyObject *parts = PyDict_New();
    bool done = parts != NULL;
    if (done && vision) {
        const char *part = strcmp(vision, "items") == 0 ? "item_vision" : "vision";
        done = core_set(parts, state->word_vision, PyUnicode_FromString(part));
    }
    if (done && has_scent && model->scents > 0)
        done = PyDict_SetItem(parts, state->word_scent, state->word_scent) == 0;
    if (done && has_moved && form != CORE_PLAIN)
        done = PyDict_SetItem(parts, state->word_moved, state->word_moved) == 0;
    if (!done) Py_CLEAR(parts);
    return parts;
}

core_env *env_allocate(PyTypeObject *type, core_state *state, core_model *model, PyObject *reward,
                       const env_options *options)
{
    core_env *self = (core_env *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->place = options->place;
    self->generation_threads = options->generation_threads;
    if (core_gate_init(&self->gate) &&
        core_life_init(&self->life, state, model, reward, options->parts, options->form,
                       options->copies, options->info_kind))
        return self;
    core_drop(self);
    return NULL;
}

static PyObject *env_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"model",
                            "reward",
                            "seed",
                            "vision",
                            "scent",
                            "moved",
                            "form",
                            "copy",
                            "parts",
                            "position",
                            "direction",
                            "force",
                            "generation_threads",
                            "info",
                            "body",
                            NULL};
    core_state *state = core_state_of_type(type);
    core_model *model;
    PyObject *reward = Py_None;
    PyObject *position = Py_None;
    PyObject *parts = Py_None;
    PyObject *body = Py_None;
    uint64_t seed = 0;
    const char *vision = "color";
    const char *form = "dict";
    const char *info = "full";
    int scent = 1;
    int moved = 1;
    int copies = 1;
    int force = 0;
    env_options options = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!|OO&$zppspOOO&pisO:Env", names,
                                     state->Model, &model, &reward, core_to_uint64, &seed, &vision,
                                     &scent, &moved, &form, &copies, &parts, &position,
                                     core_to_direction, &options.place.direction, &force,
                                     &options.generation_threads, &info, &body) ||
        !core_to_body(state, model, body, &options.place.body) ||
        !core_to_form(state, form, &options.form) ||
        !core_to_info_kind(state, info, &options.info_kind))
        return NULL;
    if (reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) {
        PyErr_Format(PyExc_TypeError, "expected a Reward or None, found %R", reward);
        return NULL;
    }
    options.copies = copies != 0;
    options.place.has_position = position != Py_None;
    options.place.is_forced = force != 0;
    if (position != Py_None && !core_to_position(position, &options.place.position)) return NULL;
    options.parts = parts != Py_None ? core_new(parts)
                                     : env_common_parts(state, model, vision, scent != 0,
                                                        moved != 0, options.form);
    core_env *self = NULL;
    if (options.parts) self = env_allocate(type, state, model, reward, &options);
    core_drop(options.parts);
    if (self && !env_begin_life(self, state, seed)) Py_CLEAR(self);
    return (PyObject *)self;
}

static int env_traverse(core_env *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->world);
    Py_VISIT(self->agent);
    return 0;
}

static void env_dealloc(core_env *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_drop(self->agent);
    core_drop(self->world);
    core_life_deinit(&self->life);
    core_gate_deinit(&self->gate);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- properties ---------------------------------------------------------------------------------

static PyObject *env_get_model(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->life.model);
}

static PyObject *env_get_reward(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->life.reward ? (PyObject *)self->life.reward : Py_None);
}

static PyObject *env_get_agent(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->agent);
}

static PyObject *env_get_world(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->world);
}

static int env_set_world(core_env *self, PyObject *world, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!world || !Py_IS_TYPE(world, state->World)) {
        PyErr_SetString(PyExc_TypeError, "expected a World");
        return -1;
    }
    core_world *owner = (core_world *)world;
    const int equal = core_model_equals(state, owner->model, self->life.model);
    if (equal < 0) return -1;
    if (!equal || owner->batch) {
        core_raise_argument(state, "the world has another model, or belongs to a batch");
        return -1;
    }
    jbw_world *own = core_world_enter(owner, state, true);
    if (!own) return -1;
    jbw_agent_id id;
    const size_t count = jbw_world_agents(own, &id, 1);
    core_world_leave(owner);
    if (count == 0) {
        core_raise(state, JBW_NO_SUCH_AGENT, "there is no agent in the world");
        return -1;
    }
    PyObject *agent = core_world_agent(state, owner, id);
    if (!agent) return -1;
    if (!core_gate_enter(&self->gate, state, false)) {
        core_drop(agent);
        return -1;
    }
    env_move_in(self, core_new(world), agent);
    core_gate_leave(&self->gate);
    return 0;
}

static PyObject *env_get_observation_shapes(core_env *self, void *unused)
{
    (void)unused;
    return core_layout_shapes(&self->life.layout);
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"reset", (PyCFunction)env_reset, METH_O,
     PyDoc_STR("reset($self, seed, /)\n--\n\n"
               "Starts a new life: a new World with a new agent. The old World object stays "
               "valid.\n\nReturns (observation, info).")},
    {"step", (PyCFunction)env_step, METH_O,
     PyDoc_STR("step($self, action, /)\n--\n\n"
               "(observation, reward, False, False, info). action is an int or a NumPy "
               "integer.")},
    {"write", (PyCFunction)env_write, METH_O,
     PyDoc_STR("write($self, text, /)\n--\n\n"
               "The next item that the agent drops and that may carry a text carries this one.")},
    {"observe", (PyCFunction)env_observe, METH_NOARGS,
     PyDoc_STR("observe($self, /)\n--\n\nThe current observation, always in new arrays.")},
    {"info", (PyCFunction)env_info, METH_NOARGS,
     PyDoc_STR("info($self, /)\n--\n\nThe current info.")},
    {"clone", (PyCFunction)env_clone, METH_NOARGS,
     PyDoc_STR("clone($self, /)\n--\n\nAn independent copy.")},
    {"__copy__", (PyCFunction)env_clone, METH_NOARGS, NULL},
    {"__deepcopy__", (PyCFunction)env_deepcopy, METH_O, NULL},
    {"__reduce__", (PyCFunction)env_reduce, METH_NOARGS, NULL},
    {"_rebuild", (PyCFunction)env_rebuild, METH_VARARGS | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"model", (getter)env_get_model, NULL, PyDoc_STR("The model of its worlds."), NULL},
    {"reward", (getter)env_get_reward, NULL, PyDoc_STR("The reward, or None."), NULL},
    {"world", (getter)env_get_world, (setter)env_set_world,
     PyDoc_STR(
         "The world of this life. You can look at it, edit, clone and save it; if you step it "
         "or add agents, that\nis up to you. Setting it continues with another world of an "
         "equal model, and that world's first agent."),
     NULL},
    {"agent", (getter)env_get_agent, NULL, PyDoc_STR("The agent of this life."), NULL},
    {"observation_shapes", (getter)env_get_observation_shapes, NULL,
     PyDoc_STR("The shapes of the float32 parts of an observation, by name, in their order."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR(
         "Env(model, reward=None, seed=0, *, vision='color', scent=True, moved=True, form='dict', "
         "copy=True, parts=None, position=None, direction='up', force=False, "
         "generation_threads=0, info='full', body=None)\n--\n\n"
         "One world with one agent, stepped and observed in one call: the core of environments.\n\n"
         "Observations consist of vision (\"color\": float32 (2 R + 1, 2 R + 1, "
         "color_dimensions), \"items\": float32\n(2 R + 1, 2 R + 1, item types), or None), scent "
         "(float32 (scent_dimensions)) and moved (numpy.int64); or of\nthe parts of Model.parts "
         "that a mapping from keys to part names lists. They are a dict by these keys, one\nflat "
         "float32 vector, or plain, the only part. With copy every step returns new arrays. info "
         "has position,\nstart, direction, time, collected, inventory, outcome and "
         "reward_function; as numbers it has no texts, and\nnone is empty. generation_threads is "
         "that of World.")},
    {Py_tp_new, env_new},
    {Py_tp_dealloc, env_dealloc},
    {Py_tp_traverse, env_traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_env_spec = {
    .name = "jbw._core.Env",
    .basicsize = sizeof(core_env),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
