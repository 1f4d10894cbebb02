// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a Policy can do besides choosing actions: settings, learning, and a look at its weights.
#include "core.h"

#include <string.h>

// Sets an entry of a new dict to a new reference, which is taken over. On failure the dict is dropped
// and NULL, with an exception.
static void put(PyObject **dict, const char *name, PyObject *value)
{
    if (!value || PyDict_SetItemString(*dict, name, value) != 0) {
        core_drop(*dict);
        *dict = NULL;
    }
    core_drop(value);
}

// --- settings -----------------------------------------------------------------------------------

// The text of a value: True and False are "true" and "false", anything else its str(). A new
// reference, or NULL with an exception.
static PyObject *setting_text(PyObject *value)
{
    if (PyBool_Check(value)) return PyUnicode_FromString(value == Py_True ? "true" : "false");
    return PyObject_Str(value);
}

bool core_settings_init(core_settings *settings, PyObject *given)
{
    *settings = (core_settings){0};
    if (given == Py_None) return true;
    PyObject *items = PyMapping_Items(given);
    const Py_ssize_t count = items ? PyList_Size(items) : -1;
    if (count < 0) goto failed;
    settings->pairs = PyMem_Calloc((size_t)count + 1, sizeof *settings->pairs);
    settings->texts = PyList_New(0);
    if (!settings->pairs) PyErr_NoMemory();
    if (!settings->pairs || !settings->texts) goto failed;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyList_GetItem(items, i);
        PyObject *name = PyTuple_GetItem(item, 0);
        PyObject *text = PyUnicode_Check(name) ? setting_text(PyTuple_GetItem(item, 1)) : NULL;
        if (!PyUnicode_Check(name))
            PyErr_Format(PyExc_TypeError, "expected the name of a setting, found %R", name);
        const bool is_kept = text && PyList_Append(settings->texts, name) == 0 &&
                             PyList_Append(settings->texts, text) == 0;
        core_drop(text);
        if (!is_kept) goto failed;
        jbw_policy_setting *pair = &settings->pairs[settings->count++];
        pair->name = PyUnicode_AsUTF8AndSize(name, NULL);
        pair->value = PyUnicode_AsUTF8AndSize(text, NULL);
        if (!pair->name || !pair->value) goto failed;
    }
    core_drop(items);
    return true;

failed:
    core_drop(items);
    core_settings_deinit(settings);
    return false;
}

void core_settings_deinit(core_settings *settings)
{
    PyMem_Free(settings->pairs);
    core_drop(settings->texts);
    *settings = (core_settings){0};
}

PyObject *core_policy_get_settings(core_policy *self, void *unused)
{
    (void)unused;
    PyObject *all = PyDict_New();
    jbw_policy_setting_info info;
    char text[64];
    for (size_t i = 0; all && jbw_policy_get_setting(self->policy, i, text, sizeof text); i++) {
        if (!jbw_policy_describe_setting(jbw_policy_get_name(self->policy), i, &info)) break;
        if (info.is_saved) put(&all, info.name, PyUnicode_FromString(text));
    }
    return all;
}

PyObject *core_policy_describe_settings(PyTypeObject *type, PyObject *name)
{
    (void)type;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    PyObject *all = text ? PyDict_New() : NULL;
    jbw_policy_setting_info info;
    for (size_t i = 0; all && jbw_policy_describe_setting(text, i, &info); i++)
        put(&all, info.name, Py_BuildValue("(ss)", info.about, info.allowed));
    return all;
}

// --- living -------------------------------------------------------------------------------------

bool core_policy_is_single(const core_policy *self, core_state *state)
{
    const size_t count = jbw_policy_agent_count(self->policy);
    if (count == 1) return true;
    core_raise_argument(state, "the policy is for %zu agents at once: use Batch.choose", count);
    return false;
}

PyObject *core_policy_choose(core_policy *self, PyObject *object)
{
    core_state *state = core_state_of(self);
    if (!Py_IS_TYPE(object, state->Agent)) {
        PyErr_Format(PyExc_TypeError, "expected an Agent, found %R", object);
        return NULL;
    }
    core_agent *agent = (core_agent *)object;
    if (!core_policy_is_single(self, state) ||
        !core_policy_check_model(self, state, agent->world->model))
        return NULL;
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    jbw_world *world = core_world_enter(agent->world, state, true);
    int action = -1;
    jbw_status status = JBW_OK;
    if (world) {
        core_world_release(agent->world);
        status = jbw_policy_choose(self->policy, world, agent->id, &action);
        const bool is_fine = core_world_resume(agent->world);
        core_world_leave(agent->world);
        if (!is_fine) action = -1;
    }
    core_gate_leave(&self->gate);
    if (status) return core_raise(state, status, NULL);
    return action < 0 ? NULL : PyLong_FromLong(action);
}

