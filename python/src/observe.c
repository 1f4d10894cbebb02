// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Observations as Python objects: arrays for the parts that a layout names, given to the library
/// to write to, and then put into a dict, into one flat vector, or returned as they are.
#include "core.h"

#include <string.h>

// --- layouts ------------------------------------------------------------------------------------

bool core_to_form(core_state *state, const char *name, core_form *out)
{
    static const char *const names[] = {"dict", "flat", "plain"}; // as in core_form
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (core_form)i;
        return true;
    }
    core_raise_argument(state, "unknown form \"%s\", expected dict, flat or plain", name);
    return false;
}

// true if the library writes the part to where Python finds it
static bool is_in_place(const core_layout *layout, const jbw_part_info *info)
{
    return layout->form == CORE_FLAT ? info->element == JBW_ELEMENT_FLOAT32 : info->rank > 0;
}

static bool has_part(const core_layout *layout, jbw_part part)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->entries[i].part == part) return true;
    return false;
}

// adds a part under a name; false with an exception
static bool add_part(core_layout *layout, core_state *state, const core_model *model, PyObject *key,
                     PyObject *name)
{
    const char *text =
        PyUnicode_Check(key) && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "expected names of parts, found %R: %R", key, name);
        return false;
    }
    const jbw_part part = jbw_part_named(text);
    if (part == JBW_PART_COUNT || has_part(layout, part)) {
        core_raise_argument(state,
                            part == JBW_PART_COUNT ? "observations have no part %R"
                                                   : "the part %R is listed twice",
                            name);
        return false;
    }
    core_layout_entry *entry = &layout->entries[layout->count++];
    entry->part = part;
    entry->info = jbw_model_part(model->model, part);
    entry->key = core_new(key);
    entry->offset = layout->flat_size;
    layout->flat_size += (npy_intp)entry->info.count;
    return true;
}

// memory for the parts that are not written in place, each aligned for any element
static bool make_scratch(core_layout *layout)
{
    enum { WORD = sizeof(uint64_t) };
    size_t words = 0;
    for (int i = 0; i < layout->count; i++)
        words += (layout->entries[i].info.size + WORD - 1) / WORD;
    layout->scratch = PyMem_Calloc(words + 1, WORD);
    if (!layout->scratch) {
        PyErr_NoMemory();
        return false;
    }
    uint64_t *at = layout->scratch;
    for (int i = 0; i < layout->count; i++) {
        core_layout_entry *entry = &layout->entries[i];
        entry->scratch = is_in_place(layout, &entry->info) ? NULL : at;
        at += (entry->info.size + WORD - 1) / WORD;
    }
    return true;
}

static bool check_layout(const core_layout *layout, core_state *state)
{
    if (layout->form == CORE_PLAIN && layout->count != 1)
        core_raise_argument(state, "a plain observation has exactly one part, not %d",
                            layout->count);
    else if (layout->form == CORE_FLAT && layout->count == 0)
        core_raise_argument(state, "there is nothing to observe");
    return !PyErr_Occurred();
}

bool core_layout_init(core_layout *layout, core_state *state, const core_model *model,
                      PyObject *parts, core_form form, bool copies)
{
    layout->form = form;
    layout->copies = copies;
    PyObject *items = PyMapping_Items(parts);
    bool done = items != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        done = add_part(layout, state, model, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
    }
    core_drop(items);
    if (!done || !check_layout(layout, state) || !make_scratch(layout)) return false;
    core_observation *first = &layout->kept;
    if (!core_observation_begin(first, layout, true)) return false;
    if (layout->form != CORE_DICT) return true;
    layout->kept_dict = PyDict_New();
    if (!layout->kept_dict) return false;
    for (int i = 0; i < layout->count; i++) {
        PyObject *value = first->arrays[i] ? first->arrays[i] : Py_None;
        if (PyDict_SetItem(layout->kept_dict, layout->entries[i].key, value) < 0) return false;
    }
    return true;
}

