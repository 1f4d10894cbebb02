// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Model: a world file, checked and compiled. It never changes, so it needs no gate.
#include "core.h"

#include <string.h>

// --- reading ------------------------------------------------------------------------------------

// the state of reading a text
typedef struct reading {
    core_state *state;
    PyObject *problems; // a list, or NULL after a failure
    jbw_override *overrides;
    PyObject *pairs; // keeps the texts of the overrides alive
    size_t count;
} reading;

// where a problem is: the library names overrides as its tool does, Python by the argument
static PyObject *source_name(const jbw_diagnostic *diagnostic)
{
    static const char option[] = "--set ";
    const size_t skipped = sizeof option - 1;
    const char *source = diagnostic->source ? diagnostic->source : "";
    const bool is_override = strncmp(source, option, skipped) == 0;
    if (is_override) source += skipped;
    PyObject *name = PyUnicode_DecodeUTF8(source, (Py_ssize_t)strlen(source), "surrogateescape");
    if (!is_override || !name) return name;
    PyObject *whole = PyUnicode_FromFormat("overrides[\"%U\"]", name);
    core_drop(name);
    return whole;
}

static void take_problem(const jbw_diagnostic *diagnostic, void *user)
{
    reading *r = user;
    if (!r->problems) return;
    PyObject *problem = PyObject_CallFunction(
        r->state->Problem, "NiiN", source_name(diagnostic), diagnostic->line, diagnostic->column,
        PyUnicode_DecodeUTF8(diagnostic->text, (Py_ssize_t)strlen(diagnostic->text), "replace"));
    if (!problem || PyList_Append(r->problems, problem) < 0) Py_CLEAR(r->problems);
    core_drop(problem);
}

// C strings end at their first zero byte, so there must be none inside
static const char *to_text(PyObject *object)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text && strlen(text) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "the text contains a zero byte");
        return NULL;
    }
    return text;
}

static bool reading_init(reading *r, core_state *state, PyObject *overrides)
{
    *r = (reading){.state = state};
    r->problems = PyList_New(0);
    r->pairs = overrides ? PySequence_List(overrides) : PyList_New(0);
    if (!r->problems || !r->pairs) return false;
    r->count = (size_t)PyList_Size(r->pairs);
    r->overrides = PyMem_Calloc(r->count + 1, sizeof *r->overrides);
    if (!r->overrides) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < r->count; i++) {
        PyObject *pair = PyList_GetItem(r->pairs, (Py_ssize_t)i);
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2 ||
            !PyUnicode_Check(PyTuple_GetItem(pair, 0)) ||
            !PyUnicode_Check(PyTuple_GetItem(pair, 1))) {
            PyErr_Format(PyExc_TypeError, "expected overrides as (key, YAML text), found %R", pair);
            return false;
        }
        r->overrides[i].key = to_text(PyTuple_GetItem(pair, 0));
        r->overrides[i].value = to_text(PyTuple_GetItem(pair, 1));
        if (!r->overrides[i].key || !r->overrides[i].value) return false;
    }
    return true;
}

static void reading_deinit(reading *r)
{
    Py_CLEAR(r->problems);
    Py_CLEAR(r->pairs);
    PyMem_Free(r->overrides);
}

static PyObject *raise_problems(reading *r, jbw_status status, const jbw_error *error,
                                PyObject *path)
{
    if (PyErr_Occurred()) return NULL;
    if (status != JBW_INVALID_CONFIG && path)
        return core_raise_file(r->state, status, error->text, path);
    if (!r->problems) return PyErr_NoMemory();
    if (status != JBW_INVALID_CONFIG || PyList_Size(r->problems) == 0)
        return core_raise(r->state, status, error->text);
    PyObject *exception = PyObject_CallFunctionObjArgs(r->state->ConfigError, r->problems, NULL);
    if (exception) PyErr_SetObject(r->state->ConfigError, exception);
    core_drop(exception);
    return NULL;
}

