// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reward: a text, compiled for the items of a model. It never changes, so it needs no gate.
#include "core.h"

#include <string.h>

// a string written by a function like snprintf
static PyObject *printed(const jbw_reward *reward, bool is_at, uint64_t time)
{
    char some[512];
    const size_t size = is_at ? jbw_reward_print_at(reward, time, some, sizeof some)
                              : jbw_reward_print(reward, some, sizeof some);
    if (size < sizeof some) return PyUnicode_FromStringAndSize(some, (Py_ssize_t)size);

    char *all = PyMem_Malloc(size + 1);
    if (!all) return PyErr_NoMemory();
    if (is_at)
        jbw_reward_print_at(reward, time, all, size + 1);
    else
        jbw_reward_print(reward, all, size + 1);
    PyObject *text = PyUnicode_FromStringAndSize(all, (Py_ssize_t)size);
    PyMem_Free(all);
    return text;
}

PyObject *core_reward_at(core_reward *self, uint64_t time)
{
    if (!self->is_scheduled) return core_new(self->text);
    return printed(self->reward, true, time);
}

static PyObject *raise_text(core_state *state, const jbw_error *error)
{
    PyObject *exception = PyObject_CallFunction(
        state->RewardError, "Nii",
        PyUnicode_DecodeUTF8(error->text, (Py_ssize_t)strlen(error->text), "replace"), error->line,
        error->column);
    if (exception) PyErr_SetObject(state->RewardError, exception);
    core_drop(exception);
    return NULL;
}

static PyObject *reward_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"model", "text", NULL};
    core_state *state = core_state_of_type(type);
    core_model *model;
    PyObject *text;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O:Reward", names, state->Model, &model,
                                     &text))
        return NULL;
    // objects of jbw.rewards print as the language
    PyObject *string = PyObject_Str(text);
    Py_ssize_t size;
    const char *bytes = string ? PyUnicode_AsUTF8AndSize(string, &size) : NULL;
    core_reward *self = NULL;
    if (!bytes) goto end;
    if (strlen(bytes) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "the text contains a zero byte");
        goto end;
    }
    jbw_reward *reward;
    jbw_error error = {0};
    const jbw_status status = jbw_reward_compile(model->model, bytes, NULL, 0, &reward, &error);
    if (status) {
        if (status == JBW_INVALID_EXPRESSION)
            raise_text(state, &error);
        else
            core_raise(state, status, error.text);
        goto end;
    }
    self = (core_reward *)PyType_GenericAlloc(state->Reward, 0);
    if (!self) {
        jbw_reward_destroy(reward);
        goto end;
    }
    self->reward = reward;
    self->model = (core_model *)core_new(model);
    self->text = printed(reward, false, 0);
    const char *canonical = self->text ? PyUnicode_AsUTF8AndSize(self->text, NULL) : NULL;
    if (!canonical) {
        Py_CLEAR(self);
        goto end;
    }
    // an item's name is never followed by a bracket
    static const char *const of_time[] = {"Curriculum[", "Cyclical[", "Gradual[", "Random[",
                                          "Wave[",       "Square[",   "Steps[",   "Drift["};
    for (size_t i = 0; i < sizeof of_time / sizeof *of_time; i++)
        if (strstr(canonical, of_time[i])) self->is_scheduled = true;
end:
    core_drop(string);
    return (PyObject *)self;
}

static void reward_dealloc(core_reward *self)
{
    PyTypeObject *type = core_type(self);
    jbw_reward_destroy(self->reward);
    core_drop(self->model);
    core_drop(self->text);
    PyObject_Free(self);
    core_drop(type);
}

static PyObject *reward_at(core_reward *self, PyObject *number)
{
    uint64_t time;
    if (!core_to_uint64(number, &time)) return NULL;
    return core_reward_at(self, time);
}

static PyObject *reward_of(core_reward *self, PyObject *object)
{
    core_state *state = core_state_of(self);
    if (!Py_IS_TYPE(object, state->Agent)) {
        PyErr_Format(PyExc_TypeError, "expected an Agent, found %R", object);
        return NULL;
    }
    core_agent *agent = (core_agent *)object;
    jbw_world *world = core_world_enter(agent->world, state, true);
    if (!world) return NULL;
    jbw_agent_state found;
    const jbw_status status = jbw_agent_get_state(world, agent->id, &found);
    const double paid = jbw_agent_reward(world, agent->id, self->reward);
    core_world_leave(agent->world);
    return status ? core_raise(state, status, NULL) : PyFloat_FromDouble(paid);
}