void core_layout_deinit(core_layout *layout)
{
    for (int i = 0; i < layout->count; i++) Py_CLEAR(layout->entries[i].key);
    core_observation_drop(&layout->kept);
    core_drop(layout->kept_dict);
    PyMem_Free(layout->scratch);
    *layout = (core_layout){0};
}

PyObject *core_layout_parts(const core_layout *layout)
{
    PyObject *parts = PyDict_New();
    for (int i = 0; parts && i < layout->count; i++) {
        const core_layout_entry *entry = &layout->entries[i];
        if (!core_set(parts, entry->key, PyUnicode_FromString(entry->info.name))) Py_CLEAR(parts);
    }
    return parts;
}

PyObject *core_layout_shapes(const core_layout *layout)
{
    PyObject *shapes = PyDict_New();
    for (int i = 0; shapes && i < layout->count; i++) {
        const core_layout_entry *entry = &layout->entries[i];
        if (entry->info.element == JBW_ELEMENT_FLOAT32 &&
            !core_set(shapes, entry->key, core_part_shape(&entry->info)))
            Py_CLEAR(shapes);
    }
    return shapes;
}

// --- observations -------------------------------------------------------------------------------

// a new array for an entry, or, if the layout is flat, for all of them
static PyObject *make_array(const core_layout *layout, int index)
{
    if (layout->form == CORE_FLAT) return PyArray_SimpleNew(1, &layout->flat_size, NPY_FLOAT32);
    return part_array(&layout->entries[index].info);
}

// where the library writes an entry
static void *place_of(const core_observation *observation, const core_layout *layout, int index)
{
    const core_layout_entry *entry = &layout->entries[index];
    if (entry->scratch) return entry->scratch;
    if (layout->form != CORE_FLAT) return PyArray_DATA((PyArrayObject *)observation->arrays[index]);
    return (float *)PyArray_DATA((PyArrayObject *)observation->arrays[0]) + entry->offset;
}

bool core_observation_begin(core_observation *observation, const core_layout *layout, bool is_new)
{
    if (!is_new) {
        *observation = (core_observation){.wanted = layout->kept.wanted};
        return true;
    }
    const int array_count = layout->form == CORE_FLAT ? 1 : layout->count;
    *observation = (core_observation){.is_new = true};
    for (int i = 0; i < array_count; i++) {
        if (layout->form != CORE_FLAT && layout->entries[i].scratch) continue;
        observation->arrays[i] = make_array(layout, i);
        if (!observation->arrays[i]) {
            core_observation_drop(observation);
            return false;
        }
    }
    for (int i = 0; i < layout->count; i++)
        jbw_observation_set(&observation->wanted, layout->entries[i].part,
                            place_of(observation, layout, i));
    return true;
}

void core_observation_drop(core_observation *observation)
{
    for (int i = 0; observation->is_new && i < JBW_PART_COUNT; i++)
        Py_CLEAR(observation->arrays[i]);
}

static int64_t number_at(const core_layout_entry *entry, size_t index)
{
    switch (entry->info.element) {
    case JBW_ELEMENT_UINT8: return ((const uint8_t *)entry->scratch)[index];
    case JBW_ELEMENT_INT32: return ((const int32_t *)entry->scratch)[index];
    case JBW_ELEMENT_INT64: return ((const int64_t *)entry->scratch)[index];
    case JBW_ELEMENT_UINT64: return (int64_t)((const uint64_t *)entry->scratch)[index];
    case JBW_ELEMENT_FLOAT32: break; // never converted
    }
    return 0;
}

static PyObject *make_scalar(int type, const void *value)
{
    PyArray_Descr *descr = PyArray_DescrFromType(type);
    PyObject *scalar = descr ? PyArray_Scalar((void *)value, descr, NULL) : NULL;
    core_drop(descr);
    return scalar;
}

// a single element: whole numbers are numpy.int64, as in Gymnasium's Discrete spaces
static PyObject *make_number(core_state *state, const core_layout_entry *entry)
{
    if (entry->info.element == JBW_ELEMENT_FLOAT32) return make_scalar(NPY_FLOAT32, entry->scratch);
    const int64_t value = number_at(entry, 0);
    return value == 0 || value == 1 ? core_new(state->numbers[value])
                                    : make_scalar(NPY_INT64, &value);
}

