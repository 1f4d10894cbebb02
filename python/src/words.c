// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What agents say and write: requests and texts that come from Python.
#include "core.h"

#include <string.h>

bool core_to_text(core_state *state, PyObject *object, char out[JBW_MAX_TEXT + 1])
{
    out[0] = '\0';
    if (!object || object == Py_None) return true;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected a text or None, found %R", object);
        return false;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text) return false;
    if (length > JBW_MAX_TEXT)
        return core_raise_argument(state, "the text has %zd bytes, expected at most %d", length,
                                   JBW_MAX_TEXT) != NULL;
    if (memchr(text, 0, (size_t)length))
        return core_raise_argument(state, "the text has a zero character") != NULL;
    memcpy(out, text, (size_t)length + 1);
    return true;
}

bool core_to_request(core_state *state, const core_model *model, PyObject *object, jbw_request *out)
{
    *out = (jbw_request){0};
    const bool is_pair = !PyLong_Check(object) && !PyUnicode_Check(object) &&
                         PySequence_Check(object) && jbw_model_voice(model->model).symbols > 0;
    if (!is_pair) {
        out->action = core_to_action(state, model, object);
        return out->action >= 0;
    }
    if (PySequence_Size(object) != 2) {
        if (!PyErr_Occurred())
            core_raise_argument(state, "expected an action and a symbol, found %R", object);
        return false;
    }
    PyObject *action = PySequence_GetItem(object, 0);
    PyObject *symbol = action ? PySequence_GetItem(object, 1) : NULL;
    out->action = symbol ? core_to_action(state, model, action) : -1;
    const bool done = out->action >= 0 && core_to_symbol(state, model, symbol, &out->say);
    core_drop(action);
    core_drop(symbol);
    return done;
}

bool core_to_symbol(core_state *state, const core_model *model, PyObject *object, int *out)
{
    PyObject *index = PyNumber_Index(object);
    if (!index) return false;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index, &overflow);
    core_drop(index);
    const int symbols = jbw_model_voice(model->model).symbols;
    if (overflow == 0 && value >= 0 && value <= symbols) {
        *out = (int)value;
        return true;
    }
    if (symbols == 0)
        core_raise_argument(state, "agents of this world have no voice");
    else
        core_raise_argument(state, "there is no symbol %R, expected 1 to %d, or 0 for silence",
                            object, symbols);
    return false;
}

PyObject *core_raise_request(core_state *state, const core_model *model, jbw_status status,
                             const jbw_request *request)
{
    jbw_error error;
    if (status != JBW_INVALID_ARGUMENT) return core_raise(state, status, NULL);
    if (jbw_model_check_request(model->model, request, &error))
        return core_raise(state, status, error.text);
    return core_raise(state, status, "the agent is not active, so it cannot act");
}

PyObject *core_agent_act(core_agent *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *names)
{
    core_state *state = core_state_of(self);
    core_world *owner = self->world;
    jbw_request request;
    char text[JBW_MAX_TEXT + 1];
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "act() takes one action, found %zd", count);
        return NULL;
    }
    if (!core_to_request(state, owner->model, arguments[0], &request)) return NULL;
    const Py_ssize_t name_count = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < name_count; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        PyObject *value = arguments[count + i];
        if (PyUnicode_CompareWithASCIIString(name, "say") == 0) {
            if (!core_to_symbol(state, owner->model, value, &request.say)) return NULL;
        } else if (PyUnicode_CompareWithASCIIString(name, "text") == 0) {
            if (!core_to_text(state, value, text)) return NULL;
            request.text = text;
        } else {
            PyErr_Format(PyExc_TypeError, "act() got an unexpected keyword argument %R", name);
            return NULL;
        }
    }
    jbw_world *world = core_world_enter_agents(owner, state);
    if (!world) return NULL;
    bool stepped = false;
    core_world_release(owner);
    const jbw_status status = jbw_agent_request(world, self->id, &request, &stepped);
    const bool is_fine = core_world_resume(owner);
    core_world_leave(owner);
    if (!is_fine) return NULL;
    if (status) return core_raise_request(state, owner->model, status, &request);
    return PyBool_FromLong(stepped);
}

PyObject *core_agent_get_note(core_agent *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    char text[JBW_MAX_TEXT + 1];
    jbw_world *world = core_world_enter(self->world, state, true);
    if (!world) return NULL;
    const jbw_status status = jbw_agent_read(world, self->id, text);
    core_world_leave(self->world);
    return status ? core_raise(state, status, NULL) : PyUnicode_FromString(text);
}

PyObject *core_model_get_voice(core_model *self, void *unused)
{
    (void)unused;
    const jbw_voice voice = jbw_model_voice(self->model);
    return voice.symbols > 0 ? Py_BuildValue("(ii)", voice.symbols, voice.range)
                             : core_new(Py_None);
}

PyObject *core_model_get_text_items(core_model *self, void *unused)
{
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int t = 0; list && t < self->item_count; t++) {
        if (!jbw_model_item_has_text(self->model, t)) continue;
        if (PyList_Append(list, PyTuple_GetItem(self->item_names, t)) < 0) Py_CLEAR(list);
    }
    PyObject *names = list ? PyList_AsTuple(list) : NULL;
    core_drop(list);
    return names;
}
