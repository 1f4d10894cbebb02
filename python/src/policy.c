// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Policy: a built-in policy for one agent.
#include "core.h"

/// A Policy without the object of the library; NULL with an exception.
static core_policy *allocate(PyTypeObject *type, core_model *model, PyObject *reward,
                             const char *name)
{
    core_state *state = core_state_of_type(type);
    if (reward != Py_None && !PyUnicode_Check(reward) && !Py_IS_TYPE(reward, state->Reward)) {
        PyErr_Format(PyExc_TypeError, "expected a Reward, its text, or None, found %R", reward);
        return NULL;
    }
    PyObject *compiled = PyUnicode_Check(reward)
                             ? PyObject_CallFunctionObjArgs((PyObject *)state->Reward,
                                                            (PyObject *)model, reward, NULL)
                             : core_new(reward);
    core_policy *self = compiled ? (core_policy *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self) {
        core_drop(compiled);
        return NULL;
    }
    self->model = (core_model *)core_new(model);
    if (compiled == Py_None) Py_CLEAR(compiled);
    self->reward = (core_reward *)compiled;
    self->name = PyUnicode_FromString(name);
    if (self->name && core_gate_init(&self->gate)) return self;
    core_drop(self);
    return NULL;
}

static PyObject *policy_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"name", "model", "reward", "seed", "settings", NULL};
    core_state *state = core_state_of_type(type);
    const char *name;
    core_model *model;
    PyObject *reward = Py_None;
    PyObject *given = Py_None;
    uint64_t seed = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sO!|OO&O:Policy", names, &name,
                                     state->Model, &model, &reward, core_to_uint64, &seed, &given))
        return NULL;
    core_settings settings;
    if (!core_settings_init(&settings, given)) return NULL;
    core_policy *self = allocate(type, model, reward, name);
    if (!self) {
        core_settings_deinit(&settings);
        return NULL;
    }
    jbw_error error = {0};
    const jbw_policy_options options = {.reward = self->reward ? self->reward->reward : NULL,
                                        .seed = seed,
                                        .settings = settings.pairs,
                                        .setting_count = settings.count};
    const jbw_status status =
        jbw_policy_create(name, model->model, &options, &self->policy, &error);
    core_settings_deinit(&settings);
    if (!status) return (PyObject *)self;
    core_drop(self);
    return core_raise(state, status, error.text);
}

bool core_policy_check_model(const core_policy *self, core_state *state, core_model *model)
{
    if (self->model == model) return true;
    const int equal = core_model_equals(state, self->model, model);
    if (equal == 0) core_raise_argument(state, "the policy was made for another model");
    return equal > 0;
}

static void policy_dealloc(core_policy *self)
{
    PyTypeObject *type = core_type(self);
    jbw_policy_destroy(self->policy);
    core_gate_deinit(&self->gate);
    core_drop(self->name);
    core_drop(self->reward);
    core_drop(self->model);
    PyObject_Free(self);
    core_drop(type);
}

static PyObject *policy_act(core_policy *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"time", "vision", NULL};
    core_state *state = core_state_of(self);
    uint64_t time;
    PyObject *vision;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&O:act", names, core_to_uint64, &time,
                                     &vision) ||
        !core_policy_is_single(self, state))
        return NULL;
    PyArrayObject *array = NULL;
    if (vision != Py_None) {
        array = (PyArrayObject *)PyArray_FROMANY(vision, NPY_FLOAT32, 3, 3, NPY_ARRAY_IN_ARRAY);
        if (!array) return NULL;
        const npy_intp *shape = PyArray_DIMS(array);
        if (shape[0] != self->model->side || shape[1] != self->model->side ||
            shape[2] != self->model->colors) {
            core_drop(array);
            return core_raise_argument(state, "expected a vision of shape (%d, %d, %d)",
                                       self->model->side, self->model->side, self->model->colors);
        }
    }
    int action = -1;
    if (core_gate_enter(&self->gate, state, false)) {
        const jbw_observation seen = {.vision = array ? PyArray_DATA(array) : NULL};
        action = jbw_policy_act(self->policy, time, &seen);
        core_gate_leave(&self->gate);
    }
    core_drop(array);
    return action < 0 ? NULL : PyLong_FromLong(action);
}

static PyObject *policy_to_bytes(core_policy *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    jbw_buffer buffer = {0};
    const jbw_status status = jbw_policy_save(self->policy, &buffer);
    core_gate_leave(&self->gate);
    PyObject *bytes =
        status ? core_raise(state, status, NULL)
               : PyBytes_FromStringAndSize((const char *)buffer.bytes, (Py_ssize_t)buffer.size);
    jbw_buffer_free(&buffer);
    return bytes;
}