static PyObject *reward_of_collecting(core_reward *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"item", "time", NULL};
    PyObject *item;
    uint64_t time = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O&:of_collecting", names, &item,
                                     core_to_uint64, &time))
        return NULL;
    const int item_type = core_to_item(core_state_of(self), self->model, item);
    if (item_type < 0) return NULL;
    return PyFloat_FromDouble(jbw_reward_of_collecting(self->reward, time, item_type));
}

static PyObject *reward_evaluate(core_reward *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"time",     "has_acted", "collected", "start", "position_before",
                            "position", NULL};
    jbw_reward_step step = {.collected = -1};
    int has_acted = 1;
    PyObject *collected = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|$pOO&O&O&:evaluate", names,
                                     core_to_uint64, &step.time, &has_acted, &collected,
                                     core_to_position, &step.start, core_to_position,
                                     &step.position_before, core_to_position, &step.position))
        return NULL;
    step.has_acted = has_acted != 0;
    if (collected != Py_None) {
        step.collected = core_to_item(core_state_of(self), self->model, collected);
        if (step.collected < 0) return NULL;
    }
    return PyFloat_FromDouble(jbw_reward_evaluate(self->reward, &step));
}

static PyObject *reward_get_model(core_reward *self, void *unused)
{
    (void)unused;
    return core_new(self->model);
}

static PyObject *reward_get_text(core_reward *self, void *unused)
{
    (void)unused;
    return core_new(self->text);
}

static PyObject *reward_get_is_scheduled(core_reward *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->is_scheduled);
}

static PyObject *reward_str(core_reward *self)
{
    return core_new(self->text);
}

static PyObject *reward_repr(core_reward *self)
{
    return PyUnicode_FromFormat("<jbw.Reward %U>", self->text);
}

static PyObject *reward_compare(PyObject *self, PyObject *other, int operation)
{
    core_state *state = core_state_of(self);
    if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(other, state->Reward))
        Py_RETURN_NOTIMPLEMENTED;
    core_reward *a = (core_reward *)self;
    core_reward *b = (core_reward *)other;
    int equal = PyObject_RichCompareBool(a->text, b->text, Py_EQ);
    if (equal > 0) equal = core_model_equals(state, a->model, b->model);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t reward_hash(core_reward *self)
{
    return PyObject_Hash(self->text);
}

static PyObject *reward_reduce(core_reward *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("O(OO)", core_type(self), (PyObject *)self->model, self->text);
}

static PyMethodDef methods[] = {
    {"at", (PyCFunction)reward_at, METH_O,
     PyDoc_STR("at($self, time, /)\n--\n\n"
               "The text of the reward in force at a time, with schedules resolved.")},
    {"of", (PyCFunction)reward_of, METH_O,
     PyDoc_STR("of($self, agent, /)\n--\n\n"
               "The reward of an agent for its latest step; zero if there was none yet.")},
    {"of_collecting", (PyCFunction)(void (*)(void))reward_of_collecting,
     METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("of_collecting($self, /, item, time=0)\n--\n\n"
               "The reward for collecting an item at a time, all else being equal.")},
    {"evaluate", (PyCFunction)(void (*)(void))reward_evaluate, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("evaluate($self, /, time, *, has_acted=True, collected=None, start=(0, 0), "
               "position_before=(0, 0), position=(0, 0))\n--\n\n"
               "The reward for any step; time is that of the world before the step.")},
    {"__reduce__", (PyCFunction)reward_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"model", (getter)reward_get_model, NULL, PyDoc_STR("The model that it was compiled for."),
     NULL},
    {"text", (getter)reward_get_text, NULL,
     PyDoc_STR("The reward in canonical form, which compiles to the same program."), NULL},
    {"is_scheduled", (getter)reward_get_is_scheduled, NULL,
     PyDoc_STR("True if the reward in force depends on the time."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Reward(model, text)\n--\n\n"
               "A reward such as \"Collect[JellyBean] & Avoid[Onion]\", compiled for the "
               "items of a model.\n\n"
               "Read-only, shared by threads. Raises RewardError with line and "
               "column.")},
    {Py_tp_new, reward_new},
    {Py_tp_dealloc, reward_dealloc},
    {Py_tp_str, reward_str},
    {Py_tp_repr, reward_repr},
    {Py_tp_richcompare, reward_compare},
    {Py_tp_hash, reward_hash},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_reward_spec = {
    .name = "jbw._core.Reward",
    .basicsize = sizeof(core_reward),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
