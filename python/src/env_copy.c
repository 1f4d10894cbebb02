// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Copies of an Env, and its pickles: an Env is its options, its world, and which agent is its own.
#include "env_parts.h"

#include <string.h>

static PyObject *reward_or_none(const core_env *self)
{
    return self->life.reward ? (PyObject *)self->life.reward : Py_None;
}

// an Env with the same options and without a world; NULL with an exception
static core_env *allocate_like(core_env *self, core_state *state)
{
    const env_options options = {
        .parts = core_layout_parts(&self->life.layout),
        .form = self->life.layout.form,
        .copies = self->life.layout.copies,
        .info_kind = self->life.info_kind,
        .place = self->place,
        .generation_threads = self->generation_threads,
    };
    core_env *copy = NULL;
    if (options.parts)
        copy =
            env_allocate(core_type(self), state, self->life.model, reward_or_none(self), &options);
    core_drop(options.parts);
    return copy;
}

PyObject *env_clone(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    core_env *copy = allocate_like(self, state);
    if (!copy) return NULL;
    PyObject *world = NULL;
    PyObject *agent = NULL;
    if (core_gate_enter(&self->gate, state, true)) {
        world = core_world_clone(self->world, NULL);
        if (world && env_start_threads(self, state, world))
            agent = core_world_agent(state, (core_world *)world, self->agent->id);
        core_gate_leave(&self->gate);
    }
    if (agent) {
        env_move_in(copy, world, agent);
        memcpy(copy->life.text, self->life.text, sizeof copy->life.text);
    } else {
        core_drop(world);
        Py_CLEAR(copy);
    }
    return (PyObject *)copy;
}

PyObject *env_deepcopy(core_env *self, PyObject *memo)
{
    (void)memo;
    return env_clone(self, NULL);
}

PyObject *env_reduce(core_env *self, PyObject *unused)
{
    (void)unused;
    PyObject *rebuild = PyObject_GetAttrString((PyObject *)core_type(self), "_rebuild");
    if (!rebuild) return NULL;
    PyObject *agent = PyLong_FromUnsignedLongLong((uint64_t)self->agent->id.generation << 32 |
                                                  self->agent->id.index1);
    const jbw_agent_options *place = &self->place;
    return Py_BuildValue("N(OOON(iNii)(iLLiii)is)", rebuild, (PyObject *)self->life.model,
                         reward_or_none(self), (PyObject *)self->world, agent,
                         (int)self->life.layout.form, core_layout_parts(&self->life.layout),
                         self->life.layout.copies, (int)self->life.info_kind, place->has_position,
                         (long long)place->position.x, (long long)place->position.y,
                         (int)place->direction, place->is_forced, place->body,
                         self->generation_threads, self->life.text);
}

// The form, the parts, whether to copy, and the kind of infos, which older pickles lack. Still older pickles have five numbers instead: form, vision
// (none, color, items), scent, moved, and whether to copy. False with an exception.
static bool read_observing(core_state *state, const core_model *model, PyObject *tuple,
                           env_options *out)
{
    static const char *const visions[] = {NULL, "color", "items"};
    int form;
    int copies;
    int info_kind = CORE_INFO_FULL;
    if (PyTuple_Size(tuple) == 5) {
        int vision;
        int scent;
        int moved;
        if (!PyArg_ParseTuple(tuple, "iiiii", &form, &vision, &scent, &moved, &copies))
            return false;
        if (vision >= 0 && vision < 3)
            out->parts = env_common_parts(state, model, visions[vision], scent != 0, moved != 0,
                                          (core_form)form);
    } else {
        if (!PyArg_ParseTuple(tuple, "iOi|i", &form, &out->parts, &copies, &info_kind))
            return false;
        core_new(out->parts);
    }
    if (!out->parts || form < CORE_DICT || form > CORE_PLAIN || info_kind < CORE_INFO_FULL ||
        info_kind > CORE_INFO_NONE) {
        Py_CLEAR(out->parts);
        if (!PyErr_Occurred()) core_raise(state, JBW_INVALID_DATA, NULL);
        return false;
    }
    out->form = (core_form)form;
    out->copies = copies != 0;
    out->info_kind = (core_info_kind)info_kind;
    return true;
}

PyObject *env_rebuild(PyTypeObject *type, PyObject *arguments)
{
    core_state *state = core_state_of_type(type);
    core_model *model;
    PyObject *reward;
    core_world *world;
    unsigned long long id;
    PyObject *observing;
    PyObject *place;
    env_options options = {0};
    int has_position;
    int direction;
    int is_forced;
    const char *text = ""; // older pickles lack it
    int body = 0;          // older pickles have none
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "O!OO!KO!O!i|s", state->Model, &model, &reward, state->World,
                          &world, &id, &PyTuple_Type, &observing, &PyTuple_Type, &place,
                          &options.generation_threads, &text) ||
        !PyArg_ParseTuple(place, "iLLii|i", &has_position, &x, &y, &direction, &is_forced, &body))
        return NULL;
    if ((reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) || direction < 0 ||
        direction >= CORE_DIRECTIONS || world->batch || body < 0 ||
        body >= jbw_model_body_count(model->model) ||
        core_model_equals(state, model, world->model) != 1) {
        if (!PyErr_Occurred()) core_raise(state, JBW_INVALID_DATA, NULL);
        return NULL;
    }
    if (!read_observing(state, model, observing, &options)) return NULL;
    options.place = (jbw_agent_options){.has_position = has_position != 0,
                                        .position = {x, y},
                                        .direction = (jbw_direction)direction,
                                        .is_forced = is_forced != 0,
                                        .body = body};
    core_env *self = env_allocate(type, state, model, reward, &options);
    core_drop(options.parts);
    PyObject *agent = NULL;
    if (self && env_start_threads(self, state, (PyObject *)world))
        agent = PyObject_CallMethod((PyObject *)world, "agent", "K", id);
    if (!agent) {
        core_drop(self);
        return NULL;
    }
    env_move_in(self, core_new(world), agent);
    if (strlen(text) < sizeof self->life.text) memcpy(self->life.text, text, strlen(text) + 1);
    return (PyObject *)self;
}