// reads `text`, or the file at `path` if that is given
static PyObject *read_model(core_state *state, PyObject *text, const char *source, PyObject *path,
                            PyObject *overrides)
{
    PyObject *made = NULL;
    PyObject *path_bytes = NULL;
    jbw_config *config = NULL;
    jbw_error error = {0};
    jbw_status status;
    reading r;
    if (!reading_init(&r, state, overrides)) goto end;
    const jbw_world_file_options options = {
        .overrides = r.overrides,
        .override_count = r.count,
        .report = take_problem,
        .report_user = &r,
    };

    if (path) {
        path_bytes = core_path(path);
        if (!path_bytes) goto end;
        status = jbw_world_file_read(PyBytes_AsString(path_bytes), &options, &config, &error);
    } else {
        Py_ssize_t size;
        const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
        if (!bytes) goto end;
        status = jbw_world_file_parse(bytes, (size_t)size, source, &options, &config, &error);
    }
    if (status || PyErr_Occurred()) {
        raise_problems(&r, status, &error, path);
        jbw_config_free(config);
        goto end;
    }

    jbw_model *model;
    CORE_UNLOCKED(status = jbw_model_create(config, &model, &error));
    if (status) {
        jbw_config_free(config);
        core_raise(state, status, error.text);
        goto end;
    }
    made = core_model_wrap(state, model, config);
    if (!made) {
        jbw_model_destroy(model);
        jbw_config_free(config);
    }

end:
    reading_deinit(&r);
    core_drop(path_bytes);
    return made;
}

// --- making and ending --------------------------------------------------------------------------

static PyObject *action_name(const jbw_model *model, int action)
{
    const char *kind = jbw_action_kind_name(jbw_model_action_kind(model, action));
    const int item = jbw_model_action_item(model, action);
    if (item < 0) return PyUnicode_FromString(kind);
    return PyUnicode_FromFormat("%s[%s]", kind, jbw_model_item_name(model, item));
}

static PyObject *item_name(const jbw_model *model, int item_type)
{
    return PyUnicode_FromString(jbw_model_item_name(model, item_type));
}

// names by number, and numbers by name
static bool list_names(const jbw_model *model, int count,
                       PyObject *(*name_of)(const jbw_model *model, int index), PyObject **names,
                       PyObject **numbers)
{
    *names = PyTuple_New(count);
    *numbers = PyDict_New();
    if (!*names || !*numbers) return false;
    for (int i = 0; i < count; i++) {
        PyObject *name = name_of(model, i);
        if (!name) return false;
        PyTuple_SetItem(*names, i, name);
        if (!core_set(*numbers, name, PyLong_FromLong(i))) return false;
    }
    return true;
}

PyObject *core_model_wrap(core_state *state, jbw_model *model, jbw_config *config)
{
    core_model *self = (core_model *)PyType_GenericAlloc(state->Model, 0);
    if (!self) return NULL;
    self->side = jbw_model_vision_side(model);
    self->colors = jbw_model_color_dimensions(model);
    self->scents = jbw_model_scent_dimensions(model);
    self->item_count = jbw_model_item_type_count(model);
    self->action_count = jbw_model_action_count(model);
    if (!list_names(model, self->item_count, item_name, &self->item_names, &self->item_types) ||
        !list_names(model, self->action_count, action_name, &self->action_names, &self->actions)) {
        core_drop(self);
        return NULL;
    }
    self->model = model;
    self->config = config;
    return (PyObject *)self;
}

static PyObject *model_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"text", "source", "overrides", NULL};
    PyObject *text;
    PyObject *overrides = NULL;
    const char *source = "<text>";
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "U|sO:Model", names, &text, &source,
                                     &overrides))
        return NULL;
    return read_model(core_state_of_type(type), text, source, NULL, overrides);
}

static PyObject *model_read(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"name_or_path", "overrides", NULL};
    PyObject *path;
    PyObject *overrides = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:read", names, &path, &overrides))
        return NULL;
    return read_model(core_state_of_type(type), NULL, NULL, path, overrides);
}

