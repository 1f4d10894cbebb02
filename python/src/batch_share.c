// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// One policy for all agents of a Batch.
#include "batch_parts.h"

static PyObject *choose(core_batch *self, core_state *state, jbw_batch *batch, jbw_policy *policy)
{
    const npy_intp shape[1] = {(npy_intp)self->agent_count};
    PyObject *actions = PyArray_SimpleNew(1, (npy_intp *)shape, NPY_INT32);
    if (!actions) return NULL;
    int32_t *chosen = PyArray_DATA((PyArrayObject *)actions);
    jbw_status status;
    CORE_UNLOCKED(status = jbw_batch_choose(batch, policy, chosen));
    if (!status) return actions;
    core_drop(actions);
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