// writes the numbers of a vector that were not written in place
static void fill_flat(PyObject *vector, const core_layout *layout)
{
    for (int i = 0; i < layout->count; i++) {
        const core_layout_entry *entry = &layout->entries[i];
        if (!entry->scratch) continue;
        float *to = (float *)PyArray_DATA((PyArrayObject *)vector) + entry->offset;
        for (size_t k = 0; k < entry->info.count; k++) to[k] = (float)number_at(entry, k);
    }
}

// sets a number of the kept dict, unless it has not changed; false with an exception
static bool refresh_number(core_layout *layout, core_state *state, core_layout_entry *entry)
{
    PyObject *number = make_number(state, entry);
    if (number && number == entry->shown) {
        core_drop(number);
        return true;
    }
    // others may be destroyed, and new ones be where they were
    const bool is_forever = number == state->numbers[0] || number == state->numbers[1];
    entry->shown = is_forever ? number : NULL;
    return core_set(layout->kept_dict, entry->key, number);
}

// the same objects as ever; NULL with an exception
static PyObject *finish_kept(core_layout *layout, core_state *state)
{
    PyObject *only = layout->kept.arrays[0];
    if (layout->form == CORE_FLAT) fill_flat(only, layout);
    if (layout->form == CORE_PLAIN && !only) return make_number(state, &layout->entries[0]);
    if (layout->form != CORE_DICT) return core_new(only);
    for (int i = 0; i < layout->count; i++) {
        core_layout_entry *entry = &layout->entries[i];
        if (entry->scratch && !refresh_number(layout, state, entry)) return NULL;
    }
    return core_new(layout->kept_dict);
}

// what an entry of the layout is in Python: an array, which is taken over, or a number
static PyObject *finish_entry(core_observation *observation, const core_layout *layout,
                              core_state *state, int index)
{
    PyObject *array = observation->arrays[index];
    observation->arrays[index] = NULL;
    return array ? array : make_number(state, &layout->entries[index]);
}

PyObject *core_observation_finish(core_observation *observation, core_layout *layout,
                                  core_state *state)
{
    if (!observation->is_new) return finish_kept(layout, state);
    if (layout->form == CORE_FLAT) fill_flat(observation->arrays[0], layout);
    if (layout->form != CORE_DICT) return finish_entry(observation, layout, state, 0);
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < layout->count; i++)
        if (!core_set(dict, layout->entries[i].key, finish_entry(observation, layout, state, i)))
            Py_CLEAR(dict);
    core_observation_drop(observation);
    return dict;
}

// --- descriptions -------------------------------------------------------------------------------

static PyStructSequence_Field part_fields[] = {
    {"dtype", "of its elements"},
    {"shape", "of one agent's part"},
    {"about", "what it is"},
    {NULL, NULL},
};

PyStructSequence_Desc core_part_desc = {"jbw._core.Part", "A part of an observation.", part_fields,
                                        3};

PyObject *core_part_shape(const jbw_part_info *info)
{
    PyObject *shape = PyTuple_New(info->rank);
    for (int i = 0; shape && i < info->rank; i++)
        PyTuple_SetItem(shape, i, PyLong_FromSize_t(info->shape[i]));
    return shape;
}

static PyObject *describe_part(core_state *state, const jbw_part_info *info)
{
    PyObject *values[3] = {
        (PyObject *)PyArray_DescrFromType(part_type(info)),
        core_part_shape(info),
        PyUnicode_FromString(info->about),
    };
    return core_sequence(state->Part, values, 3);
}

PyObject *core_model_parts(core_state *state, const core_model *model)
{
    PyObject *parts = PyDict_New();
    for (int i = 0; parts && i < JBW_PART_COUNT; i++) {
        const jbw_part_info info = jbw_model_part(model->model, (jbw_part)i);
        PyObject *name = PyUnicode_FromString(info.name);
        if (!name || !core_set(parts, name, describe_part(state, &info))) Py_CLEAR(parts);
        core_drop(name);
    }
    return parts;
}
