// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The map: reading, editing and generating it.
#include "world_parts.h"

// a region from x, y, width and height; false with an exception
static bool parse_region(core_state *state, PyObject *arguments, PyObject *keywords,
                         const char *format, jbw_region *out)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &x, &y, &width, &height))
        return false;
    if (width < 0 || height < 0) {
        core_raise_argument(state, "the width and height of a region must not be negative");
        return false;
    }
    *out = (jbw_region){x, y, width, height};
    return true;
}

enum { PLANES = 4 };

// A new array for each wanted plane, in the order of `jbw.Planes`; the others stay NULL. False with
// an exception.
static bool read_planes(core_world *self, core_state *state, jbw_region region,
                        const bool wanted[PLANES], PyObject *out[PLANES])
{
    const npy_intp shape[2] = {(npy_intp)region.height, (npy_intp)region.width};
    uint8_t *planes[PLANES] = {NULL};
    bool is_good = true;
    for (int i = 0; i < PLANES; i++) {
        out[i] = is_good && wanted[i] ? PyArray_SimpleNew(2, shape, NPY_UINT8) : NULL;
        if (wanted[i] && !out[i]) is_good = false;
        if (out[i]) planes[i] = PyArray_DATA((PyArrayObject *)out[i]);
    }
    if (is_good && (region.width == 0 || region.height == 0)) return true;
    jbw_world *world = is_good ? core_world_enter(self, state, true) : NULL;
    if (world) {
        const jbw_region_planes into = {
            .items = planes[0], .hidden = planes[1], .growing = planes[2], .states = planes[3]};
        core_world_release(self);
        const jbw_status status = jbw_world_read_planes(world, region, &into);
        is_good = core_world_resume(self);
        core_world_leave(self);
        if (is_good && !status) return true;
        if (is_good) core_raise(state, status, NULL);
    }
    for (int i = 0; i < PLANES; i++) core_drop(out[i]);
    return false;
}

// one plane of a region
static PyObject *read_plane(core_world *self, PyObject *arguments, PyObject *keywords,
                            const char *format, int plane)
{
    core_state *state = core_state_of(self);
    jbw_region region;
    bool wanted[PLANES] = {false};
    wanted[plane] = true;
    PyObject *planes[PLANES];
    if (!parse_region(state, arguments, keywords, format, &region)) return NULL;
    return read_planes(self, state, region, wanted, planes) ? planes[plane] : NULL;
}

PyObject *world_items(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_plane(self, arguments, keywords, "LLLL:items", 0);
}

PyObject *world_patch_states(core_world *self, PyObject *arguments, PyObject *keywords)
{
    return read_plane(self, arguments, keywords, "LLLL:patch_states", PLANES - 1);
}

static PyStructSequence_Field planes_fields[] = {
    {"items", "as agents could see them: the item type plus one, 0 for none"},
    {"hidden", "items that are out of season, in the same way"},
    {"growing", "items that grow back, in the same way"},
    {"states", "of the patches: 0 missing, 1 sampled, 2 final"},
    {NULL, NULL},
};

PyStructSequence_Desc core_planes_desc = {
    "jbw._core.Planes", "A region, one (height, width) array of uint8 for each kind of thing.",
    planes_fields, PLANES};

PyObject *world_planes(core_world *self, PyObject *arguments, PyObject *keywords)
{
    core_state *state = core_state_of(self);
    jbw_region region;
    PyObject *planes[PLANES];
    const bool wanted[PLANES] = {true, true, true, true};
    if (!parse_region(state, arguments, keywords, "LLLL:planes", &region)) return NULL;
    if (!read_planes(self, state, region, wanted, planes)) return NULL;
    return core_sequence(state->Planes, planes, PLANES);
}

static PyStructSequence_Field cell_fields[] = {
    {"item", "the name of its item, in season or not, or None"},
    {"hidden", "the item is out of season"},
    {"generated", "the cell is as it was generated, or its patch is not final"},
    {"since", "the time of its latest change, or None if it is as it was generated"},
    {"since_known", "if false, the change may have been earlier"},
    {"growing", "the name of the item that grows back there, or None"},
    {"due", "when that item is there, if the cell is empty then, or None"},
    {"state", "of its patch: 0 missing, 1 sampled, 2 final"},
    {"text", "that its item carries, or an empty one"},
    {NULL, NULL},
};

enum { CELL_FIELDS = 9 };

PyStructSequence_Desc core_cell_desc = {"jbw._core.Cell", "What is in a cell, and since when.",
                                        cell_fields, CELL_FIELDS};

// the name of an item type, or None for -1
static PyObject *name_or_none(const core_world *self, int item)
{
    return core_new(item < 0 ? Py_None : PyTuple_GetItem(self->model->item_names, item));
}

