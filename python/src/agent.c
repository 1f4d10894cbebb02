// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agent: a handle of an agent, and the arrays that show what it perceives.
#include "core.h"

#include <string.h>

static uint64_t packed_id(const core_agent *self)
{
    return (uint64_t)self->id.generation << 32 | self->id.index1;
}

// --- ending -------------------------------------------------------------------------------------

static int agent_traverse(core_agent *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->world);
    return 0;
}

static void agent_dealloc(core_agent *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_world *world = self->world;
    if (world && !self->previous) world->agents[self->id.index1 - 1] = self->next;
    if (self->previous) self->previous->next = self->next;
    if (self->next) self->next->previous = self->previous;
    core_drop(self->vision);
    core_drop(self->scent);
    core_drop(world);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- acting -------------------------------------------------------------------------------------

// Where what happens in each step is written. All but rewards may be NULL.
typedef struct step_log {
    double *rewards;
    int32_t *actions;
    int64_t *positions; // (steps x 2), after the step
    int32_t *collected; // item type, or -1
} step_log;

static void note_step(const step_log *log, size_t step, const jbw_world *world, jbw_agent_id agent)
{
    jbw_agent_result result;
    if (!log->actions || jbw_agent_get_result(world, agent, &result)) return;
    log->actions[step] = result.action;
    log->positions[2 * step] = result.position.x;
    log->positions[2 * step + 1] = result.position.y;
    log->collected[step] = result.collected;
}

// Takes steps from `done` up to `end` and returns the number of the next one: less than `end` after
// a failure, or if the world waits for other agents.
static size_t follow(core_agent *self, jbw_world *world, core_policy *policy,
                     const jbw_reward *reward, const step_log *log, size_t done, size_t end,
                     jbw_status *status, bool *stepped)
{
    *stepped = true;
    while (done < end && !self->world->error[0]) {
        int action;
        *status = jbw_policy_choose(policy->policy, world, self->id, &action);
        if (*status) break;
        *status = jbw_agent_act(world, self->id, action, stepped);
        if (*status || !*stepped) break;
        log->rewards[done] = reward ? jbw_agent_reward(world, self->id, reward) : 0;
        jbw_policy_reward(policy->policy, log->rewards[done]);
        note_step(log, done++, world, self->id);
    }
    return done;
}

// Fills a new tuple (rewards, actions, positions, collected), or (rewards) alone.
static PyObject *new_log(npy_intp steps, bool is_full, step_log *log)
{
    static const int types[4] = {NPY_FLOAT64, NPY_INT32, NPY_INT64, NPY_INT32};
    void *data[4] = {0};
    const int count = is_full ? 4 : 1;
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        const npy_intp shape[2] = {steps, 2};
        PyObject *array = PyArray_ZEROS(i == 2 ? 2 : 1, shape, types[i], 0);
        if (array) data[i] = PyArray_DATA((PyArrayObject *)array);
        // a tuple takes the reference, even if it fails
        if (!array || PyTuple_SetItem(tuple, i, array)) {
            core_drop(tuple);
            return NULL;
        }
    }
    *log = (step_log){data[0], data[1], data[2], data[3]};
    return tuple;
}

