// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// One policy for all agents of a Batch.
#include "batch_parts.h"

// lets the policy look at what each agent perceives
static jbw_status observe(const core_batch *self, jbw_batch *batch, jbw_policy *policy,
                          jbw_observation *seen)
{
    for (size_t i = 0; i < self->world_count; i++) {
        jbw_world *world = jbw_batch_get_world(batch, i);
        if (!world) return JBW_INVALID_ARGUMENT;
        for (size_t row = self->first_rows[i]; row < self->first_rows[i + 1]; row++) {
            seen[row] = jbw_policy_wants_for(policy, row);
            const jbw_status status =
                jbw_agent_observe(world, jbw_batch_agent(batch, row), &seen[row]);
            if (status) return status;
        }
    }
    return JBW_OK;
}

static PyObject *choose(core_batch *self, core_state *state, jbw_batch *batch, jbw_policy *policy)
{
    const npy_intp shape[1] = {(npy_intp)self->agent_count};
    PyObject *actions = PyArray_SimpleNew(1, (npy_intp *)shape, NPY_INT32);
    jbw_observation *seen = PyMem_Calloc(self->agent_count, sizeof *seen);
    jbw_status status = actions && seen ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status) {
        int *chosen = PyArray_DATA((PyArrayObject *)actions);
        CORE_UNLOCKED({
            status = observe(self, batch, policy, seen);
            if (!status)
                jbw_policy_act_all(policy, jbw_world_time(jbw_batch_get_world(batch, 0)), seen,
                                   chosen);
        });
    }
    PyMem_Free(seen);
    if (!status) return actions;
    core_drop(actions);
    if (PyErr_Occurred()) return NULL;
    return core_raise(state, status,
                      status == JBW_INVALID_ARGUMENT ? "a world was sent and not received yet"
                                                     : NULL);
}

PyObject *batch_choose(core_batch *self, PyObject *object)
{
    core_state *state = core_state_of(self);
    if (!Py_IS_TYPE(object, state->Policy)) {
        PyErr_Format(PyExc_TypeError, "expected a Policy, found %R", object);
        return NULL;
    }
    core_policy *policy = (core_policy *)object;
    const size_t count = jbw_policy_agent_count(policy->policy);
    if (count != self->agent_count)
        return core_raise_argument(state, "the policy is for %zu agents, the batch has %zu", count,
                                   self->agent_count);
    for (Py_ssize_t i = 0; i < PyTuple_Size(self->models); i++)
        if (!core_policy_check_model(policy, state, (core_model *)PyTuple_GetItem(self->models, i)))
            return NULL;
    if (!core_gate_enter(&policy->gate, state, false)) return NULL;
    jbw_batch *batch = batch_enter(self, state);
    PyObject *actions = batch ? choose(self, state, batch, policy->policy) : NULL;
    if (batch) core_gate_leave(&self->gate);
    core_gate_leave(&policy->gate);
    return actions;
}