PyObject *core_policy_reward(core_policy *self, PyObject *value)
{
    core_state *state = core_state_of(self);
    const double reward = PyFloat_AsDouble(value);
    if (reward == -1 && PyErr_Occurred()) return NULL;
    if (!core_policy_is_single(self, state)) return NULL;
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    jbw_policy_reward(self->policy, reward);
    core_gate_leave(&self->gate);
    return core_new(Py_None);
}

PyObject *core_policy_reward_all(core_policy *self, PyObject *values)
{
    core_state *state = core_state_of(self);
    PyArrayObject *rewards =
        (PyArrayObject *)PyArray_FROMANY(values, NPY_FLOAT64, 1, 1, NPY_ARRAY_IN_ARRAY);
    if (!rewards) return NULL;
    const size_t count = jbw_policy_agent_count(self->policy);
    PyObject *result = NULL;
    if ((size_t)PyArray_SIZE(rewards) != count) {
        core_raise_argument(state, "expected %zu rewards, found %zd", count,
                            (Py_ssize_t)PyArray_SIZE(rewards));
    } else if (core_gate_enter(&self->gate, state, false)) {
        jbw_policy_reward_all(self->policy, PyArray_DATA(rewards));
        core_gate_leave(&self->gate);
        result = core_new(Py_None);
    }
    core_drop(rewards);
    return result;
}

// writes the value of a setting as text; false if the policy has none with this name
static bool setting_of(const core_policy *self, const char *name, char *text, size_t capacity)
{
    jbw_policy_setting_info info;
    for (size_t i = 0; jbw_policy_get_setting(self->policy, i, text, capacity); i++)
        if (jbw_policy_describe_setting(jbw_policy_get_name(self->policy), i, &info) &&
            strcmp(info.name, name) == 0)
            return true;
    return false;
}

PyObject *core_policy_get_learning(core_policy *self, void *unused)
{
    (void)unused;
    char text[64];
    return PyBool_FromLong(setting_of(self, "learns", text, sizeof text) &&
                           strcmp(text, "true") == 0);
}

int core_policy_set_learning(core_policy *self, PyObject *value, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    const int is_learning = value ? PyObject_IsTrue(value) : -1;
    if (!value) PyErr_SetString(PyExc_AttributeError, "learning cannot be deleted");
    if (is_learning < 0 || !core_gate_enter(&self->gate, state, false)) return -1;
    jbw_policy_set_learning(self->policy, is_learning);
    core_gate_leave(&self->gate);
    return 0;
}

PyObject *core_policy_get_threads(core_policy *self, void *unused)
{
    (void)unused;
    char text[64];
    return setting_of(self, "threads", text, sizeof text) ? PyLong_FromString(text, NULL, 10)
                                                          : PyLong_FromLong(1);
}

int core_policy_set_threads(core_policy *self, PyObject *value, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "threads cannot be deleted");
        return -1;
    }
    PyObject *text = PyObject_Str(value);
    const char *wanted = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    int result = -1;
    if (wanted && core_gate_enter(&self->gate, state, false)) {
        jbw_error error = {0};
        const jbw_policy_setting setting = {"threads", wanted};
        const jbw_status status = jbw_policy_change_setting(self->policy, &setting, &error);
        core_gate_leave(&self->gate);
        if (status)
            core_raise(state, status, error.text);
        else
            result = 0;
    }
    core_drop(text);
    return result;
}

// --- looking into it ----------------------------------------------------------------------------

PyObject *core_policy_hash(core_policy *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    const uint64_t hash = jbw_policy_hash(self->policy);
    core_gate_leave(&self->gate);
    return PyLong_FromUnsignedLongLong(hash);
}

// a read-only array that shows the policy's own floats, and keeps the policy alive
static PyObject *show_weights(core_policy *self, const jbw_policy_weights *weights)
{
    npy_intp shape[4];
    for (int i = 0; i < weights->rank; i++) shape[i] = (npy_intp)weights->shape[i];
    PyObject *array = PyArray_SimpleNewFromData(weights->rank, shape, NPY_FLOAT32,
                                                (void *)(uintptr_t)weights->values);
    if (!array) return NULL;
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    if (PyArray_SetBaseObject((PyArrayObject *)array, core_new(self)) == 0) return array;
    core_drop(array);
    return NULL;
}

PyObject *core_policy_get_all_weights(core_policy *self, void *unused)
{
    (void)unused;
    PyObject *all = PyDict_New();
    jbw_policy_weights weights;
    for (size_t i = 0; all && jbw_policy_get_weights(self->policy, i, &weights); i++)
        put(&all, weights.name, show_weights(self, &weights));
    return all;
}

PyObject *core_policy_get_metrics(core_policy *self, void *unused)
{
    (void)unused;
    PyObject *all = PyDict_New();
    jbw_policy_metric metric;
    for (size_t i = 0; all && jbw_policy_get_metric(self->policy, i, &metric); i++)
        put(&all, metric.name, PyFloat_FromDouble(metric.value));
    return all;
}