static PyObject *follow_policy(core_agent *self, PyObject *arguments, PyObject *keywords,
                               bool is_logged)
{
    static char *names[] = {"policy", "steps", "reward", NULL};
    enum { STRETCH = 2048, LEARNERS_STRETCH = 32 }; // steps between checks for signals
    core_state *state = core_state_of(self);
    core_world *owner = self->world;
    core_policy *policy;
    Py_ssize_t steps;
    PyObject *reward = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!n|O:follow", names, state->Policy,
                                     &policy, &steps, &reward))
        return NULL;
    if (steps < 0) return core_raise_argument(state, "the number of steps is negative");
    if (reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) {
        PyErr_Format(PyExc_TypeError, "expected a Reward or None, found %R", reward);
        return NULL;
    }
    if (!core_policy_is_single(policy, state) ||
        !core_policy_check_model(policy, state, owner->model))
        return NULL;
    const jbw_reward *paid = reward == Py_None ? NULL : ((core_reward *)reward)->reward;

    step_log log = {0};
    PyObject *all = new_log(steps, is_logged, &log);
    const bool entered = all && core_gate_enter(&policy->gate, state, false);
    jbw_world *world = entered ? core_world_enter_agents(owner, state) : NULL;
    bool is_fine = world != NULL;
    jbw_status status = JBW_OK;
    bool stepped = true;
    if (world) {
        const size_t stretch = jbw_policy_is_learner(policy->policy) ? LEARNERS_STRETCH : STRETCH;
        for (size_t done = 0; is_fine && !status && stepped && done < (size_t)steps;) {
            const size_t left = (size_t)steps - done;
            const size_t end = done + (left < stretch ? left : stretch);
            owner->finishes_steps = true; // the policy has chosen, and must not choose again
            core_world_release(owner);
            done = follow(self, world, policy, paid, &log, done, end, &status, &stepped);
            is_fine = core_world_resume(owner) && PyErr_CheckSignals() == 0;
            owner->finishes_steps = false;
        }
        core_world_leave(owner);
    }
    if (entered) core_gate_leave(&policy->gate);
    if (is_fine && !status && stepped) {
        if (is_logged) return all;
        PyObject *rewards = core_new(PyTuple_GetItem(all, 0));
        core_drop(all);
        return rewards;
    }
    core_drop(all);
    if (PyErr_Occurred()) return NULL;
    if (!stepped)
        return core_raise(state, JBW_INVALID_ARGUMENT,
                          "the world did not step: other active agents have not acted");
    return core_raise(state, status, NULL);
}

static PyObject *agent_follow(core_agent *self, PyObject *arguments, PyObject *keywords)
{
    return follow_policy(self, arguments, keywords, false);
}

static PyObject *agent_follow_log(core_agent *self, PyObject *arguments, PyObject *keywords)
{
    return follow_policy(self, arguments, keywords, true);
}

static PyObject *agent_remove(core_agent *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter_agents(self->world, state);
    if (!world) return NULL;
    core_world_release(self->world);
    const jbw_status status = jbw_world_remove_agent(world, self->id);
    const bool is_fine = core_world_resume(self->world);
    core_world_leave(self->world);
    if (!is_fine) return NULL;
    return status ? core_raise(state, status, NULL) : core_new(Py_None);
}

// --- perceiving ---------------------------------------------------------------------------------

// writes one part of an observation to an array
static jbw_status observe(const core_agent *self, jbw_world *world, jbw_part part, PyObject *array)
{
    jbw_observation wanted = {0};
    jbw_observation_set(&wanted, part, PyArray_DATA((PyArrayObject *)array));
    return jbw_agent_observe(world, self->id, &wanted);
}

// a part in a new array
static PyObject *observe_new(core_agent *self, jbw_part part)
{
    core_state *state = core_state_of(self);
    const jbw_part_info info = jbw_model_part(self->world->model->model, part);
    PyObject *array = part_array(&info);
    jbw_world *world = array ? core_world_enter(self->world, state, true) : NULL;
    jbw_status status = JBW_OK;
    if (world) {
        status = observe(self, world, part, array);
        core_world_leave(self->world);
        if (status) core_raise(state, status, NULL);
    }
    if (!world || status) Py_CLEAR(array);
    return array;
}

static PyObject *make_view(const core_model *model, jbw_part part)
{
    const jbw_part_info info = jbw_model_part(model->model, part);
    npy_intp shape[JBW_PART_MAX_RANK + 1];
    const int rank = part_shape(&info, NULL, shape);
    return core_array_view(rank, shape, part_type(&info));
}

// a part in a read-only view that belongs to the agent, written again if the world has changed
static PyObject *observe_view(core_agent *self, jbw_part part, PyObject **view, uint64_t *version)
{
    core_state *state = core_state_of(self);
    core_world *owner = self->world;
    if (!*view && !(*view = make_view(owner->model, part))) return NULL;
    jbw_world *world = core_world_enter(owner, state, true);
    if (!world) return NULL;
    jbw_status status = JBW_OK;
    if (*version != owner->version + 1) {
        status = observe(self, world, part, *view);
        *version = status ? 0 : owner->version + 1;
    }
    core_world_leave(owner);
    return status ? core_raise(state, status, NULL) : core_new(*view);
}

static PyObject *agent_get_vision(core_agent *self, void *unused)
{
    (void)unused;
    return observe_view(self, JBW_PART_VISION, &self->vision, &self->vision_version);
}