static void model_dealloc(core_model *self)
{
    PyTypeObject *type = core_type(self);
    if (!self->base) {
        jbw_model_destroy(self->model);
        jbw_config_free(self->config);
    }
    core_drop(self->base);
    core_drop(self->atlas);
    core_drop(self->item_names);
    core_drop(self->action_names);
    core_drop(self->item_types);
    core_drop(self->actions);
    core_drop(self->identity);
    PyObject_Free(self);
    core_drop(type);
}

// --- the atlas of its worlds --------------------------------------------------------------------

// an atlas cannot hold every world; false with an exception
static bool check_atlas(core_model *self, core_state *state)
{
    jbw_buffer bytes = {0};
    jbw_error error = {0};
    const jbw_status status = jbw_model_write_generation(self->model, &bytes, &error);
    jbw_buffer_free(&bytes);
    if (status) core_raise(state, status, error.text);
    return !status;
}

static PyObject *model_with_atlas(core_model *self, PyObject *given)
{
    core_state *state = core_state_of(self);
    if (given != Py_False && !check_atlas(self, state)) return NULL;
    PyObject *atlas = given == Py_False ? core_new(given) : core_atlas_from(state, given);
    core_model *copy = NULL;
    if (atlas) copy = (core_model *)core_model_wrap(state, self->model, self->config);
    if (!copy) {
        core_drop(atlas);
        return NULL;
    }
    copy->base = (core_model *)core_new(self->base ? self->base : self);
    copy->atlas = atlas;
    return (PyObject *)copy;
}

static PyObject *model_get_atlas(core_model *self, void *unused)
{
    (void)unused;
    return core_new(self->atlas && self->atlas != Py_False ? self->atlas : Py_None);
}

// --- text ---------------------------------------------------------------------------------------

static PyObject *print_config(core_state *state, const jbw_config *config, bool as_json)
{
    jbw_buffer buffer = {0};
    const jbw_status status = jbw_world_file_print(config, as_json, &buffer);
    PyObject *text =
        status ? core_raise(state, status, NULL)
               : PyUnicode_DecodeUTF8((const char *)buffer.bytes, (Py_ssize_t)buffer.size, NULL);
    jbw_buffer_free(&buffer);
    return text;
}

PyObject *core_model_text(core_state *state, core_model *self, bool as_json)
{
    if (!self->config)
        return core_raise(state, JBW_UNSUPPORTED,
                          "the snapshot of this world does not contain its world file");
    return print_config(state, self->config, as_json);
}

static PyObject *model_to_yaml(core_model *self, PyObject *unused)
{
    (void)unused;
    return core_model_text(core_state_of(self), self, false);
}

static PyObject *model_to_json(core_model *self, PyObject *unused)
{
    (void)unused;
    return core_model_text(core_state_of(self), self, true);
}

// The world file, but for the memory budget, which makes no difference to a world. It is printed once:
// policies are compared with their agents at every step.
static PyObject *identity_of(core_state *state, core_model *self)
{
    if (!self->identity) {
        jbw_config config = *self->config;
        config.memory_budget = 1;
        self->identity = print_config(state, &config, false);
    }
    return self->identity;
}

int core_model_equals(core_state *state, core_model *a, core_model *b)
{
    if (a == b) return 1;
    if (!a->config || !b->config) return 0;
    PyObject *first = identity_of(state, a);
    PyObject *second = first ? identity_of(state, b) : NULL;
    return second ? PyObject_RichCompareBool(first, second, Py_EQ) : -1;
}

static PyObject *model_compare(PyObject *self, PyObject *other, int operation)
{
    core_state *state = core_state_of(self);
    if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(other, state->Model))
        Py_RETURN_NOTIMPLEMENTED;
    const int equal = core_model_equals(state, (core_model *)self, (core_model *)other);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t model_hash(core_model *self)
{
    // equal models have equal names
    const Py_hash_t hash = PyObject_Hash(self->item_names);
    return hash == -1 ? -1 : hash ^ self->side ^ (self->action_count << 8);
}

static PyObject *model_reduce(core_model *self, PyObject *unused)
{
    PyObject *text = model_to_yaml(self, unused);
    return text ? Py_BuildValue("O(N)", core_type(self), text) : NULL;
}

static PyObject *model_repr(core_model *self)
{
    return PyUnicode_FromFormat("<jbw.Model: items %R, actions %R>", self->item_names,
                                self->action_names);
}

