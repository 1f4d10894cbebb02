// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Properties of a world as a whole: its hash, clock, statistics and model.
#include "world_parts.h"

PyObject *world_hash(core_world *self, PyObject *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    core_world_release(self);
    const uint64_t hash = jbw_world_hash(world);
    core_world_resume(self);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(hash);
}

PyObject *world_get_seed(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const uint64_t seed = jbw_world_seed(world);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(seed);
}

PyObject *world_get_time(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const uint64_t time = jbw_world_time(world);
    core_world_leave(self);
    return PyLong_FromUnsignedLongLong(time);
}

static PyStructSequence_Field stats_fields[] = {
    {"patch_count", "patches in the map"},
    {"final_patch_count", "of those, final"},
    {"sampling_count", "calls that sampled something"},
    {"proposal_count", "Metropolis-Hastings proposals made"},
    {"accepted_count", "of those, accepted"},
    {"map_bytes", "memory of patches and their index"},
    {"scratch_bytes", "memory kept for sampling, bounded"},
    {NULL, NULL},
};

PyStructSequence_Desc core_stats_desc = {"jbw._core.Stats", "Statistics of a world.", stats_fields,
                                         7};

PyObject *world_get_stats(core_world *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    const jbw_world_stats stats = jbw_world_get_stats(world);
    core_world_leave(self);
    const uint64_t numbers[7] = {
        stats.patch_count,    stats.final_patch_count, stats.sampling_count, stats.proposal_count,
        stats.accepted_count, stats.map_bytes,         stats.scratch_bytes};
    PyObject *values[7];
    for (int i = 0; i < 7; i++) values[i] = PyLong_FromUnsignedLongLong(numbers[i]);
    return core_sequence(state->Stats, values, 7);
}

PyObject *world_get_model(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model);
}

PyObject *world_get_config(core_world *self, void *unused)
{
    (void)unused;
    PyObject *module = PyImport_ImportModule("jbw.config");
    PyObject *config =
        module ? PyObject_CallMethod(module, "config_of_model", "O", (PyObject *)self->model)
               : NULL;
    core_drop(module);
    return config;
}

PyObject *world_get_item_names(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model->item_names);
}

PyObject *world_get_action_names(core_world *self, void *unused)
{
    (void)unused;
    return core_new(self->model->action_names);
}

PyObject *world_get_notes(core_world *self, void *unused)
{
    (void)unused;
    return self->notes ? PyDict_Copy(self->notes) : PyDict_New();
}

PyObject *world_pop_note(core_world *self, PyObject *name)
{
    PyObject *note = self->notes ? PyDict_GetItemWithError(self->notes, name) : NULL;
    if (!note) {
        if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, name);
        return NULL;
    }
    core_new(note);
    if (PyDict_DelItem(self->notes, name) == 0) return note;
    core_drop(note);
    return NULL;
}

PyObject *world_repr(core_world *self)
{
    PyObject *seed = world_get_seed(self, NULL);
    PyObject *time = seed ? world_get_time(self, NULL) : NULL;
    PyObject *text = NULL;
    if (time) {
        text = PyUnicode_FromFormat("<jbw.World: seed %R, time %R>", seed, time);
    } else if (PyErr_ExceptionMatches(core_state_of(self)->BusyError)) {
        PyErr_Clear();
        text = PyUnicode_FromString("<jbw.World of a batch, out of reach>");
    }
    core_drop(seed);
    core_drop(time);
    return text;
}