PyObject *world_inspect(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:inspect", names, &x, &y)) return NULL;
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    jbw_cell_info info;
    core_world_release(self);
    const jbw_status status = jbw_world_inspect(world, (jbw_position){x, y}, &info);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    if (!is_fine) return NULL;
    if (status) return core_raise(state, status, NULL);
    PyObject *values[CELL_FIELDS] = {
        name_or_none(self, info.item),
        PyBool_FromLong(info.is_hidden),
        PyBool_FromLong(info.is_generated),
        info.is_generated ? core_new(Py_None) : PyLong_FromUnsignedLongLong(info.since),
        PyBool_FromLong(info.is_since_known),
        name_or_none(self, info.growing),
        info.growing < 0 ? core_new(Py_None) : PyLong_FromUnsignedLongLong(info.due),
        PyLong_FromLong((long)info.state),
        PyUnicode_FromString(info.text),
    };
    return core_sequence(state->Cell, values, CELL_FIELDS);
}

// changes the world, with the interpreter released
static PyObject *change(core_world *self, core_state *state, const jbw_operation *operation)
{
    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    core_world_release(self);
    const jbw_status status = jbw_world_apply(world, operation);
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}

PyObject *world_place(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"item", "x", "y", "text", NULL};
    core_state *state = core_state_of(self);
    PyObject *item;
    PyObject *written = Py_None;
    char text[JBW_MAX_TEXT + 1];
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLL|O:place", names, &item, &x, &y,
                                     &written))
        return NULL;
    const int item_type = core_to_item(state, self->model, item);
    if (item_type < 0 || !core_to_text(state, written, text)) return NULL;
    if (text[0] != '\0' && !jbw_model_item_has_text(self->model->model, item_type))
        return core_raise_argument(state,
                                   "%U carries no text: in the world file, `text: true` is missing",
                                   PyTuple_GetItem(self->model->item_names, item_type));
    return change(self, state,
                  &(jbw_operation){.kind = JBW_OPERATION_PLACE_ITEM,
                                   .item_type = item_type,
                                   .position = {x, y},
                                   .text = text});
}

PyObject *world_remove(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:remove", names, &x, &y)) return NULL;
    return change(self, state,
                  &(jbw_operation){.kind = JBW_OPERATION_REMOVE_ITEM, .position = {x, y}});
}

PyObject *world_smell(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LL:smell", names, &x, &y)) return NULL;
    const npy_intp shape[1] = {self->model->scents};
    PyArrayObject *scent = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_FLOAT32);
    jbw_world *world = scent ? core_world_enter(self, state, true) : NULL;
    if (!world) {
        core_drop(scent);
        return NULL;
    }
    const jbw_status status = jbw_world_smell(world, (jbw_position){x, y}, PyArray_DATA(scent));
    core_world_leave(self);
    if (!status) return (PyObject *)scent;
    core_drop(scent);
    return core_raise(state, status, NULL);
}

PyObject *world_explore(core_world *self, PyObject *positions)
{
    core_state *state = core_state_of(self);
    PyArrayObject *cells = core_to_positions(state, positions);
    jbw_world *world = cells ? core_world_enter(self, state, false) : NULL;
    if (!world) {
        core_drop(cells);
        return NULL;
    }
    // an (n, 2) array of int64 is laid out as n positions
    const size_t count = (size_t)PyArray_SIZE(cells) / 2;
    const jbw_position *at = PyArray_DATA(cells);
    core_world_release(self);
    const jbw_status status = count > 0 ? jbw_world_explore(world, at, count) : JBW_OK;
    const bool is_fine = core_world_resume(self);
    core_world_leave(self);
    core_drop(cells);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}

PyObject *world_explore_region(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"x", "y", "width", "height", NULL};
    core_state *state = core_state_of(self);
    long long x;
    long long y;
    long long width;
    long long height;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LLLL:explore_region", names, &x, &y,
                                     &width, &height))
        return NULL;
    const int64_t far = JBW_MAX_COORDINATE;
    if (width < 0 || height < 0 || width > far || height > far)
        return core_raise_argument(state, "the width and height of a region must not be negative");
    if (width == 0 || height == 0) return core_new(Py_None);
    if (x < -far || y < -far || x > far - width || y > far - height)
        return core_raise(state, JBW_OUT_OF_RANGE, NULL);

    jbw_world *world = core_world_enter(self, state, false);
    if (!world) return NULL;
    const jbw_position first = jbw_world_patch_of(world, (jbw_position){x, y});
    const jbw_position last =
        jbw_world_patch_of(world, (jbw_position){x + width - 1, y + height - 1});
    jbw_status status = JBW_OK;
    bool is_fine = true;
    for (int64_t patch_y = first.y; patch_y <= last.y && !status && is_fine; patch_y++) {
        for (int64_t patch_x = first.x; patch_x <= last.x && !status && is_fine; patch_x++) {
            core_world_release(self);
            status = jbw_world_finalize_patch(world, (jbw_position){patch_x, patch_y});
            // a large region takes a while: let Ctrl-C interrupt it
            is_fine = core_world_resume(self) && PyErr_CheckSignals() == 0;
        }
    }
    core_world_leave(self);
    return is_fine ? world_none_or_raise(state, status) : NULL;
}