static PyObject *agent_get_scent(core_agent *self, void *unused)
{
    (void)unused;
    return observe_view(self, JBW_PART_SCENT, &self->scent, &self->scent_version);
}

static PyObject *agent_get_item_vision(core_agent *self, void *unused)
{
    (void)unused;
    return observe_new(self, JBW_PART_ITEM_VISION);
}

static PyObject *agent_get_inventory(core_agent *self, void *unused)
{
    (void)unused;
    return observe_new(self, JBW_PART_INVENTORY);
}

static PyObject *agent_get_heard(core_agent *self, void *unused)
{
    (void)unused;
    return observe_new(self, JBW_PART_HEARD);
}

// --- its state ----------------------------------------------------------------------------------

static bool get_state(core_agent *self, core_state *state, jbw_agent_state *out)
{
    jbw_world *world = core_world_enter(self->world, state, true);
    if (!world) return false;
    const jbw_status status = jbw_agent_get_state(world, self->id, out);
    core_world_leave(self->world);
    if (status) core_raise(state, status, NULL);
    return !status;
}

static PyObject *agent_get_position(core_agent *self, void *unused)
{
    (void)unused;
    jbw_agent_state found;
    if (!get_state(self, core_state_of(self), &found)) return NULL;
    return core_from_position(found.position);
}

static PyObject *agent_get_body(core_agent *self, void *unused)
{
    (void)unused;
    jbw_agent_state found;
    if (!get_state(self, core_state_of(self), &found)) return NULL;
    const char *name = jbw_model_body_name(self->world->model->model, found.body);
    return name ? PyUnicode_FromString(name) : core_new(Py_None);
}

static PyObject *agent_get_start(core_agent *self, void *unused)
{
    (void)unused;
    jbw_agent_state found;
    if (!get_state(self, core_state_of(self), &found)) return NULL;
    return core_from_position(found.start);
}

static PyObject *agent_get_direction(core_agent *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_agent_state found;
    if (!get_state(self, state, &found)) return NULL;
    return core_new(state->directions[found.direction]);
}

static PyObject *agent_get_active(core_agent *self, void *unused)
{
    (void)unused;
    jbw_agent_state found;
    if (!get_state(self, core_state_of(self), &found)) return NULL;
    return PyBool_FromLong(found.is_active);
}

static int agent_set_active(core_agent *self, PyObject *value, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "active cannot be deleted");
        return -1;
    }
    const int is_active = PyObject_IsTrue(value);
    jbw_world *world = is_active < 0 ? NULL : core_world_enter_agents(self->world, state);
    if (!world) return -1;
    core_world_release(self->world);
    const jbw_status status = jbw_agent_set_active(world, self->id, is_active != 0);
    const bool is_fine = core_world_resume(self->world);
    core_world_leave(self->world);
    if (is_fine && status) core_raise(state, status, NULL);
    return is_fine && !status ? 0 : -1;
}

static PyObject *agent_get_request(core_agent *self, void *unused)
{
    (void)unused;
    jbw_agent_state found;
    if (!get_state(self, core_state_of(self), &found)) return NULL;
    if (!found.has_request) return core_new(Py_None);
    return core_new(PyTuple_GetItem(self->world->model->action_names, found.request));
}

static PyObject *agent_get_items(core_agent *self, void *unused)
{
    PyObject *inventory = agent_get_inventory(self, unused);
    PyObject *items = inventory ? PyDict_New() : NULL;
    const uint64_t *counts = items ? PyArray_DATA((PyArrayObject *)inventory) : NULL;
    const core_model *model = self->world->model;
    for (int i = 0; items && i < model->item_count; i++) {
        if (counts[i] == 0) continue;
        PyObject *name = PyTuple_GetItem(model->item_names, i);
        if (!core_set(items, name, PyLong_FromUnsignedLongLong(counts[i]))) Py_CLEAR(items);
    }
    core_drop(inventory);
    return items;
}