// --- what it is like ----------------------------------------------------------------------------

static PyObject *model_get_item_names(core_model *self, void *unused)
{
    (void)unused;
    return core_new(self->item_names);
}

static PyObject *model_get_kinds(core_model *self, void *unused)
{
    (void)unused;
    PyObject *kinds = PyDict_New();
    for (int k = 0; kinds && k < jbw_model_kind_count(self->model); k++) {
        size_t count;
        const uint8_t *types = jbw_model_kind_types(self->model, k, &count);
        PyObject *name = PyUnicode_FromString(jbw_model_kind_name(self->model, k));
        PyObject *names = PyTuple_New((Py_ssize_t)count);
        for (size_t i = 0; names && i < count; i++)
            PyTuple_SetItem(names, (Py_ssize_t)i,
                            core_new(PyTuple_GetItem(self->item_names, types[i])));
        const bool is_set = name && core_set(kinds, name, names);
        if (!name) core_drop(names);
        core_drop(name);
        if (!is_set) {
            core_drop(kinds);
            kinds = NULL;
        }
    }
    return kinds;
}

static PyObject *model_get_action_names(core_model *self, void *unused)
{
    (void)unused;
    return core_new(self->action_names);
}

static PyObject *model_get_bodies(core_model *self, void *unused)
{
    (void)unused;
    return core_model_body_names(self);
}

static PyObject *model_action_mask(core_model *self, PyObject *name)
{
    int body;
    if (!core_to_body(core_state_of(self), self, name, &body)) return NULL;
    return core_model_action_mask(self, body);
}

static PyObject *model_get_vision_range(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong((self->side - 1) / 2);
}

static PyObject *model_get_vision_shape(core_model *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(iii)", self->side, self->side, self->colors);
}

static PyObject *model_get_color_dimensions(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->colors);
}

static PyObject *model_get_scent_dimensions(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->scents);
}

static PyObject *model_get_patch_size(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(jbw_model_patch_size(self->model));
}

static PyObject *model_get_item_colors(core_model *self, void *unused)
{
    (void)unused;
    const npy_intp shape[2] = {self->item_count, self->colors};
    PyObject *array = core_array_view(2, shape, NPY_FLOAT64);
    if (!array) return NULL;
    double *colors = PyArray_DATA((PyArrayObject *)array);
    for (int i = 0; i < self->item_count; i++) {
        const double *color = jbw_model_item_color(self->model, i);
        if (color) memcpy(colors + i * self->colors, color, sizeof(double) * (size_t)self->colors);
    }
    return array;
}

static PyObject *model_get_item_blocks(core_model *self, void *unused)
{
    (void)unused;
    const npy_intp shape[1] = {self->item_count};
    PyObject *array = core_array_view(1, shape, NPY_BOOL);
    if (!array) return NULL;
    npy_bool *blocks = PyArray_DATA((PyArrayObject *)array);
    for (int i = 0; i < self->item_count; i++) blocks[i] = jbw_model_item_blocks(self->model, i);
    return array;
}

static PyObject *model_get_field_of_view(core_model *self, void *unused)
{
    (void)unused;
    const npy_intp shape[2] = {self->side, self->side};
    PyObject *array = core_array_view(2, shape, NPY_FLOAT64);
    if (array)
        memcpy(PyArray_DATA((PyArrayObject *)array), jbw_model_field_of_view(self->model),
               sizeof(double) * (size_t)(self->side * self->side));
    return array;
}

static PyObject *model_get_parts(core_model *self, void *unused)
{
    (void)unused;
    return core_model_parts(core_state_of(self), self);
}

static PyObject *model_item_type(core_model *self, PyObject *name)
{
    PyObject *number = PyDict_GetItemWithError(self->item_types, name);
    if (!number && !PyErr_Occurred())
        PyErr_Format(core_state_of(self)->NotFoundError, "there is no item %R, expected one of %R",
                     name, self->item_names);
    return core_new(number);
}