static PyObject *policy_from_bytes(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"saved", "model", "reward", NULL};
    core_state *state = core_state_of_type(type);
    const char *saved;
    Py_ssize_t size;
    core_model *model;
    PyObject *reward = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y#O!|O:from_bytes", names, &saved, &size,
                                     state->Model, &model, &reward))
        return NULL;
    core_policy *self = allocate(type, model, reward, "");
    if (!self) return NULL;
    jbw_error error = {0};
    const jbw_status status =
        jbw_policy_load(saved, (size_t)size, model->model,
                        self->reward ? self->reward->reward : NULL, &self->policy, &error);
    if (status) {
        core_drop(self);
        return core_raise(state, status, error.text);
    }
    // the name is part of the bytes
    core_drop(self->name);
    self->name = PyUnicode_FromString(jbw_policy_get_name(self->policy));
    if (self->name) return (PyObject *)self;
    core_drop(self);
    return NULL;
}

static PyObject *policy_reduce(core_policy *self, PyObject *unused)
{
    PyObject *from_bytes = PyObject_GetAttrString((PyObject *)core_type(self), "from_bytes");
    PyObject *saved = from_bytes ? policy_to_bytes(self, unused) : NULL;
    if (!saved) {
        core_drop(from_bytes);
        return NULL;
    }
    return Py_BuildValue("N(NOO)", from_bytes, saved, (PyObject *)self->model,
                         self->reward ? (PyObject *)self->reward : Py_None);
}

static PyObject *policy_get_name(core_policy *self, void *unused)
{
    (void)unused;
    return core_new(self->name);
}

static PyObject *policy_repr(core_policy *self)
{
    return PyUnicode_FromFormat("<jbw.Policy %R>", self->name);
}

static PyMethodDef methods[] = {
    {"act", (PyCFunction)(void (*)(void))policy_act, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("act($self, /, time, vision)\n--\n\n"
               "The number of the next action, given what the agent sees (vision_shape, or "
               "None).")},
    {"choose", (PyCFunction)core_policy_choose, METH_O,
     PyDoc_STR("choose($self, agent, /)\n--\n\n"
               "Looks at what the agent perceives and returns the number of its next action. A "
               "policy\nthat learns may do so first.")},
    {"reward", (PyCFunction)core_policy_reward, METH_O,
     PyDoc_STR("reward($self, reward, /)\n--\n\n"
               "Tells the policy what its latest action was rewarded with, once for each action.")},
    {"reward_all", (PyCFunction)core_policy_reward_all, METH_O,
     PyDoc_STR("reward_all($self, rewards, /)\n--\n\n"
               "Does that for a policy of several agents, after `Batch.choose`: an array.")},
    {"hash", (PyCFunction)core_policy_hash, METH_NOARGS,
     PyDoc_STR("hash($self, /)\n--\n\n"
               "A hash of all weights, the same on every machine; 0 if it has none.")},
    {"describe_settings", (PyCFunction)core_policy_describe_settings, METH_O | METH_CLASS,
     PyDoc_STR("describe_settings($type, name, /)\n--\n\n"
               "The settings of the policies with this name: what each means, and which values "
               "are allowed.")},
    {"to_bytes", (PyCFunction)policy_to_bytes, METH_NOARGS,
     PyDoc_STR("to_bytes($self, /)\n--\n\n"
               "Its state: its random numbers, the actions that it has planned, and all that it "
               "has learnt.")},
    {"from_bytes", (PyCFunction)(void (*)(void))policy_from_bytes,
     METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     PyDoc_STR("from_bytes($type, /, saved, model, reward=None)\n--\n\n"
               "A policy from its state, which continues as the original would have. Model and "
               "reward\nmust be equal to those of the original.")},
    {"__reduce__", (PyCFunction)policy_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"name", (getter)policy_get_name, NULL, PyDoc_STR("The name of the policy."), NULL},
    {"settings", (getter)core_policy_get_settings, NULL,
     PyDoc_STR("All settings by name, as texts, except ``threads``, which affects no result."),
     NULL},
    {"learning", (getter)core_policy_get_learning, (setter)core_policy_set_learning,
     PyDoc_STR("Whether it learns. Set it to False to let it act with the weights it has."), NULL},
    {"threads", (getter)core_policy_get_threads, (setter)core_policy_set_threads,
     PyDoc_STR("How many threads compute it together. Any number gives the same results; it is\n"
               "not saved, so it is 1 after loading."),
     NULL},
    {"weights", (getter)core_policy_get_all_weights, NULL,
     PyDoc_STR("Read-only views of its weights by layer, which change when it learns."), NULL},
    {"metrics", (getter)core_policy_get_metrics, NULL,
     PyDoc_STR("Figures of its latest update by name, such as the entropy."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR(
         "Policy(name, model, reward=None, seed=0, settings=None)\n--\n\n"
         "A built-in policy for one agent: \"greedy\" (the paper's), \"random\", "
         "\"forward\", \"oracle\"\n(which knows the map), or one that learns, such as \"ppo\". "
         "``settings`` maps names to values,\nsee describe_settings.")},
    {Py_tp_new, policy_new},
    {Py_tp_dealloc, policy_dealloc},
    {Py_tp_repr, policy_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_policy_spec = {
    .name = "jbw._core.Policy",
    .basicsize = sizeof(core_policy),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