static PyObject *agent_get_ever_collected(core_agent *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_agent_state found;
    if (!get_state(self, state, &found)) return NULL;
    jbw_world *world = core_world_enter(self->world, state, true);
    if (!world) return NULL;
    const uint64_t *counts = jbw_agent_ever_collected(world, self->id);
    const int type_count = self->world->model->item_count;
    PyObject *items = counts ? PyDict_New() : core_new(Py_None);
    for (int i = 0; counts && items && i < type_count; i++) {
        if (counts[i] == 0) continue;
        PyObject *name = PyTuple_GetItem(self->world->model->item_names, i);
        if (!core_set(items, name, PyLong_FromUnsignedLongLong(counts[i]))) Py_CLEAR(items);
    }
    core_world_leave(self->world);
    return items;
}

static PyStructSequence_Field result_fields[] = {
    {"time", "of the world after the step; zero if there was no step yet"},
    {"action", "the requested action, or None"},
    {"outcome", "of that action"},
    {"moved", "the agent is in another cell than before"},
    {"item", "the outcome of collecting, after a move or by Collect"},
    {"collected", "the name of the collected item, or None"},
    {"dropped", "the name of the dropped item, or None"},
    {"position_before", "(x, y)"},
    {"position", "(x, y)"},
    {"said", "the symbol that it said, or 0"},
    {NULL, NULL},
};

PyStructSequence_Desc core_result_desc = {
    "jbw._core.Result", "What an agent did in the latest step.", result_fields, 10};

PyObject *core_agent_result(core_state *state, core_model *model, const jbw_agent_result *result)
{
    PyObject *values[10] = {
        PyLong_FromUnsignedLongLong(result->time),
        result->action < 0 ? core_new(Py_None)
                           : core_new(PyTuple_GetItem(model->action_names, result->action)),
        core_new(state->outcomes[result->outcome]),
        PyBool_FromLong(result->moved),
        core_new(state->outcomes[result->item]),
        core_from_item(model, result->collected),
        core_from_item(model, result->dropped),
        core_from_position(result->position_before),
        core_from_position(result->position),
        PyLong_FromLong(result->said),
    };
    return core_sequence(state->Result, values, 10);
}

static PyObject *agent_get_result(core_agent *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter(self->world, state, true);
    if (!world) return NULL;
    jbw_agent_result result;
    const jbw_status status = jbw_agent_get_result(world, self->id, &result);
    core_world_leave(self->world);
    if (status) return core_raise(state, status, NULL);
    return core_agent_result(state, self->world->model, &result);
}

static PyObject *agent_get_world(core_agent *self, void *unused)
{
    (void)unused;
    return core_new(self->world);
}

static PyObject *agent_get_id(core_agent *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(packed_id(self));
}

static PyObject *agent_compare(PyObject *self, PyObject *other, int operation)
{
    core_state *state = core_state_of(self);
    if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(other, state->Agent))
        Py_RETURN_NOTIMPLEMENTED;
    const core_agent *a = (core_agent *)self;
    const core_agent *b = (core_agent *)other;
    const bool equal = a->world == b->world && packed_id(a) == packed_id(b);
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t agent_hash(core_agent *self)
{
    const Py_hash_t hash = (Py_hash_t)((uintptr_t)self->world >> 4 ^ packed_id(self) * 1000003);
    return hash == -1 ? -2 : hash;
}

// what it carries, such as " with 2 JellyBean, 1 Onion"; empty if that is nothing
static PyObject *carried_text(core_agent *self)
{
    PyObject *items = agent_get_items(self, NULL);
    PyObject *text = items ? PyUnicode_FromString("") : NULL;
    PyObject *name;
    PyObject *count;
    for (Py_ssize_t at = 0; text && PyDict_Next(items, &at, &name, &count);) {
        PyObject *longer = PyUnicode_FromFormat(
            "%U%s%S %U", text, PyUnicode_GetLength(text) > 0 ? ", " : " with ", count, name);
        core_drop(text);
        text = longer;
    }
    core_drop(items);
    return text;
}