static PyObject *model_action(core_model *self, PyObject *action)
{
    const int number = core_to_action(core_state_of(self), self, action);
    return number < 0 ? NULL : PyLong_FromLong(number);
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"read", (PyCFunction)(void (*)(void))model_read, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     PyDoc_STR("read($type, /, name_or_path, overrides=())\n--\n\n"
               "A model from a file, or from a shipped world by its name.")},
    {"to_yaml", (PyCFunction)model_to_yaml, METH_NOARGS,
     PyDoc_STR("to_yaml($self, /)\n--\n\n"
               "The complete world file in canonical form, which reads back to an equal model.")},
    {"to_json", (PyCFunction)model_to_json, METH_NOARGS,
     PyDoc_STR("to_json($self, /)\n--\n\nThe same as to_yaml, as JSON.")},
    {"action_mask", (PyCFunction)model_action_mask, METH_O,
     PyDoc_STR(
         "action_mask($self, body, /)\n--\n\n"
         "What agents with a body can do: a new int8 (actions) of 1 and 0. None is the body of "
         "agent.")},
    {"item_type", (PyCFunction)model_item_type, METH_O,
     PyDoc_STR("item_type($self, name, /)\n--\n\n"
               "The number of an item type; LookupError if there is no such item.")},
    {"action", (PyCFunction)model_action, METH_O,
     PyDoc_STR("action($self, action, /)\n--\n\n"
               "The number of an action, by name or number; ValueError if there is none.")},
    {"with_atlas", (PyCFunction)model_with_atlas, METH_O,
     PyDoc_STR("with_atlas($self, atlas, /)\n--\n\n"
               "The same model, whose worlds look into an atlas: an Atlas, a path, or False for "
               "none, whatever\nJBW_ATLAS says. Pickling forgets it.")},
    {"__reduce__", (PyCFunction)model_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define GETTER(name, doc)                                           \
    {                                                               \
#name, (getter)model_get_##name, NULL, PyDoc_STR(doc), NULL \
    }

static PyGetSetDef getters[] = {
    GETTER(item_names, "Names by item type."),
    GETTER(kinds, "The kinds of items: a dict from names to the names of their items."),
    {"voice", (getter)core_model_get_voice, NULL,
     PyDoc_STR("The number of symbols that agents can say, and how far they are heard: (symbols, "
               "range). None if they have no voice."),
     NULL},
    {"text_items", (getter)core_model_get_text_items, NULL,
     PyDoc_STR("The names of the items that may carry a text."), NULL},
    GETTER(action_names, "Names by action number, such as \"MoveForward\" or \"Drop[Onion]\"."),
    GETTER(atlas, "The atlas that its worlds look into, or None; see with_atlas."),
    GETTER(bodies, "The names of the bodies that agents may have, besides that of agent."),
    GETTER(vision_range, "The distance that agents see, in cells: the largest of all bodies and "
                         "tools."),
    GETTER(vision_shape, "(2 R + 1, 2 R + 1, color_dimensions)."),
    GETTER(color_dimensions, "The number of components of a color."),
    GETTER(scent_dimensions, "The number of components of a scent."),
    GETTER(patch_size, "The side of a patch, in cells."),
    GETTER(item_colors, "(item types, color_dimensions), read-only."),
    GETTER(item_blocks, "(item types): true where agents cannot enter; read-only."),
    GETTER(field_of_view,
           "(2 R + 1, 2 R + 1): the fraction of each cell of an agent's frame that is in "
           "its field of view; read-only."),
    GETTER(parts, "The parts that observations can have: a dict of Parts (dtype, shape, about)."),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("Model(text, source='<text>', overrides=())\n--\n\n"
                          "A world file, checked and compiled: read-only, shared by any number of "
                          "worlds and threads.\n\n"
                          "text is YAML or JSON; source is its name in messages; overrides are "
                          "pairs of a key, such as\n\"agent.field_of_view\", and a value as YAML "
                          "text. Raises ConfigError with all problems.")},
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_richcompare, model_compare},
    {Py_tp_hash, model_hash},
    {Py_tp_repr, model_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_model_spec = {
    .name = "jbw._core.Model",
    .basicsize = sizeof(core_model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