static PyObject *agent_repr(core_agent *self)
{
    static const char *const directions[CORE_DIRECTIONS] = {"up", "right", "down", "left"};
    jbw_agent_state found;
    PyObject *carried = get_state(self, core_state_of(self), &found) ? carried_text(self) : NULL;
    if (!carried) { // it was removed, or its world is busy
        PyErr_Clear();
        return PyUnicode_FromFormat("<jbw.Agent %llu, gone or busy, of %R>",
                                    (unsigned long long)packed_id(self), (PyObject *)self->world);
    }
    PyObject *text = PyUnicode_FromFormat(
        "<jbw.Agent at (%lld, %lld) facing %s%U, in %R>", (long long)found.position.x,
        (long long)found.position.y, directions[found.direction], carried, (PyObject *)self->world);
    core_drop(carried);
    return text;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"act", (PyCFunction)(void (*)(void))core_agent_act, METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("act($self, action, /, *, say=0, text=None)\n--\n\n"
               "Requests an action by name or number. True if the world has stepped.\n\n"
               "say is a symbol from 1, in worlds with a voice; text is what the item that is "
               "dropped carries. A second\nrequest replaces the first.")},
    {"follow", (PyCFunction)(void (*)(void))agent_follow, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("follow($self, /, policy, steps, reward=None)\n--\n\n"
               "Lets a policy act for that many steps, without Python, and returns the rewards: "
               "(steps).\n\nNo other agent may be active.")},
    {"follow_log", (PyCFunction)(void (*)(void))agent_follow_log, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("follow_log($self, /, policy, steps, reward=None)\n--\n\n"
               "Does the same, and returns what happened in each step: rewards (steps), action "
               "numbers\n(steps), positions after it (steps, 2), and the types of collected items "
               "(steps), or -1.")},
    {"remove", (PyCFunction)agent_remove, METH_NOARGS,
     PyDoc_STR("remove($self, /)\n--\n\n"
               "Removes the agent from the world, with all it has collected.")},
    {NULL, NULL, 0, NULL},
};

#define GETTER(name, doc)                                           \
    {                                                               \
#name, (getter)agent_get_##name, NULL, PyDoc_STR(doc), NULL \
    }

static PyGetSetDef getters[] = {
    GETTER(world, "The world it is in."),
    GETTER(id, "Never used again in this world, and kept by copies and snapshots of it."),
    GETTER(vision,
           "What it sees: float32 (2 R + 1, 2 R + 1, color_dimensions), row 0 farthest "
           "ahead, column 0 left.\n\nA read-only view of a buffer that belongs to the "
           "agent: reading vision again after the world has changed\noverwrites it. Use .copy() "
           "to keep it."),
    GETTER(scent, "What it smells: float32 (scent_dimensions), a read-only view like vision."),
    GETTER(item_vision, "The items that it sees, one-hot: a new float32 (2 R + 1, 2 R + 1, item "
                        "types) array of 0 and 1.\n\n1 where an item of that type lies in a cell "
                        "that is at least partly visible."),
    GETTER(heard, "How many others said each symbol in the latest step: a new float32 (symbols) "
                  "array; index 0 is symbol 1."),
    {"note", (getter)core_agent_get_note, NULL,
     PyDoc_STR("The text that it reads: that of the item in its cell, or else of the item that it "
               "collected in the latest step; empty if there is none."),
     NULL},
    GETTER(position, "(x, y)."),
    GETTER(start, "The cell where it was added, (x, y)."),
    GETTER(body, "The name of its body, or None if it has that of agent."),
    GETTER(direction, "\"up\", \"right\", \"down\" or \"left\"."),
    GETTER(items, "The items that it carries: names and counts, without zeros."),
    GETTER(inventory,
           "The number of items that it carries, by type: a new uint64 (item types) array."),
    GETTER(ever_collected,
           "The items that it has ever collected: names and counts, without zeros.\n\n"
           "None if no item of the world requires that."),
    {"active", (getter)agent_get_active, (setter)agent_set_active,
     PyDoc_STR(
         "The world waits for active agents; inactive ones stay in their cells and do nothing."),
     NULL},
    GETTER(request, "The action that it has requested and not taken yet, or None."),
    GETTER(result, "What it did in the latest step: a Result."),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("An agent of a world: see World.add_agent.\n\n"
                          "After it was removed, everything except id, world and comparison raises "
                          "NoSuchAgentError.")},
    {Py_tp_dealloc, agent_dealloc},
    {Py_tp_traverse, agent_traverse},
    {Py_tp_richcompare, agent_compare},
    {Py_tp_hash, agent_hash},
    {Py_tp_repr, agent_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_agent_spec = {
    .name = "jbw._core.Agent",
    .basicsize = sizeof(core_agent),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
